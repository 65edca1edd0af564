"""Finding the key of a given rank by counting digits, without sorting."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.reader import Bits
from pruneapp.kernels.contract import Threshold

# Keys that are gathered and partitioned, rather than counted in one more pass.
FEW = 1 << 18

# Counts the kept keys that begin with `prefix` by their next digit. Called with the position of
# the digit's lowest bit and the bits above the digit as a number: (16, 0), then (0, upper half).
CountDigits = Callable[[int, int], NDArray[np.int64]]

# Returns the kept keys whose bits from a position upwards are a number, in any order.
Gather = Callable[[int, int], Bits]


def digit_bits(width: int) -> int:
    """Return how many bits of a key are counted at once."""
    return min(width, 16)


def passes(width: int, size: int) -> int:
    """Return the most passes that `search` makes over `size` elements."""
    return 1 if size <= FEW else max(1, width // 16)


def search(width: int, size: int, count: int, digits: CountDigits, gather: Gather) -> Threshold:
    """Find the cut below which `count` keys lie.

    Parameters
    ----------
    width
        Bits of a key.
    size
        Elements that a pass reads.
    count
        From 1 to the number of kept elements.
    digits, gather
        One pass over the keys each.

    Returns
    -------
    Threshold
        The key of rank `count`, and how many of its equals are needed to make up the count.
    """
    if size <= FEW:
        return _cut(gather(width, 0), count)
    shift = width - digit_bits(width)
    prefix = 0
    while True:
        ends = np.cumsum(digits(shift, prefix))
        digit = int(np.searchsorted(ends, count))
        below = int(ends[digit - 1]) if digit else 0
        count -= below
        prefix = prefix << digit_bits(width) | digit
        if shift == 0:
            return Threshold(prefix, count)
        if shift > 16 and int(ends[digit]) - below <= FEW:
            return _cut(gather(shift, prefix), count)
        shift -= 16


def _cut(keys: Bits, count: int) -> Threshold:
    key = np.partition(keys, count - 1)[count - 1]
    return Threshold(int(key), count - int(np.count_nonzero(keys < key)))
