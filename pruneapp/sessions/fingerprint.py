"""Which file a session is about: where it was, and how it is known again.

A file is known at once by its size, the time of its last change and some pieces of it, those with
its headers among them; for sure by its SHA-256, which is counted when there is time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import msgspec

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.digest import known
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import CheckpointError, counted
from pruneapp.progress import Job

# Pieces of a file that are looked at, spread evenly, the first and the last bytes among them: the
# header of a safetensors file is at its beginning, the directory of a zip file at its end.
_PIECES = 16
_PIECE = 64 << 10


class OriginalFile(msgspec.Struct, frozen=True):
    """One file of a checkpoint.

    Attributes
    ----------
    name
        Without its folder; of a shard, what the model calls it, also where it is kept under
        another name by now.
    size, mtime_ns
        As the system tells them.
    sample
        SHA-256 of some pieces, in hex digits; see `sample_of`.
    sha256
        Of all of it, in hex digits; empty while it was not counted.
    """

    name: str
    size: int
    mtime_ns: int
    sample: str
    sha256: str = ""


class Original(msgspec.Struct, frozen=True):
    """A checkpoint that is to be found again.

    Attributes
    ----------
    path
        What was opened, from the root of the file system.
    relative
        The same as seen from the folder of the session file; empty where there is no such way.
    state_dict
        Which of several dicts of tensors.
    files
        Its files, each once.
    """

    path: str
    relative: str = ""
    state_dict: str = ""
    files: tuple[OriginalFile, ...] = ()

    def seen_from(self, folder: Path) -> Original:
        """Return it with the way to it from a folder."""
        relative = ""
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

        What lies beside the session comes first: both may have been copied together.
        """
        found = [folder / self.relative] if self.relative else []
        if self.name:
            found.append(folder / self.name)
        return (*found, Path(self.path))


def describe(checkpoint: Checkpoint, job: Job) -> Original:
    """Describe an open checkpoint; reads about 1 MB of each file.

    Parameters
    ----------
    checkpoint
        The checkpoint.
    job
        May cancel.

    Raises
    ------
    CheckpointError
        If it cannot be read.
    """
    files = []
    shards = {
        id(checkpoint.sources[number].file): shard.path.name
        for shard in checkpoint.contents.shards
        for number in shard.sources
    }
    for file in checkpoint.files:
        name, identity = shards.get(id(file), file.path.name), file.identity
        sample = sample_of(file, job)
        files.append(OriginalFile(name, identity.size, identity.mtime_ns, sample, known(file)))
    path = str(checkpoint.path.absolute())
    return Original(path, "", checkpoint.contents.state_dict or "", tuple(files))


def sample_of(file: FileSource, job: Job) -> str:
    """Return the SHA-256 of `_PIECES` pieces of a file, or of all of a small one."""
    made = hashlib.sha256()
    last = file.size - _PIECE
    if last < _PIECE * _PIECES:
        starts = list(range(0, file.size, _PIECE))
    else:
        starts = [number * last // (_PIECES - 1) for number in range(_PIECES)]
    for start in starts:
        job.step(0)
        made.update(file.read(start, min(_PIECE, file.size - start)))
    return made.hexdigest()


def is_same(known: OriginalFile, place: Path, job: Job) -> bool:
    """Say whether a file is one that a session knows, by its size and pieces of its content."""
    try:
        file = FileSource(place)
    except CheckpointError:
        return False
    try:
        return file.size == known.size and sample_of(file, job) == known.sample
    except CheckpointError:
        return False
    finally:
        file.close()


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
    said = [_change(before, f, job) for f, before in zip(files, original.files, strict=True)]
    return tuple(filter(None, said))


def change_at(known: OriginalFile, place: Path, job: Job) -> str:
    """Say how a file differs from one that a session knows; empty if not, or if it cannot be read.

    For one that is no checkpoint: see `changes_of`.
    """
    try:
        file = FileSource(place)
    except CheckpointError:
        return ""
    try:
        return _change(known, file, job)
    except CheckpointError:
        return ""
    finally:
        file.close()


def _change(before: OriginalFile, file: FileSource, job: Job) -> str:
    if file.size != before.size:
        return f"'{file.path.name}' has {file.size:,} bytes; it had {before.size:,}."
    if sample_of(file, job) != before.sample:
        return f"'{file.path.name}' is as large as before, but holds other bytes."
    return ""
