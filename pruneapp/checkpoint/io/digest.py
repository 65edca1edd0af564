"""The SHA-256 of open files: computed once, and shared by all who need it.

Every open file has one hash in progress. Work that is cancelled leaves it where it is, and the next
goes on from there: no byte is read twice, also if one thread stops and another begins.
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
# A thread that hashes what others read is at most so many bytes ahead of them: of a file larger
# than the memory the system would drop pages before they come, and read them twice.
_AHEAD = 256 << 20

_lock = threading.Lock()
_hashes: WeakKeyDictionary[FileSource, _Hash] = WeakKeyDictionary()


class _Hash:
    """How far a file is hashed; holds no reference to the file, and is dropped with it."""

    def __init__(self, identity: FileIdentity, sha256: str = "") -> None:
        self.identity = identity
        self.sha256 = sha256
        self.turn = threading.Lock()
        self.hash = hashlib.sha256()
        self.done = identity.size if sha256 else 0


def known_sha256(file: FileSource) -> str:
    """Return the SHA-256 of a file in hex digits; empty if it is not computed yet."""
    return _hash_of(file).sha256


def remember_sha256(file: FileSource, sha256: str) -> None:
    """Set the SHA-256 of a file, in hex digits, that is known from elsewhere."""
    with _lock:
        _hashes[file] = _Hash(file.identity, sha256)


def bytes_left(file: FileSource) -> int:
    """Return how many bytes of a file are still to be hashed."""
    state = _hash_of(file)
    return 0 if state.sha256 else file.size - state.done


def sha256_of(file: FileSource, job: Job, *, near: bool = False) -> str:
    """Hash what is left of a file, and return its SHA-256; at once if it is known.

    One thread hashes at a time: others wait, and go on if it is cancelled. `job` is stepped by the
    bytes, whichever thread hashes them; with `near` the hash stays near what others read.

    Raises
    ------
    CheckpointError
        If the file cannot be read, or is changed meanwhile.
    Cancelled
        What was hashed stays.
    """
    buffer = memoryview(bytearray(min(_READ, max(file.size, 1))))
    state = _hash_of(file)
    begun = seen = state.done
    delivered = file.delivered
    while not state.sha256:
        job.step(0)
        if near and state.done - begun > file.delivered - delivered + _AHEAD:
            job.cancel.wait(_PATIENCE)
        elif state.turn.acquire(timeout=_PATIENCE):
            try:
                _hash_next(file, state, buffer)
            finally:
                state.turn.release()
            job.step(state.done - seen)
            seen = state.done
        if (latest := _hash_of(file)) is not state:  # the file was moved, or its sum is set
            state, begun, seen = latest, latest.done, latest.done
    return state.sha256


def files_sha256(files: Sequence[FileSource], job: Job) -> str:
    """Return one SHA-256 for several files, in hex digits: that of their SHA-256 in order.

    Files whose SHA-256 is known are not read again; raises as `sha256_of`.
    """
    combined = hashlib.sha256()
    for file in files:
        combined.update(sha256_of(file, Job(cancel=job.cancel)).encode())
    return combined.hexdigest()


@contextlib.contextmanager
def hashed_meanwhile(files: Sequence[FileSource]) -> Iterator[None]:
    """Hash files in a thread while the block of the context reads them.

    What one of the two reads from the disk the system still holds for the other, so this adds no
    pass; the thread goes about as fast as the block reads. It ends with the block, and `sha256_of`
    hashes the rest when the sums are needed. A file that cannot be read
    is an error there, not here.
    """
    stop = CancelToken()

    def hash_all() -> None:
        with contextlib.suppress(Cancelled, PruneAppError):
            for file in files:
                sha256_of(file, Job(cancel=stop), near=True)

    with ThreadPoolExecutor(1, thread_name_prefix="pruneapp-checksum") as executor:
        hashing = executor.submit(hash_all)
        try:
            yield
        finally:
            stop.cancel()
    hashing.result()


def _hash_of(file: FileSource) -> _Hash:
    with _lock:
        state = _hashes.get(file)
        if state is None or state.identity != file.identity:
            state = _hashes[file] = _Hash(file.identity)
        return state


def _hash_next(file: FileSource, state: _Hash, buffer: memoryview) -> None:
    if state.sha256:
        return  # while this thread waited for its turn
    view = buffer[: state.identity.size - state.done]
    file.look_into(state.done, view)
    if file.identity != state.identity:
        return  # these may be the bytes of another file
    state.hash.update(view)
    state.done += len(view)
    if state.done == state.identity.size:
        state.sha256 = state.hash.hexdigest()
