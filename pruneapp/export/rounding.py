"""Round weights to a 16-bit dtype (once, to nearest, ties to even) and measure the cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.errors import counted
from pruneapp.export.records import CHUNK_BYTES, State
from pruneapp.masks.bitmask import Mask
from pruneapp.params import Choice, ChoiceParam, percent
from pruneapp.progress import Job

KEEP = "keep"
STATE_DICT = "state-dict"
# It has the range of float32, so a recommendation makes no value infinite.
SMALLER = "bfloat16"
_TO = {"float16": "F16", "bfloat16": "BF16"}
# Largest rounding error relative to the value: 2^-11 and 2^-8, rounded up. Not of float16
# subnormals, whose absolute error is at most `_SUBNORMAL_ERROR`.
_RELATIVE_ERRORS = {"float16": 0.0005, "bfloat16": 0.004}
_SUBNORMAL_ERROR = 2.0**-25
# Dtypes that are rounded; narrower ones are not changed.
_FROM = frozenset({"F64", "F32", "F16", "BF16"})

CONTAINER = ChoiceParam(
    name="container",
    label="Contents",
    help="Write the opened torch file with changed weights, or only its state dict, without "
    "optimizer, objects and program.",
    default=KEEP,
    choices=(Choice(KEEP, "Whole checkpoint"), Choice(STATE_DICT, "State dict only")),
)

DTYPE = ChoiceParam(
    name="dtype",
    label="dtype",
    help="Data type of the written weights: unchanged, or rounded to 16 bits.",
    default=KEEP,
    choices=(
        Choice(KEEP, "as opened"),
        Choice("float16", "float16", "11 significant bits; values up to 65,504."),
        Choice("bfloat16", "bfloat16", "8 significant bits; same range as float32."),
    ),
)


@dataclass(frozen=True)
class RoundingCost:
    """The loss caused by rounding to a dtype of fewer bits."""

    dtype: str  # display name of the dtype: ``float16``
    tensors: int = 0
    # The largest rounding error of a number that remains finite, and the first tensor with it;
    # empty if nothing changes.
    worst: float = 0.0
    where: str = ""
    # Tensors with finite numbers that become infinite, and how many.
    infinite: tuple[tuple[str, int], ...] = ()
    vanished: int = 0  # how many nonzero numbers become 0

    @property
    def relative(self) -> float:
        """Upper bound of `worst` relative to its value; 0 if there is none."""
        return _RELATIVE_ERRORS[self.dtype] if self.worst > _SUBNORMAL_ERROR else 0.0

    @property
    def lost(self) -> int:
        """How many finite numbers become infinite."""
        return sum(count for _, count in self.infinite)


def estimate_rounding_cost(state: State, name: str, job: Job) -> RoundingCost:
    """Return the cost of an export in the dtype `name`, "float16" or "bfloat16". Writes nothing.

    Reads every tensor to be rounded in pieces of up to 1 MiB, ignoring pruned weights. O(n) in the
    bytes of these tensors, by which `job` advances; constant memory.
    """
    rounding = Rounding.for_dtype(name)
    assert rounding is not None
    rounded = RoundedState(state, rounding)
    entries = state.checkpoint.entries.values()
    rounded_entries = [e for e in job.cancel.each(entries) if rounding.applies_to(e)]
    job.start(sum(entry.nbytes for entry in rounded_entries))
    for entry in rounded_entries:
        size = CHUNK_BYTES * 8 // entry.dtype.bits
        for chunk in rounded.chunks(entry.name, size=size):
            job.step(entry.dtype.nbytes(chunk.bits.size))
    return rounding.cost


@dataclass
class Rounding:
    """The cost of rounding to a dtype so far. Several threads may add to it."""

    dtype: DType
    # By tensor name and flat index of the first element, so that elements read twice count once.
    ranges: dict[tuple[str, int], RoundingCost] = field(default_factory=dict)

    @classmethod
    def for_dtype(cls, name: str) -> Rounding | None:
        """Return the rounding to a value of `DTYPE`; None for "keep"."""
        return None if name == KEEP else cls(DTYPES[_TO[name]])

    @classmethod
    def combine(cls, roundings: Iterable[Rounding | None]) -> Rounding | None:
        """Return the combined rounding of several files, a new object; None if nothing was rounded.

        None among them is ignored. All must be to the same dtype.
        """
        some = [rounding for rounding in roundings if rounding is not None]
        if not some:
            return None
        return cls(some[0].dtype, dict(chain.from_iterable(r.ranges.items() for r in some)))

    def reset(self) -> None:
        """Reset the cost."""
        self.ranges.clear()

    @property
    def cost(self) -> RoundingCost:
        """The total cost of everything that was read; all zeros if nothing was."""
        # Sorted because threads and formats read in any order.
        ranges = dict(sorted(self.ranges.items()))
        if not ranges:
            return RoundingCost(self.dtype.label)
        worst = max(ranges.values(), key=attrgetter("worst"))  # the first one if several are equal
        infinite: Counter[str] = Counter()
        for (name, _start), cost in ranges.items():
            for _, count in cost.infinite:
                infinite[name] += count
        return RoundingCost(
            self.dtype.label,
            tensors=len({name for name, _start in ranges}),
            worst=worst.worst,
            where=worst.where,
            infinite=tuple(infinite.items()),
            vanished=sum(cost.vanished for cost in ranges.values()),
        )

    def applies_to(self, entry: TensorEntry) -> bool:
        """Return whether a tensor is rounded: wider floats, except those of quantized layers."""
        return entry.dtype.name in _FROM and entry.dtype != self.dtype and not entry.quantized

    def shrinks(self, entry: TensorEntry) -> bool:
        """Return whether rounding reduces the size of a tensor."""
        return self.applies_to(entry) and entry.numel > 0 and entry.dtype.bits > self.dtype.bits

    def entry(self, entry: TensorEntry) -> TensorEntry:
        """Return the entry with the dtype that is written."""
        return entry._replace(dtype=self.dtype) if self.applies_to(entry) else entry

    def round_chunk(self, entry: TensorEntry, chunk: RawChunk) -> RawChunk:
        """Return elements of a tensor in the rounded dtype, and record the cost.

        Rounding the same elements again replaces their cost. `entry` must have the dtype of
        `chunk`, and `applies_to` must be True for it.
        """
        values = chunk.bits.view(_type_of(entry.dtype))
        rounded = round_to(values, self.dtype)
        worst, infinite, vanished = _measure_cost(values, rounded)
        self.ranges[entry.name, chunk.start] = RoundingCost(
            self.dtype.label,
            worst=worst,
            where=entry.name if worst else "",
            infinite=((entry.name, infinite),) if infinite else (),
            vanished=vanished,
        )
        return RawChunk(chunk.start, rounded.view(np.uint16))


class _Zeroed:
    """A mask whose pruned elements are already 0; see `Mask`."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self.size = mask.size
        self.kept = mask.kept
        self.pruned = mask.pruned
        self.bools = mask.bools

    def zero(self, bits: NDArray[np.unsignedinteger], start: int) -> None:
        """Do nothing: masks computed from rules cannot be applied to rounded elements."""


