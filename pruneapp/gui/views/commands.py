"""Every command by its name, and every key at one glance."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAction,
    QKeyEvent,
    QKeySequence,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHeaderView,
    QLineEdit,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.views.parts.copied_rows import copied_by
from pruneapp.gui.views.parts.labels import plain

# A command and its name, for that in a submenu with the way to it.
Named = tuple[str, QAction]
_NATIVE = QKeySequence.SequenceFormat.NativeText


class CommandTable(QTableWidget):
    """Commands and their keys in two columns."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, 2, parent)
        self.setHorizontalHeaderLabels([self.tr("Command"), self.tr("Shortcut")])
        self.setAccessibleName(self.tr("Commands and shortcuts"))
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self._actions: list[QAction] = []

    def set_actions(self, named: Sequence[Named]) -> None:
        """Show these commands, disabled ones muted."""
        self._actions = [action for _name, action in named]
        self.setRowCount(len(named))
        for row, (name, action) in enumerate(named):
            keys = ", ".join(k.toString(_NATIVE) for k in action.shortcuts())
            for column, text in enumerate((name, keys)):
                item = QTableWidgetItem(text)
                if not action.isEnabled():
                    item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)
                item.setToolTip(action.toolTip())
                self.setItem(row, column, item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy rows by Ctrl+C."""
        if not copied_by(self, event):
            super().keyPressEvent(event)

    def chosen(self) -> QAction | None:
        """Return the command of the current row."""
        row = self.currentRow()
        return self._actions[row] if 0 <= row < len(self._actions) else None


class CommandPalette(QDialog):
    """A field to type into and the commands that match; Enter runs the first.

    Parameters
    ----------
    actions
        The commands to offer.
    """

    def __init__(self, actions: Sequence[Named], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Command palette"))
        self.resize(520, 420)
        self._all = list(actions)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Type part of a command name"))
        self.field.setAccessibleName(self.tr("Part of a command name"))
        self.field.setClearButtonEnabled(True)
        self.table = CommandTable(self)
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)
        self.nothing = plain(self.tr("No matching commands."), wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.nothing.setContentsMargins(16, 16, 16, 16)
        self._found = QStackedWidget(self)
        self._found.addWidget(self.table)
        self._found.addWidget(self.nothing)
        layout.addWidget(self._found)
        self.field.textChanged.connect(self._on_text_changed)
        self.field.returnPressed.connect(self._run_chosen)
        self.table.itemActivated.connect(self._run_chosen)
        self.field.installEventFilter(self)
        self._on_text_changed("")

    def _on_text_changed(self, text: str) -> None:
        words = text.lower().split()
        found = [named for named in self._all if all(w in named[0].lower() for w in words)]
        self.table.set_actions(found)
        enabled = [row for row, (_name, action) in enumerate(found) if action.isEnabled()]
        self.table.setCurrentCell(enabled[0] if enabled else -1, 0)
        self._found.setCurrentWidget(self.table if found else self.nothing)
        if not found:
            said = QAccessibleAnnouncementEvent(self, self.nothing.text())
            QAccessible.updateAccessibility(said)

    def _run_chosen(self) -> None:
        action = self.table.chosen()
        if action is not None and action.isEnabled():
            self.accept()
            action.trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow keys move in the table while the field has the focus."""
        if (
            watched is self.field
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down}
        ):
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            row = self.table.currentRow() + step
            if 0 <= row < self.table.rowCount():
                self.table.setCurrentCell(row, 0)
            return True
        return super().eventFilter(watched, event)


class KeySheet(QDialog):
    """Every command that has a key, and the keys that hold only in the picture and the tree.

    Parameters
    ----------
    actions
        The commands of the window.
    more
        Further keys and what they do.
    """

    def __init__(
        self,
        actions: Sequence[Named],
        more: Sequence[tuple[str, str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.resize(560, 720)
        table = CommandTable(self)
        table.set_actions([named for named in actions if named[1].shortcuts()])
        for keys, text in more:
            row = table.rowCount()
            table.insertRow(row)
            table.setItem(row, 0, QTableWidgetItem(text))
            table.setItem(row, 1, QTableWidgetItem(keys))
        QVBoxLayout(self).addWidget(table)
        self.table = table
