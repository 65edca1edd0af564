"""Geometry of windows and dialogs: inside the available area of the screen."""

from __future__ import annotations

import os

from PySide6.QtCore import QCoreApplication, QEvent, QMargins, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QLabel, QScrollArea, QWidget

from pruneapp.gui.widgets.controls import single_shot

# Assumed size of a window frame that cannot be measured yet: a title bar and three borders.
FRAME = QMargins(4, 36, 4, 4)
# Pixels. Higher widgets may be cut: labels between lines, others anywhere.
TALLEST_ROW = 60
_BESIDE_BAR = 8
# Window managers move a dialog by the size of its frame; more, in pixels, was done by the user.
_MOVED_PX = 64


def available(window: QWidget, /) -> QRect:
    """Return the available geometry of the screen of a window, without panels."""
    return window.screen().availableGeometry()


def room(window: QWidget, /) -> QSize:
    """Return the maximum size of a window on its screen, without its frame."""
    return available(window).marginsRemoved(_frame(window)).size()


def fit_into_screen(window: QWidget, frame: QMargins | None = None) -> None:
    """Shrink and move a window so that it is inside the available area of its screen.

    `frame` is measured if it is None, and assumed to be `FRAME` if that is not possible. Without
    this, the status bar and Cancel could be outside the screen. Maximized windows are not changed,
    and none becomes smaller than its minimum size: then its lower right part is outside. A window
    that has no position yet is only resized.
    """
    if window.isMaximized() or window.isFullScreen():
        return
    inside, frame = window.geometry(), _frame(window) if frame is None else frame
    free = available(window).marginsRemoved(frame)
    # A window without a position is placed by the window manager.
    placed = window.isVisible() or window.testAttribute(Qt.WidgetAttribute.WA_Moved)
    size = inside.size().boundedTo(free.size()).expandedTo(window.minimumSize())
    if size != inside.size():
        window.resize(size)
    fitted = QRect(inside.topLeft(), size)
    # The top left corner has priority, as windows are moved by their title bar.
    fitted.moveRight(min(fitted.right(), free.right()))
    fitted.moveBottom(min(fitted.bottom(), free.bottom()))
    fitted.moveTopLeft(QPoint(max(fitted.left(), free.left()), max(fitted.top(), free.top())))
    if placed and fitted.topLeft() != inside.topLeft():
        window.setGeometry(fitted)


def allow_to_front(token: str) -> None:
    """Set the activation token of the next window, which some desktops need to raise a window."""
    # As application launchers do: Qt passes it to the compositor.
    os.environ["XDG_ACTIVATION_TOKEN"] = token


