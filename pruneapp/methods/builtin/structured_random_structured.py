"""Any channels go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.sort_keys import hashed_state, splitmix64
from pruneapp.methods.method import TensorView, Values
from pruneapp.methods.method_units import ChannelMethod, lowest_by, order_by
from pruneapp.params import DimParam, SeedParam
from pruneapp.params_amounts import AMOUNT_OF_CHANNELS
from pruneapp.progress import Job


def _score(
    view: TensorView,
    values: Values,
    kernel: Kernel,  # noqa: ARG001 - nothing to compute
    job: Job,
) -> NDArray[np.float64]:
    # The dimension is not hashed: -1 and its positive spelling make the same choice anyway, and
    # elements draw from another stream than channels.
    state = hashed_state(values["seed"], view.name, "channels")
    drawn = splitmix64(state, 0, view.shape[values["dim"]])
    job.step(view.numel)
    return (drawn >> np.uint64(11)).astype(np.float64)  # 53 bits: exact


RANDOM_STRUCTURED = ChannelMethod(
    name="random_structured",
    label="Random structured (channels)",
    help=(
        "Prunes channels at random, each with the same probability: all weights of "
        "a filter, a neuron or an input at once. Use it as a baseline for methods "
        "that rank channels. The result depends only on the seed, the tensor name "
        "and the channel index. Channels that are already pruned are ignored. Like "
        "torch.nn.utils.prune.random_structured, with a reproducible generator."
    ),
    formula="score = random number of (seed, tensor name, channel)",
    params=(
        AMOUNT_OF_CHANNELS,
        DimParam(),
        SeedParam(),
    ),
    lowest=lowest_by(_score),
    order=order_by(_score),
    told_by="chance",
)
