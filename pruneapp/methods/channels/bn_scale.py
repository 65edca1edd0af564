"""The channels go that the norm after them makes smallest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.contract import Kernel
from pruneapp.kernels.values import decode
from pruneapp.methods.declaration import TensorView, Values
from pruneapp.methods.units import ChannelMethod, lowest_by, order_by
from pruneapp.params import AMOUNT_OF_CHANNELS, DimParam, Interval
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
        "Removes the filters that the norm after them multiplies by the smallest numbers (Network "
        "Slimming, Liu and others, 2017). It suits networks that were trained to make many of "
        "these small; of others it says little. Global ranks the filters of all selected "
        "convolutions together. Which norm follows is told from the names; take bias and norm "
        "along, so that nothing is left of a filter."
    ),
    formula="score = |gamma| of the channel in the norm that follows",
    params=(
        AMOUNT_OF_CHANNELS,
        DimParam(
            bounds=Interval(0, 0),
            help="The dimension of the output channels; a norm has a scale for no other.",
        ),
    ),
    takes_scale=True,
    scopes=("local", "global"),
    lowest=lowest_by(_score),
    order=order_by(_score),
    score=_score,
)
