"""Sums over the slices of channels, added up in one fixed order.

Floating point addition depends on its order, so the order is part of the contract: within a
channel's slice, taken in flat order, blocks of 4,096 elements are added from left to right, then
the blocks in order. What runs side by side is only what is independent: the sums of different
channels, and of different blocks. Numpy adds row after row when it reduces the first axis of a C
ordered matrix of two or more columns, and in one fixed order when it accumulates; everywhere else
it adds pairwise, and is not used here.

Where slices lie in one piece (the first dimension of a matrix), elements must be turned over so
that what is added at once lies side by side. Reading a matrix across its rows is slow, and many
times slower where the length of a row is a power of two, because its elements then compete for
the same few places of the cache. They are copied first into tiles whose rows have an odd length
in lines of the cache.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.reader import Bits
from pruneapp.kernels.contract import BLOCK, Slices
from pruneapp.kernels.side_by_side import STRETCH, in_order
from pruneapp.kernels.slices import read_box, values_of
from pruneapp.kernels.values import decode
from pruneapp.masks.channels import Box, boxes, extents
from pruneapp.progress import Job

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
InPlace = Callable[[Matrix], None]

# Elements of a task whose slices lie in one piece: enough that many of them stand side by side. A
# multiple of BLOCK. And its most bytes.
_BOX = 256 * BLOCK
_BOX_BYTES = 1 << 22
# Elements of a task whose slices are interleaved.
_INTERLEAVED_BOX = 1 << 19
# Elements of whole rows that are added up at once: they stay in the cache of a core.
_COLUMNS_BOX = 1 << 18
# Blocks, and elements of each, that are turned over at once: they stay in the cache of a core.
_TILE_BLOCKS = 288
_TILE_WIDTH = 256
_TILE = _TILE_BLOCKS * _TILE_WIDTH
# float32 values of a line of the cache.
_LINE = 16


def sum_slices(slices: Slices, power: InPlace, job: Job, threads: int) -> Vector:
    """Return the sum of the terms of every channel; steps `job` by the elements.

    Parameters
    ----------
    slices
        The tensor.
    power
        Turns values into the terms of the sum, in place; called from any thread.
    job
        Looked at in all threads, stepped in this one.
    threads
        How many work at once; 1 is this one. The sums do not depend on it.
    """
    outer, channels, inner = extents(slices.shape, slices.dim)
    if outer * channels * inner == 0:
        return np.zeros(channels)
    # Every run of a channel begins at a block's border: blocks can be added side by side.
    if outer == 1 or inner % BLOCK == 0:
        return _sum_runs(slices, power, job, threads)
    if inner == 1:
        return _sum_columns(slices, power, job, threads)
    return _sum_rows(slices, power, job, threads)


def _sum_runs(slices: Slices, power: InPlace, job: Job, threads: int) -> Vector:
    total: Vector = np.zeros(slices.shape[slices.dim])
    tiles = _Tiles(slices.dtype, power, job)

    def work(box: Box) -> tuple[Box, NDArray[np.float64]]:
        with np.errstate(all="ignore"):  # infinities and NaN are answers here
            runs = read_box(slices, box)
            return box, np.stack([tiles.sums_of_blocks(run) for run in runs])

    # The blocks of one channel, if there is just one in a box, must fit into a tile.
    size = min(_BOX, _TILE_BLOCKS * BLOCK, max(_BOX_BYTES // (slices.dtype.bits // 8), BLOCK))
    tasks = boxes(slices.shape, slices.dim, size)
    for box, sums in in_order(tasks, work, job, threads):
        channels = slice(*box.channels)
        for run in sums:
            for block in run.T:
                total[channels] += block
        job.step(box.stop - box.start)
    return total


class _Tiles(threading.local):
    """Turns the runs of channels over, tile by tile, and adds them up.

    Every thread has tiles of its own.

    Parameters
    ----------
    dtype
        Of the elements.
    power
        Turns values into terms.
    job
        Asked whether to go on.
    """

    def __init__(self, dtype: DType, power: InPlace, job: Job) -> None:
        self._dtype = dtype
        self._power = power
        self._job = job
        kind = decode(np.empty(0, np.dtype(dtype.storage)), dtype).dtype
        self._values = np.empty(_TILE_BLOCKS * (_TILE_WIDTH + _LINE), kind)
        self._terms = np.empty(_TILE)

    def sums_of_blocks(self, run: Bits) -> NDArray[np.float64]:
        """Return the sums of the blocks of some channels, shape (channels, blocks).

        `run` are their elements from a block's border on, C ordered, shape (channels, inner).
        """
        channels, inner = run.shape
        whole, rest = divmod(inner, BLOCK)
        sums = np.zeros((channels, -(-inner // BLOCK)))
        blocks = as_strided(
            run,
            (channels, sums.shape[1], min(inner, BLOCK)),
            (run.strides[0], BLOCK * run.itemsize, run.itemsize),
            writeable=False,
        )
        # All blocks as far as the last and shorter one reaches, then the others alone.
        self._add(blocks[..., :rest], sums)
        self._add(blocks[:, :whole, rest:], sums[:, :whole])
        return sums

    def _add(self, blocks: Bits, sums: NDArray[np.float64]) -> None:
        """Add the last axis of (channels, blocks, elements) to `sums`, from left to right."""
        channels, count, length = blocks.shape
        if not blocks.size:
            return
        width = min(length, _TILE_WIDTH)
        most = self._values.size // (width + _LINE) // count
        parts = -(-channels // max(most, 1))
        for first, last in pairwise(channels * part // parts for part in range(parts + 1)):
            self._job.cancel.check()
            group = blocks[first:last]
            total = sums[first:last].reshape(-1)
            for left in range(0, length, width):
                total = self._add_tile(group[..., left : left + width], total)
            sums[first:last] = total.reshape(-1, count)

    def _add_tile(self, part: Bits, total: Vector) -> Vector:
        rows, width = total.size, part.shape[-1]
        values = self._values[: rows * (width + _LINE)].reshape(*part.shape[:2], width + _LINE)
        values[..., :width] = decode(part, self._dtype)
        terms = self._terms[: width * rows].reshape(width, rows)
        np.copyto(terms, values.reshape(rows, -1)[:, :width].T)
        self._power(terms)
        terms[0] += total
        return _add_in_order(terms)


def _sum_columns(slices: Slices, power: InPlace, job: Job, threads: int) -> Vector:
    """Sum slices of which an element lies in every row: blocks of rows side by side."""
    rows, channels, _ = extents(slices.shape, slices.dim)
    blocks = max(1, STRETCH // (BLOCK * channels))  # of a task

    def work(task: range) -> tuple[int, list[Vector]]:
        terms: Matrix = np.empty((max(1, _COLUMNS_BOX // channels), channels))
        starts = range(task.start, task.stop, BLOCK)
        with np.errstate(all="ignore"):  # infinities and NaN are answers here
            return len(task), [add(range(s, min(s + BLOCK, task.stop)), terms) for s in starts]

    def add(block: range, terms: Matrix) -> Vector:
        total: Vector = np.zeros(channels)
        for first in range(block.start, block.stop, len(terms)):
            job.cancel.check()
            last = min(first + len(terms), block.stop)
            box = Box(first * channels, (first, last), (0, channels), (0, 1))
            part = terms[: last - first]
            np.copyto(part, values_of(slices, box)[..., 0])
            power(part)
            part[0] += total
            total = _add_in_order(part)
        return total

    total: Vector = np.zeros(channels)
    step = blocks * BLOCK
    tasks = (range(first, min(first + step, rows)) for first in range(0, rows, step))
    for count, sums in in_order(tasks, work, job, threads):
        for block in sums:
            total += block
        job.step(count * channels)
    return total


def _sum_rows(slices: Slices, power: InPlace, job: Job, threads: int) -> Vector:
    """Sum slices that lie interleaved: the terms are made side by side, and added row by row."""
    inner = extents(slices.shape, slices.dim)[2]
    sums = _RowSums(slices.shape[slices.dim])
    used: deque[Vector] = deque()  # fresh memory costs more than the work on it

    def work(box: Box) -> tuple[Box, Matrix, Vector]:
        job.cancel.check()
        outer, channels, inner = box.shape
        try:
            memory = used.pop()
        except IndexError:
            memory = np.empty(_INTERLEAVED_BOX)
        rows = memory[: outer * inner * channels].reshape(outer * inner, channels)
        with np.errstate(all="ignore"):
            values = values_of(slices, box).transpose(0, 2, 1)
            step = max(1, _TILE // (inner * channels))
            for first in range(0, outer, step):  # the cache of a core holds so much
                part = rows[first * inner : (first + step) * inner]
                np.copyto(part.reshape(-1, inner, channels), values[first : first + step])
                power(part)
        return box, rows, memory

    with np.errstate(all="ignore"):
        tasks = boxes(slices.shape, slices.dim, _INTERLEAVED_BOX)
        for box, rows, memory in in_order(tasks, work, job, threads):
            sums.add(slice(*box.channels), rows, box.outer[0] * inner + box.inner[0])
            job.step(rows.size)
            used.append(memory)
    return sums.total()


class _RowSums:
    """Adds up the slices of all channels, given element by element.

    Parameters
    ----------
    channels
        How many there are.
    """

    def __init__(self, channels: int) -> None:
        self._total: Vector = np.zeros(channels)
        self._block: Vector = np.zeros(channels)  # the block that is under way

    def total(self) -> Vector:
        """Return the sums, the last and shorter blocks with them."""
        return self._total + self._block

    def add(self, channels: slice, rows: Matrix, position: int) -> None:
        """Add terms that stand at `position` and after it in the slices, one row each."""
        at = 0
        while at < len(rows):
            end = min(len(rows), at + BLOCK - position % BLOCK)
            part = rows[at:end]
            part[0] += self._block[channels]
            self._block[channels] = _add_in_order(part)
            position += end - at
            at = end
            if position % BLOCK == 0:
                self._total[channels] += self._block[channels]
                self._block[channels] = 0


def _add_in_order(rows: Matrix) -> Vector:
    """Add the rows of a C ordered matrix from the first to the last."""
    if rows.shape[1] == 1:  # numpy would add pairwise
        return np.add.accumulate(rows[:, 0])[-1:]
    total: Vector = np.add.reduce(rows, axis=0)
    return total
