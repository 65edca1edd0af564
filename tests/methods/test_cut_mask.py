"""Masks given by rules have the same bits as stored masks."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.sort_keys import Magnitudes, Uniform, common_width
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods import prune_tensors
from pruneapp.methods.prune_tensors import CutMask
from pruneapp.progress import Job
from tests.support.strategies import float_types, kept_bools, raw_bits
from tests.support.tensors import reading

KERNEL = CpuKernel()


@given(data=st.data(), types=st.lists(float_types, min_size=1, max_size=3))
def test_rules_keep_what_masks_keep(data, types):
    """Over several tensors, pruned before or not: bit for bit, with equal counts."""
    sizes = [data.draw(st.integers(0, 70)) for _ in types]
    bits = [data.draw(raw_bits(d, s)) for d, s in zip(types, sizes, strict=True)]
    kept = [data.draw(kept_bools(s)) for s in sizes]
    left = sum(s if k is None else int(k.sum()) for s, k in zip(sizes, kept, strict=True))
    if not left:
        return
    count = data.draw(st.integers(1, left))
    width = common_width(set(types))
    rankings = [
        Magnitudes(reading(b, 9), b.size, d, k if k is None else BitMask.from_bools(k), width)
        for b, d, k in zip(bits, types, kept, strict=True)
    ]
    threshold, shares = KERNEL.shares(rankings, count, Job())
    held = list(KERNEL.masks(rankings, threshold, Job()))
    start = data.draw(st.integers(0, 70))
    for ranking, share, mask, raw in zip(rankings, shares, held, bits, strict=True):
        for own in (True, False):
            rule = CutMask(ranking, threshold.key, share, by_magnitude=own)
            assert (rule.size, rule.kept, rule.pruned) == (mask.size, mask.kept, mask.pruned)
            assert np.array_equal(rule.bools(), mask.bools())
            part = raw[start:].copy()
            rule.zero(part, min(start, raw.size))
            assert np.array_equal(part, np.where(mask.bools()[start:], raw[start:], 0))


def test_ties_end_in_the_middle_of_a_piece(monkeypatch):
    """The first in order are pruned, at any offset."""
    monkeypatch.setattr(prune_tensors, "PIECE", 16)
    bits = np.full(100, 7, np.uint16)
    ranking = Magnitudes(reading(bits, 24), 100, DTYPES["BF16"])
    threshold, (share,) = KERNEL.shares([ranking], 37, Job())
    rule = CutMask(ranking, threshold.key, share, by_magnitude=True)
    for start in (0, 30, 36, 37, 38, 90):
        part = bits[start:].copy()
        rule.zero(part, start)
        assert np.array_equal(part != 0, np.arange(start, 100) >= 37)
        assert np.array_equal(rule.bools(start, 95), np.arange(start, 95) >= 37)


def test_a_choice_at_random_is_made_again():
    """Its keys are computed from the index, not from the bits."""
    ranking = Uniform(3, "w", 1000)
    threshold, (share,) = KERNEL.shares([ranking], 400, Job())
    (mask,) = KERNEL.masks([ranking], threshold, Job())
    ones = np.ones(600, np.uint32)
    CutMask(ranking, threshold.key, share, by_magnitude=True).zero(ones, 400)
    assert np.array_equal(ones != 0, mask.bools(400, 1000))


def test_scores_decide_in_place_of_the_bits():
    """The zeroed values do not determine the mask."""
    scores = np.arange(50, dtype=np.uint32)[::-1].copy()
    ranking = Magnitudes(reading(scores), 50, DTYPES["F32"])
    threshold, (share,) = KERNEL.shares([ranking], 20, Job())
    bits = np.ones(50, np.uint32)
    CutMask(ranking, threshold.key, share, by_magnitude=False).zero(bits, 0)
    assert np.array_equal(bits != 0, np.arange(50) < 30)
