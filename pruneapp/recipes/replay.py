"""Application of a recipe, entry by entry; a schedule is a step repeated to a final amount."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pruneapp.document.edit import Edit
from pruneapp.document.entries import Path
from pruneapp.document.selection import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.existing_masks import FileMasks
from pruneapp.edits.manual_edit import ManualEdit
from pruneapp.edits.repaired_values import RepairedValues
from pruneapp.edits.zeros import Finalize, TreatZeros
from pruneapp.errors import ParameterError, RecipeError, SelectionError
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.params import Amount, AmountParam, Choice, ChoiceParam, Interval, IntParam, Param
from pruneapp.preview.preview import compute_preview, traced_as
from pruneapp.progress import Job
from pruneapp.recipes.fit import Fit, ResolvedAction, Schedule

# Parameters of a schedule in addition to its step, in the order of the form.
SCHEDULE: tuple[Param, ...] = (
    AmountParam(
        name="final",
        label="Final sparsity",
        help="Sparsity of these tensors after the last round, including what is already "
        "pruned: a fraction, or a number of weights.",
        default=0.9,
    ),
    IntParam(
        name="steps",
        label="Rounds",
        help="Number of steps added to the history.",
        default=5,
        bounds=Interval(1, 1000),
    ),
    ChoiceParam(
        name="path",
        label="Schedule",
        help="How the sparsity grows from round to round.",
        default="cubic",
        choices=(
            Choice("linear", "Linear", "The same number of weights in each round."),
            Choice(
                "cubic",
                "Cubic",
                "More weights in early rounds, fewer in late ones (Zhu and Gupta, 2017).",
            ),
        ),
    ),
)


def schedule_amounts(final: Amount, begun: int, size: int, steps: int, path: Path) -> list[Amount]:
    """Return the amounts pruned after each of `steps` steps, ascending; counts if `final` is one.

    The last is `final` itself.

    Parameters
    ----------
    final
        Amount at the end: a count, or a fraction of `size`.
    begun
        Number of weights pruned before the first step.
    size
        Number of weights of all tensors.
    path
        ``linear``: ``s_t = s_i + (s_f - s_i) t / n``. ``cubic``: ``s_t = s_f + (s_i - s_f) (1 - t /
        n)^3`` (Zhu and Gupta, To prune, or not to prune, 2017, equation 1).
    """
    start = begun if isinstance(final, int) else begun / size if size else 0.0
    power = 3 if path == "cubic" else 1
    shares = [final - (final - start) * (1 - t / steps) ** power for t in range(1, steps)]
    return [*(map(round, shares) if isinstance(final, int) else shares), final]


def expand_schedule(step: Step, totals: Sequence[Amount]) -> list[Step]:
    """Return one copy of the step for each of `totals`, with this limit on the total sparsity.

    Rounding does not accumulate: the last step reaches its total exactly.
    """
    return [replace(step, limits=replace(step.limits, target_sparsity=total)) for total in totals]


@dataclass(frozen=True, eq=False)
class Replayed:
    """An edit that an entry of a recipe has produced."""

    number: int  # index of the entry; a schedule has several edits
    edit: Edit
    state: Snapshot  # the state after the edit


def replay(
    snapshot: Snapshot, actions: Sequence[ResolvedAction], kernel: Kernel, job: Job
) -> Iterator[Replayed]:
    """Apply the entries of a recipe, each to the state that the previous one has produced.

    Yields the edits one by one, computed on demand. `snapshot` does not change. Results do not
    depend on the machine, the device or the chunk size. Masks of the file that are already applied
    produce no edit. States after a step that names a trace use its groups, also for an export.

    Raises
    ------
    PruneAppError
        Errors of the edits, such as an amount that exceeds what remains.
    """
    state = snapshot
    for number, action in enumerate(actions):
        if isinstance(step := action.step if isinstance(action, Schedule) else action, Step):
            state = traced_as(state, step)
        for one in expand_action(state, action):
            edit = _edit(state, one, kernel, job)
            if edit is not None:
                state = edit.apply_to(state)
                yield Replayed(number, edit, state)


def replay_all(
    snapshot: Snapshot, fit: Fit, where: str, kernel: Kernel, job: Job
) -> Iterator[Replayed]:
    """Apply a whole recipe as `replay` does; errors name the entry and `where` it comes from.

    Raises `RecipeError` if the recipe does not fit, before anything is applied, or if a parameter
    or the selection of an entry does not suit the state; edits yielded before remain valid.
    """
    state = snapshot
    for number, action in enumerate(fit.actions(where)):
        try:
            for done in replay(state, (action,), kernel, job):
                state = done.state
                yield replace(done, number=number)
        except (ParameterError, SelectionError) as error:
            raise RecipeError(
                f"'{where}', at {fit.place(number)}: {error.sentence}", remedy=error.remedy
            ) from None


def expand_action(state: Snapshot, action: ResolvedAction) -> Sequence[ResolvedAction]:
    """Return the edits of an entry in a state: several steps for a schedule, otherwise itself.

    The steps of a schedule begin with what is pruned in `state`. Raises the errors of `rows_of`.
    """
    if not isinstance(action, Schedule):
        return (action,)
    ((_, names),) = rows_of(state.checkpoint, action.step)
    begun = sum(state.masks.pruned(name) for name in names)
    size = sum(state.entry(name).numel for name in names)
    return expand_schedule(
        action.step, schedule_amounts(action.final, begun, size, action.steps, action.path)
    )


def _edit(state: Snapshot, action: ResolvedAction, kernel: Kernel, job: Job) -> Edit | None:
    """Compute the edit of a resolved entry; None for masks of the file that are already applied.

    Raises the errors of the edit, and `TypeError` for a schedule.
    """
    match action:
        case Step():
            return compute_preview(state, action, kernel, job, norms=False).edit
        case ManualEdit():
            return compute_manual_edit(state, action, job).edit
        case RepairedValues() | Finalize() | TreatZeros():
            return action.propose(state, job).edit
        case FileMasks():
            return _on_top(state, action.propose(state, job).edit)
    raise TypeError(f"no way to do a {type(action).__name__}")


def _on_top(state: Snapshot, edit: Edit) -> Edit | None:
    """Combine masks of the file with the state; return None if that changes nothing.

    A weight is kept if both keep it or if it is protected. Only changed tensors are in the edit.
    """
    masks: dict[str, BitMask] = {}
    for name, mask in edit.after["masks"].items():
        assert mask is not None  # this kind of edit has a mask for every tensor
        kept, protected = state.masks.get(name), state.protected.get(name)
        combined = mask if protected is None else mask | protected
        combined = combined if kept is None else combined & kept
        if combined != kept:
            masks[name] = combined
    if not masks:
        return None
    before = {name: state.masks.get(name) for name in masks}
    return replace(edit, before={"masks": before}, after={"masks": masks})
