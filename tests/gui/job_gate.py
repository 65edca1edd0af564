"""Work that takes as long as a test wants, and can be cancelled at any moment."""

from __future__ import annotations

import threading

# So soon a job that is kept waiting looks whether it was cancelled.
LOOK_S = 0.005


class Gate:
    """Keeps jobs waiting while it is closed.

    Attributes
    ----------
    running
        Whether a job has come to it.
    """

    def __init__(self, *, closed: bool = False) -> None:
        self.running = False
        self._open = threading.Event()
        self.closed = closed

    @property
    def closed(self) -> bool:
        """Whether jobs wait."""
        return not self._open.is_set()

    @closed.setter
    def closed(self, closed: bool) -> None:
        if closed:
            self._open.clear()
        else:
            self._open.set()

    def wait(self, job, step: int = 0) -> None:
        """Wait in a job until it is opened, and step so often as it looks."""
        self.running = True
        while not self._open.wait(LOOK_S):
            job.step(step)


def endless(job) -> None:
    """Work that only ends by being cancelled."""
    job.start(10_000, "on and on")
    Gate(closed=True).wait(job, 1)
