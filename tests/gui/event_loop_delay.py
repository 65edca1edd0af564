"""Whether the window answers: a timer that ought to beat every 4 ms, and how late it was."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Qt, QTimer

BEAT_S = 0.004
# The bound is 0.2 s, and `packaging/dev.py bench beats` measures it on a machine that rests. A test
# may share its machine with anybody: it fails for what no crowd explains, a job on the main thread.
NEVER_LATER_S = 1.0


class Stopwatch:
    """How long something took, as far as this process computed meanwhile: see `Beats`."""

    def __init__(self) -> None:
        self._began, self._all = time.perf_counter(), time.process_time()

    @property
    def seconds(self) -> float:
        """Seconds since it was made."""
        return min(time.perf_counter() - self._began, time.process_time() - self._all)


class Beats(QObject):
    """Records, for every beat of the main thread, how late it came and how long it had worked.

    Lateness is what a person sees, and what a crowded machine spoils: it counts as far as this
    process computed meanwhile, in whatever thread, for one that holds the interpreter keeps the
    window waiting. What the main thread itself spent is ours alone, whoever else computes.

    Attributes
    ----------
    late
        Seconds by which each beat came too late, as far as that was our doing.
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
        """Record from now on."""
        self._last = time.perf_counter()
        self._busy = time.thread_time()
        self._all = time.process_time()
        self._timer.start()

    def stop(self) -> None:
        """Record no more, for the time being."""
        self._timer.stop()

    def forget(self) -> None:
        """Begin anew."""
        self.late.clear()
        self.worked.clear()
        self.start()

    def _beat(self) -> None:
        now, busy, everything = time.perf_counter(), time.thread_time(), time.process_time()
        self.late.append(max(0.0, min(now - self._last - BEAT_S, everything - self._all)))
        self.worked.append(busy - self._busy)
        self._last, self._busy, self._all = now, busy, everything

    def assert_answered(self, never_later_s: float = NEVER_LATER_S) -> None:
        """Fail if the window stood still for longer; at least some beats must have been heard."""
        assert len(self.late) > 3, "the timer hardly beat: nothing was measured"
        assert max(self.worked) < never_later_s, f"the main thread worked {max(self.worked):.3f} s"
        assert max(self.late) < never_later_s, f"a beat came {max(self.late):.3f} s late"
