"""The view of the lines of config.json that a cut changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from pruneapp.gui.widgets.theme import with_defaults

_DIFF_LINES = 6  # preferred height in lines


class DiffColors(QSyntaxHighlighter):
    """Colours the lines of a difference by their sign."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.set_colors({})

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Set the colours by token."""
        tokens = with_defaults(colors)
        self._formats = {}
        for sign, token in (("-", "danger"), ("+", "teal")):
            self._formats[sign] = QTextCharFormat()
            self._formats[sign].setForeground(QColor(tokens[token]))
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        if (form := self._formats.get(text[:1])) is not None:
            self.setFormat(0, len(text), form)


class ConfigDiff(QPlainTextEdit):
    """The lines of config.json that differ."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setAccessibleName(self.tr("Changes of config.json"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._inks = DiffColors(self.document())

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Set the colours by token and repaint."""
        self._inks.set_colors(colors)

    def set_lines(self, lines: Sequence[str]) -> None:
        text = "\n".join(f"{line[:1]} {line[1:].strip()}".lstrip() for line in lines)
        if text != self.toPlainText():
            self.setPlainText(text)

    def sizeHint(self) -> QSize:
        return QSize(280, self.fontMetrics().lineSpacing() * _DIFF_LINES + 12)

    def minimumSizeHint(self) -> QSize:
        """Return a minimum size of the preferred height; further lines scroll."""
        return QSize(160, self.sizeHint().height())
