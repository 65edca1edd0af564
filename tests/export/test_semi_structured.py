"""A linear layer exported as 2:4 works with torch's semi-structured tensors."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.sparse import SparseSemiStructuredTensor, to_sparse_semi_structured
from torch.sparse._semi_structured_conversions import (
    sparse_semi_structured_from_dense_cutlass,
    sparse_semi_structured_to_dense_cutlass,
)

from pruneapp.__main__ import main

TYPES = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)


@pytest.fixture
def exported(tmp_path):
    """Provide a function that prunes a layer to 2:4 on the command line and loads it."""

    def export(dtype, shape=(128, 256)):
        generator = torch.Generator().manual_seed(0)
        weight = torch.randn(shape, generator=generator).to(dtype)
        source, target = tmp_path / "dense.safetensors", tmp_path / "sparse.safetensors"
        save_file({"fc.weight": weight}, source)
        asked = ["--method", "n_m", "--pattern", "2:4", "--device", "cpu"]
        assert main(["prune", str(source), "-o", str(target), *asked]) == 0
        return load_file(target)["fc.weight"]

    return export


@TYPES
def test_torch_packs_it_without_loss(exported, dtype):
    """The packed layout stores two of four weights, so another mask would lose data."""
    weight = exported(dtype)
    packed, places = sparse_semi_structured_from_dense_cutlass(weight)
    assert packed.shape == (128, 128)
    assert torch.equal(sparse_semi_structured_to_dense_cutlass(packed, places), weight)


@pytest.mark.cuda
@pytest.mark.filterwarnings("ignore:The PyTorch API of SparseSemiStructuredTensor")
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device; there is none here")
@TYPES
@pytest.mark.parametrize("shape", [(128, 256), (512, 1024)])
def test_its_product_is_the_dense_one(exported, dtype, shape):
    """Within the rounding of one element: both accumulate in float32, in different orders."""
    weight = exported(dtype, shape).cuda()
    inputs = torch.randn(64, shape[1], generator=torch.Generator().manual_seed(1))
    inputs = inputs.to(dtype).cuda()
    sparse = to_sparse_semi_structured(weight)
    assert isinstance(sparse, SparseSemiStructuredTensor)
    found = torch.nn.functional.linear(inputs, sparse)
    expected = inputs.double() @ weight.double().T
    room = torch.finfo(dtype).eps * expected.abs().max()
    assert (found.double() - expected).abs().max() <= room
