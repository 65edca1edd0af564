"""Reading journals that a killed process left behind."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.io.store import locate
from pruneapp.document.edit import is_work
from pruneapp.errors import SessionError, words_of
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.sessions import history_codec
from pruneapp.sessions.history_codec import (
    NO_MASK,
    SavedEdit,
    SavedHistory,
    SavedMask,
    Unpacker,
    branches_of,
    check_version,
    damaged,
    reading_mask,
)
from pruneapp.sessions.journal import SUFFIX
from pruneapp.sessions.journal_file import (
    VERSION,
    EditRow,
    Fact,
    HistoryState,
    JournalDatabase,
    MaskHead,
    SessionRecord,
    delete,
    mask_key,
    mask_of_key,
    unpack_json,
)
from pruneapp.sessions.original import FileStamp, Original
from pruneapp.sessions.restore import Saved, measurements_in

# Age in seconds below which a journal without unsaved work may still be needed: by the window that
# creates it, or by the one that replaces its window.
_FRESH_S = 60
# Seconds to wait for the lock of a journal, which a search holds while it reads the steps.
_LOCKED_S = 2.0
_LOOK_EVERY_S = 0.02


@dataclass(frozen=True)
class StoredMask:
    """A mask, and the bundle of rows that contains it.

    `offset` is its first byte among the masks that are compressed together; -1 if it is alone.
    """

    saved: SavedMask
    first: int  # number of the first mask of the bundle
    offset: int = -1


class MasksOfJournal:
    """Reads the masks of a journal; implements `MaskSource`."""

    def __init__(self, file: JournalDatabase, masks: Mapping[int, StoredMask]) -> None:
        self._file = file
        self._masks = masks
        self._unpacker = Unpacker()

    def read(self, number: int, base: BitMask | None, job: Job) -> BitMask:
        """Read a mask; see `MaskSource`. The journal must still be open."""
        path, mask = self._file.path, self._masks[number]
        keys = mask_key(mask.first, 1), mask_key(mask.first + 1) - 1
        pieces = (data for _, data in self._file.rows("mask", *keys))
        with _reading(path), reading_mask(str(path), number):
            return self._unpacker.read(
                mask.first, pieces, mask.saved.size, mask.offset, base=base, job=job
            )


@dataclass(frozen=True)
class JournalFile(Saved):
    """A journal that was left behind, locked so that no other window opens it."""

    # The session file in which the work was saved; None if there is none, or if other work was
    # saved to it since.
    kept_in: FileStamp | None
    kept_steps: int  # number of edits that this session file contains
    # Number of the state that it contains; -1 if that is not in the history any more.
    safe: int
    kept_view: Mapping[str, Any]  # the state of the views in it
    _file: JournalDatabase = field(repr=False)

    @property
    def keeps_measured(self) -> bool:
        """Whether the session file contains all measurements."""
        is_same = measurements_in(self.view) == measurements_in(self.kept_view)
        return self.kept_in is not None and is_same

    @property
    def is_unsaved(self) -> bool:
        """Whether it contains work that is not in the session file."""
        history = self.history
        edits = [*history.edits, *history.intents]
        if not measurements_in(self.view) and not any(is_work(edit.entry) for edit in edits):
            return False
        in_session = self.safe == history.position and self.kept_steps == len(edits)
        return not (in_session and self.keeps_measured)

    def close(self) -> None:
        """Close and unlock the journal without deleting it."""
        self._file.close()

    def delete(self) -> None:
        """Close and delete the journal."""
        self.close()
        delete(self.path)


def read_journal(path: Path, job: Job) -> JournalFile:
    """Read the undamaged part of a journal that was left behind, and lock it.

    Masks are read later, but their checksums are verified: edits without complete masks, and those
    after them, are left out.

    Raises
    ------
    SessionError
        If it does not exist, is locked by another window for more than `_LOCKED_S`, cannot be read,
        or was written by a newer Pruneapp.
    """
    try:
        file = _lock_journal(path, job)
    except OSError:
        raise _in_use_error(path) from None
    try:
        with _reading(path):
            masks = _stored_masks(file, job)
            found = _read(file, masks, job)
    except BaseException:
        file.close()
        raise
    if found is None:
        file.close()
        raise damaged(str(path), "its header is invalid")
    return found


def _lock_journal(path: Path, job: Job) -> JournalDatabase:
    """Open and lock a journal, as soon as it is not locked. Raises `OSError` if that fails."""
    ends = time.monotonic() + _LOCKED_S
    while True:
        try:
            return JournalDatabase(path)
        except BlockingIOError:
            if time.monotonic() >= ends:
                raise
        job.step(0)
        time.sleep(_LOOK_EVERY_S)  # on a worker: the lock of a file sends no event when it is free


def _in_use_error(path: Path) -> SessionError:
    return SessionError(
        f"The unsaved changes to '{path.name}' were opened or deleted by another window in the "
        "meantime.",
        remedy="Continue in the other window.",
    )


def _stored_masks(file: JournalDatabase, job: Job) -> dict[int, StoredMask]:
    """Verify the checksums of all masks; return the complete ones by number.

    A mask is complete if its base is.
    """
    heads: dict[int, MaskHead] = {}
    n_pieces: Counter[int] = Counter()
    for key, data in file.rows("mask"):
        job.step(0)
        first, index = mask_of_key(key)
        if index:
            n_pieces[first] += 1
        elif (head := unpack_json(data, MaskHead, str(file.path))) is not None:
            heads[first] = head
    masks: dict[int, StoredMask] = {}
    for first, head in heads.items():
        expected = 1 if head.together else -(-head.nbytes // history_codec.PIECE)
        offset = 0
        for number, (size, base) in enumerate(zip(head.sizes, head.bases, strict=True), first):
            if n_pieces[first] == expected and (base == NO_MASK or base in masks):
                masks[number] = StoredMask(
                    SavedMask(size, base), first, offset if head.together else -1
                )
            offset += (size + 7) // 8
    return masks


def _read(
    file: JournalDatabase, masks: Mapping[int, StoredMask] | None, job: Job
) -> JournalFile | None:
    """Read the history and the facts; None if the file is empty, or damaged at its beginning.

    Edits whose masks, or whose parents, are not in the file are left out. `masks` is None if this
    should not be verified. Raises `SessionError` if the file was written by a newer Pruneapp. The
    result keeps `file` open.
    """
    where = str(file.path)
    check_version({"version": max(file.version, 1)}, VERSION, where)
    facts = dict(file.rows("fact"))

    def fact(which: Fact, kind: Any) -> Any:
        return unpack_json(facts[which], kind, where) if which in facts else None

    original: Original | None = fact(Fact.ORIGINAL, Original)
    if original is None:
        return None
    state = fact(Fact.STATE, HistoryState) or HistoryState()
    session = fact(Fact.SESSION, SessionRecord) or SessionRecord()
    states = {0: 0}  # numbers of states, by the keys of their edits
    edits: list[SavedEdit] = []
    after: list[int] = []
    n_intents = 0
    for key, data in file.rows("edit"):
        job.step(0)
        row = unpack_json(data, EditRow, where)
        if row is None or row.parent not in states or (n_intents and not row.is_intent):
            continue
        if masks is None or _mask_numbers(row.edit) <= masks.keys():
            edits.append(row.edit)
            after.append(states[row.parent])
            states[key] = len(edits)
            n_intents += row.is_intent
    position = states.get(state.position, len(edits))
    tip = states.get(state.tip, -1) if state.position in states else -1
    names = [(states[key], name) for key, name in state.names if key in states]
    notes = [(states[key], note) for key, note in state.notes if key in states]
    stored = masks or {}
    nothing = StoredMask(SavedMask(0), 0)
    stamp = _verify_stamp(session.file, job)
    return JournalFile(
        file.path,
        original,
        SavedHistory(
            masks=[stored.get(n, nothing).saved for n in range(max(stored, default=-1) + 1)],
            edits=edits[: len(edits) - n_intents],
            position=position,
            exported=states.get(state.exported, -1),
            source=MasksOfJournal(file, stored),
            intents=edits[len(edits) - n_intents :],
            branches=branches_of(after, tip, names, notes, position=position, where=where),
        ),
        fact(Fact.VIEW, dict[str, Any]) or {},
        stamp,
        0 if stamp is None else sum(0 < key <= session.last for key in states),
        -1 if stamp is None else states.get(session.at, -1),
        fact(Fact.SESSION_VIEW, dict[str, Any]) or {},
        file,
    )


def _mask_numbers(edit: SavedEdit) -> set[int]:
    """Return the numbers of the masks of an edit."""
    swaps = [swap for swaps in edit.layers.values() for swap in swaps]
    numbers = {number for _, *both in swaps for number in both}
    return (numbers | set(edit.meant.values())) - {NO_MASK}


def _verify_stamp(known: FileStamp | None, job: Job) -> FileStamp | None:
    """Return the stamp `known` of the session file; None if the file is gone or changed since."""
    now = None if known is None else FileStamp.of(Path(known.path), job)
    return known if known is not None and now is not None and known.is_of(now) else None


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Convert errors of the disk to `SessionError`."""
    try:
        yield
    except OSError as error:
        raise SessionError(
            f"The unsaved changes in '{path}' cannot be read: {words_of(error)}.",
            remedy="Check the disk, then open it again.",
        ) from None


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
    """Return the journals with unsaved work, newest first; () if the folder cannot be read.

    Journals in use are skipped. Work counts as unsaved unless a session file contains it: exports
    contain neither steps nor protection. Journals without unsaved work are deleted when they are a
    minute old; until then another window may be creating or opening them.
    """
    unsaved: list[UnsavedWork] = []
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return ()
    for path in paths:
        job.step(0)
        if path.suffix == SUFFIX:
            with contextlib.suppress(OSError):  # in use, or deleted meanwhile
                work = _summary(path, job)
                if work is not None:
                    unsaved.append(work)
    return tuple(sorted(unsaved, key=lambda each: each.time, reverse=True))


def _summary(path: Path, job: Job) -> UnsavedWork | None:
    """Return what a journal has to recover; None if that is nothing.

    It is deleted then if it is older than `_FRESH_S`. `known` is False for a journal that cannot be
    read, as one of a newer Pruneapp; it is not deleted. Raises `OSError` if it is in use or no
    longer exists.
    """
    status = path.stat()
    is_fresh = time.time() - status.st_mtime < _FRESH_S
    if is_fresh and not status.st_size:
        return None  # not locked even briefly: another window is creating it
    with contextlib.closing(JournalDatabase(path)) as file:
        try:
            found = _read(file, None, job)
        except SessionError:
            return UnsavedWork(path, Path(), 0, 0, "", status.st_mtime, known=False)
    if found is None or not found.is_unsaved:
        if not is_fresh:
            delete(path)
        return None
    history = found.history
    edits = [*history.edits, *history.intents]
    steps = len(history.tree.path(history.position))
    return UnsavedWork(
        path,
        locate(found.original.path),
        steps,
        len(edits) - steps,
        edits[history.position - 1].label if edits else "",
        status.st_mtime,
        len(history.intents),
    )
