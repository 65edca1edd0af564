"""Which tensors are meant, before something is done to all of them: "in every block"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.views.parts import numbers
from pruneapp.gui.views.parts.colors import with_defaults
from pruneapp.gui.views.parts.labels import ElidedLabel, plain, recolor

Index = QModelIndex | QPersistentModelIndex
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True)
class Meant:
    """A tensor that is meant.

    Attributes
    ----------
    shown
        What it is called.
    chosen, changed
        How many weights are meant, and how many of them would change.
    spared
        How many would not, because they are protected.
    """

    shown: str
    chosen: int
    changed: int
    spared: int = 0


class _Tensors(QAbstractTableModel):
    """The tensors: name, meant, changing, protected."""

    def __init__(self, tensors: Sequence[Meant], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tensors = tuple(tensors)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        """Return the number of tensors."""
        return 0 if parent.isValid() else len(self._tensors)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else 4

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Return a cell."""
        if not index.isValid():
            return None
        tensor = self._tensors[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                tensor.shown,
                numbers.count(tensor.chosen),
                numbers.count(tensor.changed),
                numbers.count(tensor.spared),
            )[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole and not index.column():
            return tensor.shown
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column():
            return _RIGHT
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = int(Qt.ItemDataRole.DisplayRole),
    ) -> Any:
        """Return the names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                self.tr("Tensor"),
                self.tr("Meant"),
                self.tr("Change"),
                self.tr("Protected"),
            )[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section else _LEFT
        return None


class AlikeDialog(QDialog):
    """Shows which tensors are meant; `accepted` once the person wants it so.

    Parameters
    ----------
    pattern
        What their names have in common.
    tensors
        The tensors, in file order.
    action
        What the one button says: "Prune channel 12 in 24 tensors".
    """

    def __init__(
        self, pattern: str, tensors: Sequence[Meant], action: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("In every block"))
        self.pattern = ElidedLabel(pattern, self)
        self.pattern.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.pattern.setAccessibleName(self.tr("Pattern"))
        self.sentence = plain(self._sentence(tensors), wrap=True)
        self.table = QTableView(self)
        self.table.setModel(_Tensors(tensors, self.table))
        self.table.setAccessibleName(self.tr("Tensors that are meant"))
        self.table.setAccessibleDescription(self.sentence.text())
        self.table.setTabKeyNavigation(False)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        header.setDefaultSectionSize(self.fontMetrics().horizontalAdvance("0") * 12)
        self.table.setColumnHidden(3, not any(tensor.spared for tensor in tensors))
        self.go = QPushButton(action, self)
        self.go.setObjectName("mainAction")
        self.go.setDefault(True)
        self.leave = QPushButton(self.tr("Leave it"), self)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.leave)
        buttons.addWidget(self.go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addWidget(self.pattern)
        layout.addWidget(self.sentence)
        layout.addWidget(self.table, 1)
        layout.addLayout(buttons)
        self.resize(560, 440)
        self.go.setFocus()
        self.go.clicked.connect(self.accept)
        self.leave.clicked.connect(self.reject)
        self.set_colors({})

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        recolor(self.sentence, with_defaults(colors)["muted"])

    def _sentence(self, tensors: Sequence[Meant]) -> str:
        changing = [tensor for tensor in tensors if tensor.changed]
        text = self.tr("{weights} weights change in {n} of {all} tensors, as one step.").format(
            weights=numbers.count(sum(tensor.changed for tensor in changing)),
            n=numbers.count(len(changing)),
            all=numbers.count(len(tensors)),
        )
        spared = sum(tensor.spared for tensor in tensors)
        if spared:
            more = self.tr("{n} weights are protected and stay.").format(n=numbers.count(spared))
            text = f"{text} {more}"
        return text
