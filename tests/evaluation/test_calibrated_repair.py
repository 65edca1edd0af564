"""Repairs that collect statistics of the unpruned model, and delete them afterwards."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from pruneapp.errors import ParameterError
from pruneapp.evaluation.calibrated_repair import (
    RepairSettings,
    repair_by_script,
    repair_by_statistics,
)
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.evaluation.script import Interpreter, Options
from pruneapp.progress import Cancelled, CancelToken, Job
from pruneapp.statistics.file import Inputs, Origin, save_statistics
from tests.evaluation.scripts import (
    AGREEMENT,
    MODEL,
    assert_repaired_alike,
    outputs,
    pruned,
    write_script,
)


@pytest.fixture
def runner_of(tmp_path):
    """Provide a function that makes runners of scripts with the default model."""
    (tmp_path / "mode").write_text("plain")
    made = []

    def make(body):
        script = write_script(tmp_path, body, load="")
        made.append(ScriptRunner(script, Interpreter(Path(sys.executable), "ours"), Options()))
        return made[-1]

    yield make
    for runner in made:
        runner.close()


class Labels:
    """Records the labels and progress of a job."""

    def __init__(self):
        self.seen = {}

    def report(self, done, total, label):
        share = done / max(total, 1)
        assert share >= max(self.seen.values(), default=0)
        self.seen.setdefault(label, share)


def test_the_unpruned_model_is_run_and_the_pruned_layers_are_repaired(
    runner_of, state, tmp_path, monkeypatch
):
    """The temporary folder is deleted; no statistics file is named."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    labels, half = Labels(), pruned(state)
    runner = runner_of(AGREEMENT)
    done = repair_by_script(runner, half, RepairSettings(), Job(labels))
    assert not runner.worker.runs
    assert list(temporary.iterdir()) == []
    assert [layer.name for layer in done.repair.layers] == ["0.weight", "4.weight"]
    assert all(layer.rounded < layer.before for layer in done.repair.layers)
    assert done.risks == ()
    stages = "starting Python", "loading the model", "collecting statistics", "0.weight", "4.weight"
    assert sorted(stages, key=labels.seen.__getitem__) == list(stages)
    assert labels.seen["collecting statistics"] < 1 / 50 < labels.seen["0.weight"] < 1

    assert done.repair.edit.entry["configuration"]["source"].get("statistics", "") == ""


def error_of(state, done, unpruned):
    """Return the output error of a repaired model, relative to the outputs without the bias."""
    wanted, now = outputs(unpruned), outputs(state.with_masks(done.repair.edit.after))
    bias = torch.from_numpy(unpruned.checkpoint.bits("4.bias").view(np.float32).copy())
    return float((now - wanted).square().sum() / (wanted - bias).square().sum())


def test_layer_after_layer_each_is_repaired_for_what_the_layers_before_it_give(
    runner_of, state, monkeypatch
):
    """In order of execution; the last layer's outputs are closest to those of the unpruned model.

    Afterwards the worker holds the unpruned model again.
    """
    names = ("0.weight", "3.weight", "4.weight")
    half, labels = pruned(state, 0.7, names), Labels()
    plain = repair_by_script(runner_of(AGREEMENT), half, RepairSettings(), Job())
    runner = runner_of(AGREEMENT)
    done = repair_by_script(runner, half, RepairSettings(sequential=True), Job(labels))
    assert not runner.worker.runs
    assert [layer.name for layer in done.repair.layers] == list(names)
    assert [label for label in labels.seen if label.startswith("collecting inputs")] == [
        f"collecting inputs of {name}, run {number} of 3" for number, name in enumerate(names, 1)
    ]
    before, after = (error_of(half, one, state) for one in (plain, done))
    assert after < 0.8 * before
    last = done.repair.layers[-1]
    assert last.rounded < last.before
    assert done.repair.edit.entry["configuration"]["source"]["sequential"] is True
    # The error of the last layer is that of the model's outputs.
    assert last.rounded == pytest.approx(after, rel=1e-3)


def test_the_progress_of_a_sequential_repair_follows_its_layers(runner_of, state):
    """The preparation was half of it, so that 13 seconds were left of six minutes."""
    shares = {}

    class Shares:
        def report(self, done, total, label):
            shares.setdefault(label, done / total)

    half = pruned(state, 0.7, ("0.weight", "3.weight", "4.weight"))
    repair_by_script(runner_of(AGREEMENT), half, RepairSettings(sequential=True), Job(Shares()))
    begins = [share for label, share in shares.items() if label.startswith("collecting inputs of")]
    assert begins[0] == pytest.approx(1 / 50)
    layers = np.diff([*begins, 1])
    assert layers.sum() == pytest.approx(49 / 50)
    assert layers.min() > 0.05


