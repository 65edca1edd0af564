"""What a sensitivity scan measured, and what an allocation predicts, as page and dialog show it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

# Below this share of the largest damage, damages are hardly told apart by their colour.
_RESOLUTION = 0.01


@dataclass(frozen=True)
class TensorSensitivity:
    """A tensor, and the metric with it alone pruned to each amount."""

    name: str
    shown: str  # its name in lists
    weights: int
    # None where nothing was measured yet; NaN where the metric was no finite number.
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class Sensitivity:
    """A scan by one of its metrics."""

    metrics: tuple[str, ...]  # the names of all
    metric: str  # the one that is shown
    higher: bool  # whether a higher value is better
    before: float  # the value with nothing more pruned
    noise: float  # differences up to this one are none
    amounts: tuple[float, ...]  # shares of what is left of a tensor
    rows: tuple[TensorSensitivity, ...]
    method: str  # what prunes, in words
    share: bool = False  # whether the metric is a share of samples
    state: str = ""  # which state of the history was scanned; empty for the one that was opened
    is_old: bool = False  # whether another script, Python or options measured it

    def damage(self, value: float) -> float:
        """Return by how much a value is worse than before."""
        return self.before - value if self.higher else value - self.before

    @property
    def wanted(self) -> int:
        """How many cells there are."""
        return len(self.rows) * len(self.amounts)

    @cached_property
    def measured(self) -> int:
        """How many of them were measured."""
        return sum(value is not None for row in self.rows for value in row.values)

    @cached_property
    def worst(self) -> float:
        """The largest damage that is a number; 0 if there is none."""
        return max((damage for damage, _, _ in self._damages()), default=0.0)

    @property
    def most_sensitive(self) -> tuple[int, int] | None:
        """Row and column of the largest damage; None if there is none beyond the noise."""
        damage, row, column = max(self._damages(), default=(0.0, -1, -1))
        return (row, column) if damage > self.noise else None

    def level(self, value: float) -> float:
        """Return how large a damage is, from 0 to 1: logarithmic, and 0 within the noise."""
        damage = self.damage(value)
        if math.isnan(damage):
            return 1.0
        if damage <= self.noise or self.worst <= 0:
            return 0.0
        least = max(self.noise, _RESOLUTION * self.worst)
        return math.log1p(damage / least) / math.log1p(self.worst / least)

    def _damages(self) -> Iterator[tuple[float, int, int]]:
        for at, row in enumerate(self.rows):
            for column, value in enumerate(row.values):
                if value is not None and math.isfinite(value):
                    yield self.damage(value), at, column


@dataclass(frozen=True)
class AllocatedTensor:
    """How much of a tensor an allocation prunes, and what damage it predicts of that."""

    shown: str
    weights: int
    pruned: int
    damage: float


@dataclass(frozen=True)
class PredictedAllocation:
    """An allocation, and the metric that it predicts."""

    tensors: tuple[AllocatedTensor, ...]
    metric: str
    before: float
    predicted: float
    newly_pruned: int  # weights
    share: bool = False  # whether the metric is a share of samples
    unmeasured: int = 0  # tensors that stay as they are, because nothing was measured of them
