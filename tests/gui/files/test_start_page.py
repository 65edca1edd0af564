"""The start page: its texts, and the files that it offers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import READERS
from pruneapp.gui.files.start_page import SUFFIXES, EmptyPage, RecentFile
from pruneapp.sessions.session_file import SUFFIX
from tests.gui.user import is_in_sight


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
    promise = (
        "Your files stay on this computer unless you export to a URL.\nCode inside checkpoints "
        "is never executed."
    )
    assert page.promise.text() == promise
    assert page.opens.text() == f"{SUFFIXES}, or a model folder"
    with qtbot.waitSignal(page.openRequested):
        qtbot.mouseClick(page.open_button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(page.sampleRequested):
        qtbot.keyClick(page.sample_button, Qt.Key.Key_Space)


def test_the_empty_page_names_the_suffixes_of_all_formats():
    named = {*SUFFIXES.split(", ")}
    readers = {suffix for reader in READERS for suffix in reader.suffixes}
    # Other names of a format, and a file inside a folder.
    assert readers - named == {".metadata", ".pickle", ".tar"}
    assert named - readers == {SUFFIX}


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


def drag_over(window, path):
    """Drag a file over the window, and return the event."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, left, none)
    QCoreApplication.sendEvent(window, enter)
    return enter


def test_a_file_dragged_over_the_window_is_welcomed_until_it_leaves(user, tmp_path):
    page, hint = user.window.empty, user.window.drop_hint
    before = page.grab().toImage()
    assert drag_over(user.window, tmp_path).isAccepted()
    assert page.grab().toImage() != before
    assert hint.geometry() == user.window.rect()
    assert not hint.text.isVisible(), "the start page says what can be dropped"
    assert is_in_sight(page.open_button), "the hint is no target of a drag"
    QCoreApplication.sendEvent(user.window, QDragLeaveEvent())
    assert page.grab().toImage() == before
    assert not hint.isVisible()


def test_an_open_document_says_what_can_be_dropped(user, tmp_path):
    user.open_file(resources.path("sample/lenet-digits.safetensors"))
    hint = user.window.drop_hint
    drag_over(user.window, tmp_path)
    assert hint.text.isVisible()
    assert hint.rect().contains(hint.text.geometry())
    assert user.drop(tmp_path / "missing.pt")
    assert not hint.isVisible()
