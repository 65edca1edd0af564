"""Findings of a run: exceptions, warnings and messages of Qt, and stalls of the window."""

from __future__ import annotations

import faulthandler
import logging
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)

BEAT_S = 0.02
STALL_S = 1.0
# Age in seconds at which the stack of a stall is sampled, then repeatedly.
LOOK_S = 0.5
# The process is considered hung after this time: all stacks are written, and it exits.
DEAD_S = 120.0
# Known messages: limits of the offscreen platform, and warnings of QTest to its caller.
KNOWN = (
    "This plugin does not support",
    "Keyboard event not accepted by receiving widget",
    "Mouse event occurs outside target window",
    'Mouse event "Mouse',  # "MousePress" not accepted by receiving widget: it is disabled
)


class Findings:
    """Findings in order; each is reported immediately, because the process may crash.

    Parameters
    ----------
    tell
        Called with the kind and the text of each.
    """

    def __init__(self, tell: Callable[[str, str], None]) -> None:
        self._tell = tell
        self.counts: Counter[str] = Counter()

    def add(self, kind: str, text: str) -> None:
        """Record a finding."""
        self.counts[kind] += 1
        self._tell(kind, text)

    def listen(self) -> None:
        """Install hooks for uncaught exceptions, warnings and messages of Qt."""
        sys.excepthook = lambda kind, error, trace: self.add(
            "exception", "".join(traceback.format_exception(kind, error, trace))
        )
        sys.unraisablehook = lambda seen: self.add(
            "exception",
            f"{seen.err_msg} {seen.object!r}\n"
            + "".join(traceback.format_exception(seen.exc_value or seen.exc_type)),
        )
        threading.excepthook = lambda seen: self.add(
            "exception",
            "".join(traceback.format_exception(seen.exc_type, seen.exc_value, seen.exc_traceback)),
        )
        qInstallMessageHandler(self._on_message)
        handler = logging.Handler(logging.WARNING)
        handler.emit = lambda record: self.add(  # type: ignore[method-assign]  # one line, no class
            "warning", logging.Formatter().format(record)
        )
        logging.getLogger().addHandler(handler)
        logging.captureWarnings(capture=True)

    def _on_message(self, kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if kind in {QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg} or text.startswith(KNOWN):
            return
        self.add("warning", f"Qt: {text}\n{_theirs(traceback.extract_stack())}")


class Pulse(QObject):
    """Measures stalls of the main thread, and whether they were caused by other processes.

    The time that threads of this process waited for a CPU (run queue delay) is subtracted: on a
    shared machine, other processes cause most stalls.

    Attributes
    ----------
    longest
        Seconds of the longest stall that other processes do not explain.
    ours, crowd
        Number of stalls longer than a second, caused by this process or by others.
    """

    def __init__(self, findings: Findings, counted: Callable[[], bool]) -> None:
        super().__init__()
        self._findings = findings
        self._counted = counted
        self.longest = 0.0
        self.ours = self.crowd = 0
        self._main, self._native = threading.get_ident(), threading.get_native_id()
        self._last, self._cpu = time.perf_counter(), time.thread_time()
        self._before = waited()
        self._stacks: list[str] = []
        self._ended = threading.Event()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(round(BEAT_S * 1000))
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        # A busy window may handle many acts between two timeouts, but it does respond.
        self._thread = threading.Thread(target=self._look, name="monkey-pulse", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop measuring."""
        self._timer.stop()
        self._ended.set()
        self._thread.join()
        faulthandler.cancel_dump_traceback_later()

    def beat(self) -> None:
        """Record that the main thread responds."""
        self._beat()

    def restart(self) -> None:
        """Start a new measurement, ignoring earlier time."""
        self._last, self._cpu, self._stacks = time.perf_counter(), time.thread_time(), []

    def _beat(self) -> None:
        now, cpu = time.perf_counter(), time.thread_time()
        late, worked = now - self._last - BEAT_S, cpu - self._cpu
        stacks, self._stacks = self._stacks, []
        if late > LOOK_S and self._counted():
            after = waited()
            starved = explained(self._before, after, str(self._native))
            ours = max(min(late, worked), late - starved)
            self.longest = max(self.longest, ours)
            text = (
                f"{late:.2f} s, of which the main thread computed {worked:.2f} s; "
                f"{starved:.2f} s it waited for a processor, or for a thread that did"
            )
            if ours > STALL_S:
                self.ours += 1
                self._findings.add("stall", "\n".join([text, *stacks]))
            elif late > STALL_S:
                self.crowd += 1
                self._findings.add("crowd", "\n".join([text, *stacks]))
        self._last, self._cpu = now, cpu

    def _look(self) -> None:
        quiet = 0
        while not self._ended.wait(0.1):
            age = time.perf_counter() - self._last
            if age < 0.1:
                quiet += 1
                if quiet % 5 == 0:
                    self._before = waited()
                    faulthandler.dump_traceback_later(DEAD_S, exit=True)
            elif age > LOOK_S * (len(self._stacks) + 1) and len(self._stacks) < 3:
                self._stacks.append(f"after {age:.2f} s:\n{self._stack()}")

    def _stack(self) -> str:
        # Not from frame objects: a thread that holds a frame releases its variables, and could
        # destroy a widget in this thread while the widget's timers belong to the main thread.
        with tempfile.TemporaryFile("w+") as file:
            faulthandler.dump_traceback(file)
            file.seek(0)
            return stack_of(self._main, file.read())


def _theirs(stack: traceback.StackSummary) -> str:
    """Return the end of a stack without the frames of the monkey, which are in the log."""
    return "".join(traceback.format_list([s for s in stack if "/monkey/" not in s.filename][-9:]))


def stack_of(thread: int, dump: str) -> str:
    """Return the end of a thread's stack from a dump of `faulthandler`, the last call first.

    Without the frames of the monkey, which are in the log. Empty if the thread is not in the dump.
    """
    for part in dump.split("\n\n"):
        head, *calls = part.strip().splitlines()
        if f"0x{thread:016x} " in head:
            return "\n".join([call for call in calls if "/monkey/" not in call][:9])
    return ""


def explained(before: Mapping[str, float], after: Mapping[str, float], main: str) -> float:
    """Return the seconds that the main thread may have waited because of other processes.

    This is its own run queue delay, plus the largest delay of another thread, which may have held
    the GIL.
    """
    gone = {thread: after[thread] - before.get(thread, 0.0) for thread in after}
    own = gone.pop(main, 0.0)
    return own + max(gone.values(), default=0.0)


def waited() -> dict[str, float]:
    """Return the run queue delay of each thread in seconds, by thread id."""
    found = {}
    for task in Path("/proc/self/task").glob("*"):
        try:
            found[task.name] = int((task / "schedstat").read_text().split()[1]) / 1e9
        except (OSError, IndexError):  # it has ended, or the kernel has no such file
            continue
    return found
