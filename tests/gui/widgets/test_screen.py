"""Windows are placed inside their screen, including the frame, so that all can be clicked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMargins, QRect, QSize, Qt
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from pruneapp.gui.widgets import screen as window_placing

SMALL = QRect(0, 24, 1280, 776)  # below a panel


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(window_placing, "available", lambda _window: SMALL)


def test_the_first_window_leaves_its_frame_room(new_user, monkeypatch, small):
    """Without settings: status bar, progress and Cancel are on the screen."""
    user = new_user(show=False)
    window = user.window
    assert window.size().width() <= SMALL.width()
    assert (
        window.height() + window_placing.FRAME.top() + window_placing.FRAME.bottom()
        <= SMALL.height()
    )
    with user.qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    assert SMALL.contains(window.geometry())
    assert window.statusBar().isVisible()


def test_a_window_that_was_larger_is_fitted(new_user, monkeypatch):
    """The screen is smaller than when the geometry was saved."""
    first = new_user()
    first.window.resize(1600, 1000)
    assert first.window.close()
    monkeypatch.setattr(window_placing, "available", lambda _window: QRect(0, 0, 1024, 700))
    second = new_user()
    assert second.window.width() <= 1024
    assert QRect(0, 0, 1024, 700).contains(second.window.geometry())


def test_a_frame_that_turns_out_larger_is_made_room_for(qtbot, monkeypatch, small):
    """Its size is known after the window is shown; the window is first moved up, then shrunk."""
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(300, 200, 900, 600)
    with qtbot.waitExposed(window):
        window.show()
    frame = QMargins(10, 60, 10, 20)
    monkeypatch.setattr(window_placing, "_frame", lambda _window: frame)
    window_placing.fit_into_screen(window)
    assert window.geometry() == QRect(300, 180, 900, 600)
    window.resize(1280, 800)
    window_placing.fit_into_screen(window)
    assert window.geometry().marginsAdded(frame) == SMALL


def test_a_small_window_stays_where_it_is(qtbot, small):
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(100, 150, 400, 300)
    with qtbot.waitExposed(window):
        window.show()
    window_placing.fit_into_screen(window)
    assert window.geometry() == QRect(100, 150, 400, 300)


def test_a_window_comes_back_where_it_stood_however_small_its_frame(new_user, monkeypatch):
    """A title bar of 9 pixels at the top of the screen; the assumed height is 36."""
    monkeypatch.setattr(window_placing, "available", lambda _window: QRect(0, 0, 1600, 1000))
    monkeypatch.setattr(window_placing, "FRAME", QMargins(1, 9, 1, 5))
    first = new_user()
    place = QRect(1, 9, 740, 500)
    first.window.setGeometry(place)
    assert first.window.close()
    monkeypatch.setattr(window_placing, "FRAME", QMargins(4, 36, 4, 4))
    assert new_user(show=False).window.geometry() == place


class Growing(window_placing.Dialog):
    """A window that requests more than its initial size."""

    def preferred_size(self):
        return QSize(1180, 700)


@pytest.fixture
def framed(monkeypatch, small):
    frame = QMargins(1, 20, 1, 5)
    monkeypatch.setattr(window_placing, "_frame", lambda _window: frame)
    return frame


def test_a_dialog_is_placed_for_the_size_that_it_opens_with(qtbot, framed):
    """Regression: placed for its initial 600 pixels, half of it was outside the screen."""
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(SMALL.marginsRemoved(framed))
    with qtbot.waitExposed(window):
        window.show()
    dialog = Growing(window)
    dialog.resize(600, 400)
    dialog.winId()  # the system may place it from here on
    with qtbot.waitExposed(dialog):
        dialog.show()
    assert dialog.size() == QSize(1180, 700)
    assert SMALL.contains(dialog.geometry().marginsAdded(framed))
    between = dialog.geometry().center() - window.geometry().center()
    assert between.manhattanLength() <= 2
    # It always has a position: the system would choose one for another size.
    assert dialog.testAttribute(Qt.WidgetAttribute.WA_Moved)


def test_a_dialog_that_grows_stays_in_the_screen(qtbot, framed):
    """Its buttons are at the lower right."""
    dialog = window_placing.Dialog()
    qtbot.addWidget(dialog)
    dialog.setGeometry(600, 500, 400, 200)
    with qtbot.waitExposed(dialog):
        dialog.show()
    assert dialog.geometry() == QRect(600, 500, 400, 200)
    dialog.setMinimumSize(900, 400)
    assert dialog.size() == QSize(900, 400)
    assert SMALL.contains(dialog.geometry().marginsAdded(framed))


def test_a_dialog_that_grows_while_its_frame_is_added_stays_where_it_was_placed(qtbot, framed):
    """Regression: under X11 it jumped to the top left of the screen, also when opened again.

    Meanwhile the window manager reports its position in the frame, which is about 0, 0.
    """
    dialog = window_placing.Dialog()
    qtbot.addWidget(dialog)
    dialog.setGeometry(300, 200, 400, 200)
    dialog.show()
    assert not dialog.windowHandle().isExposed()
    dialog.move(0, 0)
    dialog.setMinimumHeight(220)  # as its layout does
    assert dialog.geometry() == QRect(300, 200, 400, 220)
    with qtbot.waitExposed(dialog):
        QApplication.processEvents()
    assert dialog.user_geometry().isNull(), "the user did not resize it"


class Asking(window_placing.Dialog):
    """A dialog of the size of its content, which changes while it is shown."""

    def __init__(self):
        super().__init__()
        content, self.label = QWidget(), QLabel("Export")
        QVBoxLayout(content).addWidget(self.label)
        QVBoxLayout(self).addWidget(window_placing.Scrolled(content, self))

    def preferred_size(self):
        return self.sizeHint()


def test_a_dialog_has_its_size_when_it_is_placed(qtbot, framed):
    """Regression: the export dialog grew by 200 pixels to the right after it had been placed."""
    dialog = Asking()
    qtbot.addWidget(dialog)
    dialog.adjustSize()
    dialog.label.setText("model.pruned.safetensors " * 5)
    dialog.show()  # which passes its position to the system
    placed = dialog.geometry()
    assert placed.width() > dialog.label.sizeHint().width()
    QApplication.processEvents()  # apply the layout
    assert dialog.geometry() == placed


def test_lines_of_two_columns_do_not_empty_the_lower_part_of_a_scroll_area(qtbot):
    """Regression: every height cut a line of one of them, so a third of the area was blank."""
    content = QWidget()
    for column, first in enumerate((330, 340)):
        for top in range(first, 800, 20):
            line = QLabel("line", content)
            line.setGeometry(100 * column, top, 90, 20)
    area = window_placing.Scrolled(content)
    content.setMinimumHeight(800)
    qtbot.addWidget(area)
    area.resize(300, 500)
    area.show()
    qtbot.wait(20)
    assert area.viewport().height() >= 500 - window_placing.TALLEST_ROW


def test_a_cut_is_at_the_same_height_before_and_after_a_label_gets_its_text(show):
    """Regression: the form moved by some pixels when the preview showed its first tensors."""
    content = QWidget()
    column = QVBoxLayout(content)
    label = QLabel("")
    for part in (QLabel("above"), label, QLabel("below")):
        part.setFixedHeight(30)
        column.addWidget(part)
    show(content)
    middle = label.geometry().center().y() + 3
    before = window_placing.whole_height(content, middle)
    label.setText("text")
    assert window_placing.whole_height(content, middle) == before
