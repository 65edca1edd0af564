"""Writing a file so that the old one is there until the new one is safe on the disk.

The bytes go to a temporary file beside the target, are flushed, read back from the disk and
compared as they go (see `pipeline`), and only then given the target's name. Whatever happens
before that leaves the old file as it was and nothing behind.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from pruneapp.checkpoint.io.atomic_file import OtherBytesError, WritePipeline
from pruneapp.checkpoint.io.files import claim, hidden_name
from pruneapp.errors import ExportError, counted, words_of
from pruneapp.progress import Job

_FULL = {errno.ENOSPC, errno.EDQUOT}
# posix_fallocate where the file system cannot reserve space: no reason not to try.
_NO_RESERVING = {errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS, errno.ENODEV}


class AtomicFile:
    """A file in the making; a context manager.

    Use it in three steps: `write` all the bytes, `seal` (they are on the disk and compared),
    `commit` (they have the target's name). Leaving the context without `commit`, by whatever
    exception, removes the temporary file.

    Parameters
    ----------
    target
        Where the file is to be; its folder must exist. A file that is there keeps its mode.
    nbytes
        How many bytes it will have; reserved on the disk before the first is written.
    job
        Stepped by every byte twice: when it is taken, and when it came back from the disk.
    exact
        Whether it will have exactly so many; else not more, as where it is compressed. What was
        reserved too much is given back by `seal`, and a disk without room for the most is no
        reason not to try.

    Raises
    ------
    ExportError
        From every step, if the system refuses it; the old file is as it was.
    """

    def __init__(self, target: Path, nbytes: int, job: Job, *, exact: bool = True) -> None:
        self.target = target
        self.nbytes = nbytes
        self._exact = exact
        self._job = job
        self._fd = -1
        self._pipeline: WritePipeline | None = None
        self._part: Path | None = None

    @property
    def taken(self) -> int:
        """How many bytes were written so far."""
        return 0 if self._pipeline is None else self._pipeline.taken

    @property
    def part(self) -> Path | None:
        """The temporary file; None before it is made and after it is gone."""
        return self._part

    def __enter__(self) -> Self:
        try:
            with self._translated():
                part = self._open()
                self._reserve()
                self._pipeline = WritePipeline(self._fd, part, self.nbytes, self._job)
        except BaseException:
            self.discard()
            raise
        return self

    def _open(self) -> Path:
        part = self.target.with_name(hidden_name(self.target.name, "part"))
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        self._part = part
        try:
            self._fd = os.open(part, flags, 0o666)  # the umask takes its share
        except OSError:
            self._part = None  # whoever has this name, it is not ours to remove
            raise
        claim(self._fd)
        with contextlib.suppress(FileNotFoundError):
            mode = stat.S_IMODE(self.target.stat().st_mode)
            if hasattr(os, "fchmod"):
                os.fchmod(self._fd, mode)
        return part

    def _reserve(self) -> None:
        if hasattr(os, "posix_fallocate") and self.nbytes:
            try:
                os.posix_fallocate(self._fd, 0, self.nbytes)
            except OSError as error:
                if not self._exact and error.errno in _FULL:
                    os.ftruncate(self._fd, 0)  # some systems keep what they could reserve
                    return
                if error.errno not in _NO_RESERVING:
                    raise
            else:
                return
        if not self._exact:
            return
        if shutil.disk_usage(self.target.parent).free < self.nbytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append `data`; it may be used again as soon as this returns."""
        assert self._pipeline is not None
        with self._translated():
            self._pipeline.write(data)

    def seal(self) -> str:
        """Wait until everything is on the disk and was compared; returns the SHA-256.

        Raises
        ------
        ExportError
            If other bytes come back than were written.
        """
        assert self._pipeline is not None
        taken = self._pipeline.taken
        if taken > self.nbytes or (self._exact and taken != self.nbytes):
            most = "" if self._exact else " at most"
            raise ValueError(f"{self.nbytes:,} bytes{most} were announced, {taken:,} written")
        with self._translated():
            digest = self._pipeline.finish()
            self._pipeline.close()
            if not self._exact:
                os.ftruncate(self._fd, taken)
            os.fsync(self._fd)
            if os.fstat(self._fd).st_size != taken:
                raise OtherBytesError
        return digest

    def commit(self) -> None:
        """Give the file the target's name, in the place of the old file."""
        assert self._part is not None
        with self._translated():
            self._close()
            self._part.replace(self.target)
        self._part = None
        flush_folder(self.target.parent)

    def discard(self) -> None:
        """Remove the temporary file, if there is one."""
        try:
            with contextlib.suppress(OSError):
                self._close()
        finally:  # also if waiting for the disk is interrupted
            if self._part is not None:
                with contextlib.suppress(OSError):
                    self._part.unlink()
                self._part = None

    def _close(self) -> None:
        if self._pipeline is not None:
            self._pipeline.close()
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            # Removed first: what is free is told without our own bytes.
            self.discard()
            raise write_error(self.target, error, self.nbytes) from error
        except OtherBytesError:
            raise ExportError(
                f"'{self.target}' was not written: the bytes read back from the disk differ from "
                f"those that were written.",
                remedy="Check the disk, or write to another one.",
            ) from None


def write_whole(target: Path, data: bytes | memoryview, job: Job) -> str:
    """Write a file whose bytes are at hand, as `AtomicFile` does; returns its SHA-256.

    Parameters
    ----------
    target
        Where it is to be.
    data
        All of it.
    job
        Stepped by every byte twice.

    Raises
    ------
    ExportError
        If the system refuses it; the old file is as it was.
    """
    with AtomicFile(target, memoryview(data).nbytes, job) as file:
        file.write(data)
        digest = file.seal()
        file.commit()
    return digest


def flush_folder(folder: Path) -> None:
    """Make the names in `folder` durable, where the system can.

    Not every file system can flush a folder, and the file itself is whole either way.
    """
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def write_error(target: Path, error: OSError, nbytes: int) -> ExportError:
    """Say in a sentence why `target`, of `nbytes`, could not be written."""
    details = f"{type(error).__name__}: {error}"
    if error.errno in _FULL:
        return ExportError(
            f"'{target}' cannot be written: {_what_is_missing(target, nbytes)}.",
            remedy="Make room or choose another disk.",
            details=details,
        )
    if error.errno == errno.EFBIG:
        return ExportError(
            f"'{target}' cannot be written: the file system does not support files of {nbytes:,} "
            f"bytes.",
            remedy="Choose another disk (FAT32 is limited to 4 GB).",
            details=details,
        )
    return ExportError(
        f"'{target}' cannot be written: {words_of(error)}.",
        remedy=_remedy(error, target.parent),
        details=details,
    )


def _what_is_missing(target: Path, nbytes: int) -> str:
    try:
        free = shutil.disk_usage(target.parent).free
    except OSError:
        return f"the disk is full ({nbytes:,} bytes are needed)"
    if free < nbytes:
        return (
            f"{counted(nbytes - free, 'byte is', 'bytes are')} missing on the disk "
            f"({nbytes:,} are needed, {free:,} are free)"
        )
    return f"the disk is full or your share of it is used up ({nbytes:,} bytes are needed)"


def _remedy(error: OSError, folder: Path) -> str:
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return "Choose a folder that you may write to."
    if error.errno == errno.ENAMETOOLONG:
        return "Choose a shorter name."
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        if folder.is_dir():  # as /proc, which takes no files
            return f"'{folder}' takes no new files: choose another folder."
        return "Make the folder first, or choose another."
    if error.errno == errno.EIO:
        return "Check the disk or the network drive."
    return ""
