"""Torch's operations, for devices that the kernel does not serve, make the kernel's masks."""

import pytest
import torch

from pruneapp import prune
from pruneapp.prune.lowest import _lowest, zero_lowest, zero_lowest_of_all

FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16] + [
    getattr(torch, f"float8_{n}") for n in ("e5m2", "e4m3fn", "e5m2fnuz", "e4m3fnuz")
]


def awkward(dtype, size=600):
    """Ties, zeros of both signs, infinities and NaN where the type has them."""
    values = torch.randn(size, generator=torch.Generator().manual_seed(2))
    values[::7] = 0.0
    values[1::7] = -0.0
    values[2::50] = torch.nan
    values[3::50] = -torch.nan
    values[4::50] = torch.inf
    return values.to(dtype)


def kernel_mask(scores, count, kept):
    """Return the mask that the kernel of the CPU makes."""
    mask = torch.ones(scores.numel())
    zero_lowest(mask, scores, count, kept)
    return mask


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("part", [False, True], ids=["all", "kept"])
def test_both_ways_make_the_same_masks(dtype, part):
    """Also where only some elements are ranked, and at every border."""
    scores = awkward(dtype)
    kept = torch.arange(scores.numel()) % 3 != 0 if part else None
    most = scores.numel() if kept is None else int(kept.sum())
    for count in (1, 2, 100, most // 2, most - 1, most):
        by_torch = _lowest(scores, count, kept)
        by_kernel = kernel_mask(scores, count, kept) == 0
        assert torch.equal(by_torch, by_kernel)
        assert int(by_torch.sum()) == count


@pytest.mark.parametrize("dtype", FLOATS)
def test_several_tensors_are_cut_as_if_they_were_one(dtype):
    """Ties go in the order of the tensors, and each keeps to the places that are ranked."""
    scores = awkward(dtype)
    parts = list(scores.split([1, 300, 99, 200]))
    for count in (1, 250, 600):
        masks = [torch.ones(p.numel(), dtype=dtype) for p in parts]
        zero_lowest_of_all(masks, parts, count, [None] * 4)
        joined = torch.cat([m.float() for m in masks])
        assert torch.equal(joined, kernel_mask(scores, count, None))


@pytest.mark.parametrize("dtype", [torch.int64, torch.int16, torch.uint8])
def test_whole_numbers_are_ranked_by_their_magnitude(dtype):
    """Torch prunes them, too."""
    scores = torch.tensor([3, 1, 2, 1, 0]).to(dtype)
    assert _lowest(scores, 2, None).tolist() == [False, True, False, False, True]


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
