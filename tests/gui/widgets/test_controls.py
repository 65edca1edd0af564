"""Actions of a screen reader on controls have the same effect as those of the user."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication

from pruneapp.gui.widgets.controls import ComboBox, LineEdit


def interface(widget):
    return QAccessible.queryAccessibleInterface(widget)


@pytest.fixture
def box(show):
    box = ComboBox()
    box.addItems(["one", "two", "three"])
    return show(box, 200, 40)


def test_an_item_selected_in_the_list_is_chosen(box, qtbot):
    told = []
    box.activated.connect(told.append)
    interface(box).actionInterface().doAction("ShowMenu")
    qtbot.waitUntil(box.view().isVisible)
    items = interface(box).child(0)
    items.selectionInterface().select(items.child(2))
    qtbot.waitUntil(lambda: box.currentText() == "three")
    assert told == [2]
    assert not box.view().isVisible()


def test_going_through_the_list_by_keys_chooses_nothing_before_return(box, qtbot):
    box.setFocus()
    box.showPopup()
    qtbot.waitUntil(box.view().isVisible)
    qtbot.keyClick(box.view(), Qt.Key.Key_Down)
    QApplication.processEvents()  # deliver a change of the choice
    assert box.currentText() == "one"
    assert box.view().isVisible()
    qtbot.keyClick(box.view(), Qt.Key.Key_Return)
    assert box.currentText() == "two"


def test_the_click_that_opens_the_list_chooses_nothing(box, qtbot):
    def place(item):
        return box.view().visualRect(box.model().index(item, 0)).center()

    left = Qt.MouseButton.LeftButton
    box.showPopup()
    qtbot.waitUntil(box.view().isVisible)
    qtbot.mouseMove(box.view().viewport(), place(2))  # selects it
    qtbot.mouseClick(box.view().viewport(), left, pos=place(2))
    qtbot.waitUntil(lambda: not box.view().isVisible())
    assert box.currentText() == "three"

    qtbot.mousePress(box, left)
    qtbot.waitUntil(box.view().isVisible)
    qtbot.mouseRelease(box.view().viewport(), left, pos=place(0))  # the list covers the box
    QApplication.processEvents()  # a choice is delivered by a timer

    assert box.currentText() == "three"
    assert box.view().isVisible()


def test_a_text_put_in_by_a_screen_reader_is_entered_and_one_set_is_not(qtbot):
    field = LineEdit()
    qtbot.addWidget(field)
    entered = []
    field.entered.connect(entered.append)
    field.setText("by the window")
    assert entered == []
    interface(field).editableTextInterface().replaceText(0, len(field.text()), "by a reader")
    qtbot.keyClicks(field, "!")
    assert entered[-2:] == ["by a reader", "by a reader!"]
