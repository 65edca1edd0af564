"""Where the checkpoint of a session is by now, as a whole or file by file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pruneapp.checkpoint.io.files_places import exists, is_folder
from pruneapp.checkpoint.model_folder import name_before
from pruneapp.errors import OriginalMissingError
from pruneapp.progress import Job
from pruneapp.sessions.fingerprint import Original, OriginalFile, is_same


@dataclass(frozen=True)
class FoundOriginal:
    """A checkpoint to open.

    Attributes
    ----------
    path
        The file, the index or the folder.
    files
        Of a model of which an export has taken names: all files by these names, each with the
        place where it is kept. Empty where everything lies under its own name.
    """

    path: Path
    files: Mapping[Path, Path] = field(default_factory=dict)


def find_original(
    original: Original, session: Path, job: Job, named: Path | None = None
) -> FoundOriginal:
    """Return where a checkpoint is now: where it is as it was, else where there is another one.

    Parameters
    ----------
    original
        The checkpoint, as the session knows it.
    session
        The file of the session.
    job
        May cancel.
    named
        Where the person says that it is: itself, a folder that holds it, or one of its files.

    Raises
    ------
    OriginalMissingError
        If it is nowhere where it was.
    """
    places = (
        original.places(session.absolute().parent)
        if named is None
        else tuple(_around(original, named))
    )
    there = [place for place in places if exists(_home(original, place))]
    for place in there:
        found = _look_at(original, place, job)
        if found is not None:
            return found
    if named is not None:
        return FoundOriginal(_meant(original, named))
    for place in there:
        if exists(place):
            return FoundOriginal(place)
    error = OriginalMissingError(
        f"'{session.name}' refers to '{original.path}', which no longer exists.",
        remedy="Locate it.",
    )
    error.in_folder = original.is_folder
    raise error


def _around(original: Original, named: Path) -> Iterator[Path]:
    yield named
    if is_folder(named):
        yield named / original.name


def _home(original: Original, place: Path) -> Path:
    """Return the folder that the files of a checkpoint are in if it is at a place."""
    return place if not original.is_one_file and is_folder(place) else place.parent


def _look_at(original: Original, place: Path, job: Job) -> FoundOriginal | None:
    """Return how to open a checkpoint at a place; None if it is not there, or another one."""
    if original.is_one_file:
        where = _where(original.files[0], place, _names_in(place.parent), job)
        return None if where is None else FoundOriginal(where)
    home = _home(original, place)
    names = _names_in(home)
    files: dict[Path, Path] = {}
    for file in original.files:
        if Path(file.name).name != file.name:  # a session that was made up
            return None
        where = _where(file, home / file.name, names, job)
        if where is None:
            return None
        files[home / file.name] = where
    path = _whole(place)
    moved = any(name != where for name, where in files.items())
    return FoundOriginal(path, files if moved else {})


def _where(known: OriginalFile, place: Path, names: Sequence[str], job: Job) -> Path | None:
    """Return where a file is: under its name, or one under which an export has kept it."""
    kept = [name for name in names if name != place.name and name_before(name) == place.name]
    for name in (place.name, *sorted(kept, key=lambda name: (len(name), name))):
        if is_same(known, place.with_name(name), job):
            return place.with_name(name)
    return None


def _names_in(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def _whole(place: Path) -> Path:
    """Return what to open of a model of which somebody named a file: its index, or its folder."""
    is_whole = is_folder(place) or place.suffix == ".json"
    return place if is_whole else place.parent


def _meant(original: Original, named: Path) -> Path:
    """Return what was named where the checkpoint is not there: what has its name, as a rule."""
    names = {file.name for file in original.files}
    if not original.is_one_file and name_before(named.name) in names:
        return _whole(named)
    *_, inside = _around(original, named)
    return inside if exists(inside) else named
