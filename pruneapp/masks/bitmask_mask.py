"""What everybody may ask of a mask, whether it is held in memory or made while one looks."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Mask(Protocol):
    """Which elements of a tensor are kept; immutable, safe to use from any thread.

    `BitMask` holds one bit for each. A mask that is a rule (what is below a threshold goes) holds
    next to nothing, and reads the weights again when it is asked.
    """

    @property
    def size(self) -> int:
        """Number of elements."""

    @property
    def kept(self) -> int:
        """How many elements are kept."""

    @property
    def pruned(self) -> int:
        """How many elements are pruned."""

    def bools(self, start: int = 0, stop: int | None = None) -> NDArray[np.bool_]:
        """Return the elements `start` to `stop` (flat, C order), True where kept."""

    def zero(self, bits: NDArray[np.unsignedinteger], start: int) -> None:
        """Set to 0, in place, what is pruned of a stretch of the tensor.

        Parameters
        ----------
        bits
            The raw elements from `start` on, 1-D, unsigned, unchanged so far.
        start
            Flat index of the first.
        """
