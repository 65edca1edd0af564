"""What a person does to single weights and channels by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pruneapp.results.tile import Box

Operation = Literal["prune", "restore", "protect", "release"]
Shape = Literal["rectangle", "row", "column", "channel", "brush"]


@dataclass(frozen=True)
class Gesture:
    """One gesture on a picture: what is to be done to which weights.

    Attributes
    ----------
    operation
        ``prune``, ``restore`` (kept again), ``protect`` (survives every later method) or
        ``release`` (not protected any more).
    name
        The tensor.
    boxes
        Which elements, as boxes of indices; they may overlap.
    shape
        What was drawn, for words.
    dim
        The dimension whose channels were meant; -1 for none.
    """

    operation: Operation
    name: str
    boxes: tuple[Box, ...]
    shape: Shape
    dim: int = -1


@dataclass(frozen=True)
class HandCount:
    """What an edit by hand does to one tensor, in weights.

    Attributes
    ----------
    name
        The tensor, by its first name.
    chosen
        How many were meant.
    changed
        How many are pruned, restored, protected or released by it.
    spared
        How many would have been pruned, but are protected.
    final
        How many are restored, and stay 0 all the same: they were made final before.
    """

    name: str
    chosen: int
    changed: int
    spared: int = 0
    final: int = 0


@dataclass(frozen=True)
class HandOutcome:
    """What an edit by hand does.

    Attributes
    ----------
    operation
        What is done.
    tensors
        The tensors that were meant, in the order of the edit; of some nothing may change.
    """

    operation: Operation
    tensors: tuple[HandCount, ...]

    @property
    def chosen(self) -> int:
        """How many weights were meant."""
        return sum(count.chosen for count in self.tensors)

    @property
    def changed(self) -> int:
        """How many weights change."""
        return sum(count.changed for count in self.tensors)

    @property
    def spared(self) -> int:
        """How many weights would have been pruned, but are protected."""
        return sum(count.spared for count in self.tensors)

    @property
    def final(self) -> int:
        """How many weights are restored, and stay 0 all the same: they were made final before."""
        return sum(count.final for count in self.tensors)
