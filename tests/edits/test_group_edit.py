"""Dependents of the units of a group, as one manual edit."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.group_edit import groups_of_tensor, with_members
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.groups import structure
from pruneapp.progress import Job
from tests.support.model_folders import GROUPS, HEAD, HEADS, HIDDEN, NEURONS, write_llama
from tests.support.onnx_models import save
from tests.support.onnx_networks import inverted, joined, residual, shuffled

LAYER = "model.layers.1."
MLP, ATTENTION = LAYER + "mlp.", LAYER + "self_attn."


@pytest.fixture
def llama(tmp_path):
    with open_checkpoint(write_llama(tmp_path / "llama")) as checkpoint:
        yield checkpoint


def channels(name, *indices, dim=0, extents=(NEURONS, HIDDEN), operation="prune"):
    """Return an edit of whole channels of a matrix."""
    boxes = tuple(
        tuple((i, i + 1) if at == dim else (0, n) for at, n in enumerate(extents)) for i in indices
    )
    return ManualEdit(operation, (ManualTarget(name, boxes, shape="channel", dim=dim),))


def test_what_a_tensor_shares_is_told_by_axis_and_dimension(llama):
    (neurons,) = groups_of_tensor(llama, MLP + "up_proj.weight")
    assert (neurons.axis, neurons.label, neurons.place) == (
        "ffn",
        "FFN neurons",
        "model.layers.1.mlp",
    )
    assert (neurons.dim, neurons.count, neurons.by_channel) == (0, NEURONS, True)
    assert neurons.others == (MLP + "gate_proj.weight", MLP + "down_proj.weight")
    groups, heads = groups_of_tensor(llama, ATTENTION + "o_proj.weight")
    assert (groups.label, groups.dim, groups.count) == ("Key/value heads", 1, GROUPS)
    assert (heads.label, heads.dim, heads.count) == ("Query heads", 1, HEADS)
    assert heads.unit_of.tolist() == np.repeat(range(HEADS), HEAD).tolist()
    (tokens,) = groups_of_tensor(llama, "lm_head.weight")
    assert (tokens.label, tokens.place) == ("Tokens", "")
    assert groups_of_tensor(llama, "model.norm.weight") == ()


def test_neurons_go_in_all_matrices_by_one_edit(llama):
    edit = with_members(llama, channels(MLP + "up_proj.weight", 3, 4, 9))
    assert edit.label() == "3 FFN neurons of model.layers.1.mlp pruned in 3 tensors"
    boxes = {target.name: (target.dim, target.boxes) for target in edit.targets}
    assert boxes[MLP + "gate_proj.weight"] == (0, (((3, 5), (0, HIDDEN)), ((9, 10), (0, HIDDEN))))
    assert boxes[MLP + "down_proj.weight"] == (1, (((0, HIDDEN), (3, 5)), ((0, HIDDEN), (9, 10))))
    assert len(edit.targets) == 3
    saved = edit.to_dict({})
    assert ManualEdit.from_dict(saved, {}).to_dict({}) == saved
    document = Document(llama)
    document.commit(compute_manual_edit(document.snapshot(), edit, Job()))
    assert document.position == 1
    assert {n: document.masks.pruned(n) for n in document.masks} == {
        MLP + f"{part}_proj.weight": 3 * HIDDEN for part in ("gate", "up", "down")
    }
    document.jump(0)
    assert not any(document.masks.pruned(name) for name in document.masks)


def test_heads_go_only_by_their_axis_and_as_wholes(llama):
    name, extents = ATTENTION + "o_proj.weight", (HIDDEN, HEADS * HEAD)
    head = channels(name, *range(HEAD, 2 * HEAD), dim=1, extents=extents)
    assert with_members(llama, head) is head, "a channel of a head is no unit"
    edit = with_members(llama, head, "query-heads")
    assert edit.label() == "1 query head of model.layers.1.self_attn pruned in 2 tensors"
    (other,) = edit.targets[1:]
    assert other == ManualTarget(
        ATTENTION + "q_proj.weight", (((HEAD, 2 * HEAD), (0, HIDDEN)),), shape="channel", dim=0
    )
    part = channels(name, *range(HEAD, 2 * HEAD - 1), dim=1, extents=extents)
    assert with_members(llama, part, "query-heads") is part
    whole = channels(name, *range(2 * HEAD), dim=1, extents=extents)
    edit = with_members(llama, whole, "kv-groups")
    assert edit.label() == "1 key/value head of model.layers.1.self_attn pruned in 4 tensors"
    assert {target.name.rpartition(".")[0].rpartition(".")[2] for target in edit.targets} == {
        "o_proj",
        "q_proj",
        "k_proj",
        "v_proj",
    }


def test_the_same_unit_of_several_blocks_is_said_once_for_all(llama):
    both = (
        *channels("model.layers.0.mlp.up_proj.weight", 5).targets,
        *channels("model.layers.2.mlp.up_proj.weight", 5).targets,
    )
    edit = with_members(llama, ManualEdit("protect", both))
    assert edit.label() == "2 FFN neurons of model.layers.*.mlp protected in 6 tensors"


def test_rectangles_and_tensors_of_no_group_stay_as_they_are(llama):
    rows = ManualEdit("prune", (ManualTarget(MLP + "up_proj.weight", (((3, 4), (0, HIDDEN)),)),))
    assert with_members(llama, rows) is rows
    inputs = channels(MLP + "up_proj.weight", 3, dim=1)
    assert with_members(llama, inputs) is inputs


def test_groups_are_bound_once_however_many_ask(llama, monkeypatch):
    bound, both = [], threading.Barrier(3)
    real = structure.bind

    def slow(checkpoint, *arguments, **options):
        bound.append(checkpoint)
        return real(checkpoint, *arguments, **options)

    monkeypatch.setattr(structure, "bind", slow)

    def ask():
        both.wait()
        groups_of_tensor(llama, "lm_head.weight")

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bound == [llama]


@pytest.fixture(scope="module", params=[joined, residual, shuffled, inverted])
def graph(request, tmp_path_factory):
    path = save(request.param(), tmp_path_factory.mktemp("graph") / "model.onnx")
    with open_checkpoint(path) as checkpoint:
        yield checkpoint


@given(data=st.data())
def test_channels_of_a_graph_go_in_every_place_where_they_are(graph, data):
    """After concatenations, splits and shuffles a unit has entries in several places."""
    groups = structure.structure_of(graph).axes["channels"].groups
    members = [(group, member) for group in groups for member in group.members]
    places = {(m.name, m.dim) for _, m in members if graph.entries[m.name].prunable}
    name, dim = data.draw(st.sampled_from(sorted(places)))
    shape = graph.entries[name].shape
    chosen = data.draw(st.sets(st.integers(0, shape[dim] - 1), min_size=1))
    edit = with_members(graph, channels(name, *chosen, dim=dim, extents=shape))
    wanted = {name: rows_of(shape, dim, chosen)}
    single = all(g.by_channel for g in groups_of_tensor(graph, name) if g.dim == dim)
    here = [(g, m) for g, m in members if (m.name, m.dim) == (name, dim) and single]
    for group, member in here:
        units = member.layout.units(group.count)
        whole = [u for u in range(group.count) if set(np.flatnonzero(units == u)) <= chosen]
        for other in group.members:
            if not graph.entries[other.name].prunable:
                continue  # running statistics
            size = graph.entries[other.name].shape
            mask = wanted.setdefault(other.name, np.zeros(size, bool))
            mask |= rows_of(size, other.dim, group.entries(other, whole).tolist())
    document = Document(graph)
    document.commit(compute_manual_edit(document.snapshot(), edit, Job()))
    got = {
        each: ~mask.bools().reshape(graph.entries[each].shape)
        for each, mask in document.masks.items()
        if mask.pruned
    }
    assert set(got) == {each for each, mask in wanted.items() if mask.any()}
    for each, mask in got.items():
        assert np.array_equal(mask, wanted[each]), each


def rows_of(shape, dim, indices):
    mask = np.zeros(shape, bool)
    mask[(slice(None),) * dim + (sorted(indices),)] = True
    return mask
