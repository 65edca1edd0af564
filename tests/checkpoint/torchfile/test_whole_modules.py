"""Pickled modules of new and old versions of torch, TorchScript and torch.package."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch
from torch import nn, package

from pruneapp.checkpoint import parser_client
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.torchfile import zip_format
from pruneapp.errors import CheckpointError
from tests.checkpoint.torchfile.hostile_torch import saved
from tests.support import old_pickles

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")


class Net(nn.Module):
    """Layers, parameters and buffers with uninformative or misleading names."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
        self.words = nn.Embedding(20, 16)
        self.norm_proj = nn.Linear(8, 4)
        self.anchors = nn.Parameter(torch.randn(4, 4))
        self.register_buffer("table", torch.randn(4, 4))
        self.register_buffer("unsaved", torch.randn(4, 4), persistent=False)
        self.plain = torch.randn(4, 4)

    def forward(self, x: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        y = self.norm_proj(self.net(x).mean((2, 3))) @ (self.anchors @ self.table)
        return y @ (self.unsaved + self.plain) + self.words(words).sum()


def example() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.ones(1, 3, 5, 5), torch.tensor([[1, 2]])


def scripted(path: Path, how: str) -> Path:
    """Save a TorchScript program, frozen or traced according to `how`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Net().eval()
        traced = "traced" in how
        program = torch.jit.trace(model, example()) if traced else torch.jit.script(model)
        if "frozen" in how:
            program = torch.jit.freeze(program)
        program.save(str(path))
    return path


def packaged(path: Path, **contents: object) -> Path:
    with warnings.catch_warnings(), package.PackageExporter(path) as out:
        warnings.simplefilter("ignore")
        out.extern("**")
        for name, value in contents.items():
            out.save_pickle("stored", name, value)
        out.save_text("stored", "note.txt", "a text")
    return path


def by_default(checkpoint: Checkpoint) -> set[str]:
    return {name for name, entry in checkpoint.entries.items() if entry.by_default}


MODULES = {
    "whole module": lambda path: path.write_bytes(saved(Net())),
    "before 1.6": lambda path: path.write_bytes(saved(Net(), _use_new_zipfile_serialization=False)),
    "scripted": lambda path: scripted(path, "scripted"),
    "traced": lambda path: scripted(path, "traced"),
    "package": lambda path: packaged(path, model=Net()),
}


@pytest.mark.parametrize("kind", MODULES)
def test_the_file_says_what_is_a_buffer(kind: str, tmp_path: Path):
    """Parameters and buffers are those of the model, whatever their names are."""
    path = tmp_path / "model.pt"
    MODULES[kind](path)
    model = Net()
    parameters = {name for name, _ in model.named_parameters()}
    with open_checkpoint(path) as checkpoint:
        assert {n for n, e in checkpoint.entries.items() if e.learned} == parameters
        # Tables, such as anchors, are not pruned by default, though they may be parameters.
        assert by_default(checkpoint) == {"net.0.weight", "norm_proj.weight"}
        assert checkpoint.entry("anchors").prunable
        assert checkpoint.entry("table").kind == "buffer"
        assert checkpoint.entry("table").prunable
        assert checkpoint.entry("words.weight").kind == "embedding"
        assert checkpoint.entry("net.1.running_mean").kind == "statistics"
        for name, tensor in model.state_dict().items():
            assert torch.equal(checkpoint.read(name), tensor)


def test_a_state_dict_of_parameters_says_so(tmp_path: Path):
    content = {"anchors": nn.Parameter(torch.ones(2, 2)), "b.anchors": torch.ones(2, 2)}
    path = tmp_path / "model.pt"
    path.write_bytes(saved(content))
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.entry("anchors").learned
        assert checkpoint.entry("anchors").prunable
        assert not checkpoint.entry("b.anchors").learned


def test_a_parameter_that_is_a_buffer_elsewhere_is_a_parameter(tmp_path: Path):
    model = nn.Module()
    model.register_buffer("first", torch.ones(2, 2))
    model.second = nn.Parameter(model.first)
    model.register_buffer("third", torch.ones(2, 2))
    path = tmp_path / "model.pt"
    path.write_bytes(saved(model))
    with open_checkpoint(path) as checkpoint:
        assert {n: e.learned for n, e in checkpoint.entries.items()} == {
            "second": True,
            "third": False,
        }


@pytest.mark.parametrize("kind", ["whole module", "scripted"])
def test_what_the_file_says_crosses_between_processes(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "model.pt"
    MODULES[kind](path)
    with open_checkpoint(path) as checkpoint:
        here = checkpoint.contents
    monkeypatch.setattr(zip_format, "IN_PROCESS", 100)
    calls: list[str] = []
    elsewhere = parser_client.parse_torch
    monkeypatch.setattr(
        parser_client, "parse_torch", lambda *args: calls.append(args[1]) or elsewhere(*args)
    )
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.contents == here
    assert calls == ["torch"]


@pytest.mark.parametrize("protocol", [1, 2])
@pytest.mark.parametrize("layout", old_pickles.LAYOUTS)
@pytest.mark.parametrize("wrapped", [False, True])
def test_modules_of_old_versions_open(layout: str, protocol: int, wrapped: bool, tmp_path: Path):
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Linear(8, 2))
    # Attributes of old modules, and objects of classes that torch has removed.
    model[0]._backend = old_pickles.Made(
        old_pickles.Named("torch.nn.backends.thnn", "_get_thnn_function_backend"), ()
    )
    content = {"epoch": 50, "model": nn.DataParallel(model) if wrapped else model}
    path = tmp_path / "model.pth"
    path.write_bytes(old_pickles.saved(content, layout, protocol))
    prefix = "module." * wrapped
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.contents.state_dict == "model"
        assert checkpoint.contents.outside_keys == ("epoch",)
        assert list(checkpoint.entries) == [prefix + name for name in model.state_dict()]
        for name, tensor in model.state_dict().items():
            assert torch.equal(checkpoint.read(prefix + name), tensor)
        assert by_default(checkpoint) == {f"{prefix}0.weight", f"{prefix}2.weight"}
        assert not checkpoint.entry(f"{prefix}1.running_mean").learned


@pytest.mark.parametrize("state", [1, (1, 2, 3), (1, 0, (2,), (1,)), (None, 0, (2,), (1,))])
def test_an_old_tensor_with_another_state_is_damage(state: object, tmp_path: Path):
    broken = old_pickles.Made(old_pickles.Named("torch", "FloatTensor"), (), state)
    content = {"a": torch.ones(2, 2), "b": broken}
    path = tmp_path / "model.pth"
    path.write_bytes(old_pickles.saved(content, "parameter classes"))
    with pytest.raises(CheckpointError, match="tensor"):
        open_checkpoint(path).close()


@pytest.mark.parametrize("how", ["frozen scripted", "frozen traced"])
def test_constants_of_a_frozen_program_are_its_weights(how: str, tmp_path: Path):
    """Its role is determined by the operator that reads it."""
    path = scripted(tmp_path / "model.pt", how)
    with open_checkpoint(path) as checkpoint:
        assert all(name.startswith("CONSTANTS.c") for name in checkpoint.entries)
        kinds = {entry.shape: entry.kind for entry in checkpoint.entries.values()}
        assert kinds[8, 3, 3, 3] == "Conv2d"
        assert kinds[4, 8] == "Linear"
        assert kinds[20, 16] == "embedding"
        assert kinds[4,] == "bias"
        weights = {checkpoint.entry(name).shape for name in by_default(checkpoint)}
        # A product of two constants is a constant; it is multiplied with the input.
        assert weights == {(8, 3, 3, 3), (4, 8), (4, 4)}
        program = torch.jit.load(str(path))
        nodes = program.graph.findAllNodes("prim::Constant")
        values = [node.output().toIValue() for node in nodes]
        found = {tuple(v.shape): v for v in values if isinstance(v, torch.Tensor)}
        for name, entry in checkpoint.entries.items():
            if entry.shape != (4, 4):
                assert torch.equal(checkpoint.read(name), found[entry.shape])


def test_constants_beside_attributes_are_no_weights_unless_an_operator_says_so(tmp_path: Path):
    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(4, 4)
            self.mask, self.matrix = torch.tril(torch.ones(4, 4)), torch.randn(4, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.fc(x) * self.mask @ self.matrix

    path = tmp_path / "model.pt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.trace(Masked(), torch.ones(4, 4)).save(str(path))
    with open_checkpoint(path) as checkpoint:
        constants = [n for n in checkpoint.entries if n.startswith("CONSTANTS")]
        assert {"fc.weight", *constants} == by_default(checkpoint)
        assert len(constants) == 1


def test_a_package_offers_each_pickle(tmp_path: Path):
    small = {"w": torch.ones(2, 2)}
    path = packaged(tmp_path / "model.pt", small=small, model=Net())
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.contents.label == "torch.package"
        assert [s.key for s in checkpoint.contents.state_dicts] == ["stored/model", "stored/small"]
        assert "net.0.weight" in checkpoint.entries
    with open_checkpoint(path, state_dict="stored/small") as checkpoint:
        assert torch.equal(checkpoint.read("w"), small["w"])
