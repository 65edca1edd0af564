"""The preview in a real window: estimates while a slider moves, and the exact preview."""

from __future__ import annotations

import re
import shutil
import threading
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtTest import QTest
from safetensors.numpy import save_file

from pruneapp.analysis import statistics, tiles
from pruneapp.analysis.sparsity_report import Severity
from pruneapp.edits.manual_edit import ManualEditRequest
from pruneapp.errors import ExportError, ParameterError
from pruneapp.gui.document.history_model import HistoryColumn
from pruneapp.gui.plots import plot_controller
from pruneapp.gui.plots.base.readout import value_text
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.plots.plot_controller import EVERY_MS
from pruneapp.gui.preview import live_preview, preview_controller
from pruneapp.gui.tree.columns import Column
from pruneapp.gui.tree.delegate import BAR_WIDTH, GLYPH_WIDTH
from pruneapp.gui.widgets.theme import LIGHT
from pruneapp.preview import preview
from tests.gui.user import PATIENCE_MS, node_named, plain
from tests.support.document_edits import undo
from tests.support.plot_views import choose_order
from tests.support.scratch_files import limit_memory

SMALL, LARGE = "block.small.weight", "block.large.weight"


@pytest.fixture
def file(tmp_path):
    """Write a tensor of small weights and one of large: a global threshold empties the first."""
    rng = np.random.default_rng(7)
    path = tmp_path / "model.safetensors"
    save_file(
        {
            SMALL: (0.01 * rng.standard_normal((64, 96))).astype(np.float32),
            LARGE: rng.standard_normal((96, 96)).astype(np.float32),
        },
        str(path),
    )
    return path


@pytest.fixture
def counted(user, file):
    """Return the user with a model whose histograms are computed."""
    user.open_file(file)
    user.wait(lambda: not user.workbench.histograms.busy)
    user.wait_preview()
    return user


def slider(user):
    return user.rule.fields.editors["amount"].slider


def drag_slider(user, share: float) -> None:
    """Drag the slider's handle with the mouse."""
    widget = slider(user)
    y = widget.height() // 2
    start = QPoint(round(widget.value() / 1000 * (widget.width() - 12)) + 6, y)
    stop = QPoint(round(share * (widget.width() - 12)) + 6, y)
    QTest.mousePress(widget, Qt.MouseButton.LeftButton, pos=start)
    for part in (0.3, 0.6, 1.0):
        QTest.mouseMove(widget, start + (stop - start) * part)
    QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=stop)


def click_tab(user, page: Page) -> None:
    tabs = user.views.pages.tabs
    user.click(tabs, tabs.tabRect(page).center())


def colors_in(user, name, left, right):
    tree = user.views.tree
    rect = tree.view.visualRect(tree.model.index_of(node_named(tree, name), Column.SPARSITY))
    image = tree.view.viewport().grab().toImage()
    return {
        image.pixelColor(x, y).getRgb()[:3]
        for x in range(rect.left() + left, rect.left() + right)
        for y in range(rect.top(), rect.bottom())
    }


def test_everything_follows_the_slider_before_the_exact_preview(counted, no_exact_preview):
    panel, previews = counted.views.preview, counted.workbench.preview
    compact = panel.file.labels["packed"]
    counted.click_cell(LARGE)
    counted.wait(lambda: hatched(counted) > 0)
    few = hatched(counted)
    before = panel.norm_retained.text(), compact.text()
    with no_exact_preview():
        drag_slider(counted, 0.8)
        assert slider(counted).value() > 600
        assert previews.state.preview is None
        counted.wait(lambda: panel.norm_retained.text().startswith("≈"))  # marked as an estimate
        assert panel.norm_retained.text() != before[0]
        assert panel.l1_retained.text().startswith("≈")
        counted.wait(lambda: compact.text() != before[1])
        counted.wait(lambda: counted.cell(LARGE, Column.SPARSITY).startswith("→"))
        bar = colors_in(counted, LARGE, GLYPH_WIDTH, GLYPH_WIDTH + BAR_WIDTH)
        assert QColor(LIGHT["pruned"]).getRgb()[:3] in bar
        counted.wait(lambda: hatched(counted) > 2 * few)
        many, said, outlook = hatched(counted), counted.cell(LARGE, Column.SPARSITY), previews.state
        drag_slider(counted, 0.4)
        counted.wait(lambda: counted.cell(LARGE, Column.SPARSITY) != said)
        counted.wait(lambda: hatched(counted) < 0.8 * many)

        click_tab(counted, Page.MODEL)
        model, reports = counted.views.pages.model, []
        show = model.set_report
        counted.monkeypatch.setattr(model, "set_report", lambda *a: (reports.append(a), show(*a)))
        drag_slider(counted, 0.3)
        counted.wait(lambda: reports and reports[-1][1] is previews.state.report)
        assert reports[-1][1] is not outlook.report
        assert previews.state.preview is None
        click_tab(counted, Page.WEIGHTS)
        counted.ask_amount("x")
        counted.wait(lambda: hatched(counted) == 0)


