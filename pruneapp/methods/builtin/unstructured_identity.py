"""Nothing goes."""

from __future__ import annotations

from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.method import MaskMethod, TensorView, Values
from pruneapp.progress import Job


def _mask(view: TensorView, values: Values, job: Job) -> BitMask:  # noqa: ARG001 - nothing to ask
    job.step(view.numel)
    return BitMask.full(view.numel)


IDENTITY = MaskMethod(
    name="identity",
    label="Identity (no pruning)",
    help=(
        "Prunes nothing, but adds a mask of ones to each selected tensor without a "
        "mask. Use it before a resumable export, so that a script can continue "
        "pruning these tensors with torch. Same as torch.nn.utils.prune.identity."
    ),
    formula="all weights are kept",
    params=(),
    mask=_mask,
)
