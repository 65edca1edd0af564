"""Which elements of each row of a matrix go: so many of the lowest of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.kernels.kernel import Kernel, KeyChunk, Ranking
from pruneapp.kernels.lowest_in_groups import lowest_in_rows
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import pack_into
from pruneapp.progress import Job

# Elements of some rows that are held and sorted together. A longer row is cut by itself.
_PIECE = 1 << 20


def lowest_per_row(
    ranking: Ranking, length: int, counts: NDArray[np.int64], kernel: Kernel, job: Job
) -> BitMask:
    """Return what is kept once the lowest of every row went, of equals the first ones.

    Parameters
    ----------
    ranking
        Ranks the elements. Keys leave the largest number of their width unused.
    length
        Elements of a row.
    counts
        ``int64[rows]``: how many of each go, at most what is kept of it.
    kernel
        Cuts rows that are too long to be held.
    job
        Stepped by the elements.

    Notes
    -----
    Time grows with the elements times the logarithm of a row's length; memory does not grow.
    """
    packed = np.zeros((ranking.size + 7) // 8, np.uint8)
    rows = counts.size
    if length > _PIECE:
        for row, count in enumerate(counts.tolist()):
            part = _Row(ranking, row * length, length)
            left = part.kept or BitMask.full(length)
            if count:
                job.extend(length)
                left = kernel.prune([part], count, job)[0]
            else:
                job.step(length)
            for first in range(0, length, _PIECE):
                bools = left.bools(first, min(first + _PIECE, length))
                pack_into(packed, row * length + first, bools)
        return BitMask(packed, ranking.size)
    step = max(1, _PIECE // max(length, 1))
    for first in range(0, rows if length else 0, step):
        last = min(first + step, rows)
        start, stop = first * length, last * length
        job.step(stop - start)
        keys: Bits = np.empty(stop - start, f"uint{ranking.width}")
        for chunk in ranking.keys(start, stop):
            keys[chunk.start - start : chunk.start - start + chunk.keys.size] = chunk.keys
        stays = np.ones(keys.size, np.bool_)
        if ranking.kept is not None:
            stays = ranking.kept.bools(start, stop)
            keys[~stays] = np.iinfo(keys.dtype).max
        goes = lowest_in_rows(keys.reshape(-1, length), counts[first:last])
        pack_into(packed, start, stays & ~goes.reshape(-1))
    return BitMask(packed, ranking.size)


class _Row:
    """One row of a ranking, as a ranking."""

    def __init__(self, ranking: Ranking, start: int, size: int) -> None:
        self._ranking = ranking
        self._start = start
        self.size = size
        self.width = ranking.width
        self.kept = None
        if ranking.kept is not None:
            self.kept = BitMask.from_bools(ranking.kept.bools(start, start + size))

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        """Yield the keys of elements `start` to `stop` of the row."""
        stop = self.size if stop is None else stop
        for chunk in self._ranking.keys(self._start + start, self._start + stop):
            yield KeyChunk(chunk.start - self._start, chunk.keys)
