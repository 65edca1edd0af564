"""How the colours of a theme reach the window: two palettes on the Fusion style.

No style sheets: styled widgets stop following the palette.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, cast, runtime_checkable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from pruneapp.gui.widgets import theme_colors

# Widgets of this name are the one main action of their window.
MAIN_ACTION = "mainAction"
# Percent by which Fusion's gradient is lighter than the colour that a button is given, about; the
# lighter that colour is by itself, the less.
LIT_UP = {"light": 145, "dark": 118}


@dataclass(frozen=True)
class Theme:
    """A set of colours by token."""

    name: str
    colors: Mapping[str, str]

    @property
    def dark(self) -> bool:
        """Whether it is light on dark."""
        return QColor(self.colors["window"]).lightness() < 128

    def palette(self) -> QPalette:
        """Return the palette of every widget."""
        c = {token: QColor(value) for token, value in self.colors.items()}
        palette = QPalette()
        roles = {
            QPalette.ColorRole.Window: c["window"],
            QPalette.ColorRole.WindowText: c["text"],
            QPalette.ColorRole.Base: c["surface"],
            QPalette.ColorRole.AlternateBase: c["window"],
            QPalette.ColorRole.Text: c["text"],
            QPalette.ColorRole.Button: c["button"],
            QPalette.ColorRole.ButtonText: c["text"],
            QPalette.ColorRole.BrightText: c["danger"],
            QPalette.ColorRole.Highlight: c["accent"],
            QPalette.ColorRole.HighlightedText: c["accent_text"],
            QPalette.ColorRole.Accent: c["accent"],
            QPalette.ColorRole.Link: c["accent"],
            QPalette.ColorRole.LinkVisited: c["accent"],
            QPalette.ColorRole.ToolTipBase: c["surface"],
            QPalette.ColorRole.ToolTipText: c["text"],
            QPalette.ColorRole.PlaceholderText: c["muted"],
            QPalette.ColorRole.Light: c["surface"],
            QPalette.ColorRole.Midlight: c["border"],
            QPalette.ColorRole.Mid: c["border"],
            QPalette.ColorRole.Dark: c["muted"],
        }
        for role, color in roles.items():
            palette.setColor(role, color)
        disabled = QPalette.ColorGroup.Disabled
        for role in (
            QPalette.ColorRole.WindowText,
            QPalette.ColorRole.Text,
            QPalette.ColorRole.ButtonText,
        ):
            palette.setColor(disabled, role, c["muted"])
        palette.setColor(disabled, QPalette.ColorRole.Highlight, c["border"])
        palette.setColor(disabled, QPalette.ColorRole.HighlightedText, c["muted"])
        return palette


LIGHT = Theme("light", theme_colors.LIGHT)
DARK = Theme("dark", theme_colors.DARK)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


@runtime_checkable
class Colored(Protocol):
    """A view that paints some of itself with our tokens."""

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours by token and paint anew."""


class ThemeManager(QObject):
    """Keeps the application in the chosen theme, or in the system's.

    Signals
    -------
    changed(Theme)
        After the palette of the application was replaced.
    """

    changed = Signal(object)

    def __init__(self, application: QApplication, choice: str = "system") -> None:
        super().__init__(application)
        self._application = application
        self._choice = choice
        self.theme = self._resolve()
        application.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)
        application.setPalette(self.theme.palette())

    def choose(self, choice: str) -> None:
        """Use ``light``, ``dark``, or follow the ``system``."""
        self._choice = choice
        self._refresh()

    def dress(self, root: QWidget) -> None:
        """Give the tokens to every view below `root`, and the accent to its main action."""
        for widget in (root, *root.findChildren(QWidget)):
            if isinstance(widget, Colored):
                # Not narrowed by the protocol to QWidget & Colored in mypy's eyes.
                cast("Colored", widget).set_colors(self.theme.colors)
            if widget.objectName() == MAIN_ACTION and isinstance(widget, QPushButton):
                widget.setPalette(self._accented())

    def _accented(self) -> QPalette:
        tokens = self.theme.colors
        palette = self.theme.palette()
        for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
            # Fusion lights a button up, until white on violet could hardly be read.
            ground = QColor(tokens["accent"]).darker(LIT_UP[self.theme.name])
            palette.setColor(group, QPalette.ColorRole.Button, ground)
            palette.setColor(group, QPalette.ColorRole.ButtonText, QColor(tokens["accent_text"]))
        return palette

    def _on_scheme_changed(self, _scheme: Qt.ColorScheme) -> None:
        self._refresh()

    def _refresh(self) -> None:
        theme = self._resolve()
        if theme == self.theme:
            return
        self.theme = theme
        self._application.setPalette(theme.palette())
        self.changed.emit(theme)

    def _resolve(self) -> Theme:
        if self._choice in THEMES:
            return THEMES[self._choice]
        # Unknown on platforms that do not say, which leaves the light one.
        dark = self._application.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return DARK if dark else LIGHT
