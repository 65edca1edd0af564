"""The table of the numbers that a plot shows."""

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

from pruneapp.errors import escape_text
from pruneapp.gui.plots.base.readout import value_text
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers, chosen_rows, copy_rows, shown_columns
from pruneapp.gui.widgets.labels import as_plain, within_reason
from pruneapp.gui.widgets.number_format import NO_NUMBER, count, exact_percent, percent
from pruneapp.gui.widgets.reports import BESIDE_NAME, NameDelegate, set_up_rows
from pruneapp.gui.widgets.short_names import ShortNames

# Pixels of padding of a cell, with space for numbers wider than those of the first rows.
_CELL_PADDING = 16
_MAX_ONE_LINE_LENGTH = 10  # headers up to this many characters are not broken
_MAX_WORD_LENGTH = 32  # characters of a word in a header, such as the name of a metric
_MEASURED_ROWS = 30  # rows that determine the width of a column
_DIGITS, _FEW_DIGITS = 6, 4  # significant digits; fewer if not all columns fit
_MEASURED_NAMES = 300  # rows that determine the minimum width of the column of names

Index = QModelIndex | QPersistentModelIndex


class NumbersModel(QAbstractTableModel):
    """A Qt item model of `Numbers`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = NOTHING
        # In cells, if different values stay different; tooltips and copied texts have `_DIGITS`.
        self.digits = _DIGITS
        self._column_digits: dict[tuple[int, int], int] = {}  # by column and `digits`

    def set_numbers(self, numbers: Numbers) -> None:
        """Replace all rows and columns."""
        self.beginResetModel()
        self._numbers = numbers
        self._column_digits = {}
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else self._numbers.rows

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._numbers.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            column = self._numbers.columns[index.column()]
            shown = role == Qt.ItemDataRole.DisplayRole
            digits = self._digits_of(column) if shown else _DIGITS
            text = self._text(self._cell(index), column, digits)
            return text if role == Qt.ItemDataRole.DisplayRole else as_plain(text)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            left = isinstance(self._cell(index), str) and not index.column()
            side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the header of a column, in two lines if it is long, aligned like its cells.

        It starts with a capital letter, and very long words are shortened; then the tooltip is the
        whole header. None for rows and other roles.
        """
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            header = self._numbers.headers[self._numbers.columns[section]]
            words = " ".join(map(_shorten_word, header.split(" ")))
            return break_header(words[:1].upper() + words[1:])
        if role == Qt.ItemDataRole.ToolTipRole:
            header = self._numbers.headers[self._numbers.columns[section]]
            whole = all(len(word) <= _MAX_WORD_LENGTH for word in header.split(" "))
            return None if whole else as_plain(header)
        if role == Qt.ItemDataRole.TextAlignmentRole and self._numbers.rows:
            return self.data(self.index(0, section), role)  # aligned like its cells
        return None

    def _digits_of(self, column: int) -> int:
        """Return the number of digits of a column: at least `digits`.

        It is larger if values in the first rows differ in further digits only.
        """
        key = column, self.digits
        if key not in self._column_digits:
            rows = range(min(self._numbers.rows, _MEASURED_ROWS))
            cells = (self._numbers.row(row)[column] for row in rows)
            values = [cell for cell in cells if not isinstance(cell, str | int | None)]
            self._column_digits[key] = next(
                (
                    digits
                    for digits in range(self.digits, _DIGITS)
                    if len({value_text(v, digits) for v in values})
                    == len({value_text(v, _DIGITS) for v in values})
                ),
                _DIGITS,
            )
        return self._column_digits[key]

    def _cell(self, index: Index) -> Any:
        return self._numbers.row(index.row())[self._numbers.columns[index.column()]]

    def texts(self, rows: Sequence[int], columns: Sequence[int]) -> Numbers:
        """Return the texts of these rows and columns as `Numbers` that are formatted lazily.

        `columns` are positions among the visible columns. Fractions are percentages with all
        digits. Later calls of `set_numbers` do not change the result.
        """
        numbers = self._numbers
        chosen = tuple(numbers.columns[c] for c in columns)
        heads = tuple(numbers.headers[c] for c in chosen)

        def row(at: int) -> list[str]:
            cells = numbers.row(rows[at])
            return [
                exact_percent(cells[c]) if c in numbers.shares else _format_cell(cells[c])
                for c in chosen
            ]

        return Numbers(heads, len(rows), row)

    def _text(self, cell: Any, column: int, digits: int) -> str:
        if column in self._numbers.shares:
            return NO_NUMBER if cell is None else percent(cell)
        return count(cell) if isinstance(cell, int) else _format_cell(cell, digits)


