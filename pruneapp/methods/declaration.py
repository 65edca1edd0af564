"""What a method declares. Everything that offers methods reads nothing but this.

A method is one of three kinds: it ranks single weights (`WeightMethod`), ranks whole channels
(`ChannelMethod`), or says the mask outright (`MaskMethod`). Validation, the form in the window,
the options of the command line, recipes, the reference page and the values that the tests try
follow from the declaration: a new method is one file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DType
from pruneapp.kernels.contract import Kernel, Ranking, ReadBits
from pruneapp.kernels.smallest import smallest
from pruneapp.masks.bitmask import BitMask
from pruneapp.params import Param, validate_all
from pruneapp.progress import Job

Scope = Literal["local", "global"]
Granularity = Literal["weights", "channels", "mask"]
ToldBy = Literal["magnitudes", "norms", "chance"]
Values = Mapping[str, Any]
Channels = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class TensorView:
    """What a method sees of a tensor.

    Attributes
    ----------
    name, shape, dtype
        As in the checkpoint.
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
    """

    name: str
    shape: tuple[int, ...]
    dtype: DType
    kept: BitMask | None
    read: ReadBits
    scores: TensorView | None = None
    given: BitMask | None = None
    protected: BitMask | None = None

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


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to choose what goes.

    Attributes
    ----------
    name
        torch's function name where torch has the method.
    label
        A few words for lists: "L1, single weights".
    help
        A paragraph: what it takes away, when to use it.
    formula
        The score, as one line.
    params
        What it asks for, in the order of the form.
    takes_scores
        Whether importance scores may stand in for the weights.
    takes_mask
        Whether it needs a mask from the person.
    told_by
        What says beforehand how much it takes of each tensor, as long as the weights stand for
        themselves. ``magnitudes``: just the weights go whose magnitude is at or below a threshold,
        so that the amount may be said as that threshold, too. ``norms``: channels go in the order
        of a norm (parameter ``n``). ``chance``: any may go. None: nothing but the exact step.
    """

    name: str
    label: str
    help: str
    formula: str
    params: tuple[Param, ...]
    takes_scores: bool = False
    takes_mask: bool = False
    told_by: ToldBy | None = None

    @property
    def granularity(self) -> Granularity:
        """What is taken away as one."""
        raise NotImplementedError

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Whether each tensor is cut by itself, or all by one threshold, or both."""
        return ("local",)

    def validate(self, values: Values) -> dict[str, Any]:
        """Return a valid value for every parameter; raises `ParameterError`."""
        return validate_all(self.params, values)


@dataclass(frozen=True, kw_only=True)
class WeightMethod(Method):
    """Takes away the single weights that rank lowest.

    Attributes
    ----------
    rank
        Makes the ranking of a tensor, with keys of at least so many bits.
    least_width
        Says how many bits the keys of a tensor need; a global step takes the most of all.
    """

    rank: Callable[[TensorView, Values, int], Ranking]
    least_width: Callable[[TensorView], int]

    @property
    def granularity(self) -> Granularity:
        """Single weights."""
        return "weights"

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Each tensor by itself, or one threshold over all."""
        return ("local", "global")


@dataclass(frozen=True, kw_only=True)
class ChannelMethod(Method):
    """Takes away the whole channels along ``dim`` that score lowest.

    Attributes
    ----------
    lowest
        Returns which of some channels (their numbers, ascending) score lowest, so many as are asked
        for; see `lowest_by` where every channel has a score.
    order
        Returns the same channels in the order in which they go; see `order_by`.
    """

    lowest: Callable[[TensorView, Values, Kernel, Channels, int, Job], Channels]
    order: Callable[[TensorView, Values, Kernel, Channels, Job], Channels]

    @property
    def granularity(self) -> Granularity:
        """Channels."""
        return "channels"


Score = Callable[[TensorView, Values, Kernel, Job], NDArray[np.float64]]


def lowest_by(
    score: Score,
) -> Callable[[TensorView, Values, Kernel, Channels, int, Job], Channels]:
    """Return what finds the channels of the lowest scores.

    Parameters
    ----------
    score
        Returns one float64 for each channel; equal scores: the lower index goes first, NaN is
        largest.
    """

    def lowest(  # noqa: PLR0917 - each of its own type
        view: TensorView, values: Values, kernel: Kernel, among: Channels, count: int, job: Job
    ) -> Channels:
        return among[smallest(score(view, values, kernel, job)[among], count)]

    return lowest


def order_by(
    score: Score,
) -> Callable[[TensorView, Values, Kernel, Channels, Job], Channels]:
    """Return what puts channels in the order of the same scores as `lowest_by` takes."""

    def order(
        view: TensorView, values: Values, kernel: Kernel, among: Channels, job: Job
    ) -> Channels:
        return among[np.argsort(score(view, values, kernel, job)[among], kind="stable")]

    return order


@dataclass(frozen=True, kw_only=True)
class MaskMethod(Method):
    """Says what is kept; the result is combined with what was pruned before.

    Attributes
    ----------
    mask
        The new mask of a tensor, before the old one is laid over it.
    """

    mask: Callable[[TensorView, Values, Job], BitMask]

    @property
    def granularity(self) -> Granularity:
        """A mask as a whole."""
        return "mask"
