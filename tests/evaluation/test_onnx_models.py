"""ONNX models are measured as ONNX files: by commands, by sessions, and without a script."""

from __future__ import annotations

import json
import re
import shlex
import sys
import types
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError
from pruneapp.evaluation.calibrated_repair import RepairSettings, repair_by_script
from pruneapp.evaluation.collection import collect_sums, count_uses
from pruneapp.evaluation.evaluator import Evaluator
from pruneapp.evaluation.graph_handover import write_graph
from pruneapp.evaluation.model_graph import SeededInputs, parse_sizes, read_model_graph
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import CommandRunner, ScriptRunner, conditions_of
from pruneapp.evaluation.script import EvaluationScript, Interpreter, Options, template_for
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import CancelToken, Job
from tests.evaluation.scripts import pruned, write_script
from tests.support.onnx_models import Builder, save, small_network, values_of
from tests.support.onnx_networks import residual, transformer

LOAD = """
import numpy as np, onnxruntime

def load(path):
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])

def inputs():
    return np.random.default_rng(5).standard_normal((4, 3, 6, 6)).astype("f4")
"""
NAMES = ("conv.weight", "fc.weight")


@pytest.fixture
def opened():
    """Provide a function that opens ONNX files as snapshots, which are closed after the test."""
    checkpoints = []

    def make(path):
        checkpoints.append(open_checkpoint(path))
        return Snapshot(checkpoints[-1])

    yield make
    for checkpoint in checkpoints:
        checkpoint.close()


@pytest.fixture
def state(tmp_path, opened):
    return opened(save(small_network(), tmp_path / "net.onnx", external=True))


def run_here(path, inputs):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: inputs})[0]


def inputs_here():
    return np.random.default_rng(5).standard_normal((4, 3, 6, 6)).astype("f4")


def expected_sum(state, tmp_path):
    """Return the sum of the network's outputs with the tensors replaced by the onnx package."""
    path = state.checkpoint.files[0].path
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        zeroed = state.export_mask(tensor.name)
        if zeroed is not None:
            values = values_of(tensor, path.parent).copy()
            values.reshape(-1)[~zeroed.bools(0, values.size)] = 0
            tensor.CopyFrom(onnx.numpy_helper.from_array(values, tensor.name))
    target = tmp_path / "expected.onnx"
    onnx.save(model, target)
    return float(run_here(target, inputs_here()).sum())


def runner_for(script, **options):
    options = Options(device="cpu", **options)
    return closing(ScriptRunner(script, Interpreter(Path(sys.executable), "ours"), options))


@pytest.mark.parametrize("external", [False, True])
def test_a_command_gets_the_file_itself_or_an_onnx_file_of_the_state(opened, tmp_path, external):
    state = opened(save(small_network(), tmp_path / "net.onnx", external=external))
    (tmp_path / "measure.py").write_text(
        LOAD + "import sys\nx = {'x': inputs()}\n"
        "print(sys.argv[1]); print(float(load(sys.argv[1]).run(None, x)[0].sum()))\n"
    )
    words = (sys.executable, str(tmp_path / "measure.py"), "{checkpoint}")
    runner = CommandRunner(shlex.join(words), Options(), tmp_path)
    plain = runner.run(state, 0, Job()).metrics["score"].value
    path = state.checkpoint.files[0].path
    assert plain == pytest.approx(float(run_here(path, inputs_here()).sum()), rel=1e-6)
    some = pruned(state, names=NAMES)
    found = runner.run(some, 0, Job()).metrics["score"].value
    assert found == pytest.approx(expected_sum(some, tmp_path), rel=1e-6)
    assert abs(found - plain) > 1e-3
    printing = CommandRunner(
        "sh -c 'test $0 = \"$1\" && echo 1' {checkpoint} " + str(path), Options()
    )
    assert printing.run(state, 0, Job()).metrics["score"].value == 1


