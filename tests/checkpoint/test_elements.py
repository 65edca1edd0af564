"""Tensors with strides are gathered as torch sees them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint import elements
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.contents import Contents
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import Location, TensorEntry


class Memory:
    """A byte source in memory that records the size of its largest read."""

    path = Path("memory")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)
        self.largest = 0
        self.reads = 0

    def read_into(self, offset: int, buffer: memoryview) -> None:
        assert 0 <= offset <= offset + len(buffer) <= self.size
        self.largest = max(self.largest, len(buffer))
        self.reads += 1
        buffer[:] = self._data[offset : offset + len(buffer)]

    def verify_unchanged(self) -> None:
        """Do nothing: memory does not change."""

    def close(self) -> None:
        """Do nothing: there is no resource to release."""


def checkpoint_of(tensor: torch.Tensor, storage: torch.Tensor, dtype: str) -> Checkpoint:
    """Return a checkpoint that contains `tensor`, a view of the flat `storage`."""
    source = Memory(storage.view(torch.uint8).numpy().tobytes())
    place = Location(0, tensor.storage_offset() * storage.element_size(), tensor.stride(), "s")
    entry = TensorEntry("x", tuple(tensor.shape), DTYPES[dtype], place)
    return Checkpoint(Path("memory"), Contents("t", "t", (entry,), {}), (source,))


@st.composite
def views(draw):
    """Draw a view that torch allows: any strides, including 0, within a storage."""
    shape = draw(st.lists(st.integers(0, 6), max_size=4))
    strides = [draw(st.integers(0, 9)) for _ in shape]
    offset = draw(st.integers(0, 5))
    size = offset + 1 + sum(max(n - 1, 0) * s for n, s in zip(shape, strides, strict=True))
    return shape, strides, offset, size


@given(views(), st.data(), st.sampled_from([("F32", torch.float32), ("F64", torch.float64)]))
def test_any_view_has_the_elements_of_as_strided(view, data, kind):
    shape, strides, offset, size = view
    name, dtype = kind
    storage = torch.arange(size, dtype=dtype)
    expected = torch.as_strided(storage, shape, strides, offset)
    checkpoint = checkpoint_of(expected, storage, name)
    start = data.draw(st.integers(0, expected.numel()))
    stop = data.draw(st.integers(start, expected.numel()))
    chunk = data.draw(st.integers(1, 9))

    got = [c.bits.copy() for c in checkpoint.chunks("x", start, stop, chunk)]

    flat = expected.reshape(-1)[start:stop].contiguous().numpy()
    assert b"".join(b.tobytes() for b in got) == flat.tobytes()
    assert checkpoint.bits("x", start, stop).tobytes() == flat.tobytes()
    assert torch.equal(checkpoint.read("x"), expected)
    if shape:
        rows = slice(*sorted(data.draw(st.tuples(st.integers(0, 6), st.integers(0, 6)))))
        assert torch.equal(checkpoint.read("x", rows), expected[rows])


@pytest.mark.parametrize("span", [64, 4096])
def test_the_scratch_buffer_is_bounded(span, monkeypatch):
    monkeypatch.setattr(elements, "SPAN_BYTES", span)
    storage = torch.arange(3 * 500 * 7, dtype=torch.float32)
    for view in (
        storage.view(1500, 7).t(),
        storage[::3],
        storage.view(3, 500, 7).permute(2, 0, 1),
        storage.view(500, 21)[:, 3:9:2],
    ):
        checkpoint = checkpoint_of(view, storage, "F32")
        assert torch.equal(checkpoint.read("x"), view)
        assert checkpoint.sources[0].largest <= span


def test_a_transposed_matrix_takes_few_reads():
    storage = torch.arange(1000 * 900, dtype=torch.float32)
    view = storage.view(1000, 900).t()
    checkpoint = checkpoint_of(view, storage, "F32")

    assert torch.equal(checkpoint.read("x"), view)
    assert checkpoint.sources[0].reads == 1


def test_complex128_is_gathered_in_halves():
    storage = torch.arange(24, dtype=torch.float64).view(torch.complex128).clone()
    view = storage.view(3, 4).t()
    checkpoint = checkpoint_of(view, torch.view_as_real(storage).reshape(-1), "C128")
    assert torch.equal(checkpoint.read("x"), view)
    assert checkpoint.bits("x").size == 24


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.data())
def test_boxes_cover_a_range_in_order(shape, data):
    size = math.prod(shape)
    start = data.draw(st.integers(0, size))
    stop = data.draw(st.integers(start, size))
    order = np.arange(size).reshape(shape)

    found = list(elements.boxes(tuple(shape), start, stop))

    cut = [
        order[tuple(slice(c, c + n) for c, n in zip(corner, extents, strict=True))].reshape(-1)
        for corner, extents in found
    ]
    assert [i for part in cut for i in part] == list(range(start, stop))
    assert len(found) <= 2 * len(shape)


@given(data=st.data(), dtype=st.sampled_from(["F64", "F32", "BF16", "F8_E4M3"]))
def test_small_tensors_are_read_together_wherever_they_lie(data, dtype):
    """In any order, in two files, adjacent, with gaps, overlapping, or unaligned."""
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    sources = [Memory(rng.bytes(3000)) for _ in range(2)]
    width = DTYPES[dtype].bits // 8
    ends, entries = [data.draw(st.integers(0, 9)) for _ in sources], []
    for number in range(data.draw(st.integers(1, 12))):
        source, size = data.draw(st.integers(0, 1)), data.draw(st.integers(0, 9))
        offset = max(0, ends[source] + data.draw(st.sampled_from([0, 0, 0, 1, 4, 300, -5])))
        ends[source] = min(offset + size * width, 2500)
        place = Location(source, min(offset, 2500))
        entries.append(TensorEntry(str(number), (size,), DTYPES[dtype], place))
    entries = data.draw(st.permutations(entries))
    names = tuple(entry.name for entry in entries)
    checkpoint = Checkpoint(Path("m"), Contents("t", "t", tuple(entries), {}), sources)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elements, "_GAP_BYTES", data.draw(st.sampled_from([0, 4, 1000])))
        patch.setattr(elements, "_LONG_BYTES", data.draw(st.sampled_from([0, 1 << 8])))
        patch.setattr(elements, "SPAN_BYTES", data.draw(st.sampled_from([64, 1 << 22])))
        found = checkpoint.bits_joined(names)

    assert found.tolist() == np.concatenate([checkpoint.bits(name) for name in names]).tolist()


def test_small_tensors_that_lie_side_by_side_are_one_read():
    source = Memory(bytes(range(200)))
    entries = tuple(
        TensorEntry(str(n), (4,), DTYPES["F32"], Location(0, 20 * n)) for n in range(10)
    )
    checkpoint = Checkpoint(Path("m"), Contents("t", "t", entries, {}), (source,))
    checkpoint.bits_joined([entry.name for entry in entries])
    assert source.reads == 1
