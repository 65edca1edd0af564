"""Which tensors a step would hurt, and how badly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pruneapp.answers.sparsity import TensorSparsity

# Less than this share left is hardly a layer any more.
LITTLE = 0.05
# Damage of so many times the model's median stands out.
OUTSTANDING = 2.0


class Severity(IntEnum):
    """How badly a tensor would be hurt; the worse, the larger."""

    NONE = 0
    MORE = 1  # damage above `OUTSTANDING` times the median
    MUCH = 2  # less than `LITTLE` left
    ALL = 3  # nothing left: no weight, so no channel either


@dataclass(frozen=True)
class Danger:
    """Why a tensor is marked.

    Attributes
    ----------
    severity
        How badly it would be hurt.
    kept
        Share of its elements that would be left.
    damage
        Share of its energy (sum of squares) that would go; None if it was not counted.
    median
        The median damage of the tensors that the step touches; None if none was counted.
    """

    severity: Severity
    kept: float
    damage: float | None = None
    median: float | None = None


def dangers(tensors: Sequence[TensorSparsity]) -> Mapping[str, Danger]:
    """Return what a step that touches `tensors` would hurt, by name in their order.

    A tensor that loses nothing is not marked, however little of it is left: that is not what the
    step does. The median is that of all touched tensors whose energy was counted, those that lose
    nothing among them. Linear in the number of tensors.
    """
    count = len(tensors)
    numel = _column([t.numel for t in tensors])
    after = _column([t.after for t in tensors])
    before = _column([t.before for t in tensors])
    damage = 1 - _column([np.nan if t.energy is None else t.energy for t in tensors])
    counted = damage[~np.isnan(damage)]
    median = float(np.median(counted)) if counted.size else None
    severity = np.zeros(count, np.int8)
    if median is not None:
        # NaN is above nothing.
        severity[damage > OUTSTANDING * median] = Severity.MORE
    left = numel - after
    severity[left < LITTLE * numel] = Severity.MUCH
    severity[left == 0] = Severity.ALL
    severity[after <= before] = Severity.NONE
    return {
        tensors[i].name: Danger(
            Severity(int(severity[i])),
            float(left[i] / numel[i]),
            None if np.isnan(damage[i]) else float(damage[i]),
            median,
        )
        for i in np.flatnonzero(severity).tolist()
    }


def _column(values: list[float]) -> NDArray[np.float64]:
    return np.array(values, np.float64)
