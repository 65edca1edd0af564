"""Compare two states of the history, or a state with another file or other masks.

The page Compare lists the tensors that differ; the page Weights shows where, in its mode
Difference. States are loaded again for each request, which is cheap while their masks are in
memory, so the pages follow the history.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from pruneapp.analysis.comparison import Comparison, compare, is_original, is_unchanged
from pruneapp.analysis.tiles import DifferenceTile, TileRequest, difference_tile
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document, DocumentChanged
from pruneapp.document.snapshot import Snapshot, StateCache
from pruneapp.edits.existing_masks import holds_masks_alone, masks_of, open_document
from pruneapp.errors import CheckpointError, PruneAppError
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.jobs import Jobs, LatestTask, Restart
from pruneapp.gui.compare.view import ZEROS, CompareView, Side, pairs_of
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.gui.plots.heatmap.shading import Mode
from pruneapp.gui.plots.pages import Page, PlotPages
from pruneapp.gui.tree.panel import ModuleTree
from pruneapp.gui.widgets.engine_text import numbered_title, translate_error
from pruneapp.masks.bitmask import BitMask, MaskSet
from pruneapp.progress import Job

Masks = Mapping[str, BitMask]


@dataclass(frozen=True, eq=False)
class TwoSides:
    """Two sides of a comparison: names, whether they are the same, and a function to load them.

    `load` is called on a worker thread, because the masks of the states may have to be read.
    """

    names: tuple[str, str]
    same: bool
    load: Callable[[Job], tuple[Snapshot, Snapshot]]


def _difference(a: Snapshot, b: Snapshot, request: TileRequest, job: Job) -> DifferenceTile | None:
    """Return the difference of a part of a tensor; None if the whole tensor is known to have none.

    Weights that are pruned on both sides count as a difference. It is known of a tensor whose masks
    and values are the same objects in `a` and `b`, and of a request for the whole tensor, not
    sampled.

    Raises `CheckpointError` if a side does not have the tensor, or has it in another shape.
    """
    if a.entry(request.name).shape != b.entry(request.name).shape:
        raise CheckpointError(
            f"'{request.name}' has different shapes in A and B and cannot be compared.",
            remedy="Choose another tensor, or show something else.",
        )
    gone = a.export_mask(request.name)
    if is_unchanged(a, b, a.entry(request.name), b.entry(request.name)) and (
        gone is None or not gone.pruned
    ):
        return None
    tile = difference_tile(a, b, request, job)
    return None if _covers_whole_tensor(tile) and not _has_differences(tile) else tile


def _covers_whole_tensor(tile: DifferenceTile) -> bool:
    request, layout = tile.request, tile.layout
    return not tile.sampled and (request.rows, request.columns) == (layout.rows, layout.columns)


def _has_differences(tile: DifferenceTile) -> bool:
    return any(part.any() for part in (tile.change, tile.removed, tile.restored, tile.in_neither))


class ComparisonSource(QObject):
    """The other file or masks that the document is compared with; opens and closes them."""

    closing = Signal()  # the current file or masks are about to be closed
    opened = Signal()  # a file or masks are available

    def __init__(self, session: OpenDocument, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._opening = LatestTask(jobs)
        self._document: Document | None = None
        self.state: Snapshot | None = None
        self.called = ""
        self.of_masks = False  # whether `state` has the document's weights with other masks
        self.is_original = False  # whether the document may have been made by pruning this file

    def open(self, path: Path) -> None:
        """Open a file in the background, cancelling an earlier opening, and emit `opened`.

        The current file or masks are closed once that has succeeded. If the file holds masks but no
        weights, its masks are applied to the weights of the document. Errors are emitted by
        `refused` of the document. Does nothing without a document.
        """
        document = self._session.document
        if document is None:
            return
        now = document.snapshot()

        def work(job: Job) -> tuple[Document, bool] | Masks:
            with ExitStack() as unless_open:
                checkpoint = unless_open.enter_context(open_checkpoint(path, job=job))
                if holds_masks_alone(document.checkpoint, checkpoint):
                    return masks_of(now, checkpoint, job)[0]
                other = open_document(checkpoint, job)
                original = is_original(now, other.snapshot(), job)
                job.cancel.check()
                unless_open.pop_all()
                return other, original

        def done(result: tuple[Document, bool] | Masks) -> None:
            if self._session.document is document:
                if isinstance(result, tuple):
                    opened, original = result
                    self._set(path.name, opened.snapshot(), opened, original=original)
                else:
                    self.set_masks(path.name, result)
            else:
                _close(result)  # another document was opened meanwhile

        self._opening.start(
            work,
            done,
            self._session.refused.emit,
            title=self.tr("Opening"),
            on_late=_close,
            restart=Restart(partial(self.open, path)),
        )

    def set_masks(self, called: str, masks: Masks) -> None:
        """Compare with the weights of the document under other masks; `called` names them."""
        document = self._session.document
        if document is not None:
            state = document.snapshot()
            layers = replace(state.layers, masks=MaskSet(masks), protected=MaskSet())
            self._set(called, replace(state, layers=layers))

    def drop(self) -> None:
        """Close the other file or masks, if any, after emitting `closing`; cancel an opening."""
        self._opening.cancel()
        if self.state is not None:
            self.closing.emit()
            self.state, self.called = None, ""
        if self._document is not None:
            document, self._document = self._document, None
            _close((document, False))

    def _set(
        self,
        called: str,
        state: Snapshot,
        document: Document | None = None,
        *,
        original: bool = False,
    ) -> None:
        self.drop()
        self.called, self.state, self._document = called, state, document
        self.is_original = original
        self.of_masks = document is None
        self.opened.emit()


def _close(opened: tuple[Document, bool] | Masks) -> None:
    if isinstance(opened, tuple):
        opened[0].close()
        opened[0].checkpoint.close()


class CompareController(Controller):
    """Compares two sides. `other` is the side that is not a state of the history."""

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        evaluation: EvaluationController,
        *,
        tree: ModuleTree,
        pages: PlotPages,
        view: CompareView,
    ) -> None:
        super().__init__(context)
        self._session = session
        self._evaluation = evaluation
        self._tree = tree
        self._pages = pages
        self._view = view
        self._weights = pages.weights
        self.other = ComparisonSource(session, self._jobs, self)
        self._tiles = LatestTask(self._jobs)
        self._offered_title = ""
        self._has_message = False  # whether the picture is replaced by a message
        self._comparing = LatestTask(self._jobs)
        # The chosen sides, history items and revision that the page shows; None if it shows
        # nothing.
        self._compared: tuple[object, ...] | None = None
        # Results of comparisons with the current other file.
        self._cached_results = StateCache()
        # The measure that was selected before masks were compared; empty if none is to be restored.
        self._measure = ""
        self.other.opened.connect(self._on_other)
        self.other.closing.connect(self._on_other_closing)
        self._view.comparisonRequested.connect(self._on_sides_requested)
        self._view.sides.otherRequested.connect(self.ask_file)
        self._view.sides.folderRequested.connect(self.ask_folder)
        self._view.differenceRequested.connect(self.show_difference)
        self._weights.differenceRequested.connect(self._on_tile_requested)
        self._weights.modes.modeChosen.connect(self._clear_message)
        self._view.sides.changed.connect(self._show_metrics)
        self._pages.pageChanged.connect(self._refresh)
        evaluation.measured.connect(self._show_metrics)
        session.opened.connect(self._on_opened)
        session.changed.connect(self._on_changed)
        session.closed.connect(self._on_closed)

    # -- the sides ------------------------------------------------------------------------------

    def ask_file(self) -> None:
        folder = self._folder()
        if folder:
            name, _ = QFileDialog.getOpenFileName(
                self._window, self.tr("Compare with a checkpoint"), folder
            )
            self._on_chosen(name)

    def ask_folder(self) -> None:
        """Ask the user for a folder to compare with: one of shards, or a model folder."""
        folder = self._folder()
        if folder:
            title = self.tr("Compare with a checkpoint in a folder")
            self._on_chosen(QFileDialog.getExistingDirectory(self._window, title, folder))

    def _folder(self) -> str:
        return "" if self._session.document is None else str(self._session.folder("compare"))

    def compare_state(self, state: int) -> None:
        """Compare a state with the current one, and that with the opened file."""
        document = self._session.document
        if document is not None:
            self._view.sides.choose(0 if state == document.position else state, document.position)
            self._pages.tabs.setCurrentIndex(Page.COMPARE)

    def _on_chosen(self, name: str) -> None:
        if name:
            self._session.note_folder("compare", Path(name))
            self.other.open(Path(name))

    def _on_other(self) -> None:
        if self.other.of_masks:
            self._measure = self._measure or self._view.measure
            self._view.set_measure(ZEROS)
        self._view.set_other(self.other.called, original=self.other.is_original)
        self._pages.tabs.setCurrentIndex(Page.COMPARE)
        self._refresh()

    def _on_other_closing(self) -> None:
        self._tiles.cancel()
        self._clear_comparison()
        self._cached_results = StateCache()
        self._leave_zeros()
        self._view.set_other(None)

    def _leave_zeros(self) -> None:
        """Restore the measure selected before masks were compared, if it was not changed since."""
        before, self._measure = self._measure, ""
        if before and self._view.measure == ZEROS:
            self._view.set_measure(before)

    def _shown_sides(self) -> TwoSides | None:
        """Return the sides whose difference the page Weights shows: those of the page Compare.

        If A and B are equal, return the opened file and the current state.

        Return None if there is no document, or nothing to compare it with.
        """
        document = self._session.document
        if document is None or (len(document.items) < 2 and self.other.state is None):
            return None
        a, b = self._view.sides.wanted
        return self._two_sides(*((0, document.position) if a == b else (a, b)))

    def _two_sides(self, a: Side, b: Side) -> TwoSides:
        x, y = self._snapshot(a), self._snapshot(b)
        return TwoSides((self._name(a), self._name(b)), a == b, lambda job: (x(job), y(job)))

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
        return numbered_title(side, document.items[side])

    # -- the page Compare -----------------------------------------------------------------------

    def _on_sides_requested(self, a: Side, b: Side) -> None:
        if a is not None and b is not None:
            self._leave_zeros()
        self._refresh()

    def _refresh(self) -> None:
        """Offer the difference as a picture; update the comparison if the page Compare is visible.

        The comparison starts again only if the sides or the states have changed since the last
        call. Equal sides are not compared.
        """
        self._offer_difference()
        self._show_metrics()
        document = self._session.document
        if document is None or self._pages.page is not Page.COMPARE:
            return
        wanted = self._view.sides.wanted
        # the revision too: deleting a branch changes it
        compared = wanted, document.items, document.revision
        if compared == self._compared:
            return
        self._clear_comparison()
        if wanted[0] == wanted[1]:
            return
        sides, known = self._two_sides(*wanted), self._cached_results

        def work(job: Job) -> Comparison:
            return compare(*sides.load(job), job, called=sides.names, known=known)

        self._compared = compared
        self._view.set_busy(True)
        self._comparing.start(
            work,
            self._view.set_comparison,
            self._on_not_compared,
            title=self.tr("Comparing"),
            on_cancelled=self._on_stopped,
            restart=Restart(self._compare_again),
        )

    def _compare_again(self) -> None:
        """Show the page Compare, and compare what is selected there."""
        self._pages.tabs.setCurrentIndex(Page.COMPARE)
        self._refresh()

    def _on_not_compared(self, error: PruneAppError) -> None:
        self._view.set_busy(False)
        self._view.set_error(translate_error(error))

    def _on_stopped(self) -> None:
        self._view.set_busy(False)
        self._compared = None

    def _clear_comparison(self) -> None:
        self._comparing.cancel()
        self._compared = None
        self._view.set_comparison(None)
        self._view.set_error("")

    def _show_metrics(self) -> None:
        """Show the metrics of A and B; hide them if both are equal or nothing was evaluated."""
        (a, b), evaluation = self._view.sides.wanted, self._evaluation
        if self._session.document is None or a == b or not evaluation.has_results:
            self._view.metrics.set_pairs((), "")
            return
        (first, second), old = evaluation.comparable_results(a, b)
        note = evaluation.why_old if old else ""
        if first is None and second is None:
            note = self.tr("Neither A nor B has been evaluated.")
        missing = evaluation.pending_text(a), evaluation.pending_text(b)
        self._view.metrics.set_pairs(pairs_of(first, second), note, missing)

    # -- the picture of a difference --------------------------------------------------------------

    def show_difference(self, name: str) -> None:
        """Show where a tensor differs, on the page Weights."""
        self._tree.set_focused(name)
        self._weights.set_difference(self._offered_title)
        self._pages.tabs.setCurrentIndex(Page.WEIGHTS)

    def _offer_difference(self) -> None:
        self._clear_message()
        sides = self._shown_sides()
        offered = "" if sides is None else "A {} → B {}".format(*sides.names)
        if offered == self._offered_title:
            return
        self._offered_title = offered
        if self._weights.mode is Mode.DIFFERENCE:
            self._weights.set_difference(offered or None)
        else:
            self._weights.modes.set_difference(offered or None)

    def _on_tile_requested(self, request: TileRequest) -> None:
        self._tiles.cancel()
        sides, weights = self._shown_sides(), self._weights
        if sides is None:
            return
        generation = weights.generation

        def done(tile: DifferenceTile | None) -> None:
            if tile is not None:
                weights.set_difference_tile(tile, generation)
            elif generation == weights.generation and weights.mode is Mode.DIFFERENCE:
                self._show_message(self._no_difference_text(sides), trouble=False)

        self._tiles.start(
            lambda job: _difference(*sides.load(job), request, job),
            done,
            lambda error: self._show_message(translate_error(error), trouble=True),
        )

    def _no_difference_text(self, sides: TwoSides) -> str:
        a, b = sides.names
        if sides.same:
            return self.tr(
                "{state} is the only state: there is nothing to compare. Go to a later state, or "
                "choose two on the Compare tab."
            ).format(state=a)
        return self.tr("Nothing differs here between {a} and {b}.").format(a=a, b=b)

    def _show_message(self, text: str, *, trouble: bool) -> None:
        self._has_message = True
        self._weights.set_busy(False)
        self._weights.set_error(text, trouble=trouble)

    def _clear_message(self) -> None:
        """Remove the message: while it is shown, the hidden picture requests no tiles."""
        if self._has_message:
            self._has_message = False
            self._weights.set_error("")

    # -- the document ---------------------------------------------------------------------------

    def _on_opened(self) -> None:
        self._cached_results = StateCache()
        self._view.set_shown_names(self._session.contents.shown)
        self._show_points()

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.kind != "exported":
            self._show_points()

    def _show_points(self) -> None:
        document = self._session.document
        assert document is not None
        self._view.set_points(document.items, document.position, document.branches)
        self._refresh()

    def _on_closed(self) -> None:
        self._tiles.cancel()
        self._clear_comparison()
        self._view.set_points((), 0)
        self.other.drop()
        self._offer_difference()
