"""A model on a CUDA GPU: its tensors are verified there; sums and repairs as on the CPU."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from pruneapp.evaluation.calibrated_repair import RepairSettings, repair_by_script
from pruneapp.evaluation.collection import collect, count_uses
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.evaluation.script import Interpreter, Options
from pruneapp.progress import Cancelled, CancelToken, Job
from pruneapp.statistics.file import open_statistics
from tests.evaluation.scripts import (
    AGREEMENT,
    MODEL,
    assert_repaired_alike,
    expected,
    pruned,
    refused,
    values,
    write_script,
)

pytestmark = pytest.mark.cuda

NAMES = ("0.weight", "3.weight", "4.weight")


def on_device(body: str) -> str:
    """Return the script with model and inputs on the device that the application selects."""
    for what, then in (
        ("def load(path):", "def load(path, device):"),
        ("    return model\n", "    return model.to(device)\n"),
        (".to(next(model.parameters()).dtype)", ".to(next(model.parameters()))"),
    ):
        assert what in body
        body = body.replace(what, then)
    return body


@pytest.fixture
def runner_on(tmp_path):
    """Provide a function that makes a runner of the default model on a device."""
    (tmp_path / "mode").write_text("plain")
    made = []

    def make(device: str, body: str = AGREEMENT) -> ScriptRunner:
        script = write_script(tmp_path, on_device(body), load="")
        python = Interpreter(Path(sys.executable), "ours")
        made.append(ScriptRunner(script, python, Options(device=device)))
        return made[-1]

    yield make
    for runner in made:
        runner.close()


@pytest.mark.parametrize("how", ["plain", "half", "renamed", "turned"])
def test_states_are_handed_over_in_place_and_undone(runner_on, state, tmp_path, how):
    runner = runner_on("cuda", MODEL)
    (tmp_path / "mode").write_text(how)
    dtype = torch.bfloat16 if how == "half" else torch.float32
    some, more = pruned(state), pruned(state, 0.9)
    found = []
    for one in (some, state, more, some):
        total, top = values(runner.run(one, 0, Job()))
        wanted, classes = expected(one, dtype)
        assert total == pytest.approx(wanted, rel=0.05 if how == "half" else 1e-4, abs=1e-3)
        assert np.mean(np.not_equal(top, classes)) <= (0.1 if how == "half" else 0)
        found.append(total)
    assert found[0] == found[3]
    assert (tmp_path / "loads").read_text().count("\n") == 1


def test_weights_that_change_on_the_device_give_no_number(runner_on, state, tmp_path):
    runner = runner_on("cuda", MODEL)
    some = pruned(state)
    runner.run(some, 0, Job())
    (tmp_path / "mode").write_text("changes")
    assert "4.weight" in refused(lambda: runner.run(some, 0, Job()))
    (tmp_path / "mode").write_text("plain")
    assert values(runner.run(some, 0, Job()))[1] == expected(some)[1]


def test_memory_that_the_device_does_not_have_is_said_in_a_sentence(runner_on, state):
    body = MODEL.replace("    noise =", "    torch.empty(1 << 44, device='cuda')\n    noise =")
    said = refused(lambda: runner_on("cuda", body).run(state, 0, Job()))
    assert "out of memory" in said
    assert "Use fewer samples or smaller batches" in said


@pytest.mark.parametrize("precision", ["highest", "medium"])
def test_sums_are_those_of_the_cpu(runner_on, state, tmp_path, precision):
    """Also if the script allows its own products to use reduced precision."""
    body = AGREEMENT + f"\ntorch.set_float32_matmul_precision('{precision}')\n"
    for device in ("cpu", "cuda"):
        collect(runner_on(device, body), state, tmp_path / device, Job(), grams=NAMES)
    with open_statistics(tmp_path / "cpu") as ours, open_statistics(tmp_path / "cuda") as theirs:
        for name in NAMES:
            shape = state.entry(name).shape
            one, other = (s.inputs([name], shape) for s in (ours, theirs))
            assert np.allclose(one.sum2, other.sum2, rtol=1e-5)
            assert np.allclose(one.sum, other.sum, atol=1e-4)
            assert np.allclose(ours.gram(name), theirs.gram(name), rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize("precision", ["highest", "medium"])
def test_layers_are_solved_where_the_model_is(runner_on, state, sequential, precision):
    body = AGREEMENT + f"\ntorch.set_float32_matmul_precision('{precision}')\n"
    half, settings = pruned(state, 0.7, NAMES), RepairSettings(sequential=sequential)
    ours, theirs = (
        repair_by_script(runner_on(device, body), half, settings, Job())
        for device in ("cpu", "cuda")
    )
    assert (ours.solver, theirs.solver) == ("numpy (CPU)", "torch (cuda:0)")
    assert_repaired_alike(ours, theirs)


def test_a_repair_on_the_device_is_cancelled(runner_on, state):
    token, runner = CancelToken(), runner_on("cuda")

    class Canceller:
        def report(self, _done, _total, label):
            if label == "4.weight":
                token.cancel()

    runner.kill_on_cancel()
    with pytest.raises(Cancelled):
        repair_by_script(runner, pruned(state), RepairSettings(), Job(Canceller(), token))
    assert not (runner.worker.folder / "layer").exists()


def test_multiply_adds_are_counted_on_the_device(runner_on, state):
    half = pruned(state, 0.5, NAMES)
    counts = [
        count_uses(runner_on(device), half, Job()).multiply_adds(half, Job())
        for device in ("cpu", "cuda")
    ]
    assert counts[0] == counts[1] > 0