def test_the_first_move_does_no_more_than_the_others(counted):
    """Masks of thousands of tensors are freed after the move; rows are not looked up again."""
    previews, cells = counted.workbench.preview, counted.views.tree.model.cells
    exact = weakref.ref(previews.state.preview)
    rows = cells._preview_rows[1]
    previews._exact_pause.setInterval(60_000)
    counted.key("Left", slider(counted))
    counted.key("Left", slider(counted))
    counted.wait(lambda: previews.state.estimated)
    assert previews.state.preview is None
    assert exact() is not None
    previews.start_exact_now()
    counted.wait(lambda: exact() is None)
    counted.wait(lambda: previews.state.preview is not None)
    assert cells._preview_rows[1] is rows
    said = counted.cell(LARGE, Column.SPARSITY)

    # Releasing the mouse starts the exact preview; a key press may be followed by others.
    drag_slider(counted, 0.8)
    counted.wait(lambda: counted.cell(LARGE, Column.SPARSITY) != said)
    assert cells._preview_rows[1] is rows
    counted.wait(lambda: previews.state.preview is not None)
    (row,) = previews.state.preview.step.rows
    assert row.values["amount"] == pytest.approx(slider(counted).value() / 1000)
    counted.key("Left", slider(counted))
    counted.pause(150)
    assert previews.state.preview is None


def test_the_last_move_is_estimated_before_its_exact_preview(counted, monkeypatch):
    """Regression: they blocked each other, and the final numbers were computed last."""
    order, previews = [], counted.workbench.preview
    with monkeypatch.context() as patch:
        for module, name in (
            (preview_controller, "estimate_step"),
            (live_preview, "compute_preview"),
        ):
            call = getattr(module, name)
            patch.setattr(
                module,
                name,
                lambda *a, name=name, call=call, **k: (order.append(name), call(*a, **k))[1],
            )
        previews._exact_pause.setInterval(60_000)
        previews._fast_key = ("as of 100,000 tensors",)
        widget = slider(counted)
        widget.setSliderDown(True)
        widget.setSliderPosition(700)
        widget.setSliderDown(False)
        assert previews._is_behind
        assert order == []
        counted.wait(lambda: previews.state.preview is not None)
        assert order == ["estimate_step", "compute_preview"]

    # While an estimate runs in the background, an earlier one is shown as such.
    monkeypatch.setattr(preview_controller, "may_be_slow", lambda *_: True)
    states = []
    previews.stateChanged.connect(lambda state: states.append((state.estimated, state.is_behind)))
    for amount in (0.3, 0.4):
        counted.workbench.form.set_amount(0, amount)
    counted.wait(lambda: states[-1] == (True, False))
    assert (True, True) in states, "the first one, while the second waited"


