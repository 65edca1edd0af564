"""The states of a history as a tree model: a branch is below the state that it starts from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import groupby
from typing import Any, overload

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QAccessible

from pruneapp.document.document import HistoryItem
from pruneapp.document.history import Branches
from pruneapp.evaluation.metric import MetricChange
from pruneapp.gui.document.state_table import StateRow, StateTable, metric_names, metric_text
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.engine_text import numbered_title, state_title, translate_step
from pruneapp.gui.widgets.labels import as_plain, join_facts, with_note
from pruneapp.gui.widgets.number_format import NO_NUMBER, count
from pruneapp.gui.widgets.short_names import ShortNames

_MAX_TIP_LINES = 10  # maximum number of lines of details in a tooltip
_MORE = re.compile(r" *and ([\d,]+) more")  # the last line of an abridged list
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
NOTE_GAP = "\u2003"  # space between the numbers, aligned right, and the notes, aligned left
TOP = -1  # group of the states that are in no branch

Index = QModelIndex | QPersistentModelIndex


class HistoryColumn(Enum):
    """The columns of the history; there is a column `METRIC` for each metric."""

    STATE = auto()
    SPARSITY = auto()
    METRIC = auto()
    NOTE = auto()
    BYTES = auto()


@dataclass(frozen=True)
class StateSize:
    """The size of a state."""

    sparsity: float  # share of the model's parameters that are pruned
    nbytes: int  # of all tensors in a compact file before compression


@dataclass(frozen=True)
class StateResult:
    """The metrics of a state as far as they are known."""

    metrics: tuple[MetricChange, ...] = ()
    words: str = ""  # the full description
    is_old: bool = False  # whether they are outdated
    pending: str = ""  # a word shown instead of metrics while the state is queued or evaluated


class StateTree:
    """Positions of states in a tree.

    A state follows the one before it in the same group. If several states follow one, all of them
    begin branches, which are in the group of that state, the oldest first.
    """

    def __init__(self, branches: Branches) -> None:
        states = len(branches) + 1
        followers = Counter(branches.after)
        self.parent = [branches.parent(state) for state in range(states)]
        self.group, self.row = [TOP] * states, [0] * states
        self.children: dict[int, list[int]] = {TOP: [0]}
        for state, comes in branches.walk():
            if comes:
                parent = self.parent[state]
                group = parent if followers[parent] > 1 else self.group[parent]
                rows = self.children.setdefault(group, [])
                self.group[state], self.row[state] = group, len(rows)
                rows.append(state)
        self._last_branch = {
            self.group[state]: self.row[state]
            for state in sorted(range(states), key=self.row.__getitem__)
            if self.begins_branch(state)
        }

    def __len__(self) -> int:
        return len(self.group)

    def begins_branch(self, state: int) -> bool:
        """Return whether a state is the first of a branch."""
        return state > 0 and self.group[state] == self.parent[state]

    def next(self, state: int) -> int:
        """Return the state that follows a state in its group; -1 if there is none."""
        rows, after = self.children[self.group[state]], self.row[state] + 1
        return rows[after] if after < len(rows) and self.parent[rows[after]] == state else -1

    def branch_after(self, state: int) -> bool:
        """Return whether another branch of its group begins after a state."""
        return self.row[state] < self._last_branch.get(self.group[state], -1)

    def order(self) -> list[int]:
        """Return all states from top to bottom."""
        found, left = [], [*reversed(self.children[TOP])]
        while left:
            state = left.pop()
            found.append(state)
            left += reversed(self.children.get(state, ()))
        return found


class HistoryModel(QAbstractItemModel):
    """Tree model of the states, which are also the internal ids of their indexes."""

    renamed = Signal(int, str)  # the user entered a name for a state
    annotated = Signal(int, str)  # the user entered a note for a state
    valuesChanged = Signal()  # cells, but not the structure, changed: repaint them

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.items: tuple[HistoryItem, ...] = ()
        self.position = 0
        # states on the path to the current one, including it
        self.done: frozenset[int] = frozenset()
        self.ahead: frozenset[int] = frozenset()  # states that redo leads to
        self._sizes: Mapping[int, StateSize] = {}
        self._results: Sequence[StateResult] = ()
        self._decimals: dict[str, int] = {}  # of the values of each metric, at most
        self._branches = Branches()
        self.tree = StateTree(self._branches)
        self._set_metrics(())
        # The row, by group, of the branch that leads to the current state.
        self.current_branches: dict[int, int] = {}
        self._short = ShortNames()

    # Setters

    def show(self, items: Sequence[HistoryItem], position: int, branches: Branches) -> None:
        """Set the states and the number of the current one.

        A state that is added at the end of a group is inserted; any other change of the tree resets
        the model.
        """
        self.position = position
        self.done = frozenset((0, *branches.path(position)))
        self.ahead = frozenset(branches.redo_states(position))
        if items is not self.items:
            new, former = tuple(items), self.items
            tree = self.tree
            if branches.after != self._branches.after or not former:
                tree = StateTree(branches)
            n = len(former)
            is_same = len(tree) >= n and all(
                tree.group[s] == self.tree.group[s] and tree.row[s] == self.tree.row[s]
                for s in range(n)
            )
            if n and is_same and len(new) == n + 1:
                group = tree.group[n]
                self.beginInsertRows(self.index_of(group), tree.row[n], tree.row[n])
                self._put(new, branches, tree)
                self.endInsertRows()
            elif is_same and len(new) == n:
                self._put(new, branches, tree)
            else:
                self.beginResetModel()
                self._put(new, branches, tree)
                self.endResetModel()
        tree = self.tree
        self.current_branches = {
            tree.group[state]: tree.row[state] for state in self.done if tree.begins_branch(state)
        }
        self._notify()

    def _put(self, items: tuple[HistoryItem, ...], branches: Branches, tree: StateTree) -> None:
        self.items, self._branches, self.tree = items, branches, tree

    def set_sizes(self, sizes: Mapping[int, StateSize]) -> None:
        """Set the sizes of states, by number."""
        self._sizes = sizes
        self._notify()

    def set_results(self, results: Sequence[StateResult]) -> None:
        """Set the result of each state by its number; an empty list if no state is evaluated.

        The model is reset if there are other metrics.
        """
        # Before the first result, the column shows what is being evaluated.
        metrics = metric_names(result.metrics for result in results) or ("",) * bool(results)
        found = [metric for result in results for metric in result.metrics]
        self._decimals = {
            name: number_format.most_decimals(m.value for m in found if m.name == name)
            for name in metrics
        }
        if metrics != self._metrics:
            self.beginResetModel()
            self._results = tuple(results)
            self._set_metrics(metrics)
            self.endResetModel()
        else:
            self._results = tuple(results)
            self._notify()

    def _set_metrics(self, metrics: tuple[str, ...]) -> None:
        self._metrics = metrics
        named = [(HistoryColumn.METRIC, name or self.tr("Metric")) for name in metrics]
        # Kind and name of each column. Stored, as a repaint reads it for each role of each cell.
        self.columns = [
            (HistoryColumn.STATE, self.tr("State")),
            (HistoryColumn.SPARSITY, self.tr("Sparsity")),
            *named[:1],
            (HistoryColumn.NOTE, self.tr("Note")),
            *named[1:],
            (HistoryColumn.BYTES, self.tr("Packed")),
        ]

    def set_names(self, short: ShortNames) -> None:
        """Set the short forms of tensor names."""
        self._short = short
        self._notify()

    def row_of(self, state: int) -> StateRow:
        """Return the row of a state."""
        item, size, result = self.items[state], self._sizes.get(state), self.result(state)
        return StateRow(
            state,
            numbered_title(state, item),
            None if size is None else size.sparsity,
            None if size is None else size.nbytes,
            () if result is None else result.metrics,
            item.note,
            is_unpruned=not state,
        )

    def table(self) -> StateTable:
        """Return all states from top to bottom as a table."""
        return StateTable([self.row_of(state) for state in self.tree.order()])

    def _notify(self) -> None:
        """Emit `valuesChanged`, and with a screen reader `dataChanged` for all cells.

        Only then because a view reads every row of the latter: up to 0.8 s for 10,000 states.
        """
        self.valuesChanged.emit()
        for group, rows in self.tree.children.items() if QAccessible.isActive() else ():
            if self.items and rows[-1] < len(self.items):
                above, last = self.index_of(group), self.columnCount() - 1
                self.dataChanged.emit(
                    self.index(0, 0, above), self.index(len(rows) - 1, last, above)
                )

    # Positions

    def column_of(self, kind: HistoryColumn) -> int:
        """Return the position of the first column of a kind; -1 for none."""
        return next((at for at, (each, _) in enumerate(self.columns) if each is kind), -1)

    def index_of(self, state: int, column: int = 0) -> QModelIndex:
        """Return the index of a state; an invalid one for `TOP` and unknown numbers."""
        if not 0 <= state < min(len(self.items), len(self.tree)):
            return QModelIndex()
        return self.createIndex(self.tree.row[state], column, state)

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:
        rows = self._below(parent)
        if not 0 <= row < len(rows) or not 0 <= column < self.columnCount():
            return QModelIndex()
        return self.createIndex(row, column, rows[row])

    @overload
    def parent(self) -> QObject | None: ...

    @overload
    def parent(self, index: Index) -> QModelIndex: ...

    def parent(self, index: Index | None = None) -> QObject | QModelIndex | None:
        """Return the index of the state whose branch has a state; without it the QObject parent."""
        if index is None:
            return super().parent()
        if not index.isValid() or index.internalId() >= len(self.tree):
            return QModelIndex()
        return self.index_of(self.tree.group[index.internalId()])

    def _below(self, parent: Index) -> Sequence[int]:
        if not self.items or (parent.isValid() and parent.column()):
            return ()
        return self.tree.children.get(parent.internalId() if parent.isValid() else TOP, ())

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return len(self._below(parent))

    def columnCount(self, _parent: Index = QModelIndex()) -> int:
        return len(self.columns)

    # Cells

    def result(self, state: int) -> StateResult | None:
        """Return the result of a state; None if states are not evaluated."""
        return self._results[state] if state < len(self._results) else None

    def cell(self, state: int, column: int, *, brief: bool = False) -> str:
        """Return the text of a cell; `brief` is a metric without its difference."""
        kind, name = self.columns[column]
        size, result = self._sizes.get(state), self.result(state)
        if kind is HistoryColumn.STATE:
            return state_title(self.items[state])
        if kind is HistoryColumn.SPARSITY:
            return NO_NUMBER if size is None else number_format.percent(size.sparsity)
        if kind is HistoryColumn.BYTES:
            return NO_NUMBER if size is None else number_format.size(size.nbytes)
        if kind is HistoryColumn.NOTE:
            return self.items[state].note
        if result is not None and result.pending:
            return result.pending
        metrics = () if result is None else result.metrics
        metric = next((metric for metric in metrics if metric.name == name), None)
        if metric is None:
            return NO_NUMBER if metrics else "○"
        text = metric_text(metric, brief=brief, decimals=self._decimals[name])
        # Outdated results are in parentheses, because undone states are gray, too.
        return f"({text})" if result is not None and result.is_old else text

    def can_evaluate(self, index: Index) -> bool:
        """Return whether a cell has the circle of a state that was not evaluated."""
        kind, _ = self.columns[index.column()]
        return kind is HistoryColumn.METRIC and self.cell(index.internalId(), index.column()) == "○"

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.isValid() and self.is_editable(index):
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def is_editable(self, index: Index) -> bool:
        """Return whether a cell is a note, or the name of a state other than the first."""
        kind, _ = self.columns[index.column()]
        return kind is HistoryColumn.NOTE or (
            kind is HistoryColumn.STATE and index.internalId() > 0
        )

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Return the text of a cell, its tooltip as HTML, or its text for screen readers.

        None for other roles and an invalid index.
        """
        if not index.isValid() or index.internalId() >= len(self.items):
            return None
        state, kind = index.internalId(), self.columns[index.column()][0]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell(state, index.column())
        if role == Qt.ItemDataRole.EditRole:
            item = self.items[state]
            return item.note if kind is HistoryColumn.NOTE else item.name
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return None if kind in {HistoryColumn.STATE, HistoryColumn.NOTE} else _RIGHT
        if role == Qt.ItemDataRole.ToolTipRole:
            return "<br>".join(map(as_plain, self._tip(state, index)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return (
                self.spoken(state)
                if kind is HistoryColumn.STATE
                else self.cell(state, index.column())
            )
        return None

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        """Emit `renamed` or `annotated` with an entered text that differs from the present one."""
        if role != Qt.ItemDataRole.EditRole or value == index.data(Qt.ItemDataRole.EditRole):
            return False
        is_note = self.columns[index.column()][0] is HistoryColumn.NOTE
        (self.annotated if is_note else self.renamed).emit(index.internalId(), str(value))
        return True

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = int(Qt.ItemDataRole.DisplayRole),
    ) -> Any:
        """Return the name of a column, what it shows, or its alignment; None for other roles."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < self.columnCount():
            return None
        kind, name = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            if kind is HistoryColumn.METRIC:
                name = number_format.metric_title(name)
            return NOTE_GAP + name if kind is HistoryColumn.NOTE else name
        if role == Qt.ItemDataRole.TextAlignmentRole:
            left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            return int(left) if kind in {HistoryColumn.STATE, HistoryColumn.NOTE} else _RIGHT
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_plain(
                {
                    HistoryColumn.STATE: self.tr("The name of a state, or its step"),
                    HistoryColumn.SPARSITY: self.tr("Share of the parameters that are pruned"),
                    HistoryColumn.METRIC: self.tr(
                        "{metric}, its difference from the unpruned model, and the noise of the "
                        "difference (95 % interval, or as the tooltip of a value says)"
                    ).format(metric=number_format.metric_title(name)),
                    HistoryColumn.BYTES: number_format.packed_size_help(),
                    HistoryColumn.NOTE: self.tr("Your note; double-click or press F2 to edit it"),
                }[kind]
            )
        return None

    # Texts of a state

    def spoken(self, state: int) -> str:
        """Return the description of a state for screen readers."""
        result = self.result(state)
        label = numbered_title(state, self.items[state])
        if result is not None:
            label = join_facts(label, result.words)
        if state == self.position:
            return self.tr("{label}, current").format(label=label)
        if state in self.ahead:
            return self.tr("{label}, undone").format(label=label)
        if state not in self.done:
            return self.tr("{label}, on another branch").format(label=label)
        return label

    def _tip(self, state: int, index: Index) -> list[str]:
        item, result = self.items[state], self.result(state)
        lines = (item.detail or item.label).split("\n")
        if item.name:
            lines = ["", item.label, *lines]
        lines = translate_step("\n".join(self._abridge(lines))).split("\n")
        if item.name:
            lines[0] = item.name
        if item.note:
            lines.append(item.note)
        if state in self.ahead:
            lines.append(self.tr("Undone. Click to redo up to this step."))
        elif state not in self.done:
            lines.append(self.tr("On another branch. Click to go to this state."))
        if result is not None:
            words = result.words
            if self.can_evaluate(index):
                words = with_note(words, self.tr("click ○ to evaluate it"))
            lines.append(words)
        return lines

    def _abridge(self, lines: list[str]) -> list[str]:
        """Return `lines` with the longest lists shortened, as at most `_MAX_TIP_LINES` + 1 lines.

        A shortened list ends with how many items were omitted. Lines after a list, such as the
        number of pruned weights, are kept. Without a long list, the last lines are cut.
        """
        lines = list(lines)
        while len(lines) > _MAX_TIP_LINES + 1:
            # Items of a list are indented names, or consecutive rules.
            groups = groupby(
                enumerate(lines), lambda each: (each[1][:2] == "  ", each[1].startswith("Rule "))
            )
            places = max([[place for place, _ in group] for _, group in groups], key=len)
            first, end = (
                max(places[0] + 2, places[-1] + 1 + _MAX_TIP_LINES - len(lines)),
                places[-1] + 1,
            )
            if end - first < 2:  # no long list
                rest = count(len(lines) - _MAX_TIP_LINES)
                return [*lines[:_MAX_TIP_LINES], self.tr("and {n} more lines").format(n=rest)]
            more = end - first
            if known := _MORE.fullmatch(lines[end - 1]):
                more += int(known[1].replace(",", "")) - 1
            indent = "  " if lines[first].startswith("  ") else ""
            lines[first:end] = [indent + self.tr("and {n} more").format(n=count(more))]
        return lines

    # Labels

    def short_label(self, state: int) -> str:
        """Return the title of a state with the short forms of tensor names."""
        return self._short.in_text(state_title(self.items[state]))
