"""Whether the zeros of tensors form an N:M pattern, and where they do not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BrokenGroup:
    """A group of which too many weights are not zero.

    Attributes
    ----------
    index
        Of its first weight, one number for each dimension of the tensor.
    left
        How many of its weights are not zero.
    """

    index: tuple[int, ...]
    left: int


@dataclass(frozen=True)
class TensorPattern:
    """How far one tensor has a pattern.

    Attributes
    ----------
    name, shape
        The tensor.
    groups, broken
        Groups in all, and those of which too many weights are not zero.
    beside
        Weights that are in no group, because the dimension is no multiple of m.
    first
        The first broken groups, a few.
    lost
        The share of the sum of squares that the nearest mask with the pattern would take, from 0 to
        1; 0 where it holds already, None where there is no energy or it is not finite.
    why_not
        Why it has no groups at all, as a sentence; empty if it has.
    """

    name: str
    shape: tuple[int, ...]
    groups: int = 0
    broken: int = 0
    beside: int = 0
    first: tuple[BrokenGroup, ...] = ()
    lost: float | None = 0.0
    why_not: str = ""

    @property
    def holds(self) -> bool:
        """Whether there are groups, and none of them is broken."""
        return self.groups > 0 and not self.broken


@dataclass(frozen=True)
class PatternReport:
    """How far tensors have an N:M pattern.

    Attributes
    ----------
    n, m
        At most n of every m weights are not zero.
    dim
        The dimension along which groups lie, as it was asked for.
    tensors
        In the order in which they were asked for.
    lost
        As `TensorPattern.lost`, of all of them together.
    """

    n: int
    m: int
    dim: int
    tensors: tuple[TensorPattern, ...]
    lost: float | None = 0.0

    @property
    def satisfied(self) -> bool:
        """Whether every tensor has the pattern, and there is one."""
        return bool(self.tensors) and all(tensor.holds for tensor in self.tensors)

    @property
    def broken(self) -> tuple[TensorPattern, ...]:
        """The tensors that do not have it."""
        return tuple(tensor for tensor in self.tensors if not tensor.holds)
