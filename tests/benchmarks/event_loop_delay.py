"""Measure stalls of the window: how late a timer of 4 ms fires in the main thread."""

from __future__ import annotations

import faulthandler
import time
from dataclasses import dataclass
from typing import TextIO

from PySide6.QtCore import QObject, Qt, QTimer

INTERVAL_S = 0.004
LATE_S = 0.016
NEVER_S = 0.2
# Minimum duration in seconds of stalls whose stacks are dumped.
DUMP_S = 0.05


@dataclass(frozen=True)
class Beat:
    """One timeout of the timer: its time, its delay, and the current phase."""

    at: float
    late: float
    phase: str


class Beats(QObject):
    """Measures the delay of a timer in the main thread.

    Parameters
    ----------
    dump
        Stream for the stacks of all threads during a stall; None for no dumps. They are written by
        a thread that does not need the GIL, so they show the code that caused the stall.
    """

    def __init__(self, dump: TextIO | None = None) -> None:
        super().__init__()
        self._dump = dump
        self.phase = "starting"
        self.beats: list[Beat] = []
        self._last = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(round(INTERVAL_S * 1000))
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        self._last = time.perf_counter()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        if self._dump is not None:
            faulthandler.cancel_dump_traceback_later()

    def _beat(self) -> None:
        now = time.perf_counter()
        late = max(now - self._last - INTERVAL_S, 0.0)
        self.beats.append(Beat(now, late, self.phase))
        if self._dump is not None:
            if late > DUMP_S:
                self._dump.write(f"^^^ {late * 1000:.0f} ms late while {self.phase}\n\n")
            faulthandler.dump_traceback_later(DUMP_S, file=self._dump)
        self._last = now


def summary(beats: list[Beat]) -> dict[str, float]:
    """Return count, delays in ms (median, 99 %, maximum) and the percentage in time."""
    late = sorted(beat.late for beat in beats)
    if not late:
        return {"count": 0, "median": 0.0, "p99": 0.0, "most": 0.0, "share": 100.0}
    return {
        "count": len(late),
        "median": 1000 * late[len(late) // 2],
        "p99": 1000 * late[min(int(0.99 * len(late)), len(late) - 1)],
        "most": 1000 * late[-1],
        "share": 100 * sum(value <= LATE_S for value in late) / len(late),
    }
