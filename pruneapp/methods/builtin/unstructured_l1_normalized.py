"""The weights go that are smallest for their layer."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Kernel, Slices
from pruneapp.kernels.sort_keys_score_keys import Scores, finite_only
from pruneapp.methods.method import TensorView, Values, WeightMethod
from pruneapp.params import Norm
from pruneapp.params_amounts import AMOUNT_OF_WEIGHTS
from pruneapp.params_words import Choice, ChoiceParam
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
        "Ranks the weights of all selected tensors by magnitude divided by a "
        "typical magnitude of their tensor. Use it instead of global L1 when "
        "layers differ in scale: layers of small weights are not pruned away "
        "first. Pruned weights are ignored; NaN and infinite weights count as 0 in "
        "the divisor."
    ),
    formula="score = |w| / RMS(W), or / mean |W|, / ||W||_F, / max |W|",
    params=(
        AMOUNT_OF_WEIGHTS,
        ChoiceParam(
            name="divide_by",
            label="Divide by",
            help="Divisor of the magnitudes of a tensor before they are compared.",
            default="rms",
            choices=(
                Choice("rms", "RMS", "Square root of the mean of squares."),
                Choice("mean", "Mean", "Mean of magnitudes."),
                Choice("frobenius", "Frobenius norm", "Prunes large tensors more."),
                Choice("max", "Largest", "Largest magnitude."),
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
