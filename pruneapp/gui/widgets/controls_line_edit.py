"""A field for text that shares its keys with the window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit

_EXPORT = QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_E)


class LineEdit(QLineEdit):
    """A field that leaves Ctrl+Z to the window while there is no typing to take back, and Ctrl+E.

    Qt's own takes undo and redo always, so that a step done from the keyboard could not be undone
    from there; and on X11 it takes Ctrl+E for the End key, so that nothing would be exported.
    """

    def event(self, event: QEvent) -> bool:
        """Let the shortcut of the window win where the field has no use for it."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            undo = event.matches(QKeySequence.StandardKey.Undo)
            redo = event.matches(QKeySequence.StandardKey.Redo)
            idle = (undo and not self.isUndoAvailable()) or (redo and not self.isRedoAvailable())
            if idle or event.keyCombination() == _EXPORT:
                event.ignore()
                return False
        return super().event(event)

    def settle(self) -> None:
        """Keep the text, but forget how it was typed: what it asked for has been done."""
        place, start, length = (
            self.cursorPosition(),
            self.selectionStart(),
            len(self.selectedText()),
        )
        self.setText(self.text())
        self.setCursorPosition(place)
        if length:
            self.setSelection(start, length)
