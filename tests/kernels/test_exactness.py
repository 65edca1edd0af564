"""Every kernel prunes the exact elements, however the work is divided."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.utils import prune as torch_prune

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.kernels import cpu
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.gpu import TorchKernel
from pruneapp.kernels.kernel import KeyRange, PlannedCut
from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from tests.kernels.contract import cut, expected_masks
from tests.kernels.exactness import SIZE, SPREADS, ExactnessContract, counts, rank, spread
from tests.support.strategies import float_types, kept_bools, raw_bits
from tests.support.tensors import magnitudes, reading

TORCH_TYPES = ["F64", "F32", "F16", "BF16"]


class TestCpuKernel(ExactnessContract):
    def kernel_of(self, threads, length):
        return CpuKernel(threads=threads, stretch=length)


class TestTorchKernelOnCpu(ExactnessContract):
    """The GPU code, run by torch on the CPU; torch manages threads."""

    def kernel_of(self, threads, length):
        return TorchKernel("cpu", worth_moving=0, length=length)


@pytest.mark.cuda
class TestTorchKernelOnCuda(ExactnessContract):
    def kernel_of(self, threads, length):
        return TorchKernel("cuda", worth_moving=0, length=length)


@pytest.mark.skipif(not torch.backends.mps.is_available(), reason="no Apple GPU on this machine")
class TestTorchKernelOnMps(ExactnessContract):
    def kernel_of(self, threads, length):
        return TorchKernel("mps", worth_moving=0, length=length)


@pytest.mark.parametrize("dtype", ["F32", "F64"])
def test_every_element_is_read_once(small, monkeypatch, dtype):
    """Threshold and masks need one pass in addition to the sample."""
    read = []
    bits = spread("normal", DTYPES[dtype])

    def reading_all(start=0, stop=None):
        stop = SIZE if stop is None else stop
        read.extend(range(start, stop))
        yield RawChunk(start, bits[start:stop])

    ranking = Magnitudes(reading_all, SIZE, DTYPES[dtype])
    cpu.sample([ranking], Job())
    sampled = len(read)
    assert 0 < sampled < SIZE // 2

    for work in (CpuKernel(2, 512).prune, CpuKernel(2, 512).find_threshold):
        read.clear()
        work([ranking], SIZE // 2, Job())

        assert len(read) == SIZE + sampled
        assert set(read) == set(range(SIZE))


@pytest.mark.parametrize("dtype", TORCH_TYPES)
@pytest.mark.parametrize("name", SPREADS)
def test_as_torch_prunes(name, dtype):
    """The same count and scores, and the same mask except at the threshold's score."""
    kind = DTYPES[dtype]
    bits = spread(name, kind)
    tensor = torch.from_numpy(bits.view(f"int{kind.bits}")).view(getattr(torch, kind.torch))
    scores = magnitudes(bits, kind)
    for count in counts(SIZE):
        _, (mask,) = cut(CpuKernel(threads=2, stretch=2048), [rank(bits, kind)], count)
        ours = ~mask.bools()
        method = torch_prune.L1Unstructured(count)
        theirs = (method.compute_mask(tensor, torch.ones_like(tensor)) == 0).numpy()
        pruned = np.sort(scores[ours])
        at_the_cut = np.isclose(scores, pruned[-1], rtol=0, atol=0, equal_nan=True)

        assert ours.sum() == theirs.sum() == count
        assert np.array_equal(pruned, np.sort(scores[theirs]), equal_nan=True)
        assert np.array_equal(ours[~at_the_cut], theirs[~at_the_cut])


# Pruning with a hint of the threshold


@given(
    data=st.data(), dtype=float_types, sizes=st.lists(st.integers(0, 60), min_size=1, max_size=3)
)
def test_the_cut_is_found_where_it_is_said_to_be_or_not_at_all(small, data, dtype, sizes):
    bits = [data.draw(raw_bits(dtype, size)) for size in sizes]
    kept = [data.draw(kept_bools(size)) for size in sizes]
    left = sum(s if k is None else int(k.sum()) for s, k in zip(sizes, kept, strict=True))
    if not left:
        return
    count = data.draw(st.integers(1, left))
    masks = [None if k is None else BitMask.from_bools(k) for k in kept]
    rankings = [
        Magnitudes(reading(b, 7), b.size, dtype, m) for b, m in zip(bits, masks, strict=True)
    ]
    keys = np.concatenate([c.keys.copy() for r in rankings for c in r.keys()])  # noqa: SIM118 - no dict
    there = np.concatenate(
        [np.ones(s, bool) if k is None else k for s, k in zip(sizes, kept, strict=True)]
    )
    ends = [int(data.draw(st.sampled_from(keys.tolist()))) for _ in range(2)]
    low, high = min(ends), max(ends)
    inside = (keys >= low) & (keys <= high) & there
    job = Job()

    planned = PlannedCut(rankings, count, KeyRange(low, high, int(inside.sum())))
    (cut,) = CpuKernel().prune_each([planned], job)

    scores = [magnitudes(b, dtype) for b in bits]
    expected = expected_masks(scores, kept, count)[: len(sizes)]
    assert cut.masks == expected
    below = int(np.count_nonzero((keys < low) & there))
    if not below < count <= below + int(inside.sum()):
        assert cut.pruned_keys is None
        return
    assert cut.pruned_keys is not None
    went = there & ~np.concatenate([mask.bools() for mask in expected])
    near = np.split(went & inside, np.cumsum(sizes)[:-1])
    own = np.split(keys, np.cumsum(sizes)[:-1])
    for taken, where, all_keys in zip(cut.pruned_keys, near, own, strict=True):
        assert taken.tolist() == all_keys[where].tolist()
