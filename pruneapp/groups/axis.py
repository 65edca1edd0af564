"""Axes: the sizes of a model that can be cut, and their fields in its configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from pruneapp.groups.expression import ExpressionError, evaluate
from pruneapp.groups.family import AxisName, AxisRule
from pruneapp.groups.group import USUAL_MULTIPLES, Group

Fields = dict[str, Any]

# Alternative spellings of one number; all spellings present in a configuration are updated.
_SPELLINGS: tuple[frozenset[str], ...] = (
    frozenset({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}),
    frozenset({"num_attention_heads", "n_head", "n_heads", "num_heads"}),
    frozenset({"num_key_value_heads", "num_kv_heads"}),
    frozenset({"intermediate_size", "n_inner", "ffn_dim", "d_ff", "ffn_hidden_size", "hidden_dim"}),
    frozenset({"num_experts", "num_local_experts", "n_routed_experts"}),
)


@dataclass(frozen=True, eq=False)
class Axis:
    """A size of a model that can be cut, or the reason why it cannot."""

    name: AxisName
    label: str
    rule: AxisRule = field(default_factory=AxisRule)
    groups: tuple[Group, ...] = ()
    # of the configuration, and those computed by `let`
    fields: Mapping[str, Any] = field(default_factory=dict)
    step: int = 1
    least: int = 1
    limit: str = ""  # condition on the configuration after the cut, required by the model's class
    why_not: str = ""  # a sentence; empty if it may be cut
    uniform: bool = True  # whether all groups must keep the same number of units

    @cached_property
    def groups_of(self) -> Mapping[str, tuple[Group, ...]]:
        """The groups by tensor name: those with the tensor as a member or in `Group.tensors`."""
        found: dict[str, dict[int, Group]] = {}
        for group in self.groups:
            for name in chain(group.names, *group.tensors):
                found.setdefault(name, {})[id(group)] = group
        return {name: tuple(groups.values()) for name, groups in found.items()}

    def takes(self, kept: int, fields: Mapping[str, Any] | None = None) -> bool:
        """Return whether the model's class supports `kept` units per group.

        `fields` replaces the fields of the configuration; None uses them unchanged. False for more
        units than there are, for fewer than `least`, for no multiple of `step`, and if `limit` is
        not met or cannot be evaluated.
        """
        outer = self.groups[0].outer if self.groups else 1
        if kept % self.step or kept % outer or not self.least <= kept <= self.count:
            return False
        if not self.limit:
            return True
        after = dict(self.fields if fields is None else fields)
        self.set_sizes(after, kept)
        try:
            return bool(evaluate(self.limit, after))
        except ExpressionError:
            return False

    @property
    def multiple(self) -> int:
        """Default multiple to which the number of kept units is rounded up.

        If groups have multiples of their own it is the largest of them.
        """
        return max((group.multiple for group in self.groups), default=1)

    def multiple_words(self, chosen: int | None) -> str:
        """Return the rounding multiples as text: "16", or "8 or 16" if groups have different ones.

        `chosen` is a multiple for all groups; None uses that of each group.
        """
        found = {chosen} if chosen else {group.multiple for group in self.groups}
        return " or ".join(f"{multiple:,}" for multiple in sorted(found))

    @property
    def is_rounded(self) -> bool:
        """Whether the number of kept units is rounded up to a multiple."""
        return self.name in USUAL_MULTIPLES

    def set_sizes(self, fields: Fields, kept: int) -> None:
        """Write the values of this axis for `kept` units into a configuration, in place.

        Fields of `rule.also` are written only if they are present. Raises `ExpressionError` if a
        value cannot be computed.
        """
        known = {**self.fields, "n": kept, "N": self.count}
        for name, text in self.rule.set.items():
            set_field(fields, name, evaluate(text, known))
        for name, text in self.rule.also.items():
            if name in fields:
                fields[name] = evaluate(text, known)

    @property
    def count(self) -> int:
        """Units per group before the cut, divided by `Group.times`, of the first group."""
        return self.groups[0].count // self.groups[0].times if self.groups else 0


def fields_of(config: Mapping[str, Any], inside: Iterable[str]) -> Mapping[str, Any]:
    """Return the nested part of a configuration found by following the keys `inside`."""
    for key in inside:
        config = config.get(key, {})
    return config


def spellings_of(name: str) -> frozenset[str]:
    """Return all spellings of a field's name, including `name`."""
    return next((each for each in _SPELLINGS if name in each), frozenset({name}))


def set_field(fields: Fields, name: str, value: Any) -> None:
    """Write a value in place, into every spelling that is present with the same old value."""
    before = fields.get(name)
    fields[name] = value
    others = [each for each in spellings_of(name) if each != name and each in fields]
    fields.update((each, value) for each in others if fields[each] == before)
