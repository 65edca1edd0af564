"""Ordered parallel map over ranges of tensors; read-ahead.

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
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Generic, Self, TypeVar

from pruneapp.progress import Cancelled, CancelToken, Job

# Elements of a task. Long enough that handing it over costs nothing, short enough that a cancelled
# job does not wait for it: a few milliseconds.
STRETCH = 1 << 21

# Elements in all below which starting threads takes longer than the work.
WORTH_THREADS = 1 << 20

MOST_THREADS = 8

Task = TypeVar("Task")
Result = TypeVar("Result")


def default_threads() -> int:
    """Return how many threads to use: one for each core that this process may use, up to 8.

    The variable PRUNEAPP_THREADS says it for one of several processes that share a machine.
    """
    if (wanted := os.environ.get("PRUNEAPP_THREADS", "")).isdecimal():
        return min(max(int(wanted), 1), MOST_THREADS)
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_THREADS)
    return min(os.cpu_count() or 1, MOST_THREADS)


def threads_for(elements: int, threads: int | None = None) -> int:
    """Return how many threads to use: one for few elements, else so many or one for each core."""
    return (threads or default_threads()) if elements >= WORTH_THREADS else 1


@dataclass(frozen=True)
class TensorRange:
    """Elements `start` to `stop` (flat) of one of several tensors.

    `start` is a multiple of 8, so that packed masks of two ranges share no byte.
    """

    index: int
    start: int
    stop: int

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.stop - self.start


def stretches(sizes: Sequence[int], length: int = STRETCH) -> Iterator[tuple[TensorRange, ...]]:
    """Cut tensors of so many elements into tasks of about `length`, a multiple of 8, in order.

    Large tensors are cut; small ones are put together, so that a model of many thousands does not
    pay for a task each. Empty ones are left out.
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
    are dropped and those under way are waited for. The first exception of `work` is raised here.
    With one thread the caller's own does it all.
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


# Seconds between two looks at whether the job was cancelled while a disk is slow.
_PATIENCE = 0.05

Buffer = TypeVar("Buffer")


class ReadAhead(Generic[Task, Buffer]):
    """Fills buffers by a thread of its own, in the order of the tasks.

    A context: the thread starts with it, and is gone when it is left, however it is left. It takes
    the tasks, and `fill` checks the token every few milliseconds. Two buffers let the next chunk be
    read while one is copied; a third while one waits.
    """

    def __init__(
        self,
        tasks: Iterable[Task],
        fill: Callable[[Task, Buffer, CancelToken], None],
        buffers: Sequence[Buffer],
        job: Job,
    ) -> None:
        self._tasks = tasks
        self._fill = fill
        self._job = job
        self._stop = CancelToken()
        self._free: SimpleQueue[tuple[Buffer, Callable[[], object]] | None] = SimpleQueue()
        # What is filled, then None, or what the thread ended with.
        self._full: SimpleQueue[tuple[Task, Buffer] | BaseException | None] = SimpleQueue()
        for buffer in buffers:
            self.give_back(buffer)
        self._thread = Thread(target=self._read, name="pruneapp-read-ahead")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.cancel()
        self._free.put(None)  # the thread may wait for a buffer
        self._thread.join()

    def __iter__(self) -> Iterator[tuple[Task, Buffer]]:
        """Yield each task with the buffer that it was read into, to be given back.

        Raises
        ------
        Cancelled
            If the job was cancelled, also while the disk is slow.
        Exception
            Whatever `fill` raised, after the chunks before.
        """
        while True:
            self._job.cancel.check()
            try:
                item = self._full.get(timeout=_PATIENCE)
            except Empty:
                continue
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            yield item

    def give_back(self, buffer: Buffer, copied: Callable[[], object] = lambda: None) -> None:
        """Let a buffer be filled again, once `copied` has returned: it waits for the copy."""
        self._free.put((buffer, copied))

    def _read(self) -> None:
        try:
            for task in self._tasks:
                free = self._free.get()
                if free is None:
                    return
                buffer, copied = free
                copied()
                self._stop.check()
                self._fill(task, buffer, self._stop)
                self._full.put((task, buffer))
            self._full.put(None)
        except Cancelled:
            return  # nobody waits for more
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self._full.put(error)
