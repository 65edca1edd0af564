"""Trace the model of a script: its connections and its graph, in a real window."""

from __future__ import annotations

import shutil
import sys

import pytest
import torch
from PySide6.QtWidgets import QApplication, QLabel, QRadioButton

from pruneapp.__main__ import main
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.export.report import EXACT
from pruneapp.groups.operator_graph import has_operators
from pruneapp.gui.evaluation.dialogs import EvaluateDialog
from pruneapp.gui.evaluation.source_choice import DataKind
from pruneapp.gui.plots.pages import Page
from tests.evaluation.test_traced_model import NETWORK
from tests.gui.evaluation.test_evaluation_controller import agree, choose
from tests.gui.export.test_shrink_controller import turn_to_page
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
    assert "Model traced: its connections" in opened.window.done.label.text()
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


# A network whose class only the script has, in the checkpoint of a training.
CNN = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2d(1, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32)
        self.second, self.classes = nn.Conv2d(32, 24, 3), nn.Linear(24 * 4, 10)

    def forward(self, x):
        x = torch.relu(self.norm(self.first(x)))
        x = nn.functional.adaptive_avg_pool2d(torch.relu(self.second(x)), 2)
        return self.classes(x.view(x.size(0), -1))

def load(path):
    model = Net()
    found = torch.load(path)["model"]
    model.load_state_dict({name.removeprefix("module."): t for name, t in found.items()})
    return model.eval()

def evaluate(model):
    with open(__file__ + ".widths", "a") as file:
        print(model.first.out_channels, len(model.first.weight), file=file)
    with torch.no_grad():
        return float(model(torch.ones(2, 1, 8, 8)).abs().mean())
