"""The file format of a journal: its records, and how they are written.

The file is a sequence of records with lengths and checksums, and is append-only. The process may be
killed at any time, and a disk may lose part of what was written: the file ends before the first
record that is incomplete.

An edit is first written as an intent, a description by which it can be repeated, and then its
masks, which may take seconds; later edits are written between their pieces. So every edit is safe
within milliseconds, and edits with masks in the file need not be repeated.
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
from pruneapp.document.history import Branches
from pruneapp.document.mask_store import NewMask
from pruneapp.json_codec import encoded
from pruneapp.progress import Job
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

VERSION = 1
MAGIC = b"pruneapp journal\n"
# Length of the payload, CRC-32 of kind and payload, kind.
_HEAD = struct.Struct("<IIB")
# Maximum size of a payload: an incompressible piece of a mask, and some reserve.
MOST = 64 << 20

JSON, PIECE = 1, 2


@dataclass(frozen=True)
class RecordPlace:
    """Kind of a record, and offset and size of its payload."""

    kind: int
    offset: int
    size: int


def records(file: io.BufferedIOBase, *, check_pieces: bool) -> Iterator[tuple[RecordPlace, bytes]]:
    """Yield the complete records of a file from its beginning.

    Payloads of pieces of masks are read, and their checksums verified, only if `check_pieces`;
    otherwise they are yielded as empty bytes.
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
    """Lock an open file until this process ends. Return False if another process has locked it.

    On file systems without locks this returns True: recovering work is more important.
    """
    return files.lock(fd) is not False


def delete(path: Path) -> None:
    """Delete a file; ignore it if the file does not exist or cannot be deleted."""
    with contextlib.suppress(OSError):
        path.unlink()


class JournalHead(msgspec.Struct, frozen=True, tag="head"):
    """The checkpoint of the journal: the first record, repeated if the checkpoint moves."""

    version: int
    original: Original


class MaskHead(msgspec.Struct, frozen=True, tag="masks"):
    """Masks follow: one in one or more pieces, or several together in one piece."""

    first: int  # number of the first mask
    # Number of elements, and number of the base mask, of each mask.
    sizes: tuple[int, ...]
    bases: tuple[int, ...]
    together: bool  # whether they are compressed together, even if it is only one


class MaskContinued(msgspec.Struct, frozen=True, tag="more"):
    """The following pieces continue a mask after other records came in between."""

    number: int


class EditRecord(msgspec.Struct, frozen=True, tag="edit"):
    """An edit, as number `at` + 1 of the history. Its masks precede it.

    It replaces intents from `at` on.
    """

    at: int
    edit: SavedEdit
    after: int = -1  # number of the state that it follows; -1: the preceding one


class IntentRecord(msgspec.Struct, frozen=True, tag="intent"):
    """As `EditRecord`, but without the changed masks: the edit can be repeated.

    The masks that its entry names precede it.
    """

    at: int
    edit: SavedEdit
    after: int = -1


class MasksRecord(msgspec.Struct, frozen=True, tag="done"):
    """All masks of the first intent, at `at`, are in the file: this edit replaces it."""

    at: int
    edit: SavedEdit


class Position(msgspec.Struct, frozen=True, tag="position"):
    """The number of the current state."""

    to: int
    tip: int = -1  # target of redo; -1: the newest state


class NameRecord(msgspec.Struct, frozen=True, tag="name"):
    """The new name of a state; empty for none."""

    state: int
    name: str


class DeletedRecord(msgspec.Struct, frozen=True, tag="deleted"):
    """States that were deleted with all that followed them; later states are renumbered."""

    states: tuple[int, ...]


class Exported(msgspec.Struct, frozen=True, tag="exported"):
    """The number of the state last exported; -1 for none."""

    at: int


class SavedRecord(msgspec.Struct, frozen=True, tag="kept"):
    """A state of the history that is stored in a session file."""

    at: int  # number of the state; -1 if it was deleted or renamed since
    steps: int = 0  # number of edits, from the first on, that the session file contains
    # The session file as it was read or written; None if unknown.
    file: FileStamp | None = None
    # Whether the latest view record is in the session file as well.
    with_view: bool = False


class ViewRecord(msgspec.Struct, frozen=True, tag="view"):
    """The state of the views."""

    view: dict[str, Any]


class Digests(msgspec.Struct, frozen=True, tag="digests"):
    """The SHA-256 of files of the checkpoint, by name."""

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


