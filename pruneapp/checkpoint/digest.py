"""The SHA-256 of open files: counted once, by whoever has the time first, and known to all."""

from __future__ import annotations

import hashlib
import threading
from weakref import WeakKeyDictionary

from pruneapp.checkpoint.source import FileSource, Identity
from pruneapp.progress import Job

# Read in one go; between two of them a job looks whether it is to go on.
_READ = 4 << 20

_lock = threading.Lock()
_known: WeakKeyDictionary[FileSource, tuple[Identity, str]] = WeakKeyDictionary()


def known(file: FileSource) -> str:
    """Return the SHA-256 of a file in hex digits; empty while nobody has counted it."""
    with _lock:
        identity, sha256 = _known.get(file, (None, ""))
    return sha256 if identity == file.identity else ""


def remember(file: FileSource, sha256: str) -> None:
    """Take the SHA-256 of a file, in hex digits, from somebody who knows it."""
    with _lock:
        _known[file] = file.identity, sha256


class Digest:
    """The SHA-256 of a file, counted in stretches: who cancels one goes on later.

    Parameters
    ----------
    file
        The file.
    """

    def __init__(self, file: FileSource) -> None:
        self.file = file
        self._hash = hashlib.sha256()
        self._identity = file.identity
        self._done = 0
        self._buffer = bytearray(min(_READ, max(file.size, 1)))

    def run(self, job: Job) -> str:
        """Count the rest, remember it and return it; at once if it is known by now.

        Parameters
        ----------
        job
            Stepped by the bytes.

        Raises
        ------
        CheckpointError
            If the file cannot be read, or is changed meanwhile.
        Cancelled
            If something else is to go first; what was counted stays.
        """
        if found := known(self.file):
            return found
        while self._done < self.file.size:
            job.step(0)
            view = memoryview(self._buffer)[: self.file.size - self._done]
            self.file.read_into(self._done, view)
            self._hash.update(view)
            self._done += len(view)
            job.step(len(view))
        sha256 = self._hash.hexdigest()
        if self.file.identity == self._identity:
            remember(self.file, sha256)
        return sha256
