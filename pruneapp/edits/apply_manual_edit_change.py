"""One operation by hand on the masks of one tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.document.snapshot import Snapshot
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.regions import Region, ones
from pruneapp.progress import Job
from pruneapp.results.document_rows import Operation

Packed = NDArray[np.uint8]

# Bytes of a mask that are worked on between two looks at the job.
_PIECE = 1 << 20


@dataclass(frozen=True, eq=False)
class Changed:
    """What an operation does to one tensor.

    Attributes
    ----------
    mask
        The mask that changes, of what is kept or of what is protected; None where it would say
        nothing any more, and where nothing changes.
    chosen, there, weights
        How many weights were meant; how many of these the operation is for (what is kept can be
        pruned or protected); how many of these change.
    final
        How many of those that are restored stay 0 all the same: they were made final before.
    reason
        Why nothing changes; empty if something does.
    """

    mask: BitMask | None
    chosen: int
    there: int
    weights: int
    final: int = 0
    reason: str = ""


def change(
    snapshot: Snapshot, name: str, operation: Operation, region: Region, job: Job
) -> Changed:
    """Do an operation to a part of a tensor, by its first name.

    One pass over the bytes of the region, and a copy of the mask that changes; `job` is stepped by
    the bytes of that.
    """
    numel = snapshot.entry(name).numel
    kept, protected = snapshot.masks.get(name), snapshot.protected.get(name)
    on_kept, more = operation in {"prune", "restore"}, operation in {"restore", "protect"}
    before = kept if on_kept else protected
    packed = _copied(before, numel, job, absent=on_kept)
    final = snapshot.final.get(name)
    chosen = there = weights = still = 0
    for place in _pieces(region.place):
        job.step(0)
        meant = region.packed[place.start - region.first : place.stop - region.first]
        found, bits = _RULES[operation](meant, _part(kept, place), _part(protected, place))
        chosen += ones(meant)
        there += ones(found)
        weights += ones(bits)
        if final is not None and operation == "restore":
            still += ones(bits & ~final.packed[place])
        if more:
            packed[place] |= bits
        else:
            packed[place] &= ~bits
    if not weights:
        reason = _reason(operation, chosen, there, final, region)
        return Changed(None, chosen, there, 0, reason=reason)
    known = numel * on_kept if before is None else before.kept
    after = BitMask(packed, numel, known + (weights if more else -weights))
    empty = after.pruned == 0 if on_kept else after.kept == 0
    return Changed(None if empty else after, chosen, there, weights, still)


def _prune(meant: Packed, kept: Packed | None, protected: Packed | None) -> tuple[Packed, Packed]:
    there = meant if kept is None else meant & kept
    return there, there if protected is None else there & ~protected


def _restore(meant: Packed, kept: Packed | None, _: Packed | None) -> tuple[Packed, Packed]:
    gone = np.zeros_like(meant) if kept is None else meant & ~kept
    return gone, gone


def _release(meant: Packed, _: Packed | None, protected: Packed | None) -> tuple[Packed, Packed]:
    guarded = np.zeros_like(meant) if protected is None else meant & protected
    return guarded, guarded


# What an operation is for, and what of that changes. No mask is everything kept, nothing protected.
_RULES: dict[Operation, Callable[[Packed, Packed | None, Packed | None], tuple[Packed, Packed]]] = {
    "prune": _prune,
    "restore": _restore,
    "protect": _prune,
    "release": _release,
}


def _reason(
    operation: Operation, chosen: int, there: int, final: BitMask | None, region: Region
) -> str:
    if not chosen:
        return "no weight is meant"
    if operation == "prune":
        if not there:
            return "all of it is already pruned"
        return "all of it is " + ("protected" if there == chosen else "pruned or protected")
    if operation == "protect":
        if there:
            return "all that is kept of it is protected already"
        return "all of it is pruned, and only kept weights can be protected"
    if operation == "release":
        return "nothing of it is protected"
    if final is not None and np.any(region.packed & ~final.packed[region.place]):
        return "its zeros were made permanent, which only undo reverts"
    return "nothing of it is pruned"


def _copied(mask: BitMask | None, numel: int, job: Job, *, absent: bool) -> Packed:
    """Return the bytes of a mask to write to; all bits are `absent` where there is none."""
    packed = np.empty((numel + 7) // 8, np.uint8)
    for place in _pieces(slice(0, packed.size)):
        packed[place] = 0xFF * absent if mask is None else mask.packed[place]
        job.step(place.stop - place.start)
    if mask is None and absent and numel % 8:
        packed[-1] = (1 << numel % 8) - 1
    return packed


def _pieces(place: slice) -> Iterator[slice]:
    for start in range(place.start, place.stop, _PIECE):
        yield slice(start, min(start + _PIECE, place.stop))


def _part(mask: BitMask | None, place: slice) -> Packed | None:
    return None if mask is None else mask.packed[place]
