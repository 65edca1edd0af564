"""Rows of a table on the clipboard, as spreadsheets take them: tabs between columns, heads."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QTableView

from pruneapp.errors import escaped

_SPACES = str.maketrans("\u00a0\u202f\u2009", "   ")
_NUMBER = re.compile(r"[-+−]?[0-9][0-9.,]*( ?%)?$")


def copy_rows(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Put rows on the clipboard; nothing happens if there are none."""
    text = text_of(heads, rows)
    if text:
        QGuiApplication.clipboard().setText(text)


def text_of(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows as they are put on the clipboard; empty if there are none."""
    lines = ["\t".join(map(_cell, row)) for row in itertools.chain((heads,), rows)]
    return "\n".join(lines) if len(lines) > 1 else ""


def copied_by(table: QTableView, event: QKeyEvent) -> bool:
    """Copy the selected rows of a table if a key press asks for that; False if it does not."""
    if not event.matches(QKeySequence.StandardKey.Copy):
        return False
    model, columns = table.model(), shown_columns(table)
    heads = [_text(model.headerData(c, Qt.Orientation.Horizontal)) for c in columns]
    rows = chosen_rows(table)
    copy_rows(heads, ([_text(model.index(row, c).data()) for c in columns] for row in rows))
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


def _text(data: object) -> str:
    return "" if data is None else str(data)


def _cell(text: str) -> str:
    """Return a text without what would end a cell, or make a spreadsheet compute it."""
    text = escaped(text.translate(_SPACES))
    computed = text.startswith(("=", "+", "-", "@")) and not _NUMBER.match(text)
    return f"'{text}" if computed else text
