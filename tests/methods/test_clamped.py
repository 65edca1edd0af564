"""Budgets within bounds: against a threshold that is moved weight by weight, on counts alone."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.methods.limit_bounds import Bounds, Tensors, settle, spread


def drawn(seed):
    """Some tensors of few weights with few magnitudes, bounds, and a target between these."""
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
    return tensors, Bounds(low, high, high), int(rng.integers(low.sum(), high.sum() + 1)), weights


@pytest.mark.parametrize("start", range(0, 1000, 250))
def test_one_threshold_clamped_in_each_makes_the_target(start):
    for seed in range(start, start + 250):
        tensors, bounds, target, weights = drawn(seed)

        def cut(among, count, weights=weights, size=tensors.numel.size):
            first = sorted(w for w in weights if among[w[1]])[:count]
            assert len(first) == count
            return np.bincount([i for _, i in first], minlength=size)

        counts = tensors.before.copy()
        moved = iter(sorted(weights))
        while np.clip(counts, bounds.low, bounds.high).sum() < target:
            counts[next(moved)[1]] += 1

        after, together = settle(tensors, bounds, target, cut)

        np.testing.assert_array_equal(after, np.clip(counts, bounds.low, bounds.high), f"{seed}")
        held = ~together
        assert ((after == bounds.low) | (after == bounds.high))[held].all()


@pytest.mark.parametrize("start", range(0, 1000, 250))
def test_one_share_clamped_in_each_makes_the_target(start):
    """No other share comes nearer; where halves are equal, earlier tensors have one more."""
    for seed in range(start, start + 250):
        tensors, bounds, target, _ = drawn(seed)
        # One more of a tensor is due at the share at which its count is rounded up.
        due = sorted(
            ((k + 0.5) / n, i)
            for i, n in enumerate(tensors.numel.tolist())
            for k in range(n)
            if bounds.low[i] <= k < bounds.high[i]
        )
        expected = bounds.low.copy()
        for _, i in due[: target - int(bounds.low.sum())]:
            expected[i] += 1
        np.testing.assert_array_equal(spread(tensors, bounds, target), expected, f"{seed}")
