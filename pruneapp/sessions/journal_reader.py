"""Reading journals that a killed process left behind."""

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
from pruneapp.document.history import Branches
from pruneapp.errors import JsonError, SessionError, words_of
from pruneapp.json_codec import decode, load_object
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
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

# Maximum size in bytes of the JSON in a record.
_MOST_JSON = 1 << 28
_NOWHERE = SavedRecord(-1)


@dataclass(frozen=True)
class StoredMask:
    """A mask, and the pieces that contain it.

    `offset` is its first byte in the piece it shares with other masks; -1 if the pieces are its
    own.
    """

    saved: SavedMask
    pieces: list[RecordPlace]
    offset: int = -1


@dataclass
class JournalContents:
    """The history that the records of a journal describe."""

    original: Original | None = None
    masks: list[StoredMask] = field(default_factory=list)
    edits: list[SavedEdit] = field(default_factory=list)
    after: list[int] = field(default_factory=list)  # the parent state of each edit
    names: dict[int, str] = field(default_factory=dict)
    done: int = 0  # number of edits with masks in the journal; the others are intents
    position: int = 0
    tip: int = 0  # the state that redo leads to; -1 for the newest
    exported: int = 0
    # The session file that was last saved, and the state that it contains.
    kept: SavedRecord = _NOWHERE
    view: Mapping[str, Any] = field(default_factory=dict)
    kept_view: Mapping[str, Any] = field(default_factory=dict)  # the views in that session file
    # Pieces of the mask that is being read.
    _pieces: list[RecordPlace] | None = None

    @classmethod
    def read(
        cls, file: io.BufferedIOBase, path: Path, *, check_pieces: bool, job: Job | None = None
    ) -> JournalContents:
        """Read the valid records of a journal; the first invalid one ends the file.

        `check_pieces` verifies the checksums of masks, which reads the whole file. Raises
        `SessionError` if a newer Pruneapp wrote the file.
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
        """Apply a record. Return False if it is not valid, so that the file ends here."""
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
        # An edit with masks can only follow edits with masks.
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
            kept, at=-1 if kept.at > entry.at else kept.at, steps=min(kept.steps, entry.at)
        )
        self.exported = -1 if self.exported > entry.at else self.exported
        return True

    def _delete(self, deleted: set[int]) -> bool:
        followers = {s for s, after in enumerate(self.after, 1) if after in deleted}
        if not deleted <= set(range(1, len(self.edits) + 1)) or not followers <= deleted:
            return False
        while self.position in deleted:
            self.position = self.after[self.position - 1]
        branches = Branches(tuple(self.after), max(self.tip, 0), self.names)
        number, branches = branches.numbers(deleted), branches.without(deleted, self.position)
        self.done -= sum(state <= self.done for state in deleted)
        self.edits = [self.edits[state - 1] for state in number if state]
        self.after, self.names = list(branches.after), dict(branches.names)
        self.position, self.tip = number[self.position], -1
        self.exported = number.get(self.exported, -1)
        steps = min([self.kept.steps, *(state - 1 for state in deleted)])
        at = self.kept.at if self.kept.at <= steps else -1
        self.kept = msgspec.structs.replace(self.kept, at=at, steps=steps)
        return True

    @property
    def keeps_measured(self) -> bool:
        """Whether the session file contains all measurements."""
        return measured_in(self.view) == measured_in(self.kept_view)

    @property
    def branches(self) -> Branches:
        """The parent of each state, and the names of states."""
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
        # Unknown record: the version of the header tells a newer file from a damaged one.
        if head := _version(text):
            check_version({"version": head}, VERSION, str(path))
        return None
    return entry


def _version(text: bytes) -> int:
    """Return the version in a header record, whatever else it contains; 0 for other records."""
    with contextlib.suppress(JsonError):
        fields = load_object(text, file_names=True)
        if fields.get("type") == "head" and type(version := fields.get("version")) is int:
            return version
    return 0


class MasksOfJournal:
    """Reads the masks of a journal; implements `MaskSource`."""

    def __init__(self, source: FileSource, masks: list[StoredMask], path: Path) -> None:
        self._source = source
        self._masks = masks
        self._path = path
        self._unpacker = Unpacker()

    def read(self, number: int, base: BitMask | None, job: Job) -> BitMask:
        """Read a mask; see `MaskSource`."""
        mask = self._masks[number]
        pieces = (self._source.read(place.offset, place.size) for place in mask.pieces)
        with reading_mask(str(self._path), number):
            return self._unpacker.read(
                id(mask.pieces), pieces, mask.saved.size, mask.offset, base=base, job=job
            )


# Age in seconds below which a journal may still be unlocked by the process that creates it.
_FRESH_S = 60


@dataclass(frozen=True)
class UnsavedWork:
    """A journal that no process writes."""

    path: Path  # the journal
    original: Path  # its checkpoint
    steps: int  # number of edits that lead to the current state
    undone: int  # number of other edits: undone ones, and those on other branches
    # Label of the last edit of the current state; without one, that of the last edit; empty if
    # there is none, or if a newer Pruneapp wrote the file.
    last: str
    time: float  # last modification, in seconds since 1970
    again: int = 0  # number of edits without masks in the file, which must be repeated
    known: bool = True  # False if a newer Pruneapp wrote it, so that it cannot be read


def find_unsaved_work(folder: Path, job: Job) -> tuple[UnsavedWork, ...]:
    """Return the journals with unsaved work, newest first.

    Journals in use are skipped. Work counts as unsaved unless a session file contains it: exports
    contain neither steps nor protection. Journals without unsaved work are deleted. Empty journals
    and unfinished compactions are deleted when they are a minute old, because another window may be
    creating them.
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
            except OSError:  # deleted meanwhile
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
    """Return whether a journal exists and no process has locked it."""
    try:
        fd = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        return lock(fd)
    finally:
        os.close(fd)


