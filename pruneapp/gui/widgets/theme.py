"""Themes: named colors, palettes, a style based on Fusion, and icons.

No style sheets are used, as styled widgets no longer follow the palette. Fusion derives the
outlines of check boxes, radio buttons, fields and tabs by darkening the window color, which makes
them almost invisible in dark themes.

The contrast with the surface is at least 4.5 for text and 3 for marks
(tests/gui/widgets/test_theme.py). Orange always means pruned, blue kept, and violet is the accent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Protocol, cast

from PySide6.QtCore import QByteArray, QObject, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QIcon,
    QImage,
    QPainter,
    QPainterPath,
    QPalette,
    QPen,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QApplication,
    QProxyStyle,
    QPushButton,
    QStyle,
    QStyleOption,
    QStyleOptionComplex,
    QStyleOptionHeader,
    QStyleOptionProgressBar,
    QStyleOptionTab,
    QTabBar,
    QWidget,
)

from pruneapp import resources
from pruneapp.gui.widgets.safe_paint import saved_painter_state

_RADIUS = 2.0
# Fusion moves the text of unselected tabs down, which cuts off descenders.
_TAB_SIDE = 9  # pixels by which the padding of narrow tabs is reduced
_TAB_ROOM = 2
_ARROW_GAP = 6
# Percentage by which Fusion darkens the window color for outlines.
_DARKER = 140
_FOCUS = QPalette.ColorRole.Highlight
_WINDOW = QPalette.ColorRole.Window
_SAME_HUE, _GREY = 12, 60  # hue in degrees; saturation of 255
_HIGH_CONTRAST = 120  # difference of lightness, of 255
_STILL_PROPERTY = "pruneappStill"  # property of the application
_EFFECTS = (
    *(Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_FadeMenu, Qt.UIEffect.UI_AnimateCombo),
    *(Qt.UIEffect.UI_AnimateTooltip, Qt.UIEffect.UI_FadeTooltip, Qt.UIEffect.UI_AnimateToolBox),
)


class Style(QProxyStyle):
    """Draws the outlines of indicators and fields in colors of the palette, the rest as Fusion.

    Only methods that draw are overridden. Qt calls those that measure (`subElementRect`,
    `pixelMetric`, `styleHint`, `polish`, ...) from constructors of widgets, too, where an
    exception, or a Python wrapper of an unfinished object, ends the process.
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
        """Draw indicators, frames of fields, outlines of buttons, and arrows in selected rows."""
        if element == QStyle.PrimitiveElement.PE_IndicatorCheckBox:
            _draw_check_box(option, painter)
        elif element == QStyle.PrimitiveElement.PE_IndicatorRadioButton:
            _draw_radio_button(option, painter)
        elif element == QStyle.PrimitiveElement.PE_FrameLineEdit:
            _draw_field(option, painter)
        elif element == QStyle.PrimitiveElement.PE_IndicatorBranch and _has(
            option, QStyle.StateFlag.State_Selected
        ):
            # All parts in the color of selected text, including those that use the window color.
            ink = option.palette.brush(QPalette.ColorRole.HighlightedText)
            with _recolor(option, QPalette.ColorRole.WindowText, ink):
                super().drawPrimitive(element, option, painter, widget)
        else:
            super().drawPrimitive(element, option, painter, widget)
        if element == QStyle.PrimitiveElement.PE_PanelButtonCommand:
            if _has_high_contrast(option.palette):
                frame = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5)
                _draw_outline(painter, frame, option.palette.color(QPalette.ColorRole.Mid))
            if _is_accented(option):
                _draw_focus(option, painter)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw tabs, headers and progress bars, with corrections to Fusion."""
        if element == QStyle.ControlElement.CE_TabBarTabLabel:
            with _move_edges(option, -_TAB_SIDE, -_TAB_ROOM, _TAB_SIDE, _TAB_ROOM):
                super().drawControl(element, option, painter, widget)
            return
        if element == QStyle.ControlElement.CE_HeaderLabel:
            assert isinstance(option, QStyleOptionHeader), "the heading of a column"
            # Leave space for the sort arrow, which Fusion draws over the last letter.
            plain = option.sortIndicator == QStyleOptionHeader.SortIndicator.None_
            with _move_edges(option, 0, 0, 0 if plain else -_ARROW_GAP, 0):
                super().drawControl(element, option, painter, widget)
            return
        if (
            element == QStyle.ControlElement.CE_ProgressBarContents
            and isinstance(option, QStyleOptionProgressBar)
            and option.maximum == option.minimum
            and _animations_are_off()
        ):
            # Static stripes instead of the animation of an indeterminate bar.
            with saved_painter_state(painter):
                painter.setPen(Qt.PenStyle.NoPen)
                stripes = QBrush(option.palette.color(_FOCUS), Qt.BrushStyle.BDiagPattern)
                painter.setBrush(stripes)
                painter.drawRect(option.rect.adjusted(1, 1, -1, -1))
            return
        super().drawControl(element, option, painter, widget)
        if element == QStyle.ControlElement.CE_TabBarTabShape and (
            _is_dark(option.palette) or _has_high_contrast(option.palette)
        ):
            assert isinstance(option, QStyleOptionTab), "the shape of a tab has a tab's option"
            _draw_tab_outline(option, painter)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw spin boxes with an outline in the border color."""
        if control == QStyle.ComplexControl.CC_SpinBox:
            # Fusion derives the outline from the window color.
            border = option.palette.color(QPalette.ColorRole.Mid)
            with _recolor(option, _WINDOW, border.lighter(_DARKER)):
                super().drawComplexControl(control, option, painter, widget)
        else:
            super().drawComplexControl(control, option, painter, widget)


