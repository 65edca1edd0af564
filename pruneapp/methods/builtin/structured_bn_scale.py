"""The channels go that the norm after them makes smallest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.values import decode
from pruneapp.methods.method import TensorView, Values
from pruneapp.methods.method_units import ChannelMethod, lowest_by, order_by
from pruneapp.params import DimParam, Interval
from pruneapp.params_amounts import AMOUNT_OF_CHANNELS
from pruneapp.progress import Job


def _score(
    view: TensorView,
    values: Values,  # noqa: ARG001 - no values decide
    kernel: Kernel,  # noqa: ARG001 - nothing to compute
    job: Job,
) -> NDArray[np.float64]:
    scale = view.scale
    assert scale is not None  # this method takes a scale
    job.step(view.numel)
    sizes = np.empty(scale.numel)
    for chunk in scale.read():
        with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
            part = np.abs(decode(chunk.bits, scale.dtype), dtype=np.float64)
        sizes[chunk.start : chunk.start + part.size] = part
    if scale.kept is not None:
        sizes[~scale.kept.bools()] = 0
    return sizes


BN_SCALE = ChannelMethod(
    name="bn_scale",
    label="BatchNorm scale (channels)",
    help=(
        "Prunes filters whose BatchNorm scale (gamma) has the smallest magnitude "
        "(Network Slimming; Liu et al., 2017). Use it for networks trained with an "
        "L1 penalty on these scales; otherwise the scales say little about "
        "importance. Global ranks the filters of all selected convolutions "
        "together. The norm layer of a convolution is found by name. Also prune "
        "the matching bias and norm entries, so that a pruned filter outputs "
        "exactly zero."
    ),
    formula="score = |gamma| of the channel in the following norm layer",
    params=(
        AMOUNT_OF_CHANNELS,
        DimParam(
            bounds=Interval(0, 0),
            help="Dimension of the output channels, the only one that norm scales apply to.",
        ),
    ),
    takes_scale=True,
    scopes=("local", "global"),
    lowest=lowest_by(_score),
    order=order_by(_score),
    score=_score,
)
