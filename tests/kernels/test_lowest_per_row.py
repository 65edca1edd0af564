"""The lowest of every row, also if they are first ranked by rounded scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.kernels import lowest_in_groups
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.lowest_in_groups import CutRows, lowest_per_row
from pruneapp.kernels.sort_keys import Magnitudes, Scores
from pruneapp.kernels.threshold import read_keys
from pruneapp.kernels.values import decode, encode
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from tests.support.tensors import reading

# Factors that float32 cannot represent or distinguish.
NEXT = float(np.nextafter(1.0, 2.0))
FACTORS = [1.0, NEXT, 1 + 2**-24, 1 + 2**-20, 0.1, 3.7, 2.0**-100, 2.0**100, 0.0]
VALUES = [1.0, -1.0, 1 + 2**-23, 0.3, 1e-20, 1e-40, 3e38, 0.0, -0.0, np.inf, np.nan]


def scores(bits, dtype, factors, kept, *, rough=True):
    """Rank the elements of a matrix by their magnitudes times a factor for each column."""

    def scoring(start, values, out):
        columns = np.arange(start, start + values.size) % factors.size
        with np.errstate(all="ignore"):
            np.multiply(values, factors[columns].astype(values.dtype), out=out)

    return Scores(reading(bits.reshape(-1)), bits.size, DTYPES[dtype], kept, scoring, rough)


def expected(ranking, length, counts):
    """Return the mask from a stable sort of every row by exact keys; pruned elements come last."""
    keys = read_keys(ranking, (0, ranking.size))
    stays = np.ones(keys.size, bool) if ranking.kept is None else ranking.kept.bools().copy()
    for row, count in enumerate(counts):
        places = np.flatnonzero(stays[row * length : (row + 1) * length]) + row * length
        stays[places[np.argsort(keys[places], kind="stable")[:count]]] = False
    return BitMask.from_bools(stays)


@given(st.data(), st.sampled_from(["F32", "BF16", "F16"]), st.integers(1, 9))
def test_rounded_scores_settle_what_they_can_and_no_more(data, dtype, rows):
    """Near the threshold, for ties, and beyond the range of float32 the exact scores decide."""
    length = data.draw(st.sampled_from([1, 3, 8, 64]))
    draw = np.random.default_rng(data.draw(st.integers(0, 1 << 20)))
    few = draw.choice(VALUES, data.draw(st.integers(1, len(VALUES))), replace=False)
    plain = draw.standard_normal((rows, length))
    odd = draw.random((rows, length)) < data.draw(st.sampled_from([0.0, 0.1, 1.0]))
    with np.errstate(all="ignore"):
        bits = encode(np.where(odd, draw.choice(few, (rows, length)), plain), DTYPES[dtype])
    factors = draw.choice(FACTORS, length) if data.draw(st.booleans()) else draw.random(length)
    kept = BitMask.from_bools(draw.random(bits.size) < 0.7) if data.draw(st.booleans()) else None
    left = np.full(rows, length) if kept is None else kept.bools().reshape(rows, -1).sum(axis=1)
    counts = (left * (draw.random(rows) if data.draw(st.booleans()) else 0.5)).astype(np.int64)
    rough = scores(bits, dtype, factors, kept)
    ranked = (
        replace(rough, rough=False),
        rough,
        Magnitudes(rough.read, rough.size, rough.dtype, kept),
    )
    cuts = [CutRows(ranking, length, counts) for ranking in ranked]
    exact, found, plain_mask = (left.mask for left in lowest_per_row(cuts, CpuKernel(), Job()))
    assert exact == found == expected(rough, length, counts)
    assert plain_mask == expected(ranked[2], length, counts)


@pytest.mark.parametrize(("ties", "asked"), [(False, 0), (True, 16)])
def test_exact_scores_are_computed_only_where_they_are_needed(monkeypatch, ties, asked):
    """For ordinary weights hardly anywhere; if every row has ties at its threshold, everywhere."""
    rows, length, seen = 16, 256, []
    exact = lowest_in_groups._exact_keys

    def counting(ranking, start, length, some, kept):
        seen.append(some.stop - some.start)
        return exact(ranking, start, length, some, kept)

    monkeypatch.setattr(lowest_in_groups, "_exact_keys", counting)
    values = np.random.default_rng(0).standard_normal((rows, length)).astype(np.float32)
    values = np.sign(values) if ties else values
    ranking = scores(encode(values, DTYPES["F32"]), "F32", np.full(length, 0.7), None)
    counts = np.full(rows, length // 2)
    ((found, _),) = lowest_per_row([CutRows(ranking, length, counts)], CpuKernel(), Job())
    assert found == expected(ranking, length, counts)
    assert sum(seen) == asked


@pytest.mark.parametrize("threads", [1, 3])
def test_matrices_of_all_sizes_are_cut_in_one_go(monkeypatch, threads):
    """Also empty ones, those that begin inside a byte, and rows that exceed the limit."""
    monkeypatch.setattr(lowest_in_groups, "_PIECE", 100)
    draw, cuts = np.random.default_rng(0), []
    for rows, length in [(7, 13), (0, 5), (3, 0), (5, 99), (2, 101), (40, 3), (1, 1000)]:
        bits = encode(draw.standard_normal((rows, length)), DTYPES["F32"])
        ranking = scores(bits, "F32", draw.random(max(length, 1)), None)
        cuts.append(CutRows(ranking, length, np.full(rows, length // 2)))
    found = lowest_per_row(cuts, CpuKernel(threads=threads, stretch=64), Job(), threads)
    for cut, (mask, _) in zip(cuts, found, strict=True):
        assert mask == expected(cut.ranking, cut.length, cut.counts)


@pytest.mark.parametrize("dtype", ["F32", "BF16", "F16"])
@pytest.mark.parametrize("pruned", [False, True])
def test_what_stays_is_added_up_along_the_way(monkeypatch, dtype, pruned):
    """Over several pieces, also with exact scores; only if requested, and for this ranking only."""
    monkeypatch.setattr(lowest_in_groups, "_PIECE", 5 * 1000)
    monkeypatch.setattr(lowest_in_groups, "_IN_CACHE", 2 * 1000)
    draw, rows, length = np.random.default_rng(5), 23, 1000
    values = draw.standard_normal((rows, length)) * draw.choice([0.1, 1, 10], (rows, length))
    values[3] = np.sign(values[3])
    bits = encode(values, DTYPES[dtype])
    kept = BitMask.from_bools(draw.random(bits.size) < 0.8) if pruned else None
    ranking = scores(bits, dtype, draw.random(length) + 0.5, kept)
    counts = np.full(rows, 300)
    asked = CutRows(ranking, length, counts, summed=True)
    exact = CutRows(replace(ranking, rough=False), length, counts, summed=True)
    unasked = CutRows(ranking, length, counts)
    found = list(lowest_per_row([asked, exact, unasked], CpuKernel(), Job()))
    assert [left.mask for left in found] == 3 * [expected(ranking, length, counts)]
    left = np.abs(decode(bits.reshape(-1), DTYPES[dtype]).astype(float))[found[0].mask.bools()]
    assert found[0].sums == pytest.approx((np.square(left).sum(), left.sum()), rel=1e-6)
    assert [each.sums for each in found[1:]] == [None, None]


def test_no_mask_keeps_the_memory_of_another_alive():
    """The history frees masks one by one, so each needs separate memory."""
    draw, cuts = np.random.default_rng(0), []
    for rows in (8, 9, 8, 90, 8):
        bits = encode(draw.standard_normal((rows, 60)), DTYPES["F32"])
        ranking = scores(bits, "F32", draw.random(60), None)
        cuts.append(CutRows(ranking, 60, np.full(rows, 30)))
    for cut, (mask, _) in zip(cuts, lowest_per_row(cuts, CpuKernel(), Job()), strict=True):
        assert mask == expected(*cut[:3])
        assert mask.packed.flags.owndata
        assert mask.packed.nbytes == -(-cut.ranking.size // 8)