def test_an_emptied_layer_is_marked_before_and_after_the_step(counted, no_exact_preview):
    alarm, tree = counted.views.preview.alarm, counted.views.tree
    danger = QColor(LIGHT["danger"]).getRgb()[:3]
    counted.click(counted.views.form.all, QPoint(8, 8))
    with no_exact_preview():
        counted.ask_amount("42 %")
        counted.wait(lambda: SMALL in alarm.text())
        assert plain(alarm.text()) == f"▲ Few weights or little L2 norm² left in 1 tensor: {SMALL}"
        counted.wait(lambda: danger in colors_in(counted, SMALL, 0, GLYPH_WIDTH))
        block = tree.model.index_of(node_named(tree, "block"))
        tree.view.setExpanded(block, False)
        assert danger in colors_in(counted, "block", 0, GLYPH_WIDTH), "seen while it is folded"
        tree.view.setExpanded(block, True)
        counted.views.tree.set_focused(LARGE)
        counted.click(alarm, QPoint(20, alarm.height() // 2))
        assert counted.workbench.plots.name == SMALL
        assert tree.focused_name() == SMALL
        assert danger not in colors_in(counted, LARGE, 0, GLYPH_WIDTH)

    def marks():
        return {n: tree.model.cells.danger(node_named(tree, n)) for n in (SMALL, LARGE)}

    counted.ask_amount("42 %")
    counted.wait_preview()
    counted.wait(lambda: marks()[SMALL] == "▲")
    before = marks()
    counted.click(counted.button)
    counted.wait(lambda: counted.document.position == 1)
    counted.wait(lambda: marks() == before)
    assert counted.views.preview.affected[0].glyph.text() == "▲", "in the result as well"
    counted.ask_amount("1 %")
    counted.wait_preview()
    assert marks()[SMALL] in {"▲", "■"}
    undo(counted.document)
    counted.wait(lambda: marks()[SMALL] is None)


def test_an_exact_preview_has_the_counts_after_pruning(counted):
    counted.click(counted.views.form.all, QPoint(8, 8))
    drag_slider(counted, 0.6)
    report = counted.wait_preview()
    figures = counted.views.preview.figures.labels.values()
    assert not any("≈" in label.text() for label in figures)
    said = {name: counted.cell(name, Column.SPARSITY) for name in (SMALL, LARGE)}
    counted.click(counted.button)
    counted.wait(lambda: counted.document.position == 1)
    masks = counted.document.masks
    assert {t.name: t.after for t in report.tensors} == {n: masks.pruned(n) for n in masks}
    for name, text in said.items():
        assert text == f"→ {counted.cell(name, Column.SPARSITY)}"
    # The same count, of which less is left, is no error after the step; another one is.
    undo(counted.document)
    counted.ask_amount("14,000")
    counted.wait_preview()
    counted.click(counted.button)
    counted.wait(lambda: counted.document.position == 2)
    panel = counted.views.preview
    counted.wait(panel.note.text)
    counted.pause(150)
    assert panel.error.text() == ""
    assert panel.heading.text() == "Result"
    assert not counted.button.isEnabled()
    counted.ask_amount("13,999")
    counted.wait(lambda: panel.error.text().startswith("✕"))


def test_limits_keep_a_layer_and_contradictions_are_explained(counted):
    form = counted.views.form
    counted.click(form.limits.button)
    counted.type(form.limits.editors["target_sparsity"].field, "70 %")
    report = counted.wait_preview()
    assert report.after == sum(round(0.7 * t.numel) for t in report.tensors)
    assert not slider(counted).isEnabled(), "the total replaces the amount"
    counted.type(form.limits.editors["target_sparsity"].field, "")

    counted.click(form.all, QPoint(8, 8))
    counted.ask_amount("40 %")
    counted.type(form.limits.editors["max_sparsity"].field, "60 %")
    report = counted.wait_preview()
    small = report.by_name[SMALL]
    assert small.after == round(0.6 * small.numel)
    assert report.newly_pruned == round(0.4 * report.unpruned)
    assert report.dangers.get(SMALL) is None or report.dangers[SMALL].severity < Severity.MUCH
    counted.type(form.limits.editors["min_sparsity"].field, "70 %")
    counted.wait(lambda: "is above the maximum" in form.limits.note.text())
    assert "is above the maximum" in counted.views.preview.error.text()
    assert not counted.button.isEnabled()
    counted.type(form.limits.editors["min_sparsity"].field, "10 %")
    counted.wait(counted.button.isEnabled)
    assert counted.views.preview.error.text() == ""


def show_distribution(user):
    """Show the distribution of `LARGE` with its line, and return the page."""
    user.click_cell(LARGE)
    click_tab(user, Page.DISTRIBUTION)
    view = user.views.pages.distribution
    user.wait(lambda: view.canvas.count and view.canvas.line is not None)
    return view


def line_pixel(view, factor=1):
    """Return the pixel of the line of the distribution, or of a multiple of its threshold."""
    return view.canvas.area.pixel(factor * view.canvas.line.at, 1).toPoint()


def test_a_threshold_that_is_dragged_becomes_the_amount(counted, no_exact_preview, monkeypatch):
    view = show_distribution(counted)
    line, viewport = view.canvas.line, view.canvas.viewport()
    assert line.editable
    threshold = counted.workbench.preview.state.report.by_name[LARGE].threshold
    assert line.at == pytest.approx(threshold)
    start, stop = line_pixel(view), line_pixel(view, 2)
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    for part in (0.2, 0.5, 1.0):
        QTest.mouseMove(viewport, start + (stop - start) * part)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=stop)
    # On a busy machine, the estimate of an intermediate position may come last.
    counted.wait(lambda: view.threshold > 1.5 * threshold)
    moved = view.threshold
    weights = np.abs(read(counted, LARGE))
    editor = counted.rule.fields.editors["amount"]
    share = pytest.approx((weights <= moved).mean(), abs=0.005)
    counted.wait(lambda: editor.value() == share)
    amount = editor.value()
    assert slider(counted).value() == round(1000 * amount)
    shown = editor.field.text()
    assert shown == f"{100 * amount:.1f}".removesuffix(".0") + "\u00a0%", "as the slider shows it"
    report = counted.wait_preview()
    assert report.by_name[LARGE].after == round(amount * weights.size)
    editor.field.setFocus()
    editor.field.clearFocus()
    assert (editor.value(), editor.field.text()) == (amount, shown), "it was only looked at"
    counted.wait(lambda: view.threshold == pytest.approx(report.by_name[LARGE].threshold))
    counted.wait_idle()

    # The bars follow the slider without another count; random pruning has no threshold.
    made = []
    make = statistics.histogram
    monkeypatch.setattr(
        plot_controller, "histogram", lambda *a, **k: (made.append(a), make(*a, **k))[1]
    )
    with no_exact_preview():
        for wanted in (0.35, 0.6):
            drag_slider(counted, wanted)
            share = slider(counted).value() / 1000
            threshold = np.quantile(weights.ravel(), share)
            counted.wait(lambda at=threshold: view.threshold == pytest.approx(at, rel=0.02))
            assert view._to_prune.sum() == pytest.approx(share * weights.size, rel=0.05)
        assert not made
        counted.choose(counted.rule.method, "Random")
        counted.wait(lambda: made)
        assert made[-1][2] is None, "nothing is to be pruned until the exact preview"
        counted.wait(lambda: view.canvas.line is None)


def test_a_released_line_does_not_jump_back(counted, no_exact_preview, monkeypatch):
    """While background estimates arrive, the last of which is for an intermediate position."""
    view = show_distribution(counted)
    find, show, shown = preview_controller.estimate_step, view.canvas.set_line, []
    monkeypatch.setattr(preview_controller, "may_be_slow", lambda *_: True)
    monkeypatch.setattr(
        preview_controller, "estimate_step", lambda *_: (QTest.qSleep(50), find(*_))[1]
    )
    monkeypatch.setattr(view.canvas, "set_line", lambda line: (show(line), shown.append(line)))
    start, stop, viewport = line_pixel(view), line_pixel(view, 2), view.canvas.viewport()
    with no_exact_preview():
        QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
        for part in (0.2, 0.5, 1.0):
            QTest.mouseMove(viewport, start + (stop - start) * part)
            counted.pause(5)
        moved, held = view.threshold, len(shown)
        QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=stop)
        counted.wait(lambda: view.field.text().startswith("≈"))
    assert all(line.at == pytest.approx(moved, rel=0.02) for line in shown[held:])
    assert view.threshold == pytest.approx(moved, rel=0.02)


