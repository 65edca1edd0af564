"""Which channels go first: the ranks of norms, and what a cut through them takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pruneapp.answers import ChannelNorms
from pruneapp.gui.views.pictures.chart.bars import Floats


@dataclass(frozen=True, eq=False)
class ChannelRanks:
    """The order in which channels are taken, without those that are pruned or protected.

    Attributes
    ----------
    norms
        Of the channels.
    """

    norms: ChannelNorms

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """``int64[n]``: the smallest norm first, equal ones as in the tensor, NaN last."""
        return np.argsort(self.norms.norms, kind="stable").astype(np.int64)

    @cached_property
    def free(self) -> NDArray[np.int64]:
        """The channels that a cut may take, in that order."""
        free = self.norms.kept > 0
        if self.norms.guarded is not None:
            free &= ~self.norms.guarded
        return self.order[free[self.order]]

    @cached_property
    def heights(self) -> Floats:
        """``float64[n]`` to be drawn: infinite norms reach the top, NaN has no height."""
        norms = self.norms.norms
        finite = np.isfinite(norms)
        highest = float(norms[finite].max()) if finite.any() else 1.0
        return np.nan_to_num(np.abs(norms), nan=0.0, posinf=highest)

    def taken(self, number: int) -> NDArray[np.bool_]:
        """Return ``bool[n]``: the first so many of those that are free."""
        found = np.zeros(self.norms.norms.size, dtype=np.bool_)
        found[self.free[:number]] = True
        return found

    def within(self, number: int) -> int:
        """Return a number of channels between none and all that are free."""
        return min(max(number, 0), int(self.free.size))

    def number_up_to(self, norm: float) -> int:
        """Return how many of the free ones have at most this norm."""
        return int((self.norms.norms[self.free] <= norm).sum())

    def number_before(self, place: float) -> int:
        """Return how many of the free ones stand before a place among all, by norm."""
        places = np.empty(self.order.size, dtype=np.int64)
        places[self.order] = np.arange(self.order.size)
        return int((places[self.free] < place).sum())

    def place_behind(self, number: int) -> float:
        """Return the place behind the last one of so many, by norm; before all for none."""
        if not number:
            return -0.5
        return float(np.flatnonzero(self.order == self.free[number - 1])[0]) + 0.5

    def norm_of(self, number: int) -> float:
        """Return the height of the last one of so many; 0 for none."""
        return float(self.heights[self.free[number - 1]]) if number else 0.0
