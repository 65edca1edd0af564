"""Shrunk files in the commands that run the model, with the script of the original."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
import torch

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Capture, Document
from pruneapp.document.step import Row, Step
from pruneapp.groups.trace import use_trace
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.recipes.recipe import history_recipe, save
from tests.shrink import vision_models
from tests.support.traces import trace_model

SCRIPT = f"""
import sys
import torch
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.shrink.vision_models import make

HIGHER_IS_BETTER = {{"loss": False}}

def load(path):
    model = make("basic").float()
    model.load_state_dict(torch.load(path)["model"])
    return model.eval()

def inputs(number, seed):
    return torch.randn(number, 3, 16, 16, generator=torch.Generator().manual_seed(seed))

def calibrate(model):
    with torch.no_grad():
        model(inputs(64, 1))

def evaluate(model):
    with torch.no_grad():
        return {{"loss": model(inputs(16, 2)).square().flatten(1).mean(1).tolist()}}
"""


@pytest.fixture
def files(call, tmp_path):
    """Write a training checkpoint, its cut, the pruned cut and a script; return the paths."""
    original, shrunk, pruned = (tmp_path / f"{name}.pt" for name in ("net", "small", "pruned"))
    torch.save({"model": vision_models.make("basic").float().state_dict(), "epoch": 3}, original)
    words = ("--channels", "40%", "--multiple", "1")
    assert call("shrink", original, *words, "-o", shrunk)[0] == 0
    assert (
        call("prune", shrunk, "--method", "l1_unstructured", "--amount", "30%", "-o", pruned)[0]
        == 0
    )
    (tmp_path / "mine.py").write_text(SCRIPT)
    return shrunk, pruned, tmp_path / "mine.py"


def loss_of(path, monkeypatch):
    """Measure a shrunk file in plain torch, with the exported script."""
    monkeypatch.syspath_prepend(path.parent)
    space: dict = {}
    exec(SCRIPT, space)
    script = path.with_name(f"load_{path.stem}.py")
    loader: dict = {"__file__": str(script)}
    exec(script.read_text(), loader)
    model = loader["load_shrunk"](vision_models.make("basic").float(), [path]).eval()
    losses = space["evaluate"](model)["loss"]
    return sum(losses) / len(losses)


def test_a_shrunk_file_is_evaluated_with_the_script_of_the_original(call, files, monkeypatch):
    shrunk, _, script = files
    status, out, err = call("evaluate", shrunk, "--script", script, "--device", "cpu", "--json")
    assert status == 0, err
    value = json.loads(out)["metrics"]["loss"]
    assert value == pytest.approx(loss_of(shrunk, monkeypatch), rel=1e-6)


def test_a_shrunk_file_is_verified_only_against_a_shrunk_one(files, call, refused, tmp_path):
    shrunk, pruned, _ = files
    recipe = tmp_path / "r.recipe.json"
    step = {"rows": [{"name": "l1_unstructured", "configuration": {"values": {"amount": 0.3}}}]}
    entries = [{"name": "step", "configuration": step}]
    recipe.write_text(json.dumps({"format": "pruneapp-recipe", "version": 1, "entries": entries}))
    assert call("verify", pruned, "--against", shrunk, "--recipe", recipe)[0] == 0
    error = refused("verify", shrunk, "--against", tmp_path / "net.pt", "--recipe", recipe)
    assert "was shrunk" in error
    assert "Export the same state without shrinking it" in error


@pytest.mark.parametrize("command", ["repair", "recover"])
def test_a_pruned_cut_is_repaired_and_recovered(call, files, command, tmp_path):
    shrunk, pruned, script = files
    more = ("--steps", "20", "--even-if-worse") if command == "recover" else ()
    status, _, err = call(
        *(command, pruned, "--against", shrunk, "--script", script, "--device", "cpu"),
        *("-o", tmp_path / "out.pt", *more),
    )
    assert status == 0, err
    before, after = (torch.load(path)["model"] for path in (pruned, tmp_path / "out.pt"))
    records = [Path(f"{path}.shrink.json") for path in (shrunk, tmp_path / "out.pt")]
    assert records[0].read_bytes() == records[1].read_bytes(), "a copy is with each export"
    assert {n: t.shape for n, t in before.items()} == {n: t.shape for n, t in after.items()}
    assert any(not torch.equal(before[name], after[name]) for name in before)


def test_without_the_record_the_error_names_the_cause(call, files):
    shrunk, _, script = files
    Path(f"{shrunk}.shrink.json").unlink()
    status, out, err = call("evaluate", shrunk, "--script", script)
    assert (status, out) == (2, "")
    assert "size mismatch for" in err
    assert "If 'small.pt' is a shrunk model of Pruneapp, put its '.shrink.json' file" in err
    assert "\\u0009" not in err, "tabs of torch's messages are printed as spaces"


def test_the_opened_file_can_be_replaced(call, files):
    shrunk, _, script = files
    words = ("--method", "l1_unstructured", "--amount", "20%", "-o", shrunk)
    assert call("prune", shrunk, *words)[0] == 0
    for path in (shrunk, shrunk.with_name("small.orig.pt")):
        assert call("evaluate", path, "--script", script, "--device", "cpu")[0] == 0


def test_a_pruned_file_is_cut_with_the_trace_in_its_metadata(call, tmp_path):
    """Regression: the groups were those that are known without the trace."""
    network = vision_models.make("basic").float()
    original, recipe, pruned = (tmp_path / name for name in ("m.pt", "r.json", "p.safetensors"))
    torch.save(network.state_dict(), original)
    with open_checkpoint(original) as checkpoint, closing(Document(checkpoint)) as document:
        use_trace(checkpoint, trace_model(network, torch.zeros(2, 3, 9, 9)))
        names = tuple(e.name for e in checkpoint.entries.values() if len(e.shape) == 4)
        row = Row(names, "channel_groups", {"amount": 0.3, "multiple": "1"})
        document.commit(compute_preview(document.snapshot(), Step((row,)), CpuKernel(), Job()))
        masks = document.masks
        removed = [name for name in masks if masks.pruned(name)]
        save(history_recipe(Capture.of(document), Job()), recipe, Job())
    assert call("run", recipe, original, "-o", pruned)[0] == 0
    cut = tmp_path / "cut.safetensors"
    status, _, _ = call("shrink", pruned, "--dead", "--multiple", "1", "-o", cut)
    assert status == 0
    with open_checkpoint(original) as whole, open_checkpoint(cut) as small:
        shorter = {n for n, e in small.entries.items() if e.numel < whole.entry(n).numel}
    assert shorter >= {*removed}
