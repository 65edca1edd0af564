"""What a method declares. Everything that offers methods reads nothing but this.

A method ranks single weights, in whole tensors (`WeightMethod`), in each row (`RowMethod`) or in
groups of a few (`GroupMethod`); or it ranks whole channels or blocks (`UnitMethod`); or it says the
mask outright (`MaskMethod`). Validation, the form in the window, the options of the command line,
recipes, the reference page and the values that the tests try follow from the declaration: a new
method is one file.
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
from pruneapp.masks.channels import channels_left, kept_by_channel, mask_of_channels
from pruneapp.masks.regions import Groups
from pruneapp.params import STATISTICS, DimParam, Param, is_needed, validate_all
from pruneapp.progress import Job

if TYPE_CHECKING:
    from pruneapp.statistics.file import Inputs

Scope = Literal["local", "global"]
Granularity = Literal["weights", "groups", "channels", "blocks", "mask", "units"]
EstimatedBy = Literal["magnitudes", "norms", "chance"]
Values = Mapping[str, Any]
# How many go of each of some tensors if so many of the chosen ones go; any number for the others.
Cutting = Callable[[Bools, int], Counts]


@dataclass(frozen=True, eq=False)
class TensorView:
    """What a method sees of a tensor.

    Attributes
    ----------
    kept
        What is not pruned yet; None for everything.
    read
        Yields the raw elements in flat order. Pruned elements come with their original bits.
    scores
        Importance scores of the same shape, in their own type, to be used in place of the
        weights; None if there are none.
    given
        The mask that the person gave for this tensor (`MaskMethod` only).
    protected
        What no method takes, 1 where it is protected; all of it is kept. None for nothing.
    scale
        What the norm that follows multiplies the channels along dim 0 by, one element for each
        (`Method.takes_scale` only); None if there is none.
    inputs
        What was seen of its inputs (`Method.needs_statistics` only); None if that is nothing.
    coupling
        The groups that it is a member of (`CoupledMethod` only).
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
        """The tensor in which only what may be taken is there: kept, and not protected."""
        if self.protected is None:
            return self
        kept = BitMask.full(self.numel) if self.kept is None else self.kept
        return replace(self, kept=kept - self.protected, protected=None)

    @property
    def ranked(self) -> TensorView:
        """The tensor whose values decide, with the mask of this one: scores if there are any."""
        return self if self.scores is None else replace(self.scores, kept=self.kept)


def no_inputs(_name: str) -> None:
    """Say that nothing was seen of the inputs of a tensor."""


@dataclass(frozen=True, eq=False)
class Coupling:
    """A group that a tensor is of, and what its tensors are seen by, by name."""

    group: Group
    view: Callable[[str], TensorView]
    # What was seen of their inputs, for methods that need statistics.
    inputs: Callable[[str], Inputs | None] = no_inputs


@dataclass(frozen=True, kw_only=True)
class Method(ABC):
    """A way to choose what goes.

    Attributes
    ----------
    name
        torch's function name where torch has the method.
    takes_scores
        Whether importance scores may stand in for the weights.
    takes_grams
        Whether it needs Gram matrices among them.
    estimated_by
        What says beforehand how much it takes of each tensor, as long as the weights stand for
        themselves. ``magnitudes``: just the weights go whose magnitude is at or below a threshold,
        so that the amount may be said as that threshold, too. ``norms``: channels go in the order
        of a norm (parameter ``n``). ``chance``: any may go. None: nothing but the exact step.
    ranks_anew
        Whether it measures what is left, so that several rounds may take other weights than one
        step to the same amount.
    prunes
        Whether it can prune anything. The tensors of one that cannot are in no number of a step.
    """

    granularity: ClassVar[Granularity]  # what is taken away as one
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
        """Whether an amount of weights or channels says how much it takes of a tensor."""
        amount = any(param.name == "amount" for param in self.params)
        return amount and self.granularity in {"weights", "channels"}

    @property
    def takes_statistics(self) -> bool:
        """Whether it may rank by statistics of activations, which a parameter names."""
        return STATISTICS in self.params

    def needs_statistics(self, values: Values) -> bool:
        """Whether it does with some values."""
        return self.takes_statistics and is_needed(STATISTICS.name, self.params, values)

    def validate(self, values: Values) -> dict[str, Any]:
        """Return a valid value for every parameter; raises `ParameterError`."""
        return validate_all(self.params, values)


# Ranks a tensor, with keys of at least so many bits, by what was measured of it before.
Rank = Callable[[TensorView, Values, int, Any], Ranking]
# Says how many go of each of some tensors, each of which is then cut by itself.
Allocate = Callable[[Sequence[TensorView], Values, Kernel, Job], Cutting]
# Returns a better mask than the one that the ranking gave, with as many of each row, or group. What
# was pruned before stays so, and what is protected; extends the job by the work.
Refine = Callable[[TensorView, Values, BitMask, Job], BitMask]


@dataclass(frozen=True, kw_only=True)
class WeightMethod(Method):
    """Takes away the single weights that rank lowest.

    Attributes
    ----------
    rank
        Makes the ranking of a tensor; see `Rank`.
    least_width
        Bits that keys need, if more than those of the type; a global step takes the most of all.
    measure
        Reads a tensor beforehand for what its scores need, its RMS or the sums of its rows; steps
        the job by the elements. None if nothing is needed: `rank` is given None then.
    allocate
        See `Allocate`; None for one threshold over all. A method that allocates has the global
        scope only.
    """

    granularity: ClassVar[Granularity] = "weights"
    rank: Rank
    least_width: int = 0
    measure: Callable[[TensorView, Values, Kernel, Job], Any] | None = None
    allocate: Allocate | None = None
    scopes: tuple[Scope, ...] = ("local", "global")


