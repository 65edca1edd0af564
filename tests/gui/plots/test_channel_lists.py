"""Lists of channel indices in a real window: copied, pasted, saved and loaded."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication
from safetensors.numpy import save_file


@pytest.fixture
def channels(user, tmp_path):
    """Return the user at the channels of a matrix of 12 rows and 5 columns."""
    path = tmp_path / "model.safetensors"
    rng = np.random.default_rng(0)
    save_file({n: rng.normal(size=(12, 5)).astype(np.float32) for n in "ab"}, path)
    user.open_file(path)
    show(user, "a")
    return user


def show(user, name, bars=12):
    user.click_cell(name)
    user.key("3", user.views.tree.view)
    view = user.views.pages.channels
    user.wait(lambda: view.bars_key == (name, 0, "", bars))
    user.wait_idle()
    view.canvas.setFocus()


def copied():
    return QGuiApplication.clipboard().text()


def paste(user, text):
    QGuiApplication.clipboard().setText(text)
    user.key("Ctrl+V", user.views.pages.channels.canvas)
    user.wait_idle()


def test_keys_copy_and_paste_a_list(channels):
    view = channels.views.pages.channels
    paste(channels, "[0, 1, 2, 3, 7, 11]\n")
    assert view.chosen == (0, 1, 2, 3, 7, 11)
    assert channels.window.done.label.text() == "Selected 6 indices."
    assert view.readout.text().startswith("6 channels selected")
    channels.key("Ctrl+C", view.canvas)
    assert copied() == "0-3, 7, 11"
    channels.key("Right", view.canvas)
    channels.key("Space", view.canvas)
    channels.key("Ctrl+C", view.canvas)
    assert copied() == "1-3, 7, 11", "a key changes what was pasted"
    show(channels, "b")
    channels.menu("Edit", "Paste channel list")
    channels.wait(lambda: view.chosen == (1, 2, 3, 7, 11))
    paste(channels, "2-3")
    channels.key("Del", view.canvas)
    channels.wait(lambda: channels.states[1:] == ["2 channels of b pruned"])
    pruned = ~channels.document.masks["b"].bools(0, 60).reshape(12, 5).any(axis=1)
    assert np.flatnonzero(pruned).tolist() == [2, 3]


def test_the_menu_of_the_chart_has_the_lists(channels, tmp_path):
    view = channels.views.pages.channels
    QGuiApplication.clipboard().setText("0-2")

    def choose(words: str) -> None:
        canvas, reason = view.canvas.viewport(), QContextMenuEvent.Reason.Mouse
        at = canvas.rect().center()
        QCoreApplication.sendEvent(canvas, QContextMenuEvent(reason, at, canvas.mapToGlobal(at)))
        channels.wait(lambda: QApplication.activePopupWidget() is not None)
        menu = QApplication.activePopupWidget()
        (action,) = (a for a in menu.actions() if a.text().replace("&", "") == words)
        place = menu.actionGeometry(action).center()
        channels.qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=place)
        channels.wait_idle()

    choose("Paste channel list")
    channels.wait(lambda: view.chosen == (0, 1, 2))
    path = tmp_path / "first.txt"
    channels.chooses_file(path, "getSaveFileName")
    choose("Save channel list…")
    channels.wait(path.exists)
    paste(channels, "4")
    choose("Copy channel list")
    assert copied() == "4"
    channels.chooses_file(path)
    choose("Load channel list…")
    channels.wait(lambda: view.chosen == (0, 1, 2))


def test_an_invalid_list_is_refused_and_the_selection_stays(channels, tmp_path):
    view = channels.views.pages.channels
    QGuiApplication.clipboard().setText("before")
    channels.menu("Edit", "Copy channel list")
    assert channels.trouble == ["No channels are selected. Select bars on the Channels tab (3)."]
    assert copied() == "before"
    for text, said in (
        ("0, 12", "contains '12', but there are 12 channels, numbered from 0 to 11."),
        ("0-99999999999", "contains '0-99999999999', but there are 12 channels"),
        ("1, two", "contains 'two', which is neither an index such as 7 nor a range such as 0-3."),
        ("", "There is no text on the clipboard."),
    ):
        paste(channels, "4")
        assert channels.trouble == []
        paste(channels, text)
        assert len(channels.trouble) == 1
        assert said in channels.trouble[0]
        assert view.chosen == (4,)
    for name, data, said in (
        ("a.bin", b"\xff\xfe\x00", "is not UTF-8 text at byte 0"),
        ("b.txt", b"0-3;oops", "contains 'oops'"),
        ("gone.txt", None, "gone.txt' cannot be read"),
    ):
        if data is not None:
            (tmp_path / name).write_bytes(data)
        channels.chooses_file(tmp_path / name)
        channels.menu("Edit", "Load channel list")
        channels.wait(lambda said=said: said in str(channels.trouble))
    channels.key("2", channels.views.tree.view)
    channels.menu("Edit", "Paste channel list")
    assert "There are no channels to select from." in channels.trouble[0]


def test_a_list_is_saved_and_loaded_for_another_tensor(channels, tmp_path):
    view, path = channels.views.pages.channels, tmp_path / "heads"
    paste(channels, "8,9,10")
    channels.chooses_file(path, "getSaveFileName")
    channels.menu("Edit", "Save channel list")
    channels.wait(lambda: not channels.workbench.jobs.busy)
    assert path.with_suffix(".txt").read_bytes() == b"8-10\n"
    assert channels.window.done.label.text() == "Saved heads.txt."
    show(channels, "b")
    assert view.chosen == ()
    channels.chooses_file(path.with_suffix(".txt"))
    channels.menu("Edit", "Load channel list")
    channels.wait(lambda: view.chosen == (8, 9, 10))
    show(channels, "a")
    bars = view.bars_key
    show(channels, "b")
    channels.workbench.channel_lists._select(bars, np.ones(12, bool))
    assert view.chosen == (), "the list is for channels that are no longer shown"
