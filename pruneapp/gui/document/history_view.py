"""The history strip: all states from left to right, with undone ones and branches."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QCursor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QMenu,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from pruneapp.document.document import HistoryItem
from pruneapp.document.history import Branches
from pruneapp.gui.document.history_states import (
    DOT,
    MAX_WIDTH,
    MIN_WIDTH,
    PADDING,
    HistoryMark,
    HistoryStates,
    Index,
    StateDelegate,
    mark_width,
    number_width,
    row_height,
)
from pruneapp.gui.widgets.controls import follow_font, lay_in_row
from pruneapp.gui.widgets.engine_text import state_title
from pruneapp.gui.widgets.labels import MUTED, TEXT, heading
from pruneapp.gui.widgets.safe_paint import report_exceptions, saved_painter_state
from pruneapp.gui.widgets.short_names import ShortNames

_TOLERANCE = 2  # tolerance in pixels, as Qt counts the last pixel of a rectangle twice
_EDGE = 16  # width in pixels of the scroll arrows
_MIN_VISIBLE = 4  # how many states are visible at once, if the strip is wide enough
_NOTCH = 120  # angle delta of one wheel notch
_LANES = 4  # maximum number of visible lanes; more are scrolled


class HistoryLanes:
    """Positions of states in the drawing: a lane per branch, a column per step.

    The first child of a state is in the same lane; other children start lanes below, the newest
    first, so that no lines cross.
    """

    def __init__(self, branches: Branches) -> None:
        states = len(branches) + 1
        self.lane, self.column = [0] * states, [0] * states
        self.parent = [branches.parent(state) for state in range(states)]
        self.lanes = 1  # number of lanes
        self._at = {(0, 0): 0}
        for state, comes in branches.walk():
            if comes:
                self._place(state, self.parent[state])
        self.columns = max(self.column) + 1

    def _place(self, state: int, parent: int) -> None:
        lane, column = self.lane[parent], self.column[parent] + 1
        if (lane, column) in self._at:
            lane, self.lanes = self.lanes, self.lanes + 1
        self.lane[state], self.column[state] = lane, column
        self._at[lane, column] = state

    def at(self, lane: int, column: int) -> int:
        """Return the state at a position; -1 for none."""
        return self._at.get((lane, column), -1)

    def begins_lane(self, state: int) -> bool:
        """Return whether a state is the first of its lane, connected to its parent's lane."""
        return state > 0 and self.lane[state] != self.lane[self.parent[state]]

    def beside(self, state: int, lanes: int) -> int:
        """Return the state in the lane `lanes` below (negative: above) in the nearest column.

        If two states are equally near, it is the left one; without such a lane it is `state`
        itself.
        """
        lane = self.lane[state] + lanes
        columns = [column for of, column in self._at if of == lane]
        if not columns:
            return state
        here = self.column[state]
        return self._at[lane, min(columns, key=lambda column: abs(column - here))]


