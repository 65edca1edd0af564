"""The dialog in which the user changes the shortcuts of commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QKeyCombination, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.commands.actions import (
    BETWEEN,
    Keys,
    assign_keys,
    changed_keys,
    default_keys,
    native_keys,
    portable_key,
    text_of,
    translate_command_text,
    without_mnemonic,
)
from pruneapp.gui.commands.declarations import COMMANDS, MenuCommand
from pruneapp.gui.widgets.controls import LineEdit, add_row
from pruneapp.gui.widgets.labels import DANGER, MUTED, ElidedLines, join_sentences, label_for
from pruneapp.gui.widgets.labels import plain as label
from pruneapp.gui.widgets.reports import add_button_row
from pruneapp.gui.widgets.screen import Dialog

_ID = int(Qt.ItemDataRole.UserRole)
_COMMAND, _SHORTCUT, _DEFAULT = range(3)
_FIELD_WIDTH = 220  # with room for the placeholder of Qt
_AROUND = 80  # pixels next to the columns: margins, scroll bar and padding
_ROW_SPACE = 6  # pixels, as in the list of shortcuts
_LINES = 2  # reserved height of the message, in lines
_TYPING = ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
# Shortcuts that text fields use for editing.
_Standard = QKeySequence.StandardKey
_EDITING = (
    *(_Standard.Copy, _Standard.Cut, _Standard.Paste, _Standard.SelectAll),
    *(_Standard.Undo, _Standard.Redo, _Standard.Delete, _Standard.DeleteCompleteLine),
    *(_Standard.DeleteStartOfWord, _Standard.DeleteEndOfWord, _Standard.DeleteEndOfLine),
    *(_Standard.MoveToStartOfLine, _Standard.MoveToEndOfLine, _Standard.MoveToNextWord),
    *(_Standard.MoveToPreviousWord, _Standard.SelectNextWord, _Standard.SelectPreviousWord),
    *(_Standard.SelectStartOfLine, _Standard.SelectEndOfLine),
    *(_Standard.MoveToStartOfDocument, _Standard.MoveToEndOfDocument),
    *(_Standard.SelectStartOfDocument, _Standard.SelectEndOfDocument),
)


class KeyField(QKeySequenceEdit):
    """A field that records one key combination; Escape is left to the dialog.

    `name` is its accessible name. `QKeySequenceEdit` reports a combination when the key pressed
    first is released. That never happens if that key was released before another one was pressed.
    """

    taken = Signal()  # `key` has changed

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMaximumSequenceLength(1)
        self.setClearButtonEnabled(True)
        self.setFixedWidth(_FIELD_WIDTH)
        self.setAccessibleName(name)
        self.setAccessibleDescription(self.tr("Press the keys of a shortcut together"))
        for field in self.findChildren(QLineEdit):  # it receives the focus
            field.setAccessibleName(name)

    @property
    def key(self) -> str:
        """The recorded combination as portable text; "" if there is none."""
        return self.keySequence().toString(QKeySequence.SequenceFormat.PortableText)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Record the combination, replacing the previous one, and emit `taken` if there is one.

        Escape alone, repetitions of a held key, and modifiers without a key are not recorded.
        """
        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            event.ignore()
        elif not event.isAutoRepeat():
            self.clear()
            held, text = event.modifiers(), event.text()
            if text.isprintable() and text.strip() and not text.isalpha():
                # "?" is stored without Shift, which only some layouts need
                held &= ~Qt.KeyboardModifier.ShiftModifier
            super().keyPressEvent(QKeyEvent(event.type(), event.key(), held, text))
            if self.key:
                self.taken.emit()


def with_keypad(key: str) -> Keys:
    """Return a shortcut, and for Return also the one with the Enter key of the keypad."""
    return (key, f"{key.removesuffix('Return')}Enter") if key.endswith("Return") else (key,)


