"""Computes what the plots request, for the focused tensor and the visible page only.

Results are computed from snapshots on worker threads. A new request cancels the previous one of its
kind, and results for an old state are discarded by their generation number. Plots and tables are
also written and copied on worker threads: a table may have 100,000 rows, and encoding an image
takes some tenths of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QImage

from pruneapp.analysis.layout import layout
from pruneapp.analysis.sparsity_report import SparsityReport
from pruneapp.analysis.statistics import ChannelNorms, TensorStats, channel_norms, histogram, stats
from pruneapp.analysis.tiles import Tile, TileRequest, tile
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.checkpoint.io.upload import write_whole
from pruneapp.document.document import DocumentChanged
from pruneapp.export.report_writer import csv_text
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.dialogs import save_path
from pruneapp.gui.app.jobs import Jobs, Lane, LatestTask, Throttle
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.plots.base.export_menu import Encode, png
from pruneapp.gui.plots.base.plot_view import PlotView
from pruneapp.gui.plots.base.slide import Slide, SlideDialog, encode_slide
from pruneapp.gui.plots.heatmap.limits_dialog import LimitsDialog
from pruneapp.gui.plots.heatmap.toolbar import Axes
from pruneapp.gui.plots.pages import Page, PlotPages
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.gui.preview.preview_state import PreviewState
from pruneapp.gui.widgets.clipboard import Copies, Numbers, in_percent, text_of
from pruneapp.gui.widgets.engine_text import translate_error, translate_sentence
from pruneapp.gui.widgets.labels import with_label
from pruneapp.gui.widgets.number_format import dim_labels, plural
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.params import NormParam
from pruneapp.preview.from_histograms import report_since_opening
from pruneapp.progress import Job

# Minimum interval between estimates in the heatmap: each one reads millions of weights.
EVERY_MS = 100


T = TypeVar("T")
KINDS = ("tile", "point", "stats", "histogram", "channels", "model")


class PlotController(QObject):
    """Keeps the plots of the focused tensor and of the model up to date."""

    focused = Signal()  # `name` changed

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        previews: PreviewController,
        pages: PlotPages,
        parent: QObject | None = None,
        *,
        rows_in_order: Callable[[], Sequence[TensorRow]],
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._rows_in_order = rows_in_order  # all tensors in the order of the tree
        self._state = previews.state
        self._pages = pages
        self._tasks = {kind: LatestTask(jobs) for kind in KINDS}
        # The last report of the page Model: of a report and the tensors of a previewed step.
        self._bars: tuple[SparsityReport, Sequence[str], SparsityReport] | None = None
        # Pages that are up to date or whose result is pending.
        self._known: set[Page] = set()
        # The last norms with their key (state, tensor, dimension, order): another preview changes
        # only a part of them.
        self._norms: tuple[tuple[object, ...], ChannelNorms] | None = None
        self.name: str | None = None  # "" is a valid tensor name
        self._sample_pending = False  # whether the last requested tile is a sample
        self._estimate_pending = False
        # What the preview prunes of the tensor: the mask, until it is known the threshold of the
        # estimate, and until that is known the mask of the previous preview.
        self._mask: BitMask | None = None
        self._threshold: float | None = None
        self._previous_mask: BitMask | None = None
        self._estimates = Throttle(self._show_estimate, self)
        pages.weights.tileRequested.connect(self._on_tile_requested)
        pages.weights.pointRequested.connect(
            partial(self._request_tile, "point", done=pages.weights.set_point)
        )
        pages.weights.historyRequested.connect(self._on_history_requested)
        pages.weights.axes.chosen.connect(self._on_axes_chosen)
        pages.pageChanged.connect(self._on_page_changed)
        pages.distribution.histogramRequested.connect(
            partial(self._request_again, Page.DISTRIBUTION)
        )
        pages.channels.normsRequested.connect(partial(self._request_again, Page.CHANNELS))
        session.changed.connect(self._on_changed)
        session.opened.connect(self._on_opened)
        session.closed.connect(self._on_closed)
        previews.stateChanged.connect(self.set_preview)

    def show_tensor(self, name: str) -> None:
        """Show another tensor and request its results; an unknown name shows none.

        Emits `focused`. Does nothing if it is shown already.
        """
        row = self._session.by_name.get(name)
        document = self._session.document
        shown = name if row is not None and document is not None else None
        if shown == self.name:
            return
        self.name = shown
        self._cancel_requests()
        self._follow_tensor()
        if row is None or document is None:
            self._pages.set_tensor(None)
            self.focused.emit()
            return
        pruned = document.masks.pruned(name)
        self._pages.set_tensor(row, pruned)
        weights = self._pages.weights
        weights.set_layout(layout(row.shape, row.kind), row.shape, row.dtype, row.name)
        weights.set_pruned(pruned)
        weights.set_not_editable_reason(translate_sentence(row.why_not))
        labels = dim_labels(row.shape, row.kind) if len(row.shape) > 1 else ()
        self._pages.channels.set_dims(labels, shape=() if row.why_not else row.shape)
        self._request_stats()
        self._request_page(self._pages.page)
        self.focused.emit()

    def recount(self) -> None:
        """Recompute results that depend on counts, because more counts are known."""
        self._known.discard(Page.MODEL)
        if self._pages.page is Page.MODEL:
            self._request_page(Page.MODEL)

    # -- changes of the document and the preview --------------------------------------------------

    def _on_changed(self, change: DocumentChanged) -> None:
        name = self.name
        if name is not None and name in change.names:
            document = self._session.document
            assert document is not None
            self._pages.set_pruned(document.masks.pruned(name))
            self._pages.weights.invalidate(other_state=True)
            self._known.clear()
            self._request_stats()
        self._known.discard(Page.MODEL)
        self._request_page(self._pages.page)

    def set_preview(self, state: PreviewState) -> None:
        """Update the plots for another state of the preview.

        Only what the visible page shows is requested; the other pages become outdated. Estimates
        reach the page Weights at most every `EVERY_MS`.
        """
        former, self._state = self._state, state
        is_other_preview = state.shown is not former.shown
        is_other_report = state.report is not former.report or state.counted != former.counted
        if is_other_preview:
            previous_mask, self._mask = self._mask, self._mask_of_preview()
            self._threshold = None
            # Keep the old mask until the estimate is ready, so that the picture does not flicker.
            keeps_mask = state.shown is None and state.report is not None
            self._previous_mask = previous_mask if keeps_mask else None
        if is_other_report:
            # When the preview ends, its estimate must disappear immediately.
            self._estimates.request(at_once=state.report is None)
        if is_other_report:
            self._known.discard(Page.MODEL)
        if is_other_preview:
            self._known.clear()
            self._pages.weights.invalidate()
        shows_report = self._pages.page in {Page.MODEL, Page.DISTRIBUTION}
        outdated = is_other_preview or (is_other_report and shows_report)
        if outdated and not self._threshold_is_enough:
            self._request_page(self._pages.page)

    def _on_page_changed(self, number: int) -> None:
        self._estimates.request(at_once=True)
        self._request_page(number)

    @property
    def _threshold_is_enough(self) -> bool:
        """Whether the threshold in the distribution shows the estimate, without a new histogram."""
        report = self._state.report
        if self._state.shown is not None or report is None or self.name is None:
            return False
        tensor = report.by_name.get(self.name)
        return (
            self._pages.page is Page.DISTRIBUTION
            and tensor is not None
            and tensor.threshold is not None
        )

    def _on_opened(self, _opened: object) -> None:
        self._pages.weights.forget_limits()
        rows = self._session.rows
        self._pages.set_empty_text("" if rows else self.tr("This file has no tensors."))
        if rows and all(row.why_not for row in rows):
            self._pages.model.set_empty_text(self.tr("No tensor of this file can be pruned."))

    def _on_closed(self) -> None:
        self._pages.set_empty_text("")
        self.name = None
        self._norms = None
        self._cancel_requests()
        self._follow_tensor()
        self._pages.set_tensor(None)
        self._pages.model.set_report(None)

    @property
    def _row(self) -> TensorRow | None:
        return None if self.name is None else self._session.by_name.get(self.name)

    # -- requests ---------------------------------------------------------------------------------

    def _cancel_requests(self) -> None:
        """Cancel all requests and mark all pages as outdated."""
        for task in self._tasks.values():
            task.cancel()
        self._known.clear()

    def _request(
        self, kind: str, page: Page, work: Callable[[Job], T], done: Callable[[T], None]
    ) -> None:
        """Start `work` for a page, and call `done` with its result; cancels the former request.

        Requests of another `kind` continue. An error is shown on the page, which counts as outdated
        then.
        """
        picture = self._pages.picture(page)

        def failed(text: str) -> None:
            self._known.discard(page)
            picture.set_busy(False)
            picture.set_error(text)

        self._tasks[kind].start(
            work,
            done,
            lambda error: failed(translate_error(error)),
            on_cancelled=lambda: failed(self.tr("This view could not be computed.")),
        )

    def _request_page(self, number: int) -> None:
        page = Page(number)
        document = self._session.document
        if document is None or page in self._known:
            return
        snapshot, row = document.snapshot(), self._row
        picture = self._pages.picture(page)
        if page is Page.MODEL:
            self._known.add(page)
            preview_report = self._state.report
            by_name, first = self._session.by_name, document.state_at(0)
            self._pages.model.set_tensors(self._rows_in_order())
            picture.set_busy(True)
            # Takes 0.2 s with 100,000 tensors.
            self._request(
                "model",
                page,
                lambda job: self._with_bars(
                    report_since_opening(first.load(job), snapshot, job), preview_report, by_name
                ),
                lambda report: self._pages.model.set_report(report, preview_report),
            )
            return
        if row is None or page is Page.WEIGHTS:
            return  # the weights page requests its own tiles
        self._known.add(page)
        name, to_prune = row.name, self._mask
        if page is Page.DISTRIBUTION:
            binning, finer = self._pages.distribution.binning, self._pages.distribution.finer
            if finer is None:
                picture.set_busy(True)
            self._request(
                "histogram",
                page,
                lambda job: histogram(snapshot, name, to_prune, job, binning=binning, finer=finer),
                self._pages.distribution.set_histogram,
            )
        elif page is Page.CHANNELS and len(row.shape) < 2:
            picture.set_error(self.tr("A tensor of one dimension has no channels."))
        elif page is Page.CHANNELS:
            dim = max(self._pages.channels.dim, 0)
            n = NormParam().parse(self._pages.channels.norm_choice)
            picture.set_busy(True)
            asked = snapshot.revision, name, dim, n
            known = self._norms[1] if self._norms is not None and self._norms[0] == asked else None

            def measured(norms: ChannelNorms) -> None:
                self._norms = asked, norms
                self._pages.channels.set_norms(norms)

            self._request(
                "channels",
                page,
                lambda job: channel_norms(
                    snapshot,
                    name,
                    dim,
                    n,
                    preview=to_prune,
                    kernel=CpuKernel(),
                    job=job,
                    known=known,
                ),
                measured,
            )

    def _with_bars(
        self,
        report: SparsityReport,
        preview_report: SparsityReport | None,
        rows: Mapping[str, TensorRow],
    ) -> SparsityReport:
        """Return a report of the tensors with a bar.

        These are the tensors with pruned weights, those of the previewed step, and all with two or
        more dimensions: biases and norms would hide them. The result is cached while the slider
        moves, because it takes long for 100,000 tensors. Thread-safe.
        """
        names: Sequence[str] = () if preview_report is None else preview_report.table.names
        known = self._bars
        if known is not None and known[0] is report and known[1] is names:
            return known[2]
        table, touched = report.table, set(names)
        pairs = enumerate(zip(table.names, table.after.tolist(), strict=True))
        shown = [
            index
            for index, (name, after) in pairs
            if after or name in touched or len(rows[name].shape) > 1
        ]
        result = replace(report, tensors=table.at(shown))
        self._bars = report, names, result
        return result

    def _request_stats(self) -> None:
        document, name = self._session.document, self.name
        if document is None or name is None:
            return
        snapshot = document.snapshot()
        # Includes the owners that the statistics depend on: masks and replaced values.
        mask = snapshot.masks.get(name)
        key = "statistics", name, id(mask)
        owners = mask, snapshot.permanent.get(name), snapshot.values.get(name)
        known: TensorStats | None = snapshot.cache.get(key, owners)
        if known is not None:
            self._tasks["stats"].cancel()  # a request for another state or tensor
            self._pages.numbers.set_stats(known)
            return

        def done(statistics: TensorStats) -> None:
            snapshot.cache.put(key, owners, statistics)
            if name == self.name:
                self._pages.numbers.set_stats(statistics)

        self._tasks["stats"].start(lambda job: stats(snapshot, name, job), done)

    def _request_again(self, page: Page) -> None:
        self._known.discard(page)
        self._request_page(self._pages.page)

    # -- heatmap tiles ----------------------------------------------------------------------------

    @property
    def to_prune(self) -> BitMask | float | None:
        """Mask or threshold of the weights to be pruned, for `tile`; None if none or unknown."""
        if self._mask is not None:
            return self._mask
        return self._previous_mask if self._threshold is None else self._threshold

    def _follow_tensor(self) -> None:
        self._previous_mask, self._mask = None, self._mask_of_preview()
        self._threshold = self._estimated_threshold()

    def _mask_of_preview(self) -> BitMask | None:
        preview = self._state.shown
        if preview is None or self.name is None:
            return None
        return preview.masks.get(self.name)

    def _estimated_threshold(self) -> float | None:
        report = self._state.report
        if self._state.preview is not None or report is None or self.name is None:
            return None
        tensor = report.by_name.get(self.name)
        return None if tensor is None else tensor.threshold

    def _show_estimate(self) -> int:
        """Show a new estimate; return the minimum number of milliseconds until the next call.

        Returns `EVERY_MS` if the estimate changed, and 0 (no minimum) with an exact preview or if
        the threshold is the same. On pages other than Weights the estimate is dropped, which counts
        as a change if there was one.
        """
        if self._state.preview is not None:
            return 0
        shown = self._pages.page is Page.WEIGHTS
        threshold = self._estimated_threshold() if shown else None
        if threshold == self._threshold and self._previous_mask is None:
            return 0
        self._threshold, self._previous_mask = threshold, None
        self._on_estimate()
        return EVERY_MS

    def _on_estimate(self) -> None:
        # Restarting for each estimate would starve tiles that take longer than the interval.
        self._estimate_pending = self._sample_pending and self._tasks["tile"].task is not None
        if not self._estimate_pending:
            self._pages.weights.invalidate(transient=True)

    def _on_tile_requested(self, request: TileRequest) -> None:
        def done(answer: Tile, generation: int) -> None:
            self._pages.weights.set_tile(answer, generation)
            if self._estimate_pending:
                self._on_estimate()

        self._sample_pending = request.sampled
        self._request_tile("tile", request, done)

    def _request_tile(
        self, kind: str, request: TileRequest, done: Callable[[Tile, int], None]
    ) -> None:
        document = self._session.document
        if document is None:
            return
        snapshot, to_prune = document.snapshot(), self.to_prune
        generation = self._pages.weights.generation
        self._request(
            kind,
            Page.WEIGHTS,
            lambda job: tile(snapshot, request, to_prune, job),
            lambda answer: done(answer, generation),
        )

    def _on_history_requested(self, index: tuple[int, ...]) -> None:
        document, row = self._session.document, self._row
        if document is None or row is None:
            return
        flat = 0
        for at, extent in zip(index, row.shape, strict=True):
            flat = flat * extent + at
        step = document.find_pruning_step(row.name, flat)
        if step is not None:
            item = document.item_for(step, row.name)
            self._pages.weights.set_pruned_by(index, step, item)

    def _on_axes_chosen(self, axes: Axes) -> None:
        if (row := self._row) is not None:
            self._pages.weights.set_plane(layout(row.shape, row.kind, *axes), axes)


_AT_A_TIME = 250  # rows per progress step; a thousand take some hundredths of a second
_COPIED_AT_ONCE = 1000
_PURPOSE = "picture"  # of the folder in which plots and their numbers are saved


class TableController(Controller):
    """Saves plots and tables to files, and copies plots and table rows to the clipboard."""

    def __init__(self, context: AppContext, session: OpenDocument, pages: PlotPages) -> None:
        super().__init__(context)
        self._session = session
        self._pages = pages
        for picture in pages.pictures.values():
            self.connect_plot(picture)
        pages.weights.limitsRequested.connect(self._ask_limits)
        self._copying = LatestTask(context.jobs)
        copies = Copies(context.window)
        copies.wanted.connect(self.copy)
        QGuiApplication.clipboard().dataChanged.connect(self._on_clipboard)

    def connect_plot(self, plot: PlotView) -> None:
        """Save and copy a plot when it asks for it, and propose the folder used last."""
        plot.export_menu.folder = partial(self._session.folder, _PURPOSE)
        plot.fileRequested.connect(self.save_picture)
        plot.clipboardRequested.connect(self.copy_picture)
        plot.csvRequested.connect(self.save)
        plot.slideRequested.connect(partial(self.ask_slide, plot))

    def save(self, numbers: Numbers, path: Path) -> None:
        """Save a table as CSV in a job; the file is replaced only if all of it was written."""
        title = self.tr("Saving the numbers")
        self._save(title, lambda job: write_csv(numbers, path, job), path)

    def save_picture(self, encode: Encode, path: Path) -> None:
        """Save a plot in a job; the file is replaced only if all of it was written."""
        title = self.tr("Saving the picture")
        self._save(title, lambda job: write_whole(path, encode(), job), path)

    def ask_slide(self, picture: PlotView) -> None:
        """Ask the user for title, size, format and path of a picture of a plot, and save it."""
        document = self._session.document
        model = "" if document is None else document.checkpoint.path.name
        title = with_label(model, picture.slide_title()) if model else picture.slide_title()
        dialog = SlideDialog(
            title, picture.slide_subtitle(), self._window, labels=picture.has_labels
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: self._save_slide(picture, dialog.slide))
        self._theme.apply_to(dialog)
        dialog.open()

    def _ask_limits(self) -> None:
        """Ask the user for the contrast limits of the displayed tensor."""
        view = self._pages.weights
        bar = view.color_bar
        dialog = LimitsDialog(bar.limits, self._window, centered=bar.centered)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: view.set_limits(dialog.limits))
        self._theme.apply_to(dialog)
        dialog.open()

    def _save_slide(self, picture: PlotView, slide: Slide) -> None:
        suffix = f".{slide.suffix}"
        path = save_path(
            self._window,
            self.tr("Save picture"),
            self._session.folder(_PURPOSE) / f"{picture.export_menu.stem}{suffix}",
            f"{slide.suffix.upper()} (*{suffix})",
            suffix,
        )
        if path is not None:
            self.save_picture(encode_slide(picture, slide), path)

    def _save(self, title: str, write: Callable[[Job], object], path: Path) -> None:
        self._session.note_folder(_PURPOSE, path)
        written: list[Path] = []

        def work(job: Job) -> None:
            write(job)
            written.append(path)

        def end() -> None:
            self._notifications.end(NoticeTopic.PICTURE)
            self._notifications.show_done(self.tr("Saved {file}.").format(file=path.name))

        def cancelled() -> None:
            if written:  # cancelled too late
                end()
            elif task.token.cancelled:  # otherwise a bug ended it, which is reported elsewhere
                text = self.tr("Saving {file} cancelled: nothing was written.")
                self._notifications.show_done(text.format(file=path.name))

        task = self._jobs.run(
            work,
            on_result=lambda _: end(),
            on_error=self._session.refused.emit,
            on_cancelled=cancelled,
            title=title,
            lane=Lane.WRITING,
        )

    def copy_picture(self, image: QImage) -> None:
        """Copy an image to the clipboard with its PNG encoding, so that pasting is fast.

        It is encoded in the background; another copy in the meantime, also in another program,
        cancels this one.
        """

        def end(data: bytes) -> None:
            # Qt deletes the contents after Python has ended, so Python must not create a QMimeData.
            clipboard = QGuiApplication.clipboard()
            clipboard.setImage(image)
            clipboard.mimeData().setData("image/png", data)
            self._notifications.show_done(self.tr("Copied the picture."))

        self._copying.start(lambda _job: png(image), end, self._session.refused.emit)

    def copy(self, rows: Numbers) -> None:
        """Copy rows to the clipboard; more than `_COPIED_AT_ONCE` are formatted in a job first.

        Another copy in the meantime, also in another program, cancels the job.
        """
        self._copying.cancel()
        if rows.rows <= _COPIED_AT_ONCE:
            self._set_clipboard_text(text_of(rows.headers, rows), rows.rows)
            return
        # Not queued after an export, which may take minutes.
        task = self._copying.start(
            lambda job: text_of(rows.headers, _with_progress(rows, job)),
            lambda text: self._set_clipboard_text(text, rows.rows),
            self._session.refused.emit,
        )
        self._jobs.show(task, self.tr("Copying rows"))

    def _on_clipboard(self) -> None:
        self._copying.cancel()  # other contents were copied and must not be replaced

    def _set_clipboard_text(self, text: str, rows: int) -> None:
        QGuiApplication.clipboard().setText(text)
        words = plural(rows, self.tr("Copied 1 row."), self.tr("Copied {n} rows."))
        self._notifications.show_done(words)


def write_csv(numbers: Numbers, path: Path, job: Job) -> None:
    """Write a table as CSV with full precision, decimal points and commas; shares in percent.

    All columns are written, also those that are not visible. The file is replaced at the end.

    Raises
    ------
    ExportError
        If the file cannot be written. An existing file is left unchanged.
    """
    parts = job.parts(2)
    headers = [in_percent(h) if at in numbers.shares else h for at, h in enumerate(numbers.headers)]
    rows = (
        [
            round(100 * cell, 10) if at in numbers.shares and cell is not None else cell
            for at, cell in enumerate(row)
        ]
        for row in _with_progress(numbers, next(parts))
    )
    data = csv_text(headers, rows).encode()
    write_whole(path, data, next(parts))


def _with_progress(numbers: Numbers, job: Job) -> Iterator[Sequence[Any]]:
    job.start(numbers.rows)
    for start in range(0, numbers.rows, _AT_A_TIME):
        stop = min(start + _AT_A_TIME, numbers.rows)
        yield from map(numbers.row, range(start, stop))
        job.step(stop - start)
