"""The arithmetic of pruning with numpy, on unsigned integers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.reader import Bits
from pruneapp.kernels import radix
from pruneapp.kernels.contract import Ranking, Slices, Threshold
from pruneapp.kernels.norms import channel_norms
from pruneapp.kernels.ranking import Magnitudes, key_table, pieces
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import pack_into
from pruneapp.params import Norm
from pruneapp.progress import Job


class CpuKernel:
    """Prunes on the CPU; see `Kernel` for what it promises."""

    @property
    def name(self) -> str:
        """The device."""
        return "CPU"

    def passes(self, rankings: Sequence[Ranking]) -> int:
        """How many times `find_threshold` reads every element, at most; it steps for so many."""
        return radix.passes(_width(rankings), sum(r.size for r in rankings))

    def find_threshold(self, rankings: Sequence[Ranking], count: int, job: Job) -> Threshold:
        """Find the cut by counting 16 bits of the keys a pass, the upper ones first."""
        width = _width(rankings)
        size = sum(r.size for r in rankings)
        left = size * self.passes(rankings)

        def step(elements: int) -> None:
            nonlocal left
            left -= elements
            job.step(elements)

        def digits(shift: int, prefix: int) -> NDArray[np.int64]:
            counts = np.zeros(1 << radix.digit_bits(width), np.int64)
            for ranking in rankings:
                if shift == width - radix.digit_bits(width) and _native(ranking):
                    counts += _count_magnitudes(ranking, step)
                    continue
                for keys, kept in _keys(ranking):
                    counts += _count_digits(keys, kept, shift, prefix)
                    step(keys.size)
            return counts

        def gather(shift: int, prefix: int) -> Bits:
            found: list[Bits] = [np.empty(0, f"uint{width}")]
            for ranking in rankings:
                for keys, kept in _keys(ranking):
                    found.append(keys[_chosen(keys, kept, shift, prefix)])
                    step(keys.size)
            return np.concatenate(found)

        threshold = radix.search(width, size, count, digits, gather)
        job.step(left)  # fewer passes than announced
        return threshold

    def apply_threshold(
        self, ranking: Ranking, threshold: Threshold, job: Job
    ) -> tuple[BitMask, int]:
        """Compare every key with the cut; ties go in flat order until there are enough."""
        packed = np.zeros((ranking.size + 7) // 8, np.uint8)
        taken = 0
        for chunk in ranking.keys():  # noqa: SIM118 - no dict
            keys = chunk.keys
            stop = chunk.start + keys.size
            cut = keys.dtype.type(threshold.key)
            stays = keys >= cut
            if taken < threshold.ties:
                ties = keys == cut
                if ranking.kept is not None:
                    ties &= ranking.kept.bools(chunk.start, stop)
                going = np.flatnonzero(ties)[: threshold.ties - taken]
                stays[going] = False
                taken += going.size
            pack_into(packed, chunk.start, stays)
            job.step(keys.size)
        if ranking.kept is not None:
            np.bitwise_and(packed, ranking.kept.packed, out=packed)
        return BitMask(packed, ranking.size), taken

    def channel_norms(self, slices: Slices, n: Norm, job: Job) -> NDArray[np.float64]:
        """Add up blocks of 4,096 side by side, each from left to right."""
        return channel_norms(slices, n, job)


def _width(rankings: Sequence[Ranking]) -> int:
    widths = {r.width for r in rankings}
    if len(widths) != 1:
        raise ValueError(f"keys of one width expected (got {sorted(widths)})")
    return widths.pop()


Kept = NDArray[np.bool_] | None


def _keys(ranking: Ranking) -> Iterator[tuple[Bits, Kept]]:
    """Yield the keys of all elements, and which of them are kept; None for all."""
    for chunk in ranking.keys():  # noqa: SIM118 - no dict
        yield chunk.keys, _kept(ranking, chunk.start, chunk.keys.size)


def _kept(ranking: Ranking, start: int, size: int) -> Kept:
    return None if ranking.kept is None else ranking.kept.bools(start, start + size)


def _chosen(keys: Bits, kept: Kept, shift: int, prefix: int) -> NDArray[np.bool_]:
    """Say which keys are kept and begin with `prefix`."""
    if shift >= 8 * keys.itemsize:
        return np.ones(keys.size, np.bool_) if kept is None else kept
    kind = keys.dtype.type
    # Comparing with both ends costs less than shifting first.
    chosen = keys >= kind(prefix << shift)
    chosen &= keys <= kind((prefix + 1 << shift) - 1)
    if kept is not None:
        chosen &= kept
    return chosen


def _count_digits(keys: Bits, kept: Kept, shift: int, prefix: int) -> NDArray[np.int64]:
    width = 8 * keys.itemsize
    bits = radix.digit_bits(width)
    if shift + bits < width:  # few begin alike
        chosen = keys[_chosen(keys, kept, shift + bits, prefix)]
        return _count(_digits_of(chosen, shift, bits), None, 1 << bits)
    return _count(_digits_of(keys, shift, bits), kept, 1 << bits)


def _digits_of(keys: Bits, shift: int, bits: int) -> Bits:
    kind = keys.dtype.type
    return ((keys >> kind(shift)) & kind((1 << bits) - 1)).astype(f"uint{bits}")


def _count(digits: Bits, kept: Kept, bins: int) -> NDArray[np.int64]:
    """Count digits of ``uint8`` or ``uint16``, of kept elements alone."""
    if kept is None:
        return np.bincount(digits, minlength=bins)
    # Those that are pruned are counted as 0 and taken off again: a third of the time that picking
    # the others out would take.
    digits = digits & np.negative(kept.view(np.uint8).astype(digits.dtype))
    counts = np.bincount(digits, minlength=bins)
    counts[0] -= kept.size - np.count_nonzero(kept)
    return counts


def _native(ranking: Ranking) -> TypeGuard[Magnitudes]:
    return isinstance(ranking, Magnitudes) and ranking.native


def _count_magnitudes(ranking: Magnitudes, step: Callable[[int], None]) -> NDArray[np.int64]:
    """Count the first digits straight from the raw bits; sign and NaNs are sorted out at the end.

    It takes three quarters of the time of making the keys first.
    """
    width = ranking.width
    counts = np.zeros(1 << radix.digit_bits(width), np.int64)
    for start, bits in pieces(ranking.read):
        digits = bits
        if width > 16:
            halves = width // 16
            upper = halves - 1 if sys.byteorder == "little" else 0
            digits = np.ascontiguousarray(bits).view(np.uint16)[upper::halves]
        counts += _count(digits, _kept(ranking, start, bits.size), counts.size)
        step(bits.size)
    if width == 8:
        table = key_table(ranking.dtype, 8)
        return np.bincount(table, weights=counts, minlength=counts.size).astype(np.int64)
    half = counts.size // 2
    counts[:half] += counts[half:]
    nan = ranking.nan_key >> (width - 16)
    counts[nan] = counts[nan:half].sum()
    counts[nan + 1 :] = 0
    return counts
