"""The smallest weights go."""

from __future__ import annotations

from pruneapp.methods.by_magnitude import magnitude_width, magnitudes
from pruneapp.methods.declaration import WeightMethod
from pruneapp.params import AMOUNT_OF_WEIGHTS

L1_UNSTRUCTURED = WeightMethod(
    name="l1_unstructured",
    label="L1 unstructured (magnitude)",
    help=(
        "Removes the single weights closest to zero. The usual first choice: simple, and up to "
        "about 30 % in one step most networks hardly notice. Local removes the same share from "
        "each tensor; global ranks the weights of all selected tensors together, so that layers "
        "of small weights lose more. Zeros make a file smaller only once it is compressed."
    ),
    formula="score = |w|",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    told_by="magnitudes",
    rank=magnitudes,
    least_width=magnitude_width,
)
