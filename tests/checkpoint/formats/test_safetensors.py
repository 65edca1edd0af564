"""Our safetensors reader compared with the safetensors library."""

from __future__ import annotations

import json
import struct
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors import SafetensorError, safe_open
from safetensors.torch import save, save_file, save_model

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.dtypes import DTYPES, SAFETENSORS_DTYPES
from pruneapp.checkpoint.formats.headers import parse
from pruneapp.errors import CheckpointError, DamagedFileError, UnknownTensorError

IN_TORCH = [d for d in SAFETENSORS_DTYPES if hasattr(torch, DTYPES[d].torch or "?")]


@pytest.mark.parametrize("name", sorted(SAFETENSORS_DTYPES))
def test_every_dtype_has_the_bits_that_the_library_reads(name, tmp_path):
    dtype = DTYPES[name]
    data = np.random.default_rng(1).integers(0, 256, 24 * dtype.bits // 8, np.uint8)
    if name == "BOOL":
        data &= 1
    path = tmp_path / "x.safetensors"
    item = {"dtype": name, "shape": [4, 6], "data_offsets": [0, data.size]}
    head = json.dumps({"x": item}).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + data.tobytes())

    with open_checkpoint(path) as checkpoint:
        entry = checkpoint.entry("x")
        assert (entry.dtype.name, entry.shape, entry.nbytes) == (name, (4, 6), data.size)
        assert checkpoint.bits("x").tobytes() == data.tobytes()
        assert checkpoint.bits("x").dtype == entry.dtype.storage
        if name in IN_TORCH:
            with safe_open(path, "pt") as reference:
                expected = reference.get_tensor("x")
            got = checkpoint.read("x")
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
            assert torch.equal(got.view(torch.uint8), expected.view(torch.uint8))
        else:
            with pytest.raises(CheckpointError, match=name):
                checkpoint.read("x")


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
shapes = st.lists(st.integers(0, 5), max_size=5)


@given(
    st.dictionaries(text, shapes, max_size=4),
    st.dictionaries(text, text, max_size=3),
    st.integers(1, 7),
)
def test_what_the_library_writes_comes_back_whole(tmp_path_factory, tensors, metadata, size):
    """Names, shapes (including rank 0 and size 0), order, values and metadata; any chunk size."""
    tensors.pop("__metadata__", None)
    made = {n: torch.randn(s).to(torch.bfloat16) for n, s in tensors.items()}
    path = tmp_path_factory.mktemp("x") / "x.safetensors"
    save_file(made, path, metadata or None)

    with open_checkpoint(path) as checkpoint, safe_open(path, "pt") as reference:
        # The reference does not define the order of tensors without bytes.
        sized = [n for n in reference.offset_keys() if made[n].numel()]
        assert [n for n, e in checkpoint.entries.items() if e.numel] == sized
        assert set(checkpoint.entries) == set(made)
        assert dict(checkpoint.metadata) == (reference.metadata() or {})
        for name, tensor in made.items():
            assert torch.equal(checkpoint.read(name), tensor)
            chunks = [(c.start, c.bits.copy()) for c in checkpoint.chunks(name, size=size)]
            assert [start for start, _ in chunks] == list(range(0, tensor.numel(), size))
            flat = np.concatenate([b for _, b in chunks] or [np.empty(0, np.uint16)])
            assert flat.tobytes() == checkpoint.bits(name).tobytes()


BASE = save({"a": torch.zeros(2, 3), "b.weight": torch.ones(4, dtype=torch.int8)}, {"k": "v"})
WORDS = (
    *'{}[],:"0',
    *("-0", "-1", "1.0", "1e3", "null", "true", '"a"', '"dtype"', '"F32"', '"__metadata__"'),
    *("\\ud800", "\\u0041", " ", "24", "\t", "\x01", "NaN"),
)


