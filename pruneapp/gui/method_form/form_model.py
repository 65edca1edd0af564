"""Data that the form receives about methods and the document, and the request that it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pruneapp.params import Param


class AmountNote(NamedTuple):
    """What an amount means: a short text, and all of it for the tooltip, "" if the text is all."""

    text: str
    whole: str = ""


@dataclass(frozen=True)
class FormContext:
    """Properties of the tensors and files that rules, fields and editors refer to."""

    # of the checked tensors; -1 for a size that differs, empty if the number of dims differs
    shape: tuple[int, ...] = ()
    kind: str = ""  # of the layers of the checked tensors; empty if they differ
    # number of weights not pruned yet, the range of sliders for counts; None: unknown
    left: int | None = None
    kinds: tuple[str, ...] = ()  # kinds of layers that a rule can select
    example: str = "layer3.*"  # a pattern that matches a tensor of the file
    mask_file: str = ""  # empty if none is loaded
    scores_file: str = ""
    statistics_file: str = ""
    statistics_about: str = ""  # where the loaded statistics came from; empty if none are loaded
    amount_used: bool = True  # False if a limit determines the amount


@dataclass(frozen=True)
class MethodForm:
    """A method as shown by the form."""

    name: str
    label: str
    help: str  # a paragraph shown by the button "?"
    formula: str  # the formula of the score, on one line
    params: tuple[Param, ...]
    scopes: tuple[str, ...] = ("local",)  # supported scopes: "local", "global"
    # What is pruned as a unit: "weights", "groups", "channels", "blocks" or "mask". The list of
    # methods has a separator where this changes.
    granularity: str = "weights"
    takes_mask: bool = False
    takes_scores: bool = False
    takes_statistics: bool = False
    excludes: bool = False  # whether it prunes nothing, but excludes its tensors from earlier rules


@dataclass(frozen=True)
class FormRow:
    """One rule of a request, with valid values for the parameters of its method."""

    # Comma-separated glob patterns of whole names, or a kind of layer; both empty: checked tensors.
    pattern: str
    kind: str
    method: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FollowingTensor:
    """A tensor that depends on the channels of other tensors."""

    name: str
    role: str  # the last part of its name, which is the same in other layers
    dim: int  # the dimension along which it is pruned
    dims: int  # its number of dimensions


@dataclass(frozen=True)
class OutputLayer:
    """A tensor whose channels are outputs of the model."""

    name: str  # in the file
    shown: str
    channels: int


@dataclass(frozen=True)
class DependentsEffect:
    """What a step prunes that prunes more than its amount because of dependents, as shares."""

    requested: float  # of the channels of its tensors, by the amount
    channels: float  # of the channels of its tensors, with those that other tensors require
    weights: float  # of the weights of its tensors and their dependents
    offers_groups: bool  # whether channel groups of its tensors are known


@dataclass(frozen=True)
class FormDependents:
    """The tensors that depend on the channels that the structured rules of a request prune."""

    known: int  # number of tensors whose dependents are known
    # number of tensors of the structured rules, without those whose channels are outputs
    tensors: int
    following: int = 0  # number of dependent tensors that no rule prunes
    in_checked: bool = False  # whether tensors of the rules are dependents of others
    first: tuple[FollowingTensor, ...] = ()  # one tensor of each of the first roles
    more: bool = False  # whether there are more roles than in `first`
    unknown: str = ""  # name of the first tensor whose dependents are not known
    unknown_role: str = ""
    why_not: str = ""  # the reason, as a sentence
    of_model: bool = False  # whether nothing is known about the whole model
    offers_code: bool = False  # whether code can be copied that writes the graph of the model
    outputs: tuple[OutputLayer, ...] = ()  # tensors of which the rules prune outputs of the model

    def in_force(self, choice: bool | None) -> bool:
        """Return whether dependents are pruned, given the user's choice; None: the default.

        By default they are pruned if the dependents of all tensors are known; never if none are.
        """
        return self.known > 0 and (self.known == self.tensors if choice is None else choice)


@dataclass(frozen=True)
class FormRequest:
    """The rules of a step. If several rules match a tensor, the last one applies."""

    rows: tuple[FormRow, ...]
    scope: str = "local"  # or "global"
    limits: Mapping[str, Any] = field(default_factory=dict)  # those not at their default
    # whether bias and norm entries of channels pruned along dim 0 are pruned, too
    prune_bias_and_norm: bool = False
    # Whether all tensors that depend on channels are pruned, too; None: if all of them are known.
    dependents: bool | None = None
    selected: int = field(default=0, compare=False)  # index of the rule that is shown