def test_a_global_threshold_counts_the_tensors_of_the_step(counted):
    counted.click(counted.views.form.all, QPoint(8, 8))
    counted.wait_preview()
    view = show_distribution(counted)
    editor, viewport = counted.rule.fields.editors["amount"], view.canvas.viewport()
    before, at = editor.value(), view.threshold
    start, stop = line_pixel(view), line_pixel(view, 2)
    view.canvas.setFocus()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(viewport, stop)
    counted.wait(lambda: editor.value() != before)
    counted.key("Esc")  # cancels the drag
    assert editor.value() == before
    assert view.threshold == pytest.approx(at, rel=0.01)  # estimated, to one bin
    QTest.mouseMove(viewport, start)
    QTest.mouseMove(viewport, stop)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=stop)
    counted.wait_preview()
    assert editor.value() == before
    assert view.threshold == pytest.approx(at)
    assert counted.views.form.all.isChecked()

    large, every = np.abs(read(counted, LARGE)), np.abs(read(counted, SMALL))
    every = np.concatenate([large.ravel(), every.ravel()])
    requested = []
    changed = counted.workbench.form.changed.connect(lambda: requested.append(editor.value()))
    share = pytest.approx((every <= 0.5).mean(), abs=0.002)
    view.thresholdMoved.emit(0.2)
    view.thresholdMoved.emit(0.5)
    counted.wait(lambda: editor.value() == share)
    assert requested == [share], "of two moves at once the last is enough"
    counted.workbench.form.changed.disconnect(changed)

    limits = counted.views.form.limits
    counted.click(limits.button)
    counted.click(limits.editors["exclude"].boxes["last"], QPoint(8, 8))
    counted.wait(lambda: SMALL not in counted.wait_preview().by_name)
    counted.click_cell(SMALL)
    counted.wait(lambda: view.canvas.count and view.canvas.line is None)
    counted.click_cell(LARGE)
    counted.wait(lambda: view.canvas.line is not None)
    view.thresholdMoved.emit(0.5)
    share = pytest.approx((large <= 0.5).mean(), abs=0.002)
    counted.wait(lambda: editor.value() == share)
    counted.click(editor.counts)
    view.thresholdMoved.emit(0.7)
    number = pytest.approx((large <= 0.7).sum(), rel=0.01)
    counted.wait(lambda: editor.value() == number)
    assert isinstance(editor.value(), int), "the switch says counts"


def test_after_a_step_the_line_waits_and_says_not_what_would_go(counted):
    view = show_distribution(counted)
    counted.type(view.field, "0.5")
    counted.key("Return", view.field)
    counted.wait(lambda: view.threshold == pytest.approx(0.5, rel=0.02))
    assert view.summary().startswith("below 0.")
    cut = counted.wait_preview().by_name[LARGE].threshold
    counted.click(counted.button)
    counted.wait(lambda: counted.document.position == 1)
    assert "≈ 0" not in view.summary()
    counted.wait_preview()  # the panel shows the next step
    counted.wait(lambda: not counted.workbench.histograms.busy)
    weights = np.abs(read(counted, LARGE))
    assert view.summary().startswith("all 9,216 weights: ")
    assert not any("to be pruned" in swatch.label for swatch in view.legend.entries)
    assert view.canvas.line.editable
    assert cut not in view._histogram.edges
    assert (view.threshold, view.field.text()) == (cut, value_text(cut, 4))
    assert view.canvas.line.label == value_text(cut, 4)
    start = line_pixel(view)
    viewport = view.canvas.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(viewport, start + QPoint(60, 0))
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=start + QPoint(60, 0))
    report = counted.wait_preview()
    after = report.by_name[LARGE]
    assert after.after == pytest.approx((weights <= view.threshold).sum(), rel=0.02)
    assert after.after > after.before
    counted.wait(lambda: view.summary().startswith("below "))


