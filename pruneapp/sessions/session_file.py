"""Session files: safetensors files with the current masks in a simple format, and the history.

The tensors are bytes (U8):

``mask/NAME``, ``final/NAME``, ``protected/NAME``
    The current masks of every tensor that has any. Bit ``i % 8`` of byte ``i // 8``, the lowest
    first, belongs to element ``i`` of the tensor NAME in C order. ``numpy.unpackbits(mask,
    count=size, bitorder="little")`` unpacks it; 1 is kept (protected).
``values/NAME``
    The raw elements of every tensor with replaced values, little-endian in C order; pruned weights
    have their original values.
``packed/NUMBER``
    Other masks of the history: zstd frames, one for each 4 MiB, or one for several small masks. The
    decompressed bytes are XORed with the base mask named in `session.json`.
``edit/NUMBER``
    An edit of the history, as JSON; see `SavedEdit`.
``session.json``
    The table of contents, as JSON; see `Table`.

The metadata has the format, its version, and the description of the checkpoint.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import platformdirs
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint, read_headers
from pruneapp.checkpoint.io.atomic_file import AtomicFile, write_error
from pruneapp.checkpoint.io.files import exists
from pruneapp.document.document import Capture
from pruneapp.document.edit import Record
from pruneapp.document.mask_store import NewMask
from pruneapp.errors import SessionChangedError, SessionError
from pruneapp.json_codec import encode
from pruneapp.masks.bitmask import BitMask, Layer
from pruneapp.progress import CancelToken, Job
from pruneapp.sessions.history_codec import (
    PIECE,
    SMALL,
    MaskNumbers,
    SavedEdit,
    SavedHistory,
    SavedMask,
    Unpacker,
    branches_of,
    bundles,
    check_mask,
    check_version,
    damaged,
    decode_as,
    pack,
    pack_together,
    reading_mask,
)
from pruneapp.sessions.original import FileStamp, Original, describe
from pruneapp.sessions.restore import Saved

SUFFIX = ".prune"
FORMAT = "pruneapp-session"
VERSION = 1
TABLE = "session.json"
# Prefixes of the current masks of each layer in the file.
_PREFIXES: Mapping[Layer, str] = {
    "masks": "mask",
    "permanent": "final",
    "protected": "protected",
    "values": "values",
}


class MaskPlace(msgspec.Struct, frozen=True):
    """Location of a mask of the history."""

    size: int  # number of elements
    tensor: str  # the tensor that contains it
    base: int = -1  # number of its base mask; -1 for none
    pieces: tuple[int, ...] = ()  # sizes in bytes of its frames; empty if it is not compressed
    # Its first byte in a single frame with several masks; -1 if the frames contain this mask only.
    offset: int = -1


class Table(msgspec.Struct, frozen=True):
    """The table of contents of a session file."""

    version: int  # of this format
    masks: tuple[MaskPlace, ...]  # all masks of the history, by number
    edits: int  # number of edits
    position: int  # number of the current state; 0 for the file as opened
    # Number of the state last exported, or opened; -1 if that was deleted.
    exported: int
    view: dict[str, Any] = {}  # state of the views, as stored by the window
    # The parent state of each edit, empty if it is always the previous one; the target of
    # redo, -1 for the newest state; and the names and notes of states.
    after: tuple[int, ...] = ()
    tip: int = -1
    names: tuple[tuple[int, str], ...] = ()
    notes: tuple[tuple[int, str], ...] = ()


# Bytes of the history kept in memory before they are written to a temporary file.
_IN_MEMORY = 64 << 20
_ABOUT = (
    "mask/NAME: 1 bit per weight of tensor NAME in C order, lowest bit of a byte first, 1 is kept; "
    "see https://github.com/pruneapp/pruneapp docs/sessions.md"
)


def save_session(
    capture: Capture,
    view: Mapping[str, Any],
    path: Path,
    job: Job,
    *,
    instead_of: FileStamp | None = None,
) -> FileStamp:
    """Write a document to a session file, replacing an old file only when the new one is safe.

    Parameters
    ----------
    view
        State of the views, as JSON.
    instead_of
        The only state of an existing file that may be replaced; None for any. A missing file is
        created in any case.
    job
        Started twice: to compress the history, and to write and verify the file.

    Returns
    -------
    FileStamp
        The stamp of the written file.

    Raises
    ------
    ExportError
        If the file cannot be written.
    SessionError
        If the file is part of the checkpoint.
    SessionChangedError
        If the existing file differs from `instead_of`, at the beginning or at the end.
    CheckpointError
        If the checkpoint cannot be read. Also the errors of `MaskSlot.load`.
    """
    snapshot = capture.snapshot
    _refuse_original(path, snapshot.checkpoint)
    _refuse_other(path, instead_of, job)
    job.start(2 * _bytes_of(capture), path.name)
    original = describe(snapshot.checkpoint, job)
    try:
        with contextlib.closing(_Spool()) as spool:
            plain = _Plain(capture)
            table = _spool_history(capture, plain, view, spool, job)
            spool.add(TABLE, [encode(table)])
            tensors = [(name, mask.nbytes) for name, mask in plain.masks.items()] + spool.tensors
            relative = original.with_relative_path(path.absolute().parent)
            header = _header(tensors, relative)
            nbytes = len(header) + sum(size for _, size in tensors)
            job.start(2 * nbytes, path.name)
            with AtomicFile(path, nbytes, job) as file:
                file.write(header)
                for piece in plain.pieces():
                    file.write(piece)
                for piece in spool.pieces():
                    file.write(piece)
                file.seal()
                # Before the rename: afterwards another process may replace it.
                stamp = _stamp_of(file, path, job)
                _refuse_other(path, instead_of, job)
                file.commit()
    except OSError as error:  # of the spool; `AtomicFile` raises its own errors
        raise write_error(path, error, _bytes_of(capture)) from error
    return stamp


def _stamp_of(file: AtomicFile, path: Path, job: Job) -> FileStamp:
    part = None if file.part is None else FileStamp.of(file.part, job)
    assert part is not None, "it was written a moment ago"
    return msgspec.structs.replace(part, path=str(path.absolute()))


def _refuse_other(path: Path, expected: FileStamp | None, job: Job) -> None:
    """Raise `SessionChangedError` if an existing file is not in the state `expected`.

    None allows any state.
    """
    now = None if expected is None else FileStamp.of(path, job)
    if expected is not None and now is not None and not expected.is_of(now):
        raise SessionChangedError(
            f"'{path.name}' was changed by another window since you opened it.",
            remedy="Save the session in another file, or replace it.",
        )


def _refuse_original(path: Path, checkpoint: Checkpoint) -> None:
    """Raise `SessionError` if a path is a file of the checkpoint."""
    for file in checkpoint.files:
        if exists(path) and exists(file.path) and path.samefile(file.path):
            raise SessionError(
                f"'{path}' is the checkpoint itself, which a session never replaces.",
                remedy=f"Choose another name that ends in {SUFFIX}.",
            )


class _Plain:
    """The current masks, which are written uncompressed, by the names of their tensors."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.masks: dict[str, BitMask] = {}
        self._names: dict[int, str] = {}
        for layer, prefix in _PREFIXES.items():
            for name, mask in capture.snapshot.layers[layer].items():
                self.masks[f"{prefix}/{name}"] = mask
                self._names.setdefault(id(mask), f"{prefix}/{name}")

    def name(self, mask: BitMask | None) -> str | None:
        """Return the tensor of the file that contains a mask; None if there is none."""
        return None if mask is None else self._names.get(id(mask))

    def pieces(self) -> Iterator[bytes | memoryview]:
        """Yield the bytes of all masks in order, joining small ones.

        The last piece may be empty.
        """
        small = bytearray()
        for mask in self.masks.values():
            if mask.nbytes <= SMALL:
                small += mask.packed.data
            if small and (mask.nbytes > SMALL or len(small) > PIECE):
                yield bytes(small)
                small.clear()
            if mask.nbytes > SMALL:
                for start in range(0, mask.nbytes, PIECE):
                    yield mask.part(start, start + PIECE).data
        yield bytes(small)


