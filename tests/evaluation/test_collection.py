"""Statistics of a state: under the names of the checkpoint, whatever the model's names are."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation import collection
from pruneapp.evaluation.collection import collect, collect_sums, count_uses
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import CommandRunner, ScriptRunner
from pruneapp.evaluation.script import Interpreter, Options
from pruneapp.progress import CancelToken, Job
from pruneapp.statistics.file import open_statistics
from tests.evaluation.scripts import pruned, write_script

SCRIPT = """
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn

HERE = Path(__file__).parent
mode = lambda: (HERE / "mode").read_text()

class Model(nn.Module):
    def __init__(self, t):
        super().__init__()
        self.fc = nn.Linear(6, 8)
        self.fc.load_state_dict({"weight": t["fc.weight"], "bias": t["fc.bias"]})
        self.turned = nn.Parameter(t["out.weight"].t().contiguous())
        self.unused = nn.Parameter(t["unused"])
        self.experts = nn.Module()
        gates = [torch.cat([t[f"experts.{e}.{n}.weight"] for n in ("gate_proj", "up_proj")])
                 for e in (0, 1)]
        self.experts.gate_up_proj = nn.Parameter(torch.stack(gates))
        self.experts.down_proj = nn.Parameter(
            torch.stack([t[f"experts.{e}.down_proj.weight"] for e in (0, 1)]))

    def forward(self, x):
        x = self.fc(x).tanh()
        gate, up = (x @ self.experts.gate_up_proj[1].t()).chunk(2, -1)
        x = (gate * up) @ self.experts.down_proj[1].t()
        return x @ self.turned

def load(path):
    return Model(load_file(path)).eval()

def calibrate(model, progress):
    (HERE / "runs").open("a").write("run\\n")
    torch.manual_seed(3)
    if mode() == "nothing":
        return
    if mode() == "changes":
        with torch.no_grad():
            model.fc.weight += 1
    if mode() == "other" and (HERE / "runs").read_text().count("run") > 1:
        model(torch.randn(2, 6))
    for part in progress(torch.randn(20, 6).split(5)):
        model(part)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("calibrated")


@pytest.fixture(scope="module")
def runner(folder):
    script = write_script(folder, SCRIPT, load="")
    options = Options(device="cpu")
    with closing(ScriptRunner(script, Interpreter(Path(sys.executable), "ours"), options)) as made:
        yield made


@pytest.fixture
def mode(folder):
    def change(name):
        (folder / "mode").write_text(name)

    (folder / "runs").write_text("")
    change("plain")
    return change


TENSORS = {
    "fc.weight": (8, 6),
    "fc.bias": (8,),
    "out.weight": (3, 4),
    "unused": (2, 2),
    **{f"experts.{e}.{n}.weight": (4, 8) for e in (0, 1) for n in ("gate_proj", "up_proj")},
    **{f"experts.{e}.down_proj.weight": (4, 4) for e in (0, 1)},
}


@pytest.fixture(scope="module")
def file(folder):
    torch.manual_seed(5)
    save_file(
        {name: torch.randn(shape) for name, shape in TENSORS.items()}, folder / "m.safetensors"
    )
    return folder / "m.safetensors"


@pytest.fixture
def state(file):
    with open_checkpoint(file) as checkpoint:
        yield Snapshot(checkpoint)


def moments(*rows):
    found = [part.double() for part in rows]
    return np.stack([(part**2).sum(0) for part in found])


