"""Programs of torch.export: groups from their graph, cut, and run by torch."""

from __future__ import annotations

import json
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import UnsupportedFileError
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.groups.structure import Structure, Unknown, bind
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.methods.coupled_units import lowest_units, masks_without, score_units
from pruneapp.progress import Job
from pruneapp.shrink import program_file
from pruneapp.shrink.plan import Choices, plan
from pruneapp.shrink.record import read_record
from pruneapp.shrink.shrink import ShrinkRequest, shrink, verify_round_trip
from tests.shrink.vision_models import MODELS, make, randomize


class Joined(nn.Module):
    """Concatenates, pools, takes means, and flattens several entries per channel."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Conv2d(3, 12, 3, padding=1), nn.Conv2d(3, 10, 1)
        self.norm, self.mixed = nn.BatchNorm2d(22), nn.Conv2d(22, 14, 3, stride=2)
        self.grouped, self.last = nn.Conv2d(14, 14, 3, groups=7), nn.Conv2d(14, 8, 1)
        self.classes = nn.Linear(8 * 4, 16)
        self.out = nn.Linear(16, 5)

    def forward(self, x: Tensor) -> Tensor:
        y = torch.cat([self.left(x), functional.max_pool2d(self.right(x), 3, 1, 1)], 1)
        y = functional.relu(self.mixed(functional.silu(self.norm(y))))
        y = functional.adaptive_avg_pool2d(self.last(self.grouped(y)), 2)
        y = functional.hardswish(self.classes(y.flatten(1)))
        return self.out(y + 0.5 * y.mean(0, keepdim=True)).softmax(-1)


class Tied(nn.Module):
    """The same weight twice: both uses must keep the same units."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 12, 1)
        self.one, self.two = nn.Conv2d(12, 12, 1, bias=False), nn.Conv2d(12, 12, 1, bias=False)
        self.two.weight = self.one.weight
        self.head = nn.Conv2d(12, 4, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.one(functional.relu(self.stem(x)))
        return self.head(functional.relu(self.two(functional.relu(y))))


class Twice(nn.Module):
    """Concatenates channels with themselves, so that readers have two entries of each."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(3, 12, 3), nn.Conv2d(24, 4, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.one(x))
        return self.two(torch.cat([y, y], 1))


class Viewed(nn.Module):
    """Flattens by a view whose number of features torch computes."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(3, 12, 3), nn.Conv2d(12, 8, 3)
        self.out = nn.Linear(8 * 25, 4)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.two(functional.relu(self.one(x))))
        return self.out(y.view(y.size(0), -1))


def _made(name: str) -> tuple[nn.Module, tuple[int, ...]]:
    if name in MODELS:
        return make(name), MODELS[name][1]
    torch.manual_seed(0)
    model = (
        {"joined": Joined, "tied": Tied, "twice": Twice, "viewed": Viewed}[name]().double().eval()
    )
    randomize(model)
    return model, (2, 3, 9, 9)


def _saved(name: str, path: Path, *, dynamic: bool = False) -> nn.Module:
    model, shape = _made(name)
    batch = {"dynamic_shapes": ({0: torch.export.Dim("batch", min=2, max=64)},)} if dynamic else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = torch.zeros(shape, dtype=torch.float64)
        torch.export.save(torch.export.export(model, (x,), **batch), path)
    return model


def _masked(path: Path, share: float = 0.3) -> tuple[Snapshot, Structure]:
    state = Snapshot(open_checkpoint(path))
    structure = bind(state.checkpoint)
    assert isinstance(structure, Structure), structure
    job, units = Job(), []
    for group in structure.axes["channels"].groups:
        scores = score_units(group, state.view, "l2", CpuKernel(), job)
        units.append((group, lowest_units(scores, int(group.count * share), 1)))
    return state.with_masks(
        {"masks": masks_without([(g, state.view, u) for g, u in units], job)}
    ), structure


