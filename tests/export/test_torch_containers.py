"""Torch files of all kinds with pruned weights, loaded by torch."""

from __future__ import annotations

import argparse
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import functools
import io
import pathlib
import pickle
import types
import uuid
import warnings
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn, package

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.torchfile.rebuild import runs_code
from pruneapp.checkpoint.torchfile.torch_objects import Global
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportReport, ExportRequest
from pruneapp.progress import Job
from tests.support import old_pickles
from tests.support.containers import as_snapshot

pytestmark = pytest.mark.filterwarnings("ignore:.*(torch.jit|TypedStorage|torch.load).*")


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
        self.head = nn.Linear(8, 4)
        self.register_buffer("table", torch.randn(4, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.net(x).mean((2, 3))) * self.table[0]


def pruned(checkpoint: Checkpoint, path: Path, **params: str) -> ExportReport:
    """Prune every second weight of the default selection, and export it as a torch file."""
    kept = {
        name: np.arange(entry.numel).reshape(entry.shape) % 2 == 0
        for name, entry in checkpoint.entries.items()
        if entry.by_default
    }
    assert kept
    return export(as_snapshot(checkpoint, kept), ExportRequest("torch", path, params=params), Job())


def expected() -> Net:
    model = Net().eval()
    for weight in (model.net[0].weight, model.head.weight):
        weight.data.view(-1)[1::2] = 0
    return model


X = torch.ones(1, 3, 5, 5)


def _program(path: Path, how: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Net().eval()
        program = torch.jit.trace(model, X) if "traced" in how else torch.jit.script(model)
        if "frozen" in how:
            # Without folding the norm into the convolution, which changes the weights.
            program = torch.jit.freeze(program, optimize_numerics=False)
        program.save(str(path))


def _package(path: Path) -> None:
    with package.PackageExporter(path) as out:
        out.extern("**")
        out.save_pickle("stored", "model.pkl", Net().eval())


def _load_package(path: Path) -> nn.Module:
    return package.PackageImporter(path).load_pickle("stored", "model.pkl")


def _load_module(path: Path) -> nn.Module:
    return torch.load(path, weights_only=False)


PROGRAMS = {
    "whole module": (lambda path: torch.save(Net().eval(), path), _load_module),
    "whole module before 1.6": (
        lambda path: torch.save(Net().eval(), path, _use_new_zipfile_serialization=False),
        _load_module,
    ),
    **{
        how: (functools.partial(_program, how=how), lambda path: torch.jit.load(str(path)))
        for how in ("scripted", "traced", "frozen scripted", "frozen traced")
    },
    "package": (_package, _load_package),
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_program_stays_one_with_pruned_weights(kind: str, tmp_path: Path):
    """Its outputs equal those of torch with the same weights."""
    save, load = PROGRAMS[kind]
    save(tmp_path / "in.pt")
    with open_checkpoint(tmp_path / "in.pt") as checkpoint:
        report = pruned(checkpoint, tmp_path / "out.pt")
        with torch.no_grad():
            wanted = expected()(X)
            assert torch.equal(load(tmp_path / "out.pt")(X), wanted)
            assert not torch.equal(load(tmp_path / "in.pt")(X), wanted)
        names = {"model": Net().eval()}
        exec(report.loads, names)
        assert torch.equal(names["model"](X), wanted)
        assert not any("state dict was written" in notice for notice in report.notices)
        plain = pruned(checkpoint, tmp_path / "plain.pt", container="state-dict")
        found = torch.load(tmp_path / "plain.pt", weights_only=True)
        assert list(found) == [n for e in checkpoint.entries.values() for n in e.names]
        if "frozen" not in kind:
            strict = Net().eval()
            strict.load_state_dict(found)
            assert torch.equal(strict(X), wanted)
        assert "A plain state dict was written, because that was chosen." in plain.notices


@pytest.mark.parametrize("layout", old_pickles.LAYOUTS)
def test_old_modules_are_changed_in_place_or_written_as_a_state_dict(layout: str, tmp_path: Path):
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Linear(8, 2))
    raw = old_pickles.saved({"epoch": 50, "model": model}, layout)
    (tmp_path / "in.pth").write_bytes(raw)
    with open_checkpoint(tmp_path / "in.pth") as checkpoint:
        pruned(checkpoint, tmp_path / "out.pth")
        pruned(checkpoint, tmp_path / "plain.pth", container="state-dict")
    for layer in model:
        old = layer.weight.detach().numpy().tobytes()
        layer.weight.data.view(-1)[1::2] = 0
        raw = raw.replace(old, layer.weight.detach().numpy().tobytes())
    assert (tmp_path / "out.pth").read_bytes() == raw
    plain = torch.load(tmp_path / "plain.pth", weights_only=True)
    assert all(torch.equal(plain[name], t) for name, t in model.state_dict().items())


class Color(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Settings:
    rate: float


class Tuned(OrderedDict):
    """A state dict of a user-defined class."""


OBJECTS = {
    "bytes in memory": io.BytesIO(b"scales of float8"),
    "text in memory": io.StringIO("text"),
    "namespace": argparse.Namespace(rate=0.1),
    "simple namespace": types.SimpleNamespace(rate=0.1),
    "path": pathlib.PosixPath("/data"),
    "defaultdict": collections.defaultdict(list, a=[1]),
    "counter": collections.Counter("aab"),
    "deque": collections.deque([1, 2]),
    "date": dt.datetime(2020, 1, 2, tzinfo=dt.UTC),
    "decimal": decimal.Decimal("0.1"),
    "fraction": fractions.Fraction(1, 3),
    "uuid": uuid.UUID(int=7),
    "enum": Color.RED,
    "dataclass": Settings(0.1),
    "partial": functools.partial(nn.LayerNorm, eps=1e-6),
    "function": torch.nn.functional.relu,
    "type of None": type(None),
    "number": np.float64(0.5),
    "module": nn.ReLU(),
    "optimizer": torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1),
    "set": {1, 2},
    "complex": 1 + 2j,
}


def _shown(value: object) -> object:
    if isinstance(value, io.BytesIO | io.StringIO):
        return value.getvalue()
    return repr(value)


@pytest.mark.parametrize(("protocol", "legacy"), [(4, False), (2, True)])
@pytest.mark.parametrize("kind", OBJECTS)
def test_no_object_costs_the_rest_of_the_file(
    kind: str, protocol: int, legacy: bool, tmp_path: Path
):
    weights = Tuned({"fc.weight": torch.ones(4, 4), "fc._extra_state": OBJECTS[kind]})
    content = {"model": weights, "iteration": 500, "args": OBJECTS[kind],
               "optimizer": {"state": {}, "param_groups": [{"lr": 0.1}]}}  # fmt: skip
    torch.save(
        content, tmp_path / "in.pt", pickle_protocol=protocol,
        _use_new_zipfile_serialization=not legacy,
    )  # fmt: skip
    with open_checkpoint(tmp_path / "in.pt") as checkpoint:
        report = pruned(checkpoint, tmp_path / "out.pt")
        shown = " ".join((*checkpoint.contents.non_tensor_keys, *checkpoint.entries))
        assert "fc._extra_state" in shown
    found = torch.load(tmp_path / "out.pt", weights_only=False)
    assert list(found) == list(content)
    assert type(found["model"]) is Tuned
    assert found["iteration"] == 500
    assert found["optimizer"] == content["optimizer"]
    assert found["model"]["fc.weight"].flatten().tolist() == [1.0, 0.0] * 8
    for value in (found["args"], found["model"]["fc._extra_state"]):
        assert _shown(value) == _shown(OBJECTS[kind])
    assert not any(notice.startswith("Not included") for notice in report.notices)


@pytest.mark.parametrize("core", ["core", "_core"])
def test_numbers_of_numpy_are_known_by_old_and_new_names(core: str, tmp_path: Path):
    raw = pickle.dumps({"w": 1, "loss": np.float64(0.5)}, 2)
    raw = raw.replace(b"numpy._core.", f"numpy.{core}.".encode())
    torch.save({"w": torch.ones(2, 2)}, tmp_path / "in.pt")
    machine_input = io.BytesIO()

    class Numbers(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> object:
            assert module.startswith(("numpy", "_codecs"))
            machine_input.write(f"{module}.{name}\n".encode())
            return super().find_class(module.replace("numpy.core.", "numpy._core."), name)

    assert Numbers(io.BytesIO(raw)).load()["loss"] == 0.5
    assert f"numpy.{core}.multiarray.scalar" in machine_input.getvalue().decode()
    for path in machine_input.getvalue().decode().split():
        module, _, name = path.rpartition(".")
        assert not runs_code(Global(module, name, called=True))


def test_a_list_of_state_dicts_keeps_all(tmp_path: Path):
    torch.save([{"w": torch.ones(4, 4)}, {"w": torch.ones(2, 2)}, 7], tmp_path / "in.pt")
    with open_checkpoint(tmp_path / "in.pt") as checkpoint:
        assert [s.key for s in checkpoint.contents.state_dicts] == ["0", "1"]
        pruned(checkpoint, tmp_path / "out.pt")
    first, second, last = torch.load(tmp_path / "out.pt")
    assert first["w"].count_nonzero() == 8
    assert torch.equal(second["w"], torch.ones(2, 2))
    assert last == 7


def test_what_shares_memory_with_pruned_weights_is_said_to_change(tmp_path: Path):
    weight, other = torch.randn(8, 8), torch.randn(8, 8)
    array = np.ones((8, 8), np.float32)
    content = {
        "model": {"a.weight": weight, "b.weight": other, "c.weight": array},
        "best_model": {"a.weight": weight},
        "rows": [weight[3:5]],
        "ema": {"a.weight": other.clone()},
        "arrays": {"c": array},
        "epoch": 3,
    }
    torch.save(content, tmp_path / "in.pt")
    with open_checkpoint(tmp_path / "in.pt", state_dict="model") as checkpoint:
        assert dict(checkpoint.contents.keys_sharing_memory) == {
            "best_model": ("a.weight",),
            "rows": ("a.weight",),
            "arrays": ("c.weight",),
        }
        report = pruned(checkpoint, tmp_path / "out.pt")
    found = torch.load(tmp_path / "out.pt", weights_only=False)
    kept = next(notice for notice in report.notices if notice.startswith("Kept unchanged"))
    changed = " ".join(notice for notice in report.notices if notice.startswith("Changed as well"))
    for key, same in {
        "best_model": torch.equal(found["best_model"]["a.weight"], weight),
        "rows": torch.equal(found["rows"][0], weight[3:5]),
        "ema": torch.equal(found["ema"]["a.weight"], other),
        "arrays": np.array_equal(found["arrays"]["c"], array),
        "epoch": True,
    }.items():
        assert (f"'{key}'" in kept) == same
        assert (f"'{key}'" in changed) == (not same)


@pytest.mark.parametrize(
    ("module", "name", "called", "runs"),
    [
        ("os", "system", True, True),
        ("os", "system", False, True),
        ("builtins", "getattr", True, True),
        ("models.yolo", "Model", True, False),
        ("models.yolo", "build_model", True, True),
        ("models.yolo", "activation", False, False),
        ("models.yolo", "os.system", True, True),
        ("models.yolo", "Outer.Inner", True, False),
        ("models.yolo", "Popen", True, True),
        ("torch.nn.modules.linear", "Linear", True, False),
        ("torch.nn.modules.module", "torch.hub.load", True, True),
        ("torch.hub", "load", True, True),
        ("torch.nn.functional", "relu", True, True),
        ("torch.cuda", "FloatTensor", True, False),
        ("numpy", "load", True, True),
        ("subprocess", "Popen", True, True),
        ("posix", "system", True, True),
        ("__torch__.net", "net", True, False),
        ("_io", "BytesIO", True, False),
        ("_io", "FileIO", True, True),
    ],
)
def test_which_names_run_code(module: str, name: str, called: bool, runs: bool):
    assert runs_code(Global(module, name, called)) is runs
