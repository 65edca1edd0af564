"""The weights go that are smallest for their layer."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.contract import Kernel, Slices
from pruneapp.kernels.score_keys import Scores, finite_only
from pruneapp.methods.declaration import TensorView, Values, WeightMethod
from pruneapp.params import AMOUNT_OF_WEIGHTS, Choice, ChoiceParam, Norm
from pruneapp.progress import Job

_ORDERS: dict[str, Norm] = {"rms": 2, "mean": 1, "frobenius": 2, "max": math.inf}


def _measure(view: TensorView, values: Values, kernel: Kernel, job: Job) -> float:
    ranked = view.ranked
    by = values["divide_by"]
    read = finite_only(ranked.read, ranked.dtype)
    whole = Slices((1, ranked.numel), ranked.dtype, 0, ranked.kept, read)
    norm = float(kernel.channel_norms(whole, _ORDERS[by], job)[0])
    left = ranked.numel if ranked.kept is None else ranked.kept.kept
    if by == "rms":
        norm /= math.sqrt(max(left, 1))
    elif by == "mean":
        norm /= max(left, 1)
    return norm or 1.0


def _rank(view: TensorView, values: Values, width: int, measured: float) -> Scores:  # noqa: ARG001 - one width
    def scoring(start: int, scores: NDArray[np.float64]) -> None:  # noqa: ARG001 - anywhere alike
        np.divide(scores, measured, out=scores)

    ranked = view.ranked
    return Scores(ranked.read, ranked.numel, ranked.dtype, ranked.kept, scoring)


def _least_width(view: TensorView) -> int:  # noqa: ARG001 - the same for all
    return Scores.width


L1_NORMALIZED = WeightMethod(
    name="l1_normalized",
    label="Normalized L1 (unstructured)",
    help=(
        "Ranks the weights of all selected tensors together, each divided by what is usual in its "
        "tensor. So layers of small weights are not emptied first, as they are by plain global "
        "magnitude, and each layer gives what is small in it. What is pruned already does not "
        "count, and NaN and infinite weights count as 0 in what is usual."
    ),
    formula="score = |w| / RMS(W), or by the mean of |W|, its Frobenius norm, or its largest",
    params=(
        AMOUNT_OF_WEIGHTS,
        ChoiceParam(
            name="divide_by",
            label="Divide by",
            help="What the magnitudes of a tensor are divided by before they are compared.",
            default="rms",
            choices=(
                Choice("rms", "RMS", "The root of the mean of the squares."),
                Choice("mean", "Mean", "The mean of the magnitudes."),
                Choice("frobenius", "Frobenius norm", "Large tensors lose more."),
                Choice("max", "Largest", "The largest magnitude."),
            ),
        ),
    ),
    takes_scores=True,
    scopes=("global",),
    rank=_rank,
    least_width=_least_width,
    measure=_measure,
    ranks_anew=True,
)
