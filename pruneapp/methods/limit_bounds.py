"""Between which counts each tensor stays if floors, ceilings and a total are to hold.

Everything here is a count of pruned elements *after* the step, of several tensors in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pruneapp.errors import ParameterError, counted
from pruneapp.methods.amounts import to_prune
from pruneapp.methods.limits import Limits, percent
from pruneapp.methods.method import Counts, TensorView
from pruneapp.params_amounts import Amount

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
