"""In windows of usual sizes, no tab of the pages and no button of the toolbar is cut or hidden."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QToolBar, QToolButton

from pruneapp import resources
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.widgets import screen

SAMPLE = resources.path("sample/lenet-digits.safetensors")
SIZES = (1024, 700), (1280, 764), (1280, 800), (1440, 900)


@pytest.fixture(params=[1.0, 1.5])
def font_scale(qapp, request):
    before = QFont(qapp.font())
    font = QFont(before)
    font.setPointSizeF(before.pointSizeF() * request.param)
    qapp.setFont(font)
    yield request.param
    qapp.setFont(before)


@pytest.fixture
def opened(language, font_scale, new_user, monkeypatch):
    monkeypatch.setattr(screen, "available", lambda _window: QRect(0, 0, 1920, 1200))
    user = new_user()
    user.wait_ready()
    user.open_file(SAMPLE)
    user.wait_preview()
    user.key("Ctrl+Return", user.window)
    user.wait(lambda: user.document.position == 1)
    user.wait_idle()
    return user


def hidden_buttons(bar):
    """Return the buttons of a toolbar that are not completely visible."""
    found = []
    for button in bar.findChildren(QToolButton):
        if button.objectName() == "qt_toolbar_ext_button":
            if button.isVisible():
                found.append("»")
            continue
        place = QRect(button.mapTo(bar, QPoint(0, 0)), button.size())
        whole = bar.rect().contains(place) and button.width() >= button.sizeHint().width()
        if not (whole and button.isVisible()):
            found.append(button.text())
    return found


def test_no_tab_and_no_button_is_cut_or_hidden(opened):
    window, tabs = opened.window, opened.views.pages.tabs
    (bar,) = window.findChildren(QToolBar)
    tabs.setTabVisible(Page.GRAPH, True)  # as for a file with a graph
    for size in SIZES:
        window.resize(*size)
        opened.pause(50)
        assert (window.width(), window.height()) == size
        # The buttons to scroll the tabs are hidden once the font of the tabs has been reduced.
        scrolling = tabs.findChildren(QToolButton)
        opened.wait(lambda buttons=scrolling: not any(button.isVisible() for button in buttons))
        metrics = tabs.fontMetrics()
        for number in Page:
            rect = tabs.tabRect(number)
            assert tabs.rect().contains(rect), (size, number)
            # `Style` reduces the padding of a tab to 6 pixels.
            assert rect.width() >= metrics.horizontalAdvance(tabs.tabText(number)) + 6, size
        place = QRect(tabs.mapTo(window, QPoint(0, 0)), tabs.size())
        assert window.rect().contains(place), size
        assert tabs.font().pointSizeF() >= 0.64 * QApplication.font().pointSizeF()
        assert not hidden_buttons(bar), size
        for dock in (opened.views.tree_dock, opened.views.form_dock):
            if not dock.visibleRegion().isEmpty():
                around = QRect(dock.mapTo(window, QPoint(0, 0)), dock.size())
                assert window.rect().contains(around), size
