"""The tour: three cards on the first run, and steps that the user or Next completes."""

from __future__ import annotations

import json

import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from pruneapp import resources
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.plots.pages import Page
from tests.gui.journeys.test_screen_reader import problems_of

SAMPLE = resources.path("sample/lenet-digits.safetensors")
TITLES = [
    "Look at a tensor",
    "See its weights",
    "Choose how much to prune",
    "Prune",
    "Undo",
    "Redo",
    "Evaluate",
    "Repair",
    "Recover",
    "Shrink",
    "Export",
]


@pytest.fixture
def touring(user):
    """Return the user after starting the tour from its card."""
    user.click(user.window.empty.tour_button)
    user.wait(user.window.tour.isVisible)
    assert user.document.checkpoint.path == SAMPLE
    return user


def title(user):
    return user.window.tour.title.text()


def wait_title(user, wanted):
    user.wait(lambda: title(user) == wanted)


def frame_geometry(user):
    """Return the geometry of the highlight frame."""
    frame = user.window.highlight
    assert frame.isVisible()
    return frame.geometry()


def is_around(user, widget):
    place = widget.mapTo(user.window, widget.rect().center())
    return frame_geometry(user).contains(place)


def test_a_person_does_all_of_the_tour(touring):
    user, tour = touring, touring.window.tour
    assert tour.next.hasFocus()
    assert tour.place.text() == "1 of 11"
    assert is_around(user, user.views.tree.view)
    user.click_cell("fc2.weight")
    wait_title(user, "See its weights")
    tabs = user.views.pages.tabs
    user.click(tabs, tabs.tabRect(Page.CHANNELS).center())
    assert title(user) == "See its weights"
    user.click(tabs, tabs.tabRect(Page.DISTRIBUTION).center())
    wait_title(user, "Choose how much to prune")
    user.ask_amount("40 %")
    wait_title(user, "Prune")
    user.wait(lambda: is_around(user, user.button))
    user.click(user.button)  # the frame is transparent for the mouse
    wait_title(user, "Undo")
    assert is_around(user, user.views.history.tree)
    user.key("Ctrl+Z")
    wait_title(user, "Redo")
    assert user.document.position == 0
    user.click_state(1)
    wait_title(user, "Evaluate")
    assert user.document.position == 1
    for wanted in ("Repair", "Recover"):
        user.click(tour.next)
        wait_title(user, wanted)
        assert is_around(user, user.window.menuBar())
    assert user.views.pages.page == Page.QUALITY
    user.click(tour.next)
    wait_title(user, "Shrink")
    user.menu("Tools", "Shrink")  # the command itself completes its step
    exporting = user.workbench.export
    user.wait(lambda: exporting.dialog is not None and exporting.dialog.is_shrunk)
    wait_title(user, "Export")
    exporting.dialog.reject()
    assert "Ctrl+E" in tour.text.text()
    assert tour.next.text() == "Finish"
    user.click(user.window.export_button)
    user.wait(lambda: not tour.isVisible())
    assert not user.window.highlight.isVisible()
    user.wait(lambda: user.workbench.export.dialog is not None)
    user.workbench.export.dialog.reject()


def test_next_does_the_steps_by_the_keyboard_alone(touring):
    user, seen = touring, []
    user.wait(user.window.tour.next.hasFocus)
    height = user.window.tour.height()
    for wanted in TITLES:
        wait_title(user, wanted)
        assert user.window.tour.next.hasFocus()
        assert user.window.tour.height() == height, "the tour moves nothing below it"
        seen.append(user.document.position)
        assert problems_of(user.window) == []
        user.key("Return")
    assert seen == [0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1]
    assert user.views.tree.focused_name() == "fc1.weight"
    assert user.views.pages.page == Page.QUALITY
    assert not user.window.tour.isVisible()
    assert user.views.tree.view.hasFocus()

    user.menu("Help", "Tour")  # again, with all steps done
    for wanted in TITLES:
        wait_title(user, wanted)
        user.key("Space", user.window.tour.next)
    user.wait(lambda: not user.window.tour.isVisible())


