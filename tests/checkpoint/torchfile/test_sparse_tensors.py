"""Sparse matrices of torch are read as dense ones, and errors are reported before any data."""

from __future__ import annotations

import json
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint import parser_client
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.torchfile import dense, legacy_format, sources, zip_format
from pruneapp.errors import CheckpointError
from tests.checkpoint.torchfile.hostile_torch import saved

TYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn,
         torch.int64, torch.uint8, torch.bool, torch.complex64]  # fmt: skip


def csr(crow, col, values, shape, index=torch.int32) -> torch.Tensor:
    """Return a CSR tensor without torch's validation."""
    parts = [torch.tensor(np.ascontiguousarray(one)).to(index) for one in (crow, col)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that this layout is in beta
        return torch.sparse_csr_tensor(*parts, values, shape, check_invariants=False)


def some(mask: np.ndarray, dtype: torch.dtype, index=torch.int32) -> tuple[torch.Tensor, bytes]:
    """Return a matrix with random bits where `mask` is True, and all its bytes."""
    rng = np.random.default_rng(2)
    raw = rng.integers(0, 2 if dtype == torch.bool else 256, (*mask.shape, dtype.itemsize), "u1")
    raw[~mask] = 0
    row, col = np.nonzero(mask)
    crow = np.searchsorted(row, np.arange(mask.shape[0] + 1))
    values = torch.from_numpy(raw[row, col].reshape(-1)).view(dtype)
    return csr(crow, col, values, mask.shape, index), raw.tobytes()


def legacy_file(path: Path, tensors: dict) -> None:
    path.write_bytes(saved(tensors, _use_new_zipfile_serialization=False))


def zip_file(path: Path, tensors: dict) -> None:
    path.write_bytes(saved(tensors))


def deflated_file(path: Path, tensors: dict) -> None:
    zip_file(path, tensors)
    with zipfile.ZipFile(path) as source:
        found = {name: source.read(name) for name in source.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in found.items():
            target.writestr(name, data)


@pytest.mark.parametrize("write", [zip_file, legacy_file, deflated_file])
@pytest.mark.parametrize("index", [torch.int32, torch.int64], ids=str)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_a_matrix_of_any_type_opens_as_a_dense_one(dtype, index, write: Callable, tmp_path: Path):
    matrix, raw = some(np.random.default_rng(1).random((20, 30)) < 0.2, dtype, index)
    path = tmp_path / "model.pt"
    write(path, {"a.weight": torch.ones(3), "b.weight": matrix, "c.weight": matrix, "d.weight":
                 torch.ones(2), "e.weight": some(np.eye(7, dtype=bool), dtype)[0]})  # fmt: skip
    with open_checkpoint(path) as checkpoint:
        assert list(checkpoint.entries) == [f"{name}.weight" for name in "abde"]
        entry = checkpoint.entry("c.weight")
        assert entry is checkpoint.entry("b.weight")
        assert entry.shape == (20, 30)
        assert entry.prunable == dtype.is_floating_point
        assert checkpoint.bits("b.weight").tobytes() == raw
        found = checkpoint.read("b.weight", slice(4, 9))
        assert found.dtype == dtype
        size = 30 * dtype.itemsize
        assert found.view(torch.uint8).numpy().tobytes() == raw[4 * size : 9 * size]
        assert np.count_nonzero(checkpoint.bits("e.weight")) <= 7
        assert checkpoint.contents.state_dicts[0].tensors == 4
        assert checkpoint.contents.state_dicts[0].numel == 3 + 600 + 2 + 49


@given(data=st.data())
def test_any_stretch_of_any_mask_is_read(data, tmp_path_factory):
    """Empty, full and partial rows, also rows that are longer than a stretch."""
    shape = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 60))
    size = shape[0] * shape[1]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), bool)
    matrix, raw = some(mask.reshape(shape), torch.float16)
    path = tmp_path_factory.mktemp("any") / "x.pt"
    zip_file(path, {"w": torch.ones(3), "x": matrix})
    with pytest.MonkeyPatch.context() as patch, open_checkpoint(path) as checkpoint:
        patch.setattr(dense, "_MAX_ELEMENTS", data.draw(st.integers(1, 40)))
        patch.setattr(dense, "_MAX_SCANNED", data.draw(st.integers(1, 9)))
        start = data.draw(st.integers(0, size))
        stop = data.draw(st.integers(start, size))
        found = checkpoint.bits("x", start, stop)
        assert found.tobytes() == raw[2 * start : 2 * stop]
        pieces = [chunk.bits.tobytes() for chunk in checkpoint.chunks("x", size=7)]
        assert b"".join(pieces) == raw


