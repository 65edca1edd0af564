"""Connects the movable lines of plots with the amount in the form.

A dragged threshold or number of channels is converted to an amount and set in the form as if the
user had typed it, so that the estimate, the tree and the preview follow. In the other direction the
lines show the cut of the step in the form.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal

from pruneapp.analysis import histogram_store
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs import Jobs, Lane, LatestTask
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.method_form.form_controller import FormController
from pruneapp.gui.plots.pages import Page, PlotPages
from pruneapp.gui.plots.plot_controller import PlotController
from pruneapp.gui.preview.histogram_controller import HistogramController
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.methods import registry
from pruneapp.methods.amounts import count_to_prune
from pruneapp.methods.method import Method
from pruneapp.params import Amount, DimParam, NormParam
from pruneapp.preview.cumulative import channel_order_of, cumulative_of
from pruneapp.progress import Job

# Decimal places of a share that is derived from a line.
SHARE_DIGITS = 5
# With more tensors than this, weights are counted in a job unless the counts are cached.
MAX_UNCACHED_TENSORS = 500


class ThresholdController(QObject):
    """Converts lines to amounts, and amounts to lines, for the focused tensor."""

    _countQueued = Signal()

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        *,
        form: FormController,
        previews: PreviewController,
        histograms: HistogramController,
        plots: PlotController,
        pages: PlotPages,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._form = form
        self._previews = previews
        self._plots = plots
        self._pages = pages
        self._pending_threshold: float | None = None
        # The tensor of a line that the user moved, until its result is shown.
        self._moved_tensor: str | None = None
        # Rule index and amount before the drag.
        self._amount_before_drag: tuple[int, Amount] | None = None
        self._counting = LatestTask(jobs)
        # Queued, so that only the last of several pending moves is counted.
        self._countQueued.connect(self._count, Qt.ConnectionType.QueuedConnection)
        pages.distribution.thresholdMoved.connect(self._on_threshold)
        pages.channels.cutMoved.connect(self._on_cut)
        for chart in (pages.distribution, pages.channels):
            chart.canvas.lineGrabbed.connect(self._on_line_grabbed)
            chart.canvas.lineDragCancelled.connect(self._on_line_drag_cancelled)
        pages.pageChanged.connect(self._show)
        pages.channels.normsRequested.connect(self._show)
        plots.focused.connect(self._show)
        previews.stateChanged.connect(self._show)
        histograms.counted.connect(self._show)
        session.closed.connect(self._cancel_count)

    # -- from the form to the plot ----------------------------------------------------------------

    def _show(self) -> None:
        behind = self._is_counting or self._previews.state.is_behind
        if behind and self._moved_tensor == self._plots.name:
            return  # the known result is older than the line, which would jump back
        self._moved_tensor = None
        if self._pages.page is Page.DISTRIBUTION:
            self._show_threshold()
        elif self._pages.page is Page.CHANNELS:
            self._show_cut()

    def _show_threshold(self) -> None:
        view = self._pages.distribution
        rule = self._rule()
        if rule is None or rule[1].estimated_by != "magnitudes" or self._previews.ranks_by_scores:
            view.set_threshold(None)
            return
        _, name = self._focused()
        state = self._previews.state
        report = state.report
        tensor = report.by_name.get(name) if report is not None else None
        if report is not None and tensor is None:
            view.set_threshold(None)  # the step does not include this tensor
            return
        counted = state.step is not None and state.counted
        movable = counted and self._amount_counts()
        if tensor is None and movable:
            view.show_idle_line(state.current.threshold(name))
            return
        if tensor is None or (tensor.threshold is None and not counted):
            view.set_threshold(None)
            return
        view.set_threshold(
            tensor.threshold or 0.0,  # nothing is pruned: the line is at 0
            editable=movable,
            is_estimate=not state.is_sure,
        )

    def _show_cut(self) -> None:
        view = self._pages.channels
        rule = self._rule()
        if rule is None or not self._is_shown(*rule) or self._previews.ranks_by_scores:
            view.set_cut(None)
            return
        row, method = rule
        snapshot, name = self._focused()
        state = self._previews.state
        report, step = state.report, state.step
        if report is None or step is None or name not in report.by_name:
            view.set_cut(None)  # no step is set up, or its report is not known yet
            return
        try:
            if step.limits.bound:
                cut = _channels_with(snapshot, row, name, report.by_name[name].newly_pruned)
            else:  # not from the number of weights: partly pruned channels have fewer
                left = int(snapshot.units((name,), method, row.values).left[0])
                cut = count_to_prune(row.values["amount"], left)
        except PruneAppError:
            view.set_cut(None)  # the form shows the error
            return
        if not cut and row.values["amount"]:
            view.set_cut(None)  # limits protect the whole tensor, or nothing is left to prune
            return
        view.set_cut(cut, editable=self._amount_counts())

    @property
    def _is_counting(self) -> bool:
        return self._pending_threshold is not None or self._counting.task is not None

    # -- from the plot to the form ----------------------------------------------------------------

    def _on_line_grabbed(self) -> None:
        rule, step = self._rule(), self._previews.state.step
        self._amount_before_drag = None
        if rule is not None and step is not None:
            row = rule[0]
            self._amount_before_drag = step.rows.index(row), row.values["amount"]

    def _on_line_drag_cancelled(self) -> None:
        self._cancel_count()
        self._moved_tensor = None
        if self._amount_before_drag is not None:
            self._form.set_amount(*self._amount_before_drag)

    def _on_threshold(self, threshold: float) -> None:
        """Count the weights below a magnitude soon, and set the amount in the form from that.

        During a count only the newest threshold is kept; it is counted next.
        """
        if not self._is_counting:
            self._countQueued.emit()
        self._pending_threshold, self._moved_tensor = threshold, self._plots.name

    def _count(self) -> None:
        threshold, self._pending_threshold = self._pending_threshold, None
        rule, step = self._rule(), self._previews.state.step
        if rule is None or step is None or threshold is None:
            return
        row = rule[0]
        snapshot, name = self._focused()

        def work(job: Job) -> tuple[tuple[str, ...], int | None]:
            names = _affected_names(snapshot, step, row) if step.scope == "global" else (name,)
            if len(names) == 1:
                return names, histogram_store.count_up_to(snapshot, names, threshold)
            table = cumulative_of(snapshot, names, job)
            return names, None if table is None else table.count_up_to(threshold)

        def done(counted: tuple[tuple[str, ...], int | None]) -> None:
            self._set_from_count(row, snapshot, *counted)
            if self._pending_threshold is not None:
                self._count()

        known = len(row.names) <= MAX_UNCACHED_TENSORS or snapshot.recall(
            _affected_names(snapshot, step, row)
        )
        if step.scope == "local" or known:
            self._set_from_count(row, snapshot, *work(Job()))
            return
        self._counting.start(work, done, lane=Lane.INTERACTIVE)

    def _set_from_count(
        self, row: Row, snapshot: Snapshot, names: tuple[str, ...], count: int | None
    ) -> None:
        if count is not None:
            units = snapshot.units(names, registry.get(row.method), row.values)
            self._set(row, count, int(units.left.sum()))

    def _on_cut(self, channels: int) -> None:
        rule = self._rule()
        if rule is not None:
            row, method = rule
            snapshot, name = self._focused()
            self._moved_tensor = name
            units = snapshot.units((name,), method, row.values)
            self._set(row, channels, int(units.left[0]))

    def _set(self, row: Row, count: int, left: int) -> None:
        step = self._previews.state.step
        if step is None or row not in step.rows:
            return  # another step is set up now
        amount: Amount = count
        if isinstance(row.values["amount"], float):
            amount = min(1.0, round(count / left, SHARE_DIGITS)) if left else 0.0
        self._form.set_amount(step.rows.index(row), amount)

    # -- state ------------------------------------------------------------------------------------

    def _focused(self) -> tuple[Snapshot, str]:
        document, name = self._session.document, self._plots.name
        assert document is not None
        assert name is not None
        return document.snapshot(), name

    def _rule(self) -> tuple[Row, Method] | None:
        """Return the last rule that applies to the focused tensor, with its method.

        None if there is none, if limits exclude the tensor, or without step, tensor or document.
        """
        step, name = self._previews.state.step, self._plots.name
        if step is None or name is None or self._session.document is None:
            return None
        if name in self._previews.state.assignment.excluded:
            return None
        row = next((row for row in reversed(step.rows) if name in row.names), None)
        return None if row is None else (row, registry.get(row.method))

    def _is_shown(self, row: Row, method: Method) -> bool:
        """Return whether the page Channels shows the norms by which a rule ranks channels.

        Dimension and norm must be those that the user chose there.
        """
        view, name = self._pages.channels, self._plots.name
        kinds = {type(param): param.name for param in method.params}
        if name is None or DimParam not in kinds or NormParam not in kinds:
            return False
        rank = len(self._session.by_name[name].shape)
        dim, n = row.values[kinds[DimParam]], row.values[kinds[NormParam]]
        return rank > 1 and dim % rank == view.dim and str(n).removesuffix(".0") == view.norm_choice

    def _amount_counts(self) -> bool:
        """Return whether the amount decides how much is pruned (there is no target sparsity)."""
        step: Step | None = self._previews.state.step
        return step is not None and step.limits.target_sparsity is None

    def _cancel_count(self) -> None:
        self._pending_threshold = None
        self._counting.cancel()


def _affected_names(snapshot: Snapshot, step: Step, row: Row) -> tuple[str, ...]:
    """Return the tensors of a row that the step does not exclude."""
    rows = histogram_store.cached_rows(snapshot, step)
    return next((names for one, names in rows if one is row), ())


def _channels_with(snapshot: Snapshot, row: Row, name: str, pruned: int) -> int | None:
    """Return the least number of channels with at least `pruned` weights; None if unknown."""
    ordered = channel_order_of(snapshot, row, (name,), Job())
    if ordered is None:
        return None
    return int(ordered.running.least_reaching(np.array([pruned], np.int64))[0])