def test_the_tour_ends_at_any_time(touring, tmp_path):
    user, tour = touring, touring.window.tour
    file = tmp_path / "other.safetensors"
    file.write_bytes(SAMPLE.read_bytes())
    for end in ("button", "Esc", "closed", "another file"):
        if end != "button":
            user.menu("Help", "Tour")
            user.wait(tour.isVisible)
        user.click(tour.next)
        wait_title(user, "See its weights")
        if end == "button":
            user.click(tour.close_button)
        elif end == "Esc":
            user.key("Esc", tour.next)
        elif end == "closed":
            user.key("Ctrl+W")
        else:
            user.drop(file)
            user.wait_open(file)
        user.wait(lambda: not tour.isVisible())
        assert not user.window.highlight.isVisible(), end
        if user.document is not None:
            user.click_cell("fc2.weight")
            assert not tour.isVisible(), end


def test_the_tour_takes_the_place_of_another_file(new_user, tmp_path):
    file = tmp_path / "other.safetensors"
    file.write_bytes(SAMPLE.read_bytes())
    user = new_user(file).wait_ready()
    user.wait_open(file)
    user.menu("Help", "Tour")
    user.wait(user.window.tour.isVisible)
    user.wait_open(SAMPLE)
    assert title(user) == TITLES[0]


def test_the_frame_is_in_the_colour_of_the_theme_and_follows_the_window(touring):
    user = touring
    for theme in ("light", "dark"):
        user.window.actions_[f"theme_{theme}"].trigger()
        user.pause(20)
        frame = frame_geometry(user)
        image = user.window.grab().toImage()
        ratio = image.devicePixelRatio()
        corner = frame.topLeft() + QPoint(1, frame.height() // 2)
        assert image.pixelColor(corner * ratio) == QApplication.palette().highlight().color()
    before = frame_geometry(user)
    user.window.resize(960, 600)
    user.wait(lambda: frame_geometry(user) != before)
    assert is_around(user, user.views.tree.view)
    user.window.resize(960, 600)
    for _ in range(2):
        user.click(user.window.tour.next)
    wait_title(user, "Choose how much to prune")
    user.wait(lambda: is_around(user, user.rule.fields))

    # another method replaces the field
    before = user.rule.fields
    form = user.views.form
    form.set_request(form.corrected_request())
    after = user.rule.fields
    assert after is not before
    user.wait(lambda: not shiboken6.isValid(before))
    user.wait(lambda: is_around(user, after))


# The first run


def test_the_cards_are_shown_once(new_user, settings_file):
    first = new_user()
    page = first.window.empty
    assert page.title.text() == "Welcome to Pruneapp"
    assert page.tour_button.isVisible()
    cards = page.open_button, page.sample_button, page.tour_button
    edges = {button.geometry().bottom() for button in cards}
    assert len(edges) == 1
    first.wait_ready()
    assert first.window.close()
    second = new_user()
    assert second.window.empty.title.text() == "Drop a checkpoint here"
    assert not second.window.empty.tour_button.isVisible()
    assert second.window.empty.sample_button.isVisible()


def test_the_cards_are_told_in_the_order_of_reading_until_something_was_opened(user):
    assert problems_of(user.window) == []
    page = user.window.empty
    page.open_button.setFocus()
    for button in (page.folder_button, page.sample_button, page.tour_button):
        user.key("Tab")
        user.wait(button.hasFocus)
    user.click(user.window.empty.sample_button)
    user.wait_open(SAMPLE)
    user.key("Ctrl+W")
    user.wait(lambda: user.document is None)
    user.wait(user.window.empty.sample_button.isVisible)
    assert user.window.empty.title.text() == "Drop a checkpoint here"
    user.click(user.window.empty.sample_button)
    user.wait_open(SAMPLE)


def test_who_has_opened_files_before_is_not_welcomed(settings_file):
    settings_file.write_text(json.dumps({"recent": ["/a/b.pt"]}))
    assert not Settings(settings_file).is_first_run


def test_the_tour_can_be_asked_for_before_everything_is_there(new_user):
    user = new_user()
    assert user.start.workbench is None
    user.qtbot.mouseClick(user.window.empty.tour_button, Qt.MouseButton.LeftButton)
    user.wait_ready()
    user.wait(user.window.tour.isVisible)
