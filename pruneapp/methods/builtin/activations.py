"""Methods that rank by what is multiplied by a weight: Wanda, OWL and RIA, with statistics."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.kernels.kernel import Kernel, Slices
from pruneapp.kernels.sort_keys import Scores, Scoring, finite_only, pieces
from pruneapp.kernels.threads import STRETCH, in_order, threads_for
from pruneapp.kernels.values import Bools, Counts, Float64s, decode
from pruneapp.methods.amounts import at_share, known_of, level
from pruneapp.methods.builtin.patterns import DIM, PatternParam, groups_of
from pruneapp.methods.builtin.unstructured import (
    RELATIVE_IMPORTANCE,
    in_rows,
    relative_scoring,
    scored,
)
from pruneapp.methods.method import (
    ChannelMethod,
    Cutting,
    GroupMethod,
    RowMethod,
    TensorView,
    Values,
    WeightMethod,
)
from pruneapp.params import (
    AMOUNT_OF_CHANNELS,
    AMOUNT_OF_WEIGHTS,
    DimParam,
    FileParam,
    FloatParam,
    Interval,
)
from pruneapp.progress import Job

# Weights that are multiplied by the size of their inputs at once.
_PIECE = 1 << 18

STATISTICS = FileParam(
    name="statistics",
    label="Statistics",
    help="Statistics of activations, collected with this model.",
)


def _scaling(view: TensorView, power: float = 1.0) -> Scoring:
    """Return what multiplies magnitudes by a power of the sizes of their inputs."""
    inputs = view.inputs
    assert inputs is not None  # these methods take statistics
    sizes = inputs.rms**power
    parts, columns = sizes.shape
    if inputs.transposed:  # rows of outputs, all with the same input
        flat, length = sizes.reshape(-1), view.numel // (parts * columns)

        def by_row(start: int, values: Float64s) -> None:
            for row, _, part in in_rows(start, values, length):
                np.multiply(part, flat[row : row + len(part), np.newaxis], out=part)

        return by_row
    rows = max(view.numel // (parts * columns), 1)  # of each part

    def by_column(start: int, values: Float64s) -> None:
        for row, column, part in in_rows(start, values, columns):
            many, width = part.shape
            of = 0 if parts == 1 else np.arange(row, row + many) // rows
            np.multiply(part, sizes[of, column : column + width], out=part)

    return by_column


def _scaled(view: TensorView) -> TensorView:
    """Return a tensor of the scores: magnitudes times the sizes of their inputs, in float64."""
    scaling = _scaling(view)

    def read(start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        stop = view.numel if stop is None else stop
        for first, bits in pieces(view.read, start, stop, _PIECE):
            with np.errstate(all="ignore"):  # NaN and infinities are ranked, too
                values = np.abs(decode(bits, view.dtype), dtype=np.float64)
                scaling(first, values)
            yield RawChunk(first, values.view(np.uint64))

    return replace(view, dtype=DTYPES["F64"], read=read)


def _rank(
    view: TensorView, _values: Values, _width: int | None = None, _measured: Any = None
) -> Scores:
    return scored(view, _scaling(view))


WANDA = RowMethod(
    name="wanda",
    label="Wanda (per row)",
    help=(
        "Prunes the weights with the smallest product of magnitude and size of their "
        "input in each row, that is, per output neuron or filter, to the same sparsity "
        "(Sun et al., 2024), rounded in each row. Use it for language models. It needs "
        "statistics of activations, but no retraining. On small convolutional networks, "
        "and from about 70 % on, it is often worse than magnitude: measure it."
    ),
    formula="score = |w| * root mean square of its input, compared within a row",
    params=(AMOUNT_OF_WEIGHTS, STATISTICS),
    takes_statistics=True,
    least_dims=2,
    rank=_rank,
)


WANDA_PER_TENSOR = WeightMethod(
    name="wanda_per_tensor",
    label="Wanda (per tensor)",
    help=(
        "Prunes the weights of a tensor with the smallest product of magnitude and size "
        "of their input, whatever their row. Use it instead of Wanda per row for image "
        "models, and for layers whose rows are inputs (the Conv1D of transformers). It "
        "needs statistics of activations. Measure it beside magnitude."
    ),
    formula="score = |w| * root mean square of its input",
    params=(AMOUNT_OF_WEIGHTS, STATISTICS),
    takes_statistics=True,
    scopes=("local",),
    least_dims=2,
    rank=_rank,
    least_width=Scores.width,
)


# A layer of OWL is a block of a transformer: all below the first numbered module on the way.
_LAYER = re.compile(r"(?:.*?\.)?\d+(?=\.)")


def _layers_of(tensors: Sequence[TensorView]) -> list[list[int]]:
    """Return which tensors are of one layer; one of no numbered module is a layer by itself."""
    layers: dict[str, list[int]] = defaultdict(list)
    for i, view in enumerate(tensors):
        found = _LAYER.match(view.name)
        layers[view.name if found is None else found.group()].append(i)
    return list(layers.values())


def _outliers(tensors: Sequence[TensorView], times: float, kernel: Kernel, job: Job) -> float:
    """Return the share of what is left of a layer with more than so many times its mean score."""
    scores = [_scaled(view) for view in tensors]
    left = sum(view.numel if view.kept is None else view.kept.kept for view in tensors)
    total = 0.0
    for view in scores:
        read = finite_only(view.read, view.dtype)
        whole = Slices((1, view.numel), view.dtype, 0, view.kept, read)
        total += float(kernel.channel_norms(whole, 1, job)[0])
    bound = times * total / max(left, 1)
    return sum(_count_above(view, bound, job) for view in scores) / max(left, 1)


def _count_above(scores: TensorView, bound: float, job: Job) -> int:
    """Count the scores above a bound that are left; NaN is not above."""

    def count(start: int) -> tuple[int, int]:
        stop, found = min(start + STRETCH, scores.numel), 0
        for chunk in scores.read(start, stop):
            job.cancel.check()
            above = chunk.bits.view(np.float64) > bound
            if scores.kept is not None:
                above &= scores.kept.bools(chunk.start, chunk.start + above.size)
            found += int(np.count_nonzero(above))
        return stop - start, found

    total = 0
    starts = range(0, scores.numel, STRETCH)
    for size, found in in_order(starts, count, job, threads_for(scores.numel)):
        total += found
        job.step(size)
    return total


def _allocate_owl(
    tensors: Sequence[TensorView], values: Values, kernel: Kernel, job: Job
) -> Cutting:
    known = known_of(tensors)
    job.extend(2 * int(known.numel.sum()))
    outliers = np.zeros(len(tensors))
    for layer in _layers_of(tensors):
        some = [tensors[i] for i in layer]
        job.label(some[0].name)
        outliers[layer] = _outliers(some, values["outlier"], kernel, job)
    spared = outliers - outliers.min(initial=np.inf)  # how much denser than the sparsest
    if spared.any():
        spared *= 2 * values["spread"] / spared.max()

    def cut(among: Bools, count: int) -> Counts:
        def at(share: float) -> Counts:
            sparsity = np.clip(share * (1 + spared.max(initial=0.0)) - spared, 0.0, 1.0)
            to_prune = np.clip(at_share(sparsity, known.numel) - known.before, 0, known.free)
            return np.where(among, to_prune, 0)

        return level(at, count)

    return cut


OWL = replace(
    WANDA,
    name="owl",
    label="OWL (Wanda per row)",
    help=(
        "Outlier weighed layerwise sparsity (Yin et al., 2024): Wanda per row, but layers "
        "with more outliers among the scores stay denser. A layer is a numbered block, else a "
        "tensor. It is meant for large language models at 70 % and more. On small models it did "
        "harm: measure it beside Wanda, and prefer a sensitivity scan. It needs statistics "
        "of activations. Weights that are already pruned count toward the sparsity."
    ),
    formula=(
        "density = d + 2 lambda * (o - min o) / (max o - min o), o = share of scores > M * mean"
    ),
    params=(
        AMOUNT_OF_WEIGHTS,
        STATISTICS,
        FloatParam(
            name="outlier",
            label="Outlier threshold",
            help="How many times the mean of its layer a score must exceed (M in the paper).",
            default=5.0,
            bounds=Interval(1, 100),
        ),
        FloatParam(
            name="spread",
            label="Spread",
            help="Half of how far the densities of layers lie apart (lambda in the paper).",
            default=0.08,
            bounds=Interval(0, 0.5),
        ),
    ),
    ranks_anew=True,
    scopes=("global",),
    allocate=_allocate_owl,
)


def _rank_ria(
    view: TensorView, _values: Values, _width: int, measured: tuple[Float64s, Float64s]
) -> Scores:
    relative, scaling = relative_scoring(*measured), _scaling(view, 0.5)

    def scoring(start: int, scores: Float64s) -> None:
        relative(start, scores)
        scaling(start, scores)

    return scored(view, scoring)


RIA = replace(
    RELATIVE_IMPORTANCE,
    name="ria",
    label="RIA (with activations)",
    help=(
        "Relative importance and activations (Zhang et al., 2024): ranks weights by "
        "their share of their row and of their column, times the root of the size of "
        "their input. Use it for language models; it is close to Wanda, and no neuron "
        "loses all of its inputs or outputs. It needs statistics of activations. Pruned "
        "weights are ignored."
    ),
    formula="score = (|w| / sum of |w| in its row + ... in its column) * sqrt(RMS of its input)",
    params=(*RELATIVE_IMPORTANCE.params, STATISTICS),
    takes_scores=False,
    takes_statistics=True,
    rank=_rank_ria,
)


WANDA_N_M = GroupMethod(
    name="wanda_n_m",
    label="Wanda N:M (2:4)",
    help=(
        "Keeps the N weights of each group of M with the largest product of magnitude "
        "and size of their input. Use it for 2:4 where statistics of activations are at "
        "hand: at this sparsity it usually keeps more accuracy than magnitude (Sun et "
        "al., 2024). Groups and dimension are those of N:M semi-structured."
    ),
    formula="score = |w| * root mean square of its input, compared within a group of M",
    params=(PatternParam(), DIM, STATISTICS),
    takes_statistics=True,
    rank=_rank,
    groups=groups_of,
)


def _score_channels(view: TensorView, values: Values, kernel: Kernel, job: Job) -> Float64s:
    scores = _scaled(view)
    dim = values["dim"] % len(view.shape)
    slices = Slices(view.shape, scores.dtype, dim, view.kept, scores.read)
    return kernel.channel_norms(slices, 1, job)


WANDA_STRUCTURED = ChannelMethod(
    name="wanda_structured",
    label="Wanda structured (channels)",
    help=(
        "Prunes the channels with the smallest sum of magnitudes times sizes of their "
        "inputs: all weights of a filter, a neuron or an input at once. Use it along the "
        "input dimension (1) to find inputs that hardly carry a signal. It needs "
        "statistics of activations. Each tensor is pruned separately; pruned weights "
        "count as 0."
    ),
    formula="score = sum over the channel of |w| * root mean square of its input",
    params=(AMOUNT_OF_CHANNELS, DimParam(), STATISTICS),
    takes_statistics=True,
    score=_score_channels,
)
