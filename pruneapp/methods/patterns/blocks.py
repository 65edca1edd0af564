"""The blocks whose weights are smallest taken together go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.contract import Kernel
from pruneapp.kernels.tile_scores import tile_means
from pruneapp.masks.tiles import Tiles
from pruneapp.methods.declaration import TensorView, Values
from pruneapp.methods.patterns.sizes import BlockParam, block_sizes
from pruneapp.methods.units import BlockMethod, lowest_by, order_by
from pruneapp.params import AmountParam, Choice, ChoiceParam
from pruneapp.progress import Job


def _tiles(view: TensorView, values: Values) -> Tiles:
    return Tiles(view.shape, *block_sizes(values["block"]))


def _score(
    view: TensorView,
    values: Values,
    kernel: Kernel,  # noqa: ARG001 - the same on every device
    job: Job,
) -> NDArray[np.float64]:
    ranked = view.ranked
    # Importance scores count in full, as they do for channels.
    kept = view.kept if view.scores is None else None
    order = 1 if values["measure"] == "mean" else 2
    return tile_means(ranked.read, ranked.dtype, kept, _tiles(view, values), order, job)


BLOCKS = BlockMethod(
    name="blocks",
    label="Blocks",
    help=(
        "Removes whole blocks of neighbouring weights: those whose weights are smallest on "
        "average. Kernels for block-sparse matrices skip such blocks. The larger the block, the "
        "more accuracy it costs. A convolution is taken as a matrix of its filters by all the "
        "rest; blocks that the last rows or columns cut are judged by the mean of what is there."
    ),
    formula="score = mean of |w| over the block, or the root of the mean of w^2",
    params=(
        AmountParam(
            help="Fraction of remaining blocks, or a number of blocks.",
            unit="blocks",
        ),
        BlockParam(),
        ChoiceParam(
            name="measure",
            label="Measure",
            help="What the weights of a block come to.",
            default="mean",
            choices=(
                Choice("mean", "Mean magnitude", "The mean of the magnitudes."),
                Choice("rms", "Root mean square", "Large weights count more."),
            ),
        ),
    ),
    takes_scores=True,
    tiles=_tiles,
    lowest=lowest_by(_score),
    order=order_by(_score),
)
