"""From an amount to a count."""

from __future__ import annotations

from pruneapp.errors import ParameterError
from pruneapp.params import Amount, AmountParam

_PARAM = AmountParam()


def to_prune(amount: Amount, left: int, *, unit: str = "weights", where: str = "") -> int:
    """Return how many are to be pruned.

    Parameters
    ----------
    amount
        An int is a count; a float from 0 to 1 a fraction of `left`, rounded to the nearest count,
        halves to the even one (Python's `round`, as torch does).
    left
        How many are not pruned yet.
    unit, where
        For the message: what is counted, and in which tensor.

    Raises
    ------
    ParameterError
        If the amount is NaN, negative, a fraction above 1, or more than what is left.
    """
    amount = _PARAM.validate(amount)
    count = round(amount * left) if isinstance(amount, float) else amount
    if count > left:
        of = f" of '{where}'" if where else ""
        none = "no" if left == 0 else f"only {left:,}"
        raise ParameterError(
            f"'amount' must be at most what is left: {none} {unit}{of} "
            f"{'is' if left == 1 else 'are'} not pruned yet (got {count:,}).",
            remedy=f"Give a count up to {left:,}, or a fraction such as 0.2.",
        )
    return count
