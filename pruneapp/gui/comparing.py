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

from pruneapp.answers import Comparison, DifferenceTile, TileRequest
from pruneapp.document.compare import compare, untouched
from pruneapp.document.compared import Compared
from pruneapp.document.document import DocumentChanged
from pruneapp.document.picture import difference_tile
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import CheckpointError, PruneAppError
from pruneapp.gui.document_views import DocumentViews
from pruneapp.gui.jobs import Jobs, Task
from pruneapp.gui.looking import Looking
from pruneapp.gui.other_side import OtherSide
from pruneapp.gui.session import Session
from pruneapp.gui.views.pictures.compare import ZEROS
from pruneapp.gui.views.pictures.pages import Page
from pruneapp.gui.views.pictures.raster.shading import Mode
from pruneapp.gui.views.pictures.sides import Side
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

Load = Callable[[Job], Snapshot]


class Comparing(QObject):
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
    """

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        looking: Looking,
        views: DocumentViews,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._jobs = jobs
        self._looking = looking
        self._tree = views.tree
        self._pages = views.pages
        self._view = views.pages.compare
        self._window = window
        self.other = OtherSide(session, jobs, self)
        self._comparing: Task[Comparison] | None = None
        self._tile: Task[DifferenceTile | None] | None = None
        # The sides that the page shows, and the state in which the document was then.
        self._compared: tuple[tuple[Side, Side], int] | None = None
        # What was found out, of this file and the other one.
        self._known = Compared()
        self._offered = ""
        # How differences were measured before masks were compared.
        self._measure = ""
        # Whether words stand in the place of the difference.
        self._says = False
        self.other.came.connect(self._on_other)
        self.other.leaving.connect(self._on_other_leaving)
        self._view.comparisonRequested.connect(self._on_wanted)
        self._view.otherFileRequested.connect(self.ask_file)
        self._view.differenceRequested.connect(self.show_difference)
        self._pages.weights.differenceRequested.connect(self._on_tile_requested)
        self._pages.weights.modes.modeChosen.connect(self._on_mode_chosen)
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
            self._window, self.tr("Compare with a checkpoint"), str(document.checkpoint.path.parent)
        )
        if name:
            self.compare_with(Path(name))

    def compare_with(self, path: Path) -> None:
        """Open another file in the background, and compare the document with it.

        It may hold a model, or masks alone.
        """
        self.other.open(path)

    def compare_masks(self, called: str, masks: Mapping[str, BitMask]) -> None:
        """Compare with a state that has other masks over the same weights."""
        self.other.set_masks(called, masks)

    def _on_other(self) -> None:
        if self.other.of_masks:
            self._measure = self._measure or self._view.measure
            self._view.set_measure(ZEROS)
        self._view.set_other(self.other.called)
        self._pages.tabs.setCurrentIndex(Page.COMPARE)
        self._refresh()

    def _on_other_leaving(self) -> None:
        if self._tile is not None:
            self._tile.cancel()
        self._forget()
        self._known = Compared()
        self._leave_zeros()
        self._view.set_other(None)

    def _leave_zeros(self) -> None:
        """Measure as before masks were compared, unless the person chose otherwise."""
        before, self._measure = self._measure, ""
        if before and self._view.measure == ZEROS:
            self._view.set_measure(before)

    def _sides(self) -> tuple[Side, Side]:
        """Return the sides that were chosen; the file as it was opened and now, if none were."""
        a, b = self._view.wanted
        document = self._session.document
        if a == b and document is not None:
            return 0, document.position
        return a, b

    def _load(self, side: Side) -> Load:
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
        self._offer_difference()
        document = self._session.document
        if document is None or self._pages.page is not Page.COMPARE:
            return
        wanted = self._view.wanted
        if (wanted, document.revision) == self._compared:
            return
        self._forget()
        if wanted[0] == wanted[1]:
            return
        loads = self._load(wanted[0]), self._load(wanted[1])
        names = self._name(wanted[0]), self._name(wanted[1])
        known = self._known

        def work(job: Job) -> Comparison:
            return compare(loads[0](job), loads[1](job), job, called=names, known=known)

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
        self._say(Page.COMPARE, error)

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

    def _say(self, page: Page, error: PruneAppError) -> None:
        self._pages.set_busy(page, False)
        self._pages.set_error(page, f"{error.sentence} {error.remedy}".strip())

    # -- the page Weights -----------------------------------------------------------------------

    def show_difference(self, name: str) -> None:
        """Show where a tensor differs."""
        self._tree.set_focused(name)
        self._looking.look_at(name)
        self._pages.weights.set_difference(self._offered)
        self._pages.tabs.setCurrentIndex(Page.WEIGHTS)

    def _offer_difference(self) -> None:
        """Offer the difference beside the other modes, where there are two sides."""
        self._unsay()
        document = self._session.document
        offered = ""
        if document is not None and (len(document.items) > 1 or self.other.state is not None):
            a, b = self._sides()
            offered = f"{self._name(a)} → {self._name(b)}"
        if offered == self._offered:
            return
        self._offered = offered
        weights = self._pages.weights
        if weights.mode is Mode.DIFFERENCE:
            weights.set_difference(offered or None)
        else:
            weights.modes.set_difference(offered or None)

    def _on_tile_requested(self, request: TileRequest) -> None:
        if self._tile is not None:
            self._tile.cancel()
        if self._session.document is None:
            return
        a, b = self._sides()
        loads = self._load(a), self._load(b)
        generation = self._pages.weights.generation

        def work(job: Job) -> DifferenceTile | None:
            return _difference(loads[0](job), loads[1](job), request, job)

        def done(found: DifferenceTile | None) -> None:
            weights = self._pages.weights
            if found is not None:
                weights.set_difference_tile(found, generation)
            elif generation == weights.generation and weights.mode is Mode.DIFFERENCE:
                self._say_nothing_differs(a, b)

        self._tile = self._jobs.answer(work, on_result=done, on_error=self._on_no_tile)

    def _on_no_tile(self, error: PruneAppError) -> None:
        self._says = True
        self._say(Page.WEIGHTS, error)

    def _say_nothing_differs(self, a: Side, b: Side) -> None:
        if a == b:
            text = self.tr(
                "{state} is the only state to be compared, and does not differ from itself. Go to "
                "a later state, or choose two on the page Compare."
            ).format(state=self._name(a))
        else:
            text = self.tr("Nothing differs here between {a} and {b}.").format(
                a=self._name(a), b=self._name(b)
            )
        self._says = True
        self._pages.set_busy(Page.WEIGHTS, False)
        self._pages.set_error(Page.WEIGHTS, text, trouble=False)

    def _unsay(self) -> None:
        """Make room for a picture: one that is hidden asks for nothing."""
        if self._says:
            self._says = False
            self._pages.set_error(Page.WEIGHTS, "")

    def _on_mode_chosen(self, _mode: Mode) -> None:
        self._unsay()

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
        if self._tile is not None:
            self._tile.cancel()
            self._tile = None
        self._forget()
        self._view.set_points((), 0)
        self.other.drop()
        self._offer_difference()


def _difference(a: Snapshot, b: Snapshot, request: TileRequest, job: Job) -> DifferenceTile | None:
    """Return how a part of a tensor differs; None where all of it would be empty."""
    if a.entry(request.name).shape != b.entry(request.name).shape:
        raise CheckpointError(
            f"'{request.name}' has another shape on the other side: nothing can be compared.",
            remedy="Choose another tensor, or show something else.",
        )
    gone = a.zeroed(request.name)
    if untouched(a, b, a.entry(request.name), b.entry(request.name)) and (
        gone is None or not gone.pruned
    ):
        return None
    tile = difference_tile(a, b, request, job)
    return None if _is_whole(tile) and not _has_anything(tile) else tile


def _is_whole(tile: DifferenceTile) -> bool:
    request, layout = tile.request, tile.layout
    return not tile.sampled and (request.rows, request.columns) == (layout.rows, layout.columns)


def _has_anything(tile: DifferenceTile) -> bool:
    return any(part.any() for part in (tile.change, tile.gone, tile.back, tile.neither))
