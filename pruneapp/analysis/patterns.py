"""Check tensors for an N:M pattern, list violating groups, and estimate the cost of a fix."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from pruneapp.analysis.retained_norm import RetainedNorm, measure_retained_norm, total_of
from pruneapp.analysis.zeros import broken_groups, nonzero, pattern_of
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.selection import resolve, rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError, in_numeric_order
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.regions import Groups, group_boxes, kept_in_groups
from pruneapp.methods import registry
from pruneapp.methods.builtin.patterns import N_M, sizes_of
from pruneapp.methods.method import GroupMethod
from pruneapp.methods.prune_tensors import prune
from pruneapp.progress import Job
from pruneapp.results.pattern_report import BrokenGroup, BrokenPattern, PatternReport, TensorPattern

__all__ = [
    "broken_patterns",
    "certificate",
    "certificate_of",
    "check_pattern",
    "groups_wanted",
    "repair",
]

# Broken groups listed per tensor.
_NAMED = 5
_NONE = np.empty((0, 3), np.intp)


def check_pattern(  # noqa: PLR0917 - each its own type
    snapshot: Snapshot, names: Sequence[str], n: int, m: int, dim: int, job: Job
) -> PatternReport:
    """Check whether at most n of every m weights along a dimension are nonzero.

    Pruned weights count as zero, and so do weights with the value 0.0 or -0.0. Groups begin at
    channel 0; leftover weights at the end of the dimension belong to no group.

    Tensors are processed one after the other, each by several threads, with one bit of memory per
    weight. Tensors that violate the pattern are read twice more, to find what `repair` would prune.
    `job` is started with the elements.

    Raises `ParameterError` if n and m are not a valid pattern, and whatever `resolve` raises.
    """
    pattern = N_M.validate({"pattern": f"{n}:{m}", "dim": dim})
    first_names = resolve(snapshot.checkpoint, names)
    entries = [snapshot.entry(name) for name in first_names]
    job.start(sum(entry.numel for entry in entries))
    found = [look_for_pattern(snapshot, entry, pattern, job) for entry in entries]
    return pattern_report(n, m, dim, found)


def pattern_report(
    n: int, m: int, dim: int, found: Sequence[tuple[TensorPattern, RetainedNorm | None]]
) -> PatternReport:
    """Return the report for `found`, with the norm² lost if all tensors were fixed."""
    norms = [norm for _, norm in found if norm is not None]
    tensors = in_numeric_order([tensor for tensor, _ in found], attrgetter("name"))
    return PatternReport(n, m, dim, tuple(tensors), _lost_of(norms))


def look_for_pattern(
    snapshot: Snapshot, entry: TensorEntry, values: Mapping[str, Any], job: Job
) -> tuple[TensorPattern, RetainedNorm | None]:
    """Check one tensor for a pattern, given as parameter values of the N:M method.

    Returns the result and, where the pattern is broken, the norm retained by a fix; otherwise None.
    """
    (n, m), dim = sizes_of(values["pattern"]), values["dim"]
    norm = None
    job.label(entry.name)
    if not -len(entry.shape) <= dim < len(entry.shape) or len(entry.shape) < 2:
        why = f"It has {len(entry.shape)} dimensions, and no dimension {dim}."
        if len(entry.shape) < 2:
            why = "Groups need a tensor of two or more dimensions."
        job.step(entry.numel)
        return TensorPattern(entry.name, entry.shape, why_not=why), None
    groups = Groups(dim % len(entry.shape), m, n)
    left = nonzero(snapshot, entry, job)
    tensor = _count_broken_groups(left, entry, groups, job)
    if tensor.broken:
        view = snapshot.view(entry.name)
        mask = prune([view], N_M, values, "local", CpuKernel(), job).masks[entry.name]
        job.extend(entry.numel)
        norm = measure_retained_norm(snapshot, entry.name, mask, job)
        has_protected = snapshot.protected.get(entry.name) is not None
        kept_after = left & mask
        tensor = replace(
            tensor,
            lost=None if norm.share is None else 1 - norm.share,
            to_prune=left.kept - kept_after.kept,
            blocked_by_protection=_count_broken_groups(kept_after, entry, groups, job).broken
            if has_protected
            else 0,
        )
    return tensor, norm


def _count_broken_groups(
    left: BitMask, entry: TensorEntry, groups: Groups, job: Job
) -> TensorPattern:
    length = entry.shape[groups.dim]
    inner = math.prod(entry.shape[groups.dim + 1 :])
    broken = 0
    first: list[BrokenGroup] = []
    for box in group_boxes(entry.shape, groups):
        job.step(0)
        counts = kept_in_groups(left, entry.shape, groups, box)
        over = counts > groups.keep
        broken += int(np.count_nonzero(over))
        named = np.argwhere(over) if broken and len(first) < _NAMED else _NONE
        for row, group, k in named[: _NAMED - len(first)].tolist():
            channel = box.channels[0] + group * groups.size
            flat = ((box.outer[0] + row) * length + channel) * inner + box.inner[0] + k
            index = tuple(int(i) for i in np.unravel_index(flat, entry.shape))
            first.append(BrokenGroup(index, int(counts[row, group, k])))
    around = entry.numel // max(length, 1)
    whole = length // groups.size
    why = ""
    if not whole * around:
        why = (
            f"Dimension {groups.dim} has {length:,} elements, fewer than a group of {groups.size}."
        )
    return TensorPattern(
        entry.name,
        entry.shape,
        groups=whole * around,
        broken=broken,
        outside=groups.outside(entry.shape),
        first=tuple(first),
        why_not=why,
    )


def _lost_of(norms: Sequence[RetainedNorm]) -> float | None:
    if not norms:
        return 0.0
    before = total_of([norm.before for norm in norms])
    after = total_of([norm.after for norm in norms])
    return 1 - after / before if math.isfinite(before) and before > 0 else None


def repair(report: PatternReport) -> Step:
    """Return the step that gives every tensor of a report the pattern with the smallest loss.

    It prunes the smallest weights of each group with too many nonzero weights, and no other nonzero
    weight. Protected weights are kept even if a group has too many.

    Raises
    ------
    ParameterError
        If no tensor breaks the pattern.
    """
    names = tuple(tensor.name for tensor in report.tensors if tensor.broken)
    if not names:
        raise ParameterError(
            f"No group violates {report.n}:{report.m} along dim {report.dim}: there is "
            "nothing to repair."
        )
    values = {"pattern": f"{report.n}:{report.m}", "dim": report.dim}
    return Step((Row(names, N_M.name, values),))


def certificate(snapshot: Snapshot, job: Job) -> str | None:
    """Return which N:M patterns an exported state has, as text for the metadata of the export.

    Only masks are inspected, so nothing is read, and zeros of the file count only if they were
    marked as pruned. The patterns are those that hardware supports: 1:4, 2:4 and 4:8 along dim 1;
    per tensor the first that holds throughout. Tensors without pruned weights and those pruned
    completely are ignored.

    Returns
    -------
    str or None
        ``2:4 along dim 1: 96 tensors``; where others are pruned without a pattern ``2:4 along dim
        1: 96 of 97 pruned tensors``; several patterns are separated by semicolons. None if no
        tensor has one.
    """
    found = []
    for entry in snapshot.checkpoint.entries.values():
        zeroed = snapshot.zeroed(entry.name)
        if zeroed is None or not zeroed.pruned or not zeroed.kept or len(entry.shape) < 2:
            continue
        job.step(0)
        found.append(pattern_of(zeroed, entry.shape, job))
    return certificate_of(found)


def certificate_of(found: Sequence[tuple[int, int] | None]) -> str | None:
    """Return the text of `certificate` for the patterns of the tensors; None means no pattern."""
    patterns, pruned = Counter(pattern for pattern in found if pattern is not None), len(found)
    if not patterns:
        return None
    of = "" if sum(patterns.values()) == pruned else f" of {pruned} pruned"
    return "; ".join(
        f"{n}:{m} along dim 1: {count}{of} tensor{'' if count == 1 and not of else 's'}"
        for (n, m), count in sorted(patterns.items())
    )


def groups_wanted(snapshot: Snapshot, steps: Iterable[Step]) -> dict[str, Groups]:
    """Return the groups that steps gave to tensors, by first name; later steps override."""
    wanted: dict[str, Groups] = {}
    for step in steps:
        methods = {row.method: registry.METHODS.get(row.method) for row in step.rows}
        if not any(isinstance(method, GroupMethod) for method in methods.values()):
            continue
        for row, names in rows_of(snapshot.checkpoint, step):
            method = methods[row.method]
            if isinstance(method, GroupMethod):
                wanted |= {n: method.groups(snapshot.view(n), row.values) for n in names}
    return wanted


def broken_patterns(
    snapshot: Snapshot, wanted: Mapping[str, Groups], job: Job
) -> tuple[BrokenPattern, ...]:
    """Return the groups that keep more weights than a step left, judged by masks only.

    This happens where protected weights exceed the pattern, or where pruned weights were restored.
    `wanted` maps first names to groups; tensors that follow their groups are omitted.
    """
    found: dict[Groups, dict[str, int]] = {}
    for name, groups in wanted.items():
        zeroed = snapshot.zeroed(name)
        shape = snapshot.entry(name).shape
        left = BitMask.full(math.prod(shape)) if zeroed is None else zeroed
        if broken := sum(broken_groups(left, shape, groups, job)):
            found.setdefault(groups, {})[name] = broken
    return tuple(
        BrokenPattern(
            groups.keep,
            groups.size,
            groups.dim,
            names,
            "protected weights"
            if all(name in snapshot.protected for name in names)
            else "weights were protected or restored",
        )
        for groups, names in found.items()
    )
