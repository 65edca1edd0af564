"""The SHA-256 of open files, computed once and shared.

Each open file has one hash in progress. If a job is cancelled, the next one continues from there,
also in another thread, so no byte is read twice.
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

# Number of bytes read at a time, between two checks for cancellation.
_READ_BYTES = 4 << 20
# Seconds between two checks of the progress of other readers, or of another thread that hashes.
_POLL_SECONDS = 0.02
# Maximum lead of a thread that hashes what others read: for a file larger than the memory, the
# system would drop pages before the others read them, and read them twice.
_MAX_LEAD_BYTES = 256 << 20

_lock = threading.Lock()
_hashes: WeakKeyDictionary[FileSource, _Hash] = WeakKeyDictionary()


class _Hash:
    """The hash of a file in progress. It has no reference to the file, and is dropped with it."""

    def __init__(self, identity: FileIdentity, sha256: str = "") -> None:
        """Start a hash of a version of a file, or create a completed one if `sha256` is given."""
        self.identity = identity
        self.sha256 = sha256
        self.lock = threading.Lock()
        self.hash = hashlib.sha256()
        self.done = identity.size if sha256 else 0


def known_sha256(file: FileSource) -> str:
    """Return the SHA-256 of a file in hex digits; empty if it has not been computed."""
    return _hash_of(file).sha256


def remember_sha256(file: FileSource, sha256: str) -> None:
    """Set the SHA-256 of a file, in hex digits, if it is known from another source."""
    with _lock:
        _hashes[file] = _Hash(file.identity, sha256)


def bytes_left(file: FileSource) -> int:
    """Return the number of bytes of a file that have not been hashed."""
    state = _hash_of(file)
    return 0 if state.sha256 else file.size - state.done


def sha256_of(file: FileSource, job: Job, *, stay_near_readers: bool = False) -> str:
    """Return the SHA-256 of a whole file in hex digits; immediately if it is known.

    Bytes hashed by earlier calls are not read again. One thread hashes a file at a time. Other
    threads wait, and continue if its job is cancelled. `job` is stepped by the number of bytes that
    are hashed during the call, whichever thread hashes them. With `stay_near_readers`, the thread
    pauses while it is more than 256 MiB ahead of other readers of the file.

    Raises
    ------
    CheckpointError
        If the file cannot be read, or is changed during the computation.
    Cancelled
        If the job is cancelled. The bytes hashed so far are not lost.
    """
    buffer = memoryview(bytearray(min(_READ_BYTES, max(file.size, 1))))
    state = _hash_of(file)
    start = reported = state.done
    delivered = file.bytes_read
    while not state.sha256:
        job.step(0)
        if stay_near_readers and state.done - start > file.bytes_read - delivered + _MAX_LEAD_BYTES:
            job.cancel.wait(_POLL_SECONDS)
        elif state.lock.acquire(timeout=_POLL_SECONDS):
            try:
                _hash_next(file, state, buffer)
            finally:
                state.lock.release()
            job.step(state.done - reported)
            reported = state.done
        if (latest := _hash_of(file)) is not state:  # the file was moved, or its sum was set
            state, start, reported = latest, latest.done, latest.done
    return state.sha256


def files_sha256(files: Sequence[FileSource], job: Job) -> str:
    """Return the SHA-256, in hex digits, of the joined hex SHA-256s of several files, in order.

    Files whose SHA-256 is known are not read again. `job` only cancels. Raises the errors of
    `sha256_of`.
    """
    combined = hashlib.sha256()
    for file in files:
        combined.update(sha256_of(file, Job(cancel=job.cancel)).encode())
    return combined.hexdigest()


@contextlib.contextmanager
def hash_in_background(files: Sequence[FileSource]) -> Iterator[None]:
    """Hash files, one after another, in a thread while the block reads them.

    What one of the two reads from the disk is still in the page cache for the other, so this needs
    no additional pass; the thread is about as fast as the block. At the end of the block the thread
    is cancelled and awaited; what it has hashed is kept, and `sha256_of` hashes the rest when the
    sum is needed. Errors of files are raised there, not here.
    """
    stop = CancelToken()

    def hash_all() -> None:
        with contextlib.suppress(Cancelled, PruneAppError):
            for file in files:
                sha256_of(file, Job(cancel=stop), stay_near_readers=True)

    with ThreadPoolExecutor(1, thread_name_prefix="pruneapp-checksum") as executor:
        hashing = executor.submit(hash_all)
        try:
            yield
        finally:
            stop.cancel()
    hashing.result()


def _hash_of(file: FileSource) -> _Hash:
    """Return the hash in progress of a file, a new one if there is none of its present version."""
    with _lock:
        state = _hashes.get(file)
        if state is None or state.identity != file.identity:
            state = _hashes[file] = _Hash(file.identity)
        return state


def _hash_next(file: FileSource, state: _Hash, buffer: memoryview) -> None:
    """Hash the next bytes of a file, as many as `buffer` has room for, and store a completed sum.

    Does nothing if the sum is complete or the file has been replaced meanwhile. The caller has the
    lock of `state`.
    """
    if state.sha256:
        return  # completed while this thread waited
    view = buffer[: state.identity.size - state.done]
    file.read_uncounted(state.done, view)
    if file.identity != state.identity:
        return  # the bytes may be those of another file
    state.hash.update(view)
    state.done += len(view)
    if state.done == state.identity.size:
        state.sha256 = state.hash.hexdigest()
