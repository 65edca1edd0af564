"""The masks of a history: in memory as long as there is room, else in a scratch file.

What takes as long as a disk takes is a plain function for a worker; before and after it the
history changes in no time.
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

# SpillResult or read in one go: a job that is cancelled waits for no more.
_PIECE = 4 << 20


class ScratchFile:
    """A file of `scratch_file`, made when it is first needed, gone when it is closed.

    Any thread may write and read; the room of what was freed is used again.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._file: io.FileIO | None = None
        self._closed = False
        self.size = 0  # bytes that the file has
        self._used = 0
        # By size, which few tensors of a model do not share with others.
        self._free: dict[int, list[int]] = defaultdict(list)
        self._lock = threading.Lock()

    def write(self, mask: BitMask, job: Job) -> int:
        """Write a mask; returns where it lies, for `read` and `free`.

        Raises
        ------
        OSError
            If the disk is full or broken, or the file is closed.
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
        """Return the mask of `size` elements that lies at `offset`.

        Raises
        ------
        OSError
            If the file cannot be read.
        """
        data, done = scratch.bits(size), 0
        while done < data.size:
            job.step(0)
            with self._lock:
                file = self._opened()
                file.seek(offset + done)
                got = file.readinto(data.data[done : done + _PIECE])
            if not got:
                raise OSError("the scratch file of the history is cut short")
            scratch.let_go(data, done, done + got)
            done += got
        return BitMask(data, size)

    def byte(self, offset: int) -> int:
        """Return a single byte."""
        with self._lock:
            file = self._opened()
            file.seek(offset)
            return file.read(1)[0]

    def free(self, offset: int, nbytes: int) -> None:
        """Let go of what was written at `offset`: others may be written there."""
        with self._lock:
            self._used -= nbytes
            self._free[nbytes].append(offset)
            if not self._used and self._file is not None:
                self._free.clear()
                self._file.truncate(0)
                self.size = 0

    def close(self) -> None:
        """Delete the file; whoever still reads or writes gets an OSError."""
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
    """Values on their way to a state: in a file without a name, which is mapped at the end.

    So they take no memory that the system could not have back. Nobody else can reach the file,
    and it is gone with the last of the values. Close it when all are mapped, or none is wanted.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._file: io.FileIO | None = None
        self._end = 0
        self._places: dict[str, tuple[int, int]] = {}  # of what is not mapped yet
        self._mapped: dict[str, BitMask] = {}

    def add(self, name: str, bits: Bits, job: Job) -> None:
        """Write the raw elements of a tensor; raises `HistoryError` if the disk is full."""
        data, done = bits.reshape(-1).view(np.uint8).data, 0
        try:
            if self._file is None:
                self._file = scratch_file(self._folder)
            while done < len(data):
                job.step(0)
                done += self._file.write(data[done : done + _PIECE])
            # Whole words; nothing is read of what a full disk may have refused of these.
            padding = self._file.write(bytes(-len(data) % 8))
        except OSError as error:
            raise HistoryError(
                f"The values of '{name}' cannot be written to the scratch file: {words_of(error)}.",
                remedy="Make room on the disk, then try again.",
            ) from error
        self._places[name] = self._end, len(data)
        self._end += len(data) + padding

    def mapped(self) -> dict[str, BitMask]:
        """Return the values that are there by now, by the names of their tensors."""
        data: mmap.mmap | bytes = b""
        if self._file is not None and self._end and self._places:
            data = mmap.mmap(self._file.fileno(), self._end, access=mmap.ACCESS_READ)
        for name, (start, size) in self._places.items():
            self._mapped[name] = BitMask(np.frombuffer(data, np.uint8, size, start), 8 * size)
        self._places.clear()
        return dict(self._mapped)

    def close(self) -> None:
        """Let go of the file; what was mapped of it stays."""
        if self._file is not None:
            self._file.close()


