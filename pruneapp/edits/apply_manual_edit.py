"""What an edit by hand does, exactly: its masks and its numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.edit import Change, Edit
from pruneapp.document.edit_proposal import listed
from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.apply_manual_edit_change import change
from pruneapp.edits.manual_edit import HandEdit
from pruneapp.edits.manual_edit_target import ManualTarget
from pruneapp.edits.manual_edit_words import DONE, count, indices
from pruneapp.errors import ParameterError, SelectionError
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.regions import Region, region_of_boxes
from pruneapp.progress import Job
from pruneapp.results.document_rows import HandCount, HandOutcome
from pruneapp.results.tile import Box

_MOST_REASONS = 2


@dataclass(frozen=True, eq=False)
class HandPreview:
    """The outcome of an edit by hand, to be put in force by `Document.edit`.

    Attributes
    ----------
    revision
        Of the state that it was computed from.
    edit
        What was asked for.
    masks, protected
        The masks that change, by first names; None where nothing is pruned or protected any more.
    numbers
        How many weights change.
    label, detail
        What is done, short ("channel 12 of layer2.0.conv1 pruned"); and with its numbers, the first
        tensors, and where in them if that is a box.
    recipe, meant
        The edit as `HandEdit.to_dict` says it, and the masks that it names.
    """

    revision: int
    edit: HandEdit
    masks: Mapping[str, BitMask | None]
    protected: Mapping[str, BitMask | None]
    numbers: HandOutcome
    label: str
    detail: str
    recipe: Mapping[str, Any]
    meant: Mapping[str, BitMask]
    _edits: dict[int, Edit] = field(default_factory=dict, repr=False)

    def as_edit(self, before: Snapshot) -> Edit:
        """Return it as a change of the state that it was computed from: the same every time.

        Of 50,000 tensors a worker ought to make and `Edit.prepare` it.
        """
        known = self._edits.get(before.revision)
        if known is not None:
            return known
        masks, protected = self.masks, self.protected
        made = self._edits[before.revision] = Edit(
            "edit",
            self.label,
            self.detail,
            Change({n: before.masks.get(n) for n in masks}, dict(masks)),
            protected=Change({n: before.protected.get(n) for n in protected}, dict(protected)),
            entry=self.recipe,
            meant=self.meant,
            # What is protected is said by no file.
            writes_the_same=not masks,
        )
        return made


def compute_hand(snapshot: Snapshot, edit: HandEdit, job: Job) -> HandPreview:
    """Compute what an edit by hand does to a state. No weight is read.

    Only kept weights can be pruned or protected; protected ones are spared by ``prune``, and
    counted. See `HandEdit` for why a pruned weight cannot be protected.

    Parameters
    ----------
    snapshot
        The state.
    edit
        What is to be done.
    job
        Started with the bytes of the masks that are made; may cancel.

    Raises
    ------
    UnknownTensorError
        If there is no tensor of a name.
    SelectionError
        If a tensor cannot be pruned or has no weights, or nothing would change; says why.
    ParameterError
        If a box lies outside of its tensor or is empty, or a mask has another size.

    Notes
    -----
    Costs one copy of the mask of each tensor, and beyond that what the chosen elements take.
    """
    entries: dict[str, list[ManualTarget]] = {}
    for batch in job.cancel.batches(edit.targets):
        for target in batch:
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
            counts.append(HandCount(name, 0, 0))
            reasons.add(f"'{name}' has no weights")
            continue
        made = change(snapshot, name, edit.operation, regions.of(entry, targets, job), job)
        spared = made.there - made.weights if edit.operation == "prune" else 0
        counts.append(HandCount(name, made.chosen, made.weights, spared, made.final))
        if made.weights:
            (protected if edit.operation in {"protect", "release"} else masks)[name] = made.mask
        else:
            reasons.add(made.reason)
    if not masks and not protected:
        raise _nothing_changes(reasons)
    numbers = HandOutcome(edit.operation, tuple(counts))
    meant: dict[str, BitMask] = {}
    recipe = edit.to_dict(meant, job)
    return HandPreview(
        snapshot.revision,
        edit,
        masks,
        protected,
        numbers,
        _label(edit, numbers),
        _detail(edit, numbers, entries),
        recipe,
        meant,
    )


def _label(edit: HandEdit, numbers: HandOutcome) -> str:
    # Said here, where there is time: of many targets it takes some.
    label = edit.label(numbers.changed)
    return f"{label}, still 0" if numbers.final == numbers.changed else label


def _detail(edit: HandEdit, numbers: HandOutcome, targets: Mapping[str, list[ManualTarget]]) -> str:
    lines = [f"{count(numbers.changed, 'weight')} {DONE[edit.operation]}"]
    if numbers.final:
        still = "all" if numbers.final == numbers.changed else f"{numbers.final:,}"
        lines.append(f"{still} of them still 0: made permanent earlier, which only undo reverts")
    if numbers.spared:
        lines.append(f"{count(numbers.spared, 'protected weight')} left as they are")
    names = [each.name for each in numbers.tensors if each.changed]
    return listed("\n".join(lines), names, lambda name: _named(name, targets[name]))


def _named(name: str, meant: Sequence[ManualTarget]) -> str:
    where = meant[0].boxes if len(meant) == 1 else ()
    return f"{name} {indices(where[0])}" if len(where) == 1 else name


class _Regions:
    """Makes the regions of targets; that of the last boxes serves for all tensors of its shape.

    Of one gesture in every block they are the same.
    """

    def __init__(self) -> None:
        self._known: tuple[tuple[int, ...], list[Box]] | None = None
        self._region: Region | None = None

    def of(self, entry: TensorEntry, targets: Sequence[ManualTarget], job: Job) -> Region:
        boxes = [box for target in targets for box in target.boxes]
        masks = [target.mask for target in targets if target.mask is not None]
        for mask in masks:
            if mask.size != entry.numel:
                raise ParameterError(
                    f"The mask for '{entry.name}' must have its {entry.numel:,} elements "
                    f"(got {mask.size:,})."
                )
        if not masks:
            return self._of_boxes(entry, boxes, job)
        if not boxes and len(masks) == 1:
            return Region.of_mask(masks[0])
        chosen = np.zeros(masks[0].nbytes, np.uint8)
        for mask in masks:
            chosen |= mask.packed
        if boxes:
            region = self._of_boxes(entry, boxes, job)
            chosen[region.place] |= region.packed
        return Region(0, chosen)

    def _of_boxes(self, entry: TensorEntry, boxes: list[Box], job: Job) -> Region:
        key = entry.shape, boxes
        if self._region is None or self._known != key:
            for box in boxes:
                check_box(entry, box)
            self._known, self._region = key, region_of_boxes(entry.shape, boxes, job)
        return self._region


def check_box(entry: TensorEntry, box: Box) -> None:
    """Refuse a box that is empty or lies outside of a tensor; raises `ParameterError`."""
    if len(box) == len(entry.shape) and all(
        0 <= a < b <= n for (a, b), n in zip(box, entry.shape, strict=True)
    ):
        return
    raise ParameterError(
        f"{indices(box)} is not a part of '{entry.name}', whose shape is {list(entry.shape)}.",
        remedy="Give a first index and a last + 1 for each dimension.",
    )


def _nothing_changes(reasons: Collection[str]) -> SelectionError:
    said = reasons if len(reasons) <= _MOST_REASONS else ()
    why = ": " + "; ".join(sorted(said)) if said else ""
    return SelectionError(f"Nothing changes{why}.", remedy="Choose other weights.")
