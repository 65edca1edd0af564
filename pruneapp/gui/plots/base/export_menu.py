"""The menu by which a person takes a picture along: copied, or in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, QPoint, QStandardPaths, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from pruneapp.gui.plots.base.readout import MenuButton


class Takeable(Protocol):
    """What can be taken along."""

    def copy(self) -> None:
        """Announce that it is wanted on the clipboard."""

    def save_png(self, path: Path) -> None:
        """Announce that it is to be written as pixels."""

    def save_svg(self, path: Path) -> None:
        """Announce that it is to be written as lines and letters."""

    def save_csv(self, path: Path) -> None:
        """Announce that its numbers are to be written."""


class Taking(QObject):
    """The actions, and the button with their menu.

    Attributes
    ----------
    button
        To be put beside the other controls.
    stem
        From which names of files are made.
    """

    def __init__(self, picture: Takeable, parent: QWidget) -> None:
        super().__init__(parent)
        self._picture = picture
        self._parent = parent
        self.stem = "picture"
        self.copy = self._action(self.tr("Copy picture"), self._on_copy)
        self.png = self._action(self.tr("Save PNG…"), self._on_save_png)
        self.svg = self._action(self.tr("Save SVG…"), self._on_save_svg)
        self.csv = self._action(self.tr("Save CSV…"), self._on_save_csv)
        self.button = MenuButton()
        menu = QMenu(self.button)
        menu.addActions([self.copy, self.png, self.svg, self.csv])
        self.button.setMenu(menu)

    def set_enabled(self, *, enabled: bool) -> None:
        """Say whether there is something to take along."""
        self.button.setEnabled(enabled)

    def open_menu(self, place: QPoint) -> None:
        """Offer it at a pixel of the screen."""
        menu = QMenu(self._parent)
        menu.addActions([self.copy, self.png, self.svg, self.csv])
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def _action(self, text: str, call: Callable[[], None]) -> QAction:
        action = QAction(text, self)
        action.triggered.connect(call)
        return action

    def _on_copy(self) -> None:
        self._picture.copy()

    def _on_save_png(self) -> None:
        self._save(
            self.tr("Save picture"), "png", self.tr("PNG picture (*.png)"), self._picture.save_png
        )

    def _on_save_svg(self) -> None:
        self._save(
            self.tr("Save picture"), "svg", self.tr("SVG drawing (*.svg)"), self._picture.save_svg
        )

    def _on_save_csv(self) -> None:
        self._save(
            self.tr("Save data"),
            "csv",
            self.tr("Comma-separated values (*.csv)"),
            self._picture.save_csv,
        )

    def _save(self, title: str, suffix: str, kinds: str, write: Callable[[Path], None]) -> None:
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
        proposed = str(Path(folder) / f"{self.stem}.{suffix}")
        chosen, _ = QFileDialog.getSaveFileName(self._parent, title, proposed, kinds)
        if chosen:
            write(Path(chosen))


def stem_of(name: str, what: str) -> str:
    """Return the beginning of a file's name for a picture of a tensor."""
    safe = "".join(c if c.isalnum() or c in "._-" else "_" for c in name[-80:])
    return f"{safe}-{what}" if safe else what
