"""Printing: JSON for programs, plain columns for people and pipes."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import Any

from pruneapp.errors import escaped as printable

__all__ = ["named", "percent", "print_json", "print_table", "printable", "size"]

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def print_json(value: Any) -> None:
    """Print a value as one indented JSON document: names are exact, whatever the terminal takes."""
    from pruneapp.json_codec import encoded  # not for those who only read columns

    text = encoded(value, indent=2).decode() + "\n"
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # backslashes of the terminal's own would be no JSON
        text = _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)
    sys.stdout.write(text)


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> None:
    """Print columns, numbers to the right, cut nowhere.

    Parameters
    ----------
    head
        A word above each column.
    rows
        The cells.
    right
        For each column, whether its cells stand at the right.
    """
    lines = [[printable(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for row in lines:
        cells = [
            cell.rjust(width) if at_right else cell.ljust(width)
            for cell, width, at_right in zip(row, widths, right, strict=True)
        ]
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


def named(name: str) -> str:
    """Return the name of a tensor as it is printed; one that is empty is seen, too."""
    return printable(name) or '""'


def percent(part: int, whole: int) -> str:
    """Return a share with one decimal, never rounded up to all or down to nothing."""
    if not whole:
        return "0.0 %"
    share = 100 * part / whole
    if 0 < part < whole:
        share = min(max(share, 0.1), 99.9)
    return f"{share:.1f} %"


def size(nbytes: int) -> str:
    """Return bytes as people read them, in decimal units."""
    value = float(nbytes)
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 1000:
            return f"{nbytes} bytes" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"
