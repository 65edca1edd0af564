"""Why nothing can be exported to a place, as far as a look at the names there tells."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QCoreApplication


def misplaced(path: str, source: str, endings: Iterable[str], *, split: bool, folders: bool) -> str:
    """Say why an export cannot go to `path`, as a sentence; empty if it may.

    What the system does not let us look at may: the engine, which is asked next, has the rules.

    Parameters
    ----------
    path
        What the person wants.
    source
        The file or folder that is open; empty if there is none.
    endings
        How files of any of the formats may end.
    split
        Whether files of a largest size are written, which need a folder.
    folders
        Whether a folder may be written.
    """
    if not path:
        if split:
            return QCoreApplication.translate("ExportPlace", "Enter a folder.")
        return QCoreApplication.translate("ExportPlace", "Enter a file name.")
    if "\0" in path:
        return QCoreApplication.translate("ExportPlace", "A name cannot contain a null character.")
    try:
        target = Path(path).expanduser()
    except RuntimeError:
        said = QCoreApplication.translate(
            "ExportPlace", "There is no user {name}: enter the full path."
        )
        return said.format(name=path.split("/", maxsplit=1)[0])
    try:
        if found := _no_folder(target, source, endings) if split else "":
            return found
        return _no_place(target, folders=folders)
    except OSError:  # a name that is too long, a folder that may not be looked into
        return ""


def _no_place(target: Path, *, folders: bool) -> str:
    if target.is_dir() and not folders:
        return QCoreApplication.translate("ExportPlace", "This is a folder: add a file name.")
    if target.parent.is_file():
        said = QCoreApplication.translate("ExportPlace", "{file} is a file, not a folder.")
        return said.format(file=target.parent)
    if not target.parent.is_dir():
        said = QCoreApplication.translate("ExportPlace", "The folder {folder} does not exist.")
        return said.format(folder=target.parent)
    return ""


def _no_folder(target: Path, source: str, endings: Iterable[str]) -> str:
    """Say why files of a largest size cannot be written there."""
    if target.is_file():
        return QCoreApplication.translate(
            "ExportPlace", "This is a file: shards of a maximum size need a folder."
        )
    opened = Path(source)
    home = opened if opened.is_dir() else opened.parent
    if source and target.is_dir() and target.samefile(home):
        return QCoreApplication.translate(
            "ExportPlace", "This folder contains the open model: choose another."
        )
    ending = next((s for s in endings if target.name.lower().endswith(s)), "")
    if ending and not target.is_dir():
        said = QCoreApplication.translate("ExportPlace", "The export is a folder: remove {suffix}.")
        return said.format(suffix=ending)
    return ""