"""


@pytest.fixture
def cnn(user, tmp_path):
    """Open a checkpoint of a training, and return the path of its script."""
    space = {}
    exec(CNN, space)
    torch.manual_seed(0)
    tensors = {f"module.{name}": t for name, t in space["Net"]().state_dict().items()}
    torch.save({"model": tensors, "epoch": 7}, tmp_path / "net.pt")
    (tmp_path / "net.py").write_text(CNN)
    user.open_file(tmp_path / "net.pt")
    return tmp_path / "net.py"


def test_a_trace_shows_the_dependents_of_a_structured_step(user, cnn):
    user.choose(user.rule.method, "Ln structured (channels)")
    user.ask_amount("25 %")
    row = user.views.form.dependents
    user.wait(row.trace.isVisible)
    assert not row.box.isEnabled()
    user.click_cell("module.first.weight")
    user.click(row.trace)
    choose_script(user, cnn)
    user.wait(row.box.isEnabled, 60_000)
    user.wait(row.box.isChecked)
    assert not row.trace.isVisible()
    assert user.views.form.outputs.isVisible(), "the last layer is known"
    user.wait(lambda: [group.label for group in user.workbench.groups.groups])
    user.wait_preview()
    user.wait(lambda: user.workbench.preview.state.step.dependents)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    masks = user.document.masks
    assert masks["module.norm.weight"].pruned == 8
    assert masks["module.classes.weight"].bools().reshape(10, 24, 4).any((0, 2)).sum() == 18


def test_the_page_shrunk_traces_the_model_and_cuts_it(user, cnn, tmp_path):
    dialog = turn_to_page(user)
    assert "Trace the model in the window" in dialog.page.why_not.text()
    assert not dialog.page.body.isVisible()
    user.click(dialog.page.trace)
    choose_script(user, cnn)
    export = user.workbench.export
    user.wait(lambda: export.dialog not in {None, dialog} and export.dialog.isVisible(), 60_000)
    dialog = export.dialog
    assert dialog.is_shrunk
    user.wait(lambda: dialog.page.forecast is not None)
    assert dialog.page.body.isVisible()
    assert not dialog.page.graph.isVisible(), "it was traced"
    user.choose(dialog.page.multiple, "8")
    for _ in range(3):
        user.key("Right", dialog.page.rows.rows["channels"].slider)
    user.wait(lambda: dialog.page.order() is not None and not dialog.page.forecast.is_empty)
    user.click(dialog.page.evaluate)
    user.wait(lambda: "After shrinking" in dialog.page.state.text(), 60_000)
    forecast_metric = dialog.page.state.text()
    widths = cnn.with_name("net.py.widths").read_text().splitlines()
    assert widths[-1] == "24 24", "the model of the script is resized"
    assert set(widths[:-1]) == {"32 32"}
    path = tmp_path / "net-shrunk.pt"
    assert dialog.page.target.target() == path
    size = dialog.page.forecast.after
    user.click(dialog.go)
    user.wait(path.exists)
    user.wait_idle()
    shown = user.workbench.export.report.as_text()
    assert "The file also keeps 'epoch'." in shown
    user.close_report()
    container = torch.load(path, weights_only=True)
    assert container["model"]["module.first.weight"].shape[0] < 32
    assert container["epoch"] == 7
    assert path.stat().st_size == size.nbytes
    space = {}
    exec(CNN, space)
    name = "load_net_shrunk"
    code = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom {name} import load_shrunk"
    sys.modules.pop(name, None)
    exec(code, space)
    model = space["load_shrunk"](space["Net"]()).eval()
    assert sum(p.numel() for p in model.parameters()) == size.parameters
    assert model(torch.ones(2, 1, 8, 8)).shape == (2, 10)

    # The written file is evaluated with the same script.
    space["__file__"] = str(cnn)
    value = space["evaluate"](model)
    user.open_file(path)
    choose(user, cnn, new=False)
    user.wait(lambda: user.workbench.evaluation.has_results, 60_000)
    (metric,) = user.workbench.evaluation.states()[0].quality.metrics
    assert metric.value == pytest.approx(value, rel=1e-6)
    assert f"{metric.value:.4g}" in forecast_metric
    assert not user.trouble


def test_a_recipe_contains_the_trace_of_its_steps(user, new_user, cnn, tmp_path, capfd):
    """It makes the same file on the command line, and the same masks in the window."""
    user.menu("Tools", "Trace the model")
    choose_script(user, cnn)
    user.wait(lambda: has_operators(user.document.checkpoint), 60_000)
    user.choose(user.rule.method, "Channel groups")
    user.ask_amount("50 %")
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    masks = dict(user.document.masks)
    assert "module.classes.weight" in masks
    recipe, exported = tmp_path / "net.recipe.json", tmp_path / "net-pruned.pt"
    made = tmp_path / "net-run.pt"
    user.chooses_file(recipe, "getSaveFileName")
    user.menu("Tools", "Save recipe")
    user.wait(recipe.exists)
    user.wait_idle()
    user.export(exported, "torch")
    user.close_report()
    assert main(["run", str(recipe), str(tmp_path / "net.pt"), "-o", str(made)]) == 0
    pair = [torch.load(path, weights_only=True)["model"] for path in (exported, made)]
    assert all(torch.equal(pair[0][name], pair[1][name]) for name in pair[0])
    against = ["--against", str(tmp_path / "net.pt"), "--recipe", str(recipe)]
    assert main(["verify", str(exported), *against]) == 0
    capfd.readouterr()

    other = new_user().wait_ready()
    shutil.copy(tmp_path / "net.pt", tmp_path / "copy.pt")
    other.open_file(tmp_path / "copy.pt")
    other.chooses_file(recipe)
    other.menu("Tools", "Apply recipe")
    other.wait(lambda: other.workbench.recipes.dialog is not None)
    other.click(other.workbench.recipes.dialog.go)
    other.wait(lambda: len(other.states) == 2)
    assert dict(other.document.masks) == masks
    other.wait_idle()
    other.key("8", other.views.tree.view)
    other.wait(lambda: other.views.pages.page is Page.GRAPH)


def test_a_session_comes_back_with_the_trace(user, new_user, cnn, tmp_path):
    user.menu("Tools", "Trace the model")
    choose_script(user, cnn)
    user.wait(lambda: has_operators(user.document.checkpoint), 60_000)
    user.choose(user.rule.method, "Ln structured (channels)")
    user.ask_amount("25 %")
    user.wait(user.views.form.dependents.box.isChecked)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    saved = tmp_path / "work.prune"
    user.save_session(saved)

    other = new_user().wait_ready()
    other.open(saved)
    other.wait(lambda: other.document is not None and len(other.states) == 2)
    other.wait(other.views.form.dependents.box.isChecked)
    assert not other.views.pages.connections.trace.isVisible()
    page = turn_to_page(other).page
    assert page.forecast.after.parameters < page.forecast.before.parameters
    assert page.forecast.exactness == EXACT
