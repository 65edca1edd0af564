"""All implementations that prune the lowest weights give the same masks: kernel and device."""

import pytest
import torch

from pruneapp import prune
from pruneapp.kernels import cpu
from pruneapp.kernels import threads as side_by_side
from pruneapp.prune import ranking
from pruneapp.prune.ranking import (
    Resident,
    find_lowest_integers,
    without_lowest,
    zero_lowest,
    zero_lowest_of_all,
)

FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16] + [
    getattr(torch, f"float8_{n}") for n in ("e5m2", "e4m3fn", "e5m2fnuz", "e4m3fnuz")
]


def awkward(dtype, size=600):
    """Return ties, zeros of both signs, infinities and NaN where the dtype has them."""
    values = torch.randn(size, generator=torch.Generator().manual_seed(2))
    values[::7] = 0.0
    values[1::7] = -0.0
    values[2::50] = torch.nan
    values[3::50] = -torch.nan
    values[4::50] = torch.inf
    return values.to(dtype)


def kernel_mask(scores, count, kept):
    """Return the mask of the CPU kernel."""
    mask = torch.ones(scores.numel())
    zero_lowest(mask, scores, count, kept)
    return mask


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("part", [False, True], ids=["all", "kept"])
@pytest.mark.parametrize("few", [0, cpu.FEW], ids=["counting", "gathering"])
def test_a_tensor_is_cut_where_it_lies_as_by_the_kernel(monkeypatch, dtype, part, few):
    """In slices, also if only some elements are ranked, for counts at all borders."""
    monkeypatch.setattr(cpu, "FEW", few)
    scores = awkward(dtype)
    kept = torch.arange(scores.numel()) % 3 != 0 if part else None
    most = scores.numel() if kept is None else int(kept.sum())
    for count in (1, most // 2, most - 1, most):
        there = torch.ones(scores.numel(), dtype=torch.int32)
        Resident(scores, kept, length=88).prune_lowest(there, count)
        assert torch.equal(there, kernel_mask(scores, count, kept))
        assert int((there == 0).sum()) == count


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_large_tensors_are_cut_where_they_lie(dtype):
    """Large enough for sampling, with several slices and ties across them."""
    scores = torch.randn(1_300_003, generator=torch.Generator().manual_seed(4)).to(dtype)
    kept = torch.arange(scores.numel()) % 5 != 0
    for ranked in (None, kept):
        there = torch.ones(scores.numel(), dtype=torch.int32)
        Resident(scores, ranked, length=1 << 18).prune_lowest(there, 500_000)
        assert torch.equal(there, kernel_mask(scores, 500_000, ranked))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("length", [8, 64])
@pytest.mark.parametrize("threads", [1, 3])
def test_masks_are_the_same_however_the_work_is_cut(monkeypatch, dtype, length, threads):
    """Values are written in threads; ties are pruned in order."""
    scores, base = awkward(dtype), torch.rand(600) + 0.5
    cut_up = side_by_side.stretches
    kept = torch.arange(600) % 3 != 0
    for count in (1, 150, 399):
        for ranked in (None, kept):
            known = without_lowest(base, scores, count, ranked)
            with monkeypatch.context() as patch:
                patch.setattr(ranking, "stretches", lambda sizes: cut_up(sizes, length))
                patch.setattr("pruneapp.kernels.threads.WORTH_THREADS", 0)
                patch.setattr("pruneapp.kernels.threads.default_threads", lambda: threads)
                mask = without_lowest(base, scores, count, ranked)
            assert torch.equal(mask, known)
            assert torch.equal(mask != 0, kernel_mask(scores, count, ranked) != 0)
            assert torch.equal(mask[mask != 0], base[mask != 0])


def test_the_base_of_a_mask_stays_as_it_is():
    """Also an expanded scalar, a non-contiguous one, and an expanded column."""
    scores = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
    bases = [torch.ones(()).expand(2, 3), torch.ones(3, 2).T, torch.ones(2, 3)[:, :1].expand(2, 3)]
    for base in bases:
        mask = without_lowest(base, scores, 3)
        assert mask.tolist() == [[0, 0, 0], [1, 1, 1]]
        assert mask.is_contiguous()
        assert bool((base == 1).all())
    assert without_lowest(torch.ones(0, 3), torch.ones(0, 3), 0).shape == (0, 3)


@pytest.mark.parametrize("dtype", FLOATS)
def test_several_tensors_are_cut_as_if_they_were_one(dtype):
    """Ties are pruned in the order of tensors, each among its ranked elements."""
    scores = awkward(dtype)
    parts = list(scores.split([1, 300, 99, 200]))
    for count in (1, 250, 600):
        masks = [torch.ones(p.numel(), dtype=dtype) for p in parts]
        zero_lowest_of_all(masks, parts, count, [None] * 4)
        joined = torch.cat([m.float() for m in masks])
        assert torch.equal(joined, kernel_mask(scores, count, None))


@pytest.mark.parametrize("dtype", [torch.int64, torch.int16, torch.uint8])
def test_whole_numbers_are_ranked_by_their_magnitude(dtype):
    """torch prunes them as well."""
    scores = torch.tensor([3, 1, 2, 1, 0]).to(dtype)
    assert find_lowest_integers(scores, 2, None).tolist() == [False, True, False, False, True]


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("method", ["l1_unstructured", "ln_structured"])
def test_a_gpu_makes_the_masks_of_the_cpu(dtype, method):
    """Twice, so that containers are covered."""
    arguments = (0.3,) if method == "l1_unstructured" else (3, 2, 0)
    masks = []
    for device in ("cpu", "cuda"):
        module = torch.nn.Module()
        module.weight = torch.nn.Parameter(awkward(dtype).view(20, 30).to(device))
        for _ in range(2):
            getattr(prune, method)(module, "weight", *arguments)
        assert module.weight_mask.device == module.weight_orig.device
        masks.append(module.weight_mask.float().cpu())
    assert torch.equal(*masks)
