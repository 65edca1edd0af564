"""All classes of Qt, made in the main thread before another thread touches them.

PySide makes a class when it is first touched. pyqtgraph touches every class when it is imported,
which happens in a thread: now and then the main thread met a class that was half made, and the
process died (3 starts of 100).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import ModuleType

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer, Signal, Slot

# What pyqtgraph mirrors.
MODULES: tuple[ModuleType, ...] = (QtCore, QtGui, QtWidgets)

# Classes are made for so long at a time; one of them takes up to 20 ms.
_SLICE_S = 0.004


class QtClasses(QObject):
    """Makes all classes of Qt, a few at a time, so that the window goes on answering.

    Parameters
    ----------
    parent
        Its owner; without it the classes that are missing are not made.

    Signals
    -------
    made()
        Once, after the last of them.
    """

    made = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._names = _names()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._make)

    def start(self) -> None:
        """Begin as soon as nothing else is to be done."""
        self._timer.start(0)

    def stop(self) -> None:
        """Make no more of them; `made` is never sent."""
        self._timer.stop()

    @Slot()
    def _make(self) -> None:
        ends = time.perf_counter() + _SLICE_S
        for module, name in self._names:
            getattr(module, name)
            if time.perf_counter() > ends:
                return
        self._timer.stop()
        self.made.emit()


def _names() -> Iterator[tuple[ModuleType, str]]:
    return ((module, name) for module in MODULES for name in dir(module))
