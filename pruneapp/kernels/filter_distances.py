"""How far each channel of a tensor is from all others: sums of Euclidean distances.

The squares of a difference are added as `pruneapp.kernels.summation` says for slices, in
blocks of 4,096 of the slice in flat order; the distances of a channel by rising number of the other
one. So the sums are the same bits on every machine, which products of matrices are not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Slices
from pruneapp.kernels.summation import add_along, values_of
from pruneapp.kernels.values import Float64s, Floats, Indices
from pruneapp.masks.channels import boxes, extents
from pruneapp.progress import Job

# Elements of the channels that are held as float64 and compared with one at a time.
_PIECE = 1 << 18

# Elements of a tensor up to which all of it is held; of a larger one parts are read again and
# again.
_HELD = 1 << 26


def distance_sums(slices: Slices, among: Indices, job: Job) -> Float64s:
    """Return for some channels (ascending) the sum of their distances to the others of them.

    What is not kept counts as 0. `job` is stepped by the elements of the tensor.

    Returns
    -------
    ndarray
        ``float64[channels]``: NaN for channels that are not `among` them, and for those that hold
        NaN or infinity, which are in no sum of the others.

    Notes
    -----
    Time grows with the elements times half the number of channels.
    """
    outer, channels, inner = extents(slices.shape, slices.dim)
    length = outer * inner
    sums = np.full(channels, np.nan)
    filters = _Filters(slices, job)
    step = max(1, _PIECE // max(length, 1))
    parts = [among[first : first + step] for first in range(0, among.size, step)]
    finite = np.concatenate(
        [np.isfinite(filters.of(part)).all(axis=1) for part in parts] or [among > 0]
    )
    among = among[finite]
    parts = [among[first : first + step] for first in range(0, among.size, step)]
    sums[among] = 0.0
    size, stepped, done, every = length * channels, 0, 0, max(among.size * (among.size - 1) // 2, 1)
    for i, own in enumerate(parts):
        mine = filters.of(own)
        for other in parts[i:]:
            theirs = mine if other is own else filters.of(other)
            for row, number in enumerate(own.tolist()):
                first = row + 1 if other is own else 0
                distances = _distances(mine[row], theirs[first:], job)
                sums[other[first:]] += distances
                # From the first to the last, one by one.
                sums[number] = np.cumsum(np.concatenate(([sums[number]], distances)))[-1]
                done += distances.size
                job.step(size * done // every - stepped)
                stepped = size * done // every
    job.step(size - stepped)
    return sums


def _distances(one: Float64s, others: Float64s, job: Job) -> Float64s:
    job.cancel.check()
    with np.errstate(over="ignore"):
        differences = others - one
        np.multiply(differences, differences, out=differences)
        total = np.zeros(len(others))
        for block in add_along(differences):
            total += block
        return np.sqrt(total, out=total)


class _Filters:
    """The channels of a tensor as rows of a matrix."""

    def __init__(self, slices: Slices, job: Job) -> None:
        self._slices = slices
        self._job = job
        self._shape = extents(slices.shape, slices.dim)
        self._all: Floats | None = None
        outer, channels, inner = self._shape
        if outer * channels * inner <= _HELD:
            self._all = self._read(np.arange(channels))

    def of(self, numbers: Indices) -> Float64s:
        """Return some channels, ``float64[channels, elements]``."""
        rows = self._read(numbers) if self._all is None else self._all[numbers]
        with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
            return rows.astype(np.float64)

    def _read(self, numbers: Indices) -> Floats:
        outer, _, inner = self._shape
        wide = np.float64 if self._slices.dtype.name == "F64" else np.float32
        gathered: NDArray[Any] = np.zeros((numbers.size, outer, inner), wide)
        for box in boxes(self._slices.shape, self._slices.dim):
            self._job.cancel.check()
            first, last = np.searchsorted(numbers, box.channels)
            if first == last:
                continue
            values = values_of(self._slices, box)
            rows = numbers[first:last] - box.channels[0]
            gathered[first:last, slice(*box.outer), slice(*box.inner)] = np.moveaxis(
                values[:, rows], 1, 0
            )
        return gathered.reshape(numbers.size, outer * inner)
