"""How many whole channels of each tensor go if floors, ceilings and a total are to hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pruneapp.errors import ParameterError, counted
from pruneapp.methods.limit_bounds import (
    Bounds,
    Tensors,
    bounds_of,
    budgets,
    refuse_more,
    target_of,
)
from pruneapp.methods.limits import Limits, percent
from pruneapp.methods.method import Counts
from pruneapp.params_amounts import Amount


class Running:
    """What goes with the first channels of each of several tensors, in the order they go in.

    Parameters
    ----------
    weights
        For each tensor ``int64[free channels + 1]``: weights that go with so many channels; 0
        first, never falling.
    """

    def __init__(self, weights: Sequence[Counts]) -> None:
        lengths = np.array([w.size for w in weights], np.intp)
        self.starts = np.cumsum(lengths) - lengths
        self.weights: Counts = np.concatenate(weights)
        self.free: Counts = (lengths - 1).astype(np.int64)

    @property
    def all(self) -> Counts:
        """``int64[tensors]``: weights that go with all free channels."""
        found: Counts = self.weights[self.starts + self.free]
        return found

    def most_within(self, weights: Counts) -> Counts:
        """Return with how many channels of each at most so many weights go; none below 0."""
        low, high = np.zeros_like(self.free), self.free.copy()
        while (low < high).any():
            middle = (low + high + 1) >> 1
            fits = self.weights[self.starts + middle] <= weights
            low = np.where(fits, middle, low)
            high = np.where(fits, high, middle - 1)
        return low

    def least_reaching(self, weights: Counts) -> Counts:
        """Return with how few channels of each at least so many weights go, at most all."""
        low, high = np.zeros_like(self.free), self.free.copy()
        while (low < high).any():
            middle = (low + high) >> 1
            reaches = self.weights[self.starts + middle] >= weights
            high = np.where(reaches, middle, high)
            low = np.where(reaches, low, middle + 1)
        return low


def channels_after(
    limits: Limits,
    tensors: Tensors,
    left: Counts,
    running: Running,
    amount: Amount,
    *,
    unit: str = "channels",
) -> Counts:
    """Return how many channels, or blocks, of each tensor go.

    Parameters
    ----------
    limits
        Those of the step.
    tensors
        What it touches, in weights; free are those of channels that may go.
    left
        ``int64[tensors]``: channels of which something is not pruned yet.
    running
        What goes with them.
    amount
        What is asked for, in channels; of no account if the limits have a total.
    unit
        What is counted, for messages.

    Returns
    -------
    ndarray
        ``int64[tensors]``. With a total, channels go in the order of the share of their tensor that
        is pruned then, so that all tensors come to about the same share; of equals the earlier
        tensor first; until the next would be too much.

    Raises
    ------
    ParameterError
        If an amount is more than what is left, or no number of whole channels will do.
    """
    bounds = bounds_of(limits, tensors)
    least = running.least_reaching(bounds.low - tensors.before)
    most = running.most_within(bounds.ceiling - tensors.before)
    between = np.flatnonzero(least > most)
    if between.size:
        i = int(between[0])
        size = running.weights[running.starts[i] + least[i]]
        raise ParameterError(
            f"Whole {unit} of '{tensors.names[i]}' cannot be between {percent(limits.floor)} and "
            f"{percent(limits.ceiling)} of it: {most[i]:,} of them are too few, and "
            f"{least[i]:,} would prune {size + tensors.before[i]:,} of {tensors.numel[i]:,} "
            "weights.",
            remedy="Lower the minimum or raise the maximum sparsity.",
        )
    if limits.total is not None:
        return _in_all(limits, tensors, bounds, running, least, most, unit)
    wanted = budgets(amount, left)
    refuse_more(amount, left, left, wanted, tensors.names, unit)
    wanted = np.minimum(wanted, most) if limits.ceiling < 1 else wanted
    refuse_more(amount, left, running.free, wanted, tensors.names, unit)
    return np.maximum(wanted, least)


def _in_all(  # noqa: PLR0917 - columns of one table
    limits: Limits,
    tensors: Tensors,
    bounds: Bounds,
    running: Running,
    least: Counts,
    most: Counts,
    unit: str,
) -> Counts:
    target = target_of(limits, tensors, bounds)
    begin = tensors.before + running.weights[running.starts + least]
    room = target - int(begin.sum())
    if room < 0:
        raise ParameterError(
            f"At least {percent(limits.floor)} of each tensor is "
            f"{counted(int(begin.sum()), 'weight')} in whole {unit}, but the total is "
            f"only {target:,}.",
            remedy="Lower the minimum sparsity or raise the total.",
        )
    more = most - least
    tensor = np.repeat(np.arange(more.size), more)
    place = running.starts[tensor] + least[tensor] + _count_up(more) + 1
    after = tensors.before[tensor] + running.weights[place]
    order = np.argsort(after / np.maximum(tensors.numel[tensor], 1), kind="stable")
    sizes = running.weights[place] - running.weights[place - 1]
    taken = int(np.searchsorted(np.cumsum(sizes[order]), room, "right"))
    counts: Counts = least + np.bincount(tensor[order[:taken]], minlength=more.size)
    return counts


def _count_up(lengths: Counts) -> NDArray[np.intp]:
    """Return 0, 1, 2 and so on for each length."""
    ends = np.cumsum(lengths)
    return np.arange(int(ends[-1]) if ends.size else 0) - np.repeat(ends - lengths, lengths)
