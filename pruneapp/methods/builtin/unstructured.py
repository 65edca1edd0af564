"""Unstructured methods: by magnitude, by normalized magnitude, at random, by mask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pruneapp.kernels.kernel import Kernel, Slices
from pruneapp.kernels.sort_keys import (
    Magnitudes,
    Scores,
    Scoring,
    Uniform,
    finite_only,
    split_into_rows,
)
from pruneapp.kernels.values import Float64s, Floats
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.method import MaskMethod, RowMethod, TensorView, Values, WeightMethod
from pruneapp.params import AMOUNT_OF_WEIGHTS, Choice, ChoiceParam, Norm, SeedParam
from pruneapp.progress import Job


def sums_of_magnitudes(
    view: TensorView, _values: Values, kernel: Kernel, job: Job
) -> tuple[Float64s, Float64s]:
    """Return the sums of magnitudes of rows and of columns, as two float64 arrays.

    A row is one index of the first dimension, a column one index of all others. If there are
    importance scores, they are summed. Pruned, NaN and infinite weights count as 0; a sum of 0 is
    replaced by 1, so that it can be a divisor. Reads the tensor twice; extends the job by the
    second pass.
    """
    ranked = view.ranked
    matrix = _matrix(view)
    read = finite_only(ranked.read, ranked.dtype)
    job.extend(view.numel)
    rows, columns = (
        kernel.channel_norms(Slices(matrix, ranked.dtype, dim, ranked.kept, read), 1, job)
        for dim in (0, 1)
    )
    return np.where(rows == 0, 1.0, rows), np.where(columns == 0, 1.0, columns)


def _matrix(view: TensorView) -> tuple[int, int]:
    return view.shape[0], math.prod(view.shape[1:])


def rank_by(view: TensorView, scoring: Scoring, *, rough: bool = False) -> Scores:
    """Return the ranking of a tensor by `scoring` of its magnitudes."""
    ranked = view.ranked
    return Scores(ranked.read, ranked.numel, ranked.dtype, ranked.kept, scoring, rough)


def _rank(
    view: TensorView, _values: Values, _width: int, measured: tuple[Float64s, Float64s]
) -> Scores:
    return rank_by(view, relative_scoring(*measured))


def relative_scoring(rows: Float64s, columns: Float64s) -> Scoring:
    """Return the function that writes ``|w| / (sum of its row) + |w| / (sum of its column)``.

    `rows` and `columns` are these sums, which must not be 0. The function computes in the dtype of
    its arguments.
    """

    def scoring(start: int, sizes: Floats, scores: Floats) -> None:
        places = (
            split_into_rows(start, sizes, columns.size),
            split_into_rows(start, scores, columns.size),
        )
        for (row, column, part), (_, _, out) in zip(*places, strict=True):
            n_rows, width = part.shape
            above = rows[row : row + n_rows, np.newaxis]
            out[...] = part / above + part / columns[column : column + width]

    return scoring


RELATIVE_IMPORTANCE = WeightMethod(
    name="relative_importance",
    label="Relative importance (RIA)",
    help=(
        "Prunes weights that are small relative to their row and their column, so "
        "that no neuron loses all of its inputs or outputs. Use it for language "
        "models, where it often keeps more accuracy than magnitude. It is the "
        "data-free part of RIA (a = 0; Zhang et al., 2024). Pruned weights are "
        "ignored. A convolution is treated as a matrix of filters by all other "
        "dimensions."
    ),
    formula="score = |w| / sum of |w| in its row + |w| / sum of |w| in its column",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    scopes=("local",),
    least_dims=2,
    rank=_rank,
    least_width=Scores.width,
    measure=sums_of_magnitudes,
    ranks_anew=True,
)


_ORDERS: dict[str, Norm] = {"rms": 2, "mean": 1, "frobenius": 2, "max": math.inf}


def _measure_normalized(view: TensorView, values: Values, kernel: Kernel, job: Job) -> float:
    """Return the divisor of the magnitudes of a tensor, chosen by the value ``divide_by``.

    Pruned, NaN and infinite weights count as 0 and pruned ones are not counted in a mean. Returns 1
    for a divisor of 0. With importance scores, it is that of the scores.
    """
    ranked = view.ranked
    by = values["divide_by"]
    read = finite_only(ranked.read, ranked.dtype)
    whole = Slices((1, ranked.numel), ranked.dtype, 0, ranked.kept, read)
    norm = float(kernel.channel_norms(whole, _ORDERS[by], job)[0])
    left = ranked.numel if ranked.kept is None else ranked.kept.kept
    if by == "rms":
        norm /= math.sqrt(max(left, 1))
    elif by == "mean":
        norm /= max(left, 1)
    return norm or 1.0


def _rank_normalized(view: TensorView, _values: Values, _width: int, measured: float) -> Scores:
    def scoring(_start: int, sizes: Floats, scores: Floats) -> None:
        np.divide(sizes, measured, out=scores)

    return rank_by(view, scoring)


L1_NORMALIZED = WeightMethod(
    name="l1_normalized",
    label="Normalized L1 (unstructured)",
    help=(
        "Ranks the weights of all selected tensors by magnitude divided by a "
        "typical magnitude of their tensor. Use it instead of global L1 when "
        "layers differ in scale: layers of small weights are not pruned away "
        "first. Pruned weights are ignored; NaN and infinite weights count as 0 in "
        "the divisor."
    ),
    formula="score = |w| / RMS(W), or / mean |W|, / ||W||_F, / max |W|",
    params=(
        AMOUNT_OF_WEIGHTS,
        ChoiceParam(
            name="divide_by",
            label="Divide by",
            help="Divisor of the magnitudes of a tensor before they are compared.",
            default="rms",
            choices=(
                Choice("rms", "RMS", "Square root of the mean of squares."),
                Choice("mean", "Mean", "Mean of magnitudes."),
                Choice("frobenius", "L2 norm", "Prunes large tensors more."),
                Choice("max", "Largest", "Largest magnitude."),
            ),
        ),
    ),
    takes_scores=True,
    scopes=("global",),
    rank=_rank_normalized,
    least_width=Scores.width,
    measure=_measure_normalized,
    ranks_anew=True,
)


def magnitudes(
    view: TensorView, _values: Values, width: int | None = None, _measured: Any = None
) -> Magnitudes:
    """Return the ranking by magnitude, with keys of at least `width` bits; see `Magnitudes`."""
    ranked = view.ranked
    return Magnitudes(ranked.read, ranked.numel, ranked.dtype, ranked.kept, width)


L1_UNSTRUCTURED = WeightMethod(
    name="l1_unstructured",
    label="L1 unstructured (magnitude)",
    help=(
        "Prunes the weights with the smallest magnitude. The usual baseline: most "
        "networks keep their accuracy up to about 30 % without retraining. Per "
        "tensor prunes the same fraction of each tensor; global ranks the weights "
        "of all selected tensors together, so that layers with small weights are "
        "pruned more. Zeros reduce the file size only if the file is compressed. "
        "Same as torch.nn.utils.prune.l1_unstructured and global_unstructured."
    ),
    formula="score = |w|",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    estimated_by="magnitudes",
    rank=magnitudes,
)


L1_PER_ROW = RowMethod(
    name="l1_per_row",
    label="L1 per row (unstructured)",
    help=(
        "Prunes the weights of the smallest magnitude in each row, that is, per "
        "output feature or channel, to the same sparsity. Use it for language "
        "models: no output loses nearly all of its inputs (Wanda compares weights "
        "within the same groups; Sun et al., 2024). A fraction is rounded for each "
        "row. A count or a target total is met exactly, by one weight more in some "
        "rows."
    ),
    formula="score = |w|, compared within a row",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    rank=magnitudes,
)


def _mask(view: TensorView, _values: Values, job: Job) -> BitMask:
    assert view.given is not None  # guaranteed by takes_mask
    job.step(view.numel)
    return view.given


CUSTOM_FROM_MASK = MaskMethod(
    name="custom_from_mask",
    label="Custom mask from file…",
    help=(
        "Applies masks from a file: weights are pruned where the mask is 0. The file is a "
        "checkpoint that contains the masks under the names of the tensors, or under NAME_mask. "
        "Weights that are already pruned remain pruned. Same as "
        "torch.nn.utils.prune.custom_from_mask."
    ),
    formula="kept where the mask is not 0 and the weight was not pruned before",
    params=(),
    takes_mask=True,
    mask=_mask,
)


def _mask_identity(view: TensorView, _values: Values, job: Job) -> BitMask:
    job.step(view.numel)
    return BitMask.full(view.numel)


IDENTITY = MaskMethod(
    name="identity",
    label="Identity (no pruning)",
    help=(
        "Prunes nothing, but adds a mask of ones to each selected tensor without a mask. Use it "
        "before a resumable export, so that a script can continue pruning these tensors with "
        "torch. As the last rule, it excludes its tensors from earlier rules. Same as "
        "torch.nn.utils.prune.identity."
    ),
    formula="all weights are kept",
    params=(),
    prunes=False,
    scopes=("local", "global"),  # it ranks nothing, so it must not restrict the scope of a step
    mask=_mask_identity,
)


def _rank_random(view: TensorView, values: Values, _width: int, _measured: None) -> Uniform:
    return Uniform(values["seed"], view.name, view.numel, view.kept)


RANDOM_UNSTRUCTURED = WeightMethod(
    name="random_unstructured",
    label="Random unstructured",
    help=(
        "Prunes weights at random, each with the same probability. Use it as a "
        "baseline: a useful ranking must do better. The result depends only on the "
        "seed, the tensor name and the weight index, so it is the same on every "
        "machine. Per tensor prunes the same fraction of each tensor; global draws "
        "from all selected tensors together. Like "
        "torch.nn.utils.prune.random_unstructured, with a reproducible generator."
    ),
    formula="score = random number of (seed, tensor name, index)",
    params=(AMOUNT_OF_WEIGHTS, SeedParam()),
    rank=_rank_random,
    least_width=Uniform.width,
    estimated_by="chance",
)
