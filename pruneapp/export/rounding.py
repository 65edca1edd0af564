"""Weights in a type of 16 bits: rounded once, to the nearest, ties to even; and what that cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.export.records import Record
from pruneapp.params import Choice, ChoiceParam

KEEP = "keep"
_TO = {"float16": "F16", "bfloat16": "BF16"}
# Types that are rounded; narrower ones stay what they are.
_FROM = frozenset({"F64", "F32", "F16", "BF16"})

DTYPE = ChoiceParam(
    name="dtype",
    label="Type",
    help="The type of the numbers that are written: as they are, or rounded to 16 bits.",
    default=KEEP,
    choices=(
        Choice(KEEP, "As they are"),
        Choice("float16", "float16", "Ten bits behind the point; nothing above 65,504."),
        Choice("bfloat16", "bfloat16", "Seven bits behind the point; as large as float32."),
    ),
)


@dataclass
class Rounding:
    """What rounding did, as far as it was done.

    Attributes
    ----------
    dtype
        The type that is rounded to.
    """

    dtype: DType
    _tensors: dict[str, tuple[float, int, int]] = field(default_factory=dict)

    @classmethod
    def to(cls, name: str) -> Rounding | None:
        """Return what rounds to the type that `DTYPE` calls `name`; None for ``keep``."""
        return None if name == KEEP else cls(DTYPES[_TO[name]])

    def becomes(self, dtype: DType) -> DType:
        """Return the type that numbers of a type are written in."""
        return self.dtype if dtype.name in _FROM else dtype

    def rounded(self, piece: memoryview, dtype: DType) -> memoryview:
        """Return some little-endian numbers of a type as they are written."""
        if self.becomes(dtype) == dtype:
            return piece
        return _little(round_to(_values(piece, dtype), self.dtype))

    def of(self, record: Record) -> Record:
        """Return a tensor rounded; itself if its type is not one to be rounded."""
        if self.becomes(record.dtype) == record.dtype:
            return record

        def pieces() -> Iterator[memoryview]:
            found = (0.0, 0, 0)
            for piece in record.pieces():
                values = _values(piece, record.dtype)
                rounded = round_to(values, self.dtype)
                worst, infinite, vanished = _cost(values, rounded)
                found = (max(found[0], worst), found[1] + infinite, found[2] + vanished)
                yield _little(rounded)
            self._tensors[record.name] = found

        return Record(record.name, record.aliases, self.dtype, record.shape, pieces)

    def __iadd__(self, other: Rounding) -> Self:
        """Count in what rounding did in another file."""
        self._tensors |= other._tensors
        return self

    def notices(self) -> tuple[str, ...]:
        """Say what it cost, once everything was written."""
        if not self._tensors:
            return (f"Every number was {self.dtype.label} or narrower: nothing was rounded.",)
        where = max(self._tensors, key=lambda name: self._tensors[name][0])
        worst = self._tensors[where][0]
        infinite = sum(found[1] for found in self._tensors.values())
        vanished = sum(found[2] for found in self._tensors.values())
        said = [f"Rounded to {self.dtype.label}."]
        if worst:
            said.append(f"The largest rounding error is {worst:.3g}, in '{where}'.")
        if infinite:
            said.append(f"{infinite:,} numbers were too large and became infinite.")
        if vanished:
            said.append(f"{vanished:,} numbers were too small and became 0.")
        return (" ".join(said),)


def cost(roundings: Iterable[Rounding | None]) -> tuple[str, ...]:
    """Say what rounding has cost in files that were written together; None rounds nothing."""
    found = [rounding for rounding in roundings if rounding is not None]
    if not found:
        return ()
    together = Rounding(found[0].dtype)
    for rounding in found:
        together += rounding
    return together.notices()


def round_to(values: NDArray[Any], dtype: DType) -> NDArray[Any]:
    """Return real numbers in another type, each rounded once: to the nearest, ties to even.

    Parameters
    ----------
    values
        ``float64``, ``float32``, ``float16`` or ml_dtypes' bfloat16.
    dtype
        Of 16 bits. What is too large becomes infinite, NaN stays NaN, -0.0 stays what it is.

    Notes
    -----
    ml_dtypes goes from float64 to bfloat16 by way of float32 and so would round twice. On that way
    float32 is rounded to odd, which keeps what the second rounding has to know (S. Boldo and
    G. Melquiond, Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
    odd, IEEE Transactions on Computers 57, 2008).
    """
    target = _type_of(dtype)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if values.dtype == np.float64 and target != np.float16:
            values = _to_odd(values)
        return values.astype(target)


def _to_odd(values: NDArray[np.float64]) -> NDArray[np.float32]:
    near = values.astype(np.float32)
    back = near.astype(np.float64)
    bits: NDArray[np.uint32] = near.view(np.uint32)
    inexact = np.isfinite(values) & (back != values)
    # Toward zero first, then the last bit says that something is missing.
    beyond = inexact & (np.abs(back) > np.abs(values))
    odd = np.subtract(bits, beyond, dtype=np.uint32) | np.uint32(1)
    return np.where(inexact, odd, bits).view(np.float32)


def _type_of(dtype: DType) -> np.dtype[Any]:
    import ml_dtypes

    return np.dtype(ml_dtypes.bfloat16) if dtype.name == "BF16" else np.dtype(f"f{dtype.bits // 8}")


def _little(rounded: NDArray[Any]) -> memoryview:
    return rounded.view(np.uint16).astype("<u2", copy=False).view(np.uint8).data


def _values(piece: memoryview, dtype: DType) -> NDArray[Any]:
    stored = np.frombuffer(piece, np.dtype(dtype.storage).newbyteorder("<"))
    return stored.astype(dtype.storage, copy=False).view(_type_of(dtype))


def _cost(values: NDArray[Any], rounded: NDArray[Any]) -> tuple[float, int, int]:
    """Return the largest error, how many became infinite, and how many 0."""
    wide = np.float64 if values.dtype == np.float64 else np.float32
    before: NDArray[np.float64] = values.astype(wide, copy=False)  # or float32
    after: NDArray[np.float64] = rounded.astype(wide)
    finite = np.isfinite(before)
    lost = finite & ~np.isfinite(after)
    with np.errstate(invalid="ignore"):
        error = np.abs(before - after)
    error[~finite | lost] = 0
    gone = (after == 0) & (before != 0)
    worst = float(error.max()) if error.size else 0.0
    return worst, int(np.count_nonzero(lost)), int(np.count_nonzero(gone))
