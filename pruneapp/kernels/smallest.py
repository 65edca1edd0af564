"""Which of some scores are the smallest: the order of channels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def smallest(scores: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Return where the `count` smallest are, ascending.

    NaN is larger than all others; of equal ones the first comes first.
    """
    return np.sort(np.argsort(scores, kind="stable")[:count])
