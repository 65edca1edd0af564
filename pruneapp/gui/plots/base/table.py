"""The table twin of a picture: the same numbers for eyes, ears and spreadsheets."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from pruneapp.errors import escaped
from pruneapp.gui.plots.base.readout import value_text
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers, chosen_rows, copy_rows, shown_columns
from pruneapp.gui.widgets.labels import as_plain, within_reason
from pruneapp.gui.widgets.number_format import NO_NUMBER, count, exact_percent, percent
from pruneapp.gui.widgets.reports import BESIDE_NAME, NameDelegate, set_up_rows
from pruneapp.results.short_names import ShortNames

_ROOM = 16  # pixels beside a text in its cell, and for a number that is longer than the first ones
_ONE_LINE = 10  # letters of a header that is not broken
_LONGEST_WORD = 32  # letters of a word in a header, such as the name of a metric
_MEASURED = 30  # rows that say how wide a column is
_DIGITS, _FEWER = 6, 4  # of a number; where there is no room for all columns
_NAMED = 300  # rows whose names say how wide theirs is at least

Index = QModelIndex | QPersistentModelIndex


class NumbersModel(QAbstractTableModel):
    """Numbers, as item views want them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = NOTHING
        self.digits = _DIGITS  # of what is shown; tooltips and copies have all

    def set_numbers(self, numbers: Numbers) -> None:
        """Show other numbers."""
        self.beginResetModel()
        self._numbers = numbers
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Return how many rows there are."""
        return 0 if parent is not None and parent.isValid() else self._numbers.rows

    def columnCount(self, parent: Index | None = None) -> int:
        """Return how many columns there are."""
        return 0 if parent is not None and parent.isValid() else len(self._numbers.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell, numbers to the right."""
        if not index.isValid():
            return None
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            digits = self.digits if role == Qt.ItemDataRole.DisplayRole else _DIGITS
            text = self._text(self._cell(index), self._numbers.columns[index.column()], digits)
            return text if role == Qt.ItemDataRole.DisplayRole else as_plain(text)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            left = isinstance(self._cell(index), str) and not index.column()
            side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the header of a column; long ones have two lines, as numbers below are short."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            header = self._numbers.headers[self._numbers.columns[section]]
            words = " ".join(map(_shortened, header.split(" ")))
            return in_two_lines(words[:1].upper() + words[1:])
        if role == Qt.ItemDataRole.ToolTipRole:
            header = self._numbers.headers[self._numbers.columns[section]]
            whole = all(len(word) <= _LONGEST_WORD for word in header.split(" "))
            return None if whole else as_plain(header)
        if role == Qt.ItemDataRole.TextAlignmentRole and self._numbers.rows:
            return self.data(self.index(0, section), role)  # above its numbers
        return None

    def _cell(self, index: Index) -> Any:
        return self._numbers.row(index.row())[self._numbers.columns[index.column()]]

    def texts(self, rows: Sequence[int], columns: Sequence[int]) -> Numbers:
        """Return what these rows say in these columns, made when it is asked for."""
        numbers = self._numbers
        chosen = tuple(numbers.columns[c] for c in columns)
        heads = tuple(numbers.headers[c] for c in chosen)

        def row(at: int) -> list[str]:
            cells = numbers.row(rows[at])
            return [
                exact_percent(cells[c]) if c in numbers.shares else _exact(cells[c]) for c in chosen
            ]

        return Numbers(heads, len(rows), row)

    def _text(self, cell: Any, column: int, digits: int) -> str:
        if column in self._numbers.shares:
            return NO_NUMBER if cell is None else percent(cell)
        return count(cell) if isinstance(cell, int) else _exact(cell, digits)


def _exact(cell: Any, digits: int = _DIGITS) -> str:
    if isinstance(cell, str):
        return escaped(cell)
    return str(cell) if isinstance(cell, int) else value_text(cell, digits)


def _shortened(word: str) -> str:
    end = _LONGEST_WORD // 2
    return word if len(word) <= _LONGEST_WORD else f"{word[: end - 1]}…{word[-end:]}"


def in_two_lines(text: str) -> str:
    """Break a header of several words where the longer line is the shortest."""
    words = text.split(" ")
    if len(text) <= _ONE_LINE or len(words) == 1:
        return text
    broken = [(" ".join(words[:n]), " ".join(words[n:])) for n in range(1, len(words))]
    return "\n".join(min(broken, key=lambda lines: max(map(len, lines))))


class NumbersView(QTableView):
    """A table that is fast for 100,000 rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.numbers = NumbersModel(self)
        self.setModel(self.numbers)
        self.set_names(ShortNames())
        self.setAccessibleName(self.tr("Data of the picture"))
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setAlternatingRowColors(True)
        set_up_rows(self, 8)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        # It asks for every cell whether all of a column is selected before it paints anything, for
        # seconds after 100,000 rows were: it is given a selection in which there never is any.
        unselected = QItemSelectionModel(self.numbers, self.horizontalHeader())
        self.horizontalHeader().setSelectionModel(unselected)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.numbers.modelReset.connect(self._fit)

    def set_names(self, names: ShortNames) -> None:
        """Take the shorter forms of the names of the file."""
        self._short = names
        self.setItemDelegateForColumn(0, NameDelegate(names, self))
        self._fit()

    def _fit(self) -> None:
        """Give every column what its header and first cells need, and the first one the rest."""
        if not self.numbers.columnCount():
            return
        first = self.numbers.data(self.numbers.index(0, 0), Qt.ItemDataRole.TextAlignmentRole)
        named = first is not None and first & int(Qt.AlignmentFlag.AlignLeft)
        # Names are as long as they like; what no other has is not left out.
        least = min(self._least_name(), self.viewport().width()) if named else 0
        for self.numbers.digits in (_DIGITS, _FEWER):
            needs = self._needs()
            spare = self.viewport().width() - sum(needs)
            if not named or least <= needs[0] + spare:
                break
        if named:
            needs[0] = max(needs[0] + spare, least)
        elif spare > 0:
            needs = [need + spare // len(needs) for need in needs]
        for column, need in enumerate(needs):
            self.setColumnWidth(column, need)

    def _needs(self) -> list[int]:
        rows = min(self.numbers.rowCount(), _MEASURED)
        advance = self.fontMetrics().horizontalAdvance
        needs = []
        for column in range(self.numbers.columnCount()):
            header = self.numbers.headerData(column, Qt.Orientation.Horizontal)
            cells = (self.numbers.data(self.numbers.index(row, column)) for row in range(rows))
            texts = (*str(header).split("\n"), *map(str, cells))
            needs.append(max(map(advance, texts)) + _ROOM)
        return needs

    def _least_name(self) -> int:
        named = range(min(self.numbers.rowCount(), _NAMED))
        names = (str(self.numbers.data(self.numbers.index(row, 0))) for row in named)
        forms = nlargest(_MEASURED, (self._short[within_reason(name)] for name in names), key=len)
        return max(map(self.fontMetrics().horizontalAdvance, forms), default=0) + BESIDE_NAME

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the room anew."""
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy rows by Ctrl+C; leave letters to the view around, which has keys of its own."""
        if event.text().isalpha() and not event.modifiers():
            event.ignore()
        elif event.matches(QKeySequence.StandardKey.Copy):
            copy_rows(self, self.numbers.texts(chosen_rows(self), shown_columns(self)))
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Look for nothing that is typed: Qt would ask for every cell of 100,000 rows, for 10 s."""