@contextmanager
def _move_edges(
    option: QStyleOption, left: int, top: int, right: int, bottom: int
) -> Iterator[None]:
    """Move the edges of a style option's rectangle for the duration of the block."""
    before = QRect(option.rect)
    option.rect = before.adjusted(left, top, right, bottom)
    try:
        yield
    finally:
        option.rect = before


@contextmanager
def _recolor(
    option: QStyleOption, role: QPalette.ColorRole, brush: QBrush | QColor
) -> Iterator[None]:
    """Change a brush of the palette of a style option for the duration of the block."""
    before = QPalette(option.palette)
    palette = QPalette(before)
    palette.setBrush(role, brush)
    option.palette = palette
    try:
        yield
    finally:
        option.palette = before


def _draw_check_box(option: QStyleOption, painter: QPainter) -> None:
    """Draw a check box: empty, with a check mark, or partially checked with a square."""
    box = _square(option)
    with saved_painter_state(painter):
        _set_outline(option, painter)
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
    """Draw a radio button, with a dot if it is on."""
    box = _square(option)
    with saved_painter_state(painter):
        _set_outline(option, painter)
        painter.drawEllipse(box)
        if _has(option, QStyle.StateFlag.State_On):
            inner = box.width() * 0.28
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(_mark_pen(option).color())
            painter.drawEllipse(box.adjusted(inner, inner, -inner, -inner))


def _draw_field(option: QStyleOption, painter: QPainter) -> None:
    focused = _has(option, QStyle.StateFlag.State_HasFocus)
    role = QPalette.ColorRole.Highlight if focused else QPalette.ColorRole.Mid
    frame = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5)
    _draw_outline(painter, frame, option.palette.color(role))


def _draw_outline(painter: QPainter, frame: QRectF, color: QColor, width: float = 1) -> None:
    with saved_painter_state(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)


def _draw_tab_outline(option: QStyleOptionTab, painter: QPainter) -> None:
    """Draw over the line that Fusion draws around a tab above or below its page.

    Vertical tabs are left as they are.
    """
    below = option.shape == QTabBar.Shape.RoundedSouth
    if not below and option.shape != QTabBar.Shape.RoundedNorth:
        return
    # Same geometry as Fusion: the selected tab is larger and closer to its page.
    chosen = _has(option, QStyle.StateFlag.State_Selected)
    away, near = (0, 2) if chosen else (2, 3)
    if below:
        shape = option.rect.adjusted(0, -3, 0, -away)
        seen = option.rect.adjusted(-1, near, 1, 1)
    else:
        shape = option.rect.adjusted(0, away, 0, 3)
        seen = option.rect.adjusted(-1, -1, 1, -near)
    with saved_painter_state(painter):
        painter.setClipRect(seen)
        frame = QRectF(shape).adjusted(0.5, 0.5, -0.5, -0.5)
        _draw_outline(painter, frame, option.palette.color(QPalette.ColorRole.Mid))


