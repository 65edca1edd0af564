"""Why a tensor may not be pruned: what its type, its name and its neighbours tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import lru_cache

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.layer_kinds_modules import Module, Modules

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

    Parameters
    ----------
    entry
        The tensor.
    modules, module
        All of the file, and the one that the tensor is in.
    path, leaf
        The name of this module, and the last name of the tensor.
    """
    below = modules.get(entry.name)
    return (
        _by_neighbours(leaf, module)
        or _told_by_name(entry.name)
        or (_BNB_REASON if below and not _BNB.isdisjoint(below) else "")
        or _scaled(entry, modules, path, leaf)
        or entry.dtype.why_not
        or ("masks are not pruned" if leaf.endswith("_mask") else "")
        or ("it is empty" if not entry.numel else "")
        or ("a single number is not pruned" if not entry.shape else "")
    )


def is_ordinary(leaf: str, leaves: AbstractSet[str]) -> bool:
    """Whether `why_not` needs no more of most tensors called `leaf` than name, type and shape.

    Exceptions are 8-bit values, tensors with others below them, and modules that are
    `conspicuous`.

    Parameters
    ----------
    leaf
        The last name of the tensor.
    leaves
        The last names of all tensors in the file.
    """
    return _scale_named(leaf) is None and not any(needed <= leaves for needed, _ in _rules(leaf))


def conspicuous(names: str) -> bool:
    """Whether any of many names, a line each, tells something by a part other than its last."""
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
    if leaf in _BUFFERS:
        rules.append(((), _BUFFERS[leaf]))
    return tuple((frozenset(needed), why) for needed, why in rules)


def _told_by_name(name: str) -> str:
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
    found = _SCALE.match(leaf)
    return found and (found["of"] or "", found["by"] or "")


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
