"""Opening can be cancelled at any time: nothing changes, and no resource is leaked."""

from __future__ import annotations

import gc
import json
import struct
import subprocess
import threading
from contextlib import contextmanager

import pytest
from PySide6.QtCore import QObject

from pruneapp import progress, resources
from pruneapp.checkpoint import parser_client
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.entry import TensorEntry, TensorRow
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.document.document import Capture
from pruneapp.document.step import Row, Step
from pruneapp.edits.existing_masks import open_document
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs import _THREADS
from pruneapp.gui.document import open_document as opening_module
from pruneapp.gui.document.open_document import OpenRequest
from pruneapp.gui.tree.nodes import build_nodes
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, Job
from pruneapp.sessions.journal import Journal, folder
from pruneapp.sessions.journal_reader import read_journal
from tests.support.cancel_checks import CountingToken, assert_cut

SAMPLE = resources.path("sample/lenet-digits.safetensors")
FEW = 1000
MANY = 5000
MARK = "cancelled"  # prefix of all names in the files made here


def write(path, count, *, flat=False, separators=(",", ":")):
    """Write layers with pruned weights, their masks, and biases."""
    leaves = ("weight_orig", "weight_mask", "bias", "other")
    names = (
        [f"{MARK}_{i}" for i in range(count)]
        if flat
        else [f"{MARK}.{i // 400}.{i // 4}.{leaves[i % 4]}" for i in range(count)]
    )
    header = {
        name: {"dtype": "F32", "shape": [2, 2], "data_offsets": [16 * i, 16 * i + 16]}
        for i, name in enumerate(names)
    }
    text = json.dumps(header, separators=separators).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + struct.pack("<4f", 1, 1, 1, 1) * count)
    return path


# -- every stage checks its token --------------------------------------------------------------


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(progress, "BATCH", 16)


@pytest.fixture
def stages(tmp_path):
    """Return the stages after parsing, as functions of a number of tensors that return the call."""

    def opened(count, flat):
        path = tmp_path / f"{count}-{flat}.safetensors"
        if not path.exists():
            write(path, count, flat=flat)
        return open_checkpoint(path)

    def documents(flat):
        def stage(count):
            checkpoint = opened(count, flat)
            return lambda token: open_document(checkpoint, Job(cancel=token))

        return stage

    def contents(flat):
        def stage(count):
            document = open_document(opened(count, flat))
            return lambda token: opening_module.contents_of(document, token)

        return stage

    def trees(flat):
        def stage(count):
            document = open_document(opened(count, flat))
            rows = opening_module.contents_of(document, progress.CancelToken()).rows
            return lambda token: build_nodes(rows, token)

        return stage

    return {
        "a document": documents(flat=True),
        "contents": contents(flat=False),
        "contents of a flat file": contents(flat=True),
        "a tree": trees(flat=False),
        "a flat tree": trees(flat=True),
    }


STAGES = ("a document", "contents", "contents of a flat file", "a tree", "a flat tree")


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_looks_every_few_tensors(stages, stage, small_batches):
    assert set(stages) == set(STAGES)
    assert_cut(stages[stage], FEW)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_ends_at_the_look_at_which_it_is_cancelled(stages, stage, small_batches):
    work = stages[stage](FEW)
    whole = CountingToken()
    work(whole)
    for share in (0.0, 0.3, 0.6, 1.0):
        look = max(1, round(share * whole.looks))
        token = CountingToken(cancelled_at=look)
        with pytest.raises(Cancelled):
            work(token)
        assert token.looks == look


# -- in the window -----------------------------------------------------------------------------


def python_threads():
    """Return the running threads without those of Qt and of the job lanes."""
    lanes = tuple(name for _, name in _THREADS.values())
    own = {t for t in threading.enumerate() if type(t) is threading.Thread}
    return {t for t in own if not t.name.startswith(lanes)}


