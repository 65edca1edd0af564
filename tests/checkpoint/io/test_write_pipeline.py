"""Written data is flushed and compared, for any disk, size or moment of failure."""

import contextlib
import errno
import hashlib
import os
import threading
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from pruneapp.checkpoint.io import atomic_file
from pruneapp.checkpoint.io.atomic_file import AtomicFile
from pruneapp.errors import ExportError
from pruneapp.progress import Cancelled, CancelToken, Job

WINDOW = 1 << 15
PAGE = 4096


@pytest.fixture(autouse=True)
def small_windows(monkeypatch):
    monkeypatch.setattr(atomic_file, "WINDOW_BYTES", WINDOW)
    monkeypatch.setattr(atomic_file, "PIECE_BYTES", 3 * PAGE)
    monkeypatch.setattr(atomic_file, "_COMPARE_BYTES", 2 * PAGE)


@pytest.fixture
def target(tmp_path) -> Path:
    return tmp_path / "model.safetensors"


def some_bytes(nbytes: int) -> bytes:
    return np.random.default_rng(nbytes).integers(0, 256, nbytes, np.uint8).tobytes()


def write(target: Path, data: bytes, job: Job | None = None, step: int = 10_000) -> str:
    with AtomicFile(target, len(data), job or Job()) as file:
        for start in range(0, len(data), step):
            file.write(data[start : start + step])
        digest = file.seal()
        assert not threads()
        file.commit()
    return digest


def write_windows(target: Path, count: int, job: Job, made: list[int]) -> None:
    with AtomicFile(target, count * WINDOW, job) as file:
        for number in range(count):
            file.write(bytes(WINDOW))
            made.append(number)
        file.seal()


def threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("pruneapp-write")]


@pytest.mark.parametrize("step", [997, WINDOW, 3 * WINDOW + 1])
@pytest.mark.parametrize(
    "size",
    [0, 1, 7, 9, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW, 5 * WINDOW, 9 * WINDOW + PAGE + 3],
)
def test_every_size_arrives(target, size, step):
    data = some_bytes(size)

    assert write(target, data, step=step) == hashlib.sha256(data).hexdigest()
    assert target.read_bytes() == data
    assert [p.name for p in target.parent.iterdir()] == [target.name]


@pytest.mark.parametrize(("size", "started"), [(WINDOW, 0), (WINDOW + 1, 3)])
def test_only_what_needs_two_windows_starts_threads(target, monkeypatch, size, started):
    names = []

    class Counted(threading.Thread):
        def start(self):
            names.append(self.name)
            super().start()

    monkeypatch.setattr(atomic_file.threading, "Thread", Counted)
    write(target, some_bytes(size))

    assert len(names) == started


def test_memory_does_not_grow_with_the_file(target, monkeypatch):
    monkeypatch.setattr(atomic_file, "WINDOW_BYTES", 1 << 20)
    data = some_bytes(1 << 20)
    tracemalloc.start()
    try:
        with AtomicFile(target, 12 * len(data), Job()) as file:
            for _ in range(12):
                file.write(data)
            file.seal()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert len(data) < most < (atomic_file.WINDOWS + 0.5) * len(data)


def test_a_small_file_takes_no_more_memory_than_its_bytes(target, monkeypatch):
    monkeypatch.undo()  # windows of the real size
    tracemalloc.start()
    try:
        write(target, b"x" * 1000)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert most < 200_000


def test_each_window_is_flushed_dropped_and_only_then_read(target, monkeypatch):
    """It is dropped again, so that the next window reuses the page cache."""
    done = []

    def noted(name):
        real = getattr(os, name)

        def call(fd, *args):
            done.append((name, *args[:2]))
            return real(fd, *args)

        monkeypatch.setattr(os, name, call)

    for name in ("fdatasync", "posix_fadvise", "fsync"):
        noted(name)
    real = atomic_file.WritePipeline._read

    def read(self, out):
        done.append(("read", self._disk.tell()))
        real(self, out)

    monkeypatch.setattr(atomic_file.WritePipeline, "_read", read)
    size = 3 * WINDOW + 100
    write(target, some_bytes(size))

    for number, length in enumerate((WINDOW, WINDOW, WINDOW, 0)):  # 0: to the end, part of a page
        offset = number * WINDOW
        drops = [i for i, call in enumerate(done) if call == ("posix_fadvise", offset, length)]
        reads = [
            i
            for i, call in enumerate(done)
            if call[0] == "read" and offset <= call[1] < offset + WINDOW
        ]
        flushes = [i for i, call in enumerate(done) if call == ("fdatasync",)]
        assert flushes[number] < drops[0] < reads[0]
        assert reads[-1] < drops[1]
    assert done[-2:] == [("fsync",), ("fsync",)]  # the file, then its folder


