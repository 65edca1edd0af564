"""Reading session files: see `layout`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.open import read_headers
from pruneapp.errors import CheckpointError, SessionError
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.sessions.fingerprint import Original
from pruneapp.sessions.fingerprint_stamp import Stamp
from pruneapp.sessions.history_codec_saved import (
    SavedEdit,
    SavedHistory,
    SavedMask,
    check_version,
    damaged,
    decoded,
)
from pruneapp.sessions.mask_codec import PIECE, checked, one_of, unpack, unpack_together
from pruneapp.sessions.restore_reopen import Saved
from pruneapp.sessions.session_file_layout import FORMAT, SUFFIX, TABLE, VERSION, MaskPlace, Table

# Of the table and of each edit: far more than 100,000 tensors need.
_MOST_JSON = 1 << 28
# A version has fewer: what has thousands is no number to Python.
_DIGITS = 20


@dataclass(frozen=True)
class SessionFile(Saved):
    """A session file that was read, but for its masks; a context manager.

    Attributes
    ----------
    stamp
        The file as it was read.
    """

    stamp: Stamp
    _file: Checkpoint = field(repr=False)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def is_session(checkpoint: Checkpoint) -> bool:
    """Say whether a file that was opened is a session, whatever its name."""
    return checkpoint.metadata.get("format") == FORMAT


def read_session(path: Path, job: Job) -> SessionFile:
    """Read a session file, but for its masks; they are read from it when it is restored.

    Raises
    ------
    SessionError
        If it is none, is damaged, or was saved by a newer Pruneapp.
    CheckpointError
        If it cannot be read.
    """
    contents, sources = read_headers(path, None, job)
    file = Checkpoint(path, contents, sources, job.cancel)
    try:
        return _read(file, str(path), job)
    except BaseException:
        file.close()
        raise


def _read(file: Checkpoint, where: str, job: Job) -> SessionFile:
    if not is_session(file):
        raise SessionError(
            f"'{where}' is not a session of Pruneapp.", remedy=f"Open a {SUFFIX} file."
        )
    version = file.metadata.get("version", "")
    number = int(version) if version.isdecimal() and len(version) < _DIGITS else version
    check_version({"version": number}, VERSION, where)
    table = decoded(_json(file, TABLE, where), Table, where)
    check_version({"version": table.version}, VERSION, where)
    original = decoded(file.metadata.get("original", "").encode(), Original, where)
    edits: list[SavedEdit] = []
    for number in range(table.edits):
        job.step(0)
        edits.append(decoded(_json(file, f"edit/{number}", where), SavedEdit, where))
    history = SavedHistory(
        masks=[SavedMask(place.size, place.base) for place in table.masks],
        edits=edits,
        position=table.position,
        exported=table.exported,
        source=_MasksOfFile(file, table.masks, where),
    )
    (source,) = file.files
    stamp = Stamp.of_open(source, job)
    return SessionFile(Path(where), original, history, table.view, stamp, file)


def _json(file: Checkpoint, name: str, where: str) -> bytes:
    entry = file.entries.get(name)
    if entry is None or entry.dtype.name != "U8":
        raise damaged(where, f"'{name}' is missing")
    if entry.numel > _MOST_JSON:
        raise damaged(where, f"'{name}' has {entry.numel:,} bytes, {_MOST_JSON:,} are the most")
    return file.bits(name).tobytes()


class _MasksOfFile:
    """Reads the masks of a session file."""

    def __init__(self, file: Checkpoint, places: tuple[MaskPlace, ...], where: str) -> None:
        self._file = file
        self._places = places
        self._where = where
        # Those that were unpacked together last: the next one is among them, as a rule.
        self._last: tuple[str, NDArray[np.uint8]] | None = None

    def read(self, number: int, base: BitMask | None, job: Job) -> BitMask:
        """Return a mask; see `MaskSource`."""
        place = self._places[number]
        entry = self._file.entries.get(place.tensor)
        if entry is None or entry.dtype.name != "U8":
            raise damaged(self._where, f"mask {number:,} is missing")
        try:
            if place.offset >= 0:
                found = one_of(self._together(place, entry.numel), place.offset, place.size, base)
                job.step(found.nbytes)
                return found
            if place.pieces:
                _check_count(place)
                return unpack(self._pieces(place, entry.numel), place.size, base, job)
            return checked(self._plain(place.tensor, entry.numel, job), place.size)
        except (ValueError, MemoryError) as error:
            raise damaged(self._where, f"of mask {number:,}, {error}") from None
        except CheckpointError as error:
            raise SessionError(error.sentence, remedy=error.remedy) from error

    def _plain(self, name: str, nbytes: int, job: Job) -> NDArray[np.uint8]:
        packed = np.empty(nbytes, np.uint8)
        for chunk in self._file.chunks(name):
            packed[chunk.start : chunk.start + chunk.bits.size] = chunk.bits
            job.step(chunk.bits.size)
        return packed

    def _together(self, place: MaskPlace, nbytes: int) -> NDArray[np.uint8]:
        if self._last is None or self._last[0] != place.tensor:
            if len(place.pieces) != 1:
                raise ValueError(f"it has {len(place.pieces):,} pieces")
            self._last = place.tensor, unpack_together(next(self._pieces(place, nbytes)))
        return self._last[1]

    def _pieces(self, place: MaskPlace, nbytes: int) -> Iterator[bytes]:
        start = 0
        for size in place.pieces:
            if not 0 < size <= nbytes - start:
                raise ValueError("its pieces do not fit")
            yield self._file.bits(place.tensor, start, start + size).tobytes()
            start += size


def _check_count(place: MaskPlace) -> None:
    # Before room is made for all of them.
    if len(place.pieces) != -(-place.size // (8 * PIECE)):
        raise ValueError(f"it has {len(place.pieces):,} pieces for {place.size:,} elements")
