"""From what is drawn, and buttons, keys and menus, to gestures."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from pruneapp.gui.plots.heatmap import legend
from pruneapp.gui.plots.heatmap.drawing_tools import Drawn, Place, Rect, between
from pruneapp.gui.plots.heatmap.selection_canvas import DrawingCanvas
from pruneapp.gui.plots.heatmap.toolbar import ToolRow
from pruneapp.results.document_rows import Gesture, Operation
from pruneapp.results.tile import Layout


class Gestures(QObject):
    """Lets the row of tools and the canvas work together, and says what a person means.

    Signals
    -------
    made(Gesture)
        Something is to be done to weights.
    """

    made = Signal(object)

    def __init__(self, canvas: DrawingCanvas, tools: ToolRow, parent: QObject) -> None:
        super().__init__(parent)
        self._canvas, self._tools = canvas, tools
        self._name = ""
        self._why_not = ""
        tools.toolChosen.connect(canvas.set_tool)
        tools.brushChosen.connect(self._on_brush)
        tools.dimChosen.connect(self._on_dim)
        tools.operated.connect(self.operate)
        canvas.operated.connect(self.operate)
        canvas.drawnChanged.connect(self._on_drawn)

    def begin(self, name: str) -> None:
        """Begin with another tensor, on which nothing is chosen."""
        self._name = name
        layout = self._canvas.item.layout
        self._tools.set_drawn("")
        self._tools.set_dims(() if layout is None else legend.dim_words(layout))

    def set_why_not(self, text: str) -> None:
        """Say why nothing may be done; empty if it may."""
        self._why_not = text
        self._tools.set_why_not(text)

    def operate(self, operation: Operation) -> None:
        """Ask for this to be done to what is chosen, else to the weight of the cursor."""
        meant = self._meant()
        if meant is not None:
            self._make(operation, meant)

    def point_at(self, place: Place) -> None:
        """Mean a weight from now on, unless it is a part of what is chosen."""
        chosen, layout = self._canvas.drawn, self._canvas.item.layout
        assert layout is not None
        here = Rect(place[0], place[1], place[0] + 1, place[1] + 1)
        if chosen is None or not any(
            rect.top <= place[0] < rect.bottom and rect.left <= place[1] < rect.right
            for rect in chosen.shown(layout, here)
        ):
            self._canvas.drop()
            self._canvas.set_cursor(*place)

    def fill(self, menu: QMenu) -> None:
        """Offer what can be done to what is chosen, and to the channels of the cursor."""
        meant, layout, cursor = self._meant(), self._canvas.item.layout, self._canvas.item.cursor
        if meant is None or layout is None:
            return
        self._offer(menu, meant, layout)
        if cursor is None or layout.rows * layout.columns == 1:
            return
        menu.addSeparator()
        for dim in range(len(layout.shape)):
            channel = between("channel", layout, cursor, cursor, dim)
            self._offer(menu.addMenu(legend.channel_words(channel, layout)), channel, layout)

    def _offer(self, menu: QMenu, meant: Drawn, layout: Layout) -> None:
        said = legend.drawn_words(meant, layout)
        for operation, text in (
            ("prune", self.tr("Prune {what}")),
            ("restore", self.tr("Restore {what}")),
            ("protect", self.tr("Protect {what}")),
            ("release", self.tr("Unprotect {what}")),
        ):
            action = QAction(text.format(what=said), menu)
            action.setData((operation, meant))
            action.setEnabled(not self._why_not)
            action.triggered.connect(self._on_action)
            menu.addAction(action)

    def _on_action(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self._make(*action.data())

    def _meant(self) -> Drawn | None:
        layout, cursor = self._canvas.item.layout, self._canvas.item.cursor
        if self._canvas.drawn is None and layout is not None and cursor is not None:
            return between("rectangle", layout, cursor, cursor)
        return self._canvas.drawn

    def _make(self, operation: Operation, meant: Drawn) -> None:
        layout = self._canvas.item.layout
        if layout is not None and not self._why_not:
            boxes = meant.boxes(layout)
            self.made.emit(Gesture(operation, self._name, boxes, meant.shape, meant.dim))

    def _on_drawn(self, drawn: Drawn | None) -> None:
        layout = self._canvas.item.layout
        assert layout is not None
        self._tools.set_drawn("" if drawn is None else legend.drawn_words(drawn, layout))
        self._tools.set_dim(self._canvas.pointer.dim)

    def _on_brush(self, size: int) -> None:
        self._canvas.pointer.brush = size

    def _on_dim(self, dim: int) -> None:
        self._canvas.pointer.dim = dim
