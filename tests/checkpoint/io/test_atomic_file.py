"""The old file exists until the new one is complete, whatever fails."""

import errno
import hashlib
import os
import stat
from pathlib import Path

import numpy as np
import pytest

from pruneapp.checkpoint.io import atomic_file
from pruneapp.checkpoint.io.atomic_file import AtomicFile, write_error
from pruneapp.checkpoint.io.files import find_abandoned, remove_abandoned
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import ExportError
from pruneapp.progress import Cancelled, CancelToken, Job

OLD = b"the old file"
NEW = bytes(range(256)) * 1000


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    """Use many small writes and flushes, so that each of them can fail."""
    monkeypatch.setattr(atomic_file, "PIECE_BYTES", 40_000)
    monkeypatch.setattr(atomic_file, "WINDOW_BYTES", 90_000)


@pytest.fixture(params=["new", "old"])
def target(request, tmp_path) -> Path:
    path = tmp_path / "model.safetensors"
    if request.param == "old":
        path.write_bytes(OLD)
        path.chmod(0o640)
    return path


def write(target: Path, data: bytes = NEW, job: Job | None = None) -> str:
    with AtomicFile(target, len(data), job or Job()) as file:
        file.write(data)
        digest = file.seal()
        file.commit()
    return digest


def untouched(target: Path, before: bytes | None) -> bool:
    now = target.read_bytes() if target.exists() else None
    return now == before and len(list(target.parent.iterdir())) == (before is not None)


def before(target: Path) -> bytes | None:
    return target.read_bytes() if target.exists() else None


class FailingAt:
    """Passes calls to a function of os, until the n-th call, which fails."""

    def __init__(self, function, index: int, number: int):
        self.function, self.index, self.number, self.calls = function, index, number, 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        if self.calls - 1 == self.index:
            raise OSError(self.number, os.strerror(self.number))
        return self.function(*args, **kwargs)


def test_written_bytes_are_there_with_their_checksum(target):
    digest = write(target)

    assert target.read_bytes() == NEW
    assert digest == hashlib.sha256(NEW).hexdigest()
    assert [p.name for p in target.parent.iterdir()] == [target.name]


def test_a_null_character_in_a_name_is_said_in_a_sentence(tmp_path):
    with pytest.raises(ExportError, match="invalid argument"):
        write(tmp_path / "a\0b")
    assert not list(tmp_path.iterdir())


def test_a_pipe_or_a_device_is_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for target in (pipe, tmp_path / "link"):
        if target != pipe:
            target.symlink_to(os.devnull)
        with pytest.raises(ExportError, match="is a pipe, socket or device, not a regular file"):
            write(target)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_the_mode_is_that_of_the_old_file_or_follows_the_umask(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(OLD)
    old.chmod(0o640)
    umask = os.umask(0o027)
    try:
        write(old)
        write(new)
    finally:
        os.umask(umask)

    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert stat.S_IMODE(new.stat().st_mode) == 0o640


FAULTS = [
    (call, index, number)
    for call, indices, numbers in (
        ("posix_fallocate", range(1), (errno.ENOSPC, errno.EIO, errno.EDQUOT)),
        ("open", range(2), (errno.EACCES, errno.EROFS, errno.ENAMETOOLONG)),
        ("write", range(7), (errno.ENOSPC, errno.EIO, errno.EFBIG)),
        ("fdatasync", range(3), (errno.EIO, errno.ENOSPC)),
        ("fsync", range(1), (errno.EIO, errno.ENOSPC)),
        ("fstat", range(1), (errno.EIO,)),
        ("replace", range(1), (errno.EACCES, errno.EIO)),
    )
    for index in indices
    for number in numbers
]


@pytest.mark.parametrize(("call", "index", "number"), FAULTS)
def test_a_fault_leaves_the_old_file_and_nothing_else(target, monkeypatch, call, index, number):
    old = before(target)
    failing = FailingAt(getattr(os, call), index, number)
    monkeypatch.setattr(atomic_file.os, call, failing)
    with pytest.raises(ExportError) as caught:
        write(target)
    monkeypatch.undo()

    assert failing.calls > index, "the fault was never met"
    assert untouched(target, old)
    assert str(target) in caught.value.sentence
    assert caught.value.remedy


def test_a_folder_that_cannot_be_flushed_is_no_fault(target, monkeypatch):
    """By then the new file is complete and renamed."""
    flushes = FailingAt(os.fsync, 99, errno.EIO)
    monkeypatch.setattr(atomic_file.os, "fsync", flushes)
    write(target)
    monkeypatch.setattr(atomic_file.os, "fsync", FailingAt(os.fsync, flushes.calls - 1, errno.EIO))
    write(target, NEW[::-1])

    assert target.read_bytes() == NEW[::-1]


def test_a_file_system_that_cannot_reserve_is_written_to_anyway(target, monkeypatch):
    monkeypatch.setattr(
        atomic_file.os, "posix_fallocate", FailingAt(os.posix_fallocate, 0, errno.EOPNOTSUPP)
    )
    write(target)

    assert target.read_bytes() == NEW


def test_a_full_disk_is_told_in_bytes(target, monkeypatch):
    old = before(target)
    monkeypatch.setattr(
        atomic_file.os, "posix_fallocate", FailingAt(os.posix_fallocate, 0, errno.ENOSPC)
    )
    monkeypatch.setattr(
        atomic_file.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 56_000})()
    )
    with pytest.raises(ExportError, match=r"256\.0 kB are needed, 56\.0 kB are free"):
        write(target)

    assert untouched(target, old)


