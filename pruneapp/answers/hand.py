"""What a person does to single weights and channels by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pruneapp.answers.picture import Box

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
