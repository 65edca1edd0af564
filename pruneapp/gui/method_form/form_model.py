"""What the form is given about methods and the document, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pruneapp.params import Param


@dataclass(frozen=True)
class FormContext:
    """What rules, fields and editors say depends on: one for all of them."""

    shape: tuple[int, ...] = ()  # of the checked tensors; sizes below 0, or all of it, differ
    kind: str = ""  # of their layers; empty if it differs
    left: int | None = None  # units that are not pruned yet: the length of a slider that counts
    kinds: tuple[str, ...] = ()  # of layers that a rule can be for
    example: str = "layer3.*"  # a pattern that matches something of the file
    mask_file: str = ""  # empty for none
    scores_file: str = ""
    statistics_file: str = ""
    amount_used: bool = True  # whether no limit says how much goes


@dataclass(frozen=True)
class MethodForm:
    """A method, as the form shows it."""

    name: str
    label: str
    help: str  # a paragraph behind the "?"
    formula: str  # the score, as one line
    params: tuple[Param, ...]
    scopes: tuple[str, ...] = ("local",)  # of "local" and "global", those that it can
    # What is taken away as one: "weights", "groups", "channels", "blocks" or "mask". In the list a
    # line is drawn where it changes.
    granularity: str = "weights"
    takes_mask: bool = False
    takes_scores: bool = False
    takes_statistics: bool = False
    excludes: bool = False  # it prunes nothing: its rule excludes tensors from those before


@dataclass(frozen=True)
class FormRow:
    """One rule of a request, with a valid value for each parameter of its method."""

    # Globs over whole names, separated by commas, or a kind of layer; neither: the checked tensors.
    pattern: str
    kind: str
    method: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FollowingTensor:
    """A tensor that depends on the channels of others."""

    name: str
    role: str  # the end of it that it has in common with those of other layers
    dim: int  # along which it is pruned
    dims: int  # how many it has


@dataclass(frozen=True)
class FormDependents:
    """What depends on the channels that the structured rules of a request prune."""

    known: int  # with how many tensors others are pruned, as is known
    tensors: int  # of so many
    following: int = 0  # tensors that are pruned as well
    first: tuple[FollowingTensor, ...] = ()  # the first of each of the first roles
    more: bool = False  # whether there are more roles
    unknown: str = ""  # the first tensor with which no other is pruned
    unknown_role: str = ""
    why_not: str = ""  # why that is, as a sentence
    of_model: bool = False  # whether nothing is known of all the model

    def in_force(self, choice: bool | None) -> bool:
        """Return whether they are pruned as well; None is for a person who chose nothing."""
        return self.known > 0 and (self.known == self.tensors if choice is None else choice)


@dataclass(frozen=True)
class FormRequest:
    """Rules that are one step; the last one that names a tensor takes precedence."""

    rows: tuple[FormRow, ...]
    scope: str = "local"  # or "global"
    limits: Mapping[str, Any] = field(default_factory=dict)  # those that bind
    companions: bool = False  # whether bias and norm of channels that go along dim 0 go as well
    # Whether everything goes as well that depends on channels; None: where all of it is known.
    dependents: bool | None = None
    selected: int = field(default=0, compare=False)  # the rule that is shown
