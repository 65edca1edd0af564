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

from pruneapp.checkpoint.digest import known
from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.checkpoint.source import FileSource
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
        Without its folder.
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

    def places(self, folder: Path) -> tuple[Path, ...]:
        """Return where it may be, the likeliest first.

        What lies beside the session comes first: both may have been copied together.
        """
        found = [folder / self.relative] if self.relative else []
        name = self.path.replace("\\", "/").rpartition("/")[2]
        if name:
            found.append(folder / name)
        found.append(Path(self.path))
        # An export that took its name has kept it beside.
        return (*found, *(place.with_suffix(f".orig{place.suffix}") for place in found))

    def is_at(self, place: Path, job: Job) -> bool:
        """Say whether a file is the checkpoint; True for several files, which are looked at later.

        Parameters
        ----------
        place
            Something that is there.
        job
            May cancel.
        """
        if len(self.files) != 1 or not place.is_file():
            return True
        try:
            file = FileSource(place)
        except CheckpointError:
            return False
        try:
            return file.size == self.files[0].size and sample_of(file, job) == self.files[0].sample
        except CheckpointError:
            return False
        finally:
            file.close()


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
    for file in checkpoint.files:
        name, identity = file.path.name, file.identity
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
    said = []
    for file, before in zip(files, original.files, strict=True):
        if file.size != before.size:
            said.append(f"'{file.path.name}' has {file.size:,} bytes; it had {before.size:,}.")
        elif sample_of(file, job) != before.sample:
            said.append(f"'{file.path.name}' is as large as before, but holds other bytes.")
    return tuple(said)
