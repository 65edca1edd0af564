"""Tables as text for spreadsheets and programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from pruneapp.errors import escaped

# What makes a spreadsheet take text for a formula, or skip it on the way to one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as comma-separated values, numbers in full precision and with a point.

    Text from files is one line of visible characters, and never a formula: what begins as one gets
    an apostrophe in front. Numbers are never changed. Who needs exact names takes JSON.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(headers)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def _cell(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    return f"'{escaped(cell)}" if cell.startswith(_FORMULA) else escaped(cell)