class _Strip(QListView):
    """The list view, with one lane per branch; Return and Space jump to the focused state.

    It computes the geometry of the items itself, as `QListView` supports only lists and grids.
    """

    jump = Signal(int)
    rename = Signal(int)
    delete = Signal(int)
    evaluateRequested = Signal(int)

    # Class attributes, as Qt may ask for geometry while the constructor of the base class runs.
    _lanes = HistoryLanes(Branches())
    _arranged_after: tuple[int, ...] | None = None  # the branches that `_lanes` was made for
    _edges: Sequence[int] = (0, 0)  # x of the left edges of columns, and of the end of the last one
    _press_handled = (
        False  # whether the current mouse press was handled as a press on an arrow or a circle
    )

    def __init__(self, states: HistoryStates, delegate: StateDelegate, parent: QWidget) -> None:
        super().__init__(parent)
        self.states, self._delegate = states, delegate
        self.setModel(states)
        self.setItemDelegate(delegate)

    @property
    def widest(self) -> int:
        """Maximum width of a state in pixels."""
        return self._delegate.widest

    @property
    def hidden_sides(self) -> tuple[bool, bool]:
        """Whether there are states beyond the left edge, and beyond the right one."""
        bar = self.horizontalScrollBar()
        return bar.value() - bar.minimum() > _TOLERANCE, bar.maximum() - bar.value() > _TOLERANCE

    def room(self) -> QRect:
        left, right = self.hidden_sides
        whole: QRect = self.viewport().rect()
        return whole.adjusted(_EDGE if left else 0, 0, -_EDGE if right else 0, 0)

    # Where states are

    def arrange(self, branches: Branches) -> None:
        if branches.after is not self._arranged_after:
            self._arranged_after, self._lanes = branches.after, HistoryLanes(branches)
            self.fit_height()
        self.measure()

    def fit(self) -> None:
        self.fit_height()
        self.measure()

    def fit_height(self) -> None:
        self.setFixedHeight(row_height(self.fontMetrics()) * min(self._lanes.lanes, _LANES))

    def measure(self) -> None:
        """Compute the width of the columns for the width of the view, and repaint.

        States are as wide as their labels if all fit into the view. Otherwise marks are shortened,
        and then labels down to `MIN_WIDTH`, so that all states fit. If they still do not,
        `_MIN_VISIBLE` states are visible at once and the strip scrolls.
        """
        room, metrics, delegate = self.viewport().width(), self.fontMetrics(), self._delegate
        for delegate.brief in (False, True):
            if self._fits(room):
                delegate.widest = room
                break
            if self._fits(MIN_WIDTH):
                delegate.widest, hidden_sides = MIN_WIDTH, room
                while hidden_sides - delegate.widest > 1:
                    middle = (delegate.widest + hidden_sides) // 2
                    if self._fits(middle):
                        delegate.widest = middle
                    else:
                        hidden_sides = middle
                break
        else:
            marks = self.states.marks
            beside = max((mark_width(mark, metrics, brief=True) for mark in marks), default=0)
            abreast = (room - 2 * _EDGE) // _MIN_VISIBLE - beside
            delegate.widest = max(MIN_WIDTH, min(MAX_WIDTH, abreast))
        self._edges = self._edges_for(delegate.widest)
        self.updateGeometries()
        self.viewport().update()

    def _fits(self, widest: int) -> bool:
        room = self.viewport().width()
        return self._edges_for(widest, stop=room)[-1] <= room

    def _edges_for(self, widest: int, stop: float = math.inf) -> list[int]:
        """Return the x of the column edges for a maximum width of states.

        A column is as wide as the widest of its states. Measuring ends early once the total exceeds
        `stop`; the result is then too small, but larger than `stop` at the end.
        """
        metrics, width, marks = self.fontMetrics(), self._delegate.width, self.states.mark
        brief = self._delegate.brief
        widths = [0] * self._lanes.columns
        total = 0
        for state, item in enumerate(self.states.items[: len(self._lanes.column)]):
            column = self._lanes.column[state]
            if widths[column] < widest or self.states.marks:
                number = number_width(state, metrics)
                label = width(state_title(item), metrics, widest - number)
                here = label + number + mark_width(marks(state), metrics, brief=brief)
                wider = max(0, here - widths[column])
                widths[column] += wider
                total += wider
                if total > stop:
                    break
        return list(accumulate(widths, initial=0))

    def visualRect(self, index: Index) -> QRect:
        """Return the rectangle of a state in the viewport; an empty one for an unknown state."""
        state, lanes = index.row(), self._lanes
        if not 0 <= state < len(lanes.lane) or lanes.column[state] + 1 >= len(self._edges):
            return QRect()
        left, right = self._edges[lanes.column[state] : lanes.column[state] + 2]
        height = row_height(self.fontMetrics())
        return QRect(
            left - self.horizontalScrollBar().value(),
            lanes.lane[state] * height - self.verticalScrollBar().value(),
            right - left,
            height,
        )

    def indexAt(self, point: QPoint) -> QModelIndex:
        """Return the index of the state at a point of the viewport; invalid if there is none."""
        lane = (point.y() + self.verticalScrollBar().value()) // row_height(self.fontMetrics())
        at = point.x() + self.horizontalScrollBar().value()
        state = self._lanes.at(lane, bisect_right(self._edges, at) - 1)
        return self.states.index(state) if state >= 0 else QModelIndex()

    def updateGeometries(self) -> None:
        """Set the ranges and steps of both scroll bars by the size of all states."""
        room, height = self.viewport().size(), row_height(self.fontMetrics())
        for bar, extent, visible, step in (
            (self.horizontalScrollBar(), self._edges[-1], room.width(), MIN_WIDTH),
            (self.verticalScrollBar(), self._lanes.lanes * height, room.height(), height),
        ):
            bar.setRange(0, max(0, extent - visible))
            bar.setPageStep(visible)
            bar.setSingleStep(step)

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        """Repaint everything instead of scrolling pixels, as the arrows do not move."""
        self.viewport().update()

    def scrollTo(
        self,
        index: Index,
        _hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Scroll both ways until a state, or at least its start, is between the scroll arrows."""
        bar, room, state = self.horizontalScrollBar(), self.room(), self.visualRect(index)
        if state.right() > room.right():
            bar.setValue(bar.value() + state.right() - room.right())
            room, state = self.room(), self.visualRect(index)  # the first arrow may have appeared
        if state.left() < room.left():
            bar.setValue(bar.value() - (room.left() - state.left()))
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + min(0, state.top()) + max(0, state.bottom() - room.bottom()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.measure()
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())

    # Paint

    @report_exceptions
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the states, the lines to branches, and the scroll arrows."""
        painter = QPainter(self.viewport())
        self._paint_states(painter, event.rect())
        room = self.viewport().rect()
        left, right = self.hidden_sides
        for shown, at, arrow in ((left, room.left(), "‹"), (right, room.right() - _EDGE + 1, "›")):
            if shown:
                edge = QRect(at, room.top(), _EDGE, room.height())
                painter.fillRect(edge, self.palette().window())
                painter.setPen(self.palette().color(TEXT))
                painter.drawText(edge, int(Qt.AlignmentFlag.AlignCenter), arrow)
        painter.end()

    def _paint_states(self, painter: QPainter, area: QRect) -> None:
        """Paint the states in `area` (of the viewport), and the lines to branches above them."""
        self._delegate.visible_area = self.room()
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        usual = option.state & ~QStyle.StateFlag.State_HasFocus
        under = QModelIndex()
        if self.viewport().underMouse():
            under = self.indexAt(self.viewport().mapFromGlobal(QCursor.pos()))
        forks: list[tuple[QRect, int]] = []
        for state in self._visible_states(area):
            index = self.states.index(state)
            rect = self.visualRect(index)
            if self._lanes.begins_lane(state):
                forks.append((rect, state))
            if not rect.intersects(area):
                continue
            option.rect, option.state = rect, usual
            if index == under:
                option.state |= QStyle.StateFlag.State_MouseOver
            if index == self.currentIndex() and self.hasFocus():
                option.state |= QStyle.StateFlag.State_HasFocus
            self._delegate.paint(painter, option, index)
        # Above the edges of the states; lines on the current path last, so that no other crosses
        # them.
        for rect, state in sorted(forks, key=lambda fork: fork[1] in self.states.done):
            self._paint_fork(painter, rect, state)

    def _visible_states(self, area: QRect) -> Iterator[int]:
        """Yield the states of the columns in an area, so that 10,000 others are not painted."""
        at = self.horizontalScrollBar().value()
        first = max(0, bisect_right(self._edges, at + area.left()) - 1)
        last = bisect_right(self._edges, at + area.right() + 1)
        for column in range(first, min(last, self._lanes.columns)):
            for lane in range(self._lanes.lanes):
                state = self._lanes.at(lane, column)
                if 0 <= state < len(self.states.items):
                    yield state

    def _paint_fork(self, painter: QPainter, rect: QRect, state: int) -> None:
        """Paint the line of a branch, from its parent state down to its first state."""
        palette, left, middle = self.palette(), rect.left(), rect.center().y()
        done = state in self.states.done
        color = palette.color(QPalette.ColorRole.Highlight if done else MUTED)
        top = self.visualRect(self.states.index(self._lanes.parent[state])).bottom()
        with saved_painter_state(painter):
            painter.setPen(QPen(color, 2))
            painter.drawLine(left, top - 2, left, rect.top())
            if state == self.states.position:  # it is painted on the highlight color
                painter.setPen(QPen(palette.color(QPalette.ColorRole.HighlightedText), 2))
            painter.drawLine(left, rect.top(), left, middle)
            painter.drawLine(left, middle, left + PADDING - 2, middle)

    # Keys

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, _modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Return the target of a cursor key.

        The current state if there is nothing in that direction. Left from the first state of a lane
        leads to its parent; up and down lead to the nearest column in the next lane; Home leads to
        the initial state, End to the last one of the lane. Without a current state the initial one.
        """
        state, lanes, to = self.currentIndex().row(), self._lanes, QAbstractItemView.CursorAction
        if not 0 <= state < len(lanes.lane):
            return self.states.index(0)
        if action in {to.MoveLeft, to.MovePrevious}:
            state = max(0, lanes.parent[state])
        elif action in {to.MoveRight, to.MoveNext}:
            after = lanes.at(lanes.lane[state], lanes.column[state] + 1)
            state = after if after >= 0 else state
        elif action in {to.MoveUp, to.MovePageUp}:
            state = lanes.beside(state, -1)
        elif action in {to.MoveDown, to.MovePageDown}:
            state = lanes.beside(state, 1)
        elif action == to.MoveHome:
            state = 0
        elif action == to.MoveEnd:
            while (after := lanes.at(lanes.lane[state], lanes.column[state] + 1)) >= 0:
                state = after
        return self.states.index(state)

    def dot_at(self, place: QPoint) -> int:
        """Return the number of the state whose circle is at a position; -1 for none.

        A state has a circle if it has a mark without text.
        """
        index = self.indexAt(place)
        mark = self.states.mark(index.row()) if index.isValid() else None
        if mark is None or mark.text:
            return -1
        end = (self.visualRect(index) & self.room()).right()
        return index.row() if place.x() > end - DOT - 2 * PADDING else -1

    def arrow_at(self, place: QPoint) -> int:
        """Return the direction of the arrow at a position: -1 for left, 1 for right; 0 for none."""
        room = self.room()
        return -1 if place.x() < room.left() else int(place.x() > room.right())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Scroll by half of the strip for an arrow, or emit `evaluateRequested` for a circle.

        Other presses are handled as in any list.
        """
        place, left = event.position().toPoint(), event.button() == Qt.MouseButton.LeftButton
        self._press_handled = False
        if left and (arrow := self.arrow_at(place)):
            self._scroll(arrow * self.room().width() // 2)
            self._press_handled = True
        elif left and (dot := self.dot_at(place)) >= 0:
            self.evaluateRequested.emit(dot)
            self._press_handled = True
        else:
            super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Handle the second press of a double click on an arrow as another press."""
        if self.arrow_at(event.position().toPoint()):
            self.mousePressEvent(event)
        else:
            super().mouseDoubleClickEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ignore the release after a press on an arrow or a circle: it must not click a state."""
        if not self._press_handled:
            super().mouseReleaseEvent(event)
        self._press_handled = False

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll along the strip; a vertical wheel scrolls lanes if not all of them are visible.

        With Shift it always scrolls along the strip.
        """
        moved = event.pixelDelta()
        if moved.isNull():
            turned = event.angleDelta()
            moved = QPoint(turned.x() * MIN_WIDTH, turned.y() * MIN_WIDTH) / _NOTCH
        bar = self.verticalScrollBar()
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if moved.x() or shift or not bar.maximum():
            self._scroll(-(moved.x() or moved.y()))
        else:
            bar.setValue(bar.value() - moved.y())
        event.accept()

    def _scroll(self, pixels: int) -> None:
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() + pixels)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit `jump` (Return, Enter, Space), `rename` (F2) or `delete` for the current state."""
        signal = {
            Qt.Key.Key_Return: self.jump,
            Qt.Key.Key_Enter: self.jump,
            Qt.Key.Key_Space: self.jump,
            Qt.Key.Key_F2: self.rename,
            Qt.Key.Key_Delete: self.delete,
        }.get(Qt.Key(event.key()))
        if signal is None:
            super().keyPressEvent(event)
        elif self.currentIndex().isValid():
            signal.emit(self.currentIndex().row())


class HistoryStrip(QWidget):
    """The history of the document, from left to right."""

    # Signals with the number of a state.
    jumpRequested = Signal(int)
    renameRequested = Signal(int)
    deleteRequested = Signal(int)  # the state and the states after it
    measureRequested = Signal(int)  # the user wants the state to be evaluated

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._states = HistoryStates(self)
        self._delegate = StateDelegate(self)
        self.list = _Strip(self._states, self._delegate, self)
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setMouseTracking(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setAccessibleName(self.tr("History"))
        self.list.setAccessibleDescription(
            self.tr(
                "All states, from first to last; branches below each other. Press Return to go to "
                "a state, F2 to rename it, Delete to delete it with those that follow it."
            )
        )
        title = heading(self.tr("History"))
        title.setBuddy(self.list)
        follow_font(title, lambda label: label.setFixedHeight(row_height(self.list.fontMetrics())))
        row = lay_in_row(self, title, self.list, spacing=12, wide=self.list)
        row.setAlignment(title, Qt.AlignmentFlag.AlignTop)
        self.list.arrange(Branches())
        follow_font(self.list, lambda strip: strip.fit())
        self.list.clicked.connect(self._on_clicked)
        self.list.jump.connect(self._jump)
        self.list.rename.connect(self._rename)
        self.list.delete.connect(self._delete)
        self.list.evaluateRequested.connect(self.measureRequested)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_menu)

    def set_names(self, names: ShortNames) -> None:
        """Set the short forms of tensor names."""
        self._delegate.set_names(names)
        self.list.measure()

    def set_items(
        self, items: Sequence[HistoryItem], position: int, branches: Branches | None = None
    ) -> None:
        """Show the states, mark `position` as the current one, and scroll to it.

        Without `branches` they form a single line. A position outside the states scrolls nowhere.
        """
        tree = Branches.linear(max(0, len(items) - 1)) if branches is None else branches
        self._states.show(items, position, tree)
        self.list.arrange(tree)
        if 0 <= position < len(items):
            index = self._states.index(position)
            if index != self.list.currentIndex():
                self.list.setCurrentIndex(index)
            self.list.scrollTo(index)
        self.list.viewport().update()

    def set_marks(self, marks: Sequence[HistoryMark]) -> None:
        """Set the mark of each state by its number; an empty list if states are not evaluated.

        Without effect if they are equal to the current ones.
        """
        if list(marks) == list(self._states.marks):
            return
        self._states.set_marks(marks)
        self.list.measure()
        if self.list.currentIndex().isValid():
            self.list.scrollTo(self.list.currentIndex())
        self.list.viewport().update()

    def _on_clicked(self, index: QModelIndex) -> None:
        self._jump(index.row())

    def _jump(self, row: int, *_checked: bool) -> None:
        if row != self._states.position:
            self.jumpRequested.emit(row)

    def _rename(self, row: int, *_checked: bool) -> None:
        if row:
            self.renameRequested.emit(row)

    def _delete(self, row: int, *_checked: bool) -> None:
        if row:
            self.deleteRequested.emit(row)

    def _show_menu(self, place: QPoint) -> None:
        index = self.list.indexAt(place)
        if index.isValid():
            menu = self.context_menu(index.row())
            menu.exec(self.list.viewport().mapToGlobal(place))
            menu.deleteLater()

    def context_menu(self, state: int) -> QMenu:
        """Return a new menu for a state: go to it, rename it, delete its branch.

        The caller deletes it. It closes when states are removed. The initial state cannot be
        renamed; the current state and those that lead to it cannot be deleted.
        """
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        # the number may belong to another state afterwards
        self._states.rowsRemoved.connect(menu.close)

        def offer(text: str, tip: str, call: Callable[[int], None], *, can: bool) -> None:
            action = menu.addAction(text)
            action.setToolTip(tip)
            action.setEnabled(can)
            action.triggered.connect(partial(call, state))

        here, done = state == self._states.position, state in self._states.done
        offer(self.tr("Go to this state\tReturn"), "", self._jump, can=not here)
        offer(self.tr("Rename…\tF2"), "", self._rename, can=state > 0)
        why = self.tr("The current state is this one, or follows it")
        tip = why if done else self.tr("Delete this state and all that follow it")
        offer(self.tr("Delete branch…\tDel"), tip, self._delete, can=not done)
        return menu
