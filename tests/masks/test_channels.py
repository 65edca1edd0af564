"""Channels of a tensor and the masks that keep or prune them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.masks import channels
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import (
    any_set,
    boxes,
    channels_left,
    count_kept_by_channel,
    count_set,
    fill,
    mask_of_channels,
    pack_into,
)
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.strategies import shapes


@given(shape=shapes(), dim=st.integers(0, 4), size=st.integers(1, 60))
def test_boxes_cover_every_element_once_and_in_order(shape, dim, size):
    """Boxes are consecutive, within their size, at the correct coordinates."""
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
    pattern=st.sampled_from([1, 64, 1 << 15]),
    seed=st.integers(0, 99),
)
def test_a_channel_is_left_while_anything_of_it_is_kept(shape, dim, share, pattern, seed):
    """The same as the sum of torch's mask over all other dimensions."""
    dim %= len(shape)
    kept = np.random.default_rng(seed).random(shape) < share
    expected = kept.sum(axis=tuple(d for d in range(len(shape)) if d != dim)) != 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(channels, "_PATTERN", pattern)
        left = channels_left(BitMask.from_bools(kept), shape, dim, Job())

    assert np.array_equal(expected, left)
    assert channels_left(None, shape, dim, Job()).all()


@given(
    shape=shapes(least=2),
    dim=st.integers(0, 4),
    share=st.sampled_from([None, 0.1, 0.9]),
    box=st.sampled_from([3, 16, 1 << 18]),
    long=st.sampled_from([1, 8, 64]),
    seed=st.integers(0, 99),
)
def test_counts_of_channels_are_those_of_their_elements(shape, dim, share, box, long, seed):
    """For every implementation of counting."""
    dim %= len(shape)
    kept = np.random.default_rng(seed).random(shape) < (1.0 if share is None else share)
    expected = kept.sum(axis=tuple(d for d in range(len(shape)) if d != dim))
    mask = None if share is None else BitMask.from_bools(kept)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(channels, "BOX", box)
        patch.setattr(channels, "_LONG", long)
        counts = count_kept_by_channel(mask, shape, dim, Job())

    assert counts.dtype == np.int64
    assert np.array_equal(expected, counts)