@pytest.mark.parametrize(
    ("name", "dynamic"),
    [
        *(
            (name, False)
            for name in (
                *("basic", "bottleneck", "mobilenet_v2", "efficientnet", "timm_mobilenet"),
                *("vit", "encoder", "joined", "tied", "twice", "viewed"),
            )
        ),
        # One for each way in which a graph has the size of the batch: none, reshapes, attention.
        *((name, True) for name in ("basic", "vit", "encoder", "viewed")),
    ],
)
def test_cut_program_says_what_the_masked_one_says(
    name: str, dynamic: bool, tmp_path: Path
) -> None:
    model = _saved(name, tmp_path / "net.pt2", dynamic=dynamic)
    state, structure = _masked(tmp_path / "net.pt2")
    out = tmp_path / "out"

    cut = plan(state, structure, Choices(multiple=1), Job())
    report = shrink(state, cut, ShrinkRequest(out, {}), Job())

    assert sorted(path.name for path in out.iterdir()) == ["net.pt2", "pruneapp.shrink.json"]
    assert (report.format, report.label) == ("pt2", "torch.export")
    assert not any("Not included" in notice for notice in report.notices)
    export(state, ExportRequest("safetensors", tmp_path / "masked.safetensors"), Job())
    model.load_state_dict(load_file(tmp_path / "masked.safetensors"), strict=False)
    small = torch.export.load(out / "net.pt2")
    batch = (5,) if dynamic else (2,)
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(batch + _made(name)[1][1:], dtype=torch.float64, generator=generator)
    with torch.no_grad():
        wanted = model(x)
        found = small.module()(x)
    assert torch.allclose(found, wanted, rtol=0, atol=1e-12 * wanted.abs().max())
    sizes = {n: tuple(t.shape) for n, t in small.state_dict.items()}
    assert sizes != {n: tuple(t.shape) for n, t in model.state_dict().items()}
    record = read_record(out)
    with open_checkpoint(out) as written:
        verify_round_trip(state, record.cut, written, Job(), folded=frozenset(record.folded))


def test_groups_of_a_graph(tmp_path: Path) -> None:
    _saved("joined", tmp_path / "net.pt2")
    with open_checkpoint(tmp_path / "net.pt2") as checkpoint:
        structure = bind(checkpoint)

    assert isinstance(structure, Structure)
    groups = {g.place: g for g in structure.axes["channels"].groups}
    # Not 14, which the grouped convolution does not allow. Each of the 8 is four entries after
    # flatten.
    counts = {place: g.count for place, g in groups.items()}
    assert counts == {"left": 12, "right": 10, "last": 8}
    members = {
        (m.name, m.dim): (m.role, m.layout.units(10).tolist()) for m in groups["right"].members
    }
    side = [-1] * 12 + list(range(10))
    assert members == {
        ("right.weight", 0): ("along", list(range(10))),
        ("right.bias", 0): ("along", list(range(10))),
        ("norm.weight", 0): ("along", side),
        ("norm.bias", 0): ("along", side),
        ("norm.running_mean", 0): ("along", side),
        ("norm.running_var", 0): ("along", side),
        ("mixed.weight", 1): ("output", side),
    }


