"""Methods that rank by statistics of activations: Wanda, OWL, RIA, swaps.

Swaps start with Wanda's mask. For a row w with pruned weights P, the error of the outputs is ``w_P
G w_P'`` (the sum of squares over all inputs X, with G = X'X). With ``r = w_P G``, it changes by
``w_u^2 G_uu - 2 w_u r_u`` if u is restored, by ``w_v^2 G_vv + 2 w_v r_v`` if v is pruned, and by
both minus ``2 w_u w_v G_uv`` if they are exchanged. The pair that lowers it most is exchanged until
no pair lowers it (after Zimmer et al., "SparseSwaps", 2025).

Weights are first multiplied by the size of their inputs, so that G becomes a matrix of
correlations. Both are rounded to integers small enough that no matrix product exceeds 2^53. All
products are therefore exact, and the masks are the same on every machine.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from pruneapp.errors import ParameterError
from pruneapp.kernels.kernel import Kernel, Slices
from pruneapp.kernels.sort_keys import SURE, Scores, finite_only
from pruneapp.kernels.threads import STRETCH, map_in_order, threads_for
from pruneapp.kernels.values import Bools, Counts, Float64s, Floats, Indices, decode
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import pack_into
from pruneapp.masks.regions import Groups
from pruneapp.methods.amounts import counts_before, level, round_share
from pruneapp.methods.builtin.patterns import DIM, PatternParam, groups_of
from pruneapp.methods.builtin.unstructured import RELATIVE_IMPORTANCE, rank_by, relative_scoring
from pruneapp.methods.input_sizes import scale_weights, scaling
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
    STATISTICS,
    DimParam,
    FloatParam,
    Interval,
    IntParam,
)
from pruneapp.progress import CancelToken, Job


def _sizes(view: TensorView) -> Float64s:
    assert view.inputs is not None  # guaranteed by takes_statistics
    return view.inputs.rms


def _score(view: TensorView) -> TensorView:
    """Return a tensor of the scores: magnitudes times sizes of inputs, in float64."""
    return scale_weights(view, _sizes(view))


def _rank(
    view: TensorView, _values: Values, _width: int | None = None, _measured: Any = None
) -> Scores:
    sizes = _sizes(view)
    within = (sizes == 0) | ((sizes >= SURE[0]) & (sizes <= SURE[1]))
    rough = view.ranked.dtype.bits <= 32 and bool(within.all())
    return rank_by(view, scaling(view, sizes), rough=rough)


WANDA = RowMethod(
    name="wanda",
    label="Wanda (per row)",
    help=(
        "Prunes the weights with the smallest product of magnitude and size of their "
        "input in each row, that is, per output feature or channel, to the same sparsity "
        "(Sun et al., 2024), rounded in each row. Use it for language models. It needs "
        "statistics of activations, but no retraining. On small convolutional networks, "
        "and from about 70 % on, it is often worse than magnitude: measure it."
    ),
    formula="score = |w| * root mean square of its input, compared within a row",
    params=(AMOUNT_OF_WEIGHTS, STATISTICS),
    least_dims=2,
    rank=_rank,
)


WANDA_PER_TENSOR = WeightMethod(
    name="wanda_per_tensor",
    label="Wanda (per tensor)",
    help=(
        "Prunes the weights of a tensor with the smallest product of magnitude and size of "
        "their input, in any row. Use it instead of Wanda per row for image models, and for "
        "layers whose rows are inputs (the Conv1D of transformers). Needs statistics of "
        "activations. Compare it with magnitude."
    ),
    formula="score = |w| * root mean square of its input",
    params=(AMOUNT_OF_WEIGHTS, STATISTICS),
    scopes=("local",),
    least_dims=2,
    rank=_rank,
    least_width=Scores.width,
)


# A layer of OWL is a transformer block: all tensors below the first numbered module of their path.
_LAYER = re.compile(r"(?:.*?\.)?\d+(?=\.)")


def _layers_of(tensors: Sequence[TensorView]) -> list[list[int]]:
    """Group tensors by layer; a tensor in no numbered module forms its own layer."""
    layers: dict[str, list[int]] = defaultdict(list)
    for i, view in enumerate(tensors):
        found = _LAYER.match(view.name)
        layers[view.name if found is None else found.group()].append(i)
    return list(layers.values())


def _outliers(tensors: Sequence[TensorView], times: float, kernel: Kernel, job: Job) -> float:
    """Return the fraction of the kept weights of a layer with scores above `times` the mean score.

    `tensors` are all tensors of the layer; their mean is common. NaN and infinite scores count as 0
    in the mean. The result is 0 for a layer without kept weights. Reads each tensor twice.
    """
    scores = [_score(view) for view in tensors]
    left = sum(view.numel if view.kept is None else view.kept.kept for view in tensors)
    total = 0.0
    for view in scores:
        read = finite_only(view.read, view.dtype)
        whole = Slices((1, view.numel), view.dtype, 0, view.kept, read)
        total += float(kernel.channel_norms(whole, 1, job)[0])
    bound = times * total / max(left, 1)
    return sum(_count_above(view, bound, job) for view in scores) / max(left, 1)


def _count_above(scores: TensorView, bound: float, job: Job) -> int:
    """Return the number of scores of kept weights above `bound` (exclusive); NaN is not above.

    Reads on several threads, advances the job by all elements, and can be cancelled.
    """

    def count(start: int) -> tuple[int, int]:
        """Return the size of the stretch from the flat index `start`, and how many are above."""
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
    for size, found in map_in_order(starts, count, job, threads_for(scores.numel)):
        total += found
        job.step(size)
    return total


def _allocate_owl(
    tensors: Sequence[TensorView], values: Values, kernel: Kernel, job: Job
) -> Cutting:
    """Measure the outliers of each layer, and return the function that divides a count by them.

    Layers with more outliers are denser by up to twice ``spread``; all tensors of a layer have the
    same sparsity, within 0 and 1. Weights pruned already count toward the sparsity. Extends the job
    by two passes over the weights.
    """
    known = counts_before(tensors)
    job.extend(2 * int(known.numel.sum()))
    outliers = np.zeros(len(tensors))
    for layer in _layers_of(tensors):
        some = [tensors[i] for i in layer]
        job.label(some[0].name)
        outliers[layer] = _outliers(some, values["outlier"], kernel, job)
    spared = outliers - outliers.min(initial=np.inf)  # by how much each is denser than the sparsest
    if spared.any():
        spared *= 2 * values["spread"] / spared.max()

    def cut(among: Bools, count: int) -> Counts:
        def at(share: float) -> Counts:
            sparsity = np.clip(share * (1 + spared.max(initial=0.0)) - spared, 0.0, 1.0)
            to_prune = np.clip(round_share(sparsity, known.numel) - known.before, 0, known.free)
            return np.where(among, to_prune, 0)

        return level(at, count)

    return cut


OWL = replace(
    WANDA,
    name="owl",
    label="OWL (Wanda per row)",
    help=(
        "Outlier weighed layerwise sparsity (Yin et al., 2024): Wanda per row, but layers with "
        "more outliers among the scores are pruned less. A layer is a numbered block, or a "
        "tensor outside of blocks. Intended for large language models at 70 % and more. On "
        "small models it was mostly worse than Wanda: compare both, and prefer a sensitivity "
        "scan. Needs statistics of activations. Weights that are already pruned count toward "
        "the sparsity."
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
            help="Scores of more than this many times the mean of their layer are outliers (M in "
            "the paper).",
            default=5.0,
            bounds=Interval(1, 100),
        ),
        FloatParam(
            name="spread",
            label="Spread",
            help="Half of the difference between the highest and lowest density of layers (lambda "
            "in the paper).",
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
    """Return the ranking by relative importance times the square root of the size of the input.

    `measured` are the sums of magnitudes per row and per column, from `sums_of_magnitudes`.
    """
    relative, by_inputs = relative_scoring(*measured), scaling(view, _sizes(view) ** 0.5)

    def scoring(start: int, sizes: Floats, scores: Floats) -> None:
        relative(start, sizes, scores)
        by_inputs(start, scores, scores)

    return rank_by(view, scoring)


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
    rank=_rank_ria,
)


WANDA_N_M = GroupMethod(
    name="wanda_n_m",
    label="Wanda N:M (2:4)",
    help=(
        "Keeps the N weights of each group of M with the largest product of magnitude "
        "and size of their input. Use it for 2:4 if statistics of activations are "
        "available: at this sparsity it usually keeps more accuracy than magnitude (Sun et "
        "al., 2024). Groups and dimension are those of N:M semi-structured."
    ),
    formula="score = |w| * root mean square of its input, compared within a group of M",
    params=(PatternParam(), DIM, STATISTICS),
    rank=_rank,
    groups=groups_of,
)


def _score_channels(view: TensorView, values: Values, kernel: Kernel, job: Job) -> Float64s:
    scores = _score(view)
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
    score=_score_channels,
)


# Number of pruned and of kept weights of a row or group that are candidates for an exchange: those
# with the lowest cost on their own. With all of them, the error was 1 % lower on 512 inputs, in 30
# times the time.
_CANDIDATES = 32
# Elements of a block of rows, and of the rows of G, processed at a time.
_BLOCK = 1 << 18
# Bits of integers that float64 represents exactly.
_EXACT = 53
# Multiplications between two checks for cancellation: about 50 ms of a core.
_AT_ONCE = 1 << 31
# Minimum relative decrease of the error by an exchange.
_NOISE = 2.0**-40


@dataclass(frozen=True)
class _Outputs:
    """The weights of a part of the inputs as a matrix with a row for each output."""

    first: int  # flat index
    rows: int
    columns: int
    transposed: bool

    def flat_ranges(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Return the flat index ranges (first, last + 1) of some rows."""
        if not self.transposed:
            first = self.first
            return [(first + start * self.columns, first + stop * self.columns)]
        firsts = range(self.first, self.first + self.rows * self.columns, self.rows)
        return [(first + start, first + stop) for first in firsts]

    @property
    def order(self) -> Literal["C", "F"]:
        """Memory order of a block of rows."""
        return "F" if self.transposed else "C"

    def kept(self, mask: BitMask | None, start: int, stop: int) -> Bools:
        """Unpack a mask for some rows; None keeps all."""
        if mask is None:
            return np.ones((stop - start, self.columns), np.bool_)
        flat = np.concatenate([mask.bools(*stretch) for stretch in self.flat_ranges(start, stop)])
        return flat.reshape((stop - start, self.columns), order=self.order)

    def weights(self, view: TensorView, start: int, stop: int) -> Float64s:
        """Read the rows `start` to `stop` (exclusive) of `view`, as ``float64[rows, columns]``."""
        flat, at = np.empty((stop - start) * self.columns), 0
        for stretch in self.flat_ranges(start, stop):
            for chunk in view.read(*stretch):
                with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
                    flat[at : at + chunk.bits.size] = decode(chunk.bits, view.dtype)
                at += chunk.bits.size
        return flat.reshape((stop - start, self.columns), order=self.order)


