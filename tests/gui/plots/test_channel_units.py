"""Bars of units instead of channels: heads of several rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from pruneapp.edits.group_edit import TensorGroup
from pruneapp.edits.manual_edit import ManualEditRequest
from pruneapp.gui.plots.channels import ChannelsView
from tests.gui.plots.chart_data import made_norms
from tests.support.plot_views import bar_text, colors_at, pixel

LEFT = Qt.MouseButton.LeftButton
HEADS = TensorGroup(
    *("query-heads", "Query heads", "attn", 0, 3),
    np.array([0, 0, 1, 1, 2, 2, -1], np.int32),
    ("o_proj",),
)
NEURONS = TensorGroup(
    "ffn", "FFN neurons", "mlp", 1, 4, np.arange(4, dtype=np.int32), ("gate", "down")
)
NORMS = [3.0, 4.0, 6.0, 8.0, 0.5, 1.2, 9.0]


def norms(kept=(1.0,) * 7, to_prune=(False,) * 7, **more):
    return made_norms(NORMS, kept, to_prune, name="q_proj", **more)


@pytest.fixture
def view(show):
    view = show(ChannelsView(), 720, 520)
    view.set_dims(["0: outputs (7)", "1: inputs (4)"], shape=(7, 4))
    view.set_norms(norms())
    view.set_groups((HEADS, NEURONS))
    return view


def choose_dim(view, qtbot, text):
    """Choose a dimension in the box by keys, and answer the request of the view."""
    asked = []
    view.normsRequested.connect(lambda: asked.append(view.dim))
    texts = [view.dim_box.itemText(at) for at in range(view.dim_box.count())]
    steps = texts.index(text) - view.dim_box.currentIndex()
    for _ in range(abs(steps)):
        qtbot.keyClick(view.dim_box, Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)
    assert asked
    view.set_norms(norms())


def test_units_are_offered_where_one_is_several_channels(view):
    texts = [view.dim_box.itemText(at) for at in range(view.dim_box.count())]
    assert texts == ["0: outputs (7)", "0: query heads (3)", "1: inputs (4)"]
    assert view.dim_box.currentText() == "0: outputs (7)"
    assert (view.dim, view.axis) == (0, "")
    view.set_dims(["0: outputs (7)"], shape=(7, 4))
    assert view.dim_box.count() == 1, "of another tensor they are others"


def test_one_bar_is_painted_for_each_unit(view, qtbot):
    choose_dim(view, qtbot, "0: query heads (3)")
    assert view.canvas.count == 3
    assert view.bars_key == ("q_proj", 0, "query-heads", 3)
    kept, ground = view._colors["kept"], view._colors["surface"]
    for unit, height in enumerate((5.0, 10.0, 1.3)):
        assert colors_at(view, unit, height * 0.9, reach=0) == {kept}
        assert height == 10 or colors_at(view, unit, height * 1.2, reach=0) == {ground}
    assert bar_text(view, 1) == "unit 1 (2 channels):  L2 norm 10,  kept"
    assert view.summary() == "3 units: all kept;  click or drag to choose units"
    table = view.numbers()
    assert table.headers[0] == "unit"
    assert [row[0] for row in table] == [0, 1, 2]


def test_a_preview_and_what_is_pruned_are_those_of_the_units(view, qtbot):
    choose_dim(view, qtbot, "0: query heads (3)")
    kept = (1.0, 0.5, 0.0, 0.0, 1.0, 1.0, 1.0)
    view.set_norms(norms(kept, (False,) * 4 + (True,) * 2 + (False,)))
    assert view.canvas.count == 3, "another preview leaves the units"
    assert view.summary().startswith("3 units: 1 pruned, 1 partly pruned, 1 to be pruned")
    assert colors_at(view, 1, 5, reach=0) == {view._colors["pruned"]}


def test_a_cut_takes_channels_and_shows_no_line_among_units(view, qtbot):
    view.set_cut(2, editable=True)
    assert view.canvas.line is not None
    choose_dim(view, qtbot, "0: query heads (3)")
    assert view.canvas.line is None
    assert not view._after.to_prune.any()
    choose_dim(view, qtbot, "0: outputs (7)")
    assert view.canvas.line is not None


def test_a_click_on_a_bar_selects_all_channels_of_the_unit(view, qtbot):
    choose_dim(view, qtbot, "0: query heads (3)")
    made = []
    view.editRequested.connect(made.append)
    port = view.canvas.viewport()
    QTest.mouseClick(port, LEFT, pos=pixel(view, 1, 0.5))
    control = Qt.KeyboardModifier.ControlModifier
    QTest.mouseClick(port, LEFT, control, pixel(view, 2, 0.5) - QPoint(0, 2))
    assert view.chosen == (1, 2)
    assert "2 units selected, in 2 tensors" in view.readout.text()
    qtbot.keyClick(view.canvas, Qt.Key.Key_Delete)
    boxes = (((2, 6), (0, 4)),)
    assert made == [ManualEditRequest("prune", "q_proj", boxes, "channel", 0, "query-heads")]
    choose_dim(view, qtbot, "0: outputs (7)")
    assert view.chosen == (), "these are other indices"
    QTest.mouseClick(port, LEFT, pos=pixel(view, 4, 0.2))
    qtbot.keyClick(view.canvas, Qt.Key.Key_R)
    assert made[1] == ManualEditRequest("restore", "q_proj", (((4, 5), (0, 4)),), "channel", 0)


def test_norms_without_parts_are_shown_by_channel(view, qtbot):
    choose_dim(view, qtbot, "0: query heads (3)")
    view.set_norms(norms(n="nuc"))
    assert view.dim_box.currentText() == "0: outputs (7)"
    assert view.canvas.count == 7
    assert view.axis == ""


def test_a_unit_is_selected_in_every_tensor_that_has_it(view, qtbot):
    choose_dim(view, qtbot, "0: query heads (3)")
    port = view.canvas.viewport()
    QTest.mouseClick(port, LEFT, pos=pixel(view, 1, 0.5))
    # The output projection has the heads along its inputs, in another order.
    heads = replace(HEADS, dim=1, unit_of=np.array([2, 1, 0], np.int32), others=("q_proj",))
    ones = np.ones(3)
    view.set_norms(None)
    view.set_dims(["0: outputs (2)", "1: inputs (3)"], shape=(2, 3))
    view.set_norms(made_norms(ones[:2], ones[:2], ones[:2] < 0, name="o_proj"))
    view.set_groups((heads,))
    assert view.chosen == ()
    view.set_norms(made_norms(ones, ones, ones < 0, name="o_proj", dim=1))
    assert view.chosen == (1,)
    assert view.operations.buttons["prune"].isEnabled()
    qtbot.keyClick(view.canvas, Qt.Key.Key_End)
    qtbot.keyClick(view.canvas, Qt.Key.Key_Space)
    view.set_norms(None)
    view.set_dims(["0: outputs (7)", "1: inputs (4)"], shape=(7, 4))
    view.set_norms(norms())
    view.set_groups((HEADS, NEURONS))
    assert view.chosen == (), "these are channels of heads"
    choose_dim(view, qtbot, "0: query heads (3)")
    assert view.chosen == (0, 1)
    qtbot.keyClick(view.canvas, Qt.Key.Key_Escape)
    choose_dim(view, qtbot, "0: outputs (7)")
    choose_dim(view, qtbot, "0: query heads (3)")
    assert view.chosen == ()


def test_units_of_another_group_are_not_selected(view, qtbot):
    choose_dim(view, qtbot, "0: query heads (3)")
    view.set_chosen(np.array([True, False, False]))
    for other in (replace(HEADS, place="attn2"), replace(HEADS, axis="kv-groups")):
        view.set_norms(None)
        view.set_dims(["0: outputs (7)"], shape=(7, 4))
        view.set_groups((other,))
        qtbot.keyClick(view.dim_box, Qt.Key.Key_Down)
        view.set_norms(norms())
        assert view.canvas.count == 3
        assert view.chosen == ()
