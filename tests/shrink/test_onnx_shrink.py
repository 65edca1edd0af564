"""ONNX models on the command line: cut, checked, and expanded."""

import numpy as np
import onnx
import onnxruntime
import pytest

from pruneapp.__main__ import main
from tests.support.onnx_models import Builder, save
from tests.support.onnx_runs import difference
from tests.support.onnx_runs import run as run_model


def run(*arguments):
    return main([str(argument) for argument in arguments])


@pytest.fixture
def net(tmp_path):
    """Write two convolutions with a sum around the second, a concatenation, and a linear layer."""
    rng = np.random.default_rng(0)

    def some(name, *shape):
        values = (rng.standard_normal(shape) / 4).astype(np.float32)
        return onnx.numpy_helper.from_array(values, name)

    nodes = [
        onnx.helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], pads=[1, 1, 1, 1]),
        onnx.helper.make_node("Relu", ["c1"], ["r1"]),
        onnx.helper.make_node("Conv", ["r1", "w2", "b2"], ["c2"], pads=[1, 1, 1, 1]),
        onnx.helper.make_node("Add", ["c2", "r1"], ["s"]),
        onnx.helper.make_node("Conv", ["s", "w3"], ["c3"]),
        onnx.helper.make_node("Concat", ["s", "c3"], ["k"], axis=1),
        onnx.helper.make_node("GlobalAveragePool", ["k"], ["p"]),
        onnx.helper.make_node("Flatten", ["p"], ["f"]),
        onnx.helper.make_node("Gemm", ["f", "w4", "b4"], ["y"], transB=1),
    ]
    tensors = [
        some("w1", 24, 3, 3, 3),
        some("b1", 24),
        some("w2", 24, 24, 3, 3),
        some("b2", 24),
        some("w3", 16, 24, 1, 1),
        some("w4", 5, 40),
        some("b4", 5),
    ]
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes, "net", [info("x", 1, [1, 3, 8, 8])], [info("y", 1, [1, 5])], tensors
    )
    opset = [onnx.helper.make_opsetid("", 17)]
    path = tmp_path / "net.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=opset, ir_version=8), path)
    return path


def outputs(path):
    session = onnxruntime.InferenceSession(path)
    x = np.random.default_rng(1).standard_normal((1, 3, 8, 8)).astype(np.float32)
    return session.run(None, {"x": x})[0]


def test_a_cut_computes_what_zeros_do_and_comes_back(net, tmp_path, capsys):
    assert run("shrink", net, "--list") == 0
    assert "any share of each of 2 groups" in capsys.readouterr().out
    assert run("shrink", net, "--channels", "40%", "-o", tmp_path / "out") == 0
    assert "Channels 40 → 32" in capsys.readouterr().out
    small = tmp_path / "out" / "net.onnx"
    assert small.stat().st_size < 0.7 * net.stat().st_size
    assert run("unshrink", tmp_path / "out", "--against", net, "-o", tmp_path / "back.onnx") == 0
    wanted = outputs(tmp_path / "back.onnx")
    assert np.abs(outputs(small) - wanted).max() <= 1e-5 * np.abs(wanted).max()
    assert np.abs(outputs(net) - wanted).max() > 1e-2 * np.abs(wanted).max(), "zeros did something"
    # Cutting its dead units gives the same result.
    assert run("shrink", tmp_path / "back.onnx", "-o", tmp_path / "again") == 0
    assert (tmp_path / "again" / "back.onnx").stat().st_size == pytest.approx(
        small.stat().st_size, abs=64
    )


def test_a_share_that_rounds_to_nothing_is_refused(net, tmp_path, capsys):
    assert run("shrink", net, "--channels", "10%", "-o", tmp_path / "out") == 2
    assert "Nothing would be removed of 2 groups" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def small_constant(b, x):
    """Return a value after a reshape whose shape is in a Constant node, as torch 1.x exports it."""
    shape = b.node_constant(np.array([2, 12, -1, 6]))
    return b.op("Reshape", x, shape)


def add_of_a_scalar(b, x):
    return b.op("Mul", b.op("Add", x, b.node_constant(np.float32(0.5))), b.weight("g", 12, 1, 1))


def branch(b, x):
    """Return the output of a branch that contains a weight and a constant."""

    def graph(name, fill):
        values = b.rng.standard_normal((12, 12, 1, 1)).astype(np.float32)
        number = onnx.numpy_helper.from_array(np.float32(fill))
        nodes = [
            onnx.helper.make_node("Constant", [], [f"{name}.k"], value=number),
            onnx.helper.make_node("Conv", [x, f"{name}.w"], [f"{name}.c"]),
            onnx.helper.make_node("Add", [f"{name}.c", f"{name}.k"], [f"{name}.y"]),
        ]
        out = onnx.helper.make_tensor_value_info(f"{name}.y", 1, None)
        weight = onnx.numpy_helper.from_array(values, f"{name}.w")
        return onnx.helper.make_graph(nodes, name, [], [out], [weight])

    condition = b.node_constant(np.array(True))
    return b.op("If", condition, then_branch=graph("t", 1), else_branch=graph("e", 2))


