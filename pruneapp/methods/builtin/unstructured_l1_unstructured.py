"""The smallest weights go."""

from __future__ import annotations

from pruneapp.methods.builtin.unstructured_by_magnitude import magnitude_width, magnitudes
from pruneapp.methods.method import WeightMethod
from pruneapp.params_amounts import AMOUNT_OF_WEIGHTS

L1_UNSTRUCTURED = WeightMethod(
    name="l1_unstructured",
    label="L1 unstructured (magnitude)",
    help=(
        "Prunes the weights with the smallest magnitude. The usual baseline: most "
        "networks keep their accuracy up to about 30 % without retraining. Per "
        "tensor prunes the same fraction of each tensor; global ranks the weights "
        "of all selected tensors together, so that layers with small weights are "
        "pruned more. Zeros reduce the file size only if the file is compressed. "
        "Same as torch.nn.utils.prune.l1_unstructured and global_unstructured."
    ),
    formula="score = |w|",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    told_by="magnitudes",
    rank=magnitudes,
    least_width=magnitude_width,
)
