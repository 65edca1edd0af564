"""What of a recipe fits a checkpoint, said before anything runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.step import Step
from pruneapp.edits.finalize import Finalize
from pruneapp.edits.found_masks import FileMasks, TreatZeros
from pruneapp.edits.manual_edit import HandEdit
from pruneapp.errors import RecipeError, counted
from pruneapp.methods.limits import percent
from pruneapp.progress import Job
from pruneapp.recipes.fit import Deed, EntryResolver, Problem, Schedule
from pruneapp.recipes.fit_places import touched
from pruneapp.recipes.recipe import Recipe
from pruneapp.recipes.schema import Entry, FileMasksEntry, ScheduleEntry, StepEntry

__all__ = ["Fit", "FitEntry", "Problem", "fit"]


@dataclass(frozen=True)
class FitEntry:
    """An entry and what it comes to on this checkpoint.

    Attributes
    ----------
    deed
        What is to be done, with the tensors of this checkpoint; None if it does not fit.
    label
        The same in words.
    names
        The tensors that it touches, in file order.
    """

    deed: Deed | None
    label: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Fit:
    """A recipe on a checkpoint.

    Attributes
    ----------
    entries
        One for each entry of the recipe.
    problems
        What does not fit; nothing may run unless there are none.
    notices
        What the person should know.
    """

    entries: tuple[FitEntry, ...]
    problems: tuple[Problem, ...]
    notices: tuple[str, ...] = ()

    def deeds(self, where: str) -> tuple[Deed, ...]:
        """Return what is to be done; raises `RecipeError` that lists the problems."""
        if self.problems:
            raise RecipeError(
                f"'{where}' cannot be applied to this checkpoint: "
                f"{counted(len(self.problems), 'problem')}.",
                listed=map(str, self.problems),
            )
        return tuple(entry.deed for entry in self.entries if entry.deed is not None)


def fit(recipe: Recipe, checkpoint: Checkpoint, job: Job) -> Fit:
    """Find out what a recipe would do to a checkpoint; no weight is read.

    Looked for is everything that can be known before: methods and values, tensors that are not
    there or cannot be pruned, dimensions, counts that are larger than a tensor, boxes and masks of
    another shape, masks that are missing. How much is left when an entry's turn comes is not
    known; an amount that is too large then ends the run, and nothing is changed.

    Parameters
    ----------
    recipe
        What is to be done.
    checkpoint
        The file.
    job
        Stepped from entry to entry; may cancel.
    """
    job.start(len(recipe.entries), recipe.where)
    found = []
    problems: list[Problem] = []
    for number, entry in enumerate(recipe.entries):
        looking = EntryResolver(checkpoint, recipe.masks, number, problems, job)
        before = len(problems)
        deed = looking.deed(entry)
        if len(problems) > before:
            deed = None
        found.append(FitEntry(deed, _label(entry, deed), _names(checkpoint, deed)))
        job.step(1)
    empty = f"'{recipe.where}' has no entries, so it leaves the checkpoint unchanged."
    notices = (
        *[empty] * (not recipe.entries),
        *_notices(recipe, checkpoint),
        *_old_meanings(found),
    )
    return Fit(tuple(found), tuple(problems), notices)


def _label(entry: Entry, deed: Deed | None) -> str:
    match deed:
        case Step() | HandEdit():
            return deed.label()
        case Schedule():
            much = percent(deed.final) if isinstance(deed.final, float) else f"{deed.final:,}"
            rows = deed.step.rows[0].label(amount=False)
            rounds = counted(deed.steps, "round")
            scope = ", global" if deed.step.scope == "global" else ""
            return f"{rows}{scope}, to {much} in {rounds}, {deed.path}"
        case TreatZeros():
            return "Zeros of the file treated as pruned"
        case Finalize():
            return "Made permanent"
        case FileMasks():
            return "Mask found in the file"
        case None:
            return _as_written(entry)


def _names(checkpoint: Checkpoint, deed: Deed | None) -> tuple[str, ...]:
    match deed:
        case Step():
            return tuple(touched(checkpoint, deed))
        case Schedule():
            return tuple(touched(checkpoint, deed.step))
        case None:
            return ()
        case _:
            return tuple(dict.fromkeys(checkpoint.entry(name).name for name in deed.names))


def _notices(recipe: Recipe, checkpoint: Checkpoint) -> tuple[str, ...]:
    masked = sum(1 for entry in checkpoint.entries.values() if entry.mask_of and entry.prunable)
    if not masked or any(isinstance(entry, FileMasksEntry) for entry in recipe.entries):
        return ()
    sentence = (
        f"'{checkpoint.path.name}' brings masks for {counted(masked, 'tensor')}, which the recipe "
        "does not take: it begins with nothing pruned. "
        'Put {"name": "file_masks"} first to go on from them.'
    )
    return (sentence,)


def _old_meanings(entries: Iterable[FitEntry]) -> tuple[str, ...]:
    """Say once each what steps of version 1 mean that new ones would not."""
    deeds = [e.deed.step if isinstance(e.deed, Schedule) else e.deed for e in entries]
    said = [line for deed in deeds if isinstance(deed, Step) for line in deed.old_meaning()]
    return tuple(f"{line}." for line in dict.fromkeys(said))


def _as_written(entry: Entry) -> str:
    """Say what an entry that does not fit would do, as far as it says so itself."""
    step = entry.configuration.step if isinstance(entry, ScheduleEntry) else entry
    if isinstance(step, StepEntry):
        rows = step.configuration.rows
        where = [r.configuration.pattern or r.configuration.kind for r in rows]
        said = [f"{r.name} on {w}" if w else r.name for r, w in zip(rows, where, strict=True)]
        return "; ".join(said)
    return str(msgspec.to_builtins(entry)["name"])