class Opening:
    """A window with the sample open, in which opening another file is cancelled."""

    def __init__(self, user, monkeypatch):
        self.user = user
        self.monkeypatch = monkeypatch
        self.stayed = 0
        user.click(user.window.empty.sample_button)
        user.wait_open(SAMPLE)
        user.wait_preview()
        user.wait(lambda: user.workbench.jobs.is_idle)
        self.before = self.state()
        self.threads = python_threads()
        user.session.notOpened.connect(self._on_stayed)

    def _on_stayed(self):
        self.stayed += 1

    def state(self):
        session = self.user.session
        return session.document, session.document.revision, session.contents, len(session.rows)

    def cancel(self):
        """Cancel all jobs; called on the worker thread, in the middle of a stage."""
        for task in self.user.workbench.jobs._pending:
            task.cancel()

    @contextmanager
    def cancelled_in(self, place, name):
        """Cancel when a stage begins."""
        stage = getattr(place, name)

        def begun(*args, **kwargs):
            self.cancel()
            return stage(*args, **kwargs)

        self.stayed = 0
        with self.monkeypatch.context() as patch:
            patch.setattr(place, name, begun)
            yield

    def assert_nothing_left(self, path):
        user = self.user
        user.wait(lambda: self.stayed == 1)
        assert not user.workbench.jobs.busy
        assert self.state() == self.before
        assert not user.trouble
        assert not user.bugs
        assert user.window.windowTitle().startswith(SAMPLE.name)
        assert python_threads() <= self.threads
        left = [
            thing
            for thing in gc.get_objects()
            if (type(thing) in {TensorEntry, TensorRow} and thing.name.startswith(MARK))
            or (type(thing) is FileSource and thing.path == path and not thing._closed)
        ]
        assert not left, "garbage collection is disabled"


@pytest.fixture
def opening(user, monkeypatch):
    return Opening(user, monkeypatch)


def test_nothing_is_left_of_an_opening_that_is_cancelled(opening, tmp_path):
    """At the beginning of each stage, and before the result is passed to the window."""
    path = write(tmp_path / "many.safetensors", MANY)
    session = opening.user.session
    for stage in ("open_checkpoint", "open_document", "contents_of", "_prepare", "Opened"):
        with opening.cancelled_in(session if stage == "_prepare" else opening_module, stage):
            opening.user.drop(path)
            opening.assert_nothing_left(path)

    opening.user.drop(path)
    opening.user.wait_open(path)
    assert len(session.rows) == 3 * MANY // 4, "masks have no rows"


def test_the_process_that_parses_a_header_ends_when_opening_is_cancelled(
    opening, tmp_path, monkeypatch
):
    path = write(tmp_path / "spaces.safetensors", MANY, separators=(", ", ": "))
    started = []

    class Process(subprocess.Popen):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            started.append(self)
            opening.cancel()

    monkeypatch.setattr(parser_client, "LARGE_BYTES", parser_client.SMALL_BYTES)
    monkeypatch.setattr(parser_client.subprocess, "Popen", Process)

    opening.user.drop(path)

    opening.assert_nothing_left(path)
    assert [process.returncode is not None for process in started] == [True]


@pytest.mark.parametrize("kind", ["checkpoint", "journal"])
def test_a_file_that_opens_after_a_newer_one_was_asked_for_is_closed(
    user, tmp_path, monkeypatch, kind
):
    """Before the main thread processes its result."""
    path = write(tmp_path / "older.safetensors", FEW)
    if kind == "journal":
        document = open_document(open_checkpoint(path))
        name = next(iter(document.checkpoint.entries))
        step = Step((Row((name,), "l1_unstructured", {"amount": 0.5}),))
        document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
        journal = Journal(folder())
        journal.keep(Capture.of(document), {}, Job(), lambda: None)
        journal.close()
        (wish,) = (OpenRequest(path, is_journal=True) for path in folder().glob("*.journal"))
        document.checkpoint.close()
    else:
        wish = OpenRequest(path)
    closed, came, made = [], threading.Event(), []
    close, really_load = opening_module.Opened.close, opening_module.load

    def load(*arguments):
        made.append(really_load(*arguments))
        came.set()
        return made[-1]

    monkeypatch.setattr(opening_module, "load", load)
    monkeypatch.setattr(
        opening_module.Opened, "close", lambda opened: (closed.append(opened), close(opened))
    )
    user.session.open(wish)
    assert came.wait(20)
    monkeypatch.setattr(opening_module, "load", really_load)
    user.session.open(SAMPLE)
    user.wait_open(SAMPLE)
    assert closed == made
    assert all(source._closed for source in made[0].document.checkpoint.sources)
    if kind == "journal":
        with read_journal(wish.path, Job()) as free:
            assert free.path == wish.path, "there are no other references"
    assert not user.trouble


def test_changes_are_allowed_again_by_whoever_refused_them(user):
    """Regression: the end of a repair allowed changes while an export replaced the file."""
    one, other, session = QObject(), QObject(), user.session
    session.lock(one, PruneAppError("One is at work."))
    session.lock(other, PruneAppError("Another is at work."))
    session.lock(one, None)
    assert not session.may_work()
    assert user.trouble == ["Another is at work."]
    session.lock(other, None)
    assert session.may_work()
