"""Errors in paint events and other virtual methods are reported, and do not end the process."""

from __future__ import annotations

import importlib
import pkgutil

from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QAbstractItemDelegate, QGraphicsItem, QWidget

from pruneapp import gui


def test_all_that_qt_calls_to_paint_is_guarded():
    names = {"paintEvent", "paint", "drawRow"}
    found = {
        f"{kind.__qualname__}.{name}": hasattr(vars(kind)[name], "__wrapped__")
        for module in pkgutil.walk_packages(gui.__path__, "pruneapp.gui.")
        for kind in vars(importlib.import_module(module.name)).values()
        if isinstance(kind, type)
        and kind.__module__.startswith("pruneapp.gui")
        and issubclass(kind, (QWidget, QGraphicsItem, QAbstractItemDelegate))
        for name in names & vars(kind).keys()
    }
    known = {"PlotCanvas.paintEvent", "PlotAxis.paint", "HeatmapItem.paint", "TreeView.drawRow"}
    assert known < found.keys()
    assert [name for name, guarded in found.items() if not guarded] == []


class Slip(QWidget):
    """Raises an error while its painter is active."""

    fails = True

    def paintEvent(self, _event):  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("red"))
        if self.fails:
            raise ZeroDivisionError("in the middle")
        painter.fillRect(self.rect(), QColor("green"))


def test_a_painter_does_not_live_on_with_the_error_that_somebody_keeps(qtbot):
    widget = Slip()
    qtbot.addWidget(widget)
    widget.resize(40, 40)
    with qtbot.captureExceptions() as caught, qtbot.waitExposed(widget):
        widget.show()
    assert all(kind is ZeroDivisionError for kind, _, _ in caught)
    assert caught
    widget.fails = False
    widget.repaint()  # Qt would warn of a painter that is still active, and warnings fail the test
    assert widget.grab().toImage().pixelColor(20, 20) == QColor("green")


class Broken(QWidget):
    """Raises an error that was made in C while Python code is running."""

    def event(self, event):
        return super().event(event)

    def keyPressEvent(self, _event):  # noqa: N802 - Qt's name
        return [][self.width() * 0]


def test_an_error_in_a_handler_is_reported_and_does_not_end_the_process(qtbot):
    """Regression: PySide6 of Python 3.11 ended the process by a segmentation fault."""
    widget = Broken()
    qtbot.addWidget(widget)
    with qtbot.captureExceptions() as caught:
        qtbot.keyClick(widget, "a")
    assert [kind for kind, _, _ in caught] == [IndexError]
