"""A compressed torch file: torch reads it, and does not memory-map it."""

import io
import zipfile
import zlib

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.errors import ExportError
from pruneapp.export.exporter import export
from pruneapp.export.formats.deflated import BLOCK_BYTES, deflate
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job
from tests.support.containers import as_snapshot


def weights(sparsity: float, dtype: torch.dtype = torch.float32, size: int = 400_003):
    generator = torch.Generator().manual_seed(1)
    values = torch.randn(size, generator=generator)
    values *= torch.rand(size, generator=generator) >= sparsity
    return values.to(dtype)


def written(source_of, tmp_path, tensors: dict, name: str = "out.pt"):
    checkpoint = source_of("safetensors", tensors)
    report = export(as_snapshot(checkpoint, {}), ExportRequest("deflated", tmp_path / name), Job())
    return tmp_path / name, report


def loads(path, **more):
    return torch.load(path, weights_only=True, **more)


@pytest.mark.parametrize(
    ("dtype", "sparsity"),
    [
        *((torch.float32, sparsity) for sparsity in (0.0, 0.9, 1.0)),
        *((torch.bfloat16, 0.5), (torch.float8_e4m3fn, 0.5)),
    ],
    ids=str,
)
def test_torch_reads_it_and_refuses_to_map_it(source_of, tmp_path, dtype, sparsity):
    tensors = {"a.weight": weights(sparsity, dtype), "b.weight": weights(0.3, dtype, 999)}
    path, _ = written(source_of, tmp_path, tensors)
    found = loads(path)

    assert list(found) == ["a.weight", "b.weight"]
    for name, tensor in tensors.items():
        assert torch.equal(found[name].view(torch.uint8), tensor.view(torch.uint8))
    with pytest.raises(RuntimeError):
        loads(path, mmap=True)


def test_the_largest_comes_last_whatever_the_order(source_of, tmp_path):
    tensors = {"b": weights(0.5), "a": weights(0.5, size=70_000), "c": weights(0.5, size=7)}
    path, _ = written(source_of, tmp_path, tensors)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        members = archive.infolist()
    assert members[-1].file_size == max(m.file_size for m in members)
    assert list(loads(path)) == sorted(tensors), "the order of the source, as save_file has it"


def test_what_is_too_small_to_be_guarded_is_stored_and_may_be_mapped(source_of, tmp_path):
    tensors = {f"t{i}": weights(0.5, size=40) for i in range(20)}
    path, _ = written(source_of, tmp_path, tensors)
    with zipfile.ZipFile(path) as archive:
        assert {m.compress_type for m in archive.infolist()} == {zipfile.ZIP_STORED}
    for found in (loads(path), loads(path, mmap=True)):
        assert all(torch.equal(found[name], tensors[name]) for name in tensors)


def test_weights_that_cannot_be_compressed_are_refused(source_of, tmp_path):
    noise = torch.from_numpy(np.random.default_rng(0).integers(0, 256, 9 << 20, np.uint8))
    with pytest.raises(ExportError, match="do not compress"):
        written(source_of, tmp_path, {"noise": noise})

    assert not list(tmp_path.glob("*.pt"))


def test_transformers_names_are_refused(source_of, tmp_path):
    with pytest.raises(ExportError, match=r"cannot have the suffix \.bin"):
        written(source_of, tmp_path, {"a": weights(0.5)}, "shard-1.bin")


def test_an_empty_model_can_be_written(source_of, tmp_path):
    path, _ = written(source_of, tmp_path, {"nothing": torch.zeros(0, 3)})

    assert loads(path)["nothing"].shape == (0, 3)


def test_the_same_bytes_every_time(source_of, tmp_path):
    tensors = {"a": weights(0.9), "b": weights(0.5)}
    first = written(source_of, tmp_path, tensors, "1.pt")[1]
    second = written(source_of, tmp_path, tensors, "2.pt")[1]

    assert first.sha256 == second.sha256


@given(st.lists(st.binary(max_size=3 * BLOCK_BYTES // 2), max_size=3))
def test_blocks_are_one_stream(pieces):
    stream = b"".join(map(deflate, pieces)) + b"\x03\0"
    unpacked = zlib.decompressobj(-zlib.MAX_WBITS)

    assert unpacked.decompress(stream) == b"".join(pieces)
    assert unpacked.eof
    assert not unpacked.unused_data


def test_bytes_in_memory_are_read_too(source_of, tmp_path):
    path, _ = written(source_of, tmp_path, {"a": weights(0.9)})

    assert torch.equal(loads(io.BytesIO(path.read_bytes()))["a"], weights(0.9))
