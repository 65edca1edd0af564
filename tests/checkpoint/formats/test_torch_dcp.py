"""Distributed checkpoints of torch: read in place, assembled, exported, and broken ones."""

from __future__ import annotations

import os
import pickle
import random
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.errors import CheckpointError, DamagedFileError, UnsupportedFileError
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job
from pruneapp.sessions.original import describe, find_original
from tests.support.containers import as_snapshot

GOLDEN = Path(__file__).parents[2] / "golden" / "dcp"

pytestmark = [
    pytest.mark.filterwarnings("ignore:torch.distributed is disabled"),
    pytest.mark.filterwarnings("ignore:.*TypedStorage is deprecated"),
    pytest.mark.logs,  # torch logs when its distributed package is imported
]


def save(state, folder):
    import torch.distributed.checkpoint as dcp  # takes seconds

    dcp.save(state, checkpoint_id=folder, no_dist=True)
    return folder


def small():
    generator = torch.Generator().manual_seed(0)
    return {
        "a.weight": torch.randn(8, 6, generator=generator),
        "b.weight": torch.randn(3, 2, 2, 2, generator=generator).bfloat16(),
    }


@pytest.fixture
def folder(tmp_path):
    return save({"model": small(), "step": 3}, tmp_path / "ckpt")


def metadata_of(folder: Path):
    return pickle.loads((folder / ".metadata").read_bytes())


def write_metadata(folder: Path, metadata: object) -> None:
    (folder / ".metadata").write_bytes(pickle.dumps(metadata))


class TestReading:
    @pytest.mark.parametrize("name", ["mesh", "fsdp"])
    def test_sharded_tensors_are_put_together(self, name):
        """DTensors on a mesh of 2×2 processes, and FSDP on two."""
        expected = {
            key.removeprefix(f"{name}."): tensor
            for key, tensor in load_file(GOLDEN / "expected.safetensors").items()
            if key.startswith(f"{name}.")
        }
        with open_checkpoint(GOLDEN / name) as opened:
            assert opened.contents.state_dict == "model"
            assert not opened.contents.notices
            assert set(opened.entries) == set(expected)
            for key, tensor in expected.items():
                assert torch.equal(opened.read(key), tensor)
                bits = opened.bits(key)
                for first in range(tensor.numel()):
                    for last in range(first + 1, tensor.numel() + 1):
                        assert (opened.bits(key, first, last) == bits[first:last]).all()

    def test_what_one_process_saved(self, tmp_path):
        types = [torch.float64, torch.float16, torch.float8_e4m3fn, torch.int32, torch.bool]
        state = {f"{number}.w": torch.ones(3, 5).to(kind) for number, kind in enumerate(types)}
        state |= {"t": torch.randn(4, 6).t(), "scalar": torch.tensor(2.5), "none": torch.ones(0, 3)}
        state["view"] = torch.randn(10, 10)[2:5, 1:4]
        with open_checkpoint(save({"model": state}, tmp_path / "ckpt")) as opened:
            assert set(opened.entries) == set(state)
            for name, tensor in state.items():
                assert opened.read(name).dtype == tensor.dtype
                assert torch.equal(opened.read(name).float(), tensor.float())

    def test_the_state_of_the_optimizer_is_no_part_of_the_model(self, tmp_path):
        moments = {name: torch.ones_like(t) for name, t in small().items()}
        state = {"net": small(), "optimizer": {"state": {"exp_avg": moments}, "lr": 0.1}, "n": 1}
        with open_checkpoint(save(state, tmp_path / "ckpt")) as opened:
            assert opened.contents.state_dict == "net"
            assert opened.contents.outside_keys == ("optimizer", "n")

    @pytest.mark.parametrize("prefix", ["", "chained_0."])
    def test_flat_names_of_megatron(self, tmp_path, prefix):
        state = {f"decoder.{name}": t for name, t in small().items()}
        more = {f"{prefix}optimizer.state.exp_avg.{n}": t for n, t in state.items()}
        folder = save(state | more, tmp_path / "ckpt")
        metadata = metadata_of(folder)
        metadata.planner_data = None
        write_metadata(folder, metadata)
        with open_checkpoint(folder) as opened:
            assert set(opened.entries) == set(state)

    def test_a_state_dict_can_be_chosen(self, tmp_path):
        state = {"model": small(), "ema": {n: t * 2 for n, t in small().items()}}
        folder = save(state, tmp_path / "ckpt")
        with open_checkpoint(folder, state_dict="ema") as opened:
            assert torch.equal(opened.read("a.weight"), state["ema"]["a.weight"])
        with pytest.raises(CheckpointError, match="no state dict named 'x'"):
            open_checkpoint(folder, state_dict="x")

    def test_opening_reads_no_weights(self, folder):
        with open_checkpoint(folder) as opened:
            *_, data = opened.files
            assert data.path.suffix == ".distcp"
            assert data.bytes_read == 0

    def test_a_session_finds_the_folder(self, folder, tmp_path):
        with open_checkpoint(folder) as opened:
            original = describe(opened, Job())
        assert [file.name for file in original.files] == [".metadata", "__0_0.distcp"]
        assert find_original(original, tmp_path / "x.prune", Job()).path == folder

    def test_other_weights_in_the_folder_come_first(self, folder):
        shutil.copy(GOLDEN / "expected.safetensors", folder / "model.safetensors")
        with open_checkpoint(folder) as opened:
            assert opened.format == "safetensors"


