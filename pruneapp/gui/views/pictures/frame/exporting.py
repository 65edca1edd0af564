"""Ways to take a picture along: the clipboard, a PNG, its numbers as CSV."""

from __future__ import annotations

import csv
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMimeData
from PySide6.QtGui import QGuiApplication, QPixmap

from pruneapp.gui.views.pictures.frame.table import Numbers


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
    path.write_bytes(buffer.data().data())


def save_csv(numbers: Numbers, path: Path) -> None:
    """Write the numbers of a picture, in full precision, with a point and commas.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(numbers.headers)
        writer.writerows(numbers)
