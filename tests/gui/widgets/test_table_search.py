"""Typing over a table of 100,000 rows does not block the window."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from pruneapp.gui.plots.base.table import NumbersView
from pruneapp.gui.widgets.clipboard import Numbers
from pruneapp.gui.widgets.reports import CountsTable

ROWS = 100_000
# Processor time of the main thread; Qt's own search takes 4 s and more.
AT_ONCE_S = 0.5


@pytest.fixture
def press_key(qtbot):
    """Return a function that types a key over a table, and returns the current row then."""

    def press(table, key: Qt.Key) -> int:
        qtbot.addWidget(table)
        table.show()
        table.setCurrentIndex(table.model().index(0, 0))
        began = time.thread_time()
        QTest.keyClick(table, key)
        assert time.thread_time() - began < AT_ONCE_S
        return table.currentIndex().row()

    return press


def test_numbers_of_a_picture_are_not_searched(press_key):
    table = NumbersView()
    table.numbers.set_numbers(Numbers(("index", "norm"), ROWS, lambda row: (row, row / 3)))
    assert press_key(table, Qt.Key.Key_9) == 0


def test_names_of_a_long_table_are_searched_for_a_moment(press_key):
    names = [f"layer.{row}" for row in range(ROWS)]
    table = CountsTable(("name", "n"), ROWS, lambda row: (names[row], "1"))
    assert press_key(table, Qt.Key.Key_Z) == 0


def test_names_of_a_table_are_found_by_their_first_letter(press_key):
    names = ["conv", "bn", "Fc", "final"]
    table = CountsTable(("name", "n"), 4, lambda row: (names[row], "1"))
    assert press_key(table, Qt.Key.Key_F) == 2