class Flattened(nn.Module):
    """Two convolutions, the second of which a linear layer reads pixel by pixel."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(3, 16, 3), nn.Conv2d(16, 12, 3)
        self.three = nn.Linear(12 * 16, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = functional.max_pool2d(functional.relu(self.one(x)), 2)
        return self.three(torch.flatten(functional.relu(self.two(x)), 1)).softmax(-1)


def test_a_convolution_before_flatten_is_a_group(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model, path = Flattened().eval(), tmp_path / "net.pt2"
    torch.export.save(torch.export.export(model, (torch.ones(2, 3, 14, 14),)), path)
    state, structure = _masked(path, 0.5)
    groups = {g.place: g.count for g in structure.axes["channels"].groups}
    assert groups == {"one": 16, "two": 12}
    assert structure.graph is not None
    assert structure.graph.whole_layers == {
        "three.weight": (0, "'softmax' needs all of its channels")
    }
    cut = plan(state, structure, Choices(multiple=1), Job())
    shrink(state, cut, ShrinkRequest(tmp_path / "small.pt2", {}), Job())
    export(state, ExportRequest("safetensors", tmp_path / "masked.safetensors"), Job())
    model.load_state_dict(load_file(tmp_path / "masked.safetensors"))
    small = torch.export.load(tmp_path / "small.pt2")
    x = torch.randn(2, 3, 14, 14)
    assert torch.allclose(small.module()(x), model(x), atol=1e-6)
    assert small.state_dict["three.weight"].shape == (5, 6 * 16)


def test_what_reads_a_channel_decides(tmp_path: Path) -> None:
    model, shape = _made("basic")
    with torch.no_grad():
        model[1].conv2.weight[:, :4] = 0  # these are not read
        model[2].conv1.weight[:5] = 0  # a norm gives these a nonzero output
    program = torch.export.export(model, (torch.zeros(shape, dtype=torch.float64),))
    torch.export.save(program, tmp_path / "net.pt2")
    with open_checkpoint(tmp_path / "net.pt2") as checkpoint:
        structure = bind(checkpoint)
        assert isinstance(structure, Structure)

        cut = plan(Snapshot(checkpoint), structure, Choices(multiple=1), Job())

    assert [(c.group.place, c.kept.tolist()) for c in cut.cut.groups] == [
        ("1.conv1", list(range(4, 16)))
    ]


Change = Callable[[dict[str, Any]], object]


def _concatenate_numbers(program: dict[str, Any]) -> None:
    graph = program["graph_module"]["graph"]
    graph["tensor_values"]["number"] = {"sizes": []}
    graph["nodes"].append(
        {
            "target": "torch.ops.aten.cat.default",
            "inputs": [{"name": "tensors", "arg": {"as_tensors": [{"name": "number"}]}}],
            "outputs": [{"as_tensor": {"name": "number"}}],
        }
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda p: p.pop("graph_module"),
        lambda p: p["graph_module"].update(graph=[]),
        lambda p: p["graph_module"]["graph"].update(tensor_values={}),
        lambda p: p["graph_module"]["graph"].update(nodes=[1, 2]),
        lambda p: p["graph_module"]["graph"]["nodes"].insert(0, {"target": 3}),
        lambda p: p["graph_module"]["graph"]["nodes"][0].update(inputs=None),
        lambda p: p["graph_module"]["signature"].update(input_specs=[{"parameter": 1}]),
        lambda p: p["graph_module"]["signature"].update(input_specs=[{}]),
        _concatenate_numbers,
    ],
)
def test_graphs_that_contradict_themselves_are_refused(change: Change, tmp_path: Path) -> None:
    _saved("basic", tmp_path / "net.pt2")
    with zipfile.ZipFile(tmp_path / "net.pt2") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    program = json.loads(members["net/models/model.json"])
    change(program)
    members["net/models/model.json"] = json.dumps(program).encode()
    with zipfile.ZipFile(tmp_path / "bad.pt2", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)

    with open_checkpoint(tmp_path / "bad.pt2") as checkpoint:
        bound = bind(checkpoint)

    assert isinstance(bound, Unknown)
    assert "is not as torch.export writes it" in bound.why_not


def test_operators_that_nobody_knows_freeze_what_they_touch(tmp_path: Path) -> None:
    _saved("basic", tmp_path / "net.pt2")
    with zipfile.ZipFile(tmp_path / "net.pt2") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    text = members["net/models/model.json"].decode()
    members["net/models/model.json"] = text.replace(
        "aten.relu.default", "mine.act.default"
    ).encode()
    with zipfile.ZipFile(tmp_path / "mine.pt2", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)

    with open_checkpoint(tmp_path / "mine.pt2") as checkpoint:
        bound = bind(checkpoint)

    assert isinstance(bound, Unknown)
    assert "No channels of" in bound.why_not


def test_tensors_that_are_given_otherwise_freeze(tmp_path: Path) -> None:
    class Clamped(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = nn.Conv2d(3, 8, 1), nn.Conv2d(8, 4, 1)
            self.least = nn.Parameter(torch.zeros(8, 1, 1))

        def forward(self, x: Tensor) -> Tensor:
            return self.two(self.one(x).clamp(self.least)).mean()

    torch.export.save(torch.export.export(Clamped(), (torch.ones(1, 3, 4, 4),)), tmp_path / "n.pt2")
    with open_checkpoint(tmp_path / "n.pt2") as checkpoint:
        assert isinstance(bind(checkpoint), Unknown)


def test_members_too_large_to_go_along_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _saved("basic", tmp_path / "net.pt2")
    with zipfile.ZipFile(tmp_path / "net.pt2", "a") as archive:
        root = archive.namelist()[0].partition("/")[0]
        archive.writestr(f"{root}/extra/notes", b"ab" * 50, zipfile.ZIP_DEFLATED)
    monkeypatch.setattr(program_file, "_MOST_INFLATED", 99)
    state, structure = _masked(tmp_path / "net.pt2")
    cut = plan(state, structure, Choices(multiple=1), Job())

    with pytest.raises(UnsupportedFileError, match="extra/notes' of 100 bytes"):
        shrink(state, cut, ShrinkRequest(tmp_path / "out", {}), Job())
