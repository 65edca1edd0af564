"""Answers what the picture of weights asks: tiles and points, as the person scrolls and zooms."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from pruneapp.analysis.layout import layout
from pruneapp.analysis.tiles import tile
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.plots.heatmap.toolbar_axes_row import Axes
from pruneapp.gui.plots.pages import Page, PicturePages
from pruneapp.gui.plots.plot_controller_following import FocusPreview
from pruneapp.gui.plots.plot_controller_page_answers import LatestRequest
from pruneapp.results.document_rows_tensor_row import TensorRow
from pruneapp.results.tile import Tile, TileRequest


class TileController(QObject):
    """Keeps the picture of weights true.

    Parameters
    ----------
    session
        The document.
    answers
        Finds tiles.
    following
        What would go of the tensor, which the picture shows.
    pages
        That of the weights asks, and is told.
    """

    def __init__(
        self,
        session: OpenDocument,
        answers: LatestRequest,
        following: FocusPreview,
        pages: PicturePages,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._answers = answers
        self._following = following
        self._picture = pages.weights
        self._row: TensorRow | None = None
        self._first_look = False  # whether the tile that was asked for last is one
        self._behind = False
        following.changed.connect(self._on_estimate)
        pages.tileRequested.connect(self._on_tile_requested)
        pages.pointRequested.connect(self._on_point_requested)
        pages.weights.historyRequested.connect(self._on_history_requested)
        pages.weights.axesChosen.connect(self._on_axes_chosen)

    def look_at(self, row: TensorRow | None, pruned: int = 0) -> None:
        """Show another tensor, of which so many weights are pruned, or none."""
        self._row = row
        if row is not None:
            self._picture.set_layout(layout(row.shape, row.kind), row.shape, row.dtype, row.name)
            self._picture.set_pruned(pruned)
            self._picture.set_why_not(row.why_not)

    def _on_estimate(self) -> None:
        # If each estimate asked anew, a tile that takes longer would never come.
        self._behind = self._first_look and self._answers.under_way("tile")
        if not self._behind:
            self._picture.invalidate(passing=True)

    def _on_tile_requested(self, request: TileRequest) -> None:
        def told(found: Tile, generation: int) -> None:
            self._picture.set_tile(found, generation)
            if self._behind:
                self._on_estimate()

        self._first_look = request.sampled
        self._answer("tile", request, told)

    def _on_point_requested(self, request: TileRequest) -> None:
        self._answer("point", request, self._picture.set_point)

    def _answer(self, kind: str, request: TileRequest, told: Callable[[Tile, int], None]) -> None:
        document = self._session.document
        if document is None:
            return
        snapshot, going = document.snapshot(), self._following.going
        generation = self._picture.generation
        self._answers.ask(
            kind,
            lambda job: tile(snapshot, request, going, job),
            lambda found: told(found, generation),
            Page.WEIGHTS,
        )

    def _on_history_requested(self, index: tuple[int, ...]) -> None:
        document, row = self._session.document, self._row
        if document is None or row is None:
            return
        flat = 0
        for at, extent in zip(index, row.shape, strict=True):
            flat = flat * extent + at
        step = document.pruned_by(row.name, flat)
        if step is not None:
            self._picture.set_pruned_by(index, step, document.item_for(step, row.name))

    def _on_axes_chosen(self, axes: Axes) -> None:
        if self._row is not None:
            self._picture.set_plane(layout(self._row.shape, self._row.kind, *axes), axes)
