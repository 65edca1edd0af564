"""The inferred layer type of each tensor, and why it cannot be pruned.

Both are inferred from types, names, shapes and sibling tensors. Results are cached, because most
tensors of a file have the same last name parts, shape and type as another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from pruneapp.checkpoint.contents import Contents
from pruneapp.checkpoint.entry import (
    BUFFER,
    STATISTICS,
    STATISTICS_NAMES,
    TensorEntry,
    make_entries,
)
from pruneapp.checkpoint.formats.onnx import ONNX
from pruneapp.checkpoint.io.source import ByteSource
from pruneapp.checkpoint.mask_pairs import find_overlaps, fold_pairs
from pruneapp.checkpoint.quantization import Declaration, Module, Modules, find_quantized, is_scale
from pruneapp.progress import CancelToken, Job


def find_modules(entries: Iterable[TensorEntry], cancel: CancelToken | None = None) -> Modules:
    """Return the tensors of each module, by module name and last name part.

    The module name is everything before the last dot, "" for names without a dot. A tied tensor is
    in the module of each of its names.
    """
    modules: Modules = {}
    for entry in (cancel or CancelToken()).each(entries):
        for name in entry.names if entry.aliases else (entry.name,):
            path, _, leaf = name.rpartition(".")
            try:
                modules[path][leaf] = entry
            except KeyError:
                modules[path] = {leaf: entry}
    return modules


# Tensors that are excluded if the user selects none: patterns of the last module name, ignoring
# case. A module with a `running_mean` is a norm as well.
EMBEDDINGS = ("embed*", "*embedding*", "wte", "wpe")
NORMS = ("*norm*", "bn*", "ln_*")

_CONVOLUTIONS = {3: "Conv1d", 4: "Conv2d", 5: "Conv3d"}
# Modules that contain the output head of a language model; and those that contain its token
# embedding, whose shape identifies a head of any other name.
_HEADS = frozenset({"lm_head", "generator_lm_head"})
_TOKEN_TABLES = frozenset(
    {
        "wte",
        "word_embeddings",
        "tok_embeddings",
        "token_embd",
        "token_embedding",
        "token_embeddings",
        "embed_tokens",
        "embed_in",
        "shared",
    }
)
# Layer types that are pruned if nothing is selected, for files that declare the layer types.
_DEFAULT_KINDS = frozenset({*_CONVOLUTIONS.values(), "Linear", "recurrent"})
# Last names of tensors whose layer is given by the module name.
_PARAMETERS = frozenset({"weight", "bias", "w", "b", "W", "kernel", "scale", "gamma", "beta", "g"})
_RECURRENT = re.compile(r"weight_[ih]h_l\d+(_reverse)?$|weight_[ih]h$")
_EMBEDDING = re.compile("|".join(map(translate, EMBEDDINGS)), re.IGNORECASE)
_NORM = re.compile("|".join(map(translate, NORMS)), re.IGNORECASE)
# Last names of parameters (`pos_embed`, `cls_token`) that are looked up or added, and are not
# weights that inputs are multiplied by.
_TABLE = re.compile(
    r"(?:^|_)(?:tokens?|embeds?|emb|embeddings?|quer(?:y|ies)|codebooks?|codevectors|centroids|"
    r"latents?|prompts?|prototypes|priors?|registers|anchors?|pe|pos|positions?|tables?|"
    r"freqs?(?:_\w+)?|rel_pos\w*|pos_\w+|relative_\w+)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Role:
    """What the names of a tensor imply about its layer."""

    embedding: bool  # whether it belongs to an embedding
    norm: bool


def role(entry: TensorEntry, modules: Modules) -> Role:
    """Return the role of a tensor: of an embedding or a norm if any of its names implies it.

    All its modules must be in `modules`.
    """
    primary = _role_by(entry.name, modules)
    if not entry.aliases:
        return primary
    others = [_role_by(name, modules) for name in entry.aliases]
    return Role(
        primary.embedding or any(other.embedding for other in others),
        primary.norm or any(other.norm for other in others),
    )


def _role_by(name: str, modules: Modules) -> Role:
    """Return the role that one name implies.

    It is derived from the name of the module for parameters called ``weight`` etc., else from the
    last part. Every tensor of a module with a ``running_mean`` is one of a norm.
    """
    path, _, leaf = name.rpartition(".")
    # A parameter that is not called `weight` etc. (`pos_embed`) is classified by its own name.
    named = _layer(path.rpartition(".")[2] if _is_parameter(leaf) else leaf)
    if "running_mean" in modules[path] and not named.norm:
        return Role(named.embedding, norm=True)
    return named


def kind_of(entry: TensorEntry, role: Role, module: Module, leaf: str) -> str:
    """Return the layer type (``Conv2d``, ``Linear``, ``norm``, ``bias``, ...); "" if unknown.

    Derived from the shape, the role and names: `leaf` is the last part of the tensor's name,
    `module` has all tensors of its module by last part. Buffers are `STATISTICS` or `BUFFER`; a
    matrix with a name other than that of a weight is a ``parameter``.
    """
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
    weight = _is_parameter(leaf) and not is_scale(leaf)
    if rank in _CONVOLUTIONS and weight:
        return _CONVOLUTIONS[rank]
    if rank == 2:
        return "Linear" if weight else "parameter"
    if rank == 1 and leaf == "weight":
        bias = module.get("bias")
        return "norm" if bias is not None and bias.shape == entry.shape else ""
    return ""


def is_pruned_by_default(entry: TensorEntry, role: Role, module: Module, kind: str) -> bool:
    """Return whether a tensor, if prunable, is pruned when nothing is selected.

    This requires two or more dimensions. Excluded are buffers, biases, scales, vectors with
    additional dimensions of size 1 (``cls_token`` of 1×1×n), tables of tokens, positions or codes,
    and tensors of embeddings and norms. The rules are the same for tensors at the root of a file
    and in modules. `kind` is the result of `kind_of`, `module` has all tensors of the module by
    last name part.
    """
    if len(entry.shape) < 2 or role.embedding or role.norm or kind == "bias" or not entry.learned:
        return False
    leaf = entry.name.rpartition(".")[2]
    if is_scale(leaf) or (not _is_parameter(leaf) and _TABLE.search(leaf)):
        return False
    if kind in {"", "parameter"} and sum(n > 1 for n in entry.shape) < 2:
        return False
    layer = entry.name.split(".")[-2:-1]
    # Lookup tables of T5, BART and similar models, whose names do not always show it.
    return not (
        layer == ["relative_attention_bias"] or (layer == ["shared"] and "bias" not in module)
    )


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
_RECOMPUTED = "computes the weight of the layer from it"


def why_not(entry: TensorEntry, module: Module, leaf: str, quantized: str) -> str:
    """Return the reason why a tensor cannot be pruned, a clause without a full stop, or ``""``.

    In this order: it is normalized or parametrized, its layer is quantized, its type, it is a
    buffer by its name (unless the file declares it as a parameter), it is empty, it has no
    dimensions.

    Parameters
    ----------
    module
        The tensors of the module that contains it, by the last part of their names.
    leaf
        The last part of its name.
    quantized
        The reason to use if its layer is quantized (`quantized_reason`), or ``""``. It does not
        apply to a bias of a type that can be pruned.
    """
    plain_bias = leaf == "bias" or (leaf.endswith("_bias") and not leaf.startswith("weight_"))
    return (
        _reason_by_neighbors(leaf, module)
        or _reason_by_name(entry.name)
        or (quantized if quantized and not (plain_bias and entry.dtype.prunable) else "")
        or entry.dtype.why_not
        or ("" if entry.buffer is False else _reason_by_buffer_name(leaf))
        or ("it is empty" if not entry.numel else "")
        or ("a single number is not pruned" if not entry.shape else "")
    )


def quantized_reason(quantizer: str) -> str:
    """Return why the tensors of a quantized layer are not pruned; `quantizer` may be empty."""
    return f"its layer is quantized ({quantizer})" if quantizer else "its layer is quantized"


def _is_ordinary(leaf: str, leaves: AbstractSet[str]) -> bool:
    """Return whether `why_not` does not depend on siblings for tensors called `leaf`.

    `leaves` are the last name parts of all tensors in the file.
    """
    return not any(needed <= leaves for needed, _ in _rules(leaf))


def _reason_by_neighbors(leaf: str, module: Module) -> str:
    for needed, why in _rules(leaf):
        if module.keys() >= needed:
            return why
    return ""


@lru_cache(maxsize=4096)
def _rules(leaf: str) -> tuple[tuple[frozenset[str], str], ...]:
    """Return the reasons for tensors called `leaf`, each with the siblings that it requires.

    These are the pairs of weight normalization (``_g``, ``_v``) and spectral normalization
    (``_orig``, ``_u``). The siblings include `leaf` itself, and all of them must be in the module.
    Empty for other names.
    """
    rules: list[tuple[Iterable[str], str]] = []
    base, _, end = leaf.rpartition("_")
    if end in {"g", "v"} and base:
        both = (f"{base}_g", f"{base}_v")
        rules.append((both, f"weight normalization {_RECOMPUTED}"))
    if end in {"orig", "u", "v"}:
        both = (f"{base}_orig", f"{base}_u")
        rules.append((both, f"spectral normalization {_RECOMPUTED}"))
    return tuple((frozenset(needed), why) for needed, why in rules)


def _reason_by_buffer_name(leaf: str) -> str:
    """Return why a tensor is not pruned, by the name of a buffer; empty for other names."""
    return _BUFFERS.get(leaf, "masks are not pruned" if leaf.endswith("_mask") else "")


_PARAMETRIZED = "parametrizations."


def _reason_by_name(name: str) -> str:
    if _PARAMETRIZED in name and f".{_PARAMETRIZED}" in f".{name}":
        return f"a parametrization {_RECOMPUTED}"
    return ""


class Prunability(NamedTuple):
    """Whether a tensor can be pruned, and its inferred layer type."""

    why_not: str  # this, `kind` and `quantized` are as in `TensorEntry`
    kind: str
    usual: bool  # whether it is pruned by default if it is prunable
    quantized: str = ""


class Judge:
    """Determines the prunability of the tensors of a file.

    For most tensors the result depends only on the last part of the module name, the quantizer, the
    last part of the tensor name, the type and the shape: 100,000 tensors are a few dozen cases. The
    last name parts that require more than that are determined once per file.

    `quantized` maps the modules of quantized layers to the names of their quantizers.
    """

    def __init__(
        self,
        modules: Modules,
        quantized: Mapping[str, str] | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        """Collect what the judgements of all tensors share.

        Parameters
        ----------
        modules
            All tensors of the file, as returned by `find_modules`.
        quantized
            As returned by `find_quantized`; None if no layer is quantized.
        cancel
            Checked meanwhile; raises `Cancelled`.
        """
        cancel = cancel or CancelToken()
        self._modules = modules
        names = quantized or {}
        reasons = {name: quantized_reason(name) for name in set(names.values())}
        self._quantized = {path: reasons[name] for path, name in cancel.each(names.items())}
        self._known: dict[tuple[object, ...], Prunability] = {}
        self._vocabularies = {
            entry.shape
            for path, module in cancel.each(modules.items())
            if path.rpartition(".")[2] in _TOKEN_TABLES
            for entry in module.values()
            if len(entry.shape) == 2
        }
        leaves: set[str] = set()
        parametrized = False
        for batch in cancel.batches(modules.items()):
            leaves.update(*[module for _, module in batch])
            paths = "\n".join([f"{path}." for path, _ in batch])
            parametrized = parametrized or _PARAMETRIZED in paths
        self._ordinary: set[str] = set()
        # A running mean makes all tensors of its module parts of a norm.
        if parametrized or "running_mean" in leaves:
            return
        for some in cancel.batches(leaves):
            self._ordinary.update([leaf for leaf in some if _is_ordinary(leaf, leaves)])

    def judge(self, entries: Iterable[TensorEntry]) -> Iterator[Prunability]:
        """Yield the prunability of each tensor, in order.

        The module of each tensor must be in the `modules` of the constructor. Equal cases share one
        cached result.
        """
        modules, ordinary, known = self._modules, self._ordinary, self._known
        quantized = self._quantized
        for entry in entries:
            name, shape, dtype, _, aliases, *_ = entry
            path, _, leaf = name.rpartition(".")
            module = modules[path]
            reason = quantized.get(path, "") if quantized else ""
            if leaf not in ordinary or aliases or shape in self._vocabularies:
                yield self._judge(entry, module, leaf, reason)
                continue
            bias = module.get("bias") if len(shape) == 1 else None
            last = path.rpartition(".")[2] if path else None
            case = (last, leaf, shape, dtype.name, bias and bias.shape, entry.buffer, reason)
            judged = known.get(case)
            if judged is None:
                judged = known[case] = self._judge(entry, module, leaf, reason)
            yield judged

    def _judge(self, entry: TensorEntry, module: Module, leaf: str, reason: str) -> Prunability:
        """Determine the prunability of one tensor, without the cache.

        `reason` is that of a quantized layer or empty; then the layers of the aliases are checked
        too.
        """
        for alias in entry.aliases:
            reason = reason or self._quantized.get(alias.rpartition(".")[0], "")
        named = role(entry, self._modules)
        kind = kind_of(entry, named, module, leaf)
        usual = is_pruned_by_default(entry, named, module, kind) and not self._is_head(entry, kind)
        return Prunability(why_not(entry, module, leaf, reason), kind, usual, reason)

    def _is_head(self, entry: TensorEntry, kind: str) -> bool:
        """Return whether a tensor is the output head of a language model.

        Its module has a known name, or it is a Linear outside of numbered blocks and embeddings
        that has the shape of a token embedding of the file.
        """
        parts = entry.name.split(".")
        if _HEADS.intersection(parts[-2:-1]):
            return True
        elsewhere = _TOKEN_TABLES.intersection(parts[-2:-1]) or any(map(str.isdecimal, parts))
        return kind == "Linear" and entry.shape in self._vocabularies and not elsewhere


def annotate(
    contents: Contents, sources: Sequence[ByteSource], job: Job, declared: Declaration | None = None
) -> Contents:
    """Complete the entries of a reader: layer type, why it cannot be pruned, default selection.

    Returns new contents. ``NAME_orig`` and ``NAME_mask`` of torch's pruning become one entry
    ``NAME``; the values of such masks are read to validate them, other values are not read. Layer
    types and reasons that the reader has set are kept. If no tensor is pruned by default, prunable
    output heads are. `declared` is the declaration of quantization in the configuration of the
    model. Raises `CheckpointError` if a mask cannot be read, or `Cancelled`.
    """
    contents = fold_pairs(contents, sources, job)
    modules = find_modules((*contents.entries, *contents.masks), job.cancel)
    hierarchical = contents.format != ONNX.name
    quantized = find_quantized(modules, declared, hierarchical=hierarchical, cancel=job.cancel)
    overlaps = find_overlaps(contents.entries, job.cancel)
    judge = Judge(modules, quantized, job.cancel)
    entries: list[TensorEntry] = []
    for batch in job.cancel.batches(contents.entries):
        (
            names,
            shapes,
            dtypes,
            locations,
            aliases,
            why_not,
            declared_kinds,
            mask_of,
            _,
            buffers,
            _,
        ) = zip(*batch, strict=True)
        judged, kinds, usual, by_quantizer = zip(*judge.judge(batch), strict=True)
        if any(declared_kinds):
            # Graphs and programs state layer types reliably, but an operator uses fixed transforms
            # like weights, so buffers are excluded.
            usual = tuple(
                t in _DEFAULT_KINDS and e.learned and not _HEADS & {*e.name.split(".")} if t else u
                for t, u, e in zip(declared_kinds, usual, batch, strict=True)
            )
            kinds = tuple(t or kind for t, kind in zip(declared_kinds, kinds, strict=True))
        shared = [overlaps.get(name, "") for name in names] if overlaps else [""] * len(names)
        reasons = [a or b or c for a, b, c in zip(why_not, shared, judged, strict=True)]
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
            quantized=by_quantizer,
        )
    # If all other layers are quantized, the output head is what can be pruned.
    if not any(map(attrgetter("by_default"), entries)):
        entries = [
            entry._replace(by_default=True) if _is_plain_head(entry) else entry
            for entry in job.cancel.each(entries)
        ]
    return replace(contents, entries=tuple(entries))


def _is_plain_head(entry: TensorEntry) -> bool:
    """Return whether a tensor is the prunable weight of an output head, by its name."""
    is_head = not _HEADS.isdisjoint(entry.name.split(".")[-2:-1])
    return is_head and entry.prunable and entry.learned and entry.kind == "Linear"
