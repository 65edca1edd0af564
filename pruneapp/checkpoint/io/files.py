"""Names of files, what is at a path, locks, and what killed processes left behind.

Files travel, so that a name is one that every system can hold. `pathlib` of Python 3.11 raises
where a name is too long, or a folder must not be looked into; a person may type such a name, and a
session from elsewhere may hold one: a path that nobody can have is one where nothing is.

Locks on open files tell others that somebody works on them. The system drops a lock when the file
is closed or the process ends, however it ends. Nobody is kept from reading or writing by it. A
process that writes holds one on each temporary file and folder beside its targets: what can be
locked by somebody else is abandoned. Needs the standard library alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Characters that Windows refuses; the slash besides, where a name must be one.
FORBIDDEN = frozenset('<>:"|?*\\')

# Of a file or a folder, without the folders that it lies in.
NAME_BYTES = 255

# Names that Windows gives to devices, with any suffix and in any case.
_DEVICES = frozenset({"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}) | frozenset(
    f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"
)


def device_of(name: str) -> str:
    """Return the device that Windows would open instead of a file; empty if there is none."""
    stem = name.split(".", maxsplit=1)[0].rstrip(" ").upper()
    return stem if stem in _DEVICES else ""


def ends_badly(name: str) -> bool:
    """Whether a name ends in what Windows drops: a dot or a space."""
    return name[-1:] in {".", " "}


def is_folder(path: Path) -> bool:
    """Whether there is a folder, as far as this process may see."""
    try:
        return path.is_dir()
    except OSError:
        return False


def exists(path: Path) -> bool:
    """Whether there is anything, as far as this process may see."""
    try:
        return path.exists()
    except OSError:
        return False


def lexists(path: Path) -> bool:
    """Whether there is anything, a link that leads nowhere too, as far as this process may see."""
    try:
        path.lstat()
    except (OSError, ValueError):
        return False
    return True


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
        has no locks, as some network drives. Who would remove something must take that for held,
        who has work to keep cannot do without.
    """
    try:
        _take(fd)
    except _TAKEN:
        return False
    except OSError:
        return None
    return True


# A file in the making, the second name of an older export, a folder in the making, and one of
# `temporary_folder`.
_FILE = re.compile(r"\..+\.[0-9a-f]{8}\.(part|old)")
_FOLDER = re.compile(r".+\.partial-[0-9a-f]{8}")
_TEMPORARY = re.compile(r"pruneapp-[a-z0-9_]{8}")


def hidden_name(name: str, kind: str) -> str:
    """Return a new name beside a file called `name`; `kind` is ``part`` or ``old``."""
    # The random part keeps two exports to one target apart.
    end = f".{os.urandom(4).hex()}.{kind}"
    return "." + _with_room(name, len(end) + 1) + end


def partial_name(name: str) -> str:
    """Return a new name beside a folder called `name`, for the time until it is whole."""
    end = f".partial-{os.urandom(4).hex()}"
    return _with_room(name, len(end)) + end


def _with_room(name: str, for_bytes: int) -> str:
    """Return the beginning of a name that leaves room for so many more bytes."""
    return os.fsencode(name)[: NAME_BYTES - for_bytes].decode("utf-8", "ignore")


def find_abandoned(folder: Path) -> tuple[Path, ...]:
    """Return the files and folders in `folder` that no process works on, to offer their removal.

    Where the file system has no locks, none is found. Links are left alone.
    """
    try:
        paths = [p for p in folder.iterdir() if _is_ours(p)]
    except OSError:
        return ()
    return tuple(sorted(p for p in paths if _is_free(p)))


def remove_abandoned(path: Path) -> bool:
    """Remove what `find_abandoned` found; returns whether it is gone.

    Nothing is removed that a process works on by now, or that has another name than those.
    """
    if not (_is_ours(path) and _is_free(path)):
        return not os.path.lexists(path)
    with contextlib.suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return not os.path.lexists(path)


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder among the temporary files of the system, and remove it after the block.

    What killed processes left of such folders is removed first, gigabytes perhaps. Not on Windows,
    where folders cannot be locked.
    """
    for path in Path(tempfile.gettempdir()).glob("pruneapp-*"):
        if _TEMPORARY.fullmatch(path.name) and _is_free(path):
            shutil.rmtree(path, ignore_errors=True)
    new, fd = Path(tempfile.mkdtemp(prefix=".pruneapp-")), -1
    with contextlib.suppress(OSError):
        fd = os.open(new, os.O_RDONLY)
        lock(fd)
    folder = new.rename(new.with_name(new.name[1:]))  # locked by now, so that nobody removes it
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if fd >= 0:
            os.close(fd)


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
