"""Recipes: entries in order, and the masks and values that they name.

As JSON files, with a folder of masks and one of values beside them. And from what was done to a
document to a recipe that suits other checkpoints as well: patterns and kinds resolve anew on every
file.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.atomic_file import write_error
from pruneapp.checkpoint.io.upload import new_file, write_whole
from pruneapp.document.document import Capture
from pruneapp.document.entries import (
    ChosenConfiguration,
    EditEntry,
    Entry,
    LimitsConfiguration,
    RepairEntry,
    RowConfiguration,
    RowEntry,
    StepConfiguration,
    StepEntry,
    Version,
)
from pruneapp.document.selection import default_selection, resolve, select
from pruneapp.document.step import Step
from pruneapp.edits.manual_edit import DIGEST
from pruneapp.errors import JsonError, PruneAppError, RecipeError, SelectionError, nearest
from pruneapp.json_codec import convert, read
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask
from pruneapp.params import AT_HAND, STATISTICS
from pruneapp.progress import Job
from pruneapp.recipes.schema import FORMAT, decode, encode, steps_of, with_values, wrong
from pruneapp.statistics.file import statistics_of

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
    # Number of leading entries that options add to those of the file. Messages do not count them.
    n_added: int = 0

    @classmethod
    def from_text(
        cls, text: bytes | str, masks: Mapping[str, BitMask] | None = None, where: str = UNNAMED
    ) -> Recipe:
        """Read a recipe from JSON; raises `RecipeError`."""
        return cls(decode(text, where).entries, masks or {}, where)

    def __reduce__(self) -> tuple[object, ...]:
        # Struct by struct, what is as usual would be written out after the journey.
        return Recipe.from_text, (self.canonical(), dict(self.masks), self.where)

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


def with_statistics(
    recipe: Recipe, checkpoint: Checkpoint, names: Sequence[str], job: Job
) -> Recipe:
    """Return a recipe that names the statistics of a checkpoint where it takes those at hand.

    Parameters
    ----------
    names
        Those of open statistics, see `pruneapp.statistics.file.register`. The last one that belongs
        to the checkpoint is taken, else the last one, which `fit` refuses. Without any the recipe
        stays as it is.
    """
    if not names or not rows_at_hand(recipe):
        return recipe
    belonging = [n for n in names if statistics_of(n).belong_to(checkpoint, job)]
    chosen = (*names, *belonging)[-1]
    return _with_statistics(recipe, lambda name: chosen if name == AT_HAND else name)


def rows_at_hand(recipe: Recipe) -> list[RowEntry]:
    """Return the rows that rank by the statistics of the checkpoint that a recipe is applied to."""
    rows = [row for step in steps_of(recipe.entries) for row in step.rows]
    return [row for row in rows if row.configuration.values.get(STATISTICS.name) == AT_HAND]


def _with_statistics(recipe: Recipe, rename: Callable[[str], str]) -> Recipe:
    def change(values: Mapping[str, Any]) -> dict[str, Any]:
        renamed = dict(values)
        if name := renamed.get(STATISTICS.name):
            renamed[STATISTICS.name] = rename(str(name))
        return renamed

    entries = tuple(with_values(entry, change) for entry in recipe.entries)
    return replace(recipe, entries=entries)


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

    Statistics of activations belong to one checkpoint, so steps that rank by them name those of the
    checkpoint that the recipe is applied to.

    Masks come first, each as ``<sha256>.mask`` in `mask_folder`: packed bits, the lowest first, 1
    where a weight is meant. Values go into `values_folder`, as ``<sha256>.values``: raw elements.
    What is there already, with the right size, is not written again.

    Raises
    ------
    ExportError
        If the system refuses to write; the folder must exist.
    """
    text = _with_statistics(recipe, lambda _name: AT_HAND).text().encode()
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
            with new_file(file, mask.nbytes, job) as target:
                for _, part in mask.parts():
                    target.write(part.data)
                target.seal()
                target.commit()
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
            packed = scratch.bits(size)
            for start in range(0, packed.nbytes, _PIECE):
                piece = packed[start : start + _PIECE]
                if file.readinto(piece.data) != piece.nbytes:
                    return None
                scratch.let_go(packed, start, start + piece.nbytes)
                job.step(piece.nbytes)
    except OSError:
        return None
    return BitMask(packed, size)


def of_kind(checkpoint: Checkpoint, kind: str, version: Version = 2) -> tuple[str, ...]:
    """Return the tensors of a kind of layer that can be pruned and are no vectors.

    Buffers are among them for a step of version 1 alone. Raises `SelectionError` if there are none.
    """
    entries = [e for e in checkpoint.entries.values() if _is_of(e, kind)]
    names = tuple(e.name for e in entries if e.learned or version == 1)
    if not names:
        kinds = {e.kind: None for e in checkpoint.entries.values() if _is_of(e, e.kind)}
        raise SelectionError(
            f"'{checkpoint.path.name}' contains no layer of kind '{kind}' that can be pruned.",
            remedy=nearest(kind, kinds, "kinds"),
        )
    return names