class TestExport:
    @pytest.mark.parametrize("name", ["mesh", "fsdp"])
    @pytest.mark.parametrize("form", ["safetensors", "torch"])
    def test_as_one_file(self, name, form, tmp_path):
        out = tmp_path / f"out.{'pt' if form == 'torch' else form}"
        with open_checkpoint(GOLDEN / name) as opened:
            report = export(as_snapshot(opened, {}), ExportRequest(form, out), Job())
            assert report.verified
            made = torch.load(out, weights_only=True) if form == "torch" else load_file(out)
            assert set(made) == set(opened.entries)
            for key, tensor in made.items():
                assert torch.equal(tensor, opened.read(key))

    def test_as_shards(self, tmp_path):
        out = tmp_path / "out"
        with open_checkpoint(GOLDEN / "mesh") as opened:
            request = ExportRequest("safetensors", out, params={"max_shard_size": 2000})
            export(as_snapshot(opened, {}), request, Job())
            with open_checkpoint(out) as again:
                assert set(again.entries) == set(opened.entries)
                assert not again.contents.notices


class Canary:
    def __reduce__(self):
        return os.system, ("touch canary",)


class TestBroken:
    def test_no_code_is_run(self, folder, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        metadata = metadata_of(folder)
        metadata.storage_meta = Canary()
        write_metadata(folder, metadata)
        with open_checkpoint(folder) as opened:
            assert any("os.system" in notice.text for notice in opened.contents.notices)
        assert not (tmp_path / "canary").exists()

    def test_a_part_alone(self, folder):
        with pytest.raises(UnsupportedFileError, match="is a part of a distributed") as caught:
            open_checkpoint(folder / "__0_0.distcp")
        assert str(folder) in caught.value.remedy

    def test_without_metadata(self, folder):
        (folder / ".metadata").unlink()
        with pytest.raises(UnsupportedFileError, match=r"without its file '\.metadata'"):
            open_checkpoint(folder)

    def test_a_missing_file(self, folder):
        (folder / "__0_0.distcp").rename(folder / "__7_0.distcp")
        with pytest.raises(DamagedFileError, match=r"'__0_0\.distcp' is missing"):
            open_checkpoint(folder)

    @pytest.mark.parametrize("size", [0, 1, 1000, -1])
    def test_a_file_that_was_cut(self, folder, size):
        path = folder / "__0_0.distcp"
        data = path.read_bytes()
        path.write_bytes(data[:size])
        with pytest.raises(DamagedFileError, match="truncated"):
            open_checkpoint(folder)

    def test_changed_numbers(self, folder):
        """CRCs of the archives are checked when a chunk is read completely."""
        path = folder / "__0_0.distcp"
        data = bytearray(path.read_bytes())
        at = data.index(small()["a.weight"].numpy().tobytes())
        data[at] ^= 1
        path.write_bytes(data)
        with open_checkpoint(folder) as opened, pytest.raises(DamagedFileError, match="checksum"):
            opened.read("a.weight")

    @pytest.mark.parametrize(
        "name", ["../secret", "/etc/passwd", "a//b", "..", "C:\\x", "con", "x.distcp."]
    )
    def test_a_path_out_of_the_folder(self, folder, name):
        metadata = metadata_of(folder)
        for info in metadata.storage_data.values():
            info.relative_path = name
        write_metadata(folder, metadata)
        with pytest.raises(DamagedFileError, match="is not the name of a file in its folder"):
            open_checkpoint(folder)

    def test_a_link_out_of_the_folder(self, folder, tmp_path):
        outside = tmp_path / "outside"
        (folder / "__0_0.distcp").rename(outside)
        (folder / "__0_0.distcp").symlink_to(outside)
        with pytest.raises(UnsupportedFileError, match="outside the folder"):
            open_checkpoint(folder)

    def test_transformed_chunks(self, folder):
        metadata = metadata_of(folder)
        for info in metadata.storage_data.values():
            info.transform_descriptors = ["stream.zstd"]
        write_metadata(folder, metadata)
        with pytest.raises(UnsupportedFileError, match="transformed") as caught:
            open_checkpoint(folder)
        assert caught.value.remedy

    @pytest.mark.parametrize(
        ("chunks", "says"),
        [
            ([((0, 0), (4, 6))], "have 24 elements of 48"),
            ([((0, 0), (5, 6)), ((4, 0), (3, 6))], "overlap"),
            ([((0, 0), (4, 3)), ((0, 2), (4, 3)), ((4, 0), (4, 6))], "overlap"),
            ([((0, 0), (9, 6))], "is not inside it"),
            ([((0, 0), (4, 6)), ((4, 0), (4, 6))], "where a chunk"),
        ],
    )
    def test_chunks_that_do_not_cover_the_tensor(self, folder, chunks, says):
        metadata = metadata_of(folder)
        about = metadata.state_dict_metadata["model.a.weight"]
        (info,) = [i for k, i in metadata.storage_data.items() if k.fqn == "model.a.weight"]
        kind, index = type(about.chunks[0]), type(next(iter(metadata.storage_data)))
        about.chunks = [kind(torch.Size(at), torch.Size(size)) for at, size in chunks]
        if "where" not in says:
            for at, _ in chunks:
                metadata.storage_data[index("model.a.weight", torch.Size(at))] = info
        write_metadata(folder, metadata)
        with pytest.raises(DamagedFileError, match=says):
            open_checkpoint(folder)

    def test_a_chunk_of_another_shape_or_type(self, folder):
        metadata = metadata_of(folder)
        infos = {key.fqn: info for key, info in metadata.storage_data.items()}
        first, second = infos["model.a.weight"], infos["model.b.weight"]
        vars(second).update(vars(first))
        write_metadata(folder, metadata)
        with (
            open_checkpoint(folder) as opened,
            pytest.raises(DamagedFileError, match=r"should be bfloat16 of shape \[3, 2, 2, 2\]"),
        ):
            opened.read("b.weight")

    def test_something_else_that_is_called_so(self, tmp_path):
        write_metadata(tmp_path, {"a": 1})
        (tmp_path / "x.distcp").touch()
        with pytest.raises(UnsupportedFileError, match="is not the metadata"):
            open_checkpoint(tmp_path)

    @pytest.mark.parametrize("seed", range(4))
    def test_changed_bytes_are_refused_in_a_sentence_or_open(self, folder, seed):
        generator = random.Random(seed)
        names = (".metadata", "__0_0.distcp")
        intact = {name: (folder / name).read_bytes() for name in names}
        sentences = []
        for number in range(60):
            name = names[number % 2]
            data = bytearray(intact[name])
            for _ in range(generator.randrange(1, 4)):
                data[generator.randrange(len(data))] = generator.randrange(256)
            if number % 5 == 0:
                del data[generator.randrange(len(data)) :]
            (folder / name).write_bytes(data)
            try:
                with open_checkpoint(folder) as opened:
                    for entry in opened.entries:
                        opened.bits(entry)
            except CheckpointError as error:
                sentences.append(error.sentence)
            (folder / name).write_bytes(intact[name])
        assert len(sentences) > 15
        assert not [sentence for sentence in sentences if "\n" in sentence]
