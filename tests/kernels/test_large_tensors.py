"""Positions beyond 32 bits in a tensor are handled like those at its beginning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from pruneapp.kernels.cpu import PLACES, sample_places
from pruneapp.kernels.kernel import KeyChunk, KeyRange, Threshold
from pruneapp.kernels.mask_packing import compare_stretch, pack_stretch
from pruneapp.kernels.threads import TensorRange, stretches
from pruneapp.kernels.threshold import Bracket, count_inside, count_share
from pruneapp.progress import CancelToken

KEYS = np.random.default_rng(0).integers(0, 1000, 100_000).astype(np.uint16)
FAR = [1 << 31, 1 << 32, (1 << 36) - KEYS.size // 8 * 8]


@dataclass
class Repeated:
    """A tensor that has the same keys at 0 and at a large offset."""

    at: int
    width: int = 16
    kept: None = None

    @property
    def size(self) -> int:
        return self.at + KEYS.size

    def keys(self, start=0, stop=None):
        for first in range(start, stop, 30_000):
            last = min(first + 30_000, stop)
            yield KeyChunk(first, KEYS[first - self.at : last - self.at])


@pytest.mark.parametrize("at", FAR)
def test_what_is_found_is_the_same(at):
    token, near = CancelToken(), KeyRange(400, 500, 10_000)
    here, there = (TensorRange(0, start, start + KEYS.size) for start in (0, at))
    a, b = Repeated(0), Repeated(at)
    first, second = compare_stretch(a, here, near, token), compare_stretch(b, there, near, token)
    assert first.below == second.below
    for x, y in ((first.stays, second.stays), *zip(first.places, second.places, strict=True)):
        np.testing.assert_array_equal(x, y)
    packed, other = (
        pack_stretch(r, s, Threshold(450, 7), token) for r, s in ((a, here), (b, there))
    )
    np.testing.assert_array_equal(packed.stays, other.stays)
    assert (packed.count, other.stop) == (other.count, at + KEYS.size)
    assert count_share(a, here, 450, token) == count_share(b, there, 450, token)
    counts = [
        count_inside(r, s, Bracket.of(300, 600), token, collect_keys=False)
        for r, s in ((a, here), (b, there))
    ]
    assert counts[0][0] == counts[1][0]
    np.testing.assert_array_equal(counts[0][1].counts(), counts[1][1].counts())


def test_the_places_of_a_sample_lie_all_over_tensors_of_any_size():
    sizes = [5, 1 << 36, (1 << 33) + 1]
    places = list(sample_places(sizes))
    assert len(places) == PLACES
    assert all(0 <= p.start < p.stop <= sizes[p.index] for p in places)
    inside = [p.start for p in places if p.index == 1]
    assert max(np.diff(inside)) < 3 * (sum(sizes) / PLACES)
    assert sum(p.index == 2 for p in places) == pytest.approx(PLACES / 9, rel=0.05)


def test_tensors_of_any_size_are_cut_without_gaps():
    size = (1 << 36) + 3
    (last,) = next(reversed([*stretches([size], 1 << 30)]))
    assert (last.start, last.stop) == (1 << 36, size)
