"""Methods that prune whole units of groups: ordinary masks on every tensor of the unit."""

import numpy as np
import pytest
import torch

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError, SelectionError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.shrink.surveyed_state import CutRequest, SurveyedState, survey_state
from pruneapp.statistics.file import register
from tests.shrink.small_models import (
    HEAD,
    HIDDEN,
    KV_GROUPS,
    LAYERS,
    NEURONS,
    write_bert,
    write_mistral,
)
from tests.shrink.vision_models import make
from tests.support.activation_statistics import save_random
from tests.support.onnx_models import Builder, save

GATE = "model.layers.1.mlp.gate_proj.weight"


@pytest.fixture
def mistral(tmp_path):
    tensors = write_mistral(tmp_path)
    with open_checkpoint(tmp_path) as checkpoint:
        yield Snapshot(checkpoint), tensors


def preview(state, method, names, **values):
    """Preview a step; the models are too small for the default multiples."""
    if method in {"ffn_neurons", "channel_groups"}:
        values = {"multiple": "1", **values}
    return compute_preview(state, Step((Row(tuple(names), method, values),)), CpuKernel(), Job())


def kept(found, name, shape):
    return found.masks[name].bools().reshape(shape)


def test_a_neuron_goes_in_every_tensor_that_has_a_part(mistral):
    state, tensors = mistral
    found = preview(state, "ffn_neurons", [GATE], amount=0.5)
    mlp = [f"model.layers.1.mlp.{n}_proj.weight" for n in ("gate", "up", "down")]
    assert list(found.masks) == sorted(mlp), (
        "of the layer of the tensor that is named, and no other"
    )
    gate, up, down = (tensors[name].astype(np.float64) for name in mlp)
    norm = (gate**2).sum(1) + (up**2).sum(1) + (down**2).sum(0)
    lowest = np.argsort(norm)[: NEURONS // 2]
    wanted = ~np.isin(np.arange(NEURONS), lowest)
    for name in mlp[:2]:
        assert np.array_equal(kept(found, name, (NEURONS, HIDDEN)).any(1), wanted)
        assert np.array_equal(kept(found, name, (NEURONS, HIDDEN)).all(1), wanted)
    assert np.array_equal(kept(found, mlp[2], (HIDDEN, NEURONS)).all(0), wanted)
    assert found.report.newly_pruned == 3 * HIDDEN * NEURONS // 2


@pytest.mark.parametrize("by", ["l1", "l2", "mean"])
def test_the_norm_that_ranks(mistral, by):
    state, tensors = mistral
    found = preview(state, "ffn_neurons", [GATE], amount=1, by=by)
    parts = np.concatenate(
        [
            tensors[GATE],
            tensors[GATE.replace("gate", "up")],
            tensors[GATE.replace("gate", "down")].T,
        ],
        axis=1,
    ).astype(np.float64)
    score = (parts**2).sum(1) if by == "l2" else np.abs(parts).sum(1)
    gone = np.flatnonzero(~kept(found, GATE, (NEURONS, HIDDEN)).any(1))
    assert gone.tolist() == [int(score.argmin())]


@pytest.mark.parametrize(("by", "by_label"), [("wanda", "Wanda"), ("flap", "FLAP")])
def test_what_is_multiplied_by_its_weights_ranks(mistral, tmp_path, by, by_label):
    state, tensors = mistral
    names = [GATE, GATE.replace("gate", "up"), GATE.replace("gate", "down")]
    path = tmp_path / "s.safetensors"
    known = save_random(path, {name: tensors[name].shape for name in names})
    statistics = register(path)
    found = preview(state, "ffn_neurons", [GATE], amount=5, by=by, statistics=statistics)
    gate, up, down = (tensors[name].astype(np.float64) for name in names)
    sizes = [(known[name].rms, known[name].deviation)[by == "flap"][0] for name in names]
    score = ((down * sizes[2]) ** 2).sum(0)
    if by == "wanda":
        score += ((gate * sizes[0]) ** 2).sum(1) + ((up * sizes[1]) ** 2).sum(1)
    gone = np.flatnonzero(~kept(found, GATE, (NEURONS, HIDDEN)).any(1))
    assert gone.tolist() == sorted(np.argsort(score)[:5])
    assert f"rank by {by_label}" in found.edit.label
    assert f"Statistics: SHA-256 {statistics[7:19]}" in found.edit.detail


def test_layers_by_what_they_write(mistral, tmp_path):
    state, tensors = mistral
    path = tmp_path / "s.safetensors"
    shapes = {n: t.shape for n, t in tensors.items() if "layers" in n and t.ndim == 2}
    known = save_random(path, shapes)
    statistics = register(path)
    found = preview(state, "layers", [GATE], amount=1, by="flap", statistics=statistics)
    scores = [
        sum(
            ((tensors[name].astype(float) * known[name].deviation) ** 2).sum()
            for name in shapes
            if f"layers.{layer}." in name and ("o_proj" in name or "down_proj" in name)
        )
        for layer in range(LAYERS)
    ]
    gone = {name.split(".")[2] for name, mask in found.masks.items() if not mask.kept}
    assert gone == {str(np.argmin(scores))}


def test_statistics_belong_to_the_scores_that_need_them(mistral):
    """Steps by a norm have the same JSON as before statistics existed."""
    state, _ = mistral
    row = Row((GATE,), "ffn_neurons", {"amount": 1, "by": "l1"})
    assert row.to_dict()["configuration"]["values"] == {
        "amount": 1,
        "by": "l1",
        "multiple": "usual",
    }
    assert Row.from_dict(row.to_dict()) == row
    with pytest.raises(ParameterError, match="'statistics' has no effect without 'by' wanda or fl"):
        Row((GATE,), "ffn_neurons", {"by": "l1", "statistics": f"sha256:{'0a' * 32}"})
    with pytest.raises(ParameterError, match="needs statistics of activations"):
        preview(state, "ffn_neurons", [GATE], amount=1, by="flap")


def test_a_group_of_keys_goes_with_its_queries(mistral):
    state, _ = mistral
    names = [f"model.layers.{i}.self_attn.q_proj.weight" for i in range(LAYERS)]
    found = preview(state, "attention_heads", names, amount=1)
    assert len(found.masks) == 4 * LAYERS
    for layer in range(LAYERS):
        place = f"model.layers.{layer}.self_attn"
        keys = kept(found, f"{place}.k_proj.weight", (KV_GROUPS, HEAD * HIDDEN)).any(1)
        queries = kept(found, f"{place}.q_proj.weight", (KV_GROUPS, 2 * HEAD * HIDDEN)).any(1)
        outputs = kept(found, f"{place}.o_proj.weight", (HIDDEN, KV_GROUPS, 2 * HEAD)).any((0, 2))
        assert keys.sum() == 1
        assert keys.tolist() == queries.tolist() == outputs.tolist()


def test_a_layer_goes_by_what_it_writes(mistral):
    state, _ = mistral
    found = preview(state, "layers", [GATE], amount=1)
    gone = [name for name, mask in found.masks.items() if not mask.kept]
    assert sorted(name.split(".")[-2] for name in gone) == ["down_proj", "o_proj"]
    assert len({name.split(".")[2] for name in gone}) == 1


def test_biases_go_along(tmp_path):
    write_bert(tmp_path)
    with open_checkpoint(tmp_path) as checkpoint:
        name = "encoder.layer.0.output.dense.weight"
        found = preview(Snapshot(checkpoint), "ffn_neurons", [name], amount=3)
    bias = found.masks["encoder.layer.0.intermediate.dense.bias"].bools()
    columns = kept(found, name, (HIDDEN, NEURONS)).any(0)
    assert bias.tolist() == columns.tolist()
    assert (~bias).sum() == 3


def test_what_norms_have_measured_stays_and_does_not_count(tmp_path):
    torch.save(make("basic").float().state_dict(), tmp_path / "net.pt")
    with open_checkpoint(tmp_path / "net.pt") as checkpoint:
        state, gone = Snapshot(checkpoint), []
        for _ in range(2):
            found = preview(state, "channel_groups", ["1.conv1.weight"], amount=0.5)
            assert sorted(found.masks) == [
                *("1.bn1.bias", "1.bn1.weight", "1.conv1.weight", "1.conv2.weight")
            ]
            state = state.with_masks({"masks": found.masks})
            gone.append(found.masks["1.bn1.bias"].pruned)
            wide = kept(found, "1.conv1.weight", (16, 16 * 9)).any(1)
            assert np.array_equal(wide, found.masks["1.bn1.bias"].bools())
        assert gone == [8, 12], "half of what is left"


def test_what_stays_is_rounded_up(mistral):
    state, _ = mistral
    group = "model.layers.1.mlp"
    with pytest.raises(ParameterError) as refused:
        preview(state, "ffn_neurons", [GATE], amount=0.2, multiple="8")
    assert refused.value.sentence == (
        f"Nothing would be pruned: of 12 units of '{group}', 10 would be kept, and the number of "
        "units kept in this group is rounded up to a multiple of 8."
    )
    remedy = f"Prune at least 4 units of '{group}', or choose a smaller multiple."
    assert refused.value.remedy == remedy
    with pytest.raises(ParameterError, match="up to a multiple of 64") as refused:
        preview(state, "ffn_neurons", [GATE], amount=0.5, multiple="usual")
    assert refused.value.remedy == "Choose a smaller multiple.", "no amount would help"
    found = preview(state, "ffn_neurons", [GATE], amount=0.01, multiple="8")
    assert not found.report.newly_pruned, "the amount is the reason, not the multiple"
    found = preview(state, "ffn_neurons", [GATE], amount=0.5, multiple="8")
    assert kept(found, GATE, (NEURONS, HIDDEN)).any(1).sum() == 8


def test_a_unit_with_a_protected_weight_stays(mistral):
    state, _ = mistral
    name = GATE.replace("gate", "down")
    protected = np.zeros((HIDDEN, NEURONS), np.bool_)
    protected[3, :5] = True
    state = state.with_masks({"protected": {name: BitMask.from_bools(protected)}})
    found = preview(state, "ffn_neurons", [GATE], amount=7)
    assert kept(found, GATE, (NEURONS, HIDDEN)).any(1).tolist() == [True] * 5 + [False] * 7
    with pytest.raises(ParameterError, match="5 are protected, so only 7 can be pruned"):
        preview(state, "ffn_neurons", [GATE], amount=8)


def test_twice_half_leaves_a_quarter(mistral):
    state, _ = mistral
    once = preview(state, "ffn_neurons", [GATE], amount=0.5)
    state = state.with_masks({"masks": once.masks})
    twice = preview(state, "ffn_neurons", [GATE], amount=0.5)
    assert kept(twice, GATE, (NEURONS, HIDDEN)).any(1).sum() == NEURONS // 4


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        ("layers", "a norm follows the sum, so zeros do not have the effect of removing layers"),
        ("attention_heads", "bert computes the head size as"),
        ("channel_groups", "The model has no Channels"),
    ],
)
def test_what_cannot_go_is_refused(tmp_path, method, sentence):
    write_bert(tmp_path)
    with open_checkpoint(tmp_path) as checkpoint:
        state = Snapshot(checkpoint)
        with pytest.raises(SelectionError, match=sentence):
            preview(state, method, ["encoder.layer.0.output.dense.weight"])


