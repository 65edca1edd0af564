"""Methods that divide an amount over layers: LAMP, ERK and Uniform+."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.lamp import LampScores
from pruneapp.kernels.values import Bools, Counts, Float64s
from pruneapp.methods.amounts import counts_before, level, round_share
from pruneapp.methods.builtin.unstructured import magnitudes
from pruneapp.methods.method import Cutting, TensorView, Values, WeightMethod
from pruneapp.params import AMOUNT_OF_WEIGHTS, Choice, ChoiceParam
from pruneapp.progress import Job


def _ratio(shape: tuple[int, ...], variant: str) -> float:
    """Return the number to which the density of a tensor is proportional."""
    counted = shape if variant == "erk" else shape[:2]
    return sum(counted) / max(math.prod(counted), 1)


def _allocate(tensors: Sequence[TensorView], values: Values, _kernel: Kernel, job: Job) -> Cutting:
    """Return the function that divides a count so that densities are proportional to `_ratio`.

    A density is at most 1. Weights pruned already count toward the sparsity; a tensor in which more
    is pruned than its share is not pruned further. Reads no weights.
    """
    ratios = np.array([_ratio(view.shape, values["variant"]) for view in tensors])
    known = counts_before(tensors)
    job.step(0)

    def cut(among: Bools, count: int) -> Counts:
        """Return how many of `count` weights are pruned in each tensor of `among`; 0 in others."""
        dense = 1 / ratios[among].min() if among.any() else 1.0  # at this factor, all are dense

        def at(share: float) -> Counts:
            density = np.minimum(1.0, dense * (1 - share) * ratios)
            to_prune = np.clip(round_share(1 - density, known.numel) - known.before, 0, known.free)
            return np.where(among, to_prune, 0)

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
    allocate=_allocate,
)


def _allocate_lamp(
    tensors: Sequence[TensorView], values: Values, _kernel: Kernel, job: Job
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
    allocate=_allocate_lamp,
)


# Maximum sparsity of the last linear layer.
_LAST = 0.8


def _allocate_uniform_plus(
    tensors: Sequence[TensorView], _values: Values, _kernel: Kernel, job: Job
) -> Cutting:
    """Return the function that divides a count to the same sparsity, with two exceptions.

    The first convolution (more than two dimensions) is not pruned, and the last matrix to at most
    80 %. If the count cannot be reached, first the limit of the matrix is dropped, then that of the
    convolution. The count must not exceed the number of free weights. Reads no weights.
    """
    known = counts_before(tensors)
    matrices = [i for i, view in enumerate(tensors) if len(view.shape) == 2]
    convolutions = [i for i, view in enumerate(tensors) if len(view.shape) > 2]
    most = np.ones((3, len(tensors)))  # maximum sparsity per tensor, in stages if not sufficient
    most[0, matrices[-1:]] = _LAST
    most[:2, convolutions[:1]] = 0.0
    job.step(0)

    def cut(among: Bools, count: int) -> Counts:
        """Return how many of `count` weights are pruned in each tensor of `among`; 0 in others."""

        def at(share: float, caps: Float64s, least: Counts) -> Counts:
            after = round_share(np.minimum(share, caps), known.numel)
            to_prune = np.where(among, np.clip(after - known.before, 0, known.free), 0)
            return np.maximum(to_prune, least)

        least = np.zeros_like(known.free)
        stage = 0
        while count > (all_of_it := at(1.0, most[stage], least)).sum():
            least, stage = all_of_it, stage + 1
        return level(lambda share: at(share, most[stage], least), count)

    return cut


UNIFORM_PLUS = WeightMethod(
    name="uniform_plus",
    label="Uniform+",
    help=(
        "Prunes each tensor to the same sparsity, except that the first convolution stays dense "
        "and the last linear layer is pruned to at most 80 %, because these layers are the most "
        "sensitive (Gale et al., 2019). Within a tensor, weights of the smallest magnitude are "
        "pruned. First and last refer to the selected tensors. If the other layers cannot reach "
        "the target, the last, then the first is pruned further. Pruned weights count toward the "
        "sparsity."
    ),
    formula="sparsity = s; 0 for the first convolution, at most 80 % for the last linear layer",
    params=(AMOUNT_OF_WEIGHTS,),
    takes_scores=True,
    scopes=("global",),
    rank=magnitudes,
    allocate=_allocate_uniform_plus,
)
