"""Imatrix files of every kind: valid, of another model, and broken at every byte."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from pruneapp.errors import CheckpointError, PruneAppError
from pruneapp.progress import Job
from pruneapp.statistics.imatrix import convert
from tests.support.imatrix_files import KEYS, dat, gguf, text
from tests.support.memory_checkpoint import MemoryCheckpoint

RNG = np.random.default_rng(0)
LAYER = "model.layers.3"
SHAPES = {
    f"{LAYER}.self_attn.q_proj.weight": (8, 6),
    f"{LAYER}.mlp.down_proj.weight": (6, 4),
    "lm_head.weight": (9, 6),
    f"{LAYER}.input_layernorm.weight": (6,),
    "vision_model.encoder.layers.3.self_attn.q_proj.weight": (8, 6),
}
DENSE = {"blk.3.attn_q.weight": 6, "blk.3.ffn_down.weight": 4, "output.weight": 6}


def checkpoint(shapes=SHAPES):
    return MemoryCheckpoint({name: np.zeros(shape, np.float32) for name, shape in shapes.items()})


def tensors(kinds=DENSE, parts=1, *, sums=True):
    found = {}
    for name, columns in kinds.items():
        x = RNG.normal(size=(parts, 9, columns)).astype(np.float32)
        found[f"{name}.in_sum2"] = (x**2).sum(1)
        if sums:
            found[f"{name}.in_sum"] = x.sum(1)
        found[f"{name}.counts"] = np.full((parts, 1), 9)
    return found


@pytest.fixture
def read(tmp_path):
    """Provide a function that writes bytes and converts them."""

    def convert_bytes(data, shapes=SHAPES):
        path = tmp_path / "imatrix.any"
        path.write_bytes(data)
        return convert(path, checkpoint(shapes), Job())

    return convert_bytes


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("sums", [True, False])
def test_gguf_is_read_under_the_names_of_the_checkpoint(read, version, sums):
    """With sums of values if the file has them; unknown tensors are skipped."""
    made = tensors(sums=sums)
    other = tensors({"blk.3.ssm_out.weight": 6, "blk.3.attn_k_b.weight": 6})
    stats = {"blk.3.attn_q.weight.stats": np.zeros(12)}
    converted = read(gguf(made | other | stats, version=version))
    assert list(converted.weights) == list(SHAPES)[:3]
    assert set(converted.skipped) == {"blk.3.ssm_out.weight", "blk.3.attn_k_b.weight"}
    for name, theirs in zip(converted.weights, DENSE, strict=True):
        found = converted.weights[name]
        assert np.array_equal(found.sum2, made[f"{theirs}.in_sum2"])
        assert found.counts.tolist() == [9]
        assert not found.transposed
        assert (found.sum is not None) == sums
        assert not sums or np.array_equal(found.sum, made[f"{theirs}.in_sum"])


def test_the_names_of_a_gguf_model_are_used_as_they_are(read):
    made = tensors({**DENSE, "blk.3.ffn_up_exps.weight": 6}) | tensors(
        {"blk.3.ffn_up_exps.weight": 6}, 3
    )
    shapes = {
        "blk.3.attn_q.weight": (8, 6),
        "blk.3.ffn_down.weight": (6, 4),
        "blk.3.ffn_up_exps.weight": (3, 5, 6),
        "output.weight": (9, 6),
    }
    weights = read(gguf(made), shapes).weights
    assert list(weights) == list(shapes)
    for name, found in weights.items():
        assert np.array_equal(found.sum2, made[f"{name}.in_sum2"])
    tied = {name: shapes[name] for name in ("blk.3.attn_q.weight", "blk.3.ffn_down.weight")}
    weights = read(gguf(tensors()), {**tied, "token_embd.weight": (9, 6)}).weights
    assert "token_embd.weight" in weights


def test_experts_are_slices_of_one_tensor_or_entries_of_their_own(read):
    """In GGUF and newer .dat files, in the oldest ones, and if the checkpoint fuses them."""
    sums = RNG.random((3, 6)).astype(np.float32)
    counts = np.array([[2], [0], [5]])
    one = {"blk.3.ffn_up_exps.weight.in_sum2": sums, "blk.3.ffn_up_exps.weight.counts": counts}
    apart = {f"{LAYER}.mlp.experts.{e}.up_proj.weight": (5, 6) for e in range(3)}
    mixtral = {f"{LAYER}.block_sparse_moe.experts.{e}.w3.weight": (5, 6) for e in range(3)}
    for shapes in (apart, mixtral):
        for data, number in (
            (gguf(one), counts[:, 0].tolist()),
            (dat({"blk.3.ffn_up_exps.weight": (4, sums)}, "wiki"), [4] * 3),
            (dat({f"blk.3.ffn_up.{e}.weight": (4, sums[e]) for e in range(3)}), [4] * 3),
        ):
            weights = read(data, shapes).weights
            assert list(weights) == list(shapes)
            for e, found in enumerate(weights.values()):
                assert found.sum2.tolist() == [sums[e].tolist()]
                assert found.counts.tolist() == [number[e]]
    name = f"{LAYER}.mlp.experts.gate_up_proj"
    for shape, transposed in (((3, 5, 6), False), ((3, 6, 5), True)):
        found = read(gguf(one), {name: shape}).weights[name]
        assert found.transposed == transposed
        assert np.array_equal(found.sum2, sums)
        assert found.counts.tolist() == [2, 0, 5]
        assert found.rms[1].tolist() == [1] * 6
    with pytest.raises(CheckpointError, match=r"has the shape \[3, 6, 6\]"):
        read(gguf(one), {name: (3, 6, 6)})  # the dimension of the inputs is ambiguous


def test_the_inputs_of_gpt2_come_first(read):
    """Its Conv1D are transposed, square ones too."""
    shapes = {"transformer.h.3.attn.c_attn.weight": (6, 18), "h.3.attn.c_proj.weight": (6, 6)}
    made = tensors({"blk.3.attn_qkv.weight": 6, "blk.3.attn_output.weight": 6})
    weights = read(gguf(made), shapes).weights
    assert [found.transposed for found in weights.values()] == [True, True]


def test_gram_matrices_are_read_also_by_an_alias(read):
    """A convention of a fork: the owner of an input that several weights share."""
    gram = RNG.random((6, 6)).astype(np.float32)
    shapes = {f"{LAYER}.self_attn.{n}_proj.weight": (6, 6) for n in "qk"}
    made = tensors({"blk.3.attn_q.weight": 6, "blk.3.attn_k.weight": 6})
    made["blk.3.attn_q.weight.in_gram"] = gram
    alias = text("hessian.alias.blk.3.attn_k.weight") + struct.pack("<I", 8)
    converted = read(gguf(made, (*KEYS, alias + text("blk.3.attn_q.weight"))), shapes)
    for name in shapes:
        assert np.array_equal(np.concatenate(list(converted.grams[name])).reshape(6, 6), gram)


@pytest.mark.parametrize("dataset", [None, "some/pages.txt"])
def test_dat_files_hold_means_up_to_a_factor(read, dataset):
    """Values divided by calls; no sums of values."""
    made = {name: (5, RNG.random(columns)) for name, columns in DENSE.items()}
    weights = read(dat(made, dataset)).weights
    for found, (calls, values) in zip(weights.values(), made.values(), strict=True):
        assert np.allclose(found.rms, np.sqrt(values / calls))
        assert found.sum is None


def small(kind):
    one = {"output.weight": 6}
    return gguf(tensors(one)) if kind == "gguf" else dat({"output.weight": (3, np.ones(6))}, "w")


@pytest.mark.parametrize("kind", ["gguf", "dat"])
def test_files_that_are_cut_at_any_byte_are_refused_in_a_sentence(tmp_path, kind):
    """None is read as if it was complete; no other exception is raised."""
    whole = small(kind)
    path = tmp_path / "imatrix"
    model = checkpoint({"lm_head.weight": (9, 6)})
    ends = set()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        try:
            convert(path, model, Job())
        except CheckpointError:
            continue
        ends.add(size)
    # GGUF ends with padding; a .dat file without its trailer is one of the first kind.
    data = len(whole.rstrip(b"\0"))
    assert ends <= ({*range(data, len(whole))} if kind == "gguf" else {len(whole) - 4 - 4 - 1})


@pytest.mark.parametrize("kind", ["gguf", "dat"])
def test_files_with_any_byte_changed_are_read_or_refused_in_a_sentence(tmp_path, kind):
    """With bounded memory, for any sizes in them."""
    whole = small(kind)
    path = tmp_path / "imatrix"
    model = checkpoint({"lm_head.weight": (9, 6)})
    for at in range(len(whole)):
        for value in {0xFF, whole[at] ^ 1}:
            path.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
            try:
                convert(path, model, Job())
            except PruneAppError as error:
                assert len(str(error)) < 600  # noqa: PT017 - it may be refused, but in a sentence


def pair(name, number, value):
    return text(name) + struct.pack("<I", number) + value


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is not an imatrix of llama.cpp"),
        (b"\0" * 64, "is not an imatrix of llama.cpp"),
        (gguf({}, ()), "is a GGUF file, but no imatrix"),
        (gguf({}, (pair("general.type", 8, text("model")),)), "general.type is 'model'"),
        (gguf(tensors(), version=4), "version is 4"),
        (gguf(tensors(), (*KEYS, pair("general.alignment", 4, struct.pack("<I", 0)))),
         "alignment is 0"),
        (gguf(tensors(), (*KEYS, pair("x", 9, struct.pack("<IQ", 9, 1)))), "unknown type 9"),
        (gguf(tensors(), (*KEYS, pair("x", 9, struct.pack("<IQ", 8, 1 << 60)))), "truncated"),
        (gguf(tensors(), (*KEYS, pair("x", 9, struct.pack("<IQ", 12, 1 << 61)))), "truncated"),
        (gguf(tensors(), (*KEYS, pair("x", 77, b""))), "unknown type 77"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 0), "1,152,921,504,606,846,976 tensors"),
        (gguf(tensors(), kinds={"output.weight.in_sum2": 1}), "is not float32"),
        (gguf(tensors() | {"a\nb.in_sum2": np.ones(1)}), "control characters"),
        (gguf({k: v for k, v in tensors().items() if "q.weight.counts" not in k}), "lacks"),
        (gguf(tensors() | {"output.weight.in_sum": np.ones((1, 5))}), "another length"),
        (gguf(tensors() | {"output.weight.in_sum2": np.full((1, 6), np.nan)}), "not finite"),
        (gguf(tensors() | {"output.weight.in_sum2": -np.ones((1, 6))}), "negative"),
        (gguf(tensors() | {"output.weight.counts": np.ones((2, 1))}), "2 counts of 1"),
        (gguf(tensors({"blk.3.attn_q.weight": 5})), r"5 inputs .* has the shape \[8, 6\]"),
        (gguf(tensors({"blk.3.attn_q.weight": 3}, 2)), r"6 inputs .* has the shape \[8, 6\]"),
        (gguf(tensors({"blk.4.attn_q.weight": 6})), "'blk.4.attn_q.weight', but .* another model"),
        (gguf(tensors({"blk.3.ssm_out.weight": 6})), "None of the names"),
        (dat({"output.weight": (-1, np.ones(6))}), "6 values of -1 calls"),
        (dat({"output.weight": (1, np.ones(6))}, "x") + b"y", "other bytes follow"),
    ],
)  # fmt: skip
def test_what_is_broken_or_of_another_model_is_refused_in_a_sentence(read, data, says):
    """The message contains the reason."""
    with pytest.raises(PruneAppError, match=says):
        read(data)
