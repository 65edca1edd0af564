"""Reopening saved work: find the checkpoint, verify it, and restore the history.

Edits whose masks were not written to disk are repeated from their entries.
"""

from __future__ import annotations

import contextlib
import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.contents import Notice
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.document.document import Document
from pruneapp.document.edit import Json, Proposal, Record
from pruneapp.document.entries import Operation
from pruneapp.document.history import BUDGET, Branches
from pruneapp.document.mask_store import MaskSlot, ScratchFile
from pruneapp.document.step import Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.existing_masks import FileMasks, open_document
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.edits.zeros import Finalize, TreatZeros
from pruneapp.errors import (
    CheckpointError,
    OriginalChangedError,
    ParameterError,
    PruneAppError,
    SelectionError,
    SessionError,
    words_of,
)
from pruneapp.groups.trace import restore_traces
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask, Layer
from pruneapp.methods import registry
from pruneapp.progress import Job
from pruneapp.recipes.fit import ResolvedAction
from pruneapp.recipes.replay import replay
from pruneapp.sessions.history_codec import NO_MASK, SavedEdit, SavedHistory, damaged
from pruneapp.sessions.original import Original, change_at, changes_of, find_original


def restore(
    checkpoint: Checkpoint,
    history: SavedHistory,
    where: str,
    job: Job,
    *,
    budget: int = BUDGET,
    scratch: Path | None = None,
) -> Document:
    """Return a document of a checkpoint with a saved history, including all branches.

    Intents are not included; see `repeat`. If the current state is an intent, its nearest ancestor
    with masks becomes current. At most `budget` bytes of masks are in memory at a time; others are
    in a file in the folder `scratch`. If it fails, the checkpoint stays open.

    Raises
    ------
    SessionError
        If the history is inconsistent, or a mask cannot be read.
    OriginalChangedError
        If the checkpoint lacks tensors that the history changes.
    """
    check_fits(checkpoint, history, where)
    _check(history, where)
    document = Document(checkpoint, budget=budget, scratch=scratch)
    try:
        slots = _load_masks(history, document.history.scratch, budget, where, job)
        records: list[Record] = []
        for edit, after in zip(history.edits, history.tree.after, strict=False):
            job.step(0)
            records.append(_record(edit, slots, records[after - 1] if after else None))
        count = len(records)
        position, branches = _nearest_restored(history.position, history.tree, count)
        _check_protection(records, branches, document.history.scratch, where, job)
        exported = history.exported if history.exported <= count else -1
        document.restore(records, position, exported, branches)
    except OSError as error:
        document.close()
        raise SessionError(
            f"The unsaved changes in '{where}' cannot be restored: {words_of(error)}.",
            remedy="Free some space on the disk and try again.",
        ) from error
    except BaseException:
        document.close()
        raise
    return document


def _nearest_restored(state: int, branches: Branches, count: int) -> tuple[int, Branches]:
    """Return the nearest ancestor among the first `count` states, and their branches."""
    removed = range(count + 1, len(branches) + 1)
    while state > count:
        state = branches.parent(state)
    return state, branches.without_states(removed, state)


def misfits(checkpoint: Checkpoint, history: SavedHistory) -> tuple[str, ...]:
    """Return sentences on tensors of a history that a checkpoint lacks or that differ in it.

    () if the history fits. Intents do not count.
    """
    reasons: dict[str, str] = {}
    entries = checkpoint.entries
    for edit in history.edits:
        with_values = {
            edit.tensors[at][0] for at, _, _ in edit.values if 0 <= at < len(edit.tensors)
        }
        for name, shape, dtype in edit.tensors:
            entry = entries.get(name)
            if entry is None:
                reasons[name] = f"'{name}' does not exist."
            elif entry.shape != shape:
                reasons[name] = f"'{name}' has the shape {list(entry.shape)}; it had {list(shape)}."
            elif entry.dtype.name != dtype:
                reasons[name] = f"'{name}' is of type {entry.dtype.name}; it was {dtype}."
            elif not (entry.prunable or entry.on_request) and name not in with_values:
                reasons[name] = f"'{name}' cannot be pruned: {entry.why_not}."
    return tuple(reasons.values())