def test_a_state_keeps_the_layout_of_its_files(tmp_path, opened):
    """External data stays in separate files, without links, which onnx refuses."""
    model = small_network()
    for tensor in model.graph.initializer:
        place = f"sub/{tensor.name}.bin"
        onnx.external_data_helper.set_external_data(tensor, place)
    (tmp_path / "model" / "sub").mkdir(parents=True)
    onnx.save(model, tmp_path / "model" / "net.onnx")
    state = pruned(opened(tmp_path / "model" / "net.onnx"), names=("fc.weight",))
    (tmp_path / "out").mkdir()
    path = write_graph(state, tmp_path / "out", Job())
    assert path.read_bytes() == (tmp_path / "model" / "net.onnx").read_bytes()
    source, target = tmp_path / "model" / "sub", tmp_path / "out" / "sub"
    for file in source.iterdir():
        changed = file.name == "fc.weight.bin"
        assert (target / file.name).stat().st_nlink == 1
        assert ((target / file.name).read_bytes() == file.read_bytes()) is not changed
    found = float(run_here(path, inputs_here()).sum())
    assert found == pytest.approx(expected_sum(state, tmp_path), rel=1e-6)


def test_a_script_with_a_session_measures_each_state(state, tmp_path):
    script = write_script(
        tmp_path,
        "def evaluate(session): return float(session.run(None, {'x': inputs()})[0].sum())",
        load=LOAD,
    )
    some = pruned(state, names=NAMES)
    with runner_for(script) as runner, closing(Evaluator(runner)) as evaluator:
        baseline = evaluator.measure_baseline(some, Job())
        result = evaluator.measure(some, Job())
        again = evaluator.measure(pruned(state, names=NAMES, seed=1), Job())
    path = state.checkpoint.files[0].path
    plain = float(run_here(path, inputs_here()).sum())
    assert baseline.first.metrics["score"].value == pytest.approx(plain, rel=1e-6)
    value = result.metrics["score"].value
    assert value == pytest.approx(expected_sum(some, tmp_path), rel=1e-6)
    assert again.metrics["score"].value != value
    assert result.measured.notices == ()


def session(made):
    return onnxruntime.InferenceSession(made, providers=["CPUExecutionProvider"])


@pytest.fixture
def graph_session():
    folder = str(resources.path("pruneapp_worker/main.py").parent.parent)
    sys.path.insert(0, folder)
    try:
        from pruneapp_worker import graph_session  # as the worker imports it
    finally:
        sys.path.remove(folder)
    return graph_session


def test_a_session_of_another_file_is_refused(graph_session, tmp_path):
    path = save(small_network(), tmp_path / "net.onnx")
    other = tmp_path / "other.onnx"
    other.write_bytes(path.read_bytes() + b"\x32\x00")  # an empty doc_string
    stranger = session(str(other))
    ours = session(str(path))
    nested = types.SimpleNamespace(session=ours)
    for made in (ours, nested, {"a": stranger, "b": ours}, (1, [stranger, nested])):
        assert graph_session.root_session(made, str(path)) is ours
    with pytest.raises(
        graph_session.ContractError, match=r"made from '.*other.onnx', not from the path"
    ):
        graph_session.root_session((stranger,), str(path))
    assert graph_session.root_session(str(path), str(path)) is None
    of_bytes = session(path.read_bytes())
    assert graph_session.is_made_from(of_bytes, str(path))
    of_other_bytes = session(other.read_bytes())
    assert graph_session.root_session(of_other_bytes, str(path)) is of_other_bytes
    assert not graph_session.is_made_from(of_other_bytes, str(path))


def test_what_cannot_be_checked_of_a_script_is_a_notice(tmp_path, opened):
    state = opened(save(small_network(), tmp_path / "net.onnx"))
    load = "import onnxruntime\ndef load(path):\n    data = open(path, 'rb').read() + b'2\\0'\n"
    load += "    return onnxruntime.InferenceSession(data)\n"
    script = write_script(tmp_path, "def evaluate(session): return 1", load=load)
    with runner_for(script) as runner:
        notices = runner.run(state, 0, Job()).notices
    assert "not made from the path" in notices[0]
    assert "was not called" in notices[1]


