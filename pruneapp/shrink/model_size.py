"""How large a model is, by the shapes of its tensors and its configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry, size_of
from pruneapp.export.catalog import get
from pruneapp.export.provenance import Provenance
from pruneapp.export.records import State
from pruneapp.export.sharding import plan_weights
from pruneapp.groups.binding import Structure, fields_of
from pruneapp.params import validate_all
from pruneapp.progress import Job
from pruneapp.results.shrink_forecast import ModelSize
from pruneapp.shrink.cut import TensorCut

# How the names of classes end that predict tokens.
_HEADS = ("LM", "LMHeadModel", "ForConditionalGeneration")
_CACHED = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
_CHOSEN = ("num_experts_per_tok", "num_experts_per_token", "moe_topk", "top_k_experts")
# Tables in layers, of which a token takes a row.
_TABLES = ("embed", "relative_attention_bias")


def model_size(  # noqa: PLR0917 - each its own type
    state: State,
    cuts: Iterable[TensorCut],
    structure: Structure,
    config: Mapping[str, Any],
    job: Job,
    provenance: Provenance | None = None,
) -> ModelSize:
    """Return how large a state is; `cuts` are its tensors, with those of the model as it was bound.

    O(n) in the number of tensors, and reads none.
    """
    cuts = tuple(job.cancel.each(cuts))
    return ModelSize(
        _weights(state, job, provenance),
        size_of([each.entry for each in cuts], job.cancel).parameters,
        _cache(state.checkpoint, structure, config),
        _multiply_adds(cuts, structure, config, job),
    )


def _weights(state: State, job: Job, provenance: Provenance | None) -> int:
    """Return the bytes of all files of weights, and their index."""
    form = get("safetensors")
    plans = plan_weights(state, form, validate_all(form.params, {}), job, provenance=provenance)
    return sum(plan.nbytes for plan in plans.values())


def _is(config: Mapping[str, Any], ends: tuple[str, ...]) -> bool:
    classes = config.get("architectures") or ()
    return any(isinstance(name, str) and name.endswith(ends) for name in classes)


def _cache(checkpoint: Checkpoint, structure: Structure, config: Mapping[str, Any]) -> int | None:
    """Return the bytes of keys and values of a token, in the type of the weights.

    None of encoders, and where it is not said: of latent attention and state space models.
    """
    fields = fields_of(config, structure.inside)
    if not _is(config, _CACHED) or fields.get("is_encoder_decoder") or "kv_lora_rank" in fields:
        return None
    axis = structure.axes.get("kv-groups")
    heads = next((fields[n] for n in ("num_attention_heads", "n_head") if n in fields), None)
    hidden = next((fields[n] for n in ("hidden_size", "n_embd") if n in fields), None)
    depth = next((fields[f] for f in structure.depths.values() if f in fields), None)
    if not isinstance(heads, int) or not isinstance(depth, int) or not heads:
        return None
    each = fields.get("head_dim") or (hidden // heads if isinstance(hidden, int) else None)
    groups = fields.get("num_key_value_heads") or heads
    types = fields.get("layer_types")
    if isinstance(types, list):
        depth = sum("attention" in kind and "linear" not in kind for kind in types)
    first = axis.groups[0].members[0].name if axis is not None and axis.groups else ""
    entry = checkpoint.entries.get(first) or next(iter(checkpoint.entries.values()), None)
    if not isinstance(each, int) or entry is None or entry.dtype.packed:
        return None
    return 2 * depth * groups * entry.dtype.nbytes(each)


def _multiply_adds(
    cuts: Iterable[TensorCut], structure: Structure, config: Mapping[str, Any], job: Job
) -> int | None:
    """Return how many a token takes in matrices; None where they are packed."""
    inside = {
        entry.name: rest for layer in structure.layers for rest, entry in layer.entries.items()
    }
    fields = fields_of(config, structure.inside)
    axis = structure.axes.get("experts")
    of_experts: set[str] = set()
    for group in () if axis is None else axis.groups:
        of_experts |= {name for names in group.tensors for name in names}
    chosen = next((fields[name] for name in _CHOSEN if isinstance(fields.get(name), int)), 0)
    chosen = chosen or (0 if axis is None else axis.least)
    total = routed = head = 0
    for each in job.cancel.each(cuts):
        entry, rest = each.entry, inside.get(each.source.name)
        if rest is None:
            head = max(head, _head(each))
        elif len(entry.shape) < 2 or any(table in rest for table in _TABLES):
            continue
        elif entry.dtype.packed or not entry.dtype.prunable:
            return None
        elif each.source.name in of_experts:
            routed += entry.numel * chosen
        elif axis is not None and len(entry.shape) == 3 and _is_stacked(each.source, structure):
            total += entry.numel * chosen // entry.shape[0]
        else:
            total += entry.numel
    if routed:
        total += routed // _experts_left(fields)
    if not head and _is(config, _HEADS):
        head = _table(cuts, structure)
    return total + head


def _is_stacked(entry: TensorEntry, structure: Structure) -> bool:
    """Whether a tensor holds a matrix of each expert."""
    groups = structure.axes["experts"].groups
    return any(
        member.dim == 0 and member.name == entry.name
        for group in groups
        for member in group.members
    )


def _experts_left(fields: Mapping[str, Any]) -> int:
    names = ("n_routed_experts", "num_experts", "num_local_experts")
    return next(int(fields[name]) for name in names if isinstance(fields.get(name), int))


def _head(each: TensorCut) -> int:
    """Return the multiply-adds of a matrix that predicts tokens; 0 if it is another tensor."""
    entry = each.entry
    ends = ("lm_head.weight", "embed_out.weight", "predictions.decoder.weight")
    is_head = any(name.endswith(ends) for name in each.source.names)
    return entry.numel if is_head and len(entry.shape) == 2 else 0


def _table(cuts: Iterable[TensorCut], structure: Structure) -> int:
    """Return the size of the embedding, which predicts tokens where there is no other matrix."""
    axis = structure.axes.get("vocabulary")
    names = {m.name for group in axis.groups for m in group.members} if axis is not None else ()
    sizes = [c.entry.numel for c in cuts if c.source.name in names and len(c.entry.shape) == 2]
    return max(sizes, default=0)
