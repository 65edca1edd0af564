"""An ordered parallel map over ranges of tensors, and read-ahead.

NumPy releases the interpreter lock while it works on an array, so several threads can read and
count in parallel. Their results are consumed in the order of the tasks by the calling thread, so
that a result never depends on the number of threads.
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

# Elements of a task: large enough that the overhead does not matter, small enough that a cancelled
# job waits for a few milliseconds only.
STRETCH = 1 << 21

# For fewer elements, starting threads takes longer than the work.
WORTH_THREADS = 1 << 20

MOST_THREADS = 8

Task = TypeVar("Task")
Result = TypeVar("Result")


def default_threads() -> int:
    """Return the number of threads to use: the CPUs available to this process, up to 8.

    The environment variable PRUNEAPP_THREADS overrides it, for processes that share a machine. A
    value of decimal digits only is limited to 1 to 8; it may exceed the number of CPUs. Any other
    text is ignored, such as "-1".
    """
    if (setting := os.environ.get("PRUNEAPP_THREADS", "")).isdecimal():
        return min(max(int(setting), 1), MOST_THREADS)
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_THREADS)
    return min(os.cpu_count() or 1, MOST_THREADS)


def threads_for(elements: int, threads: int | None = None) -> int:
    """Return 1 for few elements, otherwise `threads`, or `default_threads()` if that is None."""
    return (threads or default_threads()) if elements >= WORTH_THREADS else 1


@dataclass(frozen=True)
class TensorRange:
    """Elements `start` to `stop` (flat indices) of one of several tensors.

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
    """Divide tensors of these sizes into tasks of about `length` elements, in order.

    `length` must be a multiple of 8. Large tensors are split; small ones are combined, so that a
    model of many thousand tensors does not need a task for each. Empty tensors are omitted.
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


def map_in_order(
    tasks: Iterable[Task], work: Callable[[Task], Result], job: Job, threads: int
) -> Generator[Result, None, None]:
    """Yield the result of `work` for every task, in the order of the tasks.

    At most a few results more than there are threads are pending at a time. `work` runs on pool
    threads, so it must not advance `job`; the caller does, after each result. When the caller stops
    (by an exception, cancellation, or closing the generator), pending tasks are dropped and running
    ones are awaited. The first exception of `work` is raised here. With one thread, `work` runs on
    the calling thread.
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


# Seconds between two checks for cancellation while the disk is slow.
_PATIENCE = 0.05

Buffer = TypeVar("Buffer")


class ReadAhead(Generic[Task, Buffer]):
    """Fills buffers on a background thread, in the order of the tasks.

    A context manager: the thread starts on entry and has ended on exit. It iterates over the tasks,
    and `fill` must check its token every few milliseconds. With two buffers, the next chunk is read
    while one is copied; with a third, one more can wait.
    """

    def __init__(
        self,
        tasks: Iterable[Task],
        fill: Callable[[Task, Buffer, CancelToken], None],
        buffers: Sequence[Buffer],
        job: Job,
    ) -> None:
        """Store the parameters; `buffers` are filled in turn.

        `fill` is called on the thread with a task, a buffer and a token that is cancelled on exit.
        """
        self._tasks = tasks
        self._fill = fill
        self._job = job
        self._stop = CancelToken()
        self._free: SimpleQueue[tuple[Buffer, Callable[[], object]] | None] = SimpleQueue()
        # Filled buffers, then None, or the exception that ended the thread.
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
        """Cancel the token of `fill` and wait for the thread. Unread buffers are dropped."""
        self._stop.cancel()
        self._free.put(None)  # the thread may wait for a buffer
        self._thread.join()

    def __iter__(self) -> Iterator[tuple[Task, Buffer]]:
        """Yield each task with its filled buffer, which must be returned with `give_back`.

        Raises
        ------
        Cancelled
            If the job was cancelled, even while the disk is slow.
        Exception
            Any exception of `fill`, after the chunks read so far.
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
        """Return a buffer for reuse; the thread first calls `copied` to wait for its copy."""
        self._free.put((buffer, copied))

    def _read(self) -> None:
        """Fill a buffer for each task; the target of the thread.

        Exceptions are put into the queue, for the consumer.
        """
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
            return  # the consumer has stopped
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self._full.put(error)
