"""Measure the delay of the event loop with a timer of 4 ms."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Qt, QTimer

BEAT_S = 0.004
# The bound is 0.2 s, measured by `packaging/dev.py bench beats` on an idle machine. Tests may share
# their machine, so that they only detect what no load explains: long work on the main thread.
NEVER_LATER_S = 1.0


class Stopwatch:
    """Measures the smaller one of wall time and processor time of this process, see `Beats`."""

    def __init__(self) -> None:
        self._began, self._all = time.perf_counter(), time.process_time()

    @property
    def seconds(self) -> float:
        """Seconds since the stopwatch was made."""
        return min(time.perf_counter() - self._began, time.process_time() - self._all)


class Beats(QObject):
    """Records how late each beat of a timer was, and how long the main thread worked for it.

    The delay is what the user notices, but load from other processes increases it too. So it is
    limited to the processor time of this process, of all threads, as a thread that holds the
    interpreter lock blocks the window. Processor time of the main thread does not depend on load.

    Attributes
    ----------
    late
        Delay of each beat in seconds, as far as this process caused it.
    worked
        Seconds of processor time of the main thread before each beat.
    """

    def __init__(self) -> None:
        super().__init__()
        self.late: list[float] = []
        self.worked: list[float] = []
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(round(BEAT_S * 1000))
        self._timer.timeout.connect(self._beat)
        self.start()

    def start(self) -> None:
        """Start or resume the recording."""
        self._last = time.perf_counter()
        self._busy = time.thread_time()
        self._all = time.process_time()
        self._timer.start()

    def stop(self) -> None:
        """Pause the recording."""
        self._timer.stop()

    def forget(self) -> None:
        """Discard the recorded beats and restart."""
        self.late.clear()
        self.worked.clear()
        self.start()

    def _beat(self) -> None:
        now, busy, everything = time.perf_counter(), time.thread_time(), time.process_time()
        self.late.append(max(0.0, min(now - self._last - BEAT_S, everything - self._all)))
        self.worked.append(busy - self._busy)
        self._last, self._busy, self._all = now, busy, everything

    def assert_answered(self, never_later_s: float = NEVER_LATER_S) -> None:
        """Fail if the window was blocked for longer, or if fewer than four beats were recorded."""
        assert len(self.late) > 3, "the timer fired fewer than four times"
        assert max(self.worked) < never_later_s, f"the main thread worked {max(self.worked):.3f} s"
        assert max(self.late) < never_later_s, f"a beat came {max(self.late):.3f} s late"
