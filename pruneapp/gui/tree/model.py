"""The item model of the tree and the list, with filter and sorting; there is no proxy model."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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

from pruneapp.analysis.histogram_store import Assignment
from pruneapp.analysis.sparsity_report import Danger
from pruneapp.edits.group_edit import TensorGroup
from pruneapp.gui.tree.cell_text import BAR_ROLE, DANGER_ROLE, DIM_ROLE, GROUP_ROLE, Cells
from pruneapp.gui.tree.columns import COLUMNS, LIVE, Column
from pruneapp.gui.tree.nodes import ROOT, CheckStates, Nodes, build_nodes

MILLION = 1_000_000


@dataclass(frozen=True)
class Filter:
    """The conditions of the filter; a tensor is shown if it meets all of them."""

    text: str = ""  # words that the name contains, or a glob for the whole name; case-insensitive
    kind: str = ""  # kind of layer; "" for all
    matrices: bool = False  # only tensors of two or more dimensions
    large: bool = False  # only tensors of more than a million elements

    @property
    def active(self) -> bool:
        """Whether the filter hides anything."""
        return self != Filter()

    def match_tensors(self, nodes: Nodes) -> NDArray[np.bool_]:
        """Return a mask ``bool[nodes]`` of the tensors that meet all conditions; False for modules.

        An alias matches if its tensor does.
        """
        shown = nodes.tensor >= 0
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
            shown = shown & _of_nodes(nodes, fits)
        if self.large:
            shown = shown & _of_nodes(nodes, nodes.numel > MILLION)
        text = self.text.strip().lower()
        if text:
            shown = shown & self._matches(nodes, text)
        return shown

    @staticmethod
    def _matches(nodes: Nodes, text: str) -> NDArray[np.bool_]:
        if any(sign in text for sign in "*?["):
            # A haystack has one name of the tensor per line.
            match = re.compile(fnmatch.translate(text)).match
            return np.fromiter(
                (bool(hay) and any(map(match, hay.split("\n"))) for hay in nodes.haystack),
                np.bool_,
                len(nodes),
            )
        matching = np.ones(len(nodes), np.bool_)
        for word in text.split():
            matching &= np.fromiter((word in hay for hay in nodes.haystack), np.bool_, len(nodes))
        return matching


def _of_nodes(nodes: Nodes, of_tensors: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if not len(of_tensors):
        return np.zeros(len(nodes), np.bool_)
    return (nodes.tensor >= 0) & of_tensors[np.maximum(nodes.tensor, 0)]


# Longer lists of siblings are fetched in parts, because Qt reads every row of a list.
_MAX_WHOLE_LIST = 20_000
MORE = 1_000


class Order(NamedTuple):
    """How siblings are sorted; column -1 is file order."""

    column: int = -1
    descending: bool = False


class VisibleRows:
    """The displayed lists of siblings, each computed when first needed.

    With `flat`, all tensors are listed below the root, without modules and aliases.
    """

    def __init__(
        self, cells: Cells, conditions: Filter, order: Order, *, flat: bool = False
    ) -> None:
        self._nodes = cells.nodes
        self._cells = cells
        self.flat = flat
        self.filter = conditions
        self.shown = conditions.match_tensors(self._nodes)  # bool[nodes]; False for modules
        self.shown_below = self._nodes.count_below(self.shown)
        self.sort(order)

    def sort(self, order: Order) -> None:
        """Set the order, and discard all sorted lists and the numbers of fetched rows."""
        self.order = order
        # Sorted children by parent node, and the row of each node in its list.
        self.lists: dict[int, NDArray[np.int32]] = {}
        # The fetched part of each list, as Python lists for fast access to single rows.
        self._fetched: dict[int, list[int]] = {}
        self.row = np.zeros(len(self._nodes), np.int32)

    def children(self, node: int) -> NDArray[np.int32]:
        """Return all displayed children of `node`, fetched or not, sorted.

        Callers must not modify the array, which is cached until the order changes. In a flat list,
        the root has all matching tensors without aliases, and other nodes have no children.
        """
        children_shown = self.lists.get(node)
        if children_shown is None:
            if self.flat:
                leaf = np.sort(self._nodes.leaf) if node == ROOT else np.empty(0, np.int32)
                children_shown = self._sort_nodes(leaf[self.shown[leaf]])
            else:
                children = self._nodes.children_of(node)
                children_shown = self._sort_nodes(children[self.shown_below[children] > 0])
            self.lists[node] = children_shown
            self.row[children_shown] = np.arange(len(children_shown))
        return children_shown

    def fetched_children(self, node: int) -> list[int]:
        """Return the fetched children of `node`; callers must not modify the list.

        The first call fetches all of them, or `MORE` of a list of more than `_MAX_WHOLE_LIST`.
        """
        fetched = self._fetched.get(node)
        if fetched is None:
            children = self.children(node)
            fetched = children[
                : len(children) if len(children) <= _MAX_WHOLE_LIST else MORE
            ].tolist()
            self._fetched[node] = fetched
        return fetched

    def tensor_order(self) -> list[int]:
        """Return the nodes of the displayed tensors from top to bottom, without aliases.

        Modules count as expanded, and rows that are not fetched are included.
        """
        if self.flat:
            listed: list[int] = self.children(ROOT).tolist()
            return listed
        is_listed = self.shown & ~self._nodes.alias
        if self.order.column < 0:
            return np.nonzero(is_listed)[0].tolist()
        order, stack = [], [ROOT]
        while stack:
            node = stack.pop()
            if is_listed[node]:
                order.append(node)
            elif self._nodes.tensor[node] < 0:
                stack.extend(self.children(node)[::-1].tolist())
        return order

    def _sort_nodes(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return siblings (in the list, all tensors) in displayed order.

        The sort is stable in both directions: equal keys stay in file order. Without a sort column
        the array is returned itself.
        """
        column, descending = self.order
        if column < 0 or len(nodes) < 2:
            return nodes
        keys = COLUMNS[column].keys(self._cells, nodes)
        return nodes[np.argsort(-keys if descending else keys, kind="stable")]


