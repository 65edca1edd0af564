"""Statistics of the values of a tensor (histograms, channel norms, zeros), and CSV text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pruneapp.errors import escaped

# magnitudes: equal bins from 0. decades: equally many bins per power of ten, preceded by one from
# 0. signed: values, with equally many bins below and above 0.
Binning = Literal["magnitudes", "decades", "signed"]


@dataclass(frozen=True, eq=False)
class Histogram:
    """The magnitudes, or values, of a tensor, counted in bins."""

    name: str
    # ``float64[bins + 1]``, ascending; from 0 for magnitudes, symmetric around 0 with signs.
    edges: NDArray[np.float64]
    # ``int64[bins]``: kept, pruned, and (in a preview) to be pruned; the last are part of `kept`.
    kept: NDArray[np.int64]
    pruned: NDArray[np.int64]
    to_be_pruned: NDArray[np.int64]
    nonfinite: int  # number of NaN and infinite values, which are in no bin
    binning: Binning = "magnitudes"
    # True limits of the first and last bin if outliers are counted in them; None if no value
    # exceeds `edges`, where the axis ends.
    ends: tuple[float, float] | None = None
    # The range of the axis with finer bins, and the edges without them; None if there are none.
    # `edges` contains all of `whole`.
    finer: tuple[float, float] | None = None
    whole: NDArray[np.float64] | None = None

    @property
    def signed(self) -> bool:
        """Whether the values are counted with their signs."""
        return self.binning == "signed"

    def bounds(self, at: int) -> tuple[float, float]:
        """Return the limits of the values in a bin, including outliers."""
        low, high = float(self.edges[at]), float(self.edges[at + 1])
        if self.ends is not None and at == 0:
            low = min(low, self.ends[0])
        if self.ends is not None and at == self.kept.size - 1:
            high = max(high, self.ends[1])
        return low, high

    def without_finer(self) -> Histogram:
        """Return the histogram with the finer bins merged."""
        if self.whole is None:
            return self
        starts = np.searchsorted(self.edges, self.whole[:-1])
        kept, pruned, to_be_pruned = (
            np.add.reduceat(counts, starts)
            for counts in (self.kept, self.pruned, self.to_be_pruned)
        )
        return replace(
            self,
            edges=self.whole,
            kept=kept,
            pruned=pruned,
            to_be_pruned=to_be_pruned,
            finer=None,
            whole=None,
        )


@dataclass(frozen=True)
class TensorStats:
    """Statistics of the original values of a tensor, without NaN and infinities.

    `minimum`, `maximum`, `mean` and `std` (of the population) are NaN if no value is finite.
    `zeros` counts zeros in the file, pruned or not. For a `repaired` tensor all refer to the new
    values.
    """

    name: str
    numel: int
    pruned: int
    minimum: float
    maximum: float
    mean: float
    std: float
    zeros: int
    nan: int
    infinite: int
    repaired: bool = False


@dataclass(frozen=True)
class TensorNumbers:
    """Statistics of all values of a tensor in the file; complex numbers by magnitude.

    `minimum` and `maximum` ignore NaN but include infinities; None if all are NaN. `l1` and `l2`
    ignore NaN. All are None for packed types.
    """

    name: str
    count: int
    zeros: int | None = None
    nan: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    l1: float | None = None
    l2: float | None = None


@dataclass(frozen=True, eq=False)
class ChannelNorms:
    """Norms of the channels along a dimension: original, pruned, and after a preview."""

    # The name, the dimension counted from 0, and the order of the norm as text.
    name: str
    dim: int
    n: str
    # ``float64[channels]``: norms of the original values, of the kept values (others count as 0),
    # and of those kept after a preview. Without a preview `after` equals `left`.
    norms: NDArray[np.float64]
    left: NDArray[np.float64]
    after: NDArray[np.float64]
    # ``float64[channels]``: share of each channel's weights that is kept, from 0 to 1, now and
    # after the preview.
    kept: NDArray[np.float64]
    kept_after: NDArray[np.float64]
    # ``bool[channels]``: whether any weight is protected; None if the tensor has no protected
    # weight.
    protected: NDArray[np.bool_] | None = None
    # ``bool[channels]``: protected channels that also have kept weights that are not protected.
    partly: NDArray[np.bool_] | None = None

    @cached_property
    def to_be_pruned(self) -> NDArray[np.bool_]:
        """Whether a preview prunes all that is left of the channel, ``bool[channels]``."""
        going: NDArray[np.bool_] = (self.kept > 0) & (self.kept_after == 0)
        return going


@dataclass(frozen=True)
class TensorZeros:
    """The zeros of a tensor that are not pruned, and their pattern."""

    name: str  # first name of the tensor
    numel: int
    zeros: int
    channels: tuple[int, ...] = ()  # number of slices of zeros, per dimension
    # ``(n, m)`` if at most n of every m successive elements along dim 1 (input features, or input
    # channels at one kernel position) are nonzero: the first of 1:4, 2:4 and 4:8 that holds
    # throughout. None if none does, and for a tensor of zeros only.
    pattern: tuple[int, int] | None = None
    # ``(rows, columns)`` of the largest square block (64, 32, 16, 8 or 4) that contains 99 % of the
    # zeros completely, in the matrix of dim 0 by all others. None if there is none, or if the zeros
    # are just whole rows and columns.
    block: tuple[int, int] | None = None


@dataclass(frozen=True)
class ZerosReport:
    """The tensors of a file with a considerable share of zeros, in file order."""

    tensors: tuple[TensorZeros, ...]


# First characters that make a spreadsheet treat text as a formula, or that it skips.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as comma-separated values, with numbers in full precision.

    Text from files becomes one line of printable characters and never a formula: an apostrophe is
    put before text that begins like one. Numbers are never changed. Use JSON for exact names.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(headers)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def _cell(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    return f"'{escaped(cell)}" if cell.startswith(_FORMULA) else escaped(cell)
