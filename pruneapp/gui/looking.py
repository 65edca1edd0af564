"""Answers what the pictures ask: for the tensor in focus, and only for the page that is shown.

Answers come from the small executor, from snapshots; a newer question cancels the older one of the
same kind, and an answer about a state that is gone is dropped by its number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar
from weakref import ref

from PySide6.QtCore import QObject, Signal

from pruneapp.answers import SparsityReport, TensorRow, TensorStats, Tile, TileRequest
from pruneapp.document.document import DocumentChanged
from pruneapp.document.histogram import histogram
from pruneapp.document.layout import layout
from pruneapp.document.picture import tile
from pruneapp.document.retained import retained
from pruneapp.document.stats import channel_norms, stats
from pruneapp.errors import PruneAppError
from pruneapp.gui.following import Following
from pruneapp.gui.forecasting import Forecasting
from pruneapp.gui.jobs import Jobs
from pruneapp.gui.session import Session
from pruneapp.gui.tasks import Task
from pruneapp.gui.views.parts.dims import dim_labels
from pruneapp.gui.views.pictures.pages import Page, PicturePages
from pruneapp.gui.views.pictures.raster.axes_row import Axes
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.params import NormParam
from pruneapp.progress import Job

T = TypeVar("T")


class Looking(QObject):
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
        session: Session,
        jobs: Jobs,
        forecasting: Forecasting,
        pages: PicturePages,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._forecasting = forecasting
        self._pages = pages
        self._asked: dict[str, Task[Any]] = {}
        self._known: set[Page] = set()
        self._first_look = False  # whether the tile that was asked for last is one
        self._behind = False
        # With the final weights that they were measured with: nothing else changes values.
        self._stats: dict[str, tuple[ref[BitMask] | None, TensorStats]] = {}
        self.name: str | None = None  # a file may call a tensor ""
        # Before what is connected below: it knows the mask to come when the pictures are told.
        self._following = Following(forecasting, self)
        self._following.changed.connect(self._on_estimate)
        pages.pageChanged.connect(self._on_page_changed)
        pages.tileRequested.connect(self._on_tile_requested)
        pages.pointRequested.connect(self._on_point_requested)
        pages.weights.historyRequested.connect(self._on_history_requested)
        pages.weights.axesChosen.connect(self._on_axes_chosen)
        pages.distribution.binningChanged.connect(self._on_binning_changed)
        pages.dimChanged.connect(self._on_channels_changed)
        pages.channels.normChanged.connect(self._on_channels_changed)
        session.changed.connect(self._on_changed)
        session.opened.connect(self._on_opened)
        session.closed.connect(self._on_closed)
        forecasting.changed.connect(self._on_preview_changed)
        forecasting.foreseen.connect(self._on_foreseen)

    def look_at(self, name: str) -> None:
        """Show another tensor; a name that there is not shows none."""
        row = self._session.by_name.get(name)
        document = self._session.document
        found = name if row is not None and document is not None else None
        if found == self.name:
            return
        self.name = found
        self._forget()
        self._following.look_at(found)
        if row is None or document is None:
            self._pages.set_tensor(None)
            self.focused.emit()
            return
        self._pages.set_tensor(row, document.masks.pruned(name))
        self._pages.weights.set_layout(layout(row.shape, row.kind), row.shape, row.dtype, row.name)
        self._pages.weights.set_pruned(document.masks.pruned(name))
        self._pages.weights.set_why_not(row.why_not)
        labels = dim_labels(row.shape, row.kind) if len(row.shape) > 1 else ()
        self._pages.channels.set_dims(labels, shape=() if row.why_not else row.shape)
        self._ask_stats()
        self._ask_page(self._pages.page)
        self.focused.emit()

    def recount(self) -> None:
        """Ask anew for what is told from counts: more is known."""
        self._known.discard(Page.MODEL)
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
            self._known.clear()
            self._ask_stats()
        self._known.discard(Page.MODEL)
        self._ask_page(self._pages.page)

    def _on_preview_changed(self) -> None:
        self._known.clear()
        self._pages.weights.invalidate()
        if not self._line_tells:
            self._ask_page(self._pages.page)

    def _on_page_changed(self, number: int) -> None:
        self._following.set_wanted(wanted=number == Page.WEIGHTS)
        self._ask_page(number)

    def _on_estimate(self) -> None:
        # If each estimate asked anew, a tile that takes longer would never come.
        self._behind = self._first_look and "tile" in self._asked
        if not self._behind:
            self._pages.weights.invalidate(passing=True)

    def _on_foreseen(self) -> None:
        self._known.discard(Page.MODEL)
        if self._pages.page in {Page.MODEL, Page.DISTRIBUTION} and not self._line_tells:
            self._ask_page(self._pages.page)

    @property
    def _line_tells(self) -> bool:
        """Whether the threshold says all of an estimate: nothing has to be counted anew."""
        report = self._forecasting.outlook
        if self._forecasting.shown is not None or report is None or self.name is None:
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
        self._forget()
        self._following.look_at(None)
        self._pages.set_tensor(None)
        self._pages.model.set_report(None)

    def _forget(self) -> None:
        for task in self._asked.values():
            task.cancel()
        self._asked.clear()
        self._known.clear()

    # -- asking ---------------------------------------------------------------------------------

    def _ask(
        self, kind: str, work: Callable[[Job], T], done: Callable[[T], None], page: Page | None
    ) -> None:
        older = self._asked.pop(kind, None)
        if older is not None:
            older.cancel()

        def say(text: str) -> None:
            if page is not None:
                self._known.discard(page)
                self._pages.set_busy(page, False)
                self._pages.set_error(page, text)

        def over() -> None:
            if self._asked.get(kind) is task:
                del self._asked[kind]

        def found(answer: T) -> None:
            over()
            done(answer)

        def failed(error: PruneAppError) -> None:
            over()
            say(str(error))

        def ended() -> None:
            over()
            if task.error is not None and not task.token.cancelled:  # a bug, reported elsewhere
                say(self.tr("This could not be shown."))

        task = self._jobs.answer(work, on_result=found, on_error=failed, on_cancelled=ended)
        self._asked[kind] = task

    def _ask_page(self, number: int) -> None:
        page = Page(number)
        document = self._session.document
        if document is None or page in self._known:
            return
        snapshot, name = document.snapshot(), self.name
        if page is Page.MODEL:
            self._known.add(page)
            would = self._forecasting.outlook
            by_name = self._session.by_name
            first = document.state_at(0)
            self._pages.model.set_tensors(self._session.rows)
            self._pages.set_busy(page, True)
            # Of 100,000 tensors that takes a fifth of a second.
            self._ask(
                "model",
                lambda job: _telling(retained(first.load(job), snapshot, job), would, by_name),
                lambda report: self._pages.model.set_report(report, would),
                page,
            )
            return
        row = None if name is None else self._session.by_name.get(name)
        if name is None or row is None or page is Page.WEIGHTS:
            return  # the picture of weights asks for itself, tile by tile
        self._known.add(page)
        going = self._following.exact
        if page is Page.DISTRIBUTION:
            binning = self._pages.distribution.binning
            self._pages.set_busy(page, True)
            self._ask(
                "histogram",
                lambda job: histogram(snapshot, name, going, job, binning=binning),
                self._pages.distribution.set_histogram,
                page,
            )
        elif page is Page.CHANNELS and len(row.shape) < 2:
            self._pages.set_error(page, self.tr("A tensor of one dimension has no channels."))
        elif page is Page.CHANNELS:
            dim = max(self._pages.channels.dim, 0)
            n = NormParam().parse(self._pages.channels.norm_choice)
            self._pages.set_busy(page, True)
            self._ask(
                "channels",
                lambda job: channel_norms(snapshot, name, dim, n, going, CpuKernel(), job),
                self._pages.channels.set_norms,
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
            if (older := self._asked.pop("stats", None)) is not None:
                older.cancel()  # of another state, or another tensor
            self._pages.set_stats(known)
            return
        snapshot = document.snapshot()
        key = None if final is None else ref(final)

        def done(found: TensorStats) -> None:
            self._stats[name] = key, found
            if name == self.name:
                self._pages.set_stats(found)

        self._ask("stats", lambda job: stats(snapshot, name, job), done, None)

    # -- what the pictures ask ------------------------------------------------------------------

    def _on_tile_requested(self, request: TileRequest) -> None:
        def told(found: Tile, generation: int) -> None:
            self._pages.weights.set_tile(found, generation)
            if self._behind:
                self._on_estimate()

        self._first_look = request.sampled
        self._answer_tile("tile", request, told)

    def _on_point_requested(self, request: TileRequest) -> None:
        self._answer_tile("point", request, self._pages.weights.set_point)

    def _answer_tile(
        self, kind: str, request: TileRequest, told: Callable[[Tile, int], None]
    ) -> None:
        document = self._session.document
        if document is None:
            return
        snapshot, going = document.snapshot(), self._following.going
        generation = self._pages.weights.generation
        self._ask(
            kind,
            lambda job: tile(snapshot, request, going, job),
            lambda found: told(found, generation),
            Page.WEIGHTS,
        )

    def _on_history_requested(self, index: tuple[int, ...]) -> None:
        document, name = self._session.document, self.name
        if document is None or name is None:
            return
        flat = 0
        for at, extent in zip(index, self._session.by_name[name].shape, strict=True):
            flat = flat * extent + at
        step = document.pruned_by(name, flat)
        if step is not None:
            self._pages.weights.set_pruned_by(index, step, document.items[step])

    def _on_axes_chosen(self, axes: Axes) -> None:
        if self.name is not None:
            row = self._session.by_name[self.name]
            self._pages.weights.set_plane(layout(row.shape, row.kind, *axes), axes)

    def _on_binning_changed(self) -> None:
        self._known.discard(Page.DISTRIBUTION)
        self._ask_page(self._pages.page)

    def _on_channels_changed(self) -> None:
        self._known.discard(Page.CHANNELS)
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
