"""An axis: something of a model that may be cut, and what its configuration says of it."""

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

# Several spellings of one number; those that are there are written together.
_SPELLINGS: tuple[frozenset[str], ...] = (
    frozenset({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}),
    frozenset({"num_attention_heads", "n_head", "n_heads", "num_heads"}),
    frozenset({"num_key_value_heads", "num_kv_heads"}),
    frozenset({"intermediate_size", "n_inner", "ffn_dim", "d_ff", "ffn_hidden_size", "hidden_dim"}),
    frozenset({"num_experts", "num_local_experts", "n_routed_experts"}),
)


@dataclass(frozen=True, eq=False)
class Axis:
    """Something of a model that may be cut, or the reason why not."""

    name: AxisName
    label: str
    rule: AxisRule = field(default_factory=AxisRule)
    groups: tuple[Group, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)  # of the configuration, and `let`
    step: int = 1
    least: int = 1
    limit: str = ""  # what the class demands of the configuration afterwards
    why_not: str = ""  # a sentence; empty if it may be cut
    uniform: bool = True  # whether all groups must keep as many units

    @cached_property
    def groups_of(self) -> Mapping[str, tuple[Group, ...]]:
        """The groups that each tensor has a part in, as a member or as one of a unit alone."""
        found: dict[str, dict[int, Group]] = {}
        for group in self.groups:
            for name in chain(group.names, *group.tensors):
                found.setdefault(name, {})[id(group)] = group
        return {name: tuple(groups.values()) for name, groups in found.items()}

    def takes(self, kept: int, fields: Mapping[str, Any] | None = None) -> bool:
        """Whether the model's class takes so many units, other fields as they are, or given."""
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
        """What the number of units that stay is rounded up to a multiple of by default.

        Of groups with multiples of their own it is the largest.
        """
        return max((group.multiple for group in self.groups), default=1)

    def multiple_words(self, chosen: int | None) -> str:
        """Return what widths are rounded up to multiples of, in words; `chosen` is for all groups.

        A multiple of "16", or of "8 or 16" where groups have different ones.
        """
        found = {chosen} if chosen else {group.multiple for group in self.groups}
        return " or ".join(f"{multiple:,}" for multiple in sorted(found))

    @property
    def is_rounded(self) -> bool:
        """Whether the number of units that stay is rounded up to a multiple."""
        return self.name in USUAL_MULTIPLES

    def set_sizes(self, fields: Fields, kept: int) -> None:
        """Write what the axis says with so many units into a configuration, in place."""
        known = {**self.fields, "n": kept, "N": self.count}
        for name, text in self.rule.set.items():
            set_field(fields, name, evaluate(text, known))
        for name, text in self.rule.also.items():
            if name in fields:
                fields[name] = evaluate(text, known)

    @property
    def count(self) -> int:
        """Units of a group before the cut, `Group.times` aside; where they differ, of the first."""
        return self.groups[0].count // self.groups[0].times if self.groups else 0


def fields_of(config: Mapping[str, Any], inside: Iterable[str]) -> Mapping[str, Any]:
    """Return the part of a configuration that some keys lead to."""
    for key in inside:
        config = config.get(key, {})
    return config


def spellings_of(name: str) -> frozenset[str]:
    """Return the spellings of a number, that one among them."""
    return next((each for each in _SPELLINGS if name in each), frozenset({name}))


def set_field(fields: Fields, name: str, value: Any) -> None:
    """Write a number in place, in every spelling of it that is there with the same value."""
    before = fields.get(name)
    fields[name] = value
    others = [each for each in spellings_of(name) if each != name and each in fields]
    fields.update((each, value) for each in others if fields[each] == before)
