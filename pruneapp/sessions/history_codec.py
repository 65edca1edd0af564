"""A history as plain data: what a session file and a journal have in common.

Masks have numbers, in the order in which the history came to them; -1 stands for no mask. A mask
may be packed against one of a lower number, so that there are no circles: a stroke of a brush
changes some hundred bits of millions, and what does not change becomes zeros. Pieces are packed one
by one, so that no mask is ever there twice; small masks are packed together, for there may be
100,000 of them.
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
from pruneapp.document.mask_store import MaskSlot, NewMask
from pruneapp.errors import CheckpointError, JsonError, SessionError
from pruneapp.json_codec import decode
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask, Layer
from pruneapp.progress import Job
from pruneapp.results.branches import Branches

NO_MASK = -1
# A tensor of an edit (as its number there), and its masks before and after.
Swap = tuple[int, int, int]

T = TypeVar("T")


class SavedEdit(msgspec.Struct, frozen=True, kw_only=True):
    """One edit of a history; see `pruneapp.document.edit.Edit`."""

    # As the edit has them; a step is an entry, too.
    kind: EditKind
    label: str
    detail: str = ""
    entry: dict[str, Any]
    same: bool = False  # whether an export after it has the same values as one before it
    # Names, shapes and types of the tensors that it changed.
    tensors: tuple[tuple[str, tuple[int, ...], str], ...] = ()
    # What it changed of each layer.
    masks: tuple[Swap, ...] = ()
    permanent: tuple[Swap, ...] = msgspec.field(name="final", default=())
    protected: tuple[Swap, ...] = ()
    values: tuple[Swap, ...] = ()  # as masks of all the bits of a tensor
    meant: dict[str, int] = {}  # numbers of the masks that the entry names

    @property
    def layers(self) -> dict[Layer, tuple[Swap, ...]]:
        """What it changed, by layer."""
        return {layer: getattr(self, layer) for layer in get_args(Layer)}


@dataclass(frozen=True)
class SavedMask:
    """What is known of a mask before it is read: its elements, and what it is packed against."""

    size: int
    base: int = NO_MASK


class MaskSource(Protocol):
    """Where masks are read from."""

    def read(self, number: int, base: BitMask | None, job: Job) -> BitMask:
        """Return a mask, which may be packed against another one.

        Raises
        ------
        SessionError
            If it cannot be read, or is none.
        """


@contextlib.contextmanager
def reading_mask(where: str, number: int) -> Iterator[None]:
    """Turn what is wrong with a mask into a `SessionError`."""
    try:
        yield
    except (ValueError, MemoryError) as error:
        raise damaged(where, f"of mask {number:,}, {error}") from None
    except CheckpointError as error:
        raise SessionError(error.sentence, remedy=error.remedy) from error


@dataclass(frozen=True)
class SavedHistory:
    """A history that was saved."""

    masks: Sequence[SavedMask]  # all masks, by number
    edits: Sequence[SavedEdit]  # all edits, of all branches
    position: int  # the state in force
    # The state that was last exported, or opened; -1 for none of these.
    exported: int
    source: MaskSource  # reads the masks
    # What was done after `edits`, without the masks that it changed, to be done again. Both
    # together are the history that `position`, `exported` and `branches` are about.
    intents: Sequence[SavedEdit] = ()
    branches: Branches | None = None  # which state follows which; None for a line

    @cached_property
    def tree(self) -> Branches:
        """Which state follows which."""
        count = len(self.edits) + len(self.intents)
        return Branches.line(count) if self.branches is None else self.branches

    @property
    def done(self) -> list[SavedEdit]:
        """The edits in force, in order, as far as they have their masks."""
        path = self.tree.path(self.position)
        return [self.edits[state - 1] for state in path if state <= len(self.edits)]


def decoded(data: bytes, kind: type[T], where: str) -> T:
    """Return JSON as what it ought to be.

    Raises
    ------
    SessionError
        If it is something else.
    """
    try:
        return decode(data, kind, where, file_names=True)
    except JsonError as error:
        at = f" at {error.place}" * bool(error.place)
        raise damaged(where, f"its history cannot be read{at} ({error.what})") from None


def damaged(where: str, what: str) -> SessionError:
    """Return the error of a file that is no sound session."""
    return SessionError(
        f"'{where}' is not a valid session: {what}.",
        remedy="Restore a backup of it if you have one; the checkpoint is unchanged.",
    )


def branches_of(
    after: Sequence[int], tip: int, names: Iterable[tuple[int, str]], position: int, where: str
) -> Branches:
    """Return which state follows which, as a file says it; raises `SessionError` if it cannot be.

    `tip` is -1 for the newest way on from the state in force.
    """
    count = len(after)
    if not all(0 <= state <= at for at, state in enumerate(after)):
        raise damaged(where, "a state of its history follows one that is made later")
    if not 0 <= position <= count:
        raise damaged(where, f"it has no state {position:,}")
    branches = Branches(tuple(after))
    for state, name in names:
        if not 0 < state <= count:
            raise damaged(where, f"it names state {state:,}, which is not there")
        branches = branches.named(state, name)
    tip = branches.end_of(position) if tip < 0 else tip
    if not tip <= count or branches.route(position, tip)[0]:
        raise damaged(where, f"state {position:,} is not on the branch that ends at {tip:,}")
    return replace(branches, tip=tip)


def check_version(header: Mapping[str, Any], known: int, where: str) -> None:
    """Raise SessionError if a file has a version that is not known."""
    version = header.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise damaged(where, f"its version is {str(version)[:40]!r}")
    if version > known:
        raise SessionError(
            f"'{where}' was saved by a newer Pruneapp: it has version {version}, and this one "
            f"reads up to version {known}.",
            remedy="Update Pruneapp to open it.",
        )


class MaskNumbers:
    """Numbers for the masks of a history, as they are given; `count` of them were given."""

    def __init__(self) -> None:
        self.count = 0
        # By identity, which the slots beside the numbers keep.
        self._known: dict[int, tuple[MaskSlot, int]] = {}

    def new_of(self, record: Record) -> list[NewMask]:
        """Return the masks of a record that have no number yet.

        A mask is packed against the one that it followed.
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

    def new_meant(self, record: Record) -> list[NewMask]:
        """Return those that it means itself and that have no number yet."""
        slots = {id(slot): slot for slot in record.entry_masks.values()}
        return [NewMask(slot) for key, slot in slots.items() if key not in self._known]

    def give(self, new: NewMask) -> int:
        """Give a mask the next number; the one that it is packed against has one."""
        number = self.count
        self.count += 1
        self._known[id(new.slot)] = new.slot, number
        return number

    def find(self, slot: MaskSlot | None) -> int:
        """Return the number of a mask; `NO_MASK` for none, and for one without a number."""
        known = None if slot is None else self._known.get(id(slot))
        return NO_MASK if known is None else known[1]

    def keep(self, records: Iterable[Record]) -> None:
        """Forget the masks of all other records, so that nothing holds them."""
        used = {id(slot) for record in records for slot in record.slots()}
        self._known = {key: entry for key, entry in self._known.items() if key in used}

    def forget(self, masks: Iterable[NewMask]) -> None:
        """Forget some masks; their numbers are not given again."""
        for new in masks:
            self._known.pop(id(new.slot), None)

    def back_to(self, count: int) -> None:
        """Take back the numbers from `count` on."""
        self.count = count
        self._known = {key: entry for key, entry in self._known.items() if entry[1] < count}

    def edit(self, record: Record, last: Record | None, checkpoint: Checkpoint) -> SavedEdit:
        """Return a record, which follows `last`, as data; all its masks have numbers."""
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
            self.intent(record, last),
            tensors=tuple([(e.name, e.shape, e.dtype.name) for e in entries]),
            **swaps,
        )

    def intent(self, record: Record, last: Record | None) -> SavedEdit:
        """Return a record as data, but for the masks that it changed; see `edit`."""
        return SavedEdit(
            kind=record.kind,
            label=record.label,
            detail=record.detail,
            entry=dict(record.as_json()),
            same=record.key is (None if last is None else last.key),
            meant={name: self.find(slot) for name, slot in record.entry_masks.items()},
        )


