"""The masks of a whole document."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.masks.bitmask import BitMask, MaskSet

NAMES = st.sampled_from("abcd")
MASKS = st.lists(st.booleans(), min_size=1, max_size=9).map(
    lambda kept: BitMask.from_bools(np.array(kept, np.bool_))
)


@given(st.dictionaries(NAMES, MASKS), st.dictionaries(NAMES, st.none() | MASKS))
def test_a_changed_set_is_what_a_dict_would_be_and_the_old_one_stays(before, changes):
    masks = MaskSet(before)
    after = masks.with_masks(changes)
    expected = {n: m for n, m in {**before, **changes}.items() if m is not None}
    assert list(after) == list(expected)
    assert all(after[name] is mask for name, mask in expected.items())
    assert dict(masks) == before
    assert (after is masks) == (not changes)


@given(st.dictionaries(NAMES, MASKS), st.lists(NAMES))
def test_counts_are_those_of_each_tensor(held, names):
    masks = MaskSet(held)
    expected = [int((~held[name].bools()).sum()) if name in held else 0 for name in names]
    assert masks.counts(names) == expected == [masks.pruned(name) for name in names]
