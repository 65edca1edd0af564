"""Labels for text that comes from files, and for headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, QMargins, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
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

from pruneapp.errors import escaped
from pruneapp.gui.widgets.safe_paint import reported

if TYPE_CHECKING:  # it imports numpy, and the first picture has labels
    from pruneapp.results.short_names import ShortNames

# Of texts in functions; what is no class has no `tr`.
translate = QCoreApplication.translate


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Mark a text for lupdate, which finds this name; Qt's own is typed to return an object."""
    return text


# Letters of a long text that a line shows at most, at either end.
_ENDS = 500
# Chinese characters and punctuation. They are written without spaces, but make no long word: lines
# break between most of them anyway, and none begins with a comma or full stop.
CHINESE = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_HAS_CHINESE = re.compile(f"[{CHINESE}]")
# A word of more letters may be broken anywhere: no line, or dialog, is as wide as a long path.
_WORD = re.compile(rf"[^\s{CHINESE}]{{61,}}")
# A part of a name, with the signs behind it.
_PARTS = re.compile(r"[^.…]+[.…]*|[.…]+")
_WORDS = re.compile(r"[^_/-]+[_/-]*|[_/-]+")
_NUMBER = re.compile(r"\d+(?:[.,\u00a0\u202f\u2019]\d+)*(?:\s?%)?")
_MAY_BREAK = "\u200b"
_NO_SPACE_BEHIND = tuple("。！？；：，")

# Roles of the palette in which labels are painted; a palette of the theme has a colour for each.
Ink = QPalette.ColorRole
TEXT, MUTED, DANGER = Ink.WindowText, Ink.PlaceholderText, Ink.BrightText


def joined(*sentences: str) -> str:
    """Return sentences one after another, as the language of the first writes them."""
    text = ""
    for sentence in filter(None, sentences):
        text += " " * bool(text and not text.endswith(_NO_SPACE_BEHIND)) + sentence
    return text


def sentence(text: str) -> str:
    """Return a text that is no sentence yet as one: with a full stop."""
    return translate("Labels", "{text}.").format(text=text)


def listed(*words: str) -> str:
    """Return facts with commas between them, as in a sentence; empty ones are left out."""
    text, *others = list(filter(None, words)) or [""]
    for word in others:
        text = translate("Labels", "{first}, {second}").format(first=text, second=word)
    return text


def stated(*statements: str) -> str:
    """Return the statements of a readout, which loses the last ones where room is short."""
    text, *others = list(filter(None, statements)) or [""]
    for statement in others:
        text = translate("Labels", "{first};  {second}").format(first=text, second=statement)
    return text


def labeled(label: str, text: str) -> str:
    """Return a text behind what it is about, with a colon between them."""
    return translate("Labels", "{label}: {text}").format(label=label, text=text)


def noted(text: str, note: str) -> str:
    """Return a text with a note in brackets behind it, which are those of the language."""
    return translate("Labels", "{text} ({note})").format(text=text, note=note)


def enumerated(*names: str) -> str:
    """Return names with the sign between them that the language has in a list; no empty ones."""
    text, *others = list(filter(None, names)) or [""]
    for name in others:
        text = translate("Labels", "{first}, {name}").format(first=text, name=name)
    return text


def elided(
    text: str,
    metrics: QFontMetrics | QFontMetricsF,
    width: float,
    mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
) -> str:
    """Return what fits into a width of a text, without its middle, and no number in part.

    Half of a number would be another one: ``1,003 weights`` is no ``…3 weights``.
    """
    shown = metrics.elidedText(text, mode, int(width))
    if shown == text:
        return text
    for cut in re.finditer("…", shown):
        head, tail = shown[: cut.start()], shown[cut.end() :]
        if not (text.startswith(head) and text.endswith(tail)):  # a sign of the text
            continue
        first, last = len(head), len(text) - len(tail)
        for number in _NUMBER.finditer(text):
            if number.start() < first < number.end():
                head = text[: number.start()]
            if number.start() < last < number.end():
                tail = text[number.end() :]
        return f"{head}…{tail}"
    return shown


def letter_width(widget: QWidget) -> int:
    """Return the width of a usual letter: what widths are counted in.

    The average of a font with Chinese characters is that of these, twice as wide.
    """
    metrics = widget.fontMetrics()
    return min(metrics.averageCharWidth(), metrics.horizontalAdvance("0"))


