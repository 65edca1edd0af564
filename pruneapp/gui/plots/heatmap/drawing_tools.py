"""Selections of weights in a heatmap (rectangles, channels, strokes) and the tools; no Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from pruneapp.analysis.layout import Box, Layout
from pruneapp.document.entries import Shape

Cell = tuple[int, int]
Run = tuple[int, int]


class Rect(NamedTuple):
    """A rectangle of the heatmap in weights; `bottom` and `right` are exclusive."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True)
class WeightSelection:
    """Selected weights of a tensor."""

    shape: Shape  # the tool it was made with
    rects: tuple[Rect, ...] = ()  # disjoint; empty for channels
    # For channels: the dimension, and the indices as ascending runs (start, stop).
    dim: int = -1
    channels: tuple[Run, ...] = ()

    def boxes(self, layout: Layout) -> tuple[Box, ...]:
        """Return the selected elements as boxes; a channel includes its invisible weights.

        A box has a range (start, stop) along each dimension of the tensor.
        """
        if self.shape == "channel":
            whole = [(0, extent) for extent in layout.shape]
            return tuple(
                tuple(run if dim == self.dim else all_ for dim, all_ in enumerate(whole))
                for run in self.channels
            )
        return tuple(
            box
            for rect in self.rects
            for box in layout.boxes((rect.top, rect.bottom), (rect.left, rect.right))
        )

    def count(self, layout: Layout) -> int:
        """Return the number of selected weights."""
        if self.shape == "channel":
            n_channels = sum(stop - start for start, stop in self.channels)
            return n_channels * math.prod(layout.shape) // layout.shape[self.dim]
        return sum((r.bottom - r.top) * (r.right - r.left) for r in self.rects)

    def visible_rects(self, layout: Layout, part: Rect) -> Iterator[Rect]:
        """Yield rectangles that contain all selected weights which are visible in `part`.

        They may exceed `part`, and also be outside it. Channels on no axis are whole planes.
        """
        if self.shape != "channel":
            yield from self.rects
        elif (layout.wrap and self.dim == 0) or not layout.shape:
            for start, stop in self.channels:
                yield from _lines(layout, start, stop)
        elif self.dim in layout.row_dims:
            for start, stop in _stripes(layout, self, (part.top, part.bottom), along_rows=True):
                yield Rect(start, 0, stop, layout.columns)
        elif self.dim in layout.column_dims:
            stripes = _stripes(layout, self, (part.left, part.right), along_rows=False)
            for start, stop in stripes:
                yield Rect(0, start, layout.rows, stop)
        elif any(start <= layout.fixed[self.dim] < stop for start, stop in self.channels):
            yield Rect(0, 0, layout.rows, layout.columns)

    def union(self, other: WeightSelection) -> WeightSelection:
        """Return the union of both; `other` alone if its shape or dimension differs.

        The rectangles of the result are disjoint, those of this selection first.
        """
        if other.shape != self.shape or other.dim != self.dim:
            return other
        if self.shape == "channel":
            return replace(self, channels=tuple(merge_runs([*self.channels, *other.channels])))
        rects = list(self.rects)
        for rect in other.rects:
            pieces = [rect]
            for old in self.rects:
                pieces = [rest for piece in pieces for rest in _subtract(piece, old)]
            rects += pieces
        return replace(self, rects=tuple(rects))


def select_between(
    shape: Shape, layout: Layout, start: Cell, stop: Cell, dim: int = 0
) -> WeightSelection:
    """Return the selection between two weights in any order, both included.

    For the shapes row, column and channel it contains whole rows, columns or channels; `dim` is the
    dimension of the channels. Other shapes select a rectangle.
    """
    top, bottom = sorted((start[0], stop[0]))
    left, right = sorted((start[1], stop[1]))
    if shape == "channel":
        first, last = sorted((layout.index(*start)[dim], layout.index(*stop)[dim]))
        return WeightSelection("channel", dim=dim, channels=((first, last + 1),))
    if shape == "row":
        left, right = 0, layout.columns - 1
    elif shape == "column":
        top, bottom = 0, layout.rows - 1
    return WeightSelection(shape, (Rect(top, left, bottom + 1, right + 1),))


