"""What the records of a journal come to, as far as they are whole."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import CheckpointError, JsonError, SessionError
from pruneapp.json_codec import decode, load_object
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.sessions import journal_file_entries
from pruneapp.sessions.fingerprint import Original
from pruneapp.sessions.history_codec_saved import SavedEdit, SavedMask, check_version, damaged
from pruneapp.sessions.journal_file_entries import VERSION, Entry, Kept
from pruneapp.sessions.journal_file_log_file import PIECE, RecordPlace, records
from pruneapp.sessions.mask_codec import one_of, unpack, unpack_together

# A record promises at most so many bytes of JSON.
_MOST_JSON = 1 << 28
_NOWHERE = Kept(-1)


@dataclass(frozen=True)
class StoredMask:
    """A mask, and the pieces that hold it: its own, or the one of all that it was packed with.

    `offset` is where it begins in that one; -1 if the pieces are its own.
    """

    saved: SavedMask
    pieces: list[RecordPlace]
    offset: int = -1


@dataclass
class Story:
    """What the records of a journal come to.

    Attributes
    ----------
    done
        So many of the edits have their masks in the journal; the others are intents.
    kept
        The session file that the work was saved in last, and which state it has.
    """

    original: Original | None = None
    masks: list[StoredMask] = field(default_factory=list)
    edits: list[SavedEdit] = field(default_factory=list)
    done: int = 0
    position: int = 0
    exported: int = 0
    kept: Kept = _NOWHERE
    view: Mapping[str, Any] = field(default_factory=dict)
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
    ) -> Story:
        """Read the records of a journal, as far as they are whole and make sense.

        Parameters
        ----------
        file
            The journal, at its beginning.
        path
            Its name, for messages.
        check_pieces
            Whether to compare the checksums of masks, too; all of the file is read then.
        job
            May cancel.

        Raises
        ------
        SessionError
            If a newer Pruneapp wrote it.
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
        if isinstance(entry, journal_file_entries.Head):
            check_version({"version": entry.version}, VERSION, str(path))
            self.original = entry.original
            return True
        if self.original is None:
            return False
        if isinstance(entry, journal_file_entries.MaskHead):
            return self._announce(entry)
        if isinstance(entry, journal_file_entries.More):
            if not 0 <= entry.number < len(self.masks):
                return False
            self._pieces = self.masks[entry.number].pieces
        elif isinstance(entry, journal_file_entries.EditAt | journal_file_entries.IntentAt):
            return self._go_on(entry)
        elif isinstance(entry, journal_file_entries.MasksAt):
            if not entry.at == self.done < len(self.edits):
                return False
            self.edits[entry.at] = entry.edit
            self.done += 1
        elif isinstance(entry, journal_file_entries.Position):
            if not 0 <= entry.to <= len(self.edits):
                return False
            self.position = entry.to
        elif isinstance(entry, journal_file_entries.Exported):
            self.exported = entry.at if entry.at <= len(self.edits) else -1
        elif isinstance(entry, journal_file_entries.Kept):
            self.kept = entry
        elif isinstance(entry, journal_file_entries.View):
            self.view = entry.view
        else:
            self._count(entry.sha256)
        return True

    def _go_on(self, entry: journal_file_entries.EditAt | journal_file_entries.IntentAt) -> bool:
        whole = isinstance(entry, journal_file_entries.EditAt)
        # What has its masks follows only what has them, too.
        if not 0 <= entry.at <= (self.done if whole else len(self.edits)):
            return False
        self.edits[entry.at :] = [entry.edit]
        self.done = entry.at + 1 if whole else min(self.done, entry.at)
        self.position = entry.at + 1
        kept = self.kept
        self.kept = msgspec.structs.replace(
            kept,
            at=-1 if kept.at > entry.at else kept.at,
            steps=min(kept.steps, entry.at),
        )
        self.exported = -1 if self.exported > entry.at else self.exported
        return True

    def _announce(self, head: journal_file_entries.MaskHead) -> bool:
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
        found: Entry = decode(text, Entry, str(path), file_names=True)
    except JsonError:
        # A record of a kind that is not known: only the version tells a newer file from a bad one.
        if head := _version(text):
            check_version({"version": head}, VERSION, str(path))
        return None
    return found


def _version(text: bytes) -> int:
    """Return the version that a first record names, whatever else it has; 0 for other records."""
    with contextlib.suppress(JsonError):
        found = load_object(text, file_names=True)
        if found.get("type") == "head" and type(version := found.get("version")) is int:
            return version
    return 0


class MasksOfJournal:
    """Reads the masks of a journal."""

    def __init__(self, source: FileSource, masks: list[StoredMask], path: Path) -> None:
        self._source = source
        self._masks = masks
        self._path = path
        # Those that were unpacked together last: the next one is among them, as a rule.
        self._last: tuple[list[RecordPlace], NDArray[np.uint8]] | None = None

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

    def _together(self, pieces: list[RecordPlace]) -> NDArray[np.uint8]:
        if self._last is None or self._last[0] is not pieces:
            if len(pieces) != 1:
                raise ValueError(f"it has {len(pieces):,} pieces")
            self._last = pieces, unpack_together(next(self._pieces(pieces)))
        return self._last[1]

    def _pieces(self, places: list[RecordPlace]) -> Iterator[bytes]:
        for place in places:
            yield self._source.read(place.offset, place.size)
