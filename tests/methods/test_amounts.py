"""Conversion of an amount to a count."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest
import torch.nn.utils.prune as torch_prune
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.errors import ParameterError
from pruneapp.methods.amounts import (
    Bounds,
    Running,
    Tensors,
    bounds_of,
    channel_counts_to_prune,
    count_to_prune,
    fit_common_threshold,
    split_evenly,
    target_of,
)
from pruneapp.methods.limits import Limits


@given(st.floats(0, 1), st.integers(0, 10**12))
def test_fractions_are_rounded_as_torch_does(amount, left):
    """Halves to the even count: 0.5 of 5 is 2, of 3 is 2, of 1 is 0."""
    assert torch_prune._compute_nparams_toprune(amount, left) == count_to_prune(amount, left)


@pytest.mark.parametrize(
    ("amount", "left", "count"),
    [
        (0.5, 5, 2),
        (0.5, 3, 2),
        (0.5, 1, 0),
        (0.25, 10, 2),
        (0.35, 10, 4),
        (1, 10, 1),
        (1.0, 10, 10),
    ],
)
def test_known_cases(amount, left, count):
    """1 is a count, 1.0 is everything; NumPy scalars count as Python's."""
    assert count == count_to_prune(amount, left)
    assert count == count_to_prune(np.array([amount])[0], left)


@pytest.mark.parametrize("amount", [-1, -0.1, 1.1, math.nan, math.inf, "half", None])
def test_what_is_no_amount_is_refused(amount):
    """Including NaN, which torch accepts."""
    with pytest.raises(ParameterError, match="'amount' must be an integer"):
        count_to_prune(amount, 10)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (1234, r"only 1,234 weights of 'fc' are not pruned yet \(got 2,000\)"),
        (1, r"only 1 weight of 'fc' is not pruned yet"),
        (0, r"must be 0 here: all weights of 'fc' are pruned already"),
    ],
)
def test_more_than_is_left_is_refused(left, said):
    """The message contains the number of remaining weights and their tensor."""
    with pytest.raises(ParameterError, match=said):
        count_to_prune(2000, left, where="fc")


def test_of_one_weight_the_sentence_speaks_as_of_one():
    """For one remaining and one protected weight."""
    said = r"of the 1 weight of 'fc' that is not pruned yet, 1 is protected, so none can be pruned"
    with pytest.raises(ParameterError, match=said):
        count_to_prune(1, 1, protected=1, where="fc")


# Messages about totals that minimum and maximum sparsity make unreachable


def tensors(numel, before, free):
    return Tensors(["fc"], *(np.array([n], np.int64) for n in (numel, before, free)))


@pytest.mark.parametrize(
    ("before", "said"), [(1, "1 weight is pruned already"), (2, "2 weights are pruned already")]
)
def test_a_total_below_what_is_pruned_already(before, said):
    limits, some = Limits(target_sparsity=0), tensors(8, before, 8 - before)
    with pytest.raises(ParameterError, match=f"^{said}, but the total is 0"):
        target_of(limits, some, bounds_of(limits, some))


@pytest.mark.parametrize(("free", "said"), [(7, "1 is protected"), (6, "2 are protected")])
def test_more_than_is_free(free, said):
    limits, some = Limits(target_sparsity=8), tensors(8, 0, free)
    with pytest.raises(ParameterError, match=rf"Only {free} weights .*, because {said}, but"):
        target_of(limits, some, bounds_of(limits, some))
    limits = Limits(min_sparsity=1.0)
    with pytest.raises(ParameterError, match=rf"only {free} can be pruned: {said}\."):
        bounds_of(limits, some)


# Structured pruning within limits, compared with pruning channel by channel, on counts only


SHARES = (0.0, 0.2, 0.5, 0.75, 1.0)


