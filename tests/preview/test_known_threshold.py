"""An exact step with a known threshold gives the same masks and report, faster."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis import histogram_store, retained_norm
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.limits import Limits
from pruneapp.preview import from_histograms
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.statistics.file import Inputs, Origin, register, save_statistics
from tests.methods.test_limits import amounts, limits
from tests.support.memory_checkpoint import MemoryCheckpoint
from tests.support.snapshot_strategies import snapshots


def counted(snapshot):
    for wanted in histogram_store.missing_magnitudes(snapshot, snapshot.checkpoint.entries):
        histogram_store.count(snapshot, wanted, Job())
    return snapshot


def same(found, expected):
    if expected is None or found is None:
        return found is expected
    return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("scope", ["local", "global"])
@given(
    state=st.one_of(snapshots(), snapshots(one_type=True)),
    amount=amounts,
    bound=st.just(Limits()) | limits(),
)
def test_counts_change_nothing_but_the_time(scope, state, amount, bound):
    names = tuple(state.checkpoint.entries)
    step = Step((Row(names, "l1_unstructured", {"amount": amount}),), scope, bound)
    try:
        plain = compute_preview(state, step, CpuKernel(), Job())
    except ParameterError:
        return
    known = compute_preview(counted(state), step, CpuKernel(), Job())

    assert known.masks == plain.masks
    for told, true in zip(known.report.tensors, plain.report.tensors, strict=True):
        assert (told.before, told.after) == (true.before, true.after)
        assert same(told.norm_retained, true.norm_retained)
        assert same(told.l1_retained, true.l1_retained)
        assert told.threshold == true.threshold
    assert same(known.report.norm_retained, plain.report.norm_retained)
    assert same(known.report.l1_retained, plain.report.l1_retained)


@pytest.mark.parametrize("scope", ["local", "global"])
@pytest.mark.parametrize("kind", ["float32", "float16", "float64"])
def test_weights_are_read_once_if_they_are_counted(scope, kind):
    rng = np.random.default_rng(5)
    arrays = {name: rng.standard_normal((50, 400)).astype(kind) for name in "ab"}
    state = counted(Snapshot(MemoryCheckpoint(arrays)))
    read = state.checkpoint.elements_read
    step = Step((Row(("a", "b"), "l1_unstructured", {"amount": 0.3}),), scope)

    compute_preview(state, step, CpuKernel(), Job())

    assert state.checkpoint.elements_read - read == 40_000


def test_what_goes_at_random_expects_nothing():
    """Histograms do not help a method that ignores magnitudes."""
    rng = np.random.default_rng(6)
    arrays = {"a": rng.standard_normal((40, 50)).astype(np.float32)}
    step = Step((Row(("a",), "random_unstructured", {"amount": 0.5, "seed": 3}),))
    plain = compute_preview(Snapshot(MemoryCheckpoint(arrays)), step, CpuKernel(), Job())
    known = compute_preview(counted(Snapshot(MemoryCheckpoint(arrays))), step, CpuKernel(), Job())

    assert known.masks == plain.masks
    assert known.report == plain.report


@given(
    state=snapshots(least_dims=2),
    n=st.sampled_from([1, 2, "fro", math.inf]),
    dim=st.sampled_from([0, 1, -1]),
    amount=amounts,
    bound=st.just(Limits()) | limits(),
)
def test_norms_change_nothing_but_the_time(state, n, dim, amount, bound):
    names = tuple(state.checkpoint.entries)
    row = Row(names, "ln_structured", {"amount": amount, "n": n, "dim": dim})
    step = Step((row,), "local", bound)
    try:
        plain = compute_preview(state, step, CpuKernel(), Job())
    except ParameterError:
        return
    for wanted in histogram_store.missing_histograms(state, step):
        histogram_store.count(state, wanted, Job())
    known = compute_preview(state, step, CpuKernel(), Job())

    assert known.masks == plain.masks
    assert known.report.newly_pruned == plain.report.newly_pruned
    assert {tensor.threshold for tensor in plain.report.tensors} <= {None}
    for told, true in zip(known.report.tensors, plain.report.tensors, strict=True):
        assert same(told.norm_retained, true.norm_retained)
        assert same(told.l1_retained, true.l1_retained)
    assert same(known.report.norm_retained, plain.report.norm_retained)
    assert same(known.report.l1_retained, plain.report.l1_retained)


@pytest.mark.parametrize("layer", ["masks", "permanent", "protected"])
def test_what_stays_is_added_up_of_pruned_final_and_protected_weights(monkeypatch, layer):
    rng, used = np.random.default_rng(6), []
    measure = from_histograms.measure_kept_norms

    def spying(*arguments):
        found = measure(*arguments)
        used.extend(found)
        return found

    monkeypatch.setattr(from_histograms, "measure_kept_norms", spying)
    arrays = {name: rng.standard_normal((100, 1000)).astype(np.float32) for name in "ab"}
    some = BitMask.from_bools(rng.random(100_000) < (0.2 if layer == "protected" else 0.8))
    state = Snapshot(MemoryCheckpoint(arrays))
    state = state.with_masks({layer: {"a": some}})
    step = Step((Row(("a", "b"), "l1_per_row", {"amount": 0.3}),), "local")
    plain = compute_preview(state, step, CpuKernel(), Job())
    assert not used
    known = compute_preview(counted(state), step, CpuKernel(), Job())
    assert used == ["a", "b"]
    assert known.masks == plain.masks
    for told, true in zip(known.report.tensors, plain.report.tensors, strict=True):
        assert told.norm_retained == pytest.approx(true.norm_retained, rel=1e-6)
        assert told.l1_retained == pytest.approx(true.l1_retained, rel=1e-6)
        assert told.threshold is true.threshold is None


@pytest.mark.parametrize("layer", ["masks", "permanent", "protected"])
def test_what_stays_after_a_cut_of_rows_by_scores_is_not_read_again(monkeypatch, tmp_path, layer):
    """Except if protected weights are kept."""
    rng, read = np.random.default_rng(6), []
    write = retained_norm.write_magnitudes

    def spying(*arguments):
        read.append(True)
        write(*arguments)

    monkeypatch.setattr(retained_norm, "write_magnitudes", spying)
    arrays = {name: rng.standard_normal((100, 1000)).astype(np.float32) for name in "ab"}
    sums = {n: Inputs(rng.uniform(1, 100, (1, 1000)), None, np.ones(1)) for n in "ab"}
    save_statistics(tmp_path / "s.safetensors", sums, Origin("calibrate"), Job())
    statistics = register(tmp_path / "s.safetensors")
    some = BitMask.from_bools(rng.random(100_000) < (0.2 if layer == "protected" else 0.8))
    state = Snapshot(MemoryCheckpoint(arrays)).with_masks({layer: {"a": some}})
    values = {"amount": 0.3, "statistics": statistics}
    step = Step((Row(("a", "b"), "wanda", values),), "local")
    plain = compute_preview(state, step, CpuKernel(), Job())
    known = compute_preview(counted(state), step, CpuKernel(), Job())
    assert bool(read) == (layer == "protected")
    assert known.masks == plain.masks
    for told, true in zip(known.report.tensors, plain.report.tensors, strict=True):
        assert told.norm_retained == pytest.approx(true.norm_retained, rel=1e-6)
        assert told.l1_retained == pytest.approx(true.l1_retained, rel=1e-6)
        assert told.threshold is true.threshold is None
