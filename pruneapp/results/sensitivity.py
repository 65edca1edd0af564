"""What a sensitivity scan measured, and what an allocation predicts, as page and dialog show it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

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
    # By amount: differences up to this one are none; empty or None where that of the scan holds.
    noises: tuple[float | None, ...] = ()


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
    state: str = ""  # which state of the history was scanned; empty if it was deleted
    is_current: bool = True  # whether that is the state in force
    why_old: str = ""  # why it does not hold any more, as sentences; empty if it does
    # Whether the data that measured it calibrated the states: their values are too good.
    calibrated: bool = False

    @property
    def is_old(self) -> bool:
        """Whether another script, Python or options measured it, or an earlier session."""
        return bool(self.why_old)

    def damage(self, value: float) -> float:
        """Return by how much a value is worse than before."""
        return self.before - value if self.higher else value - self.before

    def noise_at(self, row: TensorSensitivity, column: int) -> float:
        """Return up to which difference there is none in a cell."""
        noise = row.noises[column] if row.noises else None
        return self.noise if noise is None else noise

    @cached_property
    def noises(self) -> NDArray[np.float64]:
        """``float64[rows, amounts]``: differences up to this one are none."""
        shape = len(self.rows), len(self.amounts)
        columns = range(len(self.amounts))
        return np.array(
            [[self.noise_at(row, c) for c in columns] for row in self.rows], np.float64
        ).reshape(shape)

    @property
    def wanted(self) -> int:
        """How many cells there are."""
        return len(self.rows) * len(self.amounts)

    @cached_property
    def damages(self) -> NDArray[np.float64]:
        """``float64[rows, amounts]``: NaN where nothing was measured; infinite for no number."""
        values = [[math.nan if v is None else v for v in row.values] for row in self.rows]
        known = [[v is not None for v in row.values] for row in self.rows]
        shape = len(self.rows), len(self.amounts)
        found = np.array(values, np.float64).reshape(shape) - self.before
        found = -found if self.higher else found
        no_number = np.array(known, np.bool_).reshape(shape) & ~np.isfinite(found)
        return np.where(no_number, np.inf, found)

    @cached_property
    def measured(self) -> int:
        """How many of the cells were measured."""
        return int(np.count_nonzero(~np.isnan(self.damages)))

    @cached_property
    def most_sensitive(self) -> tuple[int, int] | None:
        """Row and column of the largest damage that is a number, if one is beyond the noise."""
        beyond = np.isfinite(self.damages) & (self.damages > np.maximum(self.noises, 0.0))
        if not beyond.any():
            return None
        finite = np.where(beyond, self.damages, -np.inf)
        row, column = np.unravel_index(int(finite.argmax()), finite.shape)
        return int(row), int(column)

    @cached_property
    def sensitivities(self) -> NDArray[np.float64]:
        """``float64[rows]``: the mean damage of each row beyond the noise, by which rows compare.

        No number counts as twice the largest damage; rows of which nothing was measured have -1.
        """
        damages = np.where(self.damages > np.maximum(self.noises, 0.0), self.damages, 0.0)
        damages = np.where(np.isposinf(damages), 2 * self.worst or 1.0, damages)
        known = ~np.isnan(self.damages)
        counts = known.sum(axis=1)
        sums = np.where(known, damages, 0.0).sum(axis=1)
        return np.where(counts > 0, sums / np.maximum(counts, 1), -1.0)

    @property
    def worst(self) -> float:
        """The largest damage that is a number, beyond the noise; 0 if there is none."""
        return 0.0 if self.most_sensitive is None else float(self.damages[self.most_sensitive])

    @cached_property
    def levels(self) -> NDArray[np.float64]:
        """``float64[rows, amounts]``: damages from 0 to 1, logarithmic, 0 within the noise.

        NaN where nothing was measured, 1 where the metric was no number.
        """
        damages, worst = self.damages, self.worst
        least = max(self.noise, _RESOLUTION * worst) or 1.0
        finite = np.where(np.isfinite(damages), np.maximum(damages, 0.0), 0.0)
        levels = np.log1p(finite / least) / (math.log1p(worst / least) or 1.0)
        levels[finite <= self.noises] = 0.0
        levels[np.isinf(damages)] = 1.0
        levels[np.isnan(damages)] = np.nan
        return levels


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
    higher: bool = False  # whether a higher value is better
    unmeasured: int = 0  # tensors that stay as they are, because nothing was measured of them
