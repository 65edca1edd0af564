"""An ONNX model keeps its container, with zeros for pruned weights."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ExportError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.formats import onnx as onnx_format
from pruneapp.export.report import ExportRequest
from pruneapp.groups.onnx_graph import read_graph
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Job
from tests.support.formats import OF_ANY_SOURCE
from tests.support.onnx_models import save, small_network
from tests.support.onnx_networks import NETWORKS
from tests.support.onnx_runs import choose, difference, masked, run, with_zeros


def written(state, path):
    return export(state, ExportRequest("onnx", path), Job())


def test_without_masks_it_is_the_file_byte_for_byte(tmp_path):
    path = save(small_network(), tmp_path / "m.onnx")
    with open_checkpoint(path) as checkpoint:
        report = written(Snapshot(checkpoint), tmp_path / "out.onnx")
    assert (tmp_path / "out.onnx").read_bytes() == path.read_bytes()
    assert report.verified


@pytest.mark.parametrize("external", [False, True], ids=["inside", "outside"])
@pytest.mark.parametrize("network", NETWORKS)
def test_it_is_the_model_with_zeros(network, external, tmp_path):
    path = save(NETWORKS[network](), tmp_path / "m.onnx", external=external)
    out = tmp_path / "out.onnx"
    with open_checkpoint(path) as checkpoint:
        graph = read_graph(checkpoint, Job())
        state = masked(checkpoint, choose(graph, 0.5))
        report = written(state, out)
        whole = with_zeros(path, state)
    if not external:
        assert out.stat().st_size == path.stat().st_size
    assert ("inside the file now" in " ".join(report.notices)) == external
    assert difference(run(whole), run(out)) == 0
    onnx.checker.check_model(str(out), full_check=True)
    found = onnx.load(str(out), load_external_data=False)
    for one, other in zip(whole.graph.initializer, found.graph.initializer, strict=True):
        assert np.array_equal(numpy_helper.to_array(one), numpy_helper.to_array(other))
        other.CopyFrom(one)
    found.graph.ClearField("initializer")
    whole.graph.ClearField("initializer")
    assert found == whole


def test_a_model_of_over_2_gib_keeps_its_numbers_in_one_file_beside_it(tmp_path, monkeypatch):
    path = save(small_network(), tmp_path / "m.onnx", external=True)
    out = tmp_path / "out.onnx"
    monkeypatch.setattr(onnx_format, "MOST_BYTES", 1000)
    with open_checkpoint(path) as checkpoint:
        state = masked(checkpoint, choose(read_graph(checkpoint, Job()), 0.5))
        report = written(state, out)
        whole = with_zeros(path, state)
    assert {p.name for p in tmp_path.iterdir()} == {
        *("m.onnx", "m.onnx.data", "out.onnx", "out.onnx.data")
    }
    assert "The numbers are in 'out.onnx.data' next to the file" in " ".join(report.notices)
    assert difference(run(whole), run(out)) == 0
    offsets = [
        int(pair.value)
        for tensor in onnx.load(str(out), load_external_data=False).graph.initializer
        for pair in tensor.external_data
        if pair.key == "offset"
    ]
    assert offsets
    assert not any(offset % onnx_format.ALIGNMENT for offset in offsets)
    # Exporting next to the original does not change its external data.
    data = (tmp_path / "m.onnx.data").read_bytes()
    with open_checkpoint(path) as checkpoint:
        written(Snapshot(checkpoint), path)
    assert (tmp_path / "m.onnx.data").read_bytes() == data
    assert (tmp_path / "m.onnx.2.data").exists()
    assert difference(run(path), run(tmp_path / "m.orig.onnx")) == 0


def test_a_model_without_external_data_that_is_too_large_is_refused(tmp_path, monkeypatch):
    path = save(small_network(), tmp_path / "m.onnx")
    monkeypatch.setattr(onnx_format, "MOST_BYTES", 1000)
    with (
        open_checkpoint(path) as checkpoint,
        pytest.raises(ExportError, match="at most 1,000 bytes"),
    ):
        written(Snapshot(checkpoint), tmp_path / "out.onnx")


TYPED = {
    "float": TensorProto.FLOAT,
    "double": TensorProto.DOUBLE,
    "float16": TensorProto.FLOAT16,
    "bfloat16": TensorProto.BFLOAT16,
}


@pytest.mark.parametrize("kind", TYPED)
def test_numbers_in_typed_fields_are_pruned(kind, tmp_path):
    """As `onnx.helper.make_tensor` writes them: 16-bit values as varints."""
    number = TYPED[kind]
    dtype = helper.tensor_dtype_to_np_dtype(number)
    values = np.random.default_rng(0).standard_normal((8, 8)).astype(dtype)
    tensor = helper.make_tensor("w", number, [8, 8], values)
    assert not tensor.raw_data
    nodes = [
        helper.make_node("Cast", ["x"], ["a"], to=number),
        helper.make_node("MatMul", ["a", "w"], ["b"]),
        helper.make_node("Cast", ["b"], ["y"], to=TensorProto.FLOAT),
    ]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 8]) for n in "xy"]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [tensor])
    opsets = [helper.make_opsetid("", 17)]
    path = save(helper.make_model(graph, opset_imports=opsets, ir_version=8), tmp_path / "m.onnx")
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.entry("w").by_default
        kept = np.arange(64).reshape(8, 8) % 3 == 0
        state = Snapshot(checkpoint, MaskLayers(MaskSet({"w": BitMask.from_bools(kept)})))
        written(state, tmp_path / "out.onnx")
    onnx.checker.check_model(str(tmp_path / "out.onnx"), full_check=True)
    (found,) = onnx.load(str(tmp_path / "out.onnx")).graph.initializer
    assert np.array_equal(numpy_helper.to_array(found), np.where(kept, values, dtype.type(0)))
    if kind != "bfloat16":  # ONNX Runtime does not multiply it
        onnxruntime_sees = run(tmp_path / "out.onnx")[0]
        assert difference(run(with_zeros(path, state)), [onnxruntime_sees]) == 0


def test_other_files_have_no_graph(tmp_path):
    from safetensors.numpy import save_file

    save_file({"a": np.ones(3, np.float32)}, tmp_path / "a.safetensors")
    with (
        open_checkpoint(tmp_path / "a.safetensors") as checkpoint,
        pytest.raises(ExportError, match="other files contain no graph"),
    ):
        written(Snapshot(checkpoint), tmp_path / "out.onnx")


@pytest.mark.parametrize("form", [name for name in (*OF_ANY_SOURCE, "onnx") if name != "masks"])
def test_other_formats_say_that_the_graph_is_left_out(form, tmp_path):
    with open_checkpoint(save(small_network(), tmp_path / "m.onnx")) as checkpoint:
        kept = BitMask.from_bools(np.arange(8 * 27) % 2 == 0)
        state = Snapshot(checkpoint, MaskLayers(MaskSet({"conv.weight": kept})))
        out = tmp_path / f"out{FORMATS[form].suffixes[0]}"
        report = export(state, ExportRequest(form, out), Job())
    assert ("the ONNX graph" in " ".join(report.notices)) == (form != "onnx")
