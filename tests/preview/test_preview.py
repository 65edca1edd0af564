"""Previews: equal to torch, correct numbers, and no effect when cancelled."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn.utils import prune as torch_prune

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.selection import select
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.edits.existing_masks import open_document
from pruneapp.errors import ParameterError, SelectionError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.preview.estimate import estimate
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.document_edits import redo, undo
from tests.support.memory_checkpoint import MemoryCheckpoint

CONVS = ("module.conv1.weight", "module.conv2.weight")
FC = "module.fc.weight"


def preview_of(snapshot, *rows, scope="local", **options):
    return compute_preview(snapshot, Step(rows, scope), CpuKernel(), Job(), **options)


def torch_mask(weight, method, **values) -> np.ndarray:
    module = torch.nn.Module()
    module.weight = torch.nn.Parameter(torch.from_numpy(weight))
    method(module, "weight", **values)
    return module.weight_mask.numpy() != 0


def test_the_step_of_the_tutorial_equals_torch(model):
    """20 % of every Conv2d and 40 % of every Linear, as one step."""
    preview = preview_of(
        Snapshot(model),
        Row(CONVS, "l1_unstructured", {"amount": 0.2}, "*conv*"),
        Row((FC,), "l1_unstructured", {"amount": 0.4}, "*fc*"),
    )
    assert tuple(preview.masks) == (*CONVS, FC)
    for name, amount in [(CONVS[0], 0.2), (CONVS[1], 0.2), (FC, 0.4)]:
        weight = model.arrays[name]
        expected = torch_mask(weight, torch_prune.l1_unstructured, amount=amount)
        np.testing.assert_array_equal(preview.masks[name].bools().reshape(weight.shape), expected)


def test_a_second_row_takes_precedence_and_the_estimate_knows(model):
    half, tenth = (Row((FC,), "l1_unstructured", {"amount": share}) for share in (0.5, 0.1))
    assert preview_of(Snapshot(model), half, tenth).masks[FC].pruned == 64
    found = estimate(Snapshot(model), Step((half, tenth)))
    assert (found.to_prune, found.exact) == (64, True)
    assert "version" not in Step((half, tenth)).detail()


def test_the_report_counts_and_weighs_what_goes(model):
    preview = preview_of(
        Snapshot(model), Row(CONVS, "l1_unstructured", {"amount": 0.3}), scope="global"
    )
    report = preview.report
    total = sum(a.size for a in model.arrays.values() if a.dtype.kind == "f")
    assert (report.numel, report.before, report.after) == (total, 0, round(0.3 * 1368))
    assert [row.name for row in report.tensors] == list(CONVS)
    before = after = 0.0
    cuts = []
    for row in report.tensors:
        squares = np.square(model.arrays[row.name].reshape(-1).astype(np.float64))
        kept = preview.masks[row.name].bools()
        assert row.after == np.sum(~kept)
        assert row.norm_retained == pytest.approx(squares[kept].sum() / squares.sum(), rel=1e-14)
        cuts.append(np.sqrt(squares[~kept].max()))
        before, after = before + squares.sum(), after + squares[kept].sum()
    assert report.norm_retained == pytest.approx(after / before, rel=1e-14)
    # One threshold for all, also for a tensor whose pruned weights are far below it.
    assert [row.threshold for row in report.tensors] == pytest.approx([max(cuts)] * len(cuts))


def test_energy_is_of_what_was_kept_before(model):
    first = preview_of(Snapshot(model), Row((FC,), "l1_unstructured", {"amount": 0.5}))
    state = Snapshot(model).masks.with_masks(first.masks)
    again = preview_of(
        Snapshot(model, MaskLayers(state)), Row((FC,), "l1_unstructured", {"amount": 0.0})
    )
    assert again.report.norm_retained == 1.0
    assert again.report.tensors[0].before == again.report.tensors[0].after == 320
    assert again.report.tensors[0].threshold is None
    assert again.masks[FC] is state[FC]


def test_energy_is_the_same_to_the_bit_for_any_chunk():
    rng = np.random.default_rng(1)
    weights = {"w": (rng.normal(size=50_001) * 10.0 ** rng.integers(-9, 9, 50_001))}
    reports = [
        preview_of(
            Snapshot(MemoryCheckpoint(weights, chunk=chunk)),
            Row(("w",), "random_unstructured", {"amount": 0.5}),
        ).report
        for chunk in (1000, 4096, 7777, 1 << 20)
    ]
    assert all(report == reports[0] for report in reports)
    assert 0 < reports[0].norm_retained < 1


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_energy_leaves_out_what_is_not_finite(odd):
    weights = np.array([1, 2, odd, 3, odd, 4], np.float32)
    report = preview_of(
        Snapshot(MemoryCheckpoint({"w": weights})), Row(("w",), "l1_unstructured", {"amount": 2})
    ).report
    assert report.norm_retained == pytest.approx((9 + 16) / 30)
    assert report.tensors[0].threshold == 2.0


@pytest.mark.parametrize(
    "weights", [np.zeros(5, np.float32), np.full(5, 1e200), np.zeros(0, np.float32)]
)
def test_energy_that_cannot_be_said_is_none(weights):
    row = Row(("w",), "l1_unstructured", {"amount": 0.4})
    assert preview_of(Snapshot(MemoryCheckpoint({"w": weights})), row).report.norm_retained is None


def test_energy_is_left_out_if_nobody_asks(model):
    before = model.elements_read
    given = {FC: BitMask.full(640)}
    preview = preview_of(Snapshot(model), Row((FC,), "custom_from_mask"), norms=False, given=given)
    assert preview.report.norm_retained is None
    assert preview.report.tensors[0].norm_retained is None
    assert model.elements_read == before


def test_the_file_is_looked_at_before_anything_is_computed(model, monkeypatch):
    def changed():
        raise ParameterError("changed")

    monkeypatch.setattr(model, "verify_unchanged", changed)
    with pytest.raises(ParameterError, match="changed"):
        preview_of(Snapshot(model), Row((FC,), "l1_unstructured"))
    assert model.elements_read == 0


def test_scores_of_another_file_decide(model):
    scores = MemoryCheckpoint({FC: -np.arange(640, dtype=np.float64).reshape(10, 64)})
    preview = preview_of(
        Snapshot(model), Row((FC,), "l1_unstructured", {"amount": 10}), scores=scores
    )
    assert scores.verified == 1
    np.testing.assert_array_equal(np.flatnonzero(~preview.masks[FC].bools()), np.arange(10))
    assert preview.report.tensors[0].threshold is None  # no threshold of magnitudes


def test_scores_and_masks_that_do_not_fit_are_refused_by_name(model):
    row = Row((FC,), "l1_unstructured")
    shape = r"importance scores of 'module.fc.weight' must have its shape \[10, 64\]"
    with pytest.raises(ParameterError, match=shape):
        preview_of(Snapshot(model), row, scores=MemoryCheckpoint({FC: np.ones((64, 10))}))
    with pytest.raises(ParameterError, match=r"no importance scores for 'module.fc.weight'"):
        preview_of(Snapshot(model), row, scores=MemoryCheckpoint({"x": np.ones(3)}))
    with pytest.raises(ParameterError, match="takes no importance scores"):
        preview_of(Snapshot(model), Row((FC,), "identity"), scores=model)
    mask = Row((FC,), "custom_from_mask")
    with pytest.raises(ParameterError, match=r"No mask is given for 'module.fc.weight'"):
        preview_of(Snapshot(model), mask)
    with pytest.raises(ParameterError, match=r"must have its 640 elements \(got 3\)"):
        preview_of(Snapshot(model), mask, given={FC: BitMask.full(3)})
    with pytest.raises(ParameterError, match="takes no mask"):
        preview_of(Snapshot(model), row, given={FC: BitMask.full(640)})


def test_a_given_mask_is_laid_over_what_was_pruned(model):
    keep = np.arange(640) % 3 != 0
    given = {"module.decoder.weight": BitMask.from_bools(keep)}  # under the other name
    first = preview_of(Snapshot(model), Row((FC,), "l1_unstructured", {"amount": 0.5}))
    state = Snapshot(model, MaskLayers(Snapshot(model).masks.with_masks(first.masks)))
    preview = preview_of(state, Row((FC,), "custom_from_mask"), given=given)
    np.testing.assert_array_equal(preview.masks[FC].bools(), keep & first.masks[FC].bools())


def test_what_cannot_be_pruned_or_is_too_much_is_refused(model):
    with pytest.raises(SelectionError, match="integers"):
        preview_of(Snapshot(model), Row(("module.bn1.num_batches_tracked",), "l1_unstructured"))
    too_much = Step((Row((FC,), "l1_unstructured", {"amount": 641}),))
    for ask in (estimate, lambda s, step: compute_preview(s, step, CpuKernel(), Job())):
        with pytest.raises(ParameterError, match="larger than what remains"):
            ask(Snapshot(model), too_much)


class Recorder:
    """Records the reports of a job; may cancel it after some reports."""

    def __init__(self, token: CancelToken | None = None, after: int = 0) -> None:
        self.reports: list[tuple[int, int, str]] = []
        self.token = token
        self.after = after

    def report(self, done: int, total: int, label: str) -> None:
        self.reports.append((done, total, label))
        if self.token and len(self.reports) >= self.after:
            self.token.cancel()


def test_progress_ends_at_its_total_and_never_runs_back(model):
    recorder = Recorder()
    rows = (
        Row(CONVS, "l1_unstructured", {"amount": 0.2}),
        Row((FC,), "ln_structured", {"amount": 0.3}),
        Row((FC,), "random_unstructured", {"amount": 0.3}),
    )
    compute_preview(Snapshot(model), Step(rows), CpuKernel(), Job(recorder))
    done = [report[0] for report in recorder.reports]
    assert done == sorted(done)
    assert recorder.reports[-1][0] == recorder.reports[-1][1] > 0
    assert all(done <= total for done, total, _ in recorder.reports)
    assert {label for _, _, label in recorder.reports} == {*CONVS, FC}


@pytest.mark.parametrize("moment", [0.0, 0.2, 0.5, 0.9])
def test_a_cancelled_preview_changes_nothing(model, moment):
    snapshot = Snapshot(model)
    step = Step((Row((*CONVS, FC), "l1_unstructured", {"amount": 0.2}),))
    whole = Recorder()
    compute_preview(snapshot, step, CpuKernel(), Job(whole))
    after = max(1, round(moment * len(whole.reports)))
    token = CancelToken()
    with pytest.raises(Cancelled):
        compute_preview(snapshot, step, CpuKernel(), Job(Recorder(token, after), token))
    assert not snapshot.masks


def test_estimates_of_many_tensors_need_no_weight():
    many = {f"layers.{i}.weight": np.ones((4, 8), np.float32) for i in range(3000)}
    checkpoint = MemoryCheckpoint(many)
    names = tuple(many)
    one = estimate(Snapshot(checkpoint), Step((Row(names, "l1_unstructured", {"amount": 0.25}),)))
    assert (one.tensors, one.to_prune, one.exact, one.channels) == (3000, 24000, True, 0)
    row = Row(names, "ln_structured", {"amount": 0.5, "dim": 1})
    assert estimate(Snapshot(checkpoint), Step((row,))).channels == 12000
    assert estimate(Snapshot(checkpoint), Step((row,))).to_prune == 48000
    assert checkpoint.elements_read == 0


def test_an_estimate_of_partly_pruned_channels_is_a_bound(model):
    first = preview_of(Snapshot(model), Row((FC,), "l1_unstructured", {"amount": 0.5}))
    state = Snapshot(model, MaskLayers(Snapshot(model).masks.with_masks(first.masks)))
    step = Step((Row((FC,), "ln_structured", {"amount": 3}),))
    guess = estimate(state, step)
    assert (guess.exact, guess.channels) == (False, 3)
    assert guess.to_prune >= preview_of(state, *step.rows).report.newly_pruned


def test_the_real_resnet_equals_a_script_of_torch(resnet20):
    """20 % of all convolutions by L1 globally, then 30 % of layer3's channels by L2."""
    state = torch.load(resnet20, map_location="cpu", weights_only=True)["state_dict"]
    with open_checkpoint(resnet20) as checkpoint:
        document = open_document(checkpoint)
        convs = tuple(n for n, t in state.items() if t.ndim == 4)
        assert len(convs) == 19
        step = Step((Row(convs, "l1_unstructured", {"amount": 0.2}),), "global")
        assert estimate(document.snapshot(), step).to_prune == 53_539
        document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
        third = select(checkpoint, ["*layer3*conv*.weight"])
        step = Step((Row(third, "ln_structured", {"amount": 0.3}, "*layer3*"),))
        preview = compute_preview(document.snapshot(), step, CpuKernel(), Job())
        document.commit(preview)
        undo(document)
        redo(document)

        modules = {}
        for name in convs:
            modules[name] = torch.nn.Module()
            modules[name].weight = torch.nn.Parameter(state[name].clone())
        torch_prune.global_unstructured(
            [(module, "weight") for module in modules.values()],
            pruning_method=torch_prune.L1Unstructured,
            amount=0.2,
        )
        for name in third:
            torch_prune.ln_structured(modules[name], "weight", amount=0.3, n=2, dim=0)
        for name in convs:
            expected = modules[name].weight_mask.numpy().reshape(-1) != 0
            np.testing.assert_array_equal(document.masks[name].bools(), expected, name)
        labels = [item.label for item in document.items]
        assert labels[1:] == ["L1 20 %, global, on 19 tensors", "L2 30 %, dim 0, on layer3"]
        document.close()


