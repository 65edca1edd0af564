"""The smallest weights go."""

from __future__ import annotations

from pruneapp.kernels.ranking import Magnitudes
from pruneapp.methods.declaration import TensorView, Values, WeightMethod
from pruneapp.params import AmountParam


def _rank(view: TensorView, values: Values, width: int, measured: None) -> Magnitudes:  # noqa: ARG001 - no values decide
    ranked = view.ranked
    return Magnitudes(ranked.read, ranked.numel, ranked.dtype, ranked.kept, width)


def _least_width(view: TensorView) -> int:
    return view.ranked.dtype.bits


L1_UNSTRUCTURED = WeightMethod(
    name="l1_unstructured",
    label="L1, single weights",
    help=(
        "Removes the single weights closest to zero. The usual first choice: simple, and up to "
        "about 30 % in one step most networks hardly notice. Local removes the same share from "
        "each tensor; global ranks the weights of all selected tensors together, so that layers "
        "of small weights lose more. Zeros make a file smaller only once it is compressed."
    ),
    formula="score = |w|",
    params=(
        AmountParam(
            help="How much of what is not pruned yet: a share of the weights, or a count of them.",
            unit="weights",
        ),
    ),
    takes_scores=True,
    told_by="magnitudes",
    rank=_rank,
    least_width=_least_width,
)
