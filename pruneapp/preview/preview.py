"""Exact previews of a step: its masks and its report, without changing the document."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pruneapp.analysis.histogram_store import cached_rows, dims_of
from pruneapp.analysis.patterns import broken_patterns
from pruneapp.analysis.retained_norm import (
    RetainedNorm,
    measure_retained_norms,
    shares_of,
    total_of,
)
from pruneapp.analysis.sparsity_report import SparsityReport, SparsityTable
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.document.edit import Edit, EditKind, Json, Proposal
from pruneapp.document.selection import (
    axis_of,
    counts_of,
    coupling_of,
    pruned_tensors,
    resolve,
    rows_of,
    with_trace_of_groups,
)
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.edits.coupled_tensors import (
    ChannelFlags,
    Companions,
    prune_companions,
    pruned_filters,
    pruned_with_channels,
)
from pruneapp.edits.dependents import known_dependents, prune_dependents
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.errors import ParameterError, counted
from pruneapp.groups.trace import with_trace
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask, Mask
from pruneapp.masks.channels import channels_left
from pruneapp.masks.regions import Groups
from pruneapp.methods import registry
from pruneapp.methods.coupled_units import present_units
from pruneapp.methods.cutoff import NearTaken
from pruneapp.methods.limits import Pruning
from pruneapp.methods.method import (
    CoupledMethod,
    Coupling,
    GroupMethod,
    RowMethod,
    TensorView,
    WeightMethod,
    no_inputs,
)
from pruneapp.methods.prune_tensors import prune, rules
from pruneapp.params import STATISTICS
from pruneapp.preview.from_histograms import (
    counted_sums,
    cut_prediction,
    kept_norms,
    known_channels,
    known_retained_norms,
)
from pruneapp.progress import Job
from pruneapp.statistics.file import Inputs, statistics_of

_UNKNOWN = RetainedNorm(math.nan, math.nan, math.nan, math.nan)


def report_of(
    snapshot: Snapshot,
    masks: Mapping[str, BitMask],
    known: Mapping[str, RetainedNorm] | None,
    job: Job,
    *,
    cuts: bool,
) -> SparsityReport:
    """Return the report of new masks, by first names, compared to those of `snapshot`.

    Parameters
    ----------
    known
        Norms that are already computed, by name; the others are measured, which advances the job by
        the elements. None omits all norms, also those of the model.
    cuts
        Whether to include thresholds; structured methods have none.
    """
    measured: dict[str, RetainedNorm] = {}
    if known is not None:
        job.step(sum([masks[name].size for name in known]))
        rest = {name: mask for name, mask in masks.items() if name not in known}
        measured = {**known, **measure_retained_norms(snapshot, rest, job)}
    names = tuple(masks)
    numel = np.array([mask.size for mask in job.cancel.each(masks.values())], np.int64)
    kept = np.array([mask.kept for mask in job.cancel.each(masks.values())], np.int64)
    n_before = np.array(snapshot.masks.counts(job.cancel.each(names)), np.int64)
    norms = [measured.get(name, _UNKNOWN) for name in job.cancel.each(names)]
    *sums, thresholds = np.array(norms, np.float64).reshape(-1, 5).T
    norm, l1 = shares_of(sums[0], sums[1]), shares_of(sums[2], sums[3])
    edges = thresholds if cuts else np.full_like(thresholds, math.nan)
    rows = SparsityTable(names, numel, n_before, numel - kept, norm, edges, l1)
    before = sum([mask.pruned for mask in job.cancel.each(snapshot.masks.values())])
    after = before + int((numel - kept - n_before).sum())
    total = _UNKNOWN if known is None else RetainedNorm(*map(total_of, _columns(measured, job)))
    return SparsityReport(
        rows,
        snapshot.checkpoint.size(job.cancel).parameters,
        before,
        after,
        total.share,
        l1_retained=total.magnitude,
    )


def with_one_cut(report: SparsityReport) -> SparsityReport:
    """Replace the threshold of every tensor by the common one of the step."""
    table = report.table
    if not len(table) or np.isnan(table.threshold).all():
        return report
    cut = np.full(len(table), np.nanmax(table.threshold))
    return replace(report, tensors=replace(table, threshold=cut))


def _columns(retained: Mapping[str, RetainedNorm], job: Job) -> tuple[list[float], ...]:
    columns: tuple[list[float], ...] = ([], [], [], [])
    for batch in job.cancel.batches(retained.values()):
        for column, values in zip(columns, zip(*batch, strict=True), strict=False):
            column.extend(values)
    return columns


# Expected number of passes over a tensor for an unstructured row, until the row reports its own.
_LIKELY_PASSES = 3


@dataclass(frozen=True, eq=False)
class Preview(Proposal):
    """The result of a step, to be applied by `Document.commit`.

    `masks` has all tensors of the step, by first names in file order; an unchanged mask is the same
    object as before. `units` is the number of pruned units of groups, or, for whole channels with
    dependents, that of the channels of the step's tensors that are pruned in total; 0 for other
    methods and for steps of several rows.
    """

    step: Step
    masks: Mapping[str, BitMask]
    report: SparsityReport
    units: int = 0


def compute_preview(
    snapshot: Snapshot,
    step: Step,
    kernel: Kernel,
    job: Job,
    *,
    norms: bool = True,
    given: Mapping[str, BitMask] | None = None,
    scores: Checkpoint | None = None,
) -> Preview:
    """Compute the result of a step for a state.

    Rows are applied in order, each to the result of the previous one; then, if requested,
    companions of the pruned channels are pruned, and finally dependents.

    Parameters
    ----------
    job
        Started with the elements times the passes over them; can cancel.
    norms
        Whether to read the tensors again for `TensorSparsity.norm_retained` and
        `TensorSparsity.threshold`.
    given
        Masks for methods that take one, by any name of the tensor.
    scores
        Importance scores to use instead of the weights: tensors of the same names and shapes.

    Raises
    ------
    FileChangedError
        If a file changed on disk; checked before anything is computed.
    SelectionError
        If a tensor cannot be pruned, a row selects none, or no dependents are known.
    ParameterError
        If a value does not suit a tensor; an amount is larger than what is left and not protected;
        scores or a mask are missing, have another shape, or are not used by any row; or the trace
        of the step is not known.
    """
    _verify(snapshot, step, given, scores)
    snapshot = traced_as(snapshot, step)
    rows = tuple(cached_rows(snapshot, step))
    touched = rows[0][1]
    if len(rows) > 1:
        touched = resolve(snapshot.checkpoint, (name for _, names in rows for name in names))
    entries = snapshot.checkpoint.entries
    sizes = {name: entries[name].numel for name in job.cancel.each(touched)}
    dependents = known_dependents(snapshot.checkpoint, step, rows, job) if step.dependents else None
    reserved = [_reserve(row, names, sizes) for row, names in rows]
    # Rows report their work when it is known; a reserve is counted until then.
    pruned = pruned_tensors(rows)
    measured = sum([sizes[name] for name in pruned]) if norms else 0
    job.start(sum(reserved) + measured, touched[0])
    state = snapshot
    protected_count = outside = 0
    pruned_channels: dict[str, ChannelFlags] = {}
    near: Mapping[str, NearTaken] = {}
    sums: Mapping[str, tuple[float, float]] = {}
    lacking: dict[str, Groups] = {}  # of tensors with too many protected weights in a group
    pairs = Companions(snapshot.checkpoint)
    for (row, names), reserve in zip(rows, reserved, strict=True):
        before = state
        names_in_row = job.cancel.each(names)
        views = views_for_row(state, row, names_in_row, given, scores, pairs)
        job.extend(-reserve)
        method = registry.get(row.method)
        expect = (
            cut_prediction(snapshot)
            if len(rows) == 1 and method.estimated_by == "magnitudes"
            else None
        )
        # With a single row, its result is that of the step.
        sums_are_final = norms and len(rows) == 1 and isinstance(method, RowMethod)
        summed = counted_sums(snapshot, names, job) if sums_are_final else {}
        with step.number_errors(row):
            result = prune(
                views,
                method,
                row.values,
                step.scope,
                kernel,
                job,
                limits=step.limits,
                expect=expect,
                summed=summed,
            )
        near, sums = result.near, result.sums
        state = before.with_masks({"masks": result.masks})
        protected_count += sum(result.protected.values())
        if isinstance(method, GroupMethod):
            groups = {view.name: method.groups(view, row.values) for view in views}
            lacking |= {name: of for name, of in groups.items() if result.protected.get(name)}
            outside += sum([groups[view.name].count_outside(view.shape) for view in views])
        if step.prune_bias_and_norm:
            for name, newly_pruned in pruned_filters(before, state.masks, row, names, job).items():
                pruned_channels[name] = (
                    newly_pruned | pruned_channels[name]
                    if name in pruned_channels
                    else newly_pruned
                )
    along: set[str] = set()  # tensors in which companions or dependents were pruned
    spared: dict[str, BitMask] = {}
    if pruned_channels:
        changed, spared = prune_companions(state, pruned_channels, job)
        state = state.with_masks({"masks": changed})
        along.update(changed)
    if dependents is not None:
        changed, protected_bits = prune_dependents(state, dependents, job)
        spared |= {
            name: m | spared[name] if name in spared else m for name, m in protected_bits.items()
        }
        state = state.with_masks({"masks": changed})
        along.update(changed)
    protected_count += sum(mask.kept for mask in spared.values())
    if along:
        unmeasured = sum(state.masks[name].size for name in job.cancel.each(along - pruned))
        job.extend(unmeasured if norms else 0)
        touched = resolve(snapshot.checkpoint, {*touched, *along})
        pruned |= along
        # Results of rows are valid only for tensors in which nothing else was pruned.
        near = {name: taken for name, taken in near.items() if name not in along}
        sums = {name: known_sums for name, known_sums in sums.items() if name not in along}
    masks = {
        name: _shared(snapshot.masks.get(name), state.masks[name])
        for name in job.cancel.each(touched)
    }
    counted_in = {name: mask for name, mask in masks.items() if name in pruned}
    cuts = any(registry.get(row.method).granularity in {"weights", "mask"} for row, _ in rows)
    known: dict[str, RetainedNorm] | None = None
    if norms:
        known = known_retained_norms(snapshot, counted_in, near, job)
        row = rows[0][0]
        if len(rows) == 1 and registry.get(row.method).granularity == "channels":
            names = rows[0][1]
            dims = dict(zip(names, dims_of(snapshot, row, names), strict=True))
            for name in along:
                dims.pop(name, None)
            known = known_channels(snapshot, counted_in, dims, job)
        rest = {name: mask for name, mask in counted_in.items() if name not in known}
        known |= kept_norms(snapshot, rest, sums, job)
    report = report_of(snapshot, counted_in, known, job, cuts=cuts)
    if step.one_cut and scores is None:
        report = with_one_cut(report)
    entry: Json | None = None
    entry_masks: dict[str, BitMask] = {}
    if given is not None or scores is not None:
        entry, entry_masks = _as_manual_edit(snapshot, step, masks, job)
    left = "remaining weight" if report.goes_on else "weight"
    done = f"{report.newly_pruned:,} of {counted(report.unpruned, left)} pruned"
    if protected_count:
        one, more = "protected weight left unchanged", "protected weights left unchanged"
        done += f"\n{counted(protected_count, one, more)}"
    broken = broken_patterns(state, lacking, job)
    # Placed first, because tooltips show only the beginning.
    warnings = [
        "\n".join((f"▲ {each.sentence}", *(f"  {line}" for line in each.tensor_lines())))
        for each in broken
    ]
    counts = counts_of(snapshot.checkpoint, step)
    job.step(0)
    labeled_step, label_step, units, of_units = step, None, 0, ""
    if len(step.rows) == 1 and (axis := axis_of(step.rows[0])) is not None:
        ((row, names),) = rows
        found = [coupling_of(snapshot.checkpoint, axis, name) for name in job.cancel.each(names)]
        groups_by_id = {id(group): group for groups in found for group in groups}
        present = [
            (present_units(group, snapshot.view), present_units(group, state.view))
            for group in job.cancel.each(groups_by_id.values())
        ]
        n_before, n_after = map(sum, zip(*present, strict=True)) if present else (0, 0)
        units = n_before - n_after
        of_units = f"{units:,} of {n_before:,} units pruned"
        row = replace(row, names=names)  # all tensors of the groups
        labeled_step = replace(step, rows=(row,))
        amount = row.values.get("amount")
        if isinstance(amount, float):
            counts_before = [n_before] if step.scope == "global" else [n for n, _ in present]
            if units != sum(round(amount * n) for n in counts_before):
                # The number of kept units was rounded: the label has what was pruned.
                actual = {**row.values, "amount": units / n_before}
                label_step = replace(step, rows=(replace(row, values=actual),))
    elif len(step.rows) == 1 and dependents is not None:
        ((row, names),) = rows
        n_before = n_channels_left(snapshot, row, names, job)
        units = n_before - n_channels_left(state, row, names, job)
        of_units = f"{units:,} of {n_before:,} channels pruned"
    edit = Edit.of(
        snapshot,
        EditKind.PRUNE,
        (label_step or labeled_step).label(counts),
        "\n".join(filter(None, (*warnings, labeled_step.detail(counts), of_units, done))),
        {"masks": masks},
        job,
        step=with_trace_of_groups(snapshot.checkpoint, step),
        entry=entry,
        entry_masks=entry_masks,
    )
    report = replace(
        report,
        protected=protected_count,
        outside=outside,
        broken=broken,
        with_channels=pruned_with_channels(state, job),
    )
    return Preview(snapshot.revision, edit, step, masks, report, units)


def n_channels_left(state: Snapshot, row: Row, names: Sequence[str], job: Job) -> int:
    """Return how many channels of the tensors of a channel method have remaining weights.

    `job` is only used to cancel. Raises `ParameterError` if a tensor does not have the dimension of
    the row.
    """
    count = 0
    for name, dim in zip(job.cancel.each(names), dims_of(state, row, names), strict=True):
        entry = state.entry(name)
        kept = channels_left(state.masks.get(entry.name), entry.shape, dim, job)
        count += int(np.count_nonzero(kept))
    return count


def _as_manual_edit(
    snapshot: Snapshot, step: Step, masks: Mapping[str, BitMask], job: Job
) -> tuple[Json, dict[str, BitMask]]:
    """Return a step as the entry of a manual edit with its masks, as its files may not exist later.

    Only newly pruned weights are in the masks. If none is, the entry is a step that prunes nothing.
    """
    entry_masks: dict[str, BitMask] = {}
    targets = []
    for name, mask in masks.items():
        job.step(0)
        before = snapshot.masks.get(name)
        if before is not mask and mask.pruned > snapshot.masks.pruned(name):
            pruned = (BitMask.full(mask.size) if before is None else before) - mask
            targets.append(ManualTarget(name, mask=pruned))
    if not targets:
        row = Row(tuple(masks), "identity")
        return Step((row,)).to_dict(), entry_masks
    return ManualEdit(
        "prune", tuple(targets), step.label(counts_of(snapshot.checkpoint, step))
    ).to_dict(entry_masks, job), entry_masks


def _verify(
    snapshot: Snapshot, step: Step, given: Mapping[str, BitMask] | None, scores: Checkpoint | None
) -> None:
    """Raise if a file changed, or if no row takes the given masks or scores.

    Raises `FileChangedError` for the checkpoint or the scores, `ParameterError` otherwise.
    """
    snapshot.checkpoint.verify_unchanged()
    if scores is not None:
        scores.verify_unchanged()
    methods = [registry.get(row.method) for row in step.rows]
    names = ", ".join(f"'{m.name}'" for m in methods)
    if given is not None and not any(m.takes_mask for m in methods):
        raise ParameterError(f"{names} takes no mask.", remedy="Use 'custom_from_mask'.")
    if scores is not None and not any(m.takes_scores for m in methods):
        raise ParameterError(f"{names} takes no importance scores.", remedy="Remove them.")


def _reserve(row: Row, names: tuple[str, ...], sizes: Mapping[str, int]) -> int:
    passes = _LIKELY_PASSES if registry.get(row.method).granularity == "weights" else 1
    return passes * sum([sizes[name] for name in names])


def views_for_row(  # noqa: PLR0917 - each its own type
    state: Snapshot,
    row: Row,
    names: Iterable[str],
    given: Mapping[str, BitMask] | None,
    scores: Checkpoint | None,
    pairs: Companions,
) -> list[TensorView]:
    """Return the inputs of a row's method for tensors, with scores, masks and statistics.

    In the order of `names` (first names). `given` are masks to apply, by any name; `scores` the
    file of importance scores. Both are ignored if the method takes none. `pairs` finds the
    following norm, for methods that use its scale. Raises `ParameterError` if the scores lack a
    tensor, or if statistics are required and not open; a missing mask, norm or statistic of a
    tensor is None in its view.
    """
    method = registry.get(row.method)
    inputs: Callable[[str], Inputs | None] | None = None
    if method.needs_statistics(row.values):
        inputs = partial(state.inputs, statistics_of(row.values[STATISTICS.name]))
    masks = given if method.takes_mask else None
    ranked = scores if method.takes_scores else None
    coupled = method if isinstance(method, CoupledMethod) else None
    if not (masks or ranked or inputs or coupled or method.takes_scale):
        return list(state.views(names))  # fast path for 100,000 tensors

    def view_of(name: str) -> TensorView:
        """Return the input of the method for one tensor, by its first name."""
        entry = state.entry(name)
        mask = next((masks[n] for n in entry.names if n in masks), None) if masks else None
        own_scores = None if ranked is None else _scores(ranked, state, name)
        view = state.view(name, scores=own_scores, given=mask)
        if coupled is not None:
            groups = coupling_of(state.checkpoint, coupled.axis, name)
            inputs_of = inputs or no_inputs
            coupling = tuple(Coupling(group, state.view, inputs_of) for group in groups)
            view = replace(view, coupling=coupling)
        elif inputs is not None:
            view = replace(view, inputs=inputs(name))
        if method.takes_scale:
            norm = next((c.name for c in pairs.of(entry.name) if c.part == "norm"), None)
            view = replace(view, scale=None if norm is None else state.view(norm))
        return view

    return [view_of(name) for name in names]


def _scores(scores: Checkpoint, state: Snapshot, name: str) -> TensorView:
    """Return the importance scores of a tensor, found by any of its names, as an input to rank.

    Raises `ParameterError` if the file has none of the names. The shape is not checked here.
    """
    entry = state.entry(name)
    entry_of_scores = next((scores.entry(n) for n in entry.names if scores.holds(n)), None)
    if entry_of_scores is None:
        raise ParameterError(
            f"'{scores.path}' contains no importance scores for '{name}'.",
            remedy="It must contain a tensor of the same name and shape for every selected one.",
        )
    return TensorView(
        name=name,
        shape=entry_of_scores.shape,
        dtype=entry_of_scores.dtype,
        kept=None,
        read=partial(scores.chunks, entry_of_scores.name),
    )


def _shared(before: BitMask | None, after: BitMask) -> BitMask:
    # A step restores no weights, so masks with the same count are equal.
    return before if before is not None and before.kept == after.kept else after


@dataclass(frozen=True, eq=False)
class RuleState:
    """A state after a step whose masks are rules, which are evaluated on each use.

    `rules` has the tensors of the step, by first names; in the state before, no weights may be
    permanent.
    """

    before: Snapshot
    rules: Mapping[str, Mask]

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that weights are read from."""
        return self.before.checkpoint

    def mask(self, name: str) -> Mask | None:
        """Return the mask of a tensor; None if all weights are kept."""
        first = self.checkpoint.entry(name).name
        rule = self.rules.get(first)
        return self.before.mask(first) if rule is None else rule

    def export_mask(self, name: str) -> Mask | None:
        """Return the mask of a tensor, because no weights are permanent zeros."""
        return self.mask(name)

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield raw elements in flat order, pruned ones with their original values."""
        return self.before.chunks(name, start, stop, size)

    def replaces(self, name: str) -> bool:
        """Return whether the values of a tensor were replaced."""
        return self.before.replaces(name)


def traced_as(snapshot: Snapshot, step: Step) -> Snapshot:
    """Return a state with the groups of the trace that a step names; itself if it names none.

    Raises `ParameterError` if the trace is not known.
    """
    checkpoint = with_trace(snapshot.checkpoint, step.trace)
    same = checkpoint is snapshot.checkpoint
    return snapshot if same else replace(snapshot, checkpoint=checkpoint)


def state_after(snapshot: Snapshot, step: Step, kernel: Kernel, job: Job) -> RuleState | Snapshot:
    """Return the state after a step, for a single use such as an export.

    For a step of one row that ranks individual weights, masks take no memory, because the threshold
    defines them: a `RuleState`, which reads weights on each use. Otherwise, and if weights are
    protected or permanent, the step is computed as a preview, and the result is a `Snapshot`. Both
    prune the same weights. Errors are those of `compute_preview`. Starts `job`.
    """
    method = registry.get(step.rows[0].method)
    beyond_a_threshold = snapshot.permanent or snapshot.protected
    if len(step.rows) > 1 or not isinstance(method, WeightMethod) or beyond_a_threshold:
        preview = compute_preview(snapshot, step, kernel, job, norms=False)
        return preview.edit.apply_to(snapshot)
    snapshot.checkpoint.verify_unchanged()
    row = step.rows[0]
    ((_, names),) = rows_of(snapshot.checkpoint, step)
    job.start(0, names[0])
    pairs = Companions(snapshot.checkpoint)
    views = views_for_row(snapshot, row, names, None, None, pairs)
    masks = rules(views, method, Pruning(row.values, step.scope, step.limits, kernel, job))
    return RuleState(snapshot, masks)