def test_what_failed_can_be_done_afterwards(counted, file, monkeypatch):
    real, is_held = preview.compute_preview, True

    def slow(*args, **keys):
        while is_held:
            args[3].step(0)
            QTest.qSleep(5)
        return real(*args, **keys)

    monkeypatch.setattr(live_preview, "compute_preview", slow)
    counted.ask_amount("33 %")
    counted.key("Ctrl+Return")
    counted.wait(lambda: counted.workbench.jobs.busy)
    counted.key("Esc", counted.window)  # cancels the prune; its step is still previewed
    counted.wait(lambda: not counted.workbench.jobs.busy)
    is_held = False
    report = counted.wait_preview()
    assert counted.document.position == 0, "nothing was done"
    assert report.newly_pruned == sum(round(0.33 * t.numel) for t in report.tensors)

    file.rename(file.with_suffix(".away"))
    counted.ask_amount("35 %")
    error = counted.views.preview.error
    counted.wait(lambda: "Restore it" in error.text())
    file.with_suffix(".away").rename(file)
    counted.wait(lambda: not error.text())
    counted.wait_preview()
    assert counted.button.isEnabled()

    counted.session.refused.emit(ParameterError("This step cannot be done."))
    counted.session.refused.emit(ExportError("Nothing was written."))
    assert len(counted.notices) == 2
    counted.key("Esc")
    assert counted.notices == ["This step cannot be done."]
    counted.key("Esc")
    assert not counted.notices
    assert counted.views.preview.heading.text() != "Current state"
    counted.key("Esc")  # nothing is left to be closed
    assert counted.views.preview.heading.text() == "Current state"


def test_the_picture_follows_as_fast_as_it_is_made(counted, no_exact_preview, monkeypatch):
    """If each estimate restarted it, a heat map that takes longer would never be shown."""
    counted.click_cell(LARGE)
    counted.wait_idle()
    with no_exact_preview():
        asked, ready = [], threading.Event()
        make = tiles.tile

        def slowly(snapshot, request, going, job):
            if isinstance(going, float):
                asked.append(going)
                while not ready.is_set():
                    job.cancel.check()
                    QTest.qSleep(5)
            return make(snapshot, request, going, job)

        monkeypatch.setattr(plot_controller, "tile", slowly)
        slider(counted).setFocus()
        for _ in range(8):
            QTest.keyClick(slider(counted), Qt.Key.Key_Right)
            counted.pause(EVERY_MS // 2)
        assert len(asked) < 3, "where the machine is busy, the first one may make room for another"
        ready.set()
        last = counted.workbench.preview.state.report.by_name[LARGE].threshold
        counted.wait(lambda: asked[-1] == last)
        assert asked[0] < last
        weights = np.abs(read(counted, LARGE))
        item = counted.views.pages.weights.canvas.item
        share = pytest.approx((weights <= last).mean(), abs=0.02)
        counted.wait(lambda: item.fine.to_be_pruned.mean() == share)


def test_opening_a_file_requests_one_preview(user, file):
    requested = []
    user.workbench.preview.requested.connect(requested.append)
    user.open_file(file)
    user.wait_preview()
    assert [state.requested for state in requested if state.step is not None] == [True]


def test_a_slider_of_many_tensors_is_followed_by_the_main_thread_once_that_is_quick(
    counted, no_exact_preview, monkeypatch
):
    """Of several moves in the event queue, only the newest is estimated."""
    monkeypatch.setattr(live_preview, "MANY", 0)
    here, asked = threading.get_ident(), []
    find = preview_controller.estimate_step

    def estimate(capture, step, *more):
        asked.append((threading.get_ident() == here, step.rows[0].values["amount"]))
        return find(capture, step, *more)

    monkeypatch.setattr(preview_controller, "estimate_step", estimate)
    previews = counted.workbench.preview
    with no_exact_preview():
        counted.workbench.form.set_amount(0, 0.31)
        counted.wait(lambda: previews.state.estimated)
        assert asked == [(False, 0.31)], "it may have to put tables together"
        for amount in (0.32, 0.33, 0.34):
            counted.workbench.form.set_amount(0, amount)
        counted.wait(lambda: previews.state.estimated and not previews.state.is_behind)
        assert asked[1:] == [(True, 0.34)]
        assert previews.state.report.by_name[LARGE].after == pytest.approx(
            0.34 * previews.state.report.by_name[LARGE].numel, abs=1
        )
        monkeypatch.setattr(preview_controller, "REPEATED_S", 0)
        for amount in (0.41, 0.42, 0.43):
            counted.workbench.form.set_amount(0, amount)
            counted.wait(lambda: previews.state.estimated and not previews.state.is_behind)
        assert asked[2:] == [(True, 0.41), (True, 0.42), (False, 0.43)], "it took longer twice"


def show_channels(user):
    """Choose a method of channels and show those of `LARGE` with their cut; return the page."""
    user.click_cell(LARGE)
    user.choose(user.rule.method, "Ln structured (channels)")
    click_tab(user, Page.CHANNELS)
    view = user.views.pages.channels
    user.wait(lambda: view.canvas.count and view.canvas.line is not None)
    return view


def test_a_cut_that_is_dragged_becomes_a_number_of_channels(counted):
    view = show_channels(counted)
    assert view.canvas.line.editable
    view.cutMoved.emit(24)
    assert counted.rule.fields.editors["amount"].value() == pytest.approx(24 / 96)
    report = counted.wait_preview()
    assert report.by_name[LARGE].newly_pruned == 24 * 96
    counted.choose(view.dim_box, "1")
    counted.wait(lambda: view.canvas.line is None)
    counted.choose(view.dim_box, "0")
    counted.wait(lambda: view.canvas.line is not None)

    # After an edit there is no cut until the next step is requested.
    box = ((3, 4), (0, 96))
    counted.workbench.manual_edit.perform(ManualEditRequest("prune", LARGE, (box,), "channel", 0))
    counted.wait(lambda: counted.document.position == 1)
    counted.wait_preview()
    assert view.canvas.line is None
    counted.ask_amount("25 %")
    counted.wait(lambda: view.canvas.line is not None)
    assert view.canvas.line.label.endswith("24 channels")  # of the 95 unpruned ones


def drag_cut(user, n_channels):
    """Drag the cut to a number of channels."""
    view = user.views.pages.channels
    canvas, ranks, place = view.canvas, view._ranks, view.canvas.area
    if canvas.line.upright:
        start = place.pixel(canvas.line.at, 0).x(), place.rect.center().y()
        end = place.pixel(ranks.position_after(n_channels), 0).x(), start[1]
    else:
        last = (ranks.height_of_last(n) for n in (n_channels, n_channels + 1))
        start = place.rect.center().x(), place.pixel(0, canvas.line.at).y()
        end = start[0], place.pixel(0, sum(last) / 2).y()
    start, end = QPointF(*start).toPoint(), QPointF(*end).toPoint()
    QTest.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, pos=start)
    assert canvas.is_dragging_line
    QTest.mouseMove(canvas.viewport(), end)
    QTest.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=end)
    user.wait_preview()
    user.wait_idle()


