"""Every layer gives what hardly changes its output, by the scores of LAMP."""

from __future__ import annotations

from collections.abc import Sequence

from pruneapp.kernels.contract import Kernel
from pruneapp.kernels.lamp import LampScores
from pruneapp.methods.by_magnitude import magnitude_width, magnitudes
from pruneapp.methods.declaration import Cutting, TensorView, Values, WeightMethod
from pruneapp.params import AMOUNT_OF_WEIGHTS
from pruneapp.progress import Job


def _allocate(
    tensors: Sequence[TensorView],
    values: Values,
    kernel: Kernel,  # noqa: ARG001 - the same on every device
    job: Job,
) -> Cutting:
    job.extend(sum(view.numel for view in tensors))
    return LampScores([magnitudes(view.free, values) for view in tensors], job).lowest


LAMP = WeightMethod(
    name="lamp",
    label="LAMP",
    help=(
        "Removes the smallest weights of every tensor, and finds itself how many of each: as many "
        "as change the layer's output least for what they are. No layer is emptied before the "
        "last weight of all, and no amounts for layers have to be guessed. It is the safest "
        "global choice without data. What is pruned already or protected is no part of the score."
    ),
    formula="score = w^2 / sum of v^2 over all weights v of the tensor with |v| >= |w|",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    scopes=("global",),
    rank=magnitudes,
    least_width=magnitude_width,
    allocate=_allocate,
)
