"""Texts and controls have enough contrast, in both themes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPalette, QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QStyle,
    QStyleOptionTab,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.plots.heatmap import shading
from pruneapp.gui.plots.quality import _INKS
from pruneapp.gui.widgets.theme import (
    DARK_THEME,
    LIGHT_THEME,
    MAIN_ACTION,
    THEMES,
    Style,
    ThemeManager,
)


def luminance(color: str) -> float:
    """Return the relative luminance as defined by WCAG 2.2."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (QColor(color).redF(), QColor(color).greenF(), QColor(color).blueF())
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
@pytest.mark.parametrize("surface", ["window", "surface", "button"])
def test_text_has_a_contrast_of_four_and_a_half(theme, surface):
    for token in ("text", "muted", "danger"):
        assert contrast(theme.colors[token], theme.colors[surface]) >= 4.5, (token, surface)


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
@pytest.mark.parametrize("surface", ["window", "surface"])
def test_marks_have_a_contrast_of_three(theme, surface):
    for token in ("kept", "pruned", "accent", "teal", "magenta", "olive", "purple"):
        assert contrast(theme.colors[token], theme.colors[surface]) >= 3.0, (token, surface)


# Simulations of color blindness, for linear light (Machado, Oliveira and Fernandes, 2009).
VISION = {
    "normal": np.eye(3),
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}


def simulated(color, vision):
    """Return a color as OKLab in a simulated vision."""
    light = np.clip(np.array(VISION[vision]) @ shading.linear(color), 0, 1)
    return np.cbrt(light @ shading._TO_LMS.T) @ shading._TO_LAB.T


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_colors_of_series_differ_for_color_blind_users_as_well(theme, vision):
    """Regression: teal was seen as blue, and as magenta by others."""
    least = 0.06 if theme.name.startswith("contrast") else 0.08
    for one, other in combinations(_INKS, 2):
        colors = theme.colors[one], theme.colors[other]
        distance = np.linalg.norm(simulated(colors[0], vision) - simulated(colors[1], vision))
        assert distance >= least, (one, other)


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_text_on_the_accent_can_be_read(theme):
    assert contrast(theme.colors["accent_text"], theme.colors["accent"]) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_a_field_that_cannot_be_edited_has_another_ground(theme):
    palette, base = theme.palette(), QPalette.ColorRole.Base
    off = palette.color(QPalette.ColorGroup.Disabled, base)
    assert off == QColor(theme.colors["window"])
    assert off != palette.color(QPalette.ColorGroup.Active, base)


def test_all_themes_have_the_same_tokens():
    for theme in THEMES.values():
        assert set(theme.colors) == set(LIGHT_THEME.colors)


@pytest.mark.parametrize("theme", [t for n, t in THEMES.items() if n.startswith("contrast")])
def test_high_contrast_is_high(theme):
    for surface in ("window", "surface", "button"):
        for token in ("text", "muted", "danger"):
            assert contrast(theme.colors[token], theme.colors[surface]) >= 7.0, (token, surface)
        for token in ("border", "kept", "pruned", "accent", "teal", "magenta", "olive", "purple"):
            assert contrast(theme.colors[token], theme.colors[surface]) >= 4.5, (token, surface)
    assert contrast(theme.colors["accent_text"], theme.colors["accent"]) >= 7.0


class Hints(QObject):
    """A fake QStyleHints with the settings of the system."""

    colorSchemeChanged = Signal()  # noqa: N815 - as Qt's
    contrastPreferenceChanged = Signal()  # noqa: N815 - as Qt's

    def __init__(self) -> None:
        super().__init__()
        self.scheme, self.contrast = Qt.ColorScheme.Light, Qt.ContrastPreference.NoPreference

    def colorScheme(self):  # noqa: N802 - as Qt's
        return self.scheme

    def contrastPreference(self):  # noqa: N802 - as Qt's
        return self.contrast

    def accessibility(self):
        return self


