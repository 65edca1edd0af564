"""Journal: keep, compact.

The journal of a document: what was done is on the disk at once, its masks come behind the work.

It is only appended to. A step costs the bits that it changed, compressed, so that a stroke of a
brush on a model of any size costs kilobytes. What is undone stays in it; what is cut off becomes
dead bytes, which `Journal.compact` drops when nobody waits.

One file of a journal, as far as it is written.

First comes what was done, in words that it can be done again by, and only then the masks, which
may take seconds: what is said meanwhile comes between their pieces. So all that was done is safe
within milliseconds, and whatever has its masks in the file need not be done again.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from weakref import ReferenceType, ref

import platformdirs

from pruneapp.document.document import Capture
from pruneapp.document.edit import Record
from pruneapp.errors import SessionError, words_of
from pruneapp.progress import Job
from pruneapp.sessions.fingerprint import Stamp, describe
from pruneapp.sessions.history_codec import bundles
from pruneapp.sessions.journal_file import (
    VERSION,
    Digests,
    EditAt,
    Exported,
    Head,
    IntentAt,
    JournalLog,
    Kept,
    MasksAt,
    Position,
    View,
)
from pruneapp.sessions.restore import repeatable

# Masks of an edit that are written along with it, in bytes and in number: packing them takes less
# than waiting for a disk.
AT_ONCE, _FEW = 4 << 20, 1000

# Says what was done meanwhile, if there is something.
Meanwhile = Callable[[], None]


class JournalWriter:
    """A journal that is being written; for one thread.

    Parameters
    ----------
    path
        The file; it must not exist.
    capture
        The document, whose checkpoint it is about.
    job
        May cancel.

    Raises
    ------
    OSError
        If the disk refuses it; from every method. The file ends with what was whole.
    """

    def __init__(self, path: Path, capture: Capture, job: Job) -> None:
        self._records: list[Record] = []
        # So many of them have their masks in the file; the others can be done again.
        self._done = 0
        # Bytes of each.
        self._edits: list[int] = []
        self._position = self._exported = 0
        self._view: Mapping[str, Any] = {}
        self._kept: Kept | None = None
        self._log = JournalLog(path)
        try:
            self._describe(capture, job)
        except BaseException:
            self.delete()
            raise

    @property
    def path(self) -> Path:
        """The file."""
        return self._log.path

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._log.size

    @property
    def doubtful(self) -> bool:
        """Whether nobody knows what the disk has of it."""
        return self._log.doubtful

    @property
    def dead(self) -> int:
        """Bytes that no state needs any more."""
        live = sum(self._edits) + self._log.bytes_for(self._records)
        return max(0, self.size - live)

    def says(self, capture: Capture) -> bool:
        """Whether it says all that was done, with masks or without."""
        return self._same(capture) == len(capture.records) and self._position == capture.position

    def is_complete(self, capture: Capture) -> bool:
        """Whether it has the masks of all that was done, too."""
        return self.says(capture) and self._done == len(capture.records)

    def say(self, capture: Capture, job: Job) -> None:
        """Write what was done, as far as that takes no time.

        What cannot be done again has to wait for the masks of what came before.

        Parameters
        ----------
        capture
            The document.
        job
            May cancel; each edit is there or not.

        Raises
        ------
        HistoryError, StaleError
            If a mask cannot be read from the scratch file, or is gone.
        """
        if self._path != capture.snapshot.checkpoint.path:  # an export took its name
            self._describe(capture, job)
        for at in range(self._same(capture), len(capture.records)):
            record = capture.records[at]
            again = repeatable(record)
            if self._done >= at and (not again or _is_small(record)):
                self._append(at, capture, job)
            elif again:
                self._announce(at, capture, job)
            else:
                break
        there = len(self._records)
        if self._position != capture.position <= there:
            self._log.note(Position(capture.position))
            self._position = capture.position
        if self._exported != capture.exported <= there:
            self._log.note(Exported(capture.exported))
            self._exported = capture.exported

    def say_all(self, capture: Capture, meanwhile: Meanwhile, job: Job) -> None:
        """Write what was done with all masks, whatever time that takes; the file is a new one.

        `meanwhile` is called between pieces of masks, and does nothing to this file.
        """
        for at in range(len(capture.records)):
            self._append(at, capture, job, meanwhile)

    def add_masks(self, capture: Capture, meanwhile: Meanwhile, job: Job) -> None:
        """Write the masks of the first edit that lacks them, if there is one.

        Parameters
        ----------
        capture
            The document.
        meanwhile
            Called between pieces of masks; may call `say`, and so cut the edit off.
        job
            May cancel; what is missing is written by the next call.
        """
        at = self._done
        if at == len(self._records):
            return
        record = self._records[at]

        def is_there() -> bool:
            meanwhile()
            return at < len(self._records) and self._records[at] is record

        self._log.mark()
        try:
            for some in bundles(self._log.numbers.new_of(record)):
                if not self._log.write_masks(some, capture, job, is_there):
                    return
            last = self._records[at - 1] if at else None
            edit = self._log.numbers.edit(record, last, capture.snapshot.checkpoint)
            nbytes = self._log.write(MasksAt(at, edit))
        except BaseException:
            self._log.back_to()
            raise
        self._edits[at] += nbytes
        self._done += 1
        self.flush()

    def mark_kept(
        self, records: Sequence[ReferenceType[Record]], position: int, file: Stamp
    ) -> None:
        """Write what of a session file is in this one, too, where that is something new.

        Parameters
        ----------
        records, position
            The history that was saved, and the state in force in it; -1 for none.
        file
            The session file.
        """
        same = 0
        for mine, theirs in zip(self._records, records, strict=False):
            if theirs() is not mine:
                break
            same += 1
        kept = Kept(position if position <= same else -1, same, file)
        if kept != self._kept:
            self._log.note(kept)
            self._kept = kept

    def look_at(self, view: Mapping[str, Any]) -> None:
        """Write what the person looks at, if it is something else."""
        if view != self._view:
            self._log.note(View(dict(view)))
            self._view = dict(view)

    def note_digests(self, sha256: Mapping[str, str]) -> None:
        """Write the SHA-256 of files of the original, by name."""
        self._log.note(Digests(dict(sha256)))

    def flush(self) -> None:
        """Wait until the disk has everything."""
        self._log.flush()

    def move(self, path: Path) -> None:
        """Take the place of another file."""
        self._log.move(path)

    def close(self) -> None:
        """Let go of the file; it stays."""
        self._log.close()

    def delete(self) -> None:
        """Delete the file."""
        self._log.delete()

    # How it works

    def _describe(self, capture: Capture, job: Job) -> None:
        checkpoint = capture.snapshot.checkpoint
        self._log.note(Head(VERSION, describe(checkpoint, job)))
        self._path = checkpoint.path

    def _same(self, capture: Capture) -> int:
        same = 0
        for mine, theirs in zip(self._records, capture.records, strict=False):
            if mine is not theirs:
                break
            same += 1
        return same

    def _append(
        self, at: int, capture: Capture, job: Job, meanwhile: Meanwhile = lambda: None
    ) -> None:
        """Write an edit and its masks, or nothing."""
        self._cut_off(at)
        self._log.mark()
        record, last = capture.records[at], capture.records[at - 1] if at else None

        def is_there() -> bool:
            meanwhile()
            return True

        try:
            for some in bundles(self._log.numbers.new_of(record)):
                self._log.write_masks(some, capture, job, is_there)
            edit = self._log.numbers.edit(record, last, capture.snapshot.checkpoint)
            nbytes = self._log.write(EditAt(at, edit))
        except BaseException:
            self._log.back_to()
            raise
        self._done = at + 1
        self._said(record, nbytes)

    def _announce(self, at: int, capture: Capture, job: Job) -> None:
        """Write what an edit did and the masks that it means itself, or nothing."""
        self._cut_off(at)
        before = self._log.here()
        record, last = capture.records[at], capture.records[at - 1] if at else None
        try:
            for some in bundles(self._log.numbers.new_meant(record)):
                self._log.write_masks(some, capture, job, lambda: True)
            nbytes = self._log.write(IntentAt(at, self._log.numbers.intent(record, last)))
        except BaseException:
            self._log.back_to(before)
            raise
        self._said(record, nbytes)
        self._log.mark()

    def _cut_off(self, at: int) -> None:
        # The file forgets them when the next edit is there.
        if at < len(self._records):
            del self._records[at:], self._edits[at:]
            self._done = min(self._done, at)
            self._log.numbers.keep(self._records)

    def _said(self, record: Record, nbytes: int) -> None:
        self._records.append(record)
        self._edits.append(nbytes)
        self._position = len(self._records)
        if self._exported > len(self._records) - 1:
            self._exported = -1


def _is_small(record: Record) -> bool:
    layers = (*record.after.values(), record.meant)
    slots = [slot for layer in layers for slot in layer.values() if slot is not None]
    return len(slots) <= _FEW and sum([slot.nbytes for slot in slots]) <= AT_ONCE


SUFFIX = ".journal"
# Fewer dead bytes are not worth writing the others again.
_MUCH = 1 << 20
# Names that are tried for a new file.
_NAMES = 10


# What was done, and what the person looked at.
Said = tuple[Capture, Mapping[str, Any]]


def folder() -> Path:
    """Return where journals are kept: what the system has for the state of applications."""
    return Path(platformdirs.user_state_path("pruneapp", appauthor=False)) / "journals"


def _nothing() -> Said | None:
    return None


class Journal:
    """Keeps one document; for one thread, which may wait for a disk.

    The file is made when there is something to lose: who only looks leaves nothing behind.

    Parameters
    ----------
    place
        The folder of journals; made if need be.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self._writer: JournalWriter | None = None
        # A history that is safe in a session file, the state in force in it, and that file. Who
        # held the records would hold their masks, too.
        self._kept: tuple[tuple[ref[Record], ...], int, Stamp] | None = None

    @property
    def path(self) -> Path | None:
        """The file; None while there is none."""
        return None if self._writer is None else self._writer.path

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return 0 if self._writer is None else self._writer.size

    @property
    def dead(self) -> int:
        """Bytes that no state needs any more."""
        return 0 if self._writer is None else self._writer.dead

    def keep(
        self,
        capture: Capture,
        view: Mapping[str, Any],
        job: Job,
        newer: Callable[[], Said | None] = _nothing,
    ) -> None:
        """Write what the file does not say yet, and wait until the disk has it.

        First comes what was done, then the masks; see `JournalWriter`.

        Parameters
        ----------
        capture
            The document.
        view
            What the person looks at, as plain JSON; written along with something else.
        job
            May cancel; what was written stays, and each step is there or not.
        newer
            Returns what was done meanwhile, once; it is written before the masks go on.

        Raises
        ------
        SessionError
            If the disk refuses it. What it has stays, and the next call tries again.
        HistoryError, StaleError
            If a mask cannot be read from the scratch file, or is gone.
        """
        if self._writer is None and not capture.has_work:
            return
        latest = _Latest((capture, view), newer)
        try:
            if self._writer is not None and self._writer.doubtful:
                self._renew(self._writer, latest, job)
            self._keep(latest, job)
        except OSError as error:
            raise self._refused(latest.capture, error) from error

    def mark_kept(self, records: Sequence[Record], position: int, file: Stamp) -> None:
        """Note that a history is safe in a session file.

        Parameters
        ----------
        records
            The history, the undone edits too.
        position
            The state in force in it; -1 for none.
        file
            The session file as it was read or written.
        """
        self._kept = tuple(map(ref, records)), position, file
        if self._writer is not None:
            with contextlib.suppress(OSError):  # it is about what is safe anyway
                self._writer.mark_kept(*self._kept)

    def note_digests(self, digests: Mapping[str, str]) -> None:
        """Note the SHA-256 of files of the original, by name, that were counted meanwhile."""
        if self._writer is not None:
            with contextlib.suppress(OSError):  # it can be counted again
                self._writer.note_digests(digests)

    def compact(
        self,
        capture: Capture,
        view: Mapping[str, Any],
        job: Job,
        newer: Callable[[], Said | None] = _nothing,
    ) -> None:
        """Write the journal anew if most of it is dead; the old one is there until that is done.

        Parameters
        ----------
        capture, view, job, newer
            As for `keep`.

        Raises
        ------
        OSError
            If the disk refuses it; the old file stays.
        """
        writer = self._writer
        if writer is not None and writer.dead >= max(_MUCH, writer.size // 2):
            self._write_anew(writer, _Latest((capture, view), newer), job)

    def close(self) -> None:
        """Let go of the file; it stays, to be offered at the next start."""
        if self._writer is not None:
            self._writer.close()

    def delete(self) -> None:
        """Delete the file: nothing of it is needed any more."""
        if self._writer is not None:
            self._writer.delete()
            self._writer = None

    # How it works

    def _open(self, capture: Capture, job: Job, suffix: str = "") -> JournalWriter:
        self._place.mkdir(parents=True, exist_ok=True)
        for _ in range(_NAMES - 1):
            # Another window that looks for what was left behind may have locked it in the moment
            # before this one does. It does not know of a file that is made now.
            with contextlib.suppress(BlockingIOError):
                return JournalWriter(self._new_name(suffix), capture, job)
        return JournalWriter(self._new_name(suffix), capture, job)

    def _new_name(self, suffix: str) -> Path:
        return self._place / f"{secrets.token_hex(6)}{SUFFIX}{suffix}"

    def _keep(self, latest: _Latest, job: Job) -> None:
        writer = self._writer
        if writer is None:
            writer = self._writer = self._open(latest.capture, job)

        def say_newer() -> None:
            if latest.renew():
                self._say(writer, latest, job)

        self._say(writer, latest, job)
        while not writer.is_complete(latest.capture):
            writer.add_masks(latest.capture, say_newer, job)
            self._say(writer, latest, job)

    def _say(self, writer: JournalWriter, latest: _Latest, job: Job) -> None:
        before = writer.size
        writer.say(latest.capture, job)
        self._finish(writer, latest, before)

    def _finish(self, writer: JournalWriter, latest: _Latest, before: int) -> None:
        if self._kept is not None:
            writer.mark_kept(*self._kept)
        if writer.size != before:
            writer.look_at(latest.view)
            writer.flush()

    def _renew(self, doubtful: JournalWriter, latest: _Latest, job: Job) -> None:
        try:
            self._write_anew(doubtful, latest, job)
        except OSError:
            with contextlib.suppress(OSError):  # better something in a doubtful file than nothing
                self._say(doubtful, latest, job)
            raise

    def _write_anew(self, old: JournalWriter, latest: _Latest, job: Job) -> None:
        def say_newer() -> None:
            if latest.renew():
                self._say(old, latest, job)

        fresh = self._open(latest.capture, job, suffix=".new")
        try:
            fresh.say_all(latest.capture, say_newer, job)
            fresh.say(latest.capture, job)
            self._finish(fresh, latest, 0)
            fresh.move(old.path)
        except BaseException:
            fresh.delete()
            raise
        old.close()
        self._writer = fresh

    def _refused(self, capture: Capture, error: OSError) -> SessionError:
        writer = self._writer
        if writer is not None and writer.says(capture) and not writer.doubtful:
            sentence = (
                "After a crash, the last steps would have to be computed again: their masks cannot "
                f"be written to '{self._place}' ({words_of(error)})."
            )
        else:
            sentence = (
                f"Your work is not being kept for the case of a crash: '{self._place}' cannot be "
                f"written ({words_of(error)})."
            )
        return SessionError(
            sentence, remedy="Work goes on. Make room on the disk, or save the session."
        )


class _Latest:
    """What was done last, as far as one was told."""

    def __init__(self, said: Said, newer: Callable[[], Said | None]) -> None:
        self.capture, self.view = said
        self._newer = newer

    def renew(self) -> bool:
        """Ask whether there is something newer."""
        said = self._newer()
        if said is None or said[0].snapshot.revision < self.capture.snapshot.revision:
            return False
        self.capture, self.view = said
        return True
