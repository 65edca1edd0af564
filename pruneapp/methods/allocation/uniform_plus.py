"""All layers lose the same share, but for the first convolution and the last linear layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.contract import Kernel
from pruneapp.methods.bounds import known_of
from pruneapp.methods.by_magnitude import magnitude_width, magnitudes
from pruneapp.methods.clamped import level
from pruneapp.methods.declaration import Counts, Cutting, TensorView, Values, WeightMethod
from pruneapp.params import AMOUNT_OF_WEIGHTS
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
        "Gives every tensor the same share, but keeps the first convolution whole and prunes the "
        "last linear layer by no more than 80 %, as these suffer most (Gale and others, 2019); of "
        "each the smallest weights go. First and last are those of the selected tensors in the "
        "file. Where the others do not suffice, the last layer gives more, then the first. What "
        "is pruned already counts."
    ),
    formula="share = s; 0 of the first convolution, at most 80 % of the last linear layer",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    scopes=("global",),
    rank=magnitudes,
    least_width=magnitude_width,
    allocate=_allocate,
)
