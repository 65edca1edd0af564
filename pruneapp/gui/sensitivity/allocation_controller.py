"""Allocate a total sparsity to tensors by a scan, and compare predicted with measured metrics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from msgspec.structs import replace

from pruneapp.document.edit import Edit
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError, StaleError
from pruneapp.evaluation.allocation import (
    SHARED_DATA_ADVICE,
    Allocation,
    Bound,
    DataUse,
    SharedData,
    allocate,
    compare_data,
)
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.report.results import KeptScan
from pruneapp.evaluation.scan import changes_sha256, with_protection
from pruneapp.evaluation.scan_file import ScanMetric
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane, LatestTask
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.feature import Ask, Feature, Flow, flow
from pruneapp.gui.document.history_controller import HistoryController, append_steps
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.gui.method_form.form_controller import FormController
from pruneapp.gui.sensitivity.dialogs import AllocatedTensor, AllocationDialog, PredictedAllocation
from pruneapp.gui.sensitivity.scan_controller import ScanController
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.engine_text import (
    numbered_title,
    translate_declared,
    translate_error,
    translate_param,
)
from pruneapp.gui.widgets.labels import join_sentences
from pruneapp.gui.widgets.reports import data_in_words, flat_scan_note
from pruneapp.methods.limits import LIMITS
from pruneapp.params import AmountParam
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job

# A prediction has failed if the measured loss is more than this many times the predicted one, and
# larger by more than this share of the metric before.
_FAILED_TIMES, _FAILED_SHARE = 3, 0.05
_BY_NAME = {param.name: param for param in LIMITS}
TOTAL = AmountParam(
    name="target_sparsity",
    label=_BY_NAME["target_sparsity"].label,
    help="Sparsity of all scanned tensors together: a fraction of their weights, or a number.",
    default=0.5,
)
PARAMS = (TOTAL, _BY_NAME["min_sparsity"], _BY_NAME["max_sparsity"])


@dataclass(frozen=True)
class _Prediction:
    """The prediction for a state, with the key of its record."""

    key: object
    allocation: Allocation
    kept: KeptScan


class AllocationController(Feature[AllocationDialog]):
    """Prunes by an allocation."""

    commands: ClassVar = {"allocate": "ask"}

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        *,
        scans: ScanController,
        evaluation: EvaluationController,
        history: HistoryController,
        form: FormController,
    ) -> None:
        super().__init__(context, session)
        self._scans, self._evaluation, self._history = scans, evaluation, history
        self._form = form
        self._task = LatestTask(context.jobs)
        self._allocation: Allocation | None = None
        self._prediction: _Prediction | None = None
        # the prediction that was last compared with a measurement
        self._compared: _Prediction | None = None
        session.changed.connect(self._on_changed)
        evaluation.measured.connect(self._compare)

    @flow
    def ask(self) -> Flow[None]:
        """Ask for a total, show how much of each tensor is pruned, and append one step.

        If the scan is of another state of the history, the step follows that state. An error is
        shown if nothing was scanned, or if the scanned state was deleted.
        """
        document, kept = self.document, self._scans.kept
        self.session.check_may_work()
        if kept is None or not kept.scan.measured:
            raise EvaluationError(
                "Nothing has been scanned yet, so nothing can be allocated.",
                remedy="Choose Tools > Scan sensitivity… first.",
            )
        number = self._scans.state
        if number < 0:
            raise EvaluationError(
                "The state that was scanned is not in the history any more.",
                remedy="Scan the current state.",
            )
        note = self._same_data(kept)
        if number == document.position:
            kept = replace(kept, scan=with_protection(kept.scan, document.snapshot()))
        else:
            text = self.tr("The step was added in a branch after the scanned state '{state}'.")
            note = join_sentences(
                text.format(state=numbered_title(number, document.items[number])), note
            )
        if kept.scan.conditions.repair:
            text = self.tr(
                "Each tensor was repaired in the scan before the evaluation. Repair the result, "
                "too."
            )
            note = join_sentences(text, note)
        if kept.scan.calibrated:
            text = self.tr(
                "The scan used data that were also used to calibrate, so its metric is better "
                "than it would be on other data."
            )
            note = join_sentences(text, note)
        dialog = AllocationDialog(
            tuple(map(translate_param, PARAMS)),
            note,
            self._window,
            warning=self._warning(kept),
            short=self.session.contents.short,
        )
        dialog.set_weights(sum(tensor.weights for tensor in kept.scan.tensors if tensor.cells))
        total = self._total_of_form(kept)
        if total is not None:
            dialog.editors[TOTAL.name].set_value(total)
        dialog.changed.connect(partial(self._compute, dialog, kept))
        self._allocation = None
        self._compute(dialog, kept)
        accepted = yield from Ask(dialog)
        self._task.cancel()
        if accepted:
            yield from self._prune(number, kept)

    def _total_of_form(self, kept: KeptScan) -> float | None:
        """Return the total sparsity that the amount of the form leads to in the scanned tensors.

        None if the amount is no fraction, or if there are several rules.
        """
        step = self._form.step_or_error()
        if isinstance(step, PruneAppError) or len(step.rows) != 1:
            return None
        target, amount = step.limits.target_sparsity, step.rows[0].values.get("amount")
        if target is not None:
            return target if isinstance(target, float) else None
        tensors = [tensor for tensor in kept.scan.tensors if tensor.cells]
        weights = sum(tensor.weights for tensor in tensors)
        if not isinstance(amount, float) or not weights:
            return None
        pruned = sum(tensor.pruned for tensor in tensors) / weights
        # An amount is a fraction of the remaining weights.
        return round(pruned + amount * (1 - pruned), 4)

    def _prune(self, number: int, kept: KeptScan) -> Flow[None]:
        """Go to the state with index `number` and append the allocation.

        It is named by its share of the scanned tensors, like a step of a method on tensors.
        Its metric is compared once it is measured. Does nothing if there is no allocation. Raises
        `EvaluationError` if the state is not the scanned one.
        """
        allocation = self._allocation
        if allocation is None:
            return
        kernel, scanned = self.session.kernel, kept.scan.conditions.state_sha256

        def make(snapshot: Snapshot, job: Job) -> tuple[Edit, ...]:
            if changes_sha256(snapshot, job) != scanned:
                raise EvaluationError(
                    "This is not the state that was scanned: other weights are pruned in it.",
                    remedy="Scan the current state.",
                )
            step = allocation.step()
            return (compute_preview(snapshot, step, kernel(), job, norms=False).edit,)

        yield from self._history.go_to(number)
        yield from append_steps(
            self.session,
            self.tr("Pruning"),
            make,
            too_late=StaleError(
                "The allocation was not applied because the history changed in the meantime.",
                remedy="Allocate again.",
            ),
        )
        document = self.document
        name = number_format.plural(
            sum(share.pruned > share.tensor.pruned for share in allocation.shares),
            self.tr("Allocation {share}, on 1 tensor"),
            self.tr("Allocation {share}, on {n} tensors"),
        )
        share = round(allocation.pruned / allocation.weights, 3)
        name = name.format(share=number_format.exact_percent(share))
        document.rename(document.position, name)
        self._prediction = _Prediction(document.history.key, allocation, kept)
        metric = allocation.metric
        text = self.tr(
            "Allocated: {metric} was {before}, and {predicted} or worse is predicted now. The "
            "prediction adds up the changes of tensors pruned one at a time; pruned together, they "
            "usually lose more."
        )
        before, predicted = number_format.metrics(
            (metric.before, allocation.predicted), share=metric.name in kept.shares
        )
        title = number_format.metric_title(metric.name)
        self._notifications.offer(
            NoticeTopic.ALLOCATION,
            text.format(metric=title, predicted=predicted, before=before),
            self.tr("Evaluate this state"),
            self._evaluation.evaluate_state,
        )
        self._compare()  # the state may have been evaluated before

    def _compute(self, dialog: AllocationDialog, kept: KeptScan) -> None:
        """Compute the allocation of the settings in the background, cancelling an earlier one.

        The dialog shows it, or its error.
        """
        values = dialog.values()
        metric = kept.shown_metric.name
        bounds = (Bound(low=values["min_sparsity"], high=values["max_sparsity"]),)

        def work(_job: Job) -> Allocation:
            return allocate(kept.scan, values["target_sparsity"], metric=metric, bounds=bounds)

        def show(allocation: Allocation) -> None:
            if self.dialog is dialog:
                self._allocation = allocation
                dialog.set_allocation(self._predict(allocation, kept))

        def refuse(error: PruneAppError) -> None:
            if self.dialog is dialog:
                self._allocation = None
                dialog.set_error(translate_error(error, PARAMS))

        self._task.start(work, show, refuse, lane=Lane.INTERACTIVE)

    def _predict(self, allocation: Allocation, kept: KeptScan) -> PredictedAllocation:
        by_name, metric = self.session.by_name, allocation.metric
        tensors = []
        for share in allocation.shares:
            row = by_name.get(share.tensor.name)
            shown = share.tensor.name if row is None else row.shown
            tensors.append(
                AllocatedTensor(shown, share.tensor.weights, share.sparsity, share.damage)
            )
        return PredictedAllocation(
            tuple(tensors),
            metric.name,
            metric.before,
            allocation.predicted,
            allocation.pruned - sum(share.tensor.pruned for share in allocation.shares),
            metric.name in kept.shares,
            metric.higher,
            len(allocation.unmeasured),
        )

    def _warning(self, kept: KeptScan) -> str:
        """Return why a stored scan is incomplete, outdated or flat; empty if it is none of it."""
        parts, scan = [], kept.scan
        if scan.measured < scan.wanted:
            text = self.tr(
                "The scan is not finished: {n} of {all} evaluations are measured. Scan again to "
                "continue it."
            )
            n, all_ = number_format.count(scan.measured), number_format.count(scan.wanted)
            parts.append(text.format(n=n, all=all_))
        parts.append(self._scans.why_old(kept))
        if self._scans.sensitivity_of(kept).is_flat:
            parts.append(flat_scan_note())
        return join_sentences(*parts)

    def _same_data(self, kept: KeptScan) -> str:
        """Return a note on whether the scan and its result are measured on the same data."""
        now, scanned = self._evaluation.shown_conditions, kept.conditions
        if now is None or scanned is None:
            return translate_declared(SharedData.UNKNOWN.value)
        data = kept.scan.conditions
        shared = compare_data(
            DataUse(data.data, data.seed, data.limit, scanned.samples),
            DataUse(self._evaluation.data, now.seed, now.limit, now.samples),
        )
        if shared is SharedData.UNKNOWN and kept.evaluation == self._evaluation.shown_evaluation:
            shared = SharedData.SAME_SETTINGS
        text = translate_declared(shared.value).format(
            scanned=data_in_words(scanned), evaluated=data_in_words(now)
        )
        return join_sentences(
            text, translate_declared(SHARED_DATA_ADVICE) if shared.is_shared else ""
        )

    def _compare(self) -> None:
        """Show the predicted and the measured metric of the current state, once both are known.

        Each allocation is compared once.
        """
        prediction = self._prediction
        if prediction is None or prediction is self._compared or not self._is_current(prediction):
            return
        quality = self._evaluation.quality_of(prediction.key)
        metric = prediction.allocation.metric
        found = None if quality is None else quality.metric(metric.name)
        if found is None:
            return
        self._compared = prediction
        predicted = prediction.allocation.predicted
        values = number_format.metrics((found.value, predicted), share=found.share)
        title = number_format.metric_title(metric.name)
        words = {"metric": title, "measured": values[0], "predicted": values[1]}
        if _has_failed(metric, found.value, predicted):
            text = self.tr(
                "Much worse than predicted: {metric} is {measured}, and {predicted} was predicted. "
                "Pruned together, these tensors lose far more than one at a time. Repair or "
                "recover this state, or undo the allocation and choose a lower total."
            )
            recover = self._actions["recover"]
            self._notifications.offer(
                NoticeTopic.ALLOCATION, text.format(**words), self.tr("Recover…"), recover.trigger
            )
            return
        text = self.tr(
            "Allocation: {metric} is {measured}; {predicted} or worse was predicted. The "
            "prediction adds up the changes of tensors pruned one at a time; pruned together, they "
            "usually lose more. {data}"
        )
        data = self._same_data(prediction.kept)
        self._notifications.show_info(NoticeTopic.ALLOCATION, text.format(**words, data=data))

    # -- the document ---------------------------------------------------------------------------

    def _is_current(self, prediction: _Prediction) -> bool:
        document = self.session.document
        return document is not None and document.history.key is prediction.key

    def _on_changed(self) -> None:
        if self._prediction is None or not self._is_current(self._prediction):
            self._notifications.end(NoticeTopic.ALLOCATION)  # the notice is about another state

    def on_closed(self) -> None:
        super().on_closed()
        self._task.cancel()
        self._allocation = self._prediction = self._compared = None


def _has_failed(metric: ScanMetric, measured: float, predicted: float) -> bool:
    """Return whether a metric is far worse than an allocation has predicted."""
    lost, expected = (metric.damage(value) for value in (measured, predicted))
    more = lost - expected > _FAILED_SHARE * abs(metric.before)
    return not math.isfinite(lost) or (more and lost > _FAILED_TIMES * expected)
