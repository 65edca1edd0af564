"""What differences look like: the picture of the weights, in its mode Difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject

from pruneapp.analysis.comparison import untouched
from pruneapp.analysis.tiles import difference_tile
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import CheckpointError, PruneAppError
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.plots.heatmap.shading import Mode
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.plots.plot_controller import PlotController
from pruneapp.progress import Job
from pruneapp.results.tile import DifferenceTile, TileRequest

Load = Callable[[Job], tuple[Snapshot, Snapshot]]


@dataclass(frozen=True, eq=False)
class TwoSides:
    """What is compared.

    Attributes
    ----------
    names
        What A and B are called.
    same
        Whether both are the same state.
    load
        Returns what a worker calls to get them: their masks may have to be read.
    """

    names: tuple[str, str]
    same: bool
    load: Callable[[], Load]


class DifferenceHeatmap(QObject):
    """Answers the picture of the weights how a tensor differs between two sides.

    Parameters
    ----------
    jobs
        Where work is done.
    looking
        Told of the tensor whose difference is wanted.
    views
        The tree and the pictures.
    sides
        Returns what is compared; None where there are no two sides.
    """

    def __init__(
        self,
        jobs: Jobs,
        looking: PlotController,
        views: DocumentViews,
        *,
        sides: Callable[[], TwoSides | None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._looking = looking
        self._tree = views.tree
        self._pages = views.pages
        self._sides = sides
        self._task: Task[DifferenceTile | None] | None = None
        self._offered = ""
        # Whether words stand in the place of the difference.
        self._says = False
        self._pages.weights.differenceRequested.connect(self._on_requested)
        self._pages.weights.modes.modeChosen.connect(self._on_mode_chosen)

    def show(self, name: str) -> None:
        """Show where a tensor differs."""
        self._tree.set_focused(name)
        self._looking.look_at(name)
        self._pages.weights.set_difference(self._offered)
        self._pages.tabs.setCurrentIndex(Page.WEIGHTS)

    def offer(self) -> None:
        """Offer the difference beside the other modes, where there are two sides."""
        self._unsay()
        sides = self._sides()
        offered = "" if sides is None else " → ".join(sides.names)
        if offered == self._offered:
            return
        self._offered = offered
        weights = self._pages.weights
        if weights.mode is Mode.DIFFERENCE:
            weights.set_difference(offered or None)
        else:
            weights.modes.set_difference(offered or None)

    def stop(self) -> None:
        """Answer no more what was asked; a side is about to be closed."""
        if self._task is not None:
            task, self._task = self._task, None
            task.cancel()

    def _on_requested(self, request: TileRequest) -> None:
        self.stop()
        sides, weights = self._sides(), self._pages.weights
        if sides is None:
            return
        generation, load = weights.generation, sides.load()

        def work(job: Job) -> DifferenceTile | None:
            return _difference(*load(job), request, job)

        def done(found: DifferenceTile | None) -> None:
            if found is not None:
                weights.set_difference_tile(found, generation)
            elif generation == weights.generation and weights.mode is Mode.DIFFERENCE:
                self._say(self._nothing(sides), trouble=False)

        self._task = self._jobs.answer(work, on_result=done, on_error=self._on_error)

    def _on_error(self, error: PruneAppError) -> None:
        self._say(f"{error.sentence} {error.remedy}".strip(), trouble=True)

    def _nothing(self, sides: TwoSides) -> str:
        if sides.same:
            return self.tr(
                "{state} is the only state to be compared, and does not differ from itself. Go to "
                "a later state, or choose two on the page Compare."
            ).format(state=sides.names[0])
        a, b = sides.names
        return self.tr("Nothing differs here between {a} and {b}.").format(a=a, b=b)

    def _say(self, text: str, *, trouble: bool) -> None:
        self._says = True
        self._pages.set_busy(Page.WEIGHTS, False)
        self._pages.set_error(Page.WEIGHTS, text, trouble=trouble)

    def _unsay(self) -> None:
        """Make room for a picture: one that is hidden asks for nothing."""
        if self._says:
            self._says = False
            self._pages.set_error(Page.WEIGHTS, "")

    def _on_mode_chosen(self, _mode: Mode) -> None:
        self._unsay()


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