def masks_in_force(
    history: SavedHistory, where: str, job: Job
) -> tuple[dict[str, BitMask], dict[str, BitMask]]:
    """Return the masks of kept and of protected weights in the current state, by name.

    Weights that were made permanent count as pruned. Intents are ignored, also if the current state
    is one.

    Raises
    ------
    SessionError
        If the history is inconsistent, or a mask cannot be read.
    """
    _check(history, where)
    numbers: dict[Layer, dict[str, int]] = {}
    for edit in history.done:
        for layer, swaps in edit.layers.items():
            numbers.setdefault(layer, {}).update(
                {edit.tensors[at][0]: after for at, _, after in swaps}
            )
    in_force: dict[Layer, dict[str, BitMask]] = {
        layer: {name: read_mask(history, n, job) for name, n in of.items() if n != NO_MASK}
        for layer, of in numbers.items()
    }
    kept = in_force.get("masks", {})
    for name, mask in in_force.get("permanent", {}).items():
        kept[name] = mask & kept[name] if name in kept else mask
    return kept, in_force.get("protected", {})


def read_mask(history: SavedHistory, number: int, job: Job) -> BitMask:
    """Read a mask of a history with its chain of base masks; raises `SessionError`.

    `number` must be that of a mask, not `NO_MASK`.
    """
    way = [number]
    while (base := history.masks[way[-1]].base) != NO_MASK:
        way.append(base)
    mask: BitMask | None = None
    for each in reversed(way):
        mask = history.source.read(each, mask, job)
    assert mask is not None
    return mask


def check_fits(checkpoint: Checkpoint, history: SavedHistory, where: str) -> None:
    """Raise `OriginalChangedError` if tensors of a history are missing or differ in a checkpoint.

    `where` is the path of the session. Its details list all differences.
    """
    wrong = misfits(checkpoint, history)
    if wrong:
        n = len(wrong) - 1
        more = f" {n:,} more differ." if n > 1 else " 1 more differs." if n else ""
        raise OriginalChangedError(
            f"'{checkpoint.path.name}' does not match the unsaved changes in "
            f"'{Path(where).name}': {wrong[0]}{more}",
            remedy="Choose the checkpoint that it was made with.",
            details="\n".join(wrong[:1000]),
        )


def _check(history: SavedHistory, where: str) -> None:
    """Raise `SessionError` if a history is inconsistent; reads no masks.

    Its states, numbers and sizes of masks must exist and follow from each other. `where` is the
    file.
    """
    states = len(history.edits) + len(history.intents)
    if not 0 <= history.position <= states:
        raise damaged(where, f"it has no state {history.position:,}")
    if not -1 <= history.exported <= states:
        raise damaged(where, f"it has no state {history.exported:,}")
    for number, mask in enumerate(history.masks):
        if mask.size < 0 or not NO_MASK <= mask.base < number:
            raise damaged(where, f"mask {number:,} cannot be unpacked from mask {mask.base:,}")
    state: dict[tuple[Layer, str], int] = {}
    for place, is_redo in _nearest_restored(0, history.tree, len(history.edits))[1].walk():
        edit = history.edits[place - 1]
        if not is_redo:
            for layer, swaps in edit.layers.items():
                state.update(
                    ((layer, edit.tensors[at][0]), before) for at, before, _ in reversed(swaps)
                )
            continue
        sizes = {name: math.prod(shape) for name, shape, _ in edit.tensors}
        names = list(sizes)
        if len(names) != len(edit.tensors):
            raise damaged(where, f"state {place:,} names a tensor twice")
        bits = {name: DTYPES[dtype].bits for name, _, dtype in edit.tensors if dtype in DTYPES}
        for layer, swaps in edit.layers.items():
            for at, before, after in swaps:
                if not 0 <= at < len(names):
                    raise damaged(where, f"state {place:,} changes a tensor without a name")
                name = names[at]
                size = sizes[name] * (bits.get(name, 0) if layer == "values" else 1)
                for which in (before, after):
                    _check_mask(history, which, size, where)
                if state.get((layer, name), NO_MASK) != before:
                    raise damaged(where, f"state {place:,} does not follow the one before it")
                state[layer, name] = after
    for edit in (*history.edits, *history.intents):
        for which in edit.meant.values():
            _check_mask(history, which, None, where)


