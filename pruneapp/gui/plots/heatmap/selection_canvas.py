"""Canvas on which one selects with brush, rectangle, channel.

A picture of weights that one draws on: what is to be pruned, restored or protected by hand.

From what is drawn, and buttons, keys and menus, to gestures.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QWidget

from pruneapp.gui.plots.heatmap import legend
from pruneapp.gui.plots.heatmap.canvas import Canvas, moved
from pruneapp.gui.plots.heatmap.drawing_tools import Drawn, Place, Pointer, Rect, Tool, between
from pruneapp.gui.plots.heatmap.toolbar import ToolRow
from pruneapp.results.document_rows import Gesture, Operation, Shape
from pruneapp.results.tile import Layout

_OPERATIONS: dict[int, Operation] = {
    Qt.Key.Key_Delete: "prune",
    Qt.Key.Key_Backspace: "prune",
    Qt.Key.Key_Insert: "restore",
    Qt.Key.Key_R: "restore",
    Qt.Key.Key_P: "protect",
}
_TAKES: dict[int, Shape] = {
    Qt.Key.Key_H: "row",
    Qt.Key.Key_V: "column",
    Qt.Key.Key_C: "channel",
}


class DrawingCanvas(Canvas):
    """A canvas with tools.

    With a tool a drag draws, and with Shift it adds to what is drawn. The middle button, or Space,
    moves the picture whatever the tool. Keys draw from the cursor: Shift with the arrows a
    rectangle, H the row, V the column, C the channel (again: along the next dimension).

    Attributes
    ----------
    pointer
        The tool, and what is drawn.

    Signals
    -------
    drawnChanged(object)
        The person drew something else (`Drawn`); None for nothing.
    operated(str)
        The person wants this done (`Operation`) to what is drawn, else to the cursor's weight.
    menuAsked()
        The person wants to see what can be done.
    """

    drawnChanged = Signal(object)
    operated = Signal(str)
    menuAsked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pointer = Pointer()
        self._anchor: Place | None = None
        self._panning = False

    @property
    def drawn(self) -> Drawn | None:
        """What is drawn."""
        return self.pointer.drawn

    def set_layout(self, layout: Layout | None) -> None:
        """Begin with another tensor: all of it in sight, nothing drawn."""
        self.pointer.set_layout(layout)
        self._anchor = None
        super().set_layout(layout)

    def turn(self, layout: Layout) -> None:
        """Go to another plane of the same extent; what was drawn was meant for the other."""
        self.pointer.set_layout(layout)
        super().turn(layout)

    def set_tool(self, tool: Tool) -> None:
        """Say what a drag does."""
        self.pointer.tool = tool
        self._show_pointer()

    def drop(self) -> None:
        """Take back what is drawn."""
        if self.drawn is not None:
            self.pointer.drop()
            self._show_drawn()

    def take(self, shape: Shape) -> None:
        """Draw the row, column or channel of the cursor; a channel again turns to the next dim."""
        cursor, layout = self.item.cursor, self.item.layout
        if cursor is None or layout is None:
            return
        drawn = self.drawn
        self.pointer.take(shape, cursor)
        if shape == "channel" and drawn == self.drawn:
            self.pointer.dim = (self.pointer.dim + 1) % max(1, len(layout.shape))
            self.pointer.take(shape, cursor)
        self._anchor = cursor
        self._show_drawn()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to draw, or what the canvas does."""
        joining = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        tool = self.pointer.tool
        if tool == "look" and joining:
            tool = "rectangle"
        drawing = event.button() == Qt.MouseButton.LeftButton and not self._panning
        if drawing and tool != "look" and self.view is not None:
            place = self._nearest(event.position())
            self.item.cursor = self._anchor = place
            self.pointer.press(place, tool, joining=joining)
            self._show_drawn()
            event.accept()
        elif not self.pointer.is_drawing:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Draw on."""
        if self.pointer.is_drawing:
            self.pointer.move(self._nearest(event.position()))
            self._show_drawn()
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Leave what is drawn; a click beside it takes it back."""
        if not self.pointer.is_drawing:
            clicks = self._pressed is not None and not self._dragged
            if clicks and event.button() == Qt.MouseButton.LeftButton:
                self.drop()
                self._anchor = None
            super().mouseReleaseEvent(event)
        elif event.button() == Qt.MouseButton.LeftButton:
            self.pointer.release()
            self._show_drawn()
        self._show_pointer()
        event.accept()

    def takes(self, event: QKeyEvent) -> bool:
        """Keep Esc from the window's shortcut as long as it means what is drawn."""
        return event.key() == Qt.Key.Key_Escape and self.drawn is not None

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """End what Space began."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._panning = False
            self._show_pointer()
        else:
            event.ignore()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """End what Space began: its release goes elsewhere."""
        self._panning = False
        self._show_pointer()
        super().focusOutEvent(event)

    def _press_key(self, event: QKeyEvent) -> bool:
        key = event.key()
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key == Qt.Key.Key_Space:
            self._panning = True
            self._show_pointer()
        elif key == Qt.Key.Key_Escape and self.drawn is not None:
            if self.pointer.is_drawing:
                self.pointer.cancel()
            else:
                self.pointer.drop()
            self._show_drawn()
        elif key in _OPERATIONS:
            releases = shift and key == Qt.Key.Key_P
            self.operated.emit("release" if releases else _OPERATIONS[key])
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.put_cursor()
            self.menuAsked.emit()
        elif key in _TAKES:
            self.put_cursor()
            self.take(_TAKES[key])
        elif shift and self._extend(key):
            pass
        elif super()._press_key(event):
            if moved(key, self._looking(), None) is not None:
                self._anchor = self.item.cursor
                self.drop()
        else:
            return False
        return True

    def _extend(self, key: int) -> bool:
        """Draw from where the cursor stood to where a key puts it."""
        self.put_cursor()
        before = self.item.cursor
        place = moved(key, self._looking(), before)
        if place is None or before is None:
            return False
        self._anchor = self._anchor or before
        self.set_cursor(*place)
        assert self.item.cursor is not None
        self.pointer.extend(self._anchor, self.item.cursor)
        self._show_drawn()
        self.cursorMoved.emit(*self.item.cursor)
        return True

    def _nearest(self, position: QPointF) -> Place:
        local = self.box.mapFromScene(self.mapToScene(position.toPoint()))
        return self._looking().nearest(local.x(), local.y())

    def _show_drawn(self) -> None:
        self.item.set_drawn(self.drawn)
        self.drawnChanged.emit(self.drawn)

    def _show_pointer(self) -> None:
        if self._panning:
            self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)
        elif self.pointer.tool != "look":
            self.viewport().setCursor(Qt.CursorShape.CrossCursor)
        else:
            self.viewport().unsetCursor()


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
