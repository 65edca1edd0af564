"""What a given mask says goes."""

from __future__ import annotations

from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.declaration import MaskMethod, TensorView, Values
from pruneapp.progress import Job


def _mask(view: TensorView, values: Values, job: Job) -> BitMask:  # noqa: ARG001 - nothing to ask
    assert view.given is not None  # this method takes a mask
    job.step(view.numel)
    return view.given


CUSTOM_FROM_MASK = MaskMethod(
    name="custom_from_mask",
    label="Custom mask from file…",
    help=(
        "Removes what a mask from a file says: a weight stays where the mask is not 0, and goes "
        "where it is. The file is a checkpoint that holds the masks under the names of the "
        "tensors. What was pruned before stays pruned, whatever the mask says."
    ),
    formula="keep where mask is not 0 and nothing was pruned before",
    params=(),
    takes_mask=True,
    mask=_mask,
)
