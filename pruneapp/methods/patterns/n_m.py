"""Of every m weights the n largest stay."""

from __future__ import annotations

from pruneapp.masks.groups import Groups
from pruneapp.methods.by_magnitude import magnitudes
from pruneapp.methods.declaration import GroupMethod, TensorView, Values
from pruneapp.methods.patterns.sizes import PatternParam, pattern_sizes
from pruneapp.params import DimParam

_DIM = DimParam(
    default=1,
    help=(
        "The dimension along which groups lie; 1 are the inputs of a linear layer, or the input "
        "channels of a convolution."
    ),
)


def _groups(view: TensorView, values: Values) -> Groups:
    keep, size = pattern_sizes(values["pattern"])
    return Groups(_DIM.resolve(values["dim"], view.shape, view.name), size, keep)


N_M = GroupMethod(
    name="n_m",
    label="N:M semi-structured (2:4)",
    help=(
        "Keeps the n largest of every m weights: 2:4 is what sparse tensor cores take, for up to "
        "twice the speed. Groups lie along the inputs, of a convolution at one place of its "
        "kernel. What is pruned already counts in its group, and weights that are left over at "
        "the end of the dimension stay. It costs more accuracy than the same share of single "
        "weights does."
    ),
    formula="score = |w|, compared within its group of m",
    params=(PatternParam(), _DIM),
    takes_scores=True,
    rank=magnitudes,
    groups=_groups,
)