def test_the_layers_of_a_simple_repair_have_a_visible_share_of_the_progress(runner_of, state):
    """Regression: the bar was full while the layers were solved, for 15 s on a busy machine."""
    shares = {}

    class Shares:
        def report(self, done, total, label):
            shares.setdefault(label, done / total)

    half = pruned(state, 0.7, ("0.weight", "3.weight", "4.weight"))
    repair_by_script(runner_of(AGREEMENT), half, RepairSettings(), Job(Shares()))
    first = next(share for label, share in shares.items() if label == "0.weight")
    assert first < 0.81


def test_what_is_pruned_and_not_repaired_goes_beside_the_model_from_the_beginning(runner_of, state):
    names = ("0.weight", "3.weight", "4.weight")
    half = pruned(state, 0.7, names)
    settings = RepairSettings(sequential=True, names=("4.weight",), wanted=state.checkpoint)
    done = repair_by_script(runner_of(AGREEMENT), half, settings, Job())
    (layer,) = done.repair.layers
    assert layer.name == "4.weight"
    assert layer.rounded == pytest.approx(error_of(half, done, state), rel=1e-3)


def test_a_model_that_holds_its_weights_in_another_form_is_refused(runner_of, state, tmp_path):
    runner = runner_of(MODEL + "def calibrate(model): model(inputs(model))")
    (tmp_path / "mode").write_text("fused")
    with pytest.raises(EvaluationError, match="stores weights in a different form than the file"):
        repair_by_script(runner, pruned(state), RepairSettings(sequential=True), Job())


def test_a_script_that_runs_none_of_the_pruned_layers_is_refused(runner_of, state):
    runner = runner_of(AGREEMENT.replace("model(part)", "model[:4](part)"))
    with pytest.raises(EvaluationError, match="ran no input through any of the pruned layers"):
        repair_by_script(runner, pruned(state, names=("4.weight",)), RepairSettings(), Job())


@pytest.mark.parametrize("sequential", [False, True])
def test_the_worker_solves_where_the_gram_matrices_are_larger_than_the_limit(
    runner_of, state, sequential
):
    """Group by group, with the same values as NumPy; no matrix is sent to the application."""
    names, labels = ("0.weight", "3.weight", "4.weight"), Labels()
    half = pruned(state, 0.7, names)
    settings = RepairSettings(sequential=sequential)
    ours = repair_by_script(runner_of(AGREEMENT), half, settings, Job())
    assert ours.solver == "numpy (CPU)"
    # For 16 and 32 inputs, and the weights for the drift.
    budget = 8 * (32**2 + sequential * 32 * 32)
    theirs = repair_by_script(
        runner_of(AGREEMENT), half, replace(settings, budget=budget), Job(labels)
    )
    assert theirs.solver == "torch (cpu)"
    runs = [label for label in labels.seen if label.startswith("collecting")]
    assert runs[-1].endswith("run 3 of 3")
    assert_repaired_alike(ours, theirs)


def test_sums_that_are_not_finite_are_refused_by_the_worker_as_well(runner_of, state):
    runner = runner_of(AGREEMENT.replace("x = inputs(model)", "x = inputs(model) * 1e300"))
    with pytest.raises(ParameterError, match=r"do not fit '0\.weight': they are not finite"):
        repair_by_script(runner, pruned(state), RepairSettings(budget=8 * 32**2), Job())


def test_a_repair_is_cancelled_while_the_worker_solves(runner_of, state):
    """Between two products; the worker is notified."""
    half, token = pruned(state), CancelToken()
    runner = runner_of(AGREEMENT)
    runner.kill_on_cancel()

    class Canceller:
        def report(self, _done, _total, label):
            if label == "4.weight":
                token.cancel()

    with pytest.raises(Cancelled):
        repair_by_script(runner, half, RepairSettings(budget=8 * 32**2), Job(Canceller(), token))
    assert not (runner.worker.folder / "layer").exists()


def test_nothing_is_started_for_a_cancelled_job(runner_of, state):
    token = CancelToken()
    token.cancel()
    runner = runner_of(AGREEMENT)
    with pytest.raises(Cancelled):
        repair_by_script(runner, pruned(state), RepairSettings(), Job(cancel=token))
    assert not runner.worker.runs


def test_statistics_of_another_checkpoint_are_refused_unless_they_are_forced(state, tmp_path):
    path, rng = tmp_path / "s.safetensors", np.random.default_rng(0)
    inputs = rng.normal(size=(100, 16))
    known = Inputs(np.square(inputs).sum(axis=0)[None], None, np.array([100.0]))
    grams = {"0.weight": [(inputs.T @ inputs)[None]]}
    save_statistics(path, {"0.weight": known}, Origin(checkpoint="0"), Job(), grams=grams)
    with pytest.raises(ParameterError, match="belong to another checkpoint"):
        repair_by_statistics(path, pruned(state), RepairSettings(), Job())
    done = repair_by_statistics(path, pruned(state), RepairSettings(), Job(), forced=True)
    assert done.repair.unknown == ("4.weight",)
