"""Tracing the model that the user's script builds, for its connections."""

from __future__ import annotations

import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
import torch

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import ScriptRunner, as_on_disk
from pruneapp.evaluation.script import EvaluationScript, Interpreter, Options
from pruneapp.groups.connections import connections_of
from pruneapp.groups.operator_graph import has_operators, read_operators
from pruneapp.groups.trace import Trace, use_trace
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.groups.test_connections import in_line

# The script's own network, with names that Pruneapp does not know. The variant is in a file.
NETWORK = """
from pathlib import Path

import torch
from torch import nn

HERE = Path(__file__).parent

def variant():
    return (HERE / "variant").read_text()

class Unit(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(4, 4, 3, padding=1), nn.Conv2d(4, 4, 1)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        y = self.b(torch.relu_(self.norm(self.a(x))))
        y += x
        return y

class Mine(nn.Module):
    def __init__(self):
        super().__init__()
        self.begin, self.unit = nn.Conv2d(3, 4, 3), Unit()
        self.left, self.right, self.end = (nn.Linear(4, 4) for _ in range(3))
        self.right.weight = self.left.weight

    def forward(self, pictures, *, gain=1.0):
        x = self.unit(self.begin(pictures * gain)).mean((2, 3))
        if variant() == "branches" and x.sum() > 0:
            x = -x
        while variant() == "hangs":
            pass
        if self.training:
            x = torch.tanh(x)
        return self.end(torch.cat([self.left(x), self.right(x)]))

def load(path):
    model = Mine()
    found = torch.load(path)
    model.load_state_dict({name.removeprefix("module."): t for name, t in found.items()})
    model.train(variant() == "training")
    model.unit.eval()
    return model

def evaluate(model):
    if variant() == "never":
        return 1.0
    with torch.inference_mode():
        model(torch.zeros(2, 3, 8, 8), gain=2.0)
    (HERE / "went on").touch()
    (HERE / "modes").write_text(str([m.training for m in model.modules()]))
    return 1.0
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("traced")


@pytest.fixture(scope="module")
def runner(folder):
    (folder / "mine.py").write_text(NETWORK)
    (folder / "variant").write_text("")
    script = EvaluationScript.read(folder / "mine.py")
    python = Interpreter(Path(sys.executable), "ours")
    with closing(ScriptRunner(script, python, Options(device="cpu"))) as made:
        yield made


@pytest.fixture
def variant(folder, runner):
    """Provide a function that selects the behavior of the script, which then reloads the model."""

    def change(name):
        (folder / "variant").write_text(name)
        (folder / "went on").unlink(missing_ok=True)
        runner._handover = None

    change("")
    return change


@pytest.fixture(scope="module")
def file(folder):
    namespace = {"__file__": str(folder / "mine.py")}
    exec(NETWORK, namespace)
    torch.manual_seed(3)
    tensors = namespace["Mine"]().state_dict()
    torch.save({f"module.{name}": tensor for name, tensor in tensors.items()}, folder / "m.pt")
    return folder / "m.pt"


@pytest.fixture
def state(file, variant):
    with open_checkpoint(file) as checkpoint:
        yield as_on_disk(Snapshot(checkpoint))


def connected(state, name):
    return in_line(connections_of(state.checkpoint, name, Job()))


def test_connections_of_a_network_that_only_its_script_knows(state, runner, folder):
    checkpoint = state.checkpoint
    before = connections_of(checkpoint, "module.begin.weight", Job())
    assert before.needs_graph
    use_trace(checkpoint, Trace.of(runner.trace(state, Job())))
    assert has_operators(checkpoint)
    assert connected(state, "module.begin.weight").startswith("pictures > [begin] > unit.a · + > ")
    assert connected(state, "module.unit.norm.bias") == "begin > a > [norm] > b > +"
    assert connected(state, "module.unit.b.weight") == "a > norm > [b] > + > left · left"
    assert connected(state, "module.end.weight") == "left · left > concat > [end] > output"
    operators = read_operators(checkpoint, Job()).operators
    assert [o.op for o in operators][:3] == ["Input", "mul", "conv2d"]
    assert operators[-1].op == "Output"
    linear = [o for o in operators if o.op == "linear"]
    tied = checkpoint.entry("module.left.weight").name
    assert [tied in o.tensors for o in linear] == [True, True, False]
    assert not (folder / "went on").exists(), "the function ends at the first call"


def test_the_model_is_left_as_it_was(state, runner, folder, variant):
    variant("training")
    use_trace(state.checkpoint, Trace.of(runner.trace(state, Job())))
    operators = read_operators(state.checkpoint, Job()).operators
    assert "tanh" not in [operator.op for operator in operators], "traced in evaluation mode"
    runner.run(state, 0, Job())
    modes = eval((folder / "modes").read_text())
    assert modes[:2] == [True, True]  # the model and its first layer
    assert False in modes  # the unit


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "branches",
            "torch.export cannot trace the model: GuardOnDataDependentSymNode: Could not guard",
        ),
        ("never", "evaluate() did not call the model that load returned"),
    ],
)
def test_a_model_that_cannot_be_traced(state, runner, variant, name, words):
    variant(name)
    with pytest.raises(EvaluationError) as caught:
        runner.trace(state, Job())
    assert words in str(caught.value)
    assert ("x.sum() > 0" in caught.value.details) is (name == "branches")
    assert "pruneapp_worker" not in caught.value.details
    assert not has_operators(state.checkpoint)
    variant("")
    pid = runner.worker.pid
    assert runner.trace(state, Job())
    assert runner.worker.pid == pid, "the worker is used again"


def test_a_trace_is_cancelled(state, runner, variant):
    variant("hangs")
    token = CancelToken()
    threading.Timer(4, token.cancel).start()
    with pytest.raises(Cancelled):
        runner.trace(state, Job(cancel=token))
    variant("")
    assert runner.trace(state, Job())


@pytest.mark.parametrize("is_missing", [True, False])
def test_old_versions_of_torch_are_refused(monkeypatch, is_missing):
    monkeypatch.syspath_prepend(str(resources.path("pruneapp_worker/main.py").parent.parent))
    from pruneapp_worker import pipe, traced_model  # as the worker imports it

    if is_missing:
        monkeypatch.delattr(torch.export, "export")
    else:  # torch 2.2
        monkeypatch.setattr(torch.export, "export", lambda model, args, kwargs=None: None)
    with pytest.raises(pipe.ContractError, match=r"^torch .* cannot trace models") as caught:
        traced_model.find_export()
    assert caught.value.remedy.startswith("Choose a Python with torch 2.3 or newer, ")


def test_torch_2_5_traces_for_training(monkeypatch):
    monkeypatch.syspath_prepend(str(resources.path("pruneapp_worker/main.py").parent.parent))
    from pruneapp_worker import traced_model

    assert traced_model.find_export() is torch.export.export

    def export_for_training(model, args, kwargs=None, *, strict=True):
        pass

    monkeypatch.setattr(torch.export, "export_for_training", export_for_training, raising=False)
    assert traced_model.find_export() is export_for_training


def test_a_state_dict_resizes_the_model_that_loads_it(monkeypatch):
    monkeypatch.syspath_prepend(str(resources.path("pruneapp_worker/main.py").parent.parent))
    from pruneapp_worker.resized_model import resizing_on_load

    def make(width):
        return torch.nn.Sequential(torch.nn.Linear(4, width), torch.nn.Linear(width, 2))

    smaller, model = make(3).state_dict(), make(8)
    with resizing_on_load():
        model.load_state_dict(smaller)
    assert model[0].out_features == model[1].in_features == 3
    assert model(torch.ones(1, 4)).shape == (1, 2)
    with pytest.raises(RuntimeError, match="size mismatch"):
        make(8).load_state_dict(smaller)
    with resizing_on_load(), pytest.raises(RuntimeError, match="Missing key"):
        make(8).load_state_dict({f"other.{name}": tensor for name, tensor in smaller.items()})