def test_a_cut_after_a_prune_is_of_the_remaining_channels(counted):
    counted.click_cell(LARGE)
    counted.ask_amount("50 %")
    counted.wait_preview()
    counted.click(counted.button)  # individual weights: every channel is partly pruned
    counted.wait(lambda: counted.document.position == 1)
    view = show_channels(counted)
    limits, canvas = counted.views.form.limits, view.canvas

    def matches_preview():
        to_prune = view._norms.to_be_pruned.sum()
        return canvas.line is not None and canvas.line.label.endswith(f"{to_prune} channels")

    for max_sparsity, order, wanted in (
        ("", "index", 12),
        ("", "norm", 20),
        ("65 %", "norm", 12),
        ("65 %", "index", 20),
    ):
        if max_sparsity and order == "norm":
            counted.click(limits.button)
            counted.type(limits.editors["max_sparsity"].field, max_sparsity)
        choose_order(view, order)
        counted.wait_preview()
        counted.wait_idle()
        counted.wait(matches_preview)
        drag_cut(counted, wanted)
        after = view._norms.to_be_pruned.sum()
        # In a plot of 400 pixels, similar norms share one.
        assert abs(after - wanted) <= 2, (max_sparsity, order)
        amount = counted.rule.fields.editors["amount"].value()
        assert amount == pytest.approx(after / 96, abs=1e-5)
        counted.wait(matches_preview)

    counted.type(limits.editors["max_sparsity"].field, "40 %")  # protects the whole tensor
    counted.wait(lambda: canvas.line is None)
    counted.wait_preview()
    counted.wait_idle()
    assert canvas.line is None
    assert not view._norms.to_be_pruned.any()
    counted.type(limits.editors["max_sparsity"].field, "80 %")
    counted.wait_preview()
    counted.wait(matches_preview)


def read(user, name):
    import torch

    tensor = user.document.checkpoint.read(name)
    assert isinstance(tensor, torch.Tensor)
    return tensor.numpy()


def hatched(user) -> int:
    """Return the number of pixels of the heat map that are rather orange than blue."""
    image = user.views.pages.weights.canvas.grab().toImage()
    image.convertTo(QImage.Format.Format_RGB32)
    blue, _, red, _ = np.frombuffer(image.constBits(), np.uint8).astype(int).reshape(-1, 4).T
    return int(np.count_nonzero(red - blue > 12))


def story(user):
    """Return whether panel, tree, plots and button show a preview."""
    panel = user.views.preview
    return (
        panel.heading.text() == "Preview" and "→" in panel.sparsity.text(),
        "→" in user.cell(LARGE, Column.SPARSITY),
        user.workbench.plots.to_prune is not None,
        user.button.objectName() == "mainAction",
    )


