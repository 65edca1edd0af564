"""Process-wide runtime settings: memory arenas, garbage collection, threads, Qt's classes.

On most Linux systems malloc gives threads that allocate at the same moment an arena each, up to
eight per core, and keeps some megabytes at the top of each. Passes over weights run in threads,
sometimes at the same time as those of tiles, so that after dozens of steps there was another arena
whose memory was never returned: see docs/decisions/0011.

By default the garbage collector runs in whichever thread allocates next, stops all threads and
visits all objects: 0.3 s and more with the headers of a large file, during a drag. It may also run
in a worker thread, where Qt objects must not be destroyed.

PySide creates a class on first access. pyqtgraph accesses all classes when it is imported, which
happens in a thread: sometimes the main thread met a half-created class and the process crashed (3
of 100 starts).
"""

from __future__ import annotations

import ctypes
import gc
import os
import threading
import time
from types import ModuleType

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from pruneapp.progress import CancelToken

LOOK_EVERY_MS = 1000
# Collect only if this many objects were allocated since the last collection.
MANY_YOUNG = 2000
# This many new objects are the headers of a large file being opened. They contain no cycles and are
# excluded from collection once it is open (`OpenDocument` freezes them). Skip up to `LOOKS_AWAY`
# intervals; if the objects still exist then, they are something else and are collected.
MANY_AT_ONCE = 50_000
LOOKS_AWAY = 30
# Number of collections of a generation per collection of the next older one.
LOOKS_BEFORE_OLDER = 10
# A collection that takes longer, in seconds, visited the data of some 100,000 tensors, which is
# permanent. It is frozen; otherwise the window would block that long again and again.
LONG_S = 0.02
# Above this number of tensors a collection of their headers would take longer than a frame.
LARGE = 5000
# Longest pause of a task while the main thread works, so that it makes progress in any case.
PAUSE_S = 0.2
# A task that may sleep does so for `SLEEP_S` at the first check after `SLEEP_EVERY_S`, so that the
# main thread gets the GIL. A thread that often releases it for a moment, as for each read of a
# small tensor, takes it again before the main thread has woken up, which then waited for 0.4 s.
SLEEP_EVERY_S, SLEEP_S = 0.002, 0.0001


