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
    "Export",
]


@pytest.fixture
def touring(person):
    """Return the user after starting the tour from its card."""
    person.click(person.window.empty.tour_button)
    person.wait(person.window.tour.isVisible)
    assert person.document.checkpoint.path == SAMPLE
    return person


def title(person):
    return person.window.tour.title.text()


def wait_title(person, wanted):
    person.wait(lambda: title(person) == wanted)


def frame_geometry(person):
    """Return the geometry of the highlight frame."""
    frame = person.window.highlight
    assert frame.isVisible()
    return frame.geometry()


def is_around(person, widget):
    place = widget.mapTo(person.window, widget.rect().center())
    return frame_geometry(person).contains(place)


def test_a_person_does_all_of_the_tour(touring):
    person, tour = touring, touring.window.tour
    assert tour.next.hasFocus()
    assert tour.place.text() == "1 of 7"
    assert is_around(person, person.views.tree.view)
    person.click_cell("fc2.weight")
    wait_title(person, "See its weights")
    tabs = person.views.pages.tabs
    person.click(tabs, tabs.tabRect(Page.CHANNELS).center())
    assert title(person) == "See its weights"
    person.click(tabs, tabs.tabRect(Page.DISTRIBUTION).center())
    wait_title(person, "Choose how much to prune")
    person.ask_amount("40 %")
    wait_title(person, "Prune")
    person.wait(lambda: is_around(person, person.button))
    person.click(person.button)  # the frame is transparent for the mouse
    wait_title(person, "Undo")
    assert is_around(person, person.views.history.list)
    person.key("Ctrl+Z")
    wait_title(person, "Redo")
    assert person.document.position == 0
    person.click_state(1)
    wait_title(person, "Export")
    assert person.document.position == 1
    assert "Ctrl+E" in tour.text.text()
    assert tour.next.text() == "Finish"
    person.click(person.window.export_button)
    person.wait(lambda: not tour.isVisible())
    assert not person.window.highlight.isVisible()
    person.wait(lambda: person.workbench.export.dialog is not None)
    person.workbench.export.dialog.reject()


def test_next_does_the_steps_by_the_keyboard_alone(touring):
    person, seen = touring, []
    person.wait(person.window.tour.next.hasFocus)
    for wanted in TITLES:
        wait_title(person, wanted)
        assert person.window.tour.next.hasFocus()
        seen.append(person.document.position)
        assert problems_of(person.window) == []
        person.key("Return")
    assert seen == [0, 0, 0, 0, 1, 0, 1]
    assert person.views.tree.focused_name() == "fc1.weight"
    assert person.views.pages.page == Page.DISTRIBUTION
    assert not person.window.tour.isVisible()
    assert person.views.tree.view.hasFocus()

    person.menu("Help", "Tour")  # again, with all steps done
    for wanted in TITLES:
        wait_title(person, wanted)
        person.key("Space", person.window.tour.next)
    person.wait(lambda: not person.window.tour.isVisible())


def test_the_tour_ends_at_any_time(touring, tmp_path):
    person, tour = touring, touring.window.tour
    file = tmp_path / "other.safetensors"
    file.write_bytes(SAMPLE.read_bytes())
    for end in ("button", "Esc", "closed", "another file"):
        if end != "button":
            person.menu("Help", "Tour")
            person.wait(tour.isVisible)
        person.click(tour.next)
        wait_title(person, "See its weights")
        if end == "button":
            person.click(tour.close_button)
        elif end == "Esc":
            person.key("Esc", tour.next)
        elif end == "closed":
            person.key("Ctrl+W")
        else:
            person.drop(file)
            person.wait_open(file)
        person.wait(lambda: not tour.isVisible())
        assert not person.window.highlight.isVisible(), end
        if person.document is not None:
            person.click_cell("fc2.weight")
            assert not tour.isVisible(), end


def test_the_tour_takes_the_place_of_another_file(new_person, tmp_path):
    file = tmp_path / "other.safetensors"
    file.write_bytes(SAMPLE.read_bytes())
    person = new_person(file).wait_ready()
    person.wait_open(file)
    person.menu("Help", "Tour")
    person.wait(person.window.tour.isVisible)
    person.wait_open(SAMPLE)
    assert title(person) == TITLES[0]


def test_the_frame_is_in_the_colour_of_the_theme_and_follows_the_window(touring):
    person = touring
    for theme in ("light", "dark"):
        person.window.actions_[f"theme_{theme}"].trigger()
        person.pause(20)
        frame = frame_geometry(person)
        image = person.window.grab().toImage()
        ratio = image.devicePixelRatio()
        corner = frame.topLeft() + QPoint(1, frame.height() // 2)
        assert image.pixelColor(corner * ratio) == QApplication.palette().highlight().color()
    before = frame_geometry(person)
    person.window.resize(960, 600)
    person.wait(lambda: frame_geometry(person) != before)
    assert is_around(person, person.views.tree.view)
    person.window.resize(960, 600)
    for _ in range(2):
        person.click(person.window.tour.next)
    wait_title(person, "Choose how much to prune")
    person.wait(lambda: is_around(person, person.rule.fields))

    # another method replaces the field
    before = person.rule.fields
    form = person.views.form
    form.set_request(form.corrected_request())
    after = person.rule.fields
    assert after is not before
    person.wait(lambda: not shiboken6.isValid(before))
    person.wait(lambda: is_around(person, after))


# The first run


def test_the_cards_are_shown_once(new_person, settings_file):
    first = new_person()
    page = first.window.empty
    assert page.title.text() == "Welcome to Pruneapp"
    assert page.tour_button.isVisible()
    cards = page.open_button, page.sample_button, page.tour_button
    edges = {button.geometry().bottom() for button in cards}
    assert len(edges) == 1
    first.wait_ready()
    assert first.window.close()
    second = new_person()
    assert second.window.empty.title.text() == "Drop a checkpoint here"
    assert not second.window.empty.tour_button.isVisible()
    assert second.window.empty.sample_button.isVisible()


def test_the_cards_are_told_in_the_order_of_reading_until_something_was_opened(person):
    assert problems_of(person.window) == []
    page = person.window.empty
    page.open_button.setFocus()
    for button in (page.folder_button, page.sample_button, page.tour_button):
        person.key("Tab")
        person.wait(button.hasFocus)
    person.click(person.window.empty.sample_button)
    person.wait_open(SAMPLE)
    person.key("Ctrl+W")
    person.wait(lambda: person.document is None)
    person.wait(person.window.empty.sample_button.isVisible)
    assert person.window.empty.title.text() == "Drop a checkpoint here"
    person.click(person.window.empty.sample_button)
    person.wait_open(SAMPLE)


def test_who_has_opened_files_before_is_not_welcomed(settings_file):
    settings_file.write_text(json.dumps({"recent": ["/a/b.pt"]}))
    assert not Settings(settings_file).is_first_run


def test_the_tour_can_be_asked_for_before_everything_is_there(new_person):
    person = new_person()
    assert person.start.workbench is None
    person.qtbot.mouseClick(person.window.empty.tour_button, Qt.MouseButton.LeftButton)
    person.wait_ready()
    person.wait(person.window.tour.isVisible)
