"""A fence around the folder of a run: what is typed into a field may be any path."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Calls that change what they name, with the places of the paths among their arguments.
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
    """Let this process write into these folders alone; anywhere else it lacks the permission.

    It cannot be taken down again.
    """
    inside = tuple(f"{folder.resolve()}{os.sep}" for folder in folders)
    own = (*inside, "/proc/self/", *(f"/dev/{name}/" for name in ("null", "shm", "tty", "urandom")))

    def refuse(path: object) -> None:
        if isinstance(path, int) or path is None:
            return  # opened before, when it was looked at
        where = os.path.realpath(os.fsdecode(path))  # type: ignore[arg-type]  # a path, if no number
        if not f"{where}{os.sep}".startswith(own):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), where)

    def look(event: str, arguments: tuple[object, ...]) -> None:
        places = PLACES.get(event)
        if places is None:
            return  # there are hundreds of thousands of these
        if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & WRITES):
            return
        for place in places:
            refuse(arguments[place])

    sys.addaudithook(look)
