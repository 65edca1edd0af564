"""Invalid indexes of shards: what opens, with which notice, and what an export writes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.formats.shard_names import complete_sets, unlisted_shards
from pruneapp.errors import CheckpointError, DamagedFileError
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job
from pruneapp.sessions.original import describe, find_original
from tests.support.containers import as_snapshot

INDEX = "model.safetensors.index.json"


def shard(number: int, count: int) -> str:
    return f"model-{number:05}-of-{count:05}.safetensors"


@dataclass(frozen=True)
class Folder:
    """A folder of shards with an index, and the expected result of opening it."""

    files: dict[str, tuple[str, ...]]  # the tensors of each file
    weight_map: dict[str, str]
    notice: str  # a part of the only notice
    total_size: int | None = None
    tensors: tuple[str, ...] = field(default=("a.weight", "b.weight"))

    def make(self, folder: Path) -> Path:
        generator = torch.Generator().manual_seed(0)
        for file, names in self.files.items():
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            tensors = {name: torch.randn(4, 4, generator=generator) for name in names}
            save_file(tensors, path, metadata={"format": "pt"})
        about = {} if self.total_size is None else {"total_size": self.total_size}
        index = {"metadata": about, "weight_map": self.weight_map}
        (folder / INDEX).write_text(json.dumps(index))
        return folder


TWO = {shard(1, 2): ("a.weight",), shard(2, 2): ("b.weight",)}
RIGHT = {"a.weight": shard(1, 2), "b.weight": shard(2, 2)}

FOLDERS = {
    "belongs to other shards": Folder(
        TWO, {"a.weight": shard(1, 4), "b.weight": shard(3, 4)}, "belongs to other files"
    ),
    "belongs to other shards, of which one is left": Folder(
        {shard(1, 4): ("a.weight",), shard(1, 1): ("a.weight", "b.weight")},
        {"a.weight": shard(1, 4), "b.weight": shard(3, 4)},
        "belongs to other files",
    ),
    "names a missing shard whose tensors are there": Folder(
        TWO, {"a.weight": shard(1, 2), "b.weight": "old.safetensors"}, "belongs to other files"
    ),
    "belongs to shards that were merged": Folder(
        {"m.safetensors": ("a.weight", "b.weight")}, RIGHT, "belongs to other files"
    ),
    "names a tensor that is in no shard": Folder(
        TWO, {**RIGHT, "mtp.weight": shard(2, 2)}, "'mtp.weight' is listed in"
    ),
    "names another shard": Folder(
        TWO, {"a.weight": shard(2, 2), "b.weight": shard(1, 2)}, "in another shard"
    ),
    "misses a shard": Folder(
        {**TWO, shard(2, 3): ("c.weight",), shard(1, 3): ("a.weight",), shard(3, 3): ("b.weight",)},
        {"a.weight": shard(1, 3), "b.weight": shard(3, 3)},
        f"'{shard(2, 3)}' is not in the index",
        tensors=("a.weight", "c.weight", "b.weight"),
    ),
    "misses a shard that repeats tensors": Folder(
        {shard(1, 2): ("a.weight", "b.weight"), shard(2, 2): ("b.weight",)},
        {"a.weight": shard(1, 2), "b.weight": shard(1, 2)},
        f"'{shard(2, 2)}' is not read",
    ),
    "misses a tensor": Folder(TWO, {"a.weight": shard(1, 2), "x": shard(2, 2)}, ""),
    "has a wrong size": Folder(TWO, RIGHT, "instead of 128", total_size=64),
    "has subfolders": Folder(
        {"x/model.safetensors": ("a.weight",), "y/z/model.safetensors": ("b.weight",)},
        {"a.weight": "x/model.safetensors", "b.weight": "y/z/model.safetensors"},
        "",
        total_size=128,
    ),
    "misses a shard of a subfolder": Folder(
        {f"x/{shard(1, 2)}": ("a.weight",), f"x/{shard(2, 2)}": ("b.weight",)},
        {"a.weight": f"x/{shard(1, 2)}"},
        f"'x/{shard(2, 2)}' is not in the index",
    ),
    "is correct": Folder(TWO, RIGHT, "", total_size=128),
}


@pytest.fixture(params=FOLDERS, ids=[name.replace(" ", "-") for name in FOLDERS])
def case(request):
    return FOLDERS[request.param]


@pytest.fixture
def home(case, tmp_path):
    folder = case.make(tmp_path / "model")
    if (merged := folder / "m.safetensors").exists():
        merged.rename(folder / INDEX.removesuffix(".index.json"))
        (folder / INDEX).rename(folder / "other.safetensors.index.json")
        (folder / "model.safetensors").rename(folder / "other.safetensors")
    return folder


@pytest.fixture(params=["folder", "index"])
def opened(request, home):
    (index,) = home.glob("*.index.json")
    with open_checkpoint(home if request.param == "folder" else index) as checkpoint:
        yield checkpoint


def stored(folder: Path) -> dict[str, torch.Tensor]:
    """Return all tensors of a folder, from any file."""
    tensors: dict[str, torch.Tensor] = {}
    for file in sorted(folder.rglob("*.safetensors")):
        tensors |= load_file(file)
    return tensors


class TestOpening:
    def test_every_tensor_is_there_and_a_notice_says_what_is_wrong(self, opened, case, home):
        assert tuple(opened.entries) == case.tensors
        assert opened.folder == home
        notices = " ".join(notice.text for notice in opened.contents.notices)
        assert case.notice in notices
        assert bool(notices) == (bool(case.notice) or "x" in case.weight_map)
        for entry in opened.entries.values():
            path = opened.sources[entry.location.source].path
            assert torch.equal(opened.read(entry.name), load_file(path)[entry.name])

    def test_shards_are_known_by_their_path_in_the_folder(self, opened, home):
        for each in opened.contents.shards:
            assert each.path == home / each.name

    def test_a_session_finds_the_files_again(self, opened, tmp_path):
        original = describe(opened, Job())
        found = find_original(original, tmp_path / "work.prune", Job())
        assert found.path == opened.path
        assert not found.files


class TestExport:
    def test_the_export_has_a_correct_index_that_needs_no_notice(self, opened, case, tmp_path):
        out = tmp_path / "out"
        export(as_snapshot(opened, {}), ExportRequest("safetensors", out), Job())
        (path,) = out.glob("*.index.json")
        index = json.loads(path.read_text())

        assert set(index["weight_map"]) == set(case.tensors)
        for name, file in index["weight_map"].items():
            with safe_open(out / file, "pt") as shard_file:
                assert torch.equal(shard_file.get_tensor(name), opened.read(name))
        total = sum(entry.nbytes for entry in opened.entries.values())
        assert index["metadata"].get("total_size", total) == total
        assert set(stored(out)) == set(case.tensors)
        with open_checkpoint(out) as again:
            assert not again.contents.notices
            assert tuple(again.entries) == case.tensors

    def test_a_correct_index_is_copied_byte_for_byte(self, tmp_path):
        home = FOLDERS["is correct"].make(tmp_path / "model")
        with open_checkpoint(home) as opened:
            export(as_snapshot(opened, {}), ExportRequest("safetensors", tmp_path / "out"), Job())
        assert (tmp_path / "out" / INDEX).read_bytes() == (home / INDEX).read_bytes()

    def test_a_torch_export_keeps_the_subfolders(self, tmp_path):
        home = FOLDERS["has subfolders"].make(tmp_path / "model")
        with open_checkpoint(home) as opened:
            export(as_snapshot(opened, {}), ExportRequest("torch", tmp_path / "out"), Job())
        index = json.loads((tmp_path / "out" / "pytorch_model.bin.index.json").read_text())
        assert index["weight_map"]["b.weight"] == "y/z/pytorch_model.bin"
        tensors = torch.load(tmp_path / "out" / "y/z/pytorch_model.bin", weights_only=True)
        assert torch.equal(tensors["b.weight"], stored(home)["b.weight"])


class TestRefused:
    @pytest.mark.parametrize(
        "folder",
        [
            Folder({shard(1, 2): ("a.weight",)}, RIGHT, ""),
            Folder({shard(1, 2): ("a.weight",)}, {**RIGHT, "c": "x.safetensors"}, ""),
            # The shards are complete, but a tensor may be in the file that is missing.
            Folder(TWO, {**RIGHT, "c.weight": "extra.safetensors"}, ""),
            # Two complete sets, so the choice is ambiguous.
            Folder(
                {**TWO, shard(1, 1): ("a.weight",)},
                {"a.weight": shard(1, 3), "b.weight": shard(2, 3)},
                "",
            ),
        ],
        ids=["a shard", "a shard and a file", "a file", "all"],
    )
    def test_files_that_are_missing(self, folder, tmp_path):
        with pytest.raises(DamagedFileError, match="is missing from") as caught:
            open_checkpoint(folder.make(tmp_path))
        assert "remove the index" in caught.value.remedy

    def test_a_subfolder_that_leads_out(self, tmp_path):
        outside = tmp_path / "outside"
        outside.mkdir()
        save_file({"a.weight": torch.ones(2, 2)}, outside / "1.safetensors")
        home = tmp_path / "model"
        home.mkdir()
        (home / "x").symlink_to(outside, target_is_directory=True)
        index = {"metadata": {}, "weight_map": {"a.weight": "x/1.safetensors"}}
        (home / INDEX).write_text(json.dumps(index))
        with pytest.raises(CheckpointError, match="outside the folder"):
            open_checkpoint(home)

    def test_a_session_whose_names_lead_out_of_the_folder(self, tmp_path):
        home = FOLDERS["has subfolders"].make(tmp_path / "model")
        with open_checkpoint(home) as opened:
            original = describe(opened, Job())
        kept = home / "x/model.orig.safetensors"
        (home / "x/model.safetensors").rename(kept)
        session = tmp_path / "work.prune"
        first, second = original.files
        assert find_original(original, session, Job()).files == {
            home / "x/model.safetensors": kept,
            home / "y/z/model.safetensors": home / "y/z/model.safetensors",
        }
        forged = msgspec.structs.replace(first, name="../model/x/model.safetensors")
        original = msgspec.structs.replace(original, files=(forged, second))
        assert not find_original(original, session, Job()).files


def test_complete_sets_have_every_number_in_one_folder():
    names = [shard(1, 2), f"x/{shard(2, 2)}", f"x/{shard(1, 2)}", "a.safetensors", shard(1, 1)]
    assert sorted(complete_sets(names)) == [
        (shard(1, 1),),
        (f"x/{shard(1, 2)}", f"x/{shard(2, 2)}"),
    ]


def test_unlisted_shards_belong_to_the_set_of_a_listed_one():
    names = [shard(1, 3), shard(2, 3), shard(3, 3), shard(1, 2), f"x/{shard(2, 3)}"]
    assert unlisted_shards(names, [shard(1, 3)]) == [shard(2, 3), shard(3, 3)]
