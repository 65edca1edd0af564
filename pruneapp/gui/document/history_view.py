"""The history as a strip: every state, the current one marked, later ones still there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from pruneapp.gui.widgets.controls import lay_in_row
from pruneapp.gui.widgets.labels import MUTED, TEXT, as_plain, heading
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.safe_paint import reported, saved
from pruneapp.results.document_rows import HistoryItem
from pruneapp.results.quality import HistoryMark
from pruneapp.results.short_names import ShortNames

_TOLD = 10  # lines of the details of a state that its tooltip has
# Pixels of a state: two stand side by side wherever each has the smaller one.
_WIDEST, _NARROWEST = 380, 200
_PADDING = 12
_NEAR = 2  # pixels that hide nothing: Qt counts the last one twice
_EDGE = 16  # pixels of the arrow at an edge beyond which there are more states
_MARK = 16  # room for the glyph of the current state, in every item: nothing moves on a jump
_DOT = 9  # pixels of the hollow dot of a state that was not evaluated

_AT_THE_END = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

Index = QModelIndex | QPersistentModelIndex


class _States(QAbstractListModel):
    """The states, in order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.items: tuple[HistoryItem, ...] = ()
        self.marks: Sequence[HistoryMark] = ()
        self.position = 0

    def mark(self, row: int) -> HistoryMark | None:
        """Return what stands beside a state."""
        return self.marks[row] if row < len(self.marks) else None

    def show(self, items: Sequence[HistoryItem], position: int) -> None:
        """Show these states; those that were there stay, for the view lays new ones out."""
        before, self.position = self.position, position
        if items is not self.items:
            self._replace(tuple(items))
        # The strip repaints itself, and a list that is told lays all its states out anew: only
        # tools that read the screen have to know.
        if position != before and self.items and QAccessible.isActive():
            self.dataChanged.emit(self.index(0), self.index(len(self.items) - 1))

    def _replace(self, items: tuple[HistoryItem, ...]) -> None:
        same = 0
        for old, new in zip(self.items, items, strict=False):
            if old is not new and old != new:
                break
            same += 1
        if same < len(self.items):
            self.beginRemoveRows(QModelIndex(), same, len(self.items) - 1)
            self.items = items[:same]
            self.endRemoveRows()
        if same < len(items):
            self.beginInsertRows(QModelIndex(), same, len(items) - 1)
            self.items = items
            self.endInsertRows()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.items)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not index.isValid():
            return None
        item = self.items[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return item.label
        if role == Qt.ItemDataRole.ToolTipRole:
            lines = (item.detail or item.label).split("\n")
            if len(lines) > _TOLD:
                more = count(len(lines) - _TOLD)
                lines[_TOLD:] = [self.tr("and {n} more").format(n=more)]
            if index.row() > self.position:
                lines.append(self.tr("Undone. Click to redo up to this step."))
            if (mark := self.mark(index.row())) is not None:
                click = "" if mark.text else self.tr(" (click the dot to evaluate it)")
                lines.append(f"{mark.words}{click}")
            return "<br>".join(map(as_plain, lines))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            mark = self.mark(index.row())
            label = item.label if mark is None else f"{item.label}, {mark.words}"
            if index.row() == self.position:
                return self.tr("{label}, current").format(label=label)
            if index.row() > self.position:
                return self.tr("{label}, undone").format(label=label)
            return label
        return None


def _wide(label: str, metrics: QFontMetrics) -> int:
    return metrics.horizontalAdvance(label) + _MARK + 2 * _PADDING + 4


def _room_of(mark: HistoryMark | None, metrics: QFontMetrics) -> int:
    if mark is None:
        return 0
    return _PADDING + (metrics.horizontalAdvance(mark.text) if mark.text else _DOT)


class _StateDelegate(QStyledItemDelegate):
    """Paints a state."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.short = ShortNames()
        self.position = 0

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        strip = option.widget
        assert isinstance(strip, _Strip), "a state is laid out in the strip"
        label = self._label(index, option.fontMetrics, strip.widest)
        width = min(strip.widest, _wide(label, option.fontMetrics))
        width += _room_of(strip.states.mark(index.row()), option.fontMetrics)
        return QSize(width, option.fontMetrics.height() + 14)

    def _label(self, index: Index, metrics: QFontMetrics, widest: int) -> str:
        label = str(index.data())
        return label if _wide(label, metrics) <= widest else self.short.in_text(label)

    @reported
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the label: the current one on the accent, later ones dimmed and marked."""
        with saved(painter):
            rect: QRect = option.rect
            current = index.row() == self.position
            later = index.row() > self.position
            palette = option.palette
            color = palette.color(QPalette.ColorRole.Text)
            if current:
                painter.fillRect(rect, palette.color(QPalette.ColorRole.Highlight))
                color = palette.color(QPalette.ColorRole.HighlightedText)
            elif option.state & QStyle.StateFlag.State_MouseOver:
                painter.fillRect(rect, palette.window())
            if later:
                color = palette.color(MUTED)
            if not current:  # which has an edge of its own
                painter.setPen(palette.color(QPalette.ColorRole.Mid))
                painter.drawLine(rect.topRight(), rect.bottomRight())
            painter.setPen(color)
            # Of a state that is cut off by the end of the strip, what can be read of it.
            strip = option.widget
            assert isinstance(strip, _Strip), "a state is painted in the strip"
            seen = rect & strip.room()
            inner = seen.adjusted(_PADDING, 0, -_PADDING, 0)
            mark = strip.states.mark(index.row())
            room = _room_of(mark, option.fontMetrics)
            if mark is not None and room < inner.width():
                ink = palette.color(MUTED) if mark.faded and not current else color
                _paint_mark(painter, inner, mark, ink)
                inner.setRight(inner.right() - room)
                painter.setPen(color)
            glyph = "●" if current else "↷" if later else ""
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), glyph)
            # The end of what begins beyond the left edge: its middle would say nothing.
            cut = rect.left() < seen.left()
            mode = Qt.TextElideMode.ElideLeft if cut else Qt.TextElideMode.ElideMiddle
            label = self._label(index, option.fontMetrics, strip.widest)
            text = option.fontMetrics.elidedText(label, mode, inner.width() - _MARK)
            text = text.replace("….", "…")  # a name that is cut at a dot
            painter.drawText(
                inner.adjusted(_MARK, 0, 0, 0), int(Qt.AlignmentFlag.AlignVCenter), text
            )
            focused = option.state & QStyle.StateFlag.State_HasFocus
            if focused:
                painter.setPen(QPen(color, 1, Qt.PenStyle.DotLine))
                painter.drawRect(rect.adjusted(2, 2, -3, -3))


