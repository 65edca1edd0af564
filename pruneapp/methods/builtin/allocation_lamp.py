"""Every layer gives what hardly changes its output, by the scores of LAMP."""

from __future__ import annotations

from collections.abc import Sequence

from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.lamp import LampScores
from pruneapp.methods.builtin.unstructured_by_magnitude import magnitude_width, magnitudes
from pruneapp.methods.method import Cutting, TensorView, Values, WeightMethod
from pruneapp.params_amounts import AMOUNT_OF_WEIGHTS
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
        "Layer-adaptive magnitude pruning (Lee et al., 2021). Ranks weights of all "
        "selected tensors by magnitude, normalized by the weights of the same "
        "layer that are at least as large, so that the sparsity of each layer "
        "follows from one global threshold. Use it for high sparsity without data: "
        "no layer collapses. Pruned and protected weights are not part of the "
        "score."
    ),
    formula="score = w^2 / sum of v^2 over all weights v of the tensor with |v| >= |w|",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    scopes=("global",),
    rank=magnitudes,
    least_width=magnitude_width,
    allocate=_allocate,
)
