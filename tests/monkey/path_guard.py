"""Restrict writing to the folder of a run, because random text in a field may be any path."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# By audit event of a call that changes files: the indices of its path arguments.
PLACES = {
    "open": (0,),
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.mkdir": (0,),
    "os.rmdir": (0,),
    "os.link": (0, 1),
    "os.symlink": (1,),
    "os.truncate": (0,),
    "os.chmod": (0,),
    "shutil.rmtree": (0,),
}


def put_up(*folders: Path) -> None:
    """Raise PermissionError in this process for writing outside these folders.

    The restriction cannot be removed.
    """
    inside = tuple(f"{folder.resolve()}{os.sep}" for folder in folders)
    own = (*inside, "/proc/self/", *(f"/dev/{name}/" for name in ("null", "shm", "tty", "urandom")))

    def refuse(path: object) -> None:
        if isinstance(path, int) or path is None:
            return  # a file descriptor, whose path was checked when it was opened
        where = os.path.realpath(os.fsdecode(path))  # type: ignore[arg-type]  # a path, if no number
        if not f"{where}{os.sep}".startswith(own):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), where)

    def look(event: str, arguments: tuple[object, ...]) -> None:
        places = PLACES.get(event)
        if places is None:
            return  # returns early, because there are hundreds of thousands of events
        if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & WRITES):
            return
        for place in places:
            refuse(arguments[place])

    sys.addaudithook(look)
