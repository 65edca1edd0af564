"""A real file in the format before torch 1.6, and files that are damaged or larger than 4 GB."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch.nn.utils import prune

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.errors import CheckpointError, DamagedFileError
from pruneapp.export.exporter import export
from pruneapp.export.formats.torch import Checked, Patch, PatchedFile
from pruneapp.export.formats.zip_archive import ZipMember, ZipPlan
from pruneapp.export.report import ExportRequest
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from tests.support.containers import as_snapshot, kept_masks, model

pytestmark = pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")


def test_resnet20_is_exported_three_ways_as_a_torch_script_prunes_it(resnet20, tmp_path):
    source = torch.load(resnet20, map_location="cpu", weights_only=True)
    weights = {n: t for n, t in source["state_dict"].items() if t.dim() == 4}
    modules = {}
    for name, tensor in weights.items():
        modules[name] = torch.nn.Module()
        modules[name].weight = torch.nn.Parameter(tensor.clone())
    parameters = [(module, "weight") for module in modules.values()]
    prune.global_unstructured(parameters, prune.L1Unstructured, amount=0.2)
    kept = {n: m.weight_mask.numpy().astype(bool) for n, m in modules.items()}
    originals = {n: m.weight_orig.detach().clone() for n, m in modules.items()}
    for module, parameter in parameters:
        prune.remove(module, parameter)
    expected = {**source["state_dict"], **{n: m.weight.data for n, m in modules.items()}}

    with open_checkpoint(resnet20) as checkpoint:
        snapshot = as_snapshot(checkpoint, kept)
        for format_, name in (
            ("safetensors", "out.safetensors"),
            ("torch", "out.th"),
            ("resumable", "out.pt"),
        ):
            report = export(snapshot, ExportRequest(format_, tmp_path / name), Job())
            assert report.pruned == 53_539
    again = torch.load(tmp_path / "out.th", map_location="cpu", weights_only=True)
    dense = load_file(tmp_path / "out.safetensors")
    resumable = torch.load(tmp_path / "out.pt", weights_only=True)

    assert again["best_prec1"] == source["best_prec1"]
    assert (tmp_path / "out.th").stat().st_size == resnet20.stat().st_size
    for found in (again["state_dict"], dense):
        assert set(found) == set(expected)
        for name, tensor in expected.items():
            assert torch.equal(found[name], tensor)
            mask = kept.get(name, np.ones(tuple(tensor.shape), bool))
            original = originals.get(name, tensor)
            assert found[name].numpy()[mask].tobytes() == original.numpy()[mask].tobytes()
            assert not found[name].numpy()[~mask].view("u4").any()
    for name, original in originals.items():
        assert torch.equal(resumable[f"{name}_orig"], original)
        assert np.array_equal(resumable[f"{name}_mask"].numpy(), kept[name])


@pytest.mark.parametrize("format_", ["torch", "safetensors", "resumable"])
def test_damaged_weights_are_not_passed_on(source_of, tmp_path, format_):
    """torch.load does not check CRCs."""
    path = source_of("zip", model(torch.float32)).path
    raw = bytearray(path.read_bytes())
    with open_checkpoint(path) as checkpoint:
        raw[checkpoint.entry("net.conv.weight").location.offset + 5] ^= 1
    path.write_bytes(raw)
    with (
        open_checkpoint(path) as checkpoint,
        pytest.raises(DamagedFileError, match=r"net\.conv\.weight"),
    ):
        export(as_snapshot(checkpoint), ExportRequest(format_, tmp_path / "out.pt"), Job())

    assert not [p for p in tmp_path.iterdir() if p.is_file()]


def test_a_cut_source_is_noticed_and_nothing_is_left(source_of, tmp_path):
    checkpoint = source_of("safetensors", model(torch.float32))
    snapshot = as_snapshot(checkpoint, {n: m for n, m in kept_masks().items() if "fc" in n})

    class Cuts:
        def report(self, done, total, label):
            with checkpoint.path.open("r+b") as file:
                file.truncate(900)

    with pytest.raises(CheckpointError):
        export(snapshot, ExportRequest("torch", tmp_path / "out.pt"), Job(Cuts()))
    assert not [p for p in tmp_path.iterdir() if p.is_file()]


def test_a_pickle_refers_to_more_than_256_objects(source_of, tmp_path):
    """The type of the last storages is stored once, after 300 tensors of another type."""
    tensors = {f"a{i}": torch.full((2,), i, dtype=torch.float32) for i in range(300)}
    tensors |= {f"b{i}": torch.full((2,), i, dtype=torch.float16) for i in range(3)}
    snapshot = as_snapshot(source_of("safetensors", tensors))
    export(snapshot, ExportRequest("torch", tmp_path / "out.pt"), Job())
    found = torch.load(tmp_path / "out.pt", weights_only=True)
    assert found.keys() == tensors.keys()
    assert all(torch.equal(found[name], tensor) for name, tensor in tensors.items())


def test_members_and_offsets_beyond_4_gb_are_described(tmp_path):
    """Only the headers of the archive are written, around a hole in a sparse file."""
    nbytes = (4 << 30) + 11

    def hole():
        for start in range(0, nbytes, 1 << 26):
            size = min(1 << 26, nbytes - start)
            yield zeros[:size]

    zeros = memoryview(bytes(1 << 26))
    plan = ZipPlan(
        [
            ZipMember.of("a/version", b"3\n"),
            ZipMember("a/data/0", nbytes, hole),
            ZipMember.of("a/end", b"x"),
        ]
    )
    path = tmp_path / "large.zip"
    with path.open("wb") as file:
        for piece in plan.pieces():
            if piece is zeros or len(piece) > 1 << 20:
                file.seek(len(piece), 1)
            else:
                file.write(piece)
    assert path.stat().st_size == plan.nbytes(Job())
    with zipfile.ZipFile(path) as found:
        sizes = {m.filename: m.file_size for m in found.infolist()}
        assert sizes == {"a/version": 2, "a/data/0": nbytes, "a/end": 1}
        assert found.read("a/end") == b"x"
        with found.open("a/data/0") as member:
            assert member.read(100) == bytes(100)
        assert found.getinfo("a/end").header_offset > 1 << 32


class Bytes:
    """A byte source in memory."""

    path = None

    def __init__(self, data: bytes):
        self.data, self.size = data, len(data)

    def read_into(self, offset, buffer):
        buffer.cast("B")[:] = self.data[offset : offset + len(buffer)]


@pytest.mark.parametrize("itemsize", [1, 2, 4, 8])
def test_patches_reach_nothing_but_their_elements(itemsize):
    import zlib

    rng = np.random.default_rng(itemsize)
    data = rng.integers(1, 256, 5000, dtype=np.uint8)
    kept = rng.random(300) < 0.5
    start = 1003  # not aligned
    expected = data.copy()
    stop = start + 300 * itemsize
    expected[start:stop].reshape(300, itemsize)[~kept] = 0
    before, behind = Checked(1000, stop + 7, (10,)), Checked(stop + 20, 4000, (4100,))
    crc = zlib.crc32(expected[1000 : stop + 7].tobytes())
    expected[10:14] = np.frombuffer(np.uint32(crc).tobytes(), "u1")
    patch = Patch(start, itemsize, BitMask.from_bools(kept))
    made = PatchedFile(Bytes(data.tobytes()), [patch], [behind, before], Job())

    assert b"".join(bytes(p) for p in made.pieces()) == expected.tobytes()
