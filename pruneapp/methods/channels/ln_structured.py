"""The channels of the smallest norm go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.contract import Kernel, Slices
from pruneapp.methods.declaration import TensorView, Values
from pruneapp.methods.units import ChannelMethod, Channels, order_by
from pruneapp.params import AMOUNT_OF_CHANNELS, DimParam, NormParam
from pruneapp.progress import Job


def _slices(view: TensorView, values: Values) -> Slices:
    ranked = view.ranked
    # Pruned weights count as 0. Importance scores count in full, as in torch: they are measured
    # on something else than these weights.
    kept = view.kept if view.scores is None else None
    dim = values["dim"] % len(view.shape)
    return Slices(ranked.shape, ranked.dtype, dim, kept, ranked.read)


def _lowest(  # noqa: PLR0917 - each of its own type
    view: TensorView, values: Values, kernel: Kernel, among: Channels, count: int, job: Job
) -> Channels:
    return kernel.lowest_channels(_slices(view, values), values["n"], among, count, job)


def _norms(view: TensorView, values: Values, kernel: Kernel, job: Job) -> NDArray[np.float64]:
    return kernel.channel_norms(_slices(view, values), values["n"], job)


LN_STRUCTURED = ChannelMethod(
    name="ln_structured",
    label="Ln structured (channels)",
    help=(
        "Removes the whole channels whose weights are smallest taken together: all weights of a "
        "filter, a neuron or an input at once. Such zeros are regular, so that channels can later "
        "be cut out and the network really becomes smaller and faster. It costs more accuracy "
        "than single weights do at the same share. Each tensor is pruned by itself, and what is "
        "pruned already counts as 0."
    ),
    formula="score = (sum over the channel of |w|^n)^(1/n)",
    params=(
        AMOUNT_OF_CHANNELS,
        NormParam(
            help=(
                "How a channel is measured: 1 adds magnitudes, 2 is the length of the vector, inf "
                "takes the largest weight, -inf the smallest, 0 counts what is not zero, fro is "
                "2, nuc adds singular values."
            ),
        ),
        DimParam(),
    ),
    takes_scores=True,
    lowest=_lowest,
    order=order_by(_norms),
    told_by="norms",
)
