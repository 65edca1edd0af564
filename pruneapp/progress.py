"""Progress of long work, and how it is cancelled."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Protocol, TypeVar

T = TypeVar("T")

# Of many small things (tensors of a header), so many are done between two looks at a token: some
# milliseconds, and not long enough to be noticed even where a single call does them all.
BATCH = 4096
# Units of a part of a job: finer than any bar.
_PART = 1 << 20


class Cancelled(Exception):  # noqa: N818 - not an error: the person asked for it
    """Raised inside a job after its token was cancelled; nothing was changed."""


class CancelToken:
    """A flag that one thread raises and another looks at.

    Long work calls `check` at least every 50 ms.
    """

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        """Ask the job to stop; may be called from any thread, any number of times."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether the job was asked to stop."""
        return self._event.is_set()

    def wait(self, seconds: float) -> None:
        """Wait until the job is asked to stop; go on after so many seconds if it is not."""
        self._event.wait(seconds)

    def check(self) -> None:
        """Raise `Cancelled` if the job was asked to stop."""
        if self._event.is_set():
            raise Cancelled

    def batches(self, items: Iterable[T]) -> Iterator[list[T]]:
        """Yield many small things in order, at most `BATCH` at a time, and check before each.

        What is done with a batch in one go, by a comprehension or a call, stops no other thread of
        the interpreter for long.
        """
        rest = iter(items)
        while batch := list(islice(rest, BATCH)):
            self.check()
            yield batch

    def each(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the same things one by one: the check comes before each `BATCH` of them."""
        return chain.from_iterable(self.batches(items))


class Progress(Protocol):
    """Receives how far a job is, in the thread that does the work."""

    def report(self, done: int, total: int, label: str) -> None:
        """Report that `done` of `total` units (bytes, as a rule) are done, now at `label`."""


class Job:
    """What a long function is given: where to report, and whether to go on.

    Without a progress nothing is reported, without a token it is never cancelled.
    """

    def __init__(self, progress: Progress | None = None, cancel: CancelToken | None = None) -> None:
        self._progress = progress
        self.cancel = cancel or CancelToken()
        self._done = 0
        self._total = 0
        self._label = ""

    def start(self, total: int, label: str = "") -> None:
        """Begin a stretch of `total` units."""
        self._done, self._total, self._label = 0, total, label
        self.step(0)

    def extend(self, units: int) -> None:
        """Add `units` to the stretch that is under way."""
        self._total += units

    def label(self, label: str) -> None:
        """Name what is worked on now (a tensor, a file)."""
        self._label = label
        self.step(0)

    def step(self, units: int, label: str | None = None) -> None:
        """Count `units` as done, now at `label`; raises `Cancelled` if asked to stop."""
        self.cancel.check()
        self._done += units
        self._label = self._label if label is None else label
        if self._progress is not None:
            self._progress.report(self._done, self._total, self._label)

    def parts(self, count: int) -> Iterator[Job]:
        """Yield a job for each of `count` parts of the same work, one after another.

        However a part is started, extended and stepped, this job goes on by its share alone: from 0
        to the end once over all of them, and never back. A part is done when the next is asked for.
        """
        self.start(count * _PART)
        for number in range(1, count + 1):
            yield Job(_JobPart(self), self.cancel)
            self.step(number * _PART - self._done)


class _JobPart:
    """Reports the progress of a part to the whole job."""

    def __init__(self, whole: Job) -> None:
        self._whole = whole
        self._reached = 0

    def report(self, done: int, total: int, label: str) -> None:
        """Go on by what is new; more work than was known holds it where it is."""
        before = self._reached
        if total > 0:
            self._reached = max(before, min(_PART, done * _PART // total))
        self._whole.step(self._reached - before, label)
