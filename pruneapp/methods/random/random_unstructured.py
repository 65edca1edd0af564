"""Any weights go."""

from __future__ import annotations

from pruneapp.kernels.ranking import Uniform
from pruneapp.methods.declaration import TensorView, Values, WeightMethod
from pruneapp.params import AMOUNT_OF_WEIGHTS, SeedParam


def _rank(view: TensorView, values: Values, width: int, measured: None) -> Uniform:  # noqa: ARG001 - one width
    return Uniform(values["seed"], view.name, view.numel, view.kept)


def _least_width(view: TensorView) -> int:  # noqa: ARG001 - the same for all
    return Uniform.width


RANDOM_UNSTRUCTURED = WeightMethod(
    name="random_unstructured",
    label="Random unstructured",
    help=(
        "Removes single weights by lot, each with the same chance. It is the yardstick for every "
        "other method: whatever ranks weights well must do better than this. The choice depends "
        "on the seed, the name of the tensor and the place of the weight alone, so that it comes "
        "out the same on every machine. Local draws the same share from each tensor; global draws "
        "from all selected tensors together."
    ),
    formula="score = a random number made from (seed, tensor name, index)",
    params=(
        AMOUNT_OF_WEIGHTS,
        SeedParam(),
    ),
    rank=_rank,
    least_width=_least_width,
    told_by="chance",
)
