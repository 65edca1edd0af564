"""What a process that was killed left behind, and how it is taken up again."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.source import FileSource
from pruneapp.document.session import journal as written
from pruneapp.document.session.journal import SUFFIX, VERSION, Entry
from pruneapp.document.session.log_file import PIECE, Place, delete, lock, records
from pruneapp.document.session.original import Original
from pruneapp.document.session.packing import one_of, unpack, unpack_together
from pruneapp.document.session.reopen import Saved
from pruneapp.document.session.saved import (
    SavedEdit,
    SavedHistory,
    SavedMask,
    check_version,
    damaged,
)
from pruneapp.errors import CheckpointError, SessionError
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

# A journal may be made at this very moment, and not be locked yet.
_FRESH_S = 60
# A record promises at most so many bytes of JSON.
_MOST_JSON = 1 << 28


@dataclass(frozen=True)
class LeftBehind:
    """A journal that nobody writes any more.

    Attributes
    ----------
    path
        The journal.
    original
        The checkpoint that it is about.
    steps
        How many edits are in force.
    last
        What the last of them did; empty without one.
    time
        When it was written to last, in seconds since 1970.
    nbytes
        Its size.
    """

    path: Path
    original: Path
    steps: int
    last: str
    time: float
    nbytes: int


def left_behind(folder: Path, job: Job) -> tuple[LeftBehind, ...]:
    """Return what can be taken up again, the newest first.

    Journals of windows that are open are left alone. What has nothing that would be lost, and what
    a compaction did not finish, is deleted once it is a minute old: until then another window may
    be about to begin with it.

    Parameters
    ----------
    folder
        Where the journals are.
    job
        May cancel.
    """
    found: list[LeftBehind] = []
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return ()
    for path in paths:
        job.step(0)
        if path.suffix == ".new" and _is_free(path):
            if time.time() - _written(path) > _FRESH_S:
                delete(path)
        elif path.suffix == SUFFIX and _is_free(path):
            try:
                story = _summary(path)
            except OSError:  # gone meanwhile
                continue
            if story is not None:
                found.append(story)
            elif time.time() - _written(path) > _FRESH_S:
                delete(path)
    return tuple(sorted(found, key=lambda each: each.time, reverse=True))


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return time.time()


def _is_free(path: Path) -> bool:
    try:
        fd = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        return lock(fd)
    finally:
        os.close(fd)


def _summary(path: Path) -> LeftBehind | None:
    """Return what a journal is about; None if nothing would be lost with it.

    One that a newer Pruneapp wrote is none of ours to delete.
    """
    status = path.stat()
    try:
        with path.open("rb") as file:
            story = _Story.read(file, path, check_pieces=False)
    except SessionError:
        return LeftBehind(path, Path(), 0, "", status.st_mtime, status.st_size)
    # At position 0 everything was taken back.
    if story.original is None or story.position in {0, story.kept, story.exported}:
        return None
    last = story.edits[story.position - 1].label
    return LeftBehind(
        path, Path(story.original.path), story.position, last, status.st_mtime, status.st_size
    )


@dataclass(frozen=True)
class JournalFile(Saved):
    """A journal that was left behind, held so that no other window takes it; a context manager."""

    _source: FileSource = field(repr=False)
    _locked: io.BufferedIOBase = field(repr=False)

    def close(self) -> None:
        """Let go of it; it stays."""
        self._source.close()
        self._locked.close()

    def delete(self) -> None:
        """Delete it: it was taken up, or is not wanted."""
        self.close()
        delete(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def read_journal(path: Path, job: Job) -> JournalFile:
    """Read a journal that was left behind, as far as it is whole, but for its masks.

    Parameters
    ----------
    path
        The journal.
    job
        May cancel.

    Raises
    ------
    SessionError
        If it is gone, another window has it, or a newer Pruneapp wrote it.
    """
    try:
        file = path.open("r+b")
    except OSError:
        raise _taken(path) from None
    try:
        return _held(path, file, job)
    except BaseException:
        file.close()
        raise


def _held(path: Path, file: io.BufferedRandom, job: Job) -> JournalFile:
    if not lock(file.fileno()):
        raise _taken(path)
    story = _Story.read(file, path, check_pieces=True, job=job)
    if story.original is None:
        raise damaged(str(path), "it does not begin as one")
    source = FileSource(path)
    history = SavedHistory(
        masks=[mask.saved for mask in story.masks],
        edits=story.edits,
        position=story.position,
        exported=story.exported,
        source=_MasksOfJournal(source, story.masks, path),
    )
    return JournalFile(path, story.original, history, story.view, source, file)


def _taken(path: Path) -> SessionError:
    return SessionError(
        f"The work in '{path.name}' was taken up, or deleted, by another window meanwhile.",
        remedy="Look there.",
    )


@dataclass(frozen=True)
class _Mask:
    """A mask, and the pieces that hold it: its own, or the one of all that it was packed with.

    `offset` is where it begins in that one; -1 if the pieces are its own.
    """

    saved: SavedMask
    pieces: list[Place]
    offset: int = -1


@dataclass
class _Story:
    """What the records of a journal come to."""

    original: Original | None = None
    masks: list[_Mask] = field(default_factory=list)
    edits: list[SavedEdit] = field(default_factory=list)
    position: int = 0
    exported: int = 0
    kept: int = -1
    view: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        file: io.BufferedIOBase,
        path: Path,
        *,
        check_pieces: bool,
        job: Job | None = None,
    ) -> _Story:
        story, job = cls(), job or Job()
        for place, payload in records(file, check_pieces=check_pieces):
            job.step(0)
            if place.kind == PIECE:
                if not story.masks:
                    break
                story.masks[-1].pieces.append(place)
                continue
            entry = _entry(payload, path)
            if entry is None or not story.take(entry, path):
                break
        return story

    def take(self, entry: Entry, path: Path) -> bool:
        """Go one record on; False if it makes no sense, so that the file ends here."""
        if isinstance(entry, written.Head):
            check_version({"version": entry.version}, VERSION, str(path))
            self.original = entry.original
            return True
        if self.original is None:
            return False
        if isinstance(entry, written.MaskHead):
            return self._announce(entry)
        if isinstance(entry, written.EditAt):
            if not 0 <= entry.at <= len(self.edits):
                return False
            self.edits[entry.at :] = [entry.edit]
            self.position = entry.at + 1
            self.kept = -1 if self.kept > entry.at else self.kept
            self.exported = -1 if self.exported > entry.at else self.exported
        elif isinstance(entry, written.Position):
            if not 0 <= entry.to <= len(self.edits):
                return False
            self.position = entry.to
        elif isinstance(entry, written.Exported):
            self.exported = entry.at if entry.at <= len(self.edits) else -1
        elif isinstance(entry, written.Kept):
            self.kept = entry.at
        elif isinstance(entry, written.View):
            self.view = entry.view
        else:
            self._count(entry.sha256)
        return True

    def _announce(self, head: written.MaskHead) -> bool:
        if head.first != len(self.masks) or not len(head.sizes) == len(head.bases) > 0:
            return False
        if min(head.sizes) < 0 or (len(head.sizes) > 1 and not head.together):
            return False
        pieces: list[Place] = []
        offset = 0
        for size, base in zip(head.sizes, head.bases, strict=True):
            saved = SavedMask(size, base)
            self.masks.append(_Mask(saved, pieces, offset if head.together else -1))
            offset += (size + 7) // 8
        return True

    def _count(self, digests: Mapping[str, str]) -> None:
        assert self.original is not None
        files = tuple(
            msgspec.structs.replace(file, sha256=digests.get(file.name, file.sha256))
            for file in self.original.files
        )
        self.original = msgspec.structs.replace(self.original, files=files)


def _entry(payload: bytes, path: Path) -> Entry | None:
    import zstandard

    try:
        if not 0 <= zstandard.frame_content_size(payload) <= _MOST_JSON:
            return None
        text = zstandard.ZstdDecompressor().decompress(payload)
    except zstandard.ZstdError:
        return None
    try:
        found: Entry = msgspec.json.decode(text, type=Entry)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        # A record of a kind that is not known: only the version tells a newer file from a bad one.
        head = _version(text)
        if head:
            check_version({"version": head}, VERSION, str(path))
        return None
    return found


class _AnyHead(msgspec.Struct):
    type: str = ""
    version: int = 0


def _version(text: bytes) -> int:
    """Return the version that a first record names, whatever else it has; 0 for other records."""
    try:
        found = msgspec.json.decode(text, type=_AnyHead)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return 0
    return found.version if found.type == "head" else 0


class _MasksOfJournal:
    """Reads the masks of a journal."""

    def __init__(self, source: FileSource, masks: list[_Mask], path: Path) -> None:
        self._source = source
        self._masks = masks
        self._path = path
        # Those that were unpacked together last: the next one is among them, as a rule.
        self._last: tuple[list[Place], NDArray[np.uint8]] | None = None

    def read(self, number: int, base: BitMask | None, job: Job) -> BitMask:
        """Return a mask; see `MaskSource`."""
        mask = self._masks[number]
        try:
            if mask.offset < 0:
                return unpack(self._pieces(mask.pieces), mask.saved.size, base, job)
            found = one_of(self._together(mask.pieces), mask.offset, mask.saved.size, base)
            job.step(found.nbytes)
        except (ValueError, MemoryError) as error:
            raise damaged(str(self._path), f"of mask {number:,}, {error}") from None
        except CheckpointError as error:
            raise SessionError(error.sentence, remedy=error.remedy) from error
        return found

    def _together(self, pieces: list[Place]) -> NDArray[np.uint8]:
        if self._last is None or self._last[0] is not pieces:
            if len(pieces) != 1:
                raise ValueError(f"it has {len(pieces):,} pieces")
            self._last = pieces, unpack_together(next(self._pieces(pieces)))
        return self._last[1]

    def _pieces(self, places: list[Place]) -> Iterator[bytes]:
        for place in places:
            yield self._source.read(place.offset, place.size)
