"""The heat map in a real window: editing, read-out, orientation, comparison."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from safetensors.torch import save_file

from pruneapp.gui.plots.heatmap import requests
from pruneapp.gui.plots.heatmap.shading import Mode
from tests.support.plot_views import put_cursor

Key = Qt.Key


@pytest.fixture
def weights():
    return torch.randn(16, 8, 3, 3, generator=torch.Generator().manual_seed(1))


@pytest.fixture
def view(person, weights, tmp_path):
    person.window.resize(1500, 900)  # wide enough for the editing buttons and seven pages
    path = tmp_path / "model.safetensors"
    save_file({"conv.weight": weights, "fc.weight": torch.randn(10, 16)}, path)
    person.open_file(path)
    person.click_cell("conv.weight")
    view = person.views.pages.weights
    person.wait(lambda: view.canvas.item.fine is not None and not view.stale)
    return view


def settled(person, view):
    person.wait(lambda: person.workbench.jobs.is_idle and view._tile_requests.is_complete)


def mask_of(person, shape):
    mask = person.document.masks.get("conv.weight")
    size = int(np.prod(shape))
    return (np.ones(size, bool) if mask is None else mask.bools(0, size)).reshape(shape)


def test_a_channel_is_pruned_and_another_protected_on_the_picture(person, view, weights):
    port = view.canvas.viewport()
    person.click(view.tools.tools["channel"])
    QTest.mouseClick(port, Qt.MouseButton.LeftButton, pos=view.canvas.pixel_of(3 * 3 + 1, 5))
    person.click(view.tools.operations.buttons["prune"])
    person.wait(lambda: person.document.position == 1)
    settled(person, view)
    expected = np.ones((16, 8, 3, 3), bool)
    expected[3] = False
    np.testing.assert_array_equal(mask_of(person, weights.shape), expected)
    view.canvas.setFocus()
    person.qtbot.mouseMove(port, view.canvas.pixel_of(10, 5))
    view.canvas.hovered.emit((10, 5))
    person.wait(lambda: "pruned in step 1" in view.readout.text())
    value = view.readout.text().replace("−", "-").split(" = ")[1].split()[0]
    assert view.readout.text().startswith("[out 3, in 1, 1, 2] = ")
    assert np.float32(value) == weights[3, 1, 1, 2].numpy(), "the values of the file"

    QTest.mouseClick(port, Qt.MouseButton.LeftButton, pos=view.canvas.pixel_of(5 * 3, 5))
    person.qtbot.keyClick(view.canvas, Key.Key_P)
    person.wait(lambda: person.document.position == 2)
    settled(person, view)
    assert "protected" in view.legend.words()
    view.canvas.hovered.emit((15, 5))
    person.wait(lambda: view.readout.text().endswith("protected"))

    person.choose(person.rule.method, "Ln structured (channels)")
    person.ask_amount("25 %")  # 4 of the 15 unpruned weights
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: person.document.position == 3)
    mask = mask_of(person, weights.shape)
    gone = [c for c in range(16) if not mask[c].any()]
    assert 5 not in gone
    norms = weights.flatten(1).norm(dim=1)
    norms[3], norms[5] = -1, torch.inf
    order = torch.argsort(norms)[:5].tolist()
    assert gone == sorted(order)
    for _ in range(3):
        person.key("Ctrl+Z")
    person.wait(lambda: person.document.position == 0)
    assert mask_of(person, weights.shape).all()


def test_the_table_follows_undo_and_redo(person, view):
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
    person.click(view.tools.tools["channel"])
    QTest.mouseClick(port, Qt.MouseButton.LeftButton, pos=row_3)
    view.canvas.hovered.emit(None)
    person.click(view._table_button)
    assert view.shows_table
    assert kept_in_table() == {"1"}
    assert view.readout.text().endswith("kept")
    person.click(view.tools.operations.buttons["prune"])
    person.wait(lambda: person.document.position == 1)
    person.wait(lambda: kept_in_table() == {"0"})
    person.wait(lambda: "pruned in step 1" in view.readout.text())
    person.key("Ctrl+Z")
    person.wait(lambda: person.document.position == 0)
    assert person.window.actions_["redo"].isEnabled()
    person.wait(lambda: kept_in_table() == {"1"})
    person.wait(lambda: view.readout.text().endswith("kept"))
    person.key("Ctrl+Shift+Z")
    person.wait(lambda: kept_in_table() == {"0"})


def test_keys_alone_prune_a_rectangle(person, view, weights):
    view.canvas.setFocus()
    put_cursor(view, (2, 1, 0, 0))
    for key in (Key.Key_Right, Key.Key_Down):
        person.qtbot.keyClick(view.canvas, key, Qt.KeyboardModifier.ShiftModifier)
    person.qtbot.keyClick(view.canvas, Key.Key_Delete)
    person.wait(lambda: person.document.position == 1)
    expected = np.ones((16, 8, 3, 3), bool)
    expected[2, 1, :2, :2] = False
    np.testing.assert_array_equal(mask_of(person, weights.shape), expected)
    person.qtbot.keyClick(view.canvas, Key.Key_R)
    person.wait(lambda: person.document.position == 2)
    assert mask_of(person, weights.shape).all()

    # The mode Result shows what an export has.
    put_cursor(view, (7, 0, 0, 0))
    person.qtbot.keyClick(view.canvas, Key.Key_C)
    person.qtbot.keyClick(view.canvas, Key.Key_Delete)
    person.wait(lambda: person.document.position == 3)
    person.choose(view.modes.mode_box, "Result")
    assert view.mode is Mode.RESULT
    settled(person, view)
    shown = view.canvas.item.fine.values
    assert not shown[21:24].any()
    assert shown[:21].all()


def test_another_plane_shows_its_values(person, view, weights):
    person.click(view.modes.axes_button)
    for _ in range(2):
        person.qtbot.keyClick(view.axes.down_box, Key.Key_Down)
    settled(person, view)
    person.qtbot.keyClick(view.axes.sliders[2], Key.Key_Right)
    settled(person, view)
    tile = view.canvas.item.fine
    np.testing.assert_array_equal(tile.values, weights[:, :, 1, 0].T.numpy())
    assert view.canvas.rows.labelText == "input channel"


def test_a_large_tensor_is_looked_at_first(person, tmp_path, monkeypatch):
    monkeypatch.setattr(requests, "LARGE", 1 << 20)
    path = tmp_path / "large.safetensors"
    save_file({"fc.weight": torch.randn(4000, 3000)}, path)
    person.open(path)
    view = person.views.pages.weights
    came = []
    take = view.set_tile

    def note(tile, generation=None):
        came.append(tile.sampled)
        take(tile, generation)

    monkeypatch.setattr(view, "set_tile", note)
    person.wait_open(path)
    person.wait(lambda: False in came)
    assert came[0]
    settled(person, view)
    assert not view.canvas.item.fine.sampled
    assert "sampled" not in view.legend.words()
