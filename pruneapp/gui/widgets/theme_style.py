"""Fusion, with outlines that can be seen on a dark window, and whole words on tabs.

Fusion derives the outlines of check boxes, radio buttons, fields and tabs by darkening the
window's colour, which leaves almost nothing of them where the window is dark already.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPalette, QPen
from PySide6.QtWidgets import (
    QProxyStyle,
    QStyle,
    QStyleOption,
    QStyleOptionComplex,
    QStyleOptionHeader,
    QStyleOptionTab,
    QTabBar,
    QWidget,
)

from pruneapp.gui.widgets.safe_paint import saved

_RADIUS = 2.0
# Fusion moves the words of the tabs behind down, and cuts off what hangs below the line.
_TAB_ROOM = 2
_ARROW_GAP = 6
# Percent by which Fusion darkens the window's colour for an outline.
_DARKER = 140
_FOCUS = QPalette.ColorRole.Highlight
_WINDOW = QPalette.ColorRole.Window
_SAME_HUE, _GREY = 12, 60  # degrees; of 255


class Style(QProxyStyle):
    """Draws the outlines of indicators and fields from the palette, the rest as Fusion does.

    It overrides only what draws. What measures and hints (`subElementRect`, `pixelMetric`,
    `styleHint`, `polish`, ...) Qt asks from constructors of widgets, too: an exception there, or a
    wrapper of what has no wrapper yet, ends the process.
    """

    def __init__(self) -> None:
        super().__init__("Fusion")

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw check boxes, radio buttons and the frames of fields."""
        if element == QStyle.PrimitiveElement.PE_IndicatorCheckBox:
            _draw_check_box(option, painter)
        elif element == QStyle.PrimitiveElement.PE_IndicatorRadioButton:
            _draw_radio_button(option, painter)
        elif element == QStyle.PrimitiveElement.PE_FrameLineEdit:
            _draw_field(option, painter)
        else:
            super().drawPrimitive(element, option, painter, widget)
        if element == QStyle.PrimitiveElement.PE_PanelButtonCommand and _is_accented(option):
            _draw_focus(option, painter)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the shapes of tabs, and their words with room for letters like g."""
        if element == QStyle.ControlElement.CE_TabBarTabLabel:
            with _higher(option, _TAB_ROOM):
                super().drawControl(element, option, painter, widget)
            return
        if element == QStyle.ControlElement.CE_HeaderLabel:
            with _beside_arrow(option):
                super().drawControl(element, option, painter, widget)
            return
        super().drawControl(element, option, painter, widget)
        if element == QStyle.ControlElement.CE_TabBarTabShape and _is_dark(option.palette):
            assert isinstance(option, QStyleOptionTab), "the shape of a tab has a tab's option"
            _draw_tab_outline(option, painter)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw boxes for numbers."""
        if control == QStyle.ComplexControl.CC_SpinBox:
            with _outlined(option):
                super().drawComplexControl(control, option, painter, widget)
        else:
            super().drawComplexControl(control, option, painter, widget)


@contextmanager
def _higher(option: QStyleOption, room: int) -> Iterator[None]:
    """Let Fusion draw as if there was so much more room above and below."""
    before = QRect(option.rect)
    option.rect = before.adjusted(0, -room, 0, room)
    try:
        yield
    finally:
        option.rect = before


@contextmanager
def _beside_arrow(option: QStyleOption) -> Iterator[None]:
    """Keep a heading clear of its sort arrow, which Fusion draws over the last letter."""
    assert isinstance(option, QStyleOptionHeader), "the heading of a column has a header's option"
    before = QRect(option.rect)
    if option.sortIndicator != QStyleOptionHeader.SortIndicator.None_:
        option.rect = before.adjusted(0, 0, -_ARROW_GAP, 0)
    try:
        yield
    finally:
        option.rect = before


@contextmanager
def _outlined(option: QStyleOption) -> Iterator[None]:
    """Let Fusion draw an outline in the palette's colour of borders, instead of the window's."""
    before = QPalette(option.palette)
    palette = QPalette(before)
    border = palette.color(QPalette.ColorRole.Mid)
    palette.setColor(_WINDOW, border.lighter(_DARKER))
    option.palette = palette
    try:
        yield
    finally:
        option.palette = before


