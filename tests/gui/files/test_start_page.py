"""The start page: its texts, and the files that it offers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent

from pruneapp.gui.files.start_page import EmptyPage, RecentFile


def test_recent_names_begin_below_each_other_and_the_heading(show):
    page = show(EmptyPage(), 900, 700)
    page.set_recent([RecentFile("/a/x"), RecentFile("/a/a-much-longer-name.safetensors")])
    page.grab()
    short, long = page.recent_buttons
    assert short.x() == long.x()
    for button in (short, long):
        spare = button.width() - button.fontMetrics().horizontalAdvance(button.text())
        assert spare == 16


def test_the_empty_page_says_what_to_do_in_the_agreed_words(show, qtbot):
    page = show(EmptyPage(), 800, 600)
    promise = "Nothing is uploaded unless you name a URL as the target.\nFiles are read, never run."
    assert page.promise.text() == promise
    assert page.opens.text() == ".safetensors, .pt, .pth, .bin, .ckpt, or a model folder"
    with qtbot.waitSignal(page.openRequested):
        qtbot.mouseClick(page.open_button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(page.sampleRequested):
        qtbot.keyClick(page.sample_button, Qt.Key.Key_Space)


def test_recent_files_open_by_a_click(show, qtbot):
    page = show(EmptyPage(), 800, 600)
    page.set_recent([RecentFile(f"/models/{n}/R&D <{n}>.pt") for n in range(9)])
    assert len(page.recent_buttons) == 6
    with qtbot.waitSignal(page.recentRequested) as told:
        qtbot.mouseClick(page.recent_buttons[1], Qt.MouseButton.LeftButton)
    assert told.args == ["/models/1/R&D <1>.pt"]
    page.set_recent([])
    assert not page.recent_buttons


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_the_focused_button_of_the_empty_page_is_pressed_by_a_key(show, qtbot, key):
    page = show(EmptyPage(), 700, 600)
    page.set_recent([RecentFile("/a/b.safetensors")])
    asked = []
    page.openRequested.connect(lambda: asked.append("open"))
    page.sampleRequested.connect(lambda: asked.append("sample"))
    page.recentRequested.connect(asked.append)
    for button in (page.open_button, page.sample_button, page.recent_buttons[0]):
        button.setFocus()
        qtbot.waitUntil(button.hasFocus)
        qtbot.keyClick(button, key)
    assert asked == ["open", "sample", "/a/b.safetensors"]


def test_dragging_over_the_page_is_seen(show):
    page = show(EmptyPage(), 800, 600)
    before = page.grab().toImage()
    page.set_dropping(dropping=True)
    assert page.grab().toImage() != before


def test_a_file_dragged_over_the_window_is_welcomed_until_it_leaves(user, tmp_path):
    page = user.window.empty
    before = page.grab().toImage()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path))])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, left, none)
    QCoreApplication.sendEvent(user.window, enter)
    assert enter.isAccepted()
    assert page.grab().toImage() != before
    QCoreApplication.sendEvent(user.window, QDragLeaveEvent())
    assert page.grab().toImage() == before
