"""Lists of channel indices as text: "0-3, 7, 12", from 0, with both ends of a range included.

Pasted text may be arbitrary. A range is compared with the number of channels and only then
expanded, so that "0-99999999999" costs no more than "0".
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from pruneapp.errors import SelectionError, counted

# Longer texts are rejected without parsing: no valid list is longer.
MOST_LETTERS = 8 << 20

_NUMBER = "0|[1-9][0-9]*"
_PIECE = re.compile(rf"({_NUMBER})(?:[-–]({_NUMBER}))?")
_BETWEEN = re.compile(r"[\s,;]+")
# "0 - 3" is one piece; "0 -3" is two, of which the second is refused.
_SPACED = re.compile(r"(?<=[0-9])\s+[-–]\s+(?=[0-9])")
_BRACKETS = ("[]", "()", "{}")
_DIGITS = 18  # maximum digits that are parsed; the number of channels never has as many
_REMEDY = "Correct the list. The selection is unchanged."


def to_text(chosen: NDArray[np.bool_]) -> str:
    """Return the indices where `chosen` (``bool[channels]``) is True, as text; "" for none."""
    return ", ".join(f"{a}-{b - 1}" if b - a > 1 else str(a) for a, b in runs(chosen))


def runs(chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return (first, last + 1) of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], chosen, [False])).view(np.int8)))
    return [(a, b) for a, b in edges.reshape(-1, 2).tolist()]


def from_text(text: str, size: int, noun: str = "channel") -> NDArray[np.bool_]:
    """Parse a list of indices of `size` channels; return ``bool[size]``.

    Indices and ranges are separated by commas, semicolons, spaces or lines; the list may be in
    brackets, as Python writes it. `noun` is the singular of what is listed, for messages.

    Raises
    ------
    SelectionError
        If the list is empty, or contains a piece that is neither an index nor an ascending range,
        or that exceeds the last channel; the error names the piece.
    """
    if len(text) > MOST_LETTERS:
        raise SelectionError(
            f"The text has {len(text):,} characters; a list of {noun}s may have at most "
            f"{MOST_LETTERS:,}.",
            remedy=_REMEDY,
        )
    text = text.strip().removeprefix("\ufeff")
    if len(text) > 1 and text[0] + text[-1] in _BRACKETS:
        text = text[1:-1]
    chosen = np.zeros(size, np.bool_)
    pieces = [piece for piece in _BETWEEN.split(_SPACED.sub("-", text)) if piece]
    if not pieces:
        raise SelectionError(
            f"The list of {noun}s is empty.", remedy="Give indices such as 0-3, 7, 12."
        )
    for piece in pieces:
        match = _PIECE.fullmatch(piece)
        if match is None:
            raise SelectionError(
                f"The list of {noun}s contains '{piece}', which is neither an index such as 7 nor "
                "a range such as 0-3.",
                remedy=_REMEDY,
            )
        first, last = _number(match[1]), _number(match[2] or match[1])
        if max(first, last) >= size:
            raise SelectionError(
                f"The list of {noun}s contains '{piece}', but there are {counted(size, noun)}, "
                f"numbered from 0{f' to {size - 1:,}' * (size > 1)}.",
                remedy=_REMEDY,
            )
        if last < first:
            raise SelectionError(
                f"The list of {noun}s contains '{piece}', but a range goes from its lower to its "
                "higher index, both included.",
                remedy=_REMEDY,
            )
        chosen[first : last + 1] = True
    return chosen


def _number(digits: str) -> int:
    # Python raises for numbers of thousands of digits.
    return int(digits[: _DIGITS + 1])