@dataclass(frozen=True, eq=False)
class RoundedState:
    """A state whose floats are rounded to a 16-bit dtype when they are read.

    Entries of its checkpoint keep the dtype of the source; `Rounding.entry` returns the dtype that
    is written. Unlike for other states, pruned elements in chunks are +0.0, unless `originals` is
    set; then they count in the cost as well.
    """

    state: State
    rounding: Rounding
    originals: bool = False

    @property
    def checkpoint(self) -> Checkpoint:
        """The source of the tensors."""
        return self.state.checkpoint

    def mask(self, name: str) -> Mask | None:
        """Return the mask of a tensor; None if nothing is pruned."""
        return self.state.mask(name)

    def export_mask(self, name: str) -> Mask | None:
        """Return the mask whose 0 bits are written as +0.0; None if nothing is.

        For a rounded tensor, its `zero` does nothing, because chunks are zeroed before rounding.
        """
        mask = self.state.export_mask(name)
        if mask is None or self.originals or not self.rounding.applies_to(self._entry(name)):
            return mask
        return _Zeroed(mask)

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield the elements of a tensor in the dtype that is written; see `State`.

        Each read of a rounded tensor records the cost in `rounding`.
        """
        entry = self._entry(name)
        if not self.rounding.applies_to(entry):
            yield from self.state.chunks(name, start, stop, size)
            return
        zeroed = None if self.originals else self.state.export_mask(name)
        for chunk in self.state.chunks(name, start, stop, size):
            if zeroed is not None:
                zeroed.zero(chunk.bits, chunk.start)
            yield self.rounding.round_chunk(entry, chunk)

    def replaces(self, name: str) -> bool:
        """Return whether a tensor has replaced values, not counting the rounding."""
        return self.state.replaces(name)

    def _entry(self, name: str) -> TensorEntry:
        return self.checkpoint.entries[name]


def describe(cost: RoundingCost) -> str:
    """Return the cost of rounding as text for the user, one sentence per effect."""
    if not cost.tensors:
        return f"All values were {cost.dtype} or narrower: nothing was rounded."
    texts = [f"Rounded to {cost.dtype}."]
    if cost.worst:
        if cost.relative:
            texts.append(
                f"The largest absolute rounding error is {cost.worst:.3g}, in '{cost.where}', at "
                f"most {percent(cost.relative, 2)} of the value."
            )
        else:
            texts.append(
                f"The largest absolute rounding error is {cost.worst:.3g}, in '{cost.where}'."
            )
    if cost.infinite:
        name, most = max(cost.infinite, key=itemgetter(1))
        were = "value was" if most == 1 else "values were"
        texts.append(f"{most:,} {were} too large and became infinite, in '{name}'.")
        if rest := cost.lost - most:
            others = counted(len(cost.infinite) - 1, "other tensor")
            texts.append(f"So did {rest:,} in {others}.")
    if cost.vanished:
        were = "value was" if cost.vanished == 1 else "values were"
        texts.append(f"{cost.vanished:,} {were} too small and became 0.")
    return " ".join(texts)


def round_to(values: NDArray[Any], dtype: DType) -> NDArray[Any]:
    """Round numbers to a 16-bit dtype, once, to nearest with ties to even.

    `values` are float64, float32, float16 or bfloat16 of ml_dtypes. Overflow becomes infinite; NaN
    and -0.0 are kept.

    Notes
    -----
    ml_dtypes converts float64 to bfloat16 through float32 and would round twice. Therefore values
    are first rounded to float32 "to odd", which preserves what the second rounding needs (S. Boldo
    and G. Melquiond, Emulation of FMA and correctly rounded sums: proved algorithms using rounding
    to odd, IEEE Transactions on Computers 57, 2008).
    """
    target = _type_of(dtype)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if values.dtype == np.float64 and target != np.float16:
            values = _round_to_odd(values)
        return values.astype(target)


def _round_to_odd(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round to float32, to the neighbour with an odd last bit where the value is not exact."""
    nearest = values.astype(np.float32)
    back = nearest.astype(np.float64)
    bits: NDArray[np.uint32] = nearest.view(np.uint32)
    inexact = np.isfinite(values) & (back != values)
    # Truncate toward zero, then set the last bit to mark the result as inexact.
    beyond = inexact & (np.abs(back) > np.abs(values))
    odd = np.subtract(bits, beyond, dtype=np.uint32) | np.uint32(1)
    return np.where(inexact, odd, bits).view(np.float32)


def _type_of(dtype: DType) -> np.dtype[Any]:
    import ml_dtypes

    return np.dtype(ml_dtypes.bfloat16) if dtype.name == "BF16" else np.dtype(f"f{dtype.bits // 8}")


def _measure_cost(values: NDArray[Any], rounded: NDArray[Any]) -> tuple[float, int, int]:
    """Return the largest absolute error, and how many values became infinite and 0.

    Values that were not finite, or became infinite, do not count in the error.
    """
    wide = np.float64 if values.dtype == np.float64 else np.float32
    before: NDArray[np.float64] = values.astype(wide, copy=False)  # float64 or float32
    after: NDArray[np.float64] = rounded.astype(wide)
    finite = np.isfinite(before)
    lost = finite & ~np.isfinite(after)
    with np.errstate(invalid="ignore"):
        error = np.abs(before - after)
    error[~finite | lost] = 0
    vanished = (after == 0) & (before != 0)
    worst = float(error.max()) if error.size else 0.0
    return worst, int(np.count_nonzero(lost)), int(np.count_nonzero(vanished))
