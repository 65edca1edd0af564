"""Notices above the plots: stacking, no duplicates, removal."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QWidget

from pruneapp import resources
from pruneapp.gui.app.notices import NoticeBar
from pruneapp.gui.widgets.controls import lay_in_column


def test_notices_stack_the_newest_on_top_and_the_same_is_said_once(show):
    bar = show(NoticeBar(), 700, 300)
    first = bar.set_notice("The file changed.", action="Open again", details="stat")
    assert bar.set_notice("The file changed.", action="Open again", details="stat") is first
    for text in ("b", "c", "d"):
        bar.set_notice(text, trouble=False)
    assert [n.sentence.text() for n in bar.notices] == ["d", "c", "b", "The file changed."]
    assert [n.isVisible() for n in bar.notices] == [True, True, False, False]
    assert bar.waiting.text() == "2 older notices"
    bar.clear()
    assert not bar.isVisible()


def test_a_notice_offers_its_action_its_details_and_an_end(show, qtbot):
    bar = show(NoticeBar(), 700, 300)
    calls = []
    notice = bar.set_notice(
        "<b>Cut</b> short.",
        action="Open again",
        call=lambda: calls.append("Open again"),
        details="line\nline",
    )
    assert notice.sentence.text() == "<b>Cut</b> short."
    assert notice.sentence.textFormat() == Qt.TextFormat.PlainText
    qtbot.mouseClick(notice.action, Qt.MouseButton.LeftButton)
    assert calls == ["Open again"]
    qtbot.mouseClick(notice.more, Qt.MouseButton.LeftButton)
    assert notice.details.isVisible()
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    assert notice.details.font().family() == fixed.family()
    qtbot.mouseClick(notice.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "<b>Cut</b> short.\n\nline\nline"
    qtbot.keyClick(notice.close_button, Qt.Key.Key_Escape)
    assert notice not in bar.notices
    assert not bar.isVisible()


def test_a_notice_can_be_removed_twice(show):
    bar = show(NoticeBar(), 700, 300)
    notice = bar.set_notice("Gone soon.")
    bar.remove(notice)
    bar.remove(notice)
    assert not bar.notices


def test_a_repeated_notice_flashes_where_it_is_seen(show, qtbot):
    bar = show(NoticeBar(), 700, 300)
    first = bar.set_notice("Nothing is checked.")
    bar.set_notice("b")
    bar.set_notice("c")
    assert not first.isVisible()

    assert bar.set_notice("Nothing is checked.") is first

    assert [n.sentence.text() for n in bar.notices] == ["Nothing is checked.", "c", "b"]
    assert first.isVisible()
    flashing = first.grab().toImage()
    qtbot.waitUntil(lambda: not first.flash_timer.isActive())
    assert first.grab().toImage() != flashing


def test_notices_cover_the_bottom_of_a_widget_and_move_nothing(show, qtbot):
    host = show(QWidget(), 700, 500)
    below = QWidget(host)
    below.setGeometry(50, 40, 600, 400)
    below.show()
    bar = NoticeBar(host)
    bar.float_above(below)
    notice = bar.set_notice("The file changed. " * 20, details="line", trouble=False)
    bar.set_notice("Another thing.")
    qtbot.waitUntil(lambda: bar.isVisible() and bar.geometry().bottom() == 431)
    assert below.geometry().getRect() == (50, 40, 600, 400)
    assert (bar.x(), bar.width()) == (58, 584)
    assert notice.sentence.height() >= notice.sentence.heightForWidth(notice.sentence.width())
    low = bar.height()
    qtbot.mouseClick(notice.more, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bar.height() > low)
    assert bar.geometry().bottom() == 431
    bar.float_above(below, lambda: QMargins(0, 0, 0, 45))
    below.resize(600, 399)
    qtbot.waitUntil(lambda: bar.geometry().bottom() == 439 - 46)
    bar.float_above(below)
    below.resize(500, 300)
    qtbot.waitUntil(lambda: bar.geometry().bottom() == 331)
    assert bar.width() == 484


def test_a_chart_makes_space_for_notices_until_they_end(show, qtbot):
    """Regression: a notice covered points of the page Quality for minutes."""
    host = show(QWidget(), 700, 500)
    room = QWidget(host)
    room.setGeometry(50, 40, 600, 400)
    chart = QWidget()
    lay_in_column(room, chart, margins=(0, 0, 0, 0))
    room.show()
    bar = NoticeBar(host)
    bar.float_above(chart, room=room)
    qtbot.waitUntil(lambda: chart.height() == 400)
    notice = bar.set_notice("The lowest cosine is 0.8.", trouble=False)
    qtbot.waitUntil(lambda: bar.isVisible() and chart.height() == 400 - bar.height() - 8)
    assert bar.geometry().bottom() == 439
    assert bar.y() >= chart.mapTo(host, chart.rect().bottomLeft()).y() + 8
    bar.remove(notice)
    qtbot.waitUntil(lambda: chart.height() == 400)
    bar.set_notice("A long one. " * 200)
    qtbot.waitUntil(lambda: bar.isVisible() and bar.height() > 120)
    assert chart.height() == 400, "it would leave too little of the chart"


def test_a_notice_covers_no_axis_of_the_weights(user):
    """Regression: it covered the lowest labels of the left axis."""
    user.open_file(resources.path("sample/lenet-digits.safetensors"))
    user.wait_preview()
    notices, canvas = user.window.notices, user.views.pages.weights.canvas
    notices.set_notice("The file changed. " * 9)
    user.wait(notices.isVisible)
    place = QRect(canvas.mapFromGlobal(notices.mapToGlobal(QPoint())), notices.size())
    assert canvas.rect().contains(place)
    for axis in (canvas.left, canvas.bottom):
        shown = canvas.mapFromScene(axis.sceneBoundingRect()).boundingRect()
        assert not shown.adjusted(1, 1, -1, -1).intersects(place), axis.orientation