def test_the_systems_wish_for_contrast_is_followed_at_once(qapp, monkeypatch):
    hints, before = Hints(), qapp.palette()
    monkeypatch.setattr(qapp, "styleHints", lambda: hints, raising=False)
    appearance = ThemeManager(qapp)
    seen = [appearance.theme.name]
    appearance.changed.connect(lambda theme: seen.append(theme.name))
    try:
        hints.contrast = Qt.ContrastPreference.HighContrast
        hints.contrastPreferenceChanged.emit()
        assert qapp.palette().window().color().name() == "#f0f0f0"
        hints.scheme = Qt.ColorScheme.Dark
        hints.colorSchemeChanged.emit()
        appearance.choose("dark")
        assert seen == ["light", "contrast_light", "contrast_dark", "dark"]
    finally:
        appearance.deleteLater()
        qapp.setPalette(before)


@pytest.mark.parametrize("kind", [QPushButton, QComboBox])
def test_a_button_of_high_contrast_has_an_outline(paint_colors, theme, kind):
    colors = paint_colors(kind())
    assert (QColor(theme.colors["border"]).name() in colors) == theme.name.startswith("contrast")


def test_a_change_of_theme_reaches_palette_views_and_main_action(qapp, qtbot):
    class View(QWidget):
        colors = None

        def set_colors(self, colors):
            self.colors = colors

    root = QWidget()
    qtbot.addWidget(root)
    view, button = View(root), QPushButton("Prune", root)
    button.setObjectName(MAIN_ACTION)
    QVBoxLayout(root).addWidget(button)
    before = qapp.palette()
    appearance = ThemeManager(qapp, "light")
    try:
        with qtbot.waitSignal(appearance.changed) as changed:
            appearance.choose("dark")
        appearance.apply_to(root)

        assert changed.args == [DARK_THEME]
        assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK_THEME.colors["window"]
        assert view.colors == DARK_THEME.colors
        # Darker than the token, as the style makes buttons lighter; the hue is the same.
        ground = button.palette().color(QPalette.ColorRole.Button)
        assert abs(ground.hue() - QColor(DARK_THEME.colors["accent"]).hue()) <= 1
        text = button.palette().color(QPalette.ColorRole.ButtonText).name()
        assert text == DARK_THEME.colors["accent_text"]
    finally:
        appearance.deleteLater()
        qapp.setPalette(before)


# Outlines of indicators and fields have enough contrast, on a light and on a dark window


@pytest.fixture(params=THEMES.values(), ids=list(THEMES))
def theme(request):
    return request.param


@pytest.fixture
def paint_colors(qtbot, theme):
    """Show a widget in the style and a theme; return the colors that are painted."""
    style = Style()

    def show(widget):
        widget.setStyle(style)
        widget.setPalette(theme.palette())
        widget.setAutoFillBackground(True)
        widget.resize(60, 28)
        qtbot.addWidget(widget)
        widget.show()
        qtbot.waitExposed(widget)
        image = widget.grab().toImage()
        return {
            image.pixelColor(x, y).name()
            for x in range(image.width())
            for y in range(image.height())
        }

    return show


@pytest.mark.parametrize("kind", [QCheckBox, QRadioButton])
def test_an_indicator_has_an_outline_and_a_mark(paint_colors, theme, kind):
    outline = QColor(theme.colors["muted"]).name()
    text = QColor(theme.colors["text"]).name()
    off, on = kind(), kind()
    on.setChecked(True)

    empty, marked = paint_colors(off), paint_colors(on)

    assert outline in empty or kind is QRadioButton  # the circle is antialiased everywhere
    assert text not in empty
    assert text in marked


def test_a_third_state_is_a_dash(paint_colors, theme):
    box = QCheckBox()
    box.setTristate(True)
    box.setCheckState(Qt.CheckState.PartiallyChecked)

    assert QColor(theme.colors["text"]).name() in paint_colors(box)


def test_a_field_shows_its_border(paint_colors, theme):
    assert QColor(theme.colors["border"]).name() in paint_colors(QLineEdit())


