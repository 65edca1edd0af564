"""Evaluate an ONNX model in the window: by a command, by a script, and on random inputs."""

from __future__ import annotations

import sys

import pytest

from pruneapp.gui.evaluation.source_choice import DataKind
from tests.support.onnx_models import save, small_network

DATA = """
import numpy as np

def test_batches():
    return [(np.random.default_rng(0).standard_normal((9, 3, 6, 6)).astype("f4"), np.zeros(9))]

"""
COMMAND = """
import sys
import numpy as np, onnxruntime
x = np.random.default_rng(0).standard_normal((2, 3, 6, 6)).astype("f4")
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
print('{"activity": %f}' % np.abs(session.run(None, {"x": x})[0]).sum())
"""


@pytest.fixture
def pruned(user, tmp_path):
    """Return the user with an ONNX model pruned once, and the open dialog of the evaluation."""
    path = save(small_network(), tmp_path / "net.onnx", external=True)
    user.open_file(path)
    user.ask_amount("50 %")
    user.wait_preview()
    user.prune()
    return user


def ask(user):
    evaluation = user.workbench.evaluation
    user.menu("Tools", "Evaluate")
    user.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    return evaluation.dialog


def measure(user, dialog, *, new=True):
    scripts = user.workbench.scripts
    user.wait(dialog.go.isEnabled)
    user.click(dialog.go)
    if new:
        user.wait(lambda: scripts.dialog is not None and scripts.dialog.isVisible())
        user.click(scripts.dialog.go)
    user.wait(lambda: user.workbench.evaluation.dialog is None)
    user.wait_idle()
    assert user.trouble == []
    found = [state.quality for state in user.workbench.evaluation.states()]
    assert [quality.unpruned for quality in found] == [True, False]
    return found[1].metrics


def test_a_command_gets_onnx_files_and_the_choice_of_the_better_values_is_kept(pruned, tmp_path):
    (tmp_path / "measure.py").write_text(COMMAND)
    dialog = ask(pruned)
    assert not dialog.choice.better.isEnabled()
    pruned.click(dialog.choice.radios[DataKind.COMMAND])
    command = f"'{sys.executable}' measure.py {{checkpoint}}"
    pruned.type(dialog.choice.fields[DataKind.COMMAND], command)
    (metric,) = measure(pruned, dialog)
    assert metric.higher is None, "the direction of 'activity' is unknown"
    assert metric.value != metric.original > 0
    dialog = ask(pruned)
    pruned.choose(dialog.choice.better, "higher is better")
    (metric,) = measure(pruned, dialog, new=False)
    assert (metric.name, metric.higher) == ("activity", True)
    dialog = ask(pruned)
    assert dialog.choice.better.currentText() == "higher is better"
    assert dialog.choice.source().better == "higher"
    pruned.click(dialog.leave)


def test_a_new_script_is_completed_and_measures_the_states(pruned, tmp_path):
    dialog = ask(pruned)
    pruned.chooses_file(tmp_path / "mine.py", "getSaveFileName")
    pruned.type(dialog.choice.python, sys.executable)
    pruned.click(dialog.choice.template)
    field = dialog.choice.fields[DataKind.SCRIPT]
    pruned.wait(lambda: field.text() == str(tmp_path / "mine.py"))
    pruned.wait_idle()
    text = (tmp_path / "mine.py").read_text()
    assert "onnxruntime.InferenceSession(path" in text
    (tmp_path / "mine.py").write_text(DATA + text)
    (metric,) = measure(pruned, dialog)
    assert metric.name == "accuracy"
    assert 0 <= metric.value <= 1


def test_random_inputs_need_no_script_and_the_open_sizes_are_asked_for(pruned):
    dialog = ask(pruned)
    pruned.click(dialog.choice.radios[DataKind.INPUTS])
    pruned.type(dialog.choice.python, sys.executable)
    pruned.wait(lambda: "on random inputs, N=1." in dialog.choice.found.text())
    pruned.type(dialog.choice.fields[DataKind.INPUTS], "M=2")
    pruned.wait(lambda: "no open size 'M'" in dialog.choice.found.text())
    pruned.wait(lambda: not dialog.go.isEnabled())
    dialog.choice.fields[DataKind.INPUTS].clear()
    pruned.type(dialog.choice.fields[DataKind.INPUTS], "N=2")
    pruned.wait(lambda: "on random inputs, N=2." in dialog.choice.found.text())
    metrics = {metric.name: metric for metric in measure(pruned, dialog, new=False)}
    assert 0 < metrics["relative_error"].value < 1
    dialog = ask(pruned)
    assert dialog.choice.source().path == "N=2", "asked once"
    pruned.click(dialog.leave)


def test_a_repair_runs_random_inputs(pruned):
    repair = pruned.workbench.repair
    pruned.key("Ctrl+R")
    pruned.wait(lambda: repair.dialog is not None and repair.dialog.isVisible())
    dialog = repair.dialog
    pruned.click(dialog.source.radios[DataKind.INPUTS])
    pruned.type(dialog.source.python, sys.executable)
    pruned.wait(lambda: "are used for calibration" in dialog.source.found.text())
    pruned.wait(lambda: dialog.go.text() == "Repair 2 layers")
    pruned.click(dialog.go)
    pruned.wait_idle()
    assert pruned.trouble == []
    pruned.wait(lambda: repair.report is not None)
    assert pruned.document.snapshot().values.keys() >= {"conv.weight", "fc.weight"}
    pruned.click(repair.report.close_button)
    pruned.wait(lambda: repair.report is None)
