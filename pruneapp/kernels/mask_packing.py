"""Comparison of keys with a threshold, packed into masks in one pass.

A bracket around the expected threshold decides nearly every element when it is read. The few inside
are kept with their places until all are read; then the threshold is found among them, and the bits
of elements below it are cleared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements import Bits
from pruneapp.kernels.kernel import KeyRange, NearCut, Ranking, Threshold
from pruneapp.kernels.threads import TensorRange
from pruneapp.kernels.threshold import kept_elements, places_of
from pruneapp.kernels.values import Bools
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask, ones
from pruneapp.masks.channels import pack_into
from pruneapp.progress import CancelToken

PackedBits = NDArray[np.uint8]
Places = NDArray[np.uint32]

# Memory for the keys inside a bracket: a factor of the expected number, and a minimum reserve.
_ROOM = 1.25
_SLACK = 1 << 12
# Size of the sample from which a rank is estimated.
_SAMPLE = 1 << 15


@dataclass(frozen=True, eq=False)
class ComparedStretch:
    """A stretch of elements, compared with the range in which the threshold is expected.

    `stays` are packed bits: 1 where an element is kept and its key is not below the range; `below`
    is the number of kept elements below it. The keys in the range are in pieces and in flat order:
    `offsets` are the keys minus the low end, `places` their indices in the stretch.
    """

    stretch: TensorRange
    stays: PackedBits
    below: int
    offsets: list[Bits]
    places: list[Places]


def compare_stretch(
    ranking: Ranking, stretch: TensorRange, near: KeyRange, cancel: CancelToken
) -> ComparedStretch:
    """Compare every key of a stretch with `near`, the range in which the threshold is expected.

    Both ends of the range are included. Raises `Cancelled`.
    """
    kept_bits = np.zeros((stretch.size + 7) // 8, np.uint8)
    offsets, places = [], []
    for chunk in ranking.keys(stretch.start, stretch.stop):
        cancel.check()
        keys = chunk.keys
        kind = keys.dtype.type
        at = chunk.start - stretch.start
        above = keys >= kind(near.low)
        kept = kept_elements(ranking, chunk.start, keys.size)
        if kept is not None:
            above &= kept
        pack_into(kept_bits, at, above)
        above &= keys <= kind(near.high)
        inside = places_of(above)
        offsets.append(keys[inside] - kind(near.low))
        inside += at
        places.append(inside.astype(np.uint32))
    if ranking.kept is None:
        before = stretch.size
    else:
        before = ones(ranking.kept.part(stretch.start // 8, (stretch.stop + 7) // 8))
    return ComparedStretch(stretch, kept_bits, before - ones(kept_bits), offsets, places)


class NearCutBuilder:
    """Combines the stretches of a pass, and stores the keys in the expected range."""

    def __init__(self, rankings: Sequence[Ranking], near: KeyRange) -> None:
        """Allocate the masks of all rankings, and memory for the keys in the range `near`.

        Raises `ScratchError` if the disk has no space for large masks.
        """
        self._sizes = [ranking.size for ranking in rankings]
        self._packed = [scratch.bits(size) for size in self._sizes]
        self._low = near.low
        self._below = 0
        # One array, for which NumPy requests huge pages: touching a new page takes longer than all
        # the work on it.
        capacity = min(int(_ROOM * near.inside) + _SLACK, sum(self._sizes))
        self._offsets = np.empty(capacity, f"uint{rankings[0].width}")
        self._places = np.empty(capacity, np.uint32)
        self._used = 0
        self._runs: list[tuple[TensorRange, int, int]] = []
        self._full = False

    @staticmethod
    def room_for(near: KeyRange, width: int) -> float:
        """Return the approximate bytes to store the keys of `width` bits in the range `near`."""
        return near.inside * (width // 8 + 4)

    def add(self, sifted: ComparedStretch) -> None:
        """Add the next stretch, in the order of the tensors.

        Once there are more keys in the range than reserved, all stretches are ignored, and `cut`
        returns None.
        """
        if self._full:
            return
        stretch = sifted.stretch
        packed, start, stop = (
            self._packed[stretch.index],
            stretch.start // 8,
            (stretch.stop + 7) // 8,
        )
        packed[start:stop] = sifted.stays
        scratch.release_pages(packed, start, stop)
        self._below += sifted.below
        first = self._used
        for offsets, places in zip(sifted.offsets, sifted.places, strict=True):
            last = self._used + offsets.size
            if last > self._offsets.size:
                self._full = True
                return
            self._offsets[self._used : last] = offsets
            self._places[self._used : last] = places
            self._used = last
        if first < self._used:
            self._runs.append((stretch, first, self._used))

    def cut(self, count: int) -> NearCut | None:
        """Return the masks after pruning the `count` smallest keys of all tensors together.

        Of equal keys, the first are pruned. None if the threshold is not in the stored range.
        Changes the bits: call it only once, after all stretches.
        """
        rank = count - self._below
        if self._full or not 0 < rank <= self._used:
            return None
        held = self._offsets[: self._used]
        cut = held.dtype.type(nth_smallest(held, rank))
        ties = rank - int(np.count_nonzero(held < cut))
        chunks: list[list[Bits]] = [[] for _ in self._sizes]
        for stretch, first, last in self._runs:
            offsets = held[first:last]
            pruned = offsets < cut
            if ties:
                equal = np.flatnonzero(offsets == cut)[:ties]
                pruned[equal] = True
                ties -= equal.size
            packed, start = self._packed[stretch.index], stretch.start // 8
            _clear(packed[start:], self._places[first:last], pruned)
            scratch.release_pages(packed, start, (stretch.stop + 7) // 8)
            chunks[stretch.index].append(offsets[pruned] + held.dtype.type(self._low))
        none = np.empty(0, held.dtype)
        return NearCut(
            [BitMask(packed, size) for packed, size in zip(self._packed, self._sizes, strict=True)],
            [np.concatenate(keys) if keys else none for keys in chunks],
        )


def nth_smallest(values: Bits, rank: int) -> int:
    """Return the element of a rank, from 1 to the number of values, which may be in any order.

    For many elements, only those near its position in a sample are partitioned.
    """
    step = max(1, values.size // _SAMPLE)
    some = np.sort(values[::step])
    middle, spread = rank / step, 3 * some.size**0.5 + 1  # six standard deviations
    low = some[int(middle - spread)] if middle > spread else 0
    high = some[int(middle + spread)] if middle + spread < some.size else np.iinfo(values.dtype).max
    smaller = int(np.count_nonzero(values < low))
    candidates = values[places_of((values >= low) & (values <= high))]
    if not smaller < rank <= smaller + candidates.size:  # the sample was not representative
        smaller, candidates = 0, values
    return int(np.partition(candidates, rank - smaller - 1)[rank - smaller - 1])


def _clear(packed: PackedBits, places: Places, pruned: Bools) -> None:
    """Clear the bits at `places` where `pruned` is True; all of them are 1."""
    bits = np.left_shift(pruned.view(np.uint8), (places & np.uint32(7)).astype(np.uint8))
    # Several may be in one byte. Subtracting a bit that is 1 changes no other bit.
    np.subtract.at(packed, (places >> np.uint32(3)).astype(np.intp), bits)


@dataclass(eq=False)
class OpenBits:
    """The bits of a stretch up to a flat index, while it is undecided which ties are pruned.

    `stays` are packed bits: 1 where an element is kept and its key is not below the threshold.
    """

    stop: int
    stays: PackedBits
    ties: PackedBits | None
    count: int

    def prune_lowest(self, most: int) -> int:
        """Clear up to `most` ties in `stays`, the first in flat order; return how many.

        Call it once, because it changes the ties.
        """
        if self.ties is None or not most:
            return 0
        if self.count > most:
            _keep_first(self.ties, most)
        self.stays ^= self.ties
        return min(self.count, most)


def _keep_first(packed: PackedBits, most: int) -> None:
    """Clear all 1-bits after the first `most` (at least 1), in place. There must be as many."""
    ends = np.cumsum(np.bitwise_count(packed), dtype=np.int64)
    last = int(np.searchsorted(ends, most))
    packed[last + 1 :] = 0
    byte = int(packed[last])
    for _ in range(int(ends[last]) - most):
        byte ^= 1 << byte.bit_length() - 1  # the highest bit is the last in order
    packed[last] = byte


def pack_stretch(
    ranking: Ranking, stretch: TensorRange, threshold: Threshold, cancel: CancelToken
) -> OpenBits:
    """Compare every key of a stretch with the threshold, and return the bits with undecided ties.

    If the threshold prunes no ties, they are not recorded and stay. Raises `Cancelled`.
    """
    kept_bits = np.zeros((stretch.size + 7) // 8, np.uint8)
    ties: PackedBits | None = None
    count = 0
    for chunk in ranking.keys(stretch.start, stretch.stop):
        cancel.check()
        keys = chunk.keys
        at = chunk.start - stretch.start
        cut = keys.dtype.type(threshold.key)
        kept = kept_elements(ranking, chunk.start, keys.size)
        above = keys >= cut
        if kept is not None:
            above &= kept
        pack_into(kept_bits, at, above)
        if not threshold.ties:
            continue
        equal = np.equal(keys, cut, out=above)
        if kept is not None:
            equal &= kept
        if equal.any():
            count += int(np.count_nonzero(equal))
            if ties is None:
                ties = np.zeros_like(kept_bits)
            pack_into(ties, at, equal)
    return OpenBits(stretch.stop, kept_bits, ties, count)
