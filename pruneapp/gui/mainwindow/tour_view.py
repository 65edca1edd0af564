"""Widgets of the tour: the instruction above the plot, and a frame around a part of the window."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
)
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QStackedWidget, QWidget

from pruneapp.gui.widgets.controls import add_row, clear, lay_in_column, symbol_button
from pruneapp.gui.widgets.labels import MUTED, heading, plain, with_label

_GAP = 4  # pixels below the bar
_AROUND, _LINE = 3, 3  # pixels
_FOLLOW_MS = 100


class TourBar(QWidget):
    """The instruction of the current step; hidden if no tour is running."""

    nextRequested = Signal()
    endRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Tour"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.title = heading("")
        self.place = plain(ink=MUTED)
        self.texts = QStackedWidget()  # as high as the longest of them
        self.next = QPushButton(self)
        self.close_button = symbol_button("×", self.tr("End the tour"), self)
        self.close_button.setAutoRaise(True)
        layout = lay_in_column(self, spacing=4, margins=(16, 8, 8, _GAP + 8))
        add_row(layout, self.title, self.place, None, self.close_button)
        add_row(layout, self.texts, self.next, wide=self.texts)
        self.next.clicked.connect(self.nextRequested)
        self.close_button.clicked.connect(self.endRequested)
        self.hide()

    @property
    def text(self) -> QLabel:
        """The text of the current step."""
        text = self.texts.currentWidget()
        assert isinstance(text, QLabel)
        return text

    def set_texts(self, texts: Iterable[str]) -> None:
        """Set the texts of all steps, so that the height is the same for each of them."""
        layout = self.texts.layout()
        assert layout is not None
        clear(layout)
        for text in texts:
            self.texts.addWidget(plain(text, wrap=True))

    def set_step(self, number: int, title: str) -> None:
        """Show step `number`, counted from 1, and announce it to screen readers.

        The button of the last step is Finish.
        """
        last = number == self.texts.count()
        self.title.setText(title)
        self.place.setText(self.tr("{n} of {all}").format(n=number, all=self.texts.count()))
        self.texts.setCurrentIndex(number - 1)
        self.next.setText(self.tr("Finish") if last else self.tr("Next"))
        tip = self.tr("End the tour") if last else self.tr("Do this step, and go on")
        self.next.setToolTip(tip)
        self.next.setAccessibleDescription(tip)
        self.show()
        words = with_label(title, self.text.text())
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def event(self, event: QEvent) -> bool:
        """Accept Escape, which would otherwise cancel a job of the window."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End the tour on Escape, and press the focused Next button on Return."""
        if event.key() == Qt.Key.Key_Escape:
            self.endRequested.emit()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.next.hasFocus():
            self.next.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the background, and a stripe like that of notices."""
        painter = QPainter(self)
        ground = self.rect().adjusted(0, 0, 0, -_GAP)
        painter.fillRect(ground, self.palette().base())
        painter.fillRect(QRect(0, 0, 4, ground.height()), self.palette().highlight())
        painter.end()


class Highlight(QWidget):
    """A frame around a part of the window; mouse events pass through it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._find_target: Callable[[], QWidget] | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Polling, as there is no signal when a parent layout moves the target.
        self._timer = QTimer(self)
        self._timer.setInterval(_FOLLOW_MS)
        self._timer.timeout.connect(self._follow)
        self.hide()

    def set_target(self, find: Callable[[], QWidget] | None) -> None:
        """Frame the widget that `find` returns, and follow it; None hides the frame.

        `find` is called every `_FOLLOW_MS`, because a change of the method replaces the fields of a
        rule. There is no frame while the widget is hidden or scrolled out of view.
        """
        self._find_target = find
        if find is None:
            self._timer.stop()
            self.hide()
        else:
            self._timer.start()
            self._follow()

    def _follow(self) -> None:
        """Place the frame around the visible part of the target, within the window.

        The frame is hidden if no part is visible.
        """
        find, window = self._find_target, self._window
        seen = QRect() if find is None else _visible_rect(find(), window)
        if seen.isEmpty():
            self.hide()
            return
        wide = _AROUND + _LINE
        frame = seen.adjusted(-wide, -wide, wide, wide).intersected(window.rect())
        if frame != self.geometry() or not self.isVisible():
            self.setGeometry(frame)
            inner = self.rect().adjusted(_LINE, _LINE, -_LINE, -_LINE)
            self.setMask(QRegion(self.rect()).subtracted(QRegion(inner)))
            self.show()
            self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().highlight().color(), 2 * _LINE))
        painter.drawRect(self.rect())
        painter.end()


def _visible_rect(target: QWidget, window: QWidget) -> QRect:
    """Return the visible rectangle of `target` in coordinates of `window`, which is above it.

    Clipped by the widgets between them; empty if it is hidden.
    """
    seen = QRect(target.mapTo(window, QPoint()), target.size()) if target.isVisible() else QRect()
    around = target.parentWidget()
    while around is not None and around is not window:
        seen = seen.intersected(QRect(around.mapTo(window, QPoint()), around.size()))
        around = around.parentWidget()
    return seen
