"""All layers lose the same share, but for the first convolution and the last linear layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Kernel
from pruneapp.methods.builtin.unstructured_by_magnitude import magnitude_width, magnitudes
from pruneapp.methods.limit_bounds import known_of
from pruneapp.methods.limit_bounds_clamped import level
from pruneapp.methods.method import Counts, Cutting, TensorView, Values, WeightMethod
from pruneapp.params_amounts import AMOUNT_OF_WEIGHTS
from pruneapp.progress import Job

Shares = NDArray[np.float64]

# What the last linear layer loses at most.
_LAST = 0.8


def _allocate(
    tensors: Sequence[TensorView],
    values: Values,  # noqa: ARG001 - no values decide
    kernel: Kernel,  # noqa: ARG001 - shapes say it all
    job: Job,
) -> Cutting:
    known = known_of(tensors)
    matrices = [i for i, view in enumerate(tensors) if len(view.shape) == 2]
    convolutions = [i for i, view in enumerate(tensors) if len(view.shape) > 2]
    most = np.ones((3, len(tensors)))  # what each loses, at first, and where that does not suffice
    most[0, matrices[-1:]] = _LAST
    most[:2, convolutions[:1]] = 0.0
    job.step(0)

    def cut(among: NDArray[np.bool_], count: int) -> Counts:
        def at(share: float, caps: Shares, least: Counts) -> Counts:
            after = np.floor(np.minimum(share, caps) * known.numel + 0.5).astype(np.int64)
            gone: Counts = np.where(among, np.clip(after - known.before, 0, known.free), 0)
            return np.maximum(gone, least)

        least = np.zeros_like(known.free)
        stage = 0
        while count > (all_of_it := at(1.0, most[stage], least)).sum():
            least, stage = all_of_it, stage + 1
        return level(lambda share: at(share, most[stage], least), count)

    return cut


UNIFORM_PLUS = WeightMethod(
    name="uniform_plus",
    label="Uniform+",
    help=(
        "Prunes each tensor to the same sparsity, except that the first "
        "convolution stays dense and the last linear layer is pruned to at most 80 "
        "%, because these layers are the most sensitive (Gale et al., 2019). "
        "Within a tensor, weights of the smallest magnitude are pruned. First and "
        "last refer to the selected tensors. If the other layers cannot reach the "
        "target, the last layer is pruned further, then the first. Weights that "
        "are already pruned count."
    ),
    formula="sparsity = s; 0 for the first convolution, at most 80 % for the last linear layer",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    scopes=("global",),
    rank=magnitudes,
    least_width=magnitude_width,
    allocate=_allocate,
)
