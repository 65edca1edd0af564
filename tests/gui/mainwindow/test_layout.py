"""The plot is the largest part of the window."""

import os
import subprocess
import sys

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QScrollArea, QSlider, QWidget

from pruneapp import resources
from pruneapp.errors import PruneAppError
from pruneapp.evaluation.scan import Sensitivity, TensorSensitivity
from pruneapp.gui.app import runtime
from pruneapp.gui.method_form.form_model import FormRequest, FormRow
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.preview.figures import StepFigures
from pruneapp.gui.widgets import screen as window_placing

_CONTROLS = QAbstractButton, QComboBox, QLineEdit, QSlider
SAMPLE = resources.path("sample/lenet-digits.safetensors")


@pytest.fixture
def opened(user, monkeypatch):
    """Return the user at a window with the sample, on a screen of 1920x1200 pixels."""
    monkeypatch.setattr(window_placing, "available", lambda _window: QRect(0, 0, 1920, 1200))
    user.open_file(SAMPLE)
    user.wait_preview()
    return user


def is_whole(widget, window):
    """Return whether no widget around a widget cuts it off."""
    around = widget.parentWidget()
    while around is not None and around is not window:
        place = QRect(widget.mapTo(around, QPoint(0, 0)), widget.size())
        if not around.rect().contains(place):
            return False
        around = around.parentWidget()
    return around is window


def canvases(user, width, height):
    """Return the sizes of the plots on all pages in a window of this size."""
    window, pages = user.window, user.views.pages
    window.resize(width, height)
    sizes = {}
    for page in Page:
        pages.tabs.setCurrentIndex(page)
        user.pause(30)
        assert (window.width(), window.height()) == (width, height)
        picture = pages.picture()
        stack = picture._stack
        for part in (stack, picture.foot, user.views.history):
            assert is_whole(part, window), "partly hidden"
        sizes[page.name] = stack.size()
    return sizes


_OF_TENSOR = {Page.WEIGHTS, Page.DISTRIBUTION, Page.CHANNELS}


def test_it_is_large_in_windows_of_all_sizes(opened):
    for page, size in canvases(opened, 1280, 800).items():
        assert size.width() >= 600, page
        assert size.height() >= 420, page
        tree = opened.views.tree_dock.width()
        assert size.width() > max(tree, opened.views.form_dock.width())
    # At 150 %, a screen of 1920 x 1080 has 1280 x 720 logical pixels.
    for page, size in canvases(opened, 1280, 720).items():
        assert size.height() >= 720 / 2, page
    for page, size in canvases(opened, 960, 600).items():
        assert size.width() >= 600, page
        assert size.height() >= 600 / 2, page

    # 1280 x 800 at 150 %, a common laptop: all controls are seen
    for page, size in canvases(opened, 853, 533).items():
        assert size.height() >= 533 / 2, page
        controls = opened.views.middle.findChildren(QWidget)
        for control in controls:
            if not control.isVisible() or not isinstance(control, _CONTROLS):
                continue
            said = f"{page}: {control.accessibleName() or control.metaObject().className()}"
            assert is_whole(control, opened.window), said
            assert control.width() >= control.minimumSizeHint().width(), said
            if isinstance(control, QAbstractButton):
                assert control.width() >= control.sizeHint().width(), said

    # one row of controls between the tabs and the plot, one between the plot and its legend
    opened.window.resize(1280, 800)
    pages = opened.views.pages
    for page in Page:
        pages.tabs.setCurrentIndex(page)
        opened.pause(30)
        picture, line = pages.picture(), pages.fontMetrics().height()
        tabs = pages.tabs.mapTo(pages, pages.tabs.rect().bottomLeft()).y()
        above = picture._stack.mapTo(pages, picture._stack.rect().topLeft()).y()
        assert above - tabs < 3 * line + 8, page
        # The best state and the most sensitive tensor take two lines, and so do the readout and the
        # statistics of the tensor.
        lines = 2 if page in {Page.QUALITY, Page.SENSITIVITY, *_OF_TENSOR} else 1
        assert picture.foot.height() < (lines + 1) * line
        assert picture.readout.parentWidget() is picture.foot
    assert pages.numbers.parentWidget() is pages.channels.foot