def test_sums_have_the_names_of_the_checkpoint(runner, mode, state, tmp_path):
    """Also for weights that the model has transposed, or fused in one tensor of all experts."""
    path = tmp_path / "s.safetensors"
    collected = collect(runner, state, path, Job())
    tensors = {name: state.checkpoint.read(name) for name in TENSORS}
    torch.manual_seed(3)
    x = torch.randn(20, 6)
    hidden = torch.tanh(x @ tensors["fc.weight"].t() + tensors["fc.bias"])
    gate, up = (hidden @ tensors[f"experts.1.{n}.weight"].t() for n in ("gate_proj", "up_proj"))
    last = (gate * up) @ tensors["experts.1.down_proj.weight"].t()
    wanted = {
        "fc.weight": x,
        "out.weight": last,
        "experts.1.gate_proj.weight": hidden,
        "experts.1.up_proj.weight": hidden,
        "experts.1.down_proj.weight": gate * up,
    }
    assert (collected.unseen, collected.rows) == (("unused",), 20)
    with open_statistics(path) as statistics:
        assert statistics.sha256 == collected.sha256
        assert statistics.names == collected.seen
        assert statistics.origin.source == "calibrate"
        assert statistics.origin.script == runner.worker.script.sha256
        assert statistics.origin.unseen == ("unused",)
        for name, rows in wanted.items():
            found = statistics.inputs([name], TENSORS[name])
            assert np.allclose(found.sum2, moments(rows), rtol=1e-6)
            assert np.allclose(found.sum, rows.double().sum(0), atol=1e-4)
            assert found.counts.tolist() == [20]
            assert not found.transposed
        # No token was routed to the other expert.
        nothing = statistics.inputs(["experts.0.gate_proj.weight"], (4, 8))
        assert nothing.counts.tolist() == [0]


def test_gram_matrices_are_summed_within_a_budget_in_several_runs(
    runner, mode, state, folder, tmp_path
):
    """The matrices equal those of a single run; those that exceed the budget are refused."""
    paths = [tmp_path / "one.safetensors", tmp_path / "more.safetensors"]
    names = ("fc.weight", "out.weight", "experts.1.up_proj.weight")
    runs = []
    for path, budget in zip(paths, (1 << 20, 8 * 2 * 8**2), strict=True):
        (folder / "runs").write_text("")
        collect(runner, state, path, Job(), grams=names, budget=budget)
        runs.append((folder / "runs").read_text().count("run"))
    assert runs == [2, 4]
    with open_statistics(paths[0]) as one, open_statistics(paths[1]) as more:
        for name in one.names:
            assert (one.gram(name) is not None) == (name in names)
            assert name not in names or np.array_equal(one.gram(name), more.gram(name))
        torch.manual_seed(3)
        x = torch.randn(20, 6).double().numpy()
        assert np.allclose(one.gram("fc.weight"), x.T @ x)
    with pytest.raises(EvaluationError, match="takes 1 KiB, but the limit of one run is 1 kB"):
        collect(runner, state, tmp_path / "s", Job(), grams=names, budget=1000)


def test_a_pruned_state_is_run_as_it_is(runner, mode, state, tmp_path):
    """The statistics are those of its own activations; then the model is restored."""
    paths = [tmp_path / f"{number}.safetensors" for number in range(3)]
    some = pruned(state, 0.9, names=("fc.weight",))
    for path, one in zip(paths, (state, some, state), strict=True):
        collect(runner, one, path, Job())
    sums = []
    for path in paths:
        with open_statistics(path) as statistics:
            sums.append(statistics.inputs(["experts.1.up_proj.weight"], (4, 8)).sum2)
    assert np.array_equal(sums[0], sums[2])
    assert not np.allclose(sums[0], sums[1])


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("nothing", "No multiplication by the weights"),
        ("changes", r"changed the weights that it was given \('fc.weight'\)"),
        ("other", "ran different inputs in its next run"),
    ],
)
def test_what_makes_no_statistics_is_said(runner, mode, state, tmp_path, how, says):
    """No file is written."""
    mode(how)
    for grams in ((), ("fc.weight",)) if how == "changes" else (("fc.weight",),):
        with pytest.raises(EvaluationError, match=says):
            collect(runner, state, tmp_path / "s.safetensors", Job(), grams=grams)
    assert not list(tmp_path.iterdir())


def test_sums_without_a_file_are_those_of_the_file(runner, state, mode, tmp_path, monkeypatch):
    """Read in blocks, in a temporary folder."""
    monkeypatch.setattr(collection, "_BLOCK", 7)
    names = ["fc.weight", "experts.1.down_proj.weight"]
    sums = collect_sums(runner, state, Job(), grams=names, folder=tmp_path)
    path = tmp_path / "s.safetensors"
    collected = collect(runner, state, path, Job(), grams=names)
    assert (tuple(sums.inputs), sums.unseen) == (collected.seen, collected.unseen)
    with open_statistics(path) as statistics:
        assert set(sums.with_grams) == statistics.grams == set(names)
        for name in names:
            assert np.array_equal(sums.gram(name, 0, CancelToken()), statistics.gram(name, 0))
    assert (tmp_path / "statistics-1").exists()


