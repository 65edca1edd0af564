"""The journal of a document: edits are written immediately, their masks in the background.

An edit is first written as an intent, a description by which it can be repeated, and then its
masks, which may take seconds; later edits are written between their pieces. So every edit is safe
within milliseconds, and edits with masks in the file need not be repeated. A step costs its changed
bits, compressed, so that a brush stroke on a model of any size takes kilobytes.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any
from weakref import ref

import msgspec
import platformdirs

from pruneapp.checkpoint.io.atomic_file import flush_folder
from pruneapp.document.document import Capture
from pruneapp.document.edit import Record, is_work
from pruneapp.document.history import Branches
from pruneapp.document.mask_store import NewMask
from pruneapp.errors import SessionError, words_of
from pruneapp.progress import Job
from pruneapp.sessions.history_codec import SMALL, MaskNumbers, bundles, pack, pack_together
from pruneapp.sessions.journal_file import (
    LAST_KEY,
    EditRow,
    Fact,
    HistoryState,
    JournalDatabase,
    MaskHead,
    SessionRecord,
    delete,
    mask_key,
    pack_json,
)
from pruneapp.sessions.original import FileStamp, describe
from pruneapp.sessions.restore import is_repeatable

SUFFIX = ".journal"
# Masks of an edit are written together with it up to this size in bytes and this number:
# compressing them takes less time than a flush.
AT_ONCE, _FEW = 4 << 20, 1000
# Bytes of unused masks that are deleted at a time.
_DELETED_AT_ONCE = 64 << 20

# The document, and the state of its views.
JournalUpdate = tuple[Capture, Mapping[str, Any]]


def folder() -> Path:
    """Return the folder of journals, in the system's folder for application state."""
    return Path(platformdirs.user_state_path("pruneapp", appauthor=False)) / "journals"


