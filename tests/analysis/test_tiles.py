"""Pictures: exact at pool 1, correct means and fractions when coarser, never the whole tensor."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis import tiles
from pruneapp.analysis.layout import column_offsets, layout, row_offsets, scale
from pruneapp.analysis.tiles import TileRequest, tile
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import CheckpointError
from pruneapp.kernels.threads import map_in_order
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.memory_checkpoint import MemoryCheckpoint

SHAPES = [
    (),
    (1,),
    (12,),
    (13,),
    (5, 7),
    (1, 9),
    (9, 1),
    (4, 3, 5),
    (4, 3, 3, 2),
    (3, 2, 2, 3, 2),
    (2, 3, 2, 2, 2, 3),
    (2, 1, 2, 3, 1, 2, 2),
]
WHOLE = 1 << 40


def picture_of(array: np.ndarray) -> np.ndarray:
    """Lay out an array by the index of every single element."""
    whole = layout(array.shape)
    picture = np.zeros((whole.rows, whole.columns), array.dtype)
    for index in np.ndindex(*array.shape):
        picture[whole.place(index)] = array[index]
    return picture


def whole_tile(checkpoint: MemoryCheckpoint, name: str = "w", pool: int = 1):
    request = TileRequest(name, 0, 0, WHOLE, WHOLE, pool)
    return tile(Snapshot(checkpoint), request, None, Job())


def pooled(picture: np.ndarray, pool: int) -> np.ndarray:
    rows, columns = picture.shape
    return np.array(
        [
            [picture[r : r + pool, c : c + pool].mean() for c in range(0, columns, pool)]
            for r in range(0, rows, pool)
        ]
    )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_element_has_one_place_and_every_place_one_element(shape):
    whole = layout(shape)
    numel = int(np.prod(shape))
    assert whole.rows * whole.columns == numel
    rows, columns = (
        row_offsets(whole, np.arange(whole.rows)),
        column_offsets(whole, np.arange(whole.columns)),
    )
    assert sorted((rows[:, None] + columns).reshape(-1).tolist()) == list(range(numel))
    for r, c in itertools.product(range(whole.rows), range(whole.columns)):
        index = whole.index(r, c)
        assert whole.place(index) == (r, c)
        assert int(np.ravel_multi_index(index, shape)) == rows[r] + columns[c]


def test_a_convolution_is_laid_out_as_in_the_sketch():
    whole = layout((64, 32, 3, 5), "Conv2d")
    assert (whole.rows, whole.columns) == (192, 160)
    assert whole.row_label == "output channel × kernel row"
    assert whole.column_label == "input channel × kernel column"
    assert whole.note == "Each 3×5 block is one kernel"
    assert whole.index(3 * 12 + 1, 5 * 3 + 2) == (12, 3, 1, 2)


@pytest.mark.parametrize(
    ("size", "rows", "columns"), [(64, 8, 8), (10, 2, 5), (768, 24, 32), (17, 1, 17), (0, 1, 0)]
)
def test_a_vector_is_read_like_lines_of_text(size, rows, columns):
    whole = layout((size,))
    assert (whole.rows, whole.columns) == (rows, columns)
    assert bool(whole.note) == (rows > 1)


@pytest.mark.parametrize("kind", [d for d in DTYPES.values() if d.prunable], ids=lambda d: d.name)
def test_pool_1_shows_the_values_bit_for_bit(kind):
    rng = np.random.default_rng(5)
    numpy_type = getattr(ml_dtypes, kind.numpy, None) or np.dtype(kind.numpy)
    for shape in SHAPES:
        bits = rng.integers(0, 2**kind.bits, shape, dtype=np.uint64).astype(kind.storage)
        array = np.asarray(bits).view(numpy_type)
        with np.errstate(all="ignore"):
            expected = picture_of(array).astype(np.float32)
            got = whole_tile(MemoryCheckpoint({"w": array}))
        assert got.values.dtype == np.float32
        same = got.values.view(np.uint32) == expected.view(np.uint32)
        assert np.all(same | (np.isnan(got.values) & np.isnan(expected))), shape
        assert got.kept.all()
        assert not got.to_be_pruned.any()


@given(data=st.data())
def test_parts_and_pools_equal_a_naive_picture(data):
    shape = data.draw(st.lists(st.integers(1, 9), max_size=5).map(tuple))
    seed = data.draw(st.integers(0, 99))
    rng = np.random.default_rng(seed)
    array = rng.normal(size=shape).astype(np.float32)
    kept, then = rng.random(shape) < 0.6, rng.random(shape) < 0.5
    mask, going = BitMask.from_bools(kept), BitMask.from_bools(then & kept)
    whole = layout(shape)
    row = data.draw(st.integers(0, whole.rows - 1))
    column = data.draw(st.integers(0, whole.columns - 1))
    rows, columns = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 30))
    pool = data.draw(st.sampled_from([1, 2, 4, 8, 64]))
    got = tile(
        Snapshot(MemoryCheckpoint({"w": array}), MaskLayers(MaskSet({"w": mask}))),
        TileRequest("w", row, column, rows, columns, pool),
        going,
        Job(),
    )
    cut = np.s_[row : row + rows, column : column + columns]
    values = picture_of(array)[cut]
    stays = picture_of(kept)[cut].astype(float)
    leaves = picture_of(kept & ~then)[cut].astype(float)
    assert (got.request.rows, got.request.columns) == values.shape
    if pool > 1:
        values, stays, leaves = (pooled(p, pool) for p in (abs(values), stays, leaves))
    np.testing.assert_allclose(got.values, values, rtol=1e-6)
    np.testing.assert_allclose(got.kept, stays, rtol=1e-6)
    np.testing.assert_allclose(got.to_be_pruned, leaves, rtol=1e-6)


@pytest.mark.parametrize("shape", [(600, 3, 7, 11), (3, 200_003), (200_003, 3), (400_000,)])
@pytest.mark.parametrize("pool", [2, 16, 1024, 1 << 21])
def test_large_tensors_are_pooled_over_many_blocks(shape, pool, monkeypatch):
    monkeypatch.setattr("pruneapp.analysis.tiles._BLOCK", 1 << 15)
    array = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    got = tile(
        Snapshot(MemoryCheckpoint({"w": array})),
        TileRequest("w", 0, 0, WHOLE, WHOLE, pool),
        None,
        Job(),
    )
    whole = layout(shape)
    sizes = np.abs(array, dtype=np.float64)
    extents, down, across = whole.grid
    picture = sizes.reshape(extents).transpose(down + across).reshape(whole.rows, whole.columns)
    sums = np.add.reduceat(picture, np.arange(0, whole.rows, pool), axis=0)
    sums = np.add.reduceat(sums, np.arange(0, whole.columns, pool), axis=1)
    ones = np.add.reduceat(np.ones(whole.rows), np.arange(0, whole.rows, pool))[:, None]
    ones = ones * np.add.reduceat(np.ones(whole.columns), np.arange(0, whole.columns, pool))
    np.testing.assert_allclose(got.values, sums / ones, rtol=1e-6)


class Sparse(MemoryCheckpoint):
    """A tensor of any size whose elements are their flat index, without memory."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        scalar = np.broadcast_to(np.float32(0), shape)
        super().__init__({"w": scalar})
        self.largest = 0

    def bits(self, name, start=0, stop=None):
        stop = self.entry(name).numel if stop is None else stop
        self.largest = max(self.largest, stop - start)
        self.elements_read += stop - start
        return np.arange(start, stop, dtype=np.float64).astype(np.float32).view(np.uint32)


