"""Every axis of every plot has a title, complete and uncovered, in every window."""

from itertools import product

import pytest
from PySide6.QtCore import QPointF, QRect, QRectF

from pruneapp import resources
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.widgets import screen as window_placing

SAMPLE = resources.path("sample/lenet-digits.safetensors")
# In logical pixels: 853 x 533 is a screen of 1280 x 800 at 150 %.
SIZES = [(1280, 800), (1280, 720), (960, 600), (853, 533)]


@pytest.fixture
def opened(user, monkeypatch):
    monkeypatch.setattr(window_placing, "available", lambda _window: QRect(0, 0, 1920, 1200))
    user.open_file(SAMPLE)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    return user


def title_of(canvas, side):
    """Return the rectangle of the title of an axis in canvas pixels."""
    label = getattr(canvas, side).label
    text = label.boundingRect().adjusted(4, 4, -4, -4)  # a document has a margin of 4
    return QRectF(canvas.mapFromScene(label.mapRectToScene(text)).boundingRect())


def covered(picture, area):
    """Return the widgets that cover a part of an area of the canvas."""
    found = set()
    for x in range(int(area.left()), int(area.right()) + 1, 2):
        for y in range(int(area.top()) + 1, int(area.bottom()), 2):
            at = picture.canvas.mapTo(picture, QPointF(x, y).toPoint())
            found.add(picture.childAt(at))
    return found - {picture.canvas.viewport()}


def test_every_axis_has_a_title_that_nothing_covers(opened):
    opened.show_quality()
    for size, page in product(SIZES, set(Page) - {Page.GRAPH}):  # it has no axes
        opened.window.resize(*size)
        opened.views.pages.tabs.setCurrentIndex(page)
        picture = opened.views.pages.picture()
        opened.wait(picture.canvas.isVisible)
        opened.pause(50)
        for side in ("bottom", "left"):
            place = size, page, side
            axis, area = getattr(picture.canvas, side), title_of(picture.canvas, side)
            assert axis.label.isVisible(), place
            assert axis.labelText, place
            assert picture.canvas.rect().toRectF().contains(area), (place, area)
            assert not covered(picture, area), (place, picture.legend.geometry(), area)

    opened.views.pages.tabs.setCurrentIndex(Page.DISTRIBUTION)
    view = opened.views.pages.distribution
    titles = []
    for binning in ("magnitudes", "decades", "signed"):
        opened.choose(view.binning_box, view.binning_box.itemText(len(titles)))
        opened.wait(lambda binning=binning: view._histogram and view._histogram.binning == binning)
        titles.append(view.canvas.bottom.labelText)
    assert titles == ["weight magnitude", "weight magnitude (log scale)", "weight value"]
    assert view.canvas.left.labelText == "number of weights"
