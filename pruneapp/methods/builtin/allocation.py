"""Large layers lose more than small ones, by the sum of their dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Kernel
from pruneapp.methods.builtin.unstructured_by_magnitude import magnitude_width, magnitudes
from pruneapp.methods.limit_bounds import known_of
from pruneapp.methods.limit_bounds_clamped import level
from pruneapp.methods.method import Counts, Cutting, TensorView, Values, WeightMethod
from pruneapp.params_amounts import AMOUNT_OF_WEIGHTS
from pruneapp.params_words import Choice, ChoiceParam
from pruneapp.progress import Job


def _ratio(shape: tuple[int, ...], variant: str) -> float:
    """Return what the density of a tensor is proportional to."""
    counted = shape if variant == "erk" else shape[:2]
    return sum(counted) / max(math.prod(counted), 1)


def _allocate(
    tensors: Sequence[TensorView],
    values: Values,
    kernel: Kernel,  # noqa: ARG001 - shapes say it all
    job: Job,
) -> Cutting:
    ratios = np.array([_ratio(view.shape, values["variant"]) for view in tensors])
    known = known_of(tensors)
    numel, before, free = known.numel, known.before, known.free
    job.step(0)

    def cut(among: NDArray[np.bool_], count: int) -> Counts:
        dense = 1 / ratios[among].min() if among.any() else 1.0  # as all of them are whole

        def at(share: float) -> Counts:
            density = np.minimum(1.0, dense * (1 - share) * ratios)
            after = np.floor(numel * (1 - density) + 0.5).astype(np.int64)
            gone: Counts = np.where(among, np.clip(after - before, 0, free), 0)
            return gone

        return level(at, count)

    return cut


ERK = WeightMethod(
    name="erk",
    label="ERK",
    help=(
        "Sets the density of each tensor in proportion to the sum of its "
        "dimensions divided by their product: large layers become sparser than "
        "small ones. Within a tensor, weights of the smallest magnitude are "
        "pruned. Use it for a layer-wise budget without data, as sparse training "
        "does (RigL; Evci et al., 2020). The ER variant ignores the kernel size of "
        "convolutions. Weights that are already pruned count toward the sparsity."
    ),
    formula="density = e (in + out + height + width) / (in * out * height * width), at most 1",
    params=(
        AMOUNT_OF_WEIGHTS,
        ChoiceParam(
            name="variant",
            label="Variant",
            help="Whether the kernel height and width count.",
            default="erk",
            choices=(
                Choice("erk", "ERK", "Erdős-Rényi kernel: includes height and width."),
                Choice("er", "ER", "Erdős-Rényi: input and output channels only."),
            ),
        ),
    ),
    takes_scores=True,
    scopes=("global",),
    rank=magnitudes,
    least_width=magnitude_width,
    allocate=_allocate,
)