def test_the_tree_and_the_history_grow_with_the_window_unless_the_user_resized_them(opened):
    """Regression: names of states were cut at 320 pixels in a window of 1920."""
    window, dock = opened.window, opened.views.tree_dock
    widths = []
    for width in (1280, 1440, 1920, 1280):
        window.resize(width, 800)
        opened.pause(30)
        widths.append(dock.width())
    assert widths[0] == widths[3] < widths[1] < widths[2] <= 480
    edge = QPoint(dock.geometry().right() + 3, window.height() // 2)
    QTest.mousePress(window, Qt.MouseButton.LeftButton, pos=edge)
    QTest.mouseMove(window, edge + QPoint(30, 0))
    opened.pause(30)
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton, pos=edge + QPoint(30, 0))
    assert dock.width() == widths[0] + 30
    window.resize(1920, 800)
    opened.pause(30)
    assert dock.width() == widths[0] + 30


def test_no_page_takes_its_width_from_the_tree(opened):
    """Regression: the tree shrank when the page of a sensitivity scan was opened."""
    window, dock, pages = opened.window, opened.views.tree_dock, opened.views.pages
    window.resize(1280, 800)
    window.resizeDocks([dock], [455], Qt.Orientation.Horizontal)
    opened.pause(30)
    assert dock.width() == 455
    rows = [TensorSensitivity("fc1.weight", "fc1.weight", 1200, (0.5, 0.6))]
    scan = Sensitivity(
        ("loss", "accuracy"), "loss", False, 0.5, 0.0, (0.3, 0.9), tuple(rows), "L1", state="Opened"
    )
    pages.sensitivity.set_sensitivity(scan)
    pages.sensitivity.set_scans(["L1, 2 tensors, today", "L1, 3 tensors, today"], 0)
    pages.sensitivity.restore.show()
    for page in Page:
        pages.tabs.setCurrentIndex(page)
        opened.pause(30)
        assert dock.width() == 455, page


def test_no_part_of_the_form_is_cut_off_and_its_column_grows(opened):
    opened.window.resize(1280, 800)
    form, forecast = opened.views.form, opened.views.preview
    for figures in forecast.findChildren(StepFigures):
        figures.set_numbers({"pruned": "123,456,789 of 999,999,999", "norm": "99.99 %"})
    opened.pause(30)
    for part in (form, forecast):
        around = part.parentWidget().parentWidget()
        right = part.mapTo(around, part.rect().topRight()).x()
        assert right < around.width(), "cut off at the edge"

    # Numbers that are computed later, and longer translations, are not cut off.
    figures = forecast.findChild(StepFigures)
    figures.setMinimumWidth(520)
    area = figures.parentWidget()
    while not isinstance(area, QScrollArea):
        area = area.parentWidget()
    opened.wait(lambda: area.viewport().width() >= area.widget().minimumSizeHint().width() > 520)
    opened.wait(lambda: is_whole(figures, opened.window))


def test_the_numbers_and_the_button_are_seen_whatever_is_unfolded(opened):
    """With three rules, limits, and a pattern that matches nothing."""
    window, form, forecast = opened.window, opened.views.form, opened.views.preview
    window.resize(1280, 800)
    opened.pause(30)
    for _ in range(2):
        opened.click(form.add)
    opened.click(form.limits.button)
    opened.wait_preview()
    # Only the result has a row for the norm of the whole model.
    seen = forecast.figures.labels.keys() - {"whole"}
    small = "tensors", "pruned", "sparsity", "remaining", "norm"
    for size, keys in (((1280, 800), seen), ((853, 533), small)):
        window.resize(*size)
        opened.pause(30)
        opened.views.form_dock.raise_()
        for widget in (*(forecast.figures.labels[key] for key in keys), forecast.heading):
            opened.wait(lambda widget=widget: is_whole(widget, window))
        assert is_whole(opened.button, window)
    opened.type(opened.rule.target.lineEdit(), "fc?.weigth")
    opened.wait(lambda: opened.rule.matched.text().startswith("✕"))
    for size in ((853, 533), (1280, 800)):
        window.resize(*size)
        for widget in (opened.rule.matched, opened.rule.target, forecast.error, opened.button):
            opened.wait(lambda widget=widget: is_whole(widget, window))