def seeded_runner(state, texts=(), **options):
    seeded = SeededInputs.of(state.checkpoint, texts)
    return runner_for(EvaluationScript.shipped_for_graphs(), seeded=seeded, **options)


def test_agreement_without_a_script_is_that_of_the_outputs_on_seeded_inputs(state, tmp_path):
    some = pruned(state, names=NAMES)
    with seeded_runner(state, ["N=3"], limit=2) as runner, closing(Evaluator(runner)) as evaluator:
        evaluator.measure_baseline(some, Job())
        found = {k: m.value for k, m in evaluator.measure(some, Job()).metrics.items()}
    (tmp_path / "out").mkdir()
    paths = state.checkpoint.files[0].path, write_graph(some, tmp_path / "out", Job())
    inputs = [
        np.random.default_rng([0, n]).standard_normal((3, 3, 6, 6)).astype("f4") for n in range(2)
    ]
    one, other = (
        np.concatenate([run_here(path, x) for x in inputs]).astype("f8") for path in paths
    )
    same = float((one.argmax(1) == other.argmax(1)).mean())
    error = float(np.linalg.norm(one - other) / np.linalg.norm(one))
    assert found["same_top1"] == same
    assert found["relative_error"] == pytest.approx(error, rel=1e-5)


def test_what_onnxruntime_refuses_is_a_sentence_with_the_shapes(tmp_path, opened):
    b = Builder()
    b.op("MatMul", "x", b.weight("w", 8, 4))
    state = opened(save(b.model([b.nodes[-1].output[0]], ["N", "width"]), tmp_path / "a.onnx"))
    with seeded_runner(state) as runner, pytest.raises(EvaluationError) as error:
        runner.run(state, 0, Job(), reference=True)
    assert "x [1, 32]" in str(error.value)
    assert "--size" in error.value.remedy
    with seeded_runner(state, ["width=8"]) as runner:
        assert runner.run(state, 0, Job(), reference=True).metrics["cosine"].value == 1


def test_a_python_without_onnxruntime_is_said(tmp_path, opened, monkeypatch):
    (tmp_path / "onnxruntime.py").write_text("raise ImportError('none here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    state = opened(save(small_network(), tmp_path / "net.onnx"))
    with seeded_runner(state) as runner, pytest.raises(EvaluationError) as error:
        runner.run(state, 0, Job(), reference=True)
    assert f"'{sys.executable}' cannot import onnxruntime" in str(error.value)
    assert "pip install onnxruntime" in error.value.remedy


def test_metrics_of_sessions_need_no_torch(tmp_path, opened, monkeypatch):
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "torch.py").write_text("raise ImportError('none here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "none"))
    state = opened(save(small_network(), tmp_path / "net.onnx"))
    run = "session.run(None, {'x': inputs()})[0]"
    body = f"def evaluate(session): return {run}[0, 0], {run}.sum(1)\n"
    script = write_script(tmp_path, f"{body}def calibrate(session): {run}\n", load=LOAD)
    with runner_for(script, graph=True) as runner:
        metric = runner.run(state, 0, Job()).metrics["score"]
        expected = run_here(state.checkpoint.path, inputs_here())
        assert metric.value == pytest.approx(float(expected[0, 0]))
        assert metric.samples == pytest.approx(expected.sum(1))
        with pytest.raises(EvaluationError, match="computed by torch, which") as error:
            collect_sums(runner, state, Job())
        assert "Install torch" in error.value.remedy
    with runner_for(script) as runner, pytest.raises(EvaluationError, match="cannot import torch"):
        runner.run(state, 0, Job())
    with (
        seeded_runner(state, graph=True) as runner,
        pytest.raises(EvaluationError, match="agreement"),
    ):
        runner.run(state, 0, Job(), reference=True)


def token_model():
    b = Builder()
    for name, rows in (("words", 50), ("types", 2)):
        b.weight(name, rows, 6)
    ids, types = (b.op("Cast", name, to=onnx.TensorProto.INT64) for name in ("ids", "types_in"))
    x = b.op("Add", b.op("Gather", "words", ids), b.op("Gather", "types", types))
    x = b.op("Mul", x, b.op("Unsqueeze", b.op("Cast", "mask", to=1), b.constant("last", [-1])))
    out = b.matmul("head", x, 5, 6)
    make = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        b.nodes,
        "g",
        [
            make("ids", onnx.TensorProto.INT32, ["batch", "sequence"]),
            make("types_in", onnx.TensorProto.INT64, ["batch", None]),
            make("mask", onnx.TensorProto.INT64, ["batch", "past + sequence"]),
            make("words", onnx.TensorProto.FLOAT, [50, 6]),  # also an initializer
        ],
        [make(out, onnx.TensorProto.FLOAT, None)],
        [onnx.numpy_helper.from_array(v, n) for n, v in b.tensors.items()],
    )
    return onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=10
    )