def _format_cell(cell: Any, digits: int = _DIGITS) -> str:
    if isinstance(cell, str):
        return escape_text(cell)
    return str(cell) if isinstance(cell, int) else value_text(cell, digits)


def _shorten_word(word: str) -> str:
    end = _MAX_WORD_LENGTH // 2
    return word if len(word) <= _MAX_WORD_LENGTH else f"{word[: end - 1]}…{word[-end:]}"


def break_header(text: str) -> str:
    """Break a header between two words so that its longer line is as short as possible.

    Headers of one word or at most `_MAX_ONE_LINE_LENGTH` characters are returned unchanged.
    """
    words = text.split(" ")
    if len(text) <= _MAX_ONE_LINE_LENGTH or len(words) == 1:
        return text
    candidates = [(" ".join(words[:n]), " ".join(words[n:])) for n in range(1, len(words))]
    return "\n".join(min(candidates, key=lambda lines: max(map(len, lines))))


class NumbersView(QTableView):
    """A table view that is fast with 100,000 rows."""

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
        # Before painting, QHeaderView asks for each cell whether its column is selected, which
        # takes seconds after 100,000 rows were selected. A separate selection model is always
        # empty.
        unselected = QItemSelectionModel(self.numbers, self.horizontalHeader())
        self.horizontalHeader().setSelectionModel(unselected)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.numbers.modelReset.connect(self._fit)

    def set_names(self, names: ShortNames) -> None:
        self._short = names
        self.setItemDelegateForColumn(0, NameDelegate(names, self))
        self._fit()

    def _fit(self) -> None:
        """Fit columns to header and first rows; the column of names gets the remaining width.

        If the column of names becomes too narrow, numbers are shown with fewer digits. Without
        names the remaining width is divided equally. Replaces widths that the user has set.
        """
        if not self.numbers.columnCount():
            return
        first = self.numbers.data(self.numbers.index(0, 0), Qt.ItemDataRole.TextAlignmentRole)
        named = first is not None and first & int(Qt.AlignmentFlag.AlignLeft)
        # The part of a name that distinguishes it must be visible.
        min_width = min(self._min_name_width(), self.viewport().width()) if named else 0
        for self.numbers.digits in (_DIGITS, _FEW_DIGITS):
            needs = self._needed_widths()
            remaining_width = self.viewport().width() - sum(needs)
            if not named or min_width <= needs[0] + remaining_width:
                break
        if named:
            needs[0] = max(needs[0] + remaining_width, min_width)
        elif remaining_width > 0:
            needs = [need + remaining_width // len(needs) for need in needs]
        for column, need in enumerate(needs):
            self.setColumnWidth(column, need)

    def _needed_widths(self) -> list[int]:
        rows = min(self.numbers.rowCount(), _MEASURED_ROWS)
        advance = self.fontMetrics().horizontalAdvance
        least = self.horizontalHeader().minimumSectionSize()
        needs = []
        for column in range(self.numbers.columnCount()):
            header = self.numbers.headerData(column, Qt.Orientation.Horizontal)
            cells = (self.numbers.data(self.numbers.index(row, column)) for row in range(rows))
            texts = (*str(header).split("\n"), *map(str, cells))
            needs.append(max(least, max(map(advance, texts)) + _CELL_PADDING))
        return needs

    def _min_name_width(self) -> int:
        named = range(min(self.numbers.rowCount(), _MEASURED_NAMES))
        names = (str(self.numbers.data(self.numbers.index(row, 0))) for row in named)
        forms = nlargest(
            _MEASURED_ROWS, (self._short[within_reason(name)] for name in names), key=len
        )
        return max(map(self.fontMetrics().horizontalAdvance, forms), default=0) + BESIDE_NAME

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the selected rows on Ctrl+C; pass plain letters to the parent, as shortcuts."""
        if event.text().isalpha() and not event.modifiers():
            event.ignore()
        elif event.matches(QKeySequence.StandardKey.Copy):
            copy_rows(self, self.numbers.texts(chosen_rows(self), shown_columns(self)))
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Disable search by typing: Qt would read every cell of 100,000 rows, which takes 10 s."""
