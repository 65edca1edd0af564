"""The file of a journal: its records, and how they are written.

A file of records, each with its length and checksum, that is only appended to. A process may die at
any moment, and a disk may keep some of what it was given: what comes after the first record that is
not whole is no part of the file.

First comes what was done, in words that it can be done again by, and only then the masks, which
may take seconds: what is done meanwhile comes between their pieces. So all that was done is safe
within milliseconds, and whatever has its masks in the file need not be done again.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any
from weakref import ReferenceType

import msgspec

from pruneapp.checkpoint.io import files
from pruneapp.checkpoint.io.atomic_file import flush_folder
from pruneapp.document.document import Capture
from pruneapp.document.edit import Record
from pruneapp.document.mask_store import NewMask
from pruneapp.json_codec import encoded
from pruneapp.progress import Job
from pruneapp.results.branches import Branches
from pruneapp.sessions.history_codec import (
    SMALL,
    MaskNumbers,
    SavedEdit,
    bundles,
    pack,
    pack_together,
)
from pruneapp.sessions.original import FileStamp, Original, describe
from pruneapp.sessions.restore import repeatable

VERSION = 4
MAGIC = b"pruneapp journal\n"
# Length of the payload, CRC-32 of kind and payload, kind.
_HEAD = struct.Struct("<IIB")
# Of a payload: a piece of a mask that cannot be compressed, and some room.
MOST = 64 << 20

JSON, PIECE = 1, 2


@dataclass(frozen=True)
class RecordPlace:
    """Where the payload of a record lies."""

    kind: int
    offset: int
    size: int


def records(file: io.BufferedIOBase, *, check_pieces: bool) -> Iterator[tuple[RecordPlace, bytes]]:
    """Yield the records of a file, from its beginning, as far as they are whole.

    The payload of the pieces of masks is read, and its checksum compared, with `check_pieces` only;
    it is empty else.
    """
    if file.read(len(MAGIC)) != MAGIC:
        return
    end = file.seek(0, os.SEEK_END)
    offset = len(MAGIC)
    while True:
        file.seek(offset)
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return
        size, crc, kind = _HEAD.unpack(head)
        place = RecordPlace(kind, offset + _HEAD.size, size)
        offset = place.offset + size
        if size > MOST or offset > end:
            return
        payload = b""
        if kind != PIECE or check_pieces:
            payload = file.read(size)
            if zlib.crc32(payload, zlib.crc32(bytes((kind,)))) != crc:
                return
        yield place, payload


def lock(fd: int) -> bool:
    """Lock an open file as long as this process lives; False if another one has the lock.

    Where a file system has no locks, everybody has them: work must be kept, and found again.
    """
    return files.lock(fd) is not False


def delete(path: Path) -> None:
    """Delete a file; one that is gone, or that the system keeps, is no error."""
    with contextlib.suppress(OSError):
        path.unlink()


class JournalHead(msgspec.Struct, frozen=True, tag="head"):
    """What the journal is about: the first record, and again where that is moved."""

    version: int
    original: Original


class MaskHead(msgspec.Struct, frozen=True, tag="masks"):
    """Masks follow: one in so many pieces, or several together in one piece."""

    first: int  # number of the first
    # Elements of each, and the number of the mask that it is packed against.
    sizes: tuple[int, ...]
    bases: tuple[int, ...]
    together: bool  # whether they are packed together, however many they are


class MaskContinued(msgspec.Struct, frozen=True, tag="more"):
    """What follows are pieces of a mask again that something else came between."""

    number: int


class EditRecord(msgspec.Struct, frozen=True, tag="edit"):
    """An edit was made, the one at `at`. Its masks came before.

    Those that were there from `at` on are gone: before version 4, what was undone was cut off.
    """

    at: int
    edit: SavedEdit
    after: int = -1  # the state that it follows, since version 4; -1 for the one before it


class IntentRecord(msgspec.Struct, frozen=True, tag="intent"):
    """As `EditRecord`, but what it did is not there yet: it can be done again.

    The masks that it means came before.
    """

    at: int
    edit: SavedEdit
    after: int = -1


class MasksRecord(msgspec.Struct, frozen=True, tag="done"):
    """Of the first intent, at `at`, all masks are there by now: it is this edit."""

    at: int
    edit: SavedEdit


class Position(msgspec.Struct, frozen=True, tag="position"):
    """The state with this number is in force."""

    to: int
    tip: int = -1  # where redo leads to, since version 4; -1 for the newest


class NameRecord(msgspec.Struct, frozen=True, tag="name"):
    """A state has another name, or none."""

    state: int
    name: str


class DeletedRecord(msgspec.Struct, frozen=True, tag="deleted"):
    """States are gone, with all that followed them; those after them have smaller numbers."""

    states: tuple[int, ...]


class Exported(msgspec.Struct, frozen=True, tag="exported"):
    """The state at this position is the one last exported; -1 for none."""

    at: int


class SavedRecord(msgspec.Struct, frozen=True, tag="kept"):
    """The state at this position is safe in a session file."""

    at: int  # the position; -1 where that state was deleted, or renamed, since
    steps: int = 0  # so many edits of the history, from the first on, are in the session file
    # The session file as it was read or written; None if that is not known.
    file: FileStamp | None = None
    # Whether what was looked at, as it was said last, is in the session file, too.
    with_view: bool = False


class ViewRecord(msgspec.Struct, frozen=True, tag="view"):
    """What the person looks at."""

    view: dict[str, Any]


class Digests(msgspec.Struct, frozen=True, tag="digests"):
    """The SHA-256 of files of the original, by name."""

    sha256: dict[str, str]


Entry = (
    JournalHead
    | MaskHead
    | MaskContinued
    | EditRecord
    | IntentRecord
    | MasksRecord
    | Position
    | NameRecord
    | DeletedRecord
    | Exported
    | SavedRecord
    | ViewRecord
    | Digests
)


# Masks of an edit that are written along with it, in bytes and in number: packing them takes less
# than waiting for a disk.
AT_ONCE, _FEW = 4 << 20, 1000
# Who has something to write waits until the disk has no more than that.
_UNFLUSHED = 16 << 20

# Writes what was done meanwhile, if there is something.
Meanwhile = Callable[[], None]


class JournalWriter:
    """One new file of a journal that is being written; for one thread.

    As long as it is open, this process holds a lock on it that others see, and that the system
    drops when the process ends, however it ends. It is `doubtful` once the disk refused to keep
    what it had taken: then nobody knows what it has.

    Raises BlockingIOError if somebody has locked it who looks at what is there, and, from every
    method, OSError if the disk refuses it: the file ends with what was whole. Methods that take a
    capture raise as `MaskSlot.load`.
    """

    def __init__(self, path: Path, capture: Capture, job: Job) -> None:
        self.path = path
        self.size = 0
        self.doubtful = False
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        # Unbuffered: what a full disk refused must not be tried again later.
        self._file = io.FileIO(os.open(path, flags, 0o600), "r+")
        self._is_named = False
        self._unflushed = 0
        self._numbers = MaskNumbers()
        # Bytes and base of each mask, by its number.
        self._masks: dict[int, tuple[int, int]] = {}
        # What is said; of so many the masks are in the file, the others can be done again.
        self._records: list[Record] = []
        self._complete = 0
        # Bytes of each record.
        self._sizes: list[int] = []
        self._position: tuple[int, int] | None = 0, 0  # the state in force, and where redo leads
        self._exported = 0
        self._names: dict[int, str] = {}
        self._view: Mapping[str, Any] = {}
        self._kept_view: Mapping[str, Any] | None = None
        self._kept: SavedRecord | None = None
        try:
            self._lock()
            self._write(MAGIC)
            self._mark()
            self._describe(capture, job)
        except BaseException:
            self.delete()
            raise

    @property
    def dead(self) -> int:
        """Bytes that no state needs any more."""
        needed: set[int] = set()
        for record in self._records:
            for slot in record.slots():
                number = self._numbers.find(slot)
                while number in self._masks and number not in needed:
                    needed.add(number)
                    number = self._masks[number][1]
        live = sum(self._sizes) + sum(self._masks[number][0] for number in needed)
        return max(0, self.size - live)

    def is_current(self, capture: Capture) -> bool:
        """Whether it says all that was done, with masks or without."""
        return (
            self._same(capture.records) == len(capture.records) == len(self._records)
            and self._position == (capture.position, capture.branches.tip)
            and self._names == capture.branches.names
        )

    def is_complete(self, capture: Capture) -> bool:
        """Whether it has the masks of all that was done, too."""
        return self.is_current(capture) and self._complete == len(capture.records)

    def write_steps(self, capture: Capture, job: Job) -> None:
        """Write what was done, as far as that takes no time; each edit is there or not.

        What cannot be done again has to wait for the masks of what came before.
        """
        if self._original != capture.snapshot.checkpoint.path:  # an export took its name
            self._describe(capture, job)
        self._delete_gone(capture)
        for at in range(self._same(capture.records), len(capture.records)):
            record = capture.records[at]
            again = repeatable(record)
            if self._complete >= at and (not again or _is_small(record)):
                self._append(at, capture, job)
            elif again:
                self._announce(at, capture, job)
            else:
                break
        known = len(self._records)
        tip = capture.branches.tip
        position = capture.position, tip if tip <= known else -1
        if self._position != position and capture.position <= known:
            self.note(Position(*position))
            self._position = position
        for state in range(1, known + 1) if self._names != capture.branches.names else ():
            name = capture.branches.names.get(state, "")
            if name != self._names.get(state, ""):
                self.note(NameRecord(state, name))
                self._names = {**self._names, state: name}
        self._names = {state: name for state, name in self._names.items() if name}
        if self._exported != capture.exported <= known:
            self.note(Exported(capture.exported))
            self._exported = capture.exported

    def write_all_steps(self, capture: Capture, meanwhile: Meanwhile, job: Job) -> None:
        """Write what was done with all masks, whatever time that takes; the file is a new one.

        `meanwhile` is called between pieces of masks, and does nothing to this file.
        """
        for at in range(len(capture.records)):
            self._append(at, capture, job, meanwhile)

    def add_masks(self, capture: Capture, meanwhile: Meanwhile, job: Job) -> None:
        """Write the masks of the first edit that lacks them, if there is one.

        `meanwhile` is called between pieces of masks; may write steps, and so delete the edit.
        """
        if self._complete == len(self._records):
            return
        record, last = self._records[self._complete], capture.parent(self._complete)

        def is_there() -> bool:
            meanwhile()  # may delete others before it, too
            return self._complete < len(self._records) and self._records[self._complete] is record

        nbytes = self._write_edit(
            lambda edit: MasksRecord(self._complete, edit),
            record,
            last,
            capture,
            is_there=is_there,
            job=job,
        )
        if nbytes is not None:
            self._sizes[self._complete] += nbytes
            self._complete += 1
            self.flush()

    def mark_saved(
        self,
        records: Sequence[ReferenceType[Record]],
        position: int,
        file: FileStamp,
        names: Mapping[int, str],
        view: Mapping[str, Any],
    ) -> None:
        """Write what of a session file is in this one, too, where that is something new."""
        same = self._same(theirs() for theirs in records)
        renamed = [s for s in {*names, *self._names} if names.get(s) != self._names.get(s)]
        same = min([same, *(state - 1 for state in renamed)])
        kept = SavedRecord(position if position <= same else -1, same, file)
        if view is not self._kept_view:
            latest = self._view
            self.look_at(view)
            self.note(msgspec.structs.replace(kept, with_view=True))
            self._kept_view = view
            self.look_at(latest)
        elif kept != self._kept:
            self.note(kept)
        self._kept = kept

    def look_at(self, view: Mapping[str, Any]) -> None:
        """Write what the person looks at, if it is something else."""
        if view != self._view:
            self.note(ViewRecord(dict(view)))
            self._view = dict(view)

    def note(self, entry: Entry) -> None:
        """Write what stands for itself, and stays whatever is refused later."""
        self._write_entry(entry)
        self._mark()

    def flush(self) -> None:
        """Wait until the disk has everything, and the name of the file."""
        try:
            self._sync()
        except OSError:
            self.doubtful = True
            raise
        self._unflushed = 0

    def move(self, path: Path) -> None:
        """Take the place of another file, and wait until the disk knows."""
        self.path.replace(path)
        self.path = path
        flush_folder(path.parent)

    def close(self) -> None:
        """Let go of the file; it stays."""
        with contextlib.suppress(OSError):  # it is closed, and what was to be kept was flushed
            self._file.close()

    def delete(self) -> None:
        """Delete the file."""
        self.close()
        delete(self.path)

    # Edits

    def _describe(self, capture: Capture, job: Job) -> None:
        checkpoint = capture.snapshot.checkpoint
        self.note(JournalHead(VERSION, describe(checkpoint, job)))
        self._original = checkpoint.path

    def _same(self, records: Iterable[Record | None]) -> int:
        both = zip(self._records, records, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], both))

    def _append(
        self, at: int, capture: Capture, job: Job, meanwhile: Meanwhile = lambda: None
    ) -> None:
        """Write an edit and its masks, or nothing."""

        def is_there() -> bool:
            meanwhile()
            return True

        record, last = capture.records[at], capture.parent(at)
        after = self._after(at, capture)
        nbytes = self._write_edit(
            lambda edit: EditRecord(at, edit, after),
            record,
            last,
            capture,
            is_there=is_there,
            job=job,
        )
        self._complete = at + 1
        self._said(record, nbytes or 0)

    def _announce(self, at: int, capture: Capture, job: Job) -> None:
        """Write what an edit did and the masks that it means itself, or nothing."""
        before = self._here()
        record, last = capture.records[at], capture.parent(at)
        try:
            for some in bundles(self._numbers.new_meant(record)):
                self._write_masks(some, capture, lambda: True, job)
            intent = self._numbers.intent(record, last)
            nbytes = self._write_entry(IntentRecord(at, intent, self._after(at, capture)))
        except BaseException:
            self._back_to(before)
            raise
        self._said(record, nbytes)
        self._mark()

    @staticmethod
    def _after(at: int, capture: Capture) -> int:
        after = capture.branches.after[at]
        return -1 if after == at else after

    def _delete_gone(self, capture: Capture) -> None:
        """Write what was deleted; the masks of others may be packed against those of it."""
        if self._same(capture.records) == len(self._records):
            return
        there = set(map(id, capture.records))
        gone = [state for state, r in enumerate(self._records, 1) if id(r) not in there]
        number = Branches.line(len(self._records)).numbers(gone)
        self.note(DeletedRecord(tuple(gone)))
        self._complete -= sum(state <= self._complete for state in gone)
        self._records = [self._records[state - 1] for state in number if state]
        self._sizes = [self._sizes[state - 1] for state in number if state]
        self._names = {number[s]: name for s, name in self._names.items() if s in number}
        self._exported = number.get(self._exported, -1)
        self._position = None  # wherever that is now, it is said again
        self._numbers.keep(self._records)

    def _said(self, record: Record, nbytes: int) -> None:
        self._records.append(record)
        self._sizes.append(nbytes)
        self._position = len(self._records), len(self._records)

    def _write_edit(
        self,
        make: Callable[[SavedEdit], Entry],
        record: Record,
        last: Record | None,
        capture: Capture,
        *,
        is_there: Callable[[], bool],
        job: Job,
    ) -> int | None:
        """Write the new masks of an edit, and then itself; None if it was cut off meanwhile."""
        self._mark()
        try:
            for some in bundles(self._numbers.new_of(record)):
                if not self._write_masks(some, capture, is_there, job):
                    return None
            edit = self._numbers.edit(record, last, capture.snapshot.checkpoint)
            return self._write_entry(make(edit))
        except BaseException:
            self._back_to(self._whole)
            raise

    # Masks

    def _write_masks(
        self, some: list[NewMask], capture: Capture, is_there: Callable[[], bool], job: Job
    ) -> bool:
        """Write a large mask, or several small ones; see `bundles`. False if it is not wanted.

        `is_there` is called between the pieces: whether what they belong to is still there. It may
        write something else, masks among it.
        """
        together = some[0].slot.nbytes <= SMALL
        numbers = [self._numbers.give(new) for new in some]
        bases = tuple(self._numbers.find(new.base) for new in some)
        try:
            if together:
                pieces = iter((pack_together([capture.pair(new, job) for new in some], job),))
            else:
                pieces = pack(*capture.pair(some[0], job), job)
            sizes = tuple(new.slot.size for new in some)
            nbytes = self._write_entry(MaskHead(numbers[0], sizes, bases, together))
            for piece in pieces:
                nbytes += self._append_record(PIECE, piece)
                if self._unflushed > _UNFLUSHED:
                    self.flush()
                count = self._numbers.count
                if not is_there():
                    self._numbers.forget(some)
                    return False
                if self._numbers.count != count:
                    self._write_entry(MaskContinued(numbers[0]))
        except BaseException:
            self._numbers.forget(some)
            raise
        for number, base in zip(numbers, bases, strict=True):
            self._masks[number] = nbytes // len(some), base
        return True

    # Bytes

    def _lock(self) -> None:
        if not lock(self._file.fileno()):
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        self.path.stat()  # who looks may have deleted it

    def _mark(self) -> None:
        """Let stay what is there now, whatever is refused later."""
        self._whole = self._here()

    def _here(self) -> tuple[int, int]:
        return self.size, self._numbers.count

    def _back_to(self, place: tuple[int, int]) -> None:
        """Take back what was written since a place; if that fails, it is written over."""
        self.size, count = place
        self._numbers.back_to(count)
        with contextlib.suppress(OSError):
            self._file.truncate(self.size)

    def _write_entry(self, entry: Entry) -> int:
        import zstandard

        return self._append_record(JSON, zstandard.ZstdCompressor(level=1).compress(encoded(entry)))

    def _append_record(self, kind: int, payload: bytes) -> int:
        crc = zlib.crc32(payload, zlib.crc32(bytes((kind,))))
        self._write(_HEAD.pack(len(payload), crc, kind) + payload)
        self._unflushed += _HEAD.size + len(payload)
        return _HEAD.size + len(payload)

    def _write(self, data: bytes) -> None:
        # What a full disk took of the record before is no part of the file.
        self._file.seek(self.size)
        rest = memoryview(data)
        while rest:
            rest = rest[self._file.write(rest) :]
        self.size += len(data)

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        if not self._is_named:
            flush_folder(self.path.parent)
            self._is_named = True


def _is_small(record: Record) -> bool:
    layers = (*record.after.values(), record.entry_masks)
    slots = [slot for layer in layers for slot in layer.values() if slot is not None]
    return len(slots) <= _FEW and sum([slot.nbytes for slot in slots]) <= AT_ONCE
