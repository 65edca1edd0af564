"""A repair by clicks and keys: statistics or a script, one step, one report, one undo."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from safetensors.numpy import save_file

from pruneapp.edits.zeros import TreatZeros
from pruneapp.evaluation.metric import Metric
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from pruneapp.gui.mainwindow import job_list
from pruneapp.gui.repair import repair_controller
from pruneapp.gui.widgets.labels import as_plain
from pruneapp.progress import Job
from tests.evaluation.scripts import STUB
from tests.gui.job_gate import Gate
from tests.gui.user import plain
from tests.reliability.evaluations import left_over, living
from tests.repair.layers import InputArrays, mixed

FC, HEAD = "fc.weight", "head.weight"
SCRIPT = """
import os
import torch
from safetensors.torch import load_file

def load(path):
    open("pid", "w").write(str(os.getpid()))
    tensors = load_file(path)
    model = torch.nn.Sequential()
    model.fc, model.head = torch.nn.Linear(30, 20), torch.nn.Linear(20, 4, bias=False)
    model.load_state_dict(tensors)
    return model.eval()

def calibrate(model):
    torch.manual_seed(0)
    model(torch.randn(300, 8) @ torch.randn(8, 30) + 0.1 * torch.randn(300, 30))
"""
# With a fake torch that imports quickly: only the process is tested.
SLEEPS = """
import os, time

def load(path):
    open("pid", "w").write(str(os.getpid()))
    while True:
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            pass

def calibrate(model): pass
"""
RAISES = """
def load(path):
    raise ValueError("no such model")