def _draw_check_box(option: QStyleOption, painter: QPainter) -> None:
    box = _square(option)
    with saved(painter):
        _prepare(option, painter)
        painter.drawRoundedRect(box, _RADIUS, _RADIUS)
        painter.setPen(_mark_pen(option))
        if _has(option, QStyle.StateFlag.State_On):
            mark = QPainterPath(_at(box, 0.22, 0.52))
            mark.lineTo(_at(box, 0.42, 0.72))
            mark.lineTo(_at(box, 0.78, 0.28))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(mark)
        elif _has(option, QStyle.StateFlag.State_NoChange):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            inner = box.toAlignedRect().adjusted(4, 4, -4, -4)
            painter.fillRect(inner, painter.pen().color())


def _draw_radio_button(option: QStyleOption, painter: QPainter) -> None:
    box = _square(option)
    with saved(painter):
        _prepare(option, painter)
        painter.drawEllipse(box)
        if _has(option, QStyle.StateFlag.State_On):
            inner = box.width() * 0.28
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(_mark_pen(option).color())
            painter.drawEllipse(box.adjusted(inner, inner, -inner, -inner))


def _draw_field(option: QStyleOption, painter: QPainter) -> None:
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        role = QPalette.ColorRole.Mid
        if _has(option, QStyle.StateFlag.State_HasFocus):
            role = QPalette.ColorRole.Highlight
        painter.setPen(QPen(option.palette.color(role), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        frame = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)


def _draw_tab_outline(option: QStyleOptionTab, painter: QPainter) -> None:
    """Draw over the line that Fusion draws around a tab above or below its page."""
    below = option.shape == QTabBar.Shape.RoundedSouth
    if not below and option.shape != QTabBar.Shape.RoundedNorth:
        return
    # As Fusion has it: the chosen tab reaches further from the page and nearer to it.
    chosen = _has(option, QStyle.StateFlag.State_Selected)
    away, near = (0, 2) if chosen else (2, 3)
    if below:
        shape = option.rect.adjusted(0, -3, 0, -away)
        seen = option.rect.adjusted(-1, near, 1, 1)
    else:
        shape = option.rect.adjusted(0, away, 0, 3)
        seen = option.rect.adjusted(-1, -1, 1, -near)
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(seen)
        painter.setPen(QPen(option.palette.color(QPalette.ColorRole.Mid), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        frame = QRectF(shape).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)


def _is_dark(palette: QPalette) -> bool:
    """Whether borders are lighter than the window, and Fusion's own lines hardly to be seen."""
    window, border = (palette.color(role) for role in (_WINDOW, QPalette.ColorRole.Mid))
    return border.lightness() > window.lightness()


def _is_accented(option: QStyleOption) -> bool:
    """Whether it is the main action, whose ground has the colour that Fusion shows focus in."""
    palette: QPalette = option.palette
    ground, mark = palette.color(QPalette.ColorRole.Button), palette.color(_FOCUS)
    return abs(ground.hslHue() - mark.hslHue()) < _SAME_HUE and ground.hslSaturation() > _GREY


def _draw_focus(option: QStyleOption, painter: QPainter) -> None:
    if not _has(option, QStyle.StateFlag.State_HasFocus):
        return
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(option.palette.color(QPalette.ColorRole.ButtonText), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(option.rect).adjusted(3, 3, -3, -3), _RADIUS, _RADIUS)


def _prepare(option: QStyleOption, painter: QPainter) -> None:
    palette: QPalette = option.palette
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    focused = _has(option, QStyle.StateFlag.State_HasFocus)
    outline = QPalette.ColorRole.Highlight if focused else QPalette.ColorRole.PlaceholderText
    painter.setPen(QPen(palette.color(outline), 1))
    sunken = _has(option, QStyle.StateFlag.State_Sunken)
    fill = QPalette.ColorRole.Midlight if sunken else QPalette.ColorRole.Base
    painter.setBrush(palette.color(fill))


def _mark_pen(option: QStyleOption) -> QPen:
    palette: QPalette = option.palette
    color: QColor = palette.color(QPalette.ColorRole.Text)
    pen = QPen(color, 1.75)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return pen


def _has(option: QStyleOption, flag: QStyle.StateFlag) -> bool:
    return bool(option.state & flag)


def _square(option: QStyleOption) -> QRectF:
    rect = QRectF(option.rect)
    side = min(rect.width(), rect.height()) - 1
    box = QRectF(0, 0, side, side)
    box.moveCenter(rect.center())
    return box


def _at(box: QRectF, x: float, y: float) -> QPointF:
    return QPointF(box.left() + x * box.width(), box.top() + y * box.height())
