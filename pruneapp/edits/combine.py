"""Two masks over the same tensors: how far they agree, and one made of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.errors import SelectionError
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.regions import ones
from pruneapp.progress import Job
from pruneapp.results.state_comparison import Overlap, TensorOverlap

Packed = NDArray[np.uint8]
# What is pruned afterwards: what is on both sides, on any, or here and not there.
Combination = Literal["and", "or", "minus"]

COMBINED: dict[Combination, str] = {
    "and": "pruned in both",
    "or": "pruned in either",
    "minus": "pruned here, not there",
}
_UNCHANGED: dict[Combination, str] = {
    "and": "all that is pruned here is pruned there",
    "or": "all that is pruned there is pruned here",
    "minus": "nothing that is pruned here is pruned there",
}

# Bytes of a mask that are looked at together.
_PIECE = 4 << 20


def overlap(snapshot: Snapshot, theirs: Mapping[str, BitMask], job: Job) -> Overlap:
    """Count what is pruned in a state, in other masks, and in both.

    What was made permanent counts as kept. The other masks, by any names of the tensors, are of
    another document, another state of this one, or a file (`masks_of` of
    `pruneapp.edits.existing_masks`); tensors without one are left out.

    Raises `SelectionError` if a mask has another number of elements than its tensor.
    """
    job.start(sum(mask.nbytes for mask in theirs.values()))
    tensors = []
    for name, other in _in_order(snapshot, theirs).items():
        job.label(name)
        here = snapshot.masks.get(name)
        if here is None:
            both = 0
            job.step(other.nbytes)
        else:
            either = sum(ones(a | b) for a, b in _pieces(here, other, job))  # kept on either side
            both = other.size - either
        tensors.append(
            TensorOverlap(
                name,
                other.size,
                both,
                only_here=snapshot.masks.pruned(name) - both,
                only_there=other.pruned - both,
            )
        )
    return Overlap(tuple(tensors))


def combine(
    snapshot: Snapshot,
    theirs: Mapping[str, BitMask],
    how: Combination,
    title: str,
    job: Job,
) -> ManualEdit:
    """Return the edit that makes one mask of those of a state and others.

    ===========  =====================================================================
    ``or``       pruned is what is pruned on either side: more is pruned here
    ``and``      pruned is what is pruned on both: what is pruned here alone comes back
    ``minus``    pruned is what is pruned here and not there: what is on both comes back
    ===========  =====================================================================

    So each of them either prunes or restores, and is an edit by hand whose targets are masks:
    `compute_manual_edit` says what it does, one step of the history. Protected weights stay kept.

    Parameters
    ----------
    snapshot, theirs
        See `overlap`. Tensors of which `theirs` holds no mask stay as they are.
    title
        What the other side is called, for the label.

    Raises
    ------
    SelectionError
        If a mask has another number of elements than its tensor, or nothing would change.
    """
    job.start(sum(mask.nbytes for mask in theirs.values()))
    targets = []
    for name, other in _in_order(snapshot, theirs).items():
        job.label(name)
        here = snapshot.masks.get(name)
        if here is None and how != "or":
            job.step(other.nbytes)
            continue  # nothing is pruned here that could come back
        changed = _made(how, here or BitMask.full(other.size), other, job)
        if changed.kept:
            targets.append(ManualTarget(name, mask=changed))
    if not targets:
        raise SelectionError(
            f"Nothing changes: {_UNCHANGED[how]}.", remedy="Choose another combination."
        )
    words = f"Masks combined with {title} ({COMBINED[how]})"
    return ManualEdit("prune" if how == "or" else "restore", tuple(targets), words)


def _in_order(snapshot: Snapshot, theirs: Mapping[str, BitMask]) -> dict[str, BitMask]:
    by_name = {snapshot.entry(name).name: mask for name, mask in theirs.items()}
    for name, mask in by_name.items():
        if mask.size != snapshot.entry(name).numel:
            raise SelectionError(
                f"The other mask of '{name}' has {mask.size:,} elements, but the tensor has "
                f"{snapshot.entry(name).numel:,}.",
                remedy="Choose the masks of the same model.",
            )
    return {name: by_name[name] for name in snapshot.checkpoint.entries if name in by_name}


def _pieces(a: BitMask, b: BitMask, job: Job) -> Iterator[tuple[Packed, Packed]]:
    for start in range(0, a.nbytes, _PIECE):
        piece = slice(start, start + _PIECE)
        yield a.packed[piece], b.packed[piece]
        job.step(min(_PIECE, a.nbytes - start))


def _made(how: Combination, a: BitMask, b: BitMask, job: Job) -> BitMask:
    """Return the weights that are pruned or restored here (a) to have them as the table says."""
    packed = np.empty(a.nbytes, np.uint8)
    done = 0
    for here, there in _pieces(a, b, job):
        packed[done : done + here.size] = _MEANT[how](here, there)
        done += here.size
    if a.size % 8:
        packed[-1] &= (1 << a.size % 8) - 1
    return BitMask(packed, a.size)


# A bit is 1 where a weight is kept.
_MEANT: dict[Combination, Callable[[Packed, Packed], Packed]] = {
    "and": lambda here, there: ~here & there,
    "or": lambda here, there: here & ~there,
    "minus": lambda here, there: ~(here | there),
}
