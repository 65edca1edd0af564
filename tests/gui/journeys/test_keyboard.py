"""Use the slider, the threshold and the heat map by the keyboard alone."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from safetensors.numpy import save_file

from pruneapp.gui.plots.heatmap import shading
from pruneapp.gui.plots.heatmap.shading import Mode

SIDE = 1000
# Position and value of the single weight that is pruned.
ROW, COLUMN, LEAST = 2, 3, np.float32(1e-6)


@pytest.fixture
def large(tmp_path):
    """Write a file with a million weights, one of which is nearly zero, and a second tensor."""
    rng = np.random.default_rng(8)
    weights = rng.normal(0, 0.02, (SIDE, SIDE)).astype(np.float32)
    weights[np.abs(weights) < 1e-5] = 1e-4
    weights[ROW, COLUMN] = LEAST
    path = tmp_path / "large.safetensors"
    save_file({"a.weight": weights, "b.weight": weights[:50] * 3}, path)
    return path


@pytest.fixture
def at_work(user, large):
    user.open_file(large)
    user.wait(lambda: not user.workbench.histograms.busy)
    return user


def tab_to(user, widget):
    """Press Tab until a widget, or one of its children, has the focus."""
    for _step in range(100):
        focused = QApplication.focusWidget()
        if focused is not None and (focused is widget or widget.isAncestorOf(focused)):
            return
        user.key("Tab")
    pytest.fail(f"Tab does not lead to {widget}")


def previewed_counts(user):
    """Return the previewed counts of pruned weights: new ones, and all of a.weight; or None."""
    report = user.workbench.preview.state.report
    return None if report is None else (report.newly_pruned, report.after_by_name["a.weight"])


def test_the_slider_is_moved_by_keys_and_everything_follows(at_work):
    slider = at_work.rule.fields.editors["amount"].slider
    tab_to(at_work, slider)
    at_work.key("Home")
    at_work.wait(lambda: previewed_counts(at_work) == (0, 0))
    before = (0, 0)
    for _step in range(5):
        at_work.key("Right")
        at_work.wait(lambda before=before: (previewed_counts(at_work) or before) > before)
        before = previewed_counts(at_work)
    exact = at_work.wait_preview()
    assert slider.value() == 50
    assert exact.newly_pruned == round(0.05 * SIDE * SIDE) + round(0.05 * 50 * SIDE)
    assert previewed_counts(at_work) == (exact.newly_pruned, exact.after_by_name["a.weight"])

    # Return in the amount leads to the button, and a second one prunes.
    at_work.ask_amount("30")
    at_work.key("Return")
    assert QApplication.focusWidget() is at_work.button
    assert at_work.rule.fields.editors["amount"].field.text() == "30\u00a0%"
    at_work.wait_preview()
    at_work.key("Return")
    at_work.wait(lambda: len(at_work.states) == 2)


def test_the_threshold_is_moved_by_keys_and_the_amount_follows(at_work):
    amount = at_work.rule.fields.editors["amount"]
    view = at_work.views.pages.distribution
    at_work.wait_preview()
    at_work.key("2")
    at_work.wait(lambda: view.canvas.line is not None and view.canvas.line.editable)
    tab_to(at_work, view.canvas)
    share, threshold = amount.value(), view.threshold
    at_work.key("Shift+Right")
    at_work.wait(lambda: amount.value() > share)
    assert view.threshold > threshold
    report = at_work.wait_preview()
    tensor = report.tensors[0]
    assert tensor.after == pytest.approx(amount.value() * SIDE * SIDE, abs=1)

    tab_to(at_work, view.field)
    at_work.key("Ctrl+A")
    at_work.qtbot.keyClicks(QApplication.focusWidget(), "0.02")
    at_work.key("Return")
    # The share of a normal distribution within one standard deviation.
    at_work.wait(lambda: amount.value() == pytest.approx(0.683, abs=0.005))


def test_a_single_pruned_weight_in_a_million_is_found_and_read_by_keys(at_work):
    weights = at_work.views.pages.weights
    canvas = weights.canvas
    field = at_work.rule.fields.editors["amount"].field
    tab_to(at_work, at_work.views.tree.view)
    while at_work.views.tree.focused_name() != "a.weight":
        at_work.key("Down")
    at_work.key("Ctrl+A")
    at_work.wait(lambda: len(at_work.views.tree.checked_names()) == 2)
    tab_to(at_work, field)
    at_work.key("Ctrl+A")
    at_work.qtbot.keyClicks(field, "1")
    tab_to(at_work, at_work.rule.fields.editors["amount"].counts)
    at_work.key("Space")
    tab_to(at_work, field)
    at_work.key("Ctrl+A")
    at_work.qtbot.keyClicks(field, "1")
    at_work.key("Tab")
    at_work.wait_preview()
    at_work.key("Ctrl+Return")
    at_work.wait(lambda: len(at_work.states) == 2)

    at_work.key("1")
    tab_to(at_work, canvas)
    at_work.wait(lambda: canvas.item.fine is not None)
    at_work.key("Home")  # the first weight of the cursor's row
    while canvas.item.cursor[0] > ROW:
        at_work.key("Up")
    at_work.key("Home")
    for _step in range(COLUMN):
        at_work.key("Right")
    assert canvas.item.cursor == (ROW, COLUMN)
    while canvas.view.scale_x < 48:
        at_work.key("+")
    for key in ("Down", "Up", "Right", "Left"):  # move the surrounding cells into the view
        at_work.key(key)
    at_work.wait(lambda: canvas.item.fine.request.pool == 1 and not weights.stale)
    at_work.wait(lambda: "pruned" in weights.readout.text())
    readout = weights.readout.text()
    assert f"[out {ROW}, in {COLUMN}]" in readout
    assert "1.000000e−06" in readout
    assert weights.mode is Mode.MAGNITUDE
    image = canvas.grab().toImage()
    half = int(canvas.view.scale_x / 2)
    pruned = QColor(shading.PRUNED_OVER)
    # Off the center, where the value is painted.
    for row, column in ((ROW, COLUMN), (ROW, COLUMN + 1), (ROW + 1, COLUMN)):
        middle = canvas.pixel_of(row, column)
        color = image.pixelColor(middle.x() - half + 6, middle.y() - half + 6)
        assert (color == pruned) == ((row, column) == (ROW, COLUMN))


def test_tab_goes_from_the_tree_to_the_picture_and_through_the_form_to_the_button(at_work):
    views, form = at_work.views, at_work.views.form
    at_work.choose(at_work.rule.method, "Ln structured (channels)")  # has other fields
    at_work.choose(at_work.rule.method, "L1 unstructured")
    at_work.wait_preview()
    weights, amount = views.pages.weights, at_work.rule.fields.editors["amount"]
    wanted = [
        views.tree.view,
        views.history.tree,
        views.pages.tabs,
        weights.tools.tools["look"],
        weights.modes.mode_box,
        weights.canvas,
        at_work.rule.explain,
        at_work.rule.method,
        amount.slider,
        amount.field,
        amount.counts,
        at_work.rule.load_scores,
        form.each,
        form.limits.button,
        form.rounds,
        at_work.button,
    ]
    views.tree.tree_filter.text.setFocus()
    for key, order in (("Tab", wanted), ("Shift+Tab", wanted[::-1])):
        visited = []
        for _step in range(60):
            visited.append(QApplication.focusWidget())
            if visited[-1] is order[-1]:
                break
            at_work.key(key)
        places = [visited.index(widget) for widget in order]
        assert places == sorted(places), f"{key} moves the focus"

    # Limits and rules are reached in reading order.
    at_work.click(form.limits.button)
    at_work.click(form.add)
    at_work.key("Tab", at_work.rule.target)
    visited = []
    for _step in range(40):
        visited.append(QApplication.focusWidget())
        if visited[-1] is at_work.button:
            break
        at_work.key("Tab")
    editors = form.limits.editors
    wanted = [
        at_work.rule.method,
        form.limits.button,
        editors["min_sparsity"].field,
        editors["max_sparsity"].field,
        editors["target_sparsity"].field,
        editors["exclude"].boxes["last"],
        at_work.button,
    ]
    places = [visited.index(widget) for widget in wanted]
    assert places == sorted(places)
