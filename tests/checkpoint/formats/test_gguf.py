"""GGUF files written by the gguf package: every type, names, metadata, split files."""

from __future__ import annotations

import json
import time

import gguf
import numpy as np
import pytest

from pruneapp.__main__ import main
from pruneapp.analysis.statistics import numbers
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.formats.gguf import FILE_TYPES, HUB_NAMES, hub_name
from pruneapp.checkpoint.formats.gguf_header import TYPES
from pruneapp.document.selection import default_selection, select
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import CheckpointError, UnsupportedFileError
from pruneapp.progress import Job
from tests.support.gguf_files import bfloat16, llama, random_blocks, write_gguf

Type = gguf.GGMLQuantizationType

QUANTIZED = [name for name in TYPES.values() if DTYPES[name].block]
FLOATS = {"F64": np.float64, "F32": np.float32, "F16": np.float16}


def test_floats_are_weights_bit_for_bit(tmp_path):
    rng = np.random.default_rng(0)
    values = {
        f"{name}.weight": rng.normal(size=(5, 32)).astype(kind) for name, kind in FLOATS.items()
    }
    values["one"] = np.array([1.5], np.float32)
    values["I32.weight"] = np.arange(6, dtype=np.int32).reshape(2, 3)
    brain = bfloat16(rng.normal(size=(3, 32)).astype(np.float32))
    path = write_gguf(tmp_path / "m.gguf", {**values, "BF16.weight": brain})
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.format == "gguf"
        for name, array in values.items():
            entry = checkpoint.entries[name]
            assert entry.shape == array.shape
            assert checkpoint.bits(name).tobytes() == array.tobytes()
            assert entry.prunable == (array.dtype.kind == "f")
        assert checkpoint.entries["BF16.weight"].shape == (3, 32)
        assert checkpoint.bits("BF16.weight").tobytes() == brain[1].tobytes()
        assert checkpoint.entries["BF16.weight"].prunable


@pytest.mark.parametrize("name", QUANTIZED)
def test_quantized_tensors_say_their_type_and_are_not_pruned(name, tmp_path):
    raw = random_blocks(name, (6, 512))
    tensors = {"blk.0.ffn_up.weight": (name, raw), "blk.0.attn_norm.weight": np.ones(6, "f4")}
    with open_checkpoint(write_gguf(tmp_path / "m.gguf", tensors)) as checkpoint:
        entry = checkpoint.entries["blk.0.ffn_up.weight"]
        assert entry.dtype.label == name
        assert entry.shape == (6, 512)
        assert entry.stored_bytes == raw.nbytes
        assert f"quantized as {name}" in entry.why_not
        assert not entry.by_default
        assert entry.learned
        assert name in checkpoint.contents.notices[0].text
        found = numbers(Snapshot(checkpoint), entry.name, Job())
        assert found.count == 6 * 512
        bits = checkpoint.bits(entry.name)
        if not entry.dtype.decoded:
            assert bits.tobytes() == raw.tobytes()
            assert found.minimum is None
            return
        with np.errstate(all="ignore"):
            expected = gguf.quants.dequantize(raw, Type[name])
        assert np.array_equal(bits.view(np.float32), expected.reshape(-1), equal_nan=True)
        part = checkpoint.bits(entry.name, 100, 333).view(np.float32)
        assert np.array_equal(part, expected.reshape(-1)[100:333], equal_nan=True)
        assert found.nan == np.isnan(expected).sum()
        assert found.maximum == np.nanmax(expected)


def test_only_matrices_of_layers_are_pruned_by_default(tmp_path):
    tensors = {
        **llama(),
        "blk.0.attn_q.bias": np.ones(32, np.float32),
        "rope_freqs.weight": np.ones(16, np.float32),
        "blk.1.ffn_up_exps.weight": np.ones((4, 8, 32), np.float32),
    }
    with open_checkpoint(write_gguf(tmp_path / "m.gguf", tensors)) as checkpoint:
        chosen = set(default_selection(checkpoint))
        kinds = {entry.name: entry.kind for entry in checkpoint.entries.values()}
        assert "computed" in checkpoint.entries["rope_freqs.weight"].why_not
    assert chosen == {
        name for name, values in tensors.items() if name.startswith("blk.") and values.ndim > 1
    }
    assert kinds["token_embd.weight"] == "embedding"
    assert kinds["blk.0.attn_norm.weight"] == "norm"
    assert kinds["blk.1.ffn_up_exps.weight"] == kinds["blk.0.attn_q.weight"] == "Linear"


def test_patterns_match_the_names_of_transformers(tmp_path):
    with open_checkpoint(write_gguf(tmp_path / "m.gguf", llama())) as checkpoint:
        assert select(checkpoint, ["model.layers.1.self_attn.?_proj.weight"]) == tuple(
            f"blk.1.attn_{part}.weight" for part in ("q", "k", "v", "output")
        )
        assert select(checkpoint, ["lm_head.weight"]) == ("output.weight",)
        assert select(checkpoint, ["blk.0.attn_q.weight"]) == ("blk.0.attn_q.weight",)


