"""The smallest weights of every row go."""

from __future__ import annotations

from pruneapp.methods.builtin.unstructured_by_magnitude import magnitudes
from pruneapp.methods.method import RowMethod
from pruneapp.params_amounts import AMOUNT_OF_WEIGHTS

L1_PER_ROW = RowMethod(
    name="l1_per_row",
    label="L1 per row (unstructured)",
    help=(
        "Prunes the weights of the smallest magnitude in each row, that is, per "
        "output neuron or filter, to the same sparsity. Use it for language "
        "models: no output loses nearly all of its inputs (Wanda compares weights "
        "within the same groups; Sun et al., 2024). If the amount is not a whole "
        "number per row, some rows lose one weight more."
    ),
    formula="score = |w|, compared within a row",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    rank=magnitudes,
)
