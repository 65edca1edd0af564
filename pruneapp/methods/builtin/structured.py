"""Methods that take whole channels: by norm, by distance, by the scale of a norm, at random."""

from __future__ import annotations

import numpy as np

from pruneapp.kernels.filter_distances import distance_sums
from pruneapp.kernels.kernel import Kernel, Slices
from pruneapp.kernels.sort_keys import hashed_state, splitmix64
from pruneapp.kernels.values import Float64s, Indices, decode
from pruneapp.masks.channels import channels_left
from pruneapp.methods.method import ChannelMethod, TensorView, Values
from pruneapp.params import AMOUNT_OF_CHANNELS, DimParam, Interval, NormParam, SeedParam
from pruneapp.progress import Job


def _slices(view: TensorView, values: Values) -> Slices:
    ranked = view.ranked
    # Pruned weights count as 0. Importance scores count in full, as in torch: they are measured
    # on something else than these weights.
    kept = view.kept if view.scores is None else None
    dim = values["dim"] % len(view.shape)
    return Slices(ranked.shape, ranked.dtype, dim, kept, ranked.read)


def _lowest(  # noqa: PLR0917 - each of its own type
    view: TensorView, values: Values, kernel: Kernel, among: Indices, count: int, job: Job
) -> Indices:
    return kernel.lowest_channels(_slices(view, values), values["n"], among, count, job)


def _norms(view: TensorView, values: Values, kernel: Kernel, job: Job) -> Float64s:
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
    score=_norms,
    quick=_lowest,
    estimated_by="norms",
)


def _score(view: TensorView, values: Values, _kernel: Kernel, job: Job) -> Float64s:
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
    score=_score,
    ranks_anew=True,
)


def _score_bn_scale(view: TensorView, _values: Values, _kernel: Kernel, job: Job) -> Float64s:
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
    score=_score_bn_scale,
)


def _score_random_structured(
    view: TensorView, values: Values, _kernel: Kernel, job: Job
) -> Float64s:
    # The dimension is not hashed: -1 and its positive spelling make the same choice anyway, and
    # elements draw from another stream than channels.
    state = hashed_state(values["seed"], view.name, "channels")
    drawn = splitmix64(state, 0, view.shape[values["dim"]])
    job.step(view.numel)
    return (drawn >> np.uint64(11)).astype(np.float64)  # 53 bits: exact


RANDOM_STRUCTURED = ChannelMethod(
    name="random_structured",
    label="Random structured (channels)",
    help=(
        "Prunes channels at random, each with the same probability: all weights of "
        "a filter, a neuron or an input at once. Use it as a baseline for methods "
        "that rank channels. The result depends only on the seed, the tensor name "
        "and the channel index. Channels that are already pruned are ignored. Like "
        "torch.nn.utils.prune.random_structured, with a reproducible generator."
    ),
    formula="score = random number of (seed, tensor name, channel)",
    params=(
        AMOUNT_OF_CHANNELS,
        DimParam(),
        SeedParam(),
    ),
    score=_score_random_structured,
    estimated_by="chance",
)
