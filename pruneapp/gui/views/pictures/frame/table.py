"""The table twin of a picture: the same numbers for eyes, ears and spreadsheets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from pruneapp.gui.views.parts.numbers import count
from pruneapp.gui.views.pictures.frame.wording import value_text

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Numbers:
    """The numbers of a picture, made row by row when they are asked for.

    Attributes
    ----------
    headers
        Of the columns.
    rows
        How many there are.
    row
        Gives the cells of a row: text, int or float.
    """

    headers: tuple[str, ...]
    rows: int
    row: Callable[[int], Sequence[Any]]

    def __iter__(self) -> Iterator[Sequence[Any]]:
        return (self.row(i) for i in range(self.rows))


NOTHING = Numbers((), 0, lambda _row: ())


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
        return 0 if parent is not None and parent.isValid() else len(self._numbers.headers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell, numbers to the right."""
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            cell = self._numbers.row(index.row())[index.column()]
            if isinstance(cell, str):
                return cell
            return count(cell) if isinstance(cell, int) else value_text(cell, 6)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            cell = self._numbers.row(index.row())[index.column()]
            side = (
                Qt.AlignmentFlag.AlignLeft if isinstance(cell, str) else Qt.AlignmentFlag.AlignRight
            )
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the header of a column."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._numbers.headers[section]
        return None


class NumbersView(QTableView):
    """A table that is fast for 100,000 rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.numbers = NumbersModel(self)
        self.setModel(self.numbers)
        self.setAccessibleName(self.tr("Numbers of the picture"))
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
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setHighlightSections(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave letters to the view around, which has keys of its own."""
        if event.text().isalpha() and not event.modifiers():
            event.ignore()
        else:
            super().keyPressEvent(event)
