"""Edit, Change, Proposal: what changes a document.

One change of a document, as data: what was done, and the masks before and after.

A change that was made of a state in a worker, to be put in force by the thread of the window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Literal, Protocol

from pruneapp.document.mask_store import Keyed, Layer, MaskSlot, Slots
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.masks.bitmask import BitMask

Masks = Mapping[str, BitMask | None]
Json = Mapping[str, Any]
# What an entry of the history is called whose masks came with the file.
FILE_MASKS = "file_masks"
EditKind = Literal["prune", "edit", "final", "found"]


@dataclass(frozen=True, eq=False)
class Change:
    """Masks of some tensors before and after; None is no mask. Both have the same names."""

    before: Masks = field(default_factory=dict)
    after: Masks = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Prepared:
    """The masks of an edit by layer and name, and a slot for each by its identity.

    Made by a worker: of 50,000 masks it takes a tenth of a second.
    """

    before: Keyed
    after: Keyed
    slots: dict[int, MaskSlot]


@dataclass(frozen=True, eq=False)
class Edit:
    """One change of a document.

    Attributes
    ----------
    kind
        ``prune`` a step, ``edit`` by hand, ``final`` weights made final, ``found`` a mask that the
        file brought.
    label, detail
        What was done, short and in full.
    masks, final, protected
        The masks that it changed, the final weights, and the protected ones.
    step
        What was asked for, if it was a step.
    entry, meant
        What was done, if it was something else or a step that needed files beside, as plain JSON:
        what `HandEdit.to_dict`, `Finalize.to_dict` and the like return; and the masks that it
        names.
    writes_the_same
        Whether an export of the state after it has the same values as one of the state before.
    """

    kind: EditKind
    label: str
    detail: str
    masks: Change = field(default_factory=Change)
    final: Change = field(default_factory=Change)
    protected: Change = field(default_factory=Change)
    step: Step | None = None
    entry: Json | None = None
    meant: Mapping[str, BitMask] = field(default_factory=dict)
    writes_the_same: bool = False

    @property
    def layers(self) -> dict[Layer, Change]:
        """What it changed, by layer."""
        return {"masks": self.masks, "final": self.final, "protected": self.protected}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The tensors that it changed."""
        return tuple(dict.fromkeys(chain(*(c.after for c in self.layers.values()))))

    def prepare(self) -> Edit:
        """Make in a worker what the history takes of it; returns the same edit."""
        _ = self.names, self._prepared
        return self

    def take(self) -> Prepared:
        """Return what was prepared, or make it. Its slots are the caller's from then on."""
        made = self._prepared
        del self.__dict__["_prepared"]
        return made

    @cached_property
    def _prepared(self) -> Prepared:
        before, after = (
            {(layer, name): m for layer, masks in found.items() for name, m in masks.items()}
            for found in (
                {layer: change.before for layer, change in self.layers.items()},
                {layer: change.after for layer, change in self.layers.items()},
            )
        )
        masks = chain(before.values(), after.values(), self.meant.values())
        return Prepared(before, after, {id(m): MaskSlot(m) for m in masks if m is not None})

    def to_dict(self, masks: dict[str, BitMask]) -> Json:
        """Return what was done as plain JSON, with a name and a configuration.

        Parameters
        ----------
        masks
            Takes the masks that it names, by their SHA-256; see `HandEdit.to_dict`.
        """
        masks.update(self.meant)
        return said(self.step, self.entry)


def said(step: Step | None, entry: Json | None) -> Json:
    """Return what was done as plain JSON: as the entry says, else by a step."""
    if entry is not None:
        return entry
    assert step is not None, "an edit without a step says itself what it did"
    return step.to_dict()


@dataclass(frozen=True, eq=False)
class Record:
    """An edit in the history; its masks may have been put aside in the scratch file.

    `key` is the state after it, to be remembered by others: who holds the record itself holds its
    masks, too. Masks that an edit by hand meant are put aside like the others, for they may be as
    large. States that write the same have the same key; None is that of the file as it was
    opened.
    """

    kind: EditKind
    label: str
    detail: str
    step: Step | None
    entry: Json | None
    meant: Mapping[str, MaskSlot]
    before: Slots
    after: Slots
    key: object = field(default_factory=object)

    def slots(self) -> Iterator[MaskSlot]:
        """Yield the slots of all its masks; some more than once."""
        yield from self.meant.values()
        for slots in (self.before, self.after):
            yield from filter(None, slots.values())


@dataclass(frozen=True, eq=False)
class MaskReplacement:
    """The masks to put in place to get from one position to another."""

    masks: Masks
    final: Masks
    protected: Masks

    @property
    def names(self) -> tuple[str, ...]:
        """The tensors that change."""
        return tuple(dict.fromkeys((*self.masks, *self.final, *self.protected)))


def is_work(entry: Json) -> bool:
    """Say whether a person did what an entry says; masks that a file has come by themselves."""
    return entry.get("name") != FILE_MASKS


_MOST_NAMED = 20


@dataclass(frozen=True, eq=False)
class Proposal:
    """A change of a document, whole: `Document.put` only swaps references.

    Attributes
    ----------
    revision
        Of the state that it was made of.
    edit
        What changes.
    """

    revision: int
    edit: Edit


class Outcome(Protocol):
    """What a worker computed of a state: a preview of a step, or of an edit by hand."""

    @property
    def revision(self) -> int:
        """The number of the state that it was computed from."""

    def as_edit(self, before: Snapshot) -> Edit:
        """Return it as a change of that state."""


def listed(head: str, names: Iterable[str], say: Callable[[str], str] = str) -> str:
    """Return a line, and below it the first names as `say` has them, and how many more there are.

    There may be 100,000 names: `say` is asked for those that stand there only.
    """
    named = list(names)
    more = len(named) - _MOST_NAMED
    rest = (f"and {more:,} more",) if more > 0 else ()
    return "\n".join((head, *map(say, named[:_MOST_NAMED]), *rest))
