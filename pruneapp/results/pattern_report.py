"""Whether the zeros of tensors form an N:M pattern, and where they do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pruneapp.errors import counted

_MOST_NAMED = 5


@dataclass(frozen=True)
class BrokenGroup:
    """A group of which too many weights are not zero."""

    index: tuple[int, ...]  # of its first weight, one number for each dimension of the tensor
    left: int  # how many of its weights are not zero


@dataclass(frozen=True)
class TensorPattern:
    """How far one tensor has a pattern."""

    # The tensor.
    name: str
    shape: tuple[int, ...]
    # Groups in all, and those of which too many weights are not zero.
    groups: int = 0
    broken: int = 0
    outside: int = 0  # weights that are in no group, because the dimension is no multiple of m
    first: tuple[BrokenGroup, ...] = ()  # the first broken groups, a few
    # The share of the sum of squares that the nearest mask with the pattern would take, from 0 to
    # 1; 0 where it holds already, None where there is no norm or it is not finite.
    lost: float | None = 0.0
    to_prune: int = 0  # how many weights that are not zero this mask would take
    # Broken groups that it leaves broken, because too many of their weights are protected.
    blocked_by_protection: int = 0
    why_not: str = ""  # why it has no groups at all, as a sentence; empty if it has

    @property
    def holds(self) -> bool:
        """Whether there are groups, and none of them is broken."""
        return self.groups > 0 and not self.broken


@dataclass(frozen=True)
class PatternTotals:
    """What the tensors of a report come to."""

    # How many tensors have groups, and how many have none.
    checked: int
    without: int
    # How many of those that have groups have the pattern, and how many break it.
    holding: int
    broken: int
    # Of the tensors that break it: their groups, and those that are broken.
    groups: int
    broken_groups: int
    # How many tensors have groups and weights beside them, and how many such weights.
    not_divisible: int
    outside: int
    # As `TensorPattern` has them.
    to_prune: int
    blocked_by_protection: int


@dataclass(frozen=True)
class PatternReport:
    """How far tensors have an N:M pattern."""

    # At most n of every m weights are not zero.
    n: int
    m: int
    dim: int  # the dimension along which groups lie, as it was asked for
    tensors: tuple[TensorPattern, ...]  # in numeric order
    lost: float | None = 0.0  # as `TensorPattern.lost`, of all of them together

    @property
    def satisfied(self) -> bool:
        """Whether every tensor has the pattern, and there is one."""
        return bool(self.tensors) and all(tensor.holds for tensor in self.tensors)

    @property
    def broken(self) -> tuple[TensorPattern, ...]:
        """The tensors that do not have it."""
        return tuple(tensor for tensor in self.tensors if not tensor.holds)

    def worst_first(self) -> PatternReport:
        """Return the report with its tensors in the order of how much is wrong with them.

        Those of which the largest share of the groups is broken come first, then those that have
        no groups, then those that have the pattern and weights beside it. Equal ones stay as they
        are. O(n log n).
        """
        return replace(self, tensors=tuple(sorted(self.tensors, key=_by_damage)))

    def totals(self) -> PatternTotals:
        """Return what all tensors come to. O(n)."""
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
    """A pattern that steps gave to tensors and that does not hold in some of them."""

    # At most n of every m weights should be kept along a dimension, from 0.
    n: int
    m: int
    dim: int
    groups: Mapping[str, int]  # how many groups keep more, by the first names of tensors
    why: str = "protected weights"

    @property
    def pattern(self) -> str:
        """The pattern, as it is written: ``2:4``; with the dimension where it is not the usual."""
        return f"{self.n}:{self.m}" + (f" along dim {self.dim}" if self.dim != 1 else "")

    @property
    def sentence(self) -> str:
        """Say in how many tensors and groups it does not hold, and why."""
        where = counted(len(self.groups), "tensor")
        groups = counted(sum(self.groups.values()), "group")
        return f"{self.pattern} does not hold in {where} ({groups}): {self.why}"

    def named(self, shown: Mapping[str, str] | None = None) -> tuple[str, ...]:
        """Return a line for each of the first tensors, by the names to show for them."""
        lines = [
            f"{(shown or {}).get(name, name)}: {counted(groups, 'group')}"
            for name, groups in list(self.groups.items())[:_MOST_NAMED]
        ]
        more = len(self.groups) - len(lines)
        return (*lines, f"and {more:,} more") if more else tuple(lines)
