"""Reading the next chunk in a thread while the one before is on its way to a device."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Generic, Self, TypeVar

from pruneapp.progress import Cancelled, CancelToken, Job

# Seconds between two looks at whether the job was cancelled while a disk is slow.
_PATIENCE = 0.05

Task = TypeVar("Task")
Buffer = TypeVar("Buffer")


@dataclass(frozen=True)
class _Filled(Generic[Task, Buffer]):
    task: Task
    buffer: Buffer


@dataclass(frozen=True)
class _Ended:
    """Nothing follows; `error` says why, if not because all tasks are done."""

    error: BaseException | None = None


class ReadAhead(Generic[Task, Buffer]):
    """Fills buffers by a thread of its own, in the order of the tasks.

    A context: the thread starts with it, and is gone when it is left, however it is left.

    Parameters
    ----------
    tasks
        What to read; taken by the thread.
    fill
        Reads a task into a buffer, in the thread; checks the token every few milliseconds.
    buffers
        Two let the next chunk be read while one is copied; a third while one waits.
    job
        Looked at while a chunk is waited for.
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
        self._full: SimpleQueue[_Filled[Task, Buffer] | _Ended] = SimpleQueue()
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
            if isinstance(item, _Filled):
                yield item.task, item.buffer
            elif item.error is not None:
                raise item.error
            else:
                return

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
                self._full.put(_Filled(task, buffer))
            self._full.put(_Ended())
        except Cancelled:
            return  # nobody waits for more
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self._full.put(_Ended(error))