class _Spool:
    """Temporary storage for tensors whose sizes must be known before they are written."""

    def __init__(self) -> None:
        folder = Path(platformdirs.user_cache_path("pruneapp", appauthor=False))
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        self._file = tempfile.SpooledTemporaryFile(  # noqa: SIM115 - closed by its own context
            _IN_MEMORY, dir=str(folder) if folder.is_dir() else None
        )
        self.tensors: list[tuple[str, int]] = []

    def add(self, name: str, pieces: list[bytes] | Iterator[bytes]) -> tuple[int, ...]:
        """Append the bytes of a tensor; return the size of each piece."""
        sizes = tuple(self._file.write(piece) for piece in pieces)
        self.tensors.append((name, sum(sizes)))
        return sizes

    def pieces(self) -> Iterator[bytes]:
        self._file.seek(0)
        while piece := self._file.read(PIECE):
            yield piece

    def close(self) -> None:
        self._file.close()


def _bytes_of(capture: Capture) -> int:
    slots = {id(slot): slot.nbytes for record in capture.records for slot in record.slots()}
    return sum(slots.values())


def _spool_history(
    capture: Capture, plain: _Plain, view: Mapping[str, Any], spool: _Spool, job: Job
) -> Table:
    """Write all edits and their masks to `spool`; return the table of contents.

    Current masks, which `plain` has, are not written again.
    """
    numbers = MaskNumbers()
    places: list[MaskPlace] = []
    for count, record in enumerate(capture.records):
        job.step(0)
        places += _spool_masks(numbers, record, plain, spool, job)
        edit = numbers.edit(record, capture.parent(count), capture.snapshot.checkpoint)
        spool.add(f"edit/{count}", [encode(edit)])
    branches = capture.branches
    is_usual = branches.tip == branches.newest_leaf(capture.position)
    return Table(
        VERSION,
        tuple(places),
        len(capture.records),
        capture.position,
        capture.exported,
        dict(view),
        () if branches.is_linear else branches.after,
        -1 if is_usual else branches.tip,
        tuple(branches.names.items()),
        tuple(branches.notes.items()),
    )


