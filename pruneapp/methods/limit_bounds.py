"""Floors, ceilings and totals as bounds per tensor; allocation within them.

Between which counts each tensor stays if floors, ceilings and a total are to hold.

Everything here is a count of pruned elements *after* the step, of several tensors in order.

How many whole channels of each tensor go if floors, ceilings and a total are to hold.

How many single weights of each tensor go, if one threshold or one share is clamped in each.

Everything here is a count of pruned elements *after* the step, of several tensors in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.errors import ParameterError, counted
from pruneapp.methods.amounts import to_prune
from pruneapp.methods.limits import Limits, percent
from pruneapp.methods.method import Counts, Cutting, Scope, TensorView
from pruneapp.params import Amount

# Products of a share and a size that are so near to a whole number are meant to be it: 0.9 is no
# sum of powers of two.
_NEAR = 1e-9


@dataclass(frozen=True, eq=False)
class Tensors:
    """What is known of some tensors before a step.

    Attributes
    ----------
    names
        For messages.
    numel, before, free
        ``int64[tensors]``: elements, those that are pruned, and those that may go.
    """

    names: Sequence[str]
    numel: Counts
    before: Counts
    free: Counts

    @property
    def left(self) -> Counts:
        """``int64[tensors]``: elements that are not pruned yet, protected or not."""
        return self.numel - self.before


def known_of(tensors: Sequence[TensorView]) -> Tensors:
    """Return what is known of some tensors of which single weights are to go."""
    kept = [view.free.kept for view in tensors]
    return Tensors(
        [view.name for view in tensors],
        np.array([view.numel for view in tensors], np.int64),
        np.array([0 if v.kept is None else v.kept.pruned for v in tensors], np.int64),
        np.array(
            [v.numel if k is None else k.kept for v, k in zip(tensors, kept, strict=True)],
            np.int64,
        ),
    )


@dataclass(frozen=True, eq=False)
class Bounds:
    """How many elements of each tensor may be pruned after a step.

    Attributes
    ----------
    low, high
        ``int64[tensors]``: at least, and at most; from what is pruned already to all that is free.
    ceiling
        ``int64[tensors]``: at most, whatever is protected.
    """

    low: Counts
    high: Counts
    ceiling: Counts


def bounds_of(limits: Limits, tensors: Tensors) -> Bounds:
    """Return the bounds of each tensor.

    Raises
    ------
    ParameterError
        If so much is protected that a floor cannot be reached.
    """
    high = _whole(limits.ceiling, tensors.numel)
    # At least so much goes where at most the rest stays.
    low = np.minimum(tensors.numel - _whole(1 - limits.floor, tensors.numel), high)
    most = tensors.before + tensors.free
    low = np.maximum(low, tensors.before)
    short = np.flatnonzero(low > most)
    if short.size:
        i = int(short[0])
        raise ParameterError(
            f"At least {percent(limits.floor)} of '{tensors.names[i]}' is "
            f"{counted(int(low[i]), 'weight')}, but only {most[i]:,} can be pruned: "
            f"{counted(int(tensors.numel[i] - most[i]), 'is', 'are')} protected.",
            remedy="Lower the minimum sparsity, or unprotect weights.",
        )
    ceiling = np.maximum(high, tensors.before)
    return Bounds(low, np.minimum(ceiling, most), ceiling)


def _whole(share: float, numel: Counts) -> Counts:
    """Return how many whole elements a share holds."""
    shares = share * numel
    whole = np.rint(shares)
    near = np.abs(shares - whole) <= _NEAR * np.maximum(whole, 1)
    counts: Counts = np.where(near, whole, np.floor(shares)).astype(np.int64)
    return counts


def target_of(limits: Limits, tensors: Tensors, bounds: Bounds, wish: int | None = None) -> int:
    """Return how many elements of all tensors are to be pruned after a step.

    Parameters
    ----------
    limits, tensors, bounds
        What is asked for, and of what.
    wish
        What the amount comes to, if no total is asked for.

    Raises
    ------
    ParameterError
        If the bounds do not leave room for it; says the numbers.
    """
    total = limits.total
    before, able = int(tensors.before.sum()), int((tensors.before + tensors.free).sum())
    if total is None:
        assert wish is not None
        target, word, asked = wish, "amount", "the amount"
        if before:
            asked = "the amount, with what is pruned already,"
    else:
        target = round(total * int(tensors.numel.sum())) if isinstance(total, float) else total
        word = "total"
        asked = f"{percent(total)} of all" if isinstance(total, float) else "the total"
    least, most = int(bounds.low.sum()), int(bounds.high.sum())
    if least <= target <= most:
        return target
    count = len(tensors.names)
    each = f"in each of {count:,} tensors" if count > 1 else f"of '{tensors.names[0]}'"
    if target < before:
        raise ParameterError(
            f"{counted(before, 'weight is', 'weights are')} pruned already, but {asked} is "
            f"{target:,}.",
            remedy=f"Raise the {word}, or undo a step.",
        )
    if target < least:
        raise ParameterError(
            f"At least {percent(limits.floor)} {each} is {counted(least, 'weight')}, but "
            f"{asked} is only {target:,}.",
            remedy=f"Lower the minimum sparsity or raise the {word}.",
        )
    size = int(tensors.numel.sum())
    if target > size:
        raise ParameterError(
            f"The selected tensors have {counted(size, 'weight')}, but {asked} is {target:,}.",
            remedy=f"Lower the {word}.",
        )
    if target > able:
        raise ParameterError(
            f"Only {counted(able, 'weight')} can be pruned, because "
            f"{counted(size - able, 'is', 'are')} protected, but {asked} wants {target:,}.",
            remedy=f"Lower the {word}, or unprotect weights.",
        )
    raise ParameterError(
        f"At most {percent(limits.ceiling)} {each} is {counted(most, 'weight')}, but {asked} wants "
        f"{target:,}.",
        remedy=f"Raise the maximum sparsity or lower the {word}.",
    )


def budgets(amount: Amount, left: Counts) -> Counts:
    """Return what an amount is in each tensor, as `to_prune` counts it one by one.

    A count beyond all of them is told as one more than the most: a column has no room for any
    number.
    """
    if isinstance(amount, float):
        shares: Counts = np.rint(amount * left).astype(np.int64)  # halves to even, as round
        return shares
    return np.full(left.size, min(amount, int(left.max(initial=0)) + 1), np.int64)


def refuse_more(  # noqa: PLR0917 - columns of one table
    amount: Amount,
    left: Counts,
    free: Counts,
    wanted: Counts,
    names: Sequence[str],
    unit: str = "weights",
) -> None:
    """Raise `ParameterError` for the first tensor of which more is wanted than is free.

    Parameters
    ----------
    amount
        What is asked for, for the message.
    left, free, wanted
        ``int64[tensors]``: what is not pruned yet, what of it may go, and what is to go.
    names, unit
        Of the tensors, and what is counted.
    """
    short = np.flatnonzero(wanted > free)
    if short.size:
        i = int(short[0])
        there = int(left[i])
        to_prune(amount, there, protected=there - int(free[i]), unit=unit, where=names[i])


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


def weights_after(
    limits: Limits, tensors: Tensors, amount: Amount, scope: Scope, cut: Cutting
) -> tuple[Counts, NDArray[np.bool_]]:
    """Return how many single weights of each tensor are pruned after a step.

    Parameters
    ----------
    limits
        Those of the step.
    tensors
        What it touches.
    amount
        What is asked for; of no account if the limits have a total.
    scope
        Of the step.
    cut
        For the global scope, see `settle`.

    Returns
    -------
    after
        ``int64[tensors]``.
    together
        ``bool[tensors]``: those that one threshold cuts; each other one is cut by itself.

    Raises
    ------
    ParameterError
        If an amount is more than what is left, or the wishes contradict each other.
    """
    bounds = bounds_of(limits, tensors)
    none = np.zeros(tensors.numel.size, np.bool_)
    if scope == "global":
        wish = None
        if limits.total is None:
            wish = int(tensors.before.sum()) + to_prune(amount, int(tensors.left.sum()))
        return settle(tensors, bounds, target_of(limits, tensors, bounds, wish), cut)
    if limits.total is not None:
        return spread(tensors, bounds, target_of(limits, tensors, bounds)), none
    wanted = budgets(amount, tensors.left)
    refuse_more(amount, tensors.left, tensors.left, wanted, tensors.names)
    after = np.minimum(tensors.before + wanted, bounds.ceiling)
    refuse_more(amount, tensors.left, tensors.free, after - tensors.before, tensors.names)
    return np.maximum(after, bounds.low), none


def spread(tensors: Tensors, bounds: Bounds, target: int) -> Counts:
    """Give every tensor the same share, as far as its bounds allow it.

    Parameters
    ----------
    tensors, bounds
        What there is.
    target
        The sum of the result; between the sums of the bounds.

    Returns
    -------
    ndarray
        ``int64[tensors]``: for some share ``s``, ``round(s * numel)`` within the bounds. Where that
        cannot make the sum, the earlier of equals get one more.
    """
    return level(lambda share: _at(share, tensors, bounds), target)


def level(at: Callable[[float], Counts], target: int) -> Counts:
    """Find the share at which counts make a sum.

    Parameters
    ----------
    at
        Returns the counts for a share from 0 to 1; none falls as the share grows.
    target
        The sum of the result, from ``at(0.0).sum()`` to ``at(1.0).sum()``.

    Returns
    -------
    ndarray
        ``int64``: the counts of a share. Where no share makes the sum, the earlier of those that
        are about to grow get one more.
    """
    low, high = 0.0, 1.0
    for _ in range(64):  # float64 has no more between them
        middle = (low + high) / 2
        if int(at(middle).sum()) <= target:
            low = middle
        else:
            high = middle
    if int(at(1.0).sum()) <= target:
        low = 1.0
    counts = at(low)
    more = np.flatnonzero(counts < np.maximum(at(high), counts))
    left = target - int(counts.sum())
    counts[more[:left]] += 1
    return counts


def _at(share: float, tensors: Tensors, bounds: Bounds) -> Counts:
    wanted = np.floor(share * tensors.numel + 0.5).astype(np.int64)
    after: Counts = np.clip(wanted, bounds.low, bounds.high)
    return after


def settle(
    tensors: Tensors,
    bounds: Bounds,
    target: int,
    cut: Cutting,
) -> tuple[Counts, NDArray[np.bool_]]:
    """Find the one threshold of which the cuts, each within its bounds, make the target.

    Tensors that a common threshold takes beyond their bounds are held at them, those above or those
    below, whichever weigh more: they would be held at the threshold that is sought, too. The others
    are cut anew, until none is beyond (Bitran and Hax, "Disaggregation and resource allocation
    using convex knapsack problems with bounded variables", 1981). As a rule that takes two or three
    rounds.

    Parameters
    ----------
    tensors, bounds
        What there is.
    target
        Between the sums of the bounds.
    cut
        Returns how many elements go of each tensor (any number for those that are not chosen), if
        so many of the lowest of the chosen ones go.

    Returns
    -------
    after
        ``int64[tensors]``: what is pruned of each; its sum is the target.
    together
        ``bool[tensors]``: those that one threshold cuts; the others are held at a bound.
    """
    after = tensors.before.copy()
    free = np.ones(after.size, np.bool_)
    left = target
    while free.any():
        gone = cut(free, left - int(tensors.before[free].sum()))
        after[free] = (tensors.before + gone)[free]
        above, below = free & (after > bounds.high), free & (after < bounds.low)
        over = int((after - bounds.high)[above].sum())
        under = int((bounds.low - after)[below].sum())
        held = above | below if over == under else above if over > under else below
        after[held] = np.clip(after, bounds.low, bounds.high)[held]
        free &= ~held
        left -= int(after[held].sum())
        if over == under:
            break
    return after, free