def drawn_channels(seed):
    """Draw tensors whose channels have a few weights each, limits, and an amount."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 5))
    channels = [rng.integers(1, 5, rng.integers(0, 6)) for _ in range(count)]
    before = rng.integers(0, 6, count)
    guarded = rng.integers(0, 2, count) * rng.integers(0, 3, count)  # weights of protected channels
    free = np.array([c.sum() for c in channels])
    tensors = Tensors([str(i) for i in range(count)], before + free + guarded, before, free)
    left = np.array([c.size for c in channels]) + guarded
    floor, ceiling = sorted(rng.choice(SHARES, 2).tolist())
    total = [None, float(rng.choice(SHARES)), int(rng.integers(0, 30))][rng.integers(0, 3)]
    amount = [float(rng.choice(SHARES)), int(rng.integers(0, 4))][rng.integers(0, 2)]
    return channels, tensors, left, Limits(floor, ceiling, total), amount


def least_and_most(channels, tensors, limits):
    """Return the allowed range of pruned channels per tensor; None if one is empty."""
    found = []
    for some, size, before in zip(channels, tensors.numel, tensors.before, strict=True):
        after = before + np.concatenate(([0], np.cumsum(some)))
        most = np.floor(limits.max_sparsity * size)
        least = min(np.ceil(limits.min_sparsity * size), most)  # the maximum takes precedence
        fits = np.flatnonzero((after >= least) & (after <= max(most, before)))
        if not fits.size:
            return None
        found.append((int(fits[0]), int(fits[-1])))
    return found


def total_of(tensors, limits):
    """Return the total as a count, limited to the bounds unless it is beyond them itself."""
    total, size = limits.target_sparsity, int(tensors.numel.sum())
    if not isinstance(total, float):
        return total
    most = np.floor(limits.max_sparsity * tensors.numel)
    target = round(total * size)
    if total <= limits.max_sparsity:
        target = min(target, int(np.maximum(most, tensors.before).sum()))
    if total >= limits.min_sparsity:
        least = np.minimum(np.ceil(limits.min_sparsity * tensors.numel), most)
        target = max(target, int(least.sum()))
    return target


def expected(channels, tensors, left, limits, amount):
    """Return the number of pruned channels per tensor, found one by one; None if it is refused."""
    bounds = least_and_most(channels, tensors, limits)
    if bounds is None:
        return None
    if limits.target_sparsity is None:
        wanted = [round(amount * n) if isinstance(amount, float) else amount for n in left.tolist()]
        if any(w > n for w, n in zip(wanted, left.tolist(), strict=True)):
            return None
        if limits.max_sparsity < 1:
            wanted = [min(w, most) for w, (_, most) in zip(wanted, bounds, strict=True)]
        if any(w > c.size for w, c in zip(wanted, channels, strict=True)):
            return None
        return [max(w, least) for w, (least, _) in zip(wanted, bounds, strict=True)]
    counts = [least for least, _ in bounds]
    done = sum(int(c[:n].sum()) for c, n in zip(channels, counts, strict=True))
    room = total_of(tensors, limits) - int(tensors.before.sum()) - done
    if room < 0:
        return None
    while True:
        after = [
            ((before + c[: n + 1].sum()) / size, i)
            for i, (c, n, before, size) in enumerate(
                zip(channels, counts, tensors.before, tensors.numel, strict=True)
            )
            if n < bounds[i][1]
        ]
        if not after:
            return counts
        i = min(after)[1]
        room -= int(channels[i][counts[i]])
        if room < 0:
            return counts
        counts[i] += 1


def out_of_reach(tensors, limits):
    """Return whether a total is beyond what limits and protection allow."""
    numel, before = tensors.numel, tensors.before
    target = total_of(tensors, limits)
    most = np.floor(limits.max_sparsity * numel)
    low = np.maximum(np.minimum(np.ceil(limits.min_sparsity * numel), most), before)
    high = np.minimum(np.maximum(most, before), before + tensors.free)
    return not low.sum() <= target <= high.sum()


@pytest.mark.parametrize("start", range(0, 1000, 500))
def test_channels_go_as_if_one_by_one(start):
    done = refused = 0
    for seed in range(start, start + 500):
        channels, tensors, left, limits, amount = drawn_channels(seed)
        running = Running([np.concatenate(([0], np.cumsum(c))).astype(np.int64) for c in channels])
        wanted = expected(channels, tensors, left, limits, amount)
        found = None
        with contextlib.suppress(ParameterError):
            found = channel_counts_to_prune(limits, tensors, left, running, amount).tolist()
        if found is None and limits.target_sparsity is not None and out_of_reach(tensors, limits):
            wanted = None
        assert found == wanted, seed
        done += found is not None
        refused += found is None
    assert min(done, refused) > 50


# Totals within bounds, compared with a threshold moved weight by weight, on counts only


def drawn_bounds(seed):
    """Draw tensors of few weights with few magnitudes, bounds, and a reachable target."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 6))
    numel = rng.integers(0, 13, count)
    before = rng.integers(0, numel + 1)
    free = rng.integers(0, numel - before + 1)
    low = before + rng.integers(0, free + 1) * rng.integers(0, 2, count)
    high = rng.integers(low, before + free + 1)
    tensors = Tensors([str(i) for i in range(count)], numel, before, free)
    weights = [
        (int(size), i)
        for i, some in enumerate(free)
        for size in rng.integers(0, 6, some) + 5 * int(rng.integers(0, 2))
    ]
    return (
        tensors,
        Bounds(low, high, low, high),
        int(rng.integers(low.sum(), high.sum() + 1)),
        weights,
    )


@pytest.mark.parametrize("start", range(0, 500, 250))
def test_one_threshold_clamped_in_each_makes_the_target(start):
    for seed in range(start, start + 250):
        tensors, bounds, target, weights = drawn_bounds(seed)

        def cut(among, count, weights=weights, size=tensors.numel.size):
            first = sorted(w for w in weights if among[w[1]])[:count]
            assert len(first) == count
            return np.bincount([i for _, i in first], minlength=size)

        counts = tensors.before.copy()
        moved = iter(sorted(weights))
        while np.clip(counts, bounds.low, bounds.high).sum() < target:
            counts[next(moved)[1]] += 1

        after, together = fit_common_threshold(tensors, bounds, target, cut)

        np.testing.assert_array_equal(after, np.clip(counts, bounds.low, bounds.high), f"{seed}")
        held = ~together
        assert ((after == bounds.low) | (after == bounds.high))[held].all()


@pytest.mark.parametrize("start", range(0, 500, 250))
def test_one_share_clamped_in_each_makes_the_target(start):
    """No other fraction is closer; for equal halves, earlier tensors have one more."""
    for seed in range(start, start + 250):
        tensors, bounds, target, _ = drawn_bounds(seed)
        # A tensor's count increases at the fraction where it is rounded up.
        due = sorted(
            ((k + 0.5) / n, i)
            for i, n in enumerate(tensors.numel.tolist())
            for k in range(n)
            if bounds.low[i] <= k < bounds.high[i]
        )
        expected = bounds.low.copy()
        for _, i in due[: target - int(bounds.low.sum())]:
            expected[i] += 1
        np.testing.assert_array_equal(split_evenly(tensors, bounds, target), expected, f"{seed}")
