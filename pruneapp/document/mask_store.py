"""The masks of a history: in memory up to a budget, otherwise in a scratch file.

Functions that access the disk can run on a worker thread; the main thread prepares them and applies
their results without blocking.
"""

from __future__ import annotations

import io
import mmap
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.elements import Bits
from pruneapp.errors import HistoryError, StaleError, words_of
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask, Layer, LayerMasks
from pruneapp.masks.scratch import scratch_file
from pruneapp.progress import Job

# Bytes written or read at a time: cancellation is checked in between.
_PIECE = 4 << 20


class ScratchFile:
    """A temporary file of masks, created on the first write and deleted when it is closed.

    Reads and writes are thread-safe. The space of freed masks is reused.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._file: io.FileIO | None = None
        self._closed = False
        self.size = 0  # bytes of the file
        self._used = 0
        # Free offsets by size in bytes; most tensors of a model share their size with others.
        self._free: dict[int, list[int]] = defaultdict(list)
        self._lock = threading.Lock()

    def write(self, mask: BitMask, job: Job) -> int:
        """Write a mask and return its offset for `read` and `free`.

        Creates the file on the first call. `job` can cancel; then, and after an error, the space is
        free again. Raises `OSError` if the disk is full or fails, or the file is closed.
        """
        offset = self._take(mask.nbytes)
        data, done = mask.packed.data, 0
        try:
            while done < mask.nbytes:
                job.step(0)
                with self._lock:
                    file = self._opened()
                    file.seek(offset + done)
                    done += file.write(data[done : done + _PIECE])
        except BaseException:
            self.free(offset, mask.nbytes)
            raise
        return offset

    def read(self, offset: int, size: int, job: Job) -> BitMask:
        """Read the mask of `size` elements at `offset`; `job` can cancel.

        Raises `OSError` if the file cannot be read, is too short, or is closed.
        """
        data, done = scratch.bits(size), 0
        while done < data.size:
            job.step(0)
            with self._lock:
                file = self._opened()
                file.seek(offset + done)
                got = file.readinto(data.data[done : done + _PIECE])
            if not got:
                raise OSError("the scratch file of the history is truncated")
            scratch.release_pages(data, done, done + got)
            done += got
        return BitMask(data, size)

    def byte(self, offset: int) -> int:
        """Return the byte at an offset."""
        with self._lock:
            file = self._opened()
            file.seek(offset)
            return file.read(1)[0]

    def free(self, offset: int, nbytes: int) -> None:
        """Mark the bytes written at `offset` as free for masks of the same size.

        If no mask remains, the file is truncated.
        """
        with self._lock:
            self._used -= nbytes
            self._free[nbytes].append(offset)
            if not self._used and self._file is not None:
                self._free.clear()
                self._file.truncate(0)
                self.size = 0

    def close(self) -> None:
        """Delete the file; pending reads and writes raise OSError."""
        with self._lock:
            self._closed = True
            if self._file is not None:
                self._file.close()
                self._file = None

    def _take(self, nbytes: int) -> int:
        with self._lock:
            self._used += nbytes
            if self._free[nbytes]:
                return self._free[nbytes].pop()
            offset, self.size = self.size, self.size + nbytes
            return offset

    def _opened(self) -> io.FileIO:
        if self._closed:
            raise OSError("the scratch file of the history is closed")
        if self._file is None:
            self._file = scratch_file(self._folder)
        return self._file


class ValuesFile:
    """An anonymous file for the replaced values of tensors, which is memory-mapped at the end.

    Mapped values take no memory that the system could not reclaim. No other process can open the
    file, and it is deleted with the last mapped array. Close it when all values are mapped, or none
    will be needed.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._file: io.FileIO | None = None
        self._end = 0
        self._places: dict[str, tuple[int, int]] = {}  # offset and size, of those not mapped yet
        self._mapped: dict[str, BitMask] = {}

    def add(self, name: str, bits: Bits, job: Job) -> None:
        """Append the raw elements of a tensor; `job` can cancel.

        A second call for the same name replaces its values for `map_values`. Raises `HistoryError`
        if the disk is full or fails.
        """
        data, done = bits.reshape(-1).view(np.uint8).data, 0
        try:
            if self._file is None:
                self._file = scratch_file(self._folder)
            while done < len(data):
                job.step(0)
                done += self._file.write(data[done : done + _PIECE])
            # Pad to whole 64-bit words. A full disk may have cut the padding, which is never read.
            padding = self._file.write(bytes(-len(data) % 8))
        except OSError as error:
            raise HistoryError(
                f"The values of '{name}' cannot be written to the scratch file: {words_of(error)}.",
                remedy="Free some space on the disk, then try again.",
            ) from error
        self._places[name] = self._end, len(data)
        self._end += len(data) + padding

    def map_values(self) -> dict[str, BitMask]:
        """Return all values added so far, as raw bytes in read-only masks, by tensor name.

        May be called again after further calls of `add`.
        """
        data: mmap.mmap | bytes = b""
        if self._file is not None and self._end and self._places:
            data = mmap.mmap(self._file.fileno(), self._end, access=mmap.ACCESS_READ)
        for name, (start, size) in self._places.items():
            self._mapped[name] = BitMask(np.frombuffer(data, np.uint8, size, start), 8 * size)
        self._places.clear()
        return dict(self._mapped)

    def close(self) -> None:
        """Close the file; mapped values remain valid."""
        if self._file is not None:
            self._file.close()


