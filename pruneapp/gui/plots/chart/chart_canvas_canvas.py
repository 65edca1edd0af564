"""The part of a chart that one moves about in, by mouse and keys."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from pruneapp.gui.plots.chart.chart_canvas import BarPlot
from pruneapp.gui.plots.chart.chart_canvas_keys import STEPS, ZOOM_STEP, ZOOMS, moved, takes
from pruneapp.gui.plots.chart.items_cut_line import is_on
from pruneapp.gui.plots.chart.items_selection import Pick


class ChartCanvas(BarPlot):
    """Bars that are zoomed and dragged along x, with a cursor for the keys, and a cut to be moved.

    Parameters
    ----------
    neutral
        Whether bars have the colour of words, because they are neither kept nor pruned.
    sideways
        Whether bars lie below each other; the wheel moves then, and zooms with Ctrl.

    Attributes
    ----------
    selecting
        Whether bars can be chosen: a drag draws a band then, instead of moving the bars.

    Signals
    -------
    hovered(int)
        The bar under the mouse; -1 for none.
    cursorMoved(int)
        The person put the cursor on this bar.
    activated(int)
        The person clicked on this bar, or pressed Return on it.
    lineTaken(), lineMoved(float), lineReleased(), lineDropped()
        The person takes hold of the line; holds it there, on its axis; lets it go; or pressed Esc
        while it was held: nothing is to have happened.
    lineStepped(int)
        The person moves the line so many steps by keys.
    picked(int, Pick)
        The person chose this bar.
    banded(int, int, bool)
        The person drew a band from this bar to before that one; whether it adds to what is chosen.
    """

    hovered = Signal(int)
    cursorMoved = Signal(int)
    activated = Signal(int)
    lineTaken = Signal()
    lineMoved = Signal(float)
    lineDropped = Signal()
    lineReleased = Signal()
    lineStepped = Signal(int)
    picked = Signal(int, object)
    banded = Signal(int, int, bool)

    def __init__(
        self,
        bottom: pg.AxisItem,
        left: pg.AxisItem,
        *,
        neutral: bool = False,
        sideways: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(bottom, left, neutral=neutral, sideways=sideways, parent=parent)
        self.selecting = False
        self._anchored = False

    def _on_line(self, pixel: QPointF) -> bool:
        line = self._line
        return line is not None and line.editable and is_on(line, pixel, self.place, self.font())

    def _hold(self, pixel: QPointF) -> None:
        if self._line is not None:
            point = self.place.point(pixel)
            at = point.x() if self._line.upright else point.y()
            self.lineMoved.emit(abs(at) if self._line.mirrored else at)

    # -- the mouse ------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom along x towards the mouse; move with Shift, or sideways."""
        across, steps = event.angleDelta().x() / 120, event.angleDelta().y() / 120
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not across:
            across, steps = steps, 0
        elif self.sideways and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            across, steps = steps or across, 0
        if self.count and abs(across) > abs(steps):
            low, high = self._range
            move = -across * (high - low) / 8
            self._look(low + move, high + move)
        elif steps and self.count:
            self.zoom(ZOOM_STEP**steps, self.place.point(event.position()).x())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the line, or begin a click or a drag."""
        if event.button() == Qt.MouseButton.LeftButton and self._on_line(event.position()):
            self._holding = True
            self.lineTaken.emit()
            self.viewport().update()
        elif event.button() in {Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton}:
            self._press(event)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the line, draw a band or drag the bars; say what is under the mouse."""
        at = event.position()
        if self._holding:
            self._hold(at)
            event.accept()
            return
        start = self._pressed
        moved = self._drag(event) if self.count else None
        if moved is not None and start is not None:
            if self.selecting and event.buttons() & Qt.MouseButton.LeftButton:
                begun = self._band[0] if self._band else start.x()
                self._band = begun, at.x()
                self.viewport().update()
            else:
                low, high = self._range
                along = moved.y() if self.sideways else moved.x()
                step = along * (high - low) / self.width_of_plot
                self._look(low - step, high - step)
        self._show_grip(at)
        self.hovered.emit(self.bar_at(at.toPoint()))
        event.accept()

    def _show_grip(self, at: QPointF) -> None:
        if self._pressed is None and self._on_line(at):
            upright = self._line is not None and self._line.upright
            shape = Qt.CursorShape.SplitHCursor if upright else Qt.CursorShape.SplitVCursor
            self.viewport().setCursor(shape)
        else:
            self.viewport().unsetCursor()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let the line go, choose what is in the band, or the bar on which one clicked."""
        held = event.modifiers()
        more = bool(held & Qt.KeyboardModifier.ControlModifier)
        if self._holding:
            self._holding = False
            self.viewport().update()
            self.lineReleased.emit()
        elif self._band is not None:
            low, high = (self.place.point(QPointF(x, 0)).x() for x in sorted(self._band))
            self._band = None
            more = more or bool(held & Qt.KeyboardModifier.ShiftModifier)
            self.banded.emit(*self.bars_between(low, high), more)
            self.viewport().update()
        elif self._pressed is not None and not self._dragged:
            found = self.bar_at(event.position().toPoint())
            if found >= 0 and event.button() == Qt.MouseButton.LeftButton:
                self.set_cursor(found)
                self.cursorMoved.emit(found)
                if self.selecting:
                    self._anchored = True
                    ranged = held & Qt.KeyboardModifier.ShiftModifier
                    self.picked.emit(
                        found, Pick.RANGE if ranged else Pick.TOGGLE if more else Pick.ONE
                    )
                self.activated.emit(found)
        self._pressed = None
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Treat the second press as a first one."""
        self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Say that nothing is under the mouse."""
        self.hovered.emit(-1)
        super().leaveEvent(event)

    def _drop(self) -> None:
        """Leave everything as it was before the press, whatever the mouse does then."""
        held, self._holding, self._band, self._pressed = self._holding, False, None, None
        if held:
            self.lineDropped.emit()
        self.viewport().update()

    # -- the keys -------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        """Whether a key means something here."""
        if event.key() == Qt.Key.Key_Escape and (self._holding or self._band is not None):
            return True
        chosen = self._marks is not None and bool(self._marks.chosen.any())
        line = self._line is not None
        return takes(event, line=line, selecting=self.selecting, chosen=chosen)

    def _turned(self, key: int) -> int:
        """Return the key that means on upright bars what this one means here."""
        if not self.sideways:
            return key
        turned = {Qt.Key.Key_Up: Qt.Key.Key_Left, Qt.Key.Key_Down: Qt.Key.Key_Right}
        return turned.get(Qt.Key(key), key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor or the line, zoom, or choose."""
        key, at = event.key(), self.cursor_bar
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        line = self._line is not None and self._line.editable
        other = event.modifiers() & (
            Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
        )
        if key == Qt.Key.Key_Escape and (self._holding or self._band is not None):
            self._drop()
        elif not self.count or other:
            event.ignore()
        elif line and key in STEPS and (ctrl or (shift and not self.selecting)):
            self.lineStepped.emit(STEPS[Qt.Key(key)])
        elif ctrl and key == Qt.Key.Key_A and self.selecting:
            self.banded.emit(0, self.count, False)
        elif ctrl:
            event.ignore()
        elif key in ZOOMS:
            self.zoom(ZOOMS[Qt.Key(key)])
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and at >= 0:
            self.activated.emit(at)
        elif key == Qt.Key.Key_Space and self.selecting and at >= 0:
            self.picked.emit(at, Pick.TOGGLE)
        elif (place := moved(self._turned(key), at, self.visible, self.count)) is not None:
            if shift and self.selecting and at >= 0 and not self._anchored:
                self.picked.emit(at, Pick.ONE)  # the range begins where the cursor was
            self._anchored = shift
            self.set_cursor(place)
            self.cursorMoved.emit(self.cursor_bar)
            if shift and self.selecting:
                self.picked.emit(self.cursor_bar, Pick.RANGE)
        else:
            event.ignore()