def test_the_scale_of_the_norm_that_follows_is_found_by_name():
    """Network Slimming over two convolutions, with the dependents of their filters."""
    rng = np.random.default_rng(0)
    arrays = {}
    for number in (1, 2):
        arrays[f"conv{number}.weight"] = rng.normal(size=(4, 4, 3, 3)).astype(np.float32)
        for part in ("weight", "bias"):
            arrays[f"bn{number}.{part}"] = rng.normal(size=4).astype(np.float32)
    facts = {name: {"kind": "norm"} for name in arrays if name.startswith("bn")}
    snapshot = Snapshot(MemoryCheckpoint(arrays, **facts))
    row = Row(("conv1.weight", "conv2.weight"), "bn_scale", {"amount": 3})
    made = compute_preview(
        snapshot, Step((row,), "global", prune_bias_and_norm=True), CpuKernel(), Job()
    ).masks
    gamma = np.abs(np.concatenate([arrays["bn1.weight"], arrays["bn2.weight"]]))
    stays = np.ones(8, bool)
    stays[np.argsort(gamma)[:3]] = False
    for number in (1, 2):
        own = stays[4 * number - 4 : 4 * number]
        kept = made[f"conv{number}.weight"].bools().reshape(4, -1)
        assert np.array_equal(kept.all(axis=1), own)
        assert np.array_equal(kept.any(axis=1), own)
        for part in ("weight", "bias"):
            mask = made.get(f"bn{number}.{part}")
            assert mask is None or np.array_equal(mask.bools(), own)
            assert mask is not None or own.all()
    with pytest.raises(ParameterError, match="two or more dimensions"):
        compute_preview(snapshot, Step((Row(("bn1.bias",), "bn_scale"),)), CpuKernel(), Job())


