"""From what was done to a document to a recipe that suits other checkpoints as well.

And which tensors an entry of a recipe means: patterns and kinds resolve anew on every file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.document import Capture
from pruneapp.document.entries import (
    ChosenConfiguration,
    Entry,
    LimitsConfiguration,
    RowConfiguration,
    RowEntry,
    StepConfiguration,
    StepEntry,
    Version,
)
from pruneapp.document.selection import default_selection, resolve, select
from pruneapp.document.step import Step
from pruneapp.errors import JsonError, PruneAppError, SelectionError, nearest
from pruneapp.json_codec import convert
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.recipes.recipe import UNNAMED, Recipe
from pruneapp.recipes.schema import wrong


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
        return select(checkpoint, [row.pattern], version)
    if row.kind:
        return of_kind(checkpoint, row.kind, version)
    if row.names:
        return resolve(checkpoint, row.names)
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
        return select(checkpoint, [chosen.pattern], 1)
    if chosen.names:
        return resolve(checkpoint, chosen.names)
    return tuple(e.name for e in checkpoint.entries.values() if e.prunable and usual(e))


def row_for(
    checkpoint: Checkpoint, version: Version, names: Iterable[str], pattern: str
) -> RowConfiguration:
    """Return the shortest row that means these very tensors of this checkpoint.

    `pattern` is what the person chose them by: a pattern, a kind, or empty.
    """
    chosen = resolve(checkpoint, names)
    tried = [RowConfiguration()]
    if pattern:
        tried[:0] = [RowConfiguration(pattern=pattern), RowConfiguration(kind=pattern)]
    for row in tried:
        with contextlib.suppress(PruneAppError):
            if chosen_by(checkpoint, row, version) == chosen:
                return row
    return RowConfiguration(names=chosen)


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
        values = row.to_dict()["configuration"]["values"]
        chosen = msgspec.structs.replace(choose(row.names, row.pattern), values=values)
        rows.append(RowEntry(row.method, chosen))
    configuration = StepConfiguration(
        tuple(rows),
        step.scope,
        companions=step.companions,
        version=step.version if step.version > 1 else UNSET,
    )
    if limits := step.limits.to_dict():  # what is as usual is left out
        configuration = msgspec.structs.replace(
            configuration, limits=convert(limits, LimitsConfiguration)
        )
    return StepEntry(configuration)
