"""Workers, a runner and states of a small model for the tests of this folder."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.evaluation.script import Interpreter, Options
from tests.evaluation.scripts import MODEL, STUB, StubbedWorker, write_script
from tests.reliability.evaluations import left_over


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("measured")


@pytest.fixture(scope="package")
def file(folder):
    torch.manual_seed(11)
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 32), nn.Linear(32, 5)
    )
    model[1].running_mean.uniform_(-1, 1)
    save_file(model.state_dict(), folder / "model.safetensors")
    return folder / "model.safetensors"


@pytest.fixture(scope="package")
def runner(folder):
    script = write_script(folder, MODEL, load="")
    with closing(
        ScriptRunner(script, Interpreter(Path(sys.executable), "ours"), Options(device="cpu"))
    ) as made:
        yield made


@pytest.fixture
def mode(folder, runner):
    """Provide a function that selects the behavior of the script, which then reloads the model."""

    def change(name):
        (folder / "mode").write_text(name)
        (folder / "loads").write_text("")
        runner._handover = None

    change("plain")
    return change


@pytest.fixture
def state(file):
    with open_checkpoint(file) as checkpoint:
        yield Snapshot(checkpoint)


@pytest.fixture
def stubbed(tmp_path, tmp_path_factory, monkeypatch):
    """Provide a function that starts stub workers; close them and check for processes."""
    made: list[StubbedWorker] = []
    stub = tmp_path_factory.mktemp("stub")
    (stub / "torch.py").write_text(STUB)
    monkeypatch.setenv("PYTHONPATH", str(stub))

    def make(body: str, options: Options | None = None, **more) -> StubbedWorker:
        script = write_script(tmp_path, body, **more)
        made.append(StubbedWorker(script, Path(sys.executable), options or Options()))
        return made[-1]

    yield make
    for worker in made:
        pid = worker.pid
        worker.close()
        if pid:
            assert left_over(pid) == []
            assert not worker.folder.exists()
