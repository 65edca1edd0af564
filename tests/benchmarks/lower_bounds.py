"""Lower bounds of the steps of the job on this machine: each function does one thing only."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

READ_BYTES = 1 << 20
WRITE_BYTES = 32 << 20


def read(path: Path, threads: int = 1) -> float:
    """Read a file, each thread a part of it into a small buffer; return the seconds."""
    with path.open("rb", buffering=0) as stream:

        def part(first: int, last: int) -> None:
            buffer = memoryview(bytearray(READ_BYTES))
            for at in range(first, last, READ_BYTES):
                os.preadv(stream.fileno(), [buffer[: last - at]], at)

        return _shared(part, path.stat().st_size, threads)


def compare_and_pack(weights: int, threads: int = 1) -> float:
    """Compare bit patterns of float32 with a threshold and pack the results; return the seconds.

    The patterns are in the CPU cache, so only the arithmetic is measured.
    """
    chunk = np.random.default_rng(0).standard_normal(1 << 16, np.float32).view(np.uint32)
    cut = np.median(chunk & np.uint32(0x7FFFFFFF)).astype(np.uint32)
    packed = np.empty(weights // 8, np.uint8)
    packed.fill(0)  # allocate its pages

    def part(first: int, last: int) -> None:
        keys, kept = np.empty(chunk.shape, np.uint32), np.empty(chunk.shape, np.bool_)
        for at in range(first, last, chunk.size):
            np.bitwise_and(chunk, np.uint32(0x7FFFFFFF), out=keys)
            np.greater_equal(keys, cut, out=kept)
            bits = np.packbits(kept, bitorder="little")
            packed[at // 8 : at // 8 + bits.size] = bits[: weights // 8 - at // 8]

    return _shared(part, weights, threads, chunk.size)


def digest(nbytes: int) -> float:
    """Return the seconds of computing SHA-256 over `nbytes` that are in the CPU cache."""
    piece = os.urandom(READ_BYTES)
    began = time.perf_counter()
    state = hashlib.sha256()
    for _ in range(0, nbytes, READ_BYTES):
        state.update(piece)
    state.digest()
    return time.perf_counter() - began


def write_verified(path: Path, nbytes: int) -> float:
    """Write a file in pieces of 32 MB, each flushed, while the previous one is read from the disk.

    Returns the seconds.
    """
    piece = memoryview(os.urandom(WRITE_BYTES))
    again = memoryview(bytearray(READ_BYTES))
    with path.open("w+b", buffering=0) as stream, ThreadPoolExecutor(1) as pool:
        file = stream.fileno()

        def verify(first: int, last: int) -> None:
            os.posix_fadvise(file, first, last - first, os.POSIX_FADV_DONTNEED)
            for at in range(first, last, READ_BYTES):
                os.preadv(file, [again[: last - at]], at)
            os.posix_fadvise(file, first, last - first, os.POSIX_FADV_DONTNEED)

        began = time.perf_counter()
        verified = pool.submit(verify, 0, 0)
        for at in range(0, nbytes, WRITE_BYTES):
            size = os.pwrite(file, piece[: nbytes - at], at)
            os.fdatasync(file)
            verified.result()
            verified = pool.submit(verify, at, at + size)
        verified.result()
        os.fsync(file)
        seconds = time.perf_counter() - began
    path.unlink()
    return seconds


def durable_copy(source: Path, target: Path) -> float:
    """Copy a file as ``cp`` does and fsync it; delete the copy. Return the seconds."""
    began = time.perf_counter()
    with source.open("rb") as reading, target.open("wb") as writing:
        while os.sendfile(writing.fileno(), reading.fileno(), None, 1 << 30):
            pass
        os.fsync(writing.fileno())
    seconds = time.perf_counter() - began
    target.unlink()
    return seconds


def drop_from_cache(path: Path) -> None:
    """Drop a file from the page cache."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())  # dirty pages cannot be dropped
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _shared(
    part: Callable[[int, int], None], size: int, threads: int, step: int = READ_BYTES
) -> float:
    each = -(-size // threads // step) * step
    firsts = range(0, size, each)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(part, [0] * threads, [0] * threads))  # start the threads
        began = time.perf_counter()
        list(pool.map(part, firsts, [min(first + each, size) for first in firsts]))
        return time.perf_counter() - began
