"""Labels for texts from files, headings, and helpers to join, elide and escape texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, QMargins, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QStyle, QStyleOption, QWidget

from pruneapp.errors import escape_text

if TYPE_CHECKING:  # deferred: it imports numpy, and the first paint shows labels
    from pruneapp.gui.widgets.short_names import ShortNames

# For texts outside classes, which have no `tr`.
translate = QCoreApplication.translate


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Mark a text for lupdate, which searches for this name. Qt's function returns an object."""
    return text


# Maximum number of characters shown of each end of a long text.
_MAX_END_LENGTH = 500
# Chinese characters and punctuation: written without spaces, but lines can break between most of
# them, and no line starts with a comma or full stop.
CHINESE = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_HAS_CHINESE = re.compile(f"[{CHINESE}]")
# Longer words may be broken anywhere, as a long path is wider than any dialog.
_WORD = re.compile(rf"[^\s{CHINESE}]{{61,}}")
# A part of a name with the punctuation after it.
_PARTS = re.compile(r"[^.…]+[.…]*|[.…]+")
_WORDS = re.compile(r"[^_/-]+[_/-]*|[_/-]+")
_NUMBER = re.compile(r"\d+(?:[.,\u00a0\u202f\u2019]\d+)*(?:\s?%)?")
_MAY_BREAK = "\u200b"
_NO_SPACE_AFTER = tuple("。！？；：，")

# Palette roles of the text color of labels; the palette of a theme has a color for each.
Ink = QPalette.ColorRole
TEXT, MUTED, DANGER = Ink.WindowText, Ink.PlaceholderText, Ink.BrightText


def join_sentences(*sentences: str) -> str:
    """Return sentences joined as in the language of the first; empty ones are left out."""
    text = ""
    for sentence in filter(None, sentences):
        text += " " * bool(text and not text.endswith(_NO_SPACE_AFTER)) + sentence
    return text


def as_sentence(text: str) -> str:
    """Return a text with a full stop."""
    return translate("Labels", "{text}.").format(text=text)


def join_facts(*words: str) -> str:
    """Return texts joined by commas, as in a sentence; empty ones are left out."""
    text, *others = list(filter(None, words)) or [""]
    for word in others:
        text = translate("Labels", "{first}, {second}").format(first=text, second=word)
    return text


def join_statements(*statements: str) -> str:
    """Return statements joined for a status line; empty ones are left out."""
    text, *others = list(filter(None, statements)) or [""]
    for statement in others:
        text = translate("Labels", "{first};  {second}").format(first=text, second=statement)
    return text


def with_label(label: str, text: str) -> str:
    """Return "label: text" in the punctuation of the language."""
    return translate("Labels", "{label}: {text}").format(label=label, text=text)


def with_note(text: str, note: str) -> str:
    """Return "text (note)" in the punctuation of the language."""
    return translate("Labels", "{text} ({note})").format(text=text, note=note)


def join_names(*names: str) -> str:
    """Return names joined by the list separator of the language; empty ones are left out."""
    text, *others = list(filter(None, names)) or [""]
    for name in others:
        text = translate("Labels", "{first}, {name}").format(first=text, name=name)
    return text


def elide_text(
    text: str,
    metrics: QFontMetrics | QFontMetricsF,
    width: float,
    mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
) -> str:
    """Return a text elided to a width in pixels, never within a number.

    A part of a number would be another number: ``1,003 weights`` is not elided to ``…3 weights``.
    The text is returned unchanged if it fits; otherwise the result may be shorter than necessary.
    """
    shown = metrics.elidedText(text, mode, int(width))
    if shown == text:
        return text
    for cut in re.finditer("…", shown):
        head, tail = shown[: cut.start()], shown[cut.end() :]
        if not (text.startswith(head) and text.endswith(tail)):  # an ellipsis of the text itself
            continue
        first, last = len(head), len(text) - len(tail)
        for number in _NUMBER.finditer(text):
            if number.start() < first < number.end():
                head = text[: number.start()]
            if number.start() < last < number.end():
                tail = text[number.end() :]
        return f"{head}…{tail}"
    return shown


_SIGN = re.compile("([▲■✕]) ")


