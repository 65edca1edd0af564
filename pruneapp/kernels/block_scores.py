"""How large the weights of each block are, the same bits on every machine.

The terms of a row of a block are added as `pruneapp.kernels.summation` says, then its rows
from the first to the last; of blocks that the last columns cut the missing terms count as 0.
"""

from __future__ import annotations

import numpy as np

from pruneapp.checkpoint.dtypes import DType
from pruneapp.kernels.kernel import ReadBits
from pruneapp.kernels.summation import LANES
from pruneapp.kernels.values import Float64s, decode
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.blocks import Tiles
from pruneapp.progress import Job


def block_means(  # noqa: PLR0917 - each its own type
    read: ReadBits, dtype: DType, kept: BitMask | None, tiles: Tiles, order: int, job: Job
) -> Float64s:
    """Return the mean of ``|w|`` of each block, or (`order` 2) the root of the mean of its squares.

    What is not kept counts as 0. `job` is stepped by the elements.

    Returns
    -------
    ndarray
        ``float64[blocks]``. A block with a NaN has NaN.
    """
    sums = np.zeros(tiles.grid)
    for part in tiles.parts():
        bits = np.empty(part.shape[0] * part.shape[1], dtype.storage)
        at = 0
        for start, stop in tiles.stretches(part):
            for chunk in read(start, stop):
                bits[at : at + chunk.bits.size] = chunk.bits
                at += chunk.bits.size
            if kept is not None:
                kept.zero(bits[at - (stop - start) : at], start)
        with np.errstate(all="ignore"):  # infinities and NaN are answers here
            terms = decode(bits, dtype).astype(np.float64).reshape(part.shape)
            np.abs(terms, out=terms) if order == 1 else np.multiply(terms, terms, out=terms)
            cut = tiles.cut(terms)
            total = _along(cut[:, 0])
            for row in range(1, tiles.tall):
                total += _along(cut[:, row])
        sums[part.down, part.along] = total
        job.step(bits.size)
    means = sums.reshape(-1) / tiles.sizes
    return means if order == 1 else np.sqrt(means)


def _along(terms: Float64s) -> Float64s:
    """Add along the last axis, from left to right where it is that short."""
    wide = terms.shape[2]
    if wide >= LANES:
        sums: Float64s = np.add.reduce(terms, axis=2)
        return sums
    total = terms[:, :, 0].copy()  # numpy would look at each few by themselves
    for column in range(1, wide):
        total += terms[:, :, column]
    return total
