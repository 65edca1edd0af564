"""Notices above the picture, in windows in which there is little room for both."""

from __future__ import annotations

import pytest

from pruneapp import resources

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
