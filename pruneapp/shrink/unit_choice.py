"""Choose the units of an axis to remove, by a share or a number, and prune them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError, counted
from pruneapp.groups.axis import Axis
from pruneapp.groups.group import Group, Units
from pruneapp.groups.structure import Structure
from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.values import Float64s, decode
from pruneapp.methods.builtin.units import BY
from pruneapp.methods.coupled_units import (
    WANDA,
    lowest_units,
    masks_without,
    protected_units,
    score_units,
)
from pruneapp.methods.method import no_inputs
from pruneapp.params import STATISTICS, is_needed
from pruneapp.progress import Job
from pruneapp.shrink.cut import ShrinkError
from pruneapp.shrink.plan import Survey, legal_sizes, size_error, units_to_keep
from pruneapp.statistics.file import Statistics, holds_statistics, open_statistics

WORDS = tuple(choice.value for choice in BY.choices)

# Returns a score for each unit of an axis; see `scores_of`.
Ranking = Callable[[Snapshot, Axis], Mapping[str, Float64s]]


@contextmanager
def ranking_by(
    by: str, statistics: str | None, kernel: Kernel, job: Job, *, forced: bool = False
) -> Iterator[Ranking]:
    """Open the files that a ranking of units needs, and yield the ranking; close them at the end.

    Parameters
    ----------
    by
        A name such as "l2", or the path of a file with scores or statistics of activations (see
        `scores_of`). Statistics rank by Wanda.
    statistics
        Path of the statistics of activations, for rankings that use the inputs; None otherwise.
    forced
        Whether statistics of another checkpoint are accepted.

    Raises
    ------
    ParameterError
        If statistics are required but missing, or given but not used.
    CheckpointError
        If a file cannot be read.
    """
    needs_statistics = by in WORDS and is_needed(STATISTICS.name, (BY,), {BY.name: by})
    if needs_statistics and statistics is None:
        raise ParameterError(
            f"Ranking units by {by} needs statistics of activations.",
            remedy="Specify a file of them; `pruneapp statistics` collects one.",
        )
    if statistics is not None and not needs_statistics:
        words = by if by in WORDS else "the scores of a file"
        raise ParameterError(
            f"Ranking units by {words} uses no statistics of activations.",
            remedy="Leave them out, or rank by wanda or flap.",
        )
    with ExitStack() as stack:
        opened = None
        if statistics is not None:
            opened = stack.enter_context(open_statistics(Path(statistics), job, forced=forced))
        elif by not in WORDS and holds_statistics(Path(by), job):
            opened = stack.enter_context(open_statistics(Path(by), job, forced=forced))
            by = WANDA
        yield lambda state, axis: scores_of(state, axis, by, kernel, job, opened)


def scores_of(  # noqa: PLR0917 - each its own type
    state: Snapshot,
    axis: Axis,
    by: str,
    kernel: Kernel,
    job: Job,
    statistics: Statistics | None = None,
) -> Mapping[str, Float64s]:
    """Return a score for each unit of an axis, by `place` of the group.

    Units with low scores are removed first.

    Parameters
    ----------
    by
        One of `WORDS`, or the path of a safetensors file with one vector of scores for each group,
        named by the `place` of the group.
    statistics
        For names that use the inputs; None otherwise.

    Raises
    ------
    ShrinkError
        If the file lacks a group, or a vector has another length or is not of a float type.
    CheckpointError
        If the file cannot be read.
    ParameterError
        If the statistics belong to another checkpoint, and as `score_units` does.
    """
    if by in WORDS:
        if statistics is not None:
            statistics.refuse_other(state.checkpoint, job)
        known = no_inputs if statistics is None else partial(state.inputs, statistics)
        return {g.place: score_units(g, state.view, by, kernel, job, known) for g in axis.groups}
    return read_scores(axis, by, job)


def read_scores(axis: Axis, by: str, job: Job) -> Mapping[str, Float64s]:
    """Return the scores in the file `by`, one float64 vector per group of an axis, by `place`.

    The vectors are the tensors named by `place`; others are ignored. NaN and infinity are accepted.
    Raises `ShrinkError` if a vector is missing, has another length, or is not of a float type that
    can be pruned (integers are refused), and `CheckpointError` if the file cannot be read.
    """
    scores = {}
    with open_checkpoint(Path(by), job=job) as file:
        for group in axis.groups:
            if not file.holds(group.place):
                raise ShrinkError(
                    f"'{by}' has no scores for '{group.place}'.",
                    remedy=f"It needs a vector of {group.count:,} numbers with that name.",
                )
            entry = file.entry(group.place)
            if entry.shape != (group.count,) or not entry.dtype.prunable:
                raise ShrinkError(
                    f"'{group.place}' in '{by}' must have {group.count:,} real numbers (got the "
                    f"shape {list(entry.shape)}, {entry.dtype.label}).",
                    remedy="Write one score per unit.",
                )
            scores[group.place] = decode(file.bits(entry.name), entry.dtype).astype(np.float64)
    return scores


def size_for_share(axis: Axis, structure: Structure, share: float, multiple: int) -> int:
    """Return how many units to keep if a share (0 to 1) is removed, rounded up to an allowed size.

    Raises `ShrinkError`, which names the nearest sizes, if rounding leaves nothing to remove.
    """
    wanted = axis.count - round(share * axis.count)
    sizes = legal_sizes(axis, structure.fields, multiple)
    kept = next(n for n in sizes if n >= wanted)
    if kept == axis.count:
        below = [n for n in sizes if n < axis.count][-2:]
        near = " and ".join(f"{n:,}" for n in below) or "none"
        raise ShrinkError(
            f"Nothing would be removed: {share:.4g} of {axis.count:,} {axis.label} leaves "
            f"{wanted:,}, which is rounded up to a multiple of {multiple:,}. The nearest "
            f"possible numbers: {near}.",
            remedy="Remove more, or choose a smaller multiple.",
        )
    return kept


def check_size(axis: Axis, structure: Structure, kept: int) -> None:
    """Raise `ShrinkError` if the model's class does not accept `kept` units."""
    if kept != axis.count and not axis.takes(kept, structure.fields):
        raise size_error(axis, structure, structure.fields, kept)


