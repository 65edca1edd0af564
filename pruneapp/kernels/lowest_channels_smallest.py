"""Which of some scores are the smallest: the order of channels and blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# So many are sorted as quickly as they are parted.
_FEW = 1 << 14


def smallest(scores: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Return where the `count` smallest are, ascending.

    NaN is larger than all others; of equal ones the first comes first.
    """
    if scores.size > _FEW and count:
        cut = np.partition(scores, count - 1)[count - 1]
        if not np.isnan(cut):
            goes = scores < cut
            ties = np.flatnonzero(scores == cut)
            goes[ties[: count - np.count_nonzero(goes)]] = True
            return np.flatnonzero(goes)
    return np.sort(np.argsort(scores, kind="stable")[:count])
