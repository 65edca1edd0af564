"""The heat map in a real window: editing, read-out, orientation, comparison."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from safetensors.torch import save_file

from pruneapp.gui.app.settings import COLOR_MAP, Settings
from pruneapp.gui.plots.heatmap import requests
from pruneapp.gui.plots.heatmap.shading import Mode
from tests.support.plot_views import put_cursor

Key = Qt.Key


@pytest.fixture
def weights():
    return torch.randn(16, 8, 3, 3, generator=torch.Generator().manual_seed(1))


@pytest.fixture
def view(user, weights, tmp_path):
    user.window.resize(1500, 900)  # wide enough for the editing buttons and seven pages
    path = tmp_path / "model.safetensors"
    save_file({"conv.weight": weights, "fc.weight": torch.randn(10, 16)}, path)
    user.open_file(path)
    user.click_cell("conv.weight")
    view = user.views.pages.weights
    user.wait(lambda: view.canvas.item.fine is not None and not view.stale)
    return view


def settled(user, view):
    user.wait(lambda: user.workbench.jobs.is_idle and view._tile_requests.is_complete)


def mask_of(user, shape):
    mask = user.document.masks.get("conv.weight")
    size = int(np.prod(shape))
    return (np.ones(size, bool) if mask is None else mask.bools(0, size)).reshape(shape)


def test_a_channel_is_pruned_and_another_protected_on_the_picture(user, view, weights):
    port = view.canvas.viewport()
    user.click(view.tools.tools["channel"])
    QTest.mouseClick(port, Qt.MouseButton.LeftButton, pos=view.canvas.pixel_of(3 * 3 + 1, 5))
    user.click(view.tools.operations.buttons["prune"])
    user.wait(lambda: user.document.position == 1)
    settled(user, view)
    expected = np.ones((16, 8, 3, 3), bool)
    expected[3] = False
    np.testing.assert_array_equal(mask_of(user, weights.shape), expected)
    view.canvas.setFocus()
    user.qtbot.mouseMove(port, view.canvas.pixel_of(10, 5))
    view.canvas.hovered.emit((10, 5))
    user.wait(lambda: "pruned in step 1" in view.readout.text())
    value = view.readout.text().replace("−", "-").split(" was ")[1].split()[0]
    assert view.readout.text().startswith("[out 3, in 1, 1, 2] was ")
    assert np.float32(value) == weights[3, 1, 1, 2].numpy(), "the values of the file"

    QTest.mouseClick(port, Qt.MouseButton.LeftButton, pos=view.canvas.pixel_of(5 * 3, 5))
    user.qtbot.keyClick(view.canvas, Key.Key_P)
    user.wait(lambda: user.document.position == 2)
    settled(user, view)
    assert "protected" in view.legend.words()
    view.canvas.hovered.emit((15, 5))
    user.wait(lambda: view.readout.text().endswith("protected"))

    user.choose(user.rule.method, "Ln structured (channels)")
    user.ask_amount("25 %")  # 4 of the 15 unpruned weights
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 3)
    mask = mask_of(user, weights.shape)
    gone = [c for c in range(16) if not mask[c].any()]
    assert 5 not in gone
    norms = weights.flatten(1).norm(dim=1)
    norms[3], norms[5] = -1, torch.inf
    order = torch.argsort(norms)[:5].tolist()
    assert gone == sorted(order)
    for _ in range(3):
        user.key("Ctrl+Z")
    user.wait(lambda: user.document.position == 0)
    assert mask_of(user, weights.shape).all()


def test_the_table_follows_undo_and_redo(user, view):
    """The table hides the canvas, but the tiles are still loaded."""
    rows = [(3, column) for column in range(view.canvas.item.layout.columns)]
    columns = view.canvas.item.layout.columns

    def kept_in_table():
        model = view._table.numbers
        head = [model.headerData(c, Qt.Orientation.Horizontal) for c in range(model.columnCount())]
        at = head.index("Kept")
        return {model.data(model.index(row * columns + column, at)) for row, column in rows}

    port, row_3 = view.canvas.viewport(), view.canvas.pixel_of(3, 5)
    put_cursor(view, (1, 0, 0, 0))  # row 3 of the heat map
    user.click(view.tools.tools["channel"])
    QTest.mouseClick(port, Qt.MouseButton.LeftButton, pos=row_3)
    view.canvas.hovered.emit(None)
    user.click(view._table_button)
    assert view.shows_table
    assert kept_in_table() == {"1"}
    user.wait(lambda: view.readout.text().endswith("kept"))
    user.click(view.tools.operations.buttons["prune"])
    user.wait(lambda: user.document.position == 1)
    user.wait(lambda: kept_in_table() == {"0"})
    user.wait(lambda: "pruned in step 1" in view.readout.text())
    user.key("Ctrl+Z")
    user.wait(lambda: user.document.position == 0)
    assert user.window.actions_["redo"].isEnabled()
    user.wait(lambda: kept_in_table() == {"1"})
    user.wait(lambda: view.readout.text().endswith("kept"))
    user.key("Ctrl+Shift+Z")
    user.wait(lambda: kept_in_table() == {"0"})


def test_keys_alone_prune_a_rectangle(user, view, weights):
    view.canvas.setFocus()
    put_cursor(view, (2, 1, 0, 0))
    for key in (Key.Key_Right, Key.Key_Down):
        user.qtbot.keyClick(view.canvas, key, Qt.KeyboardModifier.ShiftModifier)
    user.qtbot.keyClick(view.canvas, Key.Key_Delete)
    user.wait(lambda: user.document.position == 1)
    expected = np.ones((16, 8, 3, 3), bool)
    expected[2, 1, :2, :2] = False
    np.testing.assert_array_equal(mask_of(user, weights.shape), expected)
    user.qtbot.keyClick(view.canvas, Key.Key_R)
    user.wait(lambda: user.document.position == 2)
    assert mask_of(user, weights.shape).all()

    # The mode Result shows what an export has.
    put_cursor(view, (7, 0, 0, 0))
    user.qtbot.keyClick(view.canvas, Key.Key_C)
    user.qtbot.keyClick(view.canvas, Key.Key_Delete)
    user.wait(lambda: user.document.position == 3)
    user.choose(view.modes.mode_box, "Result")
    assert view.mode is Mode.RESULT
    settled(user, view)
    shown = view.canvas.item.fine.values
    assert not shown[21:24].any()
    assert shown[:21].all()


def test_another_plane_shows_its_values(user, view, weights):
    user.click(view.modes.axes_button)
    for _ in range(2):
        user.qtbot.keyClick(view.axes.down_box, Key.Key_Down)
    settled(user, view)
    user.qtbot.keyClick(view.axes.sliders[2], Key.Key_Right)
    settled(user, view)
    tile = view.canvas.item.fine
    np.testing.assert_array_equal(tile.values, weights[:, :, 1, 0].T.numpy())
    assert view.canvas.rows.labelText == "input channel"


def test_a_large_tensor_is_looked_at_first(user, tmp_path, monkeypatch):
    monkeypatch.setattr(requests, "LARGE", 1 << 20)
    path = tmp_path / "large.safetensors"
    save_file({"fc.weight": torch.randn(4000, 3000)}, path)
    user.open(path)
    view = user.views.pages.weights
    came = []
    take = view.set_tile

    def note(tile, generation=None):
        came.append(tile.sampled)
        take(tile, generation)

    monkeypatch.setattr(view, "set_tile", note)
    user.wait_open(path)
    user.wait(lambda: False in came)
    assert came[0]
    settled(user, view)
    assert not view.canvas.item.fine.sampled
    assert "sampled" not in view.legend.words()


def test_contrast_is_kept_for_each_tensor_of_the_file_and_the_color_map_for_all(
    user, view, weights, tmp_path
):
    bar = view.color_bar
    automatic = bar.limits
    user.click(bar, QPoint(round(bar.x_of(automatic.high)), bar.height() - 6))
    user.key("PgDown", bar)
    chosen = bar.limits
    assert chosen.high < automatic.high
    user.click_cell("fc.weight")
    user.wait(lambda: view.canvas.item.fine is not None)
    assert bar.limits != chosen
    user.click_cell("conv.weight")
    user.wait(lambda: view.canvas.item.fine is not None)
    assert bar.limits == chosen
    user.menu("View", "Color map", "Viridis")
    place = view.canvas.pixel_of(*divmod(int(weights.reshape(16, 8, 9).abs().argmax()), 72))
    assert view.canvas.item.tables.bar(Mode.MAGNITUDE, signed=False)[-1] & 0xFFFFFF == 0xFDE725
    user.click(view.canvas, place)
    view._open_menu()
    (menu,) = (m for m in view.findChildren(QMenu) if m.isVisible())
    texts = [action.text().replace("&", "") for action in menu.actions()]
    menu.close()
    assert {"Color map", "Reset contrast limits", "Save PNG…"} <= set(texts)
    user.workbench.settings.flush()
    assert Settings(user.workbench.settings._path).get(COLOR_MAP) == "viridis"
    other = tmp_path / "other.safetensors"
    save_file({"conv.weight": weights}, other)
    user.open_file(other)
    user.wait(lambda: view.canvas.item.fine is not None and not view.stale)
    assert bar.limits == automatic
