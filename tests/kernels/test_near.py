"""Pruning where somebody says about where the cut is."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.kernel import KeyRange
from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from tests.kernels.contract import expected_masks
from tests.strategies import float_types, kept_bools, raw_bits
from tests.tensors import magnitudes, reading

SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@SHARED
@given(
    data=st.data(), dtype=float_types, sizes=st.lists(st.integers(0, 60), min_size=1, max_size=3)
)
def test_the_cut_is_found_where_it_is_said_to_be_or_not_at_all(small, data, dtype, sizes):
    bits = [data.draw(raw_bits(dtype, size)) for size in sizes]
    kept = [data.draw(kept_bools(size)) for size in sizes]
    left = sum(s if k is None else int(k.sum()) for s, k in zip(sizes, kept, strict=True))
    if not left:
        return
    count = data.draw(st.integers(1, left))
    masks = [None if k is None else BitMask.from_bools(k) for k in kept]
    rankings = [
        Magnitudes(reading(b, 7), b.size, dtype, m) for b, m in zip(bits, masks, strict=True)
    ]
    keys = np.concatenate([c.keys.copy() for r in rankings for c in r.keys()])  # noqa: SIM118 - no dict
    there = np.concatenate(
        [np.ones(s, bool) if k is None else k for s, k in zip(sizes, kept, strict=True)]
    )
    ends = [int(data.draw(st.sampled_from(keys.tolist()))) for _ in range(2)]
    low, high = min(ends), max(ends)
    inside = (keys >= low) & (keys <= high) & there
    job = Job()

    cut = CpuKernel().prune_near(rankings, count, KeyRange(low, high, int(inside.sum())), job)

    below = int(np.count_nonzero((keys < low) & there))
    if not below < count <= below + int(inside.sum()):
        assert cut is None
        return
    assert cut is not None
    scores = [magnitudes(b, dtype) for b in bits]
    expected = expected_masks(scores, kept, count)[: len(sizes)]
    assert cut.masks == expected
    went = there & ~np.concatenate([mask.bools() for mask in expected])
    near = np.split(went & inside, np.cumsum(sizes)[:-1])
    own = np.split(keys, np.cumsum(sizes)[:-1])
    for taken, where, all_keys in zip(cut.taken, near, own, strict=True):
        assert taken.tolist() == all_keys[where].tolist()
