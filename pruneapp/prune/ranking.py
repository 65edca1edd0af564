"""Find and zero the elements of torch tensors with the smallest magnitudes.

Among equal magnitudes the lower flat index (C order) is pruned first. NaN counts as the largest.
CPU tensors are processed by the kernel that prunes documents; tensors of other devices by its
search on the device (one sample, one pass to count, one to prune, whereas ``torch.kthvalue`` needs
keys and booleans for the whole tensor at once); integers by operations of torch.

Masks are as large as the weights, and writing to memory for the first time is slow. So each value
is written only once, in parallel threads.

torch supports almost no operations on float8 and some on other small types, but every tensor can be
viewed as integers of the same width without a copy.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.elements import Bits, RawChunk
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.gpu import (
    INTEGERS,
    LENGTH,
    DeviceChunk,
    TorchKernel,
    compare,
    magnitude_keys,
    pack,
)
from pruneapp.kernels.kernel import Ranking, Threshold
from pruneapp.kernels.sort_keys import Magnitudes, common_width
from pruneapp.kernels.threads import TensorRange, map_in_order, stretches, threads_for
from pruneapp.kernels.threshold import kept_elements
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


class MaskTarget(NamedTuple):
    """The bits of a mask before (`base`) and after (`out`) pruning, 1-D.

    `base` may have a stride of 0; `out` may be `base` itself.
    """

    base: Bits
    out: Bits


def write_masks(targets: Sequence[MaskTarget], rankings: Sequence[Magnitudes], count: int) -> None:
    """Write all masks: 0 for the `count` smallest elements of all tensors, else the bits of `base`.

    `targets` and `rankings` are in the same order. `count` is at least 1. Among elements with the
    key of the threshold the first ones in order are pruned. Elements that are not ranked keep the
    bits of `base`.
    """
    threshold = CpuKernel().find_threshold(rankings, count, Job())
    sizes = [ranking.size for ranking in rankings]

    def work(task: tuple[TensorRange, ...]) -> list[NDArray[np.uint32]]:
        return [_write(targets[s.index], rankings[s.index], s, threshold) for s in task]

    tasks = list(stretches(sizes))
    ties = threshold.ties
    written = map_in_order(tasks, work, Job(), threads_for(sum(sizes)))
    for task, tie_positions in zip(tasks, written, strict=True):
        for stretch, positions in zip(task, tie_positions, strict=True):
            tied = positions[:ties]
            targets[stretch.index].out[stretch.start : stretch.stop][tied] = 0
            ties -= tied.size


def _write(
    values: MaskTarget, ranking: Magnitudes, stretch: TensorRange, threshold: Threshold
) -> NDArray[np.uint32]:
    """Write a range of a mask in which ties are kept; return their positions within the range.

    Elements below the threshold become 0, all others the bits of `base`. The positions are
    ascending, and empty if no ties are to be pruned.
    """
    tie_positions = []
    for chunk in ranking.keys(stretch.start, stretch.stop):
        start, stop = chunk.start, chunk.start + chunk.keys.size
        cut = chunk.keys.dtype.type(threshold.key)
        kept = kept_elements(ranking, start, chunk.keys.size)
        is_kept = chunk.keys >= cut
        if kept is not None:
            is_kept |= ~kept
        # Multiplies bits by 0 or 1: without branches, and exact for unsigned integers.
        np.multiply(values.base[start:stop], is_kept, out=values.out[start:stop])
        if not threshold.ties:
            continue
        equal = np.equal(chunk.keys, cut, out=is_kept)
        if kept is not None:
            equal &= kept
        if equal.any():
            positions = np.flatnonzero(equal) + (start - stretch.start)
            tie_positions.append(positions.astype(np.uint32))
    return np.concatenate(tie_positions) if tie_positions else np.empty(0, np.uint32)


_FLOATS: dict[torch.dtype, DType] = {
    getattr(torch, d.torch): d for d in DTYPES.values() if d.prunable
}


def float_type(dtype: torch.dtype) -> DType | None:
    """Return the declaration of a float type that can be ranked by its bits, else None."""
    return _FLOATS.get(dtype)


def is_float8(t: torch.Tensor) -> bool:
    """Return whether `t` is float8, which torch stores but hardly supports."""
    return t.dtype.is_floating_point and t.dtype.itemsize == 1


def as_integers(t: torch.Tensor) -> torch.Tensor:
    """View the elements as integers of the same width, with the shape of `t`."""
    return t.detach().view(INTEGERS[t.dtype.itemsize * 8])


def numpy_bits(t: torch.Tensor) -> Bits:
    """View the bits of a contiguous CPU tensor as a 1-D array of unsigned integers."""
    width = t.dtype.itemsize * 8
    bits: Bits = as_integers(t).reshape(-1).numpy().view(f"uint{width}")
    return bits


def read_bits(bits: Bits, start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
    """Yield bits in memory as one chunk without a copy, like a reader of a file."""
    yield RawChunk(start, bits[start:stop])


class Resident(TorchKernel):
    """Finds the threshold of one tensor on its device: 1-D scores of a float type.

    `kept`, on the same device, selects the elements that are ranked; None means all.
    """

    def __init__(self, scores: Tensor, kept: Tensor | None, length: int = LENGTH) -> None:
        super().__init__(str(scores.device), worth_moving=0, length=length)
        dtype = float_type(scores.dtype)
        if dtype is None:
            raise ValueError(f"scores of a float type expected (got {scores.dtype})")
        self._bits = as_integers(scores.contiguous()).view(-1)
        self._kept_elements = kept
        bits = None if kept is None else BitMask(pack(kept).cpu().numpy(), kept.numel())
        self.ranking = Magnitudes(self._read, scores.numel(), dtype, bits)

    def prune_lowest(self, mask: Tensor, count: int) -> None:
        """Set `mask` (1-D integers) to 0 at the `count` smallest magnitudes of the kept elements.

        `mask` is modified in place, other elements remain. Of equal magnitudes the first are
        pruned.
        """
        threshold = self.find_threshold([self.ranking], count, Job())
        ties = threshold.ties
        for chunk in self._chunks([self.ranking], Job()):
            at_or_above, equal = compare(chunk.keys, chunk.kept, threshold.key)
            below = ~at_or_above if chunk.kept is None else chunk.kept & ~at_or_above
            if ties:
                tied = equal.nonzero().view(-1)[:ties]
                below[tied] = True
                ties -= tied.numel()
            mask[chunk.stretch.start : chunk.stretch.stop].masked_fill_(below.to(mask.device), 0)

    def _read(self, start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        """Copy a few elements to the CPU: those of a sample, or all of a small tensor."""
        bits = self._bits[start:stop].cpu().numpy()
        yield RawChunk(start, bits.view(f"uint{8 * bits.itemsize}"))

    def _chunks(self, rankings: Sequence[Ranking], job: Job) -> Generator[DeviceChunk, None, None]:
        # Yields slices of the tensor on the device; nothing is copied.
        for task in stretches([ranking.size for ranking in rankings], self._length):
            for stretch in task:
                job.cancel.check()
                part = slice(stretch.start, stretch.stop)
                keys = magnitude_keys(self._bits[part], self.ranking.form)
                kept = None if self._kept_elements is None else self._kept_elements[part]
                yield DeviceChunk(stretch, keys, kept)


def find_lowest_integers(flat: Tensor, count: int, kept: Tensor | None) -> Tensor:
    """Return which `count` of the `kept` integers (1-D) have the smallest magnitude, as bools.

    `kept` of None means all. `count` is at least 1. Of equal magnitudes the first are selected.
    """
    keys = flat.to(torch.int64).abs()
    if kept is not None:
        keys = keys.masked_fill(~kept, torch.iinfo(keys.dtype).max)
    threshold = torch.kthvalue(keys, count).values
    lowest = keys < threshold
    ties = count - int(lowest.count_nonzero())
    for start in range(0, keys.numel(), LENGTH):
        if not ties:
            break
        equal = (keys[start : start + LENGTH] == threshold).nonzero().view(-1)[:ties]
        lowest[start + equal] = True
        ties -= equal.numel()
    return lowest


def zero_lowest(mask: Tensor, scores: Tensor, count: int, kept: Tensor | None = None) -> None:
    """Set `mask` (contiguous, any type) to 0 at the `count` smallest magnitudes of `scores`.

    `mask` is modified in place. If `kept`, Booleans of the same shape, is given, only elements
    where it is True are ranked. A count of 0 does nothing.
    """
    if not count:
        return
    flat = scores.detach().reshape(-1)
    if mask.is_cpu and can_share_a_threshold([flat]):
        zero_lowest_of_all([mask], [flat], count, [kept])
    elif float_type(flat.dtype) is not None:
        ranked = None if kept is None else kept.reshape(-1)
        Resident(flat, ranked).prune_lowest(as_integers(mask).view(-1), count)
    else:
        lowest = find_lowest_integers(flat, count, None if kept is None else kept.reshape(-1))
        as_integers(mask).view(-1).masked_fill_(lowest.to(mask.device), 0)


def can_share_a_threshold(scores: Sequence[Tensor]) -> bool:
    """Return whether `zero_lowest_of_all` supports these tensors: CPU floats of any types."""
    return all(t.is_cpu and float_type(t.dtype) is not None for t in scores)


def zero_lowest_of_all(
    masks: Sequence[Tensor], scores: Sequence[Tensor], count: int, kept: Sequence[Tensor | None]
) -> None:
    """Apply `zero_lowest` to several CPU tensors as if they were concatenated.

    `masks` are modified in place; `kept` has Booleans, or None for all, for each tensor. Among
    equal magnitudes the earlier tensor is pruned first. The tensors are not concatenated: in
    addition to the masks this needs one bit per element of the tensors that have a `kept`.
    """
    if not count:
        return
    targets = [MaskTarget(bits, bits) for bits in map(numpy_bits, masks)]
    write_masks(targets, _rankings(scores, kept), count)


def without_lowest(base: Tensor, scores: Tensor, count: int, kept: Tensor | None = None) -> Tensor:
    """Return a contiguous copy of `base` that is 0 at the `count` smallest magnitudes of `scores`.

    `kept` is as in `zero_lowest`. `base` is not modified and may have strides of 0. Each value of
    the copy is written once.
    """
    if count and base.is_cpu and can_share_a_threshold([scores]):
        return without_lowest_of_all([base], [scores], count, [kept])[0]
    mask = base.clone(memory_format=torch.contiguous_format)
    zero_lowest(mask, scores, count, kept)
    return mask


def without_lowest_of_all(
    bases: Sequence[Tensor], scores: Sequence[Tensor], count: int, kept: Sequence[Tensor | None]
) -> list[Tensor]:
    """Return copies of several masks after pruning `count` elements of all of them together.

    As `without_lowest` of the concatenated tensors, for floats on the CPU.
    """
    if not count:
        return [base.clone(memory_format=torch.contiguous_format) for base in bases]
    masks, targets = [], []
    for base in bases:
        # numpy's allocation, because it requests large pages, which the system provides faster.
        out = np.empty(base.numel(), f"uint{8 * base.dtype.itemsize}")
        masks.append(torch.from_numpy(_signed(out)).view(base.dtype).view(base.shape))
        targets.append(MaskTarget(_bits_of(base), out))
    write_masks(targets, _rankings(scores, kept), count)
    return masks


def _bits_of(base: Tensor) -> Bits:
    """View the bits of a tensor as 1-D; for an expanded single number without a copy."""
    if base.numel() and not any(base.stride()):
        one = numpy_bits(base.detach().as_strided((1,), (1,)))
        return np.broadcast_to(one, base.numel())
    return numpy_bits(base.detach().contiguous())


def _signed(bits: Bits) -> Bits:
    return bits if bits.itemsize == 1 else bits.view(f"int{8 * bits.itemsize}")


def _rankings(scores: Sequence[Tensor], kept: Sequence[Tensor | None]) -> list[Magnitudes]:
    """Return rankings of CPU floats with comparable keys, in order; `kept` of None ranks all."""
    dtypes = [float_type(t.dtype) for t in scores]
    width = common_width({d for d in dtypes if d is not None})
    rankings = []
    for tensor, dtype, kept_flags in zip(scores, dtypes, kept, strict=True):
        assert dtype is not None  # see can_share_a_threshold
        bits = numpy_bits(tensor.detach().contiguous())
        ranked = None if kept_flags is None else BitMask.from_bools(kept_flags.reshape(-1).numpy())
        rankings.append(Magnitudes(partial(read_bits, bits), bits.size, dtype, ranked, width))
    return rankings
