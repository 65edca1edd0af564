"""A GGUF file in the window: floats are pruned and exported, quantized tensors are shown."""

from __future__ import annotations

import gguf
import numpy as np
import pytest
from PySide6.QtCore import Qt

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.tree.columns import Column
from tests.support.gguf_files import llama, write_gguf

QUANTIZED = "blk.0.ffn_up.weight"


@pytest.fixture
def path(tmp_path):
    weights = np.random.default_rng(0).normal(size=(64, 32)).astype(np.float32)
    raw = gguf.quants.quantize(weights, gguf.GGMLQuantizationType.Q8_0)
    return write_gguf(tmp_path / "m.gguf", {**llama(), QUANTIZED: ("Q8_0", raw)}, vocabulary=9)


def test_a_quantized_tensor_has_a_picture_and_no_check_box(user, path, tmp_path):
    user.open_file(path)
    assert QUANTIZED not in user.views.tree.checked_names()
    assert user.cell(QUANTIZED, Column.TYPE) == "Q8_0"
    user.click_cell(QUANTIZED)
    pages = user.views.pages
    view = pages.weights
    user.wait(lambda: view.canvas.item.fine is not None and not view.stale)
    assert "quantized as Q8_0" in pages.heading.details.text()
    for page in (Page.DISTRIBUTION, Page.CHANNELS, Page.MODEL):
        user.click(pages.tabs, pages.tabs.tabRect(page).center())
        user.wait_idle()
    assert not user.trouble

    # The filter finds the names of transformers.
    user.filter("model.layers.1.self_attn.q_proj")
    tree = user.views.tree
    user.views.tree.view.setFocus()
    user.key("Ctrl+A")
    assert [name for name in tree.checked_names() if name.startswith("blk.1.attn_q")]
    index = tree.model.index_of(
        next(n for n, p in enumerate(tree.model.nodes.paths) if p == "blk.1.attn_q.weight")
    )
    tooltip = index.data(Qt.ItemDataRole.ToolTipRole)
    assert "in transformers: model.layers.1.self_attn.q_proj.weight" in tooltip

    # It is pruned and exported in place.
    user.filter("")
    user.key("Ctrl+A", user.views.tree.view)
    user.ask_amount("50%")
    user.wait_preview()
    user.prune()
    user.export(tmp_path / "out.gguf", "gguf")
    user.close_report()
    with open_checkpoint(tmp_path / "out.gguf") as found:
        values = found.bits("blk.1.attn_q.weight")
        quantized = found.bits(QUANTIZED)
    with open_checkpoint(path) as original:
        assert np.array_equal(quantized, original.bits(QUANTIZED))
    assert (values == 0).sum() > 400