def _summary(path: Path, job: Job) -> UnsavedWork | None:
    """Summarize a journal; delete it and return None if it contains no unsaved work.

    A journal of a newer Pruneapp is not deleted.
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
    """A journal that was left behind, locked so that no other window opens it."""

    # The session file in which the work was saved; None if there is none, or if other work was
    # saved to it since.
    kept_in: FileStamp | None
    kept_steps: int  # number of edits that this session file contains
    # Number of the state that it contains; -1 if that is not in the history any more.
    safe: int
    keeps_measured: bool  # whether it contains all measurements
    kept_view: Mapping[str, Any]  # the state of the views in it
    _source: FileSource = field(repr=False)
    _locked: io.BufferedIOBase = field(repr=False)

    def close(self) -> None:
        """Close and unlock the journal without deleting it."""
        self._source.close()
        self._locked.close()

    def delete(self) -> None:
        """Close and delete the journal."""
        self.close()
        delete(self.path)


def read_journal(path: Path, job: Job) -> JournalFile:
    """Read the valid part of a journal that was left behind, without its masks, and lock it.

    Raises
    ------
    SessionError
        If it does not exist, is locked by another window, cannot be read, or was written by a newer
        Pruneapp.
    """
    try:
        file = path.open("r+b")
    except OSError:
        raise _in_use_error(path) from None
    try:
        return _read_locked(path, file, job)
    except BaseException:
        file.close()
        raise


def _read_locked(path: Path, file: io.BufferedRandom, job: Job) -> JournalFile:
    if not lock(file.fileno()):
        raise _in_use_error(path)
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
    """Return the stamp of the session file; None if the file is gone or was changed since."""
    known = kept.file
    now = None if known is None else FileStamp.of(Path(known.path), job)
    return known if known is not None and now is not None and known.is_of(now) else None


def _in_use_error(path: Path) -> SessionError:
    return SessionError(
        f"The work in '{path.name}' was opened or deleted by another window in the meantime.",
        remedy="Look in the other window.",
    )
