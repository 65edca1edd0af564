"""Identification of the checkpoint of a session, and the search for it.

A file is identified quickly by its size and samples of its content, including headers, and reliably
by its SHA-256, which is computed when there is time.

A session file is identified likewise before replacing it. Its modification time alone is not
sufficient: some systems store it in steps of two seconds, and two windows may save within one. An
id in the file would be, but then saving twice would not produce the same bytes. A file with only
another modification time (after copying it back, for example) counts as changed as well; the user
is asked once too often rather than losing work.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TypeVar

import msgspec

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.digest import known_sha256
from pruneapp.checkpoint.io.files import exists, is_folder
from pruneapp.checkpoint.io.object_source import open_source
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.io.store import is_store, locate
from pruneapp.checkpoint.model_folder import name_before
from pruneapp.errors import CheckpointError, OriginalMissingError, counted
from pruneapp.progress import Job

# Number and size of the samples of a file. They are evenly spaced and include both ends:
# safetensors files have their header at the beginning, zip files their directory at the end.
_PIECES = 16
_PIECE = 64 << 10


class OriginalFile(msgspec.Struct, frozen=True):
    """One file of a checkpoint."""

    # Without folder; for a shard the name in the index, even if an export has renamed the file.
    name: str
    # As reported by the system.
    size: int
    mtime_ns: int
    sample: str  # SHA-256 of samples, in hex digits; see `sample_of`
    sha256: str = ""  # of the whole file, in hex digits; empty until computed


class Original(msgspec.Struct, frozen=True):
    """A checkpoint that a session refers to."""

    path: str  # absolute path of what was opened
    # Relative to the folder of the session file; empty if there is no relative path.
    relative: str = ""
    state_dict: str = ""  # key of the state dict, if the checkpoint has several
    files: tuple[OriginalFile, ...] = ()  # its files, without duplicates

    def with_relative_path(self, folder: Path) -> Original:
        """Return a copy with `relative` set to the path from a folder.

        It is empty in an object store, and on another drive.
        """
        relative = ""
        if is_store(locate(self.path)):
            return msgspec.structs.replace(self, relative="")
        with contextlib.suppress(ValueError):  # on another drive of Windows
            relative = Path(os.path.relpath(self.path, folder)).as_posix()
        return msgspec.structs.replace(self, relative=relative)

    @property
    def is_one_file(self) -> bool:
        """Whether a single file was opened, not a folder or an index."""
        return len(self.files) == 1 and self.files[0].name == self.name

    @property
    def is_folder(self) -> bool:
        """Whether a folder was opened, not a file or an index."""
        return not self.is_one_file and not self.name.endswith(".json")

    @property
    def name(self) -> str:
        """The name of what was opened, without its folder."""
        return self.path.replace("\\", "/").rpartition("/")[2]

    def places(self, folder: Path) -> tuple[Path, ...]:
        """Return the paths where it may be, the most likely first, without duplicates.

        For a local checkpoint, paths relative to the session file come first, because both may have
        been copied together. For an object store, its URL comes first. `folder` is that of the
        session file. Whether they exist is not checked.
        """
        path = locate(self.path)
        result = [path] if is_store(path) else []
        if self.relative:
            way = folder / self.relative
            # First the normalized path as text, then as the system resolves it, through links.
            result += [Path(os.path.normpath(way)), way]
        if self.name:
            result.append(folder / self.name)
        return tuple(dict.fromkeys((*result, path)))


def describe(checkpoint: Checkpoint, job: Job) -> Original:
    """Describe an open checkpoint; reads about 1 MB of each file.

    Checksums are included only if they are known already. `relative` is empty.

    Raises
    ------
    CheckpointError
        If it cannot be read.
    """
    files = []
    shards = {
        id(checkpoint.sources[number].file): shard.name
        for shard in checkpoint.contents.shards
        for number in shard.sources
    }
    for file in checkpoint.files:
        name, identity = shards.get(id(file), file.path.name), file.identity
        sums = sample_of(file, job), known_sha256(file)
        files.append(OriginalFile(name, identity.size, identity.mtime_ns, *sums))
    path = str(checkpoint.path.absolute())
    return Original(path, "", checkpoint.contents.state_dict or "", tuple(files))


def sample_of(file: FileSource, job: Job) -> str:
    """Return the SHA-256 of `_PIECES` samples of a file, or of all of a small file."""
    hasher = hashlib.sha256()
    last = file.size - _PIECE
    if last < _PIECE * _PIECES:
        starts = list(range(0, file.size, _PIECE))
    else:
        starts = [number * last // (_PIECES - 1) for number in range(_PIECES)]
    for start in starts:
        job.step(0)
        hasher.update(file.read(start, min(_PIECE, file.size - start)))
    return hasher.hexdigest()


T = TypeVar("T")


def _query_file(place: Path, question: Callable[[FileSource], T], otherwise: T) -> T:
    """Open a file and return the result of `question`; `otherwise` if either fails."""
    try:
        file = open_source(place)
    except CheckpointError:
        return otherwise
    try:
        return question(file)
    except CheckpointError:
        return otherwise
    finally:
        file.close()


def is_same(known: OriginalFile, place: Path, job: Job) -> bool:
    """Return whether the size and the samples of a file match; False if it cannot be read."""
    return _query_file(place, lambda file: not _change(known, file, job), otherwise=False)


def change_at(known: OriginalFile, place: Path, job: Job) -> str:
    """Return a sentence on how a file, not necessarily a checkpoint, differs from a known one.

    Empty if it does not differ, or cannot be read.
    """
    return _query_file(place, lambda file: _change(known, file, job), "")


def changes_of(original: Original, checkpoint: Checkpoint, job: Job) -> tuple[str, ...]:
    """Return sentences on how the files of a checkpoint differ from known ones; empty if equal.

    Modification times are not compared, because copies have others.

    Raises
    ------
    CheckpointError
        If the checkpoint cannot be read.
    """
    files = checkpoint.files
    if len(files) != len(original.files):
        return (f"It has {counted(len(files), 'file')}; it had {len(original.files):,}.",)
    changes = [_change(before, f, job) for f, before in zip(files, original.files, strict=True)]
    return tuple(filter(None, changes))


def _change(before: OriginalFile, file: FileSource, job: Job) -> str:
    if file.size != before.size:
        return f"'{file.path.name}' has {file.size:,} bytes; it had {before.size:,}."
    if sample_of(file, job) != before.sample:
        return f"'{file.path.name}' has the same size as before, but different content."
    return ""


# Some file systems round times to two seconds when they are written to disk.
_COARSE_NS = 2_000_000_001


class FileStamp(msgspec.Struct, frozen=True):
    """Identification of a file at one moment."""

    path: str  # absolute path
    # As reported by the system; -1 and 0 if the file cannot be read.
    size: int
    mtime_ns: int
    sample: str  # SHA-256 of samples, in hex digits; see `sample_of`

    @classmethod
    def of(cls, path: Path, job: Job) -> FileStamp | None:
        """Return the stamp of a file, reading up to 1 MB; None if it does not exist.

        The size is -1 if it cannot be read.
        """
        if not exists(path):
            return None
        unreadable = cls(str(path.absolute()), -1, 0, "")
        return _query_file(path, lambda file: cls.of_open(file, job), unreadable)

    @classmethod
    def of_open(cls, file: FileSource, job: Job) -> FileStamp:
        """Return the stamp of an open file; raises CheckpointError if it cannot be read."""
        identity = file.identity
        path = str(file.path.absolute())
        return cls(path, identity.size, identity.mtime_ns, sample_of(file, job))

    def is_of(self, other: FileStamp) -> bool:
        """Return whether another stamp has the same size, time and samples. Paths are not compared.

        Times within two seconds count as equal.
        """
        return (
            self.size == other.size
            and abs(self.mtime_ns - other.mtime_ns) < _COARSE_NS
            and self.sample == other.sample
        )


@dataclass(frozen=True)
class FoundOriginal:
    """The location of a checkpoint to open."""

    path: Path  # the file, the index or the folder
    # For a model whose files were renamed by an export: all files by their original paths. Empty if
    # no file was renamed.
    files: Mapping[Path, Path] = field(default_factory=dict)


def find_original(
    original: Original, session: Path, job: Job, named: Path | None = None
) -> FoundOriginal:
    """Return where a checkpoint is: an unchanged one if found, otherwise a changed one.

    `session` is the file that refers to it. `named` is the user's choice: the checkpoint, a folder
    with it, or one of its files; it is returned even if nothing matches. None searches the places
    of `Original.places`, and raises `OriginalMissingError` if nothing is there.
    """
    places = (
        original.places(session.absolute().parent)
        if named is None
        else tuple(_candidates(original, named))
    )
    existing = [place for place in places if exists(_folder_of_files(original, place))]
    for place in existing:
        located = _find_at(original, place, job)
        if located is not None:
            return located
    if named is not None:
        return FoundOriginal(_chosen_path(original, named))
    for place in existing:
        if exists(place):
            return FoundOriginal(place)
    error = OriginalMissingError(
        f"'{session.name}' refers to '{original.path}', which no longer exists.",
        remedy="Locate it.",
    )
    error.in_folder = original.is_folder
    raise error


def _candidates(original: Original, named: Path) -> Iterator[Path]:
    yield named
    if is_folder(named):
        yield named / original.name


def _folder_of_files(original: Original, place: Path) -> Path:
    """Return the folder of the files of a checkpoint that is opened at `place`."""
    return place if not original.is_one_file and is_folder(place) else place.parent


def _find_at(original: Original, place: Path, job: Job) -> FoundOriginal | None:
    """Return how to open the checkpoint at `place`; None if it is missing or changed.

    Files that an export has renamed are found by their content.
    """
    if original.is_one_file:
        where = _find_file(original.files[0], place, _names_in(place.parent), job)
        return None if where is None else FoundOriginal(where)
    home = _folder_of_files(original, place)
    files: dict[Path, Path] = {}
    for file in original.files:
        name = PurePosixPath(file.name)
        # A session file may be forged: its names must not lead out of the folder.
        if name.is_absolute() or not name.parts or ".." in name.parts or "\\" in file.name:
            return None
        path = home / name
        where = _find_file(file, path, _names_in(path.parent), job)
        if where is None:
            return None
        files[path] = where
    moved = any(name != where for name, where in files.items())
    return FoundOriginal(_model_path(place), files if moved else {})


def _find_file(known: OriginalFile, place: Path, names: Sequence[str], job: Job) -> Path | None:
    """Return the path of a file by its name or one that an export gave it; None if not found.

    `names` are the names in the folder of `place`, where the file was.
    """
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


def _model_path(place: Path) -> Path:
    """Return what to open for a path of a model: the index, or the folder."""
    is_whole = is_folder(place) or place.suffix == ".json"
    return place if is_whole else place.parent


def _chosen_path(original: Original, named: Path) -> Path:
    """Return what to open for a user's choice without the unchanged checkpoint.

    Usually the file in the folder with the name of the original, otherwise the choice itself.
    """
    names = {file.name for file in original.files}
    if not original.is_one_file and name_before(named.name) in names:
        return _model_path(named)
    *_, inside = _candidates(original, named)
    return inside if exists(inside) else named
