"""How plots follow the theme; pyqtgraph itself knows no palette."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyqtgraph as pg
from PySide6.QtGui import QFont


def dress_axis(axis: Any, colors: Mapping[str, str], font: QFont) -> None:
    """Give an axis of pyqtgraph the colours and the font of the window."""
    axis.setPen(pg.mkPen(colors["muted"], width=1))
    axis.setTickPen(pg.mkPen(colors["muted"], width=1))
    axis.setTextPen(pg.mkPen(colors["text"]))
    axis.setTickFont(font)
    axis.label.setFont(font)
    axis.label.setDefaultTextColor(colors["text"])
    axis.picture = None
    axis.update()
