"""Locks on open files: they tell others that somebody works on them.

The system drops a lock when the file is closed or the process ends, however it ends. Nobody is
kept from reading or writing by it.
"""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import msvcrt

    # Windows locks bytes, and nobody may read those: one that no file has.
    _BYTE = 1 << 40

    def _take(fd: int) -> None:
        here = os.lseek(fd, 0, os.SEEK_CUR)
        os.lseek(fd, _BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(fd, here, os.SEEK_SET)

    _TAKEN: tuple[type[OSError], ...] = (PermissionError,)
else:
    import fcntl

    def _take(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    _TAKEN = (BlockingIOError,)


def lock(fd: int) -> bool | None:
    """Lock an open file, without waiting.

    Returns
    -------
    bool or None
        True if the lock is held now; False if somebody else holds it; None where the file system
        has no locks, as some network drives. What that means is for the caller to say: who would
        remove something must take it for held, who has work to keep cannot do without.
    """
    try:
        _take(fd)
    except _TAKEN:
        return False
    except OSError:
        return None
    return True
