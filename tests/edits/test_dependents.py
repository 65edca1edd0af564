"""Dependents of whole channels are pruned with them, compared with a naive loop over units."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis import histogram_store
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.selection import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.edits.dependents import dependents_of
from pruneapp.errors import ParameterError, SelectionError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.limits import Limits
from pruneapp.preview.estimate import estimate
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, Job
from tests.shrink.small_models import HEAD, HEADS, KV_GROUPS, write_bert, write_mistral
from tests.shrink.vision_models import make
from tests.support.cancel_checks import CountingToken, count_looks
from tests.support.document_edits import undo
from tests.support.onnx_models import Builder, save

BERT, LLAMA = "encoder.layer.1.", "model.layers.1."
ROWS, COLUMNS = 0, 1
# By model, written manually: tensors that share units, the dimension, and the number of consecutive
# entries of a unit.
UNITS = {
    "bert": [
        {
            (BERT + "intermediate.dense.weight", ROWS): 1,
            (BERT + "intermediate.dense.bias", ROWS): 1,
            (BERT + "output.dense.weight", COLUMNS): 1,
        }
    ],
    "llama": [
        {
            (LLAMA + "mlp.gate_proj.weight", ROWS): 1,
            (LLAMA + "mlp.up_proj.weight", ROWS): 1,
            (LLAMA + "mlp.down_proj.weight", COLUMNS): 1,
        },
        {
            (LLAMA + "self_attn.q_proj.weight", ROWS): HEAD,
            (LLAMA + "self_attn.o_proj.weight", COLUMNS): HEAD,
        },
        {
            (LLAMA + "self_attn.q_proj.weight", ROWS): HEADS // KV_GROUPS * HEAD,
            (LLAMA + "self_attn.k_proj.weight", ROWS): HEAD,
            (LLAMA + "self_attn.v_proj.weight", ROWS): HEAD,
            (LLAMA + "self_attn.o_proj.weight", COLUMNS): HEADS // KV_GROUPS * HEAD,
        },
    ],
    "block": [
        {
            ("1.conv1.weight", ROWS): 1,
            ("1.bn1.weight", ROWS): 1,
            ("1.bn1.bias", ROWS): 1,
            ("1.conv2.weight", COLUMNS): 1,
        }
    ],
    "onnx": [
        {
            ("a.weight", ROWS): 1,
            ("a.bias", ROWS): 1,
            **{(f"bn.{part}", ROWS): 1 for part in ("weight", "bias", "mean", "var")},
            ("b.weight", COLUMNS): 1,
        }
    ],
}
SOURCES = [
    (model, name, dim)
    for model, groups in UNITS.items()
    for name, dim in dict.fromkeys(key for group in groups for key in group)
    if not name.endswith(("bias", "mean", "var", "bn1.weight", "bn.weight"))
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Provide the checkpoint of each model."""
    folder = tmp_path_factory.mktemp("models")
    write_bert(folder / "bert")
    write_mistral(folder / "llama")
    torch.save(make("basic").float().state_dict(), folder / "block.pt")
    b = Builder()
    x = b.op("Relu", b.norm("bn", b.conv("a", "x", 8, 3), 8))
    save(b.model([b.conv("b", x, 4, 8)], ["N", 3, 6, 6]), folder / "net.onnx")
    with contextlib.ExitStack() as stack:
        yield {
            name: stack.enter_context(open_checkpoint(folder / path))
            for name, path in (
                ("bert", "bert"),
                ("llama", "llama"),
                ("block", "block.pt"),
                ("onnx", "net.onnx"),
            )
        }


def asked(names, dim, method="ln_structured", *, dependents=True, **values) -> Step:
    values = {"amount": 0.5, "dim": dim} | values
    if method == "ln_structured":
        values.setdefault("n", 2)
    return Step((Row(tuple(names), method, values),), dependents=dependents)


def preview_of(state: Snapshot, step: Step):
    return compute_preview(state, step, CpuKernel(), Job())