def calibrate(model): pass
"""


@pytest.fixture
def pruned(two_pruned_layers):
    return two_pruned_layers


@pytest.fixture
def statistics(tmp_path):
    inputs = InputArrays({FC: mixed(2, 300, 30, offset=1.0)})
    return inputs.save(tmp_path / "m.statistics.safetensors")


@pytest.fixture
def fake_torch(tmp_path, monkeypatch):
    """Give scripts a fake torch that imports quickly."""
    stub = tmp_path / "stub"
    stub.mkdir()
    (stub / "torch.py").write_text(STUB)
    monkeypatch.setenv("PYTHONPATH", str(stub))


def open_dialog(user):
    """Open the dialog by its shortcut, and return it."""
    user.key("Ctrl+R")
    user.wait(lambda: user.workbench.repair.dialog is not None)
    dialog = user.workbench.repair.dialog
    user.wait(dialog.isVisible)
    return dialog


def choose_script(user, body, folder) -> Path:
    """Type the path of a script and press Repair; wait for the confirmation."""
    path = folder / "my_calibration.py"
    path.write_text(body)
    dialog = open_dialog(user)
    user.type(dialog.source.fields[DataKind.SCRIPT], str(path))
    user.type(dialog.source.python, sys.executable)
    user.wait(lambda: dialog.source.found.text().startswith("Runs with"))
    user.click(dialog.go)
    user.wait(lambda: user.workbench.scripts.dialog is not None)
    return path


def run_script(user, body, folder):
    choose_script(user, body, folder)
    user.click(user.workbench.scripts.dialog.go)
    user.wait(lambda: user.workbench.repair.dialog is None)


def process_of(user, folder) -> int:
    user.wait(lambda: (folder / "pid").exists() and (folder / "pid").read_text())
    return int((folder / "pid").read_text())


def test_without_anything_pruned_it_says_so(user, tmp_path):
    file = tmp_path / "m.safetensors"
    save_file({FC: np.ones((4, 4), np.float32)}, file)
    user.open_file(file)
    assert not user.views.preview.repair.isVisible()
    user.key("Ctrl+R")
    user.wait(lambda: user.trouble)
    assert user.trouble[0].startswith("No layer is partly pruned, so there is nothing")


def test_by_statistics_it_is_one_step_and_undone_by_one_click(pruned, statistics):
    user, repair = pruned, pruned.workbench.repair
    user.wait(user.views.preview.repair.isVisible)  # the result of the step
    user.click(user.views.preview.repair)
    user.wait(lambda: repair.dialog is not None and repair.dialog.isVisible())
    dialog = repair.dialog
    assert dialog.headline.text() == "2 pruned layers"
    assert dialog.go.text() == "Repair 2 layers"
    assert "Gram matrices: 10 kB" in dialog.note.text()
    assert dialog.risk.isHidden()
    user.click(dialog.source.radios[DataKind.STATISTICS])
    user.type(dialog.source.fields[DataKind.STATISTICS], str(statistics))
    user.wait(lambda: dialog.go.text() == "Repair 1 layer")
    assert dialog.headline.text() == "2 pruned layers, 1 of them with statistics"
    assert dialog.source.found.text() == "It has statistics of 1 pruned layer."
    user.click(dialog.go)
    user.wait(lambda: repair.report is not None)
    report = repair.report
    assert user.states[-1] == "Repair of fc"
    assert set(user.document.snapshot().values) == {FC, "fc.bias"}
    assert report.headline.text() == (
        "1 layer repaired: 240 weights have new values. Also adjusted: 1 bias."
    )
    assert report.risks == []
    assert "Not repaired, no statistics: 'head.weight'." in [note.text() for note in report.notes]
    user.click(report.undo)
    user.wait(lambda: not user.document.snapshot().values)
    assert repair.report is None
    assert user.document.position == 1

    dialog = open_dialog(user)
    user.click(dialog.source.radios[DataKind.STATISTICS])
    user.type(dialog.source.fields[DataKind.STATISTICS], str(statistics))
    user.wait(lambda: dialog.go.text() == "Repair 1 layer")
    user.key("Return", dialog.source.fields[DataKind.STATISTICS])
    user.wait(lambda: repair.report is not None)
    user.click(repair.report.copy)
    text = QGuiApplication.clipboard().text()
    assert "Layer\tRemaining\tChanged\tError before (%)" in text
    assert "\nfc.weight\t240\t240\t" in text
    user.key("Esc", repair.report)
    user.wait(lambda: repair.report is None)
    assert user.document.snapshot().values


def test_a_file_that_was_pruned_elsewhere_is_repaired_for_its_original(user, statistics, tmp_path):
    """Its zeros are treated as pruned; without the original, its outputs cannot be compared."""
    rng = np.random.default_rng(1)
    original = {FC: rng.normal(size=(20, 30)).astype(np.float32), "fc.bias": np.ones(20, "f4")}
    save_file(original, tmp_path / "original.safetensors")
    file = tmp_path / "elsewhere.safetensors"
    save_file(original | {FC: original[FC] * (np.abs(original[FC]) > 0.7)}, file)
    user.open_file(file)
    zeros = TreatZeros((FC,)).propose(user.document.snapshot(), Job())
    assert user.session.commit(zeros)
    repair = user.workbench.repair
    for unpruned in ("", str(tmp_path / "original.safetensors")):
        dialog = open_dialog(user)
        user.click(dialog.source.radios[DataKind.STATISTICS])
        user.type(dialog.source.fields[DataKind.STATISTICS], str(statistics))
        user.type(dialog.source.unpruned, unpruned)
        user.wait(dialog.go.isEnabled)
        assert dialog.go.text() == "Repair 1 layer"
        user.click(dialog.go)
        if not unpruned:
            user.wait(lambda: user.trouble)
            assert "are 0 in the unpruned model" in user.trouble[0]
            assert not user.document.snapshot().values
    user.wait(lambda: repair.report is not None)
    (layer,) = repair.report._layers
    assert layer.rounded < 0.3 * layer.before
    assert not user.trouble


def test_a_script_is_shown_run_and_gone(pruned, tmp_path):
    """It only runs once it is confirmed; afterwards it is not asked about again."""
    user, repair = pruned, pruned.workbench.repair
    choose_script(user, SCRIPT, tmp_path)
    question = user.workbench.scripts.dialog
    assert "load_file" in question.lines.toPlainText()
    user.click(question.leave)
    user.wait(lambda: user.workbench.scripts.dialog is None)
    assert repair.dialog.isVisible()
    assert not (tmp_path / "pid").exists()
    user.click(repair.dialog.go)
    user.wait(lambda: user.workbench.scripts.dialog is not None)
    user.click(user.workbench.scripts.dialog.go)
    user.wait(lambda: repair.report is not None or user.trouble)
    assert user.trouble == []
    assert left_over(process_of(user, tmp_path)) == []
    assert user.states[-1] == "Repair of 2 layers"
    first, second = repair.report._layers
    assert (first.name, second.name) == (FC, HEAD)
    assert first.rounded < 0.5 * first.before
    notes = [note.text() for note in repair.report.notes]
    assert "Inputs: my_calibration.py. Solved by numpy (CPU)." in notes
    user.click(repair.report.close_button)
    user.wait(lambda: repair.report is None)
    user.key("Ctrl+Z")
    user.wait(lambda: not user.document.snapshot().values)
    dialog = open_dialog(user)  # remembered and confirmed
    assert dialog.source.source().path == str(tmp_path / "my_calibration.py")
    user.click(dialog.editors["sequential"].box)
    assert "The inputs are run once through the unpruned model" in dialog.note.text()
    user.type(dialog.source.limit, "7")
    user.click(dialog.go)
    user.wait(lambda: repair.dialog is None)
    assert user.workbench.scripts.dialog is None
    user.wait(lambda: repair.report is not None or user.trouble)
    assert user.trouble == []
    assert user.states[-1] == "Sequential repair of 2 layers"
    notes = [note.text() for note in repair.report.notes]
    assert any("include those of the preceding layers" in note for note in notes)
    assert any(note.startswith("Inputs: my_calibration.py, at most 7 samples.") for note in notes)
    first, second = repair.report._layers
    assert (first.name, second.name) == (FC, HEAD)
    assert second.rounded < second.before


def test_a_script_that_fails_is_a_sentence(pruned, tmp_path, fake_torch):
    user = pruned
    run_script(user, RAISES, tmp_path)
    user.wait(lambda: user.trouble)
    assert "'my_calibration.py', line 3, raised ValueError" in user.trouble[0]
    assert not user.document.snapshot().values
    user.key("Ctrl+Z")  # edits are allowed again
    user.wait(lambda: user.document.position == 0)


def test_escape_cancels_at_once_and_changes_wait(pruned, tmp_path, fake_torch):
    user = pruned
    run_script(user, SLEEPS, tmp_path)
    pid = process_of(user, tmp_path)
    user.views.history.tree.setFocus()
    user.key("Del", user.views.history.tree)
    assert user.trouble[0].startswith("A repair is running.")
    assert user.document.position == 1
    form = user.views.preview
    assert not form.action.button.isEnabled()
    assert form.note.text() == user.trouble[0]
    assert form.action.button.toolTip() == as_plain(form.note.text())
    user.key("Esc")  # closes the notice
    began = time.monotonic()
    user.key("Esc")
    user.wait(lambda: user.workbench.repair._repairing is None)
    assert time.monotonic() - began < 1  # 0.25 s on an idle machine
    assert user.window.done.label.text() == "Repair cancelled: nothing was changed."
    assert form.action.button.isEnabled()
    assert form.note.text().startswith("These settings would prune")
    user.wait(lambda: not living(pid))
    assert not user.document.snapshot().values
    user.key("Ctrl+Z")
    user.wait(lambda: user.document.position == 0)


def test_a_repair_behind_another_job_says_what_it_waits_for(pruned, tmp_path, fake_torch):
    """Regression: it said that the repair was running, and that Esc cancels it."""
    user, jobs, gate = pruned, pruned.workbench.jobs, Gate(closed=True)
    jobs.run(gate.wait, endings := [].append, endings, title="Sensitivity scan", lane=Lane.PROGRAM)
    run_script(user, SLEEPS, tmp_path)
    note = user.views.preview.note
    user.wait(lambda: note.text().startswith("'Repair' is waiting for 'Sensitivity scan'."))
    assert note.text().endswith(" To cancel 'Repair', open the list of jobs.")
    assert note.heightForWidth(note.width()) <= note.height(), "the text is not cut off"
    assert not user.views.preview.action.button.isEnabled()
    user.key("Del", user.views.history.tree)
    assert user.trouble[0].startswith("'Repair' is waiting")
    gate.closed = False
    user.wait(lambda: note.text().startswith("A repair is running."))
    assert not user.trouble, "the repair is not waiting any more"
    pid = process_of(user, tmp_path)
    user.key("Esc")
    user.wait(lambda: user.workbench.repair._repairing is None)
    assert user.views.preview.action.button.isEnabled()
    assert note.text().startswith("These settings would prune")
    user.wait(lambda: not living(pid))


def test_other_states_can_be_looked_at_meanwhile(pruned, statistics, monkeypatch):
    """Regression: a repair of several minutes kept the user at its state."""
    user, gate, work = pruned, threading.Event(), repair_controller.repair_by_file

    def wait_then_repair(*given):
        gate.wait()
        return work(*given)

    monkeypatch.setattr(repair_controller, "repair_by_file", wait_then_repair)
    dialog = open_dialog(user)
    user.click(dialog.source.radios[DataKind.STATISTICS])
    user.type(dialog.source.fields[DataKind.STATISTICS], str(statistics))
    user.wait(lambda: dialog.go.text() == "Repair 1 layer")
    user.click(dialog.go)
    user.wait(lambda: user.workbench.repair._repairing is not None)
    user.click_state(0)
    user.wait(lambda: user.document.position == 0)
    gate.set()
    user.wait(lambda: len(user.states) == 3)
    assert user.trouble == []
    assert user.document.branches.after == (0, 1), "the repair follows the state it was made for"
    assert user.document.position == 0, "the state that is looked at stays current"
    assert user.workbench.repair.report is None
    (notice,) = (n for n in user.window.notices.notices if n.sentence.text() == user.notices[0])
    assert notice.sentence.text().startswith("The repair is finished: 2: Repair")
    user.click(notice.action)
    user.wait(lambda: user.workbench.repair.report is not None)
    assert user.document.position == 2


def test_a_repair_that_was_cancelled_by_mistake_can_be_started_again(
    pruned, statistics, monkeypatch
):
    user, repair, gate = pruned, pruned.workbench.repair, Gate(closed=True)
    real = repair_controller.repair_by_file

    def wait(path, snapshot, settings, unpruned, job):
        gate.wait(job)
        return real(path, snapshot, settings, unpruned, job)

    monkeypatch.setattr(repair_controller, "repair_by_file", wait)
    monkeypatch.setattr(job_list, "_OFFER_AFTER_S", 0.0)
    dialog = open_dialog(user)
    user.click(dialog.source.radios[DataKind.STATISTICS])
    user.type(dialog.source.fields[DataKind.STATISTICS], str(statistics))
    user.wait(lambda: dialog.go.text() == "Repair 1 layer")
    user.click(dialog.go)
    user.wait(lambda: gate.running)
    user.key("Esc")
    (text,) = user.notices
    assert text.endswith(" It can be started again with the same settings.")
    user.wait_idle()
    gate.closed = False

    user.click(user.window.notices.notices[0].action)

    user.wait(lambda: repair.report is not None)
    assert not user.notices
    assert user.states[-1] == "Repair of fc"
    repair.report.reject()


@pytest.mark.usefixtures("histories_off")
def test_another_file_need_not_wait_until_the_program_ends(pruned, tmp_path, monkeypatch):
    user, gate = pruned, threading.Event()
    monkeypatch.setattr(repair_controller, "run_and_repair", lambda *_given: gate.wait())
    other = tmp_path / "other.safetensors"
    save_file({"a.weight": np.ones((2, 2), np.float32)}, other)
    run_script(user, RAISES, tmp_path)
    asked = user.answers("Wait")
    user.drop(other)
    user.wait(lambda: asked)
    assert "A job is still running." in asked[0]
    user.wait(lambda: QApplication.activeModalWidget() is None)
    assert user.workbench.repair._repairing is not None, "the user stays with the file"
    user.answers("Cancel job", "Discard changes")
    user.open_file(other)
    assert user.session.may_work(), "the lock was released"
    user.window.done.set_done("")
    gate.set()
    user.wait_idle()
    assert user.window.done.label.text() == ""
    assert user.trouble == []


def test_no_process_is_left_when_the_window_closes(pruned, tmp_path, fake_torch):
    user = pruned
    run_script(user, SLEEPS, tmp_path)
    pid = process_of(user, tmp_path)
    assert living(pid)
    user.workbench.shut_down()
    assert user.workbench.ended
    assert left_over(pid) == []


def test_what_is_no_statistics_file_is_said_in_the_dialog(pruned, tmp_path):
    user = pruned
    dialog = open_dialog(user)
    user.click(dialog.source.radios[DataKind.STATISTICS])
    user.type(dialog.source.fields[DataKind.STATISTICS], str(tmp_path / "m.safetensors"))
    user.wait(lambda: "contains no statistics of activations" in dialog.source.found.text())
    assert not dialog.go.isEnabled()
    assert dialog.go.text() == "Nothing to repair"
    user.type(dialog.editors["iterations"].field, "0")
    assert dialog.note.text().startswith("✕")
    user.key("Esc", dialog)
    user.wait(lambda: user.workbench.repair.dialog is None)


@pytest.fixture
def fake_metric():
    """Return the fake metric of a repaired state."""
    return 0.5


@pytest.fixture
def measure(fake_metric):
    return lambda state: (None, {"accuracy": Metric(fake_metric if state.values else 0.7)})


def repair_and_evaluate(user, statistics, folder):
    """Repair by statistics, then measure before and after with the button of the report."""
    repair, evaluation = user.workbench.repair, user.workbench.evaluation
    dialog = open_dialog(user)
    user.click(dialog.source.radios[DataKind.STATISTICS])
    user.type(dialog.source.fields[DataKind.STATISTICS], str(statistics))
    user.wait(lambda: dialog.go.text() == "Repair 1 layer")
    user.click(dialog.go)
    user.wait(lambda: repair.report is not None)
    user.click(repair.report.evaluate)
    user.wait(lambda: evaluation.dialog is not None)
    (folder / "s.py").write_text("")
    user.type(evaluation.dialog.choice.fields[DataKind.SCRIPT], str(folder / "s.py"))
    user.wait(evaluation.dialog.go.isEnabled)
    user.click(evaluation.dialog.go)
    user.wait(lambda: user.workbench.scripts.dialog is not None)
    user.click(user.workbench.scripts.dialog.go)
    user.wait(lambda: repair._compared is None)


def test_a_metric_that_is_worse_after_the_repair_is_said_with_an_undo(
    pruned, statistics, tmp_path, runners
):
    user = pruned
    repair_and_evaluate(user, statistics, tmp_path)
    words = "accuracy is worse after the repair: 0.7 → 0.5."
    assert plain(user.notices[0]) == words
    user.document.rename(user.document.position, "repaired")
    assert plain(user.notices[0]) == words, "it is the same state"
    user.click(user.window.notices.notices[0].action)
    user.wait(lambda: not user.document.snapshot().values)
    assert user.notices == []


@pytest.mark.parametrize("fake_metric", [0.8])
def test_a_metric_that_is_better_is_no_notice_and_the_same_data_is_one(
    pruned, statistics, tmp_path, monkeypatch, runners
):
    user = pruned
    repair_and_evaluate(user, statistics, tmp_path)
    assert user.notices == []
    evaluation = user.workbench.evaluation
    script = DataSource(DataKind.SCRIPT, str(tmp_path / "s.py"))
    assert evaluation.same_data_warnings(script) == (), "it has a function for each"
    text = DataSource(DataKind.TEXT, "a.txt")
    monkeypatch.setattr(evaluation, "_source", text)
    assert "its calibration text" in evaluation.same_data_warnings(text)[0]
    assert evaluation.same_data_warnings(script) == ()


def test_a_new_script_is_saved_and_chosen(pruned, tmp_path):
    dialog = open_dialog(pruned)
    pruned.chooses_file(tmp_path / "mine.py", "getSaveFileName")
    pruned.click(dialog.source.template)
    pruned.wait(lambda: dialog.source.source().path == str(tmp_path / "mine.py"))
    assert "def calibrate" in (tmp_path / "mine.py").read_text()
    pruned.wait(lambda: dialog.source.found.text().startswith("Runs with"))
    pruned.key("Esc", dialog)


def test_the_fields_of_the_last_dialog_are_kept(pruned, statistics):
    dialog = open_dialog(pruned)
    pruned.click(dialog.source.radios[DataKind.STATISTICS])
    pruned.type(dialog.source.fields[DataKind.STATISTICS], str(statistics))
    pruned.type(dialog.editors["iterations"].field.lineEdit(), "33")
    dialog.editors["iterations"].field.interpretText()
    pruned.key("Esc", dialog)
    pruned.wait(lambda: pruned.workbench.repair.dialog is None)
    dialog = open_dialog(pruned)
    assert dialog.source.source().path == str(statistics)
    assert dialog.values()["iterations"] == 33
    pruned.wait(lambda: dialog.go.text() == "Repair 1 layer")