def _check_protection(
    records: list[Record], branches: Branches, scratch: ScratchFile, where: str, job: Job
) -> None:
    """Raise `SessionError` if a weight is both pruned and protected, which no edit produces.

    Checks every state on all branches.
    """
    state: dict[Layer, dict[str, MaskSlot | None]] = {"masks": {}, "protected": {}}
    for place, is_redo in branches.walk():
        record = records[place - 1]
        for layer, slots in (record.after if is_redo else record.before).items():
            state.setdefault(layer, {}).update(slots)
        if not is_redo:
            continue
        for name in {name for slots in record.after.values() for name in slots}:
            kept, protected = state["masks"].get(name), state["protected"].get(name)
            if kept is None or protected is None:
                continue
            pruned_and_protected = protected.load(scratch, job) - kept.load(scratch, job)
            if pruned_and_protected.kept:
                raise damaged(
                    where, f"in state {place:,}, pruned weights of '{name}' are protected"
                )
            job.step(0)


def _check_mask(history: SavedHistory, number: int, size: int | None, where: str) -> None:
    """Raise `SessionError` unless there is a mask `number`, of `size` elements.

    A `size` of None accepts any size, but not `NO_MASK`.
    """
    if number == NO_MASK and size is not None:
        return
    if not 0 <= number < len(history.masks):
        raise damaged(where, f"there is no mask {number:,}")
    known_size = history.masks[number].size
    if size is not None and known_size != size:
        raise damaged(
            where, f"mask {number:,} has {known_size:,} elements, and its tensor {size:,}"
        )


def _record(edit: SavedEdit, slots: Mapping[int, MaskSlot], parent: Record | None) -> Record:
    """Return the record of a saved edit with its masks, by number.

    `parent` is the previous one.
    """
    names = [name for name, _, _ in edit.tensors]
    changed = {layer: swaps for layer, swaps in edit.layers.items() if swaps}
    step, entry = _step_or_entry(edit)
    entry_masks = {name: slots[number] for name, number in edit.meant.items()}
    record = Record(
        edit.kind,
        edit.label,
        edit.detail,
        step,
        entry,
        entry_masks=entry_masks,
        before={k: {names[at]: slots.get(n) for at, n, _ in v} for k, v in changed.items()},
        after={k: {names[at]: slots.get(n) for at, _, n in v} for k, v in changed.items()},
    )
    if not edit.same:
        return record
    return replace(record, key=None if parent is None else parent.key)


def _step_or_entry(edit: SavedEdit) -> tuple[Step | None, Json | None]:
    """Return the step and None, or None and the entry if it is no step or a method is missing."""
    if edit.entry.get("name") == "step":
        try:
            return Step.from_dict(edit.entry), None
        except (ParameterError, TypeError, ValueError):
            pass  # an unavailable custom method; the masks suffice to restore the state
    return None, edit.entry


