"""A window with a model of blocks for manual edits."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import save_file


@pytest.fixture
def model(tmp_path):
    """Write two blocks of a convolution with its norm, and a head."""
    generator = torch.Generator().manual_seed(4)
    tensors = {}
    for block in range(3):
        tensors[f"layers.{block}.conv1.weight"] = torch.randn(8, 4, 3, 3, generator=generator)
        tensors[f"layers.{block}.conv1.bias"] = torch.randn(8, generator=generator)
        tensors[f"layers.{block}.bn1.weight"] = torch.randn(8, generator=generator)
        tensors[f"layers.{block}.bn1.bias"] = torch.randn(8, generator=generator)
        tensors[f"layers.{block}.bn1.running_mean"] = torch.randn(8, generator=generator)
        tensors[f"layers.{block}.bn1.running_var"] = torch.rand(8, generator=generator)
    tensors["fc.weight"] = torch.randn(10, 8, generator=generator)
    tensors["steps"] = torch.arange(4)
    path = tmp_path / "model.safetensors"
    save_file(tensors, path)
    return path


@pytest.fixture
def at_work(user, model):
    return user.open_file(model)
