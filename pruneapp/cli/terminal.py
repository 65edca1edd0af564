"""What a terminal shows: a progress bar while work goes on, a clean stop on Ctrl+C."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections.abc import Iterator
from types import FrameType

from pruneapp.cli.terminal_statuses import INTERRUPTED
from pruneapp.progress import CancelToken, Job


class Interrupts:
    """Turns the first Ctrl+C (or a polite kill) into a cancelled job.

    Attributes
    ----------
    token
        Cancelled by the signal.
    status
        The exit status that tells which signal it was: 128 and its number.
    """

    def __init__(self) -> None:
        self.token = CancelToken()
        self.status = INTERRUPTED

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self.token.cancelled:
            raise KeyboardInterrupt  # asked twice: do not wait for the next step
        self.status = 128 + number
        self.token.cancel()

    @contextlib.contextmanager
    def watched(self) -> Iterator[CancelToken]:
        """Watch the signals inside the block, then give them back."""
        numbers = [signal.SIGINT, signal.SIGTERM]
        before = {n: signal.signal(n, self._on_signal) for n in numbers}
        try:
            yield self.token
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


@contextlib.contextmanager
def job(title: str, token: CancelToken) -> Iterator[Job]:
    """Give a job whose progress a terminal shows; a pipe sees nothing.

    Parameters
    ----------
    title
        What is done, in a word: "Pruning".
    token
        Cancels it.
    """
    if not sys.stderr.isatty():
        yield Job(None, token)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[label]}", markup=False, style="dim"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Job(_ProgressBar(bar, title), token)


class _ProgressBar:
    """A progress bar that is drawn at most twenty times a second."""

    def __init__(self, bar: object, title: str) -> None:
        from rich.progress import Progress

        assert isinstance(bar, Progress)
        self._bar = bar
        self._task = bar.add_task(title, total=None, label="")
        self._last = 0.0

    def report(self, done: int, total: int, label: str) -> None:
        """Draw it, unless it was drawn just now."""
        now = time.monotonic()
        if now - self._last >= 0.05 or done == total:
            self._last = now
            self._bar.update(self._task, completed=done, total=total or None, label=label[-60:])