def test_inputs_get_the_sizes_and_ranges_that_the_graph_declares(tmp_path, opened):
    state = opened(save(token_model(), tmp_path / "tokens.onnx"))
    graph = read_model_graph(state.checkpoint)
    assert [value.name for value in graph.inputs] == ["ids", "types_in", "mask"]
    assert graph.open_sizes() == {"batch": 1, "sequence": 32, "types_in.1": 32}
    seeded = SeededInputs.of(state.checkpoint, ["sequence=7", "types_in.1=7"])
    assert seeded.size_texts == ("batch=1", "sequence=7", "types_in.1=7")
    assert {one.name: one.stop for one in seeded.ranges} == {"ids": 50, "types_in": 2}


@pytest.mark.parametrize("text", ["other=1", "batch", "batch=0", "batch=x", "batch=", "batch=-1"])
def test_a_size_that_is_none_is_refused(text):
    with pytest.raises(ParameterError, match=r"size 'ba|size 'other"):
        parse_sizes([text], {"batch": 1})


def test_token_ids_are_rows_of_the_embedding(tmp_path, opened):
    model = token_model()
    model.graph.input[2].type.tensor_type.shape.dim[1].dim_param = "sequence"
    state = opened(save(model, tmp_path / "tokens.onnx"))
    some = pruned(state, names=("head.weight",))
    texts = ["sequence=7", "types_in.1=7"]
    with seeded_runner(state, texts, limit=3) as runner, closing(Evaluator(runner)) as evaluator:
        evaluator.measure_baseline(some, Job())
        metrics = evaluator.measure(some, Job()).metrics
    assert metrics["same_top1"].counts[1] == 21
    assert 0 < metrics["relative_error"].value < 1


def conv(shape, x, **attributes):
    return lambda b: b.op("Conv", "x", b.weight("w", *shape), **attributes), x


def turned(name):
    return lambda b: b.op("Transpose", b.op("Identity", b.weight("w", 8, 5)), perm=[1, 0])


