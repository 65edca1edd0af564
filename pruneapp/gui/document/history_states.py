"""The states of a history as a list model, and the delegate that paints one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
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
from PySide6.QtGui import QAccessible, QColor, QFontMetrics, QHelpEvent, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
)

from pruneapp.document.document import HistoryItem
from pruneapp.document.history import Branches
from pruneapp.gui.widgets.engine_text import numbered_title, state_title, translate_step
from pruneapp.gui.widgets.labels import MUTED, as_plain, elide_text, join_facts
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.safe_paint import report_exceptions, saved_painter_state
from pruneapp.gui.widgets.short_names import ShortNames

_MAX_TIP_LINES = 10  # maximum number of lines of details in a tooltip
_MORE = re.compile(r" *and ([\d,]+) more")  # the last line of an abridged list
# Maximum and minimum width of a state in pixels; two fit side by side at the minimum.
MAX_WIDTH, MIN_WIDTH = 380, 200
PADDING = 12
_MAX_CACHED = 50_000  # maximum number of cached label widths
DOT = 9  # diameter in pixels of the circle of a state that was not evaluated
_MARK = 16  # width of the current-state glyph, reserved in all items so that labels do not move
_NUMBER_GAP = 8  # gap between a number and its label, in addition to the digits

_RIGHT_CENTER = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class HistoryMark:
    """The mark of a state in the history."""

    text: str = ""  # its metric; empty for a hollow dot, which starts a measurement when clicked
    words: str = ""  # the full description
    faded: bool = False  # whether it is outdated or not yet final
    brief: str = ""  # shorter `text` for little space; empty if it is the same

    def text_for(self, *, brief: bool) -> str:
        """Return the short text if there is little space (`brief`), otherwise the long one."""
        return (brief and self.brief) or self.text


class HistoryStates(QAbstractListModel):
    """List model of the states, in the order in which they were created."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.items: tuple[HistoryItem, ...] = ()
        self.marks: Sequence[HistoryMark] = ()
        self.position = 0
        # states on the path to the current one, including it
        self.done: frozenset[int] = frozenset()
        self.ahead: frozenset[int] = frozenset()  # states that redo leads to

    def mark(self, state: int) -> HistoryMark | None:
        """Return the mark of a state; None if there is none."""
        return self.marks[state] if state < len(self.marks) else None

    def show(self, items: Sequence[HistoryItem], position: int, branches: Branches) -> None:
        """Set the states and the number of the current one.

        Rows of the common beginning of old and new states stay, others are replaced. States that
        are the same object as before are not compared.
        """
        before, self.position = self.position, position
        self.done = frozenset((0, *branches.path(position)))
        self.ahead = frozenset(branches.redo_states(position))
        if items is not self.items:
            self._replace(tuple(items))
        # The strip repaints itself, and dataChanged would make the view lay out all items again: it
        # is only needed for screen readers.
        if position != before and self.items and QAccessible.isActive():
            self.dataChanged.emit(self.index(0), self.index(len(self.items) - 1))

    def set_marks(self, marks: Sequence[HistoryMark]) -> None:
        """Set the mark of each state, and notify screen readers."""
        self.marks = marks
        if self.items and QAccessible.isActive():
            self.dataChanged.emit(self.index(0), self.index(len(self.items) - 1))

    def _replace(self, items: tuple[HistoryItem, ...]) -> None:
        """Replace the states after the common beginning of old and new ones."""
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
        """Return the title of a state, its tooltip as HTML, or its text for screen readers.

        None for other roles and an invalid index.
        """
        if not index.isValid():
            return None
        state = index.row()
        item = self.items[state]
        if role == Qt.ItemDataRole.DisplayRole:
            return state_title(item)
        if role == Qt.ItemDataRole.ToolTipRole:
            lines = (item.detail or item.label).split("\n")
            if item.name:
                lines = ["", item.label, *lines]
            lines = translate_step("\n".join(self._abridge(lines))).split("\n")
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
            mark, label = self.mark(state), numbered_title(state, item)
            label = label if mark is None else join_facts(label, mark.words)
            if state == self.position:
                return self.tr("{label}, current").format(label=label)
            if state in self.ahead:
                return self.tr("{label}, undone").format(label=label)
            if state not in self.done:
                return self.tr("{label}, on another branch").format(label=label)
            return label
        return None

    def _abridge(self, lines: list[str]) -> list[str]:
        """Return `lines` with the longest lists shortened, as at most `_MAX_TIP_LINES` + 1 lines.

        A shortened list ends with how many items were omitted. Lines after a list, such as the
        number of pruned weights, are kept. Without a long list, the last lines are cut.
        """
        lines = list(lines)
        while len(lines) > _MAX_TIP_LINES + 1:
            # Items of a list are indented names, or consecutive rules.
            groups = groupby(
                enumerate(lines), lambda each: (each[1][:2] == "  ", each[1].startswith("Rule "))
            )
            places = max([[place for place, _ in group] for _, group in groups], key=len)
            first, end = (
                max(places[0] + 2, places[-1] + 1 + _MAX_TIP_LINES - len(lines)),
                places[-1] + 1,
            )
            if end - first < 2:  # no long list
                rest = count(len(lines) - _MAX_TIP_LINES)
                return [*lines[:_MAX_TIP_LINES], self.tr("and {n} more lines").format(n=rest)]
            more = end - first
            if known := _MORE.fullmatch(lines[end - 1]):
                more += int(known[1].replace(",", "")) - 1
            indent = "  " if lines[first].startswith("  ") else ""
            lines[first:end] = [indent + self.tr("and {n} more").format(n=count(more))]
        return lines


