"""Trace the model of a script: its connections and its graph, in a real window."""

from __future__ import annotations

import sys

import pytest
import torch
from PySide6.QtWidgets import QApplication, QLabel, QRadioButton

from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.gui.evaluation.dialogs import EvaluateDialog
from pruneapp.gui.evaluation.source_choice import DataKind
from pruneapp.gui.plots.pages import Page
from tests.evaluation.test_traced_model import NETWORK
from tests.gui.evaluation.test_evaluation_controller import agree
from tests.support.onnx_models import save
from tests.support.onnx_networks import NETWORKS

# A convolution of the input, as the worker describes it.
PROGRAM = {
    "graph_module": {
        "graph": {
            "nodes": [
                {
                    "target": "torch.ops.aten.conv2d.default",
                    "inputs": [
                        {"name": "input", "arg": {"as_tensor": {"name": "x"}}},
                        {"name": "weight", "arg": {"as_tensor": {"name": "w"}}},
                    ],
                    "outputs": [{"as_tensor": {"name": "y"}}],
                }
            ],
            "outputs": [],
            "tensor_values": {
                name: {"sizes": [{"as_int": n} for n in shape]}
                for name, shape in (("x", (2, 3, 8, 8)), ("w", (4, 3, 3, 3)), ("y", (2, 4, 6, 6)))
            },
        },
        "signature": {
            "input_specs": [
                {"parameter": {"arg": {"name": "w"}, "parameter_name": "module.begin.weight"}},
                {"user_input": {"arg": {"as_tensor": {"name": "x"}}}},
            ]
        },
    }
}


@pytest.fixture
def script(tmp_path):
    (tmp_path / "mine.py").write_text(NETWORK)
    (tmp_path / "variant").write_text("")
    return tmp_path / "mine.py"


@pytest.fixture
def opened(user, script, tmp_path):
    """Open the state dict of a network that only the script knows."""
    namespace = {"__file__": str(script)}
    exec(script.read_text(), namespace)
    tensors = namespace["Mine"]().state_dict()
    torch.save({f"module.{name}": tensor for name, tensor in tensors.items()}, tmp_path / "m.pt")
    user.open_file(tmp_path / "m.pt")
    user.click_cell("module.unit.b.weight")
    user.row = user.views.pages.connections
    user.action = user.window.actions_["trace_model"]
    user.wait(user.row.trace.isVisible)
    user.wait_idle()
    return user


def choose_script(user, script):
    """Choose the script in the dialog, and agree to run it."""
    user.wait(lambda: isinstance(QApplication.activeModalWidget(), EvaluateDialog))
    dialog = QApplication.activeModalWidget()
    assert dialog.go.text() == "Trace"
    assert DataKind.COMMAND not in dialog.choice.fields
    user.type(dialog.choice.fields[DataKind.SCRIPT], str(script))
    user.type(dialog.choice.python, sys.executable)
    user.wait(dialog.go.isEnabled)
    user.click(dialog.go)
    agree(user)


def stages(user):
    found = user.row.connections
    return [[link.label for link in stage] for stage in found.stages]


def test_a_click_shows_the_connections_and_the_graph(opened, script, tmp_path):
    assert opened.row.sentence.text() == "Not known: the file contains no graph."
    opened.key("8", opened.views.tree.view)
    assert "Trace the model (Tools › Trace the model)" in opened.window.done.label.text()
    assert not opened.window.actions_["page_graph"].isEnabled()
    opened.click(opened.row.trace)
    choose_script(opened, script)
    jobs = opened.workbench.jobs
    opened.wait(lambda: [s.progress.title for s in jobs.states()] == ["Tracing the model"])
    assert not opened.action.isEnabled()
    opened.wait(lambda: bool(opened.row.connections.stages), 60_000)
    assert stages(opened) == [["a"], ["norm"], ["b"], ["+"], ["left", "left"]]
    assert not opened.row.trace.isVisible()
    assert "The model was traced." in opened.window.done.label.text()
    assert opened.action.isEnabled()
    opened.key("8", opened.views.tree.view)
    canvas = opened.views.pages.graph.canvas
    opened.wait(lambda: canvas.graph is not None and canvas.isVisible())
    assert opened.views.pages.page is Page.GRAPH
    assert "module.unit.b.weight" in canvas.graph.operators[canvas.current].tensors
    # Nothing was measured, and an evaluation uses the same script without a question.
    assert not opened.workbench.evaluation.has_results
    opened.key("Ctrl+M")
    opened.wait(lambda: opened.workbench.evaluation.has_results, 60_000)

    (tmp_path / "variant").write_text("branches")
    opened.menu("Tools", "Trace the model")
    opened.wait(lambda: any("torch.export cannot trace" in text for text in opened.trouble))
    assert stages(opened)[1] == ["norm"], "the earlier trace is kept"


