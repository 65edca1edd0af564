"""The columns of the tree and of the list, each declared once.

Cells, headings, the order, widths, the menu of the header, what is copied, what is read aloud, what
is remembered and the tests follow from a column's declaration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pruneapp.gui.tree.cell_text import Cells
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.labels import QT_TRANSLATE_NOOP
from pruneapp.gui.widgets.number_format import NO_NUMBER

Text = Callable[[Cells, int], str]  # of a node
Keys = Callable[[Cells, NDArray[np.int32]], NDArray[np.float64]]  # of nodes

# How long a column stays where room is short: those with the smallest number give way first.
HIDDEN, ALWAYS = 0, 99  # until the person asks for it in the menu of the header; whatever happens


@dataclass(frozen=True, kw_only=True)
class ColumnSpec:
    """A column."""

    title: str
    text: Text
    sample: str  # as wide as the column is at first
    keys: Keys  # what it is sorted by; NaN stands at the end both ways
    tip: str = ""  # of the heading
    copied: Text | None = None  # for another program, if not the text; of a number the whole
    copied_after: tuple[str, Text] | None = None  # a further column of copies, during a preview
    aloud: Text | None = None  # what a screen reader says, if not the text
    number: bool = False  # at the right, all digits equally wide
    live: bool = False  # changes with the preview and with what is pruned
    bar: bool = False  # with a bar and a sign for danger, painted on their own
    in_tree: int = HIDDEN  # to `ALWAYS`
    in_list: int = HIDDEN


def _ranks(values: Iterable[Hashable]) -> NDArray[np.float64]:
    """Return the place of each value among all in their order, equal ones alike."""
    keys: list[Any] = list(values)
    rank = {value: number for number, value in enumerate(sorted(set(keys)))}
    return np.fromiter(map(rank.__getitem__, keys), np.float64, len(keys))


def _name_keys(cells: Cells, nodes: NDArray[np.int32]) -> NDArray[np.float64]:
    if cells.whole_names:
        return cells.nodes.place[cells.nodes.tensor[nodes]].astype(np.float64)
    return _ranks(_natural(cells.nodes.labels[node]) for node in nodes.tolist())


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key by which "layer2" comes before "layer10"."""
    return tuple(
        (0, int(piece[:18]), piece) if piece.isdecimal() else (1, 0, piece.lower())
        for piece in re.split(r"(\d+)", text)
        if piece
    )


def _row_keys(field: str, of_module: Callable[[Cells, int], Hashable]) -> Keys:
    """Sort by what is known of tensors, 100,000 in some milliseconds."""
    read = attrgetter(field)

    def keys(cells: Cells, nodes: NDArray[np.int32]) -> NDArray[np.float64]:
        rows, tensors = cells.nodes.rows, cells.nodes.tensor[nodes].tolist()
        pairs = zip(nodes.tolist(), tensors, strict=True)
        return _ranks([read(rows[t]) if t >= 0 else of_module(cells, node) for node, t in pairs])

    return keys


def _number(numbers: str, some: str, **spec: Any) -> ColumnSpec:
    """Return a column of numbers, arrays of `Cells`; `some` says which nodes have one."""
    of, known = attrgetter(numbers), attrgetter(some)

    def text(cells: Cells, node: int) -> str:
        return number_format.count(int(of(cells)[node])) if known(cells)[node] else NO_NUMBER

    def keys(cells: Cells, nodes: NDArray[np.int32]) -> NDArray[np.float64]:
        return np.where(known(cells)[nodes], of(cells)[nodes], np.nan)

    return ColumnSpec(text=text, sample="0" * 12, keys=keys, number=True, **spec)


class Column(IntEnum):
    """The columns from left to right, those that are live last."""

    spec: ColumnSpec

    def __new__(cls, spec: ColumnSpec) -> Self:
        """Give a column its place, by which Qt knows it."""
        column = int.__new__(cls, len(cls.__members__))
        column._value_ = len(cls.__members__)
        column.spec = spec
        return column

    @property
    def id(self) -> str:
        """The word for it in the settings."""
        return self.name.lower()

    NAME = ColumnSpec(
        title=QT_TRANSLATE_NOOP("TreeModel", "Name"),
        text=Cells.name,
        sample="0" * 18,
        keys=_name_keys,
        copied=Cells.name_in_file,
        in_tree=ALWAYS,
        in_list=ALWAYS,
    )
    KIND = ColumnSpec(
        title=QT_TRANSLATE_NOOP("TreeModel", "Kind"),
        text=Cells.kind,
        sample="0" * 11,
        keys=_row_keys("kind", Cells.kind),
        tip=QT_TRANSLATE_NOOP(
            "TreeModel", "Inferred from names and shapes; not stored in the file."
        ),
        in_tree=3,
        in_list=2,
    )
    SHAPE = ColumnSpec(
        title=QT_TRANSLATE_NOOP("TreeModel", "Shape"),
        text=lambda cells, node: number_format.shape(row.shape) if (row := cells.row(node)) else "",
        sample="0" * 10,
        keys=_row_keys("shape", lambda _cells, _node: ()),
        in_tree=4,
        in_list=3,
    )
    TYPE = ColumnSpec(
        title=QT_TRANSLATE_NOOP("TreeModel", "Type"),
        text=lambda cells, node: row.dtype if (row := cells.row(node)) else "",
        sample="0" * 10,
        keys=_row_keys("dtype", lambda _cells, _node: ""),
        in_tree=1,
        in_list=1,
    )
    PARAMETERS = _number(
        "parameters_below",
        "holds_parameters",
        title=QT_TRANSLATE_NOOP("TreeModel", "Parameters"),
        in_tree=2,
        in_list=4,
    )
    TO_PRUNE = _number(
        "to_prune_below",
        "can_lose",
        title=QT_TRANSLATE_NOOP("TreeModel", "To be pruned"),
        live=True,
        in_tree=HIDDEN,  # the last column says it as shares, which have a meaning for modules
        in_list=5,
    )
    SPARSITY = ColumnSpec(
        title=QT_TRANSLATE_NOOP("TreeModel", "Sparsity"),
        text=Cells.sparsity,
        sample="88.8 → 88.8 %",
        keys=lambda cells, nodes: np.where(
            cells.has_sparsity[nodes], cells.sparsity_of(nodes), np.nan
        ),
        copied=Cells.copied_sparsity,
        copied_after=(
            QT_TRANSLATE_NOOP("TreeModel", "Sparsity after"),
            lambda cells, node: cells.copied_sparsity(node, after=True),
        ),
        aloud=Cells.sparsity_aloud,
        number=True,
        live=True,
        bar=True,
        in_tree=ALWAYS,
        in_list=ALWAYS,
    )


# Looked up for every cell that is painted.
COLUMNS = tuple(column.spec for column in Column)
LIVE = next(column for column in Column if column.spec.live)  # and all behind it
