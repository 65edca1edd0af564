"""What was done last, in the status bar: one line that goes away by itself."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from pruneapp.gui.widgets.labels import ElidedLabel, recolor
from pruneapp.gui.widgets.theme_colors import with_defaults

# Long enough to be read twice; what was done stands in the history, too.
SHOWN_MS = 8_000


class Done(QWidget):
    """Says what was done; read out by screen readers. Hidden, it leaves its room to the job."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = ElidedLabel("", self)
        self.label.elide = Qt.TextElideMode.ElideRight
        self.label.setAccessibleName(self.tr("Last action"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 0)
        layout.addWidget(self.label)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_MS)
        self._timer.timeout.connect(self.clear)
        self.hide()

    def set_done(self, text: str) -> None:
        """Say it, in place of what was said before."""
        self.label.setText(text)
        self.show()
        self._timer.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def clear(self) -> None:
        """Say nothing."""
        self._timer.stop()
        self.label.setText("")
        self.hide()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        recolor(self.label, with_defaults(colors)["text"])
