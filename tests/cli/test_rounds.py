"""Recipes that recover after each round, from the command line; and verifying their results."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Capture, Document
from pruneapp.document.edit import Proposal
from pruneapp.document.entries import RecoverySource, RepairSource
from pruneapp.document.step import Row, Step
from pruneapp.edits.repaired_values import RepairedValues, as_values
from pruneapp.export.exporter import export
from pruneapp.export.provenance import calibration_of, provenance_of
from pruneapp.export.report import ExportRequest
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.recipes.recipe import history_recipe
from tests.evaluation.test_rounds import TRAINED

HEAD = {"format": "pruneapp-recipe", "version": 1}
STEP = {"name": "step", "configuration": {"rows": [{"name": "l1_unstructured"}]}}
FAST = {"steps": 10, "windows": False, "lr": 0.001}


@pytest.fixture
def model(tmp_path, monkeypatch):
    """Write a model and its script; return the path of the model."""
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
    return tmp_path / "model.safetensors"


@pytest.fixture
def schedule(tmp_path):
    """Provide a function that writes a recipe of a schedule with a recovery."""

    def write(recover, rounds=3, final=0.8):
        configuration = {"step": STEP, "final": final, "steps": rounds, "recover": recover}
        path = tmp_path / "rounds.recipe.json"
        entries = [{"name": "schedule", "configuration": configuration}]
        path.write_text(json.dumps({**HEAD, "entries": entries}))
        return path

    return write


def zeros(path):
    tensors = load_file(path)
    return sum(int((t == 0).sum()) for n, t in tensors.items() if n.endswith("weight"))


def test_a_recipe_recovers_after_each_round(call, model, schedule, tmp_path):
    recipe = schedule(FAST | {"evaluate": True, "metric": "near"})
    out, done = tmp_path / "out.safetensors", tmp_path / "done.recipe.json"
    status, printed, err = call(
        "run", recipe, model, "-o", out, "--script", tmp_path / "script.py", "--json",
        "--save-recipe", done,
    )  # fmt: skip
    assert status == 0, err
    rounds = json.loads(printed)["rounds"]
    assert [one["number"] for one in rounds] == [1, 2, 3]
    assert all(one["metric"] == "near" and not one["worse"] for one in rounds)
    assert "Round 3 of 3" in err
    entries = json.loads(done.read_text())["entries"]
    assert [entry["name"] for entry in entries] == ["step", "recovery"] * 3
    assert not [*(tmp_path / "cache" / "pruneapp" / "rounds").iterdir()]

    alone = call("verify", out, "--against", model)
    assert alone[0] == 1
    assert "give the recipe and its folder of values" in alone[1]
    assert call("verify", out, "--against", model, "--recipe", done)[0] == 0


def test_the_last_round_within_the_tolerance_is_written(call, model, schedule, tmp_path):
    recipe = schedule({"method": "none", "stop": "0.65", "metric": "dense"}, final=0.9)
    out = tmp_path / "out.safetensors"
    status, printed, err = call(
        "run", recipe, model, "-o", out, "--script", tmp_path / "script.py", "--json"
    )
    assert status == 0, err
    rounds = json.loads(printed)["rounds"]
    assert [one["worse"] for one in rounds] == [False, True]
    size = sum(tensor.size for tensor in load_file(out).values())
    assert zeros(out) == round(rounds[0]["sparsity"] * size)
    assert call("verify", out, "--against", model)[0] == 0


def test_a_killed_run_is_resumed_after_its_complete_rounds(call, model, schedule, tmp_path):
    recipe = schedule({"method": "training", "rewind": True}, rounds=4)
    arguments = ["run", recipe, model, "--script", tmp_path / "script.py", "-o"]
    whole, resumed = tmp_path / "whole.safetensors", tmp_path / "resumed.safetensors"
    assert call(*arguments, whole)[0] == 0
    with subprocess.Popen(
        [sys.executable, "-m", "pruneapp", *map(str, arguments), str(resumed)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        for line in process.stderr:
            if line.startswith("Round 3"):
                os.killpg(process.pid, signal.SIGKILL)
    assert not resumed.exists()
    status, _, err = call(*arguments, resumed, "--resume")
    assert status == 0, err
    assert [line for line in err.splitlines() if line.startswith("Round")] == [
        "Round 3 of 4",
        "Round 4 of 4",
    ]
    assert resumed.read_bytes() == whole.read_bytes()


def test_a_recipe_with_recovery_needs_a_script(call, refused, model, schedule, tmp_path):
    recipe = schedule(FAST)
    assert "by a script" in refused("run", recipe, model, "-o", tmp_path / "out.safetensors")
    assert call("run", recipe, model, "--check")[0] == 1
    status, out, _ = call("run", recipe, model, "--check", "--script", tmp_path / "script.py")
    assert status == 0
    assert "recovered after each round" in out
    out = tmp_path / "out.safetensors"
    assert "cluster" in refused("run", recipe, model, "-o", out, "--cluster", "local:2")
    recipe = schedule({"stop": "little"})
    assert call("run", recipe, model, "--check", "--script", tmp_path / "script.py")[1].count(
        "'stop' must be a number such as 0.01"
    )


def values(document, names, draw, source):
    """Commit random values of the remaining weights of tensors."""
    snapshot = document.snapshot()
    found = {}
    for name in names:
        bits = snapshot.bits_under(name)
        new = bits.view(np.float32) + draw.normal(size=bits.size).astype(np.float32)
        kept = snapshot.export_mask(name)
        if kept is not None:
            new = np.where(kept.bools(), new, bits.view(np.float32))
        found[name] = as_values(new.view(np.uint32))
    made = RepairedValues.create(document.snapshot(), found, source, Job())
    document.commit(made.propose(document.snapshot(), Job()))


def prune(document, amount, names):
    step = Step((Row(names, "l1_unstructured", {"amount": amount}),))
    edit = compute_preview(document.snapshot(), step, CpuKernel(), Job()).edit
    document.commit(Proposal(document.revision, edit))


def test_superseded_values_are_left_out_so_that_the_file_can_be_verified(call, model, tmp_path):
    """A repair before a recovery is left out unless a pruning step lies between."""
    names = ("0.weight", "3.weight")
    draw = np.random.default_rng(1)
    out = tmp_path / "out.safetensors"
    with open_checkpoint(model) as checkpoint:
        document = Document(checkpoint)
        prune(document, 0.5, names)
        values(document, (*names, "4.bias"), draw, RepairSource(data="text:1"))
        values(document, names, draw, RecoverySource(data="text:2"))
        recipe = history_recipe(Capture.of(document), Job())
        assert [type(entry).__name__ for entry in recipe.entries] == [
            "StepEntry",
            "RepairEntry",
            "RecoveryEntry",
        ]
        (kept,) = recipe.entries[1].configuration.tensors
        assert kept.name == "4.bias"
        values(document, ("4.bias",), draw, RecoverySource(data="text:3"))
        recipe = history_recipe(Capture.of(document), Job())
        assert len(recipe.entries) == 3
        state = document.snapshot()
        export(state, ExportRequest("safetensors", out), Job(), provenance_of(state, recipe, Job()))
        assert call("verify", out, "--against", model)[0] == 0
        with open_checkpoint(out) as written:
            assert calibration_of(written) == ("text:1", "text:2", "text:3")

        prune(document, 0.5, ("0.weight",))
        values(document, (*names, "4.bias"), draw, RecoverySource())
        recipe = history_recipe(Capture.of(document), Job())
        assert len(recipe.entries) == 5
        state = document.snapshot()
        request = ExportRequest("safetensors", tmp_path / "later.safetensors")
        export(state, request, Job(), provenance_of(state, recipe, Job()))
    status, printed, _ = call("verify", tmp_path / "later.safetensors", "--against", model)
    assert status == 1
    assert "give the recipe and its folder of values" in printed
