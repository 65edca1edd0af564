"""Says beside the heading that numbers are on their way, once that takes longer than a moment."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.labels import ElidedLabel

BUSY_MS = 200
LONG_MS = 2_500


class WaitingNote(ElidedLabel):
    """A word or two. Elided: a longer one would push the whole form out of the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._counted = 1.0
        self._busy = self._slow = False
        self._soon = self._timer(BUSY_MS, self._show_busy)
        self._late = self._timer(LONG_MS, self._show_long)

    @property
    def is_slow(self) -> bool:
        """Whether it is said that exact numbers take long, and how to do without."""
        return self._slow

    def set_busy(self, *, busy: bool) -> None:
        """Say that exact numbers are on their way, if they take longer than a moment."""
        if not busy:
            self._soon.stop()
            self._late.stop()
            self._busy = self._slow = False
            self._say()
        elif not self._late.isActive() and not self._slow:
            self._soon.start()
            self._late.start()

    def set_counting(self, share: float) -> None:
        """Say which share of what estimates need is counted; nothing once it is 1."""
        self._counted = share
        self._say()

    def clear(self) -> None:
        """Say nothing: nothing is on its way."""
        self._counted = 1.0
        self.set_busy(busy=False)

    def _timer(self, wait: int, call: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(wait)
        timer.timeout.connect(call)
        return timer

    def _show_busy(self) -> None:
        self._busy = True
        self._say()

    def _show_long(self) -> None:
        self._slow = True
        self._say()

    def _say(self) -> None:
        text = ""
        if self._slow:
            text = self.tr("slow; press Esc to cancel")
        elif self._counted < 1:
            share = number_format.percent(min(self._counted, 0.99), 0)
            text = self.tr("counting… {share}").format(share=share)
        elif self._busy:
            text = self.tr("calculating…")
        if text != self.text():
            self.setText(text)
