"""Differences between two states or checkpoints, and overlap of two masks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# same: all values are equal (NaN equals NaN, 0.0 equals -0.0), whatever the dtypes. only a, only b:
# the other side has no tensor of this name. shape: shapes differ (or the dtype, complex or packed,
# has no comparable values), so nothing was compared. unread: both have it, but at least one is
# unreadable.
Difference = Literal["same", "differs", "only a", "only b", "shape", "unread"]


@dataclass(frozen=True)
class TensorDifference:
    """Differences of a tensor between two sides; pruned weights are 0."""

    name: str  # name in the first file, or else in the second
    kind: Difference
    # Empty if the tensor is missing, and for a scalar.
    shape_a: tuple[int, ...] = ()
    shape_b: tuple[int, ...] = ()
    numel: int = 0  # elements of the first tensor, or else of the second
    differing: int = 0  # number of elements with different values (NaN equals NaN, 0.0 equals -0.0)
    # L2 norm of the difference, over elements that are finite in both; infinite beyond float64.
    norm: float = 0.0
    # `norm` divided by the L2 norm of the first, over the same elements; None if that is 0 or
    # infinite.
    relative: float | None = None
    # Cosine similarity over the same elements; None if a norm is 0 or infinite.
    cosine: float | None = None
    # Share of elements with the same sign (-, 0, +); NaN only matches NaN. None for an empty
    # tensor.
    same_sign: float | None = None
    # Number of elements that are 0 (pruned or not) in the first, the second, and both. For a tensor
    # found equal without reading it, the number of pruned or permanent elements.
    pruned_a: int = 0
    pruned_b: int = 0
    pruned_both: int = 0
    # Display names of the dtypes; empty if the tensor is missing.
    dtype_a: str = ""
    dtype_b: str = ""

    @property
    def overlap(self) -> float | None:
        """Zeros in both divided by zeros in either (Jaccard index); None if there are none."""
        union = self.pruned_a + self.pruned_b - self.pruned_both
        return self.pruned_both / union if union else None


@dataclass(frozen=True)
class Comparison:
    """The differences between two sides."""

    # Display names of the sides.
    a: str
    b: str
    # In the order of the first file, followed by tensors that only the second has.
    tensors: tuple[TensorDifference, ...]

    @property
    def differing(self) -> tuple[TensorDifference, ...]:
        """The tensors that are not the same, in order."""
        return tuple(t for t in self.tensors if t.kind != "same")


@dataclass(frozen=True)
class TensorOverlap:
    """The overlap of the pruned weights of one tensor on two sides."""

    name: str  # first name on this side
    numel: int  # number of elements
    # Number of weights pruned on both sides, and on only one.
    both: int
    only_here: int
    only_there: int

    @property
    def jaccard(self) -> float | None:
        """Weights pruned on both sides divided by those pruned on either.

        None if there are none.
        """
        union = self.both + self.only_here + self.only_there
        return self.both / union if union else None


@dataclass(frozen=True)
class Overlap:
    """The overlap of the pruned weights of two sides."""

    tensors: tuple[TensorOverlap, ...]  # tensors that both sides have

    @property
    def total(self) -> TensorOverlap:
        """The sums over all tensors, without a name."""
        rows = ((t.numel, t.both, t.only_here, t.only_there) for t in self.tensors)
        return TensorOverlap("", *map(sum, zip((0, 0, 0, 0), *rows, strict=True)))
