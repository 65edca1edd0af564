"""Types of benchmarks, and formatting of their results."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tests.benchmarks import models


class Bound(Protocol):
    """A condition that a measured value must satisfy."""

    def holds(self, ours: float, peer: float | None) -> bool: ...

    def text(self, unit: str) -> str: ...


@dataclass(frozen=True)
class AtMost:
    """An upper bound of the value."""

    value: float

    def holds(self, ours: float, peer: float | None) -> bool:
        return ours <= self.value

    def text(self, unit: str) -> str:
        return f"at most {figure(self.value, unit)}"


@dataclass(frozen=True)
class AtLeast:
    """A lower bound of the value."""

    value: float

    def holds(self, ours: float, peer: float | None) -> bool:
        return ours >= self.value

    def text(self, unit: str) -> str:
        return f"at least {figure(self.value, unit)}"


@dataclass(frozen=True)
class Faster:
    """A lower bound of the peer's value divided by ours."""

    times: float

    def holds(self, ours: float, peer: float | None) -> bool:
        return peer is not None and peer >= self.times * ours

    def text(self, unit: str) -> str:
        return f"at least {self.times:g}x less"


@dataclass(frozen=True)
class TimesPeer:
    """An upper bound of our value divided by the peer's."""

    times: float

    def holds(self, ours: float, peer: float | None) -> bool:
        return peer is not None and ours <= self.times * peer

    def text(self, unit: str) -> str:
        return f"at most {self.times:g}x the peer"


@dataclass(frozen=True)
class Line:
    """One measured value.

    Attributes
    ----------
    work
        What was done.
    figure
        What was measured: "time", "peak extra memory".
    ours
        The value, in `unit`.
    unit
        "s", "ms", "MB", "%", or empty for a plain number.
    peer
        The same value for torch, or for the reference that the bound compares with.
    bound
        The condition to satisfy; None if the value is only reported.
    note
        A short remark on the conditions or the way of measuring.
    """

    work: str
    figure: str
    ours: float
    unit: str
    peer: float | None = None
    bound: Bound | None = None
    note: str = ""

    @property
    def holds(self) -> bool:
        return self.bound is None or self.bound.holds(self.ours, self.peer)


@dataclass
class Ground:
    """The folder for files and the number of rounds of a run.

    Models are created on first use and kept until the run ends.
    """

    folder: Path
    rounds: int = 5
    diagnose: bool = False
    made: dict[str, Path] = field(default_factory=dict)

    def model(self, name: str) -> Path:
        if name not in self.made:
            self.made[name] = models.make(name, self.folder)
        return self.made[name]

    def forget(self, name: str) -> None:
        """Delete a model that is too large to keep."""
        path = self.made.pop(name)
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@dataclass(frozen=True)
class Subject:
    """A benchmark; each has a module.

    Attributes
    ----------
    name
        Its name on the command line.
    title
        The heading of its table.
    measure
        Yields the lines of the table.
    method
        How it is measured, in one or two sentences.
    on_request
        Whether it is measured only if it is named.
    page
        The page of docs/ that its table is written to.
    """

    name: str
    title: str
    measure: Callable[[Ground], Iterable[Line]]
    method: str
    on_request: bool = False
    page: str = "performance.md"
    has_columns: bool = False  # whether the table has a column per figure, see `as_columns`


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def figure(value: float, unit: str) -> str:
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 0.1 else 4
    return f"{value:,.{digits}f} {unit}".strip()


HEAD = ("work", "figure", "ours", "peer", "ratio", "bound", "holds", "note")


def row(line: Line) -> tuple[str, ...]:
    ratio = line.peer / line.ours if line.peer is not None and line.ours else None
    return (
        line.work,
        line.figure,
        figure(line.ours, line.unit),
        "" if line.peer is None else figure(line.peer, line.unit),
        "" if ratio is None else f"{ratio:.1f}x" if ratio >= 1 else f"1/{1 / ratio:.1f}",
        "" if line.bound is None else line.bound.text(line.unit),
        "" if line.bound is None else "yes" if line.holds else "NO",
        line.note,
    )


def as_markdown(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the lines of a Markdown table with padded cells, readable on a terminal."""
    yield from _table([HEAD, *(row(line) for line in lines)])


def as_columns(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the lines of a Markdown table with a row for each work and a column for each figure.

    A cell has the value with its note, and if there is a bound, whether it holds.
    """
    figures = list(dict.fromkeys(line.figure for line in lines))
    works: dict[str, dict[str, str]] = {}
    for line in lines:
        bound = "" if line.bound is None else f", {line.bound.text(line.unit)}"
        holds = "" if line.bound is None else ": yes" if line.holds else ": **NO**"
        note = f" ({line.note})" if line.note else ""
        works.setdefault(line.work, {})[line.figure] = (
            figure(line.ours, line.unit) + note + bound + holds
        )
    rows = [[work, *(cells.get(name, "") for name in figures)] for work, cells in works.items()]
    yield from _table([["work", *figures], *rows])


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table; columns without a value are left out."""
    used = [i for i in range(len(rows[0])) if i == 0 or any(r[i] for r in rows[1:])]
    widths = {i: max(len(r[i]) for r in rows) for i in used}
    for number, cells in enumerate(rows):
        yield "| " + " | ".join(cells[i].ljust(widths[i]) for i in used) + " |"
        if not number:
            yield "|" + "|".join("-" * (widths[i] + 2) for i in used) + "|"
