"""Norms of channels, added up in one fixed order.

Floating point addition depends on its order, so the order is part of the contract: within a
channel's slice, taken in flat order, blocks of 4,096 elements are added from left to right, then
the blocks in order. What runs side by side is only what is independent: the sums of different
channels, and of different blocks. Numpy adds row after row when it reduces the first axis of a C
ordered matrix of two or more columns, and in one fixed order when it accumulates; everywhere else
it adds pairwise, and is not used here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.reader import Bits
from pruneapp.kernels.contract import BLOCK, Slices
from pruneapp.kernels.nuclear import nuclear_norms
from pruneapp.kernels.values import Floats, decode
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import Box, boxes, extents
from pruneapp.params import Norm
from pruneapp.progress import Job

# Elements of a box: the float64 values of one stay in the cache of a core.
_BOX = 1 << 17

Matrix = NDArray[np.float64]
InPlace = Callable[[Matrix], None]


def channel_norms(slices: Slices, n: Norm, job: Job) -> NDArray[np.float64]:
    """Return the norm of every channel; see `Kernel.channel_norms`."""
    if n == "nuc":
        return nuclear_norms(slices, values_of_boxes, job)
    order = 2.0 if n == "fro" else _as_float(n)
    with np.errstate(all="ignore"):  # infinities and NaN are answers here
        if math.isinf(order):
            return _extremes(slices, job, largest=order > 0)
        sums = _BlockSums(slices.shape, slices.dim, _power(order))
        for box, values in values_of_boxes(slices, job, _BOX):
            sums.add(box, values)
            job.step(values.size)
        return _root(sums.total(), order)


def _as_float(n: Norm) -> float:
    try:
        return float(n)
    except OverflowError:  # an int beyond float64: the limit is the largest or the smallest
        return math.inf if int(n) > 0 else -math.inf


def values_of_boxes(slices: Slices, job: Job, size: int) -> Iterator[tuple[Box, Floats]]:
    """Yield the boxes of a tensor with their values, 0 where pruned, shaped like the box.

    Parameters
    ----------
    slices
        The tensor.
    job
        Asked whether to go on; the elements are stepped by the caller.
    size
        Elements of a box at most.
    """
    reader = _Recut(slices)
    for box in boxes(slices.shape, slices.dim, size):
        job.step(0)
        yield box, _values(reader.take(box.stop - box.start), box, slices.dtype, slices.kept)


def _values(bits: Bits, box: Box, dtype: DType, kept: BitMask | None) -> Floats:
    values = decode(bits, dtype)
    if kept is not None:
        # Not multiplied: inf and NaN are pruned, too.
        values = np.where(kept.bools(box.start, box.stop), values, values.dtype.type(0))
    return values.reshape(box.shape)


class _Recut:
    """Cuts the chunks of a tensor anew, into pieces of whatever size is asked for."""

    def __init__(self, slices: Slices) -> None:
        self._chunks = slices.read()
        self._rest = np.empty(0, slices.dtype.storage)

    def take(self, size: int) -> Bits:
        """Return the next `size` elements, valid until the next call."""
        if self._rest.size < size:
            parts: list[Bits] = []
            while size > (have := self._rest.size):
                parts.append(self._rest.copy())  # the buffer is about to be used again
                size -= have
                self._rest = next(self._chunks).bits
            parts.append(self._rest[:size])
            self._rest = self._rest[size:]
            return np.concatenate(parts)
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece


def _power(order: float) -> InPlace:
    """Return what turns values into the terms of the sum, in place."""

    def count(values: Matrix) -> None:
        values[...] = np.where(np.isnan(values), values, values != 0)

    def magnitude(values: Matrix) -> None:
        np.abs(values, out=values)

    def square(values: Matrix) -> None:
        np.multiply(values, values, out=values)

    def power(values: Matrix) -> None:
        np.abs(values, out=values)
        np.power(values, order, out=values)

    special: dict[float, InPlace] = {0.0: count, 1.0: magnitude, 2.0: square}
    return special.get(order, power)


def _root(total: NDArray[np.float64], order: float) -> NDArray[np.float64]:
    if order in {0.0, 1.0}:
        return total
    return np.sqrt(total) if order == 2.0 else np.power(total, 1.0 / order)


class _BlockSums:
    """Adds up the slices of all channels in the order of the contract.

    Parameters
    ----------
    shape, dim
        Of the tensor.
    power
        Turns values into terms.
    """

    def __init__(self, shape: tuple[int, ...], dim: int, power: InPlace) -> None:
        outer, channels, self._inner = extents(shape, dim)
        # Every run of a channel begins at a block's border: blocks can be added side by side.
        self._aligned = outer == 1 or self._inner % BLOCK == 0
        self._power = power
        self._total = np.zeros(channels)
        self._block = np.zeros(channels)  # the block that is under way

    def add(self, box: Box, values: Floats) -> None:
        """Take the next box, shape (outer, channels, inner)."""
        channels = slice(*box.channels)
        if self._aligned:
            for run in values:
                self._add_blocks(channels, run)
            return
        outer, count, inner = values.shape
        rows: Matrix = np.empty((outer * inner, count))
        rows.reshape(outer, inner, count)[...] = values.transpose(0, 2, 1)
        self._power(rows)
        self._add_rows(channels, rows, box.outer[0] * self._inner + box.inner[0])

    def total(self) -> NDArray[np.float64]:
        """Return the sums, the last and shorter blocks with them."""
        return self._total + self._block

    def _add_blocks(self, channels: slice, run: Floats) -> None:
        """Add a run of each channel that begins at a block's border, shape (channels, inner)."""
        count, inner = run.shape
        blocks = inner // BLOCK
        if blocks:
            whole = run[:, : blocks * BLOCK].reshape(count * blocks, BLOCK)
            sums = self._sums_of_columns(whole.T).reshape(count, blocks)
            for block in sums.T:
                self._total[channels] += block
        if inner % BLOCK:  # only at the end of a slice
            self._total[channels] += self._sums_of_columns(run[:, blocks * BLOCK :].T)

    def _sums_of_columns(self, columns: Floats) -> NDArray[np.float64]:
        terms: Matrix = np.empty(columns.shape)
        np.copyto(terms, columns)
        self._power(terms)
        return _add_in_order(terms)

    def _add_rows(self, channels: slice, rows: Matrix, position: int) -> None:
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


def _add_in_order(rows: Matrix) -> NDArray[np.float64]:
    """Add the rows of a C ordered matrix from the first to the last."""
    if rows.shape[1] == 1:  # numpy would add pairwise
        return np.add.accumulate(rows[:, 0])[-1:]
    total: NDArray[np.float64] = np.add.reduce(rows, axis=0)
    return total


def _extremes(slices: Slices, job: Job, *, largest: bool) -> NDArray[np.float64]:
    pick = np.maximum if largest else np.minimum  # both let NaN through
    found = np.full(slices.shape[slices.dim], 0.0 if largest else math.inf)
    for box, values in values_of_boxes(slices, job, _BOX):
        magnitudes = np.abs(values)
        part = found[slice(*box.channels)]
        pick(part, pick.reduce(magnitudes, axis=(0, 2)), out=part)
        job.step(values.size)
    return found
