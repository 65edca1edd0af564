"""Iterative pruning with recovery and evaluation by a script, in the window."""

from __future__ import annotations

import sys

import pytest
import torch
from PySide6.QtCore import Qt
from safetensors.numpy import save_file

from pruneapp.gui.evaluation.source_choice import DataKind
from tests.evaluation.test_rounds import TRAINED
from tests.gui.journeys.test_screen_reader import problems_of


@pytest.fixture
def opened(user, tmp_path, monkeypatch):
    """Return the user after opening a small model, with its script beside it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "mode").write_text("plain")
    (tmp_path / "script.py").write_text(TRAINED)
    torch.manual_seed(11)
    nn = torch.nn
    network = nn.Sequential(
        nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 32), nn.Linear(32, 5)
    )
    tensors = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    save_file(tensors, tmp_path / "model.safetensors")
    user.open_file(tmp_path / "model.safetensors")
    user.wait_preview()
    return user


def open_dialog(user, folder, *, recover, stop="", final="80 %", rounds="3"):
    user.click(user.views.form.rounds)
    controller = user.workbench.rounds
    user.wait(lambda: controller.dialog is not None and controller.dialog.isVisible())
    dialog = controller.dialog
    after = dialog.after
    assert not after.choice.isVisible()
    for name, text in (("final", final), ("steps", rounds)):
        user.type(dialog.fields.editors[name].field, text)
        user.qtbot.keyClick(dialog.fields.editors[name].field, Qt.Key.Key_Tab)
    user.choose(after.recover, recover)
    if stop:
        user.click(after.evaluate)
        user.type(after.stop, stop)
    user.wait(after.choice.isVisible)
    user.type(after.choice.fields[DataKind.SCRIPT], str(folder / "script.py"))
    user.type(after.choice.python, sys.executable)
    user.wait(lambda: after.choice.found.text().startswith("Runs with"))
    assert not problems_of(dialog)
    return dialog


def start(user, dialog):
    user.click(dialog.go)
    user.wait(lambda: user.workbench.scripts.dialog is not None)
    user.click(user.workbench.scripts.dialog.go)
    user.wait(lambda: user.workbench.rounds.dialog is None)


def test_each_round_is_two_states_and_measured_ones_are_on_the_quality_page(opened, tmp_path):
    dialog = open_dialog(opened, tmp_path, recover="train() of the script", stop="100")
    start(opened, dialog)
    opened.wait(lambda: len(opened.states) == 7, timeout=60_000)
    opened.wait_idle()
    assert [state.startswith("L1") for state in opened.states[1:]] == [True, False] * 3
    states = opened.workbench.evaluation.states()
    assert [state.number for state in states] == [0, 2, 4, 6]
    assert not any(state.is_old for state in states)
    assert not states[1].quality.metric().calibrated, "train has other data than evaluate"
    assert "3 of 3 rounds are complete." in opened.window.done.label.text()
    assert not opened.trouble
    opened.key("Ctrl+Z", opened.window)
    assert opened.document.position == 5


def test_it_stops_and_goes_to_the_last_round_within_the_tolerance(opened, tmp_path):
    (tmp_path / "script.py").write_text(
        TRAINED.replace('"near": near, "dense"', '"dense"').replace("near = -float", "_ = -float")
    )
    dialog = open_dialog(opened, tmp_path, recover="no", stop="x", final="90 %", rounds="4")
    opened.click(dialog.go)
    assert "The tolerance must be a number" in dialog.after.choice.found.text()
    opened.type(dialog.after.stop, "0.65")
    start(opened, dialog)
    opened.wait(lambda: len(opened.states) > 1, timeout=60_000)
    opened.wait_idle()
    assert len(opened.states) == 3
    assert opened.document.position == 1, "round 2 can be redone"
    assert "Round 2 is worse than allowed, so round 1 is used." in opened.window.done.label.text()


def test_cancelling_keeps_the_complete_rounds(opened, tmp_path):
    slow = TRAINED.replace("    for _ in range(3):\n", "    import time\n    for _ in range(3):\n")
    slow = slow.replace("        yield float(loss)", "        time.sleep(1.5)\n        yield 1.0")
    (tmp_path / "script.py").write_text(slow)
    dialog = open_dialog(opened, tmp_path, recover="train() of the script")
    start(opened, dialog)
    status = opened.window.job_status
    opened.wait(lambda: "Round 2 of 3" in status.label.text(), timeout=60_000)
    assert not opened.session.may_work()
    opened.click(status.cancel)
    opened.wait(lambda: len(opened.states) == 3)
    opened.wait_idle()
    assert opened.document.position == 2
    assert opened.window.done.label.text().startswith(
        "Iterative pruning was cancelled. 1 of 3 rounds are complete."
    )
    assert opened.session.may_work()


def test_a_failing_script_keeps_the_complete_rounds_and_shows_the_error(opened, tmp_path):
    failing = TRAINED.replace(
        "def train(model):\n", 'def train(model):\n    raise ValueError("no")\n'
    )
    (tmp_path / "script.py").write_text(failing)
    dialog = open_dialog(opened, tmp_path, recover="train() of the script")
    start(opened, dialog)
    opened.wait(lambda: opened.trouble, timeout=60_000)
    assert "ValueError" in opened.trouble[0]
    assert opened.states == ["Opened"]