def test_no_row_of_the_preview_or_the_form_is_cut_in_the_middle(opened):
    """Regression: a button or half of a line was visible at the edge above the preview."""
    form, forecast = opened.views.form, opened.views.preview
    opened.click(form.limits.button)
    opened.wait_preview()
    area = forecast.parentWidget().parentWidget()
    heights = range(600, 1000, 18)
    cut = 0
    for height in heights:
        opened.window.resize(1280, height)
        opened.pause(10)
        rows = [row.name for row in forecast.affected if row.name.text() and row.isVisible()]
        if len(rows) < 4:  # instead of a scroll bar
            opened.wait(lambda: area.height() >= forecast.height())
        assert len(rows) >= 2
        rows += filter(QWidget.isVisible, forecast.figures.labels.values())
        assert len(rows) > 6
        cut += area.height() < forecast.height()
        for part in rows:
            top = part.mapTo(area, part.rect().topLeft()).y()
            assert top >= area.height() or top + part.height() <= area.height(), part.text()
    assert cut > len(heights) / 2, "in most of these heights, the rows must be scrolled"

    while not isinstance(form, QScrollArea):
        form = form.parentWidget()
    area, form = form, opened.views.form
    rows = [FormRow(f"fc{n}*", "", "l1_unstructured", {"amount": 0.1}) for n in range(4)]
    form.set_request(FormRequest(tuple(rows)))
    heights = range(600, 1000, 27)
    cut = 0
    for height in heights:
        opened.window.resize(1280, height)
        area.verticalScrollBar().setValue(0)
        opened.pause(10)
        port = area.viewport()
        cut += port.height() < form.height()
        assert port.height() > area.height() - 40
        for part in form.findChildren(QWidget):
            if isinstance(part, _CONTROLS) and part.isVisible():
                top = part.mapTo(port, part.rect().topLeft()).y()
                assert top >= port.height() or top + part.height() <= port.height(), part
    assert cut > len(heights) / 3


def test_rows_reserved_for_a_result_do_not_make_the_panel_scroll(opened):
    """Regression: the current state scrolled, with empty space between its numbers."""
    opened.prune()
    opened.key("Ctrl+Z")
    panel = opened.views.preview
    area = panel.parentWidget().parentWidget().parentWidget()
    assert isinstance(area, QScrollArea)
    opened.wait(lambda: panel.heading.text() == "Current state")

    def gap():
        top = panel.file.mapTo(panel, QPoint(0, panel.file.height())).y()
        return panel.note.parentWidget().mapTo(panel, QPoint()).y() - top

    opened.window.resize(1280, 900)
    opened.wait(lambda: gap() > 20)
    opened.window.resize(1280, 660)
    opened.wait(lambda: gap() <= 8)
    assert not area.verticalScrollBar().maximum()
    opened.window.resize(1280, 900)
    opened.wait(lambda: gap() > 20)


def test_the_panel_ends_with_what_it_says_where_it_scrolls(opened):
    """Regression: there was empty space for three more tensors, to which the panel could scroll."""
    tree = opened.views.tree
    tree.set_checked(tree.checked_names()[:1])
    tree.checkedChanged.emit()
    panel = opened.views.preview
    content = panel.parentWidget()

    def bottom(part):
        return part.mapTo(content, QPoint(0, part.height())).y()

    opened.wait(lambda: [bool(row.name.text()) for row in panel.most.rows] == [True, *[False] * 3])
    opened.wait_preview()
    opened.window.resize(1280, 900)
    opened.pause(30)
    whole = content.height()
    assert not any(row.isHidden() for row in panel.most.rows), "with enough space, nothing moves"
    opened.window.resize(1280, 520)
    for pruned in (0, 1):
        opened.wait(lambda at=pruned: opened.document.position == at)
        opened.wait(lambda: [row.isHidden() for row in panel.most.rows] == [False, *[True] * 3])
        opened.wait(lambda: content.height() - bottom(panel.most.rows[0]) <= 12)
        if not pruned:
            opened.click(opened.button)
    opened.window.resize(1280, 900)
    opened.pause(30)
    assert content.height() >= whole


SCALED = """
import os, sys
sys.path.insert(0, "packaging")
import driving
from pathlib import Path
from driving import wait_until
from pruneapp.gui.method_form.form_model import FormRequest, FormRow
from pruneapp.gui.plots.pages import Page
driving.SIZE = (1280, 720)
walk = driving.Tour(Path(sys.argv[1]), "light")
walk.open(lambda: walk.user.click(walk.window.empty.sample_button))
wait_until(lambda: not walk.bench.histograms.busy, "the counting")
for page in Page:
    walk.views.pages.tabs.setCurrentIndex(page)
    walk.user.settle()
    stack = walk.views.pages.picture()._stack
    print(page.name, stack.width(), stack.height(), walk.window.height(), stack.devicePixelRatio())
walk.end()
"""