def _label_width(label: str, metrics: QFontMetrics) -> int:
    return metrics.horizontalAdvance(label) + _MARK + 2 * PADDING + 4


def number_width(state: int, metrics: QFontMetrics) -> int:
    """Return the width of the number of a state in pixels; 0 for the initial state."""
    return len(str(state)) * metrics.horizontalAdvance("0") + _NUMBER_GAP if state else 0


def mark_width(mark: HistoryMark | None, metrics: QFontMetrics, *, brief: bool) -> int:
    """Return the width of the mark of a state in pixels; 0 for None."""
    if mark is None:
        return 0
    text = mark.text_for(brief=brief)
    return PADDING + (metrics.horizontalAdvance(text) if text else DOT)


class StateDelegate(QStyledItemDelegate):
    """Paints a state."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.short = ShortNames()
        self.widest = MAX_WIDTH  # maximum width of a state in pixels
        self.brief = False  # whether marks are shown in their short form
        self.visible_area = QRect()  # the visible area of the strip, without its arrows
        # Cached widths by label and maximum width: there may be 10,000 states.
        self._widths: dict[tuple[str, int], int] = {}

    def set_names(self, short: ShortNames) -> None:
        """Set the short forms of tensor names."""
        self.short = short
        self._widths.clear()

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Return a nominal size, as the strip computes the geometry of states itself."""
        return QSize(MIN_WIDTH, row_height(option.fontMetrics))

    def width(self, label: str, metrics: QFontMetrics, widest: int) -> int:
        """Return the width of a label with its margins in pixels, at most `widest`.

        A label that is wider is measured in its short form.
        """
        cached = self._widths.get((label, widest))
        if cached is None:
            if len(self._widths) >= _MAX_CACHED:
                self._widths.clear()
            cached = min(
                widest, _label_width(self._displayed_label(label, metrics, widest), metrics)
            )
            self._widths[label, widest] = cached
        return cached

    def _displayed_label(self, label: str, metrics: QFontMetrics, widest: int) -> str:
        return label if _label_width(label, metrics) <= widest else self.short.in_text(label)

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Show the tooltip of a state, or that of the scroll arrow at this place.

        Return whether it did.
        """
        if not self.visible_area.left() <= event.pos().x() <= self.visible_area.right():
            QToolTip.showText(event.globalPos(), self.tr("Scroll the history"), view)
            return True
        return super().helpEvent(event, view, option, index)

    @report_exceptions
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a state: the current one highlighted, undone ones and other branches muted."""
        with saved_painter_state(painter):
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
            if not current:  # its background shows its edge
                painter.setPen(palette.color(QPalette.ColorRole.Mid))
                painter.drawLine(rect.topRight(), rect.bottomRight())
            painter.setPen(color)
            # A state that is cut by the edge of the strip is painted in its visible part.
            seen = rect & self.visible_area
            inner = seen.adjusted(PADDING, 0, -PADDING, 0)
            mark = model.mark(state)
            visible_area = mark_width(mark, option.fontMetrics, brief=self.brief)
            if mark is not None and visible_area < inner.width():
                ink = palette.color(MUTED) if mark.faded and not current else color
                _paint_mark(painter, inner, mark.text_for(brief=self.brief), ink)
                inner.setRight(inner.right() - visible_area)
                painter.setPen(color)
            glyph = "●" if current else "↷" if undone else ""
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), glyph)
            # Elide at the right if the start is cut off, as little of the label is visible then.
            cut = rect.left() < seen.left()
            mode = Qt.TextElideMode.ElideRight if cut else Qt.TextElideMode.ElideMiddle
            inner.setLeft(inner.left() + _MARK)
            if state:
                if not current:
                    painter.setPen(palette.color(MUTED))
                painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), f"{state}:")
                painter.setPen(color)
            number = number_width(state, option.fontMetrics)
            inner.setLeft(inner.left() + number)
            label = self._displayed_label(
                str(index.data()), option.fontMetrics, self.widest - number
            )
            text = elide_text(label, option.fontMetrics, inner.width(), mode)
            text = text.replace("….", "…")  # a name that was cut at a dot
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), text)
            focused = option.state & QStyle.StateFlag.State_HasFocus
            if focused:
                painter.setPen(QPen(color, 1, Qt.PenStyle.DotLine))
                painter.drawRect(rect.adjusted(2, 2, -3, -3))


def _paint_mark(painter: QPainter, room: QRect, text: str, ink: QColor) -> None:
    """Paint the mark of a state at the right of `room`: its text, or a circle if it is ""."""
    painter.setPen(QPen(ink, 1.5))
    if text:
        painter.drawText(room, int(_RIGHT_CENTER), text)
        return
    dot = QRect(room.right() - DOT, room.center().y() - DOT // 2, DOT, DOT)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(dot)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def row_height(metrics: QFontMetrics) -> int:
    """Return the height of a lane in pixels."""
    return metrics.height() + 14