class Stroke:
    """A line drawn with a square brush of odd side `size`, added to the stroke `before`."""

    def __init__(self, layout: Layout, size: int, before: WeightSelection | None = None) -> None:
        self._layout = layout
        self._reach = size // 2
        self._lines: dict[int, list[Run]] = {}
        self._last: Cell | None = None
        if before is not None and before.shape == "brush":
            for rect in before.rects:
                for row in range(rect.top, rect.bottom):
                    self._lines.setdefault(row, []).append((rect.left, rect.right))

    def extend_to(self, cell: Cell) -> WeightSelection:
        """Add a straight line from the last weight to `cell`, or start there.

        Return the whole stroke, with that of `before`, as disjoint rectangles of one row, cut off
        at the edges of the tensor.
        """
        start = self._last or cell
        self._last = cell
        steps = max(abs(cell[0] - start[0]), abs(cell[1] - start[1]), 1)
        centers: dict[int, Run] = {}
        for step in range(steps + 1):
            row = round(start[0] + (cell[0] - start[0]) * step / steps)
            column = round(start[1] + (cell[1] - start[1]) * step / steps)
            low, high = centers.get(row, (column, column))
            centers[row] = min(low, column), max(high, column)
        touched: dict[int, list[Run]] = {}
        for row, (low, high) in centers.items():
            run = max(low - self._reach, 0), min(high + self._reach + 1, self._layout.columns)
            stop = min(row + self._reach + 1, self._layout.rows)
            for line in range(max(row - self._reach, 0), stop):
                touched.setdefault(line, []).append(run)
        for line, runs in touched.items():
            self._lines[line] = merge_runs([*self._lines.get(line, ()), *runs])
        rects = (
            Rect(row, left, row + 1, right)
            for row, runs in self._lines.items()
            for left, right in runs
        )
        return WeightSelection("brush", tuple(rects))

    def finish(self) -> WeightSelection:
        """Return the whole stroke, merged to few rectangles."""
        return WeightSelection("brush", merge_lines(self._lines))


def merge_runs(runs: Iterable[Run]) -> list[Run]:
    """Return the union of runs (start, stop), sorted, without overlaps or adjacent runs."""
    merged_runs: list[Run] = []
    for start, stop in sorted(runs):
        if merged_runs and start <= merged_runs[-1][1]:
            merged_runs[-1] = merged_runs[-1][0], max(merged_runs[-1][1], stop)
        else:
            merged_runs.append((start, stop))
    return merged_runs


def merge_lines(lines: dict[int, list[Run]]) -> tuple[Rect, ...]:
    """Return the runs of each row as disjoint rectangles, sorted by their top left corner.

    Equal runs in adjacent rows are merged.
    """
    done: list[Rect] = []
    open_: dict[Run, Rect] = {}
    for row in sorted(lines):
        rects: dict[Run, Rect] = {}
        for run in merge_runs(lines[row]):
            above = open_.get(run)
            top = above.top if above is not None and above.bottom == row else row
            rects[run] = Rect(top, run[0], row + 1, run[1])
        done += [rect for run, rect in open_.items() if run not in rects or rects[run].top == row]
        open_ = rects
    return tuple(sorted([*done, *open_.values()]))


def _subtract(piece: Rect, removed: Rect) -> list[Rect]:
    top, bottom = max(piece.top, removed.top), min(piece.bottom, removed.bottom)
    left, right = max(piece.left, removed.left), min(piece.right, removed.right)
    if top >= bottom or left >= right:
        return [piece]
    around = (
        Rect(piece.top, piece.left, top, piece.right),
        Rect(bottom, piece.left, piece.bottom, piece.right),
        Rect(top, piece.left, bottom, left),
        Rect(top, right, bottom, piece.right),
    )
    return [rect for rect in around if rect.top < rect.bottom and rect.left < rect.right]