class Label(QLabel):
    """A label with room for the dots of capital letters, which in some fonts reach above a line.

    Once a text needed it, the room stays: nothing moves from text to text.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._margins = QMargins()
        self._room = 0
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show `text`."""
        super().setText(text)
        self._make_room()

    def setContentsMargins(self, *margins: Any) -> None:
        """Take margins; above and below they may become more for the sake of the text."""
        self._margins = QMargins(*margins)
        self._make_room()

    def changeEvent(self, event: QEvent) -> None:
        """Make the room that another font needs."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._room = 0
            self._make_room()

    def _make_room(self) -> None:
        self._room = max(self._room, room_above(super().text(), self.fontMetrics()))
        # Below as well: what stands beside it, and is centered too, is on the same line.
        super().setContentsMargins(self._margins | QMargins(0, self._room, 0, self._room))


def room_above(text: str, metrics: QFontMetrics) -> int:
    """Return how many pixels letters of the first line reach above it."""
    first = within_reason(text.partition("\n")[0])
    if first.isascii() or _HAS_CHINESE.search(first):  # with those a line is higher
        return 0
    return max(0, -metrics.tightBoundingRect(first).top() - metrics.ascent())


class ElidedLabel(Label):
    """One line of plain text that loses its middle where room is short.

    Before that, names of tensors in it stand in their shorter forms. The tooltip has the whole, and
    the context menu copies the whole.
    """

    # Where what does not fit is left out: of a name in the middle, of numbers at the end.
    elide = Qt.TextElideMode.ElideMiddle

    def __init__(self, text: str = "", parent: QWidget | None = None, *, ink: Ink = TEXT) -> None:
        super().__init__(parent=parent)
        self._of_file: ShortNames | None = None
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setForegroundRole(ink)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show `text`; line breaks of a hostile name become signs."""
        text = on_one_line(text)
        if text == self.text():
            return
        super().setText(text)
        self.setToolTip(as_plain(self.text()))
        self.setAccessibleDescription(self.text())  # else the tooltip with its markup is read out
        self.updateGeometry()

    def set_names(self, names: ShortNames) -> None:
        """Take the shorter forms of the names of the file."""
        self._of_file = names
        self.update()

    @property
    def _names(self) -> ShortNames:
        """The shorter forms of the names; none before a file is open."""
        if self._of_file is None:
            from pruneapp.results.short_names import ShortNames

            self._of_file = ShortNames()
        return self._of_file

    def sizeHint(self) -> QSize:
        """Ask for the whole text, within reason."""
        margins = self.contentsMargins()
        width = self.fontMetrics().horizontalAdvance(self.text()[:400]) + 2
        return QSize(
            min(width, 600) + margins.left() + margins.right(), self.minimumSizeHint().height()
        )

    def minimumSizeHint(self) -> QSize:
        """Be content with room for a few letters."""
        height = self.fontMetrics().height() + 2 + 2 * self._room
        return QSize(letter_width(self) * 6, height)

    def shortened(self, width: int) -> str:
        """Return what is shown of the text in so many pixels."""
        text = within_reason(self.text())
        if self._of_file is not None and self.fontMetrics().horizontalAdvance(text) > width:
            text = self._of_file.in_text(text)
        return elided(text, self.fontMetrics(), width, self.elide)

    @reported
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint what fits."""
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
        """Offer to copy the whole text."""
        menu = QMenu(self)
        copy = menu.addAction(self.tr("Copy"))
        if menu.exec(event.globalPos()) is copy:
            QGuiApplication.clipboard().setText(self.text())


class Sentences(Label):
    """Plain text that goes on below where room is short, also within a path or name."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        self._text = ""
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)

    def setText(self, text: str) -> None:
        """Show `text`."""
        before, self._text = self._text, text
        shown = _WORD.sub(lambda word: _MAY_BREAK.join(word[0]), text)
        super().setText(shown)
        if self.accessibleName() in {"", before}:  # what is read out is not interrupted
            self.setAccessibleName(text if shown != text else "")

    def text(self) -> str:
        """Return the text as it was set."""
        return self._text


class ElidedLines(Label):
    """Plain text that is always as high as so many lines; the tooltip has what does not fit."""

    def __init__(self, lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._lines = lines
        self._text = self._tip = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_text(self, text: str, tip: str = "") -> None:
        """Show `text`, and `tip` as more of it in the tooltip."""
        self._text, self._tip = text, tip
        self._fit()

    def text(self) -> str:
        """Return the text as it was set."""
        return self._text

    @property
    def is_elided(self) -> bool:
        """Whether only the tooltip has the whole text."""
        return super().text().replace("\n", "") != self._text

    def sizeHint(self) -> QSize:
        """Ask for the height of its lines."""
        height = self._lines * self.fontMetrics().lineSpacing() + 2 * self._room
        return QSize(0, height)

    minimumSizeHint = sizeHint

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the text anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        text, width = within_reason(on_one_line(self._text)), max(self.width(), 1)
        layout = QTextLayout(text, self.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        starts: list[int] = []
        layout.beginLayout()
        while len(starts) <= self._lines and (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            starts.append(line.textStart())
        layout.endLayout()
        lines = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
        last = "".join(lines[self._lines - 1 :])
        if len(lines) > self._lines:
            last = elided(last, self.fontMetrics(), width, Qt.TextElideMode.ElideRight)
        super().setText("\n".join(filter(None, (*lines[: self._lines - 1], last))))
        tip = "\n".join(filter(None, (self._text if self.is_elided else "", self._tip)))
        self.setToolTip(as_plain(tip))
        self.setAccessibleName(self._text)
        self.setAccessibleDescription(self._tip)


def on_one_line(text: str) -> str:
    """Return `text` of one line that reads from left to right, whatever a hostile name holds."""
    return escaped(text)


def within_reason(text: str) -> str:
    """Return `text` without the middle that no line could show; measuring that takes long."""
    return text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}…{text[-_ENDS:]}"


def on_lines(name: str, width: float, advance: Callable[[str], float]) -> list[str]:
    """Return the lines of a name that is too long for one: each holds as many parts as fit.

    A part that is wider than a line is broken behind one of its words, a word that is wider
    anywhere; nothing is left out.
    """
    lines = [""]

    def add(text: str, smaller: Callable[[str], Iterable[str]]) -> None:
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
    """Return `text` so that a tooltip shows it as it is, even if it looks like HTML."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    lines = escaped.replace("\n", "<br>")
    return f"<span>{lines}</span>" if text else ""


def heading(text: str, *, wrap: bool = False) -> QLabel:
    """Return a heading: the only place for bold."""
    label = plain(text, wrap=wrap)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


def label_for(widget: QWidget, text: str) -> QLabel:
    """Return a label that names a control, to screen readers as well."""
    label = plain(text)
    label.setBuddy(widget)
    return label


def plain(text: str = "", *, wrap: bool = False, ink: Ink = TEXT) -> QLabel:
    """Return a label that takes its text as it is."""
    label = Sentences() if wrap else Label()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(text)
    label.setForegroundRole(ink)
    return label
