"""Documents of real files, and comparisons for tests of sessions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Capture, Document
from pruneapp.document.entries import RepairSource
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.existing_masks import open_document
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.edits.repaired_values import RepairedValues, as_values
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.sessions.journal_reader import read_journal
from pruneapp.sessions.restore import reopen
from pruneapp.sessions.session_file import save_session
from tests.support.document_edits import entry, make_permanent, undo

A, B, C = "a.weight", "b.weight", "c.bias"
SHAPES = {A: (7, 5), B: (40, 3, 2, 2), C: (9,)}


def write_model(path: Path, seed: int = 3, **more) -> Path:
    rng = np.random.default_rng(seed)
    arrays = {n: rng.normal(size=s).astype(np.float32) for n, s in {**SHAPES, **more}.items()}
    save_file(arrays, path)
    return path


def open_model(path: Path, **more) -> Document:
    return open_document(open_checkpoint(path), **more)


def shut(document: Document) -> None:
    document.close()
    document.checkpoint.close()


def prune(document: Document, name: str = A, amount: float = 0.5) -> None:
    step = Step((Row((name,), "l1_unstructured", {"amount": amount}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))


def by_hand(document: Document, operation: str, *targets: ManualTarget) -> None:
    edit = ManualEdit(operation, targets)
    document.commit(compute_manual_edit(document.snapshot(), edit, Job()))


def repair(document: Document, *names: str, seed: int = 0) -> None:
    """Replace the values of tensors by random ones."""
    rng, values = np.random.default_rng(seed), {}
    for name in names:
        entry = document.checkpoint.entry(name)
        values[name] = as_values(rng.normal(size=entry.numel).astype(entry.dtype.numpy))
    made = RepairedValues.create(document.snapshot(), values, RepairSource("ab" * 32), Job())
    document.commit(made.propose(document.snapshot(), Job()))


def storied(path: Path, **more) -> Document:
    """Return a document with every kind of change, two of which are undone."""
    document = open_model(path, **more)
    prune(document, A)
    by_hand(document, "protect", ManualTarget(B, (((0, 4), (0, 3), (0, 2), (0, 2)),)))
    prune(document, B, 0.3)
    make_permanent(document, [A])
    chosen = np.random.default_rng(1).random(SHAPES[B]) < 0.3
    by_hand(document, "prune", ManualTarget(B, mask=BitMask.from_bools(chosen)))
    by_hand(document, "restore", ManualTarget(B, (((0, 9), (0, 3), (0, 2), (0, 2)),)))
    prune(document, C, 1.0)
    prune(document, A, 3)
    document.jump(6)
    return document


def branched(path: Path, **more) -> Document:
    """Return the document of `storied` with branches and names; redo follows an older branch.

    The current branch is 0 - 1 - 2 - 9 - 10, of which 10 is undone; 11 and 12 follow 1.
    """
    document = storied(path, **more)
    document.jump(2)
    prune(document, C, 0.5)
    prune(document, A, 2)
    document.jump(1)
    prune(document, C, 3)
    repair(document, B)
    document.rename(8, "the first try")
    document.rename(11, "with repair")
    document.annotate(0, "as released")
    document.annotate(8, "better on the test set")
    document.jump(10)
    undo(document)
    return document


def delete_any(document: Document, rng: np.random.Generator) -> None:
    """Delete a random branch without the current state, if there is one."""
    on = document.branches.path(document.position)
    others = [state for state in range(1, len(document.items)) if state not in on]
    if others:
        document.delete(int(rng.choice(others)))


def save(document: Document, path: Path, view=None) -> int:
    return save_session(Capture.of(document), view or {}, path, Job()).size


def taken_up(journal: Path, **more) -> Document:
    with read_journal(journal, Job()) as found:
        return reopen(found, Job(), **more)


def check_taken_up(document: Document, journal: Path) -> None:
    """Assert that a journal restores the document, and close both."""
    again = taken_up(journal)
    assert again.branches == document.branches
    assert states(again) == states(document)
    shut(document)
    shut(again)


def states(document: Document) -> list[dict]:
    """Return the properties of each state of a document as plain data, without moving it."""
    here, branches, found = document.position, document.branches, []
    for position in range(len(document.items)):
        document.jump(position)
        said, masks = entry(document.history, position) if position else (None, {})
        item = document.items[position]
        found.append(
            {
                "label": item.label,
                "detail": item.detail if position else "",
                "name": item.name,
                "by_method": item.by_method,
                "entry": said,
                "meant": {name: mask.packed.tobytes() for name, mask in masks.items()},
                "unexported": document.unexported,
                **{
                    layer: {name: mask.packed.tobytes() for name, mask in kept.items()}
                    for layer, kept in (
                        ("masks", document.masks),
                        ("final", document.snapshot().permanent),
                        ("protected", document.snapshot().protected),
                        ("values", document.snapshot().values),
                    )
                },
            }
        )
    document.jump(here)
    document.history.branches = branches  # restore the branch of redo
    return found
