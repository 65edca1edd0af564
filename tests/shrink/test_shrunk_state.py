"""Gathered entries equal NumPy's indexing; and the reverse direction."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.elements import RawChunk
from pruneapp.document.snapshot import Snapshot
from pruneapp.groups.group import Group, Member
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.shrink import shrunk_state
from pruneapp.shrink.cut import Cut, GroupCut
from pruneapp.shrink.shrunk_state import ShrunkState
from tests.support.memory_checkpoint import MemoryCheckpoint


class OwnMemory(MemoryCheckpoint):
    """Chunks that may be overwritten, like those of a file."""

    def chunks(self, *rest, **more):
        for chunk in super().chunks(*rest, **more):
            yield RawChunk(chunk.start, chunk.bits.copy())


@st.composite
def cuts(draw):
    """Draw a tensor of up to four dimensions, and the entries to keep along some of them."""
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=4)))
    dims = draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))
    kept = {dim: sorted(draw(st.sets(st.integers(0, shape[dim] - 1), min_size=1))) for dim in dims}
    return shape, kept


@given(
    cut=cuts(),
    row=st.sampled_from([1, 6, 1 << 20]),
    gap=st.sampled_from([1, 3, 1 << 16]),
    size=st.integers(1, 40),
)
def test_pieces_are_those_of_the_cut_tensor(cut, row, gap, size):
    shape, kept = cut
    values = np.arange(1, math.prod(shape) + 1, dtype=np.float32).reshape(shape)
    pruned = np.arange(values.size).reshape(shape) % 5 == 3
    checkpoint = OwnMemory({"w.weight": values})
    masks = MaskLayers(MaskSet({"w.weight": BitMask.from_bools(~pruned)}))
    groups = tuple(
        GroupCut(Group("ffn", "w", shape[dim], (Member("w.weight", dim),)), np.array(stay))
        for dim, stay in kept.items()
    )
    before = shrunk_state._ROW, shrunk_state._GAP
    shrunk_state._ROW, shrunk_state._GAP = row, gap
    try:
        state = ShrunkState(Snapshot(checkpoint, masks), Cut(groups))
        entry = state.checkpoint.entry("w.weight")
        chunks = list(state.chunks("w.weight", size=size))
    finally:
        shrunk_state._ROW, shrunk_state._GAP = before
    wanted = np.where(pruned, 0, values)
    for dim, stay in kept.items():
        wanted = np.take(wanted, stay, axis=dim)
    assert entry.shape == wanted.shape
    assert [chunk.start for chunk in chunks] == list(range(0, wanted.size, size))
    got = np.concatenate([chunk.bits for chunk in chunks]).view(np.float32)
    assert np.array_equal(got, wanted.reshape(-1))
