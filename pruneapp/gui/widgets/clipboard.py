"""Rows of a table on the clipboard, as spreadsheets take them: tabs between columns, heads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QTableView, QWidget

from pruneapp.errors import escaped
from pruneapp.gui.widgets.labels import translate
from pruneapp.gui.widgets.number_format import NO_NUMBER, locale

_SPACES = str.maketrans("\u00a0\u202f\u2009", "   ")
_NUMBER = re.compile(r"[-+−]?[0-9][0-9.,' ]*(e[-+−]?[0-9]+)?( ?%)?$")
_UNIT = "\0%"  # behind a percentage until its column is complete; no text has this


@dataclass(frozen=True)
class Numbers:
    """Rows of a table, made one by one when they are asked for."""

    headers: tuple[str, ...]
    rows: int
    # The cells of a row: text, int or float. Any thread may ask, and gets what was shown when these
    # numbers were made.
    row: Callable[[int], Sequence[Any]]
    # The columns that there is room for on the screen, None for all; a file has all.
    shown: tuple[int, ...] | None = None
    # Columns with shares from 0 to 1, None where there is none: the screen says them with their
    # unit, a file has numbers of percent below a header with the unit.
    shares: frozenset[int] = frozenset()

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of the screen."""
        return tuple(range(len(self.headers))) if self.shown is None else self.shown

    def __iter__(self) -> Iterator[Sequence[Any]]:
        return (self.row(i) for i in range(self.rows))


def in_percent(header: str) -> str:
    """Return the header of a column of numbers of percent."""
    return translate("Numbers", "{what} (%)").format(what=header)


NOTHING = Numbers((), 0, lambda _row: ())


class Copies(QObject):
    """Copies what the tables of a window and of its dialogs want, a child of the window.

    `wanted` has the rows, texts all of them: 100,000 take seconds.
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
    """Return rows as they are put on the clipboard; empty if there are none.

    Numbers are what a spreadsheet of the same locale takes as such: without group separators, with
    the unit of percentages in the head of their column, and nothing where there is no number. The
    first column, which has the names, is left as it is.
    """
    group, named, percent = locale().groupSeparator(), list(heads), set[int]()
    lines = []
    for row in rows:
        cells = [_cell(row[0]), *(_number(text, group) for text in row[1:])] if row else []
        percent.update(at for at, text in enumerate(cells) if at and text.endswith(_UNIT))
        lines.append(cells)
    if not lines:
        return ""
    for at in percent:
        named[at] = in_percent(named[at])
        for cells in lines:
            cells[at] = cells[at].removesuffix(_UNIT)
    return "\n".join("\t".join(cells) for cells in ([_cell(head) for head in named], *lines))


def _number(text: str, group: str) -> str:
    """Return a number without its group separators; what is none as it would be in a cell."""
    if text == NO_NUMBER:
        return ""
    text = text.translate(_SPACES)
    if not _NUMBER.match(text):
        return _cell(text)
    return text.replace(group.translate(_SPACES), "").replace("−", "-").replace(" %", _UNIT)


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