def test_multiply_adds_of_a_state_are_those_by_the_weights_that_it_keeps(
    runner, mode, state, folder
):
    """For one input: the model is called once, with the first five of twenty."""
    uses = count_uses(runner, state, Job())
    dense = 8 * 6 + 2 * 4 * 8 + 4 * 4 + TENSORS["out.weight"][0] * 4
    assert uses.multiply_adds(state, Job()) == dense
    assert uses.rows["experts.0.gate_proj.weight"].tolist() == [0], "no token went there"
    some = pruned(state, 0.5, ("fc.weight", "out.weight", "experts.0.down_proj.weight"))
    gone = some.masks.pruned("fc.weight") + some.masks.pruned("out.weight")
    assert uses.multiply_adds(some, Job()) == dense - gone


CONVOLUTIONS = """
import torch
from safetensors.torch import load_file
from torch import nn

def load(path):
    model = nn.Sequential(nn.Conv2d(4, 6, 3, padding=1, groups=2, bias=False), nn.ReLU(),
                          nn.ConvTranspose2d(6, 2, 2, stride=2, bias=False))
    model.load_state_dict(load_file(path))
    return model.eval()

def evaluate(model, progress):
    total = 0
    for part in progress(torch.randn(6, 4, 5, 7).split(2)):
        total += float(KIND)
    return total
"""


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("model(part).sum()", ""),
        ("model.forward(part).sum()", ""),
        ("model[2](model[0](part)).sum()", "evaluate() does not call the model with a tensor"),
        ("torch.zeros(1)", "evaluate() does not call the model with a tensor"),
    ],
)
def test_an_evaluation_is_enough_and_convolutions_count_each_place(tmp_path, call, words):
    torch.manual_seed(1)
    file = tmp_path / "c.safetensors"
    save_file({"0.weight": torch.randn(6, 2, 3, 3), "2.weight": torch.randn(6, 2, 2, 2)}, file)
    script = write_script(tmp_path, CONVOLUTIONS.replace("KIND", call), load="")
    interpreter = Interpreter(Path(sys.executable), "ours")
    with (
        closing(ScriptRunner(script, interpreter, Options(device="cpu"))) as own,
        open_checkpoint(file) as checkpoint,
    ):
        state = Snapshot(checkpoint)
        if words:
            with pytest.raises(EvaluationError) as caught:
                count_uses(own, state, Job())
            assert words in str(caught.value)
            return
        uses = count_uses(own, state, Job())
        assert uses.multiply_adds(state, Job()) == 35 * (108 + 48)
        some = pruned(state, 0.5, ("0.weight",))
        assert uses.multiply_adds(some, Job()) == 35 * (108 + 48 - some.masks.pruned("0.weight"))


def test_multiply_adds_of_weights_that_the_file_has_not_are_not_counted(tmp_path, state):
    with pytest.raises(EvaluationError, match="Evaluate by a script"):
        count_uses(CommandRunner("true {checkpoint}", Options()), state, Job())
    torch.manual_seed(1)
    file = tmp_path / "c.safetensors"
    fused = {"a": torch.randn(4, 6), "b": torch.randn(4, 6), "last": torch.randn(8, 8)}
    save_file(fused, file)
    script = write_script(tmp_path, FUSED, load="")
    interpreter = Interpreter(Path(sys.executable), "ours")
    with (
        closing(ScriptRunner(script, interpreter, Options(device="cpu"))) as own,
        open_checkpoint(file) as checkpoint,
        pytest.raises(EvaluationError, match="which 'c"),
    ):
        count_uses(own, Snapshot(checkpoint), Job())


FUSED = """
import torch
from safetensors.torch import load_file

def load(path):
    tensors = load_file(path)
    linear = torch.nn.Linear
    model = torch.nn.Sequential(linear(6, 8, bias=False), linear(8, 8, bias=False))
    fused = torch.cat([tensors["a"], tensors["b"]])
    model.load_state_dict({"0.weight": fused, "1.weight": tensors["last"]})
    return model

def evaluate(model):
    return model(torch.ones(2, 6)).sum()
"""
