"""The user guide: a table of contents next to the text, and a search field."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QLocale, QObject, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QSplitter,
    QStyle,
    QTextBrowser,
    QTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pruneapp import resources
from pruneapp.gui.app.settings import language_of
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import LineEdit, add_row, symbol_button
from pruneapp.gui.widgets.labels import plain
from pruneapp.gui.widgets.screen import Dialog
from pruneapp.gui.widgets.theme import with_defaults

_MARGIN = 12  # margin of the page
_TEXT_WIDTH = 620  # of the page at first, in pixels
_MAX_CONTENTS = 400  # of the table of contents at first
_POSITION_ROLE = int(Qt.ItemDataRole.UserRole)


class GuideDialog(Dialog):
    """A dialog with the guide, its headings at the left and a search field at the top.

    The text is in the language of the window, or in English if it is not translated.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        english = resources.path("guide.md")
        localized = english.with_name(f"guide.{language_of(QLocale().uiLanguages())}.md")
        markdown = (localized if localized.exists() else english).read_text(encoding="utf-8")
        self.setWindowTitle(self.tr("Guide"))
        self._colors = with_defaults({})
        self._matches: list[QTextCursor] = []
        self._match = -1
        self.search = LineEdit(self)
        self.search.setPlaceholderText(self.tr("Search  (Ctrl+F)"))
        self.search.setAccessibleName(self.tr("Search in the guide"))
        self.search.setClearButtonEnabled(True)
        self.found = plain()
        self.previous = symbol_button("↑", self.tr("Previous match (Shift+F3)"), self)
        self.next = symbol_button("↓", self.tr("Next match (F3)"), self)
        self.contents = QTreeWidget(self)
        self.contents.setAccessibleName(self.tr("Contents"))
        self.contents.setHeaderHidden(True)
        self.text = QTextBrowser(self)
        self.text.setAccessibleName(self.tr("Guide"))
        self.text.setOpenExternalLinks(True)
        self.text.setMarkdown(markdown)
        self.text.document().setDocumentMargin(_MARGIN)

        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.addWidget(self.contents)
        splitter.addWidget(self.text)
        splitter.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        add_row(layout, self.search, self.found, self.previous, self.next)
        layout.addWidget(splitter, 1)
        self._list_headings()
        width = min(self._contents_width(), _MAX_CONTENTS)
        splitter.setSizes([width, _TEXT_WIDTH])
        self.resize(width + _TEXT_WIDTH, 640)
        self._count()

        self.contents.currentItemChanged.connect(self._go_to)
        self.search.textChanged.connect(self._search)
        self.search.installEventFilter(self)
        self.next.clicked.connect(self._find_next)
        self.previous.clicked.connect(self._find_previous)
        for key, call in (
            (QKeySequence.StandardKey.Find, self._focus_search),
            (QKeySequence.StandardKey.FindNext, self._find_next),
            (QKeySequence.StandardKey.FindPrevious, self._find_previous),
        ):
            QShortcut(key, self).activated.connect(call)
        self.search.setFocus()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of the theme to the marked matches."""
        self._colors = with_defaults(colors)
        self._mark()

    # Contents

    def _list_headings(self) -> None:
        """Fill the table of contents with the headings of the text, nested by level, all expanded.

        Also sets the margins of the headings in the text. Call it once.
        """
        self._headings: list[QTreeWidgetItem] = []  # in the order of the text
        ancestors: list[tuple[int, QTreeWidgetItem]] = []
        # the dots of Ö extend above the line
        size_hint = QSize(0, self.contents.fontMetrics().height() + 4)
        block = self.text.document().begin()
        while block.isValid():
            level = block.blockFormat().headingLevel()
            if level:
                while ancestors and ancestors[-1][0] >= level:
                    ancestors.pop()
                item = QTreeWidgetItem([block.text()])
                item.setSizeHint(0, size_hint)
                item.setData(0, _POSITION_ROLE, block.position())
                if ancestors:
                    ancestors[-1][1].addChild(item)
                else:
                    self.contents.addTopLevelItem(item)
                ancestors.append((level, item))
                self._headings.append(item)
                spaced = block.blockFormat()  # Markdown headings have no margins
                spaced.setTopMargin(_MARGIN if block.position() else 0)
                spaced.setBottomMargin(_MARGIN / 2)
                QTextCursor(block).setBlockFormat(spaced)
            block = block.next()
        self.contents.expandAll()

    def _contents_width(self) -> int:
        """Return the width at which no heading in the table of contents is elided."""
        advance = self.contents.fontMetrics().horizontalAdvance
        depths = {item: 2 if item.parent() else 1 for item in self._headings}
        texts = [
            advance(item.text(0)) + depth * self.contents.indentation()
            for item, depth in depths.items()
        ]
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        return max(texts, default=0) + bar + 2 * _MARGIN

    def _go_to(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            cursor = QTextCursor(self.text.document())
            cursor.setPosition(int(item.data(0, _POSITION_ROLE)))
            self._show(cursor)

    def _show(self, cursor: QTextCursor) -> None:
        """Scroll to a text cursor, near the top of the page."""
        self.text.setTextCursor(cursor)
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.value() + self.text.cursorRect(cursor).top() - 2 * _MARGIN)

    # Search

    def _focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _search(self, text: str) -> None:
        """Find all occurrences of `text`, case-insensitively, and show the first one.

        Surrounding spaces are ignored. An empty text removes all marks.
        """
        document = self.text.document()
        self._matches, self._match = [], -1
        cursor = QTextCursor(document)
        while text.strip():
            cursor = document.find(text.strip(), cursor, QTextDocument.FindFlag(0))
            if cursor.isNull():
                break
            self._matches.append(QTextCursor(cursor))
        self._step(1)

    def _find_next(self) -> None:
        self._step(1)

    def _find_previous(self) -> None:
        self._step(-1)

    def _step(self, step: int) -> None:
        """Show the match that is `step` after the current one, wrapping around at both ends.

        Its heading becomes the current one of the contents. Without matches only marks and count
        are updated.
        """
        if self._matches:
            self._match = (self._match + step) % len(self._matches)
            cursor = QTextCursor(self._matches[self._match])
            cursor.clearSelection()
            self._show(cursor)
            self._show_heading(cursor.position())
        self._mark()
        self._count()

    def _show_heading(self, position: int) -> None:
        before = [item for item in self._headings if int(item.data(0, _POSITION_ROLE)) <= position]
        heading = before[-1] if before else None
        if heading is not None:
            blocker = QSignalBlocker(self.contents)
            self.contents.setCurrentItem(heading)
            del blocker

    def _mark(self) -> None:
        """Mark all matches in the text, the current one in the accent color."""
        marks = []
        for place, cursor in enumerate(self._matches):
            mark = QTextEdit.ExtraSelection()
            current = place == self._match
            mark.cursor = cursor
            mark.format.setBackground(QColor(self._colors["accent" if current else "border"]))
            mark.format.setForeground(QColor(self._colors["accent_text" if current else "text"]))
            marks.append(mark)
        self.text.setExtraSelections(marks)

    def _count(self) -> None:
        """Show the number of the current match and of all; nothing without a search text."""
        has_query = bool(self.search.text().strip())
        for button in (self.previous, self.next):
            button.setEnabled(bool(self._matches))
        text = ""
        if has_query and self._matches:
            text = self.tr("{place} of {all}").format(
                place=number_format.count(self._match + 1),
                all=number_format.count(len(self._matches)),
            )
        elif has_query:
            text = self.tr("No match")
        self.found.setText(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Step through matches with Return and Shift+Return; clear a search text with Escape.

        Escape in an empty field closes the dialog.
        """
        if (
            watched is self.search
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
        ):
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self._step(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return super().eventFilter(watched, event)