def flipped(place: int, after: int = 0):
    """Return a flush after which the disk contains a wrong byte at `place`."""
    real = os.fdatasync
    calls = []

    def flush(fd):
        calls.append(fd)
        real(fd)
        if len(calls) == after + 1:
            byte = os.pread(fd, 1, place)
            os.pwrite(fd, bytes([byte[0] ^ 1]), place)
            real(fd)

    return flush


@pytest.mark.parametrize(
    ("size", "window", "place"),
    [
        (9, 0, 8),  # after the last complete word
        (WINDOW, 0, 0),
        (WINDOW, 0, WINDOW - 1),
        (6 * WINDOW + 13, 0, 5),
        (6 * WINDOW + 13, 3, 3 * WINDOW + 3 * PAGE),
        (6 * WINDOW + 13, 6, 6 * WINDOW + 12),
    ],
)
def test_one_other_bit_on_the_disk_is_noticed(target, monkeypatch, size, window, place):
    monkeypatch.setattr(os, "fdatasync", flipped(place, window))
    with pytest.raises(ExportError, match="the bytes read back from the disk differ"):
        write(target, some_bytes(size))

    assert not list(target.parent.iterdir())
    assert not threads()


@pytest.mark.parametrize("size", [WINDOW, 6 * WINDOW])
@pytest.mark.parametrize("change", [-1, 1])
def test_a_file_of_another_length_is_noticed(target, monkeypatch, size, change):
    real = os.fdatasync

    def flush(fd):
        real(fd)
        os.ftruncate(fd, size + change)

    monkeypatch.setattr(os, "fdatasync", flush)
    with pytest.raises(ExportError, match="the bytes read back from the disk differ"):
        write(target, some_bytes(size))

    assert not list(target.parent.iterdir())


@pytest.mark.parametrize("missing", ["posix_fadvise", "fdatasync", "posix_fallocate"])
def test_systems_that_lack_a_call_compare_all_the_same(target, monkeypatch, missing):
    monkeypatch.delattr(os, missing)
    data = some_bytes(5 * WINDOW + 1)
    assert write(target, data) == hashlib.sha256(data).hexdigest()

    flush = "fsync" if missing == "fdatasync" else "fdatasync"
    real = getattr(os, flush)

    def flips(fd):
        real(fd)
        os.pwrite(fd, bytes([data[0] ^ 1]), 0)

    monkeypatch.setattr(os, flush, flips)
    with pytest.raises(ExportError, match="the bytes read back from the disk differ"):
        write(target, data)


def test_short_writes_and_short_reads_are_continued(target, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:777]))

    class Short(atomic_file.FileIO):
        def readinto(self, buffer):
            return super().readinto(memoryview(buffer)[:555])

    monkeypatch.setattr(atomic_file, "FileIO", Short)
    data = some_bytes(5 * WINDOW + 1)

    assert write(target, data) == hashlib.sha256(data).hexdigest()
    assert target.read_bytes() == data


def test_a_full_disk_stops_the_caller_before_it_has_made_everything(target, monkeypatch):
    real = os.write
    written = []

    def full(fd, data):
        if len(written) == 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(real(fd, data))
        return written[-1]

    monkeypatch.setattr(os, "write", full)
    made = []
    with pytest.raises(ExportError, match="the disk is full"):
        write_windows(target, 1000, Job(), made)

    assert len(made) < 20
    assert not list(target.parent.iterdir())
    assert not threads()


def test_a_disk_that_cannot_be_read_is_told(target, monkeypatch):
    class Broken(atomic_file.FileIO):
        def readinto(self, buffer):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(atomic_file, "FileIO", Broken)
    with pytest.raises(ExportError, match="input/output error") as caught:
        write(target, some_bytes(5 * WINDOW))

    assert "Check the disk" in caught.value.remedy
    assert not list(target.parent.iterdir())


