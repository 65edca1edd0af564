"""A recipe: entries in order, and the masks that they name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from pruneapp.edits.manual_edit_target import DIGEST
from pruneapp.masks.bitmask import BitMask
from pruneapp.recipes.schema import EditEntry, Entry, ScheduleEntry, StepEntry, decode, encode

# What a recipe is called in messages that did not come out of a file.
UNNAMED = "recipe"


@dataclass(frozen=True, eq=False)
class Recipe:
    """What is to be done to a checkpoint, one entry after another.

    It begins with the tensors as the file holds them, nothing pruned: masks that lie in the file
    are in force only where an entry ``file_masks`` says so.

    Attributes
    ----------
    entries
        What is to be done, in order.
    masks
        The masks that its edits name, by the SHA-256 of their packed bytes.
    where
        What messages call it: the file.
    """

    entries: tuple[Entry, ...]
    masks: Mapping[str, BitMask] = field(default_factory=dict)
    where: str = UNNAMED

    @classmethod
    def from_text(
        cls, text: bytes | str, masks: Mapping[str, BitMask] | None = None, where: str = UNNAMED
    ) -> Recipe:
        """Read a recipe from JSON; raises `RecipeError`."""
        return cls(decode(text, where).entries, masks or {}, where)

    def text(self) -> str:
        """Return it as JSON for people, with a line at the end."""
        return msgspec.json.format(self.canonical(), indent=2) + "\n"

    def canonical(self) -> str:
        """Return it as JSON without spaces: the same text for the same recipe, everywhere."""
        return encode(self.entries).decode()

    @property
    def sha256(self) -> str:
        """The SHA-256 of the canonical text, in hexadecimal digits."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()

    def named_masks(self) -> Iterator[tuple[str, int]]:
        """Yield the name and the number of elements of each mask that an edit names."""
        for entry in self.entries:
            if isinstance(entry, EditEntry):
                for target in entry.configuration.targets:
                    if target.mask:
                        yield target.mask.removeprefix(DIGEST), target.size


def methods_of(recipe: Recipe) -> set[str]:
    """Return the names of the methods that a recipe wants."""
    found = set()
    for entry in recipe.entries:
        step = entry.configuration.step if isinstance(entry, ScheduleEntry) else entry
        if isinstance(step, StepEntry):
            found |= {row.name for row in step.configuration.rows}
    return found
