"""Notices above the picture, in windows in which there is little room for both."""

from __future__ import annotations

import threading

import pytest

from pruneapp import resources
from pruneapp.errors import ExportError, FileChangedError, HistoryError, SelectionError
from tests.gui.person import PATIENCE_MS

SAMPLE = resources.path("sample/lenet-digits.safetensors")
LONG = (
    "The masks of this state cannot be read again: No space left on device "
    "(/home/person/.cache/pruneapp/scratch-1234.bin). The state that is shown stays as it is."
)


@pytest.fixture
def small(person):
    """The smallest window, with the sample."""
    person.open(SAMPLE)
    person.wait_open(SAMPLE)
    person.wait_preview()
    person.window.resize(720, 480)
    person.pause(50)
    return person


def high(person):
    """Rows of pixels that the picture has."""
    person.pause(50)
    return person.views.pages.weights.canvas.height()


def test_in_the_smallest_window_a_notice_is_a_line_and_the_picture_stays(small):
    without = high(small)
    for number in range(3):
        small.workbench.telling.say(f"{number}: {LONG}")
        assert high(small) >= without - 32
    notice = small.window.notices.notices[0]
    assert [n.isVisible() for n in small.window.notices.notices] == [True, False, False]
    assert notice.line.isVisible()
    assert notice.line.toolTip()
    assert not notice.sentence.isVisible()
    assert notice.older.text() == "2 older"

    small.click(notice.more)
    assert notice.sentence.isVisible()
    assert not notice.line.isVisible()
    small.pause(20)
    assert notice.sentence.height() >= notice.sentence.heightForWidth(notice.sentence.width())
    small.click(notice.more)
    assert high(small) >= without - 32
    small.click(notice.close_button)
    assert small.window.notices.notices[0].line.text().startswith("1: ")
    assert small.window.notices.notices[0].older.text() == "1 older"


def test_a_short_sentence_needs_no_details_and_details_come_with_the_sentence(small):
    small.workbench.telling.say("Short.")
    short = small.window.notices.notices[0]
    small.pause(20)
    assert short.line.isVisible()
    assert not short.more.isVisible()
    small.window.notices.set_notice(LONG, details="a\nb")
    small.pause(20)
    notice = small.window.notices.notices[0]
    small.click(notice.more)
    assert notice.details.isVisible()
    assert notice.copy.isVisible()


def test_in_a_window_with_room_notices_are_read_whole(small):
    for number in range(3):
        small.workbench.telling.say(f"{number}: {LONG}")
    bar = small.window.notices
    small.window.resize(960, 640)
    small.pause(50)
    assert [n.isVisible() for n in bar.notices] == [True, False, False]
    assert bar.waiting.text() == "2 older notices"
    assert bar.waiting.isVisible()
    small.window.resize(1280, 800)
    small.pause(50)
    for notice in bar.notices:
        assert notice.sentence.isVisible()
        assert not notice.line.isVisible()
        assert not notice.more.isVisible()
        assert not notice.older.isVisible()
    assert not bar.waiting.isVisible()


def test_an_error_of_an_export_ends_when_an_export_succeeds(person, tmp_path):
    person.open(SAMPLE)
    person.wait_open(SAMPLE)
    person.session.refused.emit(ExportError("'/proc/pruned' cannot be written."))
    person.session.refused.emit(HistoryError("Older states stay in memory."))
    assert len(person.trouble) == 2
    person.key("Ctrl+E")
    exporting = person.workbench.exporting
    person.wait(lambda: exporting.dialog is not None and exporting.dialog.isVisible())
    person.type(exporting.dialog.target.path, str(tmp_path / "out.safetensors"))
    person.wait(exporting.dialog.go.isEnabled)
    person.click(exporting.dialog.go)
    person.wait(lambda: exporting.report is not None)
    person.close_report()
    assert person.trouble == ["Older states stay in memory."]


def test_a_file_that_cannot_be_opened_leaves_what_was_said_of_the_open_one(person, tmp_path):
    """What is offered for the open document is still true; the next try ends the trouble."""
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(b"not a checkpoint at all")
    person.open(SAMPLE)
    person.wait_open(SAMPLE)
    pressed = []
    person.workbench.telling.offer(
        "Half of it are zeros.", "Treat as pruned", lambda: pressed.append(1)
    )
    person.session.refused.emit(FileChangedError("The file changed."))
    person.open(bad)
    person.wait(lambda: len(person.trouble) == 2)
    assert person.notices[2:] == ["Half of it are zeros."]
    offered = person.window.notices.notices[2]
    person.click(offered.action)
    assert pressed == [1]
    other = tmp_path / "other.safetensors"
    other.write_bytes(b"neither")
    person.open(other)
    person.wait(lambda: "other.safetensors" in str(person.trouble))
    assert "bad.safetensors" not in str(person.trouble)
    assert "The file changed." in person.trouble
    person.open(SAMPLE)
    person.wait(lambda: not person.trouble and not person.notices)


def test_a_wrong_amount_is_forgotten_once_something_is_pruned(person):
    person.open(SAMPLE)
    person.wait_open(SAMPLE)
    person.session.refused.emit(SelectionError("Nothing can be pruned."))
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: person.document.position == 1)
    assert person.trouble == []


@pytest.mark.parametrize("own", [False, True])
def test_a_job_that_does_not_stop_is_told_of_until_it_has_stopped(person, own):
    """Whose code it is, is said only if it may be a method of the person's own."""
    jobs, go_on = person.workbench.jobs, threading.Event()
    person.workbench.telling.own_methods = own
    jobs._listen.setInterval(30)

    def deaf(_job):
        go_on.wait(2 * PATIENCE_MS / 1000)

    task = jobs.submit("Exporting", deaf, on_result=print, on_error=print)
    try:
        person.wait(lambda: task.begun)
        person.key("Esc")
        person.wait(lambda: person.notices)
        (said,) = person.notices
        assert said.startswith("'Exporting'")
        assert ("a method that you loaded" in said) == own
        assert bool(person.trouble) == own
    finally:
        go_on.set()
    person.wait(lambda: not person.trouble and not person.notices)
