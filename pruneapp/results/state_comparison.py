"""How two states, or two checkpoints, differ, and how far two masks agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# same: equal in value throughout (NaN equals NaN, 0.0 equals -0.0), of whatever types. only a,
# only b: the other has no tensor of this name. shape: both have it, but of another shape (or of
# types that have no values of their own, complex or packed), so that nothing was compared. unread:
# both have it, and of one at least its numbers cannot be read.
Difference = Literal["same", "differs", "only a", "only b", "shape", "unread"]


@dataclass(frozen=True)
class TensorDifference:
    """How a tensor of one side differs from that of the other; pruned weights are 0."""

    name: str  # as in the file of the first side, else of the second
    kind: Difference
    # Empty where there is no tensor, and for a scalar.
    shape_a: tuple[int, ...] = ()
    shape_b: tuple[int, ...] = ()
    numel: int = 0  # elements of the first, else of the second
    differing: int = 0  # how many elements differ in value (NaN equals NaN, 0.0 equals -0.0)
    # L2 norm of the difference, over what is finite in both; infinite beyond float64.
    norm: float = 0.0
    # `norm` divided by the L2 norm of the first, over the same elements; None if that is 0 or
    # beyond float64.
    relative: float | None = None
    # Cosine of the angle between both, over the same elements; None if one has no length, or one
    # beyond float64.
    cosine: float | None = None
    # Share of the elements whose signs (-, 0, +) are equal; a NaN agrees with a NaN alone. None for
    # an empty tensor.
    same_sign: float | None = None
    # How many elements are 0 (pruned or not) in the first, the second, both. Of a tensor that was
    # found to be the same without reading it, how many are pruned or made permanent.
    pruned_a: int = 0
    pruned_b: int = 0
    pruned_both: int = 0
    # The labels of the types; empty where there is no tensor.
    dtype_a: str = ""
    dtype_b: str = ""

    @property
    def overlap(self) -> float | None:
        """Zeros in both as a share of zeros in any (Jaccard); None if there are none."""
        union = self.pruned_a + self.pruned_b - self.pruned_both
        return self.pruned_both / union if union else None


@dataclass(frozen=True)
class Comparison:
    """How two sides differ."""

    # What the sides are called.
    a: str
    b: str
    # In the order of the first file, then what only the second has.
    tensors: tuple[TensorDifference, ...]

    @property
    def differing(self) -> tuple[TensorDifference, ...]:
        """The tensors that are not the same, in order."""
        return tuple(t for t in self.tensors if t.kind != "same")


@dataclass(frozen=True)
class TensorOverlap:
    """What of one tensor is pruned here, there, or on both sides."""

    name: str  # the tensor, by its first name here
    numel: int  # elements in all
    # How many are pruned on both sides, and on one alone.
    both: int
    only_here: int
    only_there: int

    @property
    def jaccard(self) -> float | None:
        """Share of what is pruned on any side that is pruned on both; None if nothing is."""
        union = self.both + self.only_here + self.only_there
        return self.both / union if union else None


@dataclass(frozen=True)
class Overlap:
    """What is pruned on two sides."""

    tensors: tuple[TensorOverlap, ...]  # the tensors that both sides have

    @property
    def total(self) -> TensorOverlap:
        """The sums over all tensors, without a name."""
        rows = ((t.numel, t.both, t.only_here, t.only_there) for t in self.tensors)
        return TensorOverlap("", *map(sum, zip((0, 0, 0, 0), *rows, strict=True)))
