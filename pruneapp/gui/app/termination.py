"""Signals of the operating system that end the application."""

from __future__ import annotations

import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal, Slot

# SIGHUP: the terminal that the application was started from was closed (not on Windows).
NUMBERS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class TerminationSignals(QObject):
    """Emits `received` when the process receives one of `NUMBERS`.

    Python runs handlers of signals between two instructions of the main thread, which waits in Qt
    most of the time. The interpreter therefore also writes each signal to a socket, which wakes up
    the event loop. The first signal restores the default handlers, so that a second one ends the
    process immediately. A signal that is ignored when the process starts (`nohup`) stays ignored.
    """

    received = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._reader, self._writer = socket.socketpair()
        for end in (self._reader, self._writer):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_activated)
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._handled = [n for n in NUMBERS if signal.getsignal(n) is not signal.SIG_IGN]
        for number in self._handled:
            signal.signal(number, self._on_signal)

    def close(self) -> None:
        """Restore the default handlers."""
        self._restore()
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(-1)
        self._reader.close()
        self._writer.close()

    @staticmethod
    def _on_signal(_number: int, _frame: FrameType | None) -> None:
        """Do nothing: the socket has the signal."""

    def _restore(self) -> None:
        for number in self._handled:
            signal.signal(number, signal.SIG_DFL)
        self._handled = []

    @Slot()
    def _on_activated(self) -> None:
        if self._reader.recv(64):
            self._restore()
            self.received.emit()
