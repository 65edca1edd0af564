"""The smallest weights go."""

from __future__ import annotations

from pruneapp.methods.by_magnitude import magnitude_width, magnitudes
from pruneapp.methods.declaration import WeightMethod
from pruneapp.params import AmountParam

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
    rank=magnitudes,
    least_width=magnitude_width,
)
