"""An edit of a document: proposed by a worker, committed, and recorded in the history."""

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
# The name of the history entry for masks that the file contains.
FILE_MASKS = "file_masks"


class EditKind(StrEnum):
    """What kind of edit changed the state; the values are stored in files."""

    PRUNE = "prune"  # a pruning step
    MANUAL = "edit"
    PERMANENT = "final"  # pruned weights were made permanent
    EXISTING = "found"  # masks or zeros that the file contains
    REPAIR = "repair"  # remaining weights of pruned layers got other values
    RECOVERY = "recovery"  # remaining weights were trained


@dataclass(frozen=True, eq=False)
class Action:
    """The description of an edit, without its masks."""

    kind: EditKind
    # Texts for the user: one line, and all settings.
    label: str
    detail: str
    step: Step | None = None  # the pruning step; None for other kinds of edits
    # The edit as plain JSON, if it is no step or a step that needs other files: the result of
    # `ManualEdit.to_dict`, `Finalize.to_dict` and the like.
    entry: Json | None = None

    def as_json(self) -> Json:
        """Return the edit as plain JSON with the keys "name" and "configuration"."""
        if self.entry is not None:
            return self.entry
        assert self.step is not None, "an edit without a step says itself what it did"
        return self.step.to_dict()


@dataclass(frozen=True, eq=False, kw_only=True)
class Edit(Action):
    """A change of a document, with the masks before and after."""

    # The changed masks. Both have the same layers and names.
    before: LayerMasks = field(default_factory=dict)
    after: LayerMasks = field(default_factory=dict)
    entry_masks: Mapping[str, BitMask] = field(default_factory=dict)  # masks named by `entry`
    # Whether exports before and after the edit contain the same values.
    writes_the_same: bool = False
    # Set by `of` on a worker thread, to keep the commit on the main thread short: the slots of the
    # masks, and the layers of the state before and after the edit. `dataclasses.replace` resets
    # both.
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
        """Create an edit of `snapshot`; nothing is changed yet.

        `after` has the changed masks by layer and first name; None removes a mask. `label` and
        `detail` are its texts in the history, `more` further fields. Also computes what
        `Document.commit` needs, so that it is fast. `job` can cancel.
        """
        before: dict[Layer, dict[str, BitMask | None]] = {}
        for layer, masks in after.items():
            now = snapshot.layers[layer]
            before[layer] = {name: now.get(name) for name in job.cancel.each(masks)}
        edit = cls(kind, label, detail, before=before, after=after, **more)
        if snapshot.store is not None:
            edit.__dict__["slots"] = snapshot.store.slots_of(before, after, edit.entry_masks, job)
        edit.__dict__["layers"] = snapshot.layers, snapshot.layers.with_masks(after)
        _ = edit.names
        return edit

    @cached_property
    def names(self) -> tuple[str, ...]:
        """First names of the tensors whose masks change."""
        return tuple(dict.fromkeys(chain.from_iterable(self.after.values())))

    def apply_to(self, state: Snapshot) -> Snapshot:
        """Return the state after the edit; already computed for the state it was made for."""
        if self.layers is None or self.layers[0] is not state.layers:
            return state.with_masks(self.after)
        return replace(state, layers=self.layers[1], revision=state.revision + 1)

    def to_dict(self, masks: dict[str, BitMask]) -> Json:
        """Return the edit as plain JSON, and add the masks it names to `masks` by their SHA-256."""
        masks.update(self.entry_masks)
        return self.as_json()


@dataclass(frozen=True, eq=False, kw_only=True)
class Record(Action):
    """An edit in the history; its masks may have been moved to the scratch file.

    `key` identifies the state after the edit. It can be stored without keeping the masks alive.
    States whose exports contain the same values share a key; None is the key of the file as opened.
    """

    entry_masks: Mapping[str, MaskSlot]
    before: LayerSlots
    after: LayerSlots
    key: object = field(default_factory=object)

    def is_of(self, edit: Edit) -> bool:
        """Return whether `edit`, of the same state, is equal, comparing masks in memory only.

        Texts and plain JSON must be equal, too. False if a mask is on disk, and for a repair or a
        recovery.
        """
        words = edit.kind, edit.label, edit.detail
        # Replaced values are in a file and would have to be read.
        if (self.kind, self.label, self.detail) != words or self.kind in _WITH_VALUES:
            return False
        return (
            self.as_json() == edit.as_json()
            and self.after.keys() == edit.after.keys()
            and all(_slots_equal(slots, edit.after[layer]) for layer, slots in self.after.items())
        )

    def slots(self) -> Iterator[MaskSlot]:
        """Yield the slots of all masks; shared slots are repeated."""
        yield from self.entry_masks.values()
        for layers in (self.before, self.after):
            for slots in layers.values():
                yield from filter(None, slots.values())


_WITH_VALUES = {EditKind.REPAIR, EditKind.RECOVERY}


def _slots_equal(slots: Mapping[str, MaskSlot | None], masks: Mapping[str, BitMask | None]) -> bool:
    """Return whether the slots hold these masks, all of them in memory."""
    return slots.keys() == masks.keys() and all(
        masks[name] is None if slot is None else _mask_equals(slot, masks[name])
        for name, slot in slots.items()
    )


def _mask_equals(slot: MaskSlot, mask: BitMask | None) -> bool:
    # A mapped mask is not compared: its file would have to be read.
    return slot.mask is not None and (
        slot.mask is mask or (slot.memory == slot.nbytes and slot.mask == mask)
    )


@dataclass(frozen=True, eq=False)
class Proposal:
    """An edit computed for the state with a revision number; `Document.commit` applies it."""

    revision: int
    edit: Edit


def is_work(entry: Json) -> bool:
    """Return whether the user made an edit, and it is not the loading of masks in the file."""
    return entry.get("name") != FILE_MASKS


_MOST_NAMED = 20


def format_names(
    head: str, names: Iterable[str], say: Callable[[str], str] = str, *, n_shown: int = _MOST_NAMED
) -> str:
    """Return `head`, the first names formatted by `say`, and the number of omitted names, as lines.

    At most `n_shown` names are shown. `say` is called for these only: there may be 100,000.
    """
    named = list(names)
    more = len(named) - n_shown
    rest = (f"and {more:,} more",) if more > 0 else ()
    return "\n".join((head, *map(say, named[:n_shown]), *rest))