# Nodes whose only weight is `w`, with the shape of their input.
PRODUCTS = {
    "conv": conv((6, 4, 3, 3), [2, 4, 7, 5], pads=[1, 0, 2, 1]),
    "grouped": conv((6, 2, 3, 3), [2, 4, 7, 5], group=2, strides=[2, 1], dilations=[1, 2]),
    "depthwise": conv((4, 1, 3), [2, 4, 9], group=4, auto_pad="SAME_UPPER", strides=[2]),
    "same_lower": conv((3, 4, 4), [2, 4, 9], auto_pad="SAME_LOWER", strides=[2]),
    "valid": conv((3, 4, 1, 2, 2), [2, 4, 3, 4, 4], auto_pad="VALID"),
    "deconv": (
        lambda b: b.op("ConvTranspose", "x", b.weight("w", 4, 3, 2), group=2, strides=[2]),
        [2, 4, 5],
    ),
    "matmul": (lambda b: b.op("MatMul", "x", b.weight("w", 8, 5)), [2, 3, 8]),
    "turned": (lambda b: b.op("MatMul", "x", turned("w")(b)), [3, 5]),
    "left": (lambda b: b.op("MatMul", b.weight("w", 5, 8), "x"), [2, 8, 3]),
    "vector": (lambda b: b.op("MatMul", b.weight("w", 5, 8), "x"), [8]),
    "gemm": (lambda b: b.op("Gemm", "x", b.weight("w", 8, 5), alpha=0.5), [3, 8]),
    "gemm_tb": (lambda b: b.op("Gemm", "x", b.weight("w", 5, 8), transB=1), [3, 8]),
    "gemm_ta": (lambda b: b.op("Gemm", "x", turned("w")(b), transA=1, transB=1), [8, 3]),
    "gemm_left": (lambda b: b.op("Gemm", b.weight("w", 5, 8), "x", transB=1), [3, 8]),
    "gemm_left_ta": (lambda b: b.op("Gemm", b.weight("w", 8, 5), "x", transA=1), [8, 3]),
}


@pytest.fixture(scope="module")
def products(tmp_path_factory):
    """Provide a runner whose calibrate squares the outputs; one process for all cases."""
    folder = tmp_path_factory.mktemp("products")
    body = (
        "def calibrate(session):\n    x, = session.get_inputs()\n"
        "    rng = np.random.default_rng(1)\n    total = 0\n    for _ in range(2):\n"
        "        feed = rng.standard_normal(x.shape).astype('f4')\n"
        "        found, = session.run(None, {x.name: feed})\n"
        "        total += float((found.astype('f8') ** 2).sum())\n"
        f"    open({str(folder / 'squares')!r}, 'w').write(repr(total))\n"
    )
    with runner_for(write_script(folder, body, load=LOAD)) as runner:
        yield runner, folder / "squares"


@pytest.mark.parametrize("case", PRODUCTS)
def test_sums_are_those_of_what_the_weight_is_multiplied_by(products, tmp_path, opened, case):
    """Gram matrix G of the inputs and weight W give the sum of squared outputs: tr(W G W')."""
    make, shape = PRODUCTS[case]
    b = Builder(opset=20)
    out = make(b)
    hidden = b.op("Identity", "x")  # so that the value is not an input of the graph
    for node in b.nodes[:-1]:
        node.input[:] = [hidden if name == "x" else name for name in node.input]
    b.nodes.insert(0, b.nodes.pop())
    state = opened(save(b.model([out], shape), tmp_path / "net.onnx", external=True, least=8))
    runner, squares = products
    sums = collect_sums(runner, state, Job(), grams=["w"])
    assert sums.unseen == ()
    inputs, weight = sums.inputs["w"], state.checkpoint.read("w").numpy().astype("f8")
    groups, columns = inputs.sum2.shape
    total = 0.0
    for group in range(groups):
        gram = sums.gram("w", group, CancelToken())
        np.testing.assert_allclose(np.diag(gram), inputs.sum2[group], rtol=1e-9)
        if inputs.transposed:
            part = weight.reshape(groups, columns, -1)[group].T
        else:
            part = weight.reshape(groups, -1, columns)[group]
        total += float(np.trace(part @ gram @ part.T))
    assert total == pytest.approx(float(squares.read_text()), rel=1e-4)


