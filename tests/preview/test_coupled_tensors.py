"""Bias and norm of channels are pruned with a method, as one step."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.utils import prune as torch_prune

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.manual_edit import ManualEdit, ManualEditRequest, ManualTarget
from pruneapp.errors import ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.estimate import estimate
from pruneapp.preview.from_histograms import report_since_opening
from pruneapp.preview.preview import Preview, compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.document_edits import undo
from tests.support.memory_checkpoint import MemoryCheckpoint

CONV, NORM = "0.weight", ("1.weight", "1.bias")


def network() -> torch.nn.Sequential:
    torch.manual_seed(0)
    first = torch.nn.Conv2d(3, 8, 3)
    last = torch.nn.Conv2d(8, 4, 3, bias=False)
    model = torch.nn.Sequential(first, torch.nn.BatchNorm2d(8), torch.nn.ReLU(), last)
    with torch.no_grad():
        model[1].bias.uniform_(0.5, 1)  # so that a norm of zeros has a nonzero output
        model[1].running_mean.uniform_(-1, 1)
    return model.eval()


def asked(method: str = "ln_structured", names=(CONV,), **values) -> Step:
    values = {"amount": 0.5, "dim": 0, **values}
    if method == "ln_structured":
        values.setdefault("n", 2)
    return Step((Row(tuple(names), method, values),), prune_bias_and_norm=True)


def preview_of(document: Document, step: Step) -> Preview:
    return compute_preview(document.snapshot(), step, CpuKernel(), Job())


@pytest.fixture
def opened(tmp_path: Path):
    model = network()
    torch.save(model.state_dict(), tmp_path / "model.pt")
    with open_checkpoint(tmp_path / "model.pt") as checkpoint:
        yield model, Document(checkpoint)


def test_bias_and_norm_go_with_their_channels_as_torch_would_have_it(opened):
    model, document = opened
    preview = preview_of(document, asked())
    document.commit(preview)
    assert len(document.items) == 2
    assert document.items[1].label == "L2 50 %, dim 0, with bias and norm, on 0.weight"
    assert "Matching bias and norm entries: pruned" in document.items[1].detail
    torch_prune.ln_structured(model[0], "weight", 0.5, n=2, dim=0)
    stays = model[0].weight_mask.flatten(1).any(1).float()
    torch_prune.custom_from_mask(model[0], "bias", stays)
    torch_prune.custom_from_mask(model[1], "weight", stays)
    torch_prune.custom_from_mask(model[1], "bias", stays)
    expected = {CONV: model[0].weight_mask, "0.bias": model[0].bias_mask}
    expected |= {"1.weight": model[1].weight_mask, "1.bias": model[1].bias_mask}
    assert list(document.masks) == list(expected)
    for name, mask in expected.items():
        np.testing.assert_array_equal(document.masks[name].bools(), mask.flatten().numpy() == 1)
    # The purpose: pruned channels output 0 for any input.
    out = model[1](model[0](torch.randn(2, 3, 8, 8)))
    assert not out[:, stays == 0].any()
    undo(document)
    assert not document.masks


def test_amounts_count_the_chosen_tensors_and_the_report_counts_all(opened):
    _, document = opened
    preview = preview_of(document, asked(amount=3))
    gone = {row.name: row.newly_pruned for row in preview.report.tensors}
    assert gone == {CONV: 3 * 27, "0.bias": 3, "1.weight": 3, "1.bias": 3}
    assert preview.report.newly_pruned == 3 * 30
    document.commit(preview)
    assert preview.report.after == sum(document.masks.pruned(n) for n in document.masks)
    weights = document.checkpoint.read("1.bias").double().numpy()
    kept = document.masks["1.bias"].bools()
    share = np.square(weights[kept]).sum() / np.square(weights).sum()
    (row,) = [row for row in preview.report.tensors if row.name == "1.bias"]
    assert row.norm_retained == pytest.approx(share, rel=1e-6)
    again = preview_of(document, asked(amount=2))
    assert {row.newly_pruned for row in again.report.tensors} == {2 * 27, 2}


def test_only_channels_that_go_now_take_something_along(opened):
    _, document = opened
    before = Step((Row((CONV,), "ln_structured", {"amount": 2, "n": 2, "dim": 0}),))
    document.commit(preview_of(document, before))
    document.commit(preview_of(document, asked(amount=1)))
    assert document.masks[CONV].pruned == 3 * 27
    assert document.masks.pruned("1.bias") == 1


def test_protected_weights_are_spared_and_counted(opened):
    _, document = opened
    edit = ManualEdit.from_requests(
        ManualEditRequest("protect", "1.bias", (((0, 8),),), "channel", 0)
    )
    document.commit(compute_manual_edit(document.snapshot(), edit, Job()))
    preview = preview_of(document, asked(amount=3))
    assert "1.bias" not in preview.masks
    assert preview.report.protected == 3
    assert preview.masks["1.weight"].pruned == 3


@pytest.mark.parametrize("dim", [1, -1])
def test_other_dimensions_have_none(opened, dim):
    _, document = opened
    rows = (
        Row((CONV,), "ln_structured", {"amount": 1, "n": 2, "dim": dim}),
        Row(("3.weight",), "ln_structured", {"amount": 1, "n": 2, "dim": 0}),
    )
    preview = preview_of(document, Step(rows, prune_bias_and_norm=True))
    assert list(preview.masks) == [CONV, "3.weight"]


def test_a_negative_dimension_may_be_the_first(opened):
    _, document = opened
    preview = preview_of(document, asked("random_structured", amount=3, dim=-4))
    assert [mask.pruned for mask in preview.masks.values()] == [81, 3, 3, 3]


def test_a_row_that_takes_from_the_norm_itself_is_counted_first(opened):
    _, document = opened
    rows = (
        Row((CONV,), "ln_structured", {"amount": 4, "n": 2, "dim": 0}),
        Row(("1.bias",), "l1_unstructured", {"amount": 4}),
    )
    alone = preview_of(document, Step(rows))
    both = preview_of(document, Step(rows, prune_bias_and_norm=True))
    stays = alone.masks["0.weight"].bools().reshape(8, -1).any(axis=1)
    expected = alone.masks["1.bias"].bools() & stays
    np.testing.assert_array_equal(both.masks["1.bias"].bools(), expected)


def test_a_step_without_channels_along_dim_0_is_refused():
    for row in (
        Row((CONV,), "l1_unstructured", {"amount": 0.5}),
        Row((CONV,), "ln_structured", {"amount": 0.5, "n": 2, "dim": 1}),
    ):
        with pytest.raises(ParameterError, match="Only whole channels along dim 0"):
            Step((row,), prune_bias_and_norm=True)


def test_a_step_says_it_and_is_made_again_from_what_it_says():
    step = asked()
    said = json.loads(json.dumps(step.to_dict()))
    assert said["configuration"]["prune_bias_and_norm"] is True
    assert Step.from_dict(said) == step
    without = Step(step.rows)
    assert "prune_bias_and_norm" not in without.to_dict()["configuration"]
    assert Step.from_dict(without.to_dict()) == without != step
    said["configuration"]["prune_bias_and_norm"] = 1
    with pytest.raises(
        ParameterError, match=r"configuration\.prune_bias_and_norm: expected true or false"
    ):
        Step.from_dict(said)


def test_an_estimate_is_not_sure_of_what_goes_along(opened):
    _, document = opened
    found = estimate(document.snapshot(), asked())
    assert not found.exact
    assert not found.exact_report
    assert estimate(document.snapshot(), Step(asked().rows)).exact


class Counted(CancelToken):
    """Is cancelled after a number of checks."""

    def __init__(self, looks: int = -1) -> None:
        super().__init__()
        self.left = looks
        self.looks = 0

    def check(self) -> None:
        self.looks += 1
        self.left -= 1
        if not self.left:
            raise Cancelled


def test_it_can_be_cancelled_at_any_look(opened):
    _, document = opened
    plain, along = Counted(), Counted()
    for token, companions in ((plain, False), (along, True)):
        step = Step(asked().rows, prune_bias_and_norm=companions)
        compute_preview(document.snapshot(), step, CpuKernel(), Job(cancel=token))
    assert along.looks > plain.looks + 4, "at the weight, at each companion, and at their energies"
    for look in range(1, along.looks + 1):
        with pytest.raises(Cancelled):
            compute_preview(document.snapshot(), asked(), CpuKernel(), Job(cancel=Counted(look)))
    assert not document.masks


@given(
    st.integers(0, 2**31),
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 4)), min_size=1, max_size=4),
    st.floats(0, 1),
)
def test_what_goes_is_what_the_channels_say(seed, sizes, amount):
    rng = np.random.default_rng(seed)
    arrays, facts = {}, {}
    for i, (out, inner) in enumerate(sizes):
        arrays[f"b.{i}.conv1.weight"] = rng.normal(size=(out, inner, 2)).astype(np.float32)
        arrays[f"b.{i}.conv1.bias"] = rng.normal(size=out).astype(np.float32)
        for part in ("weight", "bias"):
            arrays[f"b.{i}.bn1.{part}"] = rng.normal(size=out).astype(np.float32)
            facts[f"b.{i}.bn1.{part}"] = {"kind": "norm"}
    names = [name for name in arrays if name.endswith("conv1.weight")]
    document = Document(MemoryCheckpoint(arrays, **facts))
    step = asked("random_structured", names, amount=amount, seed=seed)
    preview = preview_of(document, step)
    for name in names:
        stays = preview.masks[name].bools().reshape(len(arrays[name]), -1)
        assert (stays.all(axis=1) | ~stays.any(axis=1)).all()
        for other in ("conv1.bias", "bn1.weight", "bn1.bias"):
            mask = preview.masks.get(name.replace("conv1.weight", other))
            if stays.all():
                assert mask is None
            else:
                np.testing.assert_array_equal(mask.bools(), stays[:, 0])
    assert preview.report.newly_pruned == sum(mask.pruned for mask in preview.masks.values())


def test_vectors_of_pruned_channels_have_no_danger_of_their_own(opened):
    """Regression: the bias of pruned neurons was marked, in the preview and after the step."""
    _, document = opened
    made = preview_of(document, asked(amount=6))
    vectors = ("0.bias", *NORM)
    assert {name: made.masks[name].pruned for name in vectors} == dict.fromkeys(vectors, 6)
    assert list(made.report.dangers) == [CONV]
    assert set(vectors) & set(replace(made.report, with_channels=frozenset()).dangers)
    document.commit(made)
    first, now = document.state_at(0).load(Job()), document.snapshot()
    assert report_since_opening(first, now, Job()).with_channels == set(vectors)
    left = int(np.flatnonzero(now.masks["0.bias"].bools())[0])
    edit = ManualEdit("prune", (ManualTarget("0.bias", (((left, left + 1),),)),))
    document.commit(compute_manual_edit(now, edit, Job()))
    found = report_since_opening(first, document.snapshot(), Job())
    assert found.with_channels == set(NORM), "the bias of a kept channel is pruned, too"
