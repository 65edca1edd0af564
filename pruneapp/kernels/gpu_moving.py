"""The way of chunks from memory to a device."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import torch
from torch import Tensor

from pruneapp.errors import DeviceError
from pruneapp.kernels.threads_read_ahead import ReadAhead

# One is filled, one is copied, one waits between.
BUFFERS = 3

_INTEGERS = {8: torch.uint8, 16: torch.int16, 32: torch.int32, 64: torch.int64}

Task = TypeVar("Task")


class Mover:
    """Buffers in memory, and copies of them on a device.

    For CUDA the buffers are pinned and copied on a stream of their own, so that a copy goes on
    while the device computes and the next chunk is read. On MPS, memory is shared by CPU and GPU:
    a plain copy is short, and one that does not wait could still read a buffer that is filled
    again.

    Parameters
    ----------
    device, name
        Where to, and what people call it.
    width
        Bits of an element.
    length
        Elements of a buffer.

    Raises
    ------
    DeviceError
        If there is no memory for the buffers.
    """

    def __init__(self, device: torch.device, name: str, width: int, length: int) -> None:
        self._device = device
        self._name = name
        cuda = device.type == "cuda"
        with refusals(name):
            self.buffers = [
                torch.empty(length, dtype=_INTEGERS[width], pin_memory=cuda) for _ in range(BUFFERS)
            ]
            self._stream = torch.cuda.Stream(device) if cuda else None  # type: ignore[no-untyped-call]  # torch leaves it so

    def moved(self, ahead: ReadAhead[Task, Tensor]) -> Iterator[tuple[Task, Tensor]]:
        """Yield each task with its chunk on the device, ready for what is computed next.

        The copy of the next chunk is begun before the one before is handed out.

        Raises
        ------
        DeviceError
            If the device refuses a copy. What `ahead` raises is raised as it is.
        """
        begun: deque[tuple[Task, Tensor, Callable[[], None]]] = deque()
        for task, buffer in ahead:
            with refusals(self._name):
                tensor, ready, copied = self._copy(buffer)
            ahead.give_back(buffer, copied)
            begun.append((task, tensor, ready))
            if len(begun) > 1:
                yield self._handed(*begun.popleft())
        while begun:
            yield self._handed(*begun.popleft())

    def _handed(self, task: Task, tensor: Tensor, ready: Callable[[], None]) -> tuple[Task, Tensor]:
        with refusals(self._name):
            ready()
        return task, tensor

    def _copy(self, buffer: Tensor) -> tuple[Tensor, Callable[[], None], Callable[[], None]]:
        """Begin a copy; returns it, what makes later work wait for it, and what waits for it."""
        if self._stream is None:
            return buffer.to(self._device, copy=True), _nothing, _nothing
        with torch.cuda.stream(self._stream):
            tensor = buffer.to(self._device, non_blocking=True)
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]  # torch leaves it so
            event.record(self._stream)

        def ready() -> None:
            working = torch.cuda.current_stream(self._device)
            working.wait_event(event)
            # Else its memory could be given to the next copy while it is still worked on.
            tensor.record_stream(working)

        return tensor, ready, event.synchronize


def _nothing() -> None:
    """Wait for nothing: the copy is done."""


@contextmanager
def refusals(name: str) -> Iterator[None]:
    """Turn what a device refuses (no memory, a lost driver) into a sentence."""
    try:
        yield
    except RuntimeError as error:
        raise DeviceError(
            f"'{name}' gave up: {str(error).splitlines()[0].rstrip('.')}.",
            remedy="Choose the CPU as device; the masks are the same.",
            details=str(error),
        ) from error