def bundles(fresh: Iterable[NewMask]) -> Iterator[list[NewMask]]:
    """Yield masks as they are packed: a large one by itself, small ones together, in order."""
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


# Bytes of a mask that are packed in one go: a job that is cancelled waits for no more.
PIECE = 4 << 20
# Masks of no more bytes are packed together, up to a piece of them.
SMALL = 64 << 10
_LEVEL = 1


def pack(mask: BitMask, base: BitMask | None, job: Job) -> Iterator[bytes]:
    """Yield a mask, exclusive or `base`, as zstd frames, one for each `PIECE` bytes of it."""
    import zstandard

    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    for start in range(0, mask.nbytes, PIECE):
        piece = mask.part(start, start + PIECE)
        if base is not None:
            piece = piece ^ base.part(start, start + PIECE)
        yield compressor.compress(piece.data)
        job.step(piece.size)


def unpack(pieces: Iterable[bytes], size: int, base: BitMask | None, job: Job) -> BitMask:
    """Return the mask that was packed.

    Raises ValueError, in words as the end of a sentence, if the pieces are no mask of this size.
    """
    import zstandard

    nbytes = (size + 7) // 8
    if base is not None and base.size != size:
        raise ValueError(f"it has {size:,} elements, and the one that it changes {base.size:,}")
    packed = scratch.bits(size)
    decompressor = zstandard.ZstdDecompressor()
    done = 0
    for piece in pieces:
        wanted = min(PIECE, nbytes - done)
        # Looked at first: a frame may promise more than there is memory.
        try:
            if wanted == 0 or zstandard.frame_content_size(piece) != wanted:
                raise ValueError(f"its pieces are not those of {size:,} elements")
            data = decompressor.decompress(piece)
        except zstandard.ZstdError:
            raise ValueError("its bytes cannot be decompressed") from None
        here = packed[done : done + wanted]
        here[:] = np.frombuffer(data, np.uint8)
        if base is not None:
            here ^= base.part(done, done + wanted)
        scratch.let_go(packed, done, done + wanted)
        done += wanted
        job.step(wanted)
    if done != nbytes:
        raise ValueError(f"{nbytes - done:,} of its {nbytes:,} bytes are missing")
    return checked(packed, size)