class MaskSlot:
    """A mask of the history: in memory, in the scratch file at `offset` (-1: not), or both.

    A mask that lies in a file of its own takes no `memory`, and stays as it is. `uses` is how often
    the history's records refer to it; it is `forgotten` once none does.
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
        """Return the mask, from the file if need be, in any thread; the slot stays as it is.

        Raises
        ------
        HistoryError
            If the file cannot be read.
        StaleError
            If it was cut off from the history before it was read.
        """
        mask, offset = self.mask, self.offset  # once: the main thread may let go of it
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
        if mask is None or self.forgotten:  # its place may have held another mask by then
            raise StaleError("This state is not in the history any more.", remedy="Try again.")
        return mask

    def kept_at(self, scratch: ScratchFile, index: int) -> bool:
        """Return one bit of the mask without loading the rest."""
        if self.mask is not None:
            byte = int(self.mask.packed[index // 8])
        else:
            byte = scratch.byte(self.offset + index // 8)
        return bool(byte >> index % 8 & 1)


@dataclass(frozen=True, eq=False)
class SpillResult:
    """What a `Spill` has written: slots and where they lie.

    All of them if `complete`; else `why_not` says in words what the disk said.
    """

    slots: tuple[tuple[MaskSlot, int], ...]
    complete: bool
    why_not: str = ""


@dataclass(frozen=True, eq=False)
class Spill:
    """Masks to be written to the scratch file, by `run` in a worker."""

    slots: tuple[tuple[MaskSlot, BitMask], ...]
    scratch: ScratchFile

    def run(self, job: Job) -> SpillResult:
        """Write them; where the disk is full, those that it took."""
        job.start(sum(mask.nbytes for _, mask in self.slots))
        written: list[tuple[MaskSlot, int]] = []
        why_not = ""
        try:
            for slot, mask in self.slots:
                offset = slot.offset if slot.offset >= 0 else self.scratch.write(mask, job)
                written.append((slot, offset))
                job.step(mask.nbytes)
        except OSError as error:  # better too much memory than a lost undo
            why_not = words_of(error)
        return SpillResult(tuple(written), len(written) == len(self.slots), why_not)


@dataclass(frozen=True, eq=False)
class Fetch:
    """Masks to be read from the scratch file, by `run` in a worker."""

    slots: tuple[MaskSlot, ...]
    scratch: ScratchFile

    def run(self, job: Job) -> tuple[tuple[MaskSlot, BitMask], ...]:
        """Read and count them; raises as `MaskSlot.load`."""
        job.start(sum(slot.nbytes for slot in self.slots))
        fetched: list[tuple[MaskSlot, BitMask]] = []
        for slot in self.slots:
            mask = slot.load(self.scratch, job)
            _ = mask.kept  # counted here: whoever shows the number has no time for it
            fetched.append((slot, mask))
            job.step(slot.nbytes)
        return tuple(fetched)


# None for no mask.
LayerSlots = Mapping[Layer, Mapping[str, MaskSlot | None]]


@dataclass(frozen=True, eq=False)
class NewMask:
    """A mask that was not met before, and the one that it is packed against."""

    slot: MaskSlot
    base: MaskSlot | None = None


@dataclass(frozen=True, eq=False)
class EditSlots:
    """The slots of the masks of an edit, to be taken by the store that they were found for."""

    store: MaskStore
    version: int  # of the store, when they were looked up
    # Of the masks that the edit changes, and of those that its entry names.
    before: LayerSlots
    after: LayerSlots
    named: Mapping[str, MaskSlot]
    known: Mapping[MaskSlot, int]  # slots that the store had, and how often the edit refers to each
    new: Mapping[int, MaskSlot]  # the others, by the identity of the mask
    nbytes: int  # of memory that the masks of these take


class MaskStore:
    """One slot for every mask, however many states share it.

    No more than `budget` bytes are in memory, but for masks that are in force.
    """

    def __init__(self, budget: int, folder: Path | None) -> None:
        self.budget = budget
        self.scratch = ScratchFile(folder)
        self.nbytes = 0  # in memory
        self._cut_off: Iterator[MaskSlot] = iter(())
        self._spilling = False
        self._refused = False
        # By the identity of the mask, which the slot keeps alive.
        self._by_mask: dict[int, MaskSlot] = {}
        self._version = 0  # another one whenever masks came or went

    # Masks that come

    def slots_of(
        self, before: LayerMasks, after: LayerMasks, named: Mapping[str, BitMask], job: Job
    ) -> EditSlots:
        """Return the slots of the masks of an edit: those held already have theirs.

        In any thread: of 100,000 masks it takes a tenth of a second. `take` says whether they are
        still true.
        """
        version, held = self._version, self._by_mask
        known: dict[MaskSlot, int] = {}
        new: dict[int, MaskSlot] = {}

        def slots(masks: Mapping[str, BitMask | None]) -> dict[str, MaskSlot | None]:
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
        """Hold the masks of an edit; False, and nothing changed, if the slots are out of date."""
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
        """Hold the mask of a slot that had none in memory."""
        slot.mask = mask
        self._by_mask[id(mask)] = slot
        self.nbytes += slot.memory
        self._version += 1

    def load(self, slot: MaskSlot, job: Job) -> BitMask:
        """Return the mask of a slot, from the file if need be, and hold it from then on."""
        mask = slot.load(self.scratch, job)
        if slot.mask is None:
            self.hold(slot, mask)
        return mask

    # Masks for which there is no room

    @property
    def over_budget(self) -> int:
        """How many bytes are to be moved to disk; 0 while that is done, and where it is full."""
        return 0 if self._spilling or self._refused else max(0, self.nbytes - self.budget)

    def spill(self, slots: Iterable[MaskSlot], in_force: Iterable[MaskSlot]) -> Spill | None:
        """Return what has to be moved to disk of slots, in their order; None for nothing."""
        over = self.over_budget
        stay = {id(slot) for slot in in_force}
        to_spill: dict[int, tuple[MaskSlot, BitMask]] = {}
        for slot in slots:
            if over <= 0:
                break
            if slot.mask is None or not slot.memory:
                continue
            if id(slot) not in stay and id(slot) not in to_spill:
                to_spill[id(slot)] = slot, slot.mask
                over -= slot.memory
        self._spilling = bool(to_spill)
        return Spill(tuple(to_spill.values()), self.scratch) if to_spill else None

    def finish_spill(self, written: SpillResult, in_force: Iterable[MaskSlot]) -> None:
        """Let go of the masks that a `Spill` has written, as far as they are not needed again."""
        self._spilling, self._refused = False, not written.complete
        stay = {id(slot) for slot in in_force}
        for slot, offset in written.slots:
            if not slot.uses:  # cut off meanwhile
                if slot.offset < 0:
                    self.scratch.free(offset, slot.nbytes)
                continue
            slot.offset = offset
            if slot.mask is not None and id(slot) not in stay and self.nbytes > self.budget:
                del self._by_mask[id(slot.mask)]
                self.nbytes -= slot.memory
                self._version += 1
                slot.mask = None

    # Masks that go

    def cut(self, slots: Iterator[MaskSlot]) -> None:
        """Take note that slots are used once less each, to be let go of in their turn."""
        self._cut_off = chain(self._cut_off, slots)

    def forget_cut_off(self, most: int | None) -> bool:
        """Forget masks that were cut off, as far as nothing else does; say if there may be more.

        At `most` so many are looked at.
        """
        looked = 0
        for slot in islice(self._cut_off, most):
            looked += 1
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
        if looked == most:
            return True
        self._cut_off = iter(())  # no chain that each cut makes longer
        return False

    def close(self) -> None:
        """Forget everything and delete the scratch file."""
        self._cut_off = iter(())
        self._by_mask.clear()
        self.nbytes = 0
        self._version += 1
        self.scratch.close()
