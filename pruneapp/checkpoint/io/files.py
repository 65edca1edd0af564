"""Portable file names, checks of paths, locks, and temporary files of killed processes.

Names must be valid on every system, because files are moved between systems. `pathlib` of Python
3.11 raises if a name is too long or a folder is not accessible; users may type such names, and
sessions from other systems may contain them. Such a path is treated as one that does not exist.

Locks on open files show other processes that they are in use. The system releases a lock when the
file is closed or the process ends. Locks are advisory: they do not prevent reading or writing. A
process that writes holds a lock on each temporary file and folder, so one that can be locked is
abandoned. This module needs only the standard library.
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

# Characters that Windows does not allow in file names; the slash is a separator on all systems.
FORBIDDEN = frozenset('<>:"|?*\\')

# Maximum length of a file name without its folder, in bytes.
NAME_BYTES = 255

# Names of devices on Windows, with any suffix and in any case.
_DEVICES = frozenset({"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}) | frozenset(
    f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"
)


def device_of(name: str) -> str:
    """Return the device that Windows would open for a file name; empty if there is none."""
    stem = name.split(".", maxsplit=1)[0].rstrip(" ").upper()
    return stem if stem in _DEVICES else ""


def ends_badly(name: str) -> bool:
    """Return whether a name ends in a dot or a space, which Windows removes."""
    return name[-1:] in {".", " "}


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; False if it is not accessible."""
    try:
        return path.is_dir()
    except OSError:
        return False


def exists(path: Path) -> bool:
    """Return whether a path exists; False if it is not accessible."""
    try:
        return path.exists()
    except OSError:
        return False


def lexists(path: Path) -> bool:
    """Return whether a path or a broken link exists; False if it is not accessible."""
    try:
        path.lstat()
    except (OSError, ValueError):
        return False
    return True


if sys.platform == "win32":
    import msvcrt

    # Windows locks byte ranges, which then cannot be read: use a byte past the end of any file.
    _BYTE = 1 << 40

    def _acquire(fd: int) -> None:
        position = os.lseek(fd, 0, os.SEEK_CUR)
        os.lseek(fd, _BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(fd, position, os.SEEK_SET)

    _LOCKED: tuple[type[OSError], ...] = (PermissionError,)
else:
    import fcntl

    def _acquire(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    _LOCKED = (BlockingIOError,)


def lock(fd: int) -> bool | None:
    """Lock an open file without blocking.

    Returns
    -------
    bool or None
        True if the lock was acquired; False if another process has it; None if the file system does
        not support locks, as some network drives. To decide whether a file may be removed, treat
        None like False; to protect a file that is written, continue without a lock.
    """
    try:
        _acquire(fd)
    except _LOCKED:
        return False
    except OSError:
        return None
    return True


# A file that is being written, a second name used by older exports, a folder that is being written,
# and a folder of `temporary_folder`.
_FILE = re.compile(r"\..+\.[0-9a-f]{8}\.(part|old)")
_FOLDER = re.compile(r".+\.partial-[0-9a-f]{8}")
_TEMPORARY = re.compile(r"pruneapp-[a-z0-9_]{8}")


def hidden_name(name: str, kind: str) -> str:
    """Return a new hidden name next to a file `name`; `kind` is ``part`` or ``old``."""
    # The random part distinguishes several exports to the same target.
    end = f".{os.urandom(4).hex()}.{kind}"
    return "." + _shorten(name, len(end) + 1) + end


def partial_name(name: str) -> str:
    """Return a new name next to a folder `name`, to use until it is complete."""
    end = f".partial-{os.urandom(4).hex()}"
    return _shorten(name, len(end)) + end


def _shorten(name: str, reserved_bytes: int) -> str:
    """Return a prefix of `name` that leaves room for `reserved_bytes` more bytes."""
    return os.fsencode(name)[: NAME_BYTES - reserved_bytes].decode("utf-8", "ignore")


def find_abandoned(folder: Path) -> tuple[Path, ...]:
    """Return the temporary files and folders in `folder` that no process uses, sorted.

    They are recognised by their names, and unused if they can be locked. Links are ignored, and
    subfolders are not searched. The result is empty if the folder cannot be read, or the file
    system does not support locks.
    """
    try:
        paths = [p for p in folder.iterdir() if _is_temporary(p)]
    except OSError:
        return ()
    return tuple(sorted(p for p in paths if _is_unlocked(p)))


def remove_abandoned(path: Path) -> bool:
    """Remove a file or folder found by `find_abandoned`. Return whether it no longer exists.

    Nothing is removed if a process uses it by now, or if it has another kind of name. Errors are
    not raised.
    """
    if not (_is_temporary(path) and _is_unlocked(path)):
        return not os.path.lexists(path)
    with contextlib.suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return not os.path.lexists(path)


@contextlib.contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Create a temporary folder, and remove it with its content after the block.

    It is created in `parent`, which is created as well; without it, or if that is not possible, in
    the folder of the system for such files, which may be in memory. First, such folders of killed
    processes are removed, which may contain gigabytes. On Windows, where folders cannot be locked,
    they are not removed. Raises `OSError` if no folder can be created; errors of removing are
    ignored.
    """
    if parent is not None:
        with contextlib.suppress(OSError):
            parent.mkdir(parents=True, exist_ok=True)
    if parent is None or not os.access(parent, os.W_OK | os.X_OK):
        parent = Path(tempfile.gettempdir())
    for path in parent.glob("pruneapp-*"):
        if _TEMPORARY.fullmatch(path.name) and _is_unlocked(path):
            shutil.rmtree(path, ignore_errors=True)
    new, fd = Path(tempfile.mkdtemp(prefix=".pruneapp-", dir=parent)), -1
    with contextlib.suppress(OSError):
        fd = os.open(new, os.O_RDONLY)
        lock(fd)
    folder = new.rename(new.with_name(new.name[1:]))  # renamed after it was locked
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if fd >= 0:
            os.close(fd)


def _is_temporary(path: Path) -> bool:
    if path.is_symlink():
        return False
    if _FILE.fullmatch(path.name):
        return path.is_file()
    return bool(_FOLDER.fullmatch(path.name)) and path.is_dir()


def _is_unlocked(path: Path) -> bool:
    """Return whether no process has locked a file or folder; False if it cannot be determined."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return lock(fd) is True
    finally:
        os.close(fd)
