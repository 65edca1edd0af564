"""From what was done to a document to a recipe that suits other checkpoints as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import msgspec

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.capture import Capture
from pruneapp.document.edit import said
from pruneapp.document.step import Step
from pruneapp.errors import JsonError
from pruneapp.json_codec import convert
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.recipes.portable_choosing import row_for
from pruneapp.recipes.recipe import UNNAMED, Recipe
from pruneapp.recipes.schema import (
    Entry,
    RowConfiguration,
    RowEntry,
    StepConfiguration,
    StepEntry,
    wrong,
)


def portable(checkpoint: Checkpoint, data: Mapping[str, Any]) -> Entry:
    """Return what an edit says of itself as an entry that patterns resolve anew for.

    A row that a person chose by a pattern or a kind of layer says just that, as long as it means
    the same tensors; one that means the usual ones says nothing, and any other gives names. The
    same edit of the same checkpoint makes the same entry, wherever it came from.

    Parameters
    ----------
    checkpoint
        What the edit was made of.
    data
        What `Edit.to_dict` returned.

    Raises
    ------
    RecipeError
        If it is no entry that a recipe has.
    """
    try:
        if data["name"] == "step":
            step = Step.from_dict(data)
            return step_entry(step, partial(row_for, checkpoint, step.version))
        made: Entry = convert(data, Entry, UNNAMED)
    except JsonError as error:
        raise wrong(error) from None
    return made


def recipe_of(
    checkpoint: Checkpoint,
    entries: Iterable[Mapping[str, Any]],
    masks: Mapping[str, BitMask] | None = None,
) -> Recipe:
    """Return the recipe of edits of a checkpoint, by what they say of themselves."""
    return Recipe(tuple(portable(checkpoint, entry) for entry in entries), masks or {})


def history_recipe(capture: Capture, job: Job) -> Recipe:
    """Return the recipe of what is in force of a document.

    Parameters
    ----------
    capture
        The document as it was at one moment, so that a worker may do it.
    job
        Stepped from edit to edit; may cancel.

    Raises
    ------
    HistoryError, StaleError
        If masks that were put aside cannot be read again.
    """
    masks: dict[str, BitMask] = {}
    found = []
    records = capture.records[: capture.position]
    job.start(len(records))
    for record in records:
        masks.update({name: capture.mask(slot, job) for name, slot in record.meant.items()})
        found.append(said(record.step, record.entry))
        job.step(1)
    return recipe_of(capture.snapshot.checkpoint, found, masks)


def step_entry(step: Step, choose: Callable[[tuple[str, ...], str], RowConfiguration]) -> StepEntry:
    """Return a step as an entry, with the rows that `row_for` makes of names and a pattern."""
    data = step.to_dict()["configuration"]
    rows = []
    for row, plain in zip(step.rows, data["rows"], strict=True):
        chosen = choose(row.names, row.pattern)
        values = plain["configuration"]["values"]
        rows.append(RowEntry(row.method, msgspec.structs.replace(chosen, values=values)))
    made = msgspec.convert({**data, "rows": [{"name": ""}]}, StepConfiguration)
    return StepEntry(msgspec.structs.replace(made, rows=tuple(rows)))
