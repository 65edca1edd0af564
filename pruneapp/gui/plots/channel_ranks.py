"""The order in which channels are taken, what is left of them, and how both are said."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pruneapp.gui.plots.chart.items import Floats
from pruneapp.gui.widgets.labels import translate
from pruneapp.gui.widgets.number_format import percent
from pruneapp.results.tensor_statistics import ChannelNorms


@dataclass(frozen=True, eq=False)
class ChannelRanks:
    """The order in which channels are taken, without those that are pruned or protected."""

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
        if self.norms.protected is not None:
            free &= ~self.norms.protected
        return self.order[free[self.order]]

    @cached_property
    def heights(self) -> Floats:
        """``float64[n]`` to be drawn, of the whole channels; see `to_heights`."""
        return np.maximum(self.to_heights(self.norms.norms), self.left)

    @cached_property
    def left(self) -> Floats:
        """``float64[n]`` to be drawn, of what is left of them."""
        return self.to_heights(self.norms.left)

    @cached_property
    def after(self) -> Floats:
        """``float64[n]`` to be drawn, of what a preview leaves; never above `left`.

        The nuclear norm may grow where weights go.
        """
        return np.minimum(self.to_heights(self.norms.after), self.left)

    def to_heights(self, norms: Floats) -> Floats:
        """Return heights of norms: infinite ones reach the top, NaN has no height."""
        return np.nan_to_num(np.abs(norms), nan=0.0, posinf=self._highest)

    @cached_property
    def _highest(self) -> float:
        norms = self.norms.norms
        finite = np.isfinite(norms)
        return float(norms[finite].max()) if finite.any() else 1.0

    def taken(self, number: int) -> NDArray[np.bool_]:
        """Return ``bool[n]``: the first so many of those that are free."""
        chosen = np.zeros(self.norms.norms.size, dtype=np.bool_)
        chosen[self.free[:number]] = True
        return chosen

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


@dataclass(frozen=True, eq=False)
class Remaining:
    """What is left of channels once a step is done; as now where none is asked for."""

    to_prune: NDArray[np.bool_]  # ``bool[n]``: whether all that is left of a channel goes
    # ``float64[n]``: the norm of what is left then, and how high that is drawn.
    norms: Floats
    heights: Floats
    kept: Floats  # ``float64[n]``: the share of the weights that is left then


NONE_LEFT = Remaining(np.zeros(0, np.bool_), np.zeros(0), np.zeros(0), np.zeros(0))


def norm_label(n: str) -> str:
    """Return the short name of a norm: L2."""
    n = n.removesuffix(".0")
    words = {
        "fro": translate("ChannelsView", "Frobenius"),
        "nuc": translate("ChannelsView", "nuclear"),
        "inf": "L∞",
        "-inf": "L−∞",
    }
    return words.get(n, f"L{n.replace('-', '−')}")


def norm_name(n: str) -> str:
    """Return a norm in words: L2 norm."""
    words = {
        "fro": translate("ChannelsView", "Frobenius norm"),
        "nuc": translate("ChannelsView", "nuclear norm"),
    }
    return words.get(n, translate("ChannelsView", "{label} norm").format(label=norm_label(n)))


def state_words(norms: ChannelNorms, after: Remaining, channel: int) -> str:
    """Say what is left of a channel, and what will be; in any thread."""
    share, then = float(norms.kept[channel]), float(after.kept[channel])
    if after.to_prune[channel]:
        words = translate("ChannelsView", "to be pruned")
    elif share == 0:
        words = translate("ChannelsView", "pruned")
    elif then == 1:
        words = translate("ChannelsView", "kept")
    elif then < share:
        words = translate(
            "ChannelsView", "{now} of its weights kept, {then} after the step"
        ).format(now=percent(share), then=percent(then))
    else:
        words = translate("ChannelsView", "{share} of its weights kept").format(
            share=percent(share)
        )
    if norms.partly is not None and norms.partly[channel]:
        words = translate("ChannelsView", "{state}, partly protected").format(state=words)
    elif norms.protected is not None and norms.protected[channel]:
        words = translate("ChannelsView", "{state}, protected").format(state=words)
    return words


def whole_protected(norms: ChannelNorms) -> NDArray[np.bool_]:
    """Return ``bool[n]``: the channels of which all that is left is protected."""
    if norms.protected is None:
        return np.zeros(norms.norms.size, np.bool_)
    return norms.protected if norms.partly is None else norms.protected & ~norms.partly
