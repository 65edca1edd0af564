"""Estimates: exact steps without reading a weight, and marked if they are not exact."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.utils.prune
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis import histogram_store
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.methods.limits import Limits
from pruneapp.methods.registry import METHODS
from pruneapp.preview.estimate import estimate
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.methods.test_limits import amounts, limits
from tests.support.memory_checkpoint import MemoryCheckpoint
from tests.support.snapshot_strategies import eligible_of, snapshots, values_of

NARROW = 16


def counted(snapshot, step):
    """Count everything that a step needs, and estimate it without reading weights."""
    for wanted in histogram_store.missing_histograms(snapshot, step):
        histogram_store.count(snapshot, wanted, Job())
    assert not histogram_store.missing_histograms(snapshot, step)
    read = snapshot.checkpoint.elements_read
    found = estimate(snapshot, step)
    assert snapshot.checkpoint.elements_read == read
    return found


def exact(snapshot, step, **given_):
    return compute_preview(snapshot, step, CpuKernel(), Job(), **given_)


def both_refuse(snapshot, step):
    """Return whether the exact step is refused; the estimate must then raise the same error."""
    refused = None
    try:
        exact(snapshot, step)
    except ParameterError as error:
        refused = str(error)
    if refused is not None:
        with pytest.raises(ParameterError) as caught:
            counted(snapshot, step)
        assert str(caught.value) == refused
    return refused is not None


def narrow(snapshot):
    return all(e.dtype.bits <= NARROW for e in snapshot.checkpoint.entries.values())


def close(found, expected, within):
    """Return whether norm fractions are close; None if the exact one is undefined."""
    if expected is None or found is None:
        return expected is None or not math.isfinite(expected)
    return abs(found - expected) <= within


@pytest.mark.parametrize("scope", ["local", "global"])
@given(state=snapshots(), amount=amounts, bound=st.just(Limits()) | limits())
def test_l1_is_what_the_step_does(scope, state, amount, bound):
    names = tuple(state.checkpoint.entries)
    step = Step((Row(names, "l1_unstructured", {"amount": amount}),), scope, bound)
    if both_refuse(state, step):
        return
    report, found = exact(state, step).report, counted(state, step)

    told = found.report
    assert told is not None
    assert (found.to_prune, found.exact, found.counting) == (report.newly_pruned, True, 1.0)
    assert (told.numel, told.before, told.after) == (report.numel, report.before, report.after)
    assert [t.name for t in told.tensors] == [t.name for t in report.tensors]
    assert sum(t.newly_pruned for t in told.tensors) == report.newly_pruned
    if narrow(state):
        assert found.exact_report
    for guess, true in zip(told.tensors, report.tensors, strict=True):
        assert (guess.numel, guess.before) == (true.numel, true.before)
        if not found.exact_report:
            continue
        assert guess.after == true.after
        assert close(guess.norm_retained, true.norm_retained, 1e-9)
        assert close(guess.l1_retained, true.l1_retained, 1e-9)
        assert guess.threshold == true.threshold or state.entry(true.name).dtype.bits > NARROW
    if found.exact_report:
        assert close(told.norm_retained, report.norm_retained, 1e-9)
        assert close(told.l1_retained, report.l1_retained, 1e-9)


UNCOUNTED = [
    name
    for name, method in METHODS.items()
    if method.granularity == "weights" and method.estimated_by is None
    if "local" in method.scopes and not method.takes_statistics
]


@pytest.mark.parametrize("method", UNCOUNTED)
@given(state=snapshots(least_dims=2), amount=amounts, bound=st.just(Limits()) | limits())
def test_whatever_ranks_the_weights_of_a_tensor_so_many_of_each_go(method, state, amount, bound):
    names = tuple(state.checkpoint.entries)
    step = Step((Row(names, method, {"amount": amount}),), "local", bound)
    if both_refuse(state, step):
        return
    report, found = exact(state, step).report, counted(state, step)
    told = found.report
    assert (found.to_prune, found.exact, found.counting) == (report.newly_pruned, True, 1.0)
    assert (told.numel, told.before, told.after) == (report.numel, report.before, report.after)
    assert found.exact_report
    assert [(t.name, t.before, t.after) for t in told.tensors] == [
        (t.name, t.before, t.after) for t in report.tensors
    ]
    assert {told.norm_retained, *(t.norm_retained for t in told.tensors)} == {None}


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("scope", ["local", "global"])
def test_wide_floats_are_right_to_a_bin(kind, scope):
    rng = np.random.default_rng(0)
    sizes = (7000, 20_000, 50)
    arrays = {f"{i}.w": rng.normal(size=n).astype(kind) * (i + 1) for i, n in enumerate(sizes)}
    snapshot = Snapshot(MemoryCheckpoint(arrays))
    width = 2.0**-8 if kind is np.float32 else 2.0**-5
    for amount in (0.03, 0.3, 0.77):
        step = Step((Row(tuple(arrays), "l1_unstructured", {"amount": amount}),), scope)
        found, true = counted(snapshot, step), exact(snapshot, step).report
        assert not found.exact_report
        assert found.to_prune == true.newly_pruned
        assert found.report.norm_retained == pytest.approx(
            true.norm_retained, abs=width * (1 - true.norm_retained)
        )
        for guess, row in zip(found.report.tensors, true.tensors, strict=True):
            assert guess.threshold == pytest.approx(row.threshold, rel=width)
            sizes_of = np.abs(arrays[row.name])
            inside = np.abs(sizes_of / row.threshold - 1) < width
            assert abs(guess.after - row.after) <= np.count_nonzero(inside)


@pytest.mark.parametrize("method", ["ln_structured", "random_structured"])
@given(
    state=snapshots(least_dims=2, finite=True),
    amount=amounts,
    bound=st.just(Limits()) | limits(),
    n=st.sampled_from([0, 1, 2, 3, math.inf, "fro"]),
    dim=st.sampled_from([0, 1, -1]),
)
def test_channels_are_those_that_go(method, state, amount, bound, n, dim):
    names = tuple(state.checkpoint.entries)
    values = {"amount": amount, "dim": dim} | ({"n": n} if method == "ln_structured" else {})
    step = Step((Row(names, method, values),), "local", bound)
    if both_refuse(state, step):
        return
    report, found = exact(state, step).report, counted(state, step)
    assert found.exact_report
    assert found.exact
    assert [t.after for t in found.report.tensors] == [t.after for t in report.tensors]
    for guess, true in zip(found.report.tensors, report.tensors, strict=True):
        assert close(guess.norm_retained, true.norm_retained, 1e-9)
        assert close(guess.l1_retained, true.l1_retained, 1e-9)


@pytest.mark.parametrize("scope", ["local", "global"])
@given(state=snapshots(), amount=amounts, bound=st.just(Limits()) | limits())
def test_a_choice_at_random_is_counted_or_expected(scope, state, amount, bound):
    names = tuple(state.checkpoint.entries)
    step = Step((Row(names, "random_unstructured", {"amount": amount}),), scope, bound)
    if both_refuse(state, step):
        return
    report, found = exact(state, step).report, counted(state, step)
    assert (
        found.to_prune == report.newly_pruned == sum(t.newly_pruned for t in found.report.tensors)
    )
    assert found.exact_report == (scope == "local")
    if found.exact_report:
        assert [t.after for t in found.report.tensors] == [t.after for t in report.tensors]
    assert all(t.threshold is None for t in found.report.tensors)


def test_a_choice_at_random_is_about_as_expected():
    rng = np.random.default_rng(1)
    arrays = {f"{i}.w": rng.normal(size=(300, 300)).astype(np.float16) for i in range(2)}
    guard = BitMask.from_bools(np.abs(arrays["1.w"].reshape(-1)) > 1.5)
    checkpoint, protected = MemoryCheckpoint(arrays), MaskSet({"1.w": guard})
    for scope in ("local", "global"):
        step = Step((Row(tuple(arrays), "random_unstructured", {"amount": 0.4}),), scope)
        snapshot = Snapshot(checkpoint, MaskLayers(protected=protected))
        early = estimate(snapshot, step)
        assert early.report.norm_retained is None
        found, true = counted(snapshot, step).report, exact(snapshot, step).report
        for guess, row in zip(found.tensors, true.tensors, strict=True):
            assert guess.after == pytest.approx(row.after, rel=0.02)
            assert guess.norm_retained == pytest.approx(row.norm_retained, rel=0.02)
            assert guess.l1_retained == pytest.approx(row.l1_retained, rel=0.02)


OFFERED = [
    (name, scope)
    for name, method in METHODS.items()
    if not (method.takes_scale or method.takes_statistics or method.granularity == "units")
    for scope in method.scopes
]


@pytest.mark.parametrize(("name", "scope"), OFFERED)
@given(state=snapshots(least_dims=2), amount=st.floats(0, 0.5), seed=st.integers(0, 9))
def test_previews_count_what_is_pruned_and_weigh_what_is_left(name, scope, state, amount, seed):
    """For every method: counts equal the masks, norms equal float64 sums within bounds."""
    method = METHODS[name]
    names = tuple(state.checkpoint.entries)
    values = {"amount": amount} if any(p.name == "amount" for p in method.params) else {}
    step = Step((Row(names, name, values),), scope)
    rng = np.random.default_rng(seed)
    sizes = {n: state.entry(n).numel for n in names}
    masks = {n: BitMask.from_bools(rng.random(size) < 0.5) for n, size in sizes.items()}
    try:
        preview = exact(state, step, given=masks if method.takes_mask else None)
    except ParameterError as error:
        assert "protected" in str(error)  # noqa: PT017 - it may be refused, but for that alone
        return
    report = preview.report
    squares = np.zeros((2, len(names)))
    magnitudes = np.zeros((2, len(names)))
    assert tuple(preview.masks) == names
    pruned = names if method.prunes else ()
    for i, (row, tensor) in enumerate(zip(report.tensors, pruned, strict=True)):
        before = state.masks.get(tensor) or BitMask.full(sizes[tensor])
        after = preview.masks[tensor]
        assert (row.before, row.after) == (before.pruned, after.pruned)
        assert not (after - before).kept
        lost = before - after
        assert not (lost.bools() & ~eligible_of(state, tensor)).any()
        weights = values_of(state, tensor)
        finite = np.where(np.isfinite(weights), weights, 0.0)
        with np.errstate(over="ignore"):
            for k, mask in enumerate((before, after)):
                squares[k, i] = np.sum(np.square(finite[mask.bools()]))
                magnitudes[k, i] = np.sum(np.abs(finite[mask.bools()]))
        assert_share(row.norm_retained, squares[:, i])
        assert_share(row.l1_retained, magnitudes[:, i])
    with np.errstate(over="ignore"):
        assert_share(report.norm_retained, squares.sum(axis=1))
        assert_share(report.l1_retained, magnitudes.sum(axis=1))
    assert report.newly_pruned == sum(row.newly_pruned for row in report.tensors)


def assert_share(found, sums):
    before, after = sums
    if not (0 < before < math.inf):
        assert found is None
    else:
        assert found == pytest.approx(after / before, rel=1e-6, abs=1e-300)


@st.composite
def several_rows(draw, names):
    """Draw rows of any countable methods, on tensors that may repeat in later rows."""
    local = draw(st.booleans())
    rows = []
    for _ in range(draw(st.integers(1, 3))):
        method = METHODS[draw(st.sampled_from(COUNTING if local else COUNTING[:2]))]
        some = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        values = {"amount": draw(amounts)} | ({"dim": 0} if len(method.scopes) == 1 else {})
        rows.append(Row(tuple(some), method.name, values))
    return tuple(rows), "local" if local else "global"


COUNTING = ("l1_unstructured", "random_unstructured", "ln_structured", "random_structured")


@pytest.mark.parametrize("method", COUNTING)
@pytest.mark.parametrize("bound", [Limits(), Limits(max_sparsity=0.5)])
def test_a_count_beyond_every_number_of_64_bits_is_refused(model, method, bound):
    step = Step((Row(("module.fc.weight",), method, {"amount": 10**30}),), "local", bound)
    assert both_refuse(Snapshot(model), step)
    with pytest.raises(ParameterError, match="1,000,000,000,000,000,000,000,000,000,000"):
        estimate(Snapshot(model), step)


@pytest.mark.parametrize(("amount", "gone", "sure"), [(0, 0, True), (1, 4, False), (3, 11, True)])
def test_of_channels_that_are_partly_pruned_it_is_sure_of_none_and_of_all(amount, gone, sure):
    kept = np.ones((3, 4), np.bool_)
    kept[1, 2] = False
    checkpoint = MemoryCheckpoint({"w": np.ones((3, 4), np.float32)})
    state = Snapshot(checkpoint, MaskLayers(MaskSet({"w": BitMask.from_bools(kept.reshape(-1))})))
    found = estimate(state, Step((Row(("w",), "ln_structured", {"amount": amount}),)))
    assert (found.to_prune, found.channels, found.exact) == (gone, amount, sure)


@given(state=snapshots(), bound=st.just(Limits()) | limits(), data=st.data())
def test_without_counts_it_is_no_less_than_what_goes(state, bound, data):
    """It is equal if it is marked as exact, for any rows, limits and protection."""
    rows, scope = data.draw(several_rows(list(state.checkpoint.entries)))
    step = Step(rows, scope, bound if len(rows) == 1 else replace(bound, target_sparsity=None))
    try:
        gone = exact(state, step, norms=False).report.newly_pruned
    except ParameterError:
        return
    found = estimate(state, step)
    assert found.to_prune >= gone
    assert found.to_prune == gone or not found.exact
    if len(rows) == 1 and METHODS[rows[0].method].granularity == "weights":
        assert found.exact


def test_rows_that_touch_no_tensor_twice_are_put_together(model):
    snapshot = Snapshot(model)
    names = list(model.entries)
    rows = (
        Row((names[4],), "l1_unstructured", {"amount": 0.4}),
        Row((names[3],), "ln_structured", {"amount": 0.3}),
        Row((names[0],), "random_unstructured", {"amount": 0.2}),
    )
    found, true = counted(snapshot, Step(rows)), exact(snapshot, Step(rows)).report
    assert [(t.name, t.after) for t in found.report.tensors] == [
        (t.name, t.after) for t in true.tensors
    ]
    said = estimate(snapshot, Step((*rows, Row((names[1],), "custom_from_mask"))))
    assert (said.report, said.counting) == (None, 1.0)


def test_tensors_that_nothing_is_pruned_of_count_for_nothing(model):
    snapshot = Snapshot(model)
    pruned, still = ["module.conv1.weight", "module.conv2.weight"], ("module.fc.weight",)
    step = Step((Row(tuple(pruned), "l1_unstructured", {"amount": 0.3}), Row(still, "identity")))
    before = after = numel = gone = 0.0
    for name in pruned:
        module = torch.nn.Module()
        module.weight = weight = torch.nn.Parameter(torch.from_numpy(model.arrays[name]))
        torch.nn.utils.prune.l1_unstructured(module, "weight", 0.3)
        before += float((weight.detach().double() ** 2).sum())
        after += float((module.weight.detach().double() ** 2).sum())
        numel += weight.numel()
        gone += int((module.weight_mask == 0).sum())
    found = counted(snapshot, step)
    assert (found.tensors, found.to_prune, found.exact) == (2, gone, True)
    preview = compute_preview(snapshot, step, CpuKernel(), Job())
    for report in (found.report, preview.report):
        assert [t.name for t in report.tensors] == pruned
        assert (report.unpruned, report.newly_pruned) == (numel, gone)
        assert report.norm_retained == pytest.approx(after / before, rel=1e-3)
    assert list(preview.masks) == [*pruned, *still]  # Identity creates masks of ones
    assert preview.edit.label == "L1 30 % on 2 tensors by 2 rules"
    alone = Step((Row(still, "identity"),))
    assert estimate(snapshot, alone).report == exact(snapshot, alone).report
    assert exact(snapshot, alone).report.tensors == ()


def test_it_says_how_far_the_counting_is(model):
    snapshot = Snapshot(model)
    names = ("module.conv1.weight", "module.conv2.weight", "module.fc.weight")
    step = Step((Row(names, "l1_unstructured", {"amount": 0.4}),))
    first = estimate(snapshot, step)
    assert (first.report, first.counting, first.exact) == (None, 0.0, True)
    for wanted in histogram_store.missing_magnitudes(snapshot, names[2:]):
        histogram_store.count(snapshot, wanted, Job())
    assert estimate(snapshot, step).counting == pytest.approx(640 / 2008)
    assert counted(snapshot, step).counting == 1.0
    channels = Step((Row(names, "ln_structured", {"amount": 0.4, "n": 3}),))
    assert estimate(snapshot, channels).counting == 0.0
    (wanted, *_) = histogram_store.missing_histograms(snapshot, channels)
    histogram_store.count(snapshot, wanted, Job())
    early = estimate(snapshot, channels)
    assert early.report is not None  # counts are known before norms
    assert early.report.norm_retained is None
    assert 0 < early.counting < 1
    assert counted(snapshot, channels).report.norm_retained is not None


def test_importance_scores_are_not_magnitudes(model):
    snapshot = Snapshot(model)
    step = Step((Row(("module.fc.weight",), "l1_unstructured", {"amount": 0.5}),))
    assert counted(snapshot, step).report is not None
    found = estimate(snapshot, step, scores=True)
    assert (found.to_prune, found.report, found.counting) == (320, None, 1.0)
    lot = Step((Row(("module.fc.weight",), "random_unstructured", {"amount": 0.5}),))
    assert estimate(snapshot, lot, scores=True).report is not None


def test_a_slider_is_answered_at_once():
    rng = np.random.default_rng(0)
    arrays = {f"{i}.w": rng.normal(size=(64, 64)).astype(np.float16) for i in range(300)}
    snapshot = Snapshot(MemoryCheckpoint(arrays))
    for method in ("l1_unstructured", "ln_structured"):
        for scope in METHODS[method].scopes:
            counted(snapshot, Step((Row(tuple(arrays), method, {"amount": 0.5}),), scope))
            began = time.perf_counter()
            for tick in range(20):
                row = Row(tuple(arrays), method, {"amount": tick / 20})
                estimate(snapshot, Step((row,), scope))
            assert time.perf_counter() - began < 20 * 0.05


def test_cancelling_ends_it(model):
    token = CancelToken()
    token.cancel()
    snapshot = Snapshot(model)
    step = Step((Row(("module.fc.weight",), "l1_unstructured"),))
    counted(snapshot, step)
    with pytest.raises(Cancelled):
        estimate(Snapshot(model), step, Job(cancel=token))


@given(state=snapshots(least_dims=2), bound=st.just(Limits()) | limits(), data=st.data())
def test_patterns_are_counted_from_shapes(state, bound, data):
    """The number pruned in groups and blocks is at most the estimate, at the estimated places."""
    names = tuple(state.checkpoint.entries)
    if data.draw(st.booleans()):
        values = {"pattern": data.draw(st.sampled_from(["2:4", "1:2", "3:5"]))}
        step = Step((Row(names, "n_m", values | {"dim": data.draw(st.integers(-2, 1))}),))
    else:
        values = {"amount": data.draw(amounts), "block": data.draw(st.sampled_from(["1x2", "3x3"]))}
        step = Step((Row(names, "blocks", values),), "local", bound)
    try:
        gone = exact(state, step, norms=False).report.newly_pruned
    except ParameterError:
        return
    found = estimate(state, step)
    assert found.to_prune >= gone
    assert found.to_prune == gone or not found.exact


def test_what_goes_of_whole_groups_and_blocks_is_known():
    snapshot = Snapshot(MemoryCheckpoint({"w": np.ones((8, 16), np.float32)}))
    for method, values, gone in (
        ("n_m", {}, 64),
        ("n_m", {"pattern": "1:8"}, 112),
        ("blocks", {"amount": 0.25}, 32),
        ("blocks", {"amount": 3, "block": "2x2"}, 12),
    ):
        found = estimate(snapshot, Step((Row(("w",), method, values),)))
        assert (found.to_prune, found.exact) == (gone, True)
