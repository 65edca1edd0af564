"""Work on several stretches at once, its results taken in order.

Numpy lets other threads run while it works on an array, so a few threads read and count side by
side. What they find is taken in the order of the tasks by the thread that asked, whichever of
them ends first: a result never depends on the number of threads.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from pruneapp.progress import Job

# Elements of a task. Long enough that handing it over costs nothing, short enough that a cancelled
# job does not wait for it: a few milliseconds.
STRETCH = 1 << 21

# Elements in all below which starting threads takes longer than the work.
WORTH_THREADS = 1 << 20

MOST_THREADS = 8

Task = TypeVar("Task")
Result = TypeVar("Result")


def default_threads() -> int:
    """Return how many threads to use: one for each core that this process may use, up to 8."""
    return min(usable_cores(), MOST_THREADS)


def usable_cores() -> int:
    """Return the number of cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class TensorRange:
    """Elements `start` to `stop` of one of several tensors.

    Attributes
    ----------
    index
        Which tensor, from 0.
    start, stop
        Flat indices; `start` is a multiple of 8, so that packed masks of two stretches share no
        byte.
    """

    index: int
    start: int
    stop: int

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.stop - self.start


def stretches(sizes: Sequence[int], length: int = STRETCH) -> Iterator[tuple[TensorRange, ...]]:
    """Cut tensors into tasks of about `length` elements, in order.

    Large tensors are cut; small ones are put together, so that a model of many thousands does not
    pay for a task each. Empty ones are left out.

    Parameters
    ----------
    sizes
        Elements of each tensor.
    length
        A multiple of 8.
    """
    task: list[TensorRange] = []
    room = length
    for index, size in enumerate(sizes):
        for start in range(0, size, length):
            stretch = TensorRange(index, start, min(start + length, size))
            if task and stretch.size > room:
                yield tuple(task)
                task, room = [], length
            task.append(stretch)
            room -= stretch.size
    if task:
        yield tuple(task)


def in_order(
    tasks: Iterable[Task], work: Callable[[Task], Result], job: Job, threads: int
) -> Generator[Result, None, None]:
    """Yield what `work` makes of every task, in the order of the tasks.

    Only a few results more than there are threads are waiting at any time. `work` runs in threads
    of its own, so it must not step `job`; the caller does, after each result. When the caller
    stops (an exception, a cancelled job, a generator that is closed), tasks that were not begun
    are dropped and those under way are waited for.

    Parameters
    ----------
    tasks
        Taken from the caller's thread, a few ahead.
    work
        Called in any thread; its first exception is raised here.
    job
        Looked at before each result.
    threads
        1 works in the caller's thread.
    """
    if threads <= 1:
        for task in tasks:
            job.cancel.check()
            yield work(task)
        return
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="pruneapp-kernel")
    try:
        for task in tasks:
            waiting.append(pool.submit(work, task))
            if len(waiting) > threads + 1:
                job.cancel.check()
                yield waiting.popleft().result()
        while waiting:
            job.cancel.check()
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
