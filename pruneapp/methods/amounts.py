"""Conversion of amounts and sparsity limits to the number of weights to prune per tensor.

Limits are counts of pruned elements *after* the step, in arrays with one entry per tensor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pruneapp.errors import ParameterError, counted
from pruneapp.kernels.values import Bools, Counts, Float64s
from pruneapp.methods.limits import Limits, percent
from pruneapp.methods.method import Cutting, Scope, TensorView
from pruneapp.params import Amount, AmountParam

_PARAM = AmountParam()


def count_to_prune(
    amount: Amount, left: int, *, protected: int = 0, unit: str = "weights", where: str = ""
) -> int:
    """Return the number of units that an amount prunes, of `left` units that are not pruned yet.

    `protected` is the number of them that are protected. An amount is a fraction of all of `left`,
    so that it means the same number whatever is protected; only the check excludes them. `unit`
    (plural) and `where` (the name of the tensor) are used in the message.

    Parameters
    ----------
    amount
        An int is a count; a float from 0 to 1 a fraction of `left`, rounded to the nearest count,
        ties to even (Python's `round`, as in torch).

    Raises
    ------
    ParameterError
        If the amount is NaN, negative, a fraction above 1, or its count is larger than `left` minus
        `protected`.
    """
    amount = _PARAM.validate(amount)
    count = round(amount * left) if isinstance(amount, float) else amount
    if count > left - protected:
        raise _too_large(amount, count, left, left - protected, unit, where)
    return count


def _too_large(  # noqa: PLR0917 - a row of a table, and what it is called
    amount: Amount,
    count: int,
    left: int,
    free: int,
    unit: str,
    where: str,
    n_blocked: int | None = None,
) -> ParameterError:
    """Return (do not raise) the error for an amount whose `count` is larger than `free`.

    `left` units are not pruned yet, of which `free` are not protected. A float `amount` is shown in
    percent. `unit` is the plural of what is pruned, and `where` the name of the tensor, or empty.
    If the error is about the most restrictive of several tensors, `n_blocked` is the number of
    tensors in which nothing can be pruned; it is None for a single tensor.
    """
    of = f" of '{where}'" if where else ""
    one, more = f"{unit.removesuffix('s')}{of}", f"{unit}{of}"
    if left == 0:
        return ParameterError(
            f"'amount' must be 0 here: all {more} are pruned already (got {count:,}).",
            remedy="Uncheck pruned tensors, or undo a step.",
        )
    fits = "" if n_blocked is None else ", which fits all tensors"
    if free == left:
        only = counted(left, f"{one} is", f"{more} are")
        return ParameterError(
            f"'amount' is larger than what remains: only {only} not pruned yet (got {count:,}).",
            remedy=f"Enter a count up to {left:,}{fits}, or a fraction such as 0.2.",
        )
    kept = counted(left, f"{one} that is", f"{more} that are")
    given = f"{_percent(amount)} is {count:,}" if isinstance(amount, float) else f"got {count:,}"
    can = f"only {free:,} can be pruned" if free else "none can be pruned"
    remedy = "Unprotect weights."
    if free:
        share = f"at most {_percent(_rounded_down(free / left))}"
        most = share if isinstance(amount, float) else f"a count up to {free:,}"
        remedy = f"Enter {most}{fits}, or unprotect weights."
    elif n_blocked is not None:
        tensors = "that tensor" if n_blocked == 1 else f"the {n_blocked:,} tensors that allow none"
        remedy = f"Unprotect weights, or uncheck {tensors}."
    return ParameterError(
        f"'amount' is too large: of the {kept} not pruned yet, "
        f"{counted(left - free, 'is', 'are')} protected, so {can} ({given}).",
        remedy=remedy,
    )


def _rounded_down(share: float) -> float:
    """Round a positive fraction down to 0.01 %, or to two significant digits if it is smaller."""
    digits = max(4, 1 - math.floor(math.log10(share)))
    unit = 10.0**digits
    return math.floor(share * unit + _NEAR) / unit


def _percent(share: float) -> str:
    return f"{share * 100:.10g} %"


def counts_of(amount: Amount, left: Counts) -> Counts:
    """Return the count that an amount means in each tensor with `left` weights, ``int64[tensors]``.

    A fraction is rounded per tensor, halves to even. An int is the same count in every tensor,
    clipped to the largest element of `left` + 1 so that it fits int64. Nothing is checked.
    """
    if isinstance(amount, float):
        counts: Counts = np.rint(amount * left).astype(np.int64)  # halves to even, as round
        return counts
    return np.full(left.size, min(amount, int(left.max(initial=0)) + 1), np.int64)


def counts_to_prune(  # noqa: PLR0917 - columns of one table
    amount: Amount,
    left: Counts,
    free: Counts,
    names: Sequence[str],
    unit: str = "weights",
    requested: Counts | None = None,
) -> Counts:
    """Return the number of units to prune per tensor, ``int64[tensors]``.

    `left` and `free` are ``int64[tensors]``: units not pruned yet, and those of them not protected.
    `requested` are the counts if they are known already; `amount` is then only used in the message.

    Raises `ParameterError` if a count is larger than its `free`. The message is about the most
    restrictive tensor, so that the limit in it fits all tensors. The amount itself is not
    validated.
    """
    counts = counts_of(amount, left) if requested is None else requested
    short = np.flatnonzero(counts > free)
    if short.size:
        able = free[short]
        allowed = able / np.maximum(left[short], 1) if isinstance(amount, float) else able
        i = int(short[allowed.argmin()])
        count = int(counts[i]) if isinstance(amount, float) else amount
        n_blocked = int(np.count_nonzero(able == 0)) if len(names) > 1 else None
        raise _too_large(amount, count, int(left[i]), int(free[i]), unit, names[i], n_blocked)
    return counts


# Relative tolerance within which the product of a fraction and a size counts as an integer, because
# fractions such as 0.9 are not exact in binary.
_NEAR = 1e-9


@dataclass(frozen=True, eq=False)
class Tensors:
    """Counts of tensors before a step.

    `numel`, `before` and `free` are ``int64[tensors]``: all elements, pruned ones, and those that
    may be pruned.
    """

    names: Sequence[str]
    numel: Counts
    before: Counts
    free: Counts

    @property
    def left(self) -> Counts:
        """``int64[tensors]``: elements that are not pruned yet, including protected ones."""
        return self.numel - self.before


def counts_before(tensors: Sequence[TensorView]) -> Tensors:
    """Return the counts of elements of tensors, in the order of `tensors`.

    `before` counts pruned weights; `free` those that are neither pruned nor protected.
    """
    numel = np.array([view.numel for view in tensors], np.int64)
    pruned = np.array([0 if v.kept is None else v.kept.pruned for v in tensors], np.int64)
    free = numel - pruned
    for place, view in enumerate(tensors):
        if view.protected is not None and (kept := view.free.kept) is not None:
            free[place] = kept.kept
    return Tensors([view.name for view in tensors], numel, pruned, free)


@dataclass(frozen=True, eq=False)
class Bounds:
    """Limits of the number of pruned elements per tensor after a step, ``int64[tensors]``.

    `low` and `high` are between what is pruned already and all that is not protected. `floor` is
    the minimum regardless of what is pruned already; `ceiling` is the maximum regardless of
    protection.
    """

    low: Counts
    high: Counts
    floor: Counts
    ceiling: Counts


def bounds_of(limits: Limits, tensors: Tensors) -> Bounds:
    """Return the bounds of each tensor from `limits.min_sparsity` and `limits.max_sparsity`.

    The minimum is rounded up and the maximum down to whole elements; if they cross, the minimum is
    lowered to the maximum. A tensor that is pruned beyond the maximum already is bounded to its
    present count. `limits.target_sparsity` is ignored.

    Raises `ParameterError` for the first tensor whose minimum cannot be reached because too much is
    protected.
    """
    high = _whole_elements(limits.max_sparsity, tensors.numel)
    # Computed from the maximum of what remains, so that the rounding is consistent.
    floor = np.minimum(
        tensors.numel - _whole_elements(1 - limits.min_sparsity, tensors.numel), high
    )
    most = tensors.before + tensors.free
    low = np.maximum(floor, tensors.before)
    short = np.flatnonzero(low > most)
    if short.size:
        i = int(short[0])
        raise ParameterError(
            f"At least {percent(limits.min_sparsity)} of '{tensors.names[i]}' is "
            f"{counted(int(low[i]), 'weight')}, but only {most[i]:,} can be pruned: "
            f"{counted(int(tensors.numel[i] - most[i]), 'is', 'are')} protected.",
            remedy="Lower the minimum sparsity, or unprotect weights.",
        )
    ceiling = np.maximum(high, tensors.before)
    return Bounds(low, np.minimum(ceiling, most), floor, ceiling)


def _whole_elements(share: float, numel: Counts) -> Counts:
    """Return the largest whole number of elements within a fraction."""
    shares = share * numel
    whole = np.rint(shares)
    is_whole = np.abs(shares - whole) <= _NEAR * np.maximum(whole, 1)
    counts: Counts = np.where(is_whole, whole, np.floor(shares)).astype(np.int64)
    return counts


def target_of(
    limits: Limits, tensors: Tensors, bounds: Bounds, amount: Amount | None = None
) -> int:
    """Return the number of elements to be pruned in all tensors together after a step.

    This includes what is pruned already. It is `limits.target_sparsity`, a fraction being rounded
    over all tensors together. If that is None, it is what is pruned already and the count that
    `amount` (which must be given) means of the rest. A fraction is limited to what the minimum and
    the maximum allow after rounding in each tensor, unless it is itself beyond them.

    Raises `ParameterError` if `amount` is invalid or larger than what is not pruned yet, or if the
    target is below the sum of the minimum bounds or above the sum of the maximum bounds; the
    message states the reason and the numbers.
    """
    total = limits.target_sparsity
    size, before = int(tensors.numel.sum()), int(tensors.before.sum())
    able = before + int(tensors.free.sum())
    exact: float | None = None
    if total is None:
        assert amount is not None
        word, what = "amount", "the amount"
        if before:
            what = "the amount, with what is pruned already,"
        target = before + count_to_prune(amount, size - before)
        if isinstance(amount, float):
            exact = before + amount * (size - before)
    elif isinstance(total, float):
        word, what = "total", f"{percent(total)} of all"
        exact = total * size
        target = round(exact)
    else:
        word, what, target = "total", "the total", total
    if exact is not None:  # it is rounded once, but the minimum and the maximum in each tensor
        if exact <= (limits.max_sparsity + _NEAR) * size:
            target = min(target, int(bounds.ceiling.sum()))
        if exact >= (limits.min_sparsity - _NEAR) * size:
            target = max(target, int(bounds.floor.sum()))
    least, most = int(bounds.low.sum()), int(bounds.high.sum())
    if least <= target <= most:
        return target
    count = len(tensors.names)
    each = f"in each of {count:,} tensors" if count > 1 else f"of '{tensors.names[0]}'"
    if target < before:
        raise ParameterError(
            f"{counted(before, 'weight is', 'weights are')} pruned already, but {what} is "
            f"{target:,}.",
            remedy=f"Raise the {word}, or undo a step.",
        )
    if target < least:
        raise ParameterError(
            f"At least {percent(limits.min_sparsity)} {each} is {counted(least, 'weight')}, but "
            f"{what} is only {target:,}.",
            remedy=f"Lower the minimum sparsity or raise the {word}.",
        )
    if target > size:
        raise ParameterError(
            f"The selected tensors have {counted(size, 'weight')}, but {what} is {target:,}.",
            remedy=f"Lower the {word}.",
        )
    if target > able:
        raise ParameterError(
            f"Only {counted(able, 'weight')} can be pruned, because "
            f"{counted(size - able, 'is', 'are')} protected, but {what} requires {target:,}.",
            remedy=f"Lower the {word}, or unprotect weights.",
        )
    raise ParameterError(
        f"At most {percent(limits.max_sparsity)} {each} is {counted(most, 'weight')}, but {what} "
        f"requires {target:,}.",
        remedy=f"Raise the maximum sparsity or lower the {word}.",
    )


class Running:
    """Cumulative numbers of weights in the channels of several tensors, in the order of pruning.

    `weights` has for each tensor ``int64[free channels + 1]``: the weights in the first n channels,
    which starts with 0 and does not decrease.
    """

    def __init__(self, weights: Sequence[Counts]) -> None:
        lengths = np.array([w.size for w in weights], np.intp)
        self.starts = np.cumsum(lengths) - lengths
        self.weights: Counts = np.concatenate(weights)
        self.free: Counts = (lengths - 1).astype(np.int64)

    @property
    def all(self) -> Counts:
        """``int64[tensors]``: weights in all free channels."""
        totals: Counts = self.weights[self.starts + self.free]
        return totals

    def most_within(self, weights: Counts) -> Counts:
        """Return the maximum number of channels with at most `weights` weights; at least 0."""
        most = np.where(self.all <= weights, self.free, self.least_reaching(weights + 1) - 1)
        return np.maximum(most, 0)

    def least_reaching(self, weights: Counts) -> Counts:
        """Return the minimum number of channels with at least `weights` weights, per tensor.

        All channels of a tensor are returned if they have fewer; 0 if `weights` is 0 or negative.
        """
        low, high = np.zeros_like(self.free), self.free.copy()
        while (low < high).any():
            middle = (low + high) >> 1
            reaches = self.weights[self.starts + middle] >= weights
            high = np.where(reaches, middle, high)
            low = np.where(reaches, low, middle + 1)
        return low


def channel_counts_to_prune(
    limits: Limits,
    tensors: Tensors,
    left: Counts,
    running: Running,
    amount: Amount,
    *,
    unit: str = "channels",
) -> Counts:
    """Return the number of channels, or blocks, of each tensor to prune, ``int64[tensors]``.

    `left` (``int64[tensors]``) counts the channels that are not completely pruned, `running` the
    weights of free channels. Without a total, it is the count of `amount`, lowered to what the
    maximum allows and raised to what the minimum requires. With a total, `amount` is ignored:
    channels are pruned in the order of the sparsity of their tensor after that, so that all tensors
    have about the same sparsity, earlier tensors first if equal, until the next channel would
    exceed the total. `unit` is the plural for messages.

    Raises `ParameterError` if an amount is larger than what is left, or no number of whole channels
    meets the limits.
    """
    bounds = bounds_of(limits, tensors)
    least = running.least_reaching(bounds.low - tensors.before)
    most = running.most_within(bounds.ceiling - tensors.before)
    impossible = np.flatnonzero(least > most)
    if impossible.size:
        i = int(impossible[0])
        size = running.weights[running.starts[i] + least[i]]
        raise ParameterError(
            f"No number of whole {unit} of '{tensors.names[i]}' is within "
            f"{percent(limits.min_sparsity)} to {percent(limits.max_sparsity)}: "
            f"{most[i]:,} are too few, and {least[i]:,} would prune "
            f"{size + tensors.before[i]:,} of {tensors.numel[i]:,} "
            "weights.",
            remedy="Lower the minimum or raise the maximum sparsity.",
        )
    if limits.target_sparsity is not None:
        return _in_all(limits, tensors, bounds, running, least, most, unit)
    held = limits.max_sparsity < 1  # if so, `most` excludes protected channels
    requested = counts_to_prune(amount, left, left if held else running.free, tensors.names, unit)
    return np.maximum(np.minimum(requested, most) if held else requested, least)


def _in_all(  # noqa: PLR0917 - columns of one table
    limits: Limits,
    tensors: Tensors,
    bounds: Bounds,
    running: Running,
    least: Counts,
    most: Counts,
    unit: str,
) -> Counts:
    """Return the number of channels to prune per tensor within `limits.target_sparsity`.

    Begins with `least` channels of each tensor and adds further ones, up to `most`, in the order of
    the sparsity of their tensor after them, until the next would exceed the total. Raises
    `ParameterError` if `least` exceeds the total, or as `target_of`.
    """
    target = target_of(limits, tensors, bounds)
    begin = tensors.before + running.weights[running.starts + least]
    budget = target - int(begin.sum())
    if budget < 0:
        raise ParameterError(
            f"At least {percent(limits.min_sparsity)} of each tensor is "
            f"{counted(int(begin.sum()), 'weight')} in whole {unit}, but the total is "
            f"only {target:,}.",
            remedy="Lower the minimum sparsity or raise the total.",
        )
    more = most - least
    tensor = np.repeat(np.arange(more.size), more)
    nth = np.arange(tensor.size) - np.repeat(np.cumsum(more) - more, more)  # of its tensor
    place = running.starts[tensor] + least[tensor] + nth + 1
    after = tensors.before[tensor] + running.weights[place]
    order = np.argsort(after / np.maximum(tensors.numel[tensor], 1), kind="stable")
    sizes = running.weights[place] - running.weights[place - 1]
    affordable = int(np.searchsorted(np.cumsum(sizes[order]), budget, "right"))
    return least + np.bincount(tensor[order[:affordable]], minlength=more.size)


def weight_counts_to_prune(  # noqa: PLR0917 - each its own type
    limits: Limits,
    tensors: Tensors,
    amount: Amount,
    scope: Scope,
    cut: Cutting,
    requested: Counts | None = None,
) -> tuple[Counts, Bools]:
    """Return the number of weights to prune per tensor, and which tensors share one threshold.

    Each other tensor has its own threshold. Without limits, the result with the local scope is the
    amount in each tensor, and with the global scope `cut` of all tensors. With limits, counts are
    kept within the bounds of each tensor; a total replaces the amount. `requested` are the counts
    of the amount per tensor, for the local scope, if the amount is not rounded once per tensor.

    Raises `ParameterError` if an amount is larger than what is free, or the limits are
    contradictory.
    """
    names, left, free = tensors.names, tensors.left, tensors.free
    none = np.zeros(left.size, np.bool_)
    if not limits.bound:
        if scope == "local":
            return counts_to_prune(amount, left, free, names, requested=requested), none
        where = names[0] if len(names) == 1 else ""
        total = int(left.sum())
        count = count_to_prune(amount, total, protected=total - int(free.sum()), where=where)
        return cut(~none, count), ~none
    bounds = bounds_of(limits, tensors)
    if scope == "global":
        target = target_of(limits, tensors, bounds, amount)
        after, together = fit_common_threshold(tensors, bounds, target, cut)
        return after - tensors.before, together
    if limits.target_sparsity is not None:
        after = split_evenly(tensors, bounds, target_of(limits, tensors, bounds))
        return after - tensors.before, none
    # Protection does not reduce the amount where the maximum is at most what is free.
    held = bounds.ceiling - tensors.before <= free
    able = np.where(held, left, free)
    requested = counts_to_prune(amount, left, able, names, requested=requested)
    after = np.minimum(tensors.before + requested, bounds.ceiling)
    return np.maximum(after, bounds.low) - tensors.before, none


def split_in_order(counts: Counts, count: int) -> Counts:
    """Split `count` over the tensors, in order."""
    before = np.cumsum(counts) - counts
    result: Counts = np.clip(count - before, 0, counts)
    return result


def split_evenly(tensors: Tensors, bounds: Bounds, target: int) -> Counts:
    """Return the number of pruned elements per tensor after a step; their sum is `target`.

    All tensors have the same sparsity, within their bounds. Elements that are pruned already are
    included in the counts, the bounds and `target`. The counts are ``round(s * numel)``, halves
    rounded up, clipped to the bounds, for some sparsity ``s``. If no ``s`` gives the sum, earlier
    tensors of those that are next to increase get one more. `target` must be between the sums of
    the lower and the upper bounds, which is not checked.
    """
    return level(
        lambda share: np.clip(round_share(share, tensors.numel), bounds.low, bounds.high), target
    )


def level(at: Callable[[float], Counts], target: int) -> Counts:
    """Return ``at(f)`` for the fraction `f` from 0 to 1 at which the sum of the counts is `target`.

    `at` must not decrease with the fraction, and the sum of ``at(0)`` must not exceed `target`. If
    no fraction gives the sum, those of the counts that are next to increase get one more each, from
    first to last, until the sum is reached. If the sum of ``at(1)`` is smaller, ``at(1)`` is
    returned.
    """
    low, high = 0.0, 1.0
    for _ in range(64):  # enough for the precision of float64
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


def round_share(share: float | Float64s, sizes: Counts) -> Counts:
    """Return the counts nearest to a fraction of sizes, rounding halves up."""
    return np.floor(share * sizes + 0.5).astype(np.int64)


def fit_common_threshold(
    tensors: Tensors, bounds: Bounds, target: int, cut: Cutting
) -> tuple[Counts, Bools]:
    """Find the threshold at which the number of pruned elements, each within bounds, is `target`.

    Tensors beyond their bounds at a common threshold are fixed at them: those above or those below,
    whichever exceed them by more in total, because they would also be fixed at the threshold
    sought. The others are cut again, until none is beyond its bounds (Bitran and Hax,
    "Disaggregation and resource allocation using convex knapsack problems with bounded variables",
    1981). This usually takes two or three rounds.

    Returns
    -------
    after
        ``int64[tensors]``: number of pruned elements after the step.
    together
        ``bool[tensors]``: which tensors are cut at the threshold; the others are fixed at a bound.
    """
    after = tensors.before.copy()
    free = np.ones(after.size, np.bool_)
    left = target
    while free.any():
        cut_counts = cut(free, left - int(tensors.before[free].sum()))
        after[free] = (tensors.before + cut_counts)[free]
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
