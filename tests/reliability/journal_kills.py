"""Work at a document that is killed at random moments, and what its journal says of it."""

from __future__ import annotations

import hashlib
import os
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from pruneapp.checkpoint.reader import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.hand import HandEdit, Target, compute_hand
from pruneapp.document.opening import open_document
from pruneapp.document.preview import compute_preview
from pruneapp.document.session import journal as journals
from pruneapp.document.session.capture import Capture
from pruneapp.document.session.journal import Journal
from pruneapp.document.session.recovery import left_behind, read_journal
from pruneapp.document.session.reopen import reopened
from pruneapp.document.step import Row, Step
from pruneapp.errors import PruneAppError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.progress import Job
from tests.reliability import children

SHAPES = {"a.weight": (64, 64), "b.weight": (32, 16, 3, 3), "c.weight": (512, 256)}
# More than are done before the last kill.
_ACTIONS = 60
# Among so many, one is a compaction.
_COMPACTED = 12


@dataclass
class Tally:
    """What the journals said."""

    runs: int = 0
    steps: int = 0
    complete: int = 0
    one_more: int = 0
    nothing: int = 0
    wrong: list[str] = field(default_factory=list)


def kill(times: int) -> Tally:
    """Kill somebody at work `times` times."""
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="pruneapp-journals-") as name:
        folder = Path(name)
        rng = np.random.default_rng(7)
        arrays = {n: rng.normal(size=s).astype(np.float32) for n, s in SHAPES.items()}
        save_file(arrays, folder / "model.safetensors")
        for number in range(times):
            _kill(folder, number, tally)
    return tally


def _kill(folder: Path, seed: int, tally: Tally) -> None:
    place, told = folder / f"journals-{seed}", folder / f"told-{seed}"
    child = children.fork(partial(_work, folder / "model.safetensors", place, told, seed))
    child.go()
    time.sleep(random.Random(seed).random() * 0.4)
    child.kill()
    code, said = child.wait()
    if code >= 0:
        tally.wrong.append(f"kill {seed}: it ended by itself: {said}")
        return
    done = told.stat().st_size if told.exists() else 0
    tally.runs += 1
    tally.steps += done
    expected = _expected(folder / "model.safetensors", seed, done + 1)
    found = left_behind(place, Job())
    if not found:
        # Nothing would be lost: none was written yet, or everything was undone.
        if not all(state[0] for state in expected[done : done + 2]):
            tally.nothing += 1
        else:
            tally.wrong.append(f"kill {seed}: nothing is offered after {done} actions")
        return
    try:
        with read_journal(found[0].path, Job()) as journal:
            document = reopened(journal, Job())
    except PruneAppError as error:
        tally.wrong.append(f"kill {seed}: {error}")
        return
    state = _state(document)
    document.close()
    document.checkpoint.close()
    if len(found) == 1 and state == expected[done]:
        tally.complete += 1
    elif len(found) == 1 and state == expected[min(done + 1, len(expected) - 1)]:
        tally.one_more += 1
    else:
        tally.wrong.append(f"kill {seed}: another state than after {done} actions")


def _work(model: Path, place: Path, told: Path, seed: int) -> None:
    """Work until one is killed; the file `told` has a byte for each action that is kept."""
    journals._MUCH = 0  # compacted however little is dead
    said = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    journal = Journal(place)
    for number, document in enumerate(_actions(model, seed)):
        capture = Capture.of(document)
        journal.keep(capture, {"action": number}, Job())
        if number % _COMPACTED == _COMPACTED - 1:
            journal.compact(capture, {}, Job())
        os.write(said, b".")
    while True:
        time.sleep(1)


def _expected(model: Path, seed: int, actions: int) -> list[tuple[object, ...]]:
    """Return the states after 0, 1, ... actions."""
    states: list[tuple[object, ...]] = [(0,)]
    for document in _actions(model, seed):
        states.append(_state(document))
        if len(states) > actions:
            break
    return states


def _state(document: Document) -> tuple[object, ...]:
    digest = hashlib.sha256()
    for masks in (document.masks, document.final, document.protected):
        for name in sorted(masks):
            digest.update(name.encode() + masks[name].packed.tobytes())
    labels = tuple(item.label for item in document.items)
    return document.position, labels, digest.hexdigest()


def _actions(model: Path, seed: int) -> Iterator[Document]:
    """Do one thing after another; the same for the same seed."""
    rng = np.random.default_rng(seed)
    document = open_document(open_checkpoint(model))
    try:
        for _ in range(_ACTIONS):
            _act(document, rng)
            yield document
    finally:
        document.close()
        document.checkpoint.close()


def _act(document: Document, rng: np.random.Generator) -> None:
    what, name = rng.integers(6), str(rng.choice(list(SHAPES)))
    if what == 0:
        document.undo()
    elif what == 1:
        document.jump(int(rng.integers(len(document.items))))
    elif what in {2, 3}:
        step = Step((Row((name,), "l1_unstructured", {"amount": 0.1}),))
        document.apply(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    else:
        spans = tuple(
            (int(a := rng.integers(n)), int(rng.integers(a, n)) + 1) for n in SHAPES[name]
        )
        edit = HandEdit(str(rng.choice(["prune", "restore", "protect"])), (Target(name, (spans,)),))
        try:
            document.edit(compute_hand(document.snapshot(), edit, Job()))
        except PruneAppError:
            document.redo()  # nothing would change
