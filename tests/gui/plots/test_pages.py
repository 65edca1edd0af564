"""The pages, their heading and their numbers."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QToolButton, QWidget

from pruneapp.analysis.statistics import Histogram, TensorStats
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.evaluation.metric import MeasuredState, MetricChange, StateQuality
from pruneapp.groups.operator_graph import Operator
from pruneapp.gui.compare.view import CompareView
from pruneapp.gui.plots.graph.graph_layout import PlacedGraph, lay_out
from pruneapp.gui.plots.pages import Page, PlotPages
from pruneapp.gui.plots.quality_sessions import OtherSession
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME, THEMES, ThemeManager
from pruneapp.progress import CancelToken
from tests.gui.plots.test_chart_pages import CASES

ROW = TensorRow(
    "module.layer3.2.conv2.weight",
    "layer3.2.conv2.weight",
    "Conv2d",
    (64, 64, 3, 3),
    "float32",
    36_864,
    147_456,
)


@pytest.fixture
def pages(show):
    return show(PlotPages(CompareView()), 580, 600)


def test_the_heading_names_the_tensor_and_what_it_is(pages):
    pages.set_tensor(ROW, 11_796)
    assert pages.heading.name.text() == "layer3.2.conv2.weight"
    assert pages.heading.details.text() == "Conv2d · 64×64×3×3 · float32 · 32.0\u00a0% pruned"
    assert "module.layer3.2.conv2.weight" in pages.heading.name.toolTip()
    pages.set_pruned(0)
    assert pages.heading.details.text().endswith("0\u00a0% pruned")
    pages.set_tensor(None)
    assert pages.heading.details.text() == ""
    row = TensorRow("n", "n", "", (), "int64", 1, 8, why_not="integers are not pruned")
    pages.set_tensor(row)
    assert pages.heading.details.text() == "one number · int64 · integers are not pruned"
    name = "transformer." * 40 + "weight"
    pages.set_tensor(TensorRow(name, name, "Linear", (3, 3), "float32", 9, 36), 0)
    assert pages.minimumSizeHint().width() < 560, "the window stays small for long names"


def test_numbers_are_written_in_one_line(pages):
    stats = TensorStats("x", 36_864, 0, -0.61234, 0.5, 0.0, 0.05, 4096, 0, 3)
    pages.numbers.set_stats(stats)

    def said():
        return pages.numbers.text().replace("\u00a0", " ")

    heights = set()
    for words in (
        "infinite 3   min −0.6123   max 0.5   mean 0   std 0.05   zeros 4,096 (11.1 %)",
        "infinite 3   min −0.6123   max 0.5   mean 0   std 0.05   zeros 11.1 %",
        "infinite 3   min −0.612   max 0.5   mean 0   std 0.05   zeros 11.1 %",
        "infinite 3   min −0.61   max 0.5   mean 0   std 0.05   zeros 11.1 %",
    ):
        pages.numbers.resize(pages.fontMetrics().horizontalAdvance(words) + 2, 40)
        assert said() == words
        heights.add(pages.numbers.height())
    pages.numbers.resize(200, 40)
    assert said().startswith("infinite 3")
    *shown, last = said().split("   ")
    assert set(shown) < set(words.split("   ")), "whole entries"
    assert last == "…", "it is said that some are missing"
    assert "zeros\u00a04,096" in pages.numbers.toolTip()
    pages.set_tensor(ROW, 0)
    assert pages.numbers.text() == ""
    assert heights == {pages.numbers.height()}, "the picture above would move"
    nan = float("nan")
    pages.numbers.set_stats(TensorStats("x", 1, 0, nan, nan, nan, nan, 0, 1, 0))
    assert "min\u00a0NaN" in pages.numbers.text()


def test_a_change_of_pages_is_said(pages, qtbot):
    pages.tabs.setCurrentIndex(Page.CHANNELS)
    assert pages.page is Page.CHANNELS
    assert pages.channels.isVisible()
    assert not pages.weights.isVisible()
    with qtbot.waitSignal(pages.pageChanged) as changed:
        qtbot.keyClick(pages.tabs, Qt.Key.Key_Right)
    assert changed.args == [Page.MODEL]
    assert pages.model.isVisible()
    assert pages.model.controls.isVisible()


def test_only_the_visible_page_asks_for_tiles(pages, conv, qtbot):
    pages.tabs.setCurrentIndex(Page.DISTRIBUTION)
    pages.set_tensor(ROW, 0)
    with qtbot.assertNotEmitted(pages.weights.tileRequested, wait=80):
        conv.show(pages.weights)
    with qtbot.waitSignal(pages.weights.tileRequested):
        pages.tabs.setCurrentIndex(Page.WEIGHTS)


def test_a_new_tensor_leaves_nothing_of_the_old_one(pages, conv, qtbot):
    conv.attach(pages.weights)
    pages.set_tensor(ROW, 0)
    conv.show(pages.weights)
    qtbot.waitUntil(lambda: pages.weights.canvas.item.fine is not None)
    ones = np.array([1])
    pages.distribution.set_histogram(Histogram("x", np.array([0.0, 1]), ones, ones, 0 * ones, 0))
    pages.set_tensor(ROW, 0)
    assert pages.weights.canvas.item.layout is None
    assert pages.distribution.readout.text() == ""
    conv.show(pages.weights)
    assert not pages.weights._stack.updatesEnabled(), (
        "the old picture stays until the new one is there"
    )
    qtbot.waitUntil(lambda: pages.weights.canvas.item.fine is not None)
    assert pages.weights._stack.updatesEnabled()
    pages.set_tensor(ROW, 0)
    assert not pages.weights._stack.updatesEnabled()
    qtbot.waitUntil(pages.weights._stack.updatesEnabled, timeout=1000)  # without a new one


def test_an_error_stays_when_a_page_is_busy_no_more(pages, qtbot):
    pages.tabs.setCurrentIndex(Page.DISTRIBUTION)
    pages.set_tensor(ROW, 0)
    qtbot.waitUntil(
        lambda: pages.distribution._message.text() == "Computing histogram…", timeout=1000
    )
    pages.distribution.set_error("The file changed.")
    assert pages.distribution._message.text() == "▲  The file changed."
    pages.distribution.set_busy(False)
    assert pages.distribution._message.text() == "▲  The file changed."


def apply_theme(root, theme):
    """Set the colors of a theme on all widgets, as `ThemeManager.apply_to` does."""
    for widget in (root, *root.findChildren(QWidget)):
        if hasattr(widget, "set_colors"):
            widget.set_colors(theme.colors)


def test_the_theme_reaches_all(pages, theme):
    apply_theme(pages, theme)
    for picture in (pages.weights, pages.distribution, pages.channels, pages.model):
        assert picture.canvas.backgroundBrush().color().name() == theme.colors["surface"]


@pytest.mark.parametrize(("before", "after"), [("light", "dark"), ("dark", "light")])
@pytest.mark.usefixtures("palette_of")  # restores the palette
def test_a_change_of_theme_repaints_every_page(show, conv, qapp, qtbot, before, after):
    """Compared with pages that get their data when the theme is set already."""
    manager = ThemeManager(qapp, before)

    def fill():
        pages = show(PlotPages(CompareView()), 900, 700)
        manager.apply_to(pages)
        pages.set_tensor(ROW, 0)
        for picture in pages.pictures.values():
            for case in CASES.values():
                if type(picture) is case.kind:
                    case.fill(picture)
        operators = (Operator("Conv", "c", ("c.weight",)),)
        graph = PlacedGraph(operators, ("Conv c",), lay_out([80.0], [], CancelToken()))
        pages.graph.set_graph(graph, [4])
        conv.attach(pages.weights)
        conv.show(pages.weights)
        qtbot.waitUntil(lambda: pages.weights.canvas.item.fine is not None)
        return pages

    def grab(pages):
        images = []
        for page in Page:
            pages.tabs.setCurrentIndex(page)
            qapp.processEvents()
            assert pages.picture().canvas.isVisible(), page
            images.append(pages.grab().toImage())
        return images

    pages = fill()
    grab(pages)  # so that what is cached has the old colors
    manager.choose(after)
    manager.apply_to(pages)
    changed = grab(pages)
    pages.close()
    new = fill()
    grab(new)  # axes get their final width when they are painted
    expected = grab(new)
    manager.deleteLater()
    for page in Page:
        assert changed[page] == expected[page], page
        pixels = np.frombuffer(changed[page].constBits(), np.uint32)
        for token in ("text", "muted", "kept"):
            assert QColor(THEMES[before].colors[token]).rgb() not in pixels, (page, token)


def test_pages_are_freed_when_they_are_closed(qtbot):
    import gc
    import weakref

    from PySide6.QtCore import QCoreApplication, QEvent

    pages = PlotPages(CompareView())
    apply_theme(pages, DARK_THEME)
    apply_theme(pages, LIGHT_THEME)
    gone = weakref.ref(pages)
    pages.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    del pages
    gc.collect()
    assert gone() is None


def test_what_is_done_by_hand_is_in_one_menu_where_room_is_short(pages, qtbot):
    pages.tabs.setCurrentIndex(Page.CHANNELS)
    pages.channels.set_dims(["0: output channels (4,096)", "1: input channels (4,096)"])
    box, operations = pages.channels.dim_box, pages.channels.operations
    for width, one in ((560, True), (1100, False)):
        pages.resize(width, 600)
        button = operations.menu_button if one else operations.buttons["prune"]
        qtbot.waitUntil(lambda button=button: button.isVisible())
        assert operations.menu_button.isVisible() is one
        assert pages.width() == width
        row = box.mapTo(pages, box.rect().center()).y()
        assert abs(button.mapTo(pages, button.rect().center()).y() - row) < 8, "one row"
        assert box.width() >= box.sizeHint().width(), "the dimension is not cut off"
        assert button.visibleRegion().boundingRect() == button.rect(), "all of it is seen"


def test_pictures_begin_at_one_height_and_say_that_a_file_has_no_tensors(pages):
    pages.resize(640, 600)
    pages.set_empty_text("This file has no tensors.")
    tops = set()
    for page in Page:
        pages.tabs.setCurrentIndex(page)
        QApplication.sendPostedEvents()
        assert pages.picture()._message.text() == "This file has no tensors."
        canvas = pages.picture()._stack
        tops.add(canvas.mapTo(pages, canvas.rect().topLeft()).y())
    assert len(tops) == 1, "nothing jumps from page to page"
    pages.set_empty_text("")
    assert pages.distribution._message.text() == "Select a tensor in the tree."


def test_beside_a_very_long_name_the_share_is_whole(pages):
    name = "encoder_of_a_very_long_name_" * 5 + ".weight"
    pages.set_tensor(TensorRow(name, name, "Linear", (64, 48), "float32", 3072, 12288), 1024)
    QApplication.sendPostedEvents()
    details = pages.heading.details
    share = "33.3\u00a0% pruned"
    assert details.shortened(details.width()).endswith(share)
    assert details.width() >= details.fontMetrics().horizontalAdvance(share)
    image = pages.heading.grab().toImage()
    ink = [
        x
        for x in range(details.x(), image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).lightness() < 160
    ]
    assert ink, "the share is not painted"
    assert max(ink) < details.geometry().right()
    assert (
        details.shortened(details.fontMetrics().horizontalAdvance(details.text())) == details.text()
    )


def test_the_extent_stays_when_the_share_has_more_digits(pages):
    """The name leaves space for it in the central area of a window of 1280 pixels."""
    pages.resize(602, 600)
    name = "model.layers.0.mlp.down_proj.weight"
    row = TensorRow(name, name, "", (256, 704), "float32", 256 * 704, 4 * 256 * 704)
    for pruned in (0, 256 * 704 * 3 // 5):
        pages.set_tensor(row, pruned)
        QApplication.sendPostedEvents()
        details = pages.heading.details
        assert details.shortened(details.width()).startswith("256×704")
    assert not pages.numbers.text()
    pages.numbers.set_stats(TensorStats(name, 100, 0, -1.0, 1.0, 0.0, 0.5, 3, 0, 0))
    assert pages.numbers.text().startswith("min")


def test_a_legend_of_two_lines_lets_the_page_rest_at_every_height(pages, qtbot):
    """Regression: its height differed between visible and hidden, so that it flickered."""
    kinds = (
        "LAMP",
        "Repair",
        "Allocation",
        "L1 unstructured (magnitude)",
        "Wanda per tensor",
        "Ln structured (channels)",
    )
    states = [
        MeasuredState(
            n,
            kind,
            StateQuality((MetricChange("a", 1.0, 1.0, 0.0, "", higher=True),), n / 9),
            is_old=False,
            kind=kind,
        )
        for n, kind in enumerate(kinds)
    ]
    view = pages.quality
    view.set_states(states, 0, "")
    pages.tabs.setCurrentIndex(Page.QUALITY)
    assert view.legend.heightForWidth(pages.width()) > view.legend.sizeHint().height()
    for height in range(300, 620, 4):
        pages.resize(pages.width(), height)
        QApplication.processEvents()  # layouts are requested by events
        seen = set()
        for _ in range(6):
            QApplication.processEvents()  # it was shown and hidden in turn
            seen.add((view.legend.isVisible(), view.legend.geometry().getRect()))
        ((visible, place),) = seen
        assert visible
        assert place[3] == view.legend.heightForWidth(place[2]), "no line is cut"


@pytest.mark.parametrize("width", [480, 500, 540, 700, 760, 1100])
def test_all_tabs_are_whole_when_the_graph_is_offered_later(pages, qtbot, width):
    pages.resize(width, 600)
    QApplication.processEvents()  # layouts are requested by events
    controls = pages.weights.controls
    places = []
    for offered in (False, True, False, True):
        pages.set_graph_offered(offered=offered)
        qtbot.wait(20)
        assert pages.tabs.width() >= pages.tabs.sizeHint().width()
        box = pages.weights.modes.mode_box
        place = controls.mapTo(pages, controls.rect().topLeft())
        places.append((pages.tabs.tabRect(Page.SENSITIVITY), box.parentWidget(), place.y()))
        assert place.y() < pages.tabs.mapTo(pages, pages.tabs.rect().bottomLeft()).y(), "one row"
    assert all(place == places[0] for place in places), "tabs and controls do not move"
    last = pages.tabs.tabRect(Page.GRAPH)
    assert pages.tabs.rect().contains(last)
    arrows = pages.tabs.findChildren(QToolButton)
    assert not any(arrow.isVisible() for arrow in arrows), "there is space for all tabs"


def test_states_of_quality_do_not_widen_the_pages(pages):
    """Regression: the docks became narrower when the page was shown, and remained so."""
    pages.resize(900, 600)
    narrowest = pages.minimumSizeHint().width()
    metrics = tuple(
        MetricChange(name, 1.0, 1.0, 0.0, "", higher=True)
        for name in ("accuracy", "balanced accuracy of the rare classes in the validation data")
    )
    states = [
        MeasuredState(n, kind, StateQuality(metrics, n / 2), is_old=False, kind=kind)
        for n, kind in enumerate(("Opened", "L1"))
    ]
    view = pages.quality
    view.set_states(states, 0, "")
    pages.tabs.setCurrentIndex(Page.QUALITY)
    view.set_others([OtherSession("resnet", tuple(states))])
    QApplication.processEvents()  # layouts are requested by events
    assert view.metric_box.isVisible()
    assert pages.minimumSizeHint().width() <= narrowest
    pages.resize(narrowest, 600)
    QApplication.processEvents()  # layouts are requested by events
    for button in (view.set_up, view.frontier, view.add_sessions, view.remove_sessions):
        assert button.width() >= button.minimumSizeHint().width()
        assert button.visibleRegion().boundingRect() == button.rect()
