"""What was done to a document, as data: every change can be taken back and done again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pruneapp.document.scratch import MaskSlot, ScratchFile
from pruneapp.document.step import Step
from pruneapp.masks.bitmask import BitMask

# Masks that the history may hold in memory.
BUDGET = 1 << 30

Masks = Mapping[str, BitMask | None]
EditKind = Literal["prune", "final", "found"]


@dataclass(frozen=True, eq=False)
class Change:
    """Masks of some tensors before and after; None keeps everything. Both have the same names."""

    before: Masks = field(default_factory=dict)
    after: Masks = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Edit:
    """One change of a document.

    Attributes
    ----------
    kind
        ``prune`` a step, ``final`` weights made final, ``found`` a mask that the file brought.
    label, detail
        What was done, short and in full.
    masks, final
        The masks that it changed, and the final weights.
    step
        What was asked for, if it was a step.
    """

    kind: EditKind
    label: str
    detail: str
    masks: Change
    final: Change = field(default_factory=Change)
    step: Step | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The tensors that it changed."""
        return tuple(dict.fromkeys((*self.masks.after, *self.final.after)))


Slots = dict[str, MaskSlot | None]


@dataclass(frozen=True, eq=False)
class Record:
    """An edit in the history; its masks may have been put aside in the scratch file."""

    kind: EditKind
    label: str
    detail: str
    step: Step | None
    masks_before: Slots
    masks_after: Slots
    final_before: Slots
    final_after: Slots

    def slots(self) -> Iterator[MaskSlot]:
        """Yield the slots of all its masks; some more than once."""
        for slots in (self.masks_before, self.masks_after, self.final_before, self.final_after):
            yield from (slot for slot in slots.values() if slot is not None)


@dataclass(frozen=True, eq=False)
class Replacement:
    """The masks to put in place to get from one position to another."""

    masks: Masks
    final: Masks

    @property
    def names(self) -> tuple[str, ...]:
        """The tensors that change."""
        return tuple(dict.fromkeys((*self.masks, *self.final)))


class History:
    """Edits in order, and how many of them are in force. Without limit.

    A mask that several states share is one object and is counted once. Past `budget` bytes the
    masks of the oldest edits go to a scratch file and come back when they are needed; masks of
    the state in force stay in memory anyway.

    Parameters
    ----------
    budget
        Bytes of masks to hold in memory.
    folder
        Where the scratch file goes.
    """

    def __init__(self, budget: int = BUDGET, folder: Path | None = None) -> None:
        self._budget = budget
        self._scratch = ScratchFile(folder)
        self._records: list[Record] = []
        self._position = 0
        self._bytes = 0
        # By the identity of the mask, which the slot keeps alive.
        self._by_mask: dict[int, MaskSlot] = {}

    def __len__(self) -> int:
        """How many edits there are, the undone ones too."""
        return len(self._records)

    @property
    def in_force(self) -> Record | None:
        """The last edit that is in force; None if none is."""
        return self._records[self._position - 1] if self._position else None

    @property
    def position(self) -> int:
        """How many edits are in force."""
        return self._position

    @property
    def memory(self) -> int:
        """Bytes of masks that the history holds in memory."""
        return self._bytes

    @property
    def scratch_size(self) -> int:
        """Bytes of the scratch file."""
        return self._scratch.size

    def push(self, edit: Edit) -> Record:
        """Add an edit after the position; what was undone is cut off."""
        if self._position < len(self._records):
            del self._records[self._position :]
            self._forget_unused()
        record = Record(
            edit.kind,
            edit.label,
            edit.detail,
            edit.step,
            self._slots(edit.masks.before),
            self._slots(edit.masks.after),
            self._slots(edit.final.before),
            self._slots(edit.final.after),
        )
        self._records.append(record)
        self._position += 1
        self._spill()
        return record

    def go_to(self, position: int) -> Replacement:
        """Move to a position from 0 to the number of edits; return what has to change.

        Reads from the scratch file only the masks that are in force afterwards.

        Raises
        ------
        IndexError
            If there is no such position.
        """
        if not 0 <= position <= len(self._records):
            raise IndexError(f"the history has positions 0 to {len(self._records)}: {position}")
        masks: Slots = {}
        final: Slots = {}
        if position < self._position:
            for record in reversed(self._records[position : self._position]):
                masks |= record.masks_before
                final |= record.final_before
        else:
            for record in self._records[self._position : position]:
                masks |= record.masks_after
                final |= record.final_after
        change = Replacement(self._loaded(masks), self._loaded(final))
        self._position = position
        self._spill()
        return change

    def pruned_by(self, name: str, index: int) -> int | None:
        """Return the position after the edit that pruned an element; None if it is there.

        Parameters
        ----------
        name
            First name of the tensor.
        index
            Flat index of the element.
        """
        for position in range(self._position, 0, -1):
            record = self._records[position - 1]
            if name not in record.masks_after:
                continue
            after, before = record.masks_after[name], record.masks_before[name]
            gone = after is not None and not self._scratch.kept_at(after, index)
            if gone and (before is None or self._scratch.kept_at(before, index)):
                return position
        return None

    def close(self) -> None:
        """Forget everything and delete the scratch file."""
        self._records.clear()
        self._by_mask.clear()
        self._position = self._bytes = 0
        self._scratch.close()

    def _slots(self, masks: Masks) -> Slots:
        return {name: None if mask is None else self._slot(mask) for name, mask in masks.items()}

    def _slot(self, mask: BitMask) -> MaskSlot:
        slot = self._by_mask.get(id(mask))
        if slot is None:
            slot = self._hold(MaskSlot(mask), mask)
        return slot

    def _hold(self, slot: MaskSlot, mask: BitMask) -> MaskSlot:
        slot.mask = mask
        self._by_mask[id(mask)] = slot
        self._bytes += slot.nbytes
        return slot

    def _loaded(self, slots: Slots) -> Masks:
        # A mask that comes back is in force now; its slot holds it too, so that the next edit
        # shares it instead of keeping a second copy.
        loaded: dict[str, BitMask | None] = {}
        for name, slot in slots.items():
            if slot is None:
                loaded[name] = None
                continue
            mask = self._scratch.load(slot)
            if slot.mask is None:
                self._hold(slot, mask)
            loaded[name] = mask
        return loaded

    def _spill(self) -> None:
        if self._bytes <= self._budget:
            return
        in_force = {id(slot) for slot in self._in_force()}
        for record in self._records:
            for slot in record.slots():
                if slot.mask is None or id(slot) in in_force:
                    continue
                key = id(slot.mask)
                try:
                    self._scratch.store(slot)
                except OSError:
                    return  # a full disk: better too much memory than a lost undo
                del self._by_mask[key]
                self._bytes -= slot.nbytes
                if self._bytes <= self._budget:
                    return

    def _in_force(self) -> Iterable[MaskSlot]:
        masks: Slots = {}
        final: Slots = {}
        for record in self._records[: self._position]:
            masks |= record.masks_after
            final |= record.final_after
        for record in reversed(self._records[self._position :]):
            masks |= record.masks_before
            final |= record.final_before
        return [slot for slot in (*masks.values(), *final.values()) if slot is not None]

    def _forget_unused(self) -> None:
        used = {id(slot): slot for record in self._records for slot in record.slots()}
        self._by_mask = {id(s.mask): s for s in used.values() if s.mask is not None}
        self._bytes = sum(slot.nbytes for slot in self._by_mask.values())
        if all(slot.offset < 0 for slot in used.values()):
            self._scratch.clear()
