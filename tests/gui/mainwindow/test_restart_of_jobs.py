"""Long jobs that the user cancels by mistake are started again by the button of a notice."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from safetensors.numpy import save_file

from pruneapp.edits.zeros import Finalize
from pruneapp.gui.compare import compare_controller
from pruneapp.gui.document import open_document
from pruneapp.gui.export.shrink_controller import ShrinkJob
from pruneapp.gui.mainwindow import job_list
from pruneapp.gui.preview import preview_controller
from pruneapp.gui.recipes import rounds_controller
from tests.gui.job_gate import Gate
from tests.support.model_folders import LAYERS, write_llama, zeroed_neurons


@pytest.fixture(autouse=True)
def of_any_duration(monkeypatch):
    """Offer to start short jobs again, too."""
    monkeypatch.setattr(job_list, "_OFFER_AFTER_S", 0.0)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.safetensors"
    rng = np.random.default_rng(1)
    save_file({"fc.weight": rng.normal(size=(8, 10)).astype(np.float32)}, path)
    return path


@pytest.fixture
def slow(monkeypatch):
    """Return a function that makes a function wait for the returned gate; `job` finds its job."""

    def make_slow(owner, name, job):
        gate, real = Gate(closed=True), getattr(owner, name)

        def wait(*args, **keys):
            gate.wait(job(args))
            return real(*args, **keys)

        monkeypatch.setattr(owner, name, wait)
        return gate

    return make_slow


def cancel(user, gate):
    """Cancel the job that waits at a gate, and return the text of the notice."""
    user.wait(lambda: gate.running)
    user.key("Esc")
    user.wait(lambda: user.notices)
    gate.closed = False
    user.wait_idle()
    return user.notices[0]


def undo(user):
    user.click(user.window.notices.notices[0].action)


def test_opening_a_file_when_there_is_no_document(user, model, slow):
    gate = slow(open_document, "load", lambda args: args[2])
    user.open(model)
    assert cancel(user, gate).startswith("'Opening' was cancelled after ")
    assert user.document is None
    undo(user)
    user.wait(lambda: user.document is not None)
    assert user.document.checkpoint.path == model
    assert not user.notices


def test_a_comparison(user, model, slow):
    user.open_file(model)
    user.prune()
    gate = slow(compare_controller, "compare", lambda args: args[2])
    user.key("5", user.views.tree.view)
    assert cancel(user, gate).startswith("'Comparing' was cancelled after ")
    user.key("1", user.views.tree.view)
    undo(user)
    user.wait(lambda: user.views.compare.numbers().rows == 1)
    assert user.views.compare.isVisible()


def test_the_opening_of_a_file_to_compare_with(user, model, tmp_path, slow):
    user.open_file(model)
    other = tmp_path / "other.safetensors"
    save_file({"fc.weight": np.ones((8, 10), np.float32)}, other)
    gate = slow(compare_controller, "open_document", lambda args: args[1])
    user.chooses_file(other)
    user.menu("Tools", "Compare with a file")
    assert cancel(user, gate).startswith("'Opening' was cancelled after ")
    undo(user)
    user.wait(lambda: user.views.compare.numbers().rows == 1)


def test_pruning(user, model, slow):
    user.open_file(model)
    user.wait_preview()
    gate = slow(preview_controller, "preview_step", lambda args: args[-1])
    user.choose(user.rule.method, "Ln structured (channels)")
    user.click(user.button)
    assert cancel(user, gate).startswith("'Pruning' was cancelled after ")
    assert len(user.states) == 1
    undo(user)
    user.wait(lambda: len(user.states) == 2)
    assert not user.notices


def test_making_permanent(user, model, slow):
    user.open_file(model)
    user.prune()
    gate = slow(Finalize, "propose", lambda args: args[2])
    user.menu("Prune", "Make permanent")
    assert cancel(user, gate).startswith("'Making permanent' was cancelled after ")
    assert len(user.states) == 2
    undo(user)
    user.wait(lambda: len(user.states) == 3)


def test_iterative_pruning(user, model, slow):
    user.open_file(model)
    user.wait_preview()
    user.click(user.views.form.rounds)
    rounds = user.workbench.rounds
    user.wait(lambda: rounds.dialog is not None and rounds.dialog.isVisible())
    gate = slow(rounds_controller, "compute_preview", lambda args: args[3])
    field = rounds.dialog.fields.editors["steps"].field
    user.type(field, "3")
    user.qtbot.keyClick(field, Qt.Key.Key_Tab)
    user.click(rounds.dialog.go)
    assert cancel(user, gate).startswith("'Iterative pruning' was cancelled after ")
    assert len(user.states) == 1
    undo(user)
    user.wait(lambda: len(user.states) == 4)
    assert rounds.dialog is None


def test_shrinking(user, tmp_path, slow):
    tensors = {k: v for n in range(LAYERS) for k, v in zeroed_neurons(70, layer=n).items()}
    user.open_file(write_llama(tmp_path / "tiny", tensors=tensors))
    user.menu("Tools", "Shrink")
    export = user.workbench.export
    user.wait(lambda: export.dialog is not None and export.dialog.is_shrunk)
    page = export.dialog.page
    user.wait(lambda: page.forecast is not None and page.order() is not None)
    gate = slow(ShrinkJob, "work", lambda args: args[1])
    user.click(export.dialog.go)
    assert cancel(user, gate).startswith("'Shrinking' was cancelled after ")
    assert not (tmp_path / "tiny-shrunk").exists()
    undo(user)
    user.wait((tmp_path / "tiny-shrunk" / "model.safetensors").exists, timeout=60_000)
    user.wait_idle()
    assert not user.trouble
