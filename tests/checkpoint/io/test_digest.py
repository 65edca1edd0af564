"""The SHA-256 of a file is computed once, in pieces if necessary."""

from __future__ import annotations

import gc
import hashlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pruneapp.checkpoint.io import digest
from pruneapp.checkpoint.io.digest import (
    bytes_left,
    hash_in_background,
    known_sha256,
    remember_sha256,
    sha256_of,
)
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import CheckpointError
from pruneapp.progress import Cancelled, CancelToken, Job


@pytest.fixture
def file(tmp_path: Path):
    path = tmp_path / "some.bin"
    path.write_bytes(os.urandom(10_000))
    source = FileSource(path)
    yield source
    source.close()


@pytest.fixture
def places(monkeypatch):
    """Return a list of hashed offsets, in pieces of 1,000 bytes."""
    monkeypatch.setattr(digest, "_READ_BYTES", 1000)
    read = FileSource.read_uncounted
    found = []

    def noted(self, offset, buffer):
        found.append(offset)
        read(self, offset, buffer)

    monkeypatch.setattr(FileSource, "read_uncounted", noted)
    return found


class Moments:
    """Lets a test wait for calls in another thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._times = 0

    def told(self, function):
        """Return a wrapper that notifies waiting tests after each call."""

        def telling(*args):
            try:
                return function(*args)
            finally:
                with self._changed:
                    self._times += 1
                    self._changed.notify_all()

        return telling

    def until(self, is_so) -> None:
        """Wait until a condition is true, checked after each call."""
        with self._changed:
            assert self._changed.wait_for(is_so, 30)

    def another(self, times: int = 1) -> None:
        """Wait for `times` more calls."""
        with self._changed:
            seen = self._times
            assert self._changed.wait_for(lambda: self._times >= seen + times, 30)


@pytest.fixture
def stretches(monkeypatch):
    """Provide notifications of each hashed piece."""
    moments = Moments()
    monkeypatch.setattr(digest, "_hash_next", moments.told(digest._hash_next))
    return moments


@pytest.fixture
def waits(monkeypatch):
    """Provide notifications of each wait of a thread for other readers."""
    moments = Moments()
    monkeypatch.setattr(CancelToken, "wait", moments.told(CancelToken.wait))
    return moments


class Stretch(Job):
    """Is cancelled after a number of bytes."""

    def __init__(self, nbytes: int) -> None:
        super().__init__(cancel=CancelToken())
        self.left = nbytes

    def step(self, units: int) -> None:
        super().step(units)
        self.left -= units
        if self.left <= 0:
            self.cancel.cancel()


def test_it_is_that_of_hashlib_and_is_known_from_then_on(file, monkeypatch):
    assert known_sha256(file) == ""
    expected = hashlib.sha256(file.path.read_bytes()).hexdigest()
    assert sha256_of(file, Job()) == expected
    assert known_sha256(file) == expected
    monkeypatch.setattr(FileSource, "read_uncounted", None)
    assert sha256_of(file, Job()) == expected, "not counted again"


@pytest.mark.parametrize("stretch", [1, 999, 4096, 9_999])
def test_who_comes_next_goes_on_where_the_one_before_was_cancelled(file, places, stretch):
    rounds = 0
    while True:
        rounds += 1
        try:
            found = sha256_of(file, Stretch(stretch))
        except Cancelled:
            assert rounds < 20
            continue
        break
    assert found == hashlib.sha256(file.path.read_bytes()).hexdigest()
    assert places == list(range(0, 10_000, 1000)), "no byte is read twice"


def test_an_empty_file_has_one_too(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    source = FileSource(tmp_path / "empty")
    assert sha256_of(source, Job()) == hashlib.sha256(b"").hexdigest()
    source.close()


def test_of_a_file_that_changed_nothing_is_known(file):
    remember_sha256(file, "abc")
    assert known_sha256(file) == "abc"
    copy = file.path.with_name("copy")
    copy.write_bytes(file.path.read_bytes())
    file.reopen_at(copy)  # a copy has another inode, so it is not known
    assert known_sha256(file) == ""
    copy.write_bytes(b"shorter")
    with pytest.raises(CheckpointError):
        sha256_of(file, Job())
    assert known_sha256(file) == ""


def test_a_file_that_nobody_has_any_more_is_forgotten(tmp_path):
    (tmp_path / "a").write_bytes(b"a")
    source = FileSource(tmp_path / "a")
    remember_sha256(source, "abc")
    gc.collect()  # objects of preceding tests
    before = len(digest._hashes)
    source.close()
    del source
    gc.collect()
    assert len(digest._hashes) == before - 1


class Told(Job):
    """Records the progress that is reported."""

    def __init__(self) -> None:
        super().__init__()
        self.units = 0

    def step(self, units: int) -> None:
        super().step(units)
        self.units += units


def test_several_threads_count_each_byte_once_and_all_see_it_grow(file, places):
    jobs = [Told() for _ in range(4)]
    with ThreadPoolExecutor(4) as executor:
        found = list(executor.map(lambda job: sha256_of(file, job), jobs))
    assert set(found) == {hashlib.sha256(file.path.read_bytes()).hexdigest()}
    assert sorted(places) == list(range(0, 10_000, 1000))
    assert max(job.units for job in jobs) == 10_000
    assert bytes_left(file) == 0


def test_what_was_counted_beside_is_not_counted_again(file, places, stretches):
    with hash_in_background([file]):
        stretches.until(lambda: known_sha256(file))
    assert [t for t in threading.enumerate() if not t.daemon] == [threading.main_thread()]
    job = Told()
    assert sha256_of(file, job) == hashlib.sha256(file.path.read_bytes()).hexdigest()
    assert job.units == 0
    assert places == list(range(0, 10_000, 1000))


def test_beside_it_is_counted_no_faster_than_is_read(file, places, waits, monkeypatch):
    monkeypatch.setattr(digest, "_MAX_LEAD_BYTES", 2000)
    with hash_in_background([file]):
        waits.another(2)
        assert places == [0, 1000, 2000], "nobody has read anything"
        file.read(500, 3000)
        places.remove(500)
        waits.until(lambda: len(places) == 6)
        waits.another(2)
        assert places == [0, 1000, 2000, 3000, 4000, 5000], "as much more as was read"
    rest, job = bytes_left(file), Told()
    assert sha256_of(file, job) == hashlib.sha256(file.path.read_bytes()).hexdigest()
    assert job.units == rest
    assert places == list(range(0, 10_000, 1000))


@pytest.mark.parametrize("error", [Cancelled, KeyboardInterrupt, CheckpointError("no")])
def test_no_thread_outlives_a_block_that_is_left_by_an_error(file, monkeypatch, error):
    monkeypatch.setattr(digest, "_MAX_LEAD_BYTES", -1)  # it waits until the end
    monkeypatch.setattr(digest, "_POLL_SECONDS", 1_000_000)
    kind = type(error) if isinstance(error, Exception) else error
    with pytest.raises(kind), hash_in_background([file]):
        raise error
    assert [t for t in threading.enumerate() if not t.daemon] == [threading.main_thread()]
    assert bytes_left(file) == 10_000


def test_a_file_that_cannot_be_read_is_complained_of_by_who_wants_its_sum(file):
    file.path.write_bytes(b"shorter")
    with hash_in_background([file]):
        pass
    with pytest.raises(CheckpointError):
        sha256_of(file, Job())


def test_a_bug_in_the_thread_does_not_pass_in_silence(file, monkeypatch):
    moments, called = Moments(), []

    def fails(*_args):
        called.append(True)
        raise TypeError("a bug")

    monkeypatch.setattr(FileSource, "read_uncounted", moments.told(fails))
    with pytest.raises(TypeError, match="a bug"), hash_in_background([file]):
        moments.until(lambda: called)


def test_a_file_that_moves_meanwhile_is_counted_from_the_beginning(file, places):
    copy = file.path.with_name("copy")
    copy.write_bytes(file.path.read_bytes())
    with pytest.raises(Cancelled):
        sha256_of(file, Stretch(3000))
    file.reopen_at(copy)
    assert bytes_left(file) == 10_000
    assert sha256_of(file, Job()) == hashlib.sha256(copy.read_bytes()).hexdigest()
    assert places == [0, 1000, 2000, *range(0, 10_000, 1000)]
