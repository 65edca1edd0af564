"""Doing again what was done, from what it says of itself: its masks did not get to the disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pruneapp.checkpoint.contents import Notice
from pruneapp.document.document import Document
from pruneapp.document.edit import Record, said
from pruneapp.document.edit_proposal import Proposal
from pruneapp.document.step import Step
from pruneapp.edits.finalize import Finalize
from pruneapp.edits.found_masks import FileMasks, TreatZeros
from pruneapp.edits.manual_edit import HandEdit
from pruneapp.errors import PruneAppError, SessionError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods import registry
from pruneapp.progress import Job
from pruneapp.recipes.fit import Deed
from pruneapp.recipes.replay import replay
from pruneapp.sessions.history_codec_saved import SavedEdit, SavedHistory
from pruneapp.sessions.restore import detail_of, unpacked

# What can be done again without any file but the checkpoint, by the name of the entry.
_DEEDS: Mapping[str, Callable[[Any, Mapping[str, BitMask], Job], Deed]] = {
    "step": lambda data, _masks, _job: Step.from_dict(data),
    "edit": HandEdit.from_dict,
    "treat_zeros": lambda data, _masks, _job: TreatZeros.from_dict(data),
    "finalize": lambda data, _masks, _job: Finalize.from_dict(data),
    # Masks beside the tensors of the checkpoint, read again as they were when it was opened.
    "file_masks": lambda data, _masks, _job: FileMasks.from_dict(data),
}


def repeatable(record: Record) -> bool:
    """Say whether an edit can be done again to the bit, by what it says and the masks it means.

    A step by a method that does not come with Pruneapp may do something else the next time.
    """
    entry = said(record.step, record.entry)
    if entry["name"] != "step":
        return entry["name"] in _DEEDS
    step = record.step
    return step is not None and all(row.method in registry.BUILT_IN for row in step.rows)


def repeat(document: Document, history: SavedHistory, job: Job) -> None:
    """Do again what a history has as intents, and go to its position.

    Masks do not depend on the device, nor on the size of chunks: they are the same as before.
    Where one edit cannot be done again, those before it are there, and a notice says so.

    Parameters
    ----------
    document
        Restored, with the edits of the history whose masks were there.
    history
        The history.
    job
        Started by each edit; may cancel.
    """
    if not history.intents:
        return
    document.jump(len(history.edits))
    done = 0
    try:
        for edit in history.intents:
            document.put(_again(document, edit, history, job))
            done += 1
            if history.exported == document.position:
                document.mark_exported(document.snapshot())
    except PruneAppError as error:
        said = f"{error.sentence} {error.remedy}".strip()
        document.notify(missing(history.intents[done:], "cannot be computed again", said))
    document.jump(min(history.position, len(history.edits) + done))


def _again(document: Document, edit: SavedEdit, history: SavedHistory, job: Job) -> Proposal:
    masks = {name: unpacked(history, number, job) for name, number in edit.meant.items()}
    name = str(edit.entry.get("name"))
    if name not in _DEEDS:
        raise SessionError(
            f"This version of Pruneapp does not support '{name}'.",
            remedy="Open the work with the version that it was made with.",
        )
    deed = _DEEDS[name](edit.entry, masks, job)
    (done,) = replay(document.snapshot(), (deed,), CpuKernel(), job)
    # A step that took its masks from a file is an edit by hand that is called a step.
    made = replace(done.edit, kind=edit.kind, label=edit.label, detail=detail_of(edit, deed))
    return Proposal(document.revision, made.prepare())


def missing(edits: Sequence[SavedEdit], why: str, details: str = "") -> Notice:
    """Return the notice of edits that are not there, as neither masks nor repeating brought them.

    Parameters
    ----------
    edits
        At least one.
    why
        Why they could not be done again, as the end of a sentence.
    details
        The same in full.
    """
    what = f"'{edits[0].label}' is" if len(edits) == 1 else f"The last {len(edits):,} steps are"
    return Notice(
        f"{what} missing: the masks were not on the disk yet, and {why}. What there is of it is "
        "offered again at the next start.",
        details,
    )