@pytest.mark.parametrize("network", [residual, transformer])
def test_a_repair_of_a_graph_brings_its_outputs_back(tmp_path, opened, network):
    state = opened(save(network(), tmp_path / "net.onnx", external=network is residual))
    names = [
        e.name for e in state.checkpoint.entries.values() if len(e.shape) > 1 and "weight" in e.name
    ]
    some = pruned(state, names=names)
    with seeded_runner(state) as runner:
        done = repair_by_script(runner, some, RepairSettings(names=names), Job())
    assert {layer.name for layer in done.repair.layers} == set(names)
    assert "random numbers" in " ".join(done.risks)
    repaired = some.with_masks(done.repair.edit.after)
    with seeded_runner(state) as runner, closing(Evaluator(runner)) as evaluator:
        evaluator.measure_baseline(state, Job())
        before, after = (
            evaluator.measure(one, Job()).metrics["relative_error"].value
            for one in (some, repaired)
        )
    assert after < before / 3


def test_a_graph_has_no_sequential_repair_and_its_multiply_adds_are_counted(tmp_path, opened):
    state = opened(save(small_network(), tmp_path / "net.onnx"))
    settings = RepairSettings(sequential=True)
    with seeded_runner(state, ["N=2"]) as runner:
        with pytest.raises(EvaluationError) as error:
            repair_by_script(runner, pruned(state, names=NAMES), settings, Job())
        uses = count_uses(runner, state, Job())
    assert "Repair without Sequential" in error.value.remedy
    assert uses.multiply_adds(state, Job()) == 8 * 3 * 9 * 36 + 4 * 8
    zeros = {"conv.weight": BitMask.from_bools(np.arange(216) % 2 == 0)}
    half = state.with_masks({"masks": zeros})
    assert uses.multiply_adds(half, Job()) == 8 * 3 * 9 * 36 // 2 + 4 * 8


def of_the_page(_checkpoint):
    page = Path(__file__).parents[2] / "docs" / "measure.md"
    section = page.read_text(encoding="utf-8").partition("## ONNX models\n")[2]
    return re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]


@pytest.mark.parametrize("make", [template_for, of_the_page])
def test_the_template_and_the_script_of_the_page_run(tmp_path, opened, make):
    """With the user's data, which comes from a package in the documentation."""
    state = opened(save(small_network(), tmp_path / 'a"b.onnx'))
    text = make(state.checkpoint)
    if make is template_for:
        assert "#   input x  ['N', 3, 6, 6]" in text
    text = text.replace("from my_package import test_batches, train_batches", "")
    data = "import numpy as np\n" + "\n".join(
        f"def {name}(): return [(np.ones((4, 3, 6, 6), 'f4'), np.zeros(4))]"
        for name in ("test_batches", "train_batches")
    )
    data += "\n"
    script = write_script(tmp_path, text, load=data)
    with runner_for(script) as runner:
        measured = runner.run(state, 0, Job())
        seen = collect_sums(runner, state, Job()).inputs
    assert measured.metrics["accuracy"].counts[1] == 4
    assert seen.keys() == set(NAMES)


def test_a_name_of_an_input_is_no_code_in_the_template(tmp_path, opened):
    b = Builder()
    out = b.op("MatMul", "x", b.weight("w", 3, 4))
    model = b.model([out], ["N\nimport os", 3])
    evil = 'x"}); import os\n#'
    model.graph.input[0].name = model.graph.node[0].input[0] = evil
    text = template_for(opened(save(model, tmp_path / "evil.onnx")).checkpoint)
    compile(text, "template", "exec")
    assert f"session.run(None, {{{json.dumps(evil)}: inputs}})" in text
    assert "\nimport os" not in text


def test_a_result_depends_on_the_sizes(tmp_path, opened):
    state = opened(save(small_network(), tmp_path / "net.onnx"))
    keys = {SeededInputs.of(state.checkpoint, [f"N={n}"]) for n in (1, 2)}
    runners = [
        ScriptRunner(
            EvaluationScript.shipped_for_graphs(),
            Interpreter(Path(sys.executable), ""),
            replace(Options(), seeded=s),
        )
        for s in keys
    ]
    assert len({runner.key for runner in runners}) == 2
    assert {conditions_of(runner).data for runner in runners} == {"N=1", "N=2"}