def _load_masks(
    history: SavedHistory, scratch: ScratchFile, budget: int, where: str, job: Job
) -> dict[int, MaskSlot]:
    """Read all masks that edits refer to, by number; those over the budget go to the scratch file.

    Bases that no edit refers to are read too, and freed. Starts `job`. Raises `SessionError`.
    """
    masks = history.masks
    named = {
        number
        for edit in history.edits
        for number in (
            *edit.meant.values(),
            *(n for swaps in edit.layers.values() for _, *both in swaps for n in both),
        )
    } - {NO_MASK}
    required = set(named)  # extended by their bases
    for number in sorted(named, reverse=True):
        base = masks[number].base
        while base != NO_MASK and base not in required:
            required.add(base)
            base = masks[base].base
    job.start(sum((masks[number].size + 7) // 8 for number in required))
    slots: dict[int, MaskSlot] = {}
    held: deque[tuple[MaskSlot, BitMask]] = deque()
    memory = 0
    for number in sorted(required):
        base = masks[number].base
        under = None if base == NO_MASK else slots[base].load(scratch, job)
        mask = history.source.read(number, under, job)
        if mask.size != masks[number].size:
            raise damaged(where, f"mask {number:,} has {mask.size:,} elements")
        slots[number] = MaskSlot(mask)
        if mask.memory:
            held.append((slots[number], mask))
        memory += mask.memory
        while memory > budget and len(held) > 1:
            slot, oldest = held.popleft()
            slot.offset, slot.mask = scratch.write(oldest, job), None
            memory -= slot.memory
    for number in required - named:
        slot = slots.pop(number)
        if slot.mask is None:
            scratch.free(slot.offset, slot.nbytes)
    return slots


# Edits that can be repeated with the checkpoint alone, by the name of their entry. Masks in the
# checkpoint are read again as they were when it was opened.
_REPEATABLE: Mapping[str, type[Step | ManualEdit | TreatZeros | Finalize | FileMasks]] = {
    "step": Step,
    "edit": ManualEdit,
    "treat_zeros": TreatZeros,
    "finalize": Finalize,
    "file_masks": FileMasks,
}


def is_repeatable(record: Record) -> bool:
    """Return whether repeating an edit from its entry and masks gives identical masks.

    Only for steps, manual edits, and edits of zeros and of masks in the file. A step with a method
    that is not part of Pruneapp may give other results.
    """
    entry = record.as_json()
    if entry["name"] != "step":
        return entry["name"] in _REPEATABLE
    step = record.step
    return step is not None and all(row.method in registry.BUILT_IN for row in step.rows)


def repeat(document: Document, history: SavedHistory, job: Job) -> None:
    """Repeat the intents of a history in a document from `restore`; then go to its current state.

    Masks depend neither on the device nor on the chunk size, so they are the same as before. If an
    edit cannot be repeated, the earlier ones are kept, and a notice is added instead of an error.
    Without intents it does nothing.
    """
    if not history.intents:
        return
    branches, done = history.tree, 0
    first = len(history.edits)
    try:
        for edit in history.intents:
            document.jump(branches.after[first + done])
            document.commit(_repeat_edit(document, edit, history, job))
            done += 1
            if history.exported == document.position:
                document.mark_exported(document.snapshot())
    except PruneAppError as error:
        document.notify(
            missing_edits_notice(history.intents[done:], "cannot be computed again", str(error))
        )
    position, branches = _nearest_restored(history.position, branches, first + done)
    document.jump(branches.tip)  # makes it the state that redo leads to
    document.jump(position)
    for state in branches.names:
        document.rename(state, branches.names[state])
    for state in branches.notes:
        document.annotate(state, branches.notes[state])


def _repeat_edit(document: Document, edit: SavedEdit, history: SavedHistory, job: Job) -> Proposal:
    """Return the proposal of an edit, computed again in the current state of a document.

    Raises `SessionError` if this version does not support it, and the errors of the edit.
    """
    masks = {name: read_mask(history, number, job) for name, number in edit.meant.items()}
    name = str(edit.entry.get("name"))
    if name not in _REPEATABLE:
        raise SessionError(
            f"This version of Pruneapp does not support '{name}'.",
            remedy="Open it with the version of Pruneapp that saved it.",
        )
    kind = _REPEATABLE[name]
    if issubclass(kind, ManualEdit):
        action: ResolvedAction = kind.from_dict(edit.entry, masks, job)
    else:
        action = kind.from_dict(edit.entry)
    (done,) = replay(document.snapshot(), (action,), CpuKernel(), job)
    # A step with masks from a file was saved as a manual edit, but is shown as a step.
    edited = replace(done.edit, kind=edit.kind, label=edit.label, detail=edit.detail)
    return Proposal(document.revision, edited)


def missing_edits_notice(edits: Sequence[SavedEdit], why: str, details: str = "") -> Notice:
    """Return the notice for edits that could not be repeated, at least one.

    `why` completes its sentence.
    """
    what = f"'{edits[0].label}' is" if len(edits) == 1 else f"The last {len(edits):,} steps are"
    return Notice(
        f"{what} missing: the masks were not on the disk yet, and {why}. The unsaved changes "
        "are kept and offered again at the next start.",
        details,
    )


# Parts of a view that are measurements, which may have taken hours.
EVALUATION, SENSITIVITY, FRONTIER = "evaluation", "sensitivity", "frontier"


def measurements_in(view: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the measurements in the state of the views; empty if there are none."""
    return {part: view[part] for part in (EVALUATION, SENSITIVITY, FRONTIER) if view.get(part)}


@dataclass(frozen=True)
class Saved(ABC):
    """Work saved in a session file or a journal. Use as a context manager."""

    path: Path  # the session file or journal
    original: Original  # the checkpoint
    history: SavedHistory
    view: Mapping[str, Any]  # the state of the views

    @abstractmethod
    def close(self) -> None:
        """Close the file without deleting it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def reopen(
    saved: Saved,
    job: Job,
    *,
    original: Path | None = None,
    budget: int = BUDGET,
    scratch: Path | None = None,
) -> Document:
    """Open the checkpoint of saved work and restore the history.

    Edits without masks are repeated; if that fails, the document has a notice.

    Parameters
    ----------
    original
        The checkpoint, a folder with it, or one of its files; by default it is searched for where
        it was, and next to the session file.

    Raises
    ------
    OriginalMissingError
        If the checkpoint is not found.
    OriginalChangedError
        If it has changed; the error has the differences.
    SessionError
        If the session is damaged.
    """
    with contextlib.ExitStack() as failed:
        checkpoint = _open_original(saved, original, job)
        failed.callback(checkpoint.close)
        if changes := changes_of(saved.original, checkpoint, job):
            raise _changed_error(
                saved, checkpoint.path, changes, misfits(checkpoint, saved.history)
            )
        document = resume(saved, checkpoint, job, budget=budget, scratch=scratch)
        failed.pop_all()
    return document


def resume(
    saved: Saved,
    checkpoint: Checkpoint,
    job: Job,
    *,
    budget: int = BUDGET,
    scratch: Path | None = None,
) -> Document:
    """Return a document with a saved history for its open and verified checkpoint.

    Edits without masks are repeated. If one fails, it and the following ones are missing from the
    document, which has a notice about them; no error is raised. The document does not own the
    checkpoint: the caller closes it, also if this fails. `budget` and `scratch` are as in
    `restore`. Raises `SessionError` if the history is inconsistent or a mask cannot be read, and
    `OriginalChangedError` if the checkpoint lacks tensors of the history.
    """
    where = str(saved.path)
    restore_traces(checkpoint, saved.view)  # which steps to be repeated may name
    document = restore(checkpoint, saved.history, where, job, budget=budget, scratch=scratch)
    try:
        repeat(document, saved.history, job)
    except BaseException:
        document.close()
        raise
    return document


def masks_on_other(saved: Saved, job: Job, *, original: Path | None = None) -> Document:
    """Open a changed checkpoint and apply the masks of saved work to it.

    The history does not apply to this checkpoint. It is replaced by one edit that prunes what was
    pruned, and a second one that protects what was protected. Steps without masks and repaired
    values are left out, with a notice for each kind.

    Parameters
    ----------
    original
        As in `reopen`.

    Raises
    ------
    OriginalMissingError
        If no checkpoint is found.
    OriginalChangedError
        If names, shapes or dtypes of its tensors differ.
    SessionError
        If the session is damaged.
    """
    with contextlib.ExitStack() as failed:
        checkpoint = _open_original(saved, original, job)
        failed.callback(checkpoint.close)
        check_fits(checkpoint, saved.history, str(saved.path))
        document = open_document(checkpoint, job)
        failed.callback(document.close)
        _apply_masks(document, saved, job)
        failed.pop_all()
    return document


def _apply_masks(document: Document, saved: Saved, job: Job) -> None:
    """Apply the masks of saved work to a document, and add notices about what is left out."""
    kept, protected = masks_in_force(saved.history, str(saved.path), job)
    pruned = {n: BitMask.full(mask.size) - mask for n, mask in kept.items() if mask.pruned}
    name = saved.path.name
    _commit_masks(document, "prune", pruned, f"Masks of {name} applied", job)
    protected_masks = {n: mask for n, mask in protected.items() if mask.kept}
    _commit_masks(document, "protect", protected_masks, f"Protection of {name} applied", job)
    history = saved.history
    first = len(history.edits)
    path = history.tree.path(history.position)
    left_out = [history.intents[state - first - 1] for state in path if state > first]
    if left_out:
        document.notify(
            missing_edits_notice(left_out, "would have been computed from other weights")
        )
    if any(edit.values for edit in history.done):
        sentence = (
            f"The repair in {name} was not restored, because it was computed from other weights."
        )
        document.notify(Notice(f"{sentence} Repair this checkpoint instead."))


def _commit_masks(
    document: Document, operation: Operation, masks: Mapping[str, BitMask], label: str, job: Job
) -> None:
    """Commit a manual edit with these masks, described by `label`, unless nothing would change."""
    if masks:
        targets = tuple(ManualTarget(name, mask=mask) for name, mask in masks.items())
        edit = ManualEdit(operation, targets, label)
        with contextlib.suppress(SelectionError):  # the masks in the file are the same
            document.commit(compute_manual_edit(document.snapshot(), edit, job))


def _open_original(saved: Saved, original: Path | None, job: Job) -> Checkpoint:
    """Find and open the checkpoint of saved work, which may have changed.

    `original` is as in `reopen`. Raises `OriginalChangedError` if a changed file cannot be opened,
    and otherwise the errors of `find_original` and `open_checkpoint`.
    """
    known = saved.original
    located = find_original(known, saved.path, job, original)
    places = located.files or None
    state_dict = known.state_dict or None
    try:
        return open_checkpoint(located.path, state_dict=state_dict, job=job, places=places)
    except CheckpointError as error:
        refused = error
    # A changed file may lack this state dict or be no checkpoint: report that it has changed.
    if state_dict is not None:
        with contextlib.suppress(CheckpointError):
            return open_checkpoint(located.path, job=job, places=places)
    change = change_at(known.files[0], located.path, job) if known.is_one_file else ""
    if not change:
        raise refused
    raise _changed_error(saved, located.path, (change,), (refused.sentence,)) from refused


def _changed_error(
    saved: Saved, path: Path, changes: tuple[str, ...], misfits: tuple[str, ...]
) -> OriginalChangedError:
    """Return the error for a changed checkpoint, with the changes and why masks do not fit."""
    fits = "" if misfits else " Its tensors have the same names and shapes."
    error = OriginalChangedError(
        f"'{path.name}' is not the file that '{saved.path.name}' was made with: {changes[0]}{fits}",
        remedy="Choose the file that it was made with."
        if misfits
        else "Choose the file that it was made with, or use the masks on this one.",
        details="\n".join((*changes, *misfits[:1000])),
    )
    error.fits, error.in_folder = not misfits, saved.original.is_folder
    return error
