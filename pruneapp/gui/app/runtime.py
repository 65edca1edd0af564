"""One heap for all threads, garbage collected when there is time, Qt's classes made in time.

The C library of most Linux systems gives threads that ask for memory at the same moment a heap
each, up to eight for every core, and keeps some megabytes at the top of each for the next time. A
pass over weights runs in threads of its own, now and then beside those of a picture, so that one
heap more was made after dozens of steps and never given back: docs/decisions/0011.

Left to itself the collector runs in whatever thread makes the next object, stops all of them, and
looks at everything that is alive: 0.3 s and more with the headers of a large file, in the middle
of a drag. And it may run in a worker, where objects of Qt must not be destroyed.

PySide makes a class when it is first touched. pyqtgraph touches every class when it is imported,
which happens in a thread: now and then the main thread met a class that was half made, and the
process died (3 starts of 100).
"""

from __future__ import annotations

import ctypes
import gc
import os
import time
from types import ModuleType

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer, Signal, Slot

LOOK_EVERY_MS = 1000
# Young objects since the last look, beyond which looking is worth it.
MANY_YOUNG = 2000
# So many at once are the headers of a large file: they hold no cycles, and will not be looked at
# any more once it is open (`OpenDocument` freezes them). Only if they stay is it something else.
MANY_AT_ONCE = 50_000
LOOKS_AWAY = 30
# So many looks at the younger generation go before one at the next older.
LOOKS_BEFORE_OLDER = 10
# What a collection looks at for so long is what is known of 100,000 tensors: it stays, and is
# not looked at again, or every thousandth second would become one of standing still.
LONG_S = 0.02
# Headers of more tensors than this would be looked at for longer than a frame, and hold no cycles.
LARGE = 5000


class Collector(QObject):
    """Collects in the main thread, once a second at most, the young more often than the old."""

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
        """Collect if there may be something to collect."""
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


def freeze_large(tensors: int) -> None:
    """Let the collector never look again at what is there now, if a large file was opened.

    100,000 entries are looked at by every full collection, which stops the window for as long as
    0.2 s. They go when the file is closed all the same: nothing in them refers to itself.
    """
    if tensors > LARGE:
        gc.freeze()


# <malloc.h> of glibc
_M_ARENA_MAX = -8


def share_heap() -> bool:
    """Let all threads that start from now on share the heaps that there are.

    Heaps that other threads already have are kept, so this belongs before the first thread: Qt's
    thread and that of the imports are enough for two heaps more, which kept 12 MB. Takes 3 ms,
    for ctypes, which numpy would import a moment later. Returns False where nothing was changed:
    where the C library knows no such thing (musl, macOS, Windows), and where the person has chosen
    by ``MALLOC_ARENA_MAX`` or ``GLIBC_TUNABLES``.
    """
    chosen = os.environ.get("GLIBC_TUNABLES", "")
    if os.name != "posix" or "MALLOC_ARENA_MAX" in os.environ or "malloc.arena_max" in chosen:
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_M_ARENA_MAX, 1))


# What pyqtgraph mirrors.
MODULES: tuple[ModuleType, ...] = (QtCore, QtGui, QtWidgets)

# Classes are made for so long at a time; one of them takes up to 20 ms.
_SLICE_S = 0.004


class QtClasses(QObject):
    """Makes all classes of Qt, a few at a time, so that the window goes on answering."""

    made = Signal()  # once, after the last of them

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._names = ((module, name) for module in MODULES for name in dir(module))
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