def wrap_text(text: str, font: QFont, width: int, most: int) -> list[str]:
    """Return a text in at most `most` lines of a width in pixels; the last one may be elided.

    There is no line break after a sign such as ▲ at the start of a sentence.
    """
    layout = QTextLayout(_SIGN.sub("\\1\u00a0", text), font)  # of the same length
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    starts: list[int] = []
    layout.beginLayout()
    while len(starts) <= most and (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        starts.append(line.textStart())
    layout.endLayout()
    lines = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    last = "".join(lines[most - 1 :])
    if len(lines) > most:
        last = elide_text(last, QFontMetrics(font), width, Qt.TextElideMode.ElideRight)
    return [line for line in (*lines[: most - 1], last) if line]


def letter_width(widget: QWidget) -> int:
    """Return the width of an average letter, the unit of widths in characters.

    The average width of a font with Chinese characters is twice that of Latin letters.
    """
    metrics = widget.fontMetrics()
    return min(metrics.averageCharWidth(), metrics.horizontalAdvance("0"))


class Label(QLabel):
    """A label with space for diacritics that extend above a line, as on capitals in some fonts.

    The label keeps its largest height, so that the layout does not change with the text.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._margins = QMargins()
        self._extra_height = 0
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        self._update_margins()

    def setContentsMargins(self, *margins: Any) -> None:
        """Set the margins; those above and below may be increased for the text."""
        self._margins = QMargins(*margins)
        self._update_margins()

    def changeEvent(self, event: QEvent) -> None:
        """Adapt the margins to a new font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._extra_height = 0
            self._update_margins()

    def _update_margins(self) -> None:
        self._extra_height = max(self._extra_height, room_above(super().text(), self.fontMetrics()))
        # Below as well, so that the text stays aligned with other vertically centered widgets.
        super().setContentsMargins(
            self._margins | QMargins(0, self._extra_height, 0, self._extra_height)
        )


def room_above(text: str, metrics: QFontMetrics) -> int:
    """Return by how many pixels the first line of a text exceeds the ascent of the font."""
    first = within_reason(text.partition("\n")[0])
    if first.isascii() or _HAS_CHINESE.search(first):  # lines with Chinese characters are higher
        return 0
    return max(0, -metrics.tightBoundingRect(first).top() - metrics.ascent())


class ElidedLabel(Label):
    """One line of plain text that is elided in the middle.

    Before that, tensor names are replaced by their short forms. Tooltip and context menu provide
    the whole text.
    """

    # The middle for names; the right for sentences and numbers.
    elide = Qt.TextElideMode.ElideMiddle
    widest = 600  # pixels, of `sizeHint`

    def __init__(self, text: str = "", parent: QWidget | None = None, *, ink: Ink = TEXT) -> None:
        super().__init__(parent=parent)
        self._short_names: ShortNames | None = None
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setForegroundRole(ink)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Set the text, also as tooltip and accessible description.

        Control characters such as line breaks are escaped.
        """
        text = on_one_line(text)
        if text == self.text():
            return
        super().setText(text)
        self.setToolTip(as_plain(self.text()))
        # otherwise the tooltip with its markup is read aloud
        self.setAccessibleDescription(self.text())
        self.updateGeometry()

    def set_names(self, names: ShortNames) -> None:
        """Set the short forms of tensor names."""
        self._short_names = names
        self.update()

    @property
    def _names(self) -> ShortNames:
        """The short forms of tensor names; none before a file is open."""
        if self._short_names is None:
            from pruneapp.gui.widgets.short_names import ShortNames

            self._short_names = ShortNames()
        return self._short_names

    def sizeHint(self) -> QSize:
        """Return the size of the whole text, at most `widest`."""
        margins = self.contentsMargins()
        width = self.fontMetrics().horizontalAdvance(self.text()[:400]) + 2
        return QSize(
            min(width, self.widest) + margins.left() + margins.right(),
            self.minimumSizeHint().height(),
        )

    def minimumSizeHint(self) -> QSize:
        """Return a minimum size that fits a few letters."""
        height = self.fontMetrics().height() + 2 + 2 * self._extra_height
        return QSize(letter_width(self) * 6, height)

    def shortened(self, width: int) -> str:
        """Return the text as shown at a width in pixels.

        If the text is too wide, tensor names are replaced by their short forms (see `set_names`).
        If it still is, it is elided.
        """
        text = within_reason(self.text())
        if self._short_names is not None and self.fontMetrics().horizontalAdvance(text) > width:
            text = self._short_names.in_text(text)
        return elide_text(text, self.fontMetrics(), width, self.elide)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the text as `shortened` to the current width, and the focus frame."""
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        rect = self.contentsRect()
        text = self.shortened(rect.width())
        self.style().drawItemText(
            painter,
            rect,
            int(self.alignment() | Qt.AlignmentFlag.AlignVCenter),
            self.palette(),
            self.isEnabled(),
            text,
            self.foregroundRole(),
        )
        if self.hasFocus():
            self.style().drawPrimitive(
                QStyle.PrimitiveElement.PE_FrameFocusRect, option, painter, self
            )
        painter.end()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show a menu that copies the whole text."""
        menu = QMenu(self)
        copy = menu.addAction(self.tr("Copy"))
        if menu.exec(event.globalPos()) is copy:
            QGuiApplication.clipboard().setText(self.text())


class Sentences(Label):
    """Plain text that wraps, also within long paths and names."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        self._text = ""
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)

    def setText(self, text: str) -> None:
        """Set the text, with break opportunities in words of more than 60 characters.

        `text` returns it without them, and so does the accessible name, unless another one was set.
        """
        before, self._text = self._text, text
        shown = _WORD.sub(lambda word: _MAY_BREAK.join(word[0]), text)
        super().setText(shown)
        if self.accessibleName() in {"", before}:  # a custom accessible name is kept
            self.setAccessibleName(text if shown != text else "")

    def text(self) -> str:
        """Return the text without the inserted break opportunities."""
        return self._text


