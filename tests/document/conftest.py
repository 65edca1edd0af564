"""Small models that the tests of the document share."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from memory_checkpoint import MemoryCheckpoint


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where journals are kept."""
    return tmp_path / "journals"


@pytest.fixture
def model() -> MemoryCheckpoint:
    """Two convolutions, a tied linear layer, a norm, and a counter that cannot be pruned."""
    rng = np.random.default_rng(0)

    def f32(*shape):
        return rng.normal(size=shape).astype(np.float32)

    return MemoryCheckpoint(
        {
            "module.conv1.weight": f32(8, 3, 3, 3),
            "module.bn1.weight": f32(8),
            "module.bn1.num_batches_tracked": np.array(7, np.int64),
            "module.conv2.weight": f32(16, 8, 3, 3),
            "module.fc.weight": f32(10, 64),
            "module.fc.bias": f32(10),
        },
        chunk=100,
        **{
            "module.conv1.weight": {"kind": "Conv2d", "by_default": True},
            "module.conv2.weight": {"kind": "Conv2d", "by_default": True},
            "module.fc.weight": {
                "kind": "Linear",
                "by_default": True,
                "aliases": ("module.decoder.weight",),
            },
        },
    )
