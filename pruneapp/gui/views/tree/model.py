"""The tree as Qt's views ask for it; filtered and sorted here, never by a proxy."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QAccessible

from pruneapp.answers import Danger
from pruneapp.gui.views.tree.cells import ANSWERS, RIGHT, Cells, Column
from pruneapp.gui.views.tree.checks import Checks
from pruneapp.gui.views.tree.filter import Filter
from pruneapp.gui.views.tree.nodes import ROOT, Nodes, build_nodes

Index = QModelIndex | QPersistentModelIndex

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_CHECK = int(Qt.ItemDataRole.CheckStateRole)
_ALIGNMENT = int(Qt.ItemDataRole.TextAlignmentRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_COLUMNS = len(Column)
# Made once: a view asks for the flags of every row that it lays out.
_MODULE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_MODULE_MARKED = _MODULE | Qt.ItemFlag.ItemIsUserCheckable
_TENSOR = _MODULE | Qt.ItemFlag.ItemNeverHasChildren
_TENSOR_MARKED = _MODULE_MARKED | Qt.ItemFlag.ItemNeverHasChildren
# Longer lists of siblings are shown bit by bit: Qt asks for every one of them at once.
_FLAT = 20_000
_MORE = 2_000


class TreeModel(QAbstractItemModel):
    """Modules and tensors.

    Signals
    -------
    checkedChanged
        The person changed a check mark.
    valuesChanged
        Numbers or marks changed, the tree did not: repaint from this column on.
    """

    checkedChanged = Signal()
    valuesChanged = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sorted_by: tuple[int, bool] = (-1, False)
        self._take(build_nodes(()))

    def _take(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.checks = Checks(nodes)
        self.cells = Cells(nodes, self.checks)
        self._show(Filter())

    def _show(self, wanted: Filter) -> None:
        self.filter = wanted
        self.shown = wanted.shown(self.nodes)
        self._shown_below = self.nodes.count_below(self.shown)
        self.checks.limit(self.shown)
        self._forget_lists()

    def _forget_lists(self) -> None:
        self._lists: dict[int, NDArray[np.int32]] = {}
        # Of each list as much as is fetched; plain lists, for `index` is asked for every row.
        self._fetched: dict[int, list[int]] = {}
        self._row = np.zeros(len(self.nodes), np.int32)

    # What the panel sets

    def set_nodes(self, nodes: Nodes) -> None:
        """Show another tree: nothing pruned, what is pruned by default checked, no filter."""
        self.beginResetModel()
        self._take(nodes)
        self.endResetModel()

    def set_filter(self, wanted: Filter) -> None:
        """Show only what answers to `wanted`, and the modules above it."""
        if wanted != self.filter:
            self.beginResetModel()
            self._show(wanted)
            self.endResetModel()

    def set_sparsity(self, pruned: Mapping[str, int]) -> None:
        """Show how many elements of some tensors are pruned; the others stay as they are."""
        if pruned:
            self.cells.set_sparsity(pruned)
            self.refresh(Column.SPARSITY)

    def set_preview(
        self, after: Mapping[str, int] | None, dangers: Mapping[str, Danger] | None = None
    ) -> None:
        """Show how many would be, and what it would hurt, by names in the file.

        As today for those that are left out. None: no preview.
        """
        self.cells.set_preview(after, dangers)
        self.refresh(Column.SPARSITY)

    def replace_checked(self, checked: NDArray[np.bool_]) -> bool:
        """Check exactly these tensors (``bool[rows]``); returns whether anything changed."""
        changed = self.checks.replace(checked)
        if changed:
            self.refresh()
        return changed

    def refresh(self, first: Column = Column.NAME) -> None:
        """Tell that values changed in the columns from `first` on."""
        # The view repaints what is in sight whatever happens; a tool that reads the screen wants
        # to be told what it has asked for, as long as that is not a great deal.
        lists = list(self._lists.items())[:256] if QAccessible.isActive() else []
        for node, children in lists:
            if len(children):
                parent = self.index_of(node)
                last = self.rowCount(parent) - 1
                if last >= 0:
                    self.dataChanged.emit(
                        self.index(0, first, parent), self.index(last, Column.SPARSITY, parent)
                    )
        self.valuesChanged.emit(first)

    # Structure

    def shown_children(self, node: int) -> NDArray[np.int32]:
        """Return the children of `node` that are shown, sorted as they are shown."""
        found = self._lists.get(node)
        if found is None:
            children = self.nodes.children_of(node)
            found = self._sort(children[self._shown_below[children] > 0])
            self._lists[node] = found
            self._row[found] = np.arange(len(found))
        return found

    def _sort(self, children: NDArray[np.int32]) -> NDArray[np.int32]:
        column, descending = self._sorted_by
        if column < 0 or len(children) < 2:
            return children
        keys: Sequence[Any]
        if column == Column.PARAMETERS:
            keys = self.cells.numel_below[children].tolist()
        elif column == Column.SPARSITY:
            keys = self.cells.sparsity(children).tolist()
        elif column == Column.NAME:
            keys = [_natural(self.nodes.labels[node]) for node in children.tolist()]
        else:
            keys = [self.cells.text(node, column) for node in children.tolist()]
        # Stable both ways: equal ones keep the order of the file.
        order = sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)
        return children[np.array(order, np.int64)]

    def tensor_order(self) -> list[int]:
        """Return the nodes of the tensors from top to bottom as shown, further names left out."""
        wanted = self.shown & ~self.nodes.alias
        if self._sorted_by[0] < 0:
            return np.nonzero(wanted)[0].tolist()
        found, stack = [], [ROOT]
        while stack:
            node = stack.pop()
            if wanted[node]:
                found.append(node)
            elif self.nodes.tensor[node] < 0:
                stack.extend(self.shown_children(node)[::-1].tolist())
        return found

    def index_of(self, node: int, column: int = 0) -> QModelIndex:
        """Return the index of a node, which is fetched if need be; invalid if it is not shown."""
        if node == ROOT or not self._shown_below[node]:
            return QModelIndex()
        above = int(self.nodes.parent[node])
        self.shown_children(above)
        row = int(self._row[node])
        if row >= len(self._listed(above)):
            self._fetch(self.index_of(above), row + _MORE)
        return self.createIndex(row, column, node)

    def _listed(self, node: int) -> list[int]:
        """Return the children of `node` that are fetched."""
        found = self._fetched.get(node)
        if found is None:
            children = self.shown_children(node)
            found = children[: len(children) if len(children) <= _FLAT else _MORE].tolist()
            self._fetched[node] = found
        return found

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:
        """Return the index of a child."""
        children = self._listed(parent.internalId() if parent.isValid() else ROOT)
        if 0 <= row < len(children) and 0 <= column < _COLUMNS and parent.column() <= 0:
            return self.createIndex(row, column, children[row])
        return QModelIndex()

    # QObject has a `parent` of its own, without an index: mypy holds this one against that.
    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]
        """Return the index of the module above."""
        if not index.isValid():
            return QModelIndex()
        above = int(self.nodes.parent[index.internalId()])
        return QModelIndex() if above <= ROOT else self.createIndex(int(self._row[above]), 0, above)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        """Return how many children are fetched."""
        if parent.column() > 0:
            return 0
        return len(self._listed(parent.internalId() if parent.isValid() else ROOT))

    def columnCount(self, _parent: Index = QModelIndex()) -> int:
        """Return the number of columns."""
        return _COLUMNS

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:
        """Return whether there is anything below, without listing it."""
        if parent.column() > 0:
            return False
        node = parent.internalId() if parent.isValid() else ROOT
        return bool(self.nodes.tensor[node] < 0 and self._shown_below[node])

    def canFetchMore(self, parent: Index) -> bool:
        """Return whether a long list goes on."""
        node = parent.internalId() if parent.isValid() else ROOT
        return len(self._listed(node)) < len(self.shown_children(node))

    def fetchMore(self, parent: Index) -> None:
        """Go on with a long list."""
        node = parent.internalId() if parent.isValid() else ROOT
        self._fetch(parent, len(self._listed(node)) + _MORE)

    def _fetch(self, parent: Index, wanted: int) -> None:
        """List so many children, in one go: each insertion makes the view lay out again."""
        node = parent.internalId() if parent.isValid() else ROOT
        have = len(self._listed(node))
        more = self.shown_children(node)[have:wanted].tolist()
        if more:
            self.beginInsertRows(parent, have, have + len(more) - 1)
            self._fetched[node].extend(more)
            self.endInsertRows()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort siblings; column -1 is the order of the file."""
        wanted = (column, order == Qt.SortOrder.DescendingOrder)
        if wanted != self._sorted_by:
            self.beginResetModel()
            self._sorted_by = wanted
            self._forget_lists()
            self.endResetModel()

    # Values

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return what can be done with a cell."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        node = index.internalId()
        if self.nodes.tensor[node] < 0:
            marked, unmarked = _MODULE_MARKED, _MODULE
        else:
            marked, unmarked = _TENSOR_MARKED, _TENSOR
        if index.column() or self.checks.state(node) is None:
            return unmarked
        return marked

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        """Take a check mark."""
        if role != _CHECK or not index.isValid() or index.column() != Column.NAME:
            return False
        self.check([index.internalId()], on=Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def check(self, nodes: Sequence[int], *, on: bool) -> None:
        """Check or clear nodes as a click on each would."""
        if self.checks.set_nodes(nodes, on=on):
            self.refresh()
            self.checkedChanged.emit()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        """Return the names of the columns."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        if role == _DISPLAY:
            return (
                self.tr("Name"),
                self.tr("Kind"),
                self.tr("Shape"),
                self.tr("Type"),
                self.tr("Parameters"),
                self.tr("Sparsity"),
            )[section]
        if role == _TOOLTIP and section == Column.KIND:
            return self.tr("Inferred from names and shapes: the file does not say it.")
        if role == _ALIGNMENT and section in {Column.PARAMETERS, Column.SPARSITY}:
            return RIGHT
        return None

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        """Return a value of a cell."""
        # What nobody answers is asked for as often as the rest, in every repaint.
        answer = ANSWERS.get(role)
        if answer is None or not index.isValid():
            return None
        return answer(self.cells, index.internalId(), index.column())


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Return a key by which "layer2" comes before "layer10"."""
    return [
        (0, int(piece[:18]), piece) if piece.isdecimal() else (1, 0, piece.lower())
        for piece in re.split(r"(\d+)", text)
        if piece
    ]