def test_a_tensor_of_no_group_is_refused(mistral):
    state, _ = mistral
    with pytest.raises(SelectionError, match="is known to belong to FFN neurons"):
        preview(state, "ffn_neurons", ["model.embed_tokens.weight"])


@pytest.mark.parametrize("scope", ["local", "global"])
def test_channels_of_an_onnx_model_stay_in_the_multiples_of_the_export(tmp_path, scope):
    """Cutting the dead units then leaves no zeros."""
    b = Builder()
    x = b.op("Relu", b.conv("c1", "x", 64, 3))
    x = b.op("Relu", b.conv("c2", x, 48, 64))
    path = save(b.model([b.conv("c3", x, 4, 48)], [1, 3, 8, 8]), tmp_path / "m.onnx")
    with open_checkpoint(path) as checkpoint:
        row = Row(("c1.weight", "c2.weight"), "channel_groups", {"amount": 0.3})
        state = Snapshot(checkpoint)
        found = compute_preview(state, Step((row,), scope), CpuKernel(), Job())
        state = state.with_masks({"masks": found.masks})
        surveyed = survey_state(state, Job())
        assert isinstance(surveyed, SurveyedState)
        _, made = surveyed.plan_cut(CutRequest(), CpuKernel(), Job())
    left = {
        name: int(kept(found, name, checkpoint.entry(name).shape).any((1, 2, 3)).sum())
        for name in ("c1.weight", "c2.weight")
    }
    assert not any(count % 16 for count in left.values())
    assert sum(left.values()) < 112
    (axis,) = made.axes
    assert axis.after == sum(left.values())
    assert not any("zero" in notice for notice in axis.notices)
