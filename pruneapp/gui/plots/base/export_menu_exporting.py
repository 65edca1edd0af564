"""Ways to take a picture along: the clipboard, a PNG, an SVG.

What has to be grabbed is grabbed at once; the functions that are returned encode it, which takes
long, and any thread may call them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable

from PySide6.QtCore import QBuffer, QIODevice, QRect, QRectF, QSize
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from pruneapp.errors import ExportError

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
