"""Where windows and dialogs may stand: inside their screen, frame and all."""

from __future__ import annotations

import os

from PySide6.QtCore import QCoreApplication, QEvent, QMargins, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QLabel, QScrollArea, QWidget

from pruneapp.gui.widgets.controls import single_shot

# What a frame takes before there is one to be measured: a title bar and three borders.
FRAME = QMargins(4, 36, 4, 4)
# Pixels: of what is higher, text is cut between its lines, and anything else anywhere.
TALLEST_ROW = 60
_BESIDE_BAR = 8


def available(window: QWidget, /) -> QRect:
    """Return what the screen of a window has free, without panels."""
    return window.screen().availableGeometry()


def room(window: QWidget, /) -> QSize:
    """Return the largest size that a window can have on its screen, its frame left out."""
    return available(window).marginsRemoved(_frame(window)).size()


def fit_into_screen(window: QWidget, frame: QMargins | None = None) -> None:
    """Make a window smaller, and move it, where it would not lie in what its screen has free.

    Its frame is measured if it is not given, and guessed where there is none yet.

    Status bar, progress and Cancel are at the bottom: what lies off the screen cannot be clicked.
    A window that fills its screen is left to the system.
    """
    if window.isMaximized() or window.isFullScreen():
        return
    inside, frame = window.geometry(), _frame(window) if frame is None else frame
    free = available(window).marginsRemoved(frame)
    # A window that has no place yet is given one by the system, which knows better.
    placed = window.isVisible() or window.testAttribute(Qt.WidgetAttribute.WA_Moved)
    size = inside.size().boundedTo(free.size()).expandedTo(window.minimumSize())
    if size != inside.size():
        window.resize(size)
    fitted = QRect(inside.topLeft(), size)
    # The top left corner wins: the title bar is what a window is moved by.
    fitted.moveRight(min(fitted.right(), free.right()))
    fitted.moveBottom(min(fitted.bottom(), free.bottom()))
    fitted.moveTopLeft(QPoint(max(fitted.left(), free.left()), max(fitted.top(), free.top())))
    if placed and fitted.topLeft() != inside.topLeft():
        window.setGeometry(fitted)


def allow_to_front(token: str) -> None:
    """Take what lets the next window come to the front, where the desktop wants such a thing."""
    # As launchers do: Qt shows it to the compositor, which lets no window push forward.
    os.environ["XDG_ACTIVATION_TOKEN"] = token


def bring_to_front(window: QWidget) -> None:
    """Show a window before all others."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()


class Dialog(QDialog):
    """A dialog that opens inside its screen, whatever size it would like to have.

    All dialogs are of this class; the buttons of one that ends below the screen cannot be clicked.
    """

    _shown = False

    def showEvent(self, event: QShowEvent) -> None:
        """Fit into the screen, and take a place for the size that this gives."""
        if event.spontaneous():
            super().showEvent(event)
            return
        self._shown = False  # not as far as this: a place is chosen below
        placed = self.testAttribute(Qt.WidgetAttribute.WA_Moved)
        # What the content asks for is told by events: without them its size comes after its place.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        self.resize(self.preferred_size().boundedTo(room(self)))
        super().showEvent(event)
        if not placed and (parent := self.parentWidget()) is not None:
            # Left to the system, it may be placed for the size from before it was shown.
            inside = QRect(QPoint(), self.size())
            main = parent.window()
            inside.moveCenter(QRect(main.mapToGlobal(QPoint()), main.size()).center())
            self.setGeometry(inside)
        fit_into_screen(self)
        self._shown = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stay in the screen when the content asks for more room; a person may drag it out."""
        super().resizeEvent(event)
        if self._shown and not event.spontaneous():
            fit_into_screen(self)

    def event(self, event: QEvent) -> bool:
        """Grow where what is said takes more lines by now: Qt lets the fields beside it shrink."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and self._shown:
            layout = self.layout()
            least = layout.minimumHeightForWidth(self.width()) if layout is not None else 0
            if least > self.height():
                self.resize(self.width(), min(least, max(room(self).height(), self.height())))
        return done

    def preferred_size(self) -> QSize:
        """Return the size to open with where the screen has room for it."""
        return self.size()


def whole_height(content: QWidget, height: int, /) -> int:
    """Return the largest height up to `height` at which no line of the content is cut.

    What is higher than `TALLEST_ROW`, and no text, may be: what is left of the height would be
    lost.
    """
    spans = []
    for part in content.findChildren(QWidget):
        if part.layout() is not None or not part.isVisibleTo(content):
            continue
        top, line = part.mapTo(content, QPoint()).y(), part.height()
        end = top + line
        if isinstance(part, QLabel):
            line = part.fontMetrics().lineSpacing()
            text = part.heightForWidth(part.width()) if part.wordWrap() else end - top
            end = top + min(text, end - top) if part.text() else top
        if line <= TALLEST_ROW:
            spans += [(at, at + line) for at in range(top, end - line + 1, max(line, 1))]
    least = height
    while cut := [top for top, bottom in spans if top < least < bottom]:
        least = min(cut)
    return least


class Scrolled(QScrollArea):
    """As large as its content, which scrolls up and down where the screen has less room.

    Then its lower edge cuts no line while it is at the top: half a line says less than none.
    """

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content = content
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows the focus of what is in it
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Once all that is in it has its place.
        self._later = single_shot(self, 0, self._trim)
        self.setWidget(content)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask for other room when the content does, of which a scroll area tells nobody."""
        if watched is self._content and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._later.start()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut no line at the lower edge."""
        super().resizeEvent(event)
        self._later.start()

    def _trim(self) -> None:
        height, spare = self.height(), QMargins()
        if self._content.height() > height:
            whole = whole_height(self._content, height) or height
            spare = QMargins(0, 0, _BESIDE_BAR, height - whole)
        if spare != self.viewportMargins():
            self.setViewportMargins(spare)

    def sizeHint(self) -> QSize:
        """Ask for room for all of it."""
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Scroll up and down alone: no less than the width of the content, and of the bar."""
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(self._content.minimumSizeHint().width() + bar + _BESIDE_BAR, bar)


def _frame(window: QWidget) -> QMargins:
    handle = window.windowHandle()
    measured = QMargins() if handle is None else handle.frameMargins()
    return FRAME if measured.isNull() else measured
