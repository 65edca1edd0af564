"""From an entry of a recipe to what is to be done with the tensors of a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import msgspec

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.step import Row, Step
from pruneapp.edits.finalize import Finalize
from pruneapp.edits.found_masks import FileMasks, TreatZeros
from pruneapp.edits.manual_edit import HandEdit
from pruneapp.errors import ParameterError, PruneAppError
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods import registry
from pruneapp.methods.limits import Limits
from pruneapp.params_amounts import Amount
from pruneapp.progress import Job
from pruneapp.recipes.fit_places import check_place, check_sizes, touched
from pruneapp.recipes.portable_choosing import all_chosen_by, chosen_by
from pruneapp.recipes.schema import (
    ChosenConfiguration,
    EditEntry,
    Entry,
    FileMasksEntry,
    FinalizeEntry,
    Path,
    ScheduleEntry,
    StepConfiguration,
    StepEntry,
    TreatZerosEntry,
)

T = TypeVar("T")


@dataclass(frozen=True)
class Schedule:
    """A step that is repeated; see `ScheduleConfiguration`."""

    step: Step
    final: Amount
    steps: int
    path: Path


Deed = Step | Schedule | HandEdit | TreatZeros | Finalize | FileMasks


@dataclass(frozen=True)
class Problem:
    """Something of a recipe that does not fit.

    Attributes
    ----------
    entry
        Number of the entry, from 0.
    place
        Where in the file: ``entries[2].configuration.rows[0]``.
    sentence, remedy
        What is wrong, and what to do.
    """

    entry: int
    place: str
    sentence: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.sentence} {self.remedy}".strip()


@dataclass(frozen=True)
class EntryResolver:
    """Looks at one entry of a recipe; what is wrong goes to the list of problems.

    Attributes
    ----------
    checkpoint, masks
        The file, and the masks that the recipe brings.
    number
        Of the entry.
    problems
        Takes what is wrong.
    job
        May cancel.
    """

    checkpoint: Checkpoint
    masks: Mapping[str, BitMask]
    number: int
    problems: list[Problem]
    job: Job

    def deed(self, entry: Entry) -> Deed | None:
        """Return what the entry says, with the tensors of the checkpoint; None if it cannot be."""
        match entry:
            case StepEntry():
                return self._step(entry.configuration, "configuration")
            case ScheduleEntry():
                return self._schedule(entry)
            case EditEntry():
                return self._edit(entry)
            case TreatZerosEntry():
                names = self._chosen(entry.configuration, _may_have_zeros)
                return self._whole(lambda: TreatZeros(self._some(names)))
            case FinalizeEntry():
                names = self._chosen(entry.configuration, lambda _entry: True)
                return self._whole(lambda: Finalize(self._some(names)))
            case FileMasksEntry():
                names = self._chosen(entry.configuration, lambda entry: bool(entry.mask_of))
                return self._whole(lambda: FileMasks(self._with_masks(names)))

    def _step(self, asked: StepConfiguration, place: str) -> Step | None:
        rows = [
            self._try(f"{place}.rows[{i}]", partial(self._row, asked, i))
            for i in range(len(asked.rows))
        ]
        limits = self._try(f"{place}.limits", lambda: _limits(asked))
        if limits is None or any(row is None for row in rows):
            return None
        plain = msgspec.to_builtins(asked)
        plain["rows"] = [row.to_dict() for row in rows if row is not None]
        data = {"name": "step", "configuration": plain}
        step = self._try(place, lambda: Step.from_dict(data))
        if step is not None:
            self._try(place, lambda: check_sizes(self.checkpoint, step, self.job))
        return step

    def _row(self, asked: StepConfiguration, number: int) -> Row:
        row = asked.rows[number]
        method = registry.get(row.name)
        if method.takes_mask:
            raise ParameterError(
                f"'{method.name}' needs masks, which a step of a recipe cannot contain.",
                remedy="Use an entry 'edit', whose targets name masks.",
            )
        version = 1 if asked.version is msgspec.UNSET else asked.version
        names = chosen_by(self.checkpoint, row.configuration, version)
        data = {
            "name": row.name,
            "configuration": {
                "values": row.configuration.values,
                "names": names,
                "pattern": row.configuration.pattern or row.configuration.kind,
            },
        }
        return Row.from_dict(data)

    def _schedule(self, entry: ScheduleEntry) -> Schedule | None:
        asked = entry.configuration
        step = self._step(asked.step.configuration, "configuration.step.configuration")
        if step is None:
            return None

        def made() -> Schedule:
            if step.limits.total is not None:
                raise ParameterError(
                    "The step of a schedule cannot have a 'total', because 'final' is the total.",
                    remedy="Remove 'total'.",
                )
            # Refused here if its rows do not suit a total.
            Step(step.rows, step.scope, Limits(total=asked.final))
            size = sum(self.checkpoint.entry(n).numel for n in touched(self.checkpoint, step))
            if isinstance(asked.final, int) and asked.final > size:
                raise ParameterError(
                    f"'final' must be at most the {size:,} weights that the step touches "
                    f"(got {asked.final:,}).",
                    remedy="Lower 'final', or use a fraction such as 0.9.",
                )
            return Schedule(step, asked.final, asked.steps, asked.path)

        return self._try("configuration", made)

    def _edit(self, entry: EditEntry) -> HandEdit | None:
        targets = entry.configuration.targets
        before = len(self.problems)
        for i, target in enumerate(targets):
            self._try(f"configuration.targets[{i}]", partial(self._check_target, target.name))
        if len(self.problems) > before:
            return None
        data = msgspec.to_builtins(entry)
        data["configuration"]["targets"] = [_plain(msgspec.to_builtins(t)) for t in targets]
        edit = self._try("configuration", lambda: HandEdit.from_dict(data, self.masks, self.job))
        if edit is None:
            return None
        for i, meant in enumerate(edit.targets):
            self._try(f"configuration.targets[{i}]", partial(check_place, self.checkpoint, meant))
        return edit

    def _check_target(self, name: str) -> bool:
        entry = self.checkpoint.entry(name)
        if not entry.prunable:
            raise ParameterError(
                f"'{name}' cannot be pruned: {entry.why_not}.",
                remedy="Remove it from the targets.",
            )
        return True

    def _chosen(
        self, asked: ChosenConfiguration, usual: Callable[[TensorEntry], bool]
    ) -> tuple[str, ...]:
        found = self._whole(lambda: all_chosen_by(self.checkpoint, asked, usual))
        return found or ()

    def _some(self, names: tuple[str, ...]) -> tuple[str, ...]:
        if not names:
            raise ParameterError(
                "The entry applies to no tensor of this checkpoint.", remedy="Remove the entry."
            )
        return names

    def _with_masks(self, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in self._some(names):
            if not self.checkpoint.entry(name).mask_of:
                raise ParameterError(
                    f"'{name}' has no mask in '{self.checkpoint.path.name}'.",
                    remedy="Remove the tensor from the entry.",
                )
        return names

    def _whole(self, make: Callable[[], T]) -> T | None:
        # What is wrong already is not said in other words again.
        if any(problem.entry == self.number for problem in self.problems):
            return None
        return self._try("configuration", make)

    def _try(self, place: str, make: Callable[[], T]) -> T | None:
        try:
            return make()
        except PruneAppError as error:
            where = f"entries[{self.number}].{place}"
            self.problems.append(Problem(self.number, where, error.sentence, error.remedy))
            return None


def _limits(asked: StepConfiguration) -> Limits:
    given = asked.limits
    return Limits(given.floor, given.ceiling, given.total, given.spare)


def _may_have_zeros(entry: TensorEntry) -> bool:
    return entry.by_default or len(entry.shape) > 1


def _plain(target: dict[str, object]) -> dict[str, object]:
    if "mask" in target:
        return {key: target[key] for key in ("name", "mask", "size") if key in target}
    return target