def test_after_a_prune_panel_tree_and_picture_show_what_was_done(counted):
    counted.click(counted.views.form.all, QPoint(8, 8))
    counted.click_cell(LARGE)
    counted.ask_amount("90 %")
    panel = counted.views.preview
    counted.wait_preview()
    counted.wait(lambda: story(counted) == (True,) * 4)
    figures = {key: label.text() for key, label in panel.figures.labels.items()}
    compact = panel.file.labels["packed"].text()
    assert panel.file.words["packed"].text() == "Packed size"
    counted.click(counted.button)
    counted.wait(lambda: counted.document.position == 1)
    assert story(counted) == (False,) * 4
    counted.wait_preview()
    more = counted.workbench.preview.state.preview.report
    assert story(counted) == (False,) * 4, "nobody asked for the next one"
    assert panel.heading.text() == "Result"
    figures["sparsity"] = figures["sparsity"].rpartition("→ ")[2]
    assert {key: label.text() for key, label in panel.figures.labels.items()} == figures
    assert panel.file.labels["packed"].text() == compact
    states = counted.views.history.tree.states
    column = states.column_of(HistoryColumn.BYTES)
    counted.wait(lambda: states.index_of(1, column).data() == compact)
    assert not panel.alarm.text()
    assert plain(panel.note.text()) == (
        f"Another 90 % of the remaining weights would be {more.newly_pruned:,} more."
    )
    assert counted.button.text() == f"Prune again: {more.newly_pruned:,} weights"

    counted.key("Ctrl+Z")
    assert story(counted) == (False,) * 4
    assert panel.heading.text() == "Current state"
    counted.wait(lambda: panel.norm_retained.text().startswith("100"))
    assert plain(panel.sparsity.text()) == "0 %"
    counted.key("Ctrl+Shift+Z")
    assert panel.heading.text() == "Result"
    assert panel.l1_retained.text() == figures["l1"]

    drag_slider(counted, 0.5)
    counted.wait(lambda: story(counted) == (True,) * 4)
    counted.key("Ctrl+Return", counted.window)
    counted.wait(lambda: counted.document.position == 2)
    assert story(counted) == (False,) * 4


def test_a_double_click_prunes_once(counted, qapp):
    """Otherwise the second click would hit "Prune again", which replaces the button."""
    assert not counted.window.actions_["prune"].autoRepeat()
    for steps, pause in enumerate((0, 150), 1):
        qapp.setDoubleClickInterval(1)
        counted.pause(20)
        counted.click(counted.button)
        counted.wait(lambda steps=steps: counted.document.position == steps)
        qapp.setDoubleClickInterval(2 * PATIENCE_MS)  # longer than on any busy machine
        counted.pause(pause)
        counted.click(counted.button)
        counted.key("Ctrl+Return", counted.window)
        counted.wait_idle()
        assert counted.document.position == steps


def test_invalid_settings_are_named_before_and_after_a_step(counted):
    panel, refused = counted.views.preview, "Prune"
    counted.ask_amount("5000")
    counted.wait(lambda: counted.button.text() == refused)
    assert not counted.button.isEnabled()
    counted.ask_amount("50 %")
    counted.wait(counted.button.isEnabled)
    counted.click(counted.button)
    counted.wait(lambda: counted.document.position == 1)
    counted.ask_amount("5000")
    counted.key("Ctrl+Z", counted.window)
    counted.wait(lambda: panel.heading.text() == "Current state")
    assert counted.button.text() == refused
    assert "not valid" in counted.button.toolTip()

    counted.workbench.manual_edit.perform(
        ManualEditRequest("protect", SMALL, (((0, 1), (0, 8)),), "row")
    )
    counted.wait(lambda: counted.document.position == 2)
    counted.click(counted.views.form.all, QPoint(8, 8))
    counted.ask_amount("100 %")
    note = counted.rule.fields.notes["amount"]
    counted.wait(lambda: note.text().startswith("✕ Amount is too large"))
    assert panel.error.text() == "✕ A setting above is not valid.", "the reason is at the field"
    percent = re.search(r"Enter at most ([\d.]+\s%)", note.text())
    assert percent is not None, note.text()
    counted.ask_amount(percent[1])
    counted.wait_preview()
    assert panel.error.text() == ""
    assert not note.isVisible()
    assert counted.button.isEnabled()


def told(panel) -> dict[str, tuple[str, str, str]]:
    """Return word, number without arrow, and tooltip of each row of the panel."""
    found = {}
    for key, label in panel.figures.labels.items():
        number = label.text().rpartition("→ ")[2]
        found[key] = panel.figures.words[key].text(), number, label.toolTip()
    return found