def _outputs_of(view: TensorView) -> list[_Outputs]:
    inputs = view.inputs
    assert inputs is not None  # guaranteed by takes_statistics
    parts, columns = inputs.sum2.shape
    rows = view.numel // (parts * columns)
    size = rows * columns
    return [_Outputs(i * size, rows, columns, inputs.transposed) for i in range(parts)]


def _refine_rows(view: TensorView, values: Values, mask: BitMask, job: Job) -> BitMask:
    """Exchange pruned with kept weights of the same output."""
    assert view.inputs is not None  # guaranteed by takes_statistics
    columns = view.inputs.sum2.shape[1]
    return _refine(view, values["rounds"], np.arange(columns)[np.newaxis], mask, job)


def _refine_groups(view: TensorView, values: Values, mask: BitMask, job: Job) -> BitMask:
    """Exchange pruned with kept weights of the same group."""
    members = _members(view, groups_of(view, values))
    return _refine(view, values["rounds"], members, mask, job) if members.size else mask


def _members(view: TensorView, groups: Groups) -> Indices:
    """Return the indices of the inputs in each group of an output, ``[groups, size]``.

    An incomplete group at the end has no row. Raises `ParameterError` if groups contain weights of
    several outputs.
    """
    assert view.inputs is not None  # guaranteed by takes_statistics
    parts, columns = view.inputs.sum2.shape
    inner = math.prod(view.shape[groups.dim + 1 :])
    length = view.shape[groups.dim]
    if view.inputs.transposed:
        # The first dimension may have the inputs of several parts.
        along = groups.dim == (0 if parts * columns == view.shape[0] else 1)
        along &= length == columns or columns % groups.size == 0
        inner, length = 1, columns
    else:
        along = length * inner <= columns
    if not along:
        raise ParameterError(
            f"Groups of '{view.name}' along dimension {groups.dim} contain weights of several "
            "outputs, which cannot be exchanged.",
            remedy="Choose the dimension of the inputs, or 'wanda_n_m'.",
        )
    outer, whole = columns // (length * inner), length // groups.size
    places = np.arange(columns).reshape(outer, length, inner)[:, : whole * groups.size]
    cut = np.moveaxis(places.reshape(outer, whole, groups.size, inner), 2, 3)
    return cut.reshape(outer * whole * inner, groups.size)


