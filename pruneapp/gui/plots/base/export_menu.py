"""Copy, PNG, SVG, CSV.

The menu by which a person takes a picture along: copied, or in a file.

Ways to take a picture along: the clipboard, a PNG, an SVG.

What has to be grabbed is grabbed at once; the functions that are returned encode it, which takes
long, and any thread may call them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import (
    QBuffer,
    QIODevice,
    QObject,
    QPoint,
    QRect,
    QRectF,
    QSize,
    QStandardPaths,
    Qt,
)
from PySide6.QtGui import QAction, QColor, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from pruneapp.errors import ExportError
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


Encode = Callable[[], bytes]


def png(image: QImage) -> bytes:
    """Return an image as PNG.

    Raises
    ------
    ExportError
        If Qt cannot encode it.
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # takes a device as well
        raise ExportError("The picture cannot be encoded as PNG. Nothing was written.")
    return bytes(buffer.data().data())


class Drawing(QSvgGenerator):
    """A drawing whose images are encoded later: each has a stand-in until then."""

    def __init__(self, buffer: QBuffer) -> None:
        super().__init__()
        self.setOutputDevice(buffer)
        self.images: list[tuple[bytes, QImage]] = []

    def draw_image(
        self, painter: QPainter, target: QRectF, ratio: float, paint: Callable[[QPainter], None]
    ) -> None:
        """Draw what `paint` paints into a rectangle as an image.

        Parameters
        ----------
        painter
            Paints on this; `paint` is given one with the same transformation.
        target
            In the units of the drawing, without the transformation.
        ratio
            Pixels of the image for one of these units.
        """
        rect = target.toAlignedRect()
        image = QImage(rect.size() * ratio, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(ratio)
        image.fill(0)
        inside = QPainter(image)
        inside.translate(-rect.topLeft())
        inside.setTransform(painter.worldTransform() * inside.worldTransform())
        paint(inside)
        inside.end()
        number = len(self.images) + 1
        stand_in = QImage(3, 1, QImage.Format.Format_RGB32)
        stand_in.fill(QColor(255 - number, number, 37))
        self.images.append((b64encode(png(stand_in)), image))
        painter.save()
        painter.resetTransform()
        painter.drawImage(rect, stand_in)
        painter.restore()


def svg(paint: Callable[[QPainter], None], size: QSize, title: str) -> Encode:
    """Draw, and return what makes the bytes of the drawing.

    Parameters
    ----------
    paint
        Paints it from the corner, in pixels of the screen.
    size
        How large it is.
    title
        What it is called in the file.
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = Drawing(buffer)
    drawing.setSize(size)
    drawing.setViewBox(QRect(0, 0, size.width(), size.height()))
    # Letters are as large as on the screen only with its resolution.
    drawing.setResolution(round(QGuiApplication.primaryScreen().logicalDotsPerInch()))
    drawing.setTitle(title)
    painter = QPainter(drawing)
    paint(painter)
    painter.end()
    text, images = bytes(buffer.data().data()), tuple(drawing.images)

    def encode() -> bytes:
        found = text
        for stand_in, image in images:
            found = found.replace(stand_in, b64encode(png(image)))
        return found

    return encode
