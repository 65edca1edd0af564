"""Roles of ONNX tensors are determined by the operators that read them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats import onnx_roles
from tests.support.onnx_models import Builder, save, small_network
from tests.support.onnx_runs import run

GOLDEN = Path(__file__).parents[2] / "golden"
RNG = np.random.default_rng(0)
FLOAT, BOOL = TensorProto.FLOAT, TensorProto.BOOL


def some(*shape: int, dtype: str = "float32") -> np.ndarray:
    return RNG.standard_normal(shape).astype(dtype)


def prune(path: Path, out: Path) -> None:
    """Run the default command."""
    how = ["--method", "l1_unstructured", "--amount", "50%"]
    assert main(["prune", str(path), "-o", str(out), *how]) == 0


def graph_of(nodes, tensors, inputs=(("x", FLOAT, None),), outputs=(("y", FLOAT, None),)):
    return helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(*each) for each in inputs],
        [helper.make_tensor_value_info(*each) for each in outputs],
        [numpy_helper.from_array(values, name) for name, values in tensors.items()],
    )


def entries_of(graph, tmp_path, functions=()) -> dict[str, TensorEntry]:
    """Return the entries of a model that need not be valid, because it is not run."""
    model = helper.make_model(graph, functions=list(functions))
    with open_checkpoint(save(model, tmp_path / "m.onnx")) as checkpoint:
        return {**checkpoint.entries}


RANKS = {"Conv": (4, "Conv2d"), "Linear": (2, "Linear"), "embedding": (2, "embedding")}
READ = [
    (domain, op, place, kind)
    for domain, table in (("", onnx_roles.WEIGHTS), ("com.microsoft", onnx_roles.RUNTIME_WEIGHTS))
    for op, kinds in table.items()
    for place, kind in kinds.items()
]


@pytest.mark.parametrize(("domain", "op", "place", "kind"), READ)
def test_an_operator_makes_a_weight_of_what_it_reads(domain, op, place, kind, tmp_path):
    inputs = [f"in{n}" for n in range(place + 1)]
    rank, shown = RANKS.get(kind, (3 if kind == "recurrent" else 1, kind))
    node = helper.make_node(op, inputs, ["y"], domain=domain)
    (entry,) = entries_of(graph_of([node], {inputs[place]: some(*[3] * rank)}), tmp_path).values()
    assert entry.kind == shown
    quantized = op in onnx_roles.QUANTIZED
    assert quantized == entry.why_not.startswith("it is part of weights quantized as ")
    assert entry.by_default == (shown in {"Conv2d", "Linear", "recurrent"} and not quantized)


@pytest.mark.parametrize(
    ("op", "place", "shape"),
    [
        *[("Mul", n, (1, 64, 2)) for n in (0, 1)],
        *[("Add", 1, (1, 64, 2)), ("Sub", 0, (4, 4)), ("Div", 0, (4, 4)), ("Where", 2, (4, 4))],
        *[("PRelu", 1, (8, 1, 1)), ("Concat", 0, (1, 1, 8)), ("Pow", 0, (3, 3))],
        *[("Conv", 0, (1, 3, 4, 4)), ("LSTM", 5, (1, 2, 3)), ("LSTM", 7, (1, 9))],
        ("Expand", 0, (1, 8)),
        *[("Resize", 2, (4,)), ("Gather", 0, (9,)), ("GridSample", 1, (1, 4, 4, 2))],
        *[("ScatterND", 0, (4, 4)), ("NonMaxSuppression", 0, (1, 9, 4)), ("Softmax", 0, (3, 3))],
    ],
)  # fmt: skip
def test_everything_else_is_a_constant(op, place, shape, tmp_path):
    inputs = [f"in{n}" for n in range(place + 1)]
    entries = entries_of(
        graph_of([helper.make_node(op, inputs, ["y"])], {inputs[place]: some(*shape)}), tmp_path
    )
    (entry,) = entries.values()
    assert (entry.kind, entry.why_not) == ("constant", f"'{op}' reads it as a constant")
    assert not entry.by_default


def test_what_nothing_reads_and_what_an_unknown_operator_reads(tmp_path):
    nodes = [
        helper.make_node("Mystery", ["x", "a"], ["y"], domain="org.example"),
        helper.make_node("Shape", ["b"], ["z"]),
        helper.make_node("Identity", ["d"], ["w"]),
    ]
    tensors = {name: some(3, 3) for name in "abcd"}
    outputs = [(name, FLOAT, None) for name in "yzw"]
    entries = entries_of(graph_of(nodes, tensors, outputs=outputs), tmp_path)
    # It may be a weight, so it can be selected explicitly.
    assert (entries["a"].kind, entries["a"].why_not) == ("parameter", "")
    assert not entries["a"].by_default
    for name in "bc":
        assert entries[name].why_not == "no operator of the graph reads its numbers"
    assert entries["d"].why_not == "it is an output of the graph"


def test_a_weight_that_is_also_read_as_a_constant_is_one(tmp_path):
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Add", ["a", "w"], ["y"]),
    ]
    (entry,) = entries_of(graph_of(nodes, {"w": some(4, 4)}), tmp_path).values()
    assert entry.why_not == "'Add' reads it as a constant"


@pytest.mark.parametrize(
    "path",
    [
        [("Transpose", {})],
        [("Identity", {}), ("Cast", {"to": FLOAT}), ("Transpose", {})],
        [("QuantizeLinear", {}), ("DequantizeLinear", {})],
        [("Squeeze", {}), ("Unsqueeze", {}), ("Reshape", {}), ("Flatten", {})],
        [("Mul", {})],  # by the number `s`
        [("Gather", {})],
        [("Split", {}), ("Slice", {})],
    ],
    ids=lambda path: "-".join(op for op, _ in path),
)
def test_weights_are_followed_through_what_rearranges_them(path, tmp_path):
    nodes, value = [], "w"
    for number, (op, attributes) in enumerate(path):
        more = ["s"] if op in {"Mul", "QuantizeLinear", "DequantizeLinear"} else []
        nodes.append(helper.make_node(op, [value, *more], [f"v{number}"], **attributes))
        value = f"v{number}"
    nodes.append(helper.make_node("MatMul", ["x", value], ["y"]))
    entries = entries_of(graph_of(nodes, {"w": some(3, 4, 4), "s": np.float32(0.5)}), tmp_path)
    assert (entries["w"].kind, entries["w"].by_default) == ("Linear", True)
    assert not entries["s"].by_default


@pytest.mark.parametrize("name", ["stft.forward_basis_buffer", "mel_basis", "model.pe"])
def test_fixed_transforms_are_buffers_whatever_reads_them(tmp_path, name):
    """Silero VAD computes its Fourier transform as a convolution."""
    nodes = [
        helper.make_node("Conv", ["x", name], ["a"]),
        helper.make_node("Conv", ["a", "weight"], ["y"]),
    ]
    entries = entries_of(graph_of(nodes, {name: some(8, 1, 4), "weight": some(4, 8, 2)}), tmp_path)
    assert (entries[name].learned, entries[name].by_default) == (False, False)
    assert entries["weight"].by_default


def branch(node, tensors=(), name="b"):
    return helper.make_graph(
        [node],
        name,
        [],
        [helper.make_tensor_value_info(node.output[0], FLOAT, None)],
        [numpy_helper.from_array(values, key) for key, values in dict(tensors).items()],
    )


def test_branches_and_local_functions_make_weights_of_what_they_read(tmp_path):
    """Weights outside and inside a branch, of a Scan body, and of nested functions."""
    weights = {name: some(4, 4) for name in ("outer", "inner", "called", "table", "stacked")}
    weights["stacked"] = some(3, 4, 4)
    inside = weights.pop("inner")
    yes = branch(helper.make_node("MatMul", ["x", "outer"], ["t"]))
    no = branch(helper.make_node("MatMul", ["x", "inner"], ["e"]), {"inner": inside})
    body = helper.make_graph(
        [helper.make_node("MatMul", ["state", "row"], ["next"])],
        "body",
        [helper.make_tensor_value_info(n, FLOAT, None) for n in ("state", "row")],
        [helper.make_tensor_value_info("next", FLOAT, None)],
    )
    nodes = [
        helper.make_node("If", ["c"], ["a"], then_branch=yes, else_branch=no),
        helper.make_node("Scan", ["a", "stacked"], ["s"], body=body, num_scan_inputs=1),
        helper.make_node("Outer", ["s", "called", "table"], ["y"], domain="local"),
    ]
    opset = [helper.make_opsetid("", 20), helper.make_opsetid("local", 1)]
    product = helper.make_node("MatMul", ["v", "w"], ["r"])
    functions = [
        helper.make_function(
            "local",
            "Outer",
            ["v", "w", "t"],
            ["r"],
            [
                helper.make_node("Transpose", ["w"], ["wt"]),
                helper.make_node("Inner", ["v", "wt"], ["m"], domain="local"),
                helper.make_node("Mul", ["m", "t"], ["r"]),
            ],
            opset,
        ),
        helper.make_function("local", "Inner", ["v", "w"], ["r"], [product], opset),
    ]
    inputs = [("x", FLOAT, [4, 4]), ("c", BOOL, [])]
    graph = graph_of(nodes, weights, inputs, [("y", FLOAT, [4, 4])])
    model = helper.make_model(graph, functions=functions, opset_imports=opset, ir_version=10)
    path, out = save(model, tmp_path / "m.onnx"), tmp_path / "out.onnx"
    with open_checkpoint(path) as checkpoint:
        kinds = {name: entry.kind for name, entry in checkpoint.entries.items()}
        usual = {name for name, entry in checkpoint.entries.items() if entry.by_default}
    assert usual == {"outer", "inner", "called", "stacked"}
    assert kinds["table"] == "constant"
    prune(path, out)
    onnx.checker.check_model(str(out))
    written = onnx.load(str(out)).graph
    zeros = {t.name: int((numpy_helper.to_array(t) == 0).sum()) for t in written.initializer}
    assert zeros == {"outer": 8, "called": 8, "table": 0, "stacked": 24}
    (pruned,) = (g.g.initializer[0] for g in written.node[0].attribute if g.name == "else_branch")
    assert (numpy_helper.to_array(pruned) == 0).sum() == 8
    (again,) = run_with(out)
    assert np.isfinite(again).all()


def run_with(path):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.eye(4, dtype=np.float32), "c": np.array(False)})


def test_functions_that_call_themselves_end(tmp_path):
    opset = [helper.make_opsetid("", 20)]
    node = helper.make_node("Loop", ["v", "w"], ["r"], domain="local")
    function = helper.make_function("local", "Loop", ["v", "w"], ["r"], [node], opset)
    call = helper.make_node("Loop", ["x", "w"], ["y"], domain="local")
    (entry,) = entries_of(graph_of([call], {"w": some(4, 4)}), tmp_path, [function]).values()
    assert not entry.by_default


def detector() -> onnx.ModelProto:
    """Return a convolution, a slope per channel, and box decoding with anchors."""
    b = Builder(opset=13)
    x = b.op("PRelu", b.conv("conv", "x", 8, 3), b.constant("slope", some(8, 1, 1)))
    x = b.op("Reshape", x, b.constant("shape", [1, 64, 2]))
    x = b.op("Mul", x, b.constant("465", some(1, 64, 2)))
    return b.model([b.op("Add", x, "465")], [1, 3, 4, 4])


def test_the_default_command_leaves_constants_alone(tmp_path):
    path, out = save(detector(), tmp_path / "m.onnx"), tmp_path / "out.onnx"
    prune(path, out)
    before, after = (
        {t.name: numpy_helper.to_array(t) for t in onnx.load(str(p)).graph.initializer}
        for p in (path, out)
    )
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    assert changed == {"conv.weight"}
    assert np.abs(run(out)[0]).max() > 0


# Quantized models ---------------------------------------------------------------------------------


class Samples(CalibrationDataReader):
    """Random pictures, for the quantizer of ONNX Runtime."""

    def __init__(self) -> None:
        self._left = [{"x": some(1, 3, 6, 6)} for _ in range(2)]

    def get_next(self):
        return self._left.pop() if self._left else None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", QuantFormat)
def test_weights_that_onnxruntime_quantized_are_not_pruned(form, tmp_path, caplog):
    path, quantized = save(small_network(), tmp_path / "m.onnx"), tmp_path / "q.onnx"
    with caplog.at_level("CRITICAL"):
        quantize_static(str(path), str(quantized), Samples(), quant_format=form, per_channel=True)
    with open_checkpoint(quantized) as checkpoint:
        entries = {**checkpoint.entries}
    assert not [name for name, entry in entries.items() if entry.by_default]
    weights = [e for e in entries.values() if e.kind in {"Conv2d", "Linear"}]
    quantizer = "ONNX QDQ" if form == QuantFormat.QDQ else "ONNX Q(LinearConv|Gemm)"
    assert len(weights) == 2
    for entry in weights:
        assert entry.dtype.name == "I8"
        assert re.match(f"it is part of weights quantized as {quantizer}", entry.why_not)
    scales = [e for e in entries.values() if e.name.endswith("_scale")]
    assert scales
    for entry in scales:
        assert entry.kind == "constant"
        assert entry.why_not.startswith("it is a scale or zero point of ONNX ")


@pytest.mark.parametrize(
    ("name", "quantizer"), [("matmulnbits", "ONNX MatMulNBits"), ("int4-qdq", "ONNX QDQ")]
)
def test_weights_of_4_bits_are_named_and_kept(name, quantizer, tmp_path):
    path, out = GOLDEN / f"{name}.onnx", tmp_path / "out.onnx"
    with open_checkpoint(path) as checkpoint:
        reasons = {name: e.why_not for name, e in checkpoint.entries.items()}
        reasons |= checkpoint.unreadable
        usual = [name for name, e in checkpoint.entries.items() if e.by_default]
    assert usual == ["head"]
    packed = [why for name, why in reasons.items() if name.endswith("Q4")]
    assert len(packed) == 2
    assert all(f"it is part of weights quantized as {quantizer}" in why for why in packed)
    scales = [why for name, why in reasons.items() if name.endswith("scales")]
    assert set(scales) == {f"it is a scale or zero point of {quantizer}"}
    prune(path, out)
    assert [p.name for p in tmp_path.iterdir()] == ["out.onnx"]
    before, after = (
        {t.name: numpy_helper.to_array(t) for t in onnx.load(str(p)).graph.initializer}
        for p in (path, out)
    )
    assert {n for n in before if not np.array_equal(before[n], after[n])} == {"head"}
    assert np.isfinite(run(out)[0]).all()