def is_typed(key: str) -> bool:
    """Return whether a shortcut types a character in text fields."""
    pressed: QKeyCombination = QKeySequence(key)[0]  # type: ignore[index]  # a sequence in C++
    is_text = pressed.key().value < Qt.Key.Key_Escape.value
    return is_text and not pressed.keyboardModifiers() & _TYPING


def edits_text(key: str) -> bool:
    """Return whether text fields use a shortcut for editing, such as copying."""
    sequence = QKeySequence(key)
    return any(sequence in QKeySequence.keyBindings(each) for each in _EDITING)


class ShortcutDialog(Dialog):
    """Lists all commands by menu, with a search, and edits the shortcut of the current one.

    `keys` are the shortcuts of all commands. `reserved` maps shortcuts that the window uses
    otherwise to a description of the use. Changes apply immediately.
    """

    changed = Signal(object)  # the shortcuts that differ from the declared ones, by command id

    def __init__(
        self, keys: Mapping[str, Keys], reserved: Mapping[str, str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Change keyboard shortcuts"))
        self.resize(680, 640)
        self._keys = dict(keys)
        self._reserved = dict(reserved)
        self._specs = {spec.id: spec for spec in COMMANDS}
        self._rows: dict[str, QTreeWidgetItem] = {}
        self._menus: dict[str, QTreeWidgetItem] = {}
        self._offered_action: Callable[[], None] | None = None

        self.search = LineEdit(self)
        self.search.setPlaceholderText(self.tr("Search by name"))
        self.search.setAccessibleName(self.tr("Part of the name of a command"))
        self.search.setClearButtonEnabled(True)
        self.pressed = KeyField(self.tr("Search by pressing keys"), self)
        self.table = QTreeWidget(self)
        self.table.setAccessibleName(self.tr("Commands and shortcuts"))
        self.table.setHeaderLabels([self.tr("Command"), self.tr("Shortcut"), self.tr("Default")])
        self.table.setUniformRowHeights(True)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.table.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_COMMAND, QHeaderView.ResizeMode.Stretch)
        self.nothing = label(self.tr("No matches."), wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.nothing.setContentsMargins(16, 16, 16, 16)
        self._found = QStackedWidget(self)
        self._found.addWidget(self.table)
        self._found.addWidget(self.nothing)

        self.name = ElidedLines(1, self)
        self.editor = KeyField(self.tr("New shortcut"), self)
        self.remove = QPushButton(self.tr("Remove"), self)
        self.reset = QPushButton(self.tr("Reset"), self)
        self.said = ElidedLines(_LINES, self)
        self.go = QPushButton(self.tr("Reassign"), self)
        self.go.setMinimumWidth(self.go.fontMetrics().horizontalAdvance("M" * 10))
        self.reset_all = QPushButton(self.tr("Reset all"), self)
        self.close_button = QPushButton(self.tr("Close"), self)
        for button in (self.remove, self.reset, self.go, self.reset_all, self.close_button):
            button.setAutoDefault(False)  # Return in a field must not click a button
        room = self.go.sizePolicy()
        room.setRetainSizeWhenHidden(True)
        self.go.setSizePolicy(room)

        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        by_keys = label_for(self.pressed, self.tr("or by keys:"))
        add_row(layout, self.search, by_keys, self.pressed, wide=self.search)
        layout.addWidget(self._found, 1)
        layout.addWidget(self.name)
        add_row(layout, self.editor, self.remove, self.reset, None)
        add_row(layout, self.said, self.go, wide=self.said)
        add_button_row(layout, self.close_button, beside=(self.reset_all,))
        self._fill()
        columns = sum(map(self.table.sizeHintForColumn, range(self.table.columnCount())))
        self.resize(max(self.width(), columns + _AROUND), self.height())

        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self.table.setFocus)
        self.pressed.taken.connect(self._filter)
        self.pressed.keySequenceChanged.connect(self._filter)  # also when it is cleared
        self.table.currentItemChanged.connect(self._show_command)
        self.table.itemActivated.connect(self.editor.setFocus)
        self.editor.taken.connect(self._on_pressed)
        self.remove.clicked.connect(self._remove)
        self.reset.clicked.connect(self._reset)
        self.go.clicked.connect(self._run_offer)
        self.reset_all.clicked.connect(self._reset_all)
        self.close_button.clicked.connect(self.accept)
        self._filter()
        self.search.setFocus()

    # -- the commands ---------------------------------------------------------------------------

    def _fill(self) -> None:
        """Add a row for each command below a row for its menu; call it once."""
        for spec in COMMANDS:
            if spec.menu not in self._menus:
                menu_path = BETWEEN.join(
                    without_mnemonic(translate_command_text(part)) for part in spec.menu.split("/")
                )
                menu = self._menus[spec.menu] = QTreeWidgetItem([menu_path])
                menu.setFlags(Qt.ItemFlag.ItemIsEnabled)
                menu.setSizeHint(_COMMAND, QSize(0, self.fontMetrics().height() + _ROW_SPACE))
                self.table.addTopLevelItem(menu)
            row = self._rows[spec.id] = QTreeWidgetItem([self._name(spec)])
            row.setData(_COMMAND, _ID, spec.id)
            row.setToolTip(_COMMAND, translate_command_text(spec.tip) if spec.tip else "")
            self._menus[spec.menu].addChild(row)
        self.table.expandAll()
        self._show_keys()

    def _name(self, spec: MenuCommand) -> str:
        return without_mnemonic(text_of(spec))

    def _show_keys(self) -> None:
        for name, row in self._rows.items():
            default = default_keys(self._specs[name])
            row.setText(_SHORTCUT, native_keys(self._keys[name]))
            is_default = self._keys[name] == default
            row.setText(_DEFAULT, "" if is_default else native_keys(default) or self.tr("none"))
        self.reset_all.setEnabled(bool(changed_keys(self._keys)))

    def _filter(self) -> None:
        """Show the commands whose menu, name and shortcut contain all words of the search.

        If keys were pressed in the other field, only commands with that shortcut. If the current
        command is hidden, the first visible one becomes the current one; without any a message is
        shown.
        """
        words, pressed = self.search.text().casefold().split(), self.pressed.key
        first = None
        for menu in self._menus.values():
            menu.setHidden(True)
        for spec in COMMANDS:
            menu, row = self._menus[spec.menu], self._rows[spec.id]
            text = f"{menu.text(0)} {row.text(_COMMAND)} {row.text(_SHORTCUT)}".casefold()
            hit = all(word in text for word in words)
            hit = hit and (not pressed or pressed in self._keys[spec.id])
            row.setHidden(not hit)
            if hit:
                menu.setHidden(False)
                first = first or row
        self._found.setCurrentWidget(self.table if first is not None else self.nothing)
        if first is None:
            self.table.setCurrentIndex(QModelIndex())
        elif not self._current or self._rows[self._current].isHidden():
            self.table.setCurrentItem(first)

    @property
    def _current(self) -> str:
        """The id of the current command; "" for none."""
        # By index: currentItem() would create a Python wrapper of an object that is not a QObject.
        return str(self.table.currentIndex().siblingAtColumn(_COMMAND).data(_ID) or "")

    def _show_command(self) -> None:
        self._show_message("")
        self._show_editor()

    def _show_editor(self) -> None:
        """Show the name of the current command, clear the field, and enable what can be done.

        All parts are disabled if there is no current command.
        """
        name = self._current
        for part in (self.editor, self.remove, self.reset):
            part.setEnabled(bool(name))
        self.editor.clear()
        if not name:
            self.name.set_text("")
            return
        text = self.tr("New shortcut of “{command}”:")
        self.name.set_text(text.format(command=self._name(self._specs[name])))
        self.remove.setEnabled(bool(self._keys[name]))
        self.reset.setEnabled(self._keys[name] != default_keys(self._specs[name]))

    # -- the shortcut of one --------------------------------------------------------------------

    def _on_pressed(self) -> None:
        if self._current:
            self._propose(with_keypad(portable_key(self.editor.key)))

    def _reset(self) -> None:
        self._propose(default_keys(self._specs[self._current]))

    def _remove(self) -> None:
        self._assign(self._current, ())

    def _propose(self, keys: Keys) -> None:
        """Replace the shortcuts of the current command by `keys`, unless one of them is in use.

        A shortcut that the window needs otherwise is refused with a message. For one of another
        command the message has a button that reassigns it. Declared shortcuts of the command are
        never refused.
        """
        name = self._current
        custom_keys = [key for key in keys if key not in default_keys(self._specs[name])]
        for key in custom_keys:
            if key in self._reserved:
                text = self.tr("{keys} is needed in the window: {what}. Press other keys.")
                self._show_message(
                    text.format(keys=native_keys([key]), what=self._reserved[key]), wrong=True
                )
                return
        others = [
            other
            for other, other_keys in self._keys.items()
            if other != name and {*keys} & {*other_keys}
        ]
        if others:
            text = self.tr("{keys} is the shortcut of “{command}”.").format(
                keys=native_keys(key for key in keys if key in self._keys[others[0]]),
                command=self._name(self._specs[others[0]]),
            )
            self._show_message(text, wrong=True)
            self._show_offer(self.tr("Reassign"), lambda: self._assign(name, keys))
            return
        self._assign(name, keys)

    def _assign(self, name: str, keys: Keys) -> None:
        """Assign `keys` to a command and remove them from all others; emit `changed`.

        No `keys` remove its shortcut. The message states what was changed.
        """
        before = self._keys[name]
        for other, other_keys in self._keys.items():
            self._keys[other] = tuple(key for key in other_keys if key not in keys)
        self._keys[name] = keys
        self._publish()
        if keys == before:
            text = ""
        elif keys and before:
            text = self.tr("Changed from {before} to {keys}.")
        else:
            text = self.tr("Changed to {keys}.") if keys else self.tr("{before} removed.")
        custom_keys = [key for key in keys if key not in default_keys(self._specs[name])]
        texts = [
            text.format(keys=native_keys(keys), before=native_keys(before)),
            self._text_field_note(custom_keys),
        ]
        self._show_message(join_sentences(*texts))

    def _text_field_note(self, keys: list[str]) -> str:
        """Return a note on the first of `keys` that text fields use for themselves.

        The result is "" if they use none of them.
        """
        for key in keys:
            if is_typed(key):
                text = self.tr("In text fields, {keys} types text instead.")
                return text.format(keys=native_keys([key]))
            if edits_text(key):
                text = self.tr("In text fields, {keys} edits the text instead.")
                return text.format(keys=native_keys([key]))
        return ""

    def _reset_all(self) -> None:
        """Give all commands their declared shortcuts, emit `changed`, and offer to undo that.

        No confirmation is asked for.
        """
        before = dict(self._keys)

        def undo() -> None:
            self._keys = before
            self._publish()
            self._show_message("")

        self._keys = assign_keys({})
        self._publish()
        self._show_message(self.tr("All shortcuts were reset."))
        self._show_offer(self.tr("Undo"), undo)

    def _publish(self) -> None:
        self._show_keys()  # the search is not repeated: the changed row stays visible
        self._show_editor()
        self.changed.emit(changed_keys(self._keys))

    # -- messages -------------------------------------------------------------------------------

    def _show_message(self, text: str, *, wrong: bool = False) -> None:
        self.said.setForegroundRole(DANGER if wrong else MUTED)
        self.said.set_text(text)
        if text:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
        self._offered_action = None
        self.go.hide()

    def _show_offer(self, words: str, call: Callable[[], None]) -> None:
        self._offered_action = call
        self.go.setText(words)
        self.go.show()

    def _run_offer(self) -> None:
        if self._offered_action is not None:
            self._offered_action()
