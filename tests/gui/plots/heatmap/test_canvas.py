"""Selecting in the heat map, by mouse and by keys: signals and painting."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from pruneapp.analysis.layout import Layout
from pruneapp.edits.manual_edit import ManualEditRequest
from pruneapp.gui.widgets.theme import LIGHT_THEME
from tests.support.plot_views import put_cursor

Key, Shift, Left = Qt.Key, Qt.KeyboardModifier.ShiftModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def view(shown):
    """Return a heat map of 4 filters: 8 x 6 weights, 2 rows per filter."""
    shown.canvas.setFocus()
    return shown


def drag(view, *places, modifiers=Qt.KeyboardModifier.NoModifier, button=Left):
    port, at = view.canvas.viewport(), view.canvas.pixel_of
    QTest.mousePress(port, button, modifiers, at(*places[0]))
    for place in places[1:]:
        QTest.mouseMove(port, at(*place))
    QTest.mouseRelease(port, button, modifiers, at(*places[-1]))


def choose(view, tool):
    QTest.mouseClick(view.tools.tools[tool], Left)


def meant(gesture, shape=(4, 3, 2, 2)):
    found = np.zeros(shape, int)
    for box in gesture.boxes:
        found[tuple(slice(*part) for part in box)] += 1
    return found


def test_a_rectangle_is_chosen_and_then_pruned(view, qtbot):
    choose(view, "rectangle")
    drag(view, (1, 1), (2, 3))
    assert view.made == [], "choosing changes nothing"
    qtbot.mouseClick(view.tools.operations.buttons["prune"], Left)
    (gesture,) = view.made
    assert (gesture.operation, gesture.name, gesture.shape) == ("prune", "conv.weight", "rectangle")
    expected = np.zeros((4, 3, 2, 2), int)
    for row in (1, 2):
        for column in (1, 2, 3):
            expected[row // 2, column // 2, row % 2, column % 2] = 1
    np.testing.assert_array_equal(meant(gesture), expected)
    assert view.selection is not None, "it stays, so that it can be restored at once"


@pytest.mark.parametrize("operation", ["prune", "restore", "protect", "release"])
def test_every_operation_has_a_button_and_a_key(view, qtbot, operation):
    keys = {"prune": Key.Key_Delete, "restore": Key.Key_R}
    shift = Shift if operation == "release" else Qt.KeyboardModifier.NoModifier
    button = view.tools.operations.buttons[operation]
    assert not button.isEnabled(), "there is nothing to do it to"
    put_cursor(view, (2, 1, 0, 1))
    qtbot.keyClick(view.canvas, Key.Key_C)
    assert button.isEnabled()
    assert "out 2: 12 weights" in button.toolTip()
    qtbot.mouseClick(button, Left)
    qtbot.keyClick(view.canvas, keys.get(operation, Key.Key_P), shift)
    box = ((2, 3), (0, 3), (0, 2), (0, 2))
    assert view.made == [ManualEditRequest(operation, "conv.weight", (box,), "channel", 0)] * 2


@pytest.mark.parametrize(
    ("tool", "boxes"),
    [
        ("row", (((1, 2), (0, 3), (1, 2), (0, 2)),)),
        ("column", (((0, 4), (2, 3), (0, 2), (1, 2)),)),
        ("channel", (((1, 2), (0, 3), (0, 2), (0, 2)),)),
        ("brush", (((1, 2), (2, 3), (1, 2), (1, 2)),)),
    ],
)
def test_a_click_takes_what_the_tool_says(view, qtbot, tool, boxes):
    choose(view, tool)
    drag(view, (3, 5))
    qtbot.keyClick(view.canvas, Key.Key_Delete)
    assert view.made == [
        ManualEditRequest("prune", "conv.weight", boxes, tool, 0 if tool == "channel" else -1)
    ]


def test_channels_of_another_dimension(view, qtbot):
    place = view.modes.mapTo(view, QPoint(0, 0))
    choose(view, "brush")
    choose(view, "channel")
    assert view.tools.dim_box.isVisible()
    view.layout().activate()
    QApplication.processEvents()  # the row of tools is laid out again
    assert view.modes.mapTo(view, QPoint(0, 0)) == place, "what was there does not move"
    qtbot.keyClick(view.tools.dim_box, Key.Key_Down)
    drag(view, (3, 2), (3, 5))
    qtbot.keyClick(view.canvas, Key.Key_P)
    box = ((0, 4), (1, 3), (0, 2), (0, 2))
    assert view.made == [ManualEditRequest("protect", "conv.weight", (box,), "channel", 1)]


def test_a_stroke_is_one_gesture_as_wide_as_the_brush(view, qtbot):
    choose(view, "brush")
    qtbot.keyClick(view.tools.brush_box, Key.Key_Down)
    drag(view, (1, 1), (4, 1), (4, 4))
    qtbot.keyClick(view.canvas, Key.Key_Delete)
    (gesture,) = view.made
    expected = np.zeros((8, 6), int)
    expected[0:6, 0:3] = 1
    expected[3:6, 0:6] = 1
    picture = meant(gesture).transpose(0, 2, 1, 3).reshape(8, 6)
    np.testing.assert_array_equal(picture, expected)
    assert gesture.shape == "brush"


def test_shift_adds_to_what_is_chosen(view, qtbot):
    choose(view, "rectangle")
    drag(view, (0, 0), (1, 1))
    drag(view, (1, 1), (2, 2), modifiers=Shift)
    qtbot.keyClick(view.canvas, Key.Key_Delete)
    assert meant(view.made[0]).sum() == 7
    assert meant(view.made[0]).max() == 1
    drag(view, (5, 5))
    qtbot.keyClick(view.canvas, Key.Key_Delete)
    assert meant(view.made[1]).sum() == 1, "without Shift it begins anew"


def test_looking_still_drags_the_picture_and_shift_chooses(view):
    view.canvas.zoom(3)
    before = view.canvas.view
    drag(view, (3, 2), (4, 3))
    assert view.canvas.view != before
    assert view.selection is None
    before = view.canvas.view
    drag(view, (3, 2), (4, 3), modifiers=Shift)
    assert view.canvas.view == before
    assert view.selection.count(view.canvas.item.layout) == 4


def test_space_and_the_middle_button_move_the_picture_whatever_the_tool(view, qtbot):
    choose(view, "brush")
    view.canvas.zoom(3)
    before = view.canvas.view
    drag(view, (3, 2), (4, 3), button=Qt.MouseButton.MiddleButton)
    assert view.canvas.view != before
    before = view.canvas.view
    QTest.keyPress(view.canvas, Key.Key_Space)
    drag(view, (3, 2), (4, 3))
    QTest.keyRelease(view.canvas, Key.Key_Space)
    assert view.canvas.view != before
    assert view.selection is None
    drag(view, (3, 2), (4, 3))
    assert view.selection is not None


def test_keys_alone_choose_a_rectangle(view, qtbot):
    put_cursor(view, (0, 1, 0, 0))
    for key in (Key.Key_Right, Key.Key_Down, Key.Key_Down):
        qtbot.keyClick(view.canvas, key, Shift)
    assert view.canvas.item.cursor == (2, 3)
    qtbot.keyClick(view.canvas, Key.Key_Delete)
    assert meant(view.made[0]).sum() == 6
    qtbot.keyClick(view.canvas, Key.Key_Up)
    assert view.selection is None, "a plain arrow begins anew"


def test_keys_take_row_column_and_channels_and_reach_further(view, qtbot):
    layout = view.canvas.item.layout
    put_cursor(view, (1, 1, 0, 1))
    qtbot.keyClick(view.canvas, Key.Key_H)
    assert view.selection.count(layout) == 6
    qtbot.keyClick(view.canvas, Key.Key_Down, Shift)
    assert view.selection.count(layout) == 12
    qtbot.keyClick(view.canvas, Key.Key_V)
    assert (view.selection.shape, view.selection.count(layout)) == ("column", 8)
    for dim in (0, 1, 2, 3, 0):
        qtbot.keyClick(view.canvas, Key.Key_C)
        assert (view.selection.shape, view.selection.dim) == ("channel", dim)
        assert view.tools.dim_box.currentIndex() == dim


def test_without_a_choice_the_weight_of_the_cursor_is_meant(view, qtbot):
    qtbot.keyClick(view.canvas, Key.Key_Delete)
    assert view.made == []
    put_cursor(view, (1, 2, 0, 1))
    qtbot.keyClick(view.canvas, Key.Key_Delete)
    box = ((1, 2), (2, 3), (0, 1), (1, 2))
    assert view.made == [ManualEditRequest("prune", "conv.weight", (box,), "rectangle")]


def test_escape_takes_the_choice_back_and_then_belongs_to_the_window(view, qtbot):
    choose(view, "rectangle")
    drag(view, (0, 0), (1, 1))
    port, at = view.canvas.viewport(), view.canvas.pixel_of
    QTest.mousePress(port, Left, pos=at(4, 4))
    QTest.mouseMove(port, at(5, 5))
    qtbot.keyClick(view.canvas, Key.Key_Escape)
    QTest.mouseRelease(port, Left, pos=at(5, 5))
    assert view.selection.rects[0][:2] == (0, 0), "what was there before the drag"
    qtbot.keyClick(view.canvas, Key.Key_Escape)
    assert view.selection is None
    assert not view.tools.operations.buttons["prune"].isEnabled()


def test_what_is_chosen_is_outlined_and_counted(view):
    choose(view, "rectangle")
    drag(view, (4, 1), (5, 2))
    image = view.canvas.grab().toImage()
    scale = int(view.canvas.view.scale_x)
    corner = view.canvas.pixel_of(4, 1) - QPoint(scale // 2, scale // 2)
    beside = {image.pixelColor(corner + QPoint(d, scale)).name() for d in range(-5, 2)}
    assert LIGHT_THEME.colors["accent"] in beside
    assert LIGHT_THEME.colors["surface"] in beside
    inside = image.pixelColor(view.canvas.pixel_of(5, 2) + QPoint(scale // 3, scale // 3))
    outside = image.pixelColor(view.canvas.pixel_of(5, 4) + QPoint(scale // 3, scale // 3))
    assert inside != outside, "tinted"


def test_a_tensor_that_may_not_be_changed_says_why(view, qtbot):
    choose(view, "brush")
    view.set_not_editable_reason("integers are not pruned")
    assert view.tools.tool == "look"
    put_cursor(view, (0, 0, 0, 0))
    qtbot.keyClick(view.canvas, Key.Key_C)
    qtbot.keyClick(view.canvas, Key.Key_Delete)
    assert view.made == []
    assert view.tools.operations.buttons["prune"].toolTip() == "integers are not pruned"
    assert not view.tools.tools["brush"].isEnabled()


def test_another_tensor_has_nothing_chosen(view, make_tensor, qtbot):
    choose(view, "rectangle")
    drag(view, (0, 0), (1, 1))
    with qtbot.assertNotEmitted(view.editRequested):
        make_tensor(Layout((3, 3), (0,), (1,), "", ""), np.ones(9), np.ones(9)).show(view)
    assert view.selection is None
    assert not view.tools.operations.buttons["prune"].isEnabled()


def test_every_control_has_a_name_and_the_row_is_narrow(view):
    for button in (*view.tools.tools.values(), *view.tools.operations.buttons.values()):
        assert button.accessibleName() or button.text()
        assert button.toolTip()
    for tool in view.tools.tools:
        choose(view, tool)
        assert view.minimumSizeHint().width() <= 560


def test_icons_follow_the_theme(view, theme):
    view.set_colors(theme.colors)
    image = view.tools.tools["row"].icon().pixmap(20, 20).toImage()
    ink = {
        image.pixelColor(x, y).name()
        for x in range(20)
        for y in range(20)
        if image.pixelColor(x, y).alpha() == 255
    }
    assert QColor(theme.colors["text"]).name() in ink
