"""From an amount to a count."""

from __future__ import annotations

from pruneapp.errors import ParameterError, counted
from pruneapp.params import Amount, AmountParam

_PARAM = AmountParam()


def to_prune(
    amount: Amount, left: int, *, protected: int = 0, unit: str = "weights", where: str = ""
) -> int:
    """Return how many are to be pruned.

    Parameters
    ----------
    amount
        An int is a count; a float from 0 to 1 a fraction of `left`, rounded to the nearest count,
        halves to the even one (Python's `round`, as torch does).
    left
        How many are not pruned yet, protected or not: an amount means the same share of a tensor
        whatever is protected in it.
    protected
        How many of these may not go.
    unit, where
        For the message: what is counted, and in which tensor.

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
