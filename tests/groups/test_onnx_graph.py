"""Groups of ONNX graphs: channels that are pruned together, and those that must be kept."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from onnx import helper, numpy_helper

from pruneapp.checkpoint import parser_client
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.edits.group_edit import groups_of_tensor
from pruneapp.errors import CheckpointError, UnsupportedFileError
from pruneapp.groups.group import Group
from pruneapp.groups.onnx_graph import OnnxGraph, read_graph
from pruneapp.groups.structure import Structure, Unknown, structure_of
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.cancel_checks import CountingToken
from tests.support.onnx_models import Builder, save
from tests.support.onnx_networks import NETWORKS


@pytest.fixture
def graph_of(tmp_path):
    def read(model) -> OnnxGraph:
        with open_checkpoint(save(model, tmp_path / "m.onnx")) as checkpoint:
            return read_graph(checkpoint, Job())

    return read


def in_short(group: Group) -> tuple[int, str, str]:
    """Return the number of units of a group, its sources, and its readers."""
    names = {"along": [], "output": []}
    for member in group.members:
        if member.name.endswith(("weight", "slope", ".g")):
            names[member.role].append(f"{member.name.removesuffix('.weight')}:{member.dim}")
    return group.count, " ".join(names["along"]), " ".join(names["output"])


EXPECTED = {
    "residual": [
        (8, "c0:0 bn0:0 c2:0 bn2:0", "c1:1 down:1 c3:1"),
        (12, "c1:0 bn1:0", "c2:1"),
        (10, "down:0 bn3:0 c4:0 bn5:0", "fc:1"),
        (10, "c3:0 bn4:0", "c4:1"),
    ],
    "inverted": [
        (6, "stem:0 a.project:0 a3:0 b.project:0 b3:0", "a.expand:1 b.expand:1 fc:1"),
        (18, "a.expand:0 a1:0 a.dw:0 a2:0", "a.project:1"),
        (18, "b.expand:0 b1:0 b.dw:0 b2:0", "b.project:1"),
    ],
    "squeezed": [
        (6, "stem:0 project:0", "expand:1 fc:1"),
        (20, "expand:0 dw:0 fc2:0", "fc1:1 project:1"),
        (4, "fc1:0", "fc2:1"),
    ],
    # Norms depend on the width of the residual stream, a softmax on the size of a head.
    "transformer": [(4, "q:1 k:1 v:1", "out:0"), (48, "up:1", "down:0")],
    "fused": [(4, "qkv:1", "out:0")],
    "joined": [
        (6, "one:0", "three:1"),
        (10, "two:0", "three:1"),
        (6, "three:0", "fc:1"),  # those that are not sliced
        (6, "three:0", "fc:1"),
        (9, "fc:0", "out:1"),
    ],
    "shuffled": [(6, "one:0 bn:0 slope:0", "up:0"), (8, "up:1 in.g:0", "last:1")],
}


@pytest.mark.parametrize("network", NETWORKS)
def test_the_groups_of_a_network(network, graph_of):
    assert [in_short(group) for group in graph_of(NETWORKS[network]()).groups] == EXPECTED[network]


def test_units_have_their_entries_in_every_member(graph_of):
    graph = graph_of(NETWORKS["joined"]())
    three = graph.groups[3]
    (rows, bias, columns) = three.members
    assert three.entries(rows, [0]).tolist() == [3]
    assert three.entries(bias, [0, 5]).tolist() == [3, 8]
    # Unit 3 has the pixels of channel 3 and of channel 12, which is its slice.
    pixels = [*range(48, 64), *range(192, 208)]
    assert three.entries(columns, [0]).tolist() == pixels


def between(*middle, opset=20, **attributes):
    """Return a model with an operator between two convolutions."""
    b = Builder(opset=opset)
    x = b.conv("a", "x", 8, 3)
    kind, *more = middle
    x = b.op(kind, x, *(b.constant(f"k{n}", v) for n, v in enumerate(more)), **attributes)
    return b.model([b.conv("b", x, 4, 8)], ["N", 3, 6, 6])


@pytest.mark.parametrize(
    "model",
    [
        between("Relu"),
        between("Gelu"),
        between("Cast", to=1),
        between("Mul", np.float32(2)),
        between("Add", np.ones((8, 1, 1), np.float32)),
        between("Clip", np.float32(0), np.float32(6)),
        between("Div", np.float32(2)),
        between("LpPool", kernel_shape=[3, 3], pads=[1] * 4),
        between("Pad", [0, 0, 1, 1, 0, 0, 1, 1]),
        between("Softmax", axis=3),
        between("Pow", np.float32(2)),
    ],
    ids=lambda model: model.graph.node[1].op_type,
)
def test_channels_pass(model, graph_of):
    assert [group.count for group in graph_of(model).groups] == [8]


@pytest.mark.parametrize(
    "model",
    [
        between("Softmax", axis=1),
        between("LRN", size=3),
        between("Softmax", opset=12, axis=1),
        between("Div", np.ones((8, 1, 1), np.float32)),
        between("Log"),
        between("LpNormalization", axis=1),
        between("CumSum", 1),
        between("Expand", [1, 8, 6, 6]),
        between("ReverseSequence", np.full(8, 6), batch_axis=1, time_axis=2),
    ],
    ids=lambda model: model.graph.node[1].op_type,
)
def test_channels_that_are_mixed_or_not_known_stay(model, graph_of):
    assert graph_of(model).groups == ()


def test_a_domain_that_is_not_onnx_freezes(graph_of):
    model = between("Relu")
    model.graph.node[1].domain = "com.example"
    model.opset_import.append(helper.make_opsetid("com.example", 1))
    assert graph_of(model).groups == ()


def test_what_a_branch_looks_at_stays(graph_of):
    b = Builder()
    x = b.conv("a", "x", 8, 3)
    y = b.conv("b", x, 8, 8)
    z = b.conv("c", y, 4, 8)
    model = b.model([z], ["N", 3, 6, 6])
    branch = helper.make_graph(
        [helper.make_node("Identity", [x], ["seen"])],
        "branch",
        [],
        [helper.make_tensor_value_info("seen", 1, None)],
    )
    model.graph.initializer.append(numpy_helper.from_array(np.array(True), "yes"))
    node = helper.make_node("If", ["yes"], ["r"], then_branch=branch, else_branch=branch)
    model.graph.node.append(node)
    assert [in_short(g) for g in graph_of(model).groups] == [(8, "b:0", "c:1")]


def test_what_goes_in_and_out_stays(graph_of):
    b = Builder()
    x = b.conv("a", "x", 8, 3)
    model = b.model([x, b.conv("b", x, 4, 8)], ["N", 3, 6, 6])
    assert graph_of(model).groups == ()


def test_extents_that_are_looked_at_stay(graph_of):
    def model(axis):
        b = Builder()
        x = b.conv("a", "x", 8, 3)
        n = b.op("Gather", b.op("Shape", x), b.constant("axis", np.int64(axis)), axis=0)
        x = b.op("Mul", x, b.op("Cast", n, to=1))
        return b.model([b.conv("b", x, 4, 8)], ["N", 3, 6, 6])

    assert [group.count for group in graph_of(model(0)).groups] == [8]
    assert graph_of(model(1)).groups == ()


def test_two_uses_of_a_weight_go_together(graph_of):
    b = Builder()
    x = b.conv("a", "x", 8, 8)
    x = b.op("Conv", x, "a.weight", "a.bias", pads=[1] * 4)
    (model) = b.model([b.conv("b", x, 4, 8)], ["N", 8, 6, 6])
    assert graph_of(model).groups == (), "its columns are those of the input"


def test_a_transposed_weight_has_its_axes(graph_of):
    b = Builder()
    x = b.op("MatMul", "x", b.op("Transpose", b.weight("a.weight", 8, 5), perm=[1, 0]))
    x = b.op("MatMul", x, b.op("Transpose", b.weight("b.weight", 4, 8), perm=[1, 0]))
    (group,) = graph_of(b.model([x], ["N", 5])).groups
    assert in_short(group) == (8, "a:0", "b:1")


def test_grouped_convolutions_stay_and_depthwise_ones_go_along(graph_of):
    def model(group, out):
        b = Builder()
        x = b.conv("b", b.conv("a", "x", 8, 3), out, 8, group=group)
        return b.model([b.conv("c", x, 4, out)], ["N", 3, 6, 6])

    assert graph_of(model(2, 8)).groups == ()
    (twice,) = graph_of(model(8, 16)).groups
    assert twice.count == 8
    assert twice.entries(twice.member_of["b.weight"][0], [1]).tolist() == [2, 3]


def test_many_channels_are_quick(graph_of):
    b = Builder()
    x = "x"
    for number in range(60):
        x = b.op("Relu", b.conv(f"c{number}", x, 256, 256 if number else 3, 1))
    assert len(graph_of(b.model([x], ["N", 3, 6, 6])).groups) == 59


def test_it_looks_whether_it_is_cancelled(tmp_path):
    with open_checkpoint(save(NETWORKS["residual"](), tmp_path / "m.onnx")) as checkpoint:
        token = CountingToken()
        read_graph(checkpoint, Job(cancel=token))
        assert token.looks > 20
        with pytest.raises(Cancelled):
            read_graph(checkpoint, Job(cancel=CountingToken(cancelled_at=10)))


def test_without_the_package_it_says_what_to_install(tmp_path, monkeypatch):
    with open_checkpoint(save(NETWORKS["residual"](), tmp_path / "m.onnx")) as checkpoint:
        monkeypatch.setitem(sys.modules, "onnx", None)
        with pytest.raises(CheckpointError, match=r"pip install 'pruneapp\[onnx\]'"):
            read_graph(checkpoint, Job())


def test_other_formats_have_no_graph(tmp_path):
    from safetensors.numpy import save_file

    save_file({"a": np.ones(3)}, tmp_path / "a.safetensors")
    with (
        open_checkpoint(tmp_path / "a.safetensors") as checkpoint,
        pytest.raises(UnsupportedFileError, match="not an ONNX model"),
    ):
        read_graph(checkpoint, Job())


def damaged(what):
    model = NETWORKS["residual"]()
    conv, *_ = model.graph.node
    if what == "no version":
        del model.opset_import[:]
    elif what == "no weight":
        del conv.input[1:]
    elif what == "empty weight":
        conv.input[1] = ""
    elif what == "a weight of no dimensions":
        model.graph.initializer.append(numpy_helper.from_array(np.float32(1), "number"))
        conv.input[1] = "number"
    elif what == "an axis of a number":
        model.graph.initializer.append(numpy_helper.from_array(np.float32(1), "number"))
        model.graph.node.append(helper.make_node("Concat", ["number"], ["z"], axis=0))
        model.graph.output.append(helper.make_tensor_value_info("z", 1, []))
    return model


@pytest.mark.parametrize(
    "what",
    ["no version", "no weight", "empty weight", "a weight of no dimensions", "an axis of a number"],
)
def test_a_graph_that_breaks_a_rule_is_refused(what, tmp_path):
    with (
        open_checkpoint(save(damaged(what), tmp_path / "m.onnx")) as checkpoint,
        pytest.raises(CheckpointError, match="is not as ONNX defines it"),
    ):
        read_graph(checkpoint, Job())


def test_another_process_finds_the_same_groups(tmp_path):
    with open_checkpoint(save(NETWORKS["joined"](), tmp_path / "m.onnx")) as checkpoint:
        here, there = (read_graph(checkpoint, Job(), apart=apart) for apart in (False, True))
    assert len(here.groups) > 1
    assert list(map(in_short, here.groups)) == list(map(in_short, there.groups))
    for mine, other in zip(here.groups, there.groups, strict=True):
        for one, same in zip(mine.members, other.members, strict=True):
            assert np.array_equal(one.layout.units(mine.count), same.layout.units(other.count))


def test_a_graph_that_ends_the_process_is_a_sentence(tmp_path, monkeypatch):
    """Such graphs exist, and the onnx package does not refuse them."""
    monkeypatch.setattr(parser_client, "command", lambda: [sys.executable, "-c", "exit(134)"])
    with open_checkpoint(save(NETWORKS["joined"](), tmp_path / "m.onnx")) as checkpoint:
        known = structure_of(checkpoint, apart=True)
        assert isinstance(known, Unknown)
        assert "crashed the process that reads them (exit status 134)" in known.why_not
        assert structure_of(checkpoint) is known, "nobody tries it here afterwards"
        assert groups_of_tensor(checkpoint, "one.weight") == ()


@pytest.mark.parametrize("what", ["no version", "no weight", "an axis of a number"])
def test_what_another_process_refuses_is_told_as_here(what, tmp_path):
    said = []
    with open_checkpoint(save(damaged(what), tmp_path / "m.onnx")) as checkpoint:
        for apart in (False, True):
            with pytest.raises(CheckpointError) as caught:
                read_graph(checkpoint, Job(), apart=apart)
            said.append(str(caught.value))
    assert said[0] == said[1]


def test_a_job_that_is_cancelled_leaves_the_groups_to_the_next(tmp_path):
    token = CancelToken()
    token.cancel()
    with open_checkpoint(save(NETWORKS["joined"](), tmp_path / "m.onnx")) as checkpoint:
        with pytest.raises(Cancelled):
            structure_of(checkpoint, Job(cancel=token), apart=True)
        assert isinstance(structure_of(checkpoint), Structure)
