"""The channels go that the others can stand in for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.filter_distances import distance_sums
from pruneapp.kernels.kernel import Kernel, Slices
from pruneapp.masks.channels import channels_left
from pruneapp.methods.method import TensorView, Values
from pruneapp.methods.method_units import ChannelMethod, lowest_by, order_by
from pruneapp.params import DimParam
from pruneapp.params_amounts import AMOUNT_OF_CHANNELS
from pruneapp.progress import Job


def _score(
    view: TensorView,
    values: Values,
    kernel: Kernel,  # noqa: ARG001 - the same on every device
    job: Job,
) -> NDArray[np.float64]:
    dim = values["dim"] % len(view.shape)
    slices = Slices(view.shape, view.dtype, dim, view.kept, view.read)
    left = channels_left(view.kept, view.shape, dim, job)
    return distance_sums(slices, np.flatnonzero(left), job)


FPGM = ChannelMethod(
    name="fpgm",
    label="FPGM (channels)",
    help=(
        "Filter pruning via geometric median (He et al., 2019). Prunes the "
        "channels with the smallest total distance to all other channels of the "
        "layer, because the others can replace them. Unlike norm-based methods it "
        "may prune large filters and keep small ones. Distances are between signed "
        "weights (Torch-Pruning uses magnitudes). Pruned weights count as 0; "
        "pruned channels are ignored. Slow for layers with thousands of channels."
    ),
    formula="score = sum over the channels j of ||F_i - F_j||_2",
    params=(
        AMOUNT_OF_CHANNELS,
        DimParam(),
    ),
    lowest=lowest_by(_score),
    order=order_by(_score),
    ranks_anew=True,
)
