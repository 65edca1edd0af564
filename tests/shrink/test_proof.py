"""The class checks a shrunk model before renaming: its input, and the files left."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from safetensors.numpy import load_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.groups.structure import structure_of
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.progress import Job
from pruneapp.shrink import proof
from pruneapp.shrink.check import FolderChecker
from pruneapp.shrink.plan import Choices, legal_sizes, plan, survey
from pruneapp.shrink.proof import class_proof
from pruneapp.shrink.shrink import ShrinkRequest, shrink
from pruneapp.shrink.unit_choice import choose_units, prune_layers, prune_units, scores_of


class Recording(FolderChecker):
    """Records the masked folder that is checked, and the model considered unpruned."""

    def check(self, shrunk, masked=None, how="run", options=None, job=None, *, original=None):
        (file,) = masked.glob("*.safetensors")
        self.tensors = set(load_file(file))
        self.config = json.loads((masked / "config.json").read_text())
        self.original = original
        return super().check(shrunk, masked, how, options, job, original=original)


@pytest.fixture(scope="module")
def checker():
    with Recording() as running:
        yield running


@contextmanager
def planned(path: Path, layer: int, experts: int):
    """Remove a layer and experts from a model; yield state and plan."""
    with open_checkpoint(path) as checkpoint:
        structure, job = structure_of(checkpoint), Job()
        scores = scores_of(Snapshot(checkpoint), structure.axes["experts"], "l2", CpuKernel(), job)
        state = prune_layers(Snapshot(checkpoint), structure.axes["layers"], (layer,), job)
        choices = Choices(8, (layer,), experts=experts, expert_scores=scores)
        yield state, plan(state, structure, choices, job)


def proven(state, planned, target, checker):
    with class_proof(state, planned, "run", target, Job(), checker=checker) as (approve, results):
        shrink(state, planned, ShrinkRequest(target, {}, approve), Job())
    (result,) = results
    return result


def test_the_model_that_was_opened_is_run_too(tiny_folder, checker, tmp_path):
    folder = tiny_folder("mixtral")
    for number, path in enumerate((folder, folder / "model.safetensors")):
        with planned(path, 2, 6) as (state, made):
            result = proven(state, made, tmp_path / str(number), checker)
        assert checker.original == folder
        assert 0 < result.changed_predictions < 1
        assert 0.01 < result.largest_change < 2
        assert result.first_layers is None
        assert not list(tmp_path.glob(".*"))


def test_a_model_beside_others_is_not_taken_for_that_of_the_folder(tiny_folder, checker, tmp_path):
    folder = shutil.copytree(tiny_folder("mixtral"), tmp_path / "model")
    (folder / "model.safetensors").rename(folder / "one.safetensors")
    shutil.copy(folder / "one.safetensors", folder / "other.safetensors")
    with planned(folder / "one.safetensors", 2, 6) as (state, made):
        result = proven(state, made, tmp_path / "out", checker)
    assert checker.original is None
    assert result.changed_predictions is None
    assert "Against" not in result.sentence()


def test_of_a_large_model_the_first_layers_are_written_and_run(
    tiny_folder, checker, tmp_path, monkeypatch
):
    """Those that become the first layers, with the original configuration."""
    monkeypatch.setattr(proof, "LARGE", 0)
    folder = tiny_folder("mixtral")
    with planned(folder, 1, 6) as (state, made):
        result = proven(state, made, tmp_path / "out", checker)
    assert result.first_layers == 2
    assert result.largest_output
    names = set(load_file(folder / "model.safetensors"))
    assert checker.tensors == {name for name in names if ".layers.3." not in name}
    assert checker.config == json.loads((folder / "config.json").read_text())
    assert checker.original is None
    assert result.changed_predictions is None
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_large_model_whose_layers_cannot_go_is_run_whole(
    tiny_folder, checker, tmp_path, monkeypatch
):
    monkeypatch.setattr(proof, "LARGE", 0)
    with open_checkpoint(tiny_folder("swin")) as checkpoint:
        structure, job = structure_of(checkpoint), Job()
        assert not structure.axes["layers"].groups
        axis = structure.axes["ffn"]
        scores = scores_of(Snapshot(checkpoint), axis, "l2", CpuKernel(), job)
        size = legal_sizes(axis, structure.fields, 8)[-2]
        found = survey(Snapshot(checkpoint), structure, job)
        wanted = [(group, size) for group in axis.groups]
        going = choose_units(Snapshot(checkpoint), wanted, scores, found, job)
        state = prune_units(Snapshot(checkpoint), going, job)
        made = plan(state, structure, Choices(8), job)
        result = proven(state, made, tmp_path / "out", checker)
    assert result.first_layers is None
    assert result.largest_output
