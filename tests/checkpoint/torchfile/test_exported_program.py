"""Programs of torch.export compared with torch; and invalid ones."""

from __future__ import annotations

import json
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.torchfile import zip_format
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import CheckpointError
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job
from tests.checkpoint.torchfile.rawzip import Raw, rawzip

Config = dict[str, Any]
CONFIG, GRAPH = "net/data/weights/model_weights_config.json", "net/models/model.json"


class Net(nn.Module):
    """State dict entries of all kinds: ties, views, other dtypes, empty tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.line = nn.Embedding(7, 6), nn.Linear(6, 7, bias=False)
        self.line.weight = self.table.weight
        self.conv, self.norm = nn.Conv1d(6, 4, 3), nn.BatchNorm1d(4)
        self.register_buffer("short", torch.randn(3, dtype=torch.bfloat16))
        self.register_buffer("turned", torch.arange(12.0).reshape(3, 4).t())
        self.register_buffer("unsaved", torch.ones(5), persistent=False)
        self.large = nn.Parameter(torch.randn(4, 4))
        self.part = nn.Parameter(self.large.detach()[1:3])
        self.empty = nn.Parameter(torch.zeros(0, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv(self.table(x).transpose(1, 2))
        y = y.masked_fill(y > 3, -torch.inf)
        rest = (self.short, self.turned, self.unsaved, self.large, self.part, self.empty)
        total = self.norm(y).sum() + self.line(self.table(x)).sum()
        return total + sum(each.sum() for each in rest)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("exported") / "net.pt2"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(Net().eval(), (torch.zeros(1, 5, dtype=torch.long),))
        torch.export.save(program, path)
    return path


def _changed(
    saved: Path, path: Path, change: Callable[[dict[str, bytes]], None], *, packed: bool = False
) -> Path:
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    method = 8 if packed else 0
    path.write_bytes(rawzip([Raw(name, data, method) for name, data in members.items()]))
    return path


def _with_config(change: Callable[[Config], None]) -> Callable[[dict[str, bytes]], None]:
    def changed(members: dict[str, bytes]) -> None:
        config = json.loads(members[CONFIG])
        change(config["config"])
        members[CONFIG] = json.dumps(config).encode()

    return changed


def _with(member: str, data: bytes | None) -> Callable[[dict[str, bytes]], None]:
    def changed(members: dict[str, bytes]) -> None:
        if data is None:
            del members[member]
        else:
            members[member] = data

    return changed


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_weights_are_those_of_torch(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool, elsewhere: bool
) -> None:
    path = _changed(saved, tmp_path / "net.pt2", lambda _: None, packed=True) if packed else saved
    if elsewhere:
        monkeypatch.setattr(zip_format, "IN_PROCESS", 10)

    with open_checkpoint(path) as checkpoint:
        wanted = torch.export.load(saved).state_dict

        assert (checkpoint.format, checkpoint.contents.label) == ("pt2", "torch.export")
        names = {n: e for e in checkpoint.entries.values() for n in e.names}
        assert names.keys() == wanted.keys()
        for name, entry in names.items():
            assert torch.equal(checkpoint.read(entry.name), wanted[name].detach())
        assert checkpoint.entry("table.weight").aliases == ("line.weight",)
        assert checkpoint.entry("large").why_not == "it shares memory with 'part'"
        assert not checkpoint.entry("conv.weight").why_not


def test_nothing_of_its_pickles_is_looked_at(saved: Path, tmp_path: Path) -> None:
    member = "net/data/sample_inputs/model.pt"
    path = _changed(saved, tmp_path / "net.pt2", _with(member, b"cos\nsystem\n"))

    with open_checkpoint(path) as checkpoint:
        assert len(checkpoint.entries) == 13


def test_of_several_programs_one_is_chosen(saved: Path, tmp_path: Path) -> None:
    def doubled(members: dict[str, bytes]) -> None:
        config = json.loads(members[CONFIG])["config"]
        one = {"config": {"small": config["conv.bias"]}}
        members["net/data/weights/other_weights_config.json"] = json.dumps(one).encode()
        members["net/models/other.json"] = members[GRAPH]

    path = _changed(saved, tmp_path / "net.pt2", doubled)

    with open_checkpoint(path) as checkpoint:
        assert [each.key for each in checkpoint.contents.state_dicts] == ["model", "other"]
        assert "conv.weight" in checkpoint.entries
    with open_checkpoint(path, state_dict="other") as checkpoint:
        assert list(checkpoint.entries) == ["small"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda c: c["conv.bias"].update(use_pickle=True), "a separate pickle"),
        (lambda c: c["conv.bias"].update(tensor_meta=None), "a separate pickle"),
        (lambda c: c["conv.bias"]["tensor_meta"].update(layout=2), "another layout"),
        (lambda c: c["conv.bias"]["tensor_meta"].update(dtype=99), "of type 99 of torch.export"),
    ],
)
def test_what_cannot_be_read_is_told(
    saved: Path, tmp_path: Path, change: Callable[[Config], None], reason: str
) -> None:
    path = _changed(saved, tmp_path / "net.pt2", _with_config(change))

    with open_checkpoint(path) as checkpoint:
        assert reason in checkpoint.contents.unreadable["conv.bias"]
        assert "conv.weight" in checkpoint.entries


def _meta(**values: Any) -> Callable[[dict[str, bytes]], None]:
    return _with_config(lambda c: c["conv.bias"]["tensor_meta"].update(values))


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        (_with(GRAPH, b'{"schema_version": {"major": 9, "minor": 0}}'), "of version 9 of the"),
        (_with(GRAPH, b'{"schema_version": {"major": "8"}}'), "has no valid major"),
        (_with(GRAPH, b'{"schema_version": {"major": true}}'), "has no valid major"),
        (_with(GRAPH, b"{}"), "has no valid schema_version for"),
        (_with(GRAPH, b'{"schema_version"'), "damaged: its 'models/model.json'"),
        (_with(GRAPH, b"[" * 100_000), "nested too deeply"),
        (_with(GRAPH, None), "compiled ahead of time"),
        (_with("net/archive_version", b"1"), "of version 1, and only version 0"),
        (_with("net/byteorder", b"big"), "big-endian"),
        (_with(CONFIG, None), "keeps its weights in a pickle"),
        (_with(CONFIG, b"[]"), "has no valid config for"),
        (_with(CONFIG, b'{"config": {"a": {}}}'), "has no valid use_pickle for 'a'"),
        (_with(CONFIG, b'{"config": {"a": 3}}'), "has no valid use_pickle for 'a'"),
        (_with(CONFIG, b'{"config": {}}'), "contains no tensors"),
        (_with("net/data/weights/weight_4", None), "are missing"),
        (_with("net/data/weights/weight_4", b"12"), "needs 16 bytes of storage 'weight_4'"),
        (_with_config(lambda c: c["conv.bias"].update(path_name="../../x")), "are missing"),
        (_meta(sizes=[{"as_int": 5}]), "needs 20 bytes"),
        (_meta(sizes=[{"as_int": -1}]), "contains -1"),
        (_meta(sizes=[{"as_int": 2**62}], strides=[{"as_int": 0}]), "makes"),
        (_meta(sizes=[{"as_expr": {"expr_str": "s0"}}]), "has no valid as_int for"),
        (_meta(sizes={}), "has no valid sizes for"),
        (_meta(sizes=[]), "0 dimensions and 1 strides"),
        (_meta(storage_offset={"as_int": 1}), "needs 20 bytes"),
        (_meta(storage_offset={"as_int": -1}), "contains -1"),
    ],
)
def test_what_is_wrong_is_said(
    saved: Path, tmp_path: Path, change: Callable[[dict[str, bytes]], None], refused: str
) -> None:
    path = _changed(saved, tmp_path / "net.pt2", change)

    with pytest.raises(CheckpointError) as caught:
        open_checkpoint(path).close()

    assert refused in str(caught.value)
    assert str(path) in str(caught.value)


def test_checksums_are_compared(saved: Path, tmp_path: Path) -> None:
    with open_checkpoint(saved) as checkpoint:
        offset = checkpoint.entry("conv.bias").location.offset
    data = bytearray(saved.read_bytes())
    data[offset] ^= 1
    (tmp_path / "net.pt2").write_bytes(data)

    with (
        open_checkpoint(tmp_path / "net.pt2") as checkpoint,
        pytest.raises(CheckpointError, match=r"conv\.bias"),
    ):
        checkpoint.read("conv.bias")


def test_export_says_that_the_graph_is_left_out(saved: Path, tmp_path: Path) -> None:
    with open_checkpoint(saved) as checkpoint:
        state = Snapshot(checkpoint)
        for name, suffix in (("safetensors", ".safetensors"), ("torch", ".pt")):
            request = ExportRequest(name, tmp_path / f"net{suffix}")
            report = export(state, request, Job())

            assert any("Not included: the graph of the program" in each for each in report.notices)
            with open_checkpoint(request.path) as written:
                assert written.entries.keys() == checkpoint.entries.keys()


def test_the_signature_says_what_is_a_buffer(tmp_path):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)
            self.anchors = nn.Parameter(torch.ones(4, 4))
            self.register_buffer("table", torch.ones(4, 4))

        def forward(self, x):
            return self.fc(x) @ self.table @ self.anchors

    path = tmp_path / "model.pt2"
    torch.export.save(torch.export.export(Model(), (torch.ones(2, 4),)), path)
    with open_checkpoint(path) as checkpoint:
        learned = {name: entry.learned for name, entry in checkpoint.entries.items()}
        assert learned == {"fc.weight": True, "fc.bias": True, "anchors": True, "table": False}
        assert not checkpoint.entry("table").by_default
        assert checkpoint.entry("table").kind == "buffer"
