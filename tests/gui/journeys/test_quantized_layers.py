"""Scales of quantized layers are unchecked, and can be checked one by one after a question."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.gui.user import node_named

SCALES = "layer.scales"
REASON = "its layer is quantized (MLX)"


@pytest.fixture
def quantized(user, tmp_path):
    """Return the user with a file of a layer quantized by MLX and a plain layer."""
    path = tmp_path / "mlx.safetensors"
    tensors = {
        "layer.weight": torch.arange(64, dtype=torch.int64).reshape(8, 8).to(torch.uint32),
        SCALES: torch.rand(8, 4) + 0.1,
        "layer.biases": torch.rand(8, 4) + 0.1,
        "lm_head.weight": torch.randn(8, 8),
    }
    save_file(tensors, path)
    user.open_file(path)
    user.wait_preview()
    return user


def test_a_scale_is_checked_only_if_the_user_confirms_it(quantized, tmp_path):
    user, tree = quantized, quantized.views.tree
    assert tree.checked_names() == ("lm_head.weight",)
    assert REASON in tree.model.cells.tooltip(node_named(tree, SCALES))
    assert tree.model.checks.state(node_named(tree, "layer")) is None, (
        "a click on the module does not check scales"
    )

    asked = user.answers("Cancel")
    user.check(SCALES)
    user.wait(lambda: asked)
    user.wait_idle()
    assert f"'{SCALES}': {REASON}" in asked[0]
    assert tree.checked_names() == ("lm_head.weight",)

    asked = user.answers("Check anyway")
    user.check(SCALES)
    user.wait(lambda: SCALES in tree.checked_names())
    user.check("lm_head.weight")
    assert tree.checked_names() == (SCALES,)
    user.wait_preview()
    user.prune()
    target = tmp_path / "out.safetensors"
    user.export(target)
    assert int((load_file(target)[SCALES] == 0).sum()) > 0
    user.check(SCALES)  # unchecking asks nothing
    assert tree.checked_names() == ()
