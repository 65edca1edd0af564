"""Results of a sensitivity scan, and the prediction of an allocation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

# Colors hardly distinguish damages below this share of the largest.
_RESOLUTION = 0.01


@dataclass(frozen=True)
class TensorSensitivity:
    """A tensor, and the metric with only this tensor pruned to each amount."""

    name: str
    shown: str  # display name
    weights: int
    # None if not measured yet; NaN if the metric was not finite.
    values: tuple[float | None, ...]
    # Per amount: differences up to this are noise; empty or None to use the noise of the scan.
    noises: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class Sensitivity:
    """A scan, seen by one of its metrics."""

    metrics: tuple[str, ...]  # names of all metrics
    metric: str  # the selected metric
    higher: bool  # whether a higher value is better
    before: float  # value before pruning further
    noise: float  # differences up to this are noise
    amounts: tuple[float, ...]  # shares of the kept weights of a tensor
    rows: tuple[TensorSensitivity, ...]
    method: str  # display name of the pruning method
    share: bool = False  # whether the metric is a share of samples
    state: str = ""  # the scanned state of the history; empty if it was deleted
    is_current: bool = True  # whether that is the current state
    why_old: str = ""  # why the scan is outdated, as sentences; empty if it is not
    # Whether states were calibrated with the evaluation data, so that their values are too good.
    calibrated: bool = False

    @property
    def is_old(self) -> bool:
        """Whether it was measured with another script, Python or options, or earlier."""
        return bool(self.why_old)

    def damage(self, value: float) -> float:
        """Return how much worse a value is than before."""
        return self.before - value if self.higher else value - self.before

    def noise_at(self, row: TensorSensitivity, column: int) -> float:
        """Return the noise of a cell."""
        noise = row.noises[column] if row.noises else None
        return self.noise if noise is None else noise

    @cached_property
    def noises(self) -> NDArray[np.float64]:
        """Noise of each cell, ``float64[rows, amounts]``."""
        shape = len(self.rows), len(self.amounts)
        columns = range(len(self.amounts))
        return np.array(
            [[self.noise_at(row, c) for c in columns] for row in self.rows], np.float64
        ).reshape(shape)

    @property
    def wanted(self) -> int:
        """Number of cells."""
        return len(self.rows) * len(self.amounts)

    @cached_property
    def damages(self) -> NDArray[np.float64]:
        """Damages, ``float64[rows, amounts]``: NaN if not measured, inf if not finite."""
        values = [[math.nan if v is None else v for v in row.values] for row in self.rows]
        known = [[v is not None for v in row.values] for row in self.rows]
        shape = len(self.rows), len(self.amounts)
        found = np.array(values, np.float64).reshape(shape) - self.before
        found = -found if self.higher else found
        no_number = np.array(known, np.bool_).reshape(shape) & ~np.isfinite(found)
        return np.where(no_number, np.inf, found)

    @cached_property
    def measured(self) -> int:
        """Number of measured cells."""
        return int(np.count_nonzero(~np.isnan(self.damages)))

    @cached_property
    def most_sensitive(self) -> tuple[int, int] | None:
        """Row and column of the largest finite damage above the noise; None if there is none."""
        beyond = np.isfinite(self.damages) & (self.damages > np.maximum(self.noises, 0.0))
        if not beyond.any():
            return None
        finite = np.where(beyond, self.damages, -np.inf)
        row, column = np.unravel_index(int(finite.argmax()), finite.shape)
        return int(row), int(column)

    @cached_property
    def sensitivities(self) -> NDArray[np.float64]:
        """Mean damage above the noise of each row, ``float64[rows]``, for sorting.

        A non-finite metric counts as twice the largest damage; rows without measurements have -1.
        """
        damages = np.where(self.damages > np.maximum(self.noises, 0.0), self.damages, 0.0)
        damages = np.where(np.isposinf(damages), 2 * self.worst or 1.0, damages)
        known = ~np.isnan(self.damages)
        counts = known.sum(axis=1)
        sums = np.where(known, damages, 0.0).sum(axis=1)
        return np.where(counts > 0, sums / np.maximum(counts, 1), -1.0)

    @property
    def worst(self) -> float:
        """The largest finite damage above the noise; 0 if there is none."""
        return 0.0 if self.most_sensitive is None else float(self.damages[self.most_sensitive])

    @cached_property
    def levels(self) -> NDArray[np.float64]:
        """Damages scaled logarithmically to 0 to 1, ``float64[rows, amounts]``; 0 within the noise.

        NaN if not measured, 1 if the metric was not finite.
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
    """The share of one tensor in an allocation, and the predicted damage."""

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
    newly_pruned: int  # number of weights
    share: bool = False  # whether the metric is a share of samples
    higher: bool = False  # whether a higher value is better
    unmeasured: int = 0  # number of tensors that are not changed, because they were not measured
