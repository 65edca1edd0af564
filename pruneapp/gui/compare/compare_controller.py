"""Comparing two states of the history, or a state with another file.

Where the differences are is asked of the page Compare, what they look like of the page Weights.
States are made anew for every answer, which costs nothing while their masks are in memory: what is
shown follows the history by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from pruneapp.analysis.comparison import compare
from pruneapp.analysis.comparison_compared import Compared
from pruneapp.document.document_changes import DocumentChanged
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.gui.compare.compare_controller_differing import DifferenceHeatmap, Load, TwoSides
from pruneapp.gui.compare.compare_controller_other_side import ComparisonSource
from pruneapp.gui.compare.view_measure_box import ZEROS
from pruneapp.gui.compare.view_sides import Side
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.plots.plot_controller import PlotController
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.results.state_comparison import Comparison


class CompareController(QObject):
    """Answers how two sides differ.

    Parameters
    ----------
    session, jobs
        The document, and where work is done.
    looking
        Told of the tensor whose difference is wanted.
    views
        The pages Compare and Weights.
    window
        Parent of the file dialog.

    Attributes
    ----------
    other
        The side that is no state of the history.
    differing
        Shows what the differences look like.
    """

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        looking: PlotController,
        views: DocumentViews,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._jobs = jobs
        self._pages = views.pages
        self._view = views.pages.compare
        self._window = window
        self.other = ComparisonSource(session, jobs, self)
        self.differing = DifferenceHeatmap(
            jobs, looking, views, sides=self._seen_sides, parent=self
        )
        self._comparing: Task[Comparison] | None = None
        # The sides that the page shows, and the state in which the document was then.
        self._compared: tuple[tuple[Side, Side], int] | None = None
        # What was found out, of this file and the other one.
        self._known = Compared()
        # How differences were measured before masks were compared.
        self._measure = ""
        self.other.came.connect(self._on_other)
        self.other.leaving.connect(self._on_other_leaving)
        self._view.comparisonRequested.connect(self._on_wanted)
        self._view.otherFileRequested.connect(self.ask_file)
        self._view.otherFolderRequested.connect(self.ask_folder)
        self._view.differenceRequested.connect(self.differing.show)
        self._pages.pageChanged.connect(self._on_page)
        session.opened.connect(self._on_opened)
        session.changed.connect(self._on_changed)
        session.closed.connect(self._on_closed)

    # -- the sides ------------------------------------------------------------------------------

    def ask_file(self) -> None:
        """Let the person choose a file to compare with."""
        document = self._session.document
        if document is None:
            return
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            self.tr("Compare with a checkpoint"),
            str(self._session.folder("compare", document.checkpoint.path.parent)),
        )
        if name:
            self._session.note_folder("compare", Path(name))
            self.compare_with(Path(name))

    def ask_folder(self) -> None:
        """Let the person choose a folder to compare with: of shards, or of a whole model."""
        document = self._session.document
        if document is None:
            return
        name = QFileDialog.getExistingDirectory(
            self._window,
            self.tr("Compare with a checkpoint in a folder"),
            str(self._session.folder("compare", document.checkpoint.path.parent)),
        )
        if name:
            self._session.note_folder("compare", Path(name))
            self.compare_with(Path(name))

    def compare_with(self, path: Path) -> None:
        """Open another file, or a folder, in the background, and compare the document with it.

        The one that looks like the original of the other is the base, A, whichever was opened
        first. It may hold a model, or masks alone.
        """
        self.other.open(path)

    def compare_masks(self, called: str, masks: Mapping[str, BitMask]) -> None:
        """Compare with a state that has other masks over the same weights."""
        self.other.set_masks(called, masks)

    def _on_other(self) -> None:
        if self.other.of_masks:
            self._measure = self._measure or self._view.measure
            self._view.set_measure(ZEROS)
        self._view.set_other(self.other.called, original=self.other.is_original)
        self._pages.tabs.setCurrentIndex(Page.COMPARE)
        self._refresh()

    def _on_other_leaving(self) -> None:
        self.differing.stop()
        self._forget()
        self._known = Compared()
        self._leave_zeros()
        self._view.set_other(None)

    def _leave_zeros(self) -> None:
        """Measure as before masks were compared, unless the person chose otherwise."""
        before, self._measure = self._measure, ""
        if before and self._view.measure == ZEROS:
            self._view.set_measure(before)

    def _seen_sides(self) -> TwoSides | None:
        """Return the sides that were chosen; the file as it was opened and now, if none were."""
        document = self._session.document
        if document is None or (len(document.items) < 2 and self.other.state is None):
            return None
        a, b = self._view.wanted
        return self._two_sides(*((0, document.position) if a == b else (a, b)))

    def _two_sides(self, a: Side, b: Side) -> TwoSides:
        def load() -> Load:
            x, y = self._snapshot(a), self._snapshot(b)
            return lambda job: (x(job), y(job))

        return TwoSides((self._name(a), self._name(b)), a == b, load)

    def _snapshot(self, side: Side) -> Callable[[Job], Snapshot]:
        document = self._session.document
        assert document is not None
        if side is None:
            other = self.other.state
            assert other is not None
            return lambda _job: other
        if side == document.position:
            now = document.snapshot()
            return lambda _job: now
        return document.state_at(side).load

    def _name(self, side: Side) -> str:
        document = self._session.document
        assert document is not None
        if side is None:
            return self.other.called
        return document.items[side].label

    # -- the page Compare -----------------------------------------------------------------------

    def _on_wanted(self, a: Side, b: Side) -> None:
        if a is not None and b is not None:
            self._leave_zeros()
        self._refresh()

    def _on_page(self, _page: int) -> None:
        self._refresh()

    def _refresh(self) -> None:
        """Compare, if that is to be seen and is not known; offer the difference as a picture."""
        self.differing.offer()
        document = self._session.document
        if document is None or self._pages.page is not Page.COMPARE:
            return
        wanted = self._view.wanted
        if (wanted, document.revision) == self._compared:
            return
        self._forget()
        if wanted[0] == wanted[1]:
            return
        sides, known = self._two_sides(*wanted), self._known
        load = sides.load()

        def work(job: Job) -> Comparison:
            a, b = load(job)
            return compare(a, b, job, called=sides.names, known=known)

        self._compared = wanted, document.revision
        self._pages.set_busy(Page.COMPARE, True)
        self._comparing = self._jobs.submit(
            self.tr("Comparing"),
            work,
            on_result=self._view.set_comparison,
            on_error=self._on_not_compared,
            on_cancelled=self._on_cancelled,
        )

    def _on_not_compared(self, error: PruneAppError) -> None:
        self._pages.set_busy(Page.COMPARE, False)
        self._pages.set_error(Page.COMPARE, f"{error.sentence} {error.remedy}".strip())

    def _on_cancelled(self) -> None:
        # By the person; or ended by a bug of ours. Not if it made room for another.
        task = self._comparing
        if task is not None and (task.token.cancelled or task.error is not None):
            self._pages.set_busy(Page.COMPARE, False)
            self._compared = None

    def _forget(self) -> None:
        """Drop what was known, and stop finding out."""
        if self._comparing is not None:
            task, self._comparing = self._comparing, None
            task.cancel()
        self._compared = None
        self._view.set_comparison(None)
        self._pages.set_error(Page.COMPARE, "")

    # -- the document ---------------------------------------------------------------------------

    def _on_opened(self) -> None:
        self._known = Compared()
        self._view.set_shown_names(self._session.contents.shown)
        self._show_points()

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.kind != "exported":
            self._show_points()

    def _show_points(self) -> None:
        document = self._session.document
        assert document is not None
        self._view.set_points(document.items, document.position)
        self._refresh()

    def _on_closed(self) -> None:
        self.differing.stop()
        self._forget()
        self._view.set_points((), 0)
        self.other.drop()
        self.differing.offer()