def test_a_row_says_the_same_as_long_as_nothing_that_prunes_happened(counted):
    """Regression: 99.4 % of energy after pruning, but 99.5 % once a row was protected."""
    panel = counted.views.preview
    counted.click_cell(LARGE)
    counted.ask_amount("60 %")  # of some tensors: the model loses a smaller share
    counted.wait_preview()
    foretold = told(panel)
    assert foretold["norm"][0] == "L2 norm² retained (step's tensors)"
    assert foretold["l1"][0] == "L1 norm retained (step's tensors)"
    counted.click(counted.button)
    counted.wait(lambda: counted.document.position == 1)
    assert panel.heading.text() == "Result"
    assert told(panel) == foretold

    editing = counted.workbench.manual_edit
    editing.perform(ManualEditRequest("protect", SMALL, (((0, 1), (0, 8)),), "row"))
    counted.wait(lambda: counted.document.position == 2)
    assert panel.heading.text() == "Result"
    assert told(panel) == foretold
    counted.key("Ctrl+Z")
    assert (panel.heading.text(), told(panel)) == ("Result", foretold)
    counted.key("Ctrl+Z")
    assert panel.heading.text() == "Current state"
    now = told(panel)
    assert (now["norm"][0], now["l1"][0]) == (
        "L2 norm² retained (whole model)",
        "L1 norm retained (whole model)",
    )
    for key in ("norm", "l1"):
        assert now[key][2] != foretold[key][2], "another number has another word and tooltip"
        assert panel.figures.words[key].toolTip() == now[key][2]
        assert "relative to the opened file" in now[key][2]


def test_prune_again_is_offered_only_for_the_method_of_the_last_step(counted):
    """Regression: "another 30 % would prune 133 channels" after a step of individual weights."""
    panel = counted.views.preview
    counted.click_cell(LARGE)
    counted.ask_amount("30 %")
    counted.wait_preview()
    counted.click(counted.button)
    counted.wait(lambda: counted.button.text().startswith("Prune again: "))
    counted.choose(counted.rule.method, "Ln structured (channels)")
    counted.wait_preview()
    editing = counted.workbench.manual_edit
    editing.perform(ManualEditRequest("protect", SMALL, (((0, 1), (0, 8)),), "row"))
    counted.wait(lambda: counted.document.position == 2)
    assert panel.heading.text() == "Result"
    counted.wait(lambda: plain(panel.note.text()).startswith("These settings would prune "))
    assert re.fullmatch(r"Prune \d+ channels", counted.button.text())


def test_the_current_state_has_no_row_that_says_nothing(counted):
    """Without pruned weights, there is no number of pruned tensors, but the others are shown."""
    panel = counted.views.preview
    counted.key("Esc")
    assert panel.heading.text() == "Current state"
    assert not panel.tensors.isVisible()
    assert panel.pruned.isVisible()
    assert panel.figures.words["sparsity"].text() == "Sparsity (whole model)"
    height = panel.height()
    counted.ask_amount("60 %")
    counted.wait_preview()
    assert panel.tensors.isVisible()
    assert panel.figures.words["tensors"].text() == "Tensors"
    assert panel.height() == height, "nothing jumps"
    counted.click(counted.button)
    counted.wait(lambda: counted.document.position == 1)
    counted.key("Esc")
    counted.click(counted.views.form.all, QPoint(8, 8))
    counted.key("Esc")
    counted.wait(panel.tensors.isVisible)
    assert panel.figures.words["sparsity"].text() == "Sparsity (whole model)"


def test_where_the_disk_has_no_room_for_a_mask_the_panel_says_so(counted, monkeypatch):
    """Masks in the scratch file are pruned and undone like others."""
    limit_memory(monkeypatch)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=300))
    panel = counted.views.preview
    counted.ask_amount("40 %")
    counted.wait(lambda: "does not fit into memory" in panel.error.text())
    assert "XDG_CACHE_HOME" in panel.error.text()
    assert counted.button.text() == "Prune"
    assert not counted.button.isEnabled()
    assert counted.document.position == 0
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1 << 40))
    counted.ask_amount("50 %")
    report = counted.wait_preview()
    assert panel.error.text() == ""
    counted.click(counted.button)
    counted.wait(lambda: counted.document.position == 1)
    assert all(mask.mapped for mask in counted.document.masks.values())
    counted.key("Ctrl+Z")
    counted.wait(lambda: counted.document.position == 0)
    counted.key("Ctrl+Shift+Z")
    counted.wait(lambda: counted.document.position == 1)
    assert sum(m.pruned for m in counted.document.masks.values()) == report.newly_pruned


def test_a_global_step_that_empties_a_tensor_can_be_set_per_tensor(counted):
    """The button warns by symbol, color and tooltip; a click on the action ends all three."""
    user = counted
    panel = user.views.preview
    user.ask_amount("50 %")
    user.wait_preview()
    usual = user.button.palette().color(QPalette.ColorRole.Button)
    assert not panel.separate.isVisible()
    user.click(user.views.form.all)
    user.wait_preview()
    assert user.button.text() == "■ Prune 7,680 weights"
    assert "1 tensor is pruned completely" in user.button.toolTip()
    assert user.button.palette().color(QPalette.ColorRole.Button) != usual
    assert panel.separate.isVisible()
    assert panel.alarm.text().startswith("■ 1 tensor is pruned completely")
    user.click(panel.separate)
    user.wait_preview()
    assert user.views.form.each.isChecked()
    assert user.button.text() == "Prune 7,680 weights"
    assert "completely" not in user.button.toolTip()
    assert user.button.palette().color(QPalette.ColorRole.Button) == usual
    assert not panel.separate.isVisible()
