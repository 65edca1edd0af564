"""A button that says for a while that it has copied."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QPushButton, QWidget

_COPIED_MS = 2_000


class CopyButton(QPushButton):
    """Offers to copy as text; whoever copies calls `set_copied`.

    Parameters
    ----------
    description
        What it copies, as a sentence.
    """

    def __init__(self, description: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleDescription(description)
        self._offer()
        # Nothing moves when it says that it was done.
        self.setMinimumWidth(self.sizeHint().width())
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(_COPIED_MS)
        self._again.timeout.connect(self._offer)

    def set_copied(self) -> None:
        """Say that it was done."""
        self.setText(self.tr("✓ Copied"))
        self._again.start()

    def _offer(self) -> None:
        self.setText(self.tr("Copy as text"))
