"""Masks in files instead of memory, from the step to their deletion."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis.tiles import TileRequest, tile
from pruneapp.document.document import Document
from pruneapp.document.step import Row, Step
from pruneapp.errors import ScratchError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, Job
from pruneapp.sessions.history_codec import pack, unpack
from tests.support.cancel_checks import CountingToken
from tests.support.document_edits import redo, undo
from tests.support.memory_checkpoint import MemoryCheckpoint
from tests.support.scratch_files import assert_none_open, limit_memory, open_files

NAME = "weight"
KERNEL = CpuKernel(threads=2, stretch=4096)
STEPS = [
    ("l1_unstructured", {"amount": 0.5}),
    ("l1_unstructured", {"amount": 0.9}),  # among equal ones
    ("random_unstructured", {"amount": 0.3, "seed": 3}),
    ("ln_structured", {"amount": 0.25, "n": 2, "dim": 0}),
    ("ln_structured", {"amount": 0.25, "n": 2, "dim": 1}),
    ("n_m", {"pattern": "2:4", "dim": 1}),
]
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def checkpoint() -> MemoryCheckpoint:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(320, 1000)).astype(np.float32)
    values[rng.random(values.shape) < 0.2] = 0.0
    values[100:200] = np.abs(values[100:200]) // 0.25 / 4
    return MemoryCheckpoint({NAME: values}, chunk=5000, **{NAME: {"by_default": True}})


MODEL = checkpoint()


def preview(document: Document, method: str, values: dict, job: Job | None = None, **more):
    step = Step((Row((NAME,), method, values),))
    return compute_preview(document.snapshot(), step, KERNEL, job or Job(), **more)


@pytest.fixture
def large(monkeypatch) -> Document:
    """Yield a document in which every mask is in a file."""
    limit_memory(monkeypatch)
    document = Document(MODEL, budget=0)
    yield document
    document.close()


@pytest.mark.parametrize(("method", "values"), STEPS)
def test_a_mask_in_a_file_is_that_in_memory(monkeypatch, method, values):
    """Also for a second step on its result; the reports are equal as well."""
    plain, mapped = Document(MODEL), Document(MODEL)
    for _ in range(2):
        expected = preview(plain, method, values)
        with monkeypatch.context() as patch:
            limit_memory(patch)
            made = preview(mapped, method, values)
        assert made.masks[NAME].mapped
        assert not expected.masks[NAME].mapped
        assert made.masks[NAME] == expected.masks[NAME]
        assert made.masks[NAME].kept == expected.masks[NAME].kept
        assert made.report.tensors[0] == expected.report.tensors[0]
        plain.commit(expected)
        mapped.commit(made)


@given(st.integers(1, 319_999), st.booleans())
def test_any_count_of_weights(count, among_equal_ones):
    document = Document(MODEL)
    count = 64_000 + count % 30_000 if among_equal_ones else count
    expected = preview(document, "l1_unstructured", {"amount": count}, norms=False)
    with pytest.MonkeyPatch.context() as patch:
        limit_memory(patch)
        made = preview(document, "l1_unstructured", {"amount": count}, norms=False)
        assert made.masks[NAME] == expected.masks[NAME]
        assert made.masks[NAME].pruned == count


@linux
def test_it_takes_no_memory_and_no_place_in_the_history_and_goes_with_its_state(large):
    """Undo and redo swap references, for any budget."""
    for _ in range(3):
        large.commit(preview(large, "l1_unstructured", {"amount": 0.5}))
    assert (large.history.store.nbytes, large.history.scratch.size) == (0, 0)
    mask = large.masks[NAME]
    undo(large)
    undo(large)
    redo(large)
    redo(large)
    assert large.masks[NAME] is mask
    assert large.history.fetch_missing(1) is None
    held = len(open_files())
    undo(large)
    large.delete(3)
    del mask
    assert 0 < len(open_files()) < held
    large.jump(0)
    large.delete(1)
    assert_none_open()


def test_doing_the_same_again_reads_no_mask(large, monkeypatch):
    """Comparing would block the main thread for seconds, so it begins a new branch."""
    large.commit(preview(large, "l1_unstructured", {"amount": 0.5}))
    undo(large)
    again = preview(large, "l1_unstructured", {"amount": 0.5})
    monkeypatch.setattr("pruneapp.masks.bitmask.BitMask.__eq__", None)
    large.commit(again)
    assert (large.position, len(large.items)) == (2, 3)
    undo(large)
    large.commit(replace(again, revision=large.revision))  # with the identical mask object
    assert (large.position, len(large.items)) == (2, 3)


@linux
@pytest.mark.parametrize(("method", "values"), STEPS)
def test_a_cancelled_step_leaves_no_file(large, method, values):
    token = CountingToken()
    preview(large, method, values, Job(cancel=token))
    assert_none_open()
    for at in np.linspace(1, token.looks, 6).astype(int):
        with pytest.raises(Cancelled):
            preview(large, method, values, Job(cancel=CountingToken(int(at))))
        assert_none_open()
    assert not large.masks


@linux
@pytest.mark.parametrize("amount", [0.5, 0.9])
def test_where_the_disk_has_no_room_nothing_is_read_or_changed(large, monkeypatch, amount):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=39_999))
    with pytest.raises(ScratchError, match="does not fit into memory"):
        preview(large, "l1_unstructured", {"amount": amount})
    assert (large.position, dict(large.masks)) == (0, {})
    assert_none_open()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=40_000))
    large.commit(preview(large, "l1_unstructured", {"amount": amount}))
    assert large.masks[NAME].pruned == round(amount * 320_000)


def test_its_picture_is_that_of_a_mask_in_memory(monkeypatch):
    plain = Document(MODEL)
    plain.commit(preview(plain, "l1_unstructured", {"amount": 0.5}))
    with monkeypatch.context() as patch:
        limit_memory(patch)
        mapped = Document(MODEL)
        mapped.commit(preview(mapped, "l1_unstructured", {"amount": 0.5}))
        for pool, row, rows in ((1, 3, 40), (2, 0, 320), (8, 16, 240), (64, 0, 320), (7, 1, 300)):
            request = TileRequest(NAME, row, 8, rows, 992, pool)
            made, expected = (tile(d.snapshot(), request, None, Job()) for d in (mapped, plain))
            np.testing.assert_array_equal(made.kept, expected.kept)
            np.testing.assert_array_equal(made.values, expected.values)


def test_it_is_packed_and_unpacked_as_one_in_memory(large, monkeypatch):
    """For sessions and journals, alone and relative to the previous mask."""
    large.commit(preview(large, "l1_unstructured", {"amount": 0.5}))
    first = large.masks[NAME]
    large.commit(preview(large, "l1_unstructured", {"amount": 0.5}))
    second = large.masks[NAME]
    for mask, base in ((first, None), (second, first)):
        frames = list(pack(mask, base, Job()))
        read = unpack(frames, mask.size, base, Job())
        assert read.mapped
        assert read == mask
        monkeypatch.undo()
        assert list(pack(read, base, Job())) == frames
        assert unpack(frames, mask.size, base, Job()) == mask
        limit_memory(monkeypatch)
