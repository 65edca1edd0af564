"""The table twin of a picture: the same numbers for eyes, ears and spreadsheets."""

from __future__ import annotations

from collections.abc import Sequence
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
from pruneapp.gui.widgets.labels import as_plain
from pruneapp.gui.widgets.number_format import NO_NUMBER, count, exact_percent, percent

_ROOM = 16  # pixels beside a text in its cell, and for a number that is longer than the first ones
_NAME = 120  # pixels that a name has at least
_ONE_LINE = 10  # letters of a header that is not broken
_MEASURED = 30  # rows that say how wide a column is

Index = QModelIndex | QPersistentModelIndex


class NumbersModel(QAbstractTableModel):
    """Numbers, as item views want them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = NOTHING

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
            text = self._text(self._cell(index), self._numbers.columns[index.column()])
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
            return in_two_lines(header[:1].upper() + header[1:])
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

    def _text(self, cell: Any, column: int) -> str:
        if column in self._numbers.shares:
            return NO_NUMBER if cell is None else percent(cell)
        return count(cell) if isinstance(cell, int) else _exact(cell)


def _exact(cell: Any) -> str:
    if isinstance(cell, str):
        return escaped(cell)
    return str(cell) if isinstance(cell, int) else value_text(cell, 6)


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
        self.setAccessibleName(self.tr("Data of the picture"))
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab leaves the table, as it leaves every other view
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setHighlightSections(False)
        # It asks for every cell whether all of a column is selected before it paints anything, for
        # seconds after 100,000 rows were: it is given a selection in which there never is any.
        unselected = QItemSelectionModel(self.numbers, self.horizontalHeader())
        self.horizontalHeader().setSelectionModel(unselected)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.numbers.modelReset.connect(self._fit)

    def _fit(self) -> None:
        """Give every column what its header and first cells need, and the first one the rest."""
        columns, rows = self.numbers.columnCount(), min(self.numbers.rowCount(), _MEASURED)
        if not columns:
            return
        advance = self.fontMetrics().horizontalAdvance
        needs = []
        for column in range(columns):
            header = self.numbers.headerData(column, Qt.Orientation.Horizontal)
            cells = (self.numbers.data(self.numbers.index(row, column)) for row in range(rows))
            texts = (*str(header).split("\n"), *map(str, cells))
            needs.append(max(map(advance, texts)) + _ROOM)
        first = self.numbers.data(self.numbers.index(0, 0), Qt.ItemDataRole.TextAlignmentRole)
        spare = self.viewport().width() - sum(needs)
        if first is not None and first & int(Qt.AlignmentFlag.AlignLeft):
            # Names are as long as they like; the middle of a long one gives way.
            needs[0] = max(needs[0] + spare, min(needs[0], _NAME))
        elif spare > 0:
            needs = [need + spare // columns for need in needs]
        for column, need in enumerate(needs):
            self.setColumnWidth(column, need)

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
