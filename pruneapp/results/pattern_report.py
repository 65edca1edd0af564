"""Whether the zeros of tensors form an N:M pattern, and where they do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pruneapp.errors import counted

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
        """Return the totals over all tensors. O(n)."""
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
        return f"{self.pattern} does not hold in {where} ({groups}): {self.why}"

    def named(self, shown: Mapping[str, str] | None = None) -> tuple[str, ...]:
        """Return a line for each of the first tensors, with display names from `shown`."""
        lines = [
            f"{(shown or {}).get(name, name)}: {counted(groups, 'group')}"
            for name, groups in list(self.groups.items())[:_MOST_NAMED]
        ]
        more = len(self.groups) - len(lines)
        return (*lines, f"and {more:,} more") if more else tuple(lines)