def test_a_box_for_a_number_shows_its_border(paint_colors, theme):
    box = QSpinBox()
    paint_colors(box)
    image = box.grab().toImage()
    edge = {image.pixelColor(x, image.height() // 2).lightness() for x in range(3)}
    window, border = (QColor(theme.colors[token]).lightness() for token in ("window", "border"))
    # Rounding may differ by 1; in the light theme, Fusion's own line is darker.
    assert max(abs(tone - window) for tone in edge) >= abs(border - window) - 1


@pytest.mark.parametrize("shape", [QTabBar.Shape.RoundedNorth, QTabBar.Shape.RoundedSouth])
def test_the_tabs_behind_have_an_outline(qtbot, theme, shape):
    tabs = QTabBar()
    tabs.setStyle(style := Style())
    tabs.setPalette(theme.palette())
    tabs.setAutoFillBackground(True)
    tabs.setShape(shape)
    tabs.setDrawBase(False)
    qtbot.addWidget(tabs)
    for text in ("", "", ""):
        tabs.addTab(text)
    tabs.resize(300, 40)
    tabs.show()
    qtbot.waitExposed(tabs)
    image, behind = tabs.grab().toImage(), tabs.tabRect(1)
    across = {image.pixelColor(behind.center().x(), y).name() for y in range(image.height())}
    window = QColor(theme.colors["window"]).lightness()
    border = QColor(theme.colors["border"]).lightness()
    assert max(abs(QColor(name).lightness() - window) for name in across) >= abs(border - window)
    del style


def test_words_of_the_tabs_behind_are_painted_down_to_what_hangs_below_the_line(qtbot):
    tabs = QTabBar()
    tabs.setStyle(style := Style())
    qtbot.addWidget(tabs)
    for text in ("Weights", "Model"):
        tabs.addTab(text)
    tabs.setCurrentIndex(1)

    def draw_label(room: int) -> QImage:
        option = QStyleOptionTab()
        tabs.initStyleOption(option, 0)
        image = QImage(option.rect.size() + QSize(0, 40), QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        option.rect = QRect(QPoint(0, 20), option.rect.size()).adjusted(0, -room, 0, room)
        painter = QPainter(image)
        style.drawControl(QStyle.ControlElement.CE_TabBarTabLabel, option, painter, tabs)
        painter.end()
        return image

    assert draw_label(0) == draw_label(16)  # where nothing is cut off
    assert draw_label(0) != draw_label(-8)


@pytest.mark.parametrize("order", list(Qt.SortOrder))
def test_the_arrow_of_a_sorted_column_stands_beside_its_heading(qtbot, order):
    def last_ink(heading: str) -> int:
        """Return the width of the rightmost glyph in pixels."""
        model = QStandardItemModel(0, 1)
        model.setHorizontalHeaderLabels([heading])
        header = QHeaderView(Qt.Orientation.Horizontal)
        header.setStyle(style := Style())
        header.setModel(model)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(0, order)
        qtbot.addWidget(header)
        header.resize(120, 20)
        header.resizeSection(0, 110)
        header.show()
        image = header.grab().toImage()
        dark = [
            any(image.pixelColor(x, y).lightness() < 150 for y in range(2, 17)) for x in range(107)
        ]
        end = max(x for x, ink in enumerate(dark) if ink)
        start = max(x for x in range(end) if not dark[x])
        del style
        return end - start

    assert last_ink("Sparsity") == last_ink("")


def test_with_reduced_motion_a_bar_without_a_share_stands_still_and_is_striped(qapp, qtbot, theme):
    before, style, bar = qapp.palette(), Style(), QProgressBar()
    appearance = ThemeManager(qapp, theme.name)
    qtbot.addWidget(bar)
    bar.setStyle(style)
    bar.setTextVisible(False)
    bar.setRange(0, 0)
    bar.show()

    def moves() -> bool:
        first = bar.grab().toImage()
        qtbot.wait(80)
        return bar.grab().toImage() != first

    try:
        qtbot.waitUntil(moves)
        appearance.choose_motion("reduced")
        assert not moves()
        image = bar.grab().toImage()
        middle = image.height() // 2
        colors = {image.pixelColor(x, middle).name() for x in range(image.width())}
        assert theme.palette().color(QPalette.ColorRole.Highlight).name() in colors
        assert len(colors) > 1
        appearance.choose_motion("full")
        qtbot.waitUntil(moves)
    finally:
        appearance.choose_motion("full")
        appearance.deleteLater()
        qapp.setPalette(before)
