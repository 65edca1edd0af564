"""Whole channels within limits: against taking channel by channel, on counts alone."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from pruneapp.errors import ParameterError
from pruneapp.methods.limit_bounds import Running, Tensors, channels_after
from pruneapp.methods.limits import Limits

SHARES = (0.0, 0.2, 0.5, 0.75, 1.0)


def drawn(seed):
    """Some tensors whose channels have a few weights each, limits, and an amount."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 5))
    channels = [rng.integers(1, 5, rng.integers(0, 6)) for _ in range(count)]
    before = rng.integers(0, 6, count)
    guarded = rng.integers(0, 2, count) * rng.integers(0, 3, count)  # channels that stay
    free = np.array([c.sum() for c in channels])
    tensors = Tensors([str(i) for i in range(count)], before + free + guarded, before, free)
    left = np.array([c.size for c in channels]) + guarded
    floor, ceiling = sorted(rng.choice(SHARES, 2).tolist())
    total = [None, float(rng.choice(SHARES)), int(rng.integers(0, 30))][rng.integers(0, 3)]
    amount = [float(rng.choice(SHARES)), int(rng.integers(0, 4))][rng.integers(0, 2)]
    return channels, tensors, left, Limits(floor, ceiling, total), amount


def least_and_most(channels, tensors, limits):
    """Return with how many channels each tensor is within floor and ceiling; None if with none."""
    found = []
    for some, size, before in zip(channels, tensors.numel, tensors.before, strict=True):
        after = before + np.concatenate(([0], np.cumsum(some)))
        most = np.floor(limits.ceiling * size)
        least = min(np.ceil(limits.floor * size), most)  # of the two the ceiling holds
        fits = np.flatnonzero((after >= least) & (after <= max(most, before)))
        if not fits.size:
            return None
        found.append((int(fits[0]), int(fits[-1])))
    return found


def expected(channels, tensors, left, limits, amount):
    """Return how many channels go of each, found one by one; None if it is refused."""
    bounds = least_and_most(channels, tensors, limits)
    if bounds is None:
        return None
    if limits.total is None:
        wanted = [round(amount * n) if isinstance(amount, float) else amount for n in left.tolist()]
        if any(w > n for w, n in zip(wanted, left.tolist(), strict=True)):
            return None
        if limits.ceiling < 1:
            wanted = [min(w, most) for w, (_, most) in zip(wanted, bounds, strict=True)]
        if any(w > c.size for w, c in zip(wanted, channels, strict=True)):
            return None
        return [max(w, least) for w, (least, _) in zip(wanted, bounds, strict=True)]
    total = limits.total
    room = round(total * int(tensors.numel.sum())) if isinstance(total, float) else total
    counts = [least for least, _ in bounds]
    room -= int(tensors.before.sum()) + sum(
        int(c[:n].sum()) for c, n in zip(channels, counts, strict=True)
    )
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
    """Say whether a total lies beyond what floors, ceilings and protection leave room for."""
    numel, before = tensors.numel, tensors.before
    target = round(limits.total * int(numel.sum()))
    if not isinstance(limits.total, float):
        target = limits.total
    most = np.floor(limits.ceiling * numel)
    low = np.maximum(np.minimum(np.ceil(limits.floor * numel), most), before)
    high = np.minimum(np.maximum(most, before), before + tensors.free)
    return not low.sum() <= target <= high.sum()


@pytest.mark.parametrize("start", range(0, 2000, 500))
def test_channels_go_as_if_one_by_one(start):
    done = refused = 0
    for seed in range(start, start + 500):
        channels, tensors, left, limits, amount = drawn(seed)
        running = Running([np.concatenate(([0], np.cumsum(c))).astype(np.int64) for c in channels])
        wanted = expected(channels, tensors, left, limits, amount)
        found = None
        with contextlib.suppress(ParameterError):
            found = channels_after(limits, tensors, left, running, amount).tolist()
        if found is None and limits.total is not None and out_of_reach(tensors, limits):
            wanted = None
        assert found == wanted, seed
        done += found is not None
        refused += found is None
    assert min(done, refused) > 50
