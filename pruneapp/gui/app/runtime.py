"""Garbage of the interpreter, collected when the window has time for it.

Left to itself the collector runs in whatever thread makes the next object, stops all of them, and
looks at everything that is alive: 0.3 s and more with the headers of a large file, in the middle
of a drag. And it may run in a worker, where objects of Qt must not be destroyed.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer, Slot

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
        timer.timeout.connect(self.look)
        timer.start()

    @Slot()
    def look(self) -> None:
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


def settle(tensors: int) -> None:
    """Let the collector never look again at what is there now, if a large file was opened.

    100,000 entries are looked at by every full collection, which stops the window for as long as
    0.2 s. They go when the file is closed all the same: nothing in them refers to itself.
    """
    if tensors > LARGE:
        gc.freeze()