@given(st.data())
def test_what_the_library_refuses_is_refused(tmp_path_factory, data):
    """Headers with random edits: never more lenient than the reference."""
    size = int.from_bytes(BASE[:8], "little")
    text, body = BASE[8 : 8 + size].decode(), BASE[8 + size :]
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        stop = min(len(text), start + data.draw(st.integers(0, 6)))
        text = text[:start] + data.draw(st.sampled_from(["", *WORDS])) + text[stop:]
    raw = text.encode()
    path = tmp_path_factory.getbasetemp() / "fuzz.safetensors"
    path.write_bytes(struct.pack("<Q", len(raw)) + raw + body)

    try:
        with safe_open(path, "np") as reference:
            expected = list(reference.keys())
    except SafetensorError:
        with pytest.raises(CheckpointError, match="fuzz"):
            open_checkpoint(path)
        return
    try:
        with open_checkpoint(path) as checkpoint:
            assert sorted(checkpoint.entries) == sorted(expected)
    except DamagedFileError:
        pass  # stricter: duplicates, leading spaces


def test_the_reference_accepts_what_is_refused_on_purpose(tmp_path):
    """Duplicate names, of which the last wins, show why the reference alone is not enough."""
    item = '{"dtype":"U8","shape":[4],"data_offsets":[0,4]}'
    text = f'{{"a":{item},"a":{item.replace("U8", "I8")}}}'.encode()
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(4))

    with safe_open(path, "np") as reference:
        assert list(reference.keys()) == ["a"]
    with pytest.raises(DamagedFileError, match="twice"):
        open_checkpoint(path)


def test_names_that_save_model_dropped_are_further_names(tmp_path):
    model = torch.nn.ModuleDict({"wte": torch.nn.Embedding(5, 3), "head": torch.nn.Linear(3, 5)})
    model["head"].weight = model["wte"].weight
    path = tmp_path / "x.safetensors"
    save_model(model, path)

    with open_checkpoint(path) as checkpoint:
        (tied,) = [e for e in checkpoint.entries.values() if e.aliases]
        assert set(tied.names) == {"wte.weight", "head.weight"}
        assert checkpoint.entry("head.weight") is checkpoint.entry("wte.weight")
        assert not tied.by_default, "it is an embedding under one of its names"


def test_rows_are_read_alone_and_owned(tmp_path):
    path = tmp_path / "x.safetensors"
    tensor = torch.randn(9, 4, 2)
    save_file({"x": tensor, "s": torch.tensor(1.0)}, path)

    with open_checkpoint(path) as checkpoint:
        for rows in (slice(2, 5), slice(None), slice(1, 8, 3), slice(-2, None), slice(5, 2)):
            assert torch.equal(checkpoint.read("x", rows), tensor[rows])
        got = checkpoint.read("x", slice(0, 1))
        got[...] = 0
        assert torch.equal(checkpoint.read("x"), tensor)
        with pytest.raises(ValueError, match="no rows"):
            checkpoint.read("s", slice(0, 1))
        with pytest.raises(ValueError, match="forward"):
            checkpoint.read("x", slice(None, None, -1))
        with pytest.raises(UnknownTensorError, match="'nothing'"):
            checkpoint.read("nothing")
        with pytest.raises(IndexError):
            checkpoint.chunks("x", 0, 73)


def test_chunks_use_one_buffer(tmp_path):
    path = tmp_path / "x.safetensors"
    save_file({"x": torch.arange(10.0)}, path)

    with open_checkpoint(path) as checkpoint:
        chunks = list(checkpoint.chunks("x", 1, 9, 3))
        assert [(c.start, c.bits.size) for c in chunks] == [(1, 3), (4, 3), (7, 2)]
        assert np.shares_memory(chunks[0].bits, chunks[1].bits)


def test_headers_are_sorted_by_place_and_keep_the_order_of_metadata():
    item = '{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}}'
    first, second = item.format(0, 1), item.format(1, 2)
    head = f'{{"b":{second},"__metadata__":{{"z":"1","a":"2"}},"a":{first}}}'

    found = parse(head.encode(), "x")

    assert [t[0] for t in found.tensors] == ["a", "b"]
    assert list(found.metadata) == ["z", "a"]


def test_opening_loads_neither_torch_nor_qt(tmp_path):
    path = tmp_path / "x.safetensors"
    save_file({"x.weight": torch.zeros(2, 2)}, path)
    code = (
        "import sys; from pruneapp.checkpoint.checkpoint import open_checkpoint;"
        f"c = open_checkpoint({str(path)!r}); next(iter(c.chunks('x.weight'))); c.close();"
        "print(sorted({m.split('.')[0] for m in sys.modules} & "
        "{'torch', 'safetensors', 'PySide6', 'ml_dtypes'}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
