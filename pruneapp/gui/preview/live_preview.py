"""The computations of the preview: an estimate, an exact preview, and the current state."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from pruneapp.analysis.histogram_store import Assignment, cached_assignment
from pruneapp.analysis.patterns import broken_patterns, groups_wanted
from pruneapp.analysis.sparsity_report import MeasuredLoss, places_of_least
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.document import Capture
from pruneapp.document.history import PastState
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.export.size_bounds import CompactSize, CompactSizes
from pruneapp.gui.preview.preview_state import CurrentState
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods import registry
from pruneapp.methods.method import RowMethod
from pruneapp.params import AmountParam
from pruneapp.preview.estimate import Estimate, estimate
from pruneapp.preview.from_histograms import add_since_opening, report_since_opening
from pruneapp.preview.preview import Preview, compute_preview
from pruneapp.progress import Job

# Steps on more tensors than this are estimated in the background without trying.
MANY = 500
# number of tensors in the list of the most pruned ones
LISTED = 20


@dataclass(frozen=True, eq=False)
class EstimateResult:
    """An estimate, with the results computed from it."""

    estimate: Estimate
    assignment: Assignment
    compact: CompactSize | None  # None without a report, or if a compact file is not possible
    seconds: float  # CPU time of the computation


@dataclass(frozen=True, eq=False)
class PreviewResult:
    """A preview, and the sizes of a compact file after it; None if that is not possible."""

    preview: Preview
    compact: CompactSize | None


Losses = Mapping[str, MeasuredLoss]  # results of a scan, by first names of tensors


def estimate_step(
    capture: Capture, step: Step, sizes: CompactSizes, losses: Losses, job: Job | None = None
) -> EstimateResult:
    """Estimate the effect of a step from the histograms that are counted; no weights are read.

    The report is relative to the opened file, and None if too little is counted. Raises
    `PruneAppError` if the step cannot be applied to the state.
    """
    began = time.thread_time()  # CPU time of this thread, independent of other threads
    estimated = estimate(capture.snapshot, step, job)
    compact = None
    if estimated.report is not None:
        report = add_since_opening(estimated.report, capture.snapshot)
        measured = losses_by_method(losses, capture.snapshot, (step,))
        estimated = replace(estimated, report=replace(report, measured=measured))
        assert estimated.report is not None
        estimated.report.prepare()
        compact = sizes.measure_after(capture, estimated.report.after_by_name, step, job or Job())
    assignment = cached_assignment(capture.snapshot, step)
    return EstimateResult(estimated, assignment, compact, time.thread_time() - began)


def preview_step(
    capture: Capture,
    step: Step,
    job: Job,
    *,
    masks: Mapping[str, BitMask] | None,
    scores: Checkpoint | None,
    kernel: Callable[[], Kernel],
    sizes: CompactSizes,
    losses: Losses,
) -> PreviewResult:
    """Compute a preview, its report, and the size of a compact file, all on the worker thread.

    `masks` (by tensor name) and `scores` are only for methods that need them. `kernel` is called
    once, on this thread. Raises `PruneAppError` as `compute_preview` does.
    """
    snapshot = capture.snapshot
    preview = compute_preview(snapshot, step, kernel(), job, given=masks, scores=scores)
    report = add_since_opening(preview.report, snapshot)
    report = replace(report, measured=losses_by_method(losses, snapshot, (step,)))
    preview = replace(preview, report=report)
    preview.report.prepare()
    pruned = preview.report.after_by_name
    compact = sizes.measure_after(capture, pruned, step, job, preview.edit.entry)
    return PreviewResult(preview, compact)


def report_current_state(
    first: PastState, capture: Capture, sizes: CompactSizes, losses: Losses, job: Job
) -> CurrentState:
    """Report on the state of a document relative to `first`, its state when the file was opened.

    `most_pruned` has up to `LISTED` tensors, by descending sparsity, without unpruned ones.
    `applied` and `step` of the result are None. Norms are None unless they are counted.
    """
    steps = [record.step for record in capture.done if record.step]
    broken = broken_patterns(capture.snapshot, groups_wanted(capture.snapshot, steps), job)
    report = replace(
        report_since_opening(first.load(job), capture.snapshot, job),
        broken=broken,
        measured=losses_by_method(losses, capture.snapshot, steps),
    )
    _ = report.dangers  # computed and cached here, not on the main thread
    table = report.table
    some = np.flatnonzero(table.after)
    least = places_of_least(-table.after[some] / table.numel[some], LISTED)
    most = tuple([table[place] for place in some[least].tolist()])
    compact = sizes.measure_now(capture, job)
    return CurrentState(report=report, most_pruned=most, compact=compact)


def losses_by_method(losses: Losses, snapshot: Snapshot, steps: Iterable[Step]) -> Losses:
    """Return the results of a scan for tensors whose last rule has the method of the scan."""
    if not losses:
        return losses
    methods: dict[str, str] = {}
    for step in steps:
        for row in step.rows:
            methods.update(dict.fromkeys([snapshot.entry(n).name for n in row.names], row.method))
    return {name: loss for name, loss in losses.items() if methods.get(name) == loss.method}


def key_without_amounts(snapshot: Snapshot, step: Step) -> tuple[object, ...] | None:
    """Return a key that is equal for two steps on the same state that differ only in amounts.

    None for steps on at most `MANY` tensors, which are always estimated quickly.
    """
    if not _has_many_tensors(step):
        return None
    rows = tuple(
        (
            row.names,
            row.method,
            *(
                row.values.get(param.name)
                for param in registry.get(row.method).params
                if not isinstance(param, AmountParam)
            ),
        )
        for row in step.rows
    )
    return snapshot, rows, step.scope, step.limits, step.prune_bias_and_norm, step.dependents


def _has_many_tensors(step: Step) -> bool:
    return sum(len(row.names) for row in step.rows) > MANY


def may_be_slow(snapshot: Snapshot, step: Step, sizes: CompactSizes) -> bool:
    """Return whether the estimate of a step may take longer than a frame.

    True for steps on more than `MANY` tensors, for units and dependents, for channels and rows if
    the state has masks, and for files of more than `MANY` tensors whose sizes are not cached.
    """
    if _has_many_tensors(step):
        return True
    if len(snapshot.checkpoint.entries) > MANY and not sizes.is_quick(snapshot):
        return True
    # Remaining channels and rows have to be searched in the masks, unlike numbers of weights.
    methods = [registry.get(row.method) for row in step.rows]
    # Finding groups may be slow.
    if step.dependents or any(m.granularity == "units" for m in methods):
        return True
    return bool(snapshot.masks) and any(
        m.granularity == "channels" or isinstance(m, RowMethod) for m in methods
    )
