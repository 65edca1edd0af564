"""Recipes: entries in order, and the masks and values that they name.

As JSON files, with a folder of masks and one of values beside them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from pruneapp.checkpoint.io.atomic_file import write_error, write_whole
from pruneapp.document.entries import EditEntry, Entry, RepairEntry, ScheduleEntry, StepEntry
from pruneapp.edits.manual_edit import DIGEST
from pruneapp.errors import RecipeError
from pruneapp.json_codec import read
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.recipes.schema import FORMAT, decode, encode

# What a recipe is called in messages that did not come out of a file.
UNNAMED = "recipe"


@dataclass(frozen=True, eq=False)
class Recipe:
    """What is to be done to a checkpoint, one entry after another.

    It begins with the tensors as the file holds them, nothing pruned: masks that lie in the file
    are in force only where an entry ``file_masks`` says so.
    """

    entries: tuple[Entry, ...]  # what is to be done, in order
    # The masks that its edits name and the values of its repairs, by the SHA-256 of their bytes.
    masks: Mapping[str, BitMask] = field(default_factory=dict)
    where: str = UNNAMED  # what messages call it: the file

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

    def named_values(self) -> Iterator[tuple[str, int]]:
        """Yield the name and the number of bytes of all values that a repair names."""
        for entry in self.entries:
            if isinstance(entry, RepairEntry):
                for tensor in entry.configuration.tensors:
                    yield tensor.values.removeprefix(DIGEST), tensor.size


def methods_of(recipe: Recipe) -> set[str]:
    """Return the names of the methods that a recipe wants."""
    names = set()
    for entry in recipe.entries:
        step = entry.configuration.step if isinstance(entry, ScheduleEntry) else entry
        if isinstance(step, StepEntry):
            names |= {row.name for row in step.configuration.rows}
    return names


SUFFIX = ".recipe.json"
MASK = ".mask"
VALUES = ".values"
# A recipe of a thousand steps with ten thousand names each is as large.
_LARGEST = 512 << 20
_PIECE = 8 << 20
_HEAD = 4096
_DIGEST = re.compile(r"[0-9a-f]{64}")


def mask_folder(path: Path) -> Path:
    """Return the folder of the masks of a recipe: ``NAME.masks`` beside it."""
    return _beside(path, ".masks")


def values_folder(path: Path) -> Path:
    """Return the folder of the values of its repairs: ``NAME.values`` beside it."""
    return _beside(path, ".values")


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name.removesuffix(".json").removesuffix(".recipe") + suffix)


def save(recipe: Recipe, path: Path, job: Job) -> tuple[Path, ...]:
    """Write a recipe; the old file is there until the new one is safe. Returns what was written.

    Masks come first, each as ``<sha256>.mask`` in `mask_folder`: packed bits, the lowest first, 1
    where a weight is meant. Values go into `values_folder`, as ``<sha256>.values``: raw elements.
    What is there already, with the right size, is not written again.

    Raises
    ------
    ExportError
        If the system refuses to write; the folder must exist.
    """
    text = recipe.text().encode()
    masks, values = mask_folder(path), values_folder(path)
    wanted = {masks / f"{name}{MASK}": recipe.masks[name] for name, _ in recipe.named_masks()}
    for name, _ in recipe.named_values():
        wanted[values / f"{name}{VALUES}"] = recipe.masks[name]
    job.start(2 * (len(text) + sum(mask.nbytes for mask in wanted.values())), path.name)
    written = []
    for folder in dict.fromkeys(file.parent for file in wanted):
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise write_error(folder, error, 0) from error
    for file, mask in wanted.items():
        if not (file.is_file() and file.stat().st_size == mask.nbytes):
            write_whole(file, mask.packed.data, job)
            written.append(file)
    write_whole(path, text, job)
    return (*written, path)


def load(path: Path, job: Job) -> Recipe:
    """Read a recipe, and the masks and values that lie beside it.

    One that is not there is no error yet: `fit` says which entry needs it. Its content is
    compared with its name where it is used.

    Raises
    ------
    RecipeError
        If it cannot be read or is no recipe.
    """
    recipe = Recipe.from_text(read(path, "recipe", _LARGEST, RecipeError), where=path.name)
    named = {
        name: (mask_folder(path) / f"{name}{MASK}", size) for name, size in recipe.named_masks()
    }
    for name, nbytes in recipe.named_values():
        named[name] = values_folder(path) / f"{name}{VALUES}", 8 * nbytes
    job.start(sum((size + 7) // 8 for _, size in named.values()), path.name)
    masks: dict[str, BitMask] = {}
    for name, (file, size) in named.items():
        # Nothing that a recipe says may name a file elsewhere.
        mask = _mask(file, size, job) if _DIGEST.fullmatch(name) else None
        if mask is not None:
            masks[name] = mask
    return Recipe(recipe.entries, masks, recipe.where)


def is_recipe(path: Path) -> bool:
    """Whether a file begins as a recipe does, sound or not."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except (OSError, ValueError):
        return False
    return head.lstrip()[:1] == b"{" and f'"{FORMAT}"'.encode() in head


def _mask(path: Path, size: int, job: Job) -> BitMask | None:
    try:
        with path.open("rb") as file:
            # Looked at first: a recipe may promise more than there is memory.
            if path.stat().st_size != (size + 7) // 8:
                return None
            packed = np.empty((size + 7) // 8, np.uint8)
            for start in range(0, packed.nbytes, _PIECE):
                piece = packed[start : start + _PIECE]
                if file.readinto(piece.data) != piece.nbytes:
                    return None
                job.step(piece.nbytes)
    except OSError:
        return None
    return BitMask(packed, size)