def _paint_mark(painter: QPainter, room: QRect, mark: HistoryMark, ink: QColor) -> None:
    """Paint at the right end what stands beside a state."""
    painter.setPen(QPen(ink, 1.5))
    if mark.text:
        painter.drawText(room, int(_AT_THE_END), mark.text)
        return
    dot = QRect(room.right() - _DOT, room.center().y() - _DOT // 2, _DOT, _DOT)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(dot)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


class _Strip(QListView):
    """The list; Return and Space jump to the state under the cursor."""

    jump = Signal(int)
    measure_asked = Signal(int)

    def __init__(self, states: _States, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.states = states
        self.setModel(states)
        self.widest = _WIDEST  # pixels of a state

    @property
    def beyond(self) -> tuple[bool, bool]:
        """Whether there are states beyond the left edge, and beyond the right one."""
        bar = self.horizontalScrollBar()
        return bar.value() - bar.minimum() > _NEAR, bar.maximum() - bar.value() > _NEAR

    def room(self) -> QRect:
        left, right = self.beyond
        whole: QRect = self.viewport().rect()
        return whole.adjusted(_EDGE if left else 0, 0, -_EDGE if right else 0, 0)

    def scrollTo(
        self,
        index: Index,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Bring a state into sight, all of it beside the arrows; its beginning if it is wider."""
        super().scrollTo(index, hint)
        bar, room, state = self.horizontalScrollBar(), self.room(), self.visualRect(index)
        if state.right() > room.right():
            bar.setValue(bar.value() + state.right() - room.right())
            room, state = self.room(), self.visualRect(index)  # the first arrow may have come
        if state.left() < room.left():
            bar.setValue(bar.value() - (room.left() - state.left()))

    def measure(self) -> None:
        """Let states be as wide as their labels where all fit; else, no wider than half of it."""
        room, model, metrics = self.viewport().width(), self.model(), self.fontMetrics()
        wide = 0
        for row in range(model.rowCount()):
            wide += _wide(str(model.index(row, 0).data()), metrics)
            wide += _room_of(self.states.mark(row), metrics)
            if wide > room:
                break
        half = min(_WIDEST, max(_NARROWEST, room // 2 - _EDGE))
        if (widest := room if wide <= room else half) != self.widest:
            self.widest = widest
            self.scheduleDelayedItemsLayout()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.measure()
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())

    @reported
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the states, and an arrow at an edge beyond which there are more."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        room = self.viewport().rect()
        left, right = self.beyond
        for shown, at, arrow in ((left, room.left(), "‹"), (right, room.right() - _EDGE + 1, "›")):
            if shown:
                edge = QRect(at, room.top(), _EDGE, room.height())
                painter.fillRect(edge, self.palette().window())
                painter.setPen(self.palette().color(TEXT))
                painter.drawText(edge, int(Qt.AlignmentFlag.AlignCenter), arrow)
        painter.end()

    def dot_at(self, place: QPoint) -> int:
        """Return the number of the state whose dot is there; -1 for none."""
        index = self.indexAt(place)
        mark = self.states.mark(index.row()) if index.isValid() else None
        if mark is None or mark.text:
            return -1
        end = (self.visualRect(index) & self.room()).right()
        return index.row() if place.x() > end - _DOT - 2 * _PADDING else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        dot = self.dot_at(event.position().toPoint())
        if dot >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.measure_asked.emit(dot)  # which is no click on the state: nobody goes there
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            if self.currentIndex().isValid():
                self.jump.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


class HistoryStrip(QWidget):
    """The states of the document from left to right."""

    jumpRequested = Signal(int)  # the number of a state
    measureRequested = Signal(int)  # the same; the person wants to know its metric

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._states = _States(self)
        self._delegate = _StateDelegate(self)
        self.list = _Strip(self._states, self)
        self.list.setItemDelegate(self._delegate)
        self.list.setFlow(QListView.Flow.LeftToRight)
        self.list.setWrapping(False)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setMouseTracking(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setFixedHeight(self.fontMetrics().height() + 14)
        self.list.setAccessibleName(self.tr("History"))
        self.list.setAccessibleDescription(
            self.tr("All states, from first to last. Press Return to go to a state.")
        )
        title = heading(self.tr("History"))
        title.setBuddy(self.list)
        lay_in_row(self, title, self.list, spacing=12, wide=self.list)
        self.list.clicked.connect(self._clicked)
        self.list.jump.connect(self._jump)
        self.list.measure_asked.connect(self.measureRequested)

    def set_names(self, names: ShortNames) -> None:
        """Take the shorter forms of the names of the file."""
        self._delegate.short = names
        self.list.scheduleDelayedItemsLayout()

    def set_items(self, items: Sequence[HistoryItem], position: int) -> None:
        """Show the states, and which one is the current."""
        self._delegate.position = position
        self._states.show(items, position)
        self.list.measure()
        if 0 <= position < len(items):
            index = self._states.index(position)
            if index != self.list.currentIndex():
                self.list.setCurrentIndex(index)
            self.list.scrollTo(index)
        self.list.viewport().update()

    def set_marks(self, marks: Sequence[HistoryMark]) -> None:
        """Take what stands beside each state; nothing where states are not evaluated."""
        if list(marks) == list(self._states.marks):
            return
        self._states.marks = marks
        self.list.scheduleDelayedItemsLayout()
        self.list.measure()
        if self.list.currentIndex().isValid():
            self.list.scrollTo(self.list.currentIndex())
        self.list.viewport().update()

    def _clicked(self, index: QModelIndex) -> None:
        self._jump(index.row())

    def _jump(self, row: int) -> None:
        if row != self._states.position:
            self.jumpRequested.emit(row)
