"""The smallest weights of every row go."""

from __future__ import annotations

from pruneapp.methods.by_magnitude import magnitudes
from pruneapp.methods.declaration import RowMethod
from pruneapp.params import AMOUNT_OF_WEIGHTS

L1_PER_ROW = RowMethod(
    name="l1_per_row",
    label="L1 per row (unstructured)",
    help=(
        "Removes the single weights closest to zero, the same share of every row: of the weights "
        "of each output neuron or filter. No output loses nearly all of its inputs, which makes "
        "it much safer than ranking a whole tensor, for language models above all (Wanda compares "
        "in the same groups). Where the amount is no whole number in each row, some rows lose one "
        "weight more."
    ),
    formula="score = |w|, compared within its row",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    rank=magnitudes,
)
