"""Numbers about the values of a tensor (magnitudes, channels, zeros), and tables as text."""

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

# What is counted: magnitudes in equal bins from 0; in as many bins a power of ten, the first one
# from 0 for all that is smaller; or values with their signs, in as many bins below 0 as above.
Binning = Literal["magnitudes", "decades", "signed"]


@dataclass(frozen=True, eq=False)
class Histogram:
    """Magnitudes, or values, of a tensor, counted in bins."""

    name: str
    # ``float64[bins + 1]``, rising; from 0 for magnitudes, symmetric around 0 with signs.
    edges: NDArray[np.float64]
    # ``int64[bins]``: kept, pruned, and (in a preview) to be pruned; `to_be_pruned` is part of
    # `kept`.
    kept: NDArray[np.int64]
    pruned: NDArray[np.int64]
    to_be_pruned: NDArray[np.int64]
    nonfinite: int  # how many are NaN or infinite and in no bin
    binning: Binning = "magnitudes"
    # Where the first bin begins and the last one ends in truth, if outliers are counted in them:
    # the axis ends where `edges` do. None if no value is beyond the edges.
    ends: tuple[float, float] | None = None
    # The part of the axis that has finer bins, and the edges without them; None if there are none.
    # All of `whole` are among `edges`.
    finer: tuple[float, float] | None = None
    whole: NDArray[np.float64] | None = None

    @property
    def signed(self) -> bool:
        """Whether the values are counted with their signs."""
        return self.binning == "signed"

    def bounds(self, at: int) -> tuple[float, float]:
        """Return from where to where the values of a bin reach, outliers included."""
        low, high = float(self.edges[at]), float(self.edges[at + 1])
        if self.ends is not None and at == 0:
            low = min(low, self.ends[0])
        if self.ends is not None and at == self.kept.size - 1:
            high = max(high, self.ends[1])
        return low, high

    def without_finer(self) -> Histogram:
        """Return the same counts in the bins of the whole axis alone."""
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
    """Numbers about the original values of a tensor; NaN and infinities are left out of them.

    `minimum`, `maximum`, `mean` and `std` (of the population) are NaN for a tensor without a
    finite number. `zeros` counts zeros in the file, pruned or not. Of a tensor that was `repaired`
    they are about its new values.
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
    """Numbers about all values of a tensor as the file has it; complex ones by magnitude.

    `minimum` and `maximum` are of what is not NaN, infinities among it; None if that is nothing.
    `l1` and `l2` leave out NaN. All are None of a type whose elements have no single value.
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
    """Norms of the channels along a dimension: whole, what is left of them, and a preview."""

    # The tensor, its dimension from 0, the order of the norm as text.
    name: str
    dim: int
    n: str
    # ``float64[channels]``: of the original values; of those that are not pruned, the others
    # counted as 0; and of those that a preview leaves. Without a preview `after` is `left`.
    norms: NDArray[np.float64]
    left: NDArray[np.float64]
    after: NDArray[np.float64]
    # ``float64[channels]``: share of the weights of each channel that is not pruned, from 0 to 1,
    # now and after the preview.
    kept: NDArray[np.float64]
    kept_after: NDArray[np.float64]
    # ``bool[channels]``: whether anything of it is protected; None if nothing of the tensor is.
    protected: NDArray[np.bool_] | None = None
    # ``bool[channels]``: those of them of which something else is left that is not protected.
    partly: NDArray[np.bool_] | None = None

    @cached_property
    def to_be_pruned(self) -> NDArray[np.bool_]:
        """``bool[channels]``: whether a preview takes all that is left of the channel."""
        going: NDArray[np.bool_] = (self.kept > 0) & (self.kept_after == 0)
        return going


@dataclass(frozen=True)
class TensorZeros:
    """The zeros of a tensor that are not pruned here, and the pattern that they form."""

    name: str  # the tensor
    # Elements in all, and those that are +0.0 or -0.0.
    numel: int
    zeros: int
    channels: tuple[int, ...] = ()  # for each dimension, how many whole slices are zero
    # ``(n, m)`` where at most n of every m successive elements along dim 1 (input features, or
    # input channels at one place of the kernel) are left: the first of 1:4, 2:4 and 4:8 that holds
    # throughout. None if there is no such, and for a tensor of nothing but zeros.
    pattern: tuple[int, int] | None = None
    # ``(rows, columns)`` of the largest block of 64, 32, 16, 8, 4 squared in which 99 % of the
    # zeros come whole, in the matrix of dim 0 by all others. None if there is no such, and where
    # whole rows and columns say it all.
    block: tuple[int, int] | None = None


@dataclass(frozen=True)
class ZerosReport:
    """The tensors of a file that have a considerable share of zeros, in file order."""

    tensors: tuple[TensorZeros, ...]


# What makes a spreadsheet take text for a formula, or skip it on the way to one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as comma-separated values, numbers in full precision and with a point.

    Text from files is one line of visible characters, and never a formula: what begins as one gets
    an apostrophe in front. Numbers are never changed. Who needs exact names takes JSON.
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
