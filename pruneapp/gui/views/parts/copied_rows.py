"""Rows of a table on the clipboard, as spreadsheets take them: tabs between columns, heads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHeaderView, QTableView

from pruneapp.errors import escaped

_SPACES = str.maketrans("\u00a0\u202f\u2009", "   ")
_NUMBER = re.compile(r"[-+−]?[0-9][0-9.,]*( ?%)?$")


def copy_rows(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Put rows on the clipboard; nothing happens if there are none."""
    lines = ["\t".join(map(_cell, row)) for row in (heads, *rows)]
    if len(lines) > 1:
        QGuiApplication.clipboard().setText("\n".join(lines))


def copied_by(table: QTableView, event: QKeyEvent) -> bool:
    """Copy the selected rows of a table if a key press asks for that; False if it does not."""
    if not event.matches(QKeySequence.StandardKey.Copy):
        return False
    model, header = table.model(), table.horizontalHeader()
    columns = [c for c in _in_order(header) if not header.isSectionHidden(c)]
    heads = [_text(model.headerData(c, Qt.Orientation.Horizontal)) for c in columns]
    chosen = sorted({index.row() for index in table.selectionModel().selectedIndexes()})
    copy_rows(heads, ([_text(model.index(row, c).data()) for c in columns] for row in chosen))
    return True


def _in_order(header: QHeaderView) -> list[int]:
    return [header.logicalIndex(place) for place in range(header.count())]


def _text(data: object) -> str:
    return "" if data is None else str(data)


def _cell(text: str) -> str:
    """Return a text without what would end a cell, or make a spreadsheet compute it."""
    text = escaped(text.translate(_SPACES))
    computed = text.startswith(("=", "+", "-", "@")) and not _NUMBER.match(text)
    return f"'{text}" if computed else text
