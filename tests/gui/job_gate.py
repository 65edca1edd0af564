"""Jobs that run as long as a test needs, and can be cancelled at any time."""

from __future__ import annotations

import threading

# Interval at which a blocked job checks whether it is cancelled.
LOOK_S = 0.005


class Gate:
    """Blocks jobs while it is closed.

    Attributes
    ----------
    running
        Whether a job has reached the gate.
    """

    def __init__(self, *, closed: bool = False) -> None:
        self.running = False
        self._open = threading.Event()
        self.closed = closed

    @property
    def closed(self) -> bool:
        """Whether jobs are blocked."""
        return not self._open.is_set()

    @closed.setter
    def closed(self, closed: bool) -> None:
        if closed:
            self._open.clear()
        else:
            self._open.set()

    def wait(self, job, step: int = 0) -> None:
        """Block until the gate is open or the job is cancelled, adding `step` to its progress."""
        self.running = True
        while not self._open.wait(LOOK_S):
            job.step(step)


def endless(job) -> None:
    """Run until the job is cancelled."""
    job.start(10_000, "on and on")
    Gate(closed=True).wait(job, 1)
