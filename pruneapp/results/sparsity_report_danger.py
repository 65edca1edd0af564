"""Which tensors keep so little that the model is likely to break; docs/see.md has the reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pruneapp.results.sparsity_report import TensorSparsity

# Without retraining, layers of which less than this share of the weights is left seldom work.
FEW_WEIGHTS = 0.05
# The squared error of a layer's output, relative to the output, is the share of norm² that is gone
# (for inputs that do not correlate): from one half on there is more error than output.
LITTLE_NORM = 0.5
# A tensor that still has so much of its norm² was nearly empty before: it computes what it did.
ENOUGH_NORM = 0.9


class Severity(IntEnum):
    """How little a tensor keeps; the worse, the larger."""

    NONE = 0
    MUCH = 1  # less than `FEW_WEIGHTS` of its weights or `LITTLE_NORM` of its norm² is left
    ALL = 2  # nothing is left


@dataclass(frozen=True)
class Danger:
    """Why a tensor is marked.

    Attributes
    ----------
    severity
        How little it keeps.
    kept
        Share of its weights that are left.
    retained
        Share of its norm² that is left of what the opened file has; None if it was not counted.
    """

    severity: Severity
    kept: float
    retained: float | None = None


def dangers(
    tensors: Sequence[TensorSparsity], retained: Mapping[str, float] | None = None
) -> Mapping[str, Danger]:
    """Return the tensors that keep too little, by name in their order.

    A tensor is judged by its state alone, not by what a step takes: it is marked the same before
    and after a step. Linear in the number of tensors.

    Parameters
    ----------
    tensors
        What is left of each.
    retained
        Shares of norm² that were left before the step, of what the opened file has; 1 for tensors
        that are not named.
    """
    numel = _column([t.numel for t in tensors])
    left = numel - _column([t.after for t in tensors])
    norm = _column([np.nan if t.energy is None else t.energy for t in tensors])
    if retained:
        norm *= _column([retained.get(t.name, 1.0) for t in tensors])
    severity = np.zeros(len(tensors), np.int8)
    # NaN, which stands for what was not counted, is neither above nor below anything.
    severity[(left < FEW_WEIGHTS * numel) | (norm < LITTLE_NORM)] = Severity.MUCH
    severity[left == 0] = Severity.ALL
    severity[(left == numel) | (norm >= ENOUGH_NORM)] = Severity.NONE
    return {
        tensors[i].name: Danger(
            Severity(int(severity[i])),
            float(left[i] / numel[i]),
            None if np.isnan(norm[i]) else float(norm[i]),
        )
        for i in np.flatnonzero(severity).tolist()
    }


def _column(values: list[float]) -> NDArray[np.float64]:
    return np.array(values, np.float64)