def _spool_masks(
    numbers: MaskNumbers, record: Record, plain: _Plain, spool: _Spool, job: Job
) -> list[MaskPlace]:
    """Spool the new masks of a record that are not current masks; return the places of all.

    The places are in the order of their numbers, which `numbers` assigns.
    """
    places: dict[int, MaskPlace] = {}
    rest: list[NewMask] = []
    fresh = numbers.new_masks(record)
    for new in fresh:
        number = numbers.assign(new)
        name = plain.name(new.slot.mask)
        if name is None:
            rest.append(new)
        else:
            places[number] = MaskPlace(new.slot.size, name)
            job.step(new.slot.nbytes)
    for some in bundles(rest):
        name = f"packed/{numbers.find(some[0].slot)}"
        if some[0].slot.nbytes > SMALL:
            pieces = spool.add(name, pack(*plain.capture.pair(some[0], job), job))
            offset = -1
        else:
            together = pack_together([plain.capture.pair(new, job) for new in some], job)
            pieces, offset = spool.add(name, [together]), 0
        for new in some:
            place = MaskPlace(new.slot.size, name, numbers.find(new.base), pieces, offset)
            places[numbers.find(new.slot)] = place
            offset += new.slot.nbytes
    return [places[numbers.find(new.slot)] for new in fresh]


def _header(tensors: list[tuple[str, int]], original: Original) -> bytes:
    """Return the header of a safetensors file with tensors of bytes: pairs of a name and a size."""
    import pruneapp

    metadata = {
        "format": FORMAT,
        "version": str(VERSION),
        "about": _ABOUT,
        "written_by": f"Pruneapp {pruneapp.__version__}",
        "original": encode(original).decode(),
    }
    parts = [msgspec.json.encode({"__metadata__": metadata})[1:-1]]
    start = 0
    for batch in CancelToken().batches(tensors):  # encoding at once would block other threads
        some: dict[str, Any] = {}
        for name, size in batch:
            some[name] = {"dtype": "U8", "shape": [size], "data_offsets": [start, start + size]}
            start += size
        parts.append(msgspec.json.encode(some)[1:-1])
    text = b"{" + b",".join(parts) + b"}"
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


# Maximum bytes of the table and of each edit: far more than 100,000 tensors need.
_MOST_JSON = 1 << 28
# Maximum digits of a version: Python refuses to convert thousands of digits.
_DIGITS = 20


@dataclass(frozen=True)
class SessionFile(Saved):
    """A session file that was read, except for its masks."""

    stamp: FileStamp  # the file as it was read
    _file: Checkpoint = field(repr=False)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def is_session(checkpoint: Checkpoint) -> bool:
    """Return whether an open file is a session, whatever its name."""
    return checkpoint.metadata.get("format") == FORMAT


