"""A repair by clicks and keys: statistics or a script, one step, one report, one undo."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication
from safetensors.numpy import save_file

from pruneapp.document.step import Row, Step
from pruneapp.edits.zeros import TreatZeros
from pruneapp.evaluation.metric import Metric
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from pruneapp.gui.repair import repair_controller
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.evaluation.scripts import STUB
from tests.gui.person import plain
from tests.reliability.evaluations import living
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
def pruned(person, tmp_path):
    """Return the user after pruning two layers."""
    rng = np.random.default_rng(1)
    shapes = {FC: (20, 30), "fc.bias": (20,), HEAD: (4, 20)}
    file = tmp_path / "m.safetensors"
    save_file({n: rng.normal(size=s).astype(np.float32) for n, s in shapes.items()}, file)
    person.open_file(file)
    step = Step((Row((FC, HEAD), "l1_unstructured", {"amount": 0.6}),))
    snapshot = person.document.snapshot()
    assert person.session.commit(compute_preview(snapshot, step, CpuKernel(), Job()))
    return person


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


def open_dialog(person):
    """Open the dialog by its shortcut, and return it."""
    person.key("Ctrl+R")
    person.wait(lambda: person.workbench.repair.dialog is not None)
    dialog = person.workbench.repair.dialog
    person.wait(dialog.isVisible)
    return dialog


def choose_script(person, body, folder) -> Path:
    """Type the path of a script and press Repair; wait for the confirmation."""
    path = folder / "my_calibration.py"
    path.write_text(body)
    dialog = open_dialog(person)
    person.type(dialog.source.fields[DataKind.SCRIPT], str(path))
    person.type(dialog.source.python, sys.executable)
    person.wait(lambda: dialog.source.found.text().startswith("Runs with"))
    person.click(dialog.go)
    person.wait(lambda: person.workbench.scripts.dialog is not None)
    return path


def run_script(person, body, folder):
    choose_script(person, body, folder)
    person.click(person.workbench.scripts.dialog.go)
    person.wait(lambda: person.workbench.repair.dialog is None)


def process_of(person, folder) -> int:
    person.wait(lambda: (folder / "pid").exists() and (folder / "pid").read_text())
    return int((folder / "pid").read_text())


def test_without_anything_pruned_it_says_so(person, tmp_path):
    file = tmp_path / "m.safetensors"
    save_file({FC: np.ones((4, 4), np.float32)}, file)
    person.open_file(file)
    assert not person.views.preview.repair.isVisible()
    person.key("Ctrl+R")
    person.wait(lambda: person.trouble)
    assert person.trouble[0].startswith("No layer is partly pruned, so there is nothing")


def test_by_statistics_it_is_one_step_and_undone_by_one_click(pruned, statistics):
    person, repair = pruned, pruned.workbench.repair
    person.wait(person.views.preview.repair.isVisible)  # the result of the step
    person.click(person.views.preview.repair)
    person.wait(lambda: repair.dialog is not None and repair.dialog.isVisible())
    dialog = repair.dialog
    assert dialog.headline.text() == "2 pruned layers"
    assert dialog.go.text() == "Repair 2 layers"
    assert "Gram matrices: 10 kB" in dialog.note.text()
    assert dialog.risk.isHidden()
    person.click(dialog.source.radios[DataKind.STATISTICS])
    person.type(dialog.source.fields[DataKind.STATISTICS], str(statistics))
    person.wait(lambda: dialog.go.text() == "Repair 1 layer")
    assert dialog.headline.text() == "2 pruned layers, 1 of them with statistics"
    assert dialog.source.found.text() == "It has statistics of 1 pruned layer."
    person.click(dialog.go)
    person.wait(lambda: repair.report is not None)
    report = repair.report
    assert person.states[-1] == "Repair of fc"
    assert set(person.document.snapshot().values) == {FC, "fc.bias"}
    assert report.headline.text() == (
        "1 layer repaired: 240 weights have new values. 1 bias or running mean moved with them."
    )
    assert report.risks == []
    assert "Not repaired, no statistics: 'head.weight'." in [note.text() for note in report.notes]
    person.click(report.undo)
    person.wait(lambda: not person.document.snapshot().values)
    assert repair.report is None
    assert person.document.position == 1

    dialog = open_dialog(person)
    person.click(dialog.source.radios[DataKind.STATISTICS])
    person.type(dialog.source.fields[DataKind.STATISTICS], str(statistics))
    person.wait(lambda: dialog.go.text() == "Repair 1 layer")
    person.key("Return", dialog.source.fields[DataKind.STATISTICS])
    person.wait(lambda: repair.report is not None)
    person.click(repair.report.copy)
    text = QGuiApplication.clipboard().text()
    assert "Layer\tRemaining\tMoved\tError before (%)" in text
    assert "\nfc.weight\t240\t240\t" in text
    person.key("Esc", repair.report)
    person.wait(lambda: repair.report is None)
    assert person.document.snapshot().values


def test_a_file_that_was_pruned_elsewhere_is_repaired_for_its_original(
    person, statistics, tmp_path
):
    """Its zeros are treated as pruned; without the original, its outputs cannot be compared."""
    rng = np.random.default_rng(1)
    original = {FC: rng.normal(size=(20, 30)).astype(np.float32), "fc.bias": np.ones(20, "f4")}
    save_file(original, tmp_path / "original.safetensors")
    file = tmp_path / "elsewhere.safetensors"
    save_file(original | {FC: original[FC] * (np.abs(original[FC]) > 0.7)}, file)
    person.open_file(file)
    zeros = TreatZeros((FC,)).propose(person.document.snapshot(), Job())
    assert person.session.commit(zeros)
    repair = person.workbench.repair
    for unpruned in ("", str(tmp_path / "original.safetensors")):
        dialog = open_dialog(person)
        person.click(dialog.source.radios[DataKind.STATISTICS])
        person.type(dialog.source.fields[DataKind.STATISTICS], str(statistics))
        person.type(dialog.source.unpruned, unpruned)
        person.wait(lambda d=dialog: d.go.text() == "Repair 1 layer")
        person.click(dialog.go)
        person.wait(lambda: repair.report is not None)
        (layer,) = repair.report._layers
        if not unpruned:
            assert "are 0 in the unpruned model" in repair.report.risks[0].text()
            person.click(repair.report.undo)
            person.wait(lambda: repair.report is None)
    assert layer.rounded < 0.3 * layer.before
    assert not person.trouble


def test_a_script_is_shown_run_and_gone(pruned, tmp_path):
    """It only runs once it is confirmed; afterwards it is not asked about again."""
    person, repair = pruned, pruned.workbench.repair
    choose_script(person, SCRIPT, tmp_path)
    question = person.workbench.scripts.dialog
    assert "load_file" in question.lines.toPlainText()
    person.click(question.leave)
    person.wait(lambda: person.workbench.scripts.dialog is None)
    assert repair.dialog.isVisible()
    assert not (tmp_path / "pid").exists()
    person.click(repair.dialog.go)
    person.wait(lambda: person.workbench.scripts.dialog is not None)
    person.click(person.workbench.scripts.dialog.go)
    person.wait(lambda: repair.report is not None or person.trouble)
    assert person.trouble == []
    assert living(process_of(person, tmp_path)) == []
    assert person.states[-1] == "Repair of 2 layers"
    first, second = repair.report._layers
    assert (first.name, second.name) == (FC, HEAD)
    assert first.rounded < 0.5 * first.before
    notes = [note.text() for note in repair.report.notes]
    assert "Inputs: my_calibration.py. Solved by numpy (CPU)." in notes
    person.click(repair.report.close_button)
    person.wait(lambda: repair.report is None)
    person.key("Ctrl+Z")
    person.wait(lambda: not person.document.snapshot().values)
    dialog = open_dialog(person)  # remembered and confirmed
    assert dialog.source.source().path == str(tmp_path / "my_calibration.py")
    person.click(dialog.editors["sequential"].box)
    assert "The inputs are run once through the unpruned model" in dialog.note.text()
    person.click(dialog.go)
    person.wait(lambda: repair.dialog is None)
    assert person.workbench.scripts.dialog is None
    person.wait(lambda: repair.report is not None or person.trouble)
    assert person.trouble == []
    assert person.states[-1] == "Sequential repair of 2 layers"
    assert any("include the errors of the layers before" in n.text() for n in repair.report.notes)
    first, second = repair.report._layers
    assert (first.name, second.name) == (FC, HEAD)
    assert second.rounded < second.before


def test_a_script_that_fails_is_a_sentence(pruned, tmp_path, fake_torch):
    person = pruned
    run_script(person, RAISES, tmp_path)
    person.wait(lambda: person.trouble)
    assert "'my_calibration.py', line 3, raised ValueError" in person.trouble[0]
    assert not person.document.snapshot().values
    person.key("Ctrl+Z")  # edits are allowed again
    person.wait(lambda: person.document.position == 0)


def test_escape_cancels_at_once_and_changes_wait(pruned, tmp_path, fake_torch):
    person = pruned
    run_script(person, SLEEPS, tmp_path)
    pid = process_of(person, tmp_path)
    person.key("Ctrl+Z")
    assert person.trouble[0].startswith("A repair is being computed; changes made now")
    assert person.document.position == 1
    began = time.monotonic()
    person.key("Esc")
    person.wait(lambda: person.workbench.repair._repairing is None)
    assert time.monotonic() - began < 1  # 0.25 s on an idle machine
    assert person.window.done.label.text() == "Repair cancelled: nothing was changed."
    person.wait(lambda: not living(pid))
    assert not person.document.snapshot().values
    person.key("Ctrl+Z")
    person.wait(lambda: person.document.position == 0)


@pytest.mark.usefixtures("histories_off")
def test_another_file_need_not_wait_until_the_program_ends(pruned, tmp_path, monkeypatch):
    person, gate = pruned, threading.Event()
    monkeypatch.setattr(repair_controller, "run_and_repair", lambda *_given: gate.wait())
    other = tmp_path / "other.safetensors"
    save_file({"a.weight": np.ones((2, 2), np.float32)}, other)
    run_script(person, RAISES, tmp_path)
    person.answers("Discard changes")
    person.open_file(other)
    assert person.session.may_work(), "the lock was released"
    person.window.done.set_done("")
    gate.set()
    person.wait_idle()
    assert person.window.done.label.text() == ""
    assert person.trouble == []


def test_no_process_is_left_when_the_window_closes(pruned, tmp_path, fake_torch):
    person = pruned
    run_script(person, SLEEPS, tmp_path)
    pid = process_of(person, tmp_path)
    assert living(pid)
    person.workbench.shut_down()
    assert person.workbench.ended
    assert living(pid) == []


def test_what_is_no_statistics_file_is_said_in_the_dialog(pruned, tmp_path):
    person = pruned
    dialog = open_dialog(person)
    person.click(dialog.source.radios[DataKind.STATISTICS])
    person.type(dialog.source.fields[DataKind.STATISTICS], str(tmp_path / "m.safetensors"))
    person.wait(lambda: "holds no statistics of activations" in dialog.source.found.text())
    assert not dialog.go.isEnabled()
    assert dialog.go.text() == "Nothing to repair"
    person.type(dialog.editors["iterations"].field, "0")
    assert dialog.note.text().startswith("✕")
    person.key("Esc", dialog)
    person.wait(lambda: person.workbench.repair.dialog is None)


@pytest.fixture
def fake_metric():
    """Return the fake metric of a repaired state."""
    return 0.5


@pytest.fixture
def measure(fake_metric):
    return lambda state: (None, {"accuracy": Metric(fake_metric if state.values else 0.7)})


def repair_and_evaluate(person, statistics, folder):
    """Repair by statistics, then measure before and after with the button of the report."""
    repair, evaluation = person.workbench.repair, person.workbench.evaluation
    dialog = open_dialog(person)
    person.click(dialog.source.radios[DataKind.STATISTICS])
    person.type(dialog.source.fields[DataKind.STATISTICS], str(statistics))
    person.wait(lambda: dialog.go.text() == "Repair 1 layer")
    person.click(dialog.go)
    person.wait(lambda: repair.report is not None)
    person.click(repair.report.evaluate)
    person.wait(lambda: evaluation.dialog is not None)
    (folder / "s.py").write_text("")
    person.type(evaluation.dialog.choice.fields[DataKind.SCRIPT], str(folder / "s.py"))
    person.wait(evaluation.dialog.go.isEnabled)
    person.click(evaluation.dialog.go)
    person.wait(lambda: person.workbench.scripts.dialog is not None)
    person.click(person.workbench.scripts.dialog.go)
    person.wait(lambda: repair._compared is None)


def test_a_metric_that_is_worse_after_the_repair_is_said_with_an_undo(
    pruned, statistics, tmp_path, runners
):
    person = pruned
    repair_and_evaluate(person, statistics, tmp_path)
    words = "accuracy is worse after the repair: 0.5, before it 0.7."
    assert plain(person.notices[0]) == words
    person.document.rename(person.document.position, "repaired")
    assert plain(person.notices[0]) == words, "it is the same state"
    person.click(person.window.notices.notices[0].action)
    person.wait(lambda: not person.document.snapshot().values)
    assert person.notices == []


@pytest.mark.parametrize("fake_metric", [0.8])
def test_a_metric_that_is_better_is_no_notice_and_the_same_data_is_one(
    pruned, statistics, tmp_path, monkeypatch, runners
):
    person, repair = pruned, pruned.workbench.repair
    repair_and_evaluate(person, statistics, tmp_path)
    assert person.notices == []
    script = DataSource(DataKind.SCRIPT, str(tmp_path / "s.py"))
    assert "evaluate uses other data than calibrate" in repair._same_data(script)[0]
    text = DataSource(DataKind.TEXT, "a.txt")
    monkeypatch.setattr(person.workbench.evaluation, "_source", text)
    assert "the text that it was repaired with" in repair._same_data(text)[0]
    assert repair._same_data(script) == ()
