"""The colours can be read, in both themes."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME, MAIN_ACTION, THEMES, ThemeManager


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
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
    for token in ("kept", "pruned", "accent"):
        assert contrast(theme.colors[token], theme.colors[surface]) >= 3.0, (token, surface)


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_text_on_the_accent_can_be_read(theme):
    assert contrast(theme.colors["accent_text"], theme.colors["accent"]) >= 4.5


def test_both_themes_have_the_same_tokens():
    assert set(LIGHT_THEME.colors) == set(DARK_THEME.colors)
    assert DARK_THEME.dark
    assert not LIGHT_THEME.dark


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
        appearance.dress(root)

        assert changed.args == [DARK_THEME]
        assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK_THEME.colors["window"]
        assert view.colors == DARK_THEME.colors
        # Darker than the token, as the style lights buttons up; of its hue all the same.
        ground = button.palette().color(QPalette.ColorRole.Button)
        assert abs(ground.hue() - QColor(DARK_THEME.colors["accent"]).hue()) <= 1
        text = button.palette().color(QPalette.ColorRole.ButtonText).name()
        assert text == DARK_THEME.colors["accent_text"]
    finally:
        appearance.deleteLater()
        qapp.setPalette(before)
