"""What a killed process left behind: temporary files and folders beside its targets.

A process that writes holds a lock on each of them, which the system drops when the process ends,
however it ends. What can be locked by somebody else is abandoned.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from pathlib import Path

from pruneapp.checkpoint.io.files_file_names import NAME_BYTES
from pruneapp.checkpoint.io.files_locks import lock

# A file in the making, the second name of an older export, a folder in the making.
_FILE = re.compile(r"\..+\.[0-9a-f]{8}\.(part|old)")
_FOLDER = re.compile(r".+\.partial-[0-9a-f]{8}")


def hidden_name(name: str, kind: str) -> str:
    """Return a new name beside a file called `name`; `kind` is ``part`` or ``old``."""
    # The random part keeps two exports to one target apart.
    end = f".{secrets.token_hex(4)}.{kind}"
    return "." + _with_room(name, len(end) + 1) + end


def partial_name(name: str) -> str:
    """Return a new name beside a folder called `name`, for the time until it is whole."""
    end = f".partial-{secrets.token_hex(4)}"
    return _with_room(name, len(end)) + end


def _with_room(name: str, for_bytes: int) -> str:
    """Return the beginning of a name that leaves room for so many more bytes."""
    return os.fsencode(name)[: NAME_BYTES - for_bytes].decode("utf-8", "ignore")


def claim(fd: int) -> None:
    """Mark what is open as being worked on, as long as it is open and this process lives."""
    lock(fd)  # where there are none, nothing is ever taken for abandoned


def find_abandoned(folder: Path) -> tuple[Path, ...]:
    """Return the files and folders in `folder` that nobody works on, to offer their removal.

    Where the file system has no locks, none is found. Links are left alone.
    """
    try:
        found = [p for p in folder.iterdir() if _is_ours(p)]
    except OSError:
        return ()
    return tuple(sorted(p for p in found if _is_free(p)))


def remove_abandoned(path: Path) -> bool:
    """Remove what `find_abandoned` found; returns whether it is gone.

    Nothing is removed that somebody works on by now, or that has another name than those.
    """
    if not (_is_ours(path) and _is_free(path)):
        return not os.path.lexists(path)
    with contextlib.suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return not os.path.lexists(path)


def _is_ours(path: Path) -> bool:
    if path.is_symlink():
        return False
    if _FILE.fullmatch(path.name):
        return path.is_file()
    return bool(_FOLDER.fullmatch(path.name)) and path.is_dir()


def _is_free(path: Path) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return lock(fd) is True
    finally:
        os.close(fd)
