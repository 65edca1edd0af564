"""The row Connections below the picture: layers around the focused tensor, by clicks and keys."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from safetensors.numpy import save_file

from pruneapp.groups.connections import Connections, Link
from pruneapp.gui.plots.graph.connections_row import ConnectionsRow
from tests.support.model_folders import write_llama
from tests.support.onnx_models import save
from tests.support.onnx_networks import NETWORKS


def texts(row):
    return [button.text() for button in row.buttons]


@pytest.fixture
def at_network(user, tmp_path):
    """Open an ONNX model with a residual block, and focus its second convolution."""
    user.open_file(save(NETWORKS["residual"](), tmp_path / "m.onnx"))
    user.click_cell("c2.weight")
    user.row = user.views.pages.connections
    user.wait(lambda: texts(user.row) == ["c1", "bn1", "bn2"])
    return user


def button(user, text):
    return next(b for b in user.row.buttons if b.text() == text)


def test_a_click_goes_to_the_layer(at_network):
    row = at_network.row
    assert row.isVisible()
    assert row.accessibleDescription() == "c1 ▸ bn1 ▸ c2 ▸ bn2 ▸ +"
    at_network.click(button(at_network, "bn1"))
    at_network.wait(lambda: texts(row) == ["bn0", "c1", "c2", "bn2"])
    assert at_network.workbench.plots.name == "bn1.weight"
    assert at_network.views.tree.focused_name() == "bn1.weight"


def test_keys_go_along_the_graph_and_between_the_buttons(at_network):
    def name():
        return at_network.workbench.plots.name

    at_network.key("Ctrl+[")
    assert name() == "bn1.weight"
    at_network.key("Ctrl+]")  # at once, before the row shows the layers around it
    at_network.wait(lambda: name() == "c2.weight")
    at_network.wait(lambda: texts(at_network.row) == ["c1", "bn1", "bn2"])
    button(at_network, "c1").setFocus()
    at_network.key("Right")
    at_network.key("Right")
    at_network.key("Right")  # the last button keeps the focus
    assert QApplication.focusWidget() is button(at_network, "bn2")
    at_network.key("Left")
    at_network.key("Space")
    assert name() == "bn1.weight"
    at_network.wait(lambda: texts(at_network.row) == ["bn0", "c1", "c2", "bn2"])
    assert QApplication.focusWidget() is button(at_network, "c2")  # after the new tensor


def test_the_row_is_hidden_on_pages_of_the_whole_model(at_network):
    at_network.key("4", at_network.views.tree.view)
    assert not at_network.row.isVisible()
    at_network.key("1", at_network.views.tree.view)
    assert at_network.row.isVisible()


def test_a_sentence_states_that_nothing_is_known(user, tmp_path):
    save_file({"a.weight": np.ones((4, 4), np.float32)}, tmp_path / "m.safetensors")
    user.open_file(tmp_path / "m.safetensors")
    row = user.views.pages.connections
    user.wait(row.sentence.isVisible)
    assert row.sentence.text().startswith("Not known: ")
    assert row.buttons == []
    graph = user.window.actions_["page_graph"]
    assert not graph.isEnabled()
    assert "contains no graph" in graph.toolTip()
    assert row.copy.isVisible()
    user.click(row.copy)
    code = QApplication.clipboard().text()
    compile(code, "code", "exec")
    assert "from my_package import MyModel" in code
    assert f"torch.export.save(program, {str(tmp_path / 'm.pt2')!r})" in code
    assert "'m.pt2'" in user.window.done.label.text()
    user.key("Ctrl+]")  # without effect
    user.key("Ctrl+W")
    user.wait(lambda: row.connections is None)


def test_the_groups_of_a_family(user, tmp_path):
    user.open_file(write_llama(tmp_path / "llama"))
    user.click_cell("model.layers.1.mlp.down_proj.weight")
    row = user.views.pages.connections
    user.wait(lambda: texts(row) == ["gate_proj", "up_proj"])
    assert [b.accessibleName() for b in row.buttons] == [
        "Go to model.layers.1.mlp.gate_proj.weight",
        "Go to model.layers.1.mlp.up_proj.weight",
    ]


def test_a_stage_of_many_layers_is_a_menu(qtbot, show):
    row = show(ConnectionsRow(), 500, 30)
    many = tuple(Link(f"layer{n}", f"layer{n}.weight") for n in range(9))
    row.set_connections(Connections(((Link("a", "a.weight"),), many), 0))
    (only,) = row.buttons
    assert only.text() == "9 layers"
    qtbot.mouseClick(only, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(row.menu.isVisible)
    with qtbot.waitSignal(row.tensorRequested) as wanted:
        place = row.menu.actionGeometry(row.menu.actions()[3]).center()
        qtbot.mouseClick(row.menu, Qt.MouseButton.LeftButton, pos=QPoint(place))
    assert wanted.args == ["layer3.weight"]


def test_a_narrow_row_leaves_out_the_outer_stages_and_shortens_names_last(show):
    row = show(ConnectionsRow(), 700, 30)
    stages = tuple(
        (Link(name, f"{name}.weight"),) for name in ("first", "second_conv_of_block", "third")
    )
    pair = (Link("left_branch", "l.weight"), Link("right_branch", "r.weight"))
    row.set_connections(Connections((*stages, pair), 2))
    assert texts(row) == ["first", "second_conv_of_block", "left_branch", "right_branch"]
    seen = [texts(row)]
    for width in range(690, 60, -10):
        row.resize(width, 30)
        if texts(row) != seen[-1]:
            seen.append(texts(row))
    assert seen[1:3] == [
        ["first", "second_conv_of_block", "2 layers"],
        ["second_conv_of_block", "2 layers"],
    ]
    assert "…" in seen[-1][0]
