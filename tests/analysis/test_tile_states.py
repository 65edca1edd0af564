"""Pictures of protected weights and of two states, and the first sample of a large tensor."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis.layout import layout
from pruneapp.analysis.tiles import TileRequest, difference_tile, tile
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.repaired_values import as_values
from pruneapp.errors import UnknownTensorError
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.memory_checkpoint import MemoryCheckpoint

WHOLE = 1 << 40
# Numbers of columns that are multiples of 8 (whole mask bytes), and others.
SHAPES = [(40, 64), (37, 50), (128, 16), (6, 4, 3, 3), (16, 8, 2, 2), (96,), (5, 256), (300, 8)]


def picture_of(array: np.ndarray, **more) -> np.ndarray:
    whole = layout(array.shape, **more)
    picture = np.zeros((whole.rows, whole.columns), array.dtype)
    for place in np.ndindex(whole.rows, whole.columns):
        picture[place] = array[whole.index(*place)]
    return picture


def pooled(picture: np.ndarray, pool: int) -> np.ndarray:
    rows, columns = picture.shape
    sums = np.add.reduceat(picture.astype(np.float64), np.arange(0, rows, pool), axis=0)
    sums = np.add.reduceat(sums, np.arange(0, columns, pool), axis=1)
    ones = np.add.reduceat(np.ones(rows), np.arange(0, rows, pool))[:, None]
    return sums / (ones * np.add.reduceat(np.ones(columns), np.arange(0, columns, pool)))


def mask_set(bools) -> MaskSet:
    return MaskSet({} if bools is None else {"w": BitMask.from_bools(bools)})


@st.composite
def parts(draw):
    """Draw a shape, a request for a part of its picture, and a random generator."""
    shape = draw(st.sampled_from(SHAPES))
    axes = fixed = None
    if len(shape) > 2 and draw(st.booleans()):
        axes = tuple(draw(st.permutations(range(len(shape))))[:2])
        fixed = tuple(draw(st.integers(0, n - 1)) for n in shape)
    whole = layout(shape, axes=axes, fixed=fixed or ())
    row, column = draw(st.sampled_from([0, 8, 3])), draw(st.sampled_from([0, 8, 3]))
    row, column = min(row, whole.rows - 1), min(column, whole.columns - 1)
    rows, columns = draw(st.sampled_from([WHOLE, 24, 5])), draw(st.sampled_from([WHOLE, 24, 5]))
    pool = draw(st.sampled_from([1, 2, 8, 16, 64]))
    request = TileRequest("w", row, column, rows, columns, pool, axes=axes, fixed=fixed or ())
    return shape, request, np.random.default_rng(draw(st.integers(0, 99)))


def expected(array: np.ndarray, request: TileRequest) -> np.ndarray:
    picture = picture_of(array, axes=request.axes, fixed=request.fixed)
    picture = picture[request.row :, request.column :][: request.rows, : request.columns]
    if array.dtype == np.bool_ or request.pool > 1:
        picture = np.abs(picture.astype(np.float64))
    return pooled(picture, request.pool) if request.pool > 1 else picture


@given(case=parts(), block=st.sampled_from([64, 1 << 19]))
def test_shares_and_magnitudes_equal_a_naive_picture(case, block):
    shape, request, rng = case
    array = rng.normal(size=shape).astype(np.float32)
    kept, goes, guards = (rng.random(shape) < share for share in (0.7, 0.3, 0.2))
    snapshot = Snapshot(
        MemoryCheckpoint({"w": array}),
        MaskLayers(mask_set(kept), protected=mask_set(guards & kept)),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pruneapp.analysis.tiles._BLOCK", block)
        patch.setattr("pruneapp.kernels.threads.WORTH_THREADS", block * 8)
        got = tile(snapshot, request, BitMask.from_bools(kept & ~goes), Job())
    np.testing.assert_allclose(got.values, expected(array, request), rtol=1e-6)
    np.testing.assert_allclose(got.kept, expected(kept, request), rtol=1e-6)
    np.testing.assert_allclose(got.to_be_pruned, expected(kept & goes, request), rtol=1e-6)
    np.testing.assert_allclose(got.protected, expected(kept & guards, request), rtol=1e-6)
    assert not got.sampled


def test_nothing_protected_is_no_picture_of_it(model):
    got = tile(Snapshot(model), TileRequest("module.fc.weight", 0, 0, 9, 9), None, Job())
    assert got.protected is None


@given(case=parts(), data=st.data())
def test_two_states_of_one_file(case, data):
    shape, request, rng = case
    array = rng.normal(size=shape).astype(np.float32)
    array[rng.random(shape) < 0.1] = np.nan
    kept = [
        data.draw(st.sampled_from([None, rng.random(shape) < 0.5, rng.random(shape) < 0.9]))
        for _ in range(2)
    ]
    final = data.draw(st.sampled_from([None, rng.random(shape) < 0.8]))
    checkpoint = MemoryCheckpoint({"w": array})
    a = Snapshot(checkpoint, MaskLayers(mask_set(kept[0]), permanent=mask_set(final)))
    b = Snapshot(checkpoint, MaskLayers(mask_set(kept[1])))
    ones = np.ones(shape, np.bool_)
    before = (ones if kept[0] is None else kept[0]) & (ones if final is None else final)
    after = ones if kept[1] is None else kept[1]

    got = difference_tile(a, b, request, Job())

    change = np.where(before == after, 0, np.where(after, array, -array))
    np.testing.assert_allclose(got.change, expected(change, request), rtol=1e-6)
    np.testing.assert_allclose(got.removed, expected(before & ~after, request), rtol=1e-6)
    np.testing.assert_allclose(got.restored, expected(after & ~before, request), rtol=1e-6)
    np.testing.assert_allclose(got.in_neither, expected(~(before | after), request), rtol=1e-6)


@given(case=parts())
def test_values_that_were_replaced_are_painted_and_so_is_their_change(case):
    """By value, as for two checkpoints; no value is replaced by the same one."""
    shape, request, rng = case
    x, y = (rng.normal(size=shape).astype(np.float32) for _ in range(2))
    kept = rng.random(shape) < 0.6
    a = Snapshot(MemoryCheckpoint({"w": x}), MaskLayers(mask_set(kept)))
    b = a.with_masks({"values": {"w": as_values(y)}})

    painted = tile(b, request, None, Job())
    np.testing.assert_allclose(painted.values, expected(y, request), rtol=1e-6)
    replaced = tile(Snapshot(MemoryCheckpoint({"w": y})), request, None, Job())
    assert (painted.scale, painted.within) == (replaced.scale, replaced.within)
    got = difference_tile(a, b, request, Job())
    change = np.where(kept, y - x, 0)
    np.testing.assert_allclose(got.change, expected(change, request), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(got.in_neither, expected(~kept, request), rtol=1e-6)
    assert not got.removed.any()
    same = difference_tile(b, b.with_masks({"masks": {"w": None}}), request, Job())
    np.testing.assert_allclose(same.restored, expected(~kept, request), rtol=1e-6)
    change = np.where(kept, 0, y)
    np.testing.assert_allclose(same.change, expected(change, request), rtol=1e-6)


@given(case=parts(), other=st.sampled_from([np.float32, np.float64, np.float16]))
def test_two_checkpoints(case, other):
    shape, request, rng = case
    x = rng.normal(size=shape).astype(np.float32)
    y = rng.normal(size=shape).astype(other)
    y[rng.random(shape) < 0.3] = 0
    kept = rng.random(shape) < 0.6
    a = Snapshot(MemoryCheckpoint({"w": x}), MaskLayers(mask_set(kept)))
    b = Snapshot(MemoryCheckpoint({"v": y}, v={"aliases": ("w",)}))

    got = difference_tile(a, b, request, Job())

    x = np.where(kept, x, 0)
    np.testing.assert_allclose(got.change, expected(y - x, request).astype(np.float32), rtol=1e-6)
    np.testing.assert_array_equal(
        got.removed, expected(kept & (y == 0), request).astype(np.float32)
    )
    np.testing.assert_array_equal(
        got.restored, expected(~kept & (y != 0), request).astype(np.float32)
    )
    neither = expected(~kept & (y == 0), request).astype(np.float32)
    np.testing.assert_array_equal(got.in_neither, neither)
    sizes = np.abs((y - x).astype(np.float64))
    large = np.percentile(sizes, 99.5 if sizes.size > 200 else 100)
    assert got.scale == pytest.approx(large or 1, rel=1e-6)
    assert got.within == pytest.approx((sizes <= got.scale).mean())


def test_tied_tensors_are_found_by_any_name():
    w = np.ones((2, 3), np.float32)
    a = Snapshot(MemoryCheckpoint({"emb": w}, emb={"aliases": ("head",)}))
    b = Snapshot(MemoryCheckpoint({"head": 3 * w, "other": w}))
    assert (difference_tile(a, b, TileRequest("emb", 0, 0, 2, 3), Job()).change == 2).all()
    with pytest.raises(UnknownTensorError, match="'other'"):
        difference_tile(b, a, TileRequest("other", 0, 0, 2, 3), Job())


def test_a_difference_of_other_shapes_is_refused():
    a, b = (Snapshot(MemoryCheckpoint({"w": np.ones(s, np.float32)})) for s in ((2, 3), (3, 2)))
    with pytest.raises(ValueError, match="shapes"):
        difference_tile(a, b, TileRequest("w", 0, 0, 2, 3), Job())


@pytest.mark.parametrize(
    ("shape", "pool"),
    [
        ((4000, 700), 64),
        ((30, 40_000), 64),
        ((120_000, 10), 256),
        ((700_001,), 64),
        ((64, 64, 20, 21), 256),
    ],
)
def test_a_first_look_takes_few_weights_of_every_pixel(shape, pool, monkeypatch):
    monkeypatch.setattr("pruneapp.analysis.tiles._FIRST_LOOK", 1 << 16)
    monkeypatch.setattr("pruneapp.analysis.pooling._SPAN", 1 << 8)
    rng = np.random.default_rng(1)
    array = np.abs(rng.normal(size=shape)).astype(np.float32)
    kept = rng.random(shape) < 0.5
    checkpoint = MemoryCheckpoint({"w": array})
    snapshot = Snapshot(checkpoint, MaskLayers(mask_set(kept)))
    exact = tile(snapshot, TileRequest("w", 0, 0, WHOLE, WHOLE, pool), None, Job())
    checkpoint.elements_read = 0

    request = TileRequest("w", 0, 0, WHOLE, WHOLE, pool, sampled=True)
    got = tile(snapshot, request, None, Job())

    assert got.sampled
    assert not exact.sampled
    pixels = got.values.size
    assert got.values.shape == exact.values.shape
    read = checkpoint.elements_read - 64 * 1024  # without those read for the scale
    assert pixels <= read <= array.size
    if max(shape) < 10_000:  # for larger ones the elements between are read as well
        assert read < 4 * max(1 << 16, exact.values.shape[0] * exact.layout.columns)
    # Half-normal: mean 0.8, deviation 0.6; each pixel samples a few values, all together many.
    assert got.values.mean() == pytest.approx(exact.values.mean(), abs=0.05)
    assert got.kept.mean() == pytest.approx(0.5, abs=0.05)
    again = tile(snapshot, request, None, Job())
    np.testing.assert_array_equal(got.values, again.values)


def test_a_first_look_sees_no_stripes_in_even_rows():
    array = np.ones((8192, 1024), np.float32)
    array[::2] = 0
    checkpoint = MemoryCheckpoint({"w": array})
    request = TileRequest("w", 0, 0, WHOLE, WHOLE, 16, sampled=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pruneapp.analysis.tiles._FIRST_LOOK", 1 << 19)
        got = tile(Snapshot(checkpoint), request, None, Job())
    assert got.sampled
    assert got.values.mean() == pytest.approx(0.5, abs=0.05)


def test_a_small_part_is_exact_at_once(model):
    request = TileRequest("module.conv2.weight", 0, 0, WHOLE, WHOLE, 2, sampled=True)
    assert not tile(Snapshot(model), request, None, Job()).sampled


def test_a_random_mask_is_even_grey_and_a_hole_is_seen():
    rng = np.random.default_rng(0)
    kept = rng.random((2048, 2048)) < 0.5
    kept[1000, 1000] = False
    checkpoint = MemoryCheckpoint({"w": np.ones((2048, 2048), np.float32)})
    coarse = tile(
        Snapshot(checkpoint, MaskLayers(mask_set(kept))),
        TileRequest("w", 0, 0, WHOLE, WHOLE, 64),
        None,
        Job(),
    )
    assert np.abs(coarse.kept - 0.5).max() < 0.05  # six standard deviations of 4,096 coin tosses
    fine = tile(
        Snapshot(checkpoint, MaskLayers(mask_set(kept))),
        TileRequest("w", 990, 990, 20, 20),
        None,
        Job(),
    )
    assert fine.kept[10, 10] == 0


def test_magnitudes_at_the_edge_of_float32_are_not_lost():
    array = np.full((64, 64), np.finfo(np.float32).max, np.float32)
    got = tile(
        Snapshot(MemoryCheckpoint({"w": array})),
        TileRequest("w", 0, 0, WHOLE, WHOLE, 64),
        None,
        Job(),
    )
    assert got.values[0, 0] == np.finfo(np.float32).max


def test_a_difference_can_be_cancelled(model):
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        difference_tile(
            Snapshot(model),
            Snapshot(MemoryCheckpoint(model.arrays)),
            TileRequest("module.fc.weight", 0, 0, 9, 9),
            Job(cancel=token),
        )


# The picture of an estimate equals plain NumPy, as if there were a mask


THRESHOLD = 0.59375  # a number that every dtype represents


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("shape", [(1,), (13,), (24, 64), (61, 53), (9, 5, 3, 3)], ids=str)
def test_what_is_small_kept_and_free_goes(dtype, shape):
    rng = np.random.default_rng(len(shape))
    values = rng.standard_normal(shape).astype(dtype)
    values.flat[0] = np.nan
    kept, guarded = rng.random(values.size) < 0.8, rng.random(values.size) < 0.3
    with np.errstate(invalid="ignore"):
        small = np.abs(values.astype(np.float64)).reshape(-1) <= THRESHOLD
    checkpoint = MemoryCheckpoint({"w": values})
    masks = MaskSet({"w": BitMask.from_bools(kept)})
    protected = MaskSet({"w": BitMask.from_bools(guarded)})
    for masked, protects in itertools.product((False, True), repeat=2):
        goes = small.copy()
        if masked:
            goes &= kept
        if protects:
            goes &= ~guarded
        snapshot = Snapshot(
            checkpoint,
            MaskLayers(
                masks if masked else MaskSet(), protected=protected if protects else MaskSet()
            ),
        )
        going = BitMask.from_bools((kept if masked else True) & ~goes)
        for pool, pruned in itertools.product((1, 2, 3, 8), (False, True)):
            request = TileRequest("w", 0, 0, 1 << 40, 1 << 40, pool, pruned=pruned)
            found = tile(snapshot, request, THRESHOLD, Job())
            wanted = tile(snapshot, request, going, Job())
            for name in ("values", "kept", "to_be_pruned", "protected"):
                np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), name)
            assert found.to_be_pruned.any() == goes.any()


def test_a_first_look_takes_the_same_weights_of_both():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((2048, 2048)).astype(np.float16)
    snapshot = Snapshot(MemoryCheckpoint({"w": values}))
    going = BitMask.from_bools(np.abs(values).reshape(-1) > THRESHOLD)
    request = TileRequest("w", 0, 0, 2048, 2048, 8, sampled=True)
    found = tile(snapshot, request, THRESHOLD, Job())
    assert found.sampled
    np.testing.assert_array_equal(
        found.to_be_pruned, tile(snapshot, request, going, Job()).to_be_pruned
    )
    share = (np.abs(values.astype(np.float32)) <= THRESHOLD).mean()
    assert found.to_be_pruned.mean() == pytest.approx(share, abs=0.01)
