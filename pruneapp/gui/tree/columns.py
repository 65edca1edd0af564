"""The declarations of the columns of the tree and the list.

Cells, headers, order, widths, the header menu, copied texts, texts for screen readers, saved
settings and tests are derived from them.
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

Text = Callable[[Cells, int], str]  # returns the text of a node
Keys = Callable[[Cells, NDArray[np.int32]], NDArray[np.float64]]  # returns the sort keys of nodes

# Priority of a column if space is short: the lowest are hidden first. HIDDEN columns are shown only
# if the user chooses them in the header menu, ALWAYS columns are never hidden.
HIDDEN, ALWAYS = 0, 99


@dataclass(frozen=True, kw_only=True)
class ColumnSpec:
    """The declaration of a column."""

    title: str
    text: Text
    sample: str  # text that determines the initial width
    keys: Keys  # sort keys; NaN is sorted last in both directions
    tip: str = ""  # of the header
    copied: Text | None = None  # text for the clipboard, if not `text`; unrounded numbers
    # Header and text of an extra copied column during a preview.
    copied_after: tuple[str, Text] | None = None
    accessible_text: Text | None = None  # text for screen readers, if not `text`
    number: bool = False  # right-aligned with digits of equal width
    live: bool = False  # changes with the preview and with pruning
    bar: bool = False  # has a bar and a danger glyph, painted by the delegate
    in_tree: int = HIDDEN  # priority, up to `ALWAYS`
    in_list: int = HIDDEN


def _ranks(values: Iterable[Hashable]) -> NDArray[np.float64]:
    """Return the rank of each value among the distinct sorted values, ``float64[n]``."""
    keys: list[Any] = list(values)
    rank = {value: number for number, value in enumerate(sorted(set(keys)))}
    return np.fromiter(map(rank.__getitem__, keys), np.float64, len(keys))


def _name_keys(cells: Cells, nodes: NDArray[np.int32]) -> NDArray[np.float64]:
    if cells.whole_names:
        return cells.nodes.place[cells.nodes.tensor[nodes]].astype(np.float64)
    return _ranks(_natural(cells.nodes.labels[node]) for node in nodes.tolist())


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key by which "layer2" comes before "layer10"."""
    return tuple(
        (0, int(piece[:18]), piece) if piece.isdecimal() else (1, 0, piece.lower())
        for piece in re.split(r"(\d+)", text)
        if piece
    )


def _row_keys(field: str, of_module: Callable[[Cells, int], Hashable]) -> Keys:
    """Return a function that ranks nodes by a field of `TensorRow`; fast for 100,000 tensors.

    `of_module` returns the value of a module, which is ranked among those of tensors.
    """
    read = attrgetter(field)

    def keys(cells: Cells, nodes: NDArray[np.int32]) -> NDArray[np.float64]:
        rows, tensors = cells.nodes.rows, cells.nodes.tensor[nodes].tolist()
        pairs = zip(nodes.tolist(), tensors, strict=True)
        return _ranks([read(rows[t]) if t >= 0 else of_module(cells, node) for node, t in pairs])

    return keys


def _number(numbers: str, some: str, **spec: Any) -> ColumnSpec:
    """Return a column of numbers, sorted by them; nodes without a number show a dash and are last.

    `numbers` and `some` are attributes of `Cells`: the numbers of all nodes, and a mask of the
    nodes that have one.
    """
    of, known = attrgetter(numbers), attrgetter(some)

    def text(cells: Cells, node: int) -> str:
        return number_format.count(int(of(cells)[node])) if known(cells)[node] else NO_NUMBER

    def keys(cells: Cells, nodes: NDArray[np.int32]) -> NDArray[np.float64]:
        return np.where(known(cells)[nodes], of(cells)[nodes], np.nan)

    return ColumnSpec(text=text, sample="0" * 12, keys=keys, number=True, **spec)


class Column(IntEnum):
    """The columns from left to right, live ones last."""

    spec: ColumnSpec

    def __new__(cls, spec: ColumnSpec) -> Self:
        """Create a column whose value is its position, as Qt's column index."""
        column = int.__new__(cls, len(cls.__members__))
        column._value_ = len(cls.__members__)
        column.spec = spec
        return column

    @property
    def id(self) -> str:
        """The key of the column in the settings."""
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
        title=QT_TRANSLATE_NOOP("TreeModel", "Layer type"),
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
        sample="2048×2048×3×3",
        keys=_row_keys("shape", lambda _cells, _node: ()),
        in_tree=4,
        in_list=3,
    )
    TYPE = ColumnSpec(
        title=QT_TRANSLATE_NOOP("TreeModel", "dtype"),
        text=lambda cells, node: row.dtype if (row := cells.row(node)) else "",
        sample="0" * 10,
        keys=_row_keys("dtype", lambda _cells, _node: ""),
        in_tree=1,
        in_list=1,
    )
    PARAMETERS = _number(
        "parameters_below",
        "has_parameters",
        title=QT_TRANSLATE_NOOP("TreeModel", "Parameters"),
        in_tree=2,
        in_list=4,
    )
    TO_PRUNE = _number(
        "to_prune_below",
        "has_prunable",
        title=QT_TRANSLATE_NOOP("TreeModel", "To be pruned"),
        live=True,
        # The Sparsity column shows it as shares, which are also meaningful for modules.
        in_tree=HIDDEN,
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
        accessible_text=Cells.accessible_sparsity,
        number=True,
        live=True,
        bar=True,
        in_tree=ALWAYS,
        in_list=ALWAYS,
    )


# A tuple, because it is used for each painted cell.
COLUMNS = tuple(column.spec for column in Column)
LIVE = next(column for column in Column if column.spec.live)  # and all columns after it
