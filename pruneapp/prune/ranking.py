"""Which elements of a tensor have the smallest magnitudes, by the rules of ties and NaN.

Equal magnitudes: the lower flat index (C order) goes first. NaN counts as largest. Tensors of the
CPU go through the kernel that prunes documents, those of other devices through its search where
they lie, whole numbers through torch's operations, with the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor

from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.sort_keys import Magnitudes, common_width
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.prune.ranking_bits import as_integers, float_type, numpy_bits, read_bits
from pruneapp.prune.ranking_cut_values import MaskTarget, write_cut
from pruneapp.prune.ranking_on_device import lowest_whole_numbers, zero_lowest_there


def zero_lowest(mask: Tensor, scores: Tensor, count: int, kept: Tensor | None = None) -> None:
    """Set `mask` to 0 where the `count` smallest magnitudes of `scores` are.

    Parameters
    ----------
    mask
        Contiguous, any type; changed in place.
    scores
        Of the same shape.
    count
        From 0 to the number of elements (of `kept` elements, if given).
    kept
        bool, of the same shape: only where it is True elements are ranked and may go.
    """
    if not count:
        return
    flat = scores.detach().reshape(-1)
    if mask.is_cpu and can_share_a_threshold([flat]):
        zero_lowest_of_all([mask], [flat], count, [kept])
    elif float_type(flat.dtype) is not None:
        zero_lowest_there(mask, flat, count, kept)
    else:
        gone = lowest_whole_numbers(flat, count, None if kept is None else kept.reshape(-1))
        as_integers(mask).view(-1).masked_fill_(gone.to(mask.device), 0)


def can_share_a_threshold(scores: Sequence[Tensor]) -> bool:
    """Whether `zero_lowest_of_all` can rank these: floats of the CPU, of any types."""
    return all(t.is_cpu and float_type(t.dtype) is not None for t in scores)


def zero_lowest_of_all(
    masks: Sequence[Tensor],
    scores: Sequence[Tensor],
    count: int,
    kept: Sequence[Tensor | None],
) -> None:
    """Do what `zero_lowest` does over several tensors, as if they were joined end to end.

    Equal magnitudes: the earlier tensor goes first. The tensors are not joined: beside the masks
    it takes one bit an element of those that have a `kept`.
    """
    if not count:
        return
    _cut(
        [MaskTarget(bits, bits) for bits in map(numpy_bits, masks)], _rankings(scores, kept), count
    )


def without_lowest(base: Tensor, scores: Tensor, count: int, kept: Tensor | None = None) -> Tensor:
    """Return a contiguous copy of `base` after `zero_lowest`, with its values written once.

    Parameters
    ----------
    base
        Any type; elements may share memory.
    scores, count, kept
        See `zero_lowest`.
    """
    if count and base.is_cpu and can_share_a_threshold([scores]):
        return without_lowest_of_all([base], [scores], count, [kept])[0]
    mask = base.clone(memory_format=torch.contiguous_format)
    zero_lowest(mask, scores, count, kept)
    return mask


def without_lowest_of_all(
    bases: Sequence[Tensor],
    scores: Sequence[Tensor],
    count: int,
    kept: Sequence[Tensor | None],
) -> list[Tensor]:
    """Do what `without_lowest` does over several tensors, as if they were joined end to end."""
    if not count:
        return [base.clone(memory_format=torch.contiguous_format) for base in bases]
    masks, targets = [], []
    for base in bases:
        # numpy's, for it asks the system for large pages, which are there much sooner.
        out = np.empty(base.numel(), f"uint{8 * base.dtype.itemsize}")
        masks.append(torch.from_numpy(_signed(out)).view(base.dtype).view(base.shape))
        targets.append(MaskTarget(_bits_of(base), out))
    _cut(targets, _rankings(scores, kept), count)
    return masks


def _cut(targets: Sequence[MaskTarget], rankings: Sequence[Magnitudes], count: int) -> None:
    write_cut(targets, rankings, CpuKernel().find_threshold(rankings, count, Job()))


def _bits_of(base: Tensor) -> Bits:
    """View the bits of a tensor, 1-D; of one number that is seen as many it is one element."""
    if base.numel() and not any(base.stride()):
        one = numpy_bits(base.detach().as_strided((1,), (1,)))
        return np.broadcast_to(one, base.numel())
    return numpy_bits(base.detach().contiguous())


def _signed(bits: Bits) -> Bits:
    return bits if bits.itemsize == 1 else bits.view(f"int{8 * bits.itemsize}")


def _rankings(scores: Sequence[Tensor], kept: Sequence[Tensor | None]) -> list[Magnitudes]:
    dtypes = [float_type(t.dtype) for t in scores]
    width = common_width({d for d in dtypes if d is not None})
    rankings = []
    for tensor, dtype, there in zip(scores, dtypes, kept, strict=True):
        assert dtype is not None  # see can_share_a_threshold
        bits = numpy_bits(tensor.detach().contiguous())
        ranked = None if there is None else BitMask.from_bools(there.reshape(-1).numpy())
        rankings.append(Magnitudes(partial(read_bits, bits), bits.size, dtype, ranked, width))
    return rankings
