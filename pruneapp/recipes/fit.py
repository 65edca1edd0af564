"""Resolution of a recipe for a checkpoint, and its problems, before anything is computed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import msgspec
import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.entries import (
    EditEntry,
    Entry,
    FileMasksEntry,
    FinalizeEntry,
    Path,
    RecoverConfiguration,
    RecoveryEntry,
    RepairEntry,
    ScheduleEntry,
    StepConfiguration,
    StepEntry,
    TreatZerosEntry,
    ValuesEntry,
)
from pruneapp.document.selection import counts_of, pruned_tensors, rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import check_target
from pruneapp.edits.coupled_tensors import Companions
from pruneapp.edits.dependents import dependents_of, known_dependents
from pruneapp.edits.existing_masks import FileMasks
from pruneapp.edits.manual_edit import ManualEdit
from pruneapp.edits.repaired_values import RepairedValues
from pruneapp.edits.zeros import Finalize, TreatZeros
from pruneapp.errors import ParameterError, PruneAppError, RecipeError, counted
from pruneapp.groups.trace import Trace, add_trace, known_traces, with_trace
from pruneapp.methods import registry
from pruneapp.methods.amounts import count_to_prune, counts_to_prune
from pruneapp.methods.cutoff import check_all, units_left
from pruneapp.methods.limits import Limits, percent
from pruneapp.params import AT_HAND, STATISTICS, Amount, AmountParam
from pruneapp.preview.preview import views_for_row
from pruneapp.progress import Job
from pruneapp.recipes.recipe import Recipe, select_for_entry, select_tensors
from pruneapp.statistics.file import statistics_of

# The text of the problem of a row that names no statistics file.
NO_STATISTICS = "The step ranks weights by statistics of activations of the checkpoint."
# The text of the problem of a schedule that recovers, if no script is known.
NO_SCRIPT = "The schedule recovers the model or measures it after each round, by a script."
_HOW_TO_RECOVER = (
    "Use `pruneapp run RECIPE FILE --script SCRIPT -o OUT`, or Iterative pruning in the window."
)
_TOLERANCE = re.compile(r"(\d+(\.\d*)?|\.\d+)%?")
_RECOVER_TEXTS = {
    "none": ", measured after each round",
    "distillation": ", recovered after each round",
    "training": ", trained after each round",
}


def pruned_names(checkpoint: Checkpoint, step: Step) -> list[str]:
    """Return the first names of the tensors that a step prunes, in file order.

    For a step whose methods cannot prune, the tensors that its rows name. Raises the errors of
    `rows_of`.
    """
    rows = rows_of(checkpoint, step)
    names = pruned_tensors(rows) or {name for _, names in rows for name in names}
    return [name for name in checkpoint.entries if name in names]


def check_sizes(checkpoint: Checkpoint, step: Step, job: Job) -> None:
    """Raise `ParameterError` if a step does not fit its tensors, whatever is pruned in them.

    Examples: a tensor lacks the dimension; a method that uses the scale of a norm layer finds none
    after the tensor; a count is larger than the number of units; or limits could be exceeded
    because a selected tensor depends on another one. Raises `SelectionError` if a tensor cannot be
    pruned, a row selects none, all tensors are excluded, or none has known dependents although the
    step prunes dependents, and `UnknownTensorError` for a name that does not exist. `job` can
    cancel.
    """
    whole, pairs = Snapshot(checkpoint), Companions(checkpoint)
    rows = rows_of(checkpoint, step)
    if step.dependents:
        known_dependents(checkpoint, step, rows, job)
    for row, names in rows:
        method = registry.get(row.method)
        amount = next((row.values[p.name] for p in method.params if isinstance(p, AmountParam)), 0)
        counted = isinstance(amount, int) and amount > 0 and step.limits.target_sparsity is None
        if not (counted or method.least_dims > 1 or method.takes_scale):
            continue  # fits any tensor
        sizes: list[int] = []
        for batch in job.cancel.batches(names):
            views = views_for_row(whole, row, batch, None, None, pairs)
            check_all(views, method, row.values, step.scope)
            sizes += [units_left(view, method, row.values) for view in views]
        if not counted:
            continue
        unit = method.granularity if method.granularity in {"channels", "blocks"} else "weights"
        if step.scope == "global":
            count_to_prune(amount, sum(sizes), unit=unit)
            continue
        column = np.array(sizes, np.int64)
        counts_to_prune(amount, column, column, names, unit)


T = TypeVar("T")


@dataclass(frozen=True)
class Schedule:
    """A repeated step; see `ScheduleConfiguration`."""

    step: Step
    final: Amount
    steps: int
    path: Path
    recover: RecoverConfiguration | None = None


ResolvedAction = Step | Schedule | ManualEdit | RepairedValues | TreatZeros | Finalize | FileMasks


@dataclass(frozen=True)
class Problem:
    """A part of a recipe that does not fit a checkpoint."""

    entry: int  # index of the entry in the recipe file
    place: str  # path in the file, such as "entries[2].configuration.rows[0]"
    # What is wrong, and how to fix it.
    sentence: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.sentence} {self.remedy}".strip()


@dataclass(frozen=True)
class EntryResolver:
    """Resolves one entry of a recipe for a checkpoint, and collects its problems."""

    checkpoint: Checkpoint
    recipe: Recipe
    number: int  # index of the entry in the recipe file
    problems: list[Problem]  # extended by the problems of the entry
    job: Job  # for cancellation
    recovers: bool = False  # whether schedules may recover after each round

    def resolve(self, entry: Entry) -> ResolvedAction | None:
        """Return the entry with tensors of the checkpoint; None if it could not be resolved.

        All errors are appended to `problems`; none is raised. An entry may be returned although
        there are problems, as for a count that is too large.
        """
        match entry:
            case StepEntry():
                return self._step(entry.configuration, "configuration")
            case ScheduleEntry():
                return self._schedule(entry)
            case EditEntry():
                return self._edit(entry)
            case RepairEntry() | RecoveryEntry():
                return self._repair(entry)
            case TreatZerosEntry() | FinalizeEntry() | FileMasksEntry():
                return self._try("configuration", lambda: self._on_tensors(entry))

    def _step(self, configuration: StepConfiguration, place: str) -> Step | None:
        """Return the step of a configuration; None if a row or the step is invalid.

        `place` is its path in the entry, for problems.
        """
        rows = [
            self._try(f"{place}.rows[{i}]", partial(self._row, configuration, i))
            for i in range(len(configuration.rows))
        ]
        if None in rows:
            return None
        resolved_rows = tuple(row for row in rows if row is not None)
        step = self._try(place, lambda: Step.of(configuration, resolved_rows))
        if step is None:
            return None
        checkpoint = self._try(f"{place}.trace", lambda: self._traced(step))
        if checkpoint is None:
            return None
        self._try(place, lambda: check_sizes(checkpoint, step, self.job))
        return step

    def _traced(self, step: Step) -> Checkpoint:
        """Return the checkpoint with the groups of a step, whose trace is made known for it.

        Raises `ParameterError` if the recipe does not contain the trace or it belongs to a model
        with other tensors, and `JsonError` if it is damaged.
        """
        text = self.recipe.traces.get(step.trace)
        if text is not None and step.trace not in known_traces(self.checkpoint):
            trace = Trace.read(text)
            trace.refuse_other(self.checkpoint)
            if trace.key != step.trace:
                raise ParameterError(
                    "The trace that the groups come from is not the one that was saved.",
                    remedy="Restore the recipe from where it came from.",
                )
            add_trace(self.checkpoint, trace)
        return with_trace(self.checkpoint, step.trace)

    def _row(self, configuration: StepConfiguration, number: int) -> Row:
        """Return the row with index `number` of a configuration.

        Raises `ParameterError` if the method needs masks, its values are invalid, or its statistics
        are not open or belong to another checkpoint, and the errors of `select_tensors`.
        """
        row = configuration.rows[number]
        method = registry.get(row.name)
        if method.takes_mask:
            raise ParameterError(
                f"'{method.name}' needs masks, which a step of a recipe cannot contain.",
                remedy="Use an entry 'edit', whose targets name masks.",
            )
        names = select_tensors(self.checkpoint, row.configuration)
        statistics = row.configuration.values.get(STATISTICS.name)
        if statistics == AT_HAND:
            model = shlex.quote(str(self.checkpoint.path))
            raise ParameterError(
                NO_STATISTICS,
                remedy=f"Use `pruneapp run RECIPE {model} --script SCRIPT -o OUT`, which collects "
                f"them, or collect them with `pruneapp statistics {model} --script SCRIPT -o FILE`."
                f" Then use `pruneapp run RECIPE {model} --statistics FILE -o OUT`, or choose the "
                "method in the form, press 'Load statistics…', and apply the recipe again.",
            )
        resolved = Row.of(row, names)
        if statistics:
            statistics_of(statistics).refuse_other(self.checkpoint, self.job)
        return resolved

    def _schedule(self, entry: ScheduleEntry) -> Schedule | None:
        """Return the schedule of an entry; None if it has problems."""
        configuration = entry.configuration
        step = self._step(configuration.step.configuration, "configuration.step.configuration")
        if step is None:
            return None

        def made() -> Schedule:
            """Return the schedule of `step`; raise `ParameterError` if it does not suit one."""
            if step.limits.target_sparsity is not None:
                raise ParameterError(
                    "A step of a schedule cannot have a 'target_sparsity': 'final' is the target.",
                    remedy="Remove 'target_sparsity'.",
                )
            if len(step.rows) > 1:
                raise ParameterError(
                    f"The step of a schedule needs exactly one rule (got {len(step.rows)}).",
                    remedy="Remove the other rules, or make an entry of each.",
                )
            # Raises if the row does not support a total.
            total = Limits(target_sparsity=configuration.final)
            limited = Step(step.rows, step.scope, total, dependents=step.dependents)
            checkpoint = with_trace(self.checkpoint, step.trace)
            if step.dependents:
                known_dependents(checkpoint, limited, rows_of(checkpoint, limited), self.job)
            size = sum(checkpoint.entry(n).numel for n in pruned_names(checkpoint, step))
            if isinstance(configuration.final, int) and configuration.final > size:
                raise ParameterError(
                    f"'final' must be at most the {size:,} weights that the step touches "
                    f"(got {configuration.final:,}).",
                    remedy="Lower 'final', or use a fraction such as 0.9.",
                )
            if configuration.recover is not None and not self.recovers:
                raise ParameterError(NO_SCRIPT, remedy=_HOW_TO_RECOVER)
            stop = None if configuration.recover is None else configuration.recover.stop
            if stop is not None and not _TOLERANCE.fullmatch(stop):
                raise ParameterError(
                    f"'stop' must be a number such as 0.01, or a percentage such as 1% "
                    f"(got '{stop}')."
                )
            return Schedule(
                step,
                configuration.final,
                configuration.steps,
                configuration.path,
                configuration.recover,
            )

        return self._try("configuration", made)

    def _edit(self, entry: EditEntry) -> ManualEdit | None:
        """Return the manual edit of an entry; None if a tensor or a mask is missing or wrong.

        A box that exceeds its tensor is a problem, but the edit is returned.
        """
        targets = entry.configuration.targets
        before = len(self.problems)
        for i, target in enumerate(targets):
            self._try(f"configuration.targets[{i}]", partial(self._check_target, target.name))
        if len(self.problems) > before:
            return None
        edit = self._try("configuration", lambda: ManualEdit.of(entry, self.recipe.masks, self.job))
        if edit is None:
            return None
        for i, edit_target in enumerate(edit.targets):
            target_entry = self.checkpoint.entry(edit_target.name)
            self._try(
                f"configuration.targets[{i}]", partial(check_target, target_entry, edit_target)
            )
        return edit

    def _repair(self, entry: ValuesEntry) -> RepairedValues | None:
        def made() -> RepairedValues:
            repaired = RepairedValues.of(entry, self.recipe.masks, self.job)
            repaired.refuse_other(self.checkpoint, self.job)
            return repaired

        return self._try("configuration", made)

    def _check_target(self, name: str) -> None:
        entry = self.checkpoint.entry(name)
        if not entry.prunable:
            raise ParameterError(
                f"'{name}' cannot be pruned: {entry.why_not}.", remedy="Remove it from the targets."
            )

    def _on_tensors(
        self, entry: TreatZerosEntry | FinalizeEntry | FileMasksEntry
    ) -> ResolvedAction:
        """Return the edit of whole tensors of an entry.

        Raises `ParameterError` if it applies to no tensor, or a tensor has no mask in the file.
        """
        kind, usual = _ON_TENSORS[type(entry)]
        names = select_for_entry(self.checkpoint, entry.configuration, usual)
        if not names:
            raise ParameterError(
                "The entry applies to no tensor of this checkpoint.", remedy="Remove the entry."
            )
        for name in names if kind is FileMasks else ():
            if not self.checkpoint.entry(name).mask_of:
                raise ParameterError(
                    f"'{name}' has no mask in '{self.checkpoint.path.name}'.",
                    remedy="Remove the tensor from the entry.",
                )
        return kind(names)

    def _try(self, place: str, make: Callable[[], T]) -> T | None:
        try:
            return make()
        except PruneAppError as error:
            where = f"entries[{self.number}].{place}"
            self.problems.append(Problem(self.number, where, error.sentence, error.remedy))
            return None


# The edit for an entry on whole tensors, and the tensors it applies to by default.
_ON_TENSORS: Mapping[
    type, tuple[type[TreatZeros | Finalize | FileMasks], Callable[[TensorEntry], bool]]
] = {
    TreatZerosEntry: (TreatZeros, lambda entry: entry.by_default or len(entry.shape) > 1),
    FinalizeEntry: (Finalize, lambda _entry: True),
    FileMasksEntry: (FileMasks, lambda entry: bool(entry.mask_of)),
}


@dataclass(frozen=True)
class FitEntry:
    """A resolved entry of a recipe, with descriptions."""

    # The edit with tensors of the checkpoint; None if the entry does not fit.
    action: ResolvedAction | None
    label: str  # short text for the user
    detail: str  # all settings, one per line; empty if the label has all
    names: tuple[str, ...]  # the tensors that it prunes or changes, in file order


@dataclass(frozen=True)
class Fit:
    """A recipe resolved for a checkpoint."""

    entries: tuple[FitEntry, ...]  # one for each entry of the recipe
    problems: tuple[Problem, ...]  # the recipe must not be applied if there are any
    notices: tuple[str, ...] = ()  # sentences to show to the user
    n_added: int = 0  # see `Recipe.n_added`

    def place(self, index: int) -> str:
        """Return the name of an entry in messages: its number in the file, or its label."""
        number = index - self.n_added
        return f"entries[{number}]" if number >= 0 else f"'{self.entries[index].label}'"

    def actions(self, where: str) -> tuple[ResolvedAction, ...]:
        """Return the resolved entries in order; raise `RecipeError` if there are problems.

        The error lists them, and names the recipe by `where`.
        """
        if self.problems:
            raise RecipeError(
                f"'{where}' cannot be applied to this checkpoint: "
                f"{counted(len(self.problems), 'problem')}.",
                listed=map(str, self.problems),
            )
        return tuple(entry.action for entry in self.entries if entry.action is not None)


def fit(recipe: Recipe, checkpoint: Checkpoint, job: Job, *, recovers: bool = False) -> Fit:
    """Resolve a recipe for a checkpoint and find its problems; none is raised.

    Everything that can be known in advance is checked: methods and values, tensors that are missing
    or cannot be pruned, dimensions, counts larger than a tensor, boxes and masks of another shape,
    missing masks, and repairs of another checkpoint. It is not known how many weights will remain
    for an entry; an amount that is too large ends the run later, without changes. Weights are read
    only of tensors with repaired values, to compare their SHA-256. A schedule that recovers
    after each round is a problem unless `recovers`. Starts `job` with the number of entries; it can
    cancel.
    """
    job.start(len(recipe.entries), recipe.where)
    fitted = []
    problems: list[Problem] = []
    for number, entry in enumerate(recipe.entries, -recipe.n_added):
        looking = EntryResolver(checkpoint, recipe, number, problems, job, recovers)
        before = len(problems)
        action = looking.resolve(entry)
        if len(problems) > before:
            action = None
        seen = _with_trace(checkpoint, action)
        words = _label(seen, entry, action), _detail(seen, action)
        fitted.append(FitEntry(action, *words, _names(seen, action)))
        job.step(1)
    empty = f"'{recipe.where}' has no entries, so it leaves the checkpoint unchanged."
    notices = (
        *[empty] * (not recipe.entries),
        *_notices(recipe, checkpoint),
        *_dependents(checkpoint, fitted, job),
    )
    return Fit(tuple(fitted), tuple(problems), notices, recipe.n_added)


def _with_trace(checkpoint: Checkpoint, action: ResolvedAction | None) -> Checkpoint:
    """Return the checkpoint with the groups that an action uses, see `with_trace`."""
    step = action.step if isinstance(action, Schedule) else action
    return with_trace(checkpoint, step.trace) if isinstance(step, Step) else checkpoint


def _label(checkpoint: Checkpoint, entry: Entry, action: ResolvedAction | None) -> str:
    """Return the short text of an entry; that of its JSON if `action` is None."""
    match action:
        case Step():
            return action.label(counts_of(checkpoint, action))
        case ManualEdit() | RepairedValues():
            return action.label()
        case Schedule():
            final_text = (
                percent(action.final) if isinstance(action.final, float) else f"{action.final:,}"
            )
            rows = ", ".join((action.step.rows[0].label(amount=False), *action.step.along_texts()))
            rounds = counted(action.steps, "round")
            scope = ", global" if action.step.scope == "global" else ""
            recover = "" if action.recover is None else _RECOVER_TEXTS[action.recover.method]
            return f"{rows}{scope}, to {final_text} in {rounds}, {action.path}{recover}"
        case TreatZeros():
            return "Zeros of the file treated as pruned"
        case Finalize():
            return "Made permanent"
        case FileMasks():
            return "Mask found in the file"
        case None:
            return _as_written(entry)


def _detail(checkpoint: Checkpoint, action: ResolvedAction | None) -> str:
    """Return all settings of a step or schedule, one per line; empty for others."""
    match action:
        case Step():
            return action.detail(counts_of(checkpoint, action))
        case Schedule():
            final = replace(action.step.limits, target_sparsity=action.final)
            return replace(action.step, limits=final).detail()
        case _:
            return ""


def _names(checkpoint: Checkpoint, action: ResolvedAction | None) -> tuple[str, ...]:
    """Return the first names of the tensors that an entry prunes or changes; empty for None."""
    match action:
        case Step():
            return tuple(pruned_names(checkpoint, action))
        case Schedule():
            return tuple(pruned_names(checkpoint, action.step))
        case None:
            return ()
        case _:
            return tuple(dict.fromkeys(checkpoint.entry(name).name for name in action.names))


def _notices(recipe: Recipe, checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return a sentence if the file has masks that the recipe does not apply; else nothing."""
    masked = sum(1 for entry in checkpoint.entries.values() if entry.mask_of and entry.prunable)
    if not masked or any(isinstance(entry, FileMasksEntry) for entry in recipe.entries):
        return ()
    sentence = (
        f"'{checkpoint.path.name}' has masks for {counted(masked, 'tensor')}, which the recipe "
        'ignores: it starts unpruned. To continue from them, put {"name": "file_masks"} first.'
    )
    return (sentence,)


def _dependents(checkpoint: Checkpoint, entries: Iterable[FitEntry], job: Job) -> Iterator[str]:
    """Yield, for each step that prunes dependents, a sentence on which they are."""
    for entry in entries:
        step = entry.action.step if isinstance(entry.action, Schedule) else entry.action
        if isinstance(step, Step) and step.dependents:
            seen = with_trace(checkpoint, step.trace)
            found = dependents_of(seen, rows_of(seen, step), job)
            yield f"{entry.label}. {found.sentence(seen)}"


def _as_written(entry: Entry) -> str:
    """Return a text for an entry that does not fit, from its JSON alone.

    For a step or schedule "METHOD on PATTERN" of each row, separated by semicolons, without the
    pattern if there is none; for others the name of the entry.
    """
    step = entry.configuration.step if isinstance(entry, ScheduleEntry) else entry
    if isinstance(step, StepEntry):
        rows = step.configuration.rows
        where = [r.configuration.pattern or r.configuration.kind for r in rows]
        phrases = [f"{r.name} on {w}" if w else r.name for r, w in zip(rows, where, strict=True)]
        return "; ".join(phrases)
    return str(msgspec.to_builtins(entry)["name"])
