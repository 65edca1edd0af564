"""ONNX models open with the tensors that the onnx package reads, or are refused."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from pruneapp.checkpoint.checkpoint import READERS, Checkpoint, open_checkpoint
from pruneapp.checkpoint.formats import onnx as reader
from pruneapp.checkpoint.formats.onnx import ONNX
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import CheckpointError, DamagedFileError, UnsupportedFileError
from pruneapp.progress import Cancelled, Job
from tests.support.cancel_checks import CountingToken
from tests.support.onnx_models import Builder, branches, every_type, save, small_network, values_of


def with_tensor(tensor, *nodes):
    graph = helper.make_graph(
        [*nodes, helper.make_node("Relu", ["x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])],
        [] if tensor is None else [tensor],
    )
    return helper.make_model(graph)


def assert_same(checkpoint: Checkpoint, name: str, values: np.ndarray) -> None:
    entry = checkpoint.entry(name)
    assert entry.shape == values.shape
    assert checkpoint.bits(name).tobytes() == values.tobytes()


@pytest.mark.parametrize("external", [False, True], ids=["inside", "outside"])
def test_every_type_is_read_as_onnx_reads_it(external, tmp_path):
    model = every_type().model([], [1])
    path = save(model, tmp_path / "m.onnx", external=external, least=0)
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.format == "onnx"
        assert list(checkpoint.entries) == [t.name for t in model.graph.initializer]
        for tensor in onnx.load(str(path), load_external_data=False).graph.initializer:
            assert_same(checkpoint, tensor.name, values_of(tensor, tmp_path))


@pytest.mark.parametrize("block", [5, 1 << 16])
def test_numbers_in_fields_of_their_type_are_read(block, tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "_BLOCK", block)
    rng = np.random.default_rng(2)
    graph = onnx.GraphProto(name="g")
    for kind in (
        *(TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT8, TensorProto.INT32),
        *(TensorProto.INT64, TensorProto.UINT16, TensorProto.UINT64, TensorProto.UINT32),
        *(TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.BOOL, TensorProto.COMPLEX64),
        *(TensorProto.FLOAT8E4M3FN, TensorProto.INT16, TensorProto.UINT8),
    ):
        dtype = helper.tensor_dtype_to_np_dtype(kind)
        spread = 2**60 if kind in {TensorProto.INT64, TensorProto.UINT64} else 40
        values = rng.uniform(-spread, spread, 77)
        values = (abs(values) if dtype.kind == "u" else values).astype(dtype)
        tensor = helper.make_tensor(f"t{kind}", kind, [7, 11], values)
        assert not tensor.raw_data
        graph.initializer.append(tensor)
    path = save(helper.make_model(graph), tmp_path / "m.onnx")
    with open_checkpoint(path) as checkpoint:
        for tensor in graph.initializer:
            values = numpy_helper.to_array(tensor)
            assert_same(checkpoint, tensor.name, values)
            some = checkpoint.bits(tensor.name, 3, 60)
            if some.itemsize == values.itemsize:
                assert some.tobytes() == values.ravel()[3:60].tobytes()


def test_constants_and_branches_are_read(tmp_path):
    model = branches("a", "b")
    model.graph.node.add(op_type="Constant", output=["k"]).attribute.add(
        name="value", type=4
    ).t.CopyFrom(numpy_helper.from_array(np.full((2, 2), 3, np.float32)))
    with open_checkpoint(save(model, tmp_path / "m.onnx")) as checkpoint:
        assert set(checkpoint.entries) == {"k", "a", "b"}
        for name, fill in (("k", 3), ("a", 1), ("b", 2)):
            assert_same(checkpoint, name, np.full((2, 2), fill, np.float32))
        assert checkpoint.entry("k").why_not == "no operator of the graph reads its numbers"
        assert checkpoint.entry("a").why_not == "it is an output of the graph"
        assert not checkpoint.contents.notices


def test_branches_have_names_of_their_own(tmp_path):
    model = branches("a", "a")
    onnx.checker.check_model(model, full_check=True)
    with open_checkpoint(save(model, tmp_path / "m.onnx")) as checkpoint:
        assert list(checkpoint.entries) == ["a"]
        (notice,) = checkpoint.contents.notices
        assert notice.text.endswith("are not shown if other tensors have their names: 1.")


def test_the_graph_says_what_tensors_are(tmp_path):
    builder = Builder()
    x = builder.norm("stats", builder.conv("a", "x", 4, 3), 4)
    x = builder.op("Flatten", x)
    x = builder.matmul("m", builder.linear("g", x, 5, 144), 6, 5)
    model = builder.model([x], [1, 3, 6, 6])
    # Meaningless names, as in models with folded constants.
    for number, tensor in enumerate(model.graph.initializer):
        for node in model.graph.node:
            node.input[:] = [f"v{number}" if n == tensor.name else n for n in node.input]
        tensor.name = f"v{number}"
    with open_checkpoint(save(model, tmp_path / "m.onnx")) as checkpoint:
        entries = [*checkpoint.entries.values()]
    assert [e.kind for e in entries[:9]] == [
        *("Conv2d", "bias", "norm", "norm", "statistics", "statistics", "Linear", "bias", "Linear")
    ]
    assert [n for n, e in enumerate(entries) if e.by_default] == [0, 6, 8]
    assert entries[5].why_not == "running statistics are measured, not learned"


def test_what_the_file_says_of_itself_is_kept(tmp_path):
    with open_checkpoint(save(small_network(), tmp_path / "any.name")) as checkpoint:
        assert checkpoint.metadata == {"author": "grüße"}
        assert checkpoint.contents.label == "ONNX"


def test_what_cannot_be_read_is_said_to_be_so(tmp_path):
    text = helper.make_tensor("words", TensorProto.STRING, [1], [b"a"])
    four = helper.make_tensor("four", TensorProto.INT4, [2], [1, 2])
    model = with_tensor(text)
    model.graph.initializer.append(four)
    values = helper.make_tensor("s", TensorProto.FLOAT, [1], [1.0])
    indices = helper.make_tensor("i", TensorProto.INT64, [1], [1])
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [4]))
    with open_checkpoint(save(model, tmp_path / "m.onnx")) as checkpoint:
        assert not checkpoint.entries
        assert checkpoint.unreadable == {
            "words": "it contains text",
            "four": "4-bit numbers of ONNX are not read",
        }
        (notice,) = checkpoint.contents.notices
        assert "sparse initializers" in notice.text


def test_opening_reads_no_weights(tmp_path):
    builder = Builder()
    builder.constant("large", np.zeros(4_000_000, np.float32))
    path = save(builder.model([], [1]), tmp_path / "m.onnx")
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.files[0].bytes_read < 1_000_000


def test_opening_many_tensors_is_quick_and_can_be_cancelled(tmp_path):
    graph = onnx.GraphProto(name="g")
    for number in range(10_000):
        graph.initializer.add(name=f"t{number}", data_type=1, dims=[2], raw_data=bytes(8))
    path = save(helper.make_model(graph), tmp_path / "m.onnx")
    start = time.process_time()
    token = CountingToken()
    open_checkpoint(path, job=Job(cancel=token)).close()
    assert time.process_time() - start < 5
    assert token.looks > 20
    for look in (1, token.looks // 2):
        with pytest.raises(Cancelled):
            open_checkpoint(path, job=Job(cancel=CountingToken(cancelled_at=look)))


# Files that are not ONNX models -------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"\x08",
        b"\x08\x01\x12\xff\xff\xff\x7f",  # a TensorFlow model: a graph where a name would be
        b"\x0a\x10" + bytes(16),
        b"\x08\x07\x1a\x02ab" + b"\x3a\x02\xff\xff",
        b"\x08\x07\x99",
        bytes(600),
        b"\x80\x02}q\x00.",
    ],
)
def test_other_files_are_not_taken_for_models(data, tmp_path):
    path = tmp_path / "x"
    path.write_bytes(data)
    source = FileSource(path)
    assert not ONNX.recognises(data[:512], source)
    source.close()


def test_a_model_is_recognised_by_no_other_reader(tmp_path):
    data = save(small_network(), tmp_path / "m").read_bytes()
    source = FileSource(tmp_path / "m")
    assert [r.name for r in READERS if r.recognises(data[:512], source)] == ["onnx"]
    source.close()


# Hostile and damaged files ------------------------------------------------------------------------


def tensor(**more):
    values = {"name": "w", "data_type": 1, "dims": [2, 2], "raw_data": bytes(16)} | more
    return onnx.TensorProto(**values)


DAMAGED = {
    "short": (tensor(raw_data=bytes(12)), "has 12 bytes, not 16"),
    "empty": (tensor(raw_data=b""), "has no numbers"),
    "type": (tensor(data_type=99), "unknown type 99"),
    "no type": (tensor(data_type=0), "unknown type 0"),
    "negative": (tensor(dims=[-1, 2]), "extent"),
    "huge": (tensor(dims=[1 << 40, 1 << 40]), "extent"),
    "rank": (tensor(dims=[1] * 100), "over 64 dimensions"),
    "other field": (tensor(raw_data=b"", double_data=[1.0, 2.0]), "for another type"),
    "too few": (
        onnx.TensorProto(name="w", data_type=7, dims=[3], int64_data=[1, 2]),
        "does not have 3 numbers",
    ),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_tensor_is_refused(case, tmp_path):
    bad, says = DAMAGED[case]
    path = save(with_tensor(bad), tmp_path / "m.onnx")
    with pytest.raises(DamagedFileError, match=says) as caught:
        open_checkpoint(path)
    assert str(path) in caught.value.sentence


def test_two_tensors_of_one_name_are_refused(tmp_path):
    model = with_tensor(tensor())
    model.graph.initializer.append(tensor())
    with pytest.raises(DamagedFileError, match="two tensors are called 'w'"):
        open_checkpoint(save(model, tmp_path / "m.onnx"))


def test_two_graphs_are_refused(tmp_path):
    path = save(small_network(), tmp_path / "m.onnx")
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(DamagedFileError, match="2 graphs instead of one"):
        open_checkpoint(path)


def test_graphs_deep_in_graphs_are_refused(tmp_path):
    inner = onnx.GraphProto(name="g")
    for _ in range(60):
        outer = onnx.GraphProto(name="g")
        outer.node.add(op_type="If").attribute.add(name="a", type=5).g.CopyFrom(inner)
        inner = outer
    with pytest.raises(DamagedFileError, match="graphs are nested"):
        open_checkpoint(save(helper.make_model(inner), tmp_path / "m.onnx"))


def test_a_cut_file_is_refused_wherever_it_is_cut(tmp_path):
    path = tmp_path / "m.onnx"
    model = small_network()
    del model.opset_import[:], model.metadata_props[:]  # they follow the graph
    whole = save(model, path).read_bytes()
    for size in (*range(1, 40), *range(40, len(whole), 61)):
        path.write_bytes(whole[:size])
        with pytest.raises(CheckpointError) as caught:
            open_checkpoint(path)
        assert str(path) in caught.value.sentence
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DamagedFileError, match=r"is truncated: at least .* missing"):
        open_checkpoint(path)


@pytest.mark.parametrize("external", [False, True], ids=["inside", "outside"])
def test_a_mutated_file_opens_or_is_refused(external, tmp_path):
    path = save(small_network(), tmp_path / "m.onnx", external=external)
    whole = path.read_bytes()
    rng = random.Random(5)
    opened = refused = 0
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 3))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        try:
            with open_checkpoint(path) as checkpoint:
                opened += 1
                for name in checkpoint.entries:
                    checkpoint.bits(name)
        except CheckpointError:
            refused += 1
    assert opened
    assert refused


# External data ------------------------------------------------------------------------------------


def outside(path: Path, **external: str) -> Path:
    bad = onnx.TensorProto(name="w", data_type=1, dims=[2, 2], data_location=1)
    for key, value in external.items():
        bad.external_data.add(key=key, value=value)
    return save(with_tensor(bad), path)


@pytest.mark.parametrize(
    "place",
    [
        *("../secret", "/etc/passwd", "a/../../secret", "..\\secret", "C:\\secret", "\\secret"),
        *("//host/share/f", "", "a\0b", "C:secret"),
    ],
)
def test_a_place_outside_of_the_folder_is_refused(place, tmp_path):
    (tmp_path / "secret").write_bytes(bytes(64))
    folder = tmp_path / "a"
    folder.mkdir()
    path = outside(folder / "m.onnx", location=place)
    with pytest.raises(UnsupportedFileError, match="which is outside its folder"):
        open_checkpoint(path)


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    (tmp_path / "secret").write_bytes(bytes(64))
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "data").symlink_to(tmp_path / "secret")
    path = outside(folder / "m.onnx", location="data")
    with pytest.raises(
        UnsupportedFileError, match=r"data file .* is a link to .* outside the folder of the model"
    ):
        open_checkpoint(path)


@pytest.mark.parametrize(
    ("external", "says"),
    [
        ({"location": "missing"}, "The data file 'missing' is missing from"),
        ({"location": "data", "offset": "8"}, "is truncated"),
        ({"location": "data", "offset": "-1"}, "'w' has the offset '-1', at byte"),
        ({"location": "data", "offset": "1e3"}, "'w' has the offset '1e3'"),
        ({"location": "data", "length": "12"}, "would have 12 bytes"),
        ({"location": "data", "offset": "9" * 19}, "is truncated"),
        ({"location": "data", "offset": "9" * 30}, "'w' has the offset '999"),
    ],
)
def test_a_place_that_cannot_be_is_refused(external, says, tmp_path):
    (tmp_path / "data").write_bytes(bytes(20))
    with pytest.raises(DamagedFileError, match=says):
        open_checkpoint(outside(tmp_path / "m.onnx", **external))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes in folders")
def test_a_pipe_beside_the_model_is_refused(tmp_path):
    os.mkfifo(tmp_path / "data")
    with pytest.raises(CheckpointError, match="is a pipe"):
        open_checkpoint(outside(tmp_path / "m.onnx", location="data"))


def test_tensors_that_share_bytes_outside_are_not_pruned(tmp_path):
    (tmp_path / "data").write_bytes(bytes(20))
    model = with_tensor(None, *(helper.make_node("MatMul", ["x", n], [f"y{n}"]) for n in "ab"))
    for name, offset in (("a", 0), ("b", 4)):
        shared = model.graph.initializer.add(name=name, data_type=1, dims=[2, 2], data_location=1)
        shared.external_data.add(key="location", value="data")
        shared.external_data.add(key="offset", value=str(offset))
    with open_checkpoint(save(model, tmp_path / "m.onnx")) as checkpoint:
        assert checkpoint.entry("a").why_not == "it shares memory with 'b'"
