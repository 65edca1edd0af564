"""Scheduling of tile requests for the heatmap, and the readout of a single weight."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from pruneapp.analysis.tiles import Tile, TileRequest
from pruneapp.document.document import HistoryItem
from pruneapp.gui.plots.base.readout import value_text
from pruneapp.gui.plots.heatmap.canvas import HeatmapCanvas
from pruneapp.gui.plots.heatmap.drawing_tools import Cell
from pruneapp.gui.plots.heatmap.shading import AnyTile, Mode, Weight, enough_digits, weight_of
from pruneapp.gui.plots.heatmap.viewport import Viewport, is_view_covered
from pruneapp.gui.widgets.controls import single_shot
from pruneapp.gui.widgets.engine_text import translate_declared, translate_sentence, translate_step

# Minimum interval between tile requests while panning.
REQUEST_MS = 40
# Reading a part of this size takes 100 ms. It is requested as a sample first, and while panning
# only after `REST_MS` without movement.
LARGE = 1 << 23
REST_MS = 120
# Coloring more pixels than this takes longer than a frame; on a 200 % screen, nearly all tiles.
HEAVY = 1 << 20


class TileRequests(QObject):
    """Requests tiles of a tensor at a limited rate, and decides which results are used.

    A large part of which nothing is known in the current state is first requested as a sample.
    Tiles are requested while `picture`, the widget that contains the canvas, is visible; the canvas
    itself may be hidden by the table of the tile's numbers.
    """

    requested = Signal(object)  # (TileRequest) this tile is needed
    _requestQueued = Signal()

    def __init__(self, canvas: HeatmapCanvas, picture: QWidget) -> None:
        super().__init__(picture)
        self._canvas = canvas
        self._picture = picture
        self._base: TileRequest | None = None
        self._pending: TileRequest | None = None
        self._coarse_needed = False
        self._is_transient = False
        self.stale = False  # whether the displayed tiles are of an older state
        self._timer = single_shot(self, 0, self.request_now)
        # Faster than a timer with 0 ms, which fires only after painting.
        self._requestQueued.connect(self.request_now, Qt.ConnectionType.QueuedConnection)

    @property
    def content(self) -> Mode:
        """The kind of tiles: MAGNITUDE (weights), RESULT (pruned weights are 0) or DIFFERENCE."""
        mode = self._canvas.item.mode
        return mode if mode in {Mode.RESULT, Mode.DIFFERENCE} else Mode.MAGNITUDE

    def begin(self, base: TileRequest | None) -> None:
        """Start with the tensor and axes of `base`; None for no tensor.

        Forgets the pending request; the result of an older one is not used. Tiles are requested
        soon.
        """
        self._base = base
        self._pending = None
        self.stale = self._coarse_needed = self._is_transient = False
        self.schedule()

    def show_plane(self, base: TileRequest) -> None:
        """Request another plane of the same extent; the old tiles stay until it arrives."""
        self._base = base
        self.invalidate()

    def invalidate(self, *, transient: bool = False) -> None:
        """Request all tiles again; the displayed ones are stale but stay until then.

        `transient` means that the new state probably changes soon: a sample is requested as soon as
        possible, and the rest only after `REST_MS` if the state remains.
        """
        coarse = self._canvas.item.coarse
        self._pending = None
        self.stale = True
        self._coarse_needed = coarse is not None and coarse is not self._canvas.item.fine
        self._is_transient = transient
        if transient:
            self._requestQueued.emit()
        else:
            self.schedule()

    def accept_tile(self, tile: AnyTile) -> bool:
        """Show a tile. Return False if it is not shown, or used only as the coarse tile.

        A tile that is sampled or does not cover the visible part is not shown in place of a
        complete one. Then the next missing tile is requested, after a sample of a transient state
        later.
        """
        item = self._canvas.item
        if self._canvas.view is None:
            return False
        if self._coarse_needed and tile.request == self._coarse_request():
            self._coarse_needed = False
            item.set_ground(tile)
            self.schedule()
            return False
        if tile.request == self._pending:
            self._pending = None
        if self.is_complete and (tile.sampled or not self._is_view_covered_by(tile)):
            return False  # the user panned back before the tile arrived
        item.set_tile(tile)
        self.stale = False
        coarse = item.coarse
        old = self._coarse_needed or (coarse is not None and coarse.sampled)
        self._coarse_needed = coarse is None or (old and coarse is not tile)
        if self._is_transient:
            self._timer.start(REST_MS)
        else:
            self.schedule()
        return True

    @property
    def is_complete(self) -> bool:
        """Whether a current tile covers the visible part at the resolution of the screen."""
        fine = self._canvas.item.fine
        return (
            fine is not None
            and not self.stale
            and not fine.sampled
            and self._is_view_covered_by(fine)
        )

    def schedule(self) -> None:
        """Schedule a request for missing tiles, immediately if nothing is shown."""
        if self._canvas.item.fine is None:
            self._requestQueued.emit()
        elif not self._timer.isActive():
            self._timer.start(REQUEST_MS)

    def on_view_moved(self) -> None:
        """Request missing tiles after panning or zooming, at a limited rate.

        Large tiles are requested after `REST_MS` without movement.
        """
        view, fine = self._canvas.view, self._canvas.item.fine
        if self._base is None or view is None or fine is None or self.stale:
            self.schedule()
            return
        part = view.request(self._base.name, self._canvas.devicePixelRatioF())
        pixels = -(-part.rows // part.pool) * -(-part.columns // part.pool)
        if _is_large(part) or pixels > HEAVY or (self._is_transient and fine.sampled):
            self._timer.start(REST_MS)
        else:
            self.schedule()

    def request_now(self) -> None:
        """Request the tile of the visible part if it is missing, else a missing coarse tile.

        Does nothing without a tensor, while the plot is hidden, or if that tile is already
        requested.
        """
        base, view = self._base, self._canvas.view
        if base is None or view is None or not self._picture.isVisible():
            return
        if not self.is_complete:
            request = self._request_for(view, self._canvas.devicePixelRatioF())
            fine = self._canvas.item.fine
            unknown = self.stale or fine is None
            if unknown and (self._is_transient or _is_large(request)):
                request = replace(request, sampled=True)
            if request != self._pending:
                self._pending = request
                self.requested.emit(request)
        elif self._coarse_needed and (coarse_request := self._coarse_request()) is not None:
            self.requested.emit(coarse_request)

    def point_request(self, row: int, column: int) -> TileRequest | None:
        """Return the request for a single weight; None without a tensor."""
        if self._base is None:
            return None
        return replace(self._base, row=row, column=column, rows=1, columns=1, pruned=False)

    def _request_for(self, view: Viewport, ratio: float) -> TileRequest:
        assert self._base is not None
        part = view.request(self._base.name, ratio)
        result = self.content is Mode.RESULT
        return replace(part, axes=self._base.axes, fixed=self._base.fixed, pruned=result)

    def _coarse_request(self) -> TileRequest | None:
        if self._canvas.view is None or self._base is None:
            return None
        return self._request_for(self._canvas.view.fit(), 1.0)

    def _is_view_covered_by(self, tile: AnyTile) -> bool:
        """Return whether a tile covers the visible part at exactly the resolution of the screen."""
        view = self._canvas.view
        if view is None or not is_view_covered(tile.request, view):
            return False
        ratio = self._canvas.devicePixelRatioF()
        return tile.request.pool == view.request(tile.request.name, ratio).pool


def _is_large(part: TileRequest) -> bool:
    return part.pool > 1 and part.rows * part.columns >= LARGE


POINT_MS = 60
# Size of the cache of weights.
_MAX_CACHED = 4096


class WeightReadout(QObject):
    """The text about one weight. Values that no tile contains are requested by signals."""

    pointRequested = Signal(object)  # (TileRequest) the exact value of one weight is needed
    # (index tuple) The step that pruned this weight is needed.
    historyRequested = Signal(object)
    changed = Signal()  # the text has changed

    def __init__(self, canvas: HeatmapCanvas, tile_requests: TileRequests, parent: QObject) -> None:
        super().__init__(parent)
        self._canvas = canvas
        self._tile_requests = tile_requests
        self._hovered: Cell | None = None
        self._weights: dict[Cell, Weight] = {}
        self._steps: dict[tuple[int, ...], tuple[int, HistoryItem]] = {}
        self._timer = single_shot(self, POINT_MS, self._request_missing)
        canvas.hovered.connect(self._on_hovered)

    def begin(self) -> None:
        """Clear the cache and the hover, for another tensor or plane."""
        self._hovered = None
        self.invalidate()

    def invalidate(self) -> None:
        """Clear the cache, because the state has changed."""
        self._weights.clear()
        self._steps.clear()

    def set_point(self, tile: Tile) -> None:
        """Cache the weight of a one-weight tile, the reply to `pointRequested`; emit `changed`.

        Other tiles are ignored. When `_MAX_CACHED` weights are cached, the cache is cleared first.
        """
        cell = tile.request.row, tile.request.column
        weight = weight_of(tile, *cell)
        if weight is None or tile.values.shape != (1, 1):
            return
        if len(self._weights) >= _MAX_CACHED:
            self._weights.clear()
        self._weights[cell] = weight
        self.changed.emit()

    def set_pruned_by(self, index: tuple[int, ...], step: int, item: HistoryItem) -> None:
        """Store which step pruned a weight."""
        if len(self._steps) >= _MAX_CACHED:
            self._steps.clear()
        self._steps[index] = step, item
        self.changed.emit()

    def text(self) -> str:
        """Return the readout: "[out 12, in 3, 1, 2] was -0.0312   pruned in step 4 by L1".

        The value of a pruned weight is that before. Without a weight, the note of the layout; ""
        without a tensor. Requests a value, or the step that pruned it, that is not known, after
        `POINT_MS`; until then the text has "…" or no step.
        """
        layout, cell = self._canvas.item.layout, self.cell
        if layout is None:
            return ""
        if cell is None:
            return translate_sentence(layout.note)
        known, index = self._known(cell), layout.index(*cell)
        names = layout.dims or ("",) * len(index)
        at = ", ".join(
            f"{translate_declared(name)} {i}".strip() for name, i in zip(names, index, strict=True)
        )
        if known is None:
            self._timer.start()
            return f"[{at}] = …"
        value = value_text(known.value, enough_digits(known.value))
        words = [f"[{at}] = {value}"]
        change = self._canvas.item.change(*cell)
        if change is not None:  # between two states that may both be past ones
            words.append(self._difference(*change))
        elif known.kept:
            words.append(self._state(known))
        else:
            was = self.tr("[{place}] was {value}").format(place=at, value=value)
            words = [was, self._pruned_by(index)]  # it is 0 now
        return "   ".join(words)

    def _pruned_by(self, index: tuple[int, ...]) -> str:
        """Return by which step a weight was pruned; requests it, if that is not known yet."""
        if index not in self._steps:
            self._timer.start()
            return self.tr("pruned")
        step, item = self._steps[index]
        text = self.tr("pruned in step {n} by {label}")
        if not item.by_method:
            text = self.tr("pruned in step {n}: {label}")
        if item.rule:
            text = self.tr("pruned in step {n}, rule {rule}: {label}")
        return text.format(n=step, rule=item.rule, label=translate_step(item.label))

    @property
    def cell(self) -> Cell | None:
        """The weight under the mouse, else at the cursor; None if there is none."""
        return self._hovered or self._canvas.item.cursor

    def leave(self) -> None:
        """Read the weight at the cursor instead of the one under the mouse."""
        self._hovered = None

    def _known(self, cell: Cell) -> Weight | None:
        if not self._tile_requests.stale and self._tile_requests.content is Mode.MAGNITUDE:
            exact = self._canvas.item.exact_weight(*cell)
            if exact is not None:
                return exact
        return self._weights.get(cell)

    def _request_missing(self) -> None:
        cell, layout = self.cell, self._canvas.item.layout
        if cell is None or layout is None:
            return
        known = self._known(cell)
        if known is None:
            request = self._tile_requests.point_request(*cell)
            if request is not None:
                self.pointRequested.emit(request)
        elif not known.kept and (index := layout.index(*cell)) not in self._steps:
            self.historyRequested.emit(index)

    def _on_hovered(self, cell: Cell | None) -> None:
        if cell != self._hovered:
            self._hovered = cell
            self.changed.emit()

    def _state(self, weight: Weight) -> str:
        """Return the state of a weight that is not pruned."""
        if weight.protected:
            return self.tr("protected")
        return self.tr("kept now, pruned in the preview") if weight.to_prune else self.tr("kept")

    def _difference(self, change: float, fate: str) -> str:
        if fate == "gone":
            return self.tr("kept in A, pruned in B")
        if fate == "back":
            return self.tr("pruned in A, kept in B")
        if fate == "neither":
            return self.tr("pruned in A and B")
        if change == 0:
            return self.tr("no difference")
        return self.tr("difference {value}").format(value=value_text(change))
