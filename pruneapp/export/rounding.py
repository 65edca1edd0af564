"""Weights in a type of 16 bits: rounded once, to the nearest, ties to even; and what that cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pruneapp.answers.export import RoundingCost
from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.export.records import Record, finalized
from pruneapp.export.state import State
from pruneapp.params import Choice, ChoiceParam
from pruneapp.progress import CancelToken, Job

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


class RoundingNotice(str):
    """What rounding did to a file, as a sentence that knows its numbers.

    Attributes
    ----------
    cost
        The numbers.
    """

    __slots__ = ("cost",)

    cost: RoundingCost

    def __new__(cls, cost: RoundingCost) -> Self:
        """Put numbers into words."""
        notice = super().__new__(cls, _in_words(cost))
        notice.cost = cost
        return notice


def damages(notice: str) -> bool:
    """Whether a notice tells of numbers that became infinite."""
    return isinstance(notice, RoundingNotice) and bool(notice.cost.infinite)


def cost_to_come(state: State, name: str, job: Job) -> RoundingCost:
    """Return what an export in another type would cost, without writing it.

    Reads every tensor that would be rounded, in pieces of at most 1 MiB, pruned weights as the 0
    that they become. O(n) in the bytes of those tensors, in constant memory.

    Parameters
    ----------
    state
        What would be written.
    name
        The type, as `DTYPE` calls it; not ``keep``.
    job
        Stepped by the bytes that were read.

    Raises
    ------
    CheckpointError
        If the source cannot be read.
    """
    rounding = Rounding.to(name)
    assert rounding is not None
    entries = state.checkpoint.entries.values()
    wanted = [e for batch in job.cancel.batches(entries) for e in batch if rounding.concerns(e)]
    job.start(sum(entry.nbytes for entry in wanted))
    for entry in wanted:
        for piece in rounding.of(finalized(state, entry)).pieces():
            job.step(len(piece) * entry.dtype.bits // rounding.dtype.bits)
    return rounding.cost


def saved(checkpoint: Checkpoint, cancel: CancelToken) -> int:
    """Return how many bytes fewer the numbers of a checkpoint take in a type of 16 bits."""
    rounding = Rounding(DTYPES[_TO["bfloat16"]])
    return sum(
        entry.nbytes - rounding.dtype.nbytes(entry.numel)
        for batch in cancel.batches(checkpoint.entries.values())
        for entry in batch
        if rounding.concerns(entry)
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
    _tensors: dict[str, RoundingCost] = field(default_factory=dict)

    @classmethod
    def to(cls, name: str) -> Rounding | None:
        """Return what rounds to the type that `DTYPE` calls `name`; None for ``keep``."""
        return None if name == KEEP else cls(DTYPES[_TO[name]])

    def __iadd__(self, other: Rounding) -> Self:
        """Count in what rounding did in another file."""
        self._tensors |= other._tensors
        return self

    @property
    def cost(self) -> RoundingCost:
        """What all the tensors that were read to their end cost together."""
        found = self._tensors.values()
        if not found:
            return RoundingCost(self.dtype.label)
        worst = max(found, key=attrgetter("worst"))  # of equal ones the first
        return RoundingCost(
            self.dtype.label,
            tensors=len(found),
            worst=worst.worst,
            where=worst.where,
            infinite=tuple(chain.from_iterable(cost.infinite for cost in found)),
            vanished=sum(cost.vanished for cost in found),
        )

    def concerns(self, entry: TensorEntry) -> bool:
        """Whether a tensor is one that is rounded."""
        return self.becomes(entry.dtype) != entry.dtype

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
            worst, infinite, vanished = 0.0, 0, 0
            for piece in record.pieces():
                values = _values(piece, record.dtype)
                rounded = round_to(values, self.dtype)
                error, lost, gone = _cost(values, rounded)
                worst, infinite, vanished = max(worst, error), infinite + lost, vanished + gone
                yield _little(rounded)
            self._tensors[record.name] = RoundingCost(
                self.dtype.label,
                tensors=1,
                worst=worst,
                where=record.name if worst else "",
                infinite=((record.name, infinite),) if infinite else (),
                vanished=vanished,
            )

        return Record(record.name, record.aliases, self.dtype, record.shape, pieces)

    def notices(self) -> tuple[str, ...]:
        """Say what it cost, once everything was written."""
        return (RoundingNotice(self.cost),)


def _in_words(cost: RoundingCost) -> str:
    if not cost.tensors:
        return f"Every number was {cost.dtype} or narrower: nothing was rounded."
    said = [f"Rounded to {cost.dtype}."]
    if cost.worst:
        said.append(f"The largest rounding error is {cost.worst:.3g}, in '{cost.where}'.")
    if cost.infinite:
        name, most = max(cost.infinite, key=itemgetter(1))
        were = "value was" if most == 1 else "values were"
        said.append(f"{most:,} {were} too large and became infinite, in '{name}'.")
        if rest := cost.lost - most:
            others = len(cost.infinite) - 1
            said.append(f"So did {rest:,} in {others:,} other tensor{'s' if others > 1 else ''}.")
    if cost.vanished:
        were = "value was" if cost.vanished == 1 else "values were"
        said.append(f"{cost.vanished:,} {were} too small and became 0.")
    return " ".join(said)


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
