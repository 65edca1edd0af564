"""Methods for N:M groups and for blocks, with their parameters: ``2:4``, ``16x1``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.summation import LANES
from pruneapp.kernels.values import Float64s, decode
from pruneapp.masks.blocks import Tiles
from pruneapp.masks.regions import Groups
from pruneapp.methods.builtin.unstructured import magnitudes
from pruneapp.methods.method import BlockMethod, GroupMethod, TensorView, Values
from pruneapp.params import AmountParam, Choice, ChoiceParam, DimParam, Param
from pruneapp.progress import Job

_MOST = 1 << 16


@dataclass(frozen=True, kw_only=True)
class PatternParam(Param):
    """A parameter for the number of kept weights per group, as ``n:m``."""

    name: str = "pattern"
    label: str = "Pattern"
    help: str = "Weights kept in each group: 2:4 keeps 2 of every 4."
    default: str = "2:4"

    def read(self, text: str) -> str:
        """Remove spaces, as in ``2 : 4``."""
        return text.replace(" ", "")

    def validate(self, value: Any) -> str:
        """Accept two integers, the first smaller than the second."""
        pair = _two(value, ":")
        if pair is None or not 1 <= pair[0] < pair[1] <= _MOST:
            raise self.refuse(value)
        return f"{pair[0]}:{pair[1]}"

    def describe(self) -> str:
        """Return the rule for valid values."""
        return (
            "n:m, such as 2:4: n weights kept of every m, with n from 1 to m - 1 and m up to "
            f"{_MOST:,}"
        )


@dataclass(frozen=True, kw_only=True)
class BlockParam(Param):
    """A parameter for rows by columns of a block, as ``rxc``."""

    name: str = "block"
    label: str = "Block"
    help: str = (
        "Rows by columns of a block; a convolution is treated as filters by all other dimensions."
    )
    default: str = "4x4"

    def read(self, text: str) -> str:
        """Remove spaces and accept X and × for x."""
        return text.replace(" ", "").replace("×", "x").replace("X", "x")

    def validate(self, value: Any) -> str:
        """Accept two integers of at least 1."""
        pair = _two(value, "x")
        if pair is None or not (1 <= pair[0] <= _MOST and 1 <= pair[1] <= _MOST):
            raise self.refuse(value)
        return f"{pair[0]}x{pair[1]}"

    def describe(self) -> str:
        """Return the rule for valid values."""
        return f"rows x columns, each from 1 to {_MOST:,}, such as 4x4"


def sizes_of(text: str) -> tuple[int, int]:
    """Return the two numbers of a valid pattern or block."""
    first, second = re.split("[:x]", text)
    return int(first), int(second)


def _two(value: Any, sign: str) -> tuple[int, int] | None:
    if not isinstance(value, str):
        return None
    match = re.fullmatch(rf"([0-9]{{1,9}}){re.escape(sign)}([0-9]{{1,9}})", value)
    return None if match is None else (int(match[1]), int(match[2]))


DIM = DimParam(
    default=1,
    help=(
        "Dimension along which groups are formed; 1 is the input features of a linear "
        "layer or the input channels of a convolution."
    ),
)


def groups_of(view: TensorView, values: Values) -> Groups:
    """Return the groups of a pattern along a dimension.

    Raises `ParameterError` if the tensor has fewer than two dimensions, or not this one.
    """
    kept, size = sizes_of(values["pattern"])
    return Groups(DIM.resolve(values["dim"], view.shape, view.name), size, kept)


N_M = GroupMethod(
    name="n_m",
    label="N:M semi-structured (2:4)",
    help=(
        "Keeps the N weights of the largest magnitude in each group of M. Use 2:4 "
        "for sparse tensor cores (NVIDIA Ampere and later), which compute such "
        "layers up to twice as fast (Mishra et al., 2021). Groups are formed along "
        "the input dimension; for convolutions, at the same kernel position. Weights "
        "that are already pruned count in their group; an incomplete group at the "
        "end is not pruned. At the same sparsity it costs more accuracy than "
        "unstructured pruning."
    ),
    formula="score = |w|, compared within a group of M",
    params=(PatternParam(), DIM),
    takes_scores=True,
    rank=magnitudes,
    groups=groups_of,
)


def _tiles(view: TensorView, values: Values) -> Tiles:
    return Tiles(view.shape, *sizes_of(values["block"]))


def _score(view: TensorView, values: Values, _kernel: Kernel, job: Job) -> Float64s:
    """Return the mean of ``|w|`` of each block, or its root mean square, ``float64[blocks]``.

    Blocks are numbered row by row. Pruned weights count as 0; a block with NaN gets NaN. If there
    are importance scores, they are averaged, regardless of the mask. The mean is over the weights
    within the tensor: the padding of incomplete blocks is not counted. Advances the job by the
    elements.

    The terms of a row of a block are added in the order of `pruneapp.kernels.summation`, then its
    rows from first to last, so the bits are the same on every machine.
    """
    tiles, ranked = _tiles(view, values), view.ranked
    # Importance scores of pruned weights count, as they do for channels.
    kept = view.kept if view.scores is None else None
    squared = values["measure"] != "mean"
    sums = np.zeros(tiles.grid)
    for part in tiles.parts():
        bits = np.empty(part.shape[0] * part.shape[1], ranked.dtype.storage)
        at = 0
        for start, stop in tiles.flat_ranges(part):
            for chunk in ranked.read(start, stop):
                bits[at : at + chunk.bits.size] = chunk.bits
                at += chunk.bits.size
            if kept is not None:
                kept.zero(bits[at - (stop - start) : at], start)
        with np.errstate(all="ignore"):  # infinities and NaN are valid results
            terms = decode(bits, ranked.dtype).astype(np.float64).reshape(part.shape)
            np.multiply(terms, terms, out=terms) if squared else np.abs(terms, out=terms)
            cut = tiles.cut(terms)
            total = _sum_last_axis(cut[:, 0])
            for row in range(1, tiles.tall):
                total += _sum_last_axis(cut[:, row])
        sums[part.down, part.along] = total
        job.step(bits.size)
    means = sums.reshape(-1) / tiles.sizes
    return np.sqrt(means) if squared else means


def _sum_last_axis(terms: Float64s) -> Float64s:
    """Return the sums along the last axis of a 3-D array, in an order that is the same everywhere.

    From left to right if the axis is shorter than the lanes, otherwise as `numpy.add.reduce`.
    """
    wide = terms.shape[2]
    if wide >= LANES:
        sums: Float64s = np.add.reduce(terms, axis=2)
        return sums
    total = terms[:, :, 0].copy()  # np.add.reduce is slow for a short axis
    for column in range(1, wide):
        total += terms[:, :, column]
    return total


BLOCKS = BlockMethod(
    name="blocks",
    label="Blocks",
    help=(
        "Prunes rectangular blocks of neighboring weights with the smallest mean "
        "magnitude. Use it for runtimes with block-sparse kernels, which skip such "
        "blocks. Larger blocks cost more accuracy. A convolution is treated as a "
        "matrix of filters by all other dimensions; incomplete blocks at the edges "
        "are scored by the mean of their weights."
    ),
    formula="score = mean |w| over the block, or root mean square",
    params=(
        AmountParam(help="Fraction of remaining blocks, or a number of blocks.", unit="blocks"),
        BlockParam(),
        ChoiceParam(
            name="measure",
            label="Measure",
            help="How the weights of a block are scored.",
            default="mean",
            choices=(
                Choice("mean", "Mean magnitude", "Mean of magnitudes."),
                Choice("rms", "Root mean square", "Gives large weights more influence."),
            ),
        ),
    ),
    takes_scores=True,
    tiles=_tiles,
    score=_score,
)
