"""Which channels go first: the ranks of what is left of their norms, and what a cut takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pruneapp.gui.plots.chart.items import Floats
from pruneapp.results.tensor_statistics import ChannelNorms


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
        """``int64[n]``: the least norm left first, equal ones as in the tensor, NaN last.

        Those of which nothing is left come first, by the norm that they had.
        """
        n = self.norms
        had = np.where(n.kept > 0, 0.0, n.norms)
        return np.lexsort((had, n.left)).astype(np.int64)

    @cached_property
    def free(self) -> NDArray[np.int64]:
        """The channels that a cut may take, in that order."""
        free = self.norms.kept > 0
        if self.norms.guarded is not None:
            free &= ~self.norms.guarded
        return self.order[free[self.order]]

    @cached_property
    def heights(self) -> Floats:
        """``float64[n]`` to be drawn, of the whole channels; see `drawn`."""
        return np.maximum(self.drawn(self.norms.norms), self.left)

    @cached_property
    def left(self) -> Floats:
        """``float64[n]`` to be drawn, of what is left of them."""
        return self.drawn(self.norms.left)

    @cached_property
    def after(self) -> Floats:
        """``float64[n]`` to be drawn, of what a preview leaves; never above `left`.

        The nuclear norm may grow where weights go.
        """
        return np.minimum(self.drawn(self.norms.after), self.left)

    def drawn(self, norms: Floats) -> Floats:
        """Return heights of norms: infinite ones reach the top, NaN has no height."""
        return np.nan_to_num(np.abs(norms), nan=0.0, posinf=self._highest)

    @cached_property
    def _highest(self) -> float:
        norms = self.norms.norms
        finite = np.isfinite(norms)
        return float(norms[finite].max()) if finite.any() else 1.0

    def taken(self, number: int) -> NDArray[np.bool_]:
        """Return ``bool[n]``: the first so many of those that are free."""
        found = np.zeros(self.norms.norms.size, dtype=np.bool_)
        found[self.free[:number]] = True
        return found

    def within(self, number: int) -> int:
        """Return a number of channels between none and all that are free."""
        return min(max(number, 0), int(self.free.size))

    def number_up_to(self, norm: float) -> int:
        """Return how many of the free ones have at most this norm left."""
        return int((self.norms.left[self.free] <= norm).sum())

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
        """Return the height of what is left of the last one of so many; 0 for none."""
        return float(self.left[self.free[number - 1]]) if number else 0.0
