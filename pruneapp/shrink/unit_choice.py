"""Choosing units for a cut: a share or a number of an axis, and the state without them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.groups.axis import Axis
from pruneapp.groups.group import Group, Units
from pruneapp.groups.structure import Structure
from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.values import Float64s, decode
from pruneapp.methods.coupled_units import lowest_units, masks_without, score_units
from pruneapp.progress import Job
from pruneapp.shrink.cut import ShrinkError
from pruneapp.shrink.dead_units import units_left
from pruneapp.shrink.plan import legal_sizes, not_legal

NORMS = ("l2", "l1", "mean")


def scores_of(
    state: Snapshot, axis: Axis, by: str, kernel: Kernel, job: Job
) -> Mapping[str, Float64s]:
    """Return a score for each unit of an axis, by the place of the group; the highest stay.

    `by` is a norm over all tensors of the group (`NORMS`), or the path of a safetensors file that
    has the scores: a vector of as many numbers as units for each group, by its place.

    Raises `ShrinkError` if the file lacks a group, or has another number of scores.
    """
    if by in NORMS:
        return {g.place: score_units(g, state.view, by, kernel, job) for g in axis.groups}
    scores = {}
    with open_checkpoint(Path(by), job=job) as file:
        for group in axis.groups:
            if not file.holds(group.place):
                raise ShrinkError(
                    f"'{by}' has no scores for '{group.place}'.",
                    remedy=f"It needs a vector of {group.count:,} numbers of that name.",
                )
            entry = file.entry(group.place)
            if entry.shape != (group.count,) or not entry.dtype.prunable:
                raise ShrinkError(
                    f"'{group.place}' in '{by}' must have {group.count:,} real numbers (got the "
                    f"shape {list(entry.shape)}, {entry.dtype.label}).",
                    remedy="Write one score a unit.",
                )
            scores[group.place] = decode(file.bits(entry.name), entry.dtype).astype(np.float64)
    return scores


def size_for_share(axis: Axis, structure: Structure, share: float, multiple: int) -> int:
    """Return how many units stay if a share goes, rounded up to what may stay.

    Raises `ShrinkError` if nothing would go then, with the nearest sizes.
    """
    wanted = axis.count - round(share * axis.count)
    sizes = legal_sizes(axis, structure.fields, multiple)
    kept = next(n for n in sizes if n >= wanted)
    if kept == axis.count:
        below = [n for n in sizes if n < axis.count][-2:]
        near = " and ".join(f"{n:,}" for n in below) or "none"
        raise ShrinkError(
            f"Less {share:.4g} of {axis.count:,} {axis.label} are {wanted:,}, and rounded up to a "
            f"multiple of {multiple:,} nothing goes. The nearest that may stay: {near}.",
            remedy="Cut more, or choose a smaller --multiple.",
        )
    return kept


def check_size(axis: Axis, structure: Structure, kept: int) -> None:
    """Raise `ShrinkError` if a model's class does not take a number of units."""
    if kept != axis.count and not axis.takes(kept, structure.fields):
        raise not_legal(axis, structure.fields, kept)


def without_units(
    state: Snapshot, axis: Axis, kept: int, scores: Mapping[str, Float64s], job: Job
) -> Snapshot:
    """Return the state with the units pruned that score lowest, so that `kept` stay of each group.

    Units that are dead already go first, whatever their scores. Where groups are wider or narrower
    than the first, they keep as large a share of theirs.
    """
    gone: list[tuple[Group, Units]] = []
    left = units_left(state, axis.groups, job)
    ranks = [
        np.where(units.alive, scores[group.place], -np.inf)
        for group, units in zip(axis.groups, left, strict=True)
    ]
    if axis.rule.same:
        ranks = [np.sum(ranks, axis=0)] * len(ranks)
    for group, ranked in zip(axis.groups, ranks, strict=True):
        stay = kept * group.count // axis.count if axis.rule.share else kept * group.times
        gone.append((group, lowest_units(ranked, group.count - stay, group.outer)))
    masks = masks_without([(group, state.view, units) for group, units in gone], job)
    return state.replaced({"masks": masks})


def without_share(  # noqa: PLR0917 - each its own type
    state: Snapshot,
    axis: Axis,
    share: float,
    multiple: int,
    scores: Mapping[str, Float64s],
    job: Job,
) -> Snapshot:
    """Return the state with a share of each group pruned, where groups have widths of their own.

    What stays of each is rounded up to a multiple. Raises `ShrinkError` if nothing goes of any.
    """
    left = units_left(state, axis.groups, job)
    going = []
    for group, units in zip(axis.groups, left, strict=True):
        wanted = group.count - round(share * group.count)
        stay = min(group.count, -(-wanted // multiple) * multiple)
        ranked = np.where(units.alive, scores[group.place], -np.inf)
        gone = lowest_units(ranked, group.count - stay, group.outer)
        going.append((group, state.view, gone))
    if not any(gone.size for *_, gone in going):
        raise ShrinkError(
            f"Less {share:.4g} of them, and rounded up to a multiple of {multiple:,}, nothing goes "
            f"of any of {len(axis.groups):,} groups.",
            remedy="Cut more, or choose a smaller --multiple.",
        )
    return state.replaced({"masks": masks_without(going, job)})


def without_layers(state: Snapshot, axis: Axis, numbers: tuple[int, ...], job: Job) -> Snapshot:
    """Return the state in which layers hand on what they were given, where zeros can do that."""
    gone = np.array(sorted(numbers), np.int64)
    going = [
        (group, state.view, gone[gone < group.count])
        for group in axis.groups
        if any(group.silenced_by)
    ]
    return state.replaced({"masks": masks_without(going, job)})
