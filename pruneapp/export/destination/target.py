"""Where an export may go, and keeping the original when it goes onto the source."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pruneapp.checkpoint.io.atomic_file import PIECE_BYTES, AtomicFile, flush_folder, write_error
from pruneapp.checkpoint.io.files import FORBIDDEN, NAME_BYTES, device_of, ends_badly
from pruneapp.errors import ExportError
from pruneapp.progress import Job

WINDOWS = os.name == "nt"
# Letters at either end of a name that is too long to be said.
_ENDS = 24


@dataclass(frozen=True)
class ExportTarget:
    """A place to write to that was looked at."""

    path: Path  # the file or folder itself, links followed
    notices: tuple[str, ...] = ()  # what the person should know about it


def check_file(path: Path, *, follow_links: bool | None = None) -> ExportTarget:
    """Return where a file named `path` would go.

    With `follow_links` a link to a regular file is followed: the file that it points to is written,
    the link stays. None where nobody can ask for that. Links among the folders above are always
    followed.

    Raises
    ------
    ExportError
        If the name is one that not every system can hold, the folder is not there, something else
        than a regular file has the name, it is a link that may not be followed, or it lies in a
        cache whose files are named by content.
    """
    _check_name(path)
    with _looking(path):
        if path.is_symlink():
            return _followed(path, follow_links=follow_links)
        resolved = _resolved_parent(path)
        _check_kind(path, resolved)
        return ExportTarget(resolved)


@contextlib.contextmanager
def _looking(path: Path) -> Iterator[None]:
    """Say in a sentence what the system does not even let us look at, or has no room for."""
    try:
        yield
    except OSError as error:
        raise write_error(path, error, 0) from error


def _followed(path: Path, *, follow_links: bool | None) -> ExportTarget:
    try:
        resolved = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # a loop is a RuntimeError before Python 3.13
        raise ExportError(
            f"'{path}' is a broken link, so nothing was written.",
            remedy="Remove the link or choose another name.",
            details=str(error),
        ) from None
    _check_cache(resolved)
    if not follow_links:
        raise _link(path, resolved, may_ask=follow_links is not None)
    _check_kind(path, resolved)
    return ExportTarget(resolved, (f"'{path}' is a link; '{resolved}' was written.",))


def _link(path: Path, resolved: Path, *, may_ask: bool) -> ExportError:
    if not may_ask:
        return ExportError(
            f"'{path}' is a link to '{resolved}', and links are not followed here.",
            remedy=f"Specify '{resolved}' itself, or another name.",
        )
    return ExportError(
        f"'{path}' is a link to '{resolved}', and links are not followed by default.",
        remedy=f"Export to '{resolved}' itself, or allow it: --follow-links.",
    )


def check_folder(path: Path, *, follow_links: bool = False) -> ExportTarget:
    """Return where a folder named `path` would go; see `check_file`."""
    _check_name(path)
    with _looking(path):
        if path.is_symlink() and path.exists() and not follow_links:
            raise _link(path, path.resolve(), may_ask=True)
        resolved = path.resolve() if path.exists() else _resolved_parent(path)
        _check_cache(resolved)
        if resolved.exists() and not resolved.is_dir():
            raise ExportError(
                f"'{path}' is a file, but a model of several files needs a folder.",
                remedy="Choose another name.",
            )
        return ExportTarget(resolved)


def _resolved_parent(path: Path) -> Path:
    parent = path.parent
    if parent.exists() and not parent.is_dir():
        raise ExportError(
            f"'{path}' cannot be written: '{parent}' is a file, not a folder.",
            remedy="Choose a folder.",
        )
    if not parent.is_dir():
        raise ExportError(
            f"'{path}' cannot be written: the folder '{parent}' is not there.",
            remedy="Make the folder first, or choose another.",
        )
    resolved = parent.resolve() / path.name
    _check_cache(resolved)
    return resolved


def _check_name(path: Path) -> None:
    for part in path.parts:
        _check_length(part)
    name = path.name
    if not name or name == "..":
        reason = "it names no file"
    elif any(ord(c) < 32 for c in name):
        reason = "it holds a control character"
    elif WINDOWS and any(c in FORBIDDEN for c in name):
        reason = 'it holds one of < > : " | ? * \\, which Windows does not allow'
    elif device := device_of(name):
        reason = f"'{device}' is a device on Windows"
    elif ends_badly(name):
        reason = "it ends in a dot or a space, which Windows drops"
    else:
        return
    raise ExportError(
        f"'{path}' is not a valid file name: {reason}.", remedy="Choose another name."
    )


def _check_length(name: str) -> None:
    try:
        size = len(os.fsencode(name))
    except UnicodeEncodeError:
        raise ExportError(
            f"{name!r} is not a valid name for a file or folder: it cannot be encoded.",
            remedy="Choose another name.",
        ) from None
    if size > NAME_BYTES:
        raise ExportError(
            f"'{name[:_ENDS]}…{name[-_ENDS:]}' is not a valid name for a file or folder: it has "
            f"{size:,} "
            f"bytes, and a name has at most {NAME_BYTES}.",
            remedy="Choose a shorter name.",
        )


def _check_kind(path: Path, resolved: Path) -> None:
    if resolved.is_dir():
        raise ExportError(f"'{path}' is a folder.", remedy="Add the name of a file to it.")
    if resolved.exists() and not resolved.is_file():
        raise ExportError(
            f"'{path}' is a pipe, socket or device, not a regular file.",
            remedy="Choose another name.",
        )


def _check_cache(resolved: Path) -> None:
    for folder in resolved.parents:
        if folder.name.startswith(("models--", "datasets--")) and (folder / "blobs").is_dir():
            raise ExportError(
                f"'{resolved}' is in a download cache, whose files are shared and named by their "
                f"content.",
                remedy="Choose another folder.",
            )


def keep_original(path: Path, job: Job) -> Path:
    """Give the file at `path` a second name beside it: ``NAME.orig.EXT``, or the next free one.

    A hard link where the file system has them, else a copy.
    """
    for kept in _names(path):
        try:
            os.link(path, kept)
        except FileExistsError:
            continue
        except OSError:
            if os.path.lexists(kept):
                continue
            _copy(path, kept, job)
        flush_folder(kept.parent)
        return kept
    raise AssertionError  # the names never end


def kept_name(path: Path) -> Path:
    """Return the name under which `keep_original` would keep a file now."""
    return next(name for name in _names(path) if not os.path.lexists(name))


def _names(path: Path) -> Iterator[Path]:
    yield path.with_name(f"{path.stem}.orig{path.suffix}")
    number = 2
    while True:
        yield path.with_name(f"{path.stem}.orig{number}{path.suffix}")
        number += 1


def spared(path: Path, data: bytes) -> Path:
    """Return a name for a file that replaces nothing: `path`, or ``NAME2.EXT`` and so on beside it.

    A file that holds `data` already may be replaced: nothing of it is lost.
    """
    number = 2
    name = path
    while os.path.lexists(name) and not holds(name, data):
        name = path.with_name(f"{path.stem}{number}{path.suffix}")
        number += 1
    return name


def holds(path: Path, data: bytes) -> bool:
    """Whether a file that is no link can be read, and has these bytes."""
    try:
        plain = path.is_file() and not path.is_symlink()
        return plain and path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False  # whatever it is, it is not ours


def _copy(path: Path, kept: Path, job: Job) -> None:
    try:
        size = path.stat().st_size
        job.extend(2 * size)
        with path.open("rb") as source, AtomicFile(kept, size, job) as copy:
            while piece := source.read(PIECE_BYTES):
                copy.write(piece)
            copy.seal()
            copy.commit()
        with contextlib.suppress(OSError):
            shutil.copystat(path, kept)
    except OSError as error:
        raise write_error(kept, error, 0) from error
