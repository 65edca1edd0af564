"""Patterns of zeros: N:M, blocks and rows, compared with formulas and torch's sparsifier."""

from __future__ import annotations

import math
import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.errors import ParameterError
from pruneapp.kernels import lowest_in_groups as groups_module
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.lowest_in_groups import lowest_in_groups
from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.masks import blocks
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.blocks import Tiles
from pruneapp.masks.regions import Groups, flat_ranges, group_boxes
from pruneapp.methods.limits import Limits
from pruneapp.methods.method import TensorView
from pruneapp.methods.prune_tensors import prune
from pruneapp.methods.registry import get
from pruneapp.progress import Job
from tests.support.strategies import float_types, kept_bools, raw_bits, shapes
from tests.support.tensors import magnitudes, view_of, view_of_values


def run(view, name, *, limits=None, **values):
    bound = limits or Limits()
    return prune([view], get(name), values, "local", CpuKernel(), Job(), limits=bound)


def mask_of(view, name, **values):
    return run(view, name, **values).masks[view.name].bools().reshape(view.shape)


def kept_n_of_m(scores, there, protected, dim, n, m):
    """The rule, group by group: pruned weights first, protected ones never."""
    scores, there, protected = (np.moveaxis(a, dim, -1) for a in (scores, there, protected))
    stays, lacking = there.copy(), 0
    for place in np.ndindex(scores.shape[:-1]):
        for start in range(0, scores.shape[-1] - m + 1, m):
            at = slice(start, start + m)
            key = np.where(there[place][at], np.where(protected[place][at], 2, 1), 0)
            order = np.lexsort(
                (
                    np.arange(m),
                    np.nan_to_num(scores[place][at], nan=np.inf),
                    np.isnan(scores[place][at]) & (key == 1),
                    key,
                )
            )
            for goes in order[: m - n]:
                lacking += int(key[goes] == 2)
                stays[place][start + goes] &= key[goes] == 2
    return np.moveaxis(stays, -1, dim), lacking


@given(st.data())
def test_n_m_keeps_the_largest_of_every_group(data):
    dtype, shape = data.draw(float_types), data.draw(shapes(least=2, most=4))
    size = math.prod(shape)
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    m = data.draw(st.sampled_from([2, 3, 4, 8, 17]))
    n = data.draw(st.integers(1, m - 1))
    bits, kept = data.draw(raw_bits(dtype, size)), data.draw(kept_bools(size))
    there = np.ones(size, bool) if kept is None else kept
    protected = np.random.default_rng(data.draw(st.integers(0, 99))).random(size) < 0.2
    protected &= there & data.draw(st.booleans())
    guard = BitMask.from_bools(protected) if protected.any() else None
    view = view_of(bits, dtype, shape, kept, chunk=7, protected=guard)

    found = run(view, "n_m", pattern=f"{n}:{m}", dim=dim)
    scores, there, protected = (
        a.reshape(shape) for a in (magnitudes(bits, dtype), there, protected)
    )
    expected, lacking = kept_n_of_m(scores, there, protected, dim % len(shape), n, m)

    assert np.array_equal(expected.reshape(-1), found.masks[view.name].bools())
    assert found.protected.get(view.name, 0) == lacking


