"""Which bars are chosen, and how clicks and keys choose them."""

from __future__ import annotations

from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray


class Pick(Enum):
    """What a gesture does to what is chosen already."""

    ONE = auto()
    """Only this."""
    TOGGLE = auto()
    """This too, or not any more."""
    RANGE = auto()
    """From where the last one was to here."""


class Selection:
    """Bars that are chosen, by their index in the tensor, whatever their order on the screen."""

    def __init__(self, size: int = 0) -> None:
        self.chosen: NDArray[np.bool_] = np.zeros(size, dtype=np.bool_)
        self._anchor = -1

    @property
    def indices(self) -> NDArray[np.int64]:
        """Return the chosen ones, rising."""
        return np.flatnonzero(self.chosen).astype(np.int64)

    def __bool__(self) -> bool:
        return bool(self.chosen.any())

    def reset(self, size: int) -> None:
        """Begin with other bars, none of them chosen."""
        self.chosen = np.zeros(size, dtype=np.bool_)
        self._anchor = -1

    def clear(self) -> None:
        """Choose none."""
        self.reset(self.chosen.size)

    def pick(self, bar: int, how: Pick, order: NDArray[np.int64]) -> None:
        """Choose the bar at a place of an order.

        Parameters
        ----------
        bar
            Its place on the screen.
        how
            What happens to the others.
        order
            ``int64[n]``: which index stands at each place.
        """
        index = int(order[bar])
        if how is Pick.TOGGLE:
            self.chosen[index] = not self.chosen[index]
            self._anchor = index
        elif how is Pick.RANGE and self._anchor >= 0:
            start = int(np.flatnonzero(order == self._anchor)[0])
            first, last = sorted((start, bar))
            self.chosen[:] = False
            self.chosen[order[first : last + 1]] = True
        else:
            self.chosen[:] = False
            self.chosen[index] = True
            self._anchor = index

    def pick_range(self, start: int, stop: int, order: NDArray[np.int64], *, add: bool) -> None:
        """Choose the bars at places from `start` to before `stop`; `add` keeps the others."""
        if not add:
            self.chosen[:] = False
        self.chosen[order[start:stop]] = True
        if stop > start:
            self._anchor = int(order[start])


def runs(chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first and last + 1 of every stretch that is chosen."""
    padded = np.concatenate(([False], chosen, [False])).astype(np.int8)
    turns = np.flatnonzero(np.diff(padded))
    return [(int(a), int(b)) for a, b in zip(turns[::2], turns[1::2], strict=True)]
