"""Requests while a long job runs: no step is lost."""

from __future__ import annotations

import pytest
import torch
from PySide6.QtCore import QPoint
from safetensors.torch import load_file, save_file

from pruneapp.checkpoint import checkpoint
from pruneapp.document.document import Capture
from pruneapp.edits.manual_edit import ManualEditRequest
from pruneapp.export import exporter
from pruneapp.export.report import ExportRequest
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.document import open_document
from pruneapp.gui.export import export_controller
from pruneapp.gui.export.dialog import ExportChoices
from pruneapp.gui.export.export_controller import ExportedState
from pruneapp.gui.preview import live_preview, panel
from pruneapp.preview import preview
from tests.gui.job_gate import Gate
from tests.gui.user import PATIENCE_MS


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.safetensors"
    generator = torch.Generator().manual_seed(2)
    save_file({"fc.weight": torch.randn(10, 8, generator=generator)}, path)
    return path


@pytest.fixture
def other(tmp_path):
    path = tmp_path / "other.safetensors"
    save_file({"fc.weight": torch.ones(4, 4)}, path)
    return path


@pytest.fixture
def opening(monkeypatch):
    """Return a gate that blocks opening files while it is closed."""
    gate, real = Gate(), checkpoint.open_checkpoint

    def work(path, *, state_dict=None, job):
        gate.wait(job)
        return real(path, state_dict=state_dict, job=job)

    monkeypatch.setattr(open_document, "open_checkpoint", work)
    return gate


@pytest.fixture
def writing(monkeypatch):
    """Return a gate that blocks exports while it is closed."""
    gate, real = Gate(), exporter.export

    def work(snapshot, request, job, provenance):
        gate.wait(job)
        return real(snapshot, request, job, provenance)

    monkeypatch.setattr(export_controller, "export", work)
    return gate


@pytest.fixture
def previewing(monkeypatch):
    """Return a gate that blocks previews while closed; the panel calls them slow after 20 ms."""
    gate, real = Gate(), preview.compute_preview

    def work(snapshot, step, kernel, job, **more):
        gate.wait(job)
        return real(snapshot, step, kernel, job, **more)

    monkeypatch.setattr(live_preview, "compute_preview", work)
    monkeypatch.setattr(panel, "LONG_MS", 20)
    return gate


