"""Channels of a tensor and the masks that keep or drop them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.masks import channels
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import boxes, channels_left, mask_of_channels, pack_into
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.strategies import shapes


@given(shape=shapes(), dim=st.integers(0, 4), size=st.integers(1, 60))
def test_boxes_cover_every_element_once_and_in_order(shape, dim, size):
    """Boxes follow each other without gaps, within their size, at the right coordinates."""
    dim %= len(shape)
    outer, count, inner = channels.extents(shape, dim)
    flat = np.arange(math.prod(shape)).reshape(outer, count, inner)
    position = 0
    for box in boxes(shape, dim, size):
        part = flat[slice(*box.outer), slice(*box.channels), slice(*box.inner)]
        assert part.size <= size
        assert np.array_equal(part.reshape(-1), np.arange(position, position + part.size))
        assert (box.start, box.stop, box.shape) == (position, position + part.size, part.shape)
        position = box.stop

    assert position == math.prod(shape)


@given(
    shape=shapes(least=2),
    dim=st.integers(0, 4),
    share=st.sampled_from([0.01, 0.1, 0.5]),
    box=st.sampled_from([3, 16, 1 << 18]),
    seed=st.integers(0, 99),
)
def test_a_channel_is_left_while_anything_of_it_is_kept(shape, dim, share, box, seed):
    """The same as the sum of torch's mask over all other dimensions."""
    dim %= len(shape)
    kept = np.random.default_rng(seed).random(shape) < share
    expected = kept.sum(axis=tuple(d for d in range(len(shape)) if d != dim)) != 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(channels, "BOX", box)
        left = channels_left(BitMask.from_bools(kept), shape, dim)

    assert np.array_equal(expected, left)
    assert channels_left(None, shape, dim).all()


@given(shape=shapes(least=2), dim=st.integers(0, 4), seed=st.integers(0, 99))
def test_a_mask_of_channels_keeps_whole_slices(shape, dim, seed):
    """The bits of a channel are all 1 or all 0, those past the end 0."""
    dim %= len(shape)
    stays = np.random.default_rng(seed).random(shape[dim]) < 0.5
    along = [1] * len(shape)
    along[dim] = -1
    expected = np.broadcast_to(stays.reshape(along), shape)

    assert BitMask.from_bools(expected) == mask_of_channels(shape, dim, stays)


def test_masks_of_channels_are_the_same_for_any_box(monkeypatch):
    """A box that ends inside a byte leaves the bits of the next one alone."""
    shape, stays = (5, 7, 3), np.array([True, False, True, True, False, False, True])
    expected = mask_of_channels(shape, 1, stays)
    whole = channels.boxes

    for size in (1, 2, 5, 21, 50):
        monkeypatch.setattr(channels, "boxes", lambda s, d, size=size: whole(s, d, size))
        assert expected == mask_of_channels(shape, 1, stays)


@given(st.integers(0, 20), st.lists(st.booleans(), max_size=40))
def test_bits_are_packed_at_any_position(start, bools):
    """What stood around them stays."""
    before = np.zeros(64, np.bool_)
    before[:start] = True
    packed = np.packbits(before, bitorder="little")
    pack_into(packed, start, np.array(bools, np.bool_))
    before[start : start + len(bools)] = bools

    assert np.array_equal(before, np.unpackbits(packed, bitorder="little").view(np.bool_))


def test_empty_tensors_have_no_boxes():
    """Nothing is read of a tensor without elements."""
    assert list(boxes((0, 4), 0)) == []
    assert list(boxes((3, 0, 2), 0)) == []
    assert mask_of_channels((3, 0), 0, np.ones(3, np.bool_)).size == 0


def test_both_ways_stop_when_cancelled():
    """They ask the job between boxes."""
    token = CancelToken()
    token.cancel()

    with pytest.raises(Cancelled):
        mask_of_channels((3, 4), 0, np.ones(3, np.bool_), Job(cancel=token))
    with pytest.raises(Cancelled):
        channels_left(BitMask.full(12), (3, 4), 0, Job(cancel=token))