@given(st.data())
def test_boxes_of_groups_cover_a_tensor_once(data):
    shape = data.draw(shapes(least=2))
    dim = data.draw(st.integers(0, len(shape) - 1))
    m, size = data.draw(st.integers(2, 5)), data.draw(st.sampled_from([1, 3, 10, 50, 1000]))
    seen = np.zeros(math.prod(shape), int)
    for box in group_boxes(shape, Groups(dim, m, 1), size):
        assert box.channels[0] % m == 0
        for start, stop in flat_ranges(shape, dim, box):
            seen[start:stop] += 1
    assert (seen == 1).all()


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("m", [4, 20])
def test_pieces_and_threads_change_nothing(monkeypatch, dim, m):
    rng = np.random.default_rng(m)
    values = rng.integers(-9, 9, (5, 21, 4)).astype(np.float32)
    kept = rng.random(values.size) < 0.8
    view = view_of_values(
        values, kept, protected=BitMask.from_bools(kept & (rng.random(kept.size) < 0.1))
    )
    ranking = Magnitudes(view.read, view.numel, view.dtype, view.kept)
    asked = ranking, view.shape, Groups(dim, m, m // 2), view.protected, Job()
    whole = lowest_in_groups(*asked)
    monkeypatch.setattr("pruneapp.kernels.threads.WORTH_THREADS", 0)
    for size in (1, 50, 200):
        boxes = list(group_boxes(view.shape, Groups(dim, m, m // 2), size))
        monkeypatch.setattr(groups_module, "group_boxes", lambda *_, boxes=boxes: iter(boxes))
        for threads in (1, 3):
            part = lowest_in_groups(*asked, threads)
            assert part == whole


def sparsified(weight, block, zeros, level=1.0):
    """Return the mask of torch's sparsifier."""
    from torch.ao.pruning import WeightNormSparsifier

    layer = torch.nn.Linear(weight.shape[1], weight.shape[0], bias=False)
    layer.weight = torch.nn.Parameter(torch.from_numpy(weight.copy()))
    model = torch.nn.Sequential(layer)
    sparsifier = WeightNormSparsifier(level, block, zeros, norm=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sparsifier.prepare(model, [{"tensor_fqn": "0.weight"}])
        sparsifier.step()
    return model[0].parametrizations.weight[0].mask.numpy() != 0


@pytest.mark.parametrize(("n", "m"), [(2, 4), (4, 8), (1, 4), (3, 4)])
@pytest.mark.parametrize("shape", [(8, 16), (5, 64), (1, 8)])
def test_n_m_is_torchs_sparsifier(n, m, shape):
    values = np.random.default_rng(m).normal(size=shape).astype(np.float32)
    expected = sparsified(values, (1, m), m - n)
    assert np.array_equal(expected, mask_of(view_of_values(values), "n_m", pattern=f"{n}:{m}"))


def test_n_m_of_a_convolution_is_torchs_sparsifier_at_every_place_of_the_kernel():
    values = np.random.default_rng(0).normal(size=(6, 8, 3, 2)).astype(np.float32)
    found = mask_of(view_of_values(values), "n_m")
    for row, column in np.ndindex(3, 2):
        expected = sparsified(np.ascontiguousarray(values[:, :, row, column]), (1, 4), 2)
        assert np.array_equal(expected, found[:, :, row, column])


@pytest.mark.parametrize("block", [(1, 4), (4, 4), (4, 1), (2, 3)])
@pytest.mark.parametrize("shape", [(8, 12), (12, 24), (16, 36), (10, 14), (13, 27)])
def test_blocks_are_torchs_sparsifier(block, shape):
    values = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    expected = sparsified(values, block, block[0] * block[1], 0.3)
    name = f"{block[0]}x{block[1]}"
    assert np.array_equal(
        expected, mask_of(view_of_values(values), "blocks", amount=0.3, block=name)
    )


def scores_of_tiles(values, tall, wide, measure):
    """The formula, tile by tile, including partial tiles at the border."""
    matrix = np.abs(values.reshape(values.shape[0], -1)).astype(np.float64)
    rows = range(0, matrix.shape[0], tall)
    columns = range(0, matrix.shape[1], wide)
    tiles = [[matrix[r : r + tall, c : c + wide] for c in columns] for r in rows]
    if measure == "mean":
        return np.array([[tile.mean() for tile in row] for row in tiles])
    return np.array(
        [[np.linalg.norm(tile) / math.sqrt(tile.size) for tile in row] for row in tiles]
    )


@given(st.data())
def test_blocks_go_by_their_mean(data):
    shape = data.draw(shapes(least=2, most=4))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    values = rng.normal(size=shape).astype(np.float32)
    tall, wide = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    measure, share = data.draw(st.sampled_from(["mean", "rms"])), data.draw(st.floats(0, 1))
    found = mask_of(
        view_of_values(values, chunk=7),
        "blocks",
        amount=share,
        block=f"{tall}x{wide}",
        measure=measure,
    )
    scores = scores_of_tiles(values, tall, wide, measure)
    lowest = np.argsort(scores.reshape(-1), kind="stable")[: round(share * scores.size)]
    expected = np.ones(scores.size, bool)
    expected[lowest] = False
    grid = np.kron(expected.reshape(scores.shape), np.ones((tall, wide), bool))
    rows, columns = shape[0], math.prod(shape[1:])
    assert np.array_equal(grid[:rows, :columns].reshape(shape), found)


@given(st.data())
def test_tiles_count_and_make_masks_in_parts(data):
    shape = data.draw(shapes(least=1, most=3))
    tiles = Tiles(shape, data.draw(st.integers(1, 12)), data.draw(st.integers(1, 12)))
    bools = np.random.default_rng(0).random(math.prod(shape)) < 0.5
    mask = BitMask.from_bools(bools)
    stays = np.random.default_rng(1).random(tiles.count) < 0.5
    whole = tiles.count_kept(mask, Job()), tiles.mask(stays, Job())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_PIECE", 10)
        parts = tiles.count_kept(mask, Job()), tiles.mask(stays, Job())
    assert np.array_equal(whole[0], parts[0])
    assert whole[0].sum() == mask.kept
    assert whole[1] == parts[1]
    assert np.array_equal(np.where(stays, tiles.sizes, 0), tiles.count_kept(whole[1], Job()))
    assert np.array_equal(
        tiles.count_kept(None, Job()), tiles.count_kept(BitMask.full(mask.size), Job())
    )


def test_blocks_keep_to_a_ceiling_and_reach_a_total():
    values = np.arange(64, dtype=np.float32).reshape(8, 8)
    view = view_of_values(values)
    method, kernel = get("blocks"), CpuKernel()
    made = prune(
        [view], method, {"amount": 3}, "local", kernel, Job(), limits=Limits(max_sparsity=0.5)
    ).masks[view.name]
    assert made.pruned == 32
    made = prune([view], method, {}, "local", kernel, Job(), limits=Limits(target_sparsity=0.75))
    assert made.masks[view.name].pruned == 48
    with pytest.raises(
        ParameterError, match=r"No number of whole blocks of 'layer.weight' is within"
    ):
        prune(
            [view],
            method,
            {},
            "local",
            kernel,
            Job(),
            limits=Limits(min_sparsity=0.3, max_sparsity=0.4),
        )


@pytest.mark.parametrize("name", ["n_m", "blocks"])
def test_vectors_have_no_groups_and_no_blocks(name):
    with pytest.raises(ParameterError, match="two or more dimensions"):
        run(view_of_values(np.ones(8, np.float32)), name)


def test_limits_do_not_go_with_groups():
    view = view_of_values(np.ones((4, 4), np.float32))
    with pytest.raises(ParameterError, match="'n_m' sets the sparsity itself"):
        prune([view], get("n_m"), {}, "local", CpuKernel(), Job(), limits=Limits(min_sparsity=0.5))


@given(st.data())
def test_rows_lose_their_smallest(data):
    """In each row as many as torch would prune of it alone; a count or a total is exact."""
    dtype, shape = data.draw(float_types), data.draw(shapes(least=2, most=3))
    size = math.prod(shape)
    bits, kept = data.draw(raw_bits(dtype, size)), data.draw(kept_bools(size))
    share, total = data.draw(st.floats(0, 1)), data.draw(st.none() | st.booleans())
    view = view_of(bits, dtype, shape, kept, chunk=7)
    left = size if kept is None else int(kept.sum())
    count, bound = round(share * left), Limits()
    if total:
        bound = Limits(target_sparsity=size - left + count)
    amount = share if total is not False else count
    found = mask_of(view, "l1_per_row", limits=bound, amount=amount).reshape(shape[0], -1)
    there = (np.ones(size, bool) if kept is None else kept).reshape(shape[0], -1)
    scores = magnitudes(bits, dtype).reshape(shape[0], -1)
    gone = (there & ~found).sum(axis=1)
    if total is None:
        assert gone.tolist() == [round(share * n) for n in there.sum(axis=1).tolist()]
    else:
        assert gone.sum() == count
        assert (np.abs(gone - gone.sum() / max(there.sum(), 1) * there.sum(axis=1)) < 1).all()
    for row, count in enumerate(gone):
        order = np.argsort(scores[row][there[row]], kind="stable")
        expected = np.ones(order.size, bool)
        expected[order[:count]] = False
        assert np.array_equal(expected, found[row][there[row]])


def test_rows_of_any_length_are_the_same(monkeypatch):
    rng = np.random.default_rng(5)
    values = rng.integers(-30, 30, (7, 300)).astype(np.float16)
    kept = rng.random(values.size) < 0.7
    protected = BitMask.from_bools(kept & (rng.random(kept.size) < 0.1))
    view = view_of_values(values, kept, protected=protected)
    whole = mask_of(view, "l1_per_row", amount=0.4)
    for piece in (1, 100, 700):
        monkeypatch.setattr(groups_module, "_PIECE", piece)
        assert np.array_equal(whole, mask_of(view, "l1_per_row", amount=0.4))


def test_what_is_protected_in_a_row_is_made_up_for_by_others():
    values = np.ones((2, 4), np.float32)
    guard = BitMask.from_bools(np.arange(8) < 4)
    found = mask_of(view_of_values(values, protected=guard), "l1_per_row", amount=4)
    assert found.tolist() == [[True] * 4, [False] * 4]
    with pytest.raises(ParameterError, match="only 4 can be pruned"):
        run(replace(view_of_values(values), protected=guard), "l1_per_row", amount=5)


@pytest.mark.parametrize(
    ("name", "shape", "values"),
    [
        ("n_m", (8, 1 << 21), {"dim": 0}),
        ("n_m", (1 << 20, 16), {}),
        ("n_m", (1 << 10, 1 << 14), {"pattern": "16:32"}),
        ("blocks", (1 << 10, 1 << 14), {"block": "16x16"}),
        ("l1_per_row", (2, 1 << 23), {}),
        ("l1_per_row", (1 << 12, 1 << 12), {}),
        ("lamp", (1 << 12, 1 << 12), {}),
        ("relative_importance", (1 << 12, 1 << 12), {}),
    ],
)
def test_memory_does_not_grow_with_the_tensor(name, shape, values):
    """16 M float32 weights are 64 MB; they are generated while they are read."""

    def read(start=0, stop=None):
        stop = math.prod(shape) if stop is None else stop
        for first in range(start, stop, 1 << 16):
            places = np.arange(first, min(first + (1 << 16), stop), dtype=np.uint64)
            drawn = (places * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
            yield RawChunk(first, (drawn / 2**24).astype(np.float32).view(np.uint32))

    view = TensorView("w", shape, DTYPES["F32"], None, read)
    method = get(name)
    tracemalloc.start()
    try:
        made = prune([view], method, values, method.scopes[0], CpuKernel(threads=1), Job())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0 < made.masks["w"].pruned < view.numel
    assert peak < 32 << 20