# Masks of an edit are written together with it up to this size in bytes and this number:
# compressing them takes less time than a flush.
AT_ONCE, _FEW = 4 << 20, 1000
# A flush is forced after this many bytes, which limits how long the next one takes.
_UNFLUSHED = 16 << 20

# Callback that writes changes made in the meantime, if there are any.
Meanwhile = Callable[[], None]


class JournalWriter:
    """Writes a new journal file. For use on one thread.

    While it is open, this process holds a lock on the file, which the system releases however the
    process ends. `doubtful` is set when a flush has failed, because the contents on disk are then
    unknown.

    Raises BlockingIOError if another process has locked the file. All methods raise OSError if the
    file cannot be written; it then ends with the last complete record. Methods with a `capture`
    also raise the errors of `MaskSlot.load`.
    """

    def __init__(self, path: Path, capture: Capture, job: Job) -> None:
        self.path = path
        self.size = 0
        self.doubtful = False
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        # Unbuffered: data that a full disk rejected must not be written later.
        self._file = io.FileIO(os.open(path, flags, 0o600), "r+")
        self._is_named = False
        self._unflushed = 0
        self._numbers = MaskNumbers()
        # Size in bytes, and number of the base, of each mask, by its number.
        self._masks: dict[int, tuple[int, int]] = {}
        # The edits in the file; the masks of the first `_complete` of them are in it as well.
        self._records: list[Record] = []
        self._complete = 0
        # Size in bytes of each edit record.
        self._sizes: list[int] = []
        self._position: tuple[int, int] | None = 0, 0  # the current state, and the end of redo
        self._exported = 0
        self._names: dict[int, str] = {}
        self._view: Mapping[str, Any] = {}
        self._kept_view: Mapping[str, Any] | None = None
        self._kept: SavedRecord | None = None
        try:
            self._lock()
            self._write(MAGIC)
            self._set_savepoint()
            self._describe(capture, job)
        except BaseException:
            self.delete()
            raise

    @property
    def dead(self) -> int:
        """Number of bytes that no state needs."""
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
        """Return whether the file contains all edits, with masks or as intents."""
        return (
            self._same(capture.records) == len(capture.records) == len(self._records)
            and self._position == (capture.position, capture.branches.tip)
            and self._names == capture.branches.names
        )

    def is_complete(self, capture: Capture) -> bool:
        """Return whether the file contains all edits with their masks."""
        return self.is_current(capture) and self._complete == len(capture.records)

    def write_steps(self, capture: Capture, job: Job) -> None:
        """Write new edits, as far as that is quick; each is written completely or not at all.

        Edits that cannot be repeated are deferred until the masks of all earlier edits are written.
        """
        if self._original != capture.snapshot.checkpoint.path:  # an export replaced the file
            self._describe(capture, job)
        self._write_deletions(capture)
        for at in range(self._same(capture.records), len(capture.records)):
            record = capture.records[at]
            is_repeatable = repeatable(record)
            if self._complete >= at and (not is_repeatable or _is_small(record)):
                self._append(at, capture, job)
            elif is_repeatable:
                self._write_intent(at, capture, job)
            else:
                break
        n_written = len(self._records)
        tip = capture.branches.tip
        position = capture.position, tip if tip <= n_written else -1
        if self._position != position and capture.position <= n_written:
            self.note(Position(*position))
            self._position = position
        for state in range(1, n_written + 1) if self._names != capture.branches.names else ():
            name = capture.branches.names.get(state, "")
            if name != self._names.get(state, ""):
                self.note(NameRecord(state, name))
                self._names = {**self._names, state: name}
        self._names = {state: name for state, name in self._names.items() if name}
        if self._exported != capture.exported <= n_written:
            self.note(Exported(capture.exported))
            self._exported = capture.exported

    def write_all_steps(self, capture: Capture, meanwhile: Meanwhile, job: Job) -> None:
        """Write all edits with all masks to this new file, however long it takes.

        `meanwhile` is called between pieces of masks and must not write to this file.
        """
        for at in range(len(capture.records)):
            self._append(at, capture, job, meanwhile)

    def add_masks(self, capture: Capture, meanwhile: Meanwhile, job: Job) -> None:
        """Write the masks of the first edit without them, if there is one.

        `meanwhile` is called between pieces of masks. It may write steps, and delete this edit.
        """
        if self._complete == len(self._records):
            return
        record, last = self._records[self._complete], capture.parent(self._complete)

        def is_there() -> bool:
            meanwhile()  # may also delete earlier edits
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
        """Write which edits of this file a session file contains, if that has changed."""
        same = self._same(record_ref() for record_ref in records)
        renamed = [s for s in {*names, *self._names} if names.get(s) != self._names.get(s)]
        same = min([same, *(state - 1 for state in renamed)])
        kept = SavedRecord(position if position <= same else -1, same, file)
        if view is not self._kept_view:
            latest = self._view
            self.write_view(view)
            self.note(msgspec.structs.replace(kept, with_view=True))
            self._kept_view = view
            self.write_view(latest)
        elif kept != self._kept:
            self.note(kept)
        self._kept = kept

    def write_view(self, view: Mapping[str, Any]) -> None:
        """Write the state of the views, if it has changed."""
        if view != self._view:
            self.note(ViewRecord(dict(view)))
            self._view = dict(view)

    def note(self, entry: Entry) -> None:
        """Write a record that is kept even if later writes fail."""
        self._write_entry(entry)
        self._set_savepoint()

    def flush(self) -> None:
        """Flush the file, and its directory entry, to disk."""
        try:
            self._sync()
        except OSError:
            self.doubtful = True
            raise
        self._unflushed = 0

    def move(self, path: Path) -> None:
        """Replace the file at `path`, and flush the directory."""
        self.path.replace(path)
        self.path = path
        flush_folder(path.parent)

    def close(self) -> None:
        """Close the file without deleting it."""
        with contextlib.suppress(OSError):  # data to be kept was flushed before
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
        """Write an edit and its masks, or nothing if that fails."""

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
        self._add_record(record, nbytes or 0)

    def _write_intent(self, at: int, capture: Capture, job: Job) -> None:
        """Write an edit as an intent with the masks that its entry names, or nothing on failure."""
        before = self._end()
        record, last = capture.records[at], capture.parent(at)
        try:
            for some in bundles(self._numbers.new_entry_masks(record)):
                self._write_masks(some, capture, lambda: True, job)
            intent = self._numbers.intent(record, last)
            nbytes = self._write_entry(IntentRecord(at, intent, self._after(at, capture)))
        except BaseException:
            self._truncate_to(before)
            raise
        self._add_record(record, nbytes)
        self._set_savepoint()

    @staticmethod
    def _after(at: int, capture: Capture) -> int:
        after = capture.branches.after[at]
        return -1 if after == at else after

    def _write_deletions(self, capture: Capture) -> None:
        """Record deleted states; their masks stay, because others may have them as bases."""
        if self._same(capture.records) == len(self._records):
            return
        present_ids = set(map(id, capture.records))
        deleted = [state for state, r in enumerate(self._records, 1) if id(r) not in present_ids]
        number = Branches.line(len(self._records)).numbers(deleted)
        self.note(DeletedRecord(tuple(deleted)))
        self._complete -= sum(state <= self._complete for state in deleted)
        self._records = [self._records[state - 1] for state in number if state]
        self._sizes = [self._sizes[state - 1] for state in number if state]
        self._names = {number[s]: name for s, name in self._names.items() if s in number}
        self._exported = number.get(self._exported, -1)
        self._position = None  # unknown, so that it is written again
        self._numbers.keep(self._records)

    def _add_record(self, record: Record, nbytes: int) -> None:
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
        """Write an edit after its new masks; None if it was deleted meanwhile."""
        self._set_savepoint()
        try:
            for some in bundles(self._numbers.new_of(record)):
                if not self._write_masks(some, capture, is_there, job):
                    return None
            edit = self._numbers.edit(record, last, capture.snapshot.checkpoint)
            return self._write_entry(make(edit))
        except BaseException:
            self._truncate_to(self._savepoint)
            raise

    # Masks

    def _write_masks(
        self, some: list[NewMask], capture: Capture, is_there: Callable[[], bool], job: Job
    ) -> bool:
        """Write one large mask or several small ones; see `bundles`. Return False if cancelled.

        `is_there` is called between pieces and returns whether the edit still exists. It may write
        other records, including masks.
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
        self.path.stat()  # a process that searched for journals may have deleted it

    def _set_savepoint(self) -> None:
        """Keep everything written so far, even if later writes fail."""
        self._savepoint = self._end()

    def _end(self) -> tuple[int, int]:
        return self.size, self._numbers.count

    def _truncate_to(self, place: tuple[int, int]) -> None:
        """Remove what was written after `place`; if truncating fails, it is overwritten later."""
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
        # Continue after the last complete record, whatever a failed write added.
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
