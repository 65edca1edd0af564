"""Packed masks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.masks.bitmask import BitMask, MaskSet

bools = st.lists(st.booleans(), max_size=300).map(lambda b: np.array(b, np.bool_))


@given(bools, st.data())
def test_unpacking_gives_back_what_was_packed(kept, data):
    """Any part of it, and the counts."""
    mask = BitMask.from_bools(kept)
    start = data.draw(st.integers(0, kept.size))
    stop = data.draw(st.integers(start, kept.size))

    assert np.array_equal(kept, mask.bools())
    assert np.array_equal(kept[start:stop], mask.bools(start, stop))
    assert (int(kept.sum()), kept.size - int(kept.sum())) == (mask.kept, mask.pruned)


@given(bools, st.integers(0, 99))
def test_masks_combine_by_and(kept, seed):
    """The result prunes what either prunes."""
    other = np.random.default_rng(seed).random(kept.size) < 0.5

    assert BitMask.from_bools(kept & other) == BitMask.from_bools(kept) & BitMask.from_bools(other)


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 64, 65])
def test_a_full_mask_has_no_bits_past_its_end(size):
    """Otherwise counting whole words would be wrong."""
    assert BitMask.from_bools(np.ones(size, np.bool_)) == BitMask.full(size)
    assert size == BitMask.full(size).kept


def test_masks_cannot_be_written_to():
    """They are shared by states."""
    with pytest.raises(ValueError):
        BitMask.full(9).packed[0] = 0


def test_a_changed_set_shares_what_did_not_change():
    """None removes a mask."""
    a, b = BitMask.full(3), BitMask.full(4)
    before = MaskSet({"a": a, "b": b})
    after = before.with_masks({"b": None, "c": b})

    assert list(after) == ["a", "c"]
    assert after["a"] is a
    assert list(before) == ["a", "b"]
    assert (after.pruned("a"), after.pruned("nowhere")) == (0, 0)


def test_a_set_says_what_it_has_not_as_any_mapping_does():
    """It has its own implementation, because Mapping.get uses a slow exception."""
    a = BitMask.full(3)
    masks = MaskSet({"a": a})
    assert masks.get("a") is masks.get("a", None) is a
    assert masks.get("b") is None
    assert masks.get("b", "nothing") == "nothing"
    assert "a" in masks
    assert "b" not in masks
    assert {"get", "__contains__"} <= vars(MaskSet).keys()


# The masks of a whole document


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
