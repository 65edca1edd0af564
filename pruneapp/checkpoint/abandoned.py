"""Temporary files that a killed process left behind.

A process that writes holds a lock on its temporary file, which the system drops when the process
ends, however it ends. What can be locked by somebody else is abandoned.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: a file that is open there cannot be removed by others anyway
    _HAS_LOCKS = False
else:
    _HAS_LOCKS = True

_PART = re.compile(r"\..+\.[0-9a-f]{8}\.part")


def claim(fd: int) -> None:
    """Mark an open temporary file as being written, as long as this process lives."""
    if _HAS_LOCKS:
        with contextlib.suppress(OSError):  # some network drives have no locks
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def find_abandoned(folder: Path) -> tuple[Path, ...]:
    """Return the temporary files in `folder` that nobody writes any more, to offer their removal.

    Where the system has no locks, none is found.
    """
    if not _HAS_LOCKS:
        return ()
    try:
        found = [p for p in folder.iterdir() if _PART.fullmatch(p.name) and p.is_file()]
    except OSError:
        return ()
    return tuple(sorted(p for p in found if _is_free(p)))


def _is_free(path: Path) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True
