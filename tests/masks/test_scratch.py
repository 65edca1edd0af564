"""Masks in a file equal masks in memory, and the file is deleted with them."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.errors import ScratchError
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask, ones
from pruneapp.masks.channels import channels_left, count_kept_by_channel, mask_of_channels
from pruneapp.progress import Job
from tests.support.scratch_files import assert_none_open, limit_memory, open_files

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
# Around one page, and several of them.
SIZES = st.one_of(st.integers(1, 200), st.integers(32_760, 32_780), st.integers(90_000, 110_000))


def pair(size: int, seed: int, share: float = 0.5) -> tuple[BitMask, BitMask]:
    """Return the same mask in memory and in a file."""
    held = BitMask.from_bools(np.random.default_rng(seed).random(size) < share)
    with pytest.MonkeyPatch.context() as patch:
        limit_memory(patch)
        packed = scratch.bits(size)
        packed[:] = held.packed
        return held, BitMask(packed, size)


@given(SIZES, st.integers(0, 99), st.data())
def test_a_mask_in_a_file_is_as_one_in_memory(size, seed, data):
    (a, b), (c, d) = pair(size, seed), pair(size, seed + 100, 0.9)
    start = data.draw(st.integers(0, size))
    stop = data.draw(st.integers(start, size))
    with pytest.MonkeyPatch.context() as patch:
        limit_memory(patch)
        assert (a.mapped, b.mapped, b.memory, b.nbytes) == (False, True, 0, a.memory)
        assert np.array_equal(a.bools(start, stop), b.bools(start, stop))
        assert (a.kept, a.pruned) == (b.kept, b.pruned)
        assert b"".join(part.tobytes() for _, part in b.parts()) == a.packed.tobytes()
        for made, expected in ((b & d, a & c), (b | d, a | c), (b - d, a - c), (b & c, a & c)):
            assert made.mapped
            assert made == expected
            assert expected == made
            assert made.kept == ones(expected.packed)
        assert (b == d) == (a == c)
        full = BitMask.full(size)
        assert full.mapped
        assert (full.kept, full.packed.tobytes()) == (size, BitMask.full(size).packed.tobytes())


@given(
    st.lists(st.integers(1, 24), min_size=2, max_size=4).filter(lambda s: np.prod(s) < 40_000),
    st.integers(0, 99),
    st.sampled_from([0.01, 0.5, 0.99]),
    st.data(),
)
def test_channels_of_a_mask_in_a_file(shape, seed, share, data):
    dim = data.draw(st.integers(0, len(shape) - 1))
    held, mapped = pair(int(np.prod(shape)), seed, share)
    stays = np.random.default_rng(seed).random(shape[dim]) < 0.5
    shape = tuple(shape)
    expected = mask_of_channels(shape, dim, stays, Job())
    with pytest.MonkeyPatch.context() as patch:
        limit_memory(patch)
        made = mask_of_channels(shape, dim, stays, Job())
        assert made.mapped
        assert made == expected
        for count in (count_kept_by_channel, channels_left):
            np.testing.assert_array_equal(
                count(mapped, shape, dim, Job()), count(held, shape, dim, Job())
            )


@given(st.integers(1, 30), st.sampled_from([8, 64, 4096 * 8, 5000 * 8]), st.integers(0, 9))
def test_long_channels_of_a_mask_in_a_file(channels, inner, seed):
    """They are counted byte by byte, across the pieces."""
    held, mapped = pair(channels * inner, seed, 0.1)
    with pytest.MonkeyPatch.context() as patch:
        limit_memory(patch)
        np.testing.assert_array_equal(
            count_kept_by_channel(mapped, (channels, inner), 0, Job()),
            count_kept_by_channel(held, (channels, inner), 0, Job()),
        )


def test_masks_up_to_the_limit_stay_in_memory(monkeypatch):
    limit_memory(monkeypatch, 100)
    assert not BitMask.full(800).mapped
    assert BitMask.full(801).mapped
    assert not scratch.bits(801, zeroed=True).any()


@linux
def test_the_file_goes_with_the_last_array_over_it(monkeypatch):
    limit_memory(monkeypatch)
    mask = BitMask.full(100_000)
    view = mask.packed[10:20]
    assert open_files()
    del mask
    assert view.tobytes() == b"\xff" * 10
    assert open_files()
    del view
    assert_none_open()


@linux
def test_what_was_touched_is_given_up_and_stays(monkeypatch):
    """Resident memory grows by a piece at most, for any reads and writes."""
    limit_memory(monkeypatch)
    size = 8 << 23
    packed = scratch.bits(size)
    piece = np.arange(1 << 16, dtype=np.uint32).view(np.uint8)  # 256 KiB
    for start in range(0, packed.size, piece.size):
        packed[start : start + piece.size] = piece
        scratch.release_pages(packed, start, start + piece.size)
    mask = BitMask(packed, size)
    assert sum(1 for _ in mask.parts()) == packed.size // 4096
    mask.bools(0, 8 * piece.size)
    assert _resident(packed) <= 4096
    assert packed[-piece.size :].tobytes() == piece.tobytes()
    assert _resident(packed) >= piece.size


def _resident(packed: np.ndarray) -> int:
    """Return the resident bytes of an array, from /proc/self/smaps."""
    place = f"{packed.ctypes.data:x}-"
    with Path("/proc/self/smaps").open() as lines:
        for line in lines:
            if line.startswith(place):
                break
        for line in lines:
            if line.startswith("Rss:"):
                return 1024 * int(line.split()[1])
    raise AssertionError("it is not mapped")


def test_too_little_space_is_said_before_anything_is_made(monkeypatch):
    folder = os.environ["XDG_CACHE_HOME"]
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=3_200_000_000))
    scratch.require_room([1 << 31, 1000])  # in memory
    with pytest.raises(ScratchError) as refused:
        scratch.require_room([1 << 36])
    assert refused.value.sentence == (
        f"A mask of 8.6 GB does not fit into memory and is kept in '{folder}/pruneapp', "
        "but 3.2 GB are free."
    )
    assert "XDG_CACHE_HOME" in refused.value.remedy
    with pytest.raises(ScratchError):
        BitMask.full(1 << 36)


@linux
def test_what_the_system_refuses_is_said_and_leaves_nothing(monkeypatch):
    """The disk may have been filled since free space was checked."""
    limit_memory(monkeypatch)

    def refuse(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with pytest.raises(ScratchError, match="system error: no space left on device"):
        scratch.bits(1000)
    assert_none_open()
