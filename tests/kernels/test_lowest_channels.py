"""The lowest channels are exact although most norms are approximate."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.kernels import lowest_channels
from pruneapp.kernels.kernel import Slices
from pruneapp.kernels.lowest_channels import smallest
from pruneapp.kernels.norms import channel_norms
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.strategies import float_types, kept_bools, shapes
from tests.support.tensors import reading

SHAPES = [(300,), (40, 70), (70, 40), (2000, 6), (6, 2000), (9, 30, 3, 3), (40, 7, 5), (5, 1, 600)]
# Lengths of float32 sums, and sizes of pieces.
CUTS = [
    {},
    {"RUN": 4, "ROWS": 2, "PIECE": 64},
    {"RUN": 7, "ROWS": 3, "PIECE": 1000},
    {"RUN": 64, "ROWS": 1000, "PIECE": 1 << 20},
]


def slices_of(
    bits: np.ndarray, dtype: DType, shape: tuple[int, ...], dim: int, kept: np.ndarray | None = None
) -> Slices:
    mask = None if kept is None else BitMask.from_bools(kept)
    return Slices(shape, dtype, dim, mask, reading(bits, 1009))


def of_values(values: np.ndarray, dim: int, kept: np.ndarray | None = None) -> Slices:
    dtype = DTYPES[f"F{8 * values.itemsize}"]
    return slices_of(values.reshape(-1).view(dtype.storage), dtype, values.shape, dim, kept)


def by_norms(slices: Slices, n, among: np.ndarray, count: int) -> list[int]:
    norms = channel_norms(slices, n, Job())[among]
    return sorted(among[np.argsort(norms, kind="stable")[:count]].tolist())


@dataclass
class Looked:
    """Records the norms that are computed exactly: the shapes of the tensors."""

    shapes: list[tuple[int, ...]] = field(default_factory=list)


def by_rough_sums(slices, n, among, count, threads=1, **constants) -> tuple[list[int], Looked]:
    """Find the lowest channels, even for a tensor too small for approximate sums."""
    looked = Looked()

    def norms(slices: Slices, *arguments) -> np.ndarray:
        looked.shapes.append(slices.shape)
        return channel_norms(slices, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        _anything_is_worth_it(patch)
        patch.setattr(lowest_channels, "channel_norms", norms)
        for name, value in constants.items():
            patch.setattr(lowest_channels, name, value)
        found = lowest_channels.lowest_channels(slices, n, among, count, Job(), threads=threads)
    return found.tolist(), looked


def _anything_is_worth_it(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(lowest_channels, "WORTH_A_LOOK", 0)
    for name in ("LEAST_ROW", "LEAST_CHANNELS", "LEAST_TERMS"):
        patch.setattr(lowest_channels, name, 0)


def counts(all_of_them: int) -> list[int]:
    return sorted({0, 1, all_of_them // 2, all_of_them - 1, all_of_them})


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("n", [1, 2, "fro", 3, 0, math.inf], ids=str)
def test_they_are_those_of_the_norms(shape, n):
    rng = np.random.default_rng(3)
    values = rng.standard_normal(shape, np.float32)
    for dim, size in enumerate(shape):
        slices = of_values(values, dim)
        among = np.arange(size)
        for count in counts(size):
            expected = by_norms(slices, n, among, count)
            for cut in CUTS:
                threads = 1 + 2 * (count % 2)
                found, _ = by_rough_sums(slices, n, among, count, threads, **cut)
                assert found == expected, (dim, count, cut, threads)


@pytest.mark.parametrize("n", [1, 2], ids=str)
@pytest.mark.parametrize("shape", [(4000, 64), (64, 4000), (700, 3, 5, 5), (700, 90)], ids=str)
def test_hardly_any_norm_is_made(shape, n):
    """Otherwise the approximate sums would be useless."""
    values = np.random.default_rng(4).standard_normal(shape, np.float32)
    for dim in (0, 1):
        slices = of_values(values, dim)
        _, looked = by_rough_sums(slices, n, np.arange(shape[dim]), shape[dim] // 2, PIECE=1 << 12)
        assert sum(made[0] for made in looked.shapes) < 0.02 * shape[dim] + 3, (dim, looked)


@pytest.mark.parametrize("dim", [0, 1])
def test_what_float32_loses_is_not_lost(dim):
    """Small terms are lost next to a large one in float32, but decide the order."""
    large = np.zeros((40, 1000), np.float32)
    large[:, 0] = 1
    large[::2, 1:] = 2.0**-13  # squares of 2**-26
    large[1::2, 1] = 2.0**-9  # less than the sum of the others
    values = large if dim == 0 else np.ascontiguousarray(large.T)
    slices = of_values(values, dim)
    expected = by_norms(slices, 2, np.arange(40), 20)
    assert expected == list(range(1, 40, 2))
    for cut in CUTS:
        assert by_rough_sums(slices, 2, np.arange(40), 20, **cut)[0] == expected


@pytest.mark.parametrize(
    ("name", "scale"), [("denormal", 1e-42), ("underflow", 1e-30), ("overflow", 1e30)]
)
@pytest.mark.parametrize("dim", [0, 1])
def test_squares_beyond_float32(name, scale, dim):
    values = np.random.default_rng(5).uniform(0.5, 1, (60, 50)).astype(np.float32)
    values *= np.float32(scale)
    values[7, 9] = 1  # one large term among those that are lost
    slices = of_values(values, dim)
    for n in (1, 2):
        for count in counts(values.shape[dim]):
            expected = by_norms(slices, n, np.arange(values.shape[dim]), count)
            for cut in CUTS:
                found, _ = by_rough_sums(slices, n, np.arange(values.shape[dim]), count, **cut)
                assert found == expected, (n, count, cut)


def test_what_a_single_run_loses_is_not_lost():
    """Every eighth term goes to one lane; small ones are below half an ulp of the large one."""
    values = np.zeros((40, 128), np.float32)
    values[:, 0] = 1
    values[::2, 8::8] = (0.87 * 2.0**-24) ** 0.5  # 13 halves of an ulp in all
    values[1::2, 8] = (10 * 2.0**-24) ** 0.5
    assert_half_of_them(values)


def test_squares_that_float32_rounds_to_its_smallest_number():
    least = 2.0**-149
    values = np.zeros((40, 16), np.float32)
    values[::2, :10] = (1.45 * least) ** 0.5  # 14.5 in all, 10 as float32
    values[1::2, :12] = least**0.5
    assert_half_of_them(values)


def test_sums_that_overflow_in_one_run_and_not_in_several():
    values = np.zeros((40, 16), np.float32)
    values[::2, 1:3] = 1.8e38**0.5  # 3.6e38, infinity as float32
    values[1::2, ::4] = 3e38**0.5  # 1.2e39, which is never added as float32
    assert_half_of_them(values, RUN=4, PIECE=64)
    assert_half_of_them(values, RUN=4, PIECE=64, MOST_CHANNELS=0)


def assert_half_of_them(values: np.ndarray, **cut) -> None:
    slices = of_values(values, 0)
    expected = by_norms(slices, 2, np.arange(40), 20)
    assert expected != by_norms(slices, 2, np.arange(40), 19)
    assert by_rough_sums(slices, 2, np.arange(40), 20, **cut)[0] == expected


@pytest.mark.parametrize("dim", [0, 1])
def test_equal_norms_nan_and_infinities(dim):
    values = np.ones((90, 80), np.float32)
    values[3, 5], values[30, 50], values[31, 51], values[70, 10] = np.nan, np.inf, -np.inf, 2
    slices = of_values(values, dim)
    size = values.shape[dim]
    for n in (1, 2):
        for count in range(0, size + 1, 5):
            found, _ = by_rough_sums(slices, n, np.arange(size), count)
            assert found == by_norms(slices, n, np.arange(size), count), (n, count)


def test_too_many_that_are_not_settled_have_all_norms_made():
    slices = of_values(np.ones((90, 80), np.float32), 0)
    for constants in ({"MOST_CHANNELS": 89}, {"MOST_ELEMENTS": 7199}):
        found, looked = by_rough_sums(slices, 2, np.arange(90), 30, **constants)
        assert found == list(range(30))
        assert looked.shapes == [(90, 80)]


@pytest.mark.parametrize("dim", [0, 1])
def test_what_is_looked_at_again_is_no_more_than_it_was(dim):
    """Only the boxes with unsettled channels are read again, and none twice."""
    values = np.random.default_rng(8).uniform(1, 2, (400, 300)).astype(np.float32)
    values[:40] = 0
    values = values if dim == 0 else np.ascontiguousarray(values.T)
    slices = of_values(values, dim)
    read: list[tuple[int, int]] = []

    def noting(start: int = 0, stop: int | None = None):
        assert stop is not None
        read.append((start, stop))
        return slices.read(start, stop)

    noted = Slices(slices.shape, slices.dtype, dim, None, noting)
    found, _ = by_rough_sums(noted, 2, np.arange(400), 20, PIECE=3000)
    assert found == list(range(20))
    again = sum(stop - start for start, stop in read) - values.size
    assert again == (40 * 300 if dim == 0 else values.size)


def test_none_or_all_of_them_need_no_look():
    def never(start: int = 0, stop: int | None = None):
        raise AssertionError

    slices = Slices((9, 5), DTYPES["F32"], 0, None, never)
    among = np.array([1, 3, 8])
    assert lowest_channels.lowest_channels(slices, 2, among, 0, Job()).tolist() == []
    assert lowest_channels.lowest_channels(slices, 2, among, 3, Job()).tolist() == [1, 3, 8]


@given(st.data())
def test_every_type_shape_and_mask(data):
    dtype = data.draw(float_types)
    shape = data.draw(shapes())
    dim = data.draw(st.integers(0, len(shape) - 1))
    size = math.prod(shape)
    seed = data.draw(st.integers(0, 1000))
    rng = np.random.default_rng(seed)
    # All bit patterns, or repetitions of a few.
    patterns = rng.integers(0, 1 << dtype.bits, size, np.uint64)
    if data.draw(st.booleans()) and size:
        patterns = rng.choice(patterns[:3], size)
    kept = data.draw(kept_bools(size))
    slices = slices_of(patterns.astype(dtype.storage), dtype, shape, dim, kept)
    among = np.flatnonzero(rng.random(shape[dim]) < 0.8)
    n = data.draw(st.sampled_from([1, 2, "fro"]))
    count = data.draw(st.integers(0, among.size))
    cut = data.draw(st.sampled_from(CUTS))
    found, _ = by_rough_sums(slices, n, among, count, **cut)
    assert found == by_norms(slices, n, among, count)


class Stop:
    """Cancels a job after some reports."""

    def __init__(self, after: int) -> None:
        self.token = CancelToken()
        self._left = after

    def report(self, _done: int, _total: int, _label: str) -> None:
        if not self._left:
            self.token.cancel()
        self._left -= 1


@pytest.mark.parametrize("dim", [0, 1])
def test_every_element_is_stepped_and_every_piece_can_be_the_last(dim):
    """The second pass extends the job by its own work."""
    values = np.random.default_rng(6).standard_normal((64, 4096), np.float32)
    reports: list[tuple[int, int]] = []

    class Watch:
        def report(self, done: int, total: int, _label: str) -> None:
            reports.append((done, total))

    with pytest.MonkeyPatch.context() as patch:
        _anything_is_worth_it(patch)
        patch.setattr(lowest_channels, "PIECE", 1 << 14)
        job = Job(Watch())
        job.start(values.size)
        among = np.arange(values.shape[dim])
        lowest_channels.lowest_channels(of_values(values, dim), 2, among, among.size // 2, job)
        assert reports[-1][0] == reports[-1][1]
        assert len(reports) > 10

        for stop_at in (0, 3, 9):
            stop = Stop(stop_at)
            with pytest.raises(Cancelled):
                lowest_channels.lowest_channels(
                    of_values(values, dim), 2, among, among.size // 2, Job(stop, stop.token)
                )


# The smallest of many scores are those that a stable sort puts first


@given(
    st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, np.inf, np.nan, 5e-324])),
    st.floats(0, 1),
    st.sampled_from([0, 1 << 14]),
)
def test_they_are_the_first_of_a_stable_sort(values, share, few):
    scores = np.array(values, np.float64)
    count = round(share * scores.size)
    before, lowest_channels._FEW = lowest_channels._FEW, few
    try:
        found = smallest(scores, count)
    finally:
        lowest_channels._FEW = before
    assert found.tolist() == sorted(np.argsort(scores, kind="stable")[:count].tolist())
