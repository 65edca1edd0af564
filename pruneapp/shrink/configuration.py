"""Update config.json after a cut: sizes, and settings per layer."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from pruneapp.errors import counted
from pruneapp.export.destination.sidecars import DTYPE_KEYS
from pruneapp.export.rounding import KEEP
from pruneapp.groups.axis import Fields, set_field
from pruneapp.groups.structure import Structure
from pruneapp.shrink.cut import ShrinkError

# Fields with one entry per layer. Matched by name, since other lists can have the same length.
LISTS = ("layer_types", "mlp_layer_types", "no_rope_layers", "attention_layers")
# Fields that list indices of layers.
_NUMBERS = ("mlp_only_layers", "full_attn_idxs", "cross_attention_layers", "fullatt_block_indexes")
# Fields with the number of first layers that are of one kind.
_FIRST = ("first_k_dense_replace", "max_window_layers")
# Fields with a period: every n-th layer is of another kind. The value names the list with the same
# information per layer, "" if there is none.
_EVERY = {
    "decoder_sparse_step": "",
    "moe_layer_freq": "",
    "attn_layer_period": "",
    "expert_layer_period": "",
    "cla_share_factor": "",
    "global_attn_every_n_layers": "layer_types",
    "sliding_window_pattern": "layer_types",
    "_sliding_window_pattern": "layer_types",
}
# Fields of vision backbones that depend on the number of layers; they are removed.
_STAGES = ("stage_names", "out_features", "out_indices")


def with_dtype(config: Mapping[str, Any], dtype: str) -> Mapping[str, Any]:
    """Return config.json with the dtype of the weights in the fields that have one.

    `dtype` is a value of `pruneapp.export.rounding.DTYPE`. Without such a field, transformers uses
    the dtype of the weights.
    """
    if dtype == KEEP:
        return config
    return {key: dtype if key in DTYPE_KEYS and value else value for key, value in config.items()}


def first_layers(structure: Structure, count: int) -> dict[str, Any]:
    """Return a copy of config.json with only the first `count` layers of each stack.

    Stacks with fewer layers keep all. Raises `ShrinkError` if the configuration has no number of
    layers, and as `remove_layers` does.
    """
    if not structure.depths:
        raise ShrinkError(
            "The configuration does not say how many layers there are, so the first of them "
            "cannot be checked by themselves.",
            remedy="Check all layers.",
        )
    config = fields = deepcopy(dict(structure.config))
    for key in structure.inside:
        fields = fields[key]
    kept = {stack: range(min(count, depth)) for stack, depth in structure.stacks().items()}
    remove_layers(fields, structure, kept)
    return config


def remove_layers(
    fields: Fields, structure: Structure, kept: Mapping[str, Sequence[int]]
) -> tuple[str, ...]:
    """Update `fields` in place so that only some layers remain, and return notices for the user.

    Numbers of layers, lists with an entry per layer and lists of layer indices are changed.

    Parameters
    ----------
    fields
        The fields of config.json that describe the layers, which may be nested in it.
    kept
        Indices of the layers to keep, ascending, by the name of the stack.

    Raises
    ------
    ShrinkError
        If the remaining layers do not fit a periodic or shared setting of the configuration.
    """
    notices: list[str] = []
    for stack, field in structure.depths.items():
        numbers = kept[stack]
        before = fields.get(field)
        set_field(fields, field, len(numbers))
        for other, same in structure.family.also_depth.items():
            if same == field and fields.get(other) == before:
                fields[other] = len(numbers)
    longest = max(kept.values(), key=len)
    if len(set(map(tuple, kept.values()))) > 1 and any(name in fields for name in LISTS):
        raise ShrinkError(
            "config.json has one list for the layers of encoder and decoder, so the same layers "
            "must be removed from both.",
            remedy="Remove the same layers from both.",
        )
    notices += _remove_from_lists(fields, longest)
    for name in _STAGES:
        if fields.pop(name, None) is not None:
            notices.append(f"'{name}' was taken out of config.json: it names the old stages.")
    return tuple(notices)


def _remove_from_lists(fields: Fields, kept: Sequence[int]) -> Iterator[str]:
    """Update settings per layer in `fields` in place, and yield notices.

    `kept` are the indices of the layers to keep, ascending. Nothing happens before the first item
    is requested. Raises `ShrinkError` if layers would change their kind.
    """
    new = {old: number for number, old in enumerate(kept)}
    for name, instead in _EVERY.items():
        every = fields.get(name)
        if not isinstance(every, int) or every < 2:
            continue
        if any((old - number) % every for old, number in new.items()):
            if instead and isinstance(fields.get(instead), list):
                yield (
                    f"'{instead}' sets the type of each layer. transformers before version 5 "
                    f"uses '{name}' instead and would compute different outputs."
                )
                continue
            raise ShrinkError(
                f"The type of a layer repeats every {every} layers ({name}), so the remaining "
                "layers would change their type.",
                remedy=f"Remove {every} consecutive layers, or several such runs.",
            )
    types = fields.get("attention_types")
    if isinstance(types, list):  # GPT-Neo: [[["global", "local"], 12]]
        kinds_per_layer = [kind for kinds, times in types for _ in range(times) for kind in kinds]
        fields["attention_types"] = [[[kinds_per_layer[old] for old in kept], 1]]
    for name in LISTS:
        entries = fields.get(name)
        if isinstance(entries, list):
            if len(entries) <= max(kept, default=-1):
                raise ShrinkError(
                    f"'{name}' in config.json has {counted(len(entries), 'entry', 'entries')}, "
                    "fewer than there are layers.",
                    remedy="Correct the configuration.",
                )
            fields[name] = [entries[old] for old in kept]
    for name in _NUMBERS:
        entries = fields.get(name)
        if isinstance(entries, list):
            fields[name] = [new[old] for old in entries if old in new]
    for name in _FIRST:
        first = fields.get(name)
        if isinstance(first, int):
            fields[name] = sum(old < first for old in kept)


def encode_config(config: Mapping[str, Any]) -> bytes:
    """Return a configuration as JSON, formatted like transformers formats it."""
    return (json.dumps(config, indent=2, ensure_ascii=False) + "\n").encode()


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the lines of JSON that differ, those of `before` after "-" and of `after` after "+".

    () if the configurations are equal.
    """
    # Without commas, because a last line differs from the same line in the middle only by its
    # comma.
    old, new = (
        [x.rstrip(",") for x in encode_config(c).decode().splitlines()] for c in (before, after)
    )
    lines = difflib.unified_diff(old, new, lineterm="", n=0)
    return tuple(line for line in lines if not line.startswith(("---", "+++", "@@")))