@pytest.fixture
def fake(monkeypatch):
    """Replace the process: a trace waits for `go` to be set or for its cancellation."""

    def trace(_runner, snapshot, job):
        traced.append(snapshot)
        job.start(10, "tracing the model")
        while not release:
            job.cancel.check()
            job.cancel.wait(0.01)
        return PROGRAM

    traced, release = [], []
    monkeypatch.setattr(ScriptRunner, "trace", trace)
    return traced, release


def test_a_trace_is_cancelled_and_started_again(opened, script, fake):
    traced, release = fake
    opened.menu("Tools", "Trace the model")
    choose_script(opened, script)
    opened.wait(lambda: traced)
    assert not opened.action.isEnabled()
    opened.key("Esc")
    opened.wait(opened.action.isEnabled)
    assert opened.row.connections.needs_graph
    release.append(True)
    opened.key("Space", opened.row.trace)  # reachable by keyboard; the script is chosen already
    opened.wait(lambda: not opened.row.connections.needs_graph)
    opened.click_cell("module.begin.weight")
    opened.wait(lambda: stages(opened) == [["x"], ["begin"]])


def test_the_only_kind_of_source_has_no_radio_button(opened):
    opened.menu("Tools", "Trace the model")
    opened.wait(lambda: QApplication.activeModalWidget() is not None)
    dialog = QApplication.activeModalWidget()
    assert not any(radio.isVisible() for radio in dialog.findChildren(QRadioButton))
    labels = {label.text(): label for label in dialog.findChildren(QLabel) if label.isVisible()}
    assert labels["&Evaluation script"].buddy() is dialog.choice.fields[DataKind.SCRIPT]
    dialog.reject()


def test_a_changed_script_is_shown_before_it_traces(opened, script, fake):
    traced, release = fake
    release.append(True)
    opened.click(opened.row.trace)
    choose_script(opened, script)
    opened.wait(lambda: len(traced) == 1)
    opened.wait_idle()
    script.write_text(script.read_text() + "# changed\n")
    opened.menu("Tools", "Trace the model")
    agree(opened)
    opened.wait(lambda: len(traced) == 2)
    opened.wait_idle()
    assert opened.action.isEnabled()
    assert opened.trouble == []


def test_a_command_line_traces_nothing(opened, tmp_path, fake):
    (tmp_path / "count.py").write_text("print(1)")
    opened.menu("Tools", "Evaluate")
    opened.wait(lambda: isinstance(QApplication.activeModalWidget(), EvaluateDialog))
    dialog = QApplication.activeModalWidget()
    opened.click(dialog.choice.radios[DataKind.COMMAND])
    command = f"'{sys.executable}' count.py {{checkpoint}}"
    opened.type(dialog.choice.fields[DataKind.COMMAND], command)
    opened.wait(lambda: "Runs " in dialog.choice.found.text())
    opened.click(dialog.go)
    agree(opened)
    opened.wait_idle()
    opened.click(opened.row.trace)
    opened.wait(lambda: opened.trouble)
    assert opened.trouble[0].startswith("A command line evaluates this file, so its model cannot")
    assert fake[0] == []


def test_closing_the_file_ends_a_trace(opened, script, fake):
    traced, _ = fake
    opened.click(opened.row.trace)
    choose_script(opened, script)
    opened.wait(lambda: traced)
    opened.answers("Cancel job")
    opened.key("Ctrl+W")
    opened.wait(lambda: opened.document is None)
    opened.wait_idle()
    assert not opened.action.isEnabled()
    assert opened.bugs == []


def test_files_with_a_graph_are_not_traced(user, tmp_path):
    action = user.window.actions_["trace_model"]
    assert not action.isEnabled()
    user.open_file(save(NETWORKS["residual"](), tmp_path / "m.onnx"))
    assert not action.isEnabled()
    assert not user.views.pages.connections.trace.isVisible()
