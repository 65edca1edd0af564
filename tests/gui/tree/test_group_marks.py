"""Tensors of the same group as the current one are marked in the tree."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt

from pruneapp.analysis.sparsity_report import Danger, Severity
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.edits.group_edit import TensorGroup
from pruneapp.gui.tree.columns import Column
from pruneapp.gui.tree.delegate import GLYPH_WIDTH
from pruneapp.gui.tree.model import TreeModel
from pruneapp.gui.tree.nodes import build_nodes
from tests.gui.user import node_named
from tests.support.model_folders import write_llama

MLP, ATTENTION = "model.layers.1.mlp.", "model.layers.1.self_attn."
DESCRIPTION = int(Qt.ItemDataRole.AccessibleDescriptionRole)


@pytest.fixture
def llama(user, tmp_path):
    user.open_file(write_llama(tmp_path / "llama"))
    user.views.tree.setMinimumWidth(500)  # names do not reach the marks
    return user


def mark_colors(user, name, column=Column.NAME):
    """Return the colors at the mark of a row; without a mark, that is one background color."""
    tree = user.views.tree
    index = tree.model.index_of(node_named(tree, name), column)
    tree.view.scrollTo(index)
    cell = tree.view.visualRect(index)
    assert cell.isValid(), name
    left = cell.left() if column == Column.SPARSITY else cell.right() - GLYPH_WIDTH + 1
    image = tree.view.viewport().grab(QRect(left, cell.top(), 12, cell.height())).toImage()
    return {
        image.pixelColor(x, y).name()
        for x in range(image.width())
        for y in range(2, image.height() - 2)
    }


def is_marked(user, name):
    return len(mark_colors(user, name)) > 1


def index_of(user, name):
    tree = user.views.tree
    return tree.model.index_of(node_named(tree, name))


def look_at(user, name):
    user.click_cell(name)
    user.wait_idle()
    user.pause(20)


def test_members_of_the_focused_tensor_are_marked(llama):
    for theme_name in ("dark", "light"):
        llama.window.actions_[f"theme_{theme_name}"].trigger()
        llama.click_cell(ATTENTION + "q_proj.weight")
        look_at(llama, MLP + "up_proj.weight")
        colors = llama.views.tree.view.delegate.colors
        for name in ("gate_proj.weight", "down_proj.weight"):
            assert colors["text"] in mark_colors(llama, MLP + name)
        for name in (MLP + "up_proj.weight", ATTENTION + "q_proj.weight"):
            assert not is_marked(llama, name)
        look_at(llama, ATTENTION + "v_proj.weight")
        assert not is_marked(llama, MLP + "gate_proj.weight")
        assert is_marked(llama, ATTENTION + "o_proj.weight")


def test_tooltip_and_description_say_what_is_pruned_together(llama, tmp_path):
    look_at(llama, MLP + "up_proj.weight")
    said = (
        f"FFN neurons of model.layers.1.mlp: pruned together with {MLP}up_proj.weight, "
        f"{MLP}down_proj.weight."
    )
    gate = index_of(llama, MLP + "gate_proj.weight")
    assert said in gate.data(Qt.ItemDataRole.ToolTipRole)
    assert gate.data(DESCRIPTION) == said
    assert index_of(llama, "model.norm.weight").data(DESCRIPTION) == ""
    # The mark does not move when a danger glyph appears, as only the numbers are painted then.
    name = MLP + "gate_proj.weight"
    llama.wait_preview()  # of the step that is previewed after opening
    llama.wait_idle()
    llama.views.tree.model.set_preview(None)
    llama.pause(20)
    llama.views.tree.model.set_preview({name: 8192}, {name: Danger(Severity.ALL, 0.0)})
    llama.pause(20)
    assert is_marked(llama, name)
    danger = llama.views.tree.view.delegate.colors["danger"]
    assert danger in mark_colors(llama, name, Column.SPARSITY)
    llama.views.tree.model.set_preview(None)

    look_at(llama, "model.embed_tokens.weight")
    assert is_marked(llama, "lm_head.weight")
    look_at(llama, "lm_head.weight")
    assert gate.data(DESCRIPTION) == ""
    assert index_of(llama, "model.embed_tokens.weight").data(DESCRIPTION) == (
        "Tokens: pruned together with lm_head.weight."
    )

    model = index_of(llama, "model")
    assert not is_marked(llama, "model"), "its tensors are visible"
    llama.views.tree.view.setExpanded(model, False)
    assert is_marked(llama, "model")
    said = "Below this module: 1 tensor, pruned together with lm_head.weight."
    assert said in model.data(Qt.ItemDataRole.ToolTipRole)

    llama.open_file(write_llama(tmp_path / "zorblax", model_type="zorblax"))
    look_at(llama, MLP + "up_proj.weight")
    assert llama.workbench.groups.groups == ()
    assert not is_marked(llama, MLP + "gate_proj.weight")


def test_a_hundred_thousand_tensors_are_marked_in_a_moment(qtbot):
    rows = [
        TensorRow(n := f"layers.{i}.weight", n, "Linear", (2, 2), "float32", 4, 16, by_default=True)
        for i in range(100_000)
    ]
    model = TreeModel()
    model.set_nodes(build_nodes(rows))
    names = tuple(row.name for row in rows[1:])
    for others, most in ((names, 0.1), (names[:2], 0.02)):
        group = TensorGroup("channels", "Channels", "layers", 0, 1, np.zeros(2, np.int32), others)
        taken = []
        for _ in range(3):
            began = time.thread_time()
            model.set_groups("layers.0.weight", (group,))
            taken.append(time.thread_time() - began)
        assert min(taken) < most
        marked = [model.cells.is_grouped(int(model.nodes.leaf[at])) for at in (0, 2, 99_999)]
        assert marked == [False, True, len(others) > 2]
