"""From a gesture on a picture to what it does: work for a thread in the background."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pruneapp.document.selection import alike
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.apply_manual_edit import HandPreview, compute_hand
from pruneapp.edits.coupled_tensors import with_companions
from pruneapp.edits.manual_edit import HandEdit
from pruneapp.gui.manual_edit.edit_views import Meant
from pruneapp.progress import Job
from pruneapp.results.document_rows import Gesture


@dataclass(frozen=True, eq=False)
class EditResult:
    """What a gesture does, and all that is to be said of it.

    Attributes
    ----------
    preview
        What it does.
    pattern, meant
        What the names of the tensors have in common, and what is meant of each: to be shown first.
        Empty if it was drawn for one tensor.
    units
        What is meant of each, where it has a name: "channel 12".
    """

    preview: HandPreview
    pattern: str = ""
    meant: tuple[Meant, ...] = ()
    units: str = ""


def make(
    snapshot: Snapshot,
    gesture: Gesture,
    shown: Mapping[str, str],
    job: Job,
    *,
    everywhere: bool,
    companions: bool,
) -> EditResult:
    """Return what a gesture does to a state.

    Parameters
    ----------
    snapshot, gesture
        The state, and what was drawn.
    shown
        What tensors are called, by first names.
    job
        May cancel.
    everywhere
        Whether it is meant for all tensors of the same role.
    companions
        Whether the bias and norm of channels are meant, too.

    Raises
    ------
    PruneAppError
        As `compute_hand`.
    """
    checkpoint = snapshot.checkpoint
    if not everywhere:
        edit = HandEdit.from_gestures(gesture)
        if companions:
            edit = with_companions(checkpoint, edit, job)
        return EditResult(compute_hand(snapshot, edit, job))
    found = alike(checkpoint, gesture.name)
    job.step(0)
    edit = HandEdit.from_gestures(
        *[
            Gesture(gesture.operation, name, gesture.boxes, gesture.shape, gesture.dim)
            for name in found.names
        ]
    )
    job.step(0)
    if companions:
        edit = with_companions(checkpoint, edit, job)
    preview = compute_hand(snapshot, edit, job)
    meant: list[Meant] = []
    for batch in job.cancel.batches(preview.numbers.tensors):
        meant += [Meant(shown[t.name], t.chosen, t.changed, t.spared, t.final) for t in batch]
    return EditResult(preview, found.pattern, tuple(meant), edit.units())
