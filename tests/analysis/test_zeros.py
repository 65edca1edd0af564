"""Zeros of a file: counted as by NumPy, and their patterns are found."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.utils import prune as torch_prune

from pruneapp.analysis import histogram_store
from pruneapp.analysis.zeros import block_of, find_zeros, pattern_of, zero_masks
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.document.document import Document
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import SelectionError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.cancel_checks import CountingToken
from tests.support.document_edits import treat_zeros, undo
from tests.support.memory_checkpoint import MemoryCheckpoint
from tests.support.strategies import FLOATS, kept_bools, raw_bits, shapes

DEFAULT = {"by_default": True}


def snapshot(array, kept=None, **facts) -> Snapshot:
    masks = {} if kept is None else {"w": BitMask.from_bools(kept)}
    return Snapshot(
        MemoryCheckpoint({"w": array}, w={"why_not": "", **DEFAULT, **facts}),
        MaskLayers(MaskSet(masks)),
    )


def found(array, kept=None, **facts):
    report = find_zeros(snapshot(array, kept, **facts), None, Job())
    return report.tensors[0] if report.tensors else None


def weights(*shape, seed=0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32) + np.float32(1e-3)


def naive_pattern(left: np.ndarray) -> tuple[int, int] | None:
    for n, m in ((1, 4), (2, 4), (4, 8)):
        if left.ndim < 2 or left.shape[1] % m:
            continue
        last = np.moveaxis(left, 1, -1).reshape(-1, m)
        if (last.sum(axis=1) <= n).all():
            return n, m
    return None


@given(data=st.data())
def test_zeros_slices_and_patterns_equal_numpy(data):
    dtype = data.draw(st.sampled_from(FLOATS))
    shape = data.draw(shapes(most=4))
    size = int(np.prod(shape))
    bits = data.draw(raw_bits(dtype, size)).copy()
    form = data.draw(st.sampled_from(["some", "slice", "pattern", "none"]))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    if form == "slice":
        np.moveaxis(bits.reshape(shape), rng.integers(len(shape)), 0)[0] = 0
    elif form == "pattern":
        bits[np.arange(size) % 4 > 1] = 0
    kept = data.draw(kept_bools(size))
    magnitude = bits & np.array(dtype.form.magnitude_mask, bits.dtype)
    zero = (bits == 0) if dtype.form.fnuz else magnitude == 0
    gone = np.zeros(size, np.bool_) if kept is None else ~kept
    fresh = (zero & ~gone).reshape(shape)
    empty = (zero | gone).reshape(shape)
    gone = gone.reshape(shape)

    array = bits.reshape(shape)
    got = found(array, kept, dtype=dtype)

    axes = [tuple(d for d in range(len(shape)) if d != dim) for dim in range(len(shape))]
    slices = tuple(
        int((empty.all(axis=a) & ~gone.all(axis=a)).sum()) if a else int(fresh.sum()) for a in axes
    )
    share = fresh.mean()
    worth = share >= 0.01 or any(c for c, n in zip(slices, shape, strict=True) if n > 1)
    assert (got is not None) == (bool(fresh.any()) and worth)
    if got is None:
        return
    assert (got.zeros, got.numel) == (fresh.sum(), size)
    assert got.channels == slices
    assert got.pattern == (None if empty.all() else naive_pattern(~empty))
    masks = zero_masks(snapshot(array, kept, dtype=dtype), ["w"], Job())
    np.testing.assert_array_equal(masks["w"].bools().reshape(shape), ~empty)


def test_a_file_pruned_by_torch_and_finalized(tmp_path):
    linear = torch.nn.Linear(64, 48)
    torch_prune.l1_unstructured(linear, "weight", 0.5)
    torch_prune.remove(linear, "weight")
    got = found(linear.weight.detach().numpy())
    assert (got.zeros, got.channels, got.pattern, got.block) == (1536, (0, 0), None, None)


@pytest.mark.parametrize(("dim", "channels"), [(0, (4, 0, 0, 0)), (1, (0, 2, 0, 0))])
def test_channels_pruned_by_torch(dim, channels):
    conv = torch.nn.Conv2d(8, 16, 3)
    torch_prune.ln_structured(conv, "weight", 0.25, n=2, dim=dim)
    torch_prune.remove(conv, "weight")
    got = found(conv.weight.detach().numpy())
    assert got.channels == channels
    assert got.block is None


@pytest.mark.parametrize(("n", "m"), [(1, 4), (2, 4), (4, 8)])
@pytest.mark.parametrize("shape", [(24, 40), (16, 32, 3, 3), (7, 8, 1, 1)])
def test_an_n_m_pattern_along_the_input_channels(n, m, shape):
    array = weights(*shape)
    groups = np.moveaxis(array, 1, -1)  # a view
    for index in np.ndindex(groups.shape[:-1]):
        row = groups[index].reshape(-1, m)
        order = np.argsort(np.abs(row), axis=1)
        np.put_along_axis(row, order[:, : m - n], 0, axis=1)
        groups[index] = row.reshape(-1)
    assert found(array).pattern == (n, m)
    place = tuple(np.argwhere(array == 0)[-1])
    array[place] = 1  # one weight too many
    assert found(array).pattern != (n, m)


@pytest.mark.parametrize("block", [4, 8, 16, 32, 64])
@pytest.mark.parametrize("shape", [(256, 192), (130, 200), (128, 64, 2, 2)])
def test_blocks_of_zeros(block, shape):
    array = weights(*shape)
    flat = array.reshape(shape[0], -1)
    blocks = itertools.product(range(0, flat.shape[0], block), range(0, flat.shape[1], block))
    chosen = [b for i, b in enumerate(blocks) if i % 3 == 1 or i % 7 == 0]
    for row, column in chosen:
        flat[row : row + block, column : column + block] = 0
    assert found(array).block == (block, block)


def test_zeros_by_chance_are_no_blocks():
    array = weights(64, 64)
    array.reshape(-1)[np.random.default_rng(0).random(4096) < 0.9] = 0
    assert found(array).block is None


def test_a_row_of_zeros_is_worth_a_word_only_where_one_prunes():
    array = weights(300, 16)
    array[0] = 0
    assert found(array).channels == (1, 0)
    assert found(array, by_default=False) is None
    array[:6] = 0
    assert found(array, by_default=False).channels == (6, 0)
    assert found(array[5:55], by_default=False) is None  # the padding of 50 words: 2 %
    array[7, 3] = 0
    assert found(array[5:55], by_default=False).channels == (1, 0)


def test_what_is_not_pruned_by_default_and_no_matrix_is_not_looked_at():
    snap = snapshot(np.zeros(8, np.float32), by_default=False)
    assert find_zeros(snap, None, Job()).tensors == ()
    assert snap.checkpoint.elements_read == 0
    whole = snapshot(np.zeros((8, 8), np.int32), why_not="no floats")
    assert find_zeros(whole, None, Job()).tensors == ()
    assert found(np.zeros((8, 8), np.float32)).channels == (8, 8)
    assert found(np.zeros((8, 8), np.float32)).pattern is None


@pytest.mark.parametrize(("zeros", "reported"), [(0, False), (15, False), (16, True)])
def test_what_the_census_has_counted_is_not_read_for_nothing(zeros, reported):
    array = weights(200, 16)
    array.reshape(-1)[:zeros] = 0
    snap = snapshot(array)
    (wanted,) = histogram_store.missing_magnitudes(snap, ["w"])
    histogram_store.count(snap, wanted, Job())
    snap.checkpoint.elements_read = 0
    report = find_zeros(snap, None, Job())
    assert bool(report.tensors) == reported == bool(found(array))
    assert snap.checkpoint.elements_read == (array.size if reported else 0)


def test_tensors_are_reported_in_the_order_that_was_asked_for():
    arrays = {name: np.zeros((8, 8), np.float32) for name in "abc"}
    snap = Snapshot(MemoryCheckpoint(arrays))
    assert [t.name for t in find_zeros(snap, ["c", "a", "c"], Job()).tensors] == ["c", "a"]
    assert [t.name for t in find_zeros(snap, None, Job()).tensors] == ["a", "b", "c"]


def test_what_is_pruned_here_is_not_reported():
    array = weights(16, 16)
    array[:4] = 0
    kept = np.ones((16, 16), np.bool_)
    kept[:4] = False
    assert found(array, kept) is None
    assert zero_masks(snapshot(array, kept), ["w"], Job()) == {}


def test_a_negative_zero_is_a_zero_but_not_where_it_is_nan():
    bits = np.full((4, 8), 0x80, np.uint8)
    assert found(bits, dtype=DTYPES["F8_E4M3"]).zeros == 32
    assert found(bits, dtype=DTYPES["F8_E4M3FNUZ"]) is None


def test_a_large_tensor_is_looked_at_in_pieces(monkeypatch):
    monkeypatch.setattr("pruneapp.analysis.zeros._STRETCH", 1 << 12)
    monkeypatch.setattr("pruneapp.kernels.threads.WORTH_THREADS", 1)
    monkeypatch.setattr("pruneapp.analysis.zeros._PIECE", 1 << 12)
    array = weights(600, 96)
    array.reshape(-1, 4)[:, :2] = 0
    array[160:224, 32:96] = 0
    got = found(array)
    assert (got.zeros, got.pattern) == (int((array == 0).sum()), (2, 4))
    assert zero_masks(snapshot(array), ["w"], Job())["w"] == BitMask.from_bools(array != 0)


def test_patterns_are_looked_for_in_pieces(monkeypatch):
    """This bounds memory and cancellation latency; pieces do not split a block."""
    monkeypatch.setattr("pruneapp.analysis.zeros._PIECE", 1 << 10)
    left = np.ones((90, 36), np.bool_)
    left[8:32, 16:32] = left[48:56, 8:36] = False
    token = CountingToken()
    assert block_of(BitMask.from_bools(left), left.shape, Job(cancel=token)) == (8, 8)
    assert token.looks >= left.size // (1 << 10)
    for shape in ((90, 36), (90, 12, 3)):
        token = CountingToken()
        assert pattern_of(BitMask.from_bools(left), shape, Job(cancel=token)) is None
        kept = BitMask.from_bools(np.zeros(left.size, np.bool_))
        assert pattern_of(kept, shape, Job(cancel=token)) == (1, 4)
        assert token.looks >= 2 + left.size // (1 << 10)


def test_looking_for_zeros_can_be_cancelled():
    token = CancelToken()
    token.cancel()
    for look in (find_zeros, zero_masks):
        with pytest.raises(Cancelled):
            look(snapshot(weights(8, 8)), ["w"], Job(cancel=token))


def half_zero() -> tuple[Document, np.ndarray]:
    array = weights(8, 16)
    array.reshape(-1)[::2] = 0
    checkpoint = MemoryCheckpoint({"w": array, "v": weights(4, 4)}, w=DEFAULT, v=DEFAULT)
    return Document(checkpoint), array


def test_amounts_count_from_the_zeros_that_are_treated_as_pruned():
    document, array = half_zero()
    told = []
    document.subscribe(told.append)
    treat_zeros(document, ["w", "v"])
    assert [item.label for item in document.items][1:] == ["Zeros of the file treated as pruned"]
    assert document.items[1].detail == "64 zeros in 1 tensor\nw"
    assert [(c.kind, c.names) for c in told] == [("found", ("w",))]
    assert document.masks["w"] == BitMask.from_bools(array != 0)
    step = Step((Row(("w",), "l1_unstructured", {"amount": 0.5}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    assert document.masks["w"].kept == 32
    document.jump(0)
    assert "w" not in document.masks


def test_zeros_treated_as_pruned_are_nothing_to_export():
    document, _ = half_zero()
    assert not document.unexported
    treat_zeros(document, ["w"])
    assert not document.unexported
    undo(document)
    assert not document.unexported
    step = Step((Row(("v",), "l1_unstructured", {"amount": 0.5}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    treat_zeros(document, ["w"])
    assert document.unexported
    before = document.snapshot()
    undo(document)
    document.mark_exported(before)
    assert not document.unexported


def test_what_is_pruned_stays_so_and_what_is_protected_stays_kept():
    document, array = half_zero()
    step = Step((Row(("w",), "l1_unstructured", {"amount": 100}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    with pytest.raises(SelectionError, match="no zeros"):
        treat_zeros(document, ["w"])  # all of them are among the hundred
    undo(document)
    protected = np.zeros(array.shape, np.bool_)
    protected[0] = True
    snap = document.snapshot()
    document._snapshot = replace(
        snap, layers=replace(snap.layers, protected=MaskSet({"w": BitMask.from_bools(protected)}))
    )
    treat_zeros(document, ["w"])
    assert document.masks["w"] == BitMask.from_bools((array != 0) | protected)
