"""Masks of a state of another document, for the tensors that both have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.existing_masks import masks_from
from pruneapp.errors import SelectionError
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Job
from tests.support.memory_checkpoint import MemoryCheckpoint

NAMES = ("a.weight", "b.weight", "c.weight", "d.weight")
SHAPES = st.sampled_from([(2, 3), (3, 2), (6,)])


def state_of(shapes, pruned, permanent):
    def masks(which):
        return MaskSet(
            {name: BitMask.from_bools(kept) for name, kept in which.items() if name in shapes}
        )

    checkpoint = MemoryCheckpoint({n: np.ones(s, np.float32) for n, s in shapes.items()})
    layers = MaskLayers(masks=masks(pruned), permanent=masks(permanent))
    return Snapshot(checkpoint, layers)


bits = st.lists(st.booleans(), min_size=6, max_size=6).map(np.array)


@given(
    there=st.dictionaries(st.sampled_from(NAMES), SHAPES, min_size=1),
    here=st.dictionaries(st.sampled_from(NAMES), SHAPES, min_size=1),
    pruned=st.dictionaries(st.sampled_from(NAMES), bits),
    permanent=st.dictionaries(st.sampled_from(NAMES), bits),
    names=st.sets(st.sampled_from(NAMES)),
)
def test_what_is_pruned_or_permanent_there_is_taken_where_names_and_shapes_agree(
    there, here, pruned, permanent, names
):
    source = state_of(there, pruned, permanent)
    checkpoint = state_of(here, {}, {}).checkpoint
    asked = [n for n in there if n in names]
    whole = np.ones(6, bool)
    zeros = {n: ~(pruned.get(n, whole) & permanent.get(n, whole)) for n in asked}
    some = [n for n in asked if zeros[n].any()]
    fit = [n for n in here if n in some and here[n] == there[n]]
    if not fit:
        with pytest.raises(
            SelectionError, match="None of these tensors" if some else "Nothing is pruned"
        ):
            masks_from(source, asked, checkpoint, Job())
        return
    taken = masks_from(source, asked, checkpoint, Job())
    assert list(taken.masks) == fit
    for name, mask in taken.masks.items():
        np.testing.assert_array_equal(~mask.bools(), zeros[name])
    assert len(taken.misfits) == len(some) - len(fit)


def test_tensors_are_the_same_by_any_of_their_names_and_say_why_not():
    source = state_of({"x": (2, 3), "y": (2, 3)}, {n: np.zeros(6, bool) for n in "xy"}, {})
    tensors = {"tied": np.ones((2, 3), np.float32), "y": np.ones((2, 3), np.float32)}
    checkpoint = MemoryCheckpoint(
        tensors, tied={"aliases": ("x",)}, y={"why_not": "it is a counter"}
    )
    taken = masks_from(source, ["x", "y"], checkpoint, Job())
    assert list(taken.masks) == ["tied"]
    assert taken.misfits == ("'y' cannot be pruned here: it is a counter.",)
    with pytest.raises(SelectionError, match=r"None of these tensors") as refused:
        masks_from(source, ["y"], checkpoint, Job())
    assert refused.value.details == taken.misfits[0]