def _is_dark(palette: QPalette) -> bool:
    """Return whether borders are lighter than the window: Fusion's lines are hardly visible."""
    window, border = (palette.color(role) for role in (_WINDOW, QPalette.ColorRole.Mid))
    return border.lightness() > window.lightness()


def _animations_are_off() -> bool:
    """Return whether animations are turned off, see `ThemeManager.choose_motion`."""
    application = QApplication.instance()
    return application is not None and bool(application.property(_STILL_PROPERTY))


def _has_high_contrast(palette: QPalette) -> bool:
    """Return whether borders have a high contrast with the window."""
    window, border = (palette.color(role) for role in (_WINDOW, QPalette.ColorRole.Mid))
    return abs(border.lightness() - window.lightness()) > _HIGH_CONTRAST


def _is_accented(option: QStyleOption) -> bool:
    """Return whether a button is the main action, which has the color of Fusion's focus."""
    palette: QPalette = option.palette
    ground, mark = palette.color(QPalette.ColorRole.Button), palette.color(_FOCUS)
    return abs(ground.hslHue() - mark.hslHue()) < _SAME_HUE and ground.hslSaturation() > _GREY


def _draw_focus(option: QStyleOption, painter: QPainter) -> None:
    if _has(option, QStyle.StateFlag.State_HasFocus):
        frame = QRectF(option.rect).adjusted(3, 3, -3, -3)
        _draw_outline(painter, frame, option.palette.color(QPalette.ColorRole.ButtonText), 1.5)


