"""Which file a session is about: where it was, how it is known again, and where it is by now.

A file is known at once by its size, the time of its last change and some pieces of it, those with
its headers among them; for sure by its SHA-256, which is counted when there is time.

Before a session file is replaced it is known in the same way. The time of the last change alone
does not tell: some systems count it in steps of two seconds, and two windows may save within one.
An id in the file would, but then saving twice would not give the same bytes. Where the time alone
is another one (the file was copied back, say) it counts as changed, too: a question too many loses
nothing.
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

# Pieces of a file that are looked at, spread evenly, the first and the last bytes among them: the
# header of a safetensors file is at its beginning, the directory of a zip file at its end.
_PIECES = 16
_PIECE = 64 << 10


class OriginalFile(msgspec.Struct, frozen=True):
    """One file of a checkpoint."""

    # Without its folder; of a shard, what the model calls it, also where it is kept under another
    # name by now.
    name: str
    # As the system tells them.
    size: int
    mtime_ns: int
    sample: str  # SHA-256 of some pieces, in hex digits; see `sample_of`
    sha256: str = ""  # of all of it, in hex digits; empty while it was not counted


class Original(msgspec.Struct, frozen=True):
    """A checkpoint that is to be found again."""

    path: str  # what was opened, from the root of the file system
    # The same as seen from the folder of the session file; empty where there is no such way.
    relative: str = ""
    state_dict: str = ""  # which of several dicts of tensors
    files: tuple[OriginalFile, ...] = ()  # its files, each once

    def seen_from(self, folder: Path) -> Original:
        """Return it with the way to it from a folder."""
        relative = ""
        if is_store(locate(self.path)):
            return msgspec.structs.replace(self, relative="")
        with contextlib.suppress(ValueError):  # on another drive of Windows
            relative = Path(os.path.relpath(self.path, folder)).as_posix()
        return msgspec.structs.replace(self, relative=relative)

    @property
    def is_one_file(self) -> bool:
        """Whether a file was opened by itself, and no folder or index."""
        return len(self.files) == 1 and self.files[0].name == self.name

    @property
    def is_folder(self) -> bool:
        """Whether a folder was opened, and no file or index."""
        return not self.is_one_file and not self.name.endswith(".json")

    @property
    def name(self) -> str:
        """What was opened, without its folder."""
        return self.path.replace("\\", "/").rpartition("/")[2]

    def places(self, folder: Path) -> tuple[Path, ...]:
        """Return where it may be as seen from the folder of the session, the likeliest first.

        What lies beside the session comes first: both may have been copied together. Not so if it
        is in a store.
        """
        path = locate(self.path)
        result = [path] if is_store(path) else []
        if self.relative:
            way = folder / self.relative
            # As it was made, by the names alone; then as the system goes it, through links.
            result += [Path(os.path.normpath(way)), way]
        if self.name:
            result.append(folder / self.name)
        return tuple(dict.fromkeys((*result, path)))


def describe(checkpoint: Checkpoint, job: Job) -> Original:
    """Describe an open checkpoint; reads about 1 MB of each file.

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
    """Return the SHA-256 of `_PIECES` pieces of a file, or of all of a small one."""
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


def _ask(place: Path, question: Callable[[FileSource], T], otherwise: T) -> T:
    """Open a file and ask something of it; `otherwise` if it cannot be read."""
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
    """Whether a file is one that a session knows, by its size and pieces of its content."""
    return _ask(place, lambda file: not _change(known, file, job), otherwise=False)


def change_at(known: OriginalFile, place: Path, job: Job) -> str:
    """Say how a file, which need be no checkpoint, differs from one that a session knows.

    Empty if it does not, or if it cannot be read.
    """
    return _ask(place, lambda file: _change(known, file, job), "")


def changes_of(original: Original, checkpoint: Checkpoint, job: Job) -> tuple[str, ...]:
    """Say how the files of a checkpoint differ from those that a session knows; empty if not.

    Another time of the last change says nothing: a copy has it.

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


# Some file systems round times to two seconds once they have written them.
_COARSE_NS = 2_000_000_001


class FileStamp(msgspec.Struct, frozen=True):
    """A file as it was at one moment."""

    path: str  # the file, from the root of the file system
    # As the system tells them; -1 and 0 of what cannot be read.
    size: int
    mtime_ns: int
    sample: str  # SHA-256 of some pieces, in hex digits; see `sample_of`

    @classmethod
    def of(cls, path: Path, job: Job) -> FileStamp | None:
        """Take it of what is at a path now, reading 1 MB at most; None if nothing is there."""
        if not exists(path):
            return None
        unreadable = cls(str(path.absolute()), -1, 0, "")
        return _ask(path, lambda file: cls.of_open(file, job), unreadable)

    @classmethod
    def of_open(cls, file: FileSource, job: Job) -> FileStamp:
        """Take it of a file that is open; raises CheckpointError if it cannot be read."""
        identity = file.identity
        path = str(file.path.absolute())
        return cls(path, identity.size, identity.mtime_ns, sample_of(file, job))

    def is_of(self, other: FileStamp) -> bool:
        """Say whether another stamp, of the same path, is of the same state of the file."""
        return (
            self.size == other.size
            and abs(self.mtime_ns - other.mtime_ns) < _COARSE_NS
            and self.sample == other.sample
        )


@dataclass(frozen=True)
class FoundOriginal:
    """A checkpoint to open."""

    path: Path  # the file, the index or the folder
    # Of a model of which an export has taken names: all files by these names, each with the place
    # where it is kept. Empty where everything lies under its own name.
    files: Mapping[Path, Path] = field(default_factory=dict)


def find_original(
    original: Original, session: Path, job: Job, named: Path | None = None
) -> FoundOriginal:
    """Return where a checkpoint is now: where it is as it was, else where there is another one.

    The person may have `named` it, a folder that holds it, or one of its files. Raises
    `OriginalMissingError` if it is nowhere where it was.
    """
    places = (
        original.places(session.absolute().parent)
        if named is None
        else tuple(_around(original, named))
    )
    existing = [place for place in places if exists(_home(original, place))]
    for place in existing:
        located = _look_at(original, place, job)
        if located is not None:
            return located
    if named is not None:
        return FoundOriginal(_meant(original, named))
    for place in existing:
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
    files: dict[Path, Path] = {}
    for file in original.files:
        name = PurePosixPath(file.name)
        # A session file may be forged: its names must not lead out of the folder.
        if name.is_absolute() or not name.parts or ".." in name.parts or "\\" in file.name:
            return None
        path = home / name
        where = _where(file, path, _names_in(path.parent), job)
        if where is None:
            return None
        files[path] = where
    moved = any(name != where for name, where in files.items())
    return FoundOriginal(_whole(place), files if moved else {})


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