def test_a_pattern_that_protected_weights_break_is_counted_and_named(model):
    """Regression: exports for sparse kernels failed, without a warning at the step."""
    protected = np.zeros((10, 64), np.bool_)
    protected[2, :] = True
    protected[3, ::4] = True  # one in each group: 1:4 is satisfied
    state = Snapshot(model, MaskLayers(protected=MaskSet({FC: BitMask.from_bools(protected)})))
    preview = preview_of(state, Row((FC, CONVS[1]), "n_m", {"pattern": "1:4"}))
    (broken,) = preview.report.broken
    kept = preview.masks[FC].bools().reshape(-1, 4)
    assert broken.groups == {FC: int((kept.sum(axis=1) > 1).sum())} == {FC: 16}
    assert broken.sentence == "1:4 is violated by 1 tensor (16 groups): protected weights"
    # A tooltip shows only the first lines.
    assert preview.edit.detail.split("\n")[:2] == [f"▲ {broken.sentence}", f"  {FC}: 16 groups"]

    holds = preview_of(state, Row((CONVS[1],), "n_m", {"pattern": "1:4"}))
    assert holds.report.broken == ()
    assert holds.report.outside == 0
    odd = preview_of(state, Row((FC,), "n_m", {"pattern": "2:5"})).report
    assert odd.outside == 10 * (64 % 5)
    assert holds.edit.detail.startswith("N:M")
