"""The command palette (commands, tensors, methods, settings) and the list of shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAction,
    QKeyEvent,
    QKeySequence,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.commands.actions import english_name
from pruneapp.gui.widgets.clipboard import copy_on_key
from pruneapp.gui.widgets.labels import as_plain, plain
from pruneapp.gui.widgets.number_format import count, shape
from pruneapp.gui.widgets.reports import add_button_row, set_up_rows
from pruneapp.gui.widgets.screen import Dialog

# A command and its name; in a submenu the name includes the menu path.
Named = tuple[str, QAction]
_NATIVE = QKeySequence.SequenceFormat.NativeText
# Limit of listed tensors; others are found by typing more of their names.
_AROUND = 40  # pixels next to the columns: margins and padding
_MOST_TENSORS = 200


@dataclass(frozen=True)
class Entry:
    """An entry of the palette that is found by its name."""

    name: str  # searched and displayed
    hint: str  # the shortcut of a command, or the kind of the entry
    run: Callable[[], None]
    tip: str = ""
    enabled: bool = True  # whether it can be run now
    # alternative English names, as used in guides and scripts; searched as well
    english: tuple[str, ...] = ()


def command(named: Named) -> Entry:
    """Return the entry of a command, which triggers its action."""
    name, action = named
    # Two keys may have the same name.
    keys = ", ".join(dict.fromkeys(key.toString(_NATIVE) for key in action.shortcuts()))
    return Entry(
        name, keys, action.trigger, action.toolTip(), action.isEnabled(), (english_name(action),)
    )


class EntryTable(QTableWidget):
    """A table of entries with two columns, name and hint, whose titles are `headers`."""

    def __init__(self, headers: tuple[str, str], parent: QWidget | None = None) -> None:
        super().__init__(0, 2, parent)
        self.setHorizontalHeaderLabels(headers)
        set_up_rows(self)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._entries: list[Entry] = []

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Replace the rows; disabled entries are muted. No row is current afterwards."""
        self._entries = list(entries)
        self.setRowCount(len(entries))
        for row, entry in enumerate(entries):
            for column, text in enumerate((entry.name, entry.hint)):
                item = QTableWidgetItem(text)
                if not entry.enabled:
                    item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)
                item.setToolTip(as_plain(entry.tip or entry.name))
                self.setItem(row, column, item)

    def whole_width(self) -> int:
        """Return the width at which no text is elided, in pixels."""
        columns = sum(self.sizeHintForColumn(column) for column in range(2))
        return columns + self.verticalScrollBar().sizeHint().width() + 2 * self.frameWidth()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy rows on Ctrl+C."""
        if not copy_on_key(self, event, self._texts):
            super().keyPressEvent(event)

    def _texts(self, row: int) -> list[str]:
        entry = self._entries[row]
        return [entry.name, entry.hint]

    def current_entry(self) -> Entry | None:
        """Return the entry of the current row; None if there is none."""
        row = self.currentRow()
        return self._entries[row] if 0 <= row < len(self._entries) else None


class CommandPalette(Dialog):
    """A search field and a table of matches: commands, methods, settings, tensors.

    Return runs the first match. An empty field lists all entries except tensors, of which the first
    `_MOST_TENSORS` matches are listed. Searching 100,000 tensors is fast enough for each key press.
    """

    tensorChosen = Signal(str)  # the name in the file

    def __init__(
        self,
        entries: Sequence[Entry],
        tensors: Sequence[TensorRow] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Command palette"))
        self.resize(640, 480)
        self._all = [
            (tuple(name.lower() for name in (entry.name, *entry.english) if name), entry)
            for entry in entries
        ]
        self._tensors = tensors
        self._names: list[str] = []
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(
            self.tr("Type part of the name of a command, tensor, method or setting")
        )
        self.field.setAccessibleName(self.tr("Part of a name"))
        self.field.setAccessibleDescription(self.field.placeholderText())
        self.field.setClearButtonEnabled(True)
        self.table = EntryTable((self.tr("Name"), self.tr("Shortcut or kind")), self)
        self.table.setAccessibleName(self.tr("Matches"))
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)
        self.nothing = plain(self.tr("No matches."), wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.nothing.setContentsMargins(16, 16, 16, 16)
        self._found = QStackedWidget(self)
        self._found.addWidget(self.table)
        self._found.addWidget(self.nothing)
        layout.addWidget(self._found)
        self.more = plain()
        layout.addWidget(self.more)
        self.field.textChanged.connect(self._on_text_changed)
        self.field.returnPressed.connect(self._run_chosen)
        self.table.itemActivated.connect(self._run_chosen)
        self.field.installEventFilter(self)
        self._on_text_changed("")

    def _on_text_changed(self, text: str) -> None:
        """List the entries whose display name, or else English name, contains all words of `text`.

        Exact names come first, then names that start with the text, otherwise the given order is
        kept; tensors follow, at most `_MOST_TENSORS`, and none without a word. The first enabled
        row becomes the current one. Without matches a message is shown and announced to screen
        readers.
        """
        # Ignores separators, so that "Theme: dark" finds "View › Theme › Dark" as well.
        words = [word for part in text.lower().split() if (word := part.strip(":›…"))]
        typed = " ".join(words)
        named = [
            (names, entry)
            for names, entry in self._all
            if any(all(word in name for word in words) for name in names)
        ]
        # Exact names first, then names that start with the text.
        named.sort(
            key=lambda item: (
                typed not in item[0],
                not any(name.startswith(typed) for name in item[0]),
            )
        )
        entries = [entry for _, entry in named]
        matches = self._matching_tensors(words) if words else []
        entries += [self._entry_of(self._tensors[at]) for at in matches[:_MOST_TENSORS]]
        self.table.set_entries(entries)
        enabled = [row for row, entry in enumerate(entries) if entry.enabled]
        self.table.setCurrentCell(enabled[0] if enabled else -1, 0)
        self._found.setCurrentWidget(self.table if entries else self.nothing)
        left = len(matches) - _MOST_TENSORS
        self.more.setVisible(left > 0)
        self.more.setText(self.tr("{n} more tensors match.").format(n=count(left)))
        if not entries:
            announcement = QAccessibleAnnouncementEvent(self, self.nothing.text())
            QAccessible.updateAccessibility(announcement)

    def _matching_tensors(self, words: Sequence[str]) -> list[int]:
        """Return the indices of tensors whose display names contain all words, in the given order.

        `words` are in lower case. A name that equals the words comes first.
        """
        if not self._names:
            self._names = [row.shown.lower() for row in self._tensors]
        names = self._names
        matches = list(range(len(names)))
        for word in words:
            matches = [at for at in matches if word in names[at]]
        whole = " ".join(words)
        matches.sort(key=lambda at: names[at] != whole)  # a whole name comes first
        return matches

    def _entry_of(self, row: TensorRow) -> Entry:
        facts = (self.tr("Tensor"), row.kind, shape(row.shape))
        hint = " · ".join(fact for fact in facts if fact)
        return Entry(row.shown, hint, lambda: self.tensorChosen.emit(row.name), row.name)

    def _run_chosen(self) -> None:
        entry = self.table.current_entry()
        if entry is not None and entry.enabled:
            self.accept()
            entry.run()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move the current row by Up, Down and the page keys while the field has the focus.

        It stops at the first and the last row.
        """
        if (
            watched is self.field
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in _STEPS
        ):
            row = self.table.currentRow() + _STEPS[Qt.Key(event.key())]
            row = min(max(row, 0), self.table.rowCount() - 1)
            if row >= 0:
                self.table.setCurrentCell(row, 0)
            return True
        return super().eventFilter(watched, event)


_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}


class KeySheet(Dialog):
    """Lists all commands that have a shortcut, and `more`: shortcuts of plots and the tree.

    `actions` are commands with their names; `more` has pairs of keys and text.
    """

    # the user wants to change shortcuts; emitted after the dialog was accepted
    changeRequested = Signal()

    def __init__(
        self,
        actions: Sequence[Named],
        more: Sequence[tuple[str, str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.resize(560, 720)
        table = EntryTable((self.tr("Command"), self.tr("Shortcut")), self)
        table.setAccessibleName(self.tr("Commands and shortcuts"))
        table.set_entries(
            [command(named) for named in actions if named[1].shortcuts()]
            + [Entry(text, keys, run=table.clearSelection) for keys, text in more]
        )
        self.change = QPushButton(self.tr("Change…"), self)
        self.change.setAutoDefault(False)
        self.change.setAccessibleDescription(self.tr("Choose other shortcuts for commands"))
        layout = QVBoxLayout(self)
        layout.addWidget(table)
        add_button_row(layout, self.change)
        self.table = table
        self.resize(max(self.width(), table.whole_width() + _AROUND), self.height())
        self.change.clicked.connect(self.accept)
        self.change.clicked.connect(self.changeRequested)
