"""Progress and cancellation of long operations."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import Protocol, TypeVar

T = TypeVar("T")

# Small items (such as tensors of a header) processed between two checks for cancellation: a few
# milliseconds.
BATCH = 4096
# Steps of a part of a job: finer than any progress bar.
_PART = 1 << 20
# Before that the time left is not estimated, and the progress not used for estimates: work is
# prepared first, whose duration says nothing about the rest.
_ESTIMATED_AFTER_S, ESTIMATED_AFTER_SHARE = 3.0, 0.02
# Changes of the share before the first estimate: a few belong to the start of a process and to the
# loading of a model, whose durations say nothing about the rest.
_ESTIMATED_AFTER_POINTS = 10
# Seconds without progress after which no time left is estimated, as the job may never end; longer
# if the job paused for longer before.
_STALE_S = 3.0
# Changes of the share that the rate is computed from at least, so that it fluctuates little.
_LAST_POINTS = 6
# If the latest changes predict this multiple of the time left, the work has become slower, as in a
# part that was expected to be short: the estimate follows at once.
_MUCH_SLOWER = 2.5
# The estimated end follows changes of the rate within this fraction of the time left.
_SMOOTHED_OVER = 0.25
# Progress below this share is not recorded separately, so that there are few points; nor is
# progress below that share of the rest, which may be much slower than what is done.
_FINEST, _FINEST_OF_REST = 1 / 512, 1 / 64


class Cancelled(Exception):  # noqa: N818 - not an error: requested by the user
    """Raised inside a job after its token was cancelled; the job must not have changed anything."""


class CancelToken:
    """A flag that one thread sets and another polls.

    Long operations call `check` at least every 50 ms.
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
        """Wait up to `seconds` for a cancellation."""
        self._event.wait(seconds)

    def check(self) -> None:
        """Raise `Cancelled` if the job was asked to stop."""
        if self._event.is_set():
            raise Cancelled

    def batches(self, items: Iterable[T]) -> Iterator[list[T]]:
        """Yield items in order, in lists of at most `BATCH`, and check before each list.

        Raises `Cancelled`; not for no items. Processing a batch in a single comprehension or call
        does not block other threads for long.
        """
        rest = iter(items)
        while batch := list(islice(rest, BATCH)):
            self.check()
            yield batch

    def each(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items one by one, with a check before each `BATCH` of them."""
        return chain.from_iterable(self.batches(items))


class TimeLeft:
    """Estimates the remaining time of a job from its progress.

    The rate is that of the last quarter of the elapsed time, or of the second half of the changes
    if they took less, but of `_LAST_POINTS` changes at least: preparations are often faster or
    slower than the rest. If the share becomes smaller, another phase has begun, which is estimated
    alone. The estimated end is smoothed, so that the time left does not jump, unless the work has
    become much slower.
    """

    def __init__(self) -> None:
        self._points = [(0.0, 0.0)]  # (seconds, share), whenever the share had increased
        self._longest_pause = 0.0
        self._end: tuple[float, float] | None = None  # when it was estimated, and the estimate

    def update(self, seconds: float, share: float) -> None:
        """Record that `share` of the work, from 0 to 1, is done after `seconds`."""
        last_seconds, last_share = self._points[-1]
        if share < last_share:
            self._points, self._longest_pause, self._end = [(seconds, share)], 0.0, None
        elif share - last_share >= min(_FINEST, (1 - share) * _FINEST_OF_REST) and (
            share > last_share
        ):
            self._longest_pause = max(self._longest_pause, seconds - last_seconds)
            if last_share - self._points[0][1] <= ESTIMATED_AFTER_SHARE:
                del self._points[1:]
            self._points.append((seconds, share))

    def estimate(self, seconds: float) -> float | None:
        """Return the seconds left, at least 0, after `seconds`; None if they are not known.

        They are not at the beginning, and after a long time without progress.
        """
        (began, share_at_first), (last, share) = self._points[0], self._points[-1]
        elapsed = last - began
        if seconds - began < _ESTIMATED_AFTER_S or share - share_at_first < ESTIMATED_AFTER_SHARE:
            return None
        if len(self._points) <= _ESTIMATED_AFTER_POINTS:
            return None
        if seconds - last >= max(_STALE_S, elapsed / 4, 2 * self._longest_pause):
            return None
        half = len(self._points) // 2
        late = bisect_right(self._points, (began + elapsed * 3 / 4, 1.0)) - 1
        latest = len(self._points) - _LAST_POINTS
        end = self._end_at_rate_since(min(max(half, late), latest), seconds)
        slow_end = self._end_at_rate_since(latest, seconds)
        has_slowed = slow_end - seconds > _MUCH_SLOWER * (end - seconds) and (
            self._end_without_pause(latest, seconds) - seconds > _MUCH_SLOWER * (end - seconds)
        )
        if has_slowed:
            end = slow_end
        if self._end is not None and not (
            has_slowed and end - seconds > _MUCH_SLOWER * (self._end[1] - seconds)
        ):
            estimated_at, before = self._end
            smoothed_over = max(1.0, _SMOOTHED_OVER * (end - seconds))
            end = before + (end - before) * min(1.0, (seconds - estimated_at) / smoothed_over)
        self._end = seconds, end
        return max(0.0, end - seconds)

    def _end_at_rate_since(self, start: int, seconds: float) -> float:
        """Return when the job ends at the rate since the point with the index `start`.

        A pause up to `seconds` that is longer than usual belongs to the rate.
        """
        (first, share_before), (last, share) = self._points[start], self._points[-1]
        usual_pause = (last - first) / (len(self._points) - 1 - start)
        now = max(last, seconds - usual_pause)
        return now + (1 - share) * (now - first) / (share - share_before)

    def _end_without_pause(self, start: int, seconds: float) -> float:
        """Return when the job ends at the rate since a point, without the longest pause after it.

        A single pause, such as a preparation between two parts, does not make the work slower.
        """
        points = self._points[start:]
        pauses = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)]
        pauses.remove(max(pauses))
        return seconds + (1 - points[-1][1]) * (
            sum(pause for pause, _ in pauses) / sum(done for _, done in pauses)
        )


class Progress(Protocol):
    """Receives the progress of a job, on the worker thread."""

    def report(self, done: int, total: int, label: str) -> None:
        """Report that `done` of `total` units (bytes, as a rule) are done, now at `label`."""


class Job:
    """Progress reporting and cancellation for a long function.

    Without `progress` nothing is reported; without `cancel` it is never cancelled.
    """

    def __init__(self, progress: Progress | None = None, cancel: CancelToken | None = None) -> None:
        self._progress = progress
        self.cancel = cancel or CancelToken()
        self._done = 0
        self._total = 0
        self._label = ""

    def start(self, total: int, label: str = "") -> None:
        """Start a phase with `total` steps, of which none is done; raise `Cancelled` if requested.

        An earlier phase is forgotten.
        """
        self._done, self._total, self._label = 0, total, label
        self.step(0)

    def extend(self, units: int) -> None:
        """Add `units` to the total of the current phase."""
        self._total += units

    def label(self, label: str) -> None:
        """Set the name of the current item (a tensor, a file)."""
        self._label = label
        self.step(0)

    def step(self, units: int, label: str | None = None) -> None:
        """Add `units` to the finished steps; raise `Cancelled` if requested."""
        self.cancel.check()
        self._done += units
        self._label = self._label if label is None else label
        if self._progress is not None:
            self._progress.report(self._done, self._total, self._label)

    def parts(self, count: int) -> Iterator[Job]:
        """Yield a job for each of `count` parts of equal weight; see `weighted_parts`."""
        return self.weighted_parts((1,) * count)

    def labelled(self, label: str) -> Job:
        """Start a phase whose items all have the name `label`, and return the job for its work."""
        self.start(_PART, label)
        return Job(_JobPart(self, _PART, label), self.cancel)

    def weighted_parts(self, weights: Sequence[int]) -> Iterator[Job]:
        """Yield a job for each part, one after the other; `weights` are their shares.

        Whatever the totals of a part, this job advances by its share only, from 0 to the end over
        all parts, and never backwards. A part is finished when the next is requested; the last one
        when the iterator is exhausted, which unpacking it does at once. Starts a new phase of this
        job, and raises `Cancelled` if requested.
        """
        self.start(sum(weights) * _PART)
        reached = 0
        for weight in weights:
            yield Job(_JobPart(self, weight * _PART), self.cancel)
            reached += weight * _PART
            self.step(reached - self._done)


class _JobPart:
    """Forwards the progress of a part to the whole job, with another label if one is given."""

    def __init__(self, whole: Job, units: int, label: str = "") -> None:
        self._whole, self._units, self._label = whole, units, label
        self._reached = 0

    def report(self, done: int, total: int, label: str) -> None:
        """Step the whole job by the increase; if the total grows, progress pauses."""
        before = self._reached
        if total > 0:
            self._reached = max(before, min(self._units, done * self._units // total))
        self._whole.step(self._reached - before, self._label or label)
