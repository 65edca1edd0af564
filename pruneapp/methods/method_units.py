"""What a method declares that takes away many weights as one: whole channels, or blocks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.lowest_channels_smallest import smallest
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.blocks import Tiles
from pruneapp.masks.channels import channels_left, kept_by_channel, mask_of_channels
from pruneapp.methods.method import Counts, Granularity, Method, TensorView, Values
from pruneapp.params import DimParam
from pruneapp.progress import Job

# Numbers of channels, or of blocks.
Channels = NDArray[np.intp]
# The score of every channel or block of a tensor.
Score = Callable[[TensorView, Values, Kernel, Job], NDArray[np.float64]]


class Partition(Protocol):
    """How a tensor is taken apart into channels or blocks, which are numbered from 0."""

    @property
    def count(self) -> int:
        """How many there are."""

    def kept(self, mask: BitMask | None, job: Job | None = None) -> Counts:
        """Count what a mask keeps of each, ``int64``; None keeps everything."""

    def left(self, mask: BitMask | None, job: Job | None = None) -> NDArray[np.bool_]:
        """Say of each whether a mask keeps anything of it."""

    def mask(self, stays: NDArray[np.bool_], job: Job | None = None) -> BitMask:
        """Return the mask that keeps those that stay, whole."""


@dataclass(frozen=True, kw_only=True)
class UnitMethod(Method):
    """Takes away the whole channels or blocks that score lowest.

    Attributes
    ----------
    lowest
        Returns which of some units (their numbers, ascending) score lowest, so many as are asked
        for; see `lowest_by` where every unit has a score.
    order
        Returns the same units in the order in which they go; see `order_by`.
    score
        Returns the score of each unit, if those of different tensors compare; a method of the
        global scope has it.
    """

    lowest: Callable[[TensorView, Values, Kernel, Channels, int, Job], Channels]
    order: Callable[[TensorView, Values, Kernel, Channels, Job], Channels]
    score: Score | None = None
    least_dims: int = 2

    @abstractmethod
    def partition(self, view: TensorView, values: Values) -> Partition:
        """Return how a tensor is taken apart; raises `ParameterError` where it cannot be."""


@dataclass(frozen=True, kw_only=True)
class ChannelMethod(UnitMethod):
    """Takes away the whole channels along ``dim`` that score lowest."""

    @property
    def granularity(self) -> Granularity:
        """Channels."""
        return "channels"

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

    def kept(self, mask: BitMask | None, job: Job | None = None) -> Counts:
        """Count what a mask keeps of each channel."""
        return kept_by_channel(mask, self.shape, self.dim, job)

    def left(self, mask: BitMask | None, job: Job | None = None) -> NDArray[np.bool_]:
        """Say of each channel whether a mask keeps anything of it."""
        return channels_left(mask, self.shape, self.dim, job)

    def mask(self, stays: NDArray[np.bool_], job: Job | None = None) -> BitMask:
        """Return the mask that keeps whole channels."""
        return mask_of_channels(self.shape, self.dim, stays, job)


@dataclass(frozen=True, kw_only=True)
class BlockMethod(UnitMethod):
    """Takes away the whole blocks of a matrix that score lowest.

    Attributes
    ----------
    tiles
        Says how a tensor is cut into blocks.
    """

    tiles: Callable[[TensorView, Values], Tiles]

    @property
    def granularity(self) -> Granularity:
        """Blocks."""
        return "blocks"

    def partition(self, view: TensorView, values: Values) -> Tiles:
        """Return the blocks."""
        return self.tiles(view, values)


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