@dataclass(frozen=True, kw_only=True)
class RowMethod(Method):
    """Takes away the single weights that rank lowest in their row, the same share of every row.

    A row is what belongs to one index of the first dimension.

    Attributes
    ----------
    allocate
        See `Allocate`; None for the same share of every tensor. A method that allocates has the
        global scope only.
    refine
        See `Refine`; None if the ranking says it all.
    """

    granularity: ClassVar[Granularity] = "weights"
    rank: Callable[[TensorView, Values], Ranking]
    allocate: Allocate | None = None
    refine: Refine | None = None


@dataclass(frozen=True, kw_only=True)
class GroupMethod(Method):
    """Takes away the weights that rank lowest in their group, so that a fixed number is left.

    How much goes follows from the groups, so there is no amount.

    Attributes
    ----------
    rank
        Makes the ranking of a tensor, with keys of any width that leave two numbers unused.
    groups
        Says how a tensor is cut into groups; raises `ParameterError` where it does not suit.
    refine
        See `Refine`; None if the ranking says it all.
    """

    granularity: ClassVar[Granularity] = "groups"
    rank: Callable[[TensorView, Values], Ranking]
    groups: Callable[[TensorView, Values], Groups]
    refine: Refine | None = None
    least_dims: int = 2


@dataclass(frozen=True, kw_only=True)
class MaskMethod(Method):
    """Says what is kept; the result is combined with what was pruned before."""

    granularity: ClassVar[Granularity] = "mask"
    mask: Callable[[TensorView, Values, Job], BitMask]


# The score of every channel or block of a tensor.
Score = Callable[[TensorView, Values, Kernel, Job], Float64s]


class Partition(Protocol):
    """How a tensor is taken apart into channels or blocks, which are numbered from 0."""

    @property
    def count(self) -> int:
        """How many there are."""

    def count_kept(self, mask: BitMask | None, job: Job) -> Counts:
        """Count what a mask keeps of each, ``int64``; None keeps everything."""

    def has_kept(self, mask: BitMask | None, job: Job) -> Bools:
        """Say of each whether a mask keeps anything of it."""

    def mask(self, stays: Bools, job: Job) -> BitMask:
        """Return the mask that keeps those that stay, whole."""


@dataclass(frozen=True, kw_only=True)
class UnitMethod(Method):
    """Takes away the whole channels or blocks that score lowest.

    Of equal scores the lower number goes first; NaN is largest.

    Attributes
    ----------
    score
        Returns one float64 for each; of a method of the global scope those of different tensors
        compare.
    quick
        Returns what `lowest` does without scoring each, if there is a quicker way.
    """

    score: Score
    quick: Callable[[TensorView, Values, Kernel, Indices, int, Job], Indices] | None = None
    least_dims: int = 2

    @abstractmethod
    def partition(self, view: TensorView, values: Values) -> Partition:
        """Return how a tensor is taken apart; raises `ParameterError` where it cannot be."""

    def lowest(  # noqa: PLR0917 - each of its own type
        self,
        view: TensorView,
        values: Values,
        kernel: Kernel,
        among: Indices,
        count: int,
        job: Job,
    ) -> Indices:
        """Return which of some units (their numbers, ascending) score lowest."""
        if self.quick is not None:
            return self.quick(view, values, kernel, among, count, job)
        return among[smallest(self.score(view, values, kernel, job)[among], count)]

    def order(
        self, view: TensorView, values: Values, kernel: Kernel, among: Indices, job: Job
    ) -> Indices:
        """Return the same units in the order in which they go."""
        return among[np.argsort(self.score(view, values, kernel, job)[among], kind="stable")]


@dataclass(frozen=True, kw_only=True)
class CoupledMethod(Method):
    """Takes away the whole units of groups that score lowest, in every tensor that has a part.

    Attributes
    ----------
    axis
        Which groups of a model it is about, see `pruneapp.groups.family.LABELS`.
    """

    granularity: ClassVar[Granularity] = "units"
    axis: AxisName


@dataclass(frozen=True, kw_only=True)
class ChannelMethod(UnitMethod):
    """Takes away the whole channels along ``dim`` that score lowest."""

    granularity: ClassVar[Granularity] = "channels"

    def dim(self, view: TensorView, values: Values) -> int:
        """Return the dimension as a number from 0, checked against a tensor."""
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
        """Channels."""
        return self.shape[self.dim]

    def count_kept(self, mask: BitMask | None, job: Job) -> Counts:
        """Count what a mask keeps of each channel."""
        return kept_by_channel(mask, self.shape, self.dim, job)

    def has_kept(self, mask: BitMask | None, job: Job) -> Bools:
        """Say of each channel whether a mask keeps anything of it."""
        return channels_left(mask, self.shape, self.dim, job)

    def mask(self, stays: Bools, job: Job) -> BitMask:
        """Return the mask that keeps whole channels."""
        return mask_of_channels(self.shape, self.dim, stays, job)


@dataclass(frozen=True, kw_only=True)
class BlockMethod(UnitMethod):
    """Takes away the whole blocks of a matrix that score lowest."""

    granularity: ClassVar[Granularity] = "blocks"
    tiles: Callable[[TensorView, Values], Tiles]

    def partition(self, view: TensorView, values: Values) -> Tiles:
        """Return the blocks."""
        return self.tiles(view, values)
