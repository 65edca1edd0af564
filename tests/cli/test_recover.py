"""``pruneapp recover``: its output, its messages, and verifying its result."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

SCRIPT = """
import torch
from safetensors.torch import load_file
from torch import nn

HIGHER_IS_BETTER = {"loss": LOWER}

def load(path):
    model = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 24), nn.Linear(24, 4))
    model.load_state_dict(load_file(path))
    return model.eval()

def inputs(number, seed):
    return torch.randn(number, 12, generator=torch.Generator().manual_seed(seed))

def calibrate(model):
    model(inputs(400, 1))

def evaluate(model):
    with torch.no_grad():
        return {"loss": model(inputs(80, 2)).square().mean(1).tolist()}

def train(model):
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(5):
        optimizer.zero_grad()
        model(inputs(100, 3)).square().mean().backward()
        optimizer.step()
"""


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(1)
    shapes = {"0": (24, 12), "2": (24, 24), "3": (4, 24)}
    original = {}
    for layer, shape in shapes.items():
        original[f"{layer}.weight"] = rng.normal(0, 0.3, shape).astype(np.float32)
        original[f"{layer}.bias"] = rng.normal(0, 0.1, shape[0]).astype(np.float32)
    pruned = {n: t * (np.abs(t) > 0.25) if t.ndim > 1 else t for n, t in original.items()}
    save_file(original, tmp_path / "original.safetensors")
    save_file(pruned, tmp_path / "pruned.safetensors")
    (tmp_path / "script.py").write_text(SCRIPT.replace("LOWER", "False"))
    return pruned


@pytest.fixture
def recover(call, tmp_path, files):
    """Provide a function that recovers the pruned file; it returns status, output and error."""

    def run(*more, against=True):
        original = ("--against", tmp_path / "original.safetensors") if against else ()
        paths = ("--script", tmp_path / "script.py", "-o", tmp_path / "out.safetensors")
        return call("recover", tmp_path / "pruned.safetensors", *original, *paths, *more)

    return run


def test_a_recovery_reports_its_losses_and_is_verified(recover, call, files, tmp_path):
    status, out, err = recover("--steps", "100", "--json", "--device", "cpu", "--even-if-worse")
    assert status == 0
    assert "Note: Trains 442 remaining parameters on cpu, with 400 samples, of which 60" in err
    data = json.loads(out)
    assert data["changed"]
    assert data["losses"]["rounded"] < data["losses"]["start"] < data["losses"]["pruned"]
    assert (data["steps"], data["samples"], data["held_out"]) == (100, 400, 60)
    assert data["metrics"]["loss"].keys() == {"before", "after", "noise"}
    written = load_file(tmp_path / "out.safetensors")
    for name, tensor in files.items():
        if tensor.ndim > 1:
            assert np.array_equal(written[name] == 0, tensor == 0)
            assert not np.array_equal(written[name], tensor)
    pruned = tmp_path / "pruned.safetensors"
    assert call("verify", tmp_path / "out.safetensors", "--against", pruned)[0] == 0


def test_training_by_the_script_prints_the_metrics(recover):
    status, out, _ = recover("--train", "--device", "cpu", against=False)
    assert status == 0
    first, second, *_ = out.splitlines()
    assert first == "Trained for 5 steps with pruned weights at zero."
    assert second.startswith("loss: ")
    assert " before, " in second


def test_a_worse_metric_prevents_the_export(recover, tmp_path):
    """The training lowers the loss, which this script declares to be worse."""
    (tmp_path / "script.py").write_text(SCRIPT.replace("LOWER", "True"))
    status, _, err = recover("--train", "--device", "cpu", against=False)
    assert status == 2
    assert "'loss' is worse after the recovery" in err
    assert "--even-if-worse" in err
    assert not (tmp_path / "out.safetensors").exists()


@pytest.mark.parametrize(
    ("more", "against", "sentence"),
    [
        ((), False, "--against is required: the unpruned weights are not in the file."),
        (("--steps", "0"), True, "--steps must be"),
        (("--lr", "7"), True, "--lr must be more than 0 and at most 1 (got 7)"),
        (("--samples", "1"), True, "A recovery needs at least 2 samples (got 1)"),
    ],
)
def test_options_that_do_not_fit_are_refused(recover, more, against, sentence):
    status, _, err = recover(*more, against=against)
    assert status == 2
    assert sentence in err
