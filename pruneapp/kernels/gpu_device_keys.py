"""Keys as tensors of torch: made, compared with a bracket or a cut, packed. Nothing waits.

Only what every device does right is used. On MPS torch's ``clamp`` has given wrong numbers
(pytorch issues 130201, 133100 and 167767), and counting in bins takes seconds where most elements
fall into few (pull request 184779); so NaN is filled in by comparison, and a device never counts
bins: it selects the few elements inside a bracket, which the CPU counts.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pruneapp.checkpoint.dtypes import FloatForm
from pruneapp.kernels.threshold import Bracket


def magnitude_keys(bits: Tensor, form: FloatForm) -> Tensor:
    """Return the keys of raw elements: signed, of 32 bits, or 64 for elements of so many.

    Parameters
    ----------
    bits
        ``uint8`` or signed integers of the width of the type; any shape.
    form
        How the type is ranked.
    """
    wide = bits.to(torch.int64 if form.bits == 64 else torch.int32)
    keys = wide & form.magnitude_mask
    if form.fnuz:  # the sign bit alone is the one NaN, not -0.0
        sign = 1 << (form.bits - 1)
        return keys.masked_fill_((wide & (2 * sign - 1)) == sign, form.nan_key)
    return keys.masked_fill_(keys > form.largest, form.nan_key)


def select(keys: Tensor, kept: Tensor | None, bracket: Bracket) -> tuple[Tensor, Tensor]:
    """Return how many kept keys are below a bracket, and those inside, less its low end."""
    smaller = keys < bracket.low
    # Keys are signed here, but only half of what unsigned ones hold is ever used.
    inside = ~smaller
    if bracket.high < torch.iinfo(keys.dtype).max:
        inside &= keys <= bracket.high
    if kept is not None:
        smaller &= kept
        inside &= kept
    return smaller.sum(), keys[inside] - bracket.low


def compare(keys: Tensor, kept: Tensor | None, key: int) -> tuple[Tensor, Tensor]:
    """Return which elements are kept and above or at a cut, and which of these are just at it."""
    stays = keys >= key
    equal = keys == key
    if kept is not None:
        stays &= kept
        equal &= kept
    return stays, equal


def pack(bools: Tensor) -> Tensor:
    """Pack truth values, 1-D, into bytes, the lowest bit first."""
    padded = torch.nn.functional.pad(bools.to(torch.uint8), (0, -bools.numel() % 8)).view(-1, 8)
    packed = padded[:, 0].clone()
    for place in range(1, 8):
        packed |= padded[:, place] << place
    return packed


def unpack(packed: Tensor, size: int) -> Tensor:
    """Unpack the first `size` truth values."""
    places = torch.arange(8, dtype=torch.uint8, device=packed.device)
    bits = (packed.unsqueeze(1) >> places) & 1
    return bits.view(-1)[:size].to(torch.bool)
