"""Icons: one set of line drawings, coloured from the theme, sharp at every scale."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from pruneapp import resources

SIZE = 20


@lru_cache(maxsize=64)
def _svg(name: str) -> str:
    return resources.path(f"icons/{name}.svg").read_text(encoding="utf-8")


def icon(name: str, colors: Mapping[str, str], ratio: float = 1.0) -> QIcon:
    """Return the drawing `name` in the text colour, and in the muted one where disabled.

    Parameters
    ----------
    name
        File in resources/icons without its ending; drawn with ``currentColor``.
    colors
        The theme's tokens.
    ratio
        Device pixels for each pixel of the window.
    """
    made = QIcon()
    for mode, token in ((QIcon.Mode.Normal, "text"), (QIcon.Mode.Disabled, "muted")):
        drawing = QByteArray(_svg(name).replace("currentColor", colors[token]).encode())
        pixmap = QPixmap(round(SIZE * ratio), round(SIZE * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        QSvgRenderer(drawing).render(painter, QRectF(0, 0, SIZE, SIZE))
        painter.end()
        made.addPixmap(pixmap, mode)
    return made
