"""One change of a document, as data: proposed by a worker, committed, kept by the history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import Any, Self

from pruneapp.document.mask_store import EditSlots, LayerSlots, MaskSlot
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.masks.bitmask import BitMask, Layer, LayerMasks, MaskLayers
from pruneapp.progress import Job

Json = Mapping[str, Any]
# What an entry of the history is called whose masks came with the file.
FILE_MASKS = "file_masks"


class EditKind(StrEnum):
    """What changed the state; the values are written into files."""

    PRUNE = "prune"  # a pruning step
    MANUAL = "edit"
    PERMANENT = "final"  # pruned weights were made permanent
    EXISTING = "found"  # masks that came with the file, or its zeros
    REPAIR = "repair"  # what is left of pruned layers got other values


@dataclass(frozen=True, eq=False)
class Action:
    """What was done, without its masks."""

    kind: EditKind
    # In words, short and in full.
    label: str
    detail: str
    step: Step | None = None  # what was requested, if it was a step
    # The same as plain JSON, if it was something else or a step that needed other files: what
    # `ManualEdit.to_dict`, `Finalize.to_dict` and the like return.
    entry: Json | None = None

    def as_json(self) -> Json:
        """Return what was done as plain JSON, with a name and a configuration."""
        if self.entry is not None:
            return self.entry
        assert self.step is not None, "an edit without a step says itself what it did"
        return self.step.to_dict()


@dataclass(frozen=True, eq=False, kw_only=True)
class Edit(Action):
    """One change of a document."""

    # The masks that it changes. Both have the same layers and names.
    before: LayerMasks = field(default_factory=dict)
    after: LayerMasks = field(default_factory=dict)
    entry_masks: Mapping[str, BitMask] = field(default_factory=dict)  # the masks that `entry` names
    # Whether an export of the state after it has the same values as one of the state before.
    writes_the_same: bool = False
    # What `of` has time for in a worker, and the thread that puts it in force has not: the slots of
    # its masks, and the layers of the state that it was made of, before and after it. A copy with
    # other masks has neither.
    slots: EditSlots | None = field(default=None, init=False)
    layers: tuple[MaskLayers, MaskLayers] | None = field(default=None, init=False)

    @classmethod
    def of(  # noqa: PLR0917 - in the order of the fields
        cls,
        snapshot: Snapshot,
        kind: EditKind,
        label: str,
        detail: str,
        after: LayerMasks,
        job: Job,
        **more: Any,
    ) -> Self:
        """Return a change of a state, ready to be put in force; `more` are the other fields."""
        before: dict[Layer, dict[str, BitMask | None]] = {}
        for layer, masks in after.items():
            now = snapshot.layers[layer]
            before[layer] = {name: now.get(name) for name in job.cancel.each(masks)}
        edit = cls(kind, label, detail, before=before, after=after, **more)
        if snapshot.store is not None:
            edit.__dict__["slots"] = snapshot.store.slots_of(before, after, edit.entry_masks, job)
        edit.__dict__["layers"] = snapshot.layers, snapshot.layers.replaced(after)
        _ = edit.names
        return edit

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The tensors that it changed."""
        return tuple(dict.fromkeys(chain.from_iterable(self.after.values())))

    def applied_to(self, state: Snapshot) -> Snapshot:
        """Return the state after it; at once for the state that it was made of."""
        if self.layers is None or self.layers[0] is not state.layers:
            return state.replaced(self.after)
        return replace(state, layers=self.layers[1], revision=state.revision + 1)

    def to_dict(self, masks: dict[str, BitMask]) -> Json:
        """Return what was done as plain JSON; `masks` takes those that it names, by SHA-256."""
        masks.update(self.entry_masks)
        return self.as_json()


@dataclass(frozen=True, eq=False, kw_only=True)
class Record(Action):
    """An edit in the history; its masks may have been moved to the scratch file.

    `key` is the state after it, to be remembered by others: who holds the record itself holds its
    masks, too. States that write the same have the same key; None is that of the file as it was
    opened.
    """

    entry_masks: Mapping[str, MaskSlot]
    before: LayerSlots
    after: LayerSlots
    key: object = field(default_factory=object)

    def is_of(self, edit: Edit) -> bool:
        """Whether an edit of the same state does the same, as far as masks in memory tell."""
        words = edit.kind, edit.label, edit.detail
        # The values of a repair are in a file.
        if (self.kind, self.label, self.detail) != words or self.kind == EditKind.REPAIR:
            return False
        return (
            self.as_json() == edit.as_json()
            and self.after.keys() == edit.after.keys()
            and all(_are(slots, edit.after[layer]) for layer, slots in self.after.items())
        )

    def slots(self) -> Iterator[MaskSlot]:
        """Yield the slots of all its masks; some more than once."""
        yield from self.entry_masks.values()
        for layers in (self.before, self.after):
            for slots in layers.values():
                yield from filter(None, slots.values())


def _are(slots: Mapping[str, MaskSlot | None], masks: Mapping[str, BitMask | None]) -> bool:
    """Whether slots hold these masks, all of them in memory."""
    return slots.keys() == masks.keys() and all(
        masks[name] is None if slot is None else _holds(slot, masks[name])
        for name, slot in slots.items()
    )


def _holds(slot: MaskSlot, mask: BitMask | None) -> bool:
    # What lies in a file would have to be read.
    return slot.mask is not None and (
        slot.mask is mask or (slot.memory == slot.nbytes and slot.mask == mask)
    )


@dataclass(frozen=True, eq=False)
class Proposal:
    """A change of the state with a revision, whole: `Document.commit` only swaps references."""

    revision: int
    edit: Edit


def is_work(entry: Json) -> bool:
    """Whether a person did what an entry says; masks that a file has come by themselves."""
    return entry.get("name") != FILE_MASKS


_MOST_NAMED = 20


def listed(head: str, names: Iterable[str], say: Callable[[str], str] = str) -> str:
    """Return a line, and below it the first names as `say` has them, and how many more there are.

    There may be 100,000 names: `say` is called for those that stand there only.
    """
    named = list(names)
    more = len(named) - _MOST_NAMED
    rest = (f"and {more:,} more",) if more > 0 else ()
    return "\n".join((head, *map(say, named[:_MOST_NAMED]), *rest))
