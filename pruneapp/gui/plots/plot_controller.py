"""Answers what the pictures ask: for the tensor in focus, and only for the page that is shown.

Answers come from the small executor, from snapshots; a newer question cancels the older one of the
same kind, and an answer about a state that is gone is dropped by its number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from weakref import ref

from PySide6.QtCore import QObject, Signal

from pruneapp.analysis.statistics import histogram
from pruneapp.analysis.statistics_stats import channel_norms, stats
from pruneapp.document.document_changes import DocumentChanged
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.plots.pages import Page, PicturePages
from pruneapp.gui.plots.plot_controller_following import FocusPreview
from pruneapp.gui.plots.plot_controller_page_answers import LatestRequest
from pruneapp.gui.plots.plot_controller_weight_tiles import TileController
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.gui.widgets.number_format_dims import dim_labels
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.params import NormParam
from pruneapp.preview.from_histograms_retained import retained
from pruneapp.results.document_rows_tensor_row import TensorRow
from pruneapp.results.sparsity_report import SparsityReport
from pruneapp.results.tensor_statistics import ChannelNorms, TensorStats


class PlotController(QObject):
    """Keeps the pictures true.

    Parameters
    ----------
    session
        The document.
    jobs
        Where answers are found.
    forecasting
        The preview, which pictures show as what would go.
    pages
        The pictures.

    Signals
    -------
    focused()
        `name` is another one.
    """

    focused = Signal()

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        forecasting: PreviewController,
        pages: PicturePages,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._forecasting = forecasting
        self._pages = pages
        self._answers = LatestRequest(jobs, pages, self)
        # With the final weights that they were measured with: nothing else changes values.
        self._stats: dict[str, tuple[ref[BitMask] | None, TensorStats]] = {}
        # Of which state, tensor, dimension and order: another preview leaves most of it as it is.
        self._norms: tuple[tuple[object, ...], ChannelNorms] | None = None
        self.name: str | None = None  # a file may call a tensor ""
        # Before what is connected below: it knows the mask to come when the pictures are told.
        self._following = FocusPreview(forecasting.outlook, self)
        self._tiles = TileController(session, self._answers, self._following, pages, self)
        pages.pageChanged.connect(self._on_page_changed)
        pages.distribution.binningChanged.connect(self._on_binning_changed)
        pages.distribution.finerWanted.connect(self._on_binning_changed)
        pages.dimChanged.connect(self._on_channels_changed)
        pages.channels.normChanged.connect(self._on_channels_changed)
        session.changed.connect(self._on_changed)
        session.opened.connect(self._on_opened)
        session.closed.connect(self._on_closed)
        forecasting.outlook.changed.connect(self._on_preview_changed)
        forecasting.outlook.foreseen.connect(self._on_foreseen)

    def look_at(self, name: str) -> None:
        """Show another tensor; a name that there is not shows none."""
        row = self._session.by_name.get(name)
        document = self._session.document
        found = name if row is not None and document is not None else None
        if found == self.name:
            return
        self.name = found
        self._answers.forget()
        self._following.look_at(found)
        if row is None or document is None:
            self._tiles.look_at(None)
            self._pages.set_tensor(None)
            self.focused.emit()
            return
        pruned = document.masks.pruned(name)
        self._pages.set_tensor(row, pruned)
        self._tiles.look_at(row, pruned)
        labels = dim_labels(row.shape, row.kind) if len(row.shape) > 1 else ()
        self._pages.channels.set_dims(labels, shape=() if row.why_not else row.shape)
        self._ask_stats()
        self._ask_page(self._pages.page)
        self.focused.emit()

    def recount(self) -> None:
        """Ask anew for what is told from counts: more is known."""
        self._answers.known.discard(Page.MODEL)
        if self._pages.page is Page.MODEL:
            self._ask_page(Page.MODEL)

    # -- what changed ---------------------------------------------------------------------------

    def _on_changed(self, change: DocumentChanged) -> None:
        name = self.name
        if name is not None and name in change.names:
            document = self._session.document
            assert document is not None
            self._pages.set_pruned(document.masks.pruned(name))
            self._pages.weights.invalidate()
            self._answers.known.clear()
            self._ask_stats()
        self._answers.known.discard(Page.MODEL)
        self._ask_page(self._pages.page)

    def _on_preview_changed(self) -> None:
        self._answers.known.clear()
        self._pages.weights.invalidate()
        if not self._line_tells:
            self._ask_page(self._pages.page)

    def _on_page_changed(self, number: int) -> None:
        self._following.set_wanted(wanted=number == Page.WEIGHTS)
        self._ask_page(number)

    def _on_foreseen(self) -> None:
        self._answers.known.discard(Page.MODEL)
        if self._pages.page in {Page.MODEL, Page.DISTRIBUTION} and not self._line_tells:
            self._ask_page(self._pages.page)

    @property
    def _line_tells(self) -> bool:
        """Whether the threshold says all of an estimate: nothing has to be counted anew."""
        report = self._forecasting.outlook.report
        if self._forecasting.outlook.shown is not None or report is None or self.name is None:
            return False
        tensor = report.by_name.get(self.name)
        return (
            self._pages.page is Page.DISTRIBUTION
            and tensor is not None
            and tensor.threshold is not None
        )

    def _on_opened(self, _opened: object) -> None:
        rows = self._session.rows
        self._pages.set_empty_text("" if rows else self.tr("This file has no tensors."))
        if rows and all(row.why_not for row in rows):
            self._pages.model.set_empty_text(self.tr("No tensor of this file can be pruned."))

    def _on_closed(self) -> None:
        self._pages.set_empty_text("")
        self.name = None
        self._stats.clear()
        self._norms = None
        self._answers.forget()
        self._following.look_at(None)
        self._tiles.look_at(None)
        self._pages.set_tensor(None)
        self._pages.model.set_report(None)

    # -- asking ---------------------------------------------------------------------------------

    def _ask_page(self, number: int) -> None:
        page = Page(number)
        document = self._session.document
        if document is None or page in self._answers.known:
            return
        snapshot, name = document.snapshot(), self.name
        if page is Page.MODEL:
            self._answers.known.add(page)
            would = self._forecasting.outlook.report
            by_name = self._session.by_name
            first = document.state_at(0)
            self._pages.model.set_tensors(self._session.rows)
            self._pages.set_busy(page, True)
            # Of 100,000 tensors that takes a fifth of a second.
            self._answers.ask(
                "model",
                lambda job: _telling(retained(first.load(job), snapshot, job), would, by_name),
                lambda report: self._pages.model.set_report(report, would),
                page,
            )
            return
        row = None if name is None else self._session.by_name.get(name)
        if name is None or row is None or page is Page.WEIGHTS:
            return  # the picture of weights asks for itself, tile by tile
        self._answers.known.add(page)
        going = self._following.exact
        if page is Page.DISTRIBUTION:
            binning, finer = self._pages.distribution.binning, self._pages.distribution.finer
            if finer is None:
                self._pages.set_busy(page, True)
            self._answers.ask(
                "histogram",
                lambda job: histogram(snapshot, name, going, job, binning=binning, finer=finer),
                self._pages.distribution.set_histogram,
                page,
            )
        elif page is Page.CHANNELS and len(row.shape) < 2:
            self._pages.set_error(page, self.tr("A tensor of one dimension has no channels."))
        elif page is Page.CHANNELS:
            dim = max(self._pages.channels.dim, 0)
            n = NormParam().parse(self._pages.channels.norm_choice)
            self._pages.set_busy(page, True)
            asked = snapshot.revision, name, dim, n
            known = self._norms[1] if self._norms is not None and self._norms[0] == asked else None

            def measured(found: ChannelNorms) -> None:
                self._norms = asked, found
                self._pages.channels.set_norms(found)

            self._answers.ask(
                "channels",
                lambda job: channel_norms(snapshot, name, dim, n, going, CpuKernel(), job, known),
                measured,
                page,
            )

    def _ask_stats(self) -> None:
        document, name = self._session.document, self.name
        if document is None or name is None:
            return
        final = document.final.get(name)
        measured, known = self._stats.get(name, (None, None))
        same = final is None if measured is None else final is not None and measured() is final
        if known is not None and same:
            self._answers.cancel("stats")  # of another state, or another tensor
            self._pages.set_stats(known)
            return
        snapshot = document.snapshot()
        key = None if final is None else ref(final)

        def done(found: TensorStats) -> None:
            self._stats[name] = key, found
            if name == self.name:
                self._pages.set_stats(found)

        self._answers.ask("stats", lambda job: stats(snapshot, name, job), done, None)

    def _on_binning_changed(self) -> None:
        self._answers.known.discard(Page.DISTRIBUTION)
        self._ask_page(self._pages.page)

    def _on_channels_changed(self) -> None:
        self._answers.known.discard(Page.CHANNELS)
        self._ask_page(self._pages.page)


def _telling(
    report: SparsityReport, would: SparsityReport | None, rows: Mapping[str, TensorRow]
) -> SparsityReport:
    # A bar that is always empty tells nothing: what is usually pruned, and what is or would be.
    touched = {t.name for t in would.tensors} if would is not None else set()
    found = tuple(
        t for t in report.tensors if t.after or t.name in touched or rows[t.name].by_default
    )
    return replace(report, tensors=found)