def text(b, x):
    b.constant("words", np.array([b"a", b"b"], object))
    return x


def passed_on(b, x):
    return x


@pytest.mark.parametrize("external", [False, True], ids=["inside", "outside"])
@pytest.mark.parametrize("middle", [small_constant, add_of_a_scalar, branch, text, passed_on])
def test_every_graph_that_opens_is_cut(middle, external, tmp_path, capsys):
    b = Builder(7, opset=13)
    x = middle(b, b.op("Relu", b.conv("a", "x", 12, 3)))
    x = b.conv("c", b.op("Relu", b.conv("b", x, 16, 12)), 4, 16)
    path = save(b.model([x], [2, 3, 6, 6]), tmp_path / "m.onnx", external=external)
    how = ["--method", "l1_unstructured", "--amount", "30%"]
    assert run("prune", path, *how, "-o", tmp_path / "p.onnx") == 0
    out = tmp_path / "out"
    assert run("shrink", tmp_path / "p.onnx", "--channels", "50%", "--multiple", 4, "-o", out) == 0
    assert run("unshrink", out, "--against", path, "-o", tmp_path / "back.onnx") == 0
    capsys.readouterr()
    onnx.checker.check_model(str(out / "p.onnx"), full_check=True)
    small, wide = run_model(out / "p.onnx"), run_model(tmp_path / "back.onnx")
    assert difference(wide, small) < 1e-5
    shapes = {t.name: tuple(t.dims) for t in onnx.load(str(out / "p.onnx")).graph.initializer}
    assert shapes["b.weight"][0] == 8


def plain_network(path):
    """Write convolutions after a softmax over channels, which must not be cut, and an output."""
    b = Builder(8)
    x = b.op("Relu", b.conv("c1", "x", 64, 3))
    x = b.op("Softmax", b.conv("c2", x, 40, 64), axis=1)
    x = b.op("GlobalAveragePool", b.op("Relu", b.conv("c3", x, 64, 40)))
    return save(b.model([b.linear("fc", b.op("Flatten", x), 10, 64)], [1, 3, 8, 8]), path)


def test_an_onnx_model_is_cut_in_multiples_of_16(tmp_path, capsys):
    net = plain_network(tmp_path / "net.onnx")
    assert run("shrink", net, "--channels", "30%", "-o", tmp_path / "small.onnx") == 0
    printed = "".join(capsys.readouterr())
    assert "Channels 128 → 96" in printed
    assert (
        "32 of 128 (25.0 %) are cut instead of 38 (30.0 %): the rest is rounded up to a multiple "
        "of 16."
    ) in printed
    assert run("shrink", net, "--channels", "30%", "--multiple", 8, "-o", tmp_path / "8.onnx") == 0
    assert "Channels 128 → 96" in "".join(capsys.readouterr())
    assert run("shrink", net, "--channels", "40%", "--multiple", 8, "-o", tmp_path / "9.onnx") == 0
    assert "Channels 128 → 80" in "".join(capsys.readouterr())


def test_zeros_that_stay_and_layers_that_stay_whole_are_told_of(tmp_path, capsys):
    net = plain_network(tmp_path / "net.onnx")
    assert run("shrink", net, "--list") == 0
    assert "'c2.weight' is not reduced: 'Softmax' needs" in "".join(capsys.readouterr())
    how = ["--method", "ln_structured", "--n", "2", "--dim", "0", "--amount", "30%", "--dependents"]
    assert run("prune", net, *how, "-o", tmp_path / "p.onnx") == 0
    capsys.readouterr()
    assert run("shrink", tmp_path / "p.onnx", "-o", tmp_path / "small.onnx") == 0
    printed = "".join(capsys.readouterr())
    assert (
        "Channels: 32 of 38 that are zero are removed, because the number that a group keeps is "
        "rounded up to a multiple of 16 ('c1' 16 of 19, 'c3' 16 of 19)."
    ) in printed
    assert (
        "'c2.weight' (12 channels of zeros) is not reduced: 'Softmax' needs all of its channels."
    ) in printed
    assert (
        "'fc.weight' (3 channels of zeros) is not reduced: it is an output of the graph." in printed
    )
    assert difference(run_model(tmp_path / "p.onnx"), run_model(tmp_path / "small.onnx")) < 1e-5