def read_session(path: Path, job: Job) -> SessionFile:
    """Read a session file, except for its masks, which are read when it is restored.

    The file stays open until the result is closed.

    Raises
    ------
    SessionError
        If it is no session, is damaged, or was saved by a newer Pruneapp.
    CheckpointError
        If it cannot be read.
    """
    contents, sources = read_headers(path, None, job)
    file = Checkpoint(path, contents, sources, job.cancel)
    try:
        return _read(file, str(path), job)
    except BaseException:
        file.close()
        raise


def _read(file: Checkpoint, where: str, job: Job) -> SessionFile:
    """Return the contents of an open session file at the path `where`; raises `SessionError`."""
    if not is_session(file):
        raise SessionError(
            f"'{where}' is not a session of Pruneapp.", remedy=f"Open a {SUFFIX} file."
        )
    version = file.metadata.get("version", "")
    number = int(version) if version.isdecimal() and len(version) < _DIGITS else version
    check_version({"version": number}, VERSION, where)
    table = decode_as(_json(file, TABLE, where), Table, where)
    check_version({"version": table.version}, VERSION, where)
    original = decode_as(file.metadata.get("original", "").encode(), Original, where)
    edits: list[SavedEdit] = []
    for number in range(table.edits):
        job.step(0)
        edits.append(decode_as(_json(file, f"edit/{number}", where), SavedEdit, where))
    after = table.after or tuple(range(table.edits))
    if len(after) != table.edits:
        raise damaged(where, f"{len(after):,} of its {table.edits:,} states follow another")
    history = SavedHistory(
        masks=[SavedMask(place.size, place.base) for place in table.masks],
        edits=edits,
        position=table.position,
        exported=table.exported,
        source=_MasksOfFile(file, table.masks, where),
        branches=branches_of(
            after, table.tip, table.names, table.notes, position=table.position, where=where
        ),
    )
    (source,) = file.files
    stamp = FileStamp.of_open(source, job)
    return SessionFile(Path(where), original, history, table.view, stamp, file)


def _json(file: Checkpoint, name: str, where: str) -> bytes:
    entry = file.entries.get(name)
    if entry is None or entry.dtype.name != "U8":
        raise damaged(where, f"'{name}' is missing")
    if entry.numel > _MOST_JSON:
        raise damaged(where, f"'{name}' has {entry.numel:,} bytes, {_MOST_JSON:,} are the most")
    return file.bits(name).tobytes()


class _MasksOfFile:
    """Reads the masks of a session file; implements `MaskSource`."""

    def __init__(self, file: Checkpoint, places: tuple[MaskPlace, ...], where: str) -> None:
        self._file = file
        self._places = places
        self._where = where
        self._unpacker = Unpacker()

    def read(self, number: int, base: BitMask | None, job: Job) -> BitMask:
        """Read a mask; see `MaskSource`. `base` is ignored for one that is stored uncompressed."""
        place = self._places[number]
        entry = self._file.entries.get(place.tensor)
        if entry is None or entry.dtype.name != "U8":
            raise damaged(self._where, f"mask {number:,} is missing")
        with reading_mask(self._where, number):
            if not place.pieces and place.offset < 0:
                return check_mask(self._plain(place.tensor, entry.numel, job), place.size)
            count = -(-place.size // (8 * PIECE)) if place.offset < 0 else 1
            if len(place.pieces) != count:  # checked before memory is allocated
                raise ValueError(f"it has {len(place.pieces):,} pieces for {place.size:,} elements")
            pieces = self._pieces(place, entry.numel)
            return self._unpacker.read(
                place.tensor, pieces, place.size, place.offset, base=base, job=job
            )

    def _plain(self, name: str, nbytes: int, job: Job) -> NDArray[np.uint8]:
        packed = np.empty(nbytes, np.uint8)
        for chunk in self._file.chunks(name):
            packed[chunk.start : chunk.start + chunk.bits.size] = chunk.bits
            job.step(chunk.bits.size)
        return packed

    def _pieces(self, place: MaskPlace, nbytes: int) -> Iterator[bytes]:
        """Yield the compressed frames of a mask in a tensor of `nbytes` bytes.

        Raises `ValueError` if they exceed the tensor.
        """
        start = 0
        for size in place.pieces:
            if not 0 < size <= nbytes - start:
                raise ValueError("its pieces do not fit")
            yield self._file.bits(place.tensor, start, start + size).tobytes()
            start += size
