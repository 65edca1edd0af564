"""The blocks whose weights are smallest taken together go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.block_scores import tile_means
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.blocks import Tiles
from pruneapp.methods.builtin.patterns import BlockParam, block_sizes
from pruneapp.methods.method import TensorView, Values
from pruneapp.methods.method_units import BlockMethod, lowest_by, order_by
from pruneapp.params_amounts import AmountParam
from pruneapp.params_words import Choice, ChoiceParam
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
        "Prunes rectangular blocks of neighboring weights with the smallest mean "
        "magnitude. Use it for runtimes with block-sparse kernels, which skip such "
        "blocks. Larger blocks cost more accuracy. A convolution is treated as a "
        "matrix of filters by all other dimensions; incomplete blocks at the edges "
        "are scored by the mean of their weights."
    ),
    formula="score = mean |w| over the block, or root mean square",
    params=(
        AmountParam(
            help="Fraction of remaining blocks, or a number of blocks.",
            unit="blocks",
        ),
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
    lowest=lowest_by(_score),
    order=order_by(_score),
)
