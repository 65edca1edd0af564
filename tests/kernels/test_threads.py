"""The next chunk is read while one is processed; no thread is left, however it ends."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
import pytest
import torch

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.errors import CheckpointError, DeviceError
from pruneapp.kernels import gpu
from pruneapp.kernels.gpu import TorchKernel
from pruneapp.kernels.kernel import Threshold
from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.kernels.threads import ReadAhead
from pruneapp.progress import Cancelled, CancelToken, Job

WAIT = 20.0


def numbered(task, buffer, _cancel):
    buffer[0] = task


def readers() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "pruneapp-read-ahead"]


@pytest.fixture(autouse=True)
def nobody_left():
    """Check for leftover threads after every test, even a failed one."""
    yield
    assert not readers()


def test_tasks_come_in_order_with_what_was_read():
    """With more tasks than buffers."""
    found = []
    with ReadAhead(range(50), numbered, [[None], [None]], Job()) as ahead:
        for task, buffer in ahead:
            found.append((task, buffer[0]))
            ahead.give_back(buffer)

    assert found == [(n, n) for n in range(50)]


def test_the_next_is_read_while_one_is_worked_on():
    """The second fill begins and ends before the first buffer is returned."""
    filled = [threading.Event() for _ in range(3)]

    def fill(task, buffer, _cancel):
        numbered(task, buffer, _cancel)
        filled[task].set()

    with ReadAhead(range(3), fill, [[None], [None]], Job()) as ahead:
        for task, buffer in ahead:
            if task == 0:
                assert filled[1].wait(WAIT)
                assert not filled[2].is_set()  # there is no buffer for it
            ahead.give_back(buffer)

    assert filled[2].is_set()


def test_a_buffer_is_not_filled_before_its_copy_ended():
    """With one buffer: the reader waits for the callable passed to `give_back`."""
    seen = []
    gate = threading.Event()

    def fill(task, _buffer, _cancel):
        seen.append(task)

    with ReadAhead(range(2), fill, [[None]], Job()) as ahead:
        chunks = iter(ahead)
        _, buffer = next(chunks)
        ahead.give_back(buffer, lambda: gate.wait(WAIT))
        with ThreadPoolExecutor(1) as pool:
            second = pool.submit(next, chunks)
            assert seen == [0]
            gate.set()
            assert second.result(WAIT)[0] == 1


def test_what_the_reader_raises_is_raised_as_it_is():
    """The same object, after the preceding chunks."""
    error = CheckpointError("The file ended early.")

    def fill(task, buffer, _cancel):
        if task == 2:
            raise error
        numbered(task, buffer, _cancel)

    found = []

    def take_all():
        with ReadAhead(range(5), fill, [[None], [None]], Job()) as ahead:
            for task, buffer in ahead:
                found.append(task)
                ahead.give_back(buffer)

    with pytest.raises(CheckpointError) as raised:
        take_all()

    assert raised.value is error
    assert found == [0, 1]


def test_cancelling_does_not_wait_for_a_slow_disk():
    """Nothing was read yet; cancelling returns before the read does."""
    token = CancelToken()
    began = threading.Event()
    taken = []

    def fill(_task, _buffer, cancel):
        began.set()
        while True:  # a disk that is slow forever
            cancel.wait(0.005)
            cancel.check()

    def click():
        assert began.wait(WAIT)
        taken.append(time.perf_counter())
        token.cancel()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(click)
        with (
            pytest.raises(Cancelled),
            ReadAhead(range(5), fill, [[None]], Job(cancel=token)) as ahead,
        ):
            list(ahead)
        taken.append(time.perf_counter())

    assert taken[1] - taken[0] < 2  # 0.06 s here; a limit for a busy machine


def ranking_of(read, size=4000):
    return Magnitudes(read, size, DTYPES["F32"])


def fails(start=0, stop=None):
    yield RawChunk(start, np.zeros(8, np.uint32))
    raise RuntimeError("a bug of the reader")


def ones(start=0, stop=4000):
    yield RawChunk(start, np.ones(stop - start, np.uint32))


KERNEL = TorchKernel("cpu", worth_moving=0, length=1000)


def test_a_bug_of_the_reader_is_no_refusal_of_the_device():
    """In the kernel, only errors of torch become the message about the device."""
    with pytest.raises(RuntimeError, match="a bug of the reader"):
        list(KERNEL.masks([ranking_of(fails)], Threshold(1, 0), Job()))


def test_a_device_without_memory_says_so(monkeypatch):
    """For buffers, for copies, and during the work."""
    full = RuntimeError("CUDA out of memory. Tried to allocate 32 MiB.\nmore")

    def refuse(*_args, **_more):
        raise full

    for place in ("torch.empty", "torch.Tensor.to", "torch.stack"):
        with monkeypatch.context() as patch:
            patch.setattr(place, refuse)
            with pytest.raises(DeviceError, match=r"failed: CUDA out of memory.*Choose the CPU"):
                list(KERNEL.masks([ranking_of(ones)], Threshold(1, 0), Job()))


@pytest.mark.parametrize("stop_at", [0, 2])
def test_a_job_that_stops_half_way_leaves_no_thread(stop_at):
    """Even though the exception and its frames are still referenced."""

    class Stopping:
        def report(self, done, _total, _label):
            if done >= 1000 * stop_at:
                raise Cancelled

    with pytest.raises(Cancelled) as held:
        list(KERNEL.masks([ranking_of(ones)], Threshold(1, 0), Job(Stopping())))

    assert held.value
    assert not readers()


def test_masks_that_nobody_fetches_leave_no_thread():
    """The generator is closed after the first of two."""
    made = KERNEL.masks([ranking_of(ones), ranking_of(ones)], Threshold(1, 0), Job())
    next(made)
    made.close()

    assert not readers()


def test_copies_are_of_their_own():
    """Device tensors do not change when the buffer is filled again."""
    mover = gpu.DeviceTransfer(torch.device("cpu"), "CPU", 16, 8)
    with ReadAhead(range(9), lambda task, buffer, _: buffer.fill_(task), mover.buffers, Job()) as a:
        moved = list(mover.transfer(a))

    assert [(task, task) for task in range(9)] == [(t, int(m.unique())) for t, m in moved]


class FakeEvent:
    """A stub of a CUDA event that records who waited for it."""

    made: list[FakeEvent]

    def __init__(self):
        self.recorded = self.synchronized = False
        self.made.append(self)

    def record(self, stream):
        assert stream == "copying"
        self.recorded = True

    def synchronize(self):
        assert self.recorded
        self.synchronized = True


class FakeStream:
    """A stub of a CUDA stream that records what it waits for."""

    def __init__(self):
        self.awaited = []

    def wait_event(self, event):
        assert event.recorded
        self.awaited.append(event)


def test_copies_to_cuda_wait_for_each_other(monkeypatch):
    """With stubs: pinned buffers, one event per copy, awaited by the work and by the next fill."""
    working, pinned, used = FakeStream(), [], []
    empty = torch.empty
    monkeypatch.setattr(FakeEvent, "made", [], raising=False)

    def pinning(length, *, dtype, pin_memory):
        pinned.append(pin_memory)
        return empty(length, dtype=dtype)

    def to(tensor, device, *, non_blocking):
        assert device.type == "cuda"
        assert non_blocking
        return tensor.clone()

    monkeypatch.setattr("torch.cuda.Stream", lambda _device: "copying")
    monkeypatch.setattr("torch.cuda.stream", lambda _stream: nullcontext())
    monkeypatch.setattr("torch.cuda.Event", FakeEvent)
    monkeypatch.setattr("torch.cuda.current_stream", lambda _device: working)
    monkeypatch.setattr("torch.empty", pinning)
    monkeypatch.setattr("torch.Tensor.to", to)
    monkeypatch.setattr("torch.Tensor.record_stream", lambda *both: used.append(both))

    def fill(task, buffer, _cancel):
        # The fourth fill is the first into a used buffer, whose copy must have ended.
        assert sum(e.synchronized for e in FakeEvent.made) >= task - (gpu.BUFFERS - 1)
        buffer.fill_(task)

    mover = gpu.DeviceTransfer(torch.device("cuda"), "CUDA 0", 32, 8)
    with ReadAhead(range(9), fill, mover.buffers, Job()) as ahead:
        moved = [(task, int(tensor.unique())) for task, tensor in mover.transfer(ahead)]

    assert moved == [(task, task) for task in range(9)]
    assert pinned == [True] * gpu.BUFFERS
    assert working.awaited == FakeEvent.made
    assert [stream for _, stream in used] == [working] * 9
