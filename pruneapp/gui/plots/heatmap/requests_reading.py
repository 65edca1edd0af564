"""What is said of the weight under the mouse, or of the cursor's."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from pruneapp.gui.plots.base.readout_wording import value_text
from pruneapp.gui.plots.heatmap.canvas import Canvas
from pruneapp.gui.plots.heatmap.drawing_tools import Place
from pruneapp.gui.plots.heatmap.requests import TileRequests
from pruneapp.gui.plots.heatmap.shading_weight import Weight, enough_digits, weight_of
from pruneapp.results.document_rows_history import HistoryItem
from pruneapp.results.tile import Layout, Tile

POINT_MS = 60
# Weights that are remembered.
_MOST = 4096


class Reading(QObject):
    """Reads one weight, and asks for what no tile says.

    Signals
    -------
    pointRequested(TileRequest)
        The exact value of one weight is needed.
    historyRequested(object)
        It is needed which step pruned the weight with this index (a tuple).
    changed()
        Something else is to be said.
    """

    pointRequested = Signal(object)
    historyRequested = Signal(object)
    changed = Signal()

    def __init__(self, canvas: Canvas, asking: TileRequests, parent: QObject) -> None:
        super().__init__(parent)
        self._canvas = canvas
        self._asking = asking
        self._hovered: Place | None = None
        self._points: dict[Place, Weight] = {}
        self._steps: dict[tuple[int, ...], tuple[int, HistoryItem]] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(POINT_MS)
        self._timer.timeout.connect(self._ask)
        canvas.hovered.connect(self._on_hovered)

    def begin(self) -> None:
        """Forget all: another tensor, or another plane of it."""
        self._hovered = None
        self.invalidate()

    def invalidate(self) -> None:
        """Forget what was known of an older state."""
        self._points.clear()
        self._steps.clear()

    def set_point(self, tile: Tile) -> None:
        """Take a weight that was asked for."""
        place = tile.request.row, tile.request.column
        found = weight_of(tile, *place)
        if found is None or tile.values.shape != (1, 1):
            return
        if len(self._points) >= _MOST:
            self._points.clear()
        self._points[place] = found
        self.changed.emit()

    def set_pruned_by(self, index: tuple[int, ...], step: int, item: HistoryItem) -> None:
        """Take which step pruned a weight."""
        if len(self._steps) >= _MOST:
            self._steps.clear()
        self._steps[index] = step, item
        self.changed.emit()

    def text(self) -> str:
        """Say it: "[out 12, in 3, 1, 2] = -0.0312   pruned in step 4 by L1"."""
        layout, place = self._canvas.item.layout, self.place
        if layout is None:
            return ""
        if place is None:
            return layout.note
        known, index = self._known(place), layout.index(*place)
        if known is None:
            self._timer.start()
            return f"{index_words(layout, index)} = …"
        words = [
            f"{index_words(layout, index)} = {value_text(known.value, enough_digits(known.value))}"
        ]
        if not known.kept and index in self._steps:
            step, item = self._steps[index]
            said = self.tr("pruned in step {n} by {label}")
            if not item.by_method:
                said = self.tr("pruned in step {n}: {label}")
            if item.rule:
                said = self.tr("pruned in step {n}, rule {rule}: {label}")
            words.append(said.format(n=step, rule=item.rule, label=item.label))
        else:
            if not known.kept:
                self._timer.start()
            words.append(self._state(known))
        change = self._canvas.item.change(*place)
        if change is not None:
            words.append(self._difference(*change))
        return "   ".join(words)

    @property
    def place(self) -> Place | None:
        """The weight that is read."""
        return self._hovered or self._canvas.item.cursor

    def leave(self) -> None:
        """Read the cursor's weight, wherever the mouse is."""
        self._hovered = None

    def _known(self, place: Place) -> Weight | None:
        if not self._asking.stale and self._asking.content == "weights":
            exact = self._canvas.item.exact(*place)
            if exact is not None:
                return exact
        return self._points.get(place)

    def _ask(self) -> None:
        place, layout = self.place, self._canvas.item.layout
        if place is None or layout is None:
            return
        known = self._known(place)
        if known is None:
            request = self._asking.point(*place)
            if request is not None:
                self.pointRequested.emit(request)
        elif not known.kept and (index := layout.index(*place)) not in self._steps:
            self.historyRequested.emit(index)

    def _on_hovered(self, place: Place | None) -> None:
        if place != self._hovered:
            self._hovered = place
            self.changed.emit()

    def _state(self, weight: Weight) -> str:
        if not weight.kept:
            return self.tr("pruned")
        if weight.guarded:
            return self.tr("protected")
        return self.tr("kept, to be pruned") if weight.goes else self.tr("kept")

    def _difference(self, change: float, became: str) -> str:
        if became == "gone":
            return self.tr("pruned since")
        if became == "back":
            return self.tr("restored since")
        if became == "neither":
            return self.tr("pruned in both")
        if change == 0:
            return self.tr("no difference")
        return self.tr("difference {value}").format(value=value_text(change))


def index_words(layout: Layout, index: tuple[int, ...]) -> str:
    """Write an index with the names of its dimensions: [out 12, in 3, 1, 2]."""
    names = layout.dims or ("",) * len(index)
    parts = (f"{name} {at}" if name else str(at) for name, at in zip(names, index, strict=True))
    return f"[{', '.join(parts)}]"
