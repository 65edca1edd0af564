"""What a person wants to be exported, and the look at where it would go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

# So long nothing is typed before the disk is looked at.
_PAUSE_MS = 150


@dataclass(frozen=True)
class ExportWish:
    """What the person wants to be exported, and where to.

    Attributes
    ----------
    format, path
        As the request names them.
    replace_original
        Whether the original is deleted afterwards.
    params
        Values of the parameters of the format.
    script
        Whether a script that compares outputs is written beside it.
    report
        Suffix of the report that is written beside it; empty if none is.
    """

    format: str
    path: str
    replace_original: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)
    script: bool = False
    report: str = ""

    def writes_as(self, other: ExportWish | None) -> bool:
        """Whether an export would be the same; what is written beside it does not count."""
        return other is not None and (self.format, self.path, dict(self.params)) == (
            other.format,
            other.path,
            dict(other.params),
        )


class PathCheck(QObject):
    """Asks what is there already, once the person pauses.

    Signals
    -------
    asked
        Time to look at where the export would go.
    """

    asked = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._wish: ExportWish | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_PAUSE_MS)
        self._soon.timeout.connect(self.asked)

    def follow(self, wish: ExportWish) -> bool:
        """Take what is wanted now; returns whether that goes elsewhere, and is asked for soon."""
        moved = not wish.writes_as(self._wish)
        if moved:
            self._wish = wish
            self._soon.start()
        return moved

    def is_of(self, wish: ExportWish) -> bool:
        """Whether an answer about this wish is still about what is wanted."""
        return wish.writes_as(self._wish)
