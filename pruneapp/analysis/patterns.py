"""Check tensors for an N:M pattern, list violating groups, and estimate the cost of a fix."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np

from pruneapp.analysis.retained_norm import RetainedNorm, measure_retained_norm, total_of
from pruneapp.analysis.zeros import broken_groups, nonzero, pattern_of
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.selection import resolve, rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError, counted, in_numeric_order
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.regions import Groups, count_kept_in_groups, group_boxes
from pruneapp.methods import registry
from pruneapp.methods.builtin.patterns import N_M, sizes_of
from pruneapp.methods.method import GroupMethod
from pruneapp.methods.prune_tensors import prune
from pruneapp.progress import Job

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


_MOST_NAMED = 5


@dataclass(frozen=True)
class BrokenGroup:
    """A group with too many nonzero weights."""

    index: tuple[int, ...]  # index of the group's first weight
    left: int  # number of nonzero weights


@dataclass(frozen=True)
class TensorPattern:
    """The result of checking one tensor for a pattern."""

    name: str
    shape: tuple[int, ...]
    # Number of groups, and of those with too many nonzero weights.
    groups: int = 0
    broken: int = 0
    outside: int = 0  # weights in no group, because the dimension is not a multiple of m
    first: tuple[BrokenGroup, ...] = ()  # the first few broken groups
    # Share of the sum of squares lost by the nearest mask with the pattern, from 0 to 1; 0 if the
    # pattern holds, None if there is no finite norm.
    lost: float | None = 0.0
    to_prune: int = 0  # number of nonzero weights that this mask would prune
    # Groups still broken because too many of their weights are protected.
    blocked_by_protection: int = 0
    why_not: str = ""  # why it has no groups, as a sentence; empty if it has

    @property
    def holds(self) -> bool:
        """Whether there are groups and none is broken."""
        return self.groups > 0 and not self.broken


@dataclass(frozen=True)
class PatternTotals:
    """Totals over the tensors of a report."""

    # Number of tensors with groups, and without.
    checked: int
    without: int
    # Among the tensors with groups: those with the pattern, and those that break it.
    holding: int
    broken: int
    # Groups, and broken groups, of the tensors that break the pattern.
    groups: int
    broken_groups: int
    # Tensors with both groups and leftover weights, and the number of these weights.
    not_divisible: int
    outside: int
    # See `TensorPattern`.
    to_prune: int
    blocked_by_protection: int


@dataclass(frozen=True)
class PatternReport:
    """The result of checking tensors for an N:M pattern."""

    # At most n of every m weights are nonzero.
    n: int
    m: int
    dim: int  # dimension of the groups, as requested
    tensors: tuple[TensorPattern, ...]  # in numeric order
    lost: float | None = 0.0  # like `TensorPattern.lost`, for all tensors together

    @property
    def satisfied(self) -> bool:
        """Whether there are tensors and all have the pattern."""
        return bool(self.tensors) and all(tensor.holds for tensor in self.tensors)

    @property
    def broken(self) -> tuple[TensorPattern, ...]:
        """The tensors that do not have the pattern."""
        return tuple(tensor for tensor in self.tensors if not tensor.holds)

    def worst_first(self) -> PatternReport:
        """Return the report with the worst tensors first.

        Order: the largest share of broken groups, then tensors without groups, then tensors with
        the pattern and leftover weights. The sort is stable. O(n log n).
        """
        return replace(self, tensors=tuple(sorted(self.tensors, key=_by_damage)))

    def totals(self) -> PatternTotals:
        """Return the totals over all tensors. O(n).

        `to_prune`, `groups` and `broken_groups` are of the tensors that break the pattern only.
        """
        broken = [tensor for tensor in self.tensors if tensor.broken]
        over = [tensor for tensor in self.tensors if tensor.groups and tensor.outside]
        checked = sum([tensor.groups > 0 for tensor in self.tensors])
        return PatternTotals(
            checked=checked,
            holding=checked - len(broken),
            without=len(self.tensors) - checked,
            broken=len(broken),
            groups=sum([tensor.groups for tensor in broken]),
            broken_groups=sum([tensor.broken for tensor in broken]),
            not_divisible=len(over),
            outside=sum([tensor.outside for tensor in over]),
            to_prune=sum([tensor.to_prune for tensor in broken]),
            blocked_by_protection=sum([tensor.blocked_by_protection for tensor in broken]),
        )


def _by_damage(tensor: TensorPattern) -> tuple[int, float, int]:
    if tensor.broken:
        return 0, -tensor.broken / tensor.groups, -tensor.broken
    return (2 if tensor.groups else 1), 0.0, -tensor.outside


@dataclass(frozen=True)
class BrokenPattern:
    """A pattern that steps applied and that does not hold in some of their tensors."""

    # At most n of every m weights should be kept along a dimension, counted from 0.
    n: int
    m: int
    dim: int
    groups: Mapping[str, int]  # number of groups that keep more, by first name
    why: str = "protected weights"

    @property
    def pattern(self) -> str:
        """The pattern as text: ``2:4``, with the dimension unless it is 1."""
        return f"{self.n}:{self.m}" + (f" along dim {self.dim}" if self.dim != 1 else "")

    @property
    def sentence(self) -> str:
        """A sentence with the number of affected tensors and groups, and the reason."""
        where = counted(len(self.groups), "tensor")
        groups = counted(sum(self.groups.values()), "group")
        return f"{self.pattern} is violated by {where} ({groups}): {self.why}"

    def tensor_lines(self, shown: Mapping[str, str] | None = None) -> tuple[str, ...]:
        """Return a line for each of the first `_MOST_NAMED` tensors, and one that counts others.

        `shown` maps first names to display names; missing ones are shown unchanged.
        """
        lines = [
            f"{(shown or {}).get(name, name)}: {counted(groups, 'group')}"
            for name, groups in list(self.groups.items())[:_MOST_NAMED]
        ]
        more = len(self.groups) - len(lines)
        return (*lines, f"and {more:,} more") if more else tuple(lines)


def check_pattern(  # noqa: PLR0917 - each its own type
    snapshot: Snapshot, names: Sequence[str], n: int, m: int, dim: int, job: Job
) -> PatternReport:
    """Check whether at most n of every m weights along a dimension are nonzero.

    Pruned weights count as zero, and so do weights with the value 0.0 or -0.0. Groups begin at
    index 0 of the dimension (negative: from the last); leftover weights at its end belong to no
    group. A tensor without groups, for example because it is too short or lacks the dimension, does
    not have the pattern; its result has the reason. Tied names count once.

    Tensors are processed one after the other, each by several threads, with one bit of memory per
    weight. Tensors that violate the pattern are read twice more, to find which weights a fix would
    prune. `job` is started with the elements.

    Raises `ParameterError` if n and m are not a valid pattern, `SelectionError` and
    `UnknownTensorError` if `names` is empty or a tensor cannot be pruned or does not exist.
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
    """Check one tensor for a pattern, given by the parameters "pattern" ("n:m") and "dim".

    Return the result and, if the pattern is broken, the norm that a fix would retain; otherwise
    None. A tensor without groups gets a result with `why_not` set. `values` must be valid. Steps
    `job` by the elements, and extends it if the pattern is broken.
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
    """Return the result for a tensor whose nonzero elements are 1 in `left`.

    The cost of a fix is not set. The first `_NAMED` broken groups are listed.
    """
    length = entry.shape[groups.dim]
    inner = math.prod(entry.shape[groups.dim + 1 :])
    broken = 0
    first: list[BrokenGroup] = []
    for box in group_boxes(entry.shape, groups):
        job.step(0)
        counts = count_kept_in_groups(left, entry.shape, groups, box)
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
        outside=groups.count_outside(entry.shape),
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

    It has only the tensors with broken groups; nothing is applied. It prunes the smallest weights
    of each group with too many nonzero weights, and no other nonzero weight. Protected weights are
    kept even if a group has too many. Raises `ParameterError` if no tensor breaks the pattern.
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
        zeroed = snapshot.export_mask(entry.name)
        if zeroed is None or not zeroed.pruned or not zeroed.kept or len(entry.shape) < 2:
            continue
        job.step(0)
        found.append(pattern_of(zeroed, entry.shape, job))
    return certificate_of(found)


def certificate_of(found: Sequence[tuple[int, int] | None]) -> str | None:
    """Return the text of `certificate` for the patterns of the pruned tensors.

    A pattern is (n, m), or None for a tensor without one. Returns None if no tensor has a pattern.
    """
    patterns, pruned = Counter(pattern for pattern in found if pattern is not None), len(found)
    if not patterns:
        return None
    of = "" if sum(patterns.values()) == pruned else f" of {pruned} pruned"
    return "; ".join(
        f"{n}:{m} along dim 1: {count}{of} tensor{'' if count == 1 and not of else 's'}"
        for (n, m), count in sorted(patterns.items())
    )


def groups_wanted(snapshot: Snapshot, steps: Iterable[Step]) -> dict[str, Groups]:
    """Return the groups that steps gave to tensors, by first name; later steps override.

    Rows of methods without groups are ignored, and steps with no other rows are not checked. Raises
    the errors of `rows_of`, and `ParameterError` if a tensor has no such groups, for example
    because it lacks the dimension.
    """
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
    """Return the patterns that do not hold in some tensors, judged by masks only.

    A group is broken if it keeps more weights than the step that created it left. This happens
    where protected weights exceed the pattern, or where pruned weights were restored. `wanted` maps
    first names to groups. There is an item for each different pattern and dimension that is broken
    anywhere; tensors that follow their groups are omitted.
    """
    found: dict[Groups, dict[str, int]] = {}
    for name, groups in wanted.items():
        zeroed = snapshot.export_mask(name)
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
