"""Ways to take a picture along: the clipboard, a PNG, an SVG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMimeData, QRect, QSaveFile, QSize
from PySide6.QtGui import QGuiApplication, QPainter, QPixmap
from PySide6.QtSvg import QSvgGenerator


def copy_picture(picture: QPixmap) -> None:
    """Put a picture on the clipboard."""
    content = QMimeData()
    content.setImageData(picture.toImage())
    QGuiApplication.clipboard().setMimeData(content)


def save_png(picture: QPixmap, path: Path) -> None:
    """Write a picture.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not picture.save(buffer, "PNG"):
        raise OSError("Qt could not encode the picture as PNG")
    _write(path, bytes(buffer.data().data()))


def save_svg(paint: Callable[[QPainter], None], size: QSize, title: str, path: Path) -> None:
    """Write a drawing.

    Parameters
    ----------
    paint
        Paints it from the corner, in pixels of the screen.
    size
        How large it is.
    title
        What it is called in the file.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setSize(size)
    drawing.setViewBox(QRect(0, 0, size.width(), size.height()))
    # Letters are as large as on the screen only with its resolution.
    drawing.setResolution(round(QGuiApplication.primaryScreen().logicalDotsPerInch()))
    drawing.setTitle(title)
    painter = QPainter(drawing)
    paint(painter)
    painter.end()
    _write(path, bytes(buffer.data().data()))


def _write(path: Path, data: bytes) -> None:
    """Write a file so that the one that was there is there until this one is whole."""
    file = QSaveFile(str(path))
    if (
        not file.open(QIODevice.OpenModeFlag.WriteOnly)
        or file.write(data) != len(data)
        or not file.commit()
    ):
        raise OSError(file.errorString())
