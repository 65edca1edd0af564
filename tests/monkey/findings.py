"""What a run finds: whatever is said to the developer, and how long the window stood still."""

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
# A stall is looked at when it is this old, and then now and then.
LOOK_S = 0.5
# The process is taken for dead then: all stacks are written, and it ends.
DEAD_S = 120.0
# What the plugin without a screen says of what it cannot do, and what QTest says to its user.
KNOWN = (
    "This plugin does not support",
    "Keyboard event not accepted by receiving widget",
    "Mouse event occurs outside target window",
    'Mouse event "Mouse',  # "MousePress" not accepted by receiving widget: it is off
)


class Findings:
    """What was found, in order; each is handed on at once, for the process may end.

    Parameters
    ----------
    tell
        Called with the kind and the text of each.
    """

    def __init__(self, tell: Callable[[str, str], None]) -> None:
        self._tell = tell
        self.counts: Counter[str] = Counter()

    def add(self, kind: str, text: str) -> None:
        """Note something."""
        self.counts[kind] += 1
        self._tell(kind, text)

    def listen(self) -> None:
        """Hear of exceptions that nobody caught, of warnings and of what Qt says."""
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
    """How long the main thread did not answer, and why as far as can be told.

    A stall counts as ours as far as it is not explained by threads of this process that stood in
    the line for a processor meanwhile: on a machine that is shared, others make most of them.

    Attributes
    ----------
    longest
        Seconds of the longest stall that was ours.
    ours, crowd
        How many were longer than a second, by our doing or by that of others.
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
        # Many acts come between two beats of a window that has much to do: it answers all the same.
        self._thread = threading.Thread(target=self._look, name="monkey-pulse", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._timer.stop()
        self._ended.set()
        self._thread.join()
        faulthandler.cancel_dump_traceback_later()

    def beat(self) -> None:
        """Note that the main thread answers."""
        self._beat()

    def restart(self) -> None:
        """Count from now on: what went before was no work of the window."""
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
        # Not by its frames: whoever holds one while it ends lets go of its variables, and a widget
        # among them would be destroyed in this thread, behind the back of its timers.
        with tempfile.TemporaryFile("w+") as file:
            faulthandler.dump_traceback(file)
            file.seek(0)
            return stack_of(self._main, file.read())


def _theirs(stack: traceback.StackSummary) -> str:
    """Return the end of a stack without what the monkey did, which is in the log."""
    return "".join(traceback.format_list([s for s in stack if "/monkey/" not in s.filename][-9:]))


def stack_of(thread: int, dump: str) -> str:
    """Return the end of the stack of a thread from a dump of `faulthandler`, the last call first.

    Without what the monkey did, which is in the log.
    """
    for part in dump.split("\n\n"):
        head, *calls = part.strip().splitlines()
        if f"0x{thread:016x} " in head:
            return "\n".join([call for call in calls if "/monkey/" not in call][:9])
    return ""


def explained(before: Mapping[str, float], after: Mapping[str, float], main: str) -> float:
    """Return for how long the main thread may have waited because others had the processors.

    It waits in line itself, and one after another for a thread that has the interpreter and waits
    in line; of the other threads the one that waited longest counts.
    """
    gone = {thread: after[thread] - before.get(thread, 0.0) for thread in after}
    own = gone.pop(main, 0.0)
    return own + max(gone.values(), default=0.0)


def waited() -> dict[str, float]:
    """Return for how many seconds each thread stood in the line for a processor until now."""
    found = {}
    for task in Path("/proc/self/task").glob("*"):
        try:
            found[task.name] = int((task / "schedstat").read_text().split()[1]) / 1e9
        except (OSError, IndexError):  # it has ended, or the kernel does not say
            continue
    return found
