"""From an amount to a count, of one tensor or of each of many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pruneapp.errors import ParameterError, counted
from pruneapp.kernels.values import Counts
from pruneapp.params import Amount, AmountParam

_PARAM = AmountParam()


def to_prune(
    amount: Amount, left: int, *, protected: int = 0, unit: str = "weights", where: str = ""
) -> int:
    """Return how many are to be pruned of those that are left, protected or not.

    So an amount means the same share of a tensor whatever is protected in it. `unit` and `where`
    are for the message: what is counted, and in which tensor.

    Parameters
    ----------
    amount
        An int is a count; a float from 0 to 1 a fraction of `left`, rounded to the nearest count,
        halves to the even one (Python's `round`, as torch does).

    Raises
    ------
    ParameterError
        If the amount is NaN, negative, a fraction above 1, or more than what is left and free.
    """
    amount = _PARAM.validate(amount)
    count = round(amount * left) if isinstance(amount, float) else amount
    free = left - protected
    if count <= free:
        return count
    of = f" of '{where}'" if where else ""
    if count <= left:
        given = f"{amount} is {count:,}" if isinstance(amount, float) else f"got {count:,}"
        can = f"only {free:,} can be pruned" if free else "none can be pruned"
        kept = counted(left, f"{unit.removesuffix('s')}{of} that is", f"{unit}{of} that are")
        raise ParameterError(
            f"'amount' is too large: of the {kept} not pruned yet, "
            f"{counted(protected, 'is', 'are')} protected, so {can} ({given}).",
            remedy=(
                f"Enter a count up to {free:,}, or unprotect weights."
                if free
                else "Unprotect weights."
            ),
        )
    if left == 0:
        raise ParameterError(
            f"'amount' must be 0 here: all {unit}{of} are pruned already (got {count:,}).",
            remedy="Deselect pruned tensors, or undo a step.",
        )
    only = counted(left, f"{unit.removesuffix('s')}{of} is", f"{unit}{of} are")
    raise ParameterError(
        f"'amount' is larger than what remains: only {only} not pruned yet (got {count:,}).",
        remedy=f"Enter a count up to {left:,}, or a fraction such as 0.2.",
    )


def counts_of(amount: Amount, left: Counts) -> Counts:
    """Return what an amount is in each of some tensors (``int64[tensors]``), unchecked.

    A count beyond all of them is told as one more than the most: a column has no room for any
    number.
    """
    if isinstance(amount, float):
        counts: Counts = np.rint(amount * left).astype(np.int64)  # halves to even, as round
        return counts
    return np.full(left.size, min(amount, int(left.max(initial=0)) + 1), np.int64)


def counts_to_prune(
    amount: Amount, left: Counts, free: Counts, names: Sequence[str], unit: str = "weights"
) -> Counts:
    """Return what `to_prune` returns of each of some tensors; raises for the first as it does.

    `left` and `free` are ``int64[tensors]``: what is not pruned yet, and what of it may go.
    """
    counts = counts_of(amount, left)
    check_free(amount, left, free, counts, names, unit)
    return counts


def check_free(  # noqa: PLR0917 - columns of one table
    amount: Amount, left: Counts, free: Counts, counts: Counts, names: Sequence[str], unit: str
) -> None:
    """Raise what `to_prune` raises for the first tensor of which more goes than is free."""
    short = np.flatnonzero(counts > free)
    if short.size:
        i = int(short[0])
        protected = int(left[i] - free[i])
        to_prune(amount, int(left[i]), protected=protected, unit=unit, where=names[i])