class MaskSlot:
    """A mask of the history: in memory, in the scratch file at `offset` (-1 if not), or both.

    `memory` is the number of bytes of memory the mask occupies, 0 for a mapped file. `uses` counts
    the references of the history's records; when it drops to 0, the slot is `forgotten`.
    """

    __slots__ = ("forgotten", "mask", "memory", "nbytes", "offset", "size", "uses")

    def __init__(self, mask: BitMask) -> None:
        self.mask: BitMask | None = mask
        self.offset = -1
        self.size = mask.size
        self.nbytes = mask.nbytes
        self.memory = mask.memory
        self.uses = 0
        self.forgotten = False

    def load(self, scratch: ScratchFile, job: Job) -> BitMask:
        """Return the mask, from the scratch file if needed. Thread-safe; the slot does not change.

        Raises
        ------
        HistoryError
            If the file cannot be read.
        StaleError
            If the state was deleted from the history before the mask was read.
        """
        mask, offset = self.mask, self.offset  # read once: the main thread may drop the mask
        if mask is not None:
            return mask
        try:
            mask = scratch.read(offset, self.size, job)
        except OSError as error:
            if not self.forgotten:
                raise HistoryError(
                    f"A mask of the history cannot be read again: {words_of(error)}.",
                    remedy="The current state is unchanged and can still be exported.",
                ) from error
        if mask is None or self.forgotten:  # its bytes may belong to another mask by now
            raise StaleError("This state is not in the history any more.", remedy="Try again.")
        return mask

    def kept_at(self, scratch: ScratchFile, index: int) -> bool:
        """Return whether the weight at a flat index is kept, without loading the whole mask."""
        if self.mask is not None:
            byte = int(self.mask.packed[index // 8])
        else:
            byte = scratch.byte(self.offset + index // 8)
        return bool(byte >> index % 8 & 1)


@dataclass(frozen=True, eq=False)
class SpillResult:
    """The slots that a `Spill` has written, with their offsets.

    `complete` is False if the disk was full; `why_not` then has the message of the operating
    system.
    """

    slots: tuple[tuple[MaskSlot, int], ...]
    complete: bool
    why_not: str = ""


@dataclass(frozen=True, eq=False)
class Spill:
    """A batch of masks to write to the scratch file. Call `run` on a worker thread."""

    slots: tuple[tuple[MaskSlot, BitMask], ...]
    scratch: ScratchFile

    def run(self, job: Job) -> SpillResult:
        """Write the masks that are not on disk yet; if the disk is full, as many as fit.

        Starts `job` with the bytes; it can cancel. Slots are not changed.
        """
        job.start(sum(mask.nbytes for _, mask in self.slots))
        written: list[tuple[MaskSlot, int]] = []
        why_not = ""
        try:
            for slot, mask in self.slots:
                offset = slot.offset if slot.offset >= 0 else self.scratch.write(mask, job)
                written.append((slot, offset))
                job.step(mask.nbytes)
        except OSError as error:  # rather exceed the memory budget than lose an undo step
            why_not = words_of(error)
        return SpillResult(tuple(written), len(written) == len(self.slots), why_not)


@dataclass(frozen=True, eq=False)
class Fetch:
    """A batch of masks to read from the scratch file. Call `run` on a worker thread."""

    slots: tuple[MaskSlot, ...]
    scratch: ScratchFile

    def run(self, job: Job) -> tuple[tuple[MaskSlot, BitMask], ...]:
        """Read the masks and count their bits; raises the errors of `MaskSlot.load`.

        Starts `job` with the bytes; it can cancel. Slots are not changed.
        """
        job.start(sum(slot.nbytes for slot in self.slots))
        fetched: list[tuple[MaskSlot, BitMask]] = []
        for slot in self.slots:
            mask = slot.load(self.scratch, job)
            _ = mask.kept  # cached here, so that the main thread does not have to count
            fetched.append((slot, mask))
            job.step(slot.nbytes)
        return tuple(fetched)


# The slots of changed masks by layer and tensor; None for no mask.
LayerSlots = Mapping[Layer, Mapping[str, MaskSlot | None]]


@dataclass(frozen=True, eq=False)
class NewMask:
    """A mask that is not stored yet, and the mask that it is delta-encoded against, if any."""

    slot: MaskSlot
    base: MaskSlot | None = None


@dataclass(frozen=True, eq=False)
class EditSlots:
    """The slots for the masks of an edit, to be passed to `MaskStore.take` of the same store."""

    store: MaskStore
    version: int  # of the store when the slots were looked up
    # The changed masks, and the masks that the entry names.
    before: LayerSlots
    after: LayerSlots
    named: Mapping[str, MaskSlot]
    known: Mapping[MaskSlot, int]  # slots already in the store, and the number of uses to add
    new: Mapping[int, MaskSlot]  # new slots, by the `id` of the mask
    nbytes: int  # bytes of memory of the masks in new slots


class MaskStore:
    """The slots of all masks of a history: one slot for each mask that several states share.

    At most `budget` bytes of masks are in memory, not counting those of the current state.
    """

    def __init__(self, budget: int, folder: Path | None) -> None:
        self.budget = budget
        self.scratch = ScratchFile(folder)
        self.nbytes = 0  # in memory
        self._cut_off: Iterator[MaskSlot] = iter(())
        self._spilling = False
        self._refused = False
        # By the `id` of the mask, which the slot keeps alive.
        self._by_mask: dict[int, MaskSlot] = {}
        self._version = 0  # incremented whenever masks are added or removed

    # Adding masks

    def slots_of(
        self, before: LayerMasks, after: LayerMasks, named: Mapping[str, BitMask], job: Job
    ) -> EditSlots:
        """Return the slots of an edit's masks `before` and `after` it, and of those `named` in it.

        Masks in the store keep their slots, others get new ones, which are not added: `take` does
        that, and checks whether the result is still valid. Thread-safe; 100,000 masks take 0.1 s.
        """
        version, held = self._version, self._by_mask
        known: dict[MaskSlot, int] = {}
        new: dict[int, MaskSlot] = {}

        def slots(masks: Mapping[str, BitMask | None]) -> dict[str, MaskSlot | None]:
            """Return a slot for each mask, by name, and count its use.

            Uses of slots of the store are counted in `known`, others in the slot.
            """
            found: dict[str, MaskSlot | None] = dict.fromkeys(masks)
            for batch in job.cancel.batches(masks.items()):
                for name, mask in batch:
                    if mask is None:
                        continue
                    slot = held.get(id(mask))
                    if slot is not None:
                        known[slot] = known.get(slot, 0) + 1
                    else:
                        slot = new.get(id(mask))
                        if slot is None:
                            slot = new[id(mask)] = MaskSlot(mask)
                        slot.uses += 1
                    found[name] = slot
            return found

        return EditSlots(
            self,
            version,
            {layer: slots(masks) for layer, masks in before.items()},
            {layer: slots(masks) for layer, masks in after.items()},
            {name: slot for name, slot in slots(named).items() if slot is not None},
            known,
            new,
            sum([slot.memory for slot in new.values()]),
        )

    def take(self, slots: EditSlots) -> bool:
        """Add the masks of an edit. Return False, without changes, if the slots are out of date.

        They are if they belong to another store, or if it has changed since. Call it once for the
        slots.
        """
        if slots.store is not self or slots.version != self._version:
            return False
        for slot, uses in slots.known.items():
            slot.uses += uses
        self._by_mask.update(slots.new)
        self.nbytes += slots.nbytes
        self._version += 1
        self._refused = False
        return True

    def hold(self, slot: MaskSlot, mask: BitMask) -> None:
        """Store in memory the mask of a slot that was on disk only."""
        slot.mask = mask
        self._by_mask[id(mask)] = slot
        self.nbytes += slot.memory
        self._version += 1

    def load(self, slot: MaskSlot, job: Job) -> BitMask:
        """Return the mask of a slot, and keep it in memory if it was read from the file."""
        mask = slot.load(self.scratch, job)
        if slot.mask is None:
            self.hold(slot, mask)
        return mask

    # Moving masks to disk

    @property
    def over_budget(self) -> int:
        """Number of bytes to move to disk; 0 while a spill is in progress or the disk is full."""
        return 0 if self._spilling or self._refused else max(0, self.nbytes - self.budget)

    def spill(self, slots: Iterable[MaskSlot], in_force: Iterable[MaskSlot]) -> Spill | None:
        """Choose masks to move to disk, in the order of `slots`; None if none must move.

        Those of the current state, `in_force`, are excluded. Until `finish_spill`, `over_budget` is
        0.
        """
        over = self.over_budget
        current_ids = {id(slot) for slot in in_force}
        to_spill: dict[int, tuple[MaskSlot, BitMask]] = {}
        for slot in slots:
            if over <= 0:
                break
            if slot.mask is None or not slot.memory:
                continue
            if id(slot) not in current_ids and id(slot) not in to_spill:
                to_spill[id(slot)] = slot, slot.mask
                over -= slot.memory
        self._spilling = bool(to_spill)
        return Spill(tuple(to_spill.values()), self.scratch) if to_spill else None

    def finish_spill(self, written: SpillResult, in_force: Iterable[MaskSlot]) -> None:
        """Drop written masks from memory until it is within budget, except those in `in_force`.

        If not all could be written, nothing is moved to disk until further masks are added. Space
        of masks that were deleted meanwhile is freed.
        """
        self._spilling, self._refused = False, not written.complete
        current_ids = {id(slot) for slot in in_force}
        for slot, offset in written.slots:
            if not slot.uses:  # its state was deleted meanwhile
                if slot.offset < 0:
                    self.scratch.free(offset, slot.nbytes)
                continue
            slot.offset = offset
            if slot.mask is not None and id(slot) not in current_ids and self.nbytes > self.budget:
                del self._by_mask[id(slot.mask)]
                self.nbytes -= slot.memory
                self._version += 1
                slot.mask = None

    # Removing masks

    def cut(self, slots: Iterator[MaskSlot]) -> None:
        """Schedule the release of one use of each slot; `forget_cut_off` does the work."""
        self._cut_off = chain(self._cut_off, slots)

    def forget_cut_off(self, most: int | None) -> bool:
        """Release the uses scheduled by `cut`. Return whether some may remain.

        Masks without uses are dropped from memory and disk. `most` limits how many slots are
        processed; None processes all.
        """
        n_processed = 0
        for slot in islice(self._cut_off, most):
            n_processed += 1
            slot.uses -= 1
            if slot.uses:
                continue
            if slot.mask is not None:
                del self._by_mask[id(slot.mask)]
                self.nbytes -= slot.memory
                self._version += 1
            slot.forgotten = True
            if slot.offset >= 0:
                self.scratch.free(slot.offset, slot.nbytes)
        if n_processed == most:
            return True
        self._cut_off = iter(())  # otherwise each `cut` would lengthen the chain
        return False

    def close(self) -> None:
        """Discard all masks and delete the scratch file."""
        self._cut_off = iter(())
        self._by_mask.clear()
        self.nbytes = 0
        self._version += 1
        self.scratch.close()
