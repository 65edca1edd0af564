"""The smallest magnitudes of a tensor that lies on a GPU, found and struck there.

The search of the kernels, on slices of the tensor itself: one sample, one pass to count, one to
strike, where ``torch.kthvalue`` needs keys and truth values for the whole tensor at once.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import torch
from torch import Tensor

from pruneapp.checkpoint.elements_chunks import RawChunk
from pruneapp.kernels.gpu import LENGTH, DeviceChunk, TorchKernel
from pruneapp.kernels.gpu_device_keys import compare, magnitude_keys, pack
from pruneapp.kernels.kernel import Ranking
from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.kernels.threads import TensorRange, stretches
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.prune.ranking_bits import as_integers, float_type


class Resident(TorchKernel):
    """Finds the cut of one tensor where it lies.

    Parameters
    ----------
    scores
        1-D, of a float type; on any device.
    kept
        bool, 1-D, on the same device: what is ranked; None for all.
    length
        Elements of a slice, a multiple of 8. Results do not depend on it.
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

    def strike(self, mask: Tensor, count: int) -> None:
        """Set `mask`, 1-D integers, to 0 where the `count` smallest magnitudes are."""
        threshold = self.find_threshold([self.ranking], count, Job())
        ties = threshold.ties
        for chunk in self._chunks([self.ranking], Job()):
            at_or_above, equal = compare(chunk.keys, chunk.kept, threshold.key)
            gone = ~at_or_above if chunk.kept is None else chunk.kept & ~at_or_above
            if ties:
                going = equal.nonzero().view(-1)[:ties]
                gone[going] = True
                ties -= going.numel()
            mask[chunk.stretch.start : chunk.stretch.stop].masked_fill_(gone.to(mask.device), 0)

    def _read(self, start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        """Fetch a few elements: those of a sample, or all of a small tensor."""
        bits = self._bits[start:stop].cpu().numpy()
        yield RawChunk(start, bits.view(f"uint{8 * bits.itemsize}"))

    def _chunks(self, rankings: Sequence[Ranking], job: Job) -> Generator[DeviceChunk, None, None]:
        # Nothing is read and nothing moved: slices of what is there.
        for task in stretches([ranking.size for ranking in rankings], self._length):
            for stretch in task:
                job.cancel.check()
                yield self._slice(stretch)

    def _slice(self, stretch: TensorRange) -> DeviceChunk:
        part = slice(stretch.start, stretch.stop)
        keys = magnitude_keys(self._bits[part], self.ranking.form)
        return DeviceChunk(stretch, keys, None if self._there is None else self._there[part])


def zero_lowest_there(mask: Tensor, scores: Tensor, count: int, kept: Tensor | None) -> None:
    """Do what `zero_lowest` does on the device of `scores`, floats of any type."""
    ranked = None if kept is None else kept.reshape(-1)
    Resident(scores.detach().reshape(-1), ranked).strike(as_integers(mask).view(-1), count)


def lowest_whole_numbers(flat: Tensor, count: int, kept: Tensor | None) -> Tensor:
    """Return which of some whole numbers, 1-D, are the `count` smallest in magnitude, as bool."""
    keys = flat.to(torch.int64).abs()
    if kept is not None:
        keys = keys.masked_fill(~kept, torch.iinfo(keys.dtype).max)
    threshold = torch.kthvalue(keys, count).values
    gone = keys < threshold
    ties = count - int(gone.count_nonzero())
    for start in range(0, keys.numel(), LENGTH):
        if not ties:
            break
        equal = (keys[start : start + LENGTH] == threshold).nonzero().view(-1)[:ties]
        gone[start + equal] = True
        ties -= equal.numel()
    return gone
