"""How many single weights of each tensor go, if one threshold or one share is clamped in each.

Everything here is a count of pruned elements *after* the step, of several tensors in order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pruneapp.methods.amounts import to_prune
from pruneapp.methods.limit_bounds import (
    Bounds,
    Tensors,
    bounds_of,
    budgets,
    refuse_more,
    target_of,
)
from pruneapp.methods.limits import Limits
from pruneapp.methods.method import Counts, Cutting, Scope
from pruneapp.params_amounts import Amount


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