def replace_original(user, file):
    dialog = user.open_export()
    user.type(dialog.target.path, str(file))
    user.click(dialog.target.replace, QPoint(8, dialog.target.replace.height() // 2))
    user.click(dialog.go)


# While another file is opened


@pytest.mark.usefixtures("histories_off")
def test_nothing_is_changed_that_would_be_gone_in_a_moment(at_work, other, opening):
    at_work.click(at_work.button)
    at_work.wait_preview()
    at_work.answers("Discard changes")
    opening.closed, opening.running = True, False
    at_work.drop(other)
    at_work.wait(lambda: opening.running)
    position = at_work.document.position
    for keys in ("Ctrl+Return", "Ctrl+Z", "Ctrl+E"):
        at_work.workbench.window.notices.clear()
        at_work.key(keys)
        assert "Another file is being opened" in at_work.trouble[0], keys
    assert at_work.document.position == position
    assert at_work.workbench.export.dialog is None
    at_work.key("Esc")  # closes the notice
    at_work.key("Esc")
    at_work.wait_idle()
    at_work.key("Ctrl+Z")
    assert at_work.document.position == position - 1, "the file that is still open can be edited"


def test_an_export_asked_for_in_an_open_dialog_is_refused_too(at_work, other, opening, tmp_path):
    dialog = at_work.open_export()
    at_work.type(dialog.target.path, str(tmp_path / "out.safetensors"))
    opening.closed, opening.running = True, False
    at_work.workbench.open(other)
    at_work.wait(lambda: opening.running)
    at_work.click(dialog.go)
    assert "Another file is being opened" in at_work.trouble[0]
    opening.closed = False
    at_work.wait_open(other)
    at_work.wait_idle()
    assert not (tmp_path / "out.safetensors").exists()


# While a file is written


def test_nothing_is_changed_while_the_original_is_replaced(at_work, file, writing):
    """If that is cancelled, the document can be edited again."""
    at_work.click(at_work.button)
    at_work.wait_preview()
    before = at_work.document
    writing.closed = True
    replace_original(at_work, file)
    at_work.wait(lambda: writing.running)
    at_work.key("Ctrl+Return")
    assert "being replaced" in at_work.window.done.label.text()
    assert at_work.document.position == 1
    at_work.key("Esc")
    at_work.wait(lambda: not at_work.workbench.jobs.busy)
    assert at_work.window.done.label.text() == (
        "Export of model.safetensors cancelled: nothing was written."
    )
    at_work.key("Ctrl+Z")
    assert at_work.document.position == 0
    at_work.key("Ctrl+Shift+Z")

    writing.closed = False
    replace_original(at_work, file)
    at_work.wait(lambda: at_work.workbench.export.report is not None)
    at_work.close_report()
    at_work.wait(lambda: at_work.document is not None and at_work.document is not before)
    assert load_file(file)["fc.weight"].eq(0).sum() == 16
    at_work.wait_preview()
    at_work.key("Ctrl+Return")
    assert at_work.document.position == 1, "the exported file can be edited"


def test_what_was_written_before_it_was_cancelled_is_told_as_written(
    at_work, file, tmp_path, monkeypatch
):
    """The notice names the missing files: the report, but not the script written earlier."""
    gate, real = Gate(closed=True), export_controller.write_accompanying_files

    def work(capture, report, path, job, **more):
        if path.suffix != ".py":
            gate.wait(job)
        return real(capture, report, path, job, **more)

    monkeypatch.setattr(export_controller, "write_accompanying_files", work)
    at_work.click(at_work.button)
    at_work.wait_preview()
    dialog = at_work.open_export()
    at_work.type(dialog.target.path, str(tmp_path / "out.safetensors"))
    dialog.beside.set_checked(ExportChoices(script=True, report=".html"))
    at_work.click(dialog.go)
    at_work.wait(lambda: gate.running)
    at_work.key("Esc")
    at_work.wait(lambda: at_work.workbench.export.report is not None)
    text = at_work.workbench.export.report.as_text()
    assert (
        "The export was already written when it was cancelled. These files could not be written "
        "next to it: 'out-report.html'." in text
    )
    assert "out-check.py" in text
    assert (tmp_path / "out.safetensors").exists()
    assert (tmp_path / "out-check.py").exists()
    assert not (tmp_path / "out-report.html").exists()
    assert "cancelled" not in at_work.window.done.label.text()
    at_work.close_report()


def test_an_export_that_ends_before_it_does_not_end_the_wait(at_work, file, writing, tmp_path):
    """The export that replaces the original is still queued."""
    at_work.click(at_work.button)
    at_work.wait_preview()
    writing.closed = True
    dialog = at_work.open_export()
    at_work.type(dialog.target.path, str(tmp_path / "out.safetensors"))
    at_work.click(dialog.go)
    at_work.wait(lambda: writing.running)
    replace_original(at_work, file)
    running = next(task for task in at_work.workbench.jobs._pending if task.lane is Lane.WRITING)
    running.cancel()
    at_work.wait(lambda: running not in at_work.workbench.jobs._pending)
    at_work.workbench.window.notices.clear()
    at_work.key("Ctrl+Z")
    assert "being replaced" in at_work.trouble[0]
    assert at_work.document.position == 1
    at_work.key("Esc")  # closes the notice
    at_work.key("Esc")
    at_work.wait(lambda: not at_work.workbench.jobs.busy)
    at_work.key("Ctrl+Z")
    assert at_work.document.position == 0


def test_closing_the_file_asks_about_an_export(at_work, writing, tmp_path):
    writing.closed = True
    dialog = at_work.open_export()
    at_work.type(dialog.target.path, str(tmp_path / "out.safetensors"))
    at_work.click(dialog.go)
    at_work.wait(lambda: writing.running)
    asked = at_work.answers("Wait")
    at_work.key("Ctrl+W")
    assert "still running" in asked[0]
    assert at_work.document is not None
    at_work.answers("Cancel job")
    at_work.key("Ctrl+W")
    at_work.wait_idle()
    assert at_work.document is None
    assert at_work.trouble == [], "the user cancelled it"
    assert not (tmp_path / "out.safetensors").exists()


@pytest.mark.usefixtures("histories_off")
def test_a_stopped_job_is_stopped_even_if_the_window_stays(at_work, writing, tmp_path):
    at_work.click(at_work.button)
    writing.closed = True
    dialog = at_work.open_export()
    at_work.type(dialog.target.path, str(tmp_path / "out.safetensors"))
    at_work.click(dialog.go)
    at_work.wait(lambda: writing.running)
    at_work.answers("Cancel job", "Cancel")
    assert not at_work.window.close()
    at_work.wait(lambda: not at_work.workbench.jobs.busy)
    assert not (tmp_path / "out.safetensors").exists()


def test_each_report_is_closed_by_itself(at_work, tmp_path):
    first = at_work.export(tmp_path / "a.safetensors")
    document = at_work.document
    of = ExportedState(Capture.of(document), document.history.key, "")
    at_work.workbench.export._export(of, ExportRequest("safetensors", tmp_path / "b.safetensors"))
    at_work.wait(lambda: at_work.workbench.export.report is not first)
    second = at_work.workbench.export.report
    first.close()
    assert at_work.workbench.export.report is second
    assert second.isVisible()
    second.close()
    assert at_work.workbench.export.report is None


# While a preview is computed


def test_esc_stops_a_slow_preview_and_leaves_the_form_alone(at_work, previewing):
    previewing.closed = True
    at_work.ask_amount("33 %")
    state = at_work.views.preview.state
    at_work.wait(lambda: "Esc" in state.text())
    at_work.key("Esc", at_work.window)
    at_work.wait(lambda: not state.text())
    at_work.wait_idle()
    assert at_work.rule.fields.editors["amount"].field.text() == "33 %"

    # Nothing is computed if nothing is checked, or if there is no file.
    at_work.ask_amount("34 %")
    at_work.wait(lambda: "Esc" in state.text())
    at_work.check("fc.weight")
    at_work.wait(lambda: not at_work.views.tree.checked_names())
    at_work.wait_idle()
    at_work.wait(lambda: not state.text())
    at_work.key("Ctrl+W")
    assert not state.text()


# While a prune is under way


@pytest.fixture
def pruning(at_work, previewing):
    """Prune once, request a second prune, and block it."""
    at_work.click(at_work.button)
    at_work.wait(lambda: len(at_work.states) == 2)
    begin_prune(at_work, previewing)
    return at_work


def begin_prune(user, previewing):
    """Request a prune, and block it."""
    user.ask_amount("40 %")
    user.wait_preview()
    previewing.closed, previewing.running = True, False
    user.ask_amount("50 %")
    user.wait(lambda: previewing.running)
    user.key("Ctrl+Return")
    status = user.window.job_status
    user.wait(lambda: status.isVisible() and status.label.text().startswith("Pruning"))


def gesture(user):
    box = ((3, 4), (0, 8))
    user.workbench.manual_edit.perform(ManualEditRequest("prune", "fc.weight", (box,), "row"))
    user.wait(lambda: user.states[-1] == "row 3 of fc pruned")


def another_state(user):
    user.click_state(0)
    user.wait(lambda: user.document.position == 0)


def another_amount(user):
    user.ask_amount("60 %")


def test_a_prune_that_is_given_up_for_something_else_is_told_of_and_asked_again(
    pruning, previewing
):
    for what in (gesture, another_state, another_amount):
        if what is not gesture:
            begin_prune(pruning, previewing)
        what(pruning)
        pruning.wait(lambda: any("Pruning was cancelled" in text for text in pruning.notices))
        assert not pruning.trouble, "it is no error"
        states = pruning.states
        previewing.closed = False
        pruning.wait_preview()
        assert pruning.states == states, "it is not applied later"
        (notice,) = pruning.window.notices.notices
        position = pruning.document.position
        pruning.click(notice.action)
        pruning.wait(
            lambda position=position: (
                pruning.document.position == len(pruning.states) - 1 > position
            )
        )
        assert pruning.states[-1].startswith("L1 "), what
        assert not pruning.notices, what


@pytest.mark.usefixtures("histories_off")
def test_a_prune_that_is_given_up_for_a_file_that_does_not_open_is_told_of(
    pruning, previewing, tmp_path
):
    broken = tmp_path / "broken.safetensors"  # an invalid header
    broken.write_bytes((8).to_bytes(8, "little") + b"{broken}")
    pruning.answers("Discard changes")
    pruning.drop(broken)
    pruning.wait(lambda: pruning.trouble)
    assert any("Pruning was cancelled" in notice for notice in pruning.notices)
    previewing.closed = False


def test_undo_takes_back_a_prune_that_is_not_done_yet(at_work, previewing):
    """Regression: undo reverted the previous step or the typed value, and the prune still ran."""
    undo = at_work.window.actions_["undo"]
    for done, amount in ((0, 40), (1, 30)):
        if done:
            at_work.key("Ctrl+Shift+Z")
            at_work.wait(lambda: at_work.document.position == 1)
        states = at_work.states
        assert undo.isEnabled() == bool(done)
        previewing.closed = True
        at_work.ask_amount(f"{amount} %")
        at_work.key("Ctrl+Return")
        at_work.pause(80)
        assert undo.text() == "&Undo pruning"
        at_work.key("Ctrl+Z")
        at_work.wait(lambda: not at_work.workbench.jobs.busy)
        assert at_work.window.done.label.text() == "Pruning cancelled: nothing was pruned."
        assert undo.isEnabled() == bool(done)
        assert "pruning" not in undo.text()
        previewing.closed = False
        at_work.wait_preview()
        assert (at_work.states, at_work.document.position) == (states, done)
        assert at_work.rule.row().values["amount"] == amount / 100, "the typed value is kept"
        assert not at_work.notices
        at_work.key("Ctrl+Return")
        at_work.wait(lambda done=done: at_work.document.position == done + 1)
        at_work.key("Ctrl+Z")
        assert at_work.document.position == done, "after the prune, undo reverts the step"


def test_who_undoes_a_prune_may_prune_again_at_once(at_work, qapp):
    """Regression: the key press counted as the second half of a double click."""
    qapp.setDoubleClickInterval(2 * PATIENCE_MS)
    at_work.wait_preview()
    at_work.key("Ctrl+Return")
    assert at_work.document.position == 1
    at_work.key("Ctrl+Z")
    assert at_work.document.position == 0
    at_work.key("Ctrl+Return")
    at_work.wait(lambda: at_work.document.position == 1)


def test_a_prune_that_the_user_stops_needs_no_word(pruning, previewing):
    pruning.key("Esc", pruning.window)
    pruning.wait(lambda: not pruning.workbench.jobs.busy)
    assert not pruning.notices
    previewing.closed = False
    pruning.wait_preview()
    assert len(pruning.states) == 2