def widths_for_share(axis: Axis, share: float, multiple: int | None = None) -> list[int]:
    """Return how many units to keep in each group if a share (0 to 1) of each is removed.

    For groups of different widths, in their order. At least one unit is kept; the numbers are
    rounded up to `multiple`, or to that of the group if it is None. Raises `ShrinkError` if nothing
    would be removed from any group.
    """
    kept = _widths(axis, share, multiple)
    if all(n_kept == group.count for n_kept, group in zip(kept, axis.groups, strict=True)):
        raise ShrinkError(
            f"Nothing would be removed of {counted(len(axis.groups), 'group')}: {share:.4g} of "
            "the units, with the remaining number rounded up to a multiple of "
            f"{axis.multiple_words(multiple)}, is less than one unit.",
            remedy="Remove more, or choose a smaller multiple.",
        )
    return kept


def _widths(axis: Axis, share: float, multiple: int | None) -> list[int]:
    """Return the rounded number of units to keep in each group, from one to all of them."""
    min_widths = [max(group.count - round(share * group.count), 1) for group in axis.groups]
    steps = [multiple or group.multiple for group in axis.groups]
    return [
        min(group.count, -(-min_width // step) * step)
        for group, min_width, step in zip(axis.groups, min_widths, steps, strict=True)
    ]


def percents_of(
    axis: Axis, multiple: int | None = None, alive: Mapping[str, int] | None = None
) -> tuple[int, ...]:
    """Return the shares, in whole percent up to 99, that remove units of some group; ascending.

    `alive` is the number of units of a group, by its `place`, that remain without dead units;
    groups that are missing have no dead units. Shares that remove only dead units are left out.
    """
    counts = [(alive or {}).get(group.place, group.count) for group in axis.groups]

    def removes(percent: int) -> bool:
        widths = _widths(axis, percent / 100, multiple)
        return any(width < count for width, count in zip(widths, counts, strict=True))

    first = bisect_left(range(1, 100), True, key=removes)
    return tuple(range(1 + first, 100))


def choose_units(
    state: Snapshot,
    group_sizes: Sequence[tuple[Group, int]],
    scores: Mapping[str, Float64s],
    found: Survey,
    job: Job,
) -> list[tuple[Group, Units]]:
    """Return the units to prune so that each group keeps the given number of units.

    Dead units are removed first and are not in the result, as they need no pruning. Then follow the
    units with the lowest scores. Units that contain a protected weight are kept, even if more units
    than requested remain then. Groups that must lose the same units are ranked by the sum of their
    scores.

    Parameters
    ----------
    group_sizes
        Groups, and the number of units to keep in each.
    scores
        Scores by the `place` of the group.

    Returns
    -------
    list
        Each group with the indices of its units, in the order of `group_sizes`.
    """
    groups = [group for group, _ in group_sizes]
    ranks = [scores[group.place] for group in groups]
    must_keep = [units_to_keep(state, group, found.units_of(group)) for group in groups]
    guarded_masks = [protected_units(group, state.view, job) for group in groups]
    if any(group.same for group in groups):
        ranks = [np.sum(ranks, axis=0)] * len(groups)
        must_keep = [np.logical_or.reduce(must_keep)] * len(groups)
        guarded_masks = [np.logical_or.reduce(guarded_masks)] * len(groups)
    to_prune = []
    for (group, count), rank, keep_mask, guarded in zip(
        group_sizes, ranks, must_keep, guarded_masks, strict=True
    ):
        order = np.where(keep_mask, np.where(guarded, np.inf, rank), -np.inf)
        lowest = lowest_units(order, group.count - count, group.outer)
        to_prune.append((group, lowest[keep_mask[lowest] & ~guarded[lowest]]))
    return to_prune


def prune_units(state: Snapshot, to_prune: Sequence[tuple[Group, Units]], job: Job) -> Snapshot:
    """Return the state with the given units pruned in all their tensors."""
    masks = masks_without([(group, state.view, units) for group, units in to_prune], job)
    return state.with_masks({"masks": masks}) if masks else state


def prune_layers(state: Snapshot, axis: Axis, numbers: tuple[int, ...], job: Job) -> Snapshot:
    """Return the state with layers pruned so that they return their input.

    `numbers` are indices of layers; those beyond a stack are ignored. Changes nothing in stacks
    where zeros cannot do that, such as those with a norm after the sum.
    """
    indices = np.array(sorted(numbers), np.int64)
    stacks = [group for group in axis.groups if any(group.silenced_by)]
    return prune_units(state, [(group, indices[indices < group.count]) for group in stacks], job)
