"""What a process that was killed left behind, and how it is taken up again."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.io.store import locate
from pruneapp.document.edit import is_work
from pruneapp.errors import JsonError, SessionError, words_of
from pruneapp.json_codec import decode, load_object
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.results.branches import Branches
from pruneapp.sessions.history_codec import (
    SavedEdit,
    SavedHistory,
    SavedMask,
    Unpacker,
    check_version,
    damaged,
    reading_mask,
)
from pruneapp.sessions.journal import SUFFIX
from pruneapp.sessions.journal_file import (
    PIECE,
    VERSION,
    DeletedRecord,
    Digests,
    EditRecord,
    Entry,
    Exported,
    IntentRecord,
    JournalHead,
    MaskContinued,
    MaskHead,
    MasksRecord,
    NameRecord,
    Position,
    RecordPlace,
    SavedRecord,
    ViewRecord,
    delete,
    lock,
    records,
)
from pruneapp.sessions.original import FileStamp, Original
from pruneapp.sessions.restore import Saved, measured_in

# A record promises at most so many bytes of JSON.
_MOST_JSON = 1 << 28
_NOWHERE = SavedRecord(-1)


@dataclass(frozen=True)
class StoredMask:
    """A mask, and the pieces that hold it: its own, or the one of all that it was packed with.

    `offset` is where it begins in that one; -1 if the pieces are its own.
    """

    saved: SavedMask
    pieces: list[RecordPlace]
    offset: int = -1


@dataclass
class JournalContents:
    """What the records of a journal come to."""

    original: Original | None = None
    masks: list[StoredMask] = field(default_factory=list)
    edits: list[SavedEdit] = field(default_factory=list)
    after: list[int] = field(default_factory=list)  # the state that each follows
    names: dict[int, str] = field(default_factory=dict)
    done: int = 0  # so many of the edits have their masks in the journal; the others are intents
    position: int = 0
    tip: int = 0  # where redo leads to; -1 for the newest
    exported: int = 0
    # The session file that the work was saved in last, and which state it has.
    kept: SavedRecord = _NOWHERE
    view: Mapping[str, Any] = field(default_factory=dict)
    kept_view: Mapping[str, Any] = field(default_factory=dict)  # that of this session file
    # Of the mask that pieces belong to.
    _pieces: list[RecordPlace] | None = None

    @classmethod
    def read(
        cls,
        file: io.BufferedIOBase,
        path: Path,
        *,
        check_pieces: bool,
        job: Job | None = None,
    ) -> JournalContents:
        """Read the records of a journal, as far as they are whole and make sense.

        To compare the checksums of masks, too, all of the file is read. Raises `SessionError` if a
        newer Pruneapp wrote it.
        """
        story, job = cls(), job or Job()
        for place, payload in records(file, check_pieces=check_pieces):
            job.step(0)
            if place.kind == PIECE:
                if story._pieces is None:
                    break
                story._pieces.append(place)
                continue
            entry = _entry(payload, path)
            if entry is None or not story.take(entry, path):
                break
        return story

    def take(self, entry: Entry, path: Path) -> bool:
        """Go one record on; False if it makes no sense, so that the file ends here."""
        if isinstance(entry, JournalHead):
            check_version({"version": entry.version}, VERSION, str(path))
            self.original = entry.original
            return True
        if self.original is None:
            return False
        match entry:
            case MaskHead():
                return self._announce(entry)
            case MaskContinued(number):
                if not 0 <= number < len(self.masks):
                    return False
                self._pieces = self.masks[number].pieces
            case EditRecord() | IntentRecord():
                return self._go_on(entry)
            case MasksRecord(at, edit):
                if not at == self.done < len(self.edits):
                    return False
                self.edits[at] = edit
                self.done += 1
            case Position(to, tip):
                if not (0 <= to <= len(self.edits) and -1 <= tip <= len(self.edits)):
                    return False
                self.position, self.tip = to, tip
            case NameRecord(state, name):
                if not 0 < state <= len(self.edits):
                    return False
                self.names[state] = name
            case DeletedRecord(states):
                return self._delete(set(states))
            case Exported(at):
                self.exported = at if at <= len(self.edits) else -1
            case SavedRecord():
                self.kept = entry
                self.kept_view = self.view if entry.with_view else self.kept_view
            case ViewRecord(view):
                self.view = view
            case Digests(sha256):
                files = tuple(
                    msgspec.structs.replace(file, sha256=sha256.get(file.name, file.sha256))
                    for file in self.original.files
                )
                self.original = msgspec.structs.replace(self.original, files=files)
        return True

    def _go_on(self, entry: EditRecord | IntentRecord) -> bool:
        whole = isinstance(entry, EditRecord)
        # What has its masks follows only what has them, too.
        if not 0 <= entry.at <= (self.done if whole else len(self.edits)):
            return False
        after = entry.at if entry.after < 0 else entry.after
        if after > entry.at:
            return False
        self.edits[entry.at :], self.after[entry.at :] = [entry.edit], [after]
        self.names = {state: name for state, name in self.names.items() if state <= entry.at}
        self.done = entry.at + 1 if whole else min(self.done, entry.at)
        self.position = self.tip = entry.at + 1
        kept = self.kept
        self.kept = msgspec.structs.replace(
            kept,
            at=-1 if kept.at > entry.at else kept.at,
            steps=min(kept.steps, entry.at),
        )
        self.exported = -1 if self.exported > entry.at else self.exported
        return True

    def _delete(self, gone: set[int]) -> bool:
        follow = {s for s, after in enumerate(self.after, 1) if after in gone}
        if not gone <= set(range(1, len(self.edits) + 1)) or not follow <= gone:
            return False
        while self.position in gone:
            self.position = self.after[self.position - 1]
        left = Branches(tuple(self.after), max(self.tip, 0), self.names)
        number, left = left.numbers(gone), left.without(gone, self.position)
        self.done -= sum(state <= self.done for state in gone)
        self.edits = [self.edits[state - 1] for state in number if state]
        self.after, self.names = list(left.after), dict(left.names)
        self.position, self.tip = number[self.position], -1
        self.exported = number.get(self.exported, -1)
        steps = min([self.kept.steps, *(state - 1 for state in gone)])
        at = self.kept.at if self.kept.at <= steps else -1
        self.kept = msgspec.structs.replace(self.kept, at=at, steps=steps)
        return True

    @property
    def keeps_measured(self) -> bool:
        """Whether the session file has all that was measured."""
        return measured_in(self.view) == measured_in(self.kept_view)

    @property
    def branches(self) -> Branches:
        """Which state follows which."""
        branches = Branches(tuple(self.after))
        for state, name in self.names.items():
            branches = branches.named(state, name)
        tip = self.tip
        if tip < 0 or branches.route(self.position, tip)[0]:
            tip = branches.end_of(self.position)
        return dataclasses.replace(branches, tip=tip)

    def _announce(self, head: MaskHead) -> bool:
        if head.first != len(self.masks) or not len(head.sizes) == len(head.bases) > 0:
            return False
        if min(head.sizes) < 0 or (len(head.sizes) > 1 and not head.together):
            return False
        pieces: list[RecordPlace] = []
        offset = 0
        for size, base in zip(head.sizes, head.bases, strict=True):
            saved = SavedMask(size, base)
            self.masks.append(StoredMask(saved, pieces, offset if head.together else -1))
            offset += (size + 7) // 8
        self._pieces = pieces
        return True


def _entry(payload: bytes, path: Path) -> Entry | None:
    import zstandard

    try:
        if not 0 <= zstandard.frame_content_size(payload) <= _MOST_JSON:
            return None
        text = zstandard.ZstdDecompressor().decompress(payload)
    except zstandard.ZstdError:
        return None
    try:
        entry: Entry = decode(text, Entry, str(path), file_names=True)
    except JsonError:
        # A record of a kind that is not known: only the version tells a newer file from a bad one.
        if head := _version(text):
            check_version({"version": head}, VERSION, str(path))
        return None
    return entry


def _version(text: bytes) -> int:
    """Return the version that a first record names, whatever else it has; 0 for other records."""
    with contextlib.suppress(JsonError):
        fields = load_object(text, file_names=True)
        if fields.get("type") == "head" and type(version := fields.get("version")) is int:
            return version
    return 0


class MasksOfJournal:
    """Reads the masks of a journal."""

    def __init__(self, source: FileSource, masks: list[StoredMask], path: Path) -> None:
        self._source = source
        self._masks = masks
        self._path = path
        self._unpacker = Unpacker()

    def read(self, number: int, base: BitMask | None, job: Job) -> BitMask:
        """Return a mask; see `MaskSource`."""
        mask = self._masks[number]
        pieces = (self._source.read(place.offset, place.size) for place in mask.pieces)
        with reading_mask(str(self._path), number):
            return self._unpacker.read(
                id(mask.pieces), pieces, mask.saved.size, mask.offset, base=base, job=job
            )


# A journal may be made at this very moment, and not be locked yet.
_FRESH_S = 60


@dataclass(frozen=True)
class UnsavedWork:
    """A journal that nobody writes any more."""

    path: Path  # the journal
    original: Path  # the checkpoint that it is about
    steps: int  # how many edits are in force
    undone: int  # how many are not, but can be: they were taken back, or are on other branches
    # What the last edit in force did; without one, the last that was taken back; empty where there
    # is none, or a newer Pruneapp wrote it.
    last: str
    time: float  # when it was written to last, in seconds since 1970
    again: int = 0  # how many edits have to be done again, as their masks did not get to the disk
    known: bool = True  # whether it can be read; else a newer Pruneapp wrote it


def find_unsaved_work(folder: Path, job: Job) -> tuple[UnsavedWork, ...]:
    """Return what can be taken up again, the newest first.

    Journals of windows that are open are left alone. Whatever no session file holds can be taken
    up: an export has no steps, and no protection. What has nothing that would be lost is deleted;
    what has not even begun, and what a compaction did not finish, once it is a minute old: until
    then another window may be about to begin with it.
    """
    unsaved: list[UnsavedWork] = []
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return ()
    for path in paths:
        job.step(0)
        if path.suffix == ".new" and is_free(path):
            if time.time() - _written(path) > _FRESH_S:
                delete(path)
        elif path.suffix == SUFFIX and is_free(path):
            try:
                work = _summary(path, job)
            except OSError:  # gone meanwhile
                continue
            if work is not None:
                unsaved.append(work)
    return tuple(sorted(unsaved, key=lambda each: each.time, reverse=True))


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return time.time()


def is_free(path: Path) -> bool:
    """Whether a journal is there and no window has it open."""
    try:
        fd = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        return lock(fd)
    finally:
        os.close(fd)


def _summary(path: Path, job: Job) -> UnsavedWork | None:
    """Return what a journal is about; None if nothing would be lost with it, and delete it then.

    One that a newer Pruneapp wrote is none of ours to delete.
    """
    status = path.stat()
    try:
        with path.open("rb") as file:
            story = JournalContents.read(file, path, check_pieces=False)
    except SessionError:
        return UnsavedWork(path, Path(), 0, 0, "", status.st_mtime, known=False)
    if story.original is None:
        if time.time() - _written(path) > _FRESH_S:
            delete(path)
        return None
    if not _would_be_lost(story, job):
        delete(path)
        return None
    last = story.edits[story.position - 1 if story.position else -1].label if story.edits else ""
    steps = len(story.branches.path(story.position))
    return UnsavedWork(
        path,
        locate(story.original.path),
        steps,
        len(story.edits) - steps,
        last,
        status.st_mtime,
        len(story.edits) - story.done,
    )


def _would_be_lost(story: JournalContents, job: Job) -> bool:
    if not measured_in(story.view) and not any(is_work(edit.entry) for edit in story.edits):
        return False
    kept = story.kept
    steps_in_file = kept.at == story.position and kept.steps == len(story.edits)
    in_file = steps_in_file and story.keeps_measured
    return not in_file or _unchanged(kept, job) is None


@dataclass(frozen=True)
class JournalFile(Saved):
    """A journal that was left behind, held so that no other window takes it."""

    # The session file that the work was saved in; None without one, and where something else was
    # saved in it since.
    kept_in: FileStamp | None
    kept_steps: int  # so many edits of the history are in this file
    # The position of the state that this file has; -1 if it is not in the history any more.
    safe: int
    keeps_measured: bool  # whether this file has all that was measured
    kept_view: Mapping[str, Any]  # what it says was looked at
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


def read_journal(path: Path, job: Job) -> JournalFile:
    """Read a journal that was left behind, as far as it is whole, but for its masks.

    Raises
    ------
    SessionError
        If it is gone, another window has it, the disk cannot read it, or a newer Pruneapp wrote it.
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
    try:
        story = JournalContents.read(file, path, check_pieces=True, job=job)
    except OSError as error:
        raise SessionError(
            f"The work in '{path}' cannot be read: {words_of(error)}.",
            remedy="Check the disk, then open it again.",
        ) from None
    if story.original is None:
        raise damaged(str(path), "it does not begin as one")
    source = FileSource(path)
    history = SavedHistory(
        masks=[mask.saved for mask in story.masks],
        edits=story.edits[: story.done],
        position=story.position,
        exported=story.exported,
        source=MasksOfJournal(source, story.masks, path),
        intents=story.edits[story.done :],
        branches=story.branches,
    )
    kept, session = story.kept, _unchanged(story.kept, job)
    safe = kept.at if session is not None and kept.at <= len(story.edits) else -1
    steps = kept.steps if session is not None else 0
    return JournalFile(
        path,
        story.original,
        history,
        story.view,
        session,
        steps,
        safe,
        session is not None and story.keeps_measured,
        story.kept_view,
        source,
        file,
    )


def _unchanged(kept: SavedRecord, job: Job) -> FileStamp | None:
    """Return a session file, unless it is gone or somebody saved something else in it since."""
    known = kept.file
    now = None if known is None else FileStamp.of(Path(known.path), job)
    return known if known is not None and now is not None and known.is_of(now) else None


def _taken(path: Path) -> SessionError:
    return SessionError(
        f"The work in '{path.name}' was opened or deleted by another window in the meantime.",
        remedy="Look in the other window.",
    )