class Journal:
    """Writes the journal of one document. For use on one thread, which may block on the disk.

    The file is created with the first change that could be lost, so viewing a file leaves no trace.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self.path: Path | None = None  # the file; None until there is one
        self._file: JournalDatabase | None = None
        # The edits in the file with their keys, the number of them whose masks are in the file as
        # well, and the facts in it.
        self._edits: list[tuple[int, Record]] = []
        self._complete = 0
        self._facts: dict[Fact, Any] = {}
        self._next_key = 1
        self._numbers = MaskNumbers()
        self._heads: dict[int, MaskHead] = {}  # bundles of masks in the file, by the first number
        self._is_current = False  # whether the file has all edits, with their masks or as intents
        self._has_unused = False  # whether the file has masks that no edit needs
        # Whether the file may contain a transaction that failed: if the last flush failed, SQLite
        # reports an error although it cannot undo the transaction any more.
        self._is_in_doubt = False
        # The arguments of `mark_saved`, with weak references, because the records would keep their
        # masks alive.
        self._saved: (
            tuple[Sequence[ref[Record]], int, FileStamp, Branches, Mapping[str, Any]] | None
        ) = None
        # The newest contents, and a function that returns newer ones. Set during writes only,
        # because they keep masks alive.
        self._latest: JournalUpdate
        self._newer: Callable[[], JournalUpdate | None]

    @property
    def nbytes(self) -> int:
        """Size of the file in bytes; 0 if it is not open."""
        return 0 if self._file is None else self._file.size

    def keep(
        self,
        capture: Capture,
        view: Mapping[str, Any],
        job: Job,
        newer: Callable[[], JournalUpdate | None] = lambda: None,
        *,
        with_view: bool = False,
    ) -> None:
        """Write everything that is not in the file yet, and flush it to disk.

        Edits are written first, then their masks; at last, masks that no edit needs any more are
        deleted. The file is created if needed, unless nothing could be lost. A call without changes
        writes nothing.

        Parameters
        ----------
        capture
            The document. Edits of the file that it lacks are deleted from it.
        view
            The state of the views, as JSON.
        newer
            Called between pieces of masks; returns changes made in the meantime, once, or None.
            They are written before more masks.
        with_view
            Create the file even if there is no work, because the views contain new measurements.

        Raises
        ------
        SessionError
            If the file cannot be written; its contents remain valid, and the next call tries again.
            Also the errors of `MaskSlot.load`.
        """
        if (
            self._file is None
            and not with_view
            and not any(record.entry is None or is_work(record.entry) for record in capture.records)
        ):
            return
        self._latest, self._newer = (capture, view), newer
        try:
            if self._file is None:
                self._create(job)
            else:
                self._write_steps(job)
            while self._complete < len(self._latest[0].records):
                self._write_next_masks(job)
            with contextlib.suppress(OSError):  # the file is complete
                self._delete_unused(job)
        except OSError as error:
            raise self._disk_error(error) from error
        finally:
            del self._latest, self._newer

    def mark_saved(
        self,
        records: Sequence[Record],
        position: int,
        file: FileStamp,
        branches: Branches | None = None,
        view: Mapping[str, Any] | None = None,
    ) -> None:
        """Record that a history is stored in a session file.

        Replaces what was recorded before, and errors of the disk are ignored. Without a file it is
        recorded when `keep` creates one.

        Parameters
        ----------
        position
            Its current state; -1 if unknown.
        file
            The session file.
        branches
            The names and notes of states in it; None for none.
        view
            The state of the views in it.
        """
        texts = branches or Branches()
        self._saved = tuple(map(ref, records)), position, file, texts, view or {}
        if self._file is not None:
            with contextlib.suppress(OSError), self._transaction():  # no work is lost without it
                self._write_session()

    def note_digests(self, digests: Mapping[str, str]) -> None:
        """Record the SHA-256 of files of the checkpoint, by name, once they are computed.

        Files that are not in `digests` keep theirs. Does nothing without a file; errors of the disk
        are ignored.
        """
        if self._file is not None:
            original = self._facts[Fact.ORIGINAL]
            changed = [
                msgspec.structs.replace(file, sha256=digests.get(file.name, file.sha256))
                for file in original.files
            ]
            with contextlib.suppress(OSError), self._transaction():  # they can be computed again
                self._put_fact(
                    Fact.ORIGINAL, msgspec.structs.replace(original, files=tuple(changed))
                )

    def delete(self) -> None:
        """Delete the file, if there is one."""
        if (path := self.close()) is not None:
            delete(path)
            self.path = None

    def close(self) -> Path | None:
        """Close the file without deleting it; return its path, None if it was not open.

        `path` is kept.
        """
        if self._file is None:
            return None
        self._file.close()
        self._file = None
        return self.path

    # Implementation

    @property
    def _open_file(self) -> JournalDatabase:
        assert self._file is not None
        return self._file

    def _create(self, job: Job) -> None:
        """Create the file with all steps, and open it. If that fails, the file is deleted."""
        self._place.mkdir(parents=True, exist_ok=True)
        path = self._place / f"{secrets.token_hex(6)}{SUFFIX}"
        self._file = JournalDatabase(path, create=True)
        self.path, self._is_in_doubt = path, False
        try:
            with self._transaction():
                self._file.create_tables()
                self._write_steps(job)
            flush_folder(self._place)
        except BaseException:
            self.delete()
            raise

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Write what the block writes, or nothing; joins an open transaction.

        If it fails, the fields that describe the file are restored too. Raises `OSError`.
        """
        if self._open_file.in_transaction:
            yield
            return
        before = list(self._edits), self._complete, dict(self._facts), self._next_key
        count = self._numbers.count
        try:
            with self._open_file.transaction():
                if self._is_in_doubt:
                    self._open_file.delete_rows("edit", self._next_key, LAST_KEY)
                    self._open_file.delete_rows("mask", mask_key(count), LAST_KEY)
                    for fact, value in self._facts.items():
                        self._open_file.put("fact", fact, pack_json(value))
                yield
        except BaseException:
            self._edits, self._complete, self._facts, self._next_key = before
            self._numbers.reset_to(count)
            self._is_in_doubt = True
            raise
        self._is_in_doubt = False

    def _write_newer_steps(self, job: Job) -> None:
        newer = self._newer()
        if newer and newer[0].snapshot.revision >= self._latest[0].snapshot.revision:
            self._latest = newer
            self._write_steps(job)

    def _write_steps(self, job: Job) -> None:
        """Write all changes except large masks: deletions, new edits and all facts; or nothing.

        An edit with large masks, or after such a one, is written without masks if it can be
        repeated. If it cannot, it and all later ones wait for the masks of earlier edits.
        """
        capture, view = self._latest
        self._is_current = False
        with self._transaction():
            original = self._facts.get(Fact.ORIGINAL)
            checkpoint = capture.snapshot.checkpoint
            if original is None or original.path != str(checkpoint.path.absolute()):
                self._put_fact(Fact.ORIGINAL, describe(checkpoint, job))
            self._delete_edits(capture)
            for at in range(len(self._edits), len(capture.records)):
                record = capture.records[at]
                is_next = at == self._complete
                if is_next and _is_small(record):
                    self._write_masks(self._numbers.new_masks(record), job)
                    self._put_edit(at, is_intent=False)
                elif is_repeatable(record):
                    self._write_masks(self._numbers.new_entry_masks(record), job)
                    self._put_edit(at, is_intent=True)
                else:
                    break
            self._put_fact(Fact.STATE, self._state(capture))
            self._put_fact(Fact.VIEW, dict(view))
            self._write_session()
        self._is_current = len(self._edits) == len(capture.records)

    def _write_next_masks(self, job: Job) -> None:
        """Write the masks of the first edit without them, and then the edit as a complete one.

        Newer steps are written between pieces. If they delete the edit, it is not written.
        """
        record = self._latest[0].records[self._complete]

        def is_next() -> bool:
            self._write_newer_steps(job)  # may delete this edit or earlier ones
            records = self._latest[0].records
            return self._complete < len(records) and records[self._complete] is record

        if self._write_masks(self._numbers.new_masks(record), job, is_next):
            with self._transaction():
                self._put_edit(self._complete, is_intent=False)
                self._write_steps(job)

    def _delete_edits(self, capture: Capture) -> None:
        """Delete the edits of states that the capture no longer has.

        Their masks remain until `_delete_unused`, because other masks may have them as bases.
        """
        present = set(map(id, capture.records))
        deleted = [number for number, (_, r) in enumerate(self._edits) if id(r) not in present]
        if deleted:
            for number in deleted:
                key = self._edits[number][0]
                self._open_file.delete_rows("edit", key, key)
            self._complete -= sum(number < self._complete for number in deleted)
            self._edits = [edit for edit in self._edits if id(edit[1]) in present]
            self._numbers.keep(record for _, record in self._edits)
            self._has_unused = True

    def _put_edit(self, at: int, *, is_intent: bool) -> None:
        """Write edit number `at` of the latest capture, or replace its intent by the complete edit.

        Its masks, or for an intent those that its entry names, must be in the file.
        """
        capture = self._latest[0]
        record, last = capture.records[at], capture.parent(at)
        if is_intent:
            edit = self._numbers.intent(record, last)
        else:
            edit = self._numbers.edit(record, last, capture.snapshot.checkpoint)
            self._complete += 1
        if at == len(self._edits):
            self._edits.append((self._next_key, record))
            self._next_key += 1
        parent = self._key(capture.branches.after[at])
        self._open_file.put("edit", self._edits[at][0], pack_json(EditRow(parent, edit, is_intent)))

    def _key(self, state: int) -> int:
        """Return the key of the edit that leads to a state; -1 if it is not in the file."""
        if state <= 0:
            return state
        return self._edits[state - 1][0] if state <= len(self._edits) else -1

    def _state(self, capture: Capture) -> HistoryState:
        """Return the current state, and the names and notes of states, by keys.

        If the current state is not in the file yet, its nearest ancestor that is.
        """
        position = capture.position
        while self._key(position) < 0:  # deferred; see `_write_steps`
            position = capture.branches.parent(position)
        return HistoryState(
            self._key(position),
            self._key(capture.branches.tip),
            self._key(capture.exported),
            self._texts(capture.branches.names),
            self._texts(capture.branches.notes),
        )

    def _texts(self, texts: Mapping[int, str]) -> tuple[tuple[int, str], ...]:
        """Return texts of states by keys, without those of states that are not in the file yet."""
        keyed = [(self._key(state), text) for state, text in texts.items()]
        return tuple([(key, text) for key, text in keyed if key >= 0])

    def _write_session(self) -> None:
        """Write which edits of this file a session file contains, if that has changed.

        These are the first edits up to one that differs or whose state has another name or note.
        """
        if self._saved is None:
            return
        records, position, file, branches, view = self._saved
        pairs = zip(self._edits, records, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0][1] is pair[1](), pairs))
        state = self._facts[Fact.STATE]
        names = {*self._texts(branches.names)} ^ {*state.names}
        notes = {*self._texts(branches.notes)} ^ {*state.notes}
        renamed = {key for key, _ in (*names, *notes)}
        same = sum(1 for _ in takewhile(lambda edit: edit[0] not in renamed, self._edits[:same]))
        # The opened file is no edit: with another note of it, the session has no current state.
        at = self._key(position) if position <= same and 0 not in renamed else -1
        self._put_fact(Fact.SESSION, SessionRecord(at, self._key(same), file))
        self._put_fact(Fact.SESSION_VIEW, dict(view))

    def _put_fact(self, fact: Fact, value: Any) -> None:
        if fact not in self._facts or self._facts[fact] != value:
            self._open_file.put("fact", fact, pack_json(value))
            self._facts[fact] = value

    # Masks

    def _write_masks(
        self, masks: Sequence[NewMask], job: Job, is_next: Callable[[], bool] = lambda: True
    ) -> bool:
        """Write masks in bundles, and assign their numbers. Return False if their edit was deleted.

        `is_next` is called between pieces and returns whether the edit still exists. It may write
        other rows, including masks. A bundle that is not complete is deleted again.
        """
        for some in bundles(masks):
            first = self._numbers.count
            for new in some:
                self._numbers.assign(new)
            is_whole = False
            try:
                is_whole = self._write_bundle(first, some, is_next, job)
            finally:
                if not is_whole:
                    self._discard(first, some)
            if not is_whole:
                return False
        return True

    def _write_bundle(
        self, first: int, some: list[NewMask], is_next: Callable[[], bool], job: Job
    ) -> bool:
        """Write one large mask or several small ones; see `bundles`. Return False if `is_next` did.

        `first` is the number of the first of them.
        """
        capture, together = self._latest[0], some[0].slot.nbytes <= SMALL
        if together:
            pieces = iter((pack_together([capture.pair(new, job) for new in some], job),))
        else:
            pieces = pack(*capture.pair(some[0], job), job)
        bases = tuple([self._numbers.find(new.base) for new in some])
        head = MaskHead(tuple([new.slot.size for new in some]), bases, together)
        self._heads[first] = head
        for index, piece in enumerate(pieces, 1):
            with self._transaction():
                if index == 1:
                    self._open_file.put("mask", mask_key(first), pack_json(head))
                self._open_file.put("mask", mask_key(first, index), piece)
            if not is_next():
                return False
        return True

    def _discard(self, first: int, some: list[NewMask]) -> None:
        """Delete an incomplete bundle, which may have filled the disk."""
        self._numbers.forget(some)
        self._has_unused = True
        if not self._open_file.in_transaction:
            with contextlib.suppress(OSError), self._transaction():
                self._delete_bundle(first)

    def _delete_bundle(self, first: int) -> None:
        self._open_file.delete_rows("mask", mask_key(first), mask_key(first + 1) - 1)

    def _delete_unused(self, job: Job) -> None:
        """Delete masks that no edit needs, in portions; newer steps are written in between.

        Bases of needed masks are kept. Then free space of the file is returned to the file system.
        """
        if not self._has_unused:
            return
        self._has_unused = False  # if this fails, they are deleted with the next ones
        needed = {self._numbers.find(slot) for _, record in self._edits for slot in record.slots()}
        unused: list[int] = []
        for first in sorted(self._heads, reverse=True):  # bases have lower numbers
            is_unused = True
            for number, base in reversed(list(enumerate(self._heads[first].bases, first))):
                if number in needed:
                    needed.add(base)
                    is_unused = False
            if is_unused:
                unused.append(first)
        while unused:
            portion, nbytes = [], 0
            while unused and nbytes < _DELETED_AT_ONCE:
                portion.append(unused.pop())
                nbytes += self._heads[portion[-1]].nbytes
            with self._transaction():
                for first in portion:
                    self._delete_bundle(first)
            for first in portion:
                del self._heads[first]
            self._write_newer_steps(job)
        while self._open_file.release_space():
            self._write_newer_steps(job)

    def _disk_error(self, error: OSError) -> SessionError:
        """Return the error for a failure of the disk. It states whether edits can be lost."""
        if self._file is not None and self._is_current:
            sentence = (
                "After a crash, the last steps would have to be computed again: their masks cannot "
                f"be written to '{self._place}' ({words_of(error)})."
            )
        else:
            sentence = (
                f"Your work cannot be restored after a crash: '{self._place}' cannot be written "
                f"({words_of(error)})."
            )
        return SessionError(
            sentence,
            remedy="You can continue to work. Free some space on the disk, or save the session.",
        )


def _is_small(record: Record) -> bool:
    layers = (*record.after.values(), record.entry_masks)
    slots = [slot for layer in layers for slot in layer.values() if slot is not None]
    return len(slots) <= _FEW and sum([slot.nbytes for slot in slots]) <= AT_ONCE
