"""Rows of a table on the clipboard, as spreadsheets take them: tabs between columns, heads."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QTableView, QWidget

from pruneapp.errors import escaped

_SPACES = str.maketrans("\u00a0\u202f\u2009", "   ")
_NUMBER = re.compile(r"[-+−]?[0-9][0-9.,]*( ?%)?$")


@dataclass(frozen=True)
class Numbers:
    """Rows of a table, made one by one when they are asked for.

    Attributes
    ----------
    headers
        Of the columns.
    rows
        How many there are.
    row
        Gives the cells of a row: text, int or float. Any thread may ask, and gets what was shown
        when these numbers were made.
    shown
        The columns that there is room for on the screen; a file has all. None for all.
    """

    headers: tuple[str, ...]
    rows: int
    row: Callable[[int], Sequence[Any]]
    shown: tuple[int, ...] | None = None

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of the screen."""
        return tuple(range(len(self.headers))) if self.shown is None else self.shown

    def __iter__(self) -> Iterator[Sequence[Any]]:
        return (self.row(i) for i in range(self.rows))


NOTHING = Numbers((), 0, lambda _row: ())


class Copies(QObject):
    """Copies what the tables of a window and of its dialogs want, a child of the window.

    Signals
    -------
    wanted(Numbers)
        The person wants these rows on the clipboard, texts all of them: 100,000 take seconds.
    """

    wanted = Signal(object)


def copy_rows(table: QWidget, rows: Numbers) -> None:
    """Let the window of a table put rows on the clipboard; nothing happens if there are none."""
    above: QWidget | None = table
    while rows.rows and above is not None:
        copies = above.findChild(Copies, options=Qt.FindChildOption.FindDirectChildrenOnly)
        if copies is not None:
            copies.wanted.emit(rows)
            return
        above = above.parentWidget()
    if rows.rows:
        QGuiApplication.clipboard().setText(text_of(rows.headers, rows))


def text_of(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows as they are put on the clipboard; empty if there are none."""
    lines = ["\t".join(map(_cell, row)) for row in itertools.chain((heads,), rows)]
    return "\n".join(lines) if len(lines) > 1 else ""


def copied_by(table: QTableView, event: QKeyEvent, cells: Callable[[int], Sequence[str]]) -> bool:
    """Copy the selected rows of a table if a key press asks for that; False if it does not.

    `cells` gives the texts of a row, to any thread.
    """
    if not event.matches(QKeySequence.StandardKey.Copy):
        return False
    model, columns, rows = table.model(), shown_columns(table), chosen_rows(table)
    heads = tuple(str(model.headerData(c, Qt.Orientation.Horizontal)) for c in columns)

    def row(at: int) -> list[str]:
        texts = cells(rows[at])
        return [texts[c] for c in columns]

    copy_rows(table, Numbers(heads, len(rows), row))
    return True


def shown_columns(table: QTableView) -> list[int]:
    """Return the columns that are shown, from left to right."""
    header = table.horizontalHeader()
    order = [header.logicalIndex(place) for place in range(header.count())]
    return [column for column in order if not header.isSectionHidden(column)]


def chosen_rows(table: QTableView) -> list[int]:
    """Return the rows in which something is selected, from top to bottom."""
    # Of ranges, not of cells: Ctrl+A on 100,000 rows selects a million of those, and one of these.
    parts = table.selectionModel().selection().toList()
    return sorted(set().union(*(range(part.top(), part.bottom() + 1) for part in parts)))


def _cell(text: str) -> str:
    """Return a text without what would end a cell, or make a spreadsheet compute it."""
    text = escaped(text.translate(_SPACES))
    computed = text.startswith(("=", "+", "-", "@")) and not _NUMBER.match(text)
    return f"'{text}" if computed else text
