"""A history as plain data, as stored in session files and journals.

Masks are numbered in the order in which they were added to the history; -1 means no mask. A mask
may be stored as the exclusive or with a base mask of a lower number, so that references are
acyclic: a brush stroke changes a few hundred bits of millions, and unchanged bits become zeros.
Large masks are compressed in pieces, to limit memory; small masks are compressed together, because
there may be 100,000 of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Protocol, TypeVar, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.edit import EditKind, Record
from pruneapp.document.history import Branches
from pruneapp.document.mask_store import MaskSlot, NewMask
from pruneapp.errors import CheckpointError, JsonError, SessionError
from pruneapp.json_codec import decode
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask, Layer
from pruneapp.progress import Job

NO_MASK = -1
# Index of a tensor in `SavedEdit.tensors`, and the numbers of its masks before and after.
Swap = tuple[int, int, int]

T = TypeVar("T")


class SavedEdit(msgspec.Struct, frozen=True, kw_only=True):
    """An edit of a history; see `pruneapp.document.edit.Edit`."""

    # As in the edit; `entry` also has the step.
    kind: EditKind
    label: str
    detail: str = ""
    entry: dict[str, Any]
    same: bool = False  # whether exports before and after it contain the same values
    # Names, shapes and dtypes of the changed tensors.
    tensors: tuple[tuple[str, tuple[int, ...], str], ...] = ()
    # Changed masks of each layer.
    masks: tuple[Swap, ...] = ()
    permanent: tuple[Swap, ...] = msgspec.field(name="final", default=())
    protected: tuple[Swap, ...] = ()
    values: tuple[Swap, ...] = ()  # raw elements, stored as masks
    meant: dict[str, int] = {}  # numbers of the masks that `entry` names, by their SHA-256

    @property
    def layers(self) -> dict[Layer, tuple[Swap, ...]]:
        """The changed masks by layer."""
        return {layer: getattr(self, layer) for layer in get_args(Layer)}


@dataclass(frozen=True)
class SavedMask:
    """Number of elements of a mask, and the number of its base mask."""

    size: int
    base: int = NO_MASK


class MaskSource(Protocol):
    """Protocol of objects that read masks from a file."""

    def read(self, number: int, base: BitMask | None, job: Job) -> BitMask:
        """Read a mask; `base` is its base mask, None if it has none.

        Raises
        ------
        SessionError
            If the mask cannot be read or is not valid.
        """


@contextlib.contextmanager
def reading_mask(where: str, number: int) -> Iterator[None]:
    """Convert `ValueError`, `MemoryError` and `CheckpointError` of a mask to `SessionError`."""
    try:
        yield
    except (ValueError, MemoryError) as error:
        raise damaged(where, f"of mask {number:,}, {error}") from None
    except CheckpointError as error:
        raise SessionError(error.sentence, remedy=error.remedy) from error


@dataclass(frozen=True)
class SavedHistory:
    """A history that was read from a session file or a journal."""

    masks: Sequence[SavedMask]  # by number
    edits: Sequence[SavedEdit]  # all edits with masks, on all branches
    position: int  # number of the current state
    # Number of the state last exported, or opened; -1 if that was deleted.
    exported: int
    source: MaskSource
    # Edits after `edits` without their masks, so that they must be repeated. `position`, `exported`
    # and `branches` refer to the history of `edits` and `intents`.
    intents: Sequence[SavedEdit] = ()
    branches: Branches | None = None  # the parent of each state; None if there are no branches

    @cached_property
    def tree(self) -> Branches:
        """The parent of each state, `intents` included."""
        count = len(self.edits) + len(self.intents)
        return Branches.linear(count) if self.branches is None else self.branches

    @property
    def done(self) -> list[SavedEdit]:
        """The edits with masks that lead to the current state, in order."""
        path = self.tree.path(self.position)
        return [self.edits[state - 1] for state in path if state <= len(self.edits)]


def decode_as(data: bytes, kind: type[T], where: str) -> T:
    """Decode JSON to the type `kind`. `where` is the path of the file.

    Raises
    ------
    SessionError
        If it is not valid; the message names the file.
    """
    try:
        return decode(data, kind, where, file_names=True)
    except JsonError as error:
        at = f" at {error.place}" * bool(error.place)
        raise damaged(where, f"its history cannot be read{at} ({error.what})") from None


def damaged(where: str, what: str) -> SessionError:
    """Return the error for a session that is not valid; `what` completes the sentence."""
    return SessionError(
        f"'{where}' is not a valid session: {what}.",
        remedy="Restore a backup of it if you have one; the checkpoint is unchanged.",
    )


def branches_of(
    after: Sequence[int],
    tip: int,
    names: Iterable[tuple[int, str]],
    notes: Iterable[tuple[int, str]],
    *,
    position: int,
    where: str,
) -> Branches:
    """Return the branches that a file describes; raises `SessionError` if they are not valid.

    `after` has the parent of each state, `tip` the state that redo leads to, -1 for the newest one
    after `position`, the current state. `names` and `notes` have pairs of a state and its text.
    """
    count = len(after)
    if not all(0 <= state <= at for at, state in enumerate(after)):
        raise damaged(where, "a state of its history follows one that is made later")
    if not 0 <= position <= count:
        raise damaged(where, f"it has no state {position:,}")
    branches = Branches(tuple(after))
    for state, name in names:
        if not 0 < state <= count:
            raise damaged(where, f"it names state {state:,}, which does not exist")
        branches = branches.with_name(state, name)
    for state, note in notes:
        if not 0 <= state <= count:
            raise damaged(where, f"it has a note of state {state:,}, which does not exist")
        branches = branches.with_note(state, note)
    tip = branches.newest_leaf(position) if tip < 0 else tip
    if not tip <= count or branches.route(position, tip)[0]:
        raise damaged(where, f"state {position:,} is not on the branch that ends at {tip:,}")
    return replace(branches, tip=tip)


def check_version(header: Mapping[str, Any], newest_known: int, where: str) -> None:
    """Raise `SessionError` unless "version" in `header` is an integer from 1 to `newest_known`.

    `where` is the path of the file.
    """
    version = header.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise damaged(where, f"its version is {str(version)[:40]!r}")
    if version > newest_known:
        raise SessionError(
            f"'{where}' was saved by a newer Pruneapp: it has version {version}, and this one "
            f"reads up to version {newest_known}.",
            remedy="Update Pruneapp to open it.",
        )


class MaskNumbers:
    """Assigns numbers to the masks of a history; `count` is the next number."""

    def __init__(self) -> None:
        self.count = 0
        # By `id` of the slot, which the reference to the slot keeps valid.
        self._known: dict[int, tuple[MaskSlot, int]] = {}

    def new_masks(self, record: Record) -> list[NewMask]:
        """Return the masks of a record without a number, each once; assigns none.

        The base of a new mask is the mask that it replaces. A base precedes the masks on it.
        """
        new: dict[int, NewMask] = {}

        def meet(slot: MaskSlot | None, base: MaskSlot | None = None) -> None:
            if slot is not None and id(slot) not in self._known:
                new.setdefault(id(slot), NewMask(slot, base))

        for layer, slots in record.after.items():
            for name, after in slots.items():
                before = record.before[layer][name]
                meet(before)
                meet(after, before)
        for slot in record.entry_masks.values():
            meet(slot)
        return list(new.values())

    def new_entry_masks(self, record: Record) -> list[NewMask]:
        """Return the masks named by the entry of a record that have no number yet."""
        slots = {id(slot): slot for slot in record.entry_masks.values()}
        return [NewMask(slot) for key, slot in slots.items() if key not in self._known]

    def assign(self, new: NewMask) -> int:
        """Assign the next number to a mask and return it; its base must have a number."""
        number = self.count
        self.count += 1
        self._known[id(new.slot)] = new.slot, number
        return number

    def find(self, slot: MaskSlot | None) -> int:
        """Return the number of a mask; `NO_MASK` if it has none or is None."""
        known = None if slot is None else self._known.get(id(slot))
        return NO_MASK if known is None else known[1]

    def keep(self, records: Iterable[Record]) -> None:
        """Forget the masks of all other records, so that their memory can be freed."""
        used = {id(slot) for record in records for slot in record.slots()}
        self._known = {key: entry for key, entry in self._known.items() if key in used}

    def forget(self, masks: Iterable[NewMask]) -> None:
        """Forget some masks; their numbers are not assigned again."""
        for new in masks:
            self._known.pop(id(new.slot), None)

    def reset_to(self, count: int) -> None:
        """Undo the assignment of numbers from `count` on."""
        self.count = count
        self._known = {key: entry for key, entry in self._known.items() if entry[1] < count}

    def edit(self, record: Record, parent: Record | None, checkpoint: Checkpoint) -> SavedEdit:
        """Convert a record to the struct that is saved; all its masks must have numbers.

        `parent` is the previous record, None for the first. Tensors are numbered in the order in
        which they are changed.
        """
        names: dict[str, int] = {}
        swaps: dict[Layer, tuple[Swap, ...]] = {}
        for layer, slots in record.after.items():
            before, layer_swaps = record.before[layer], []
            for name, after in slots.items():
                at = names.setdefault(name, len(names))
                layer_swaps.append((at, self.find(before[name]), self.find(after)))
            swaps[layer] = tuple(layer_swaps)
        entries = [checkpoint.entry(name) for name in names]
        return msgspec.structs.replace(
            self.intent(record, parent),
            tensors=tuple([(e.name, e.shape, e.dtype.name) for e in entries]),
            **swaps,
        )

    def intent(self, record: Record, parent: Record | None) -> SavedEdit:
        """Convert a record to the struct that is saved, without its changed masks and tensors.

        Masks that the entry names must have numbers. `parent` is the previous record, None for the
        first.
        """
        return SavedEdit(
            kind=record.kind,
            label=record.label,
            detail=record.detail,
            entry=dict(record.as_json()),
            same=record.key is (None if parent is None else parent.key),
            meant={name: self.find(slot) for name, slot in record.entry_masks.items()},
        )


def bundles(fresh: Iterable[NewMask]) -> Iterator[list[NewMask]]:
    """Yield masks in groups to be compressed: a large mask alone, small ones together, in order.

    Large masks have more than `SMALL` bytes; small ones of a group have up to `PIECE`.
    """
    some: list[NewMask] = []
    nbytes = 0
    for new in fresh:
        large = new.slot.nbytes > SMALL
        if some and (large or nbytes > PIECE - SMALL):
            yield some
            some, nbytes = [], 0
        if large:
            yield [new]
        else:
            some.append(new)
            nbytes += new.slot.nbytes
    if some:
        yield some


# Bytes of a mask that are compressed at a time: cancellation is checked in between.
PIECE = 4 << 20
# Masks up to this size in bytes are compressed together, up to about `PIECE` bytes.
SMALL = 64 << 10
_LEVEL = 1


def pack(mask: BitMask, base: BitMask | None, job: Job) -> Iterator[bytes]:
    """Yield a mask, XORed with `base` if given, as zstd frames of `PIECE` bytes each.

    `base` must have the same size. `job` advances by the uncompressed bytes.
    """
    import zstandard

    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    for start in range(0, mask.nbytes, PIECE):
        piece = mask.part(start, start + PIECE)
        if base is not None:
            piece = piece ^ base.part(start, start + PIECE)
        yield compressor.compress(piece.data)
        job.step(piece.size)


def unpack(pieces: Iterable[bytes], size: int, base: BitMask | None, job: Job) -> BitMask:
    """Return the mask of `size` elements compressed by `pack`; XORed with `base` if given.

    Each item of `pieces` is one frame of `pack`. Raises ValueError, with a clause about "it" as
    text, if the frames are not a mask of `size` elements, or `base` has another size.
    """
    import zstandard

    nbytes = (size + 7) // 8
    if base is not None and base.size != size:
        raise ValueError(f"it has {size:,} elements, and the one that it changes {base.size:,}")
    packed = scratch.bits(size)
    decompressor = zstandard.ZstdDecompressor()
    done = 0
    for piece in pieces:
        n_expected = min(PIECE, nbytes - done)
        # Checked first, because a frame may claim more bytes than there is memory.
        try:
            if n_expected == 0 or zstandard.frame_content_size(piece) != n_expected:
                raise ValueError(f"its pieces are not those of {size:,} elements")
            data = decompressor.decompress(piece)
        except zstandard.ZstdError:
            raise ValueError("its bytes cannot be decompressed") from None
        target = packed[done : done + n_expected]
        target[:] = np.frombuffer(data, np.uint8)
        if base is not None:
            target ^= base.part(done, done + n_expected)
        scratch.release_pages(packed, done, done + n_expected)
        done += n_expected
        job.step(n_expected)
    if done != nbytes:
        raise ValueError(f"{nbytes - done:,} of its {nbytes:,} bytes are missing")
    return check_mask(packed, size)


def pack_together(masks: Sequence[tuple[BitMask, BitMask | None]], job: Job) -> bytes:
    """Compress small masks, each with its base or None, into one zstd frame, one after another.

    Each mask has at most `SMALL` bytes, and all but the last have at most `PIECE` bytes together.
    """
    import zstandard

    data = b"".join(
        [(m.packed if base is None else m.packed ^ base.packed).tobytes() for m, base in masks]
    )
    job.step(len(data))
    return zstandard.ZstdCompressor(level=_LEVEL).compress(data)


class Unpacker:
    """Decompresses masks and caches the last frame of small masks.

    The next mask is usually in the same frame.
    """

    def __init__(self) -> None:
        self._last: tuple[object, NDArray[np.uint8]] | None = None

    def read(
        self,
        key: object,
        pieces: Iterable[bytes],
        size: int,
        offset: int,
        *,
        base: BitMask | None,
        job: Job,
    ) -> BitMask:
        """Return a mask of `size` elements.

        `offset` is its first byte in the single frame that `pieces` yields; -1 if the frames
        contain this mask only. `pieces` are not read again if `key`, which identifies the frame, is
        that of the previous call. `base` is the mask that it is XORed with, or None. Raises
        ValueError as `unpack`, and if the mask is not within its frame.
        """
        if offset < 0:
            return unpack(pieces, size, base, job)
        if self._last is None or self._last[0] != key:
            self._last = key, _unpack_together(pieces)
        together, nbytes = self._last[1], (size + 7) // 8
        if not 0 <= offset <= together.size - nbytes:
            raise ValueError(f"{size:,} elements are outside of the packed range")
        packed = together[offset : offset + nbytes]
        if base is not None and base.size != size:
            raise ValueError(f"it has {size:,} elements, and the one that it changes {base.size:,}")
        mask = check_mask(packed.copy() if base is None else packed ^ base.packed, size)
        job.step(nbytes)
        return mask


def _unpack_together(pieces: Iterable[bytes]) -> NDArray[np.uint8]:
    """Return the bytes of a frame of small masks; raises `ValueError` if it is no such frame."""
    import zstandard

    frames = list(islice(pieces, 2))
    try:
        # Checked first, because a frame may claim more bytes than there is memory.
        if len(frames) != 1 or not 0 <= zstandard.frame_content_size(frames[0]) <= PIECE + SMALL:
            raise ValueError("it is not one frame of small masks")
        data = zstandard.ZstdDecompressor().decompress(frames[0])
    except zstandard.ZstdError:
        raise ValueError("its bytes cannot be decompressed") from None
    return np.frombuffer(data, np.uint8)


def check_mask(packed: NDArray[np.uint8], size: int) -> BitMask:
    """Return a mask of packed bits; raises ValueError if they do not fit its size."""
    if packed.size != (size + 7) // 8:
        raise ValueError(f"it has {packed.size:,} bytes for {size:,} elements")
    if size % 8 and packed[-1] >> size % 8:
        raise ValueError(f"it has bits past its {size:,} elements")
    return BitMask(packed, size)
