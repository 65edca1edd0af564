"""The SHA-256 of open files: counted once, by whoever has the time first, and known to all.

Every open file has one count. Who is cancelled leaves it where it is, and whoever asks next goes on
from there: no byte is read twice, also if one thread stops and another begins.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from weakref import WeakKeyDictionary

from pruneapp.checkpoint.io.source import FileIdentity, FileSource
from pruneapp.errors import PruneAppError
from pruneapp.progress import Cancelled, CancelToken, Job

# Read in one go; between two of them a job looks whether it is to go on.
_READ = 4 << 20
# Seconds between two looks at what others have read, or at a job that waits for another thread.
_PATIENCE = 0.02
# Who counts beside others who read counts at most so many bytes more than these have read: of a
# file that is larger than the memory the system would let go before they come, and read it twice.
_AHEAD = 256 << 20

_lock = threading.Lock()
_counts: WeakKeyDictionary[FileSource, _Count] = WeakKeyDictionary()


class _Count:
    """How far the count of a file is; knows nothing of the file, which is forgotten with it."""

    def __init__(self, identity: FileIdentity, sha256: str = "") -> None:
        self.identity = identity
        self.sha256 = sha256
        self.turn = threading.Lock()
        self.hash = hashlib.sha256()
        self.done = identity.size if sha256 else 0


def known(file: FileSource) -> str:
    """Return the SHA-256 of a file in hex digits; empty while nobody has counted it."""
    return _count_of(file).sha256


def remember(file: FileSource, sha256: str) -> None:
    """Take the SHA-256 of a file, in hex digits, from somebody who knows it."""
    with _lock:
        _counts[file] = _Count(file.identity, sha256)


def left(file: FileSource) -> int:
    """Return how many bytes of a file are still to be counted."""
    count = _count_of(file)
    return 0 if count.sha256 else file.size - count.done


def sha256_of(file: FileSource, job: Job, *, near: bool = False) -> str:
    """Count what nobody has counted of a file, and return its SHA-256; at once if it is known.

    One thread counts at a time: others wait, and go on if it is cancelled. `job` is stepped by the
    bytes, whoever counts them; with `near` the count stays near what others read of the file.

    Raises
    ------
    CheckpointError
        If the file cannot be read, or is changed meanwhile.
    Cancelled
        If something else is to go first; what was counted stays.
    """
    buffer = memoryview(bytearray(min(_READ, max(file.size, 1))))
    count = _count_of(file)
    begun = seen = count.done
    delivered = file.delivered
    while not count.sha256:
        job.step(0)
        if near and count.done - begun > file.delivered - delivered + _AHEAD:
            job.cancel.wait(_PATIENCE)
        elif count.turn.acquire(timeout=_PATIENCE):
            try:
                _stretch(file, count, buffer)
            finally:
                count.turn.release()
            job.step(count.done - seen)
            seen = count.done
        if (latest := _count_of(file)) is not count:  # the file was moved, or somebody knows it
            count, begun, seen = latest, latest.done, latest.done
    return count.sha256


@contextlib.contextmanager
def counted_beside(files: Sequence[FileSource]) -> Iterator[None]:
    """Count the SHA-256 of files in a thread, as long as the block lasts that reads them, too.

    What one of the two reads from the disk the system still holds for the other, so this adds no
    pass; the thread goes about as fast as the block reads. It is gone when the block is left,
    however it is left, and `sha256_of` counts the rest for whoever wants the sums then. A file that
    cannot be read is complained of there, and not here.
    """
    stop = CancelToken()

    def count() -> None:
        with contextlib.suppress(Cancelled, PruneAppError):
            for file in files:
                sha256_of(file, Job(cancel=stop), near=True)

    with ThreadPoolExecutor(1, thread_name_prefix="pruneapp-checksum") as executor:
        counting = executor.submit(count)
        try:
            yield
        finally:
            stop.cancel()
    counting.result()


def _count_of(file: FileSource) -> _Count:
    with _lock:
        count = _counts.get(file)
        if count is None or count.identity != file.identity:
            count = _counts[file] = _Count(file.identity)
        return count


def _stretch(file: FileSource, count: _Count, buffer: memoryview) -> None:
    if count.sha256:
        return  # while this thread waited for its turn
    view = buffer[: count.identity.size - count.done]
    file.look_into(count.done, view)
    if file.identity != count.identity:
        return  # these may be the bytes of another file
    count.hash.update(view)
    count.done += len(view)
    if count.done == count.identity.size:
        count.sha256 = count.hash.hexdigest()
