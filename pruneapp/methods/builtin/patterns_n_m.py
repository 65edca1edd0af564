"""Of every m weights the n largest stay."""

from __future__ import annotations

from pruneapp.masks.regions_groups import Groups
from pruneapp.methods.builtin.patterns import PatternParam, pattern_sizes
from pruneapp.methods.builtin.unstructured_by_magnitude import magnitudes
from pruneapp.methods.method import GroupMethod, TensorView, Values
from pruneapp.params import DimParam

_DIM = DimParam(
    default=1,
    help=(
        "Dimension along which groups lie; 1 is the input features of a linear "
        "layer or the input channels of a convolution."
    ),
)


def _groups(view: TensorView, values: Values) -> Groups:
    keep, size = pattern_sizes(values["pattern"])
    return Groups(_DIM.resolve(values["dim"], view.shape, view.name), size, keep)


N_M = GroupMethod(
    name="n_m",
    label="N:M semi-structured (2:4)",
    help=(
        "Keeps the N weights of the largest magnitude in each group of M. Use 2:4 "
        "for sparse tensor cores (NVIDIA Ampere and later), which compute such "
        "layers up to twice as fast (Mishra et al., 2021). Groups lie along the "
        "input dimension; for convolutions, at the same kernel position. Weights "
        "that are already pruned count in their group; an incomplete group at the "
        "end is not pruned. At the same sparsity it costs more accuracy than "
        "unstructured pruning."
    ),
    formula="score = |w|, compared within a group of M",
    params=(PatternParam(), _DIM),
    takes_scores=True,
    rank=magnitudes,
    groups=_groups,
)
