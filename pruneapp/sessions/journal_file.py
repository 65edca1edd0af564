"""Entries and masks in the file of a journal, and which of them are whole."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path

from pruneapp.document.capture import Capture
from pruneapp.document.edit import Record
from pruneapp.document.mask_store_aside import NewMask
from pruneapp.json_codec import encoded
from pruneapp.progress import Job
from pruneapp.sessions.history_codec import MaskNumbers
from pruneapp.sessions.journal_file_entries import Entry, MaskHead, More
from pruneapp.sessions.journal_file_log_file import JSON, PIECE, LogFile, delete
from pruneapp.sessions.mask_codec import SMALL, pack, pack_together

# Who has something to say waits until the disk has no more than that.
_UNFLUSHED = 16 << 20


class JournalLog:
    """The file of a journal that is written; for one thread.

    Parameters
    ----------
    path
        The file; it must not exist.

    Attributes
    ----------
    numbers
        Of the masks in it.
    doubtful
        Whether the disk refused to keep what it had taken: then nobody knows what it has.

    Raises
    ------
    OSError
        If the disk refuses something; from every method.
    """

    def __init__(self, path: Path) -> None:
        self.numbers = MaskNumbers()
        self.doubtful = False
        # Bytes and base of each mask.
        self._masks: dict[int, tuple[int, int]] = {}
        self._unflushed = 0
        self._file = LogFile(path)
        self.mark()

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._file.size

    def note(self, entry: Entry) -> None:
        """Write what stands for itself, and stays whatever is refused later."""
        self.write(entry)
        self.mark()

    def write(self, entry: Entry) -> int:
        """Write an entry; returns how many bytes it takes."""
        import zstandard

        return self._append(JSON, zstandard.ZstdCompressor(level=1).compress(encoded(entry)))

    def write_masks(
        self, some: list[NewMask], capture: Capture, job: Job, is_there: Callable[[], bool]
    ) -> bool:
        """Write masks; see `bundles`.

        Parameters
        ----------
        some
            A large mask, or several small ones.
        capture
            Has them.
        job
            Stepped by their bytes; may cancel.
        is_there
            Called between the pieces: whether what they belong to is still there. It may write
            something else, masks among it.

        Returns
        -------
        bool
            Whether they are in the file.
        """
        together = some[0].slot.nbytes <= SMALL
        numbers = [self.numbers.give(new) for new in some]
        bases = tuple(self.numbers.find(new.base) for new in some)
        try:
            if together:
                pieces = iter((pack_together([capture.pair(new, job) for new in some], job),))
            else:
                pieces = pack(*capture.pair(some[0], job), job)
            sizes = tuple(new.slot.size for new in some)
            nbytes = self.write(MaskHead(numbers[0], sizes, bases, together))
            for piece in pieces:
                nbytes += self._append(PIECE, piece)
                if self._unflushed > _UNFLUSHED:
                    self.flush()
                count = self.numbers.count
                if not is_there():
                    self.numbers.forget(some)
                    return False
                if self.numbers.count != count:
                    self.write(More(numbers[0]))
        except BaseException:
            self.numbers.forget(some)
            raise
        for number, base in zip(numbers, bases, strict=True):
            self._masks[number] = nbytes // len(some), base
        return True

    def mark(self) -> None:
        """Let stay what is there now, whatever is refused later."""
        self._whole = self.here()

    def here(self) -> tuple[int, int]:
        """Return how far the file is, for `back_to`."""
        return self.size, self.numbers.count

    def back_to(self, place: tuple[int, int] | None = None) -> None:
        """Take back what was written since a place; by default, since `mark`."""
        size, count = place or self._whole
        self.numbers.back_to(count)
        with contextlib.suppress(OSError):
            self._file.cut(size)

    def bytes_for(self, records: Iterable[Record]) -> int:
        """Return the bytes of the masks of records, and of those that these are packed against."""
        needed: set[int] = set()
        for record in records:
            for slot in record.slots():
                number = self.numbers.find(slot)
                while number in self._masks and number not in needed:
                    needed.add(number)
                    number = self._masks[number][1]
        return sum(self._masks[number][0] for number in needed)

    def flush(self) -> None:
        """Wait until the disk has everything."""
        try:
            self._file.flush()
        except OSError:
            self.doubtful = True
            raise
        self._unflushed = 0

    def move(self, path: Path) -> None:
        """Take the place of another file."""
        self._file.move(path)

    def close(self) -> None:
        """Let go of the file; it stays."""
        self._file.close()

    def delete(self) -> None:
        """Delete the file."""
        self.close()
        delete(self.path)

    def _append(self, kind: int, payload: bytes) -> int:
        nbytes = self._file.append(kind, payload)
        self._unflushed += nbytes
        return nbytes
