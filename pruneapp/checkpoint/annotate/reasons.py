"""Why a tensor may not be pruned: what its type, its name and its neighbours tell."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pruneapp.checkpoint.annotate.modules import Modules
from pruneapp.checkpoint.entry import TensorEntry

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
_SCALE = re.compile(r"(.*_)?(scales?|scale_inv|zero_points?)$|scale_")


def why_not(entry: TensorEntry, modules: Modules) -> str:
    """Return the reason, a phrase without a full stop; empty if there is none."""
    name = entry.name
    module, _, leaf = name.rpartition(".")
    siblings = modules.inside(module)
    return (
        _packed(name, leaf, siblings, modules)
        or _scaled(entry, module, leaf, siblings, modules)
        or _recomputed(name, leaf, siblings)
        or entry.dtype.why_not
        or _BUFFERS.get(leaf, "")
        or ("masks are not pruned" if leaf.endswith("_mask") else "")
        or ("it is empty" if not entry.numel else "")
        or ("a single number is not pruned" if not entry.shape else "")
    )


def _packed(name: str, leaf: str, siblings: Mapping[str, TensorEntry], modules: Modules) -> str:
    for mark, (packer, members) in _PACKED.items():
        if mark in siblings and leaf in members:
            return f"it is part of weights that {packer} packed"
    below = modules.inside(name)
    if leaf in _BNB or ".quant_state." in name or not _BNB.isdisjoint(below):
        return "it is part of weights that bitsandbytes packed"
    if "_packed_params" in name or (
        leaf in {"weight", "scale", "zero_point"} and siblings.keys() >= {"scale", "zero_point"}
    ):
        return "it is part of weights that torch quantized"
    for mark, other in (("_blocks", "_scales"), ("_scales", "_blocks")):
        if leaf.endswith(mark) and leaf.removesuffix(mark) + other in siblings:
            return "it is part of weights packed as MXFP4"
    return ""


def _scaled(
    entry: TensorEntry,
    module: str,
    leaf: str,
    siblings: Mapping[str, TensorEntry],
    modules: Modules,
) -> str:
    if entry.dtype.bits == 8 and entry.dtype.form is not None:
        scale = _scale_of(leaf, siblings) or _scale_of("", modules.inside(entry.name))
        if scale:
            return f"its values are scaled by '{scale}'"
        return ""
    if _SCALE.match(leaf):
        for other, sibling in siblings.items():
            narrow = sibling.dtype.bits == 8 and sibling.dtype.name != "BOOL"
            if narrow and sibling.shape and other != leaf and leaf in _scales_for(other):
                return f"it scales '{other}'"
        above, _, scaled = module.rpartition(".")
        owner = modules.inside(above).get(scaled)
        if owner is not None and owner.dtype.bits == 8:
            return f"it scales '{scaled}'"
    return ""


def _scales_for(leaf: str) -> frozenset[str]:
    names = {"scale", "scales", "scale_inv", "zero_point", "input_scale", "activation_scale"}
    names |= {f"{leaf}_{end}" for end in ("scale", "scales", "scale_inv", "global_scale")}
    return frozenset(names | {f"{leaf}_zero_point", f"scale_{leaf}", "output_scale"})


def _scale_of(leaf: str, siblings: Mapping[str, TensorEntry]) -> str:
    names = sorted(siblings.keys() & _scales_for(leaf))
    # Scales of what goes in or out say nothing of the weight, but never stand alone.
    return next((n for n in names if leaf and leaf in n), names[0] if names else "")


def _recomputed(name: str, leaf: str, siblings: Mapping[str, TensorEntry]) -> str:
    """Tell tensors from which a layer computes its weight on every call."""
    if ".parametrizations." in f".{name}":
        return "a parametrization computes the weight of the layer from it"
    base, _, end = leaf.rpartition("_")
    if end in {"g", "v"} and base and siblings.keys() >= {f"{base}_g", f"{base}_v"}:
        return "weight normalization computes the weight of the layer from it"
    if end in {"orig", "u", "v"} and siblings.keys() >= {f"{base}_orig", f"{base}_u"}:
        return "spectral normalization computes the weight of the layer from it"
    return ""
