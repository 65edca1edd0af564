"""The line below a picture, and the buttons for its table and its menu."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from pruneapp.gui.widgets.labels import ElidedLabel, as_plain, on_one_line
from pruneapp.gui.widgets.safe_paint import reported

_APART = 16
_LONG = 1000  # letters of a text that fills any line


class Readout(ElidedLabel):
    """One line that loses its end where room is short; a sentence needs its beginning.

    It takes the room that there is, whatever it says, and keeps its text itself: a label that is
    given another one has everything around it laid out anew, up to the docks of the window, and
    here that would be at each move of the mouse.

    Signals
    -------
    said()
        Another text is shown.
    """

    said = Signal()

    elide = Qt.TextElideMode.ElideRight

    def __init__(self, parent: QWidget | None = None) -> None:
        self._text = ""
        super().__init__("", parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """Return what is shown."""
        return self._text

    def shortened(self, width: int) -> str:
        """Return what fits, without the statement that does not, if there are more of them."""
        shown = super().shortened(width)
        kept, cut, _rest = shown.rpartition(";")
        return f"{kept}; …" if cut and shown.endswith("…") and shown != self._text else shown

    def setText(self, text: str) -> None:
        """Show `text`, and tell screen readers."""
        text = on_one_line(text)
        if text == self._text:
            return
        self._text = text
        self.setToolTip(as_plain(text))
        self.setAccessibleName(text)
        self.setAccessibleDescription(text)  # else the tooltip with its markup is read out
        self.update()
        self.said.emit()

    @reported
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint what fits."""
        painter = QPainter(self)
        rect = self.contentsRect()
        text = self.shortened(rect.width())
        self.style().drawItemText(
            painter,
            rect,
            int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
            self.palette(),
            self.isEnabled(),
            text,
            QPalette.ColorRole.WindowText,
        )


class FootLine(QWidget):
    """The read-out, and in the room that it leaves something that gives way to it.

    It has no layout, for the reason that `Readout` gives.
    """

    def __init__(self, readout: Readout, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._readout = readout
        self._beside: QWidget | None = None
        readout.setParent(self)
        readout.said.connect(self._place)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_beside(self, beside: QWidget) -> None:
        """Take what gives way, from wherever it was."""
        self._beside = beside
        beside.setParent(self)
        beside.show()
        self._place()

    def sizeHint(self) -> QSize:
        """Ask for one line."""
        return QSize(0, self._readout.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Ask for one line."""
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the line anew."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        width, height = self.width(), self.height()
        left = width
        if self._beside is not None and self._beside.parentWidget() is self:
            said = self.fontMetrics().horizontalAdvance(self._readout.text()[:_LONG])
            left = min(width, said + _APART if said else 0)
            self._beside.setGeometry(left, 0, width - left, height)
        self._readout.setGeometry(0, 0, left, height)


class TableButton(QToolButton):
    """A switch with the sign of a table, drawn in the colour of text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip(self.tr("Show the data as a table (T)"))
        self.setAccessibleName(self.tr("Show as a table"))

    def sizeHint(self) -> QSize:
        """Ask for a square, as high as a combo box."""
        side = self.fontMetrics().height() + 8
        return QSize(side + 4, side)

    @reported
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the frame, and three columns of three rows."""
        super().paintEvent(event)
        painter = QPainter(self)
        color = self.palette().color(QPalette.ColorRole.ButtonText)
        middle = self.rect().center()
        left, top = middle.x() - 6, middle.y() - 5
        painter.setPen(color)
        painter.drawRect(left, top, 13, 11)
        painter.fillRect(left, top, 14, 3, color)
        painter.drawLine(left, top + 7, left + 13, top + 7)
        painter.drawLine(left + 5, top, left + 5, top + 11)


class MenuButton(QToolButton):
    """Three dots, drawn in the colour of text; they open a menu."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip(self.tr("Copy or save this picture and its data"))
        self.setAccessibleName(self.tr("Copy or save"))

    def sizeHint(self) -> QSize:
        """Ask for a square, as high as a combo box."""
        side = self.fontMetrics().height() + 8
        return QSize(side + 4, side)

    @reported
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the frame without the arrow of menus, and the dots."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.features = QStyleOptionToolButton.ToolButtonFeature.None_
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.palette().color(group, QPalette.ColorRole.ButtonText))
        middle = QRectF(self.rect()).center()
        for step in (-5, 0, 5):
            painter.drawEllipse(middle + QPointF(step, 0), 1.6, 1.6)