class Phases:
    """Calls a function at the `index`-th call of one phase; counts later calls."""

    def __init__(self, monkeypatch, phase: str, index: int, do):
        self.index, self.do = index, do
        self.calls = 0
        self.met = False
        self.after: list[str] = []
        for name in ("write", "fdatasync"):
            monkeypatch.setattr(os, name, self._wrapped(name, getattr(os, name), phase))
        for name in ("_read", "_hash_content"):
            real = getattr(atomic_file.WritePipeline, name)
            monkeypatch.setattr(atomic_file.WritePipeline, name, self._wrapped(name, real, phase))

    def _wrapped(self, name, real, phase):
        def call(*args):
            if self.met:
                self.after.append(name)
            if name == phase:
                self.calls += 1
                if self.calls == self.index + 1:
                    self.do()
                    self.met = True
            return real(*args)

        return call


PHASES = [
    (phase, index)
    for phase in ("write", "fdatasync", "_read", "_hash_content")
    for index in (0, 2, 5)
]


@pytest.mark.parametrize("windows", [1, 8])
@pytest.mark.parametrize(("phase", "index"), PHASES)
def test_a_cancel_in_any_phase_begins_nothing_more(target, monkeypatch, phase, index, windows):
    if windows == 1 and index and phase not in {"write", "_read"}:
        index = 0
    index = min(index, 2) if windows == 1 else index
    token = CancelToken()
    phases = Phases(monkeypatch, phase, index, token.cancel)
    with pytest.raises(Cancelled):
        write(target, some_bytes(windows * WINDOW), Job(None, token))

    assert phases.met
    # One call each of the other two threads may have passed its check before.
    assert len(phases.after) <= 2
    assert not list(target.parent.iterdir())
    assert not threads()


def test_a_caller_who_waits_for_a_slow_disk_hears_of_the_cancel(target, monkeypatch):
    token = CancelToken()
    monkeypatch.setattr(os, "fdatasync", lambda _fd: token._event.wait(20))
    made = []
    timer = threading.Timer(0.1, token.cancel)
    began = time.monotonic()
    timer.start()
    with pytest.raises(Cancelled):
        write_windows(target, 100, Job(None, token), made)
    timer.join()

    assert len(made) == atomic_file.WINDOWS
    assert time.monotonic() - began < 15, "the disk was waited for"
    assert not list(target.parent.iterdir())


def test_an_error_of_the_caller_ends_the_threads(target):
    running = []

    class Fails(Job):
        def step(self, units):
            super().step(units)
            if len(made) == 9:
                running.extend(threads())
                raise ZeroDivisionError

    made = []
    with pytest.raises(ZeroDivisionError):
        write_windows(target, 100, Fails(), made)

    assert len(running) == 3
    assert not threads()
    assert not list(target.parent.iterdir())


def test_several_files_may_be_open_and_only_the_one_that_is_written_has_threads(tmp_path):
    data = some_bytes(5 * WINDOW + 1)
    first, second, third = (AtomicFile(tmp_path / n, len(data), Job()) for n in "abc")
    with first, second, third:
        for file in (first, second):
            file.write(data)
            assert len(threads()) == 3
            file.seal()
            assert not threads()
        first.commit()
        second.commit()

    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]
    assert (tmp_path / "b").read_bytes() == data


def test_a_file_that_waits_for_the_others_holds_no_memory(tmp_path, monkeypatch):
    """All files of a model, often hundreds, are complete before the first is renamed."""
    monkeypatch.undo()  # windows of the real size
    data = some_bytes(1 << 20)
    with contextlib.ExitStack() as stack:
        files = [AtomicFile(tmp_path / f"{n}", len(data), Job()) for n in range(8)]
        tracemalloc.start()
        try:
            for file in files:
                stack.enter_context(file).write(data)
                file.seal()
            held = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    assert held < len(data) // 2


def test_progress_counts_what_is_taken_and_what_came_back(target):
    told = []

    class Told:
        def report(self, done, total, label):
            told.append((done, threading.current_thread()))

    size = 9 * WINDOW + 5
    job = Job(Told())
    job.start(2 * size)
    write(target, some_bytes(size), job)

    counts = [done for done, _ in told]
    assert counts == sorted(counts)
    assert counts[-1] == 2 * size
    assert {thread for _, thread in told} == {threading.current_thread()}