def pack_together(masks: Sequence[tuple[BitMask, BitMask | None]], job: Job) -> bytes:
    """Return masks, each with its base, as one zstd frame, one after the other.

    They have `SMALL` bytes each at most, and `PIECE` bytes in all, but for the last.
    """
    import zstandard

    joined = b"".join(
        [(m.packed if base is None else m.packed ^ base.packed).tobytes() for m, base in masks]
    )
    job.step(len(joined))
    return zstandard.ZstdCompressor(level=_LEVEL).compress(joined)


class Unpacker:
    """Reads masks that were packed; of those packed together, it keeps the last frame.

    The next mask is in the same frame, as a rule.
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
        """Return a mask; raises as `unpack`.

        It begins at `offset` in the one frame that `pieces` yield, or is all of them if that is -1.
        They are read if their `key` is another one than before only.
        """
        if offset < 0:
            return unpack(pieces, size, base, job)
        if self._last is None or self._last[0] != key:
            self._last = key, _unpack_together(pieces)
        together, nbytes = self._last[1], (size + 7) // 8
        if not 0 <= offset <= together.size - nbytes:
            raise ValueError(f"{size:,} elements lie outside of those that it was packed with")
        packed = together[offset : offset + nbytes]
        if base is not None and base.size != size:
            raise ValueError(f"it has {size:,} elements, and the one that it changes {base.size:,}")
        mask = checked(packed.copy() if base is None else packed ^ base.packed, size)
        job.step(nbytes)
        return mask


def _unpack_together(pieces: Iterable[bytes]) -> NDArray[np.uint8]:
    import zstandard

    frames = list(islice(pieces, 2))
    try:
        # Looked at first: a frame may promise more than there is memory.
        if len(frames) != 1 or not 0 <= zstandard.frame_content_size(frames[0]) <= PIECE + SMALL:
            raise ValueError("it is not one frame of small masks")
        data = zstandard.ZstdDecompressor().decompress(frames[0])
    except zstandard.ZstdError:
        raise ValueError("its bytes cannot be decompressed") from None
    return np.frombuffer(data, np.uint8)


def checked(packed: NDArray[np.uint8], size: int) -> BitMask:
    """Return a mask of packed bits; raises ValueError if they are not those of its size."""
    if packed.size != (size + 7) // 8:
        raise ValueError(f"it has {packed.size:,} bytes for {size:,} elements")
    if size % 8 and packed[-1] >> size % 8:
        raise ValueError(f"it has bits past its {size:,} elements")
    return BitMask(packed, size)
