"""Recent files: opened by keys, pinned, marked as missing, removed."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from safetensors.numpy import save_file

from pruneapp.checkpoint.io.store import locate
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.commands.declarations import RECENT_FILES
from pruneapp.gui.files import recent_controller
from pruneapp.gui.files.recent_controller import is_missing


@pytest.fixture
def files(tmp_path):
    found = [tmp_path / f"model-{n}.safetensors" for n in range(3)]
    for path in found:
        save_file({"a.weight": np.ones((4, 4), np.float32)}, path)
    return found


@pytest.fixture
def at_work(user, files):
    """Return the user after opening all files; the last one is open."""
    for path in files:
        user.drop(path)
        user.wait_open(path)
    return user


def recent_menu(user):
    """Return the visible texts of the menu Open recent."""
    actions = user.window.actions_.recent
    return [action.text().replace("&", "") for action in actions if action.isVisible()]


def rows(user):
    """Return name and pin of each file on the start page."""
    page = user.window.empty
    pins = [pin.isChecked() for pin in page.pin_buttons]
    return list(zip((b.text() for b in page.recent_buttons), pins, strict=True))


def folders(user):
    page = user.window.empty
    grid = page._rows
    return [grid.itemAtPosition(row, 1).widget().text() for row in range(1, len(rows(user)) + 1)]


def test_keys_open_the_files_in_the_order_of_the_list(at_work, files):
    first, second, third = files
    assert recent_menu(at_work) == [f"1 {third}", f"2 {second}", f"3 {first}"]
    at_work.key("Ctrl+W")
    at_work.wait(lambda: at_work.document is None)
    at_work.key("Ctrl+3")
    at_work.wait_open(first)
    assert recent_menu(at_work) == [f"1 {first}", f"2 {third}", f"3 {second}"]
    at_work.key("Ctrl+2")  # the open file stays
    beside = at_work.at_window(1)
    beside.wait_open(third)
    assert at_work.document.checkpoint.path == first
    beside.window.close()
    at_work.menu("File", "Open recent", f"1 {third}")
    at_work.wait_open(third)
    at_work.key("Ctrl+9")  # the list is shorter
    at_work.window.actions_["recent_9"].trigger()
    at_work.wait_idle()
    assert at_work.document.checkpoint.path == third
    assert at_work.window.actions_["pin_file"].isEnabled()
    at_work.workbench.files.open_sample()
    at_work.wait(lambda: not at_work.window.actions_["pin_file"].isEnabled())


def test_a_pinned_file_stays_at_the_top(at_work, files, new_user):
    first, second, third = files
    at_work.menu("File", "Open recent", "Pin this file")
    at_work.drop(first)
    at_work.wait_open(first)
    assert recent_menu(at_work) == [f"1 {third}", f"2 {first}", f"3 {second}"]
    assert not at_work.window.actions_["pin_file"].isChecked()
    assert at_work.window.actions_.recent[0].icon().cacheKey()
    at_work.key("Ctrl+W")
    assert rows(at_work) == [(third.name, True), (first.name, False), (second.name, False)]
    at_work.click(at_work.window.empty.pin_buttons[2])
    assert rows(at_work) == [(third.name, True), (second.name, True), (first.name, False)]
    at_work.wait(at_work.window.empty.pin_buttons[0].isVisible)
    at_work.click(at_work.window.empty.pin_buttons[0])
    assert rows(at_work) == [(second.name, True), (first.name, False), (third.name, False)]

    at_work.workbench.shut_down()
    at_work.window.close()
    later = new_user()
    assert rows(later) == rows(at_work)
    assert not later.window.empty.pin_buttons[0].isEnabled()  # the window is not ready
    later.wait_ready()
    assert later.window.empty.pin_buttons[0].isEnabled()
    later.key("Ctrl+1")
    later.wait_open(second)
    assert later.window.actions_["pin_file"].isChecked()
    later.menu("File", "Open recent", "Pin this file")
    assert later.workbench.settings.pinned == ()


def test_files_that_are_missing_are_marked_and_removed(at_work, files):
    first, second, third = files
    at_work.key("Ctrl+W")
    remove = at_work.window.actions_["remove_missing"]
    assert not remove.isEnabled()
    first.unlink()
    second.rename(second.with_suffix(".elsewhere"))
    at_work.window.activated.emit()  # the user returns from the file manager
    at_work.wait(remove.isEnabled)
    here = str(third.parent)
    at_work.wait(lambda: folders(at_work) == [here, f"Missing: {here}", f"Missing: {here}"])
    assert recent_menu(at_work) == [f"1 {third}", f"2 {second} (missing)", f"3 {first} (missing)"]

    second.with_suffix(".elsewhere").rename(second)
    at_work.window.activated.emit()
    at_work.wait(lambda: folders(at_work) == [here, here, f"Missing: {here}"])
    at_work.menu("File", "Open recent", "Remove missing files")
    assert recent_menu(at_work) == [f"1 {third}", f"2 {second}"]
    assert not remove.isEnabled()

    third.unlink()
    at_work.key("Ctrl+1")  # it cannot be opened
    at_work.wait(lambda: at_work.trouble)
    at_work.wait(lambda: recent_menu(at_work)[0] == f"1 {third} (missing)")


def test_a_file_on_a_network_that_does_not_answer_keeps_nobody_waiting(
    new_user, settings_file, files, monkeypatch
):
    """Neither the window, nor the other files, nor closing the window."""
    answer, asked = threading.Event(), []

    def look(path):
        asked.append(path)
        if path == files[0]:
            answer.wait(60)
        return is_missing(path)

    settings = Settings(settings_file)
    for path in files:
        settings.add_recent(path)
    settings.flush()
    files[1].unlink()
    monkeypatch.setattr(recent_controller, "is_missing", look)
    user = new_user().wait_ready()
    user.wait(lambda: recent_menu(user)[1] == f"2 {files[1]} (missing)")
    user.window.activated.emit()
    user.window.activated.emit()
    assert asked.count(files[0]) == 1, "requested once"
    began = time.monotonic()
    user.workbench.shut_down()
    user.window.close()
    assert time.monotonic() - began < 30
    answer.set()


def test_a_row_of_the_page_is_pinned_and_removed_by_keys(at_work, files):
    at_work.key("Ctrl+W")
    page = at_work.window.empty

    def ink():
        image = page.pin_buttons[0].icon().pixmap(20, 20).toImage()
        return sum(image.pixelColor(x, y).alpha() for x in range(20) for y in range(20))

    before = ink()
    at_work.click(page.pin_buttons[0])
    assert ink() > 1.3 * before, "the pin is filled"
    at_work.wait(page.pin_buttons[0].isVisible)
    at_work.click(page.pin_buttons[0])
    at_work.wait(page.pin_buttons[1].isVisible)
    page.pin_buttons[1].setFocus()
    at_work.key("Space")
    assert rows(at_work)[0] == (files[1].name, True)
    assert QApplication.focusWidget() is page.pin_buttons[1]
    at_work.wait(page.remove_buttons[0].isVisible)
    page.remove_buttons[0].setFocus()
    for _ in range(2):
        at_work.key("Return")
        assert QApplication.focusWidget() is page.remove_buttons[0]
    at_work.key("Return")
    assert rows(at_work) == []
    assert QApplication.focusWidget() is page.open_button
    assert not at_work.window.actions_.menus["&File/Open &recent"].isEnabled()


def test_nobody_looks_into_a_store(tmp_path, new_user, settings_file, monkeypatch):
    settings = Settings(settings_file)
    settings.add_recent(locate("s3://models/a.safetensors"))
    settings.flush()
    asked = []
    monkeypatch.setattr(recent_controller, "is_missing", asked.append)
    user = new_user().wait_ready()
    user.window.activated.emit()
    assert recent_menu(user) == ["1 s3://models/a.safetensors"]
    assert asked == []


def test_whether_a_file_is_missing(tmp_path):
    path = tmp_path / "a"
    assert is_missing(path)
    path.touch()
    assert not is_missing(path)
    assert is_missing(path / "below")
    assert not is_missing(tmp_path / ("x" * 300)), "its existence is unknown"
    assert not is_missing(tmp_path / "a\0b")


def test_what_is_pinned_is_listed_first_and_never_too_many(tmp_path):
    settings = Settings(tmp_path / "s.json")
    paths = [tmp_path / f"{n}.pt" for n in range(RECENT_FILES + 3)]
    for path in paths:
        settings.add_recent(path)
    settings.pin(paths[4], pinned=True)
    settings.pin(paths[0], pinned=True)  # which had been dropped from the list
    settings.pin(paths[4], pinned=True)
    settings.flush()
    later = Settings(tmp_path / "s.json")
    assert later.pinned == (paths[0], paths[4])
    assert later.listed[:4] == (paths[0], paths[4], paths[-1], paths[-2])
    assert len(later.listed) == len(set(later.listed)) == RECENT_FILES
    assert later.recent == tuple(paths[:2:-1])
    later.remove_recent([paths[4], paths[-1]])
    assert later.pinned == (paths[0],)
    assert paths[-1] not in later.listed
