"""Files of compressed-tensors 0.3 to 0.14: packed here with its algorithm, and read back."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.formats import packed_bits
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import DamagedFileError
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn)


def packed(prefix: str, weight: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return the tensors of `BitmaskTensor.from_dense` of compressed-tensors 0.14."""
    mask = weight.float() != 0
    bits = np.packbits(mask.numpy(), axis=-1, bitorder="little")
    raw = weight.view(torch.uint8 if weight.element_size() == 1 else weight.dtype)
    counts = mask.sum(dim=-1)
    return {
        f"{prefix}.shape": torch.tensor(weight.shape),
        f"{prefix}.compressed": raw[mask].view(weight.dtype),
        f"{prefix}.bitmask": torch.from_numpy(bits),
        f"{prefix}.row_offsets": counts.cumsum(0) - counts,
    }


def sparse(shape, seed: int, dtype: torch.dtype = torch.float32, share: float = 0.7):
    generator = torch.Generator().manual_seed(seed)
    weight = torch.randn(shape, generator=generator)
    weight[torch.rand(shape, generator=generator) < share] = 0
    return weight.to(dtype)


def raw(tensor: torch.Tensor) -> bytes:
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


@pytest.fixture(params=DTYPES, ids=str)
def model(request, tmp_path):
    dense = {
        "a.weight": sparse((37, 51), 1, request.param),
        "b.weight": sparse((6, 4, 3, 3), 2, request.param),
        "c.weight": torch.zeros(5, 16, dtype=request.param),
        "a.bias": torch.randn(37),
    }
    tensors = {"a.bias": dense["a.bias"]}
    for name in ("a", "b", "c"):
        tensors |= packed(name, dense[f"{name}.weight"])
    save_file(tensors, tmp_path / "model.safetensors", {"format": "pt"})
    return tmp_path / "model.safetensors", dense


def test_packed_weights_are_read_as_they_were(model):
    path, dense = model
    with open_checkpoint(path) as found:
        assert set(found.entries) == set(dense)
        for name, tensor in dense.items():
            entry = found.entry(name)
            assert entry.shape == tuple(tensor.shape)
            assert found.bits(name).tobytes() == raw(tensor), name
            assert entry.prunable
        assert "no current program unpacks" in found.contents.notices[0].text


def test_an_export_makes_them_plain(model, tmp_path):
    path, dense = model
    out = tmp_path / "plain.safetensors"
    with open_checkpoint(path) as found:
        export(Snapshot(found), ExportRequest("safetensors", out), Job())
    with open_checkpoint(out) as plain:
        assert plain.contents.label == "safetensors"
        for name, tensor in dense.items():
            assert plain.bits(name).tobytes() == raw(tensor)


@given(
    st.lists(st.integers(1, 40), min_size=2, max_size=4).filter(lambda s: math.prod(s) < 20_000),
    st.integers(0, 9),
    st.floats(0, 1),
    st.integers(1, 200),
)
def test_any_stretch_of_any_shape(tmp_path_factory, shape, seed, share, stretch):
    folder = tmp_path_factory.mktemp("packed")
    weight = sparse(tuple(shape), seed, share=share)
    save_file(packed("x", weight), folder / "x.safetensors")
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch, open_checkpoint(folder / "x.safetensors") as found:
        patch.setattr(packed_bits, "_MAX_ELEMENTS", stretch)
        words = weight.numpy().reshape(-1).view("u4")
        for _ in range(5):
            start, stop = sorted(rng.integers(0, words.size + 1, 2).tolist())
            assert np.array_equal(found.bits("x.weight", start, stop), words[start:stop])


def test_two_of_four_has_no_offsets(tmp_path):
    weight = sparse((8, 16), 3)
    tensors = packed("x", weight)
    del tensors["x.row_offsets"]
    tensors["x.shape"] = tensors["x.shape"].reshape(2, 1)
    save_file(tensors, tmp_path / "x.safetensors")
    with open_checkpoint(tmp_path / "x.safetensors") as found:
        assert found.bits("x.weight").tobytes() == raw(weight)


def test_shards_and_their_index(tmp_path):
    one, other = sparse((9, 20), 4), sparse((7, 30), 5)
    where = {}
    for number, (prefix, weight) in enumerate((("a", one), ("b", other)), 1):
        tensors = packed(prefix, weight)
        name = f"model-{number:05}-of-00002.safetensors"
        save_file(tensors, tmp_path / name)
        where |= dict.fromkeys(tensors, name)
    index = {"metadata": {}, "weight_map": where}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    with open_checkpoint(tmp_path) as found:
        assert found.bits("a.weight").tobytes() == raw(one)
        assert found.bits("b.weight").tobytes() == raw(other)
        assert len(found.contents.notices) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.update({"x.shape": torch.tensor([8, 17])}), "bitmask is not that"),
        (lambda t: t.update({"x.shape": torch.tensor([8, 0])}), "its shape is [8, 0]"),
        (lambda t: t.update({"x.shape": torch.tensor([8, -16])}), "its shape is [8, -16]"),
        (lambda t: t.update({"x.shape": torch.tensor([2**62, 16])}), "its shape is"),
        (lambda t: t.update({"x.shape": torch.ones(9, dtype=torch.int64)}), "a few whole numbers"),
        (lambda t: t.update({"x.shape": torch.tensor([8.0, 16.0])}), "a few whole numbers"),
    ],
)
def test_parts_that_do_not_fit_are_refused_in_a_sentence(change, words, tmp_path):
    tensors = packed("x", sparse((8, 16), 3))
    change(tensors)
    save_file(tensors, tmp_path / "x.safetensors")
    with pytest.raises(DamagedFileError) as caught:
        open_checkpoint(tmp_path / "x.safetensors")
    assert words in str(caught.value)
    assert "'x.weight'" in str(caught.value)


def test_a_bitmask_of_other_numbers_is_noticed_when_it_is_read(tmp_path):
    tensors = packed("x", sparse((8, 16), 3))
    tensors["x.compressed"] = tensors["x.compressed"][:-1]
    save_file(tensors, tmp_path / "x.safetensors")
    with (
        open_checkpoint(tmp_path / "x.safetensors") as found,
        pytest.raises(DamagedFileError, match=r"the bitmask of 'x.weight' is for 44 values"),
    ):
        found.bits("x.weight")


def test_parts_without_the_others_stay_what_they_are(tmp_path):
    tensors = packed("x", sparse((8, 16), 3))
    del tensors["x.shape"]
    save_file(tensors, tmp_path / "x.safetensors")
    with open_checkpoint(tmp_path / "x.safetensors") as found:
        assert set(found.entries) == {"x.compressed", "x.bitmask", "x.row_offsets"}