def bring_to_front(window: QWidget) -> None:
    """Show a window, restore it if it is minimized, and activate it."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()


class Dialog(QDialog):
    """Base class of all dialogs, which opens inside the available area of its screen.

    Otherwise buttons at the bottom of a high dialog could not be clicked.
    """

    _shown = False
    _initial = QRect()  # the geometry that the program gave it
    # The geometry that the user gave such a dialog before; null for the usual one. Set it first.
    restored = QRect()

    def user_geometry(self) -> QRect:
        """Return the geometry if the user moved or resized the dialog, now or before; else null."""
        now, before = self.geometry(), self._initial
        moved = (now.topLeft() - before.topLeft()).manhattanLength() > _MOVED_PX
        return now if moved or now.size() != before.size() else self.restored

    def showEvent(self, event: QShowEvent) -> None:
        """Resize the dialog to its preferred size, or to the screen, and center it on its parent.

        A dialog that the program or the user has moved stays there, and one with a `restored`
        geometry gets that. Nothing when it is restored from the task bar.
        """
        if event.spontaneous():
            super().showEvent(event)
            return
        self._shown = False  # resizing must not move it yet
        placed = self.testAttribute(Qt.WidgetAttribute.WA_Moved)
        # Process pending layout requests first: otherwise the size would change after positioning.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        size = self.preferred_size() if self.restored.isNull() else self.restored.size()
        self.resize(size.boundedTo(room(self)))
        super().showEvent(event)
        if not self.restored.isNull():
            self.setGeometry(QRect(self.restored.topLeft(), self.size()))
        elif not placed and (parent := self.parentWidget()) is not None:
            # The window manager may use an earlier size, from before showing.
            inside = QRect(QPoint(), self.size())
            main = parent.window()
            inside.moveCenter(QRect(main.mapToGlobal(QPoint()), main.size()).center())
            self.setGeometry(inside)
        fit_into_screen(self)
        self._initial = self.geometry()
        self._shown = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stay inside the screen when the content grows; the user may drag the dialog outside."""
        super().resizeEvent(event)
        if not self._shown or event.spontaneous():
            return
        initial, handle = self._initial, self.windowHandle()
        if handle is not None and not handle.isExposed():
            # A window manager that adds a frame first reports positions relative to that frame.
            self.setGeometry(QRect(initial.topLeft(), self.size()))
        before = self.pos()
        fit_into_screen(self)
        grows = self.size() == self.size().expandedTo(event.oldSize())
        if grows and event.oldSize() == initial.size():  # for its content, not by the user
            self._initial = QRect(initial.topLeft() + self.pos() - before, self.size())

    def event(self, event: QEvent) -> bool:
        """Grow, up to the height of the screen, if texts need more lines.

        Without this, Qt shrinks other fields. Unless the user has resized the dialog, it also grows
        for content that would scroll.
        """
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and self._shown:
            layout, by_user = self.layout(), self.size() != self._initial.size()
            least = layout.minimumHeightForWidth(self.width()) if layout is not None else 0
            if not by_user:
                areas = [area for area in self.findChildren(Scrolled) if area.isVisible()]
                hidden = max((area.hidden_height() for area in areas), default=0)
                least = max(least, self.height() + hidden)
            if least > self.height():
                self.resize(self.width(), min(least, max(room(self).height(), self.height())))
        return done

    def preferred_size(self) -> QSize:
        return self.size()


def whole_height(content: QWidget, height: int, /) -> int:
    """Return the largest height up to `height` at which no line of the content is cut.

    Measured from the top of the content, with its current layout. Widgets higher than `TALLEST_ROW`
    other than labels may be cut; avoiding that would waste space. So would avoiding to cut the
    lines of several columns that overlap: `height` if more than `TALLEST_ROW` would be lost.
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
            # An empty label counts as a line, so that the result is the same once it has a text.
            end = top + min(max(text, line), end - top)
        if line <= TALLEST_ROW:
            spans += [(at, at + line) for at in range(top, end - line + 1, max(line, 1))]
    least = height
    while cut := [top for top, bottom in spans if top < least < bottom]:
        least = min(cut)
    return least if height - least <= TALLEST_ROW else height


class Scrolled(QScrollArea):
    """A vertical scroll area with the size of its content, if the screen permits.

    If it scrolls, its lower edge cuts no line while it is scrolled to the top.
    """

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content = content
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # scrolls to the focused child widget
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # After the layout of the content is complete.
        self._trim_timer = single_shot(self, 0, self._trim)
        self.setWidget(content)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Update the geometry when that of the content changes, which QScrollArea does not do."""
        if watched is self._content and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._trim_timer.start()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Avoid cutting a line at the lower edge."""
        super().resizeEvent(event)
        self._trim_timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Avoid cutting a line at the lower edge; a hidden area is not measured."""
        super().showEvent(event)
        self._trim_timer.start()

    def hidden_height(self) -> int:
        """Return by how many pixels the content is higher than this widget; 0 if it fits."""
        layout, width = self._content.layout(), self.width()
        content = self._content.sizeHint().height()
        if layout is not None and layout.hasHeightForWidth():
            content = layout.totalHeightForWidth(width)
        return max(0, content - self.height())

    def _trim(self) -> None:
        if not self.isVisible():
            return
        height, spare = self.height(), QMargins()
        if self._content.height() > height:
            whole = whole_height(self._content, height) or height
            spare = QMargins(0, 0, _BESIDE_BAR, height - whole)
        if spare != self.viewportMargins():
            self.setViewportMargins(spare)

    def sizeHint(self) -> QSize:
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the width of the content and the scroll bar, as it scrolls only vertically."""
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(self._content.minimumSizeHint().width() + bar + _BESIDE_BAR, bar)


def _frame(window: QWidget) -> QMargins:
    handle = window.windowHandle()
    measured = QMargins() if handle is None else handle.frameMargins()
    return FRAME if measured.isNull() else measured
