"""Patterns of zeros in a tensor: N:M and blocks, found on packed bits."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.regions_groups import Groups, group_boxes, kept_in_groups
from pruneapp.progress import Job

__all__ = ["PATTERNS", "block_of", "pattern_of"]

# From the smallest share that is kept on; what holds 2:4 holds 4:8 as well.
PATTERNS = ((1, 4), (2, 4), (4, 8))

_BLOCKS = (4, 8, 16, 32, 64)

# Share of the zeros that must lie in whole blocks: a weight may be zero by chance.
_IN_BLOCKS = 0.99

# Elements that are looked at between two looks at the job.
_PIECE = 1 << 18


def pattern_of(left: BitMask, shape: tuple[int, ...], job: Job) -> tuple[int, int] | None:
    """Return the N:M pattern with the smallest share kept that holds throughout; None for none.

    At most n of every m successive elements along dim 1 are left: the input features of a linear
    layer, and of a convolution the input channels at one place of the kernel, as NVIDIA's sparse
    tensor cores and torch's semi-structured tensors take them. The first group begins at channel
    0; a dim 1 whose size is not a multiple of m has no such pattern.

    Parameters
    ----------
    left
        What is left of the tensor.
    shape
        Of the tensor; fewer than two dimensions have no pattern.
    job
        Looked at; may cancel.
    """
    if len(shape) < 2:
        return None
    for n, m in PATTERNS:
        if shape[1] % m == 0 and _holds(left, shape, n, m, job):
            return n, m
    return None


def _holds(left: BitMask, shape: tuple[int, ...], n: int, m: int, job: Job) -> bool:
    inner = math.prod(shape[2:])
    if inner == 1:
        # Groups follow each other in flat order, so that they are whole nibbles or bytes.
        patterns = np.arange(256, dtype=np.uint8)
        parts = (patterns,) if m == 8 else (patterns & 15, patterns >> 4)
        broken = np.any([np.bitwise_count(part) > n for part in parts], axis=0)
        for first in range(0, left.packed.size, _PIECE // 8):
            job.step(0)
            if broken[left.packed[first : first + _PIECE // 8]].any():
                return False
        return True
    groups = Groups(1, m, n)
    for box in group_boxes(shape, groups, _PIECE):
        job.step(0)
        if (kept_in_groups(left, shape, groups, box) > n).any():
            return False
    return True


def block_of(left: BitMask, shape: tuple[int, ...], job: Job) -> tuple[int, int] | None:
    """Return the largest square block in which the zeros come whole; None for none.

    The tensor is taken as a matrix of dim 0 by all others, in flat order; blocks begin at its
    first row and column, and are cut by the last ones. At least 99 % of the zeros lie in blocks
    that hold nothing else, not all of which fill whole rows or columns of the matrix.

    Parameters
    ----------
    left
        What is left of the tensor.
    shape
        Of the tensor; fewer than two dimensions have no blocks.
    job
        Looked at; may cancel.
    """
    if len(shape) < 2 or min(shape[0], math.prod(shape[1:])) < _BLOCKS[0] or not left.pruned:
        return None
    rows, columns = shape[0], math.prod(shape[1:])
    spare = left.pruned * (1 - _IN_BLOCKS)
    filled = _cells(left, rows, columns, spare, job)
    if filled is None or _only_lines(filled):
        return None
    found = _BLOCKS[0]
    for block in _BLOCKS[1:]:
        if min(rows, columns) < block:
            break
        filled = _any_of_four(filled)
        if left.pruned - _covered(filled, rows, columns, block) > spare:
            break
        found = block
    return found, found


def _cells(
    left: BitMask, rows: int, columns: int, spare: float, job: Job
) -> NDArray[np.bool_] | None:
    """Return which blocks of 4 x 4 hold anything; None once more than `spare` zeros lie beside."""
    cell = _BLOCKS[0]
    step = max(1, _PIECE // (cell * columns)) * cell
    filled = []
    beside = 0
    for first in range(0, rows, step):
        job.step(0)
        last = min(first + step, rows)
        bools = left.bools(first * columns, last * columns)
        # Up to whole cells; what is added is empty.
        padded = np.zeros((-(-(last - first) // cell), cell, -(-columns // cell) * cell), np.uint8)
        padded.reshape(-1, padded.shape[2])[: last - first, :columns] = bools.reshape(-1, columns)
        down = np.bitwise_or.reduce(padded, axis=1)
        # Four truth values are one word.
        part = down.view(np.uint32) != 0
        filled.append(part)
        zeros = bools.size - int(np.count_nonzero(bools))
        beside += zeros - _covered(part, last - first, columns, cell)
        if beside > spare:
            return None
    return np.concatenate(filled)


def _covered(filled: NDArray[np.bool_], rows: int, columns: int, block: int) -> int:
    """Return how many elements lie in blocks that hold nothing."""
    empty = ~filled
    last_row, last_column = rows - (len(empty) - 1) * block, columns - (empty.shape[1] - 1) * block
    widths = np.full(empty.shape[1], block, np.int64)
    widths[-1] = last_column
    by_row = empty @ widths
    return int(by_row[:-1].sum()) * block + int(by_row[-1]) * last_row


def _any_of_four(filled: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Join blocks by twos along both sides."""
    for axis in (0, 1):
        filled = np.logical_or.reduceat(filled, np.arange(0, filled.shape[axis], 2), axis=axis)
    return filled


def _only_lines(filled: NDArray[np.bool_]) -> bool:
    """Whether the empty blocks are whole rows and columns of blocks."""
    rows, columns = filled.any(axis=1), filled.any(axis=0)
    return bool(np.array_equal(filled, np.outer(rows, columns)))
