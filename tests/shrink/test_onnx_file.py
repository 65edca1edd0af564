"""A cut ONNX model gives the same outputs as the masked one in ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ExportError
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.groups import onnx_graph
from pruneapp.groups.onnx_graph import OnnxGraph, read_graph
from pruneapp.progress import Job
from pruneapp.shrink import onnx_file
from pruneapp.shrink.cut import Cut
from pruneapp.shrink.onnx_file import plan_onnx
from pruneapp.shrink.shrunk_state import ShrunkState
from tests.support.onnx_models import Builder, branches, save
from tests.support.onnx_networks import NETWORKS
from tests.support.onnx_runs import choose, difference, masked, run, with_zeros


def write(state: Snapshot, graph: OnnxGraph, chosen: Cut, out: Path) -> None:
    """Write the plans of a cut, and check their predicted sizes."""
    plans = plan_onnx(ShrunkState(state, chosen), graph, chosen, out.name, Job())
    for name, plan in plans.items():
        data = b"".join(map(bytes, plan.pieces()))
        assert len(data) == plan.nbytes
        out.with_name(name).write_bytes(data)


@pytest.mark.parametrize(
    ("share", "external"), [(0.3, False), (0.99, True)], ids=["inside", "outside"]
)
@pytest.mark.parametrize("network", NETWORKS)
def test_it_does_what_the_masked_model_does(network, share, external, tmp_path):
    path = save(NETWORKS[network](), tmp_path / "m.onnx", external=external)
    out = tmp_path / "small.onnx"
    with open_checkpoint(path) as checkpoint:
        graph = read_graph(checkpoint, Job())
        chosen = choose(graph, share)
        state = masked(checkpoint, chosen)
        write(state, graph, chosen, out)
        whole = with_zeros(path, state)
    assert difference(run(whole), run(out)) < 1e-5
    assert difference(run(whole), run(path)) > 1e-3, "what was masked matters"
    onnx.checker.check_model(str(out), full_check=True)
    names = {p.name for p in tmp_path.iterdir()}
    assert names == {"m.onnx", "small.onnx"} | ({"m.onnx.data"} if external else set())
    assert sum(p.stat().st_size for p in tmp_path.glob("small*")) < sum(
        p.stat().st_size for p in tmp_path.glob("m.*")
    )


def cut(path, out, share=0.4, seed=0):
    """Cut a fraction of every group of a model; return the graph and the masked model."""
    with open_checkpoint(path) as checkpoint:
        graph = read_graph(checkpoint, Job())
        chosen = choose(graph, share, seed)
        state = masked(checkpoint, chosen)
        write(state, graph, chosen, out)
        return graph, with_zeros(path, state)


def random_network(seed: int):
    """Return a network of random blocks, with a random version of the operators."""
    rng = np.random.default_rng(seed)
    opset = int(rng.choice([11, 12, 13, 17, 18, 20]))
    b = Builder(seed, opset)
    values = [("x", 3)]
    for number in range(int(rng.integers(3, 9))):
        x, width = values[rng.integers(len(values))]
        name = f"n{number}"
        what = rng.choice(["conv", "depthwise", "add", "concat", "split", "gate", "slice", "act"])
        same = [v for v, w in values if w == width and v != "x"]
        if what == "depthwise" and width > 3:
            values.append((b.conv(name, x, width, width, group=width), width))
        elif what == "add" and len(same) > 1:
            values.append((b.op("Add", *rng.choice(same, 2)), width))
        elif what == "concat":
            y, more = values[rng.integers(len(values))]
            values.append((b.op("Concat", x, y, axis=1), width + more))
        elif what == "split" and width % 2 == 0:
            parts = {"num_outputs": 2} if opset >= 18 else {}
            values += [(y, width // 2) for y in b.op("Split", x, outputs=2, axis=1, **parts)]
        elif what == "gate" and width > 3:
            s = b.conv(f"{name}.in", b.op("GlobalAveragePool", x), 5, width, 1)
            s = b.op("Sigmoid", b.conv(f"{name}.out", b.op("Relu", s), width, 5, 1))
            values.append((b.op("Mul", x, s), width))
        elif what == "slice" and width > 3:
            ends = [b.constant(f"{name}.{i}", [v]) for i, v in enumerate((1, -1, 1))]
            values.append((b.op("Slice", x, *ends), width - 2))
        elif what == "act":
            values.append(
                (b.op(str(rng.choice(["Tanh", "Softplus", "HardSigmoid", "Elu"])), x), width)
            )
        else:
            out = int(rng.integers(4, 12))
            y = b.norm(f"{name}.bn", b.conv(name, x, out, width), out)
            values.append((b.op("Relu", y), out))
    x = b.op("Concat", *(v for v, _ in values), axis=1)
    width = sum(w for _, w in values)
    x = b.op("AveragePool", b.conv("last", x, 7, width, 1), kernel_shape=[2, 2], strides=[2, 2])
    return b.model([b.linear("fc", b.op("Flatten", x), 4, 63)], [2, 3, 6, 6])


@pytest.mark.parametrize("seed", range(12))
def test_random_networks_do_what_the_masked_ones_do(seed, tmp_path):
    path, out = save(random_network(seed), tmp_path / "m.onnx"), tmp_path / "small.onnx"
    graph, whole = cut(path, out, seed=seed)
    assert graph.groups
    assert difference(run(whole), run(out)) < 1e-5


@pytest.mark.parametrize("opset", [9, 11, 12, 13])
def test_older_operators_follow(opset, tmp_path):
    """Sizes and axes were attributes in older versions."""
    b = Builder(opset=opset)
    x = b.conv("a", "x", 10, 3)
    sizes = [b.constant("parts", [4, 6])] if opset >= 13 else []
    parts = {} if opset >= 13 else {"split": [4, 6]}
    x, y = b.op("Split", x, *sizes, outputs=2, axis=1, **parts)
    x = b.conv("b", b.op("Concat", y, b.op("Relu", x), axis=1), 6, 10)
    x = b.op("ReduceMean", x, axes=[2], keepdims=0)
    axes = [b.constant("axes", [2])] if opset >= 13 else []
    x = b.op("Unsqueeze", x, *axes, **({} if axes else {"axes": [2]}))
    x = b.op("Flatten", b.op("LogSoftmax", x, axis=3))
    model = b.model([b.linear("fc", b.op("Mul", x, x), 4, 36)], ["N", 3, 6, 6])
    path, out = save(model, tmp_path / "m.onnx"), tmp_path / "small.onnx"
    graph, whole = cut(path, out)
    assert len(graph.groups) == 2
    assert difference(run(whole), run(out)) < 1e-5


def test_initializers_that_are_inputs_too_get_their_new_shapes(tmp_path):
    model = NETWORKS["residual"]()
    model.ir_version = 3
    for tensor in model.graph.initializer:
        value = onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        model.graph.input.append(value)
    path, out = save(model, tmp_path / "m.onnx"), tmp_path / "small.onnx"
    cut(path, out)
    onnx.checker.check_model(str(out), full_check=True)
    small = onnx.load(str(out))
    shapes = {t.name: [*t.dims] for t in small.graph.initializer}
    inputs = {
        v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in small.graph.input
    }
    assert all(inputs[name] == shape for name, shape in shapes.items())


@pytest.mark.parametrize("largest", [100, 4096])
def test_weights_in_constant_nodes_are_cut(largest, tmp_path, monkeypatch):
    for module in (onnx_file, onnx_graph):
        monkeypatch.setattr(module, "LARGEST_KEPT", largest)
    model = NETWORKS["squeezed"]()
    nodes = [
        onnx.helper.make_node("Constant", [], [tensor.name], value=tensor)
        for tensor in model.graph.initializer
    ]
    del model.graph.initializer[:]
    old = [*model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend([*nodes, *old])
    path, out = save(model, tmp_path / "m.onnx"), tmp_path / "small.onnx"
    graph, whole = cut(path, out)
    assert len(graph.groups) == 3
    assert difference(run(whole), run(out)) < 1e-5
    small = onnx.load(str(out)).graph
    assert "shape" in {n.output[0] for n in small.node}
    assert bool(small.initializer) == (largest == 100), "large ones are no constants any more"


@pytest.mark.parametrize("other", ["a", "b"])
def test_a_tensor_of_a_branch_in_a_file_beside_the_model_is_refused(other, tmp_path):
    model = branches("a", other)
    (tmp_path / "data").write_bytes(bytes(16))
    # The branch whose tensor is read last, which is hidden if both have the same name.
    value = model.graph.node[0].attribute[-1].g.node[0].attribute[0].t
    value.ClearField("raw_data")
    value.data_location = 1
    value.external_data.add(key="location", value="data")
    with pytest.raises(ExportError, match="is in a file next to the model"):
        cut(save(model, tmp_path / "m.onnx"), tmp_path / "small.onnx")
    if other == "a":  # its size is not declared in the file
        request = ExportRequest("onnx", tmp_path / "masked.onnx")
        with (
            open_checkpoint(tmp_path / "m.onnx") as checkpoint,
            pytest.raises(ExportError, match="another tensor has its name"),
        ):
            export(Snapshot(checkpoint), request, Job())


def test_half_precision_and_typed_fields_are_cut(tmp_path):
    b = Builder()
    b.constant("a.weight", b.rng.standard_normal((8, 5)).astype(np.float16))
    b.constant("b.weight", b.rng.standard_normal((4, 8)).astype(np.float16))
    x = b.op("Cast", "x", to=onnx.TensorProto.FLOAT16)
    x = b.op("Gemm", x, "a.weight", transB=1)
    x = b.op("Cast", b.op("Gemm", x, "b.weight", transB=1), to=onnx.TensorProto.FLOAT)
    model = b.model([x], ["N", 5])
    values = numpy_helper.to_array(model.graph.initializer[0])
    typed = onnx.helper.make_tensor("a.weight", onnx.TensorProto.FLOAT16, [8, 5], values)
    model.graph.initializer[0].CopyFrom(typed)
    path, out = save(model, tmp_path / "m.onnx"), tmp_path / "small.onnx"
    _, whole = cut(path, out)
    assert difference(run(whole), run(out)) < 1e-3


@pytest.mark.parametrize("external", [False, True], ids=["inside", "outside"])
def test_with_nothing_to_cut_it_is_the_masked_model(external, tmp_path):
    model = NETWORKS["inverted"]()
    path = save(model, tmp_path / "m.onnx", external=external)
    out = tmp_path / "same.onnx"
    with open_checkpoint(path) as checkpoint:
        graph = read_graph(checkpoint, Job())
        state = masked(checkpoint, choose(graph, 0.5))
        write(state, graph, Cut(()), out)
        whole = with_zeros(path, state)
    written = onnx.load(str(out))
    for expected, found in zip(whole.graph.initializer, written.graph.initializer, strict=True):
        assert np.array_equal(numpy_helper.to_array(expected), numpy_helper.to_array(found))
    for leaf in ("node", "input", "output", "name"):
        assert getattr(written.graph, leaf) == getattr(model.graph, leaf)
    assert {v.name for v in written.graph.value_info} == {v.name for v in model.graph.value_info}
    assert (written.producer_name, written.opset_import) == ("tests", model.opset_import)


def test_what_is_kept_of_a_file_goes_along(tmp_path):
    model = NETWORKS["residual"]()
    onnx.helper.set_model_props(model, {"author": "grüße"})
    model.graph.initializer.append(onnx.helper.make_tensor("words", 8, [2], [b"a", b"b" * 9000]))
    model.graph.doc_string = "doc"
    path, out = save(model, tmp_path / "m.onnx"), tmp_path / "small.onnx"
    cut(path, out)
    small = onnx.load(str(out))
    assert small.metadata_props[0].value == "grüße"
    assert small.graph.doc_string == "doc"
    words = next(t for t in small.graph.initializer if t.name == "words")
    assert words.string_data[1] == b"b" * 9000


def test_a_graph_whose_shapes_do_not_fit_is_not_written(tmp_path, monkeypatch):
    """A wrong rule would be detected here."""
    path = save(NETWORKS["joined"](), tmp_path / "m.onnx")
    monkeypatch.setattr(onnx_file, "_resize", lambda *_: None)
    with open_checkpoint(path) as checkpoint:
        graph = read_graph(checkpoint, Job())
        with pytest.raises(ExportError, match="do not fit each other"):
            write(Snapshot(checkpoint), graph, choose(graph, 0.5), tmp_path / "s.onnx")


def test_large_models_have_their_numbers_beside_them(tmp_path, monkeypatch):
    monkeypatch.setattr(onnx_file, "MOST_BYTES", 5000)
    path, out = save(NETWORKS["residual"](), tmp_path / "m.onnx"), tmp_path / "small.onnx"
    _, whole = cut(path, out)
    assert (tmp_path / "small.onnx.data").exists()
    assert difference(run(whole), run(out)) < 1e-5
