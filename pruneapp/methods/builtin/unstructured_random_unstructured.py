"""Any weights go."""

from __future__ import annotations

from pruneapp.kernels.sort_keys import Uniform
from pruneapp.methods.method import TensorView, Values, WeightMethod
from pruneapp.params import SeedParam
from pruneapp.params_amounts import AMOUNT_OF_WEIGHTS


def _rank(view: TensorView, values: Values, width: int, measured: None) -> Uniform:  # noqa: ARG001 - one width
    return Uniform(values["seed"], view.name, view.numel, view.kept)


def _least_width(view: TensorView) -> int:  # noqa: ARG001 - the same for all
    return Uniform.width


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
    params=(
        AMOUNT_OF_WEIGHTS,
        SeedParam(),
    ),
    rank=_rank,
    least_width=_least_width,
    told_by="chance",
)