def _set_outline(option: QStyleOption, painter: QPainter) -> None:
    """Set pen and brush for the outline of a check box or radio button.

    They depend on focus, press, and whether the row is selected.
    """
    palette: QPalette = option.palette
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    focused = _has(option, QStyle.StateFlag.State_HasFocus)
    outline = QPalette.ColorRole.Highlight if focused else QPalette.ColorRole.PlaceholderText
    if _has(option, QStyle.StateFlag.State_Selected):
        # In a selected row the background shows through: a filled box would look checked.
        painter.setPen(QPen(palette.color(QPalette.ColorRole.HighlightedText), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        return
    painter.setPen(QPen(palette.color(outline), 1))
    sunken = _has(option, QStyle.StateFlag.State_Sunken)
    fill = QPalette.ColorRole.Midlight if sunken else QPalette.ColorRole.Base
    painter.setBrush(palette.color(fill))


def _mark_pen(option: QStyleOption) -> QPen:
    """Return the pen of a check mark, by whether its row is selected."""
    palette: QPalette = option.palette
    selected = _has(option, QStyle.StateFlag.State_Selected)
    role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
    pen = QPen(palette.color(role), 1.75)
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


LIGHT: Mapping[str, str] = MappingProxyType(
    {
        "window": "#f5f6f8",
        "surface": "#ffffff",
        "border": "#c9ced6",
        "track": "#c9ced6",  # empty part of a bar
        "button": "#eceef2",
        "text": "#1b1f24",
        "muted": "#59636e",
        "accent": "#6a3fb0",
        "accent_text": "#ffffff",
        "kept": "#2f6fb0",
        "pruned": "#c4630a",
        "danger": "#b3261e",
        # Colors of lines and markers that do not represent kept or pruned weights. With "kept" and
        # "text" they differ in lightness, so that they are distinct for color-blind users as well.
        "teal": "#0b5e46",
        "magenta": "#cc6a8e",
        "olive": "#9c8400",
        "purple": "#761d81",
    }
)
DARK: Mapping[str, str] = MappingProxyType(
    {
        "window": "#1b1d21",
        "surface": "#24272c",
        "border": "#434952",
        "track": "#434952",
        "button": "#2e3238",
        "text": "#e6e9ed",
        "muted": "#a3acb8",
        "accent": "#b99cf5",
        "accent_text": "#17131f",
        "kept": "#6aa6e0",
        "pruned": "#f2953f",
        "danger": "#ff8a80",
        "teal": "#8fdcb4",
        "magenta": "#dc4f7a",
        "olive": "#f1d025",
        "purple": "#a05cc8",
    }
)
# High contrast: at least 7 for text and 4.5 for marks and outlines.
CONTRAST_LIGHT: Mapping[str, str] = MappingProxyType(
    {
        "window": "#f0f0f0",
        "surface": "#ffffff",
        "border": "#4a4a4a",
        "track": "#d4d4d4",
        "button": "#e4e4e4",
        "text": "#000000",
        "muted": "#333333",
        "accent": "#4a1f8f",
        "accent_text": "#ffffff",
        "kept": "#0b4a86",
        "pruned": "#8f4400",
        "danger": "#8c0f0a",
        "teal": "#0b4a30",
        "magenta": "#b3385f",
        "olive": "#6e5a00",
        "purple": "#4a0f5c",
    }
)
CONTRAST_DARK: Mapping[str, str] = MappingProxyType(
    {
        "window": "#0a0a0a",
        "surface": "#000000",
        "border": "#b4b4b4",
        "track": "#3a3a3a",
        "button": "#1c1c1c",
        "text": "#ffffff",
        "muted": "#dcdcdc",
        "accent": "#d9c2ff",
        "accent_text": "#000000",
        "kept": "#8cc8ff",
        "pruned": "#ffb054",
        "danger": "#ffb3ac",
        "teal": "#2fa567",
        "magenta": "#f08fae",
        "olive": "#f5d570",
        "purple": "#a878d8",
    }
)


def with_defaults(colors: Mapping[str, str]) -> dict[str, str]:
    """Return `colors`, with those of the light theme for missing ones."""
    return {**LIGHT, **colors}


# Object name of the main action button of a window.
MAIN_ACTION = "mainAction"
# Approximate percentage by which Fusion's gradient lightens the color of a button; less for lighter
# colors.
LIT_UP = {"light": 145, "dark": 118, "contrast_light": 145, "contrast_dark": 118}


# Palette roles by color name.
Role = QPalette.ColorRole
_ROLES: Mapping[str, tuple[Role, ...]] = {
    "window": (Role.Window, Role.AlternateBase),
    "text": (Role.WindowText, Role.Text, Role.ButtonText, Role.ToolTipText),
    "surface": (Role.Base, Role.ToolTipBase, Role.Light),
    "button": (Role.Button,),
    "danger": (Role.BrightText,),
    "accent": (Role.Highlight, Role.Accent, Role.Link, Role.LinkVisited),
    "accent_text": (Role.HighlightedText,),
    "muted": (Role.PlaceholderText, Role.Dark),
    "border": (Role.Midlight, Role.Mid),
}


@dataclass(frozen=True)
class Theme:
    """A set of colors by name."""

    name: str
    colors: Mapping[str, str]

    def palette(self) -> QPalette:
        """Return a new palette with the colors of the theme.

        Text of disabled widgets is muted, the background of disabled fields that of the window.
        """
        c = {token: QColor(value) for token, value in self.colors.items()}
        palette = QPalette()
        for token, roles in _ROLES.items():
            for role in roles:
                palette.setColor(role, c[token])
        disabled = QPalette.ColorGroup.Disabled
        for role in (Role.WindowText, Role.Text, Role.ButtonText, Role.HighlightedText):
            palette.setColor(disabled, role, c["muted"])
        palette.setColor(disabled, Role.Base, c["window"])  # not editable
        palette.setColor(disabled, Role.Highlight, c["border"])
        return palette


LIGHT_THEME = Theme("light", LIGHT)
DARK_THEME = Theme("dark", DARK)
THEMES = {
    theme.name: theme
    for theme in (
        *(LIGHT_THEME, DARK_THEME),
        *(Theme("contrast_light", CONTRAST_LIGHT), Theme("contrast_dark", CONTRAST_DARK)),
    )
}


class Colored(Protocol):
    """A view that paints with colors of the theme."""

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Set the colors by name, and repaint."""


class ThemeManager(QObject):
    """Applies the chosen theme, or that of the system; emits `changed` with a new theme.

    `choice` is one of `THEMES` or ``system``. The palette of the application is set when it is
    created; widgets get their colors by `apply_to`.
    """

    changed = Signal(object)

    def __init__(self, application: QApplication, choice: str = "system") -> None:
        super().__init__(application)
        self._application = application
        self._choice = choice
        self._motion, self._reduced = "system", False
        self._effects = {effect for effect in _EFFECTS if application.isEffectEnabled(effect)}
        self.theme = self._resolve()
        hints = application.styleHints()
        hints.colorSchemeChanged.connect(self._refresh)
        if hasattr(hints, "accessibility"):  # Qt 6.10
            hints.accessibility().contrastPreferenceChanged.connect(self._refresh)
        application.setPalette(self.theme.palette())

    def choose(self, choice: str) -> None:
        """Use one of `THEMES`, or follow the ``system``."""
        self._choice = choice
        self._refresh()

    def choose_motion(self, choice: str) -> None:
        """Allow animations (``full``), turn them off (``reduced``), or follow the ``system``."""
        self._motion = choice
        self._update_animations()

    def set_system_motion(self, *, reduced: bool) -> None:
        self._reduced = reduced
        self._update_animations()

    def _update_animations(self) -> None:
        still = self._motion == "reduced" or (self._motion == "system" and self._reduced)
        self._application.setProperty(_STILL_PROPERTY, still)
        for effect in self._effects:
            self._application.setEffectEnabled(effect, not still)

    def apply_to(self, root: QWidget) -> None:
        """Set the theme on `root` and all widgets below it.

        Widgets with a `set_colors` method get the colors, the button of the main action its accent,
        and buttons with a `set_palettes` method palettes with the accent and the danger color. Call
        it again for widgets that were added, and after `changed`.
        """
        for widget in (root, *root.findChildren(QWidget)):
            # isinstance with a protocol takes ten times as long, for a thousand widgets.
            if hasattr(widget, "set_colors"):
                cast("Colored", widget).set_colors(self.theme.colors)
            if widget.objectName() == MAIN_ACTION and isinstance(widget, QPushButton):
                widget.setPalette(self._action_palette("accent"))
            if hasattr(widget, "set_palettes"):
                widget.set_palettes(self._action_palette("accent"), self._action_palette("danger"))

    def _action_palette(self, token: str) -> QPalette:
        """Return the palette of a button of a main action, with the color `token`."""
        tokens = self.theme.colors
        palette = self.theme.palette()
        for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
            # Fusion lightens buttons: white text on them would hardly be readable.
            ground = QColor(tokens[token]).darker(LIT_UP[self.theme.name])
            palette.setColor(group, QPalette.ColorRole.Button, ground)
            palette.setColor(group, QPalette.ColorRole.ButtonText, QColor(tokens["accent_text"]))
        return palette

    def _refresh(self) -> None:
        theme = self._resolve()
        if theme == self.theme:
            return
        self.theme = theme
        self._application.setPalette(theme.palette())
        self.changed.emit(theme)

    def _resolve(self) -> Theme:
        """Return the chosen theme, or for ``system`` the one that the desktop asks for.

        That is light, dark, or one with high contrast; light if the desktop reports nothing.
        """
        if self._choice in THEMES:
            return THEMES[self._choice]
        # Light on platforms that do not report a color scheme.
        hints = self._application.styleHints()
        name = "dark" if hints.colorScheme() == Qt.ColorScheme.Dark else "light"
        if hasattr(hints, "accessibility"):
            wanted = hints.accessibility().contrastPreference()
            if wanted == Qt.ContrastPreference.HighContrast:
                name = f"contrast_{name}"
        return THEMES[name]


SIZE = 20


@lru_cache(maxsize=256)
def _drawing(name: str, color: str, ratio: float) -> QImage:
    """Return the drawing of an icon in one color; cached, as a window draws some of them twice."""
    # QImage, as a QPixmap must not outlive the application.
    svg = resources.path(f"icons/{name}.svg").read_bytes().replace(b"currentColor", color.encode())
    image = QImage(QSize(SIZE, SIZE) * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(svg)).render(painter, QRectF(0, 0, SIZE, SIZE))
    painter.end()
    return image


def icon(name: str, colors: Mapping[str, str], ratio: float = 1.0) -> QIcon:
    """Return the icon `name` in the text color, and in the muted color if disabled.

    It is an SVG in resources/icons that uses ``currentColor``, drawn with `SIZE` pixels; `ratio` is
    the device pixel ratio. A missing file raises `OSError`.
    """
    icon_ = QIcon()
    for mode, token in ((QIcon.Mode.Normal, "text"), (QIcon.Mode.Disabled, "muted")):
        icon_.addPixmap(QPixmap.fromImage(_drawing(name, colors[token], ratio)), mode)
    return icon_