class ElidedLines(Label):
    """Plain text with the fixed height of `lines` lines; the tooltip has the whole text."""

    def __init__(self, lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._lines = lines
        self._text = self._tip = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_text(self, text: str, tip: str = "") -> None:
        """Set the text; `tip` is appended to it in the tooltip."""
        self._text, self._tip = text, tip
        self._fit()

    def text(self) -> str:
        return self._text

    @property
    def is_elided(self) -> bool:
        """Whether not all of the text is visible."""
        return super().text().replace("\n", "") != self._text

    def sizeHint(self) -> QSize:
        """Return the height of its lines; the width is ignored."""
        height = self._lines * self.fontMetrics().lineSpacing() + 2 * self._extra_height
        return QSize(0, height)

    minimumSizeHint = sizeHint

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the text for the new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Wrap the text to the width, elide the last line, and set tooltip and accessible name.

        The tooltip has the text only if it is elided.
        """
        text, width = within_reason(on_one_line(self._text)), max(self.width(), 1)
        super().setText("\n".join(wrap_text(text, self.font(), width, self._lines)))
        tip = "\n".join(filter(None, (self._text if self.is_elided else "", self._tip)))
        self.setToolTip(as_plain(tip))
        self.setAccessibleName(self._text)
        self.setAccessibleDescription(self._tip)


def on_one_line(text: str) -> str:
    """Return a text on one line, with control and bidirectional characters escaped."""
    return escape_text(text)


def within_reason(text: str) -> str:
    """Return a text without the middle that no line could show, as measuring it is slow.

    The first and last `_MAX_END_LENGTH` characters, with "…" between them; a shorter text
    unchanged.
    """
    return (
        text
        if len(text) <= 2 * _MAX_END_LENGTH
        else f"{text[:_MAX_END_LENGTH]}…{text[-_MAX_END_LENGTH:]}"
    )


def on_lines(name: str, width: float, advance: Callable[[str], float]) -> list[str]:
    """Return a name broken into lines, each with as many parts as fit into `width`.

    A part, up to a dot, that is wider than a line is broken after one of its words, and a wider
    word anywhere; nothing is left out. `advance` returns the width of a text. At least one line is
    returned, "" for "".
    """
    lines = [""]

    def add(text: str, smaller: Callable[[str], Iterable[str]]) -> None:
        """Append a text to the last line, or to a new one if it does not fit.

        If it is wider than a line, its pieces are added, as `smaller` returns them.
        """
        if advance(lines[-1] + text) <= width:
            lines[-1] += text
        elif advance(text) <= width or len(text) == 1:
            lines.append(text)
        else:
            for piece in smaller(text):
                add(piece, iter)

    for part in _PARTS.findall(name):
        add(part, _WORDS.findall)
    return lines if lines[0] else lines[1:] or lines


def as_plain(text: str) -> str:
    """Return HTML that shows a text literally in a tooltip; "" for ""."""
    escape_text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    lines = escape_text.replace("\n", "<br>")
    return f"<span>{lines}</span>" if text else ""


def heading(text: str, *, wrap: bool = False) -> QLabel:
    """Return a bold label; only headings are bold."""
    label = plain(text, wrap=wrap)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


def label_for(widget: QWidget, text: str) -> QLabel:
    """Return a label that is the buddy of a control."""
    label = plain(text)
    label.setBuddy(widget)
    return label


def plain(text: str = "", *, wrap: bool = False, ink: Ink = TEXT) -> QLabel:
    """Return a label of plain text; `wrap` allows several lines."""
    label = Sentences() if wrap else Label()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(text)
    label.setForegroundRole(ink)
    return label
