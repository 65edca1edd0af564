"""Numbers for the masks of a history, and the records of it as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.edit import Record, said
from pruneapp.document.mask_store_aside import Layer, MaskSlot, NewMask
from pruneapp.sessions.history_codec_saved import NO_MASK, SavedEdit, Swap
from pruneapp.sessions.mask_codec import PIECE, SMALL


class MaskNumbers:
    """Numbers for the masks of a history, as they are given.

    Attributes
    ----------
    count
        How many numbers were given.
    """

    def __init__(self) -> None:
        self.count = 0
        # By identity, which the slots beside the numbers keep.
        self._known: dict[int, tuple[MaskSlot, int]] = {}

    def new_of(self, record: Record) -> list[NewMask]:
        """Return the masks of a record that have no number yet.

        A mask is packed against the one that it followed.
        """
        found: dict[int, NewMask] = {}
        for key, after in record.after.items():
            before = record.before[key]
            self._meet(before, None, found)
            self._meet(after, before, found)
        for slot in record.meant.values():
            self._meet(slot, None, found)
        return list(found.values())

    def new_meant(self, record: Record) -> list[NewMask]:
        """Return those that it means itself and that have no number yet."""
        found: dict[int, NewMask] = {}
        for slot in record.meant.values():
            self._meet(slot, None, found)
        return list(found.values())

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
        self._known = {key: found for key, found in self._known.items() if key in used}

    def forget(self, masks: Iterable[NewMask]) -> None:
        """Forget some masks; their numbers are not given again."""
        for new in masks:
            self._known.pop(id(new.slot), None)

    def back_to(self, count: int) -> None:
        """Take back the numbers from `count` on."""
        self.count = count
        self._known = {key: found for key, found in self._known.items() if found[1] < count}

    def edit(self, record: Record, last: Record | None, checkpoint: Checkpoint) -> SavedEdit:
        """Return a record as data; all its masks have numbers.

        Parameters
        ----------
        record, last
            The record, and the one before it in the history.
        checkpoint
            What the history is about.
        """
        names: dict[str, int] = {}
        swaps: dict[Layer, list[Swap]] = {"masks": [], "final": [], "protected": []}
        for (layer, name), after in record.after.items():
            first, then = self.find(record.before[layer, name]), self.find(after)
            swaps[layer].append((names.setdefault(name, len(names)), first, then))
        entries = [checkpoint.entry(name) for name in names]
        return msgspec.structs.replace(
            self.intent(record, last),
            tensors=tuple([(e.name, e.shape, e.dtype.name) for e in entries]),
            masks=tuple(swaps["masks"]),
            final=tuple(swaps["final"]),
            protected=tuple(swaps["protected"]),
        )

    def intent(self, record: Record, last: Record | None) -> SavedEdit:
        """Return a record as data, but for the masks that it changed; see `edit`."""
        return SavedEdit(
            kind=record.kind,
            label=record.label,
            detail=record.detail,
            entry=dict(said(record.step, record.entry)),
            same=record.key is (None if last is None else last.key),
            meant={name: self.find(slot) for name, slot in record.meant.items()},
        )

    def _meet(
        self, slot: MaskSlot | None, base: MaskSlot | None, found: dict[int, NewMask]
    ) -> None:
        if slot is not None and id(slot) not in self._known:
            found.setdefault(id(slot), NewMask(slot, base))


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
