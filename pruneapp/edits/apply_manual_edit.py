"""Computation of the masks and counts of a manual edit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.layout import Box
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.edit import Edit, EditKind, Proposal, format_names
from pruneapp.document.entries import Operation
from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.manual_edit import DONE, ManualEdit, ManualTarget, indices
from pruneapp.errors import ParameterError, SelectionError, counted
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask, ones
from pruneapp.masks.regions import Region, region_of_boxes
from pruneapp.progress import Job

Packed = NDArray[np.uint8]

# Bytes of a mask processed between two checks for cancellation.
_PIECE = 1 << 20


@dataclass(frozen=True)
class ManualEditCount:
    """The effect of a manual edit on one tensor, in weights."""

    name: str  # first name of the tensor
    selected: int  # number of selected weights
    changed: int  # number of weights pruned, restored, protected or released
    protected: int = 0  # number of weights not pruned because they are protected
    permanent: int = 0  # number of restored weights that remain 0 because they were made permanent


@dataclass(frozen=True)
class ManualEditCounts:
    """The effect of a manual edit on all of its tensors."""

    operation: Operation
    # In the order of the edit; includes tensors in which nothing changes.
    tensors: tuple[ManualEditCount, ...]

    @cached_property
    def selected(self) -> int:
        """Total number of selected weights."""
        return sum(count.selected for count in self.tensors)

    @cached_property
    def changed(self) -> int:
        """Total number of weights that change."""
        return sum(count.changed for count in self.tensors)

    @cached_property
    def protected(self) -> int:
        """Total number of weights not pruned because they are protected."""
        return sum(count.protected for count in self.tensors)

    @cached_property
    def permanent(self) -> int:
        """Total number of restored weights that remain 0 because they were made permanent."""
        return sum(count.permanent for count in self.tensors)


def _change(
    snapshot: Snapshot, name: str, operation: Operation, region: Region, job: Job
) -> tuple[BitMask | None, ManualEditCount, str]:
    """Apply an operation to a region of a tensor, given by its first name.

    Passes once over the bytes of the region and copies the changed mask; `job` is advanced by the
    size of the mask.

    Returns
    -------
    mask
        The new mask, of kept or of protected weights depending on the operation; None if all
        weights are kept, or none are protected.
    count
        How many weights are selected and changed.
    reason
        Why nothing changes; empty if something does.
    """
    numel = snapshot.entry(name).numel
    kept, protected = snapshot.masks.get(name), snapshot.protected.get(name)
    on_kept, more = operation in {"prune", "restore"}, operation in {"restore", "protect"}
    before = kept if on_kept else protected
    packed = _copy_bits(before, numel, job, absent=on_kept)
    permanent = snapshot.permanent.get(name)
    selected_count = eligible_count = weights = still_zero = 0
    for place in _pieces(region.place):
        job.step(0)
        selected = region.part(place)
        eligible, bits = _RULES[operation](selected, _part(kept, place), _part(protected, place))
        selected_count += ones(selected)
        eligible_count += ones(eligible)
        weights += ones(bits)
        if permanent is not None and operation == "restore":
            still_zero += ones(bits & ~permanent.part(place.start, place.stop))
        if more:
            packed[place] |= bits
        else:
            packed[place] &= ~bits
        scratch.release_pages(packed, place.start, place.stop)
    if not weights:
        skipped = eligible_count if operation == "prune" else 0
        reason = _reason(operation, selected_count, eligible_count, permanent, region)
        return None, ManualEditCount(name, selected_count, 0, skipped), reason
    n_before = numel * on_kept if before is None else before.kept
    after = BitMask(packed, numel, n_before + (weights if more else -weights))
    empty = after.pruned == 0 if on_kept else after.kept == 0
    skipped = eligible_count - weights if operation == "prune" else 0
    return (
        None if empty else after,
        ManualEditCount(name, selected_count, weights, skipped, still_zero),
        "",
    )


def _prune(
    selected: Packed, kept: Packed | None, protected: Packed | None
) -> tuple[Packed, Packed]:
    kept_part = selected if kept is None else selected & kept
    return kept_part, kept_part if protected is None else kept_part & ~protected


def _restore(selected: Packed, kept: Packed | None, _: Packed | None) -> tuple[Packed, Packed]:
    pruned = np.zeros_like(selected) if kept is None else selected & ~kept
    return pruned, pruned


def _release(selected: Packed, _: Packed | None, protected: Packed | None) -> tuple[Packed, Packed]:
    released = np.zeros_like(selected) if protected is None else selected & protected
    return released, released


# For each operation: the eligible weights of the selection, and those of them that change. A
# missing mask means that all weights are kept, or none protected.
_RULES: dict[Operation, Callable[[Packed, Packed | None, Packed | None], tuple[Packed, Packed]]] = {
    "prune": _prune,
    "restore": _restore,
    "protect": _prune,
    "release": _release,
}


def _no_change(operation: Operation, why: str) -> str:
    """Return the sentence that an operation changes nothing; `why` is "" or ": " and a reason."""
    return {
        "prune": f"Nothing to prune{why}.",
        "restore": f"Nothing to restore{why}.",
        "protect": f"Nothing to protect{why}.",
        "release": f"Nothing to unprotect{why}.",
    }[operation]


def _reason(
    operation: Operation, selected: int, eligible: int, permanent: BitMask | None, region: Region
) -> str:
    """Return why an operation changes nothing, as a part of a sentence.

    `selected` and `eligible` are numbers of weights: in the region, and those of them that the
    operation could apply to.
    """
    if not selected:
        return "no weight is selected"
    if operation == "prune":
        if not eligible:
            return "all selected weights are already pruned"
        if eligible == selected:
            return "all selected weights are protected"
        return "all selected weights are pruned or protected"
    if operation == "protect":
        if eligible:
            return "all kept weights of the selection are already protected"
        return "all selected weights are pruned, and only kept weights can be protected"
    if operation == "release":
        return "none of the selected weights is protected"
    if permanent is not None and any(
        np.any(region.part(place) & ~permanent.part(place.start, place.stop))
        for place in _pieces(region.place)
    ):
        return "the zeros were made permanent, which only undo reverts"
    return "none of the selected weights is pruned"


def _copy_bits(mask: BitMask | None, numel: int, job: Job, *, absent: bool) -> Packed:
    """Return a writable copy of a mask's bytes; without a mask, all `numel` bits are `absent`.

    Bits after the last element are 0. Advances `job` by the bytes.
    """
    packed = scratch.bits(numel)
    for place in _pieces(slice(0, packed.size)):
        packed[place] = 0xFF * absent if mask is None else mask.part(place.start, place.stop)
        scratch.release_pages(packed, place.start, place.stop)
        job.step(place.stop - place.start)
    if mask is None and absent and numel % 8:
        packed[-1] = (1 << numel % 8) - 1
    return packed


def _pieces(place: slice) -> Iterator[slice]:
    for start in range(place.start, place.stop, _PIECE):
        yield slice(start, min(start + _PIECE, place.stop))


def _part(mask: BitMask | None, place: slice) -> Packed | None:
    return None if mask is None else mask.part(place.start, place.stop)


_MOST_REASONS = 2


@dataclass(frozen=True, eq=False)
class ManualEditPreview(Proposal):
    """The result of a manual edit, to be applied by `Document.commit`.

    Its label is short ("channel 12 of layer2.0.conv1 pruned"); its detail has the counts and the
    first tensors, with the indices if a tensor has a single box.
    """

    numbers: ManualEditCounts  # how many weights change


def compute_manual_edit(snapshot: Snapshot, edit: ManualEdit, job: Job) -> ManualEditPreview:
    """Compute the masks that result from a manual edit of a state. Reads no weights.

    Only kept weights can be pruned or protected; ``prune`` skips and counts protected ones. See
    `ManualEdit` for why a pruned weight cannot be protected.

    Raises
    ------
    SelectionError
        If a tensor cannot be pruned or has no weights, or nothing would change; includes the
        reason.
    ParameterError
        If a box is empty or exceeds its tensor, or a mask has another size than its tensor.

    Notes
    -----
    Copies the mask of each tensor; the remaining work is linear in the selected elements.
    """
    entries: dict[str, list[ManualTarget]] = {}
    for target in job.cancel.each(edit.targets):
        entries.setdefault(snapshot.entry(target.name).name, []).append(target)
    resolve(snapshot.checkpoint, entries)
    job.start(sum([(snapshot.checkpoint.entries[name].numel + 7) // 8 for name in entries]))
    regions = _Regions()
    masks: dict[str, BitMask | None] = {}
    protected: dict[str, BitMask | None] = {}
    counts = []
    reasons: set[str] = set()
    for name, targets in entries.items():
        entry = snapshot.entry(name)
        job.label(name)
        if not entry.numel:
            counts.append(ManualEditCount(name, 0, 0))
            reasons.add(f"'{name}' has no weights")
            continue
        region = regions.of(entry, targets, job)
        mask, changes, reason = _change(snapshot, name, edit.operation, region, job)
        counts.append(changes)
        if reason:
            reasons.add(reason)
        else:
            (protected if edit.operation in {"protect", "release"} else masks)[name] = mask
    if not masks and not protected:
        why = f": {'; '.join(sorted(reasons))}" * (0 < len(reasons) <= _MOST_REASONS)
        raise SelectionError(_no_change(edit.operation, why), remedy="Select other weights.")
    numbers = ManualEditCounts(edit.operation, tuple(counts))
    entry_masks: dict[str, BitMask] = {}
    plain = edit.to_dict(entry_masks, job)
    result = Edit.of(
        snapshot,
        EditKind.MANUAL,
        _label(edit, numbers),
        _detail(edit, numbers, entries),
        {"masks": masks, "protected": protected},
        job,
        entry=plain,
        entry_masks=entry_masks,
        # Exports do not contain protection.
        writes_the_same=not masks,
    )
    return ManualEditPreview(snapshot.revision, result, numbers)


def _label(edit: ManualEdit, numbers: ManualEditCounts) -> str:
    # Formatted in the worker: for many targets it takes a while.
    label = edit.label(numbers.changed)
    return f"{label}, still 0" if numbers.permanent == numbers.changed else label


def _detail(
    edit: ManualEdit, numbers: ManualEditCounts, targets: Mapping[str, list[ManualTarget]]
) -> str:
    """Return the text of an edit: numbers of weights, and the first changed tensors."""
    lines = [f"{counted(numbers.changed, 'weight')} {DONE[edit.operation]}"]
    if numbers.permanent:
        still = "all" if numbers.permanent == numbers.changed else f"{numbers.permanent:,}"
        lines.append(f"{still} of them still 0: made permanent earlier, which only undo reverts")
    if numbers.protected:
        lines.append(f"{counted(numbers.protected, 'protected weight')} left unchanged")
    names = [each.name for each in numbers.tensors if each.changed]
    return format_names("\n".join(lines), names, lambda name: _named(name, targets[name]))


def _named(name: str, targets: Sequence[ManualTarget]) -> str:
    where = targets[0].boxes if len(targets) == 1 else ()
    return f"{name} {indices(where[0])}" if len(where) == 1 else name


class _Regions:
    """Creates the regions of targets, reusing the last one for tensors of the same shape.

    A gesture applied to all blocks has the same boxes in every tensor.
    """

    def __init__(self) -> None:
        self._known: tuple[tuple[int, ...], list[Box]] | None = None
        self._region: Region | None = None

    def of(self, entry: TensorEntry, targets: Sequence[ManualTarget], job: Job) -> Region:
        """Return the union of the weights of all targets of a tensor.

        Raises `ParameterError` if a box exceeds the tensor or a mask has another size. The region
        may share the memory of a mask.
        """
        boxes = [box for target in targets for box in target.boxes]
        masks = [target.mask for target in targets if target.mask is not None]
        for mask in masks:
            _check_mask(entry, mask)
        if not masks:
            return self._of_boxes(entry, boxes, job)
        if not boxes and len(masks) == 1:
            return Region(0, masks[0].packed)
        regions = [Region(0, mask.packed) for mask in masks]
        if boxes:
            regions.append(self._of_boxes(entry, boxes, job))
        chosen = Region(0, scratch.bits(masks[0].size, zeroed=True))
        for region in regions:
            for place in _pieces(region.place):
                job.step(0)
                chosen.packed[place] |= region.part(place)
                scratch.release_pages(chosen.packed, place.start, place.stop)
        return chosen

    def _of_boxes(self, entry: TensorEntry, boxes: list[Box], job: Job) -> Region:
        key = entry.shape, boxes
        if self._region is None or self._known != key:
            for box in boxes:
                _check_box(entry, box)
            self._known, self._region = key, region_of_boxes(entry.shape, boxes, job)
        return self._region


def check_target(entry: TensorEntry, target: ManualTarget) -> None:
    """Raise `ParameterError` for boxes that exceed a tensor, or a mask of another size."""
    for box in target.boxes:
        _check_box(entry, box)
    if target.mask is not None:
        _check_mask(entry, target.mask)


def _check_mask(entry: TensorEntry, mask: BitMask) -> None:
    if mask.size != entry.numel:
        raise ParameterError(
            f"The mask for '{entry.name}' must have its {entry.numel:,} elements "
            f"(got {mask.size:,})."
        )


def _check_box(entry: TensorEntry, box: Box) -> None:
    """Raise `ParameterError` unless a box is a non-empty range of indices along each dimension."""
    if len(box) == len(entry.shape) and all(
        0 <= a < b <= n for (a, b), n in zip(box, entry.shape, strict=True)
    ):
        return
    raise ParameterError(
        f"{indices(box)} is not a part of '{entry.name}', whose shape is {list(entry.shape)}.",
        remedy="Give the first index and the last index + 1 for each dimension.",
    )
