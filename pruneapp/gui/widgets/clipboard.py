"""Copy table rows to the clipboard as tab-separated text with a header, for spreadsheets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QTableView, QToolButton, QWidget

from pruneapp.errors import escape_text
from pruneapp.gui.widgets.labels import translate
from pruneapp.gui.widgets.number_format import NO_NUMBER, locale

_SPACES = str.maketrans("\u00a0\u202f\u2009", "   ")
_NUMBER = re.compile(r"[-+−]?[0-9][0-9.,' ]*(e[-+−]?[0-9]+)?( ?%)?$")
_UNIT = "\0%"  # marks a percentage until its column is complete; cannot occur in texts


@dataclass(frozen=True)
class Numbers:
    """Rows of a table, computed on demand; iterable."""

    headers: tuple[str, ...]
    rows: int
    # Returns the cells of a row: text, int or float. Safe to call on any thread; returns the values
    # of the time when this object was created.
    row: Callable[[int], Sequence[Any]]
    # The columns visible on the screen; None for all. A file has all columns.
    shown: tuple[int, ...] | None = None
    # Columns with fractions from 0 to 1, or None for no value. The screen shows them with their
    # unit; a file has percentages and the unit in the header.
    shares: frozenset[int] = frozenset()

    @property
    def columns(self) -> tuple[int, ...]:
        """Indices of the visible columns."""
        return tuple(range(len(self.headers))) if self.shown is None else self.shown

    def __iter__(self) -> Iterator[Sequence[Any]]:
        return (self.row(i) for i in range(self.rows))


def in_percent(header: str) -> str:
    """Return the header of a column of percentages."""
    return translate("Numbers", "{what} (%)").format(what=header)


NOTHING = Numbers((), 0, lambda _row: ())


class Copies(QObject):
    """Request to copy table rows; a child of the window, whose tables and dialogs find it.

    `wanted` is emitted with the rows, whose cells are texts: producing 100,000 takes seconds, so
    that its receiver does so in a job.
    """

    wanted = Signal(object)


def code_button(parent: QWidget) -> QToolButton:
    """Return a button to copy code that writes the open model with its graph."""
    button = QToolButton(parent)
    button.setText(translate("ProgramCode", "Copy code"))
    button.setToolTip(
        translate(
            "ProgramCode", "Copy Python code that writes the model with its graph to a .pt2 file"
        )
    )
    button.setAccessibleDescription(button.toolTip())
    return button


def copy_rows(table: QWidget, rows: Numbers) -> None:
    """Copy rows to the clipboard, by the `Copies` object of the nearest parent window that has one.

    Without one they are copied at once. Without rows the clipboard is not changed.
    """
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
    """Return rows as tab-separated text with a header line `heads`; "" if there are none.

    Numbers are written so that a spreadsheet of the same locale reads them as such: without group
    separators, with the unit of percentages in the header, and empty where there is no number. The
    first column, which has the names, is not converted.
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
    """Return the text of a number as spreadsheets read it, without the separator `group`.

    Its sign is "-", and percent is `_UNIT`. `NO_NUMBER` becomes ""; any other text is returned by
    `_cell`.
    """
    if text == NO_NUMBER:
        return ""
    text = text.translate(_SPACES)
    if not _NUMBER.match(text):
        return _cell(text)
    return text.replace(group.translate(_SPACES), "").replace("−", "-").replace(" %", _UNIT)


def copy_on_key(table: QTableView, event: QKeyEvent, cells: Callable[[int], Sequence[str]]) -> bool:
    """Copy the selected rows, of visible columns, if a key event is Copy, and return True.

    False for other events. `cells` returns the texts of all columns of a row; it may be called on
    any thread.
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
    """Return the visible columns from left to right."""
    header = table.horizontalHeader()
    order = [header.logicalIndex(place) for place in range(header.count())]
    return [column for column in order if not header.isSectionHidden(column)]


def chosen_rows(table: QTableView) -> list[int]:
    """Return the rows with a selection, from top to bottom."""
    # Ranges instead of cells: Ctrl+A on 100,000 rows selects a million cells, but a single range.
    parts = table.selectionModel().selection().toList()
    return sorted(set().union(*(range(part.top(), part.bottom() + 1) for part in parts)))


def _cell(text: str) -> str:
    """Return a text without characters that end a cell; a formula is prefixed by an apostrophe."""
    text = escape_text(text.translate(_SPACES))
    computed = text.startswith(("=", "+", "-", "@")) and not _NUMBER.match(text)
    return f"'{text}" if computed else text
