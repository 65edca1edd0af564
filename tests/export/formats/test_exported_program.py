"""A program of torch.export keeps its container: torch loads it with its graph."""

from __future__ import annotations

import warnings
import zipfile

import numpy as np
import pytest
import torch
from torch import nn

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.repaired_values import as_values
from pruneapp.errors import ExportError
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Job
from tests.checkpoint.torchfile.rawzip import Raw, rawzip


class Net(nn.Module):
    """A tied weight, a transposed weight, a buffer of another dtype, a constant."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.line = nn.Embedding(7, 6), nn.Linear(6, 7, bias=False)
        self.line.weight = self.table.weight
        self.conv = nn.Conv2d(6, 5, 3).to(memory_format=torch.channels_last)
        self.small = nn.Parameter(torch.randn(5, 4, dtype=torch.bfloat16))
        self.register_buffer("scale", torch.arange(5.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv(self.table(x).permute(0, 3, 1, 2)).mean((2, 3)) * self.scale
        return (
            y @ self.small.float() + self.line(self.table(x)).mean() + torch.tensor([1.0, 2, 3, 4])
        )


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("exported") / "net.pt2"
    example = torch.zeros(2, 4, 4, dtype=torch.long)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of non-contiguous weights
        torch.export.save(torch.export.export(Net().eval(), (example,)), path)
    return path


def halved(checkpoint, names):
    """Return a state in which every other weight of some tensors is pruned."""
    sizes = {name: checkpoint.entry(name).numel for name in names}
    masks = {n: BitMask.from_bools(np.arange(size) % 2 == 0) for n, size in sizes.items()}
    return Snapshot(checkpoint, MaskLayers(MaskSet(masks)))


NAMES = "table.weight", "conv.weight", "small"


def test_it_runs_with_pruned_weights_and_nothing_else_has_changed(saved, tmp_path):
    with open_checkpoint(saved) as checkpoint:
        report = export(
            halved(checkpoint, NAMES), ExportRequest("pt2", tmp_path / "out.pt2"), Job()
        )
    assert report.verified
    assert not report.notices
    model = Net().eval()
    wanted = {name: value.clone() for name, value in torch.export.load(saved).state_dict.items()}
    for name in NAMES:
        values = wanted[name].detach()
        wanted[name] = (values.flatten() * (torch.arange(values.numel()) % 2 == 0)).view_as(values)
    wanted["line.weight"] = wanted["table.weight"]
    model.load_state_dict(wanted)
    loaded = torch.export.load(tmp_path / "out.pt2")
    assert loaded.state_dict["conv.weight"].is_contiguous(memory_format=torch.channels_last)
    for name, value in loaded.state_dict.items():
        assert torch.equal(value, wanted[name]), name
    x = torch.randint(0, 7, (2, 4, 4))
    assert torch.equal(loaded.module()(x), model(x))
    with zipfile.ZipFile(saved) as before, zipfile.ZipFile(tmp_path / "out.pt2") as after:
        assert after.namelist() == before.namelist()
        changed = [name for name in before.namelist() if after.read(name) != before.read(name)]
    assert len(changed) == len(NAMES)
    assert all("/data/weights/weight_" in name for name in changed)


def test_the_report_says_how_it_is_loaded(saved, tmp_path):
    with open_checkpoint(saved) as checkpoint:
        request = ExportRequest("pt2", tmp_path / "out.pt2")
        report = export(halved(checkpoint, NAMES), request, Job())
    found: dict[str, nn.Module] = {}
    exec(report.loads, found)
    assert found["model"](torch.zeros(2, 4, 4, dtype=torch.long)).shape == (2, 4)


def test_repaired_values_are_written(saved, tmp_path):
    with open_checkpoint(saved) as checkpoint:
        new = np.arange(42, dtype=np.float32)
        state = Snapshot(
            checkpoint, MaskLayers(MaskSet({}), values=MaskSet({"table.weight": as_values(new)}))
        )
        export(state, ExportRequest("pt2", tmp_path / "out.pt2"), Job())
    loaded = torch.export.load(tmp_path / "out.pt2").state_dict
    for name in ("table.weight", "line.weight"):
        assert loaded[name].flatten().tolist() == new.tolist()


def repaired_in_another_order(saved, folder):
    """Replace the values of a non-contiguous tensor."""
    return saved, {"conv.weight": as_values(np.ones(270, np.float32))}


def compressed(saved, folder):
    """Write the archive with compressed members, which torch never does."""
    with zipfile.ZipFile(saved) as archive:
        members = [Raw(name, archive.read(name), 8) for name in archive.namelist()]
    (folder / "packed.pt2").write_bytes(rawzip(members))
    return folder / "packed.pt2", {}


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (repaired_in_another_order, "'conv.weight' has new values, but is not stored contiguously"),
        (compressed, "is stored compressed"),
    ],
)
def test_what_cannot_be_changed_in_its_place_is_refused(saved, tmp_path, make, says):
    path, values = make(saved, tmp_path)
    with open_checkpoint(path) as checkpoint:
        layers = halved(checkpoint, [] if values else NAMES).layers
        layers = MaskLayers(layers.masks, values=MaskSet(values))
        with pytest.raises(ExportError) as caught:
            export(Snapshot(checkpoint, layers), ExportRequest("pt2", tmp_path / "out.pt2"), Job())
    assert says in caught.value.sentence
    assert "safetensors" in caught.value.remedy
    assert not (tmp_path / "out.pt2").exists()
