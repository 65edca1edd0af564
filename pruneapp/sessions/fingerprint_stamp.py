"""What a session file was like when it was read or written: to be known before it is replaced.

The time of the last change alone does not tell: some systems count it in steps of two seconds, and
two windows may save within one. An id in the file would, but then saving twice would not give the
same bytes. So the size, the time as far as every system keeps it, and pieces of the content are
compared, as they are of a checkpoint. Where the time alone is another one (the file was copied
back, say) it counts as changed, too: a question too many loses nothing.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from pruneapp.checkpoint.io.files_places import exists
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import CheckpointError
from pruneapp.progress import Job
from pruneapp.sessions.fingerprint import sample_of

# Some file systems round times to two seconds once they have written them.
_COARSE_NS = 2_000_000_001


class Stamp(msgspec.Struct, frozen=True):
    """A file as it was at one moment.

    Attributes
    ----------
    path
        The file, from the root of the file system.
    size, mtime_ns
        As the system tells them; -1 and 0 of what cannot be read.
    sample
        SHA-256 of some pieces, in hex digits; see `sample_of`.
    """

    path: str
    size: int
    mtime_ns: int
    sample: str

    @classmethod
    def of(cls, path: Path, job: Job) -> Stamp | None:
        """Take it of what is at a path now, reading 1 MB at most; None if nothing is there."""
        if not exists(path):
            return None
        try:
            file = FileSource(path)
        except CheckpointError:
            return cls(str(path.absolute()), -1, 0, "")
        try:
            return cls.of_open(file, job)
        except CheckpointError:
            return cls(str(path.absolute()), -1, 0, "")
        finally:
            file.close()

    @classmethod
    def of_open(cls, file: FileSource, job: Job) -> Stamp:
        """Take it of a file that is open; raises CheckpointError if it cannot be read."""
        identity = file.identity
        path = str(file.path.absolute())
        return cls(path, identity.size, identity.mtime_ns, sample_of(file, job))

    def is_of(self, other: Stamp) -> bool:
        """Say whether another stamp, of the same path, is of the same state of the file."""
        return (
            self.size == other.size
            and abs(self.mtime_ns - other.mtime_ns) < _COARSE_NS
            and self.sample == other.sample
        )
