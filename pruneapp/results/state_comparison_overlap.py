"""How far two masks agree about what is pruned."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TensorOverlap:
    """What of one tensor is pruned here, there, or on both sides.

    Attributes
    ----------
    name
        The tensor, by its first name here.
    numel
        Elements in all.
    both, only_here, only_there
        How many are pruned on both sides, and on one alone.
    """

    name: str
    numel: int
    both: int
    only_here: int
    only_there: int

    @property
    def jaccard(self) -> float | None:
        """Share of what is pruned on any side that is pruned on both; None if nothing is."""
        return _share(self.both, self.both + self.only_here + self.only_there)

    @property
    def by_chance(self) -> float | None:
        """The share that masks of as many pruned weights, drawn by lot, would have about.

        With shares p and q pruned, pq of all weights are pruned on both sides and p + q - pq on
        any.
        """
        here, there = self.both + self.only_here, self.both + self.only_there
        expected = here * there / self.numel if self.numel else 0.0
        return _share(expected, here + there - expected)


@dataclass(frozen=True)
class Overlap:
    """What is pruned on two sides.

    Attributes
    ----------
    tensors
        The tensors that both sides have, in file order.
    """

    tensors: tuple[TensorOverlap, ...]

    @property
    def both(self) -> int:
        """How many weights are pruned on both sides."""
        return sum(tensor.both for tensor in self.tensors)

    @property
    def only_here(self) -> int:
        """How many are pruned here alone."""
        return sum(tensor.only_here for tensor in self.tensors)

    @property
    def only_there(self) -> int:
        """How many are pruned there alone."""
        return sum(tensor.only_there for tensor in self.tensors)

    @property
    def jaccard(self) -> float | None:
        """Share of what is pruned on any side that is pruned on both; None if nothing is."""
        return _share(self.both, self.both + self.only_here + self.only_there)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
