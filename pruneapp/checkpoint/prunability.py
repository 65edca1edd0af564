"""Which layer a tensor seems to belong to, whether it can be pruned, and why not if it cannot.

Inferred from types, names, shapes and neighbours, and said to be so wherever it is shown. Most
tensors of a file are judged like another one before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import lru_cache
from typing import NamedTuple

from pruneapp.checkpoint.contents import Contents
from pruneapp.checkpoint.entry import (
    BUFFER,
    STATISTICS,
    STATISTICS_NAMES,
    TensorEntry,
    make_entries,
)
from pruneapp.checkpoint.io.source import ByteSource
from pruneapp.checkpoint.mask_pairs import find_overlaps, fold_pairs
from pruneapp.progress import CancelToken, Job

# The tensors of each module, by their last name. Plain dicts: a file may hold 200,000 of them.
Module = dict[str, TensorEntry]
Modules = dict[str, Module]


def find_modules(entries: Iterable[TensorEntry], cancel: CancelToken | None = None) -> Modules:
    """Return the modules that hold tensors, by name; a tied tensor is in several."""
    modules: Modules = {}
    for entry in (cancel or CancelToken()).each(entries):
        for name in entry.names if entry.aliases else (entry.name,):
            path, _, leaf = name.rpartition(".")
            try:
                modules[path][leaf] = entry
            except KeyError:
                modules[path] = {leaf: entry}
    return modules


# The one table of what is left out when nothing is selected: patterns on the last module name,
# upper and lower case alike. A module with a `running_mean` is a norm as well.
EMBEDDINGS = ("embed*", "*embedding*", "wte", "wpe")
NORMS = ("*norm*", "bn*", "ln_*")

_CONVOLUTIONS = {3: "Conv1d", 4: "Conv2d", 5: "Conv3d"}
# Kinds that are pruned when nothing is selected, where the file says what is what.
_BY_DEFAULT = frozenset({*_CONVOLUTIONS.values(), "Linear", "recurrent"})
# Parameters that are named after what they are to their module, not after a layer.
_PARAMETERS = frozenset({"weight", "bias", "w", "b", "W", "kernel", "scale", "gamma", "beta", "g"})
_RECURRENT = re.compile(r"weight_[ih]h_l\d+(_reverse)?$|weight_[ih]h$")
_EMBEDDING = re.compile("|".join(map(translate, EMBEDDINGS)), re.IGNORECASE)
_NORM = re.compile("|".join(map(translate, NORMS)), re.IGNORECASE)


@dataclass(frozen=True)
class Role:
    """What the names of a tensor imply."""

    embedding: bool  # whether it belongs to one
    norm: bool


def role(entry: TensorEntry, modules: Modules) -> Role:
    """Look at every name of a tensor."""
    own = _role_by(entry.name, modules)
    if not entry.aliases:
        return own
    others = [_role_by(name, modules) for name in entry.aliases]
    return Role(
        own.embedding or any(other.embedding for other in others),
        own.norm or any(other.norm for other in others),
    )


def _role_by(name: str, modules: Modules) -> Role:
    path, _, leaf = name.rpartition(".")
    # A parameter with a name of its own (`pos_embed`) stands for itself.
    named = _layer(path.rpartition(".")[2] if _is_parameter(leaf) else leaf)
    if "running_mean" in modules[path] and not named.norm:
        return Role(named.embedding, norm=True)
    return named


def kind_of(entry: TensorEntry, role: Role, module: Module, path: str, leaf: str) -> str:
    """Return ``Conv2d``, ``Linear``, ``norm``, ...; empty if unknown."""
    rank = len(entry.shape)
    if role.norm and leaf in STATISTICS_NAMES:
        return STATISTICS
    if entry.buffer:
        return BUFFER
    if role.norm:
        return "norm"
    if leaf == "bias" or leaf.endswith("_bias") or leaf.startswith("bias_"):
        return "bias"
    if _RECURRENT.match(leaf):
        return "recurrent"
    if rank in {2, 3} and role.embedding:
        return "embedding"
    weight = _is_parameter(leaf) or not path
    if rank in _CONVOLUTIONS and weight:
        return _CONVOLUTIONS[rank]
    if rank == 2:
        return "Linear" if weight else "parameter"
    if rank == 1 and leaf == "weight":
        bias = module.get("bias")
        return "norm" if bias is not None and bias.shape == entry.shape else ""
    return ""


def pruned_by_default(entry: TensorEntry, role: Role, module: Module, kind: str) -> bool:
    """Whether a prunable tensor is pruned when nothing is selected.

    It has two or more dimensions, is no buffer and no bias, no vector in more dimensions
    (``cls_token`` of 1×1×n), and belongs neither to an embedding nor to a norm.
    """
    if not pruned_by_version_1(entry, role) or kind == "bias" or not entry.learned:
        return False
    if kind in {"", "parameter"} and sum(n > 1 for n in entry.shape) < 2:
        return False
    layer = entry.name.split(".")[-2:-1]
    # Tables that T5, BART and their kin look up; files do not always hold a name that says so.
    return not (
        layer == ["relative_attention_bias"] or (layer == ["shared"] and "bias" not in module)
    )


def pruned_by_version_1(entry: TensorEntry, role: Role) -> bool:
    """Whether a step of version 1 takes it when nothing is selected: it knows of no buffers."""
    return len(entry.shape) > 1 and not role.embedding and not role.norm


@lru_cache(maxsize=4096)
def _layer(name: str) -> Role:
    return Role(_EMBEDDING.match(name) is not None, _NORM.match(name) is not None)


@lru_cache(maxsize=4096)
def _is_parameter(leaf: str) -> bool:
    return leaf in _PARAMETERS or leaf in STATISTICS_NAMES or "weight" in leaf


_BUFFERS = {
    "running_mean": "running statistics are measured, not learned",
    "running_var": "running statistics are measured, not learned",
    "num_batches_tracked": "it counts batches",
    "inv_freq": "these frequencies are computed, not learned",
    "position_ids": "it numbers positions",
    "relative_position_index": "it numbers positions",
    "anchors": "anchor boxes are chosen, not learned",
}
_PACKED = {
    "qweight": ("GPTQ or AWQ", frozenset({"qweight", "qzeros", "scales", "g_idx"})),
    "SCB": ("bitsandbytes", frozenset({"weight", "SCB", "weight_format"})),
    "weight_packed": (
        "compressed-tensors",
        frozenset(
            "weight_" + part
            for part in ("packed", "scale", "zero_point", "shape", "global_scale", "g_idx")
        ),
    ),
    "bitmask": ("compressed-tensors", frozenset({"compressed", "bitmask", "shape", "row_offsets"})),
}
_BNB = frozenset({"absmax", "quant_map", "nested_absmax", "nested_quant_map"})
_BNB_REASON = "it is part of weights that bitsandbytes packed"
_RECOMPUTED = "computes the weight of the layer from it"
_SCALE = re.compile(r"((?P<of>.*?)_)?(global_)?(scales?|scale_inv|zero_points?)$|scale_(?P<by>.*)")


def why_not(entry: TensorEntry, modules: Modules, module: Module, path: str, leaf: str) -> str:
    """Return the reason, a phrase without a full stop; empty if there is none.

    `path` names the module of the tensor, `leaf` is the last part of its name.
    """
    below = modules.get(entry.name)
    return (
        _by_neighbours(leaf, module)
        or _by_name(entry.name)
        or (_BNB_REASON if below and not _BNB.isdisjoint(below) else "")
        or _scaled(entry, modules, path, leaf)
        or entry.dtype.why_not
        or ("" if entry.buffer is False else _by_buffer_name(leaf))
        or ("it is empty" if not entry.numel else "")
        or ("a single number is not pruned" if not entry.shape else "")
    )


def _is_ordinary(leaf: str, leaves: AbstractSet[str]) -> bool:
    """Whether `why_not` needs no more of most tensors called `leaf` than name, type and shape.

    Exceptions are 8-bit values, tensors with others below them, and modules that are wrapped
    (`_is_wrapped`).

    `leaves` are the last names of all tensors in the file.
    """
    return _scale_named(leaf) is None and not any(needed <= leaves for needed, _ in _rules(leaf))


def _is_wrapped(names: str) -> bool:
    """Whether a part other than the last of any name (a line each) matters."""
    return any(part in names for part in ("parametrizations.", ".quant_state.", "_packed_params"))


def _by_neighbours(leaf: str, module: Module) -> str:
    for needed, why in _rules(leaf):
        if module.keys() >= needed:
            return why
    return ""


@lru_cache(maxsize=4096)
def _rules(leaf: str) -> tuple[tuple[frozenset[str], str], ...]:
    """Return what to conclude for tensors called `leaf`, if they have the neighbours needed."""
    rules: list[tuple[Iterable[str], str]] = [
        ((mark,), f"it is part of weights that {packer} packed")
        for mark, (packer, members) in _PACKED.items()
        if leaf in members
    ]
    if leaf in _BNB:
        rules.append(((), _BNB_REASON))
    if leaf in {"weight", "scale", "zero_point"}:
        rules.append((("scale", "zero_point"), "it is part of weights that torch quantized"))
    base, _, end = leaf.rpartition("_")
    if end in {"blocks", "scales"}:
        both = (f"{base}_blocks", f"{base}_scales")
        rules.append((both, "it is part of weights packed as MXFP4"))
    if end in {"g", "v"} and base:
        both = (f"{base}_g", f"{base}_v")
        rules.append((both, f"weight normalization {_RECOMPUTED}"))
    if end in {"orig", "u", "v"}:
        both = (f"{base}_orig", f"{base}_u")
        rules.append((both, f"spectral normalization {_RECOMPUTED}"))
    return tuple((frozenset(needed), why) for needed, why in rules)


def _by_buffer_name(leaf: str) -> str:
    """Return why a tensor is not pruned that is named like a buffer."""
    return _BUFFERS.get(leaf, "masks are not pruned" if leaf.endswith("_mask") else "")


def _by_name(name: str) -> str:
    if "parametrizations." in name and ".parametrizations." in f".{name}":
        return f"a parametrization {_RECOMPUTED}"
    if ".quant_state." in name:
        return _BNB_REASON
    return "it is part of weights that torch quantized" if "_packed_params" in name else ""


def _scaled(entry: TensorEntry, modules: Modules, path: str, leaf: str) -> str:
    """Tell 8-bit values with a scale beside them, and such scales."""
    if entry.dtype.bits == 8:
        if entry.dtype.form is None:
            return ""
        below = modules.get(entry.name)
        scale = _scale_of(leaf, modules[path]) or (below and _scale_of("", below))
        return f"its values are scaled by '{scale}'" if scale else ""
    of_by = _scale_named(leaf)
    if of_by is None:
        return ""
    for other in ("weight", *of_by):
        sibling = modules[path].get(other)
        if sibling is not None and other != leaf and _is_quantized(sibling):
            return f"it scales '{other}'"
    above, _, scaled = path.rpartition(".")
    owner = modules.get(above, {}).get(scaled)
    return f"it scales '{scaled}'" if owner is not None and _is_quantized(owner) else ""


@lru_cache(maxsize=4096)
def _scale_named(leaf: str) -> tuple[str, str] | None:
    """Return what a tensor called `leaf` may be a scale of; None if it is no scale."""
    match = _SCALE.match(leaf)
    return match and (match["of"] or "", match["by"] or "")


def _is_quantized(entry: TensorEntry) -> bool:
    return entry.dtype.bits == 8 and entry.dtype.name != "BOOL" and bool(entry.shape)


@lru_cache(maxsize=1024)
def _scales_for(leaf: str) -> frozenset[str]:
    ends = ("scale", "scales", "scale_inv", "global_scale", "zero_point")
    plain = {"scale", "scales", "scale_inv", "input_scale", "output_scale", "activation_scale"}
    return frozenset(plain | {f"{leaf}_{end}" for end in ends} | {f"scale_{leaf}"})


def _scale_of(leaf: str, module: Module) -> str:
    names = [name for name in _scales_for(leaf) if name in module]
    # Its own scale says more than that of what goes into the layer.
    return min(names, key=lambda name: (not leaf or leaf not in name, name), default="")


class Prunability(NamedTuple):
    """Whether a tensor can be pruned, and its kind."""

    why_not: str  # see `TensorEntry`, as `kind`
    kind: str
    usual: bool  # whether it is pruned by default if it may be pruned at all


class Judge:
    """Judges the tensors of a file.

    Of most tensors nothing counts but the last name of the module, the own last name, the type
    and the shape: 100,000 of them are a few dozen cases. Which of the last names leave it at that
    is found out once for the file.
    """

    def __init__(self, modules: Modules, cancel: CancelToken | None = None) -> None:
        cancel = cancel or CancelToken()
        self._modules = modules
        self._known: dict[tuple[object, ...], Prunability] = {}
        leaves: set[str] = set()
        conspicuous = False
        for batch in cancel.batches(modules.items()):
            leaves.update(*[module for _, module in batch])
            paths = "\n".join([f"{path}." for path, _ in batch])
            conspicuous = conspicuous or _is_wrapped(paths)
        self._ordinary: set[str] = set()
        # A measured mean makes a norm of every tensor of its module.
        if conspicuous or "running_mean" in leaves:
            return
        for some in cancel.batches(leaves):
            if _is_wrapped("\n".join(some)):
                self._ordinary.clear()
                return
            self._ordinary.update([leaf for leaf in some if _is_ordinary(leaf, leaves)])

    def of(self, entries: Iterable[TensorEntry]) -> Iterator[Prunability]:
        """Judge tensors, one after the other."""
        modules, ordinary, known = self._modules, self._ordinary, self._known
        for entry in entries:
            name, shape, dtype, _, aliases, *_ = entry
            path, _, leaf = name.rpartition(".")
            module = modules[path]
            if leaf not in ordinary or aliases or dtype.bits == 8 or name in modules:
                yield self._judge(entry, module, path, leaf)
                continue
            bias = module.get("bias") if len(shape) == 1 else None
            last = path.rpartition(".")[2] if path else None
            case = (last, leaf, shape, dtype.name, bias and bias.shape, entry.buffer)
            judged = known.get(case)
            if judged is None:
                judged = known[case] = self._judge(entry, module, path, leaf)
            yield judged

    def _judge(self, entry: TensorEntry, module: Module, path: str, leaf: str) -> Prunability:
        named = role(entry, self._modules)
        kind = kind_of(entry, named, module, path, leaf)
        reason = why_not(entry, self._modules, module, path, leaf)
        return Prunability(reason, kind, pruned_by_default(entry, named, module, kind))


def chosen_by_version_1(contents: Contents, job: Job) -> tuple[str, ...]:
    """Return the tensors that a step of version 1 prunes if it selects none, in file order.

    `contents` are complete, see `annotate`.
    """
    modules = find_modules((*contents.entries, *contents.masks), job.cancel)
    return tuple(
        entry.name
        for entry in job.cancel.each(contents.entries)
        if entry.by_default or (entry.prunable and pruned_by_version_1(entry, role(entry, modules)))
    )


def annotate(contents: Contents, sources: Sequence[ByteSource], job: Job) -> Contents:
    """Complete the entries of a reader: kind if it told none, why_not, mask_of, by_default.

    ``NAME_orig`` and ``NAME_mask`` of torch's pruning become one entry ``NAME``. To be sure of
    such masks their values are read; nothing else is.

    Raises
    ------
    CheckpointError
        If a mask cannot be read.
    """
    contents = fold_pairs(contents, sources, job)
    modules = find_modules((*contents.entries, *contents.masks), job.cancel)
    overlaps = find_overlaps(contents.entries, job.cancel)
    judge = Judge(modules, job.cancel)
    entries: list[TensorEntry] = []
    for batch in job.cancel.batches(contents.entries):
        names, shapes, dtypes, locations, aliases, why_not, told, mask_of, _, buffers = zip(
            *batch, strict=True
        )
        judged, kinds, usual = zip(*judge.of(batch), strict=True)
        if any(told):  # by the graph or program of the file, which knows better than names
            usual = tuple(t in _BY_DEFAULT if t else u for t, u in zip(told, usual, strict=True))
            kinds = tuple(t or kind for t, kind in zip(told, kinds, strict=True))
        shared = [overlaps.get(name, "") for name in names] if overlaps else [""] * len(names)
        reasons = [a or b or c for a, b, c in zip(why_not, judged, shared, strict=True)]
        entries += make_entries(
            names,
            shapes,
            dtypes,
            locations,
            aliases=aliases,
            why_not=reasons,
            kinds=kinds,
            mask_of=mask_of,
            by_default=[u and not r for u, r in zip(usual, reasons, strict=True)],
            buffers=buffers,
        )
    return replace(contents, entries=tuple(entries))