@pytest.mark.parametrize(
    "shape",
    [(2, 1 << 30), (1 << 30, 2), (1, 4, 1 << 27, 2), (50_000, 40_000), (8, 8, 2**13, 2**12)],
)
def test_a_small_part_of_a_huge_tensor_reads_little(shape):
    checkpoint = Sparse(shape)
    whole = layout(shape)
    row, column = whole.rows // 2, whole.columns // 2
    got = tile(Snapshot(checkpoint), TileRequest("w", row, column, 64, 64), None, Job())
    assert checkpoint.elements_read < 3_000_000
    r, c = got.values.shape
    flat = [
        np.ravel_multi_index(whole.index(row + i, column + j), shape)
        for i, j in [(0, 0), (r - 1, c - 1)]
    ]
    np.testing.assert_array_equal(got.values[[0, -1], [0, -1]], np.array(flat, np.float32))


def test_a_coarse_picture_of_a_large_tensor_takes_bounded_memory():
    checkpoint = Sparse((1 << 12, 1 << 13))
    tile(Snapshot(checkpoint), TileRequest("w", 0, 0, WHOLE, WHOLE, 64), None, Job())
    assert checkpoint.largest <= 1 << 21
    assert checkpoint.elements_read < 1.1 * (1 << 25)


def test_final_weights_are_black_and_the_scale_stays(model):
    name = "module.fc.weight"
    final = BitMask.from_bools(np.arange(640) % 2 == 0)
    snapshot = Snapshot(model, MaskLayers(permanent=MaskSet({name: final})))
    got = tile(snapshot, TileRequest(name, 0, 0, 10, 64), None, Job())
    assert not got.values[:, 1::2].any()
    assert got.scale == tile(Snapshot(model), TileRequest(name, 0, 0, 9, 9), None, Job()).scale


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.zeros(5, np.float32), 1.0),
        (np.zeros(0, np.float32), 1.0),
        (np.array([np.nan, np.inf, -2.0]), 2.0),
        (np.r_[np.zeros(999), 3.0], 3.0),
        (np.arange(1001.0), 995.0),
        (np.arange(-100_000.0, 0), 99_500.0),
    ],
)
def test_the_scale_is_a_large_magnitude(values, expected):
    large, within = scale(Snapshot(MemoryCheckpoint({"w": values})), "w")
    assert large == pytest.approx(expected, rel=1e-2)
    sizes = np.abs(values[np.isfinite(values)])
    assert within == pytest.approx((sizes <= large).mean() if sizes.size else 1, abs=0.005)
    assert (within == 1) == (not sizes.size or sizes.max() <= large)


