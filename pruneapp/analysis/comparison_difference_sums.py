"""What two tensors add up to against each other: sums of squares and products, and counts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.retained_norm_blocks import block_sums
from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.kernel import BLOCK
from pruneapp.kernels.values import Floats, decode
from pruneapp.progress import Job
from pruneapp.results.state_comparison import TensorDifference

__all__ = ["STRETCH", "DifferenceSums", "Side", "Stretches"]

# Elements that are read and worked on at once: in float64 they stay in the cache of a core.
_PIECE = 4 * BLOCK
# Elements of a task of a thread.
STRETCH = 128 * BLOCK


class Side:
    """A tensor of one state, as an export would write it."""

    def __init__(self, snapshot: Snapshot, entry: TensorEntry) -> None:
        self.dtype = entry.dtype
        self._snapshot = snapshot
        self._name = entry.name
        self._mask = snapshot.zeroed(entry.name)

    def pieces(self, start: int = 0, stop: int | None = None) -> Iterator[Bits]:
        """Yield raw elements in pieces of `_PIECE`; `start` is a block's border."""
        for chunk in self._snapshot.checkpoint.chunks(self._name, start, stop, _PIECE):
            if self._mask is None:
                yield chunk.bits
            else:
                kept = self._mask.bools(chunk.start, chunk.start + chunk.bits.size)
                yield np.multiply(chunk.bits, kept, dtype=chunk.bits.dtype)


@dataclass
class DifferenceSums:
    """What a stretch, or all of a tensor, adds up to; a sum for each block of the squares."""

    size: int = 0
    differing: int = 0
    same_sign: int = 0
    zero_a: int = 0
    zero_b: int = 0
    zero_both: int = 0
    apart: list[NDArray[np.float64]] = field(default_factory=list)
    aa: list[NDArray[np.float64]] = field(default_factory=list)
    bb: list[NDArray[np.float64]] = field(default_factory=list)
    ab: list[NDArray[np.float64]] = field(default_factory=list)

    def add(self, other: DifferenceSums) -> None:
        """Take in the stretch that follows."""
        self.size += other.size
        self.differing += other.differing
        self.same_sign += other.same_sign
        self.zero_a += other.zero_a
        self.zero_b += other.zero_b
        self.zero_both += other.zero_both
        self.apart += other.apart
        self.aa += other.aa
        self.bb += other.bb
        self.ab += other.ab

    def difference(self, name: str, x: TensorEntry, y: TensorEntry) -> TensorDifference:
        """Return the answer, once all is added."""
        apart, aa, bb = (math.sqrt(_total(s)) for s in (self.apart, self.aa, self.bb))
        ab = _total(self.ab)
        length = aa * bb
        cosine = min(1.0, max(-1.0, ab / length)) if length and math.isfinite(length) else None
        return TensorDifference(
            name=name,
            kind="differs" if self.differing else "same",
            shape_a=x.shape,
            shape_b=y.shape,
            numel=x.numel,
            differing=self.differing,
            norm=apart,
            relative=apart / aa if 0 < aa < math.inf else None,
            cosine=cosine,
            same_sign=self.same_sign / x.numel if x.numel else None,
            pruned_a=self.zero_a,
            pruned_b=self.zero_b,
            pruned_both=self.zero_both,
            dtype_a=x.dtype.label,
            dtype_b=y.dtype.label,
        )


class Stretches:
    """Compares stretches of a tensor, in any thread."""

    def __init__(self, a: Side, b: Side, job: Job) -> None:
        self._a = a
        self._b = b
        self._job = job
        # Equal bits are equal values, and whole numbers of 64 bits are compared by them alone.
        self._alike = a.dtype == b.dtype
        self._whole = self._alike and a.dtype.form is None

    def __call__(self, stretch: tuple[int, int]) -> DifferenceSums:
        """Compare the elements from one flat index, a block's border, to another."""
        found = DifferenceSums()
        room = _Room(min(_PIECE, stretch[1] - stretch[0]))
        with np.errstate(all="ignore"):  # infinities and NaN are left out
            for x, y in zip(self._a.pieces(*stretch), self._b.pieces(*stretch), strict=True):
                self._job.cancel.check()
                if self._alike and np.array_equal(x, y):
                    _add_equal(found, decode(x, self._a.dtype), room)
                else:
                    other = x != y if self._whole else None
                    _add(found, decode(x, self._a.dtype), decode(y, self._b.dtype), other, room)
        return found


class _Room:
    """Memory for a piece in float64, used again: got anew it took as long as all the rest."""

    def __init__(self, size: int) -> None:
        self._x, self._y, self._product = np.empty((3, size))

    def squares(self, x: Floats) -> NDArray[np.float64]:
        """Return the block sums of squares."""
        return block_sums(np.square(x, out=self._product[: x.size], dtype=np.float64))

    def products(self, x: Floats, y: Floats) -> list[NDArray[np.float64]]:
        """Return the block sums of (y - x)^2, x^2, y^2 and x y."""
        wide_x, wide_y, product = (room[: x.size] for room in (self._x, self._y, self._product))
        np.copyto(wide_x, x)
        np.copyto(wide_y, y)
        np.subtract(wide_y, wide_x, out=product)
        return [
            block_sums(np.square(product, out=product)),
            block_sums(np.square(wide_x, out=product)),
            block_sums(np.square(wide_y, out=product)),
            block_sums(np.multiply(wide_x, wide_y, out=product)),
        ]


def _add_equal(found: DifferenceSums, values: Floats, room: _Room) -> None:
    zeros = values.size - int(np.count_nonzero(values))
    squares = room.squares(values)
    if not np.isfinite(squares).all():
        squares = room.squares(np.where(np.isfinite(values), values, 0))
    found.size += values.size
    found.same_sign += values.size
    found.zero_a += zeros
    found.zero_b += zeros
    found.zero_both += zeros
    found.apart.append(np.zeros_like(squares))
    for sums in (found.aa, found.bb, found.ab):
        sums.append(squares)


def _add(
    found: DifferenceSums, x: Floats, y: Floats, other: NDArray[np.bool_] | None, room: _Room
) -> None:
    there_x, there_y = x != 0, y != 0
    signs = (there_x == there_y) & ((x > 0) == (y > 0))
    differs = x != y if other is None else other
    sums = room.products(x, y)
    if not all(np.isfinite(s).all() for s in sums):
        odd_x, odd_y = np.isnan(x), np.isnan(y)
        differs &= ~(odd_x & odd_y)
        signs = np.where(odd_x | odd_y, odd_x & odd_y, signs)
        finite = np.isfinite(x) & np.isfinite(y)
        sums = room.products(np.where(finite, x, 0), np.where(finite, y, 0))
    found.size += x.size
    found.differing += int(np.count_nonzero(differs))
    found.same_sign += int(np.count_nonzero(signs))
    found.zero_a += x.size - int(np.count_nonzero(there_x))
    found.zero_b += x.size - int(np.count_nonzero(there_y))
    found.zero_both += x.size - int(np.count_nonzero(there_x | there_y))
    for added, into in zip(sums, (found.apart, found.aa, found.bb, found.ab), strict=True):
        into.append(added)


def _total(sums: list[NDArray[np.float64]]) -> float:
    # fsum refuses to add infinities that it met on the way
    joined = np.concatenate(sums) if sums else np.zeros(0)
    return math.fsum(joined) if np.isfinite(joined).all() else math.inf
