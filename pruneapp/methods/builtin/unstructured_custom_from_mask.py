"""What a given mask says goes."""

from __future__ import annotations

from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.method import MaskMethod, TensorView, Values
from pruneapp.progress import Job


def _mask(view: TensorView, values: Values, job: Job) -> BitMask:  # noqa: ARG001 - nothing to ask
    assert view.given is not None  # this method takes a mask
    job.step(view.numel)
    return view.given


CUSTOM_FROM_MASK = MaskMethod(
    name="custom_from_mask",
    label="Custom mask from file…",
    help=(
        "Applies masks from a file: weights are pruned where the mask is 0. The "
        "file is a checkpoint that holds the masks under the names of the tensors, "
        "or under NAME_mask. Weights that are already pruned stay pruned. Same as "
        "torch.nn.utils.prune.custom_from_mask."
    ),
    formula="kept where the mask is not 0 and the weight was not pruned before",
    params=(),
    takes_mask=True,
    mask=_mask,
)