@pytest.mark.parametrize("shape", [(2, 3, 300), (1000, 3, 1), (70, 5, 77)], ids=str)
def test_counts_beyond_a_byte(shape):
    """More than 255 per channel, across groups and within one."""
    for dim in range(3):
        counts = count_kept_by_channel(BitMask.full(math.prod(shape)), shape, dim, Job())

        assert (counts == math.prod(shape) // shape[dim]).all()


@given(
    shape=shapes(least=2),
    dim=st.integers(0, 4),
    pattern=st.sampled_from([1, 64, 1 << 15]),
    seed=st.integers(0, 99),
)
def test_a_mask_of_channels_keeps_whole_slices(shape, dim, pattern, seed):
    """The bits of a channel are all 1 or all 0, those after the end 0."""
    dim %= len(shape)
    stays = np.random.default_rng(seed).random(shape[dim]) < 0.5
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(channels, "_PATTERN", pattern)
        found = mask_of_channels(shape, dim, stays, Job())

    assert BitMask.from_bools(_spread(stays, shape, dim)) == found


@pytest.mark.parametrize(
    "shape",
    [
        (1000, 96),
        (1001, 97),
        (64, 33, 3, 3),
        (9, 4099),
        (3, 2, 70_001),
        (20_011, 3, 2),
        (7, 1, 1),
        (1, 7, 1),
    ],
    ids=str,
)
def test_patterns_are_repeated_to_the_last_bit(shape):
    """Large tensors of even and odd sizes, along every dimension, in both directions."""
    for dim in range(len(shape)):
        stays = np.random.default_rng(dim).random(shape[dim]) < 0.5
        expected = _spread(stays, shape, dim)
        found = mask_of_channels(shape, dim, stays, Job())

        assert BitMask.from_bools(expected) == found
        assert np.array_equal(stays, channels_left(found, shape, dim, Job()))
        one = np.zeros(shape, np.bool_)
        one[tuple(n - 1 for n in shape)] = True
        last = np.arange(shape[dim]) == shape[dim] - 1
        assert np.array_equal(last, channels_left(BitMask.from_bools(one), shape, dim, Job()))
        assert np.array_equal(
            last, count_kept_by_channel(BitMask.from_bools(one), shape, dim, Job())
        )


def _spread(stays, shape, dim):
    along = [1] * len(shape)
    along[dim] = -1
    return np.broadcast_to(stays.reshape(along), shape)


@given(st.integers(0, 20), st.lists(st.booleans(), max_size=40))
def test_bits_are_packed_at_any_position(start, bools):
    """The surrounding bits are unchanged."""
    before = np.zeros(64, np.bool_)
    before[:start] = True
    packed = np.packbits(before, bitorder="little")
    pack_into(packed, start, np.array(bools, np.bool_))
    before[start : start + len(bools)] = bools

    assert np.array_equal(before, np.unpackbits(packed, bitorder="little").view(np.bool_))


@pytest.mark.parametrize("start", [0, 5, 8])
@pytest.mark.parametrize("size", [(1 << 15) - 3, 1 << 15, (1 << 15) + 11])
def test_many_bits_are_packed_between_others(start, size):
    before = np.ones(1 << 16, np.bool_)
    before[start : start + size] = False
    packed = np.packbits(before, bitorder="little")
    before[start : start + size] = np.random.default_rng(size).random(size) < 0.5
    pack_into(packed, start, before[start : start + size])

    assert np.array_equal(before, np.unpackbits(packed, bitorder="little").view(np.bool_))


def test_empty_tensors_have_no_boxes():
    assert list(boxes((0, 4), 0)) == []
    assert list(boxes((3, 0, 2), 0)) == []
    for shape in ((3, 0), (0, 3)):
        for dim in (0, 1):
            stays = np.ones(shape[dim], np.bool_)
            assert mask_of_channels(shape, dim, stays, Job()).size == 0
            assert not channels_left(BitMask.full(0), shape, dim, Job()).any()
            assert not count_kept_by_channel(BitMask.full(0), shape, dim, Job()).any()


def test_all_ways_stop_when_cancelled():
    """They check the job before they start."""
    token = CancelToken()
    token.cancel()

    with pytest.raises(Cancelled):
        mask_of_channels((3, 4), 0, np.ones(3, np.bool_), Job(cancel=token))
    with pytest.raises(Cancelled):
        channels_left(BitMask.full(12), (3, 4), 0, Job(cancel=token))
    with pytest.raises(Cancelled):
        count_kept_by_channel(BitMask.full(12), (3, 4), 0, Job(cancel=token))


# Bits of channels, filled and tested for eight channels at a time


@given(st.lists(st.booleans(), max_size=40), st.integers(1, 40))
def test_channels_are_filled_with_their_bits(stays, inner):
    """As in an unpacked array; bits after the end are 0."""
    stays = np.array(stays, np.bool_)
    packed = fill(stays, inner)

    assert packed.dtype == np.uint8
    assert np.array_equal(np.packbits(np.repeat(stays, inner), bitorder="little"), packed)


@given(st.integers(0, 30), st.integers(1, 40), st.integers(0, 2**32 - 1), st.data())
def test_bits_are_found_where_they_are(channels, inner, seed, data):
    """Any and all, in every channel, for few and many bits."""
    share = data.draw(st.sampled_from([0.0, 0.02, 0.5, 1.0]))
    bits = np.random.default_rng(seed).random((channels, inner)) < share
    packed = np.packbits(bits.reshape(-1), bitorder="little")

    assert np.array_equal(bits.any(axis=1), any_set(packed, channels, inner))
    assert np.array_equal(bits.sum(axis=1), count_set(packed, channels, inner))