class Collector(QObject):
    """Runs the garbage collector on the main thread, at most once a second.

    Older generations are collected less often.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._looks = [0, 0]
        self._looks_away = 0
        timer = QTimer(self)
        timer.setInterval(LOOK_EVERY_MS)
        timer.timeout.connect(self.collect_if_due)
        timer.start()

    @Slot()
    def collect_if_due(self) -> None:
        """Run a collection if at least `MANY_YOUNG` objects were allocated since the last one.

        Called every `LOOK_EVERY_MS`. Every eleventh collection is of the next older generation.
        More than `MANY_AT_ONCE` new objects are left alone for up to `LOOKS_AWAY` calls in a row.
        After a collection of more than `LONG_S` everything that is left is frozen.
        """
        young = gc.get_count()[0]
        if young > MANY_AT_ONCE and self._looks_away < LOOKS_AWAY:
            self._looks_away += 1
            return
        self._looks_away = 0
        if young < MANY_YOUNG:
            return
        generation = 0
        while generation < 2 and self._looks[generation] >= LOOKS_BEFORE_OLDER:
            self._looks[generation] = 0
            generation += 1
        if generation < 2:
            self._looks[generation] += 1
        began = time.thread_time()
        gc.collect(generation)
        if time.thread_time() - began > LONG_S:
            gc.freeze()


class _WorkerPause:
    """Pauses the tasks of all windows while the main thread works.

    The main thread needs the GIL again after each Qt call that releases it, some hundred times per
    paint. While a worker runs Python code, it waits for `SWITCH_INTERVAL_S` or longer each time: 50
    ms of work took 0.3 s during a step of 25,000 tensors.
    """

    def __init__(self) -> None:
        self._is_over = threading.Event()
        self._is_over.set()
        self._ends = 0.0
        self._timer: QTimer | None = None

    def begin(self) -> None:
        """Pause tasks at their next check, until all events that are pending now are processed.

        Called on the main thread.
        """
        if self._timer is None:
            self._timer = QTimer(QtCore.QCoreApplication.instance())
            self._timer.setSingleShot(True)
            self._timer.timeout.connect(self.end)
            self._timer.destroyed.connect(self._forget_timer)
        self._ends = time.monotonic() + PAUSE_S
        self._is_over.clear()
        self._timer.start()

    def _forget_timer(self) -> None:
        self._timer = None

    def end(self) -> None:
        """Let tasks continue at once. Called on the main thread before waiting for one."""
        self._is_over.set()

    def wait(self) -> None:
        """Wait until the pause is over, at most `PAUSE_S`. Called on a worker thread."""
        if not self._is_over.is_set():
            self._is_over.wait(self._ends - time.monotonic())


worker_pause = _WorkerPause()


class PausingToken(CancelToken):
    """The token of a task in a thread of the window, which lets the main thread work first."""

    _slept = threading.local()  # `at`: when the thread last slept, of `time.monotonic`

    def __init__(self, *, sleeps: bool) -> None:
        """Create a token; `sleeps` is whether the task may take 5 % longer for a fluent window."""
        super().__init__()
        self._sleeps = sleeps

    def check(self) -> None:
        """Wait until the pause is over, sleep if it is time; raise `Cancelled` if requested."""
        super().check()
        worker_pause.wait()
        if self._sleeps and time.monotonic() - getattr(self._slept, "at", 0.0) > SLEEP_EVERY_S:
            time.sleep(SLEEP_S)
            self._slept.at = time.monotonic()
        super().check()


def freeze_large(tensors: int) -> None:
    """Exclude all existing objects from garbage collection if `tensors` is more than `LARGE`.

    Every full collection visits 100,000 entries for up to 0.2 s, which blocks the window. Reference
    counting still frees the entries when the file is closed, as they contain no cycles.
    """
    if tensors > LARGE:
        gc.freeze()


# <malloc.h> of glibc
_M_ARENA_MAX = -8


def share_heap() -> bool:
    """Limit malloc to the arenas that exist, for all threads that start from now on.

    Call it before the first thread starts, as arenas of existing threads are kept: those of Qt's
    thread and of the imports kept 12 MB. It takes 3 ms, for ctypes, which numpy imports anyway.
    Return whether the limit was set: not if the C library has no such option (musl, macOS,
    Windows), or if the user has set ``MALLOC_ARENA_MAX`` or ``GLIBC_TUNABLES`` with
    ``malloc.arena_max``.
    """
    chosen = os.environ.get("GLIBC_TUNABLES", "")
    if os.name != "posix" or "MALLOC_ARENA_MAX" in os.environ or "malloc.arena_max" in chosen:
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_M_ARENA_MAX, 1))


# The modules whose classes pyqtgraph accesses.
MODULES: tuple[ModuleType, ...] = (QtCore, QtGui, QtWidgets)

# Duration, in seconds, of a slice of creating classes; a single class takes up to 20 ms.
_SLICE_S = 0.004


class QtClasses(QObject):
    """Creates all classes of Qt in short slices, so that the window stays responsive."""

    made = Signal()  # once, after the last class

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._names = ((module, name) for module in MODULES for name in dir(module))
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._make)

    def start(self) -> None:
        """Start when the event loop is idle."""
        self._timer.start(0)

    def stop(self) -> None:
        """Stop creating classes; `made` is not emitted."""
        self._timer.stop()

    @Slot()
    def _make(self) -> None:
        """Create classes for `_SLICE_S` seconds.

        After the last class it stops the timer and emits `made`.
        """
        ends = time.perf_counter() + _SLICE_S
        for module, name in self._names:
            getattr(module, name)
            if time.perf_counter() > ends:
                return
        self._timer.stop()
        self.made.emit()