def test_what_torch_makes_of_a_matrix_itself_opens(tmp_path: Path):
    """Its column indices are a view of a storage that also contains the row indices."""
    weight = torch.randn(30, 40) * (torch.rand(30, 40) < 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that this layout is in beta
        zip_file(tmp_path / "model.pt", {"x.weight": weight.to_sparse_csr()})
    with open_checkpoint(tmp_path / "model.pt") as checkpoint:
        assert torch.equal(checkpoint.read("x.weight"), weight)
        assert checkpoint.entry("x.weight").kind == "Linear"


def test_it_crosses_between_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    matrix, raw = some(np.random.default_rng(1).random((20, 30)) < 0.2, torch.float32)
    path = tmp_path / "model.pt"
    for write in (zip_file, legacy_file):
        write(path, {**{f"{i}.weight": torch.ones(2) for i in range(100)}, "x": matrix})
        with open_checkpoint(path) as checkpoint:
            here = checkpoint.contents
        asked: list[str] = []
        elsewhere = parser_client.parse_torch

        def ask(*args, asked=asked, elsewhere=elsewhere):
            asked.append(args[0])
            return elsewhere(*args)

        with monkeypatch.context() as patch:
            patch.setattr(parser_client, "parse_torch", ask)
            patch.setattr(zip_format, "IN_PROCESS", 1000)
            patch.setattr(legacy_format, "IN_PROCESS", 1000)
            with open_checkpoint(path) as checkpoint:
                assert checkpoint.contents == here
                assert checkpoint.bits("x").tobytes() == raw
        assert asked == [str(path)]


BROKEN = {
    "columns beyond": ([0, 1, 2, 3], [0, 4, 1], "not between 0 and 3"),
    "columns far beyond": ([0, 1, 2, 3], [0, 1_000_000_000, 1], "not between 0 and 3"),
    "columns before": ([0, 1, 2, 3], [0, -1, 1], "not between 0 and 3"),
    "columns descend": ([0, 2, 2, 3], [2, 1, 1], "do not ascend within a row"),
    "a column twice": ([0, 2, 2, 3], [1, 1, 1], "do not ascend within a row"),
    "pointers beyond": ([0, 1, 9, 3], [0, 1, 1], "not between 0 and 3"),
    "pointers before": ([0, -1, 2, 3], [0, 1, 1], "not between 0 and 3"),
    "pointers descend": ([0, 2, 1, 3], [0, 1, 1], "row pointers .* do not ascend"),
    "pointers begin later": ([1, 1, 2, 3], [0, 1, 1], "do not go from 0 to its 3"),
    "pointers end early": ([0, 1, 2, 2], [0, 1, 1], "do not go from 0 to its 3"),
}


@pytest.mark.parametrize("stretch", [1, 2, 1 << 18])
@pytest.mark.parametrize(("crow", "col", "said"), BROKEN.values(), ids=BROKEN)
def test_what_is_wrong_is_said_before_anything_is_delivered(
    crow, col, said, stretch, tmp_path, monkeypatch
):
    """P15, for more indices than are checked when the file is opened."""
    monkeypatch.setattr(sources, "MAX_INDEX_BYTES", 0)
    monkeypatch.setattr(dense, "_MAX_ELEMENTS", stretch)
    path = tmp_path / "model.pt"
    for index in (torch.int32, torch.int64):
        zip_file(path, {"w": torch.ones(3), "x": csr(crow, col, torch.ones(3), (3, 4), index)})
        with open_checkpoint(path) as checkpoint:
            for start, stop in ((0, 12), (11, 12), (0, 1)):
                with pytest.raises(CheckpointError, match=said) as caught:
                    checkpoint.bits("x", start, stop)
                assert str(path) in caught.value.sentence
                assert "'x'" in caught.value.sentence
            assert checkpoint.bits("w").size == 3


def test_numbers_of_64_bits_do_not_wrap(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MAX_INDEX_BYTES", 0)
    far = (1 << 63) - 1
    path = tmp_path / "model.pt"
    for crow, col in (([0, far, -far, 3], [0, 1, 1]), ([0, 1, 2, 3], [0, far, -far - 1])):
        zip_file(path, {"x": csr(crow, col, torch.ones(3), (3, 4), torch.int64)})
        with (
            open_checkpoint(path) as checkpoint,
            pytest.raises(CheckpointError, match="is not between"),
        ):
            checkpoint.bits("x")


@pytest.mark.parametrize(
    ("crow", "col", "shape"),
    [
        ([0, 0], [], (1, 1 << 40)),
        ([0] * 3, [], (2, 1 << 62)),
        ([0] * 3, [], (1 << 62, 1 << 62)),
        ([0, 1], [0], (4, 4)),
    ],
    ids=["wide", "wider", "beyond all", "pointers missing"],
)
def test_a_little_that_claims_to_be_much_is_shown_as_its_parts(crow, col, shape, tmp_path):
    parts = torch.tensor(crow), torch.zeros(len(col), dtype=torch.int64), torch.ones(len(col))
    reduced = torch._utils._rebuild_sparse_tensor, (torch.sparse_csr, (*parts, shape))

    class Claims:
        def __reduce__(self):
            return reduced

    path = tmp_path / "model.pt"
    zip_file(path, {"x": Claims()})
    with open_checkpoint(path) as checkpoint:
        assert list(checkpoint.entries) == ["x.crow_indices", "x.col_indices", "x.values"]
        assert "sparse CSR" in checkpoint.entries["x.values"].why_not


@pytest.mark.parametrize("member", [0, 1, 2])
def test_a_changed_byte_of_any_part_is_noticed(member, tmp_path: Path):
    matrix, _ = some(np.random.default_rng(1).random((200, 300)) < 0.2, torch.float32)
    path = tmp_path / "model.pt"
    zip_file(path, {"x": matrix})
    with zipfile.ZipFile(path) as archive:
        info = next(i for i in archive.infolist() if i.filename.endswith(f"/data/{member}"))
        data = archive.read(info)
    raw = bytearray(path.read_bytes())
    raw[raw.index(data) + len(data) // 2 & ~3] ^= 1  # the lowest bit of a number
    path.write_bytes(raw)
    with open_checkpoint(path) as checkpoint, pytest.raises(CheckpointError, match="is damaged"):
        for _chunk in checkpoint.chunks("x", size=1000):
            pass


def test_memory_does_not_grow_with_the_matrix(tmp_path: Path):
    import tracemalloc

    matrix, _ = some(np.random.default_rng(1).random((1500, 4000)) < 0.1, torch.float32)
    path = tmp_path / "model.pt"
    zip_file(path, {"x": matrix})
    with open_checkpoint(path) as checkpoint:
        tracemalloc.start()
        try:
            kept = sum(int(np.count_nonzero(c.bits)) for c in checkpoint.chunks("x", size=1 << 18))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert kept == int(matrix.values().count_nonzero())
    assert peak < 10 << 20


@pytest.mark.parametrize("write", [zip_file, legacy_file])
def test_whatever_is_changed_in_a_file_is_a_sentence(write: Callable, tmp_path: Path):
    """Without CRCs, as some writers do, so that every change reaches the parser."""
    matrix, _ = some(np.random.default_rng(1).random((12, 15)) < 0.3, torch.float32)
    path = tmp_path / "model.pt"
    torch.serialization.set_crc32_options(False)
    try:
        write(path, {"x": matrix, "w": torch.ones(3)})
    finally:
        torch.serialization.set_crc32_options(True)
    whole = path.read_bytes()
    rng = np.random.default_rng(5)
    seen = {"refused": 0, "unsound": 0, "read": 0}
    for _ in range(600):
        raw = bytearray(whole)
        raw[rng.integers(len(raw))] = rng.choice([0, 1, 128, 255])
        path.write_bytes(raw)
        try:
            checkpoint = open_checkpoint(path)
        except CheckpointError:
            seen["refused"] += 1
            continue
        with checkpoint:
            entries = [entry for entry in checkpoint.entries.values() if entry.nbytes < 1 << 20]
            try:
                for entry in entries:
                    checkpoint.bits(entry.name)
                seen["read"] += 1
            except CheckpointError:
                seen["unsound"] += 1
    assert all(seen.values()), seen


def test_a_folder_of_shards_may_hold_matrices(tmp_path: Path):
    where = {}
    wanted = {}
    for number in (1, 2):
        mask = np.random.default_rng(number).random((20, 30)) < 0.2
        name, file = f"{number}.weight", f"pytorch_model-{number:05}-of-00002.bin"
        matrix, wanted[name] = some(mask, torch.float16)
        zip_file(tmp_path / file, {name: matrix, f"{number}.bias": torch.full((3,), number)})
        where |= {name: file, f"{number}.bias": file}
    index = tmp_path / "pytorch_model.bin.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": where}))
    with open_checkpoint(index) as checkpoint:
        assert set(checkpoint.entries) == set(where)
        for name, raw in wanted.items():
            assert checkpoint.bits(name).tobytes() == raw
        assert checkpoint.read("2.bias").tolist() == [2, 2, 2]
