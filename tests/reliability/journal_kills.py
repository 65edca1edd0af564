"""Work on a document in a process that is killed at random moments, then read its journal."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import random
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Capture, Document
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.existing_masks import open_document
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.errors import PruneAppError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.sessions import history_codec
from pruneapp.sessions import journal as journals
from pruneapp.sessions.journal import Journal, JournalUpdate
from pruneapp.sessions.journal_reader import find_unsaved_work, read_journal
from pruneapp.sessions.restore import reopen
from tests.reliability import export_process
from tests.reliability.tally import Tally
from tests.support.document_edits import redo, undo

# More actions than are done before the last kill.
_ACTIONS = 60


@dataclass(frozen=True)
class Work:
    """A scenario of work on a document.

    Attributes
    ----------
    name
        Its name in the table.
    shapes
        Shapes of the model's tensors.
    large
        Whether writing its masks takes so long that more actions are done meanwhile.
    """

    name: str
    shapes: dict[str, tuple[int, ...]]
    large: bool = False


WORKS = (
    Work(
        "small tensors", {"a.weight": (64, 64), "b.weight": (32, 16, 3, 3), "c.weight": (512, 256)}
    ),
    # A small model whose masks have 16 to 64 pieces, like those of a billion weights.
    Work("masks take long", {"a.weight": (1024, 1024), "b.weight": (2048, 2048)}, large=True),
)
# Bytes of a piece of a mask, and of a single write, for such a model.
_PIECE = 1 << 13
# Probability of an action between two pieces.
_MEANWHILE = 0.03
# Number of kills among which some must happen while masks are written.
_ENOUGH = 10


def kill(work: Work, times: int) -> Tally:
    """Kill a working process `times` times."""
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="pruneapp-journals-") as name, _pieces_of(work):
        folder = Path(name)
        rng = np.random.default_rng(7)
        arrays = {n: rng.normal(size=s).astype(np.float32) for n, s in work.shapes.items()}
        save_file(arrays, folder / "model.safetensors")
        for number in range(times):
            _kill(work, folder, number, tally)
            shutil.rmtree(folder / f"journals-{number}", ignore_errors=True)
    if work.large and times >= _ENOUGH and not tally.ends["computed again"]:
        tally.wrong.append(f"{times} kills, and none came while masks were written")
    return tally


@contextlib.contextmanager
def _pieces_of(work: Work) -> Iterator[None]:
    piece, at_once = history_codec.PIECE, journals.AT_ONCE
    if work.large:
        history_codec.PIECE = journals.AT_ONCE = _PIECE
    try:
        yield
    finally:
        history_codec.PIECE, journals.AT_ONCE = piece, at_once


def _kill(work: Work, folder: Path, seed: int, tally: Tally) -> None:
    model, place = folder / "model.safetensors", folder / f"journals-{seed}"
    reading, telling = os.pipe()
    child = export_process.fork(partial(_do, work, model, place, telling, seed))
    os.close(telling)
    with io.FileIO(reading) as told:
        child.go()
        done = _wait(work, told, random.Random(seed))
        child.kill()
        code, said = child.wait()
        done += len(told.read())
    if code >= 0:
        tally.wrong.append(f"kill {seed}: it ended by itself: {said}")
        return
    tally.runs += 1
    tally.ends["actions kept"] += done
    expected = _expected(work, model, seed, done + 1)
    found = find_unsaved_work(place, Job())
    if not found:
        # Nothing can be lost: no state was saved yet, or everything was undone.
        if not all(state[0] for state in expected[done : done + 2]):
            tally.ends["nothing to lose"] += 1
        else:
            tally.wrong.append(f"kill {seed}: nothing is offered after {done} actions")
        return
    try:
        with read_journal(found[0].path, Job()) as journal:
            document = reopen(journal, Job())
            tally.ends["computed again"] += bool(journal.history.intents)
    except PruneAppError as error:
        tally.wrong.append(f"kill {seed}: {error}")
        return
    state = state_of(document)
    document.close()
    document.checkpoint.close()
    if len(found) == 1 and state == expected[done]:
        tally.ends["the last"] += 1
    elif len(found) == 1 and state == expected[min(done + 1, len(expected) - 1)]:
        tally.ends["the one under way"] += 1
    else:
        tally.wrong.append(f"kill {seed}: another state than after {done} actions")


def _wait(work: Work, told: io.FileIO, rng: random.Random) -> int:
    """Wait until the moment of the kill: any, or soon after some action was done.

    Returns the number of actions that the process has reported.
    """
    if not work.large:
        time.sleep(rng.random() * 0.4)  # a random delay is intended: the kill is at any moment
        return 0
    done, actions = 0, rng.randrange(1, 20)
    while done < actions and select.select([told], [], [], 20)[0]:
        said = told.read(actions - done)
        if not said:
            break  # the process ended
        done += len(said)
    time.sleep(rng.random() * 0.01)  # a random delay is intended: the kill is at any moment
    return done


def _do(work: Work, model: Path, place: Path, told: int, seed: int) -> None:
    """Work until killed; write a byte into `told` for each saved action.

    If masks take long, the next actions are done while they are written.
    """
    journals._DELETED_AT_ONCE = 1  # in several portions
    journal, actions, rng = Journal(place), actions_of(work, model, seed), random.Random(seed)
    done = kept = 0

    def tell() -> None:
        nonlocal kept
        os.write(told, b"." * (done - kept))
        kept = done

    def go_on() -> JournalUpdate | None:
        nonlocal done
        tell()  # the caller has written everything before
        document = next(actions, None) if work.large and rng.random() < _MEANWHILE else None
        if document is None:
            return None
        done += 1
        return Capture.of(document), {"action": done}

    for document in actions:
        done += 1
        journal.keep(Capture.of(document), {"action": done}, Job(), go_on)
        tell()
    signal.pause()


def _expected(work: Work, model: Path, seed: int, actions: int) -> list[tuple[object, ...]]:
    """Return the states after 0, 1, ... actions."""
    states: list[tuple[object, ...]] = [(0,)]
    for document in actions_of(work, model, seed):
        states.append(state_of(document))
        if len(states) > actions:
            break
    return states


def state_of(document: Document) -> tuple[object, ...]:
    """Return position, labels and names, digest of the masks, and branches of a document."""
    digest = hashlib.sha256()
    for masks in (document.masks, document.snapshot().permanent, document.snapshot().protected):
        for name in sorted(masks):
            digest.update(name.encode() + masks[name].packed.tobytes())
    labels = tuple((item.label, item.name) for item in document.items)
    return document.position, labels, digest.hexdigest(), document.branches


def actions_of(work: Work, model: Path, seed: int, actions: int = _ACTIONS) -> Iterator[Document]:
    """Do random actions and yield the document after each; deterministic for a seed."""
    rng = np.random.default_rng(seed)
    document = open_document(open_checkpoint(model))
    try:
        for _ in range(actions):
            _act(work, document, rng)
            yield document
    finally:
        document.close()
        document.checkpoint.close()


def _act(work: Work, document: Document, rng: np.random.Generator) -> None:
    what, name = rng.integers(8), str(rng.choice(list(work.shapes)))
    states = range(1, len(document.items))
    way = document.branches.path(document.position)
    others = [state for state in states if state not in way]
    if what == 0:
        undo(document)
    elif what == 1:
        document.jump(int(rng.integers(len(document.items))))
    elif what == 6 and states:
        document.rename(int(rng.choice(states)), str(rng.choice(["", "x", "y"])))
    elif what == 7 and others:
        document.delete(int(rng.choice(others)))
    elif what in {2, 3}:
        step = Step((Row((name,), "l1_unstructured", {"amount": 0.1}),))
        document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    else:
        spans = tuple(
            (int(a := rng.integers(n)), int(rng.integers(a, n)) + 1) for n in work.shapes[name]
        )
        edit = ManualEdit(
            str(rng.choice(["prune", "restore", "protect"])), (ManualTarget(name, (spans,)),)
        )
        try:
            document.commit(compute_manual_edit(document.snapshot(), edit, Job()))
        except PruneAppError:
            redo(document)  # nothing would change
