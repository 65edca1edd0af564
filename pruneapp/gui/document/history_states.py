"""The states of a history as a list model, and how one of them is painted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFontMetrics,
    QHelpEvent,
    QPainter,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
)

from pruneapp.gui.widgets.engine_text import said_number, said_step, said_title
from pruneapp.gui.widgets.labels import MUTED, as_plain, elided, listed
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.safe_paint import reported, saved
from pruneapp.results.branches import Branches
from pruneapp.results.document_rows import HistoryItem
from pruneapp.results.quality import HistoryMark
from pruneapp.results.short_names import ShortNames

_TOLD = 10  # lines of the details of a state that its tooltip has
_MORE = re.compile(r" *and ([\d,]+) more")  # the end of a list that has its first names only
# Pixels of a state: two stand side by side wherever each has the smaller one.
WIDEST, NARROWEST = 380, 200
PADDING = 12
_KNOWN = 50_000  # widths of labels that are remembered
DOT = 9  # pixels of the hollow dot of a state that was not evaluated
_MARK = 16  # room for the glyph of the current state, in every item: nothing moves on a jump
_APART = 8  # pixels from the beginning of a number to that of its label, beside the digits

_AT_THE_END = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

Index = QModelIndex | QPersistentModelIndex


class HistoryStates(QAbstractListModel):
    """The states, in the order in which they were made."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.items: tuple[HistoryItem, ...] = ()
        self.marks: Sequence[HistoryMark] = ()
        self.position = 0
        self.done: frozenset[int] = frozenset()  # what is in force
        self.ahead: frozenset[int] = frozenset()  # what was undone, and redo leads to

    def mark(self, state: int) -> HistoryMark | None:
        """Return what stands beside a state."""
        return self.marks[state] if state < len(self.marks) else None

    def show(self, items: Sequence[HistoryItem], position: int, branches: Branches) -> None:
        """Show these states; those that were there stay."""
        before, self.position = self.position, position
        self.done = frozenset((0, *branches.path(position)))
        self.ahead = frozenset(branches.ahead(position))
        if items is not self.items:
            self._replace(tuple(items))
        # The strip repaints itself, and a list that is told lays all its states out anew: only
        # tools that read the screen have to know.
        if position != before and self.items and QAccessible.isActive():
            self.dataChanged.emit(self.index(0), self.index(len(self.items) - 1))

    def set_marks(self, marks: Sequence[HistoryMark]) -> None:
        """Take what stands beside each state, and tell the tools that read the screen."""
        self.marks = marks
        if self.items and QAccessible.isActive():
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
        """Return how many states there are."""
        return 0 if parent.isValid() else len(self.items)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Return what a state is called, or what tooltips and screen readers say of it."""
        if not index.isValid():
            return None
        state = index.row()
        item = self.items[state]
        if role == Qt.ItemDataRole.DisplayRole:
            return said_title(item)
        if role == Qt.ItemDataRole.ToolTipRole:
            lines = (item.detail or item.label).split("\n")
            if item.name:
                lines = ["", item.label, *lines]
            lines = said_step("\n".join(self._abridge(lines))).split("\n")
            if item.name:
                lines[0] = item.name
            if state in self.ahead:
                lines.append(self.tr("Undone. Click to redo up to this step."))
            elif state not in self.done:
                lines.append(self.tr("On another branch. Click to go to this state."))
            if (mark := self.mark(state)) is not None:
                click = "" if mark.text else self.tr(" (click the dot to evaluate it)")
                lines.append(f"{mark.words}{click}")
            return "<br>".join(map(as_plain, lines))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            mark, label = self.mark(state), said_number(state, item)
            label = label if mark is None else listed(label, mark.words)
            if state == self.position:
                return self.tr("{label}, current").format(label=label)
            if state in self.ahead:
                return self.tr("{label}, undone").format(label=label)
            if state not in self.done:
                return self.tr("{label}, on another branch").format(label=label)
            return label
        return None

    def _abridge(self, lines: list[str]) -> list[str]:
        """Return the first of the longest lists in `lines`, and how many more there are.

        What stands behind a list, such as how many weights were pruned, is kept.
        """
        lines = list(lines)
        while len(lines) > _TOLD + 1:
            # Names are indented; one rule stands below the other.
            groups = groupby(
                enumerate(lines), lambda each: (each[1][:2] == "  ", each[1].startswith("Rule "))
            )
            places = max([[place for place, _ in group] for _, group in groups], key=len)
            first, end = max(places[0] + 2, places[-1] + 1 + _TOLD - len(lines)), places[-1] + 1
            if end - first < 2:  # no long list
                rest = count(len(lines) - _TOLD)
                return [*lines[:_TOLD], self.tr("and {n} more lines").format(n=rest)]
            more = end - first
            if known := _MORE.fullmatch(lines[end - 1]):
                more += int(known[1].replace(",", "")) - 1
            indent = "  " if lines[first].startswith("  ") else ""
            lines[first:end] = [indent + self.tr("and {n} more").format(n=count(more))]
        return lines


def _wide(label: str, metrics: QFontMetrics) -> int:
    return metrics.horizontalAdvance(label) + _MARK + 2 * PADDING + 4


def number_room(state: int, metrics: QFontMetrics) -> int:
    """Return the pixels of the number of a state; two may have the same label."""
    return len(str(state)) * metrics.horizontalAdvance("0") + _APART if state else 0


def room_of(mark: HistoryMark | None, metrics: QFontMetrics, *, brief: bool) -> int:
    """Return the pixels of what stands beside a state."""
    if mark is None:
        return 0
    text = mark.written(brief=brief)
    return PADDING + (metrics.horizontalAdvance(text) if text else DOT)


class StateDelegate(QStyledItemDelegate):
    """Paints a state."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.short = ShortNames()
        self.widest = WIDEST  # pixels of a state
        self.brief = False  # whether what stands beside states is short
        self.room = QRect()  # where states can be seen
        # By label and the width that states have at most: there may be 10,000 of them.
        self._widths: dict[tuple[str, int], int] = {}

    def set_names(self, short: ShortNames) -> None:
        """Take the shorter forms of the names of the file."""
        self.short = short
        self._widths.clear()

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Return a size that is of no account: the strip places the states."""
        return QSize(NARROWEST, row_height(option.fontMetrics))

    def width(self, label: str, metrics: QFontMetrics, widest: int) -> int:
        """Return the pixels of a state with a label."""
        known = self._widths.get((label, widest))
        if known is None:
            if len(self._widths) >= _KNOWN:
                self._widths.clear()
            known = min(widest, _wide(self._shown(label, metrics, widest), metrics))
            self._widths[label, widest] = known
        return known

    def _shown(self, label: str, metrics: QFontMetrics, widest: int) -> str:
        return label if _wide(label, metrics) <= widest else self.short.in_text(label)

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        """Say what a state is; and of an arrow over it, what that does."""
        if not self.room.left() <= event.pos().x() <= self.room.right():
            QToolTip.showText(event.globalPos(), self.tr("Scroll the history"), view)
            return True
        return super().helpEvent(event, view, option, index)

    @reported
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the label: the current one on the accent, those not in force dimmed."""
        with saved(painter):
            rect: QRect = option.rect
            model = index.model()
            assert isinstance(model, HistoryStates), "a state is one of the strip"
            state = index.row()
            current, undone = state == model.position, state in model.ahead
            palette = option.palette
            color = palette.color(QPalette.ColorRole.Text)
            if current:
                painter.fillRect(rect, palette.color(QPalette.ColorRole.Highlight))
                color = palette.color(QPalette.ColorRole.HighlightedText)
            elif option.state & QStyle.StateFlag.State_MouseOver:
                painter.fillRect(rect, palette.window())
            if state not in model.done:
                color = palette.color(MUTED)
            if not current:  # which has an edge of its own
                painter.setPen(palette.color(QPalette.ColorRole.Mid))
                painter.drawLine(rect.topRight(), rect.bottomRight())
            painter.setPen(color)
            # Of a state that is cut off by the end of the strip, what can be read of it.
            seen = rect & self.room
            inner = seen.adjusted(PADDING, 0, -PADDING, 0)
            mark = model.mark(state)
            room = room_of(mark, option.fontMetrics, brief=self.brief)
            if mark is not None and room < inner.width():
                ink = palette.color(MUTED) if mark.faded and not current else color
                _paint_mark(painter, inner, mark.written(brief=self.brief), ink)
                inner.setRight(inner.right() - room)
                painter.setPen(color)
            glyph = "●" if current else "↷" if undone else ""
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), glyph)
            # The beginning of what is cut off, where the method stands: little of it is left.
            cut = rect.left() < seen.left()
            mode = Qt.TextElideMode.ElideRight if cut else Qt.TextElideMode.ElideMiddle
            inner.setLeft(inner.left() + _MARK)
            if state:
                if not current:
                    painter.setPen(palette.color(MUTED))
                painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), f"{state}:")
                painter.setPen(color)
            number = number_room(state, option.fontMetrics)
            inner.setLeft(inner.left() + number)
            label = self._shown(str(index.data()), option.fontMetrics, self.widest - number)
            text = elided(label, option.fontMetrics, inner.width(), mode)
            text = text.replace("….", "…")  # a name that is cut at a dot
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), text)
            focused = option.state & QStyle.StateFlag.State_HasFocus
            if focused:
                painter.setPen(QPen(color, 1, Qt.PenStyle.DotLine))
                painter.drawRect(rect.adjusted(2, 2, -3, -3))


def _paint_mark(painter: QPainter, room: QRect, text: str, ink: QColor) -> None:
    """Paint at the right end what stands beside a state."""
    painter.setPen(QPen(ink, 1.5))
    if text:
        painter.drawText(room, int(_AT_THE_END), text)
        return
    dot = QRect(room.right() - DOT, room.center().y() - DOT // 2, DOT, DOT)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(dot)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def row_height(metrics: QFontMetrics) -> int:
    """Return the pixels of a lane."""
    return metrics.height() + 14
