"""Nothing goes."""

from __future__ import annotations

from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.declaration import MaskMethod, TensorView, Values
from pruneapp.progress import Job


def _mask(view: TensorView, values: Values, job: Job) -> BitMask:  # noqa: ARG001 - nothing to ask
    job.step(view.numel)
    return BitMask.full(view.numel)


IDENTITY = MaskMethod(
    name="identity",
    label="Identity (no pruning)",
    help=(
        "Prunes nothing, but gives every selected tensor a mask, all ones where it had none. A "
        "resumable export then holds these tensors in the form of torch's pruning, ready for a "
        "script that prunes them later."
    ),
    formula="keep every weight",
    params=(),
    mask=_mask,
)