def test_whole_numbers_and_complex_ones_can_be_looked_at():
    arrays = {
        "i": np.array([[-3, 200]], np.int64),
        "b": np.array([[True, False]]),
        "c": np.array([[3 + 4j, 1j]], np.complex64),
        "d": np.array([[3 + 4j, 1j]], np.complex128),
    }
    expected = {"i": [-3, 200], "b": [1, 0], "c": [5, 1], "d": [5, 1]}
    for name in arrays:
        got = tile(Snapshot(MemoryCheckpoint(arrays)), TileRequest(name, 0, 0, 9, 9), None, Job())
        assert got.values.tolist() == [expected[name]]


def test_packed_floats_cannot_be_looked_at():
    checkpoint = MemoryCheckpoint({"w": np.zeros((2, 2), np.uint8)}, w={"dtype": DTYPES["F4"]})
    with pytest.raises(CheckpointError, match="packed"):
        tile(Snapshot(checkpoint), TileRequest("w", 0, 0, 2, 2), None, Job())


def test_a_tile_beyond_the_border_is_empty_and_one_too_large_is_refused(model):
    got = tile(Snapshot(model), TileRequest("module.fc.weight", 50, 3, 4, 4), None, Job())
    assert got.values.shape == (0, 4)
    with pytest.raises(ValueError, match="pool 1"):
        whole_tile(Sparse((1 << 14, 1 << 14)))


def test_a_tile_can_be_cancelled(model):
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        tile(Snapshot(model), TileRequest("module.fc.weight", 0, 0, 9, 9), None, Job(cancel=token))


@pytest.mark.parametrize("pool", [1, 4])
def test_a_result_has_pruned_weights_as_zero(pool):
    array = np.random.default_rng(3).normal(size=(16, 24)).astype(np.float32)
    kept = np.random.default_rng(4).random((16, 24)) < 0.5
    final = np.random.default_rng(5).random((16, 24)) < 0.9
    snapshot = Snapshot(
        MemoryCheckpoint({"w": array}),
        MaskLayers(
            MaskSet({"w": BitMask.from_bools(kept)}),
            permanent=MaskSet({"w": BitMask.from_bools(final)}),
        ),
    )
    got = tile(snapshot, TileRequest("w", 0, 0, 16, 24, pool, pruned=True), None, Job())
    expected = np.where(kept & final, array, 0)
    if pool > 1:
        expected = pooled(np.abs(expected), pool)
    np.testing.assert_allclose(got.values, expected, rtol=1e-6)


@pytest.mark.parametrize(("going", "threads"), [(None, 4), (0.5, 3)])
def test_a_tile_that_follows_a_slider_leaves_a_core_to_the_window(going, threads, monkeypatch):
    asked = []

    def noting(blocks, work, job, threads):
        asked.append(threads)
        return map_in_order(blocks, work, job, threads)

    monkeypatch.setattr(tiles, "map_in_order", noting)
    monkeypatch.setattr("pruneapp.kernels.threads.default_threads", lambda: 4)
    monkeypatch.setattr("pruneapp.kernels.threads.WORTH_THREADS", 1)
    array = np.linspace(-1, 1, 24, dtype=np.float32).reshape(4, 6)
    snapshot = Snapshot(MemoryCheckpoint({"w": array}))
    found = tile(snapshot, TileRequest("w", 0, 0, 4, 6, 1), going, Job())
    assert asked == [threads]
    assert np.array_equal(found.to_be_pruned > 0, np.abs(array) <= (going or -1))