@pytest.mark.parametrize("architecture", HUB_NAMES)
def test_names_of_transformers_are_those_of_the_gguf_package(architecture):
    """The table of the package maps each of them to the name in the file."""
    known = next(a for a, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture)
    table = gguf.get_tensor_name_map(known, 4)
    names = HUB_NAMES[architecture]
    n_known = 0
    stems = [*names.outside, *(f"blk.3.{inside}" for inside in names.inside)]
    for stem in stems:
        hub = hub_name(f"{stem}.weight", architecture)
        # None for tensors that the architecture does not have.
        assert table.get_name(hub, try_suffixes=(".weight",)) in {None, f"{stem}.weight"}, hub
        n_known += table.get_name(hub, try_suffixes=(".weight",)) is not None
    assert n_known > 8


def test_names_of_file_types_are_those_of_the_gguf_package():
    for number, name in FILE_TYPES.items():
        assert gguf.LlamaFileType(number).name.removeprefix("MOSTLY_").removeprefix("ALL_") == name


def test_metadata_are_text_and_arrays_are_counted(tmp_path):
    path = write_gguf(tmp_path / "m.gguf", llama(), vocabulary=300, name="a name")
    with open_checkpoint(path) as checkpoint:
        metadata = checkpoint.metadata
        assert checkpoint.contents.label == "GGUF (llama, Q4_K_M)"
    assert metadata["general.architecture"] == "llama"
    assert metadata["general.name"] == "a name"
    assert metadata["general.file_type"] == "15 (Q4_K_M)"
    assert metadata["llama.block_count"] == "2"
    assert metadata["tokenizer.ggml.tokens"] == "300 × text"
    assert metadata["tokenizer.ggml.scores"] == "300 × float32"


def test_a_large_vocabulary_is_skipped_quickly(tmp_path):
    path = write_gguf(tmp_path / "m.gguf", llama(), vocabulary=300_000)
    start = time.perf_counter()
    open_checkpoint(path).close()
    assert time.perf_counter() - start < 2  # 0.1 s on an idle machine


def test_parts_of_a_split_model_open_as_one(tmp_path):
    tensors = llama()
    names = list(tensors)
    for number, some in enumerate((names[:9], names[9:]), 1):
        write_gguf(
            tmp_path / f"m-{number:05}-of-00002.gguf", {name: tensors[name] for name in some}
        )
    with open_checkpoint(tmp_path) as checkpoint:
        assert list(checkpoint.entries) == names
        for name, values in tensors.items():
            assert checkpoint.bits(name).tobytes() == values.tobytes()
        assert checkpoint.contents.hub_names["output.weight"] == "lm_head.weight"
    with open_checkpoint(tmp_path / "m-00001-of-00002.gguf") as checkpoint:
        assert "shard 1 of 2" in checkpoint.contents.notices[0].text


def test_an_imatrix_and_a_vocabulary_are_named(tmp_path):
    with pytest.raises(UnsupportedFileError, match="without tensors"):
        open_checkpoint(write_gguf(tmp_path / "m.gguf", {}))
    writer = gguf.GGUFWriter(tmp_path / "i.gguf", "")
    writer.add_type("imatrix")
    writer.add_tensor("a.in_sum2", np.ones(3, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(UnsupportedFileError, match="importance matrix"):
        open_checkpoint(tmp_path / "i.gguf")


def test_files_that_are_cut_at_any_byte_are_refused(tmp_path):
    whole = write_gguf(tmp_path / "m.gguf", {"a.weight": np.ones((2, 4), np.float32)}).read_bytes()
    path = tmp_path / "cut.gguf"
    for size in range(1, len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(CheckpointError) as caught:
            open_checkpoint(path)
        assert str(path) in str(caught.value)


def test_files_with_any_byte_changed_open_or_are_refused_in_a_sentence(tmp_path):
    whole = write_gguf(tmp_path / "m.gguf", {"a.weight": random_tensor()}).read_bytes()
    path = tmp_path / "changed.gguf"
    for at in range(len(whole)):
        for value in {0xFF, whole[at] ^ 1}:
            path.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
            try:
                with open_checkpoint(path) as checkpoint:
                    for name in checkpoint.entries:
                        checkpoint.bits(name)
            except CheckpointError as error:
                assert len(str(error)) < 600  # noqa: PT017 - it may be refused, but in a sentence


def random_tensor():
    return np.random.default_rng(0).normal(size=(2, 32)).astype(np.float32)


def test_inspect_shows_both_names_and_the_bytes_in_the_file(tmp_path, capsys):
    raw = random_blocks("Q4_K", (4, 512))
    tensors = {**llama(), "blk.0.ffn_up.weight": ("Q4_K", raw)}
    path = write_gguf(tmp_path / "m.gguf", tensors)
    assert main(["inspect", str(path), "--select", "model.layers.0.mlp.up_proj.weight"]) == 0
    out = capsys.readouterr().out
    assert "blk.0.ffn_up.weight" in out
    assert "model.layers.0.mlp.up_proj.weight" in out
    assert "it is quantized as Q4_K, in blocks of 256 weights" in out
    assert main(["inspect", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (one,) = [tensor for tensor in found["tensors"] if tensor["name"] == "blk.0.ffn_up.weight"]
    assert one["bytes"] == raw.nbytes
    assert one["dtype"] == "Q4_K"
    assert one["transformers_name"] == "model.layers.0.mlp.up_proj.weight"
    assert found["metadata"]["general.architecture"] == "llama"