def chosen_by(checkpoint: Checkpoint, row: RowConfiguration, version: Version) -> tuple[str, ...]:
    """Return the first names, in file order, of what a row of a step of a version means.

    Raises
    ------
    SelectionError, UnknownTensorError
        If it matches nothing, or something that cannot be pruned is named.
    """
    if row.pattern:
        return select(checkpoint, [row.pattern], version, on_request=False)
    if row.kind:
        return of_kind(checkpoint, row.kind, version)
    if row.names:
        return resolve(checkpoint, row.names, on_request=row.quantized)
    names = default_selection(checkpoint, version)
    if not names:
        raise SelectionError(
            f"'{checkpoint.path.name}' contains no tensors that are selected by default.",
            remedy="Add a 'pattern' to the row.",
        )
    return names


def all_chosen_by(
    checkpoint: Checkpoint,
    chosen: ChosenConfiguration,
    usual: Callable[[TensorEntry], bool],
) -> tuple[str, ...]:
    """Return the same for an entry that means everything of a kind if it says nothing."""
    if chosen.pattern:  # such entries have one meaning in all versions
        return select(checkpoint, [chosen.pattern], 1, on_request=False)
    if chosen.names:
        return resolve(checkpoint, chosen.names)
    return tuple(e.name for e in checkpoint.entries.values() if e.prunable and usual(e))


def row_for(
    checkpoint: Checkpoint, version: Version, names: Iterable[str], pattern: str
) -> RowConfiguration:
    """Return the shortest row that means these very tensors of this checkpoint.

    `pattern` is what the person chose them by: a pattern, a kind, or empty.
    """
    chosen = resolve(checkpoint, names, on_request=True)
    quantized = any(checkpoint.entries[name].on_request for name in chosen)
    tried = [RowConfiguration()]
    if pattern:
        tried[:0] = [RowConfiguration(pattern=pattern), RowConfiguration(kind=pattern)]
    for row in tried:
        with contextlib.suppress(PruneAppError):
            if chosen_by(checkpoint, row, version) == chosen:
                return row
    return RowConfiguration(names=chosen, quantized=quantized)


def _is_of(entry: TensorEntry, kind: str) -> bool:
    return entry.kind == kind and entry.prunable and len(entry.shape) > 1


def portable(checkpoint: Checkpoint, data: Mapping[str, Any]) -> Entry:
    """Return what an edit says of itself as an entry that patterns resolve anew for.

    A row that a person chose by a pattern or a kind of layer says just that, as long as it means
    the same tensors; one that means the usual ones says nothing, and any other gives names. The
    same edit of the same checkpoint makes the same entry, wherever it came from.

    Raises `RecipeError` if it is no entry that a recipe has.
    """
    try:
        if data["name"] == "step":
            step = Step.from_dict(data)
            return step_entry(step, partial(row_for, checkpoint, step.version))
        entry: Entry = convert(data, Entry, UNNAMED)
    except JsonError as error:
        raise wrong(error) from None
    return entry


def recipe_of(
    checkpoint: Checkpoint,
    entries: Iterable[Mapping[str, Any]],
    masks: Mapping[str, BitMask] | None = None,
) -> Recipe:
    """Return the recipe of edits of a checkpoint, by what they say of themselves."""
    return Recipe(tuple(portable(checkpoint, entry) for entry in entries), masks or {})


def history_recipe(capture: Capture, job: Job) -> Recipe:
    """Return the recipe of what is in force of a document; raises as `MaskSlot.load`."""
    masks: dict[str, BitMask] = {}
    entries = []
    records = capture.done
    job.start(len(records))
    for record in records:
        masks.update(
            {name: slot.load(capture.scratch, job) for name, slot in record.entry_masks.items()}
        )
        entries.append(record.as_json())
        job.step(1)
    return recipe_of(capture.snapshot.checkpoint, entries, masks)


def step_entry(step: Step, choose: Callable[[tuple[str, ...], str], RowConfiguration]) -> StepEntry:
    """Return a step as an entry, with the rows that `row_for` makes of names and a pattern."""
    rows = []
    for row in step.rows:
        chosen = choose(row.names, row.pattern)
        chosen = msgspec.structs.replace(chosen, values=row.plain_values())
        rows.append(RowEntry(row.method, chosen))
    configuration = StepConfiguration(
        tuple(rows),
        step.scope,
        companions=step.companions,
        dependents=step.dependents,
        data=step.data,
        version=step.version if step.version > 1 else UNSET,
    )
    if limits := step.limits.to_dict():  # what is as usual is left out
        configuration = msgspec.structs.replace(
            configuration, limits=convert(limits, LimitsConfiguration)
        )
    return StepEntry(configuration)