def bools(state, masks, name):
    entry = state.entry(name)
    mask = masks.get(name, state.masks.get(name))
    kept = np.ones(entry.shape, np.bool_) if mask is None else mask.bools().reshape(entry.shape)
    return kept.copy()


def naive(model, state, masks, sources):
    """Return the kept weights of each tensor, unit by unit; and the number kept by protection."""
    names = {name for group in UNITS[model] for name, _ in group} | {name for name, _ in sources}
    names &= {name for name in state.checkpoint.entries if state.entry(name).prunable}
    after = {name: bools(state, masks, name) for name in names}
    wanted = {name: kept.copy() for name, kept in after.items()}
    for source in sources:
        for group in UNITS[model]:
            if source not in group:
                continue
            each, (name, dim) = group[source], source
            rows = np.moveaxis(after[name], dim, 0)
            for unit in range(len(rows) // each):
                if rows[unit * each : (unit + 1) * each].any():
                    continue
                for (other, along), size in group.items():
                    if other in wanted:
                        part = np.moveaxis(wanted[other], along, 0)
                        part[unit * size : (unit + 1) * size] = False
    spared = 0
    for name, kept in list(wanted.items()):
        protected = state.protected.get(name)
        if protected is not None:
            stays = protected.bools().reshape(kept.shape) & after[name] & ~kept
            spared += int(stays.sum())
            wanted[name] = kept | stays
    return wanted, spared


def check(model, state, step, sources):
    """Compare the masks of a step with the naive ones; return its preview."""
    plain = preview_of(state, Step(step.rows, step.scope, step.limits))
    wanted, spared = naive(model, state, plain.masks, sources)
    found = preview_of(state, step)
    for name, kept in wanted.items():
        np.testing.assert_array_equal(bools(state, found.masks, name), kept, name)
    assert set(found.masks) <= set(wanted), "nothing else is touched"
    assert found.report.protected == plain.report.protected + spared
    assert found.report.newly_pruned == sum(
        mask.pruned - state.masks.pruned(name) for name, mask in found.masks.items()
    )
    assert {row.name for row in found.report.tensors} == set(found.masks)
    return found


@pytest.mark.parametrize(("model", "name", "dim"), SOURCES)
@pytest.mark.parametrize("method", ["ln_structured", "fpgm"])
def test_whole_units_go_in_every_tensor_of_their_group(opened, model, name, dim, method):
    state = Snapshot(opened[model])
    found = check(model, state, asked([name], dim, method), [(name, dim)])
    assert "with dependent tensors" in found.edit.label
    following = [
        along.name
        for along in dependents_of(
            state.checkpoint, rows_of(state.checkpoint, found.step), Job()
        ).dependent_dims()
    ]
    assert set(found.masks) <= {name, *following}


@given(data=st.data())
def test_on_any_state_it_is_what_a_loop_does_and_the_estimate_says_so(opened, data):
    model = data.draw(st.sampled_from(list(UNITS)))
    checkpoint = opened[model]
    own = [(name, dim) for each, name, dim in SOURCES if each == model]
    sources = data.draw(st.lists(st.sampled_from(own), min_size=1, max_size=3, unique=True))
    by_name = dict(sources)  # a tensor is pruned along one dimension
    rng = np.random.default_rng(data.draw(st.integers(0, 2**31)))
    masks, protected = {}, {}
    for name in dict.fromkeys(name for group in UNITS[model] for name, _ in group):
        entry = checkpoint.entry(name)
        kept = np.ones(entry.shape, np.bool_)
        if data.draw(st.booleans()):
            kept[rng.random(entry.shape[0]) < 0.4] = False  # whole rows were pruned before
        if data.draw(st.booleans()):
            kept &= rng.random(entry.shape) < 0.7
        if not kept.all() and entry.prunable:
            masks[name] = BitMask.from_bools(kept)
        if entry.prunable and data.draw(st.integers(0, 3)) == 0:
            guarded = rng.random(entry.shape) < 0.1
            protected[name] = BitMask.from_bools(guarded & kept)
    state = Snapshot(checkpoint).with_masks({"masks": masks, "protected": protected})
    method = data.draw(st.sampled_from(["ln_structured", "random_structured"]))
    rows = tuple(
        asked([name], dim, method, dependents=False, amount=0.0).rows[0]
        for name, dim in by_name.items()
    )
    amount = data.draw(st.floats(0, 0.6))
    rows = tuple(Row(row.names, row.method, {**row.values, "amount": amount}) for row in rows)
    step = Step(rows, dependents=True)
    try:
        preview_of(state, Step(rows))
    except ParameterError:  # more than the unprotected weights
        with pytest.raises(ParameterError):
            preview_of(state, step)
        return
    found = check(model, state, step, list(by_name.items()))
    for wanted in histogram_store.missing_histograms(state, step):
        histogram_store.count(state, wanted, Job())
    guess = estimate(state, step)
    assert guess.exact
    assert guess.to_prune == found.report.newly_pruned
    changed = {row.name: row.after for row in found.report.tensors if row.newly_pruned}
    assert {r.name: r.after for r in guess.report.tensors if r.newly_pruned} == changed
    assert guess.report.after == found.report.after


def test_norms_are_those_of_what_stays(opened):
    """Also if rows and columns of a tensor are pruned, with counted norms along one of them."""
    state = Snapshot(opened["llama"])
    names = [LLAMA + "mlp.gate_proj.weight", LLAMA + "mlp.down_proj.weight"]
    rows = (asked(names[:1], ROWS).rows[0], asked(names[1:], ROWS).rows[0])
    plain = Step(rows[:1], dependents=True)
    for step in (plain, Step((asked(names, ROWS).rows[0],), dependents=True)):
        for wanted in histogram_store.missing_histograms(state, step):
            histogram_store.count(state, wanted, Job())
        found = preview_of(state, step)
        for row in found.report.tensors:
            weights = state.checkpoint.read(row.name).double().numpy().reshape(-1)
            kept = found.masks[row.name].bools()
            share = np.square(weights[kept]).sum() / np.square(weights).sum()
            assert row.norm_retained == pytest.approx(share, rel=1e-6), row.name


def test_with_companions_nothing_is_counted_twice(opened):
    state = Snapshot(opened["block"])
    guarded = np.zeros(16, np.bool_)
    guarded[:] = True
    state = state.with_masks({"protected": {"1.bn1.bias": BitMask.from_bools(guarded)}})
    row = asked(["1.conv1.weight"], ROWS, amount=4).rows
    both = preview_of(state, Step(row, prune_bias_and_norm=True, dependents=True))
    alone = preview_of(state, Step(row, dependents=True))
    assert both.masks == alone.masks
    assert both.report.protected == alone.report.protected == 4
    assert both.report.newly_pruned == alone.report.newly_pruned == 4 * (16 * 9 * 2 + 1)
    assert "with bias and norm, with dependent tensors" in both.edit.label


def test_the_norm_is_silent_and_the_network_computes_as_without_the_channels(opened):
    state = Snapshot(opened["block"])
    found = preview_of(state, asked(["1.conv1.weight"], ROWS))
    assert not any("running" in name for name in found.masks), "what was measured stays"
    model = make("basic").float()
    weights = model.state_dict()
    for name, mask in found.masks.items():
        stays = torch.from_numpy(mask.bools().reshape(tuple(weights[name].shape)))
        weights[name].mul_(stays)
    block = dict(model.named_children())["1"]
    with torch.no_grad():
        out = block.bn1(block.conv1(torch.randn(2, 16, 8, 8)))
    gone = ~found.masks["1.bn1.bias"].bools()
    assert gone.sum() == 8
    assert not out[:, torch.from_numpy(gone)].any()


def test_what_was_pruned_before_takes_its_dependents_now(opened):
    document = Document(opened["bert"])
    name, bias = BERT + "intermediate.dense.weight", BERT + "intermediate.dense.bias"
    document.commit(preview_of(document.snapshot(), asked([name], 0, dependents=False, amount=2)))
    assert document.masks.pruned(bias) == 0
    document.commit(preview_of(document.snapshot(), asked([name], 0, amount=1)))
    assert document.masks.pruned(bias) == 3
    assert "Dependent tensors: pruned" in document.items[-1].detail
    undo(document)
    assert bias not in document.masks
    assert document.masks.pruned(name) == 2 * 8


def test_a_tensor_of_no_group_is_left_to_itself_beside_others(opened):
    state = Snapshot(opened["bert"])
    names = [BERT + "intermediate.dense.weight", BERT + "attention.output.dense.weight"]
    found = preview_of(state, asked(names, ROWS))
    assert len(found.masks) == 4
    with pytest.raises(SelectionError) as caught:
        preview_of(state, asked(names[1:], ROWS))
    assert str(caught.value) == (
        f"No other tensor is known to depend on dim 0 of '{names[1]}': its outputs are not "
        "neurons, heads or channels of a group. Choose other tensors, or prune without their "
        "dependents."
    )
    with pytest.raises(SelectionError, match="No other tensor is known"):
        estimate(state, asked(names[1:], ROWS))


@pytest.mark.parametrize("dim", [2, 3])
def test_kernel_dims_of_a_known_model_have_no_dependents(opened, dim):
    """Regression: a bug report instead of a sentence, found by random input in the window."""
    checkpoint = opened["block"]
    name = next(entry.name for entry in checkpoint.entries.values() if len(entry.shape) == 4)
    found = dependents_of(checkpoint, rows_of(checkpoint, asked([name], dim)), Job())
    assert found.why_not == f"No other tensor is known to depend on dim {dim} of '{name}'."


def test_a_model_that_nobody_knows_is_refused_with_the_reason(tmp_path: Path):
    torch.save({"a.weight": torch.randn(4, 4)}, tmp_path / "a.pt")
    with (
        open_checkpoint(tmp_path / "a.pt") as checkpoint,
        pytest.raises(SelectionError, match=r"contains no config\.json"),
    ):
        preview_of(Snapshot(checkpoint), asked(["a.weight"], ROWS))


def test_limits_that_dependents_would_break_are_refused(opened):
    state = Snapshot(opened["llama"])
    gate, up = LLAMA + "mlp.gate_proj.weight", LLAMA + "mlp.up_proj.weight"
    row = asked([gate, up], ROWS).rows
    for limits in (Limits(target_sparsity=0.5), Limits(max_sparsity=0.6)):
        with pytest.raises(ParameterError, match="is selected and also depends on a selected"):
            preview_of(state, Step(row, limits=limits, dependents=True))
    one = Step(asked([gate], ROWS).rows, limits=Limits(target_sparsity=0.5), dependents=True)
    assert preview_of(state, one).masks[gate].pruned == state.entry(gate).numel // 2


def test_a_step_of_single_weights_is_refused():
    with pytest.raises(ParameterError, match="Other tensors depend on whole channels only"):
        Step((Row(("a",), "l1_unstructured", {"amount": 0.5}),), dependents=True)


def test_a_step_says_it_and_means_what_it_meant_without():
    step = asked(["a"], COLUMNS)
    said = json.loads(json.dumps(step.to_dict()))
    assert said["configuration"]["dependents"] is True
    assert Step.from_dict(said) == step
    del said["configuration"]["dependents"]
    assert Step.from_dict(said) == Step(step.rows)
    assert Step(step.rows).to_dict() == said


def test_it_can_be_cancelled_at_any_look(opened):
    state, step = Snapshot(opened["llama"]), asked([LLAMA + "mlp.gate_proj.weight"], ROWS)

    def work(token):
        compute_preview(state, step, CpuKernel(), Job(cancel=token))

    looks = count_looks(work).looks
    for look in range(1, looks + 1):
        with pytest.raises(Cancelled):
            work(CountingToken(look))
