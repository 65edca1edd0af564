"""Methods for whole channels: by norm, by distance, by the scale of a norm layer, at random."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Kernel, Slices
from pruneapp.kernels.sort_keys import hash_state, splitmix64
from pruneapp.kernels.summation import add_along, values_of
from pruneapp.kernels.values import Float64s, Floats, Indices, decode
from pruneapp.masks.channels import boxes, channels_left, extents
from pruneapp.methods.method import ChannelMethod, TensorView, Values
from pruneapp.params import AMOUNT_OF_CHANNELS, DimParam, Interval, NormParam, SeedParam
from pruneapp.progress import Job


def _slices(view: TensorView, values: Values) -> Slices:
    ranked = view.ranked
    # Pruned weights count as 0. Importance scores count regardless of the mask, as in torch.
    kept = view.kept if view.scores is None else None
    dim = values["dim"] % len(view.shape)
    return Slices(ranked.shape, ranked.dtype, dim, kept, ranked.read)


def _lowest(  # noqa: PLR0917 - each its own type
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
        "network smaller: pruned channels can be removed later. At the same sparsity "
        "it costs more accuracy than unstructured pruning. Weights that are already "
        "pruned count as 0. For residual connections use Channel groups: layers whose "
        "outputs are added share their channels, which this method chooses for each "
        "layer alone. Same as torch.nn.utils.prune.ln_structured."
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
            )
        ),
        DimParam(),
    ),
    takes_scores=True,
    score=_norms,
    quick=_lowest,
    estimated_by="norms",
)


# Elements of the channels that FPGM compares with one channel at a time, in float64.
_PIECE = 1 << 18

# Maximum elements of a tensor that is kept in memory; parts of a larger one are read repeatedly.
_HELD = 1 << 26


def distance_sums(slices: Slices, among: Indices, job: Job) -> Float64s:
    """Return the sum of distances of each channel of `among` (ascending) to the others of them.

    Weights that are not kept count as 0. `job` is advanced by the elements of the tensor. Time
    grows with these, times half the number of channels.

    Squared differences are added as slices in `pruneapp.kernels.summation`, in blocks of 4,096 of
    the slice in flat order; the distances of a channel by increasing number of the other channel.
    The sums are therefore bit-identical on every machine, unlike matrix products.

    Returns
    -------
    ndarray
        ``float64[channels]``: NaN for channels not in `among`, and for channels that contain NaN or
        infinity, which are in no sum of the others.
    """
    outer, channels, inner = extents(slices.shape, slices.dim)
    length = outer * inner
    sums = np.full(channels, np.nan)
    filters = _Filters(slices, job)
    step = max(1, _PIECE // max(length, 1))
    parts = [among[first : first + step] for first in range(0, among.size, step)]
    finite = np.concatenate(
        [np.isfinite(filters.of(part)).all(axis=1) for part in parts] or [among > 0]
    )
    among = among[finite]
    parts = [among[first : first + step] for first in range(0, among.size, step)]
    sums[among] = 0.0
    size, stepped, done, n_pairs = (
        length * channels,
        0,
        0,
        max(among.size * (among.size - 1) // 2, 1),
    )
    for i, own_part in enumerate(parts):
        own_rows = filters.of(own_part)
        for other_part in parts[i:]:
            other_rows = own_rows if other_part is own_part else filters.of(other_part)
            for row, number in enumerate(own_part.tolist()):
                first = row + 1 if other_part is own_part else 0
                distances = _distances(own_rows[row], other_rows[first:], job)
                sums[other_part[first:]] += distances
                # Added one by one from first to last, for a defined order.
                sums[number] = np.cumsum(np.concatenate(([sums[number]], distances)))[-1]
                done += distances.size
                job.step(size * done // n_pairs - stepped)
                stepped = size * done // n_pairs
    job.step(size - stepped)
    return sums


def _distances(one: Float64s, others: Float64s, job: Job) -> Float64s:
    """Return the Euclidean distances of a channel to the rows of `others`; can be cancelled."""
    job.cancel.check()
    with np.errstate(over="ignore"):
        differences = others - one
        np.multiply(differences, differences, out=differences)
        total = np.zeros(len(others))
        for block in add_along(differences):
            total += block
        return np.sqrt(total, out=total)


class _Filters:
    """The channels of a tensor as rows of a matrix, read at once unless the tensor is large."""

    def __init__(self, slices: Slices, job: Job) -> None:
        self._slices = slices
        self._job = job
        self._shape = extents(slices.shape, slices.dim)
        self._all: Floats | None = None
        outer, channels, inner = self._shape
        if outer * channels * inner <= _HELD:
            self._all = self._read(np.arange(channels))

    def of(self, numbers: Indices) -> Float64s:
        """Return some channels, ``float64[channels, elements]``."""
        rows = self._read(numbers) if self._all is None else self._all[numbers]
        with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
            return rows.astype(np.float64)

    def _read(self, numbers: Indices) -> Floats:
        """Read some channels (ascending numbers) from the file, ``[channels, elements]``.

        Weights that are not kept are 0. The dtype is float64 for float64 tensors, float32 for
        others.
        """
        outer, _, inner = self._shape
        wide = np.float64 if self._slices.dtype.name == "F64" else np.float32
        gathered: NDArray[Any] = np.zeros((numbers.size, outer, inner), wide)
        for box in boxes(self._slices.shape, self._slices.dim):
            self._job.cancel.check()
            first, last = np.searchsorted(numbers, box.channels)
            if first == last:
                continue
            values = values_of(self._slices, box)
            rows = numbers[first:last] - box.channels[0]
            gathered[first:last, slice(*box.outer), slice(*box.inner)] = np.moveaxis(
                values[:, rows], 1, 0
            )
        return gathered.reshape(numbers.size, outer * inner)


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
    params=(AMOUNT_OF_CHANNELS, DimParam()),
    score=_score,
    ranks_anew=True,
)


def _score_bn_scale(view: TensorView, _values: Values, _kernel: Kernel, job: Job) -> Float64s:
    """Return the magnitude of the norm scale of each channel, ``float64[channels]``.

    It is 0 where the scale is pruned. Advances the job by the elements of the tensor, although only
    its scale is read.
    """
    scale = view.scale
    assert scale is not None  # guaranteed by takes_scale
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
    """Return a random integer below 2**53 for each channel, as float64.

    It depends only on the seed, the name of the tensor and the index of the channel.
    """
    # The dimension is not hashed, so that -1 and its positive equivalent select the same channels.
    # "channels" makes the numbers independent of those of elements.
    state = hash_state(values["seed"], view.name, "channels")
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
    params=(AMOUNT_OF_CHANNELS, DimParam(), SeedParam()),
    score=_score_random_structured,
    estimated_by="chance",
)
