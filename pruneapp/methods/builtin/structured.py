"""The channels of the smallest norm go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Kernel, Slices
from pruneapp.methods.method import TensorView, Values
from pruneapp.methods.method_units import ChannelMethod, Channels, order_by
from pruneapp.params import DimParam, NormParam
from pruneapp.params_amounts import AMOUNT_OF_CHANNELS
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
        "Prunes the channels with the smallest Ln norm along a dimension: all "
        "weights of a filter, a neuron or an input at once. Use it to make a "
        "network smaller and faster: pruned channels can be removed from the "
        "architecture later. At the same sparsity it costs more accuracy than "
        "unstructured pruning. Each tensor is pruned separately; weights that are "
        "already pruned count as 0. Same as torch.nn.utils.prune.ln_structured."
    ),
    formula="score = (sum over the channel of |w|^n)^(1/n)",
    params=(
        AMOUNT_OF_CHANNELS,
        NormParam(
            help=(
                "Order of the norm, as in torch.linalg.norm: 1 is the sum of magnitudes, 2 "
                "the Euclidean norm, inf the maximum and -inf the minimum magnitude, 0 the "
                "number of nonzero weights, fro the same as 2, nuc the sum of singular "
                "values."
            ),
        ),
        DimParam(),
    ),
    takes_scores=True,
    lowest=_lowest,
    order=order_by(_norms),
    told_by="norms",
)