def test_other_bytes_from_the_disk_are_noticed(target, monkeypatch):
    old = before(target)
    real = os.write

    def flips(fd, data):
        changed = bytearray(data)
        changed[0] ^= 1
        return real(fd, changed)

    monkeypatch.setattr(atomic_file.os, "write", flips)
    with pytest.raises(ExportError, match="the bytes read back"):
        write(target)

    assert untouched(target, old)


@pytest.mark.parametrize("share", [0, 0.1, 0.2, 0.3, 0.4, 0.5])
def test_cancelling_leaves_nothing(target, share):
    old = before(target)
    token = CancelToken()

    class Cancels:
        def report(self, done, total, label):
            if done >= share * len(NEW):
                token.cancel()

    with pytest.raises(Cancelled):
        write(target, job=Job(Cancels(), token))

    assert untouched(target, old)


def test_an_interrupt_leaves_nothing(target, monkeypatch):
    old = before(target)

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(atomic_file.os, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(target)

    assert untouched(target, old)


def test_a_wrong_size_is_a_bug_and_changes_nothing(target):
    old = before(target)
    with AtomicFile(target, 3, Job()) as file:
        file.write(b"four")
        with pytest.raises(ValueError, match="announced"):
            file.seal()

    assert untouched(target, old)


def test_a_file_in_the_making_is_not_abandoned(target):
    with AtomicFile(target, 3, Job()) as file:
        assert file.part.exists()
        assert find_abandoned(target.parent) == ()
        assert not remove_abandoned(file.part)
        assert file.part.exists()
    (target.parent / ".model.0123abcd.part").touch()
    (target.parent / "model.part").touch()

    assert find_abandoned(target.parent) == (target.parent / ".model.0123abcd.part",)
    assert find_abandoned(target.parent / "nowhere") == ()


def test_what_is_abandoned_is_removed_and_nothing_else(tmp_path):
    left = [
        tmp_path / ".m.safetensors.0123abcd.part",
        tmp_path / ".m.safetensors.0123abcd.old",
        tmp_path / "m.partial-0123abcd",
    ]
    for path in left[:2]:
        path.write_bytes(OLD)
    left[2].mkdir()
    (left[2] / "shard").write_bytes(OLD)
    others = [
        tmp_path / "m.old",
        tmp_path / ".m.0123abcd.partial",
        tmp_path / "m.partial-0123abcg",
        tmp_path / ".link.0123abcd.part",
    ]
    for path in others[:3]:
        path.write_bytes(OLD)
    others[3].symlink_to(tmp_path / "m.old")

    assert find_abandoned(tmp_path) == tuple(sorted(left))
    assert all(remove_abandoned(path) for path in left)
    assert not any(remove_abandoned(path) for path in others)
    assert sorted(tmp_path.iterdir()) == sorted(others)
    assert remove_abandoned(left[0]), "it is gone already"


def test_a_very_long_name_can_still_be_written(tmp_path):
    target = tmp_path / ("é" * 120 + ".pt")
    write(target)

    assert target.read_bytes() == NEW


def test_an_open_source_goes_on_from_its_new_name(tmp_path):
    path, kept = tmp_path / "a", tmp_path / "b"
    path.write_bytes(OLD)
    source = FileSource(path)
    os.link(path, kept)
    source.reopen_at(kept)
    write(path)
    source.verify_unchanged()

    assert source.read(0, len(OLD)) == OLD
    assert source.path == kept
    source.close()


def test_an_open_source_goes_on_from_a_copy(tmp_path):
    path, kept = tmp_path / "a", tmp_path / "b"
    path.write_bytes(OLD)
    source = FileSource(path)
    kept.write_bytes(OLD)
    source.reopen_at(kept)
    path.unlink()
    source.verify_unchanged()

    assert source.read(4, 3) == b"old"
    source.close()


@pytest.mark.parametrize("nbytes", [0, 1, 5000, 89_999, 90_000, 400_003])
def test_a_file_whose_size_is_only_bounded_is_cut_at_its_end(nbytes, tmp_path):
    data = np.random.default_rng(1).integers(0, 256, nbytes, np.uint8).tobytes()
    with AtomicFile(tmp_path / "x", nbytes + 200_000, Job(), exact=False) as file:
        file.write(data)
        assert file.bytes_written == nbytes
        digest = file.seal()
        file.commit()

    assert (tmp_path / "x").read_bytes() == data
    assert digest == hashlib.sha256(data).hexdigest()


def test_a_folder_that_takes_no_files_is_not_said_to_be_missing(tmp_path):
    gone = FileNotFoundError(errno.ENOENT, "No such file or directory")
    there = str(write_error(tmp_path / "x", gone, 1))
    assert f"'{tmp_path}' does not accept new files: choose another folder." in there
    assert "Make the folder" not in there
    assert "Make the folder first" in str(write_error(tmp_path / "no" / "x", gone, 1))
    denied = str(write_error(tmp_path / "x", PermissionError(errno.EACCES, "Permission denied"), 1))
    assert "permission denied. Choose a folder that you may write to." in denied


def test_no_room_for_the_most_is_no_reason_not_to_try(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with AtomicFile(tmp_path / "x", 1 << 50, Job(), exact=False) as file:
        file.write(b"abc")
        file.seal()
        file.commit()
    assert (tmp_path / "x").read_bytes() == b"abc"
    with pytest.raises(ExportError, match="cannot be written"):
        AtomicFile(tmp_path / "y", 1 << 50, Job()).__enter__()
    with AtomicFile(tmp_path / "z", 2, Job(), exact=False) as file:
        file.write(b"abc")
        with pytest.raises(ValueError, match="at most"):
            file.seal()
    assert [p.name for p in tmp_path.iterdir()] == ["x"]
