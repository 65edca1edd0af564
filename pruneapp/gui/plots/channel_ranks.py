"""The order in which channels are pruned, and texts about norms and states of channels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.statistics import ChannelNorms
from pruneapp.gui.plots.chart.items import Floats
from pruneapp.gui.widgets.labels import translate
from pruneapp.gui.widgets.number_format import percent


@dataclass(frozen=True, eq=False)
class ChannelRanks:
    """Ranks of channels by norm, and the heights of their bars.

    A rank counts all channels; `free` lists only those that a cut can prune. `number` is a count of
    channels from the start of `free`.
    """

    norms: ChannelNorms

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Channel indices, ``int64[n]``, by the norm that remains: ascending, stable, NaN last.

        Channels with a remaining norm of 0 come first; those of them that are pruned are ordered by
        their original norm, after those that are not.
        """
        n = self.norms
        pruned_norms = np.where(n.kept > 0, 0.0, n.norms)
        return np.lexsort((pruned_norms, n.left)).astype(np.int64)

    @cached_property
    def free(self) -> NDArray[np.int64]:
        """Channel indices that a cut can prune (neither pruned nor protected), in `order`."""
        free = self.norms.kept > 0
        if self.norms.protected is not None:
            free &= ~self.norms.protected
        return self.order[free[self.order]]

    @cached_property
    def heights(self) -> Floats:
        """Bar heights of the original norms, ``float64[n]``, at least `left`; see `to_heights`."""
        return np.maximum(self.to_heights(self.norms.norms), self.left)

    @cached_property
    def highest(self) -> float:
        """Height of the highest bar."""
        return float(self.heights.max(initial=0.0))

    @cached_property
    def left(self) -> Floats:
        """Bar heights of the norms that remain, ``float64[n]``."""
        return self.to_heights(self.norms.left)

    @cached_property
    def after(self) -> Floats:
        """Bar heights of the norms after the preview, ``float64[n]``, at most `left`.

        The limit is needed because the nuclear norm can grow when weights are pruned.
        """
        return np.minimum(self.to_heights(self.norms.after), self.left)

    def to_heights(self, norms: Floats) -> Floats:
        """Return bar heights: infinity becomes the largest finite norm, or 1, and NaN becomes 0."""
        return np.nan_to_num(np.abs(norms), nan=0.0, posinf=self._largest_finite)

    @cached_property
    def _largest_finite(self) -> float:
        norms = self.norms.norms
        finite = np.isfinite(norms)
        return float(norms[finite].max()) if finite.any() else 1.0

    def prune_mask(self, number: int) -> NDArray[np.bool_]:
        """Return a mask ``bool[n]`` of the first `number` channels of `free`."""
        chosen = np.zeros(self.norms.norms.size, dtype=np.bool_)
        chosen[self.free[:number]] = True
        return chosen

    def clip(self, number: int) -> int:
        """Return `number` clipped to the range from 0 to the size of `free`."""
        return min(max(number, 0), int(self.free.size))

    def count_up_to_norm(self, norm: float) -> int:
        """Return the number of free channels whose remaining norm is at most `norm`."""
        return int((self.norms.left[self.free] <= norm).sum())

    def count_before_rank(self, rank: float) -> int:
        """Return the number of free channels whose rank (position in `order`) is below `rank`."""
        ranks = np.empty(self.order.size, dtype=np.int64)
        ranks[self.order] = np.arange(self.order.size)
        return int((ranks[self.free] < rank).sum())

    def position_after(self, number: int) -> float:
        """Return the position in `order` just after the last of `number` pruned channels.

        `number` must be at most the size of `free`. Returns -0.5, before all bars, for 0.
        """
        if not number:
            return -0.5
        return float(np.flatnonzero(self.order == self.free[number - 1])[0]) + 0.5

    def height_of_last(self, number: int) -> float:
        """Return the bar height of the last of `number` pruned channels; 0 for none."""
        return float(self.left[self.free[number - 1]]) if number else 0.0


@dataclass(frozen=True, eq=False)
class Remaining:
    """The state of the channels after the step of the preview; the current state without one.

    All arrays have one entry per channel.
    """

    to_prune: NDArray[np.bool_]  # channels that the step prunes completely
    # The remaining norms, and their bar heights.
    norms: Floats
    heights: Floats
    kept: Floats  # share of the weights that is kept


NONE_LEFT = Remaining(np.zeros(0, np.bool_), np.zeros(0), np.zeros(0), np.zeros(0))


def norm_label(n: str) -> str:
    """Return the short label of a norm, such as "L2"; `n` is its order as text.

    "fro", "nuc", "inf" and "-inf" are accepted; ".0" at the end is ignored.
    """
    n = n.removesuffix(".0")
    words = {
        "fro": translate("ChannelsView", "Frobenius"),
        "nuc": translate("ChannelsView", "nuclear"),
        "inf": "L∞",
        "-inf": "L−∞",
    }
    return words.get(n, f"L{n.replace('-', '−')}")


def norm_name(n: str) -> str:
    """Return the name of a norm, such as "L2 norm"; `n` is its order as text."""
    words = {
        "fro": translate("ChannelsView", "Frobenius norm"),
        "nuc": translate("ChannelsView", "nuclear norm"),
    }
    return words.get(n, translate("ChannelsView", "{label} norm").format(label=norm_label(n)))


def state_words(norms: ChannelNorms, after: Remaining, channel: int) -> str:
    """Return a text about how much of a channel is kept, now and after the step; thread-safe.

    With "protected" or "partly protected", if it is.
    """
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
    """Return a mask ``bool[n]`` of channels whose remaining weights are all protected."""
    if norms.protected is None:
        return np.zeros(norms.norms.size, np.bool_)
    return norms.protected if norms.partly is None else norms.protected & ~norms.partly
