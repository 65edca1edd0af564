"""The weights go that matter least among those of their row and of their column."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Kernel, Slices
from pruneapp.kernels.sort_keys_score_keys import Scores, finite_only
from pruneapp.methods.method import TensorView, Values, WeightMethod
from pruneapp.params_amounts import AMOUNT_OF_WEIGHTS
from pruneapp.progress import Job

Sums = NDArray[np.float64]


def _measure(
    view: TensorView,
    values: Values,  # noqa: ARG001 - no values decide
    kernel: Kernel,
    job: Job,
) -> tuple[Sums, Sums]:
    """Return the sums of the magnitudes of rows and of columns, 1 where there is nothing."""
    ranked = view.ranked
    matrix = _matrix(view)
    read = finite_only(ranked.read, ranked.dtype)
    job.extend(view.numel)
    rows, columns = (
        kernel.channel_norms(Slices(matrix, ranked.dtype, dim, ranked.kept, read), 1, job)
        for dim in (0, 1)
    )
    return np.where(rows == 0, 1.0, rows), np.where(columns == 0, 1.0, columns)


def _matrix(view: TensorView) -> tuple[int, int]:
    return view.shape[0], math.prod(view.shape[1:])


def _rank(
    view: TensorView,
    values: Values,  # noqa: ARG001 - no values decide
    width: int,  # noqa: ARG001 - one width
    measured: tuple[Sums, Sums],
) -> Scores:
    rows, columns = measured
    length = columns.size

    def scoring(start: int, scores: Sums) -> None:
        at = 0
        while at < scores.size:  # the rest of a row, whole rows, a part of one
            row, column = divmod(start + at, length)
            if column or scores.size - at < length:
                size = min(length - column, scores.size - at)
                part = scores[at : at + size]
                along = columns[column : column + size]
                part[...] = part / rows[row] + part / along
            else:
                many = (scores.size - at) // length
                size = many * length
                part = scores[at : at + size].reshape(many, length)
                part[...] = part / rows[row : row + many, np.newaxis] + part / columns
            at += size

    ranked = view.ranked
    return Scores(ranked.read, ranked.numel, ranked.dtype, ranked.kept, scoring)


def _least_width(view: TensorView) -> int:  # noqa: ARG001 - the same for all
    return Scores.width


RELATIVE_IMPORTANCE = WeightMethod(
    name="relative_importance",
    label="Relative importance (RIA)",
    help=(
        "Prunes weights that are small relative to their row and their column, so "
        "that no neuron loses all of its inputs or outputs. Use it for language "
        "models, where it often keeps more accuracy than magnitude. It is the "
        "data-free part of RIA (a = 0; Zhang et al., 2024). Pruned weights are "
        "ignored. A convolution is treated as a matrix of filters by all other "
        "dimensions."
    ),
    formula="score = |w| / sum of |w| in its row + |w| / sum of |w| in its column",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    scopes=("local",),
    least_dims=2,
    rank=_rank,
    least_width=_least_width,
    measure=_measure,
    ranks_anew=True,
)