def _stripes(layout: Layout, of: WeightSelection, part: Run, *, along_rows: bool) -> Iterator[Run]:
    """Yield the stripes of the selected channels along an axis, ascending, as (start, stop).

    The dimension of the channels must be on the axis, and not be wrapped into lines. Stripes of the
    periods that `part` of the axis touches are included, also outside it.
    """
    shape, down, across = layout.grid
    dims, dim = down if along_rows else across, of.dim + bool(layout.wrap)
    inner = math.prod(shape[d] for d in dims[dims.index(dim) + 1 :])
    period = inner * shape[dim]
    whole = math.prod(shape[d] for d in dims)
    first = max(0, part[0]) // period * period
    for start in range(first, min(whole, part[1]), period):
        for low, high in of.channels:
            yield start + low * inner, start + high * inner


def _lines(layout: Layout, start: int, stop: int) -> Iterator[Rect]:
    """Yield the rectangles of the indices from `start` to `stop` of a dimension in lines."""
    wrap = layout.wrap or layout.columns
    height = layout.rows // (layout.shape[0] // wrap) if layout.wrap else 1
    width = layout.columns // wrap
    for line in range(start // wrap, -(-stop // wrap)):
        left = max(start, line * wrap) - line * wrap
        right = min(stop, (line + 1) * wrap) - line * wrap
        yield Rect(line * height, left * width, (line + 1) * height, right * width)


Tool = Literal["look"] | Shape
BRUSHES = (1, 3, 5, 9)


class Pointer:
    """Changes the selection as the user presses, moves and releases; in weights, not pixels."""

    def __init__(self) -> None:
        self.tool: Tool = "look"  # what dragging does; "look" pans
        self.brush = BRUSHES[0]  # side of the brush in weights
        self.dim = 0  # the dimension of selected channels
        self._layout: Layout | None = None
        self._shape: Shape = "rectangle"
        self.clear_selection()

    @property
    def is_drawing(self) -> bool:
        """Whether a drag is in progress."""
        return self._start is not None

    def set_layout(self, layout: Layout | None) -> None:
        """Start with another tensor and no selection."""
        self._layout = layout
        self.dim = 0
        self.clear_selection()

    def clear_selection(self) -> None:
        """Clear the selection and end the drag."""
        self.selection: WeightSelection | None = None
        self._end()

    def _end(self) -> None:
        self._start: Cell | None = None
        self._before: WeightSelection | None = None
        self._base: WeightSelection | None = None
        self._stroke: Stroke | None = None

    def press(self, cell: Cell, shape: Shape, *, adds: bool) -> None:
        """Start a selection at a weight with a tool; `adds` adds to the existing selection.

        Otherwise it is replaced. `cancel` restores it in both cases.
        """
        assert self._layout is not None
        self._start, self._shape = cell, shape
        self._before = self.selection
        self._base = self.selection if adds else None
        self._stroke = None
        if shape == "brush":
            self._stroke = Stroke(self._layout, self.brush, self._base)
        self.move(cell)

    def move(self, cell: Cell) -> None:
        """Extend the selection from the pressed weight to `cell`; does nothing without a press.

        A brush adds a line from the last weight instead.
        """
        if self._start is None or self._layout is None:
            return
        if self._stroke is not None:
            self.selection = self._stroke.extend_to(cell)
            return
        selection = self._between(self._start, cell)
        self.selection = selection if self._base is None else self._base.union(selection)

    def release(self) -> None:
        """Finish the selection."""
        if self._stroke is not None:
            self.selection = self._stroke.finish()
        self._end()

    def cancel(self) -> None:
        """Restore the selection from before the press."""
        self.selection = self._before
        self._end()

    def extend(self, anchor: Cell, cursor: Cell) -> None:
        """Replace the selection by the one from one weight to another, both included.

        The shapes row, column and channel are kept; other selections become a rectangle.
        """
        if self.selection is not None and self.selection.shape in {"row", "column", "channel"}:
            self._shape = self.selection.shape
        else:
            self._shape = "rectangle"
        self.selection = self._between(anchor, cursor)

    def select(self, shape: Shape, cell: Cell) -> None:
        """Select the row, column or channel of a weight."""
        self._shape = shape
        self.selection = self._between(cell, cell)

    def _between(self, start: Cell, stop: Cell) -> WeightSelection:
        assert self._layout is not None
        scalar = self._shape == "channel" and not self._layout.shape
        shape: Shape = "rectangle" if scalar else self._shape
        return select_between(shape, self._layout, start, stop, self.dim)
