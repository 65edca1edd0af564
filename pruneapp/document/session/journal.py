"""The journal of a document: every step is on the disk as soon as it was written behind the work.

It is only appended to. A step costs the bits that it changed, compressed, so that a stroke of a
brush on a model of any size costs kilobytes. What is undone stays in it; what is cut off becomes
dead bytes, which `compacted` drops when nobody waits.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import platformdirs

from pruneapp.document.edit import Record
from pruneapp.document.session.capture import Capture, NewMask, Numbers, bundles
from pruneapp.document.session.entries import (
    VERSION,
    Digests,
    EditAt,
    Entry,
    Exported,
    Head,
    Kept,
    MaskHead,
    Position,
    View,
)
from pruneapp.document.session.log_file import JSON, PIECE, LogFile, delete
from pruneapp.document.session.original import describe
from pruneapp.document.session.packing import SMALL, pack, pack_together
from pruneapp.document.session.saved import NO_MASK
from pruneapp.errors import SessionError, words_of
from pruneapp.progress import Job

SUFFIX = ".journal"
# Fewer dead bytes are not worth writing the others again.
_MUCH = 1 << 20


def folder() -> Path:
    """Return where journals are kept: what the system has for the state of applications."""
    return Path(platformdirs.user_state_path("pruneapp", appauthor=False)) / "journals"


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
        self._log: LogFile | None = None
        self._path = Path()
        # The last edit of a state that is safe in a session file, and where that is.
        self._kept: tuple[Record | None, Kept] | None = None
        self._begin()

    def _begin(self) -> None:
        self._numbers = Numbers()
        self._records: list[Record] = []
        self._position = 0
        self._exported = 0
        self._kept_said = False
        self._view: Mapping[str, Any] = {}
        # Bytes of each edit; and bytes and base of each mask.
        self._edits: list[int] = []
        self._masks: dict[int, tuple[int, int]] = {}

    @property
    def path(self) -> Path | None:
        """The file; None while there is none."""
        return None if self._log is None else self._log.path

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return 0 if self._log is None else self._log.size

    def keep(self, capture: Capture, view: Mapping[str, Any], job: Job) -> None:
        """Write what the file does not say yet, and wait until the disk has it.

        Parameters
        ----------
        capture
            The document.
        view
            What the person looks at, as plain JSON; written along with something else.
        job
            May cancel; what was written stays, and each step is there or not.

        Raises
        ------
        SessionError
            If the disk refuses it. What it has stays, and the next call tries again.
        HistoryError, StaleError
            If a mask cannot be read from the scratch file, or is gone.
        """
        if self._log is None and capture.position == capture.exported:
            return
        try:
            if self._log is None:
                self._open(capture, job)
            self._append_all(capture, view, job)
        except OSError as error:
            raise SessionError(
                f"Your work is not being kept for the case of a crash: '{self._place}' cannot be "
                f"written ({words_of(error)}).",
                remedy="Work goes on. Make room on the disk, or save the session.",
            ) from error

    def mark_kept(self, record: Record | None, position: int, path: Path) -> None:
        """Note that a state is safe in a session file.

        Parameters
        ----------
        record
            The last edit of the state; None for that of the file.
        position
            Where in the history the state is.
        path
            The session file.
        """
        self._kept = record, Kept(position, str(path))
        if self._log is not None:
            self._write_later(self._kept[1])
            self._kept_said = True

    def note_digests(self, digests: Mapping[str, str]) -> None:
        """Note the SHA-256 of files of the original, by name, that were counted meanwhile."""
        self._write_later(Digests(dict(digests)))

    @property
    def dead(self) -> int:
        """Bytes that no state needs any more."""
        needed: set[int] = set()
        for record in self._records:
            for slot in record.slots():
                number = self._numbers.of(slot)
                while number != NO_MASK and number not in needed:
                    needed.add(number)
                    number = self._masks[number][1]
        live = sum(self._edits) + sum(self._masks[number][0] for number in needed)
        return max(0, self.size - live)

    def compacted(self, capture: Capture, view: Mapping[str, Any], job: Job) -> Journal:
        """Return the journal to go on with: written anew if most of this one is dead, else itself.

        Until the new file is complete, the old one is there.

        Raises
        ------
        OSError
            If the disk refuses it; the old file stays.
        """
        dead = self.dead
        if self._log is None or dead < _MUCH or dead < self.size // 2:
            return self
        fresh = Journal(self._place)
        fresh._kept = self._kept
        try:
            fresh._open(capture, job, suffix=".new")
            fresh._append_all(capture, view, job)
            assert fresh._log is not None
            fresh._log.flush()
            fresh._log.move(self._log.path)
        except BaseException:
            fresh.delete()
            raise
        self._log.close()
        return fresh

    def close(self) -> None:
        """Let go of the file; it stays, to be offered at the next start."""
        if self._log is not None:
            self._log.close()

    def delete(self) -> None:
        """Delete the file: nothing of it is needed any more."""
        if self._log is not None:
            path = self._log.path
            self._log.close()
            self._log = None
            delete(path)

    # How it works

    def _open(self, capture: Capture, job: Job, suffix: str = "") -> None:
        self._place.mkdir(parents=True, exist_ok=True)
        path = self._place / f"{secrets.token_hex(6)}{SUFFIX}{suffix}"
        self._begin()
        self._log = LogFile(path)
        try:
            self._describe(capture, job)
        except BaseException:
            self.delete()
            raise

    def _describe(self, capture: Capture, job: Job) -> None:
        checkpoint = capture.snapshot.checkpoint
        self._write(Head(VERSION, describe(checkpoint, job)))
        self._path = checkpoint.path

    def _append_all(self, capture: Capture, view: Mapping[str, Any], job: Job) -> None:
        assert self._log is not None
        before = self._log.size
        if self._path != capture.snapshot.checkpoint.path:  # an export took its name
            self._describe(capture, job)
        same = 0
        for mine, theirs in zip(self._records, capture.records, strict=False):
            if mine is not theirs:
                break
            same += 1
        for at in range(same, len(capture.records)):
            self._append(at, capture, job)
        if self._position != capture.position:
            self._write(Position(capture.position))
            self._position = capture.position
        if self._exported != capture.exported:
            self._write(Exported(capture.exported))
            self._exported = capture.exported
        self._say_kept(capture)
        if self._log.size != before:
            if view != self._view:
                self._write(View(dict(view)))
                self._view = dict(view)
            self._log.flush()

    def _say_kept(self, capture: Capture) -> None:
        if self._kept is None:
            return
        record, kept = self._kept
        here = capture.records[: kept.at]
        if len(here) < kept.at or (here and here[-1] is not record):
            self._kept = None  # cut off
        elif not self._kept_said:
            self._write(kept)
            self._kept_said = True

    def _append(self, at: int, capture: Capture, job: Job) -> None:
        """Write one edit and its masks, or nothing."""
        assert self._log is not None
        size, count, record = self._log.size, self._numbers.count, capture.records[at]
        if at < len(self._records):  # the file forgets them when the next edit is there
            del self._records[at:], self._edits[at:]
            self._numbers.keep(self._records)
        try:
            last = capture.records[at - 1] if at else None
            fresh, edit = self._numbers.take(record, last, capture.snapshot.checkpoint)
            for some in bundles(fresh):
                self._append_masks(some, capture, job)
            nbytes = self._write(EditAt(at, edit))
        except BaseException:
            self._numbers.back_to(count)
            with contextlib.suppress(OSError):
                self._log.cut(size)
            raise
        self._records.append(record)
        self._edits.append(nbytes)
        self._position = at + 1

    def _append_masks(self, some: list[NewMask], capture: Capture, job: Job) -> None:
        assert self._log is not None
        together = some[0].slot.nbytes <= SMALL
        bases = tuple(new.saved.base for new in some)
        head = MaskHead(some[0].number, tuple(new.slot.size for new in some), bases, together)
        nbytes = self._write(head)
        if together:
            pieces = iter((pack_together([capture.pair(new, job) for new in some], job),))
        else:
            pieces = pack(*capture.pair(some[0], job), job)
        nbytes += sum(self._log.append(PIECE, piece) for piece in pieces)
        for new in some:
            self._masks[new.number] = nbytes // len(some), new.saved.base

    def _write(self, entry: Entry) -> int:
        import zstandard

        assert self._log is not None
        text = msgspec.json.encode(entry)
        return self._log.append(JSON, zstandard.ZstdCompressor(level=1).compress(text))

    def _write_later(self, entry: Entry) -> None:
        # Not worth a message: it is about what can be found out again.
        if self._log is not None:
            size = self._log.size
            try:
                self._write(entry)
            except OSError:
                with contextlib.suppress(OSError):
                    self._log.cut(size)
