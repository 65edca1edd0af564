"""How a person takes a plot along: copied, or saved as PNG, SVG or CSV.

What has to be grabbed is grabbed at once; the functions that are returned encode it, which takes
long, and any thread may call them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path

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


class ExportMenu(QObject):
    """The actions, and the button with their menu; names of files begin with `stem`."""

    def __init__(
        self,
        parent: QWidget,
        copy: Callable[[], None],
        save: Mapping[str, Callable[[Path], None]],  # by the suffix of the file
    ) -> None:
        super().__init__(parent)
        self._parent, self._save = parent, save
        self.stem = "picture"
        self.copy = QAction(self.tr("Copy picture"), self)
        self.copy.triggered.connect(copy)
        self.png = self._saving("png", self.tr("Save PNG…"))
        self.svg = self._saving("svg", self.tr("Save SVG…"))
        self.csv = self._saving("csv", self.tr("Save CSV…"))
        self.button = MenuButton()
        menu = QMenu(self.button)
        menu.addActions(self.actions)
        self.button.setMenu(menu)

    @property
    def actions(self) -> list[QAction]:
        """All of them, in order."""
        return [self.copy, self.png, self.svg, self.csv]

    def open_at(self, place: QPoint) -> None:
        """Offer it at a pixel of the screen, below the actions of the widget that it is of."""
        menu = QMenu(self._parent)
        if own := self._parent.actions():
            menu.addActions(own)
            menu.addSeparator()
        menu.addActions(self.actions)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def _saving(self, suffix: str, text: str) -> QAction:
        action = QAction(text, self)
        action.setData(suffix)
        action.triggered.connect(self._on_save)
        return action

    def _on_save(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        suffix: str = action.data()
        title, kinds = {
            "png": (self.tr("Save picture"), self.tr("PNG picture (*.png)")),
            "svg": (self.tr("Save picture"), self.tr("SVG drawing (*.svg)")),
            "csv": (self.tr("Save data"), self.tr("Comma-separated values (*.csv)")),
        }[suffix]
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
        proposed = str(Path(folder) / f"{self.stem}.{suffix}")
        chosen, _ = QFileDialog.getSaveFileName(self._parent, title, proposed, kinds)
        if chosen:
            self._save[suffix](Path(chosen))


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

        `target` is in the units of the drawing, without the transformation of `painter`, which the
        one that `paint` is given has, too; `ratio` is in pixels of the image for such a unit.
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
    """Draw what `paint` paints from the corner, and return what makes the bytes of the drawing."""
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
        encoded = text
        for stand_in, image in images:
            encoded = encoded.replace(stand_in, b64encode(png(image)))
        return encoded

    return encode
