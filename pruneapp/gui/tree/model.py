"""The tree as Qt's views ask for it; filtered and sorted here, never by a proxy."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple, overload

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

from pruneapp.gui.tree.cell_text import ANSWERS, NUMBERS, RIGHT, Cells, Column
from pruneapp.gui.tree.nodes import ROOT, Checks, Nodes, build_nodes

MILLION = 1_000_000


@dataclass(frozen=True)
class Filter:
    """What is to be shown."""

    text: str = ""  # words that all stand in the name, or a glob over the whole of it; caseless
    kind: str = ""  # of layers; empty for all
    matrices: bool = False  # only tensors of two or more dimensions
    large: bool = False  # only tensors of more than a million elements

    @property
    def active(self) -> bool:
        """Whether it hides anything."""
        return self != Filter()

    def shown(self, nodes: Nodes) -> NDArray[np.bool_]:
        """Return ``bool[nodes]``: which names of tensors answer; False for modules."""
        found = nodes.tensor >= 0
        rows = nodes.rows
        if self.kind or self.matrices:
            fits = np.fromiter(
                (
                    (not self.kind or row.kind == self.kind)
                    and (not self.matrices or len(row.shape) >= 2)
                    for row in rows
                ),
                np.bool_,
                len(rows),
            )
            found = found & _spread(nodes, fits)
        if self.large:
            found = found & _spread(nodes, nodes.numel > MILLION)
        text = self.text.strip().lower()
        if text:
            found = found & self._matches(nodes, text)
        return found

    @staticmethod
    def _matches(nodes: Nodes, text: str) -> NDArray[np.bool_]:
        if any(sign in text for sign in "*?["):
            # Each line of the haystack is one name of the tensor.
            match = re.compile(fnmatch.translate(text)).match
            return np.fromiter(
                (bool(hay) and any(map(match, hay.split("\n"))) for hay in nodes.haystack),
                np.bool_,
                len(nodes),
            )
        found = np.ones(len(nodes), np.bool_)
        for word in text.split():
            found &= np.fromiter((word in hay for hay in nodes.haystack), np.bool_, len(nodes))
        return found


def _spread(nodes: Nodes, of_tensors: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Turn one flag for each tensor into one for each node."""
    if not len(of_tensors):
        return np.zeros(len(nodes), np.bool_)
    return (nodes.tensor >= 0) & of_tensors[np.maximum(nodes.tensor, 0)]


# Longer lists of siblings are shown bit by bit: Qt asks for every one of them at once.
_FLAT = 20_000
MORE = 1_000


class Order(NamedTuple):
    """What siblings are sorted by; column -1 is the order of the file."""

    column: int = -1
    descending: bool = False