def test_at_150_percent_it_has_half_of_the_window(tmp_path):
    folders = {f"XDG_{kind}_HOME": str(tmp_path) for kind in ("CONFIG", "CACHE", "STATE", "DATA")}
    scaled = {**os.environ, **folders, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": "1.5"}
    done = subprocess.run(
        [sys.executable, "-c", SCALED, str(tmp_path)],
        env=scaled,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == list(Page.__members__)
    for page, width, height, whole, ratio in lines:
        assert float(ratio) == 1.5
        assert int(whole) == 720
        assert int(width) >= 600, page
        assert int(height) >= 360, page


def test_notices_cover_neither_readout_nor_legend(opened):
    pages, notices = opened.views.pages, opened.window.notices
    opened.workbench.notifications.show_error(PruneAppError("Something failed. " * 9))
    for page in Page:
        pages.tabs.setCurrentIndex(page)
        opened.pause(30)
        picture = pages.picture()
        covered = QRect(notices.mapTo(opened.window, QPoint()), notices.size())
        for part in (picture.foot, picture.legend):
            place = QRect(part.mapTo(opened.window, QPoint()), part.size())
            assert not part.isVisible() or not covered.intersects(place), page
        if page not in {Page.WEIGHTS, Page.GRAPH}:
            place = QRect(picture.drawing.mapTo(opened.window, QPoint()), picture.drawing.size())
            assert not covered.intersects(place), f"axes and bars of {page}"


def test_a_pruned_state_can_be_evaluated_repaired_and_recovered_from_the_form(opened):
    opened.window.resize(1280, 800)
    panel, evaluation = opened.views.preview, opened.workbench.evaluation
    buttons = panel.evaluate, panel.repair, panel.recover
    assert not any(button.isVisible() for button in buttons), "nothing is pruned"
    opened.prune()
    opened.wait(panel.evaluate.isVisible)
    opened.pause(30)
    assert len({(button.y(), button.height()) for button in buttons}) == 1
    for button in buttons:
        assert is_whole(button, opened.window)
        assert button.width() >= button.sizeHint().width()
        assert button.toolTip() == button.accessibleDescription() != ""
    opened.click(panel.evaluate)
    opened.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    evaluation.dialog.reject()


def test_the_buttons_of_a_state_do_not_move_with_its_figures(opened):
    """Regression: the result of a step had a row more than the current state."""
    user = opened
    user.window.resize(1280, 800)
    user.wait_preview()
    user.prune()
    user.prune()
    preview = user.views.preview

    def places():
        user.wait_idle()
        user.pause(50)
        buttons = preview.evaluate, preview.repair, preview.recover
        return [button.mapTo(user.window, QPoint(0, 0)) for button in buttons]

    assert preview.heading.text() == "Result"
    result = places()
    user.click_state(1)
    user.wait(lambda: preview.heading.text() == "Current state")
    assert places() == result


def test_tasks_pause_while_the_window_is_painted_and_during_commands(
    two_pruned_layers, qtbot, monkeypatch
):
    begun = []
    monkeypatch.setattr(runtime.worker_pause, "begin", lambda: begun.append(True))
    window = two_pruned_layers.window

    window.actions_["undo"].trigger()

    assert begun
    window.repaint()
    begun.clear()
    window.update()
    qtbot.waitUntil(lambda: bool(begun))


def test_the_text_of_a_job_is_whole_beside_the_last_action(user, two_layers):
    """Regression: "Collecting statist… matrices" beside a long sentence."""
    user.open_file(two_layers)
    window = user.window
    window.resize(1280, 800)
    status, done = window.job_status, window.done
    done.set_done("Statistics of 12 tensors collected from 300 rows of inputs, in 36 seconds.")
    status.set_job("Collecting statistics")
    status.set_progress(5, 100, "collecting Gram matrices, run 1", 80.0)
    user.wait(status.isVisible)
    label = status.label
    user.wait(lambda: label.shortened(label.contentsRect().width()) == label.text())
    assert done.isVisible()
    status.set_idle()
