"""A GGUF file keeps its container: the gguf package reads it, and the header is unchanged."""

from __future__ import annotations

import gguf
import numpy as np
import pytest

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.formats.gguf_header import read_gguf_header
from pruneapp.checkpoint.io.object_source import open_source
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ExportError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import CancelToken, Job
from tests.support.gguf_files import bfloat16, llama, random_blocks, write_gguf


def pruned(checkpoint: Checkpoint) -> Snapshot:
    """Return a state in which every third weight of each default tensor is pruned."""
    masks = {
        entry.name: BitMask.from_bools(np.arange(entry.numel) % 3 != 0)
        for entry in checkpoint.entries.values()
        if entry.by_default
    }
    return Snapshot(checkpoint, MaskLayers(MaskSet(masks)))


def expected(values: np.ndarray) -> np.ndarray:
    kept = np.arange(values.size).reshape(values.shape) % 3 != 0
    return np.where(kept, values, np.zeros((), values.dtype))


@pytest.fixture
def mixed(tmp_path):
    """Write floats of every width and quantized tensors, with a vocabulary."""
    tensors = llama()
    tensors["blk.0.ffn_up.weight"] = tensors["blk.0.ffn_up.weight"].astype(np.float16)
    quantized = ("Q4_K", random_blocks("Q4_K", (4, 512)))
    brain = bfloat16(tensors["blk.1.attn_q.weight"])
    return write_gguf(
        tmp_path / "m.gguf",
        {**tensors, "blk.1.attn_q.weight": brain, "blk.1.ffn_up.weight": quantized},
        vocabulary=50,
    )


def test_only_the_data_of_pruned_tensors_change(mixed, tmp_path):
    out = tmp_path / "out.gguf"
    with open_checkpoint(mixed) as checkpoint:
        state = pruned(checkpoint)
        report = export(state, ExportRequest("gguf", out), Job())
        changed = set(state.masks)
    assert report.verified
    before, after = gguf.GGUFReader(mixed), gguf.GGUFReader(out)
    source = open_source(mixed)
    start = min(t.offset for t in read_gguf_header(source, CancelToken()).tensors)
    source.close()
    assert mixed.read_bytes()[:start] == out.read_bytes()[:start]
    assert mixed.stat().st_size == out.stat().st_size
    assert {"blk.0.ffn_up.weight", "blk.1.attn_q.weight"} <= changed
    assert "blk.1.ffn_up.weight" not in changed
    for one, other in zip(before.tensors, after.tensors, strict=True):
        words = {"F32": np.uint32, "F16": np.uint16, "BF16": np.uint16}
        if one.name in changed:
            values = np.frombuffer(one.data.tobytes(), words[one.tensor_type.name])
            assert other.data.tobytes() == expected(values).tobytes(), one.name
        else:
            assert other.data.tobytes() == one.data.tobytes(), one.name


def test_an_unquantized_file_is_written_as_safetensors(tmp_path):
    tensors = llama()
    write_gguf(tmp_path / "m.gguf", tensors, vocabulary=9)
    with open_checkpoint(tmp_path / "m.gguf") as checkpoint:
        report = export(
            pruned(checkpoint), ExportRequest("safetensors", tmp_path / "o.safetensors"), Job()
        )
    with open_checkpoint(tmp_path / "o.safetensors") as found:
        assert set(found.entries) == set(tensors)
        for name, values in tensors.items():
            assert found.entries[name].shape == values.shape
            wanted = expected(values) if name.startswith("blk") and values.ndim > 1 else values
            assert found.bits(name).tobytes() == wanted.tobytes()
    assert any("order of rows of llama.cpp" in notice for notice in report.notices)
    assert any("metadata of the file" in notice for notice in report.notices)


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in {"gguf", "masks"}])
def test_quantized_tensors_are_written_nowhere_else(mixed, name, tmp_path):
    form = FORMATS[name]
    with open_checkpoint(mixed) as checkpoint:
        assert "Q4_K" in form.why_not(checkpoint) or name in {"onnx", "pt2", "pickle"}
        with pytest.raises(ExportError):
            export(
                pruned(checkpoint), ExportRequest(name, tmp_path / f"o{form.suffixes[0]}"), Job()
            )


def test_the_parts_of_a_split_model_are_written_as_parts(tmp_path):
    tensors = llama()
    folder = tmp_path / "model"
    folder.mkdir()
    names = list(tensors)
    for number, some in enumerate((names[:9], names[9:]), 1):
        part = {name: tensors[name] for name in some}
        write_gguf(folder / f"m-{number:05}-of-00002.gguf", part)
    with open_checkpoint(folder) as checkpoint:
        state = pruned(checkpoint)
        with pytest.raises(ExportError, match="several files"):
            export(state, ExportRequest("gguf", tmp_path / "one.gguf"), Job())
        export(state, ExportRequest("gguf", tmp_path / "out"), Job())
        wanted = {name: expected(tensors[name]) for name in state.masks}
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "m-00001-of-00002.gguf",
        "m-00002-of-00002.gguf",
    ]
    with open_checkpoint(tmp_path / "out") as again:
        for name, values in {**tensors, **wanted}.items():
            assert again.bits(name).tobytes() == values.tobytes()


def test_other_files_are_not_written_as_gguf(tmp_path):
    np.savez(tmp_path / "m.npz", w=np.ones((3, 4)))
    with open_checkpoint(tmp_path / "m.npz") as checkpoint:
        assert FORMATS["gguf"].why_not(checkpoint).startswith("Available only if a GGUF")
        with pytest.raises(ExportError):
            export(Snapshot(checkpoint), ExportRequest("gguf", tmp_path / "o.gguf"), Job())


def test_the_lines_that_load_it_run(mixed, tmp_path):
    import torch

    with open_checkpoint(mixed) as checkpoint:
        report = export(pruned(checkpoint), ExportRequest("gguf", tmp_path / "out.gguf"), Job())
    found: dict = {"torch": torch, "files_of": lambda path, _pattern: [path]}
    exec(report.loads, found)
    assert {tensor.name for tensor in found["tensors"]} == set(llama())
    exec(FORMATS["gguf"].load_code, found)
    loaded = found["load"](tmp_path / "out.gguf")
    with open_checkpoint(tmp_path / "out.gguf") as again:
        for name, entry in again.entries.items():
            assert tuple(loaded[name].shape) == entry.shape
            raw = loaded[name].contiguous().view(torch.uint8).numpy().tobytes()
            if not entry.dtype.block:
                assert raw == again.bits(name).tobytes()