class Listing:
    """Lists of siblings as they are shown; each is made when it is first asked for.

    `flat`: all tensors are listed below the root, without the modules and further names.
    """

    def __init__(self, cells: Cells, wanted: Filter, order: Order, *, flat: bool = False) -> None:
        self._nodes = cells.nodes
        self._cells = cells
        self.flat = flat
        self.filter = wanted
        self.shown = wanted.shown(self._nodes)  # bool[nodes]; False for modules
        self.shown_below = self._nodes.count_below(self.shown)
        self.sort(order)

    def sort(self, order: Order) -> None:
        """Sort siblings otherwise, and forget how much of them was fetched."""
        self.order = order
        # The children that were asked for, by the node above, and the row of each among them.
        self.lists: dict[int, NDArray[np.int32]] = {}
        # Of each list as much as is fetched; plain lists, for one is asked for in every row.
        self._fetched: dict[int, list[int]] = {}
        self.row = np.zeros(len(self._nodes), np.int32)

    def children(self, node: int) -> NDArray[np.int32]:
        """Return the children of `node` that are shown, sorted as they are shown."""
        found = self.lists.get(node)
        if found is None:
            if self.flat:
                found = self._all_sorted() if node == ROOT else np.empty(0, np.int32)
            else:
                children = self._nodes.children_of(node)
                found = self._sorted(children[self.shown_below[children] > 0])
            self.lists[node] = found
            self.row[found] = np.arange(len(found))
        return found

    def fetched(self, node: int) -> list[int]:
        """Return the children of `node` that are fetched; others must not change the list."""
        found = self._fetched.get(node)
        if found is None:
            children = self.children(node)
            found = children[: len(children) if len(children) <= _FLAT else MORE].tolist()
            self._fetched[node] = found
        return found

    def tensor_order(self) -> list[int]:
        """Return the nodes of the tensors from top to bottom as shown, further names left out."""
        if self.flat:
            listed: list[int] = self.children(ROOT).tolist()
            return listed
        wanted = self.shown & ~self._nodes.alias
        if self.order.column < 0:
            return np.nonzero(wanted)[0].tolist()
        found, stack = [], [ROOT]
        while stack:
            node = stack.pop()
            if wanted[node]:
                found.append(node)
            elif self._nodes.tensor[node] < 0:
                stack.extend(self.children(node)[::-1].tolist())
        return found

    def _all_sorted(self) -> NDArray[np.int32]:
        """Return the nodes of all tensors that are shown; 100,000 are sorted in milliseconds."""
        nodes, (column, descending) = self._nodes, self.order
        tensors = np.flatnonzero(self.shown[nodes.leaf])
        if column >= 0:
            keys = self._tensor_keys(column)[tensors]
            # Stable both ways: equal ones keep the order of the file. Without a number: at the end.
            numbered = self._cells.numbered(nodes.leaf[tensors], column)
            tensors = tensors[np.lexsort((-keys if descending else keys, ~numbered))]
        return nodes.leaf[tensors]

    def _tensor_keys(self, column: int) -> NDArray[np.float64] | NDArray[np.int64]:
        """Return numbers that tensors are sorted by, one for each."""
        nodes = self._nodes
        if column == Column.NAME:
            return nodes.place.astype(np.int64)
        if column == Column.PARAMETERS:
            return nodes.parameters
        if column == Column.TO_PRUNE:
            return self._cells.to_prune()[nodes.leaf]
        if column == Column.SPARSITY:
            return self._cells.sparsity(nodes.leaf)
        field = {Column.KIND: "kind", Column.SHAPE: "shape", Column.TYPE: "dtype"}[Column(column)]
        values: list[Any] = list(map(attrgetter(field), nodes.rows))
        rank = {value: number for number, value in enumerate(sorted(set(values)))}
        return np.fromiter(map(rank.__getitem__, values), np.int64, len(values))

    def _sorted(self, children: NDArray[np.int32]) -> NDArray[np.int32]:
        column, descending = self.order
        if column < 0 or len(children) < 2:
            return children
        keys: Sequence[Any]
        if column == Column.PARAMETERS:
            keys = self._cells.parameters_below[children].tolist()
        elif column == Column.TO_PRUNE:
            keys = self._cells.to_prune()[children].tolist()
        elif column == Column.SPARSITY:
            keys = self._cells.sparsity(children).tolist()
        elif column == Column.NAME:
            keys = [_natural(self._nodes.labels[node]) for node in children.tolist()]
        else:
            keys = [self._cells.text(node, column) for node in children.tolist()]
        # Stable both ways: equal ones keep the order of the file. Without a number: at the end.
        numbered = self._cells.numbered(children, column)
        order = sorted(np.flatnonzero(numbered).tolist(), key=keys.__getitem__, reverse=descending)
        return children[np.array([*order, *np.flatnonzero(~numbered).tolist()], np.int64)]


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Return a key by which "layer2" comes before "layer10"."""
    return [
        (0, int(piece[:18]), piece) if piece.isdecimal() else (1, 0, piece.lower())
        for piece in re.split(r"(\d+)", text)
        if piece
    ]


Index = QModelIndex | QPersistentModelIndex

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_CHECK = int(Qt.ItemDataRole.CheckStateRole)
_ALIGNMENT = int(Qt.ItemDataRole.TextAlignmentRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_COLUMNS = len(Column)
_NOWHERE = QModelIndex()
# Made once: a view asks for the flags of every row that it lays out.
_MODULE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_MODULE_MARKED = _MODULE | Qt.ItemFlag.ItemIsUserCheckable
_TENSOR = _MODULE | Qt.ItemFlag.ItemNeverHasChildren
_TENSOR_MARKED = _MODULE_MARKED | Qt.ItemFlag.ItemNeverHasChildren


class TreeModel(QAbstractItemModel):
    """Modules and tensors."""

    checkedChanged = Signal()  # by the person
    checkRefused = Signal(str)  # why a click checked nothing
    valuesChanged = Signal(int)  # but not the tree: repaint from this column on

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.flat = False
        self._take(build_nodes(()), Order())

    def _take(self, nodes: Nodes, order: Order) -> None:
        self.nodes = nodes
        self.checks = Checks(nodes)
        # Looked up: a long list is laid out anew with each part of it that is fetched.
        marked = nodes.prunable[nodes.tensor] & ~nodes.alias if nodes.rows else nodes.alias
        self._of_tensors = [
            None if module else _TENSOR_MARKED if able else _TENSOR
            for module, able in zip((nodes.tensor < 0).tolist(), marked.tolist(), strict=True)
        ]
        self.cells = Cells(nodes, self.checks)
        self.cells.whole_names = self.flat
        self._show(Listing(self.cells, Filter(), order, flat=self.flat))

    def _show(self, listing: Listing) -> None:
        self.listing = listing
        self.checks.limit(listing.shown)

    # What the panel sets

    def set_nodes(self, nodes: Nodes) -> None:
        """Show another tree: nothing pruned, what is pruned by default checked, no filter."""
        self.beginResetModel()
        self._take(nodes, self.listing.order)
        self.endResetModel()

    def set_filter(self, wanted: Filter) -> None:
        """Show only what answers to `wanted`, and the modules above it."""
        if wanted != self.listing.filter:
            self.beginResetModel()
            self._show(Listing(self.cells, wanted, self.listing.order, flat=self.flat))
            self.endResetModel()

    def set_flat(self, *, flat: bool, order: Order) -> None:
        """List all tensors below each other, or show them below their modules, sorted like that."""
        if flat != self.flat:
            self.beginResetModel()
            self.flat = self.cells.whole_names = flat
            self._show(Listing(self.cells, self.listing.filter, order, flat=flat))
            self.endResetModel()

    def sort_again(self) -> None:
        """Sort by the numbers as they are by now."""
        self.beginResetModel()
        self.listing.sort(self.listing.order)
        self.endResetModel()

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
        listed = list(self.listing.lists)[:256] if QAccessible.isActive() else []
        for node in listed:
            if len(self.listing.children(node)):
                parent = self.index_of(node)
                last = self.rowCount(parent) - 1
                if last >= 0:
                    self.dataChanged.emit(
                        self.index(0, first, parent), self.index(last, Column.SPARSITY, parent)
                    )
        self.valuesChanged.emit(first)

    # Structure

    def index_of(self, node: int, column: int = 0) -> QModelIndex:
        """Return the index of a node, which is fetched if need be; invalid if it is not shown."""
        if node == ROOT or not self.listing.shown_below[node]:
            return QModelIndex()
        above = int(self.nodes.parent[node])
        if self.flat:
            if self.nodes.tensor[node] < 0 or self.nodes.alias[node]:
                return QModelIndex()
            above = ROOT
        self.listing.children(above)
        row = int(self.listing.row[node])
        if row >= len(self.listing.fetched(above)):
            self._fetch(self.index_of(above), row + MORE)
        return self.createIndex(row, column, node)

    def is_near(self, node: int) -> bool:
        """Return whether a node is in the part of a long list that is fetched, or next to it."""
        above = ROOT if self.flat else int(self.nodes.parent[node])
        fetched = len(self.listing.fetched(above)) if above >= ROOT else 0
        return int(self.listing.row[node]) < fetched + MORE

    def way(self, node: int) -> tuple[int, ...]:
        """Return the places among siblings on the way from the root to a node that is listed."""
        found = []
        while node > ROOT:
            found.append(int(self.listing.row[node]))
            node = int(self.nodes.parent[node])
        return tuple(reversed(found))

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:
        """Return the index of a child."""
        # Asked for every row of a long list that is laid out: nothing is asked for twice.
        above = parent.column()  # -1 without a parent
        children = self.listing.fetched(ROOT if above < 0 else parent.internalId())
        if above <= 0 <= row < len(children) and 0 <= column < _COLUMNS:
            return self.createIndex(row, column, children[row])
        return _NOWHERE

    @overload
    def parent(self) -> QObject | None: ...

    @overload
    def parent(self, index: Index) -> QModelIndex: ...

    def parent(self, index: Index | None = None) -> QObject | QModelIndex | None:
        """Return the index of the module above; without an index the owner, as any QObject."""
        if index is None:
            return super().parent()
        if self.flat or not index.isValid():
            return _NOWHERE
        above = int(self.nodes.parent[index.internalId()])
        if above <= ROOT:
            return QModelIndex()
        return self.createIndex(int(self.listing.row[above]), 0, above)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        """Return how many children are fetched."""
        if parent.column() > 0:
            return 0
        return len(self.listing.fetched(parent.internalId() if parent.isValid() else ROOT))

    def columnCount(self, _parent: Index = QModelIndex()) -> int:
        """Return the number of columns."""
        return _COLUMNS

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:
        """Return whether there is anything below, without listing it."""
        if parent.column() > 0:
            return False
        node = parent.internalId() if parent.isValid() else ROOT
        return bool(self.nodes.tensor[node] < 0 and self.listing.shown_below[node])

    def canFetchMore(self, parent: Index) -> bool:
        """Return whether a long list goes on."""
        node = parent.internalId() if parent.isValid() else ROOT
        return len(self.listing.fetched(node)) < len(self.listing.children(node))

    def fetchMore(self, parent: Index) -> None:
        """Go on with a long list, by more each time: the view lays all of it out again."""
        node = parent.internalId() if parent.isValid() else ROOT
        have = len(self.listing.fetched(node))
        self._fetch(parent, have + max(MORE, have // 4))

    def fetch_all(self) -> None:
        """List everything below the root, however much that is: someone goes to its end."""
        self._fetch(QModelIndex(), len(self.listing.children(ROOT)))

    def _fetch(self, parent: Index, wanted: int) -> None:
        """List so many children, in one go: each insertion makes the view lay out again."""
        node = parent.internalId() if parent.isValid() else ROOT
        rows = self.listing.fetched(node)
        more = self.listing.children(node)[len(rows) : wanted].tolist()
        if more:
            self.beginInsertRows(parent, len(rows), len(rows) + len(more) - 1)
            rows.extend(more)
            self.endInsertRows()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort siblings; column -1 is the order of the file."""
        wanted = Order(column, order == Qt.SortOrder.DescendingOrder)
        if wanted != self.listing.order:
            self.beginResetModel()
            self.listing.sort(wanted)
            self.endResetModel()

    # Values

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return what can be done with a cell."""
        column = index.column()
        if column < 0:
            return Qt.ItemFlag.NoItemFlags
        node = index.internalId()
        if column:
            return _MODULE if self._of_tensors[node] is None else _TENSOR
        found = self._of_tensors[node]
        if found is None:
            found = _MODULE if self.checks.state(node) is None else _MODULE_MARKED
        return found

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        """Take a check mark."""
        if role != _CHECK or not index.isValid() or index.column() != Column.NAME:
            return False
        self.check([index.internalId()], on=Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def check(self, nodes: Sequence[int], *, on: bool) -> None:
        """Check or clear nodes as a click on each would."""
        if on and not self.checks.reach(nodes):
            # Marks that were set one by one are cleared as those of any other module.
            on = not any(
                self.checks.state(node) == Qt.CheckState.PartiallyChecked for node in nodes
            )
        if self.checks.set_nodes(nodes, on=on):
            self.refresh()
            self.checkedChanged.emit()
        elif on and nodes and (why := self.cells.why_unchecked(nodes[0])):
            self.checkRefused.emit(why)

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
                self.tr("To be pruned"),
                self.tr("Sparsity"),
            )[section]
        if role == _TOOLTIP and section == Column.KIND:
            return self.tr("Inferred from names and shapes; not stored in the file.")
        if role == _ALIGNMENT and section in NUMBERS:
            return RIGHT
        return None

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        """Return a value of a cell."""
        # What nobody answers is asked for as often as the rest, in every repaint.
        answer = ANSWERS.get(role)
        if answer is None or not index.isValid():
            return None
        return answer(self.cells, index.internalId(), index.column())
