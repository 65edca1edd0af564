"""Errors: the message is one sentence, no step is lost, and the window remains usable."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
import torch
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from safetensors.torch import load_file, save_file

from pruneapp.export import exporter
from pruneapp.gui.export import export_controller
from pruneapp.gui.plots import plot_controller
from pruneapp.gui.preview import live_preview
from pruneapp.preview import preview
from tests.gui.event_loop_delay import Stopwatch
from tests.gui.job_gate import Gate


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.safetensors"
    generator = torch.Generator().manual_seed(2)
    save_file(
        {
            "conv.weight": torch.randn(4, 3, 3, 3, generator=generator),
            "fc.weight": torch.randn(10, 8, generator=generator),
        },
        path,
    )
    return path


@pytest.fixture
def pruned(at_work):
    """Return the user after a step that is not exported."""
    at_work.click(at_work.button)
    assert at_work.session.unexported
    return at_work


def touch_other_bytes(path):
    """Change a byte of a file and its time of modification, as another program would."""
    data = bytearray(path.read_bytes())
    data[-1] ^= 0xFF
    path.write_bytes(bytes(data))
    os.utime(path, (time.time() + 5, time.time() + 5))


# The open file is changed


def test_a_changed_file_is_noticed_when_one_comes_back(at_work, file):
    """When the window is activated again, and in the panel: nothing is computed from the file."""
    touch_other_bytes(file)
    at_work.window.activated.emit()
    assert len(at_work.trouble) == 1
    assert str(file) in at_work.trouble[0]
    assert "changed" in at_work.trouble[0]
    at_work.ask_amount("50 %")
    at_work.wait(lambda: "changed" in at_work.views.preview.error.text())
    assert not at_work.button.isEnabled()
    assert at_work.states == ["Opened"]


def test_export_of_a_changed_or_deleted_file_is_refused(pruned, file, tmp_path):
    """Nothing is written, and the steps are kept."""
    dialog = pruned.workbench.export
    out = tmp_path / "out.safetensors"
    for harm in (touch_other_bytes, lambda path: path.unlink()):
        pruned.window.notices.clear()
        harm(file)
        pruned.click(pruned.window.export_button)
        pruned.wait(lambda: dialog.dialog is not None or bool(pruned.trouble))
        if dialog.dialog is not None:
            pruned.type(dialog.dialog.target.path, str(out))
            pruned.click(dialog.dialog.go)
        pruned.wait(lambda: bool(pruned.trouble))
        assert str(file) in pruned.trouble[0]
        assert not list(tmp_path.glob("out*"))
        assert pruned.session.unexported
        assert len(pruned.states) == 2


def test_a_target_that_cannot_be_written_is_said_in_the_dialog(pruned, tmp_path, monkeypatch):
    """The folder does not exist; the button is disabled until the path is corrected.

    If the disk is full, the error is shown, and the target is unchanged.
    """
    exporting_ = pruned.workbench.export
    dialog = pruned.open_export()
    pruned.type(dialog.target.path, str(tmp_path / "nowhere" / "out.safetensors"))
    assert "does not exist" in dialog.target.note.text()
    assert not dialog.go.isEnabled()
    pruned.type(dialog.target.path, str(tmp_path / "first.safetensors"))
    pruned.click(dialog.go)
    pruned.wait(lambda: exporting_.report is not None)
    pruned.close_report()

    out = tmp_path / "out.safetensors"
    out.write_bytes(b"old")
    # The thread that saves the journal also calls fsync.
    pruned.wait(lambda: not pruned.workbench.autosave._busy)

    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    dialog = pruned.open_export()
    pruned.type(dialog.target.path, str(out))
    pruned.click(dialog.go)
    pruned.wait(lambda: exporting_.dialog not in (None, dialog) and exporting_.dialog.isVisible())
    assert "the disk is full" in exporting_.dialog.trouble.text()
    assert exporting_.dialog.target.path.text() == str(out)
    assert out.read_bytes() == b"old"
    assert sorted(p.name for p in tmp_path.glob("*out*")) == ["out.safetensors"]


def test_exporting_over_the_source_keeps_the_original_and_undo_goes_on(pruned, file):
    """Dialog and report name the file to which the original is renamed."""
    original = file.read_bytes()
    exporting_ = pruned.workbench.export
    dialog = pruned.open_export()
    pruned.type(dialog.target.path, str(file))
    assert "model.orig.safetensors" in dialog.target.note.text()
    assert dialog.target.replace.isVisible()
    pruned.click(dialog.go)
    pruned.wait(lambda: exporting_.report is not None)
    assert "model.orig.safetensors" in exporting_.report.as_text()
    pruned.close_report()

    assert (file.parent / "model.orig.safetensors").read_bytes() == original
    assert load_file(file)["fc.weight"].eq(0).sum() == 16
    pruned.key("Ctrl+Z")
    assert pruned.document.position == 0
    pruned.wait_preview()
    assert pruned.trouble == []
    pruned.window.activated.emit()
    assert pruned.trouble == [], "the document continues with the renamed original"

    dialog = pruned.open_export()
    assert dialog.target.path.text() == str(file.with_name("model-pruned.safetensors"))
    pruned.key("Esc", dialog)
    pruned.wait(lambda: exporting_.dialog is None)


def test_deleting_the_original_ends_undo_and_opens_what_was_written(pruned, file):
    """The user has to choose that in the dialog."""
    exporting_ = pruned.workbench.export
    before = pruned.document
    dialog = pruned.open_export()
    pruned.type(dialog.target.path, str(file))
    pruned.click(dialog.target.replace, QPoint(8, dialog.target.replace.height() // 2))
    pruned.click(dialog.go)
    pruned.wait(lambda: exporting_.report is not None)
    pruned.close_report()
    pruned.wait(lambda: pruned.document is not None and pruned.document is not before)
    assert not (file.parent / "model.orig.safetensors").exists()
    assert pruned.states == ["Opened"]
    assert load_file(file)["fc.weight"].eq(0).sum() == 16
    assert not pruned.session.unexported


# Unsaved steps


@pytest.mark.usefixtures("histories_off")
def test_closing_asks_about_changes_and_stays_or_discards_them(pruned, file):
    asked = pruned.answers("Cancel")
    assert not pruned.window.close()
    assert len(asked) == 1
    assert "You have unsaved changes." in asked[0]
    assert pruned.window.isVisible()
    pruned.key("Ctrl+Z")
    assert pruned.document.position == 0
    assert not pruned.session.unexported, "at the opened state, nothing is unsaved"
    pruned.key("Ctrl+Shift+Z")
    pruned.answers("Cancel")
    pruned.key("Ctrl+W")
    assert pruned.document is not None
    pruned.answers("Discard changes")
    pruned.key("Ctrl+W")
    assert pruned.document is None
    assert pruned.window.empty.isVisible()

    pruned.open_file(file)
    pruned.prune()
    asked = pruned.answers("Discard changes")
    assert pruned.window.close()
    assert len(asked) == 1
    assert not pruned.window.isVisible()


def test_what_a_link_points_to_is_written_only_when_asked(pruned, tmp_path):
    real, link = tmp_path / "real.safetensors", tmp_path / "link.safetensors"
    real.write_bytes(b"old")
    link.symlink_to(real)
    exporting_ = pruned.workbench.export
    for answer in ("Cancel", "Replace target"):
        assert real.read_bytes() == b"old"
        pruned.answers(answer)
        dialog = pruned.open_export()
        pruned.type(dialog.target.path, str(link))
        pruned.click(dialog.go)
        pruned.wait(lambda: exporting_.dialog is None)
    pruned.wait(lambda: exporting_.report is not None)

    assert str(real) in exporting_.report.as_text()
    pruned.close_report()
    assert link.is_symlink()
    assert load_file(real)["fc.weight"].eq(0).sum() == 16
    assert pruned.trouble == []


@pytest.mark.usefixtures("histories_off")
def test_closing_asks_about_changes_and_exports(pruned, tmp_path):
    """ "Export…" opens the export dialog; after an export only the undo history would be lost."""
    exporting_ = pruned.workbench.export
    pruned.answers("Export…")
    assert not pruned.window.close()
    pruned.wait(lambda: exporting_.dialog is not None)
    pruned.type(exporting_.dialog.target.path, str(tmp_path / "out.safetensors"))
    pruned.click(exporting_.dialog.go)
    pruned.wait(lambda: exporting_.report is not None)
    pruned.close_report()
    asked = pruned.answers("Discard changes")
    assert pruned.window.close()
    assert asked[0].startswith("The undo history has not been saved. Save a session to keep it.")


def test_closing_without_changes_asks_nothing(at_work):
    assert at_work.window.close()


# Jobs


@pytest.fixture
def slow_export(monkeypatch):
    """Return a gate that blocks exports until it is opened."""
    real = exporter.export
    gate = Gate(closed=True)

    def work(snapshot, request, job, provenance):
        job.start(0, "fc.weight")
        gate.wait(job, 1)
        return real(snapshot, request, job, provenance)

    monkeypatch.setattr(export_controller, "export", work)
    return gate


def begin_export(user, path):
    dialog = user.open_export()
    user.type(dialog.target.path, str(path))
    user.click(dialog.go)


def test_closing_while_a_job_runs_asks_and_lets_it_finish(pruned, slow_export, tmp_path):
    """Plots are drawn meanwhile. A cancelled export leaves nothing."""
    begin_export(pruned, tmp_path / "out.safetensors")
    pruned.wait(lambda: slow_export.running)
    pruned.click_cell("fc.weight")
    view = pruned.views.pages.weights
    pruned.wait(lambda: view.canvas.item.fine is not None and not view.stale)
    assert view.canvas.item.fine.request.name == "fc.weight"
    assert np.count_nonzero(view.canvas.item.fine.kept == 0) == 16
    pruned.wait(pruned.window.job_status.isVisible)
    took = Stopwatch()
    pruned.click(pruned.window.job_status.cancel)
    pruned.wait(lambda: not pruned.workbench.jobs.busy)
    assert took.seconds < 1.0  # 0.25 s on an idle machine, see dev.py bench cancel
    assert not list(tmp_path.glob("out*"))
    assert pruned.session.unexported
    assert pruned.trouble == []

    slow_export.running = False
    begin_export(pruned, tmp_path / "out.safetensors")
    pruned.wait(lambda: slow_export.running)
    asked = pruned.answers("Wait")
    assert not pruned.window.close()
    assert "still running" in asked[0]
    slow_export.closed = False
    pruned.wait(lambda: pruned.workbench.export.report is not None)
    assert load_file(tmp_path / "out.safetensors")["fc.weight"].eq(0).sum() == 16
    pruned.close_report()


@pytest.mark.usefixtures("histories_off")
def test_closing_while_a_job_runs_stops_it(pruned, slow_export, tmp_path):
    begin_export(pruned, tmp_path / "out.safetensors")
    pruned.wait(lambda: slow_export.running)
    asked = pruned.answers("Cancel job", "Discard changes")
    took = Stopwatch()
    assert pruned.window.close()
    assert took.seconds < 1
    assert len(asked) == 2
    assert not list(tmp_path.glob("out*"))


def test_the_question_about_a_job_goes_with_the_job(pruned, slow_export, tmp_path):
    """Regression: the question stayed open after the job had finished."""
    begin_export(pruned, tmp_path / "out.safetensors")
    pruned.wait(lambda: slow_export.running)

    def end() -> None:
        question = QApplication.activeModalWidget()
        assert "still running" in question.text()
        slow_export.closed = False
        QTimer.singleShot(3000, question, question.reject)  # fail instead of blocking

    QTimer.singleShot(50, pruned.window, end)
    assert pruned.window.close(), "the window closes without a further question"
    assert load_file(tmp_path / "out.safetensors")["fc.weight"].eq(0).sum() == 16


# Bugs


def assert_a_report_can_be_copied(user, text):
    (notice,) = user.window.notices.notices
    assert "Internal error in Pruneapp" in notice.sentence.text()
    assert "\n" not in notice.sentence.text()
    user.click(notice.more)
    user.click(notice.copy)
    copied = QGuiApplication.clipboard().text()
    assert "Traceback" in copied
    assert text in copied
    user.click(notice.close_button)
    assert user.notices == []
    user.bugs.clear()


def test_a_bug_shows_a_report(at_work, monkeypatch):
    """In a picture, on the main thread, and in a preview, after which the button works again."""

    def fail_in_picture(*_arguments, **_more):
        raise ZeroDivisionError("in a picture")

    with monkeypatch.context() as patch:
        patch.setattr(plot_controller, "histogram", fail_in_picture)
        at_work.views.tree.view.setFocus()
        at_work.key("2")
        at_work.wait(lambda: bool(at_work.bugs))
    assert_a_report_can_be_copied(at_work, "in a picture")
    shown = at_work.views.pages.distribution
    assert shown._message.text().endswith("This view could not be computed.")
    assert shown._message.isVisible()

    try:
        {}["of the main thread"]
    except KeyError as error:
        at_work.start.report_bug(KeyError, error, error.__traceback__)
    assert_a_report_can_be_copied(at_work, "of the main thread")

    at_work.key("1", at_work.views.tree.view)
    real = preview.compute_preview

    def fail(*_arguments, **_more):
        raise RuntimeError("one of ours")

    monkeypatch.setattr(live_preview, "compute_preview", fail)
    at_work.ask_amount("50 %")
    at_work.wait(lambda: bool(at_work.bugs))
    assert_a_report_can_be_copied(at_work, "one of ours")
    monkeypatch.setattr(live_preview, "compute_preview", real)
    at_work.click(at_work.button)
    at_work.wait(lambda: len(at_work.states) == 2)


def test_what_a_hostile_name_says_is_shown_as_it_is(user, tmp_path):
    """Markup in names is shown as plain text."""
    name = "<img src=x>.<b>evil</b>.weight"
    path = tmp_path / "<i>a&b.safetensors"
    save_file({name: torch.randn(4, 5), "fc.weight": torch.randn(4, 5)}, path)
    user.drop(path)
    user.wait_open(path)
    user.click_cell(name)
    assert user.views.pages.heading.name.text() == name
    user.wait_preview()
    user.click(user.button)
    assert "&lt;img" in user.views.pages.heading.name.toolTip()
    shown = user.export(tmp_path / "out.safetensors")
    assert name in shown.as_text()
    user.close_report()
