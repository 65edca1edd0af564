"""Fields of a configuration that say how many units there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pruneapp.groups.expression import ExpressionError, evaluate
from pruneapp.groups.family import AxisRule

Fields = dict[str, Any]

# Several spellings of one number; those that are there are written together.
_SPELLINGS: tuple[frozenset[str], ...] = (
    frozenset({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}),
    frozenset({"num_attention_heads", "n_head", "n_heads", "num_heads"}),
    frozenset({"num_key_value_heads", "num_kv_heads"}),
    frozenset({"intermediate_size", "n_inner", "ffn_dim", "d_ff", "ffn_hidden_size", "hidden_dim"}),
    frozenset({"num_experts", "num_local_experts", "n_routed_experts"}),
)


def spellings_of(name: str) -> frozenset[str]:
    """Return the spellings of a number, that one among them."""
    return next((each for each in _SPELLINGS if name in each), frozenset({name}))


def set_field(fields: Fields, name: str, value: Any) -> None:
    """Write a number in place, in every spelling of it that is there with the same value."""
    before = fields.get(name)
    fields[name] = value
    others = [each for each in spellings_of(name) if each != name and each in fields]
    fields.update((each, value) for each in others if fields[each] == before)


def set_sizes(
    fields: Fields, rule: AxisRule, known: Mapping[str, Any], before: int, kept: int
) -> None:
    """Write what an axis says with `kept` of `before` units, in place; `known` has its names."""
    known = {**known, "n": kept, "N": before}
    for name, text in rule.set.items():
        set_field(fields, name, evaluate(text, known))
    for name, text in rule.also.items():
        if name in fields:
            fields[name] = evaluate(text, known)


def meets(
    limit: str, fields: Mapping[str, Any], rule: AxisRule, known: Mapping[str, Any], *counts: int
) -> bool:
    """Whether a class takes `counts` (before, kept) of units by a limit of its configuration."""
    if not limit:
        return True
    after = dict(fields)
    set_sizes(after, rule, known, *counts)
    try:
        return bool(evaluate(limit, after))
    except ExpressionError:
        return False
