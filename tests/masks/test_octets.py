"""Bits of channels, filled and asked for eight channels at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.masks.channels import any_set, count_set, fill


@given(st.lists(st.booleans(), max_size=40), st.integers(1, 40))
def test_channels_are_filled_with_their_bits(stays, inner):
    """As many as an unpacked array would hold; the bits past the end are 0."""
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
