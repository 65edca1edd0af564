"""Application of a method to tensors, within limits: from the masks before to those after.

Protected weights are kept, whatever the method and the scope:

- Amounts are relative to what is not pruned yet, including protected weights. An amount that
  exceeds what is free raises an error.
- Protected weights are left out of the ranking, as if they were infinitely important (torch's
  ``importance_scores`` with infinity in their places).
- Channels or blocks with protected weights are not pruned and not scored.
- In groups, protected weights stay even if the pattern is then violated; violations are counted.
- Methods that return a mask need not consider protection: protected weights are added to their
  mask, and counted.

Minimum, maximum and total sparsity are met exactly: the count of each tensor is determined first
(`pruneapp.methods.amounts`), then each is cut with the usual rules for equal scores.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from pruneapp.checkpoint.elements import Bits
from pruneapp.errors import ParameterError
from pruneapp.kernels.kernel import Kernel, Ranking, Share
from pruneapp.kernels.lowest_in_groups import lowest_in_groups
from pruneapp.kernels.sort_keys import PIECE, Magnitudes
from pruneapp.kernels.threshold import kept_elements
from pruneapp.kernels.values import Bools, Counts
from pruneapp.masks.bitmask import BitMask, Mask
from pruneapp.masks.channels import count_kept_by_channel
from pruneapp.methods.amounts import counts_before, split_in_order, weight_counts_to_prune
from pruneapp.methods.coupled_units import prune_coupled
from pruneapp.methods.cutoff import (
    Expect,
    Pruned,
    check_all,
    plan,
    prune_ranked,
    prune_rows,
    prune_units,
    rows_of,
    share_by_rows,
)
from pruneapp.methods.limits import Limits, Pruning, check_limits
from pruneapp.methods.method import (
    CoupledMethod,
    GroupMethod,
    MaskMethod,
    Method,
    RowMethod,
    Scope,
    TensorView,
    UnitMethod,
    Values,
    WeightMethod,
)
from pruneapp.progress import Job

_NO_LIMITS = Limits()


def prune(  # noqa: PLR0917 - six arguments, each its own type
    tensors: Sequence[TensorView],
    method: Method,
    values: Mapping[str, Any],
    scope: Scope,
    kernel: Kernel,
    job: Job,
    *,
    limits: Limits = _NO_LIMITS,
    expect: Expect | None = None,
    summed: Container[str] = (),
) -> Pruned:
    """Return the mask of every tensor after `method`, within the limits.

    Parameters
    ----------
    tensors
        The tensors to prune, in file order: of equal scores in a global step, those of earlier
        tensors are pruned first. Tensors excluded by the limits must not be among them.
    values
        Values of parameters; missing ones are the defaults.
    scope
        "local": one threshold per tensor; "global": one threshold for all.
    job
        Extended by the work (`Job.extend`) and advanced meanwhile; can cancel.
    expect
        Estimates thresholds, which makes finding them faster.
    summed
        Names of tensors whose remaining weights to sum if that is cheap; see `Pruned.sums`.

    Raises
    ------
    ParameterError
        If a value is not valid, the method does not support the scope, a tensor or the limits, an
        amount is larger than what is free, or the limits are contradictory. Nothing has been
        changed then.
    """
    check_limits(method, limits)
    values = check_all(tensors, method, values, scope)
    pruning = Pruning(values, scope, limits, kernel, job)
    match method:
        case WeightMethod():
            plans = plan(tensors, method, pruning)
            pruned = prune_ranked(plans, kernel, job, expect=expect)
            return replace(pruned, masks={view.name: pruned.masks[view.name] for view in tensors})
        case UnitMethod() if scope == "global" and limits.bound:
            raise ParameterError(
                f"Sparsity limits of methods that prune whole {method.granularity} apply "
                f"per tensor ({', '.join(limits.words())}).",
                remedy="Choose the scope per tensor, or remove the limits.",
            )
        case UnitMethod():
            return Pruned(prune_units(tensors, method, pruning))
        case CoupledMethod():
            return Pruned(prune_coupled(tensors, method, pruning))
        case RowMethod():
            budgets, share = row_budgets(tensors, method, pruning)
            return prune_rows(tensors, method, budgets, pruning, share=share, summed=summed)
        case GroupMethod():
            return _prune_groups(tensors, method, values, job)
        case MaskMethod():
            return _combine_masks(tensors, method, values, job)
    raise TypeError(f"no way to run a method of type {type(method).__name__}")


def row_budgets(
    tensors: Sequence[TensorView], method: RowMethod, pruning: Pruning
) -> tuple[list[int], float | None]:
    """Return the number of weights to prune per tensor, and the share of each row if it is common.

    For `prune_rows`. The share is None if the amount is a count, if there is a total, or if the
    method allocates. It is given with other limits although they may change the number;
    `prune_rows` then does not use it. Raises `ParameterError` as `prune` does.
    """
    known, amount = counts_before(tensors), pruning.values["amount"]
    limits, job = pruning.limits, pruning.job
    share = requested = None
    if method.allocate is not None:
        cut = method.allocate(tensors, pruning.values, pruning.kernel, job)
    else:  # no common threshold: only the sum matters

        def cut(_among: Bools, count: int) -> Counts:
            return split_in_order(known.free, count)

        if limits.target_sparsity is None and isinstance(amount, float):
            share = amount
            left = (count_kept_by_channel(v.kept, rows_of(v.shape), 0, job) for v in tensors)
            requested = share_by_rows(share, left)
    to_prune, _ = weight_counts_to_prune(limits, known, amount, pruning.scope, cut, requested)
    return to_prune.tolist(), share


def _prune_groups(
    tensors: Sequence[TensorView], method: GroupMethod, values: Values, job: Job
) -> Pruned:
    """Return the masks of an N:M method, in the order of `tensors`.

    For tensors with protected weights, `Pruned.protected` has the number of weights that the
    pattern requires to be pruned and that are protected. Weights pruned before stay pruned. All
    groups are validated before any work; raises `ParameterError` if a tensor has none. Extends
    `job` by the elements.
    """
    groups = [method.groups(view, values) for view in tensors]  # raises before any work is done
    job.extend(sum(view.numel for view in tensors))
    masks: dict[str, BitMask] = {}
    protected: dict[str, int] = {}
    for view, cut in zip(tensors, groups, strict=True):
        job.label(view.name)
        ranking = method.rank(view, values)
        mask, lacking = lowest_in_groups(ranking, view.shape, cut, view.protected, job)
        masks[view.name] = mask
        if method.refine is not None:
            masks[view.name] = method.refine(view, values, mask, job)
        if view.protected is not None:
            protected[view.name] = lacking
    return Pruned(masks, protected)


def _combine_masks(
    tensors: Sequence[TensorView], method: MaskMethod, values: Values, job: Job
) -> Pruned:
    """Return the masks of a method that returns masks, combined with the masks before.

    A weight is kept if it is protected, or if both masks keep it. `Pruned.protected` counts, for
    tensors with protected weights, those that the mask would prune. Extends `job` by the elements.
    """
    job.extend(sum(view.numel for view in tensors))
    masks: dict[str, BitMask] = {}
    protected: dict[str, int] = {}
    for view in tensors:
        job.label(view.name)
        mask = method.mask(view, values, job)
        if view.protected is not None:
            protected[view.name] = (view.protected - mask).kept
            mask |= view.protected
        masks[view.name] = mask if view.kept is None else mask & view.kept
    return Pruned(masks, protected)


def rules(tensors: Sequence[TensorView], method: WeightMethod, pruning: Pruning) -> dict[str, Mask]:
    """Return the masks of `prune` as rules that take no memory.

    No weight may be protected. Each use of a rule reads the weights again, so rules suit code that
    uses them once, such as an export. Thresholds are computed now, which extends and advances
    `job`. A tensor in which nothing is pruned keeps its mask, or gets one of ones. Parameters and
    errors are those of `prune`.
    """
    check_all(tensors, method, pruning.values, pruning.scope)
    job = pruning.job
    masks: dict[str, Mask] = {}
    plans = plan(tensors, method, pruning)
    job.extend(sum(r.size for ranked in plans for r in ranked.rankings if ranked.count))
    for ranked in plans:
        if ranked.count == 0:
            masks |= {view.name: view.kept or BitMask.full(view.numel) for view in ranked.views}
            continue
        job.label(ranked.views[0].name)
        threshold, shares = pruning.kernel.shares(ranked.rankings, ranked.count, job)
        for view, ranking, share in zip(ranked.views, ranked.rankings, shares, strict=True):
            by_magnitude = view.scores is None
            masks[view.name] = CutMask(ranking, threshold.key, share, by_magnitude=by_magnitude)
    return masks


class CutMask:
    """The mask of one tensor after a cut, computed on demand; see `Mask`.

    It is computed from the keys on each use, so that masks of a model of any size take no memory:
    the key of the threshold and the number of ties to prune (`share`) suffice. `by_magnitude`
    states that the ranking is by the magnitudes of the tensor itself, so that keys can be computed
    from the elements passed to `zero`.
    """

    def __init__(self, ranking: Ranking, key: int, share: Share, *, by_magnitude: bool) -> None:
        self._ranking = ranking
        self._key = key
        self._share = share
        self._magnitudes = ranking if by_magnitude and isinstance(ranking, Magnitudes) else None

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._ranking.size

    @property
    def kept(self) -> int:
        """Number of kept elements."""
        before = self._ranking.kept
        return (self.size if before is None else before.kept) - self._share.pruned

    @property
    def pruned(self) -> int:
        """Number of pruned elements."""
        return self.size - self.kept

    def bools(self, start: int = 0, stop: int | None = None) -> Bools:
        """Return the elements `start` to `stop` (exclusive), True where kept; reads the weights.

        `stop` is the end of the tensor if it is None.
        """
        stop = self.size if stop is None else stop
        is_kept = np.empty(stop - start, np.bool_)
        for chunk in self._ranking.keys(start, stop):
            at = chunk.start - start
            is_kept[at : at + chunk.keys.size] = self._is_kept(chunk.keys, chunk.start)
        return is_kept

    def zero(self, bits: Bits, start: int) -> None:
        """Set the pruned elements to 0 in place; see `Mask.zero`."""
        for first, keys in self._keys_of(bits, start):
            part = bits[first - start : first - start + keys.size]
            # Multiplying by 0 or 1 needs no branch and is exact for unsigned integers.
            np.multiply(part, self._is_kept(keys, first), out=part)

    def _keys_of(self, bits: Bits, start: int) -> Iterator[tuple[int, Bits]]:
        """Yield the flat index and the keys of each piece of `bits`, whose flat index is `start`.

        If the ranking is by magnitude, keys are computed from `bits`, in a buffer that the next
        piece overwrites; otherwise they are read.
        """
        if self._magnitudes is None:
            for chunk in self._ranking.keys(start, start + bits.size):
                yield chunk.start, chunk.keys
            return
        buffer = np.empty(min(PIECE, bits.size), f"uint{self._magnitudes.width}")
        for first in range(0, bits.size, PIECE):
            part = bits[first : first + PIECE]
            keys = buffer[: part.size]
            self._magnitudes.write_keys(part, keys)
            yield start + first, keys

    def _is_kept(self, keys: Bits, start: int) -> Bools:
        """Return which elements are kept; `start` is the flat index of the first key.

        Kept are keys above the threshold, and ties that are not among the first to be pruned;
        elements that were pruned before are not.
        """
        cut = keys.dtype.type(self._key)
        ties = min(max(self._ties_end - start, 0), keys.size)
        is_kept: Bools = keys >= cut
        is_kept[:ties] &= keys[:ties] != cut
        kept = kept_elements(self._ranking, start, keys.size)
        if kept is not None:
            is_kept &= kept
        return is_kept

    @cached_property
    def _ties_end(self) -> int:
        """Flat index before which kept elements with exactly the threshold's key are pruned.

        Reads the weights to find it on first use, unless all or none of the ties are pruned; then
        cached.
        """
        share = self._share
        if share.ties_pruned == share.equal:
            return self.size if share.ties_pruned else 0
        left = share.ties_pruned
        for chunk in self._ranking.keys(0):
            if not left:
                return chunk.start
            equal = chunk.keys == chunk.keys.dtype.type(self._key)
            kept = kept_elements(self._ranking, chunk.start, chunk.keys.size)
            if kept is not None:
                equal &= kept
            places = np.flatnonzero(equal)
            if places.size >= left:
                return chunk.start + int(places[left - 1]) + 1
            left -= places.size
        return self.size
