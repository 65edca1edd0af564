"""The channels of several tensors in the order in which they go."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.histograms_channels import Channels
from pruneapp.methods.limit_bounds_channel_bounds import Running

Counts = NDArray[np.int64]
Sums = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OrderedTensor:
    """The channels of one tensor in the order in which they go.

    Attributes
    ----------
    weights
        ``int64[free channels + 1]``: what goes with so many of the first channels.
    squares, sizes
        ``float64[free channels + 1]``: the sums of squares and magnitudes of it.
    all_squares, all_sizes
        The sums of all that is kept.
    """

    weights: Counts
    squares: Sums
    sizes: Sums
    all_squares: float
    all_sizes: float


def in_order_of(
    channels: Channels,
    order: NDArray[np.intp],
    squares: Channels | None,
    sizes: Channels | None,
) -> OrderedTensor:
    """Add up what goes with the first channels.

    Parameters
    ----------
    channels
        Of the tensor.
    order
        Numbers of the free ones, those that go first first.
    squares, sizes
        The same channels with norms of order 2 and 1; None if they are not known: then the sums
        are NaN, as they are if a weight is not finite.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        two = np.full(order.size, math.nan) if squares is None else np.square(squares.norms)
        one = np.full(order.size, math.nan) if sizes is None else sizes.norms
        return OrderedTensor(
            np.concatenate(([0], np.cumsum(channels.kept[order]))),
            np.concatenate(([0.0], np.cumsum(two if squares is None else two[order]))),
            np.concatenate(([0.0], np.cumsum(one if sizes is None else one[order]))),
            float(two.sum()) if squares is not None else math.nan,
            float(one.sum()) if sizes is not None else math.nan,
        )


class Ordered:
    """The channels of several tensors, so that a cut takes no loop over them.

    Parameters
    ----------
    tensors
        Each by itself.
    complete
        Whether the sums are known.
    """

    def __init__(self, tensors: Sequence[OrderedTensor], *, complete: bool) -> None:
        self.running = Running([t.weights for t in tensors])
        self._squares: Sums = np.concatenate([t.squares for t in tensors])
        self._sizes: Sums = np.concatenate([t.sizes for t in tensors])
        self.all_squares: Sums = np.array([t.all_squares for t in tensors])
        self.all_sizes: Sums = np.array([t.all_sizes for t in tensors])
        self.complete = complete

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return self.running.weights.nbytes + self._squares.nbytes + self._sizes.nbytes

    def cut(self, counts: Counts) -> tuple[Counts, Sums, Sums]:
        """Return the weights, squares and magnitudes that go with so many channels of each."""
        places = self.running.starts + counts
        return self.running.weights[places], self._squares[places], self._sizes[places]