def _groups(view: TensorView, values: Values) -> Groups:
    """Return the groups; raises `ParameterError` if they are known not to be along the inputs."""
    groups = groups_of(view, values)
    if view.inputs is not None:  # for an estimate, there are no statistics
        _members(view, groups)
    return groups


def _refine(view: TensorView, rounds: int, members: Indices, mask: BitMask, job: Job) -> BitMask:
    """Return a mask in which weights were exchanged to lower the error of the outputs.

    `members` are the groups of inputs, ``[groups, size]``, within which weights of a row are
    exchanged, at most `rounds` times per row. Each row has as many kept weights as in `mask`, which
    is not modified. Extends `job` by the elements; it can cancel. Memory beyond a Gram matrix is a
    few blocks of rows per thread.
    """
    assert view.inputs is not None
    assert view.inputs.gram is not None  # guaranteed by takes_grams
    job.extend(view.numel)
    packed = scratch.bits(mask.size, zeroed=True)
    for part, outputs in enumerate(_outputs_of(view)):
        gram = view.inputs.gram(part, job.cancel)
        assert gram is not None
        exchange = _Exchange.of(gram, members, rounds, job.cancel)
        for stretches, is_kept in _refined_blocks(view, outputs, exchange, mask, job):
            at = 0
            for first, last in stretches:
                pack_into(packed, first, is_kept[at : at + last - first])
                at += last - first
                scratch.release_pages(packed, first // 8, (last + 7) // 8)
            job.step(is_kept.size)
    return BitMask(packed, mask.size)


def _refined_blocks(
    view: TensorView, outputs: _Outputs, exchange: _Exchange, mask: BitMask, job: Job
) -> Iterator[tuple[list[tuple[int, int]], Bools]]:
    """Yield the flat index ranges of each block of rows, and which weights are kept.

    Blocks are in order of rows. The Booleans are flat, in the order of the ranges. Weights pruned
    before the step and protected ones are not exchanged.
    """
    may_go, together = view.free.kept, exchange.rows_together

    def work(start: int) -> tuple[list[tuple[int, int]], Bools]:
        stop = min(start + together, outputs.rows)
        after = outputs.kept(mask, start, stop)
        pruned = outputs.kept(view.kept, start, stop) & ~after
        free = outputs.kept(may_go, start, stop) & after
        weights = outputs.weights(view, start, stop)
        off = exchange.run(weights, ~after, pruned, free)
        return outputs.flat_ranges(start, stop), (~off).reshape(-1, order=outputs.order)

    yield from map_in_order(range(0, outputs.rows, together), work, job, threads_for(view.numel))


@dataclass(frozen=True, eq=False)
class _Exchange:
    """Exchanges pruned with kept weights of an output, given the Gram matrix of its inputs."""

    sizes: Float64s  # [columns]: square roots of the diagonal of G
    correlations: Float64s  # [columns, columns]: integers of up to `bits` bits
    bits: int
    members: Indices  # [groups, size]: inputs among which weights are exchanged
    rounds: int
    cancel: CancelToken

    @classmethod
    def of(cls, gram: Float64s, members: Indices, rounds: int, cancel: CancelToken) -> _Exchange:
        """Create it from a Gram matrix, which is overwritten by the correlations; can be cancelled.

        Inputs that are always zero have no correlations. The result is exactly symmetric: the lower
        triangle is copied to the upper.
        """
        columns = len(gram)
        bits = (_EXACT - (columns - 1).bit_length()) // 2
        sizes = np.sqrt(np.maximum(gram.diagonal(), 0.0))
        dead = sizes == 0
        divisors = np.where(dead, 1.0, sizes)
        step = max(1, _BLOCK // columns)
        blocks = [slice(start, start + step) for start in range(0, columns, step)]
        for rows in blocks:
            cancel.check()
            block = gram[rows]
            block /= divisors[rows, np.newaxis]
            block /= divisors
            block[:, dead] = 0.0
            np.clip(np.rint(block * 2.0**bits, out=block), -(2.0**bits), 2.0**bits, out=block)
        gram[dead] = 0.0
        for rows in blocks:  # sums computed on a GPU may differ slightly across the diagonal
            cancel.check()
            gram[rows, rows.stop :] = gram[rows.stop :, rows].T
            corner = gram[rows, rows]
            gram[rows, rows] = np.tril(corner) + np.tril(corner, -1).T
        return cls(sizes, gram, bits, members, rounds, cancel)

    @cached_property
    def group_correlations(self) -> Float64s | None:
        """The correlations in each group, ``[groups, size, size]``; None for large groups.

        Groups are large above `_CANDIDATES` members. Computed on first use and cached.
        """
        if self.members.shape[1] > _CANDIDATES:
            return None
        pairs: Float64s = self.correlations[
            self.members[..., np.newaxis], self.members[:, np.newaxis]
        ]
        return pairs

    @property
    def rows_together(self) -> int:
        """Number of rows to pass to `run`."""
        pairs = len(self.members) * min(self.members.shape[1], _CANDIDATES) ** 2
        width: int = max(self.sizes.size, pairs)
        return max(1, _BLOCK // width)

    def run(self, weights: Float64s, off: Bools, pruned: Bools, free: Bools) -> Bools:
        """Return which weights of some rows are pruned after the exchanges; can be cancelled.

        The arrays are ``[rows, columns]``. `off` are the pruned weights, of which `pruned` may be
        restored; `free` are the kept weights that may be pruned. All three Boolean arrays are
        modified, and `off` is returned. Each row has at most `rounds` exchanges and ends sooner
        when none lowers its error. Rows of zeros and rows with NaN or infinities are unchanged.
        """
        with np.errstate(all="ignore"):
            scores = weights * self.sizes
            most = np.abs(scores).max(axis=1, initial=0.0)
            active = np.flatnonzero(np.isfinite(most) & (most > 0))
            scores[active] = np.rint(scores[active] / most[active, np.newaxis] * 2.0**self.bits)
        error = np.zeros_like(scores)
        error[active] = self._times(scores[active] * off[active])
        for _ in range(self.rounds):
            if not active.size:
                break
            self.cancel.check()
            found, to_restore, to_prune = self._best(
                scores[active], error[active], pruned[active], free[active]
            )
            active = active[found]
            pruned_scores, restored_scores = scores[active, to_prune], scores[active, to_restore]
            error[active] += pruned_scores[:, np.newaxis] * self.correlations[to_prune]
            error[active] -= restored_scores[:, np.newaxis] * self.correlations[to_restore]
            for mask, is_pruned in ((off, True), (pruned, True), (free, False)):
                mask[active, to_prune] = is_pruned
                mask[active, to_restore] = not is_pruned
        return off

    def _times(self, matrix: Float64s) -> Float64s:
        """Return ``matrix @ correlations``; exact, as both contain integers of `bits` bits.

        Computed in blocks of columns; the job can be cancelled between them.
        """
        rows, columns = matrix.shape
        product = np.empty_like(matrix)
        width = max(16, _AT_ONCE // max(rows * columns, 1))
        for start in range(0, columns, width):
            self.cancel.check()
            some = slice(start, start + width)
            np.matmul(matrix, self.correlations[:, some], out=product[:, some])
        return product

    def _best(
        self, scores: Float64s, error: Float64s, pruned: Bools, free: Bools
    ) -> tuple[Bools, Indices, Indices]:
        """Return which rows have an exchange that helps, and the inputs to restore and to prune.

        An exchange helps if it lowers the error of the row. The first array has a Boolean for each
        row; the index arrays have an element for each row for which it is True. Only exchanges
        within a group are considered; if groups have more than `_CANDIDATES` members, only among
        those with the lowest costs of their own. Of equal exchanges, the first by the index to
        restore, then by the index to prune.
        """
        members, groups = self.members, np.arange(len(self.members))[:, np.newaxis]
        x = scores[:, members]
        own_cost, cross_cost = (
            x * x * self.correlations.diagonal()[members],
            2.0 * x * error[:, members],
        )
        restore_cost = np.where(pruned[:, members], own_cost - cross_cost, np.inf)
        prune_cost = np.where(free[:, members], own_cost + cross_cost, np.inf)
        restore_scores = prune_scores = x
        restore_inputs = prune_inputs = members[np.newaxis]
        within = self.group_correlations
        if within is None:
            restore_places, prune_places = (
                lowest_places(cost, _CANDIDATES) for cost in (restore_cost, prune_cost)
            )
            restore_inputs, prune_inputs = (
                members[groups, restore_places],
                members[groups, prune_places],
            )
            within = self.correlations[
                restore_inputs[..., np.newaxis], prune_inputs[..., np.newaxis, :]
            ]
            restore_scores, restore_cost = (
                np.take_along_axis(each, restore_places, 2) for each in (x, restore_cost)
            )
            prune_scores, prune_cost = (
                np.take_along_axis(each, prune_places, 2) for each in (x, prune_cost)
            )
        pairs = restore_scores[..., np.newaxis] * prune_scores[..., np.newaxis, :]
        pairs *= within
        pairs *= -2.0
        pairs += restore_cost[..., np.newaxis]
        pairs += prune_cost[..., np.newaxis, :]
        flat = pairs.reshape(len(pairs), -1)
        best, rows = flat.argmin(axis=1), np.arange(len(flat))
        group, first, second = np.unravel_index(best, pairs.shape[1:])
        row = rows if len(restore_inputs) > 1 else 0
        u, v = restore_inputs[row, group, first], prune_inputs[row, group, second]
        scale = np.zeros(len(rows))
        for column in (u, v):
            size = np.abs(scores[rows, column])
            scale += size * (size * 2.0**self.bits + 2.0 * np.abs(error[rows, column]))
        found: Bools = flat[rows, best] < -_NOISE * scale
        return found, u[found], v[found]


def lowest_places(values: Float64s, count: int) -> Indices:
    """Return the indices of the `count` lowest values along the last axis, indices ascending.

    `count` must be from 1 to the length of the axis. Of equal values the first are selected;
    `numpy.argpartition` depends on the processor.
    """
    lowest = np.partition(values, count - 1, axis=-1)[..., count - 1, np.newaxis]
    is_lowest = values <= lowest
    over = np.count_nonzero(is_lowest, axis=-1) > count
    if over.any():
        ties = values[over] == lowest[over]
        below = np.count_nonzero(is_lowest[over] & ~ties, axis=-1)[:, np.newaxis]
        is_lowest[over] &= ~ties | (np.cumsum(ties, axis=-1) <= count - below)
    return np.nonzero(is_lowest)[-1].reshape(*values.shape[:-1], count)


_ROUNDS = IntParam(
    name="rounds",
    label="Swaps",
    help="Maximum number of swaps in each row; stops earlier if none helps.",
    default=1000,
    bounds=Interval(1, 100_000),
)


SWAPS = replace(
    WANDA,
    name="swaps",
    label="Swaps (per row)",
    help=(
        "Starts with Wanda per row and swaps a pruned with a kept weight of the same row as long "
        "as the error of the row's output falls (after SparseSwaps, 2025). Use it where pruned "
        "weights are not repaired: it removes about half of Wanda's error. It needs statistics "
        "with Gram matrices, and takes minutes for layers of thousands of inputs."
    ),
    formula="error = (w - b) G (w - b)' of each row; the pair that lowers it most, until none does",
    params=(AMOUNT_OF_WEIGHTS, _ROUNDS, STATISTICS),
    takes_grams=True,
    ranks_anew=True,
    refine=_refine_rows,
)


SWAPS_N_M = replace(
    WANDA_N_M,
    name="swaps_n_m",
    label="Swaps N:M (2:4)",
    help=(
        "Begins with Wanda N:M and exchanges a pruned with a kept weight of the same group of "
        "M as long as the error of the row's output falls (after SparseSwaps, 2025). Use it "
        "for 2:4 where pruned weights are not repaired. It needs statistics with Gram matrices. "
        "Groups must be formed along the inputs."
    ),
    formula="error = (w - b) G (w - b)' of each row; the pair of a group that lowers it most",
    params=(PatternParam(), DIM, _ROUNDS, STATISTICS),
    takes_grams=True,
    ranks_anew=True,
    groups=_groups,
    refine=_refine_groups,
)