Index = QModelIndex | QPersistentModelIndex

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_CHECK = int(Qt.ItemDataRole.CheckStateRole)
_ALIGNMENT = int(Qt.ItemDataRole.TextAlignmentRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_COLUMNS = len(COLUMNS)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_NOWHERE = QModelIndex()
# Created once, because a view reads the flags of each row that it lays out.
_MODULE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
_MODULE_MARKED = _MODULE | Qt.ItemFlag.ItemIsUserCheckable
_TENSOR = _MODULE | Qt.ItemFlag.ItemNeverHasChildren
_TENSOR_MARKED = _MODULE_MARKED | Qt.ItemFlag.ItemNeverHasChildren


# The value of a cell by role. Keys are ints, because a repaint reads hundreds of values.
_VALUE_OF_ROLE: Mapping[int, Callable[[Cells, int, int], Any]] = {
    _DISPLAY: lambda cells, node, column: COLUMNS[column].text(cells, node),
    _CHECK: lambda cells, node, column: cells.checks.state(node) if column == Column.NAME else None,
    _ALIGNMENT: lambda _cells, _node, column: _RIGHT if COLUMNS[column].number else None,
    _TOOLTIP: lambda cells, node, _column: cells.tooltip(node),
    int(Qt.ItemDataRole.AccessibleTextRole): lambda cells, node, column: (
        accessible_text(cells, node)
        if (accessible_text := COLUMNS[column].accessible_text)
        else None
    ),
    int(Qt.ItemDataRole.AccessibleDescriptionRole): lambda cells, node, column: (
        cells.description(node) if column == Column.NAME else None
    ),
    BAR_ROLE: lambda cells, node, column: cells.shares(node) if COLUMNS[column].bar else None,
    DIM_ROLE: lambda cells, node, _column: cells.is_dim(node),
    DANGER_ROLE: lambda cells, node, column: cells.danger(node) if COLUMNS[column].bar else None,
    GROUP_ROLE: lambda cells, node, column: column == Column.NAME and cells.is_grouped(node),
}


class TreeModel(QAbstractItemModel):
    """The model of modules and tensors; internal ids are node numbers."""

    checkedChanged = Signal()  # emitted for changes by the user only
    checkRefused = Signal(str)  # the reason why a click checked nothing
    # (tuple of TensorRow) The tensors that are checked only after the user confirms it.
    confirmationRequested = Signal(object)
    # Values, but not the structure, changed: repaint from this column on.
    valuesChanged = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.flat = False
        self.valuesChanged.connect(self._notify_screen_reader)
        self._replace_nodes(build_nodes(()), Order())

    def _replace_nodes(self, nodes: Nodes, order: Order) -> None:
        self.nodes = nodes
        self.checks = CheckStates(nodes)
        # Cached, because a long list is laid out again with each part that is fetched.
        can_check = self.checks.can_be_checked
        marked = can_check[nodes.tensor] & ~nodes.alias if nodes.rows else nodes.alias
        self._of_tensors = [
            None if module else _TENSOR_MARKED if can_check else _TENSOR
            for module, can_check in zip((nodes.tensor < 0).tolist(), marked.tolist(), strict=True)
        ]
        self.cells = Cells(nodes, self.checks)
        self.cells.whole_names = self.flat
        self._replace_rows(VisibleRows(self.cells, Filter(), order, flat=self.flat))

    def _replace_rows(self, listing: VisibleRows) -> None:
        self.listing = listing
        self.checks.limit_clicks(listing.shown)

    # Setters

    def set_nodes(self, nodes: Nodes) -> None:
        """Show another tree: nothing pruned, the default selection checked, no filter."""
        self.beginResetModel()
        self._replace_nodes(nodes, self.listing.order)
        self.endResetModel()

    def set_filter(self, conditions: Filter) -> None:
        """Show only matching tensors and the modules above them; an equal filter changes nothing.

        Resets the model, and limits what a click on a module checks. Check marks are kept.
        """
        if conditions != self.listing.filter:
            self.beginResetModel()
            self._replace_rows(
                VisibleRows(self.cells, conditions, self.listing.order, flat=self.flat)
            )
            self.endResetModel()

    def set_flat(self, *, flat: bool, order: Order) -> None:
        """Switch between the list (flat) and the tree, sorted by `order`.

        Resets the model. If it is in that form already, nothing changes, not even the order.
        """
        if flat != self.flat:
            self.beginResetModel()
            self.flat = self.cells.whole_names = flat
            self._replace_rows(VisibleRows(self.cells, self.listing.filter, order, flat=flat))
            self.endResetModel()

    def sort_again(self) -> None:
        self.beginResetModel()
        self.listing.sort(self.listing.order)
        self.endResetModel()

    def replace_checked(self, checked: NDArray[np.bool_]) -> bool:
        """Check exactly the tensors of ``bool[rows]``; return whether anything changed."""
        changed = self.checks.replace(checked)
        if changed:
            self.valuesChanged.emit(Column.NAME)
        return changed

    def set_sparsity(self, pruned: Mapping[str, int]) -> None:
        """Set the number of pruned weights of some tensors; the others keep their numbers."""
        if pruned:
            self.cells.set_sparsity(pruned)
            self.valuesChanged.emit(LIVE)

    def set_preview(
        self, after: Mapping[str, int] | None, dangers: Mapping[str, Danger] | None = None
    ) -> None:
        """Set the number of pruned weights after the step and its dangers; None for no preview."""
        self.cells.set_preview(after, dangers)
        self.valuesChanged.emit(LIVE)

    def set_assignment(self, assignment: Assignment) -> None:
        """Set which tensors limits or rules exclude, and which rule applies to the others."""
        self.cells.set_assignment(assignment)
        self.valuesChanged.emit(LIVE)

    def set_groups(self, name: str, groups: Sequence[TensorGroup]) -> None:
        """Mark the other members of the groups of a tensor, given by its name in the file."""
        self.cells.set_groups(name, groups)
        self.valuesChanged.emit(Column.NAME)

    def _notify_screen_reader(self, first: int) -> None:
        """Emit `dataChanged` for the columns from `first` on, if a screen reader is in use.

        The view repaints its visible rows itself. Up to 256 lists of siblings only, because it is
        slow.
        """
        listed = list(self.listing.lists)[:256] if QAccessible.isActive() else []
        for node in listed:
            if len(self.listing.children(node)):
                parent = self.index_of(node)
                last = self.rowCount(parent) - 1
                if last >= 0:
                    self.dataChanged.emit(
                        self.index(0, first, parent), self.index(last, _COLUMNS - 1, parent)
                    )

    # Structure

    def index_of(self, node: int, column: int = 0) -> QModelIndex:
        """Return the index of a node; invalid if it is the root, filtered out, or not listed.

        If its row is not fetched, all rows up to `MORE` after it are.
        """
        if node == ROOT or not self.listing.shown_below[node]:
            return QModelIndex()
        above = int(self.nodes.parent[node])
        if self.flat:
            if self.nodes.tensor[node] < 0 or self.nodes.alias[node]:
                return QModelIndex()
            above = ROOT
        self.listing.children(above)
        row = int(self.listing.row[node])
        if row >= len(self.listing.fetched_children(above)):
            self._fetch(self.index_of(above), row + MORE)
        return self.createIndex(row, column, node)

    def is_near(self, node: int) -> bool:
        """Return whether a node is in the fetched part of its list, or within `MORE` rows after."""
        above = ROOT if self.flat else int(self.nodes.parent[node])
        fetched = len(self.listing.fetched_children(above)) if above >= ROOT else 0
        return int(self.listing.row[node]) < fetched + MORE

    def row_path(self, node: int) -> tuple[int, ...]:
        """Return the rows on the path from the root to a displayed node, the topmost module first.

        The lists on the path must have been computed, as those of an index are.
        """
        rows = []
        while node > ROOT:
            rows.append(int(self.listing.row[node]))
            node = int(self.nodes.parent[node])
        return tuple(reversed(rows))

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:
        # Called for every row of a long list, so each value is read once.
        above = parent.column()  # -1 without a parent
        children = self.listing.fetched_children(ROOT if above < 0 else parent.internalId())
        if above <= 0 <= row < len(children) and 0 <= column < _COLUMNS:
            return self.createIndex(row, column, children[row])
        return _NOWHERE

    @overload
    def parent(self) -> QObject | None: ...

    @overload
    def parent(self, index: Index) -> QModelIndex: ...

    def parent(self, index: Index | None = None) -> QObject | QModelIndex | None:
        """Return the index of the parent module; without `index` the QObject parent.

        Invalid for top-level nodes and in the list.
        """
        if index is None:
            return super().parent()
        if self.flat or not index.isValid():
            return _NOWHERE
        above = int(self.nodes.parent[index.internalId()])
        if above <= ROOT:
            return QModelIndex()
        return self.createIndex(int(self.listing.row[above]), 0, above)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        """Return the number of fetched children."""
        if parent.column() > 0:
            return 0
        return len(self.listing.fetched_children(parent.internalId() if parent.isValid() else ROOT))

    def columnCount(self, _parent: Index = QModelIndex()) -> int:
        return _COLUMNS

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:
        """Return whether a module has displayed children, without computing the list."""
        if parent.column() > 0:
            return False
        node = parent.internalId() if parent.isValid() else ROOT
        return bool(self.nodes.tensor[node] < 0 and self.listing.shown_below[node])

    def canFetchMore(self, parent: Index) -> bool:
        """Return whether a list has rows that are not fetched."""
        node = parent.internalId() if parent.isValid() else ROOT
        return len(self.listing.fetched_children(node)) < len(self.listing.children(node))

    def fetchMore(self, parent: Index) -> None:
        """Fetch more rows, in growing steps because the view lays out all rows each time."""
        node = parent.internalId() if parent.isValid() else ROOT
        have = len(self.listing.fetched_children(node))
        self._fetch(parent, have + max(MORE, have // 4))

    def fetch_all(self) -> None:
        """Fetch all rows below the root, because the user goes to the end."""
        self._fetch(QModelIndex(), len(self.listing.children(ROOT)))

    def _fetch(self, parent: Index, stop: int) -> None:
        """Fetch children until `stop` are fetched, in one insertion: the view lays out once.

        If as many are fetched already, does nothing.
        """
        node = parent.internalId() if parent.isValid() else ROOT
        rows = self.listing.fetched_children(node)
        more = self.listing.children(node)[len(rows) : stop].tolist()
        if more:
            self.beginInsertRows(parent, len(rows), len(rows) + len(more) - 1)
            rows.extend(more)
            self.endInsertRows()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort siblings; column -1 is file order."""
        new_order = Order(column, order == Qt.SortOrder.DescendingOrder)
        if new_order != self.listing.order:
            self.beginResetModel()
            self.listing.sort(new_order)
            self.endResetModel()

    # Values

    def flags(self, index: Index) -> Qt.ItemFlag:
        column = index.column()
        if column < 0:
            return Qt.ItemFlag.NoItemFlags
        node = index.internalId()
        if column:
            return _MODULE if self._of_tensors[node] is None else _TENSOR
        flags = self._of_tensors[node]
        if flags is None:
            flags = _MODULE if self.checks.state(node) is None else _MODULE_MARKED
        return flags

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        """Check or uncheck a node."""
        if role != _CHECK or not index.isValid() or index.column() != Column.NAME:
            return False
        self.check([index.internalId()], on=Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def check(self, nodes: Sequence[int], *, on: bool) -> None:
        """Check or uncheck nodes as a click on each would; emit `checkedChanged` for changes.

        Floats of quantized layers are not checked; `confirmationRequested` is emitted for those
        that are unchecked. If a click on none of the nodes can check anything and one is partially
        checked, they are unchecked. If nothing changes, `checkRefused` is emitted with the reason
        for the first node, if it has one.
        """
        if on and len(unconfirmed := self.checks.unconfirmed_tensors(nodes)):
            leaves = set(self.nodes.leaf[unconfirmed].tolist())
            nodes = [node for node in nodes if node not in leaves]
            rows = self.nodes.rows
            self.confirmationRequested.emit(tuple(rows[n] for n in unconfirmed.tolist()))
            if not nodes:
                return
        if on and not self.checks.can_check(nodes):
            # Individually set marks are cleared like those of other modules.
            on = not any(
                self.checks.state(node) == Qt.CheckState.PartiallyChecked for node in nodes
            )
        if self.checks.set_nodes(nodes, on=on):
            self.valuesChanged.emit(Column.NAME)
            self.checkedChanged.emit()
        elif on and nodes and (why := self.cells.not_checked_reason(nodes[0])):
            self.checkRefused.emit(why)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        """Return title, tooltip or alignment of a column; None for other roles and for rows."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < _COLUMNS:
            return None
        column = COLUMNS[section]
        if role == _DISPLAY:
            return self.tr(column.title)
        if role == _TOOLTIP and column.tip:
            return self.tr(column.tip)
        return _RIGHT if role == _ALIGNMENT and column.number else None

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        """Return a value of a cell; None for roles without one."""
        # Fast, because each repaint also asks for roles that have no value.
        value_of = _VALUE_OF_ROLE.get(role)
        if value_of is None or not index.isValid():
            return None
        return value_of(self.cells, index.internalId(), index.column())
