"""The declaration of methods, on which everything that offers methods depends.

A method ranks weights in whole tensors (`WeightMethod`), in each row (`RowMethod`) or in small
groups (`GroupMethod`); or it ranks channels or blocks (`UnitMethod`), or units that several tensors
share (`CoupledMethod`); or it returns the mask (`MaskMethod`). Validation, the form in the window,
command-line options, recipes, the reference page and test values are derived from the declaration,
so a new method is one file.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import numpy as np

from pruneapp.checkpoint.dtypes import DType
from pruneapp.groups.family import AxisName
from pruneapp.groups.group import Group
from pruneapp.kernels.kernel import Kernel, Ranking, ReadBits
from pruneapp.kernels.lowest_channels import smallest
from pruneapp.kernels.values import Bools, Counts, Float64s, Indices
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.blocks import Tiles
from pruneapp.masks.channels import channels_left, count_kept_by_channel, mask_of_channels
from pruneapp.masks.regions import Groups
from pruneapp.params import STATISTICS, DimParam, Param, is_needed, validate_all
from pruneapp.progress import Job

if TYPE_CHECKING:
    from pruneapp.statistics.file import Inputs

Scope = Literal["local", "global"]
Granularity = Literal["weights", "groups", "channels", "blocks", "mask", "units"]
EstimatedBy = Literal["magnitudes", "norms", "chance"]
Values = Mapping[str, Any]
# Returns the number of weights to prune per tensor if `count` weights of the selected tensors
# (bool[tensors]) are pruned together; the values of other tensors are arbitrary.
Cutting = Callable[[Bools, int], Counts]


@dataclass(frozen=True, eq=False)
class TensorView:
    """A tensor as the input of a method.

    Attributes
    ----------
    kept
        Mask of weights that are not pruned yet; None if none is pruned.
    read
        Yields the raw elements in flat order. Pruned elements have their original values.
    scores
        Importance scores of the same shape, in their own dtype, used instead of the weights; None
        for none.
    given
        The mask that the user provided for this tensor (`MaskMethod` only).
    protected
        Mask of weights that no method prunes, 1 where protected; all of them are kept. None for
        none.
    scale
        The scale of the following norm for the channels along dim 0, one element each
        (`Method.takes_scale` only); None for none.
    inputs
        Statistics of the tensor's inputs (`Method.needs_statistics` only); None for none.
    coupling
        The groups that the tensor is a member of (`CoupledMethod` only).
    """

    name: str
    shape: tuple[int, ...]
    dtype: DType
    kept: BitMask | None
    read: ReadBits
    scores: TensorView | None = None
    given: BitMask | None = None
    protected: BitMask | None = None
    scale: TensorView | None = None
    inputs: Inputs | None = None
    coupling: tuple[Coupling, ...] = ()

    @property
    def numel(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def free(self) -> TensorView:
        """The tensor with protected weights removed from `kept`, leaving what may be pruned."""
        if self.protected is None:
            return self
        kept = BitMask.full(self.numel) if self.kept is None else self.kept
        return replace(self, kept=kept - self.protected, protected=None)

    @property
    def ranked(self) -> TensorView:
        """The tensor to rank by: `scores` if there are any, with the mask of this tensor."""
        return self if self.scores is None else replace(self.scores, kept=self.kept)


def no_inputs(_name: str) -> None:
    """Return None: there are no statistics of the inputs of any tensor."""


@dataclass(frozen=True, eq=False)
class Coupling:
    """A group that a tensor is a member of, with access to the tensors of the group by name."""

    group: Group
    view: Callable[[str], TensorView]
    # The statistics of their inputs, for methods that need them.
    inputs: Callable[[str], Inputs | None] = no_inputs


@dataclass(frozen=True, kw_only=True)
class Method(ABC):
    """Base class of methods, with what all of them declare.

    Attributes
    ----------
    name
        The name of torch's function if torch has the method.
    takes_scores
        Whether importance scores can be used instead of the weights.
    takes_grams
        Whether it needs Gram matrices in the statistics.
    estimated_by
        How its result per tensor can be estimated in advance, without importance scores.
        "magnitudes": it prunes exactly the weights with magnitudes up to a threshold, so that the
        amount can be given as that threshold. "norms": channels are pruned in the order of a norm
        (parameter ``n``). "chance": any can be pruned. None: only the exact step tells.
    ranks_anew
        Whether scores depend on what is left, so that several rounds may prune other weights than
        one step to the same amount.
    prunes
        Whether it can prune anything. If not, its tensors are not counted in a step.
    """

    granularity: ClassVar[Granularity]  # what is pruned as a unit
    name: str
    label: str
    help: str
    formula: str
    params: tuple[Param, ...]
    takes_scores: bool = False
    takes_mask: bool = False
    takes_scale: bool = False
    takes_grams: bool = False
    estimated_by: EstimatedBy | None = None
    ranks_anew: bool = False
    prunes: bool = True
    scopes: tuple[Scope, ...] = ("local",)
    least_dims: int = 1

    @property
    def has_amount(self) -> bool:
        """Whether it has an amount of weights or channels per tensor."""
        amount = any(param.name == "amount" for param in self.params)
        return amount and self.granularity in {"weights", "channels"}

    @property
    def takes_statistics(self) -> bool:
        """Whether it can rank by statistics of activations, which a parameter names."""
        return STATISTICS in self.params

    def needs_statistics(self, values: Values) -> bool:
        """Return whether it ranks by statistics with these values."""
        return self.takes_statistics and is_needed(STATISTICS.name, self.params, values)

    def validate(self, values: Values) -> dict[str, Any]:
        """Return valid values of all parameters; raises `ParameterError`."""
        return validate_all(self.params, values)


# Returns the ranking of a tensor. Arguments: the tensor, the values of the parameters, the minimum
# number of bits of a key, and the result of `WeightMethod.measure`.
Rank = Callable[[TensorView, Values, int, Any], Ranking]
# Returns the function that divides a count over tensors, each of which then has its own threshold.
Allocate = Callable[[Sequence[TensorView], Values, Kernel, Job], Cutting]
# Returns a better mask than that of the ranking, with the same number of weights in each row or
# group. Pruned weights stay pruned, protected ones kept; the job is extended by the work.
Refine = Callable[[TensorView, Values, BitMask, Job], BitMask]


@dataclass(frozen=True, kw_only=True)
class WeightMethod(Method):
    """A method that prunes the weights with the lowest ranks.

    Attributes
    ----------
    rank
        Returns the ranking of a tensor; see `Rank`.
    least_width
        Minimum number of bits of keys, if more than those of the dtype; a global step uses the
        maximum over its tensors.
    measure
        Reads a tensor in advance to compute what its scores need, such as its RMS or row sums;
        advances the job by the elements. None if nothing is needed: `rank` is then passed None.
    allocate
        See `Allocate`; None for one threshold for all tensors. A method that allocates must have
        only the global scope.
    """

    granularity: ClassVar[Granularity] = "weights"
    rank: Rank
    least_width: int = 0
    measure: Callable[[TensorView, Values, Kernel, Job], Any] | None = None
    allocate: Allocate | None = None
    scopes: tuple[Scope, ...] = ("local", "global")


@dataclass(frozen=True, kw_only=True)
class RowMethod(Method):
    """A method that prunes the weights with the lowest ranks of each row, to the same sparsity.

    A row has the weights of one index of the first dimension.

    Attributes
    ----------
    allocate
        See `Allocate`; None for the same sparsity of every tensor. A method that allocates must
        have only the global scope.
    refine
        See `Refine`; None if the ranking alone determines the mask.
    """

    granularity: ClassVar[Granularity] = "weights"
    rank: Callable[[TensorView, Values], Ranking]
    allocate: Allocate | None = None
    refine: Refine | None = None


@dataclass(frozen=True, kw_only=True)
class GroupMethod(Method):
    """A method that prunes the weights with the lowest ranks of each group, to a fixed number.

    The groups determine how much is pruned, so there is no amount.

    Attributes
    ----------
    rank
        Returns the ranking of a tensor, with keys of any width that leave two numbers unused.
    groups
        Returns the groups of a tensor; raises `ParameterError` if it has none.
    refine
        See `Refine`; None if the ranking alone determines the mask.
    """

    granularity: ClassVar[Granularity] = "groups"
    rank: Callable[[TensorView, Values], Ranking]
    groups: Callable[[TensorView, Values], Groups]
    refine: Refine | None = None
    least_dims: int = 2


@dataclass(frozen=True, kw_only=True)
class MaskMethod(Method):
    """A method that returns a mask, which is combined with what was pruned before."""

    granularity: ClassVar[Granularity] = "mask"
    mask: Callable[[TensorView, Values, Job], BitMask]


# Returns the score of every channel or block of a tensor.
Score = Callable[[TensorView, Values, Kernel, Job], Float64s]


class Partition(Protocol):
    """A division of a tensor into units (channels or blocks), numbered from 0."""

    @property
    def count(self) -> int:
        """Number of units."""

    def count_kept(self, mask: BitMask | None, job: Job) -> Counts:
        """Return the number of kept weights of each unit, ``int64``; None keeps all."""

    def has_kept(self, mask: BitMask | None, job: Job) -> Bools:
        """Return for each unit whether it has a kept weight."""

    def mask(self, stays: Bools, job: Job) -> BitMask:
        """Return the mask that keeps the units for which `stays` is True."""


@dataclass(frozen=True, kw_only=True)
class UnitMethod(Method):
    """A method that prunes the channels or blocks with the lowest scores.

    Of equal scores the lower number is pruned first; NaN is the largest score.

    Attributes
    ----------
    score
        Returns one float64 for each unit; if the method has the global scope, scores of different
        tensors must be comparable.
    quick
        A faster implementation of `lowest`, which does not compute all scores; None for none.
    """

    score: Score
    quick: Callable[[TensorView, Values, Kernel, Indices, int, Job], Indices] | None = None
    least_dims: int = 2

    @abstractmethod
    def partition(self, view: TensorView, values: Values) -> Partition:
        """Return the units of a tensor; raises `ParameterError` if it has none."""

    def lowest(  # noqa: PLR0917 - each its own type
        self, view: TensorView, values: Values, kernel: Kernel, among: Indices, count: int, job: Job
    ) -> Indices:
        """Return the `count` units of `among` (numbers, ascending) with the lowest scores."""
        if self.quick is not None:
            return self.quick(view, values, kernel, among, count, job)
        return among[smallest(self.score(view, values, kernel, job)[among], count)]

    def order(
        self, view: TensorView, values: Values, kernel: Kernel, among: Indices, job: Job
    ) -> Indices:
        """Return the units of `among` in the order in which they are pruned."""
        return among[np.argsort(self.score(view, values, kernel, job)[among], kind="stable")]


@dataclass(frozen=True, kw_only=True)
class CoupledMethod(Method):
    """A method that prunes the units of groups with the lowest scores, in all tensors of a group.

    Attributes
    ----------
    axis
        The kind of groups, see `pruneapp.groups.family.LABELS`.
    """

    granularity: ClassVar[Granularity] = "units"
    axis: AxisName


@dataclass(frozen=True, kw_only=True)
class ChannelMethod(UnitMethod):
    """A method that prunes the channels along ``dim`` with the lowest scores."""

    granularity: ClassVar[Granularity] = "channels"

    def dim(self, view: TensorView, values: Values) -> int:
        """Return the non-negative dimension; raises `ParameterError` if there is none."""
        param = next(p for p in self.params if isinstance(p, DimParam))
        return param.resolve(values[param.name], view.shape, view.name)

    def partition(self, view: TensorView, values: Values) -> ChannelsAlong:
        """Return the channels along ``dim``."""
        return ChannelsAlong(view.shape, self.dim(view, values))


@dataclass(frozen=True)
class ChannelsAlong:
    """The channels of a tensor along one of its dimensions; see `Partition`."""

    shape: tuple[int, ...]
    dim: int

    @property
    def count(self) -> int:
        """Number of channels."""
        return self.shape[self.dim]

    def count_kept(self, mask: BitMask | None, job: Job) -> Counts:
        """Return the number of kept weights of each channel."""
        return count_kept_by_channel(mask, self.shape, self.dim, job)

    def has_kept(self, mask: BitMask | None, job: Job) -> Bools:
        """Return for each channel whether it has a kept weight."""
        return channels_left(mask, self.shape, self.dim, job)

    def mask(self, stays: Bools, job: Job) -> BitMask:
        """Return the mask that keeps the channels for which `stays` is True."""
        return mask_of_channels(self.shape, self.dim, stays, job)


@dataclass(frozen=True, kw_only=True)
class BlockMethod(UnitMethod):
    """A method that prunes the blocks of a matrix with the lowest scores."""

    granularity: ClassVar[Granularity] = "blocks"
    tiles: Callable[[TensorView, Values], Tiles]

    def partition(self, view: TensorView, values: Values) -> Tiles:
        """Return the blocks."""
        return self.tiles(view, values)
