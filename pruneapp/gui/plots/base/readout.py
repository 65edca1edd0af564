"""Readout and legend of a plot, its square buttons, and the formatting of values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QLinearGradient,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from pruneapp.gui.widgets.labels import (
    TEXT,
    ElidedLabel,
    Ink,
    as_plain,
    elide_text,
    join_names,
    join_sentences,
    letter_width,
    on_one_line,
    within_reason,
    wrap_text,
)
from pruneapp.gui.widgets.number_format import locale
from pruneapp.gui.widgets.safe_paint import saved_painter_state
from pruneapp.gui.widgets.sparsity_bar import hatch

_SECOND_WIDGET_GAP = 16
_BOTH_LETTERS = 150  # of the readout and the second widget, if both are in one line
_MAX_MEASURED_LENGTH = 1000  # characters of a text that fills any line


class Readout(ElidedLabel):
    """One or more lines of text that is elided at its end: the start is needed most.

    The height is that of its lines, and the text is not passed to QLabel: setting the text of a
    label invalidates the layout of all parents up to the docks, here with each mouse move.
    """

    textChanged = Signal()  # another text is shown

    elide = Qt.TextElideMode.ElideRight

    def __init__(self) -> None:
        self._text = ""
        self._lines = 1
        super().__init__("")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_lines(self, lines: int) -> None:
        """Set the number of lines that the text may take."""
        self._lines = lines
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        size = super().minimumSizeHint()
        return size + QSize(0, (self._lines - 1) * self.fontMetrics().lineSpacing())

    def text(self) -> str:
        return self._text

    def shortened(self, width: int) -> str:
        """Return the text as shown at a width in pixels.

        If the text is too wide, tensor names are replaced by their short forms (see `set_names`).
        If it still is, it is wrapped to the lines, and the last one is elided. A single line is cut
        after the last complete part that fits, followed by "…"; parts end with ";". If not even one
        part fits, the text is elided within it.
        """
        shown = super().shortened(width)
        if self._lines > 1 and shown != within_reason(self._text):
            text = self._names.in_text(within_reason(self._text))
            return "\n".join(wrap_text(text, self.font(), width, self._lines))
        last = max(map(shown.rfind, ";；"))
        if last < 0 or shown == self._text or not shown.endswith("…"):
            return shown
        return join_sentences(shown[: last + 1], "…")

    def setText(self, text: str) -> None:
        """Set the text, the tooltip and the text for screen readers.

        Line breaks are removed. Emits `textChanged` if the text differs.
        """
        text = on_one_line(text)
        if text == self._text:
            return
        self._text = text
        self.setToolTip(as_plain(text))
        self.setAccessibleName(text)
        # Without it a screen reader reads the tooltip with its markup.
        self.setAccessibleDescription(text)
        self.update()
        self.textChanged.emit()


class ReadoutRow(QWidget):
    """The readout, and in the remaining width an optional second widget of one line.

    The second widget is below the readout if the row has fewer than `_BOTH_LETTERS` letters, and
    the window is not low. This does not depend on the texts, so that nothing moves with them.

    Without a layout, for the reason given in `Readout`.
    """

    def __init__(self, readout: Readout) -> None:
        super().__init__()
        self._readout = readout
        self._second_widget: QLabel | None = None
        self._button: QPushButton | None = None
        self._is_low = False
        readout.setParent(self)
        readout.textChanged.connect(self._place)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_second_widget(self, widget: QLabel) -> None:
        """Set the second widget; it is reparented to this line."""
        self._second_widget = widget
        widget.setParent(self)
        widget.show()
        self.updateGeometry()
        self._place()

    def set_low(self, *, low: bool) -> None:
        """Set whether the window is low: then the row has one line."""
        self._is_low = low
        self.updateGeometry()
        self._place()

    def _has_second_widget(self) -> bool:
        return self._second_widget is not None and self._second_widget.parentWidget() is self

    def _has_two_lines(self) -> bool:
        is_narrow = self.width() < _BOTH_LETTERS * letter_width(self)
        return is_narrow and not self._is_low and self._has_second_widget()

    def set_button(self, button: QPushButton) -> None:
        """Set a button after the text; the row has its height also while it is hidden."""
        self._button = button
        button.setParent(self)
        self.updateGeometry()
        self._place()

    def show_button(self, *, shown: bool) -> None:
        """Show or hide the button; without it, the text has the width of the row."""
        if self._button is not None:
            self._button.setVisible(shown)
            self._place()

    def sizeHint(self) -> QSize:
        height = self._readout.sizeHint().height()
        if self._button is not None:
            height = max(height, self._button.sizeHint().height())
        if self._has_two_lines() and self._second_widget is not None:
            height += self._second_widget.sizeHint().height()
        return QSize(0, height)

    minimumSizeHint = sizeHint

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()
        self._place()

    def _place(self) -> None:
        width, height = self.width(), self.height()
        left = width
        if self._button is not None:
            size = self._button.sizeHint()
            text_width = self.fontMetrics().horizontalAdvance(
                self._readout.text()[:_MAX_MEASURED_LENGTH]
            )
            if not self._button.isHidden():
                left = max(0, min(text_width + 2, width - size.width() - _GAP))
            self._button.setGeometry(left + _GAP, (height - size.height()) // 2, *size.toTuple())
        if self._second_widget is not None and self._has_two_lines():
            below = self._second_widget.sizeHint().height()
            height = max(0, height - below)
            self._second_widget.setAlignment(_MIDDLE | Qt.AlignmentFlag.AlignLeft)
            self._second_widget.setGeometry(0, height, width, below)
        elif self._second_widget is not None and self._has_second_widget():
            text_width = self.fontMetrics().horizontalAdvance(
                self._readout.text()[:_MAX_MEASURED_LENGTH]
            )
            left = min(width, text_width + _SECOND_WIDGET_GAP if text_width else 0)
            self._second_widget.setAlignment(_MIDDLE | Qt.AlignmentFlag.AlignRight)
            self._second_widget.setGeometry(left, 0, width - left, height)
        self._readout.setGeometry(0, 0, left, height)


class _SquareButton(QToolButton):
    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        side = self.fontMetrics().height() + 8
        return QSize(side + 4, side)


class TableButton(_SquareButton):
    """A checkable button with the icon of a table in the text color."""

    def __init__(self) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setToolTip(self.tr("Show the data as a table (T)"))
        self.setAccessibleName(self.tr("Show as a table"))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        color = self.palette().color(QPalette.ColorRole.ButtonText)
        middle = self.rect().center()
        left, top = middle.x() - 6, middle.y() - 5
        painter.setPen(color)
        painter.drawRect(left, top, 13, 11)
        painter.fillRect(left, top, 14, 3, color)
        painter.drawLine(left, top + 7, left + 13, top + 7)
        painter.drawLine(left + 5, top, left + 5, top + 11)
        painter.end()


class MenuButton(_SquareButton):
    """A button with three dots in the text color that opens a menu."""

    def __init__(self) -> None:
        super().__init__()
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolTip(self.tr("Copy or save this picture and its data"))
        self.setAccessibleName(self.tr("Copy or save"))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the button without the menu arrow, and the dots."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.features = QStyleOptionToolButton.ToolButtonFeature.None_
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.palette().color(group, QPalette.ColorRole.ButtonText))
        middle = QRectF(self.rect()).center()
        for step in (-5, 0, 5):
            painter.drawEllipse(middle + QPointF(step, 0), 1.6, 1.6)
        painter.end()


def value_text(value: float, digits: int = 7) -> str:
    """Format a number with at most `digits` significant digits in the user's locale.

    Below 1e-5, and from ``10 ** digits`` on, with an exponent. "NaN", "∞" and "−∞" are possible.
    """
    value = float(value)  # Qt does not accept NumPy scalars
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    form = "g" if -5 <= exponent < digits else "e"
    return locale().toString(value, form, digits if form == "g" else digits - 1).replace("-", "−")


_SWATCH = 12
_RAMP = 36
_GAP = 6
_SPACE = 12
_DASHES = Qt.PenStyle.DotLine  # dashes are too long for a swatch
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_WRAPPED = int(_MIDDLE | Qt.TextFlag.TextWordWrap)
_MIN_TEXT_LETTERS = 24  # minimum width of an entry of text only, which is wrapped


@dataclass(frozen=True)
class Swatch:
    """An entry of a legend: a sample of color and a label."""

    label: str
    colors: tuple[str, ...]  # one color, several for a ramp, none for text only
    hatched: bool = False  # striped, in its color and the background or in two colors
    before: str = ""  # text to the left of the swatch
    outlined: bool = False  # with the double outline of protected bars
    dashed: bool = False  # with the dashed outline of partly protected bars
    tip: str = ""  # sentence for the tooltip, if the label is not enough
    sides: int | None = None  # corners of a marker, 0 for a circle; None for an area
    is_open: bool = False  # whether a marker is not filled
    line: bool = False  # a dashed line instead of an area
    # The widest label; its width is reserved, so that the gradient keeps its width.
    widest: str = ""

    @property
    def is_ramp(self) -> bool:
        """Whether the swatch is a color gradient."""
        return len(self.colors) > 1 and not self.hatched


def paint_point(painter: QPainter, middle: QPointF, sides: int, radius: float) -> None:
    """Paint a marker with `sides` corners, one of them at the top; 0 paints a circle.

    A negative number turns the marker, so that a side is at the top: -4 is a square, 4 a diamond.
    Pen and brush are those of `painter`. A polygon reaches beyond `radius`, to look as large as a
    circle.
    """
    if not sides:
        painter.drawEllipse(middle, radius, radius)
        return
    count = abs(sides)
    turns = [2 * math.pi * (n + 0.5 * (sides < 0)) / count for n in range(count)]
    high = 1.3 * radius  # polygons look smaller than a circle of the same radius
    painter.drawPolygon([middle + QPointF(high * math.sin(t), -high * math.cos(t)) for t in turns])


def _words(entry: Swatch) -> str:
    return f"{entry.before} … {entry.label}" if entry.before else entry.label


class Legend(QWidget):
    """A row of swatches, wrapped to more lines if the width is too small.

    `ramp_widget`, if there is one, is shown instead of the sample of a color gradient. In a
    `low` legend it is narrow, and no higher than a line of text.
    """

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[Swatch, ...] = ()
        self.low = False
        self._ramp_widget: QWidget | None = None
        self._reserved = 0  # minimum width of the label of the color gradient
        # by width and `low`; a new layout of the window asks hundreds of times
        self._heights: dict[tuple[int, bool], int] = {}
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_entries(self, entries: Sequence[Swatch]) -> None:
        if tuple(entries) == self.entries:
            return
        before = self._sizes()
        self.entries = tuple(entries)
        self.setAccessibleName(self.tr("Legend: {words}").format(words=join_names(*self.words())))
        self.setToolTip("\n".join(e.tip for e in self.entries if e.tip))
        self._reserve()
        self._place_ramp_widget()
        if self._sizes() != before:  # a new layout of the window takes longer than the rest
            self.updateGeometry()
        self.update()

    def _sizes(self) -> tuple[QSize, QSize, int]:
        return self.sizeHint(), self.minimumSizeHint(), self.heightForWidth(self.width())

    def _reserve(self) -> None:
        """Keep the width of the longest label while the user operates the widget next to it.

        In a corner, the widget would move under the mouse.
        """
        self._heights.clear()
        widget = self._ramp_widget
        if widget is not None and not (widget.hasFocus() or widget.underMouse()):
            self._reserved = 0
        self._reserved = max((self._label_width(e) for e in self.entries if e.is_ramp), default=0)

    def set_ramp_widget(self, widget: QWidget) -> None:
        """Show a widget in place of the color gradient; it is reparented to the legend.

        The legend always has room for its height, so that nothing moves when it is hidden.
        """
        self._ramp_widget = widget
        self._heights.clear()
        widget.setParent(self)
        self._place_ramp_widget()

    def set_low(self, *, low: bool) -> None:
        """Set whether the color gradient is narrow, and no higher than a line of text."""
        if low == self.low:
            return
        self.low = low
        self._place_ramp_widget()
        self.updateGeometry()

    def words(self) -> list[str]:
        """Return the texts of the entries, in order."""
        return [_words(entry) for entry in self.entries]

    def sizeHint(self) -> QSize:
        width = self._line_width(narrow=self.low)
        return QSize(width + 2, self._first_height(low=self.low))

    def minimumSizeHint(self) -> QSize:
        words = letter_width(self) * _MIN_TEXT_LETTERS
        widths = (
            width if entry.is_ramp else min(width, words)
            for entry in self.entries
            for width in (self._width(entry, narrow=True),)
        )
        width = max(widths, default=0)
        return QSize(width + 2, self._first_height(low=self.low))

    def heightForWidth(self, width: int) -> int:
        return self.height_for(width, low=self.low)

    def height_for(self, width: int, *, low: bool) -> int:
        """Return the height at a width, `low` or not."""
        height = self._heights.get((width, low))
        if height is None:
            places = self._places(width, low=low)
            height = places[-1].bottom() + 1 if places else self._first_height(low=low)
            self._heights[width, low] = height
        return height

    def changeEvent(self, event: QEvent) -> None:
        self._heights.clear()  # the font may be another one
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_ramp_widget()

    def _place_ramp_widget(self) -> None:
        widget = self._ramp_widget
        if widget is None:
            return
        places = self._places(self.width(), low=self.low)
        place = next((p for e, p in zip(self.entries, places, strict=True) if e.is_ramp), None)
        widget.setVisible(place is not None)
        if place is not None:
            width = place.width() - self._label_width(next(e for e in self.entries if e.is_ramp))
            widget.setGeometry(place.left(), place.top(), width - _GAP, place.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint_entries(painter)
        painter.end()

    def paint_entries(self, painter: QPainter) -> None:
        """Paint the legend at the origin of `painter`, in the font and colors of this widget."""
        painter.setFont(self.font())
        places = self._places(self.width(), low=self.low)
        for entry, place in zip(self.entries, places, strict=True):
            self._paint_entry(painter, entry, place)

    def _line_height(self) -> int:
        return max(_SWATCH, self.fontMetrics().height()) + 4

    def _line_width(self, *, narrow: bool = False) -> int:
        """Return the width of all entries in one line."""
        widths = sum(self._width(entry, narrow=narrow) for entry in self.entries)
        return widths + _SPACE * max(0, len(self.entries) - 1)

    def _first_height(self, *, low: bool) -> int:
        """Return the height of the line with the color gradient, or else of the first line."""
        widget = self._ramp_widget
        return max(self._line_height(), 0 if low or widget is None else widget.sizeHint().height())

    def _places(self, available: int, *, low: bool) -> list[QRect]:
        """Return the rectangle of each entry, wrapped at `available` pixels.

        A wider entry takes a whole line and is elided, or several lines if it is only text. The
        color gradient shrinks so that all entries fit into one line. All entries of a line have its
        height.
        """
        missing = max(0, self._line_width() - available)
        lines: list[list[tuple[int, int]]] = []  # left and width of the entries
        heights: list[int] = []
        high = 0  # the line of the color gradient
        right = available + 1
        for entry in self.entries:
            width = self._width(entry, narrow=low)
            if not entry.is_ramp:
                width = min(width, available)
            else:
                width = max(self._width(entry, narrow=True), width - missing)
            if not lines or right + _SPACE + width > available:
                lines.append([])
                heights.append(self._line_height())
                right = -_SPACE
            if not entry.colors:
                heights[-1] = max(heights[-1], self._text_height(entry.label, width))
            lines[-1].append((right + _SPACE, width))
            right += _SPACE + width
            if entry.is_ramp:
                high = len(lines) - 1
        places: list[QRect] = []
        top = 0
        for number, (line, least) in enumerate(zip(lines, heights, strict=True)):
            height = max(least, self._first_height(low=low) if number == high else 0)
            places += [QRect(left, top, width, height) for left, width in line]
            top += height
        return places

    def _text_height(self, text: str, width: int) -> int:
        """Return the height of a text that is wrapped at `width` pixels."""
        return self.fontMetrics().boundingRect(QRect(0, 0, width + 1, 0), _WRAPPED, text).height()

    def _label_width(self, entry: Swatch) -> int:
        if not entry.is_ramp or self._ramp_widget is None:
            return self.fontMetrics().horizontalAdvance(entry.label)
        texts = _words(entry), _words(replace(entry, label=entry.widest or entry.label))
        return max(self._reserved, *map(self.fontMetrics().horizontalAdvance, texts))

    def _width(self, entry: Swatch, *, narrow: bool = False) -> int:
        label = self._label_width(entry)
        if not entry.colors:
            return label
        if entry.is_ramp and (widget := self._ramp_widget) is not None:
            hint = widget.minimumSizeHint() if narrow else widget.sizeHint()
            return hint.width() + _GAP + label
        before = self.fontMetrics().horizontalAdvance(entry.before) + _GAP if entry.before else 0
        swatch = _RAMP if entry.is_ramp else _SWATCH
        return before + swatch + _GAP + label

    def _paint_entry(self, painter: QPainter, entry: Swatch, place: QRect) -> None:
        left, top, height = place.left(), place.top(), place.height()
        painter.setPen(self.palette().color(TEXT))
        if entry.is_ramp and self._ramp_widget is not None:
            label = place.adjusted(place.width() - self._label_width(entry), 0, 1, 0)
            painter.drawText(label, _MIDDLE, _words(entry))
            return
        if entry.before:
            width = self.fontMetrics().horizontalAdvance(entry.before)
            painter.drawText(left, top, width, height, _MIDDLE, entry.before)
            left += width + _GAP
        if not entry.colors:
            painter.drawText(place.adjusted(0, 0, 1, 0), _WRAPPED, entry.label)
            return
        wide = _RAMP if entry.is_ramp else _SWATCH
        rect = QRect(left, top + (height - _SWATCH) // 2, wide, _SWATCH)
        if entry.line:
            painter.setPen(QPen(QColor(entry.colors[0]), 2, Qt.PenStyle.DashLine))
            painter.drawLine(left, rect.center().y(), left + wide, rect.center().y())
        elif entry.sides is None:
            painter.fillRect(rect, self._brush(entry, rect))
        else:
            ink = QColor(entry.colors[0])
            with saved_painter_state(painter):
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(QPen(ink, 2 if entry.is_open else 1))
                painter.setBrush(Qt.BrushStyle.NoBrush if entry.is_open else ink)
                paint_point(painter, QRectF(rect).center(), entry.sides, _SWATCH / 2 - 2)
        if entry.hatched or entry.is_ramp:
            painter.setPen(QPen(self.palette().color(Ink.Mid), 1))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        if entry.dashed:
            for color, style in (("#000000", Qt.PenStyle.SolidLine), ("#ffffff", _DASHES)):
                painter.setPen(QPen(QColor(color), 2, style, Qt.PenCapStyle.FlatCap))
                painter.drawRect(rect.adjusted(1, 1, -1, -1))
        elif entry.outlined:
            for inset, color in ((0, "#000000"), (2, "#ffffff"), (4, "#000000")):
                painter.setPen(QPen(QColor(color), 1))
                painter.drawRect(rect.adjusted(inset, inset, -inset - 1, -inset - 1))
        painter.setPen(self.palette().color(TEXT))
        left += wide + _GAP
        text, room = entry.label, place.right() + 1 - left
        if self.fontMetrics().horizontalAdvance(text) > room:
            text = elide_text(text, self.fontMetrics(), room)
        painter.drawText(left, top, place.right() + 2 - left, height, _MIDDLE, text)

    def _brush(self, entry: Swatch, rect: QRect) -> QBrush:
        if entry.hatched:
            color, ground = (*entry.colors, self.palette().base().color().name())[:2]
            return hatch(color, ground, self.devicePixelRatioF())
        if len(entry.colors) == 1:
            return QBrush(QColor(entry.colors[0]))
        gradient = QLinearGradient(rect.topLeft(), rect.topRight())
        for i, color in enumerate(entry.colors):
            gradient.setColorAt(i / (len(entry.colors) - 1), QColor(color))
        return QBrush(gradient)
