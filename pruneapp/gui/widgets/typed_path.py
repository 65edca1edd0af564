"""Paths that the user types: their home folder, why nothing can be written there, free names."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable
from itertools import chain, count
from pathlib import Path

from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.labels import translate


def expand_home(path: str | Path) -> Path:
    """Return a path with its home folder; unchanged if there is no such user."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path.expanduser raises for an unknown user


def is_file(path: Path) -> bool:
    """Return whether a path is a file; False if it is not accessible, or too long."""
    try:
        return path.is_file()
    except OSError:
        return False


def path_problem(
    path: str,
    source: str,
    endings: Iterable[str],
    *,
    split: bool,
    folders: bool,
    nbytes: int | None = None,
) -> str:
    """Return a sentence why an export cannot be written to `path`; "" if it can.

    Paths that the file system refuses to look up are accepted here, since the engine checks them
    again. `source` is the open checkpoint, "" if there is none. `endings` are the suffixes of files
    of any format. `split` means that shards are written, which need a folder; `folders` allows a
    folder without shards. `nbytes` is the size of the export, None if it is unknown; the disk needs
    that much free space. An existing file is no problem.
    """
    if not path:
        if split or folders:
            return translate("ExportPlace", "Enter a folder.")
        return translate("ExportPlace", "Enter a file name.")
    if "\0" in path:
        return translate("ExportPlace", "A name cannot contain a null character.")
    try:
        target = Path(path).expanduser()
    except RuntimeError:
        text = translate("ExportPlace", "There is no user {name}: enter the full path.")
        return text.format(name=path.split("/", maxsplit=1)[0])
    try:
        if problem := _shards_problem(target, source, endings) if split else "":
            return problem
        return _location_problem(target, folders=folders) or _storage_problem(target, nbytes)
    except OSError:  # a name that is too long, or a folder without permission
        return ""


def real_path(path: str | Path) -> Path:
    """Return the resolved path; a loop of links is returned unresolved."""
    return Path(os.path.realpath(expand_home(path)))


def in_progress_problem(path: str, written: Collection[Path]) -> str:
    """Return a sentence if an export in progress writes to `path`, into it or above it.

    "" if none does. `written` contains the targets of those exports, from `real_path`.
    """
    if not written or not path or "\0" in path:
        return ""
    target = real_path(path)
    for other in written:
        if other == target or other in target.parents or target in other.parents:
            text = translate(
                "ExportPlace",
                "An export to {name} is under way: wait until it is done, or enter another name.",
            )
            return text.format(name=other.name)
    return ""


def _location_problem(target: Path, *, folders: bool) -> str:
    """Return a sentence if the parent of `target` is no folder, or `target` is one and not allowed.

    "" otherwise. Raises `OSError` if that cannot be found out.
    """
    if target.is_dir() and not folders:
        return translate("ExportPlace", "This is a folder: add a file name.")
    if target.parent.is_file():
        text = translate("ExportPlace", "{file} is a file, not a folder.")
        return text.format(file=target.parent)
    if not target.parent.is_dir():
        text = translate("ExportPlace", "The folder {folder} does not exist.")
        return text.format(folder=target.parent)
    return ""


def _storage_problem(target: Path, nbytes: int | None) -> str:
    """Return a sentence if the folder is read-only or its disk has less than `nbytes` free.

    "" otherwise. A replaced file needs its space until the export is complete. Raises `OSError` if
    the free space is unknown.
    """
    folder = target if target.is_dir() else target.parent
    if not os.access(folder, os.W_OK | os.X_OK):
        text = translate("ExportPlace", "You cannot write to {folder}: choose another folder.")
        return text.format(folder=folder)
    free = shutil.disk_usage(folder).free
    if nbytes is None or nbytes <= free:
        return ""
    text = translate(
        "ExportPlace",
        "Not enough disk space: {needed} needed, {free} free. Free some space or choose another "
        "disk.",
    )
    words = number_format.size
    if words(nbytes) == words(free):
        words = number_format.exact_size
    return text.format(needed=words(nbytes), free=words(free))


def free_path(path: str, suffix: str, written: Collection[Path] = ()) -> str:
    """Return `path` + `suffix`, with -2, -3, … before the suffix if that name is in use.

    It is in use if it exists, or if an export in progress writes to it; `written` contains the
    targets of those exports, from `real_path`. A URL is not looked up.
    """
    names = chain((path,), (f"{path}-{number}" for number in count(2)))
    return next(
        name + suffix
        for name in names
        if "://" in name
        or not (os.path.lexists(expand_home(name + suffix)) or real_path(name + suffix) in written)
    )


def _shards_problem(target: Path, source: str, endings: Iterable[str]) -> str:
    """Return a sentence why shards cannot be written to `target`; "" if they can.

    They cannot be written to a file, to the folder of the open model `source`, or to a new folder
    whose name has one of the suffixes `endings`.
    """
    if target.is_file():
        return translate("ExportPlace", "This is a file: shards of a maximum size need a folder.")
    opened = Path(source)
    home = opened if opened.is_dir() else opened.parent
    if source and target.is_dir() and target.samefile(home):
        return translate("ExportPlace", "This folder contains the open model: choose another.")
    ending = next((s for s in endings if target.name.lower().endswith(s)), "")
    if ending and not target.is_dir():
        text = translate("ExportPlace", "The export is a folder: remove {suffix}.")
        return text.format(suffix=ending)
    return ""
