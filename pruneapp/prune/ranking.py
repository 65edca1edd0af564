"""Which elements of torch tensors have the smallest magnitudes, by the rules of ties and NaN.

Equal magnitudes: the lower flat index (C order) goes first. NaN counts as largest. Tensors of the
CPU go through the kernel that prunes documents; those of other devices through its search where
they lie (one sample, one pass to count, one to prune, where ``torch.kthvalue`` needs keys and
truth values for the whole tensor at once); whole numbers through torch's operations.

Masks of numbers are as large as the weights, and memory that is touched for the first time is
slow. So every value is written once, side by side in threads, and nothing is written before.

torch computes nothing in float8 and only some in the other types, but it lets every tensor be
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
from pruneapp.kernels.threads import (
    TensorRange,
    in_order,
    stretches,
    threads_for,
)
from pruneapp.kernels.threshold import kept_of
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


class MaskTarget(NamedTuple):
    """Where the mask of one tensor is written, as bits, 1-D: `base` where nothing goes, to `out`.

    All elements of `base` may be the same memory; `out` may be `base` itself.
    """

    base: Bits
    out: Bits


def write_cut(targets: Sequence[MaskTarget], rankings: Sequence[Magnitudes], count: int) -> None:
    """Write every mask: 0 where one of the `count` lowest is, else the bits of `base`.

    Of the elements with just the key of the cut the first in order go; what is not ranked stays.
    """
    threshold = CpuKernel().find_threshold(rankings, count, Job())
    sizes = [ranking.size for ranking in rankings]

    def work(task: tuple[TensorRange, ...]) -> list[NDArray[np.uint32]]:
        return [_write(targets[s.index], rankings[s.index], s, threshold) for s in task]

    tasks = list(stretches(sizes))
    ties = threshold.ties
    written = in_order(tasks, work, Job(), threads_for(sum(sizes)))
    for task, struck in zip(tasks, written, strict=True):
        for stretch, places in zip(task, struck, strict=True):
            going = places[:ties]
            targets[stretch.index].out[stretch.start : stretch.stop][going] = 0
            ties -= going.size


def _write(
    values: MaskTarget, ranking: Magnitudes, stretch: TensorRange, threshold: Threshold
) -> NDArray[np.uint32]:
    """Write a stretch, all ties of which stay for now; returns where in it the ties are."""
    struck = []
    for chunk in ranking.keys(stretch.start, stretch.stop):
        start, stop = chunk.start, chunk.start + chunk.keys.size
        cut = chunk.keys.dtype.type(threshold.key)
        kept = kept_of(ranking, start, chunk.keys.size)
        stays = chunk.keys >= cut
        if kept is not None:
            stays |= ~kept
        # bits x 0 and bits x 1: no branch, and exact on unsigned integers.
        np.multiply(values.base[start:stop], stays, out=values.out[start:stop])
        if not threshold.ties:
            continue
        equal = np.equal(chunk.keys, cut, out=stays)
        if kept is not None:
            equal &= kept
        if equal.any():
            places = np.flatnonzero(equal) + (start - stretch.start)
            struck.append(places.astype(np.uint32))
    return np.concatenate(struck) if struck else np.empty(0, np.uint32)


_FLOATS: dict[torch.dtype, DType] = {
    getattr(torch, d.torch): d for d in DTYPES.values() if d.prunable
}


def float_type(dtype: torch.dtype) -> DType | None:
    """Return the declaration of a float type that can be ranked by its bits, else None."""
    return _FLOATS.get(dtype)


def is_float8(t: torch.Tensor) -> bool:
    """Whether torch stores `t` but computes next to nothing with it."""
    return t.dtype.is_floating_point and t.dtype.itemsize == 1


def as_integers(t: torch.Tensor) -> torch.Tensor:
    """View the elements as integers of the same width: a view, 1-D if `t` is contiguous."""
    return t.detach().view(INTEGERS[t.dtype.itemsize * 8])


def numpy_bits(t: torch.Tensor) -> Bits:
    """View the bits of a contiguous tensor of the CPU as a 1-D array of unsigned integers."""
    width = t.dtype.itemsize * 8
    bits: Bits = as_integers(t).reshape(-1).numpy().view(f"uint{width}")
    return bits


def read_bits(bits: Bits, start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
    """Read bits in memory as a kernel reads those of a file: one chunk, no copy."""
    yield RawChunk(start, bits[start:stop])


class Resident(TorchKernel):
    """Finds the cut of one tensor where it lies: 1-D scores of a float type, on any device.

    `kept`, on the same device, says what is ranked.
    """

    def __init__(self, scores: Tensor, kept: Tensor | None, length: int = LENGTH) -> None:
        super().__init__(str(scores.device), worth_moving=0, length=length)
        dtype = float_type(scores.dtype)
        if dtype is None:
            raise ValueError(f"scores of a float type expected (got {scores.dtype})")
        self._bits = as_integers(scores.contiguous()).view(-1)
        self._there = kept
        bits = None if kept is None else BitMask(pack(kept).cpu().numpy(), kept.numel())
        self.ranking = Magnitudes(self._read, scores.numel(), dtype, bits)

    def prune_lowest(self, mask: Tensor, count: int) -> None:
        """Set `mask`, 1-D integers, to 0 where the `count` smallest magnitudes are."""
        threshold = self.find_threshold([self.ranking], count, Job())
        ties = threshold.ties
        for chunk in self._chunks([self.ranking], Job()):
            at_or_above, equal = compare(chunk.keys, chunk.kept, threshold.key)
            below = ~at_or_above if chunk.kept is None else chunk.kept & ~at_or_above
            if ties:
                going = equal.nonzero().view(-1)[:ties]
                below[going] = True
                ties -= going.numel()
            mask[chunk.stretch.start : chunk.stretch.stop].masked_fill_(below.to(mask.device), 0)

    def _read(self, start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        """Fetch a few elements: those of a sample, or all of a small tensor."""
        bits = self._bits[start:stop].cpu().numpy()
        yield RawChunk(start, bits.view(f"uint{8 * bits.itemsize}"))

    def _chunks(self, rankings: Sequence[Ranking], job: Job) -> Generator[DeviceChunk, None, None]:
        # Nothing is read and nothing moved: slices of what is there.
        for task in stretches([ranking.size for ranking in rankings], self._length):
            for stretch in task:
                job.cancel.check()
                part = slice(stretch.start, stretch.stop)
                keys = magnitude_keys(self._bits[part], self.ranking.form)
                kept = None if self._there is None else self._there[part]
                yield DeviceChunk(stretch, keys, kept)


def lowest_whole_numbers(flat: Tensor, count: int, kept: Tensor | None) -> Tensor:
    """Return which of some whole numbers, 1-D, are the `count` smallest in magnitude, as bool."""
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
    """Set `mask` (contiguous, any type) to 0 where the `count` smallest magnitudes of `scores` are.

    Only where `kept`, of the same shape, is True elements are ranked and may go.
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
        lowest = lowest_whole_numbers(flat, count, None if kept is None else kept.reshape(-1))
        as_integers(mask).view(-1).masked_fill_(lowest.to(mask.device), 0)


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
    targets = [MaskTarget(bits, bits) for bits in map(numpy_bits, masks)]
    write_cut(targets, _rankings(scores, kept), count)


def without_lowest(base: Tensor, scores: Tensor, count: int, kept: Tensor | None = None) -> Tensor:
    """Return a contiguous copy of `base` after `zero_lowest`, with its values written once.

    Elements of `base` may share memory.
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
    write_cut(targets, _rankings(scores, kept), count)
    return masks


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
    for tensor, dtype, kept_elements in zip(scores, dtypes, kept, strict=True):
        assert dtype is not None  # see can_share_a_threshold
        bits = numpy_bits(tensor.detach().contiguous())
        ranked = (
            None if kept_elements is None else BitMask.from_bools(kept_elements.reshape(-1).numpy())
        )
        rankings.append(Magnitudes(partial(read_bits, bits), bits.size, dtype, ranked, width))
    return rankings
