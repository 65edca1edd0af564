"""The pages Distribution, Channels and Model: painting, readout, order and zoom."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt
from PySide6.QtWidgets import QApplication

from pruneapp.analysis.sparsity_report import SparsityReport, TensorSparsity
from pruneapp.analysis.statistics import Histogram
from pruneapp.gui.plots.channels import ChannelsView
from pruneapp.gui.plots.distribution import DistributionView
from pruneapp.gui.plots.sparsity_overview import ModelView
from pruneapp.gui.widgets.theme import LIGHT_THEME
from tests.gui.mouse_wheel import turn_wheel
from tests.gui.plots.chart_data import HISTOGRAM, made_norms
from tests.support.plot_views import choose_channels, choose_order, colors_at, pixel

NORMS = made_norms(
    [4.0, 1.0, 3.0, 2.0, np.nan],
    kept=[1.0, 0.0, 0.5, 1.0, 1.0],
    to_prune=[False, False, False, True, False],
    left=[4.0, 0.0, 2.5, 2.0, np.nan],
)
REPORT = SparsityReport(
    (
        TensorSparsity("a.weight", 100, 0, 20),
        TensorSparsity("b.weight", 300, 0, 0),
        TensorSparsity("c.weight", 100, 0, 90),
    ),
    numel=600,
    before=0,
    after=110,
)
PREVIEW = SparsityReport(
    (TensorSparsity("b.weight", 300, 0, 150),), numel=600, before=110, after=260
)


@pytest.fixture
def distribution(show):
    view = show(DistributionView(), 600, 480)
    view.set_histogram(HISTOGRAM)
    return view


@pytest.fixture
def channels(show):
    view = show(ChannelsView(), 600, 480)
    view.set_dims(["0: output channels (5)", "1: input channels (3)"])
    view.set_norms(NORMS)
    return view


@pytest.fixture
def model(show):
    view = show(ModelView(), 600, 480)
    view.set_report(REPORT, PREVIEW)
    return view


# -- distribution --------------------------------------------------------------------------------


def test_bins_are_stacked_in_the_colors_of_their_states(distribution, theme):
    distribution.set_colors(theme.colors)
    assert distribution.legend.words() == ["kept", "pruned", "to be pruned"]
    kept, pruned, ground = (theme.colors[c] for c in ("kept", "pruned", "surface"))
    assert colors_at(distribution, 3.5, 500, reach=5) == {kept}
    assert colors_at(distribution, 0.5, 40, reach=2) == {pruned}
    assert {pruned, ground} <= colors_at(distribution, 1.5, 20, reach=5), (
        "what is to be pruned is striped"
    )
    assert kept not in colors_at(distribution, 1.5, 20, reach=5)


def test_a_logarithmic_axis_shows_small_counts(distribution):
    kept = LIGHT_THEME.colors["kept"]
    assert kept not in colors_at(distribution, 2.5, 300, reach=5)
    distribution.log_box.setChecked(True)
    assert colors_at(distribution, 2.5, 1.0, reach=5) == {kept}
    ticks = distribution.canvas.left.tickValues(-0.3, 3.2, 300)
    assert distribution.canvas.left.tickStrings(ticks[0][1], 1, 1) == ["1", "10", "100", "1,000"]


def test_space_toggles_the_logarithmic_axis(distribution, qtbot):
    qtbot.keyClick(distribution.log_box, Qt.Key.Key_Space)
    assert distribution.chart().log


def test_bars_are_found_under_their_pixels(distribution):
    found = [distribution.canvas.bar_at(pixel(distribution, bar + 0.5, 50)) for bar in range(4)]
    assert found == [0, 1, 2, 3]
    assert distribution.canvas.bar_at(QPoint(1, 1)) == -1


def test_the_table_follows_new_numbers(distribution):
    distribution.toggle_table()
    distribution.set_histogram(
        Histogram("x", np.array([0.0, 1]), np.array([7]), np.array([0]), np.array([0]), 0)
    )
    assert distribution._table.model().rowCount() == 1
    assert distribution._table.model().index(0, 2).data() == "7"


def test_a_tensor_of_one_number(show):
    view = show(DistributionView(), 600, 480)
    one = np.array([1])
    view.set_histogram(Histogram("x", np.array([0.0, 0.5]), one, 0 * one, 0 * one, 0))
    assert view.summary() == "all 1 weights: 0\u00a0% pruned"
    view.log_box.setChecked(True)


# -- channels ------------------------------------------------------------------------------------


def test_channels_have_the_colors_of_their_states(channels, theme):
    channels.set_colors(theme.colors)
    kept, pruned = theme.colors["kept"], theme.colors["pruned"]
    assert colors_at(channels, 0, 2, reach=5) == {kept}
    assert colors_at(channels, 1, 0.5, reach=5) == {pruned}
    assert colors_at(channels, 2, 2.2, reach=5) == {kept}, "most of the norm is left"
    assert colors_at(channels, 2, 2.75, reach=5) == {pruned}, "of which a half of the weights went"
    assert {pruned, theme.colors["surface"]} == colors_at(channels, 3, 1, reach=5) & {
        pruned,
        kept,
        theme.colors["surface"],
    }


def test_sorting_puts_the_smallest_norm_first_and_nan_last(channels, qtbot):
    channels.canvas.set_cursor(0)
    channels._on_cursor_moved(0)
    assert channels.readout.text() == "channel 0:  L2 norm 4,  kept"
    qtbot.keyClick(channels.order_box, Qt.Key.Key_Down)
    assert [row[0] for row in channels.numbers()] == [1, 3, 2, 0, 4]
    channels.canvas.hovered.emit(0)
    assert channels.readout.text() == "channel 1:  L2 norm 0 of 1,  pruned"
    channels.canvas.hovered.emit(1)
    assert channels.readout.text() == "channel 3:  L2 norm 2,  to be pruned"
    channels.canvas.hovered.emit(2)
    assert channels.readout.text() == (
        "channel 2:  L2 norm 2.5 of 3 (83.3\u00a0%),  50.0\u00a0% of its weights kept"
    )
    channels.canvas.hovered.emit(4)
    assert channels.readout.text() == "channel 4:  L2 norm NaN,  kept"


def test_a_click_selects_the_channel_and_not_its_position(channels, qtbot):
    choose_order(channels, "norm")
    qtbot.mouseClick(
        channels.canvas.viewport(), Qt.MouseButton.LeftButton, pos=pixel(channels, 3, 1)
    )
    assert channels.chosen == (0,)


def test_the_user_chooses_the_dimension(channels, qtbot):
    with qtbot.waitSignal(channels.normsRequested):
        qtbot.keyClick(channels.dim_box, Qt.Key.Key_Down)
    assert channels.dim == 1


def test_setters_do_not_emit(channels, qtbot):
    with qtbot.assertNotEmitted(channels.normsRequested), qtbot.assertNotEmitted(channels.cutMoved):
        channels.set_dims(["0: outputs (3)", "1: inputs (4)"], 1)
        channels.set_norms(NORMS)
        choose_order(channels, "norm")
        channels.set_norm_choice("1")
        channels.set_cut(2, editable=True)
        choose_channels(channels, [1, 2])


def test_norms_have_names(channels):
    for n, words in (
        ("2", "L2 norm"),
        ("1.0", "L1 norm"),
        ("inf", "L∞ norm"),
        ("fro", "Frobenius norm"),
        ("-1", "L−1 norm"),
    ):
        channels.set_norms(replace(NORMS, n=n))
        assert channels.canvas.left.labelText == words


def test_a_hundred_thousand_channels_are_fast(show, record_property, qtbot):
    random = np.random.default_rng(0)
    size = 100_000
    norms = random.random(size)
    norms[777] = 50
    kept = np.ones(size)
    view = show(ChannelsView(), 600, 480)
    start = time.thread_time()
    view.set_norms(made_norms(norms, kept, np.zeros(size, bool)))
    view.canvas.viewport().repaint()
    first = time.thread_time() - start
    taken = []
    for _ in range(30):
        start = time.thread_time()
        view.canvas.zoom(1.3)
        view.canvas.viewport().repaint()
        taken.append(time.thread_time() - start)
    record_property("first_ms", round(first * 1000, 1))
    record_property("frame_max_ms", round(max(taken) * 1000, 1))
    assert first < 1
    assert max(taken) < 0.3
    start, stop = view.canvas.visible
    assert stop - start < 200
    view.canvas.fit()
    drawn = view.canvas.bars.kept.getData()
    assert len(view.canvas.bars.kept.opts["x0"]) <= view.canvas.plot_length, drawn
    assert view.chart().highest == 50, "the highest of a group is not lost"


def test_wheel_range_and_dragging_stay_on_the_bars(channels):
    channels.canvas.zoom(1e9)
    assert channels.canvas.visible == (0, 5), "five bars are few enough to see them all"
    channels.canvas.zoom(1e-9)
    assert channels.canvas.visible == (0, 5)


# -- model ---------------------------------------------------------------------------------------


def test_now_is_solid_and_the_step_is_striped(model, theme):
    model.set_colors(theme.colors)
    pruned, ground = theme.colors["pruned"], theme.colors["surface"]
    assert colors_at(model, 1, 10, reach=5) == {pruned}
    assert {pruned, ground} <= colors_at(model, 2, 25, reach=5)
    assert colors_at(model, 1, 50, reach=5) == {ground}
    assert colors_at(model, 3, 50, reach=5) == {pruned}


def test_a_bar_is_read_out_and_a_click_emits_its_tensor(model, qtbot):
    model.canvas.hovered.emit(1)
    assert model.readout.text() == "b.weight:  0\u00a0% → 50.0\u00a0% pruned"
    model.canvas.hovered.emit(0)
    assert model.readout.text() == "a.weight:  20.0\u00a0% pruned, 20 of 100"
    with qtbot.waitSignal(model.tensorClicked) as clicked:
        qtbot.mouseClick(
            model.canvas.viewport(), Qt.MouseButton.LeftButton, pos=pixel(model, 3, 20)
        )
    assert clicked.args == ["c.weight"]


def shown_tensors(view, many, name="layer{}.weight"):
    tensors = tuple(TensorSparsity(name.format(i), 10, 0, 5) for i in range(many))
    view.set_report(SparsityReport(tensors, 10 * many, 0, 5 * many))
    QApplication.sendPostedEvents()
    view.canvas.viewport().repaint()
    return view.canvas.left


@pytest.mark.parametrize("many", [3, 30, 1000])
def test_every_visible_bar_has_its_name_beside_it(show, many):
    """With any number of tensors, the page scrolls, and names do not overlap."""
    view = show(ModelView(), 600, 480)
    axis = shown_tensors(view, many, "block.{}.output.dense.weight")
    start, stop = view.canvas.visible
    assert start == 0
    assert stop == min(many, stop)
    names = [name for name, _ in axis.visible_names()]
    expected = [view._short[f"block.{i}.output.dense.weight"] for i in range(start, stop)]
    assert names[: len(expected) - 1] == expected[:-1]
    places = np.array([place for _, place in axis.visible_names()])
    assert (np.diff(places) >= view.fontMetrics().height()).all()
    for bar in (start, stop - 2):
        assert abs(places[bar] - view.canvas.area.rect.height() * (bar + 0.5) / _seen(view)) < 2
    image = view.canvas.viewport().grab().toImage()
    rect = view.canvas.area.rect
    middle = view.canvas.area.pixel(1, 0).toPoint()
    painted = {
        image.pixelColor(x, middle.y() + dy).lightness()
        for x in range(int(rect.left()) - 60, int(rect.left()) - 8)
        for dy in range(-5, 6)
    }
    assert min(painted) < 100, "no letter was painted"


def _seen(view):
    low, high = view.canvas.visible_range
    return high - low


def test_the_wheel_and_keys_scroll_through_the_names(show, qtbot):
    view = show(ModelView(), 600, 480)
    shown_tensors(view, 300)
    first, wide = view.canvas.visible_range[0], _seen(view)
    turn_wheel(view.canvas, -3)
    assert view.canvas.visible_range[0] > first
    assert _seen(view) == pytest.approx(wide), "the wheel moves"
    under = view.canvas.bar_at(QPointF(view.canvas.rect().center()))
    assert f"layer{under}.weight" in view.readout.text(), "the line follows the pointer"
    for _ in range(40):
        qtbot.keyClick(view.canvas, Qt.Key.Key_Down)
    assert view.canvas.visible[0] <= view.canvas.cursor_bar < view.canvas.visible[1]
    qtbot.keyClick(view.canvas, Qt.Key.Key_End)
    assert view.canvas.cursor_bar == 299
    assert "layer299.weight" in view.readout.text()
    qtbot.keyClick(view.canvas, Qt.Key.Key_Up)
    assert view.canvas.cursor_bar == 298
    view.canvas.fit()
    assert view.canvas.visible == (0, 300)
    places = [place for _, place in view.canvas.left.visible_names()]
    assert 5 < len(places) < 60, "names that would touch are left out"


def test_the_wheel_repaints_the_scroll_indicator(show, qtbot):
    view = show(ModelView(), 600, 480)
    shown_tensors(view, 300)
    viewport = view.canvas.viewport()
    for _ in range(2):  # the first repaint paints everything
        qtbot.wait(50)
        turn_wheel(view.canvas, -1)
    qtbot.wait(50)
    painted = []

    class Watch(QObject):
        def eventFilter(self, _watched, event):  # noqa: N802 - Qt's name
            if event.type() == QEvent.Type.Paint:
                painted.append(event.region().boundingRect())
            return False

    watch = Watch()
    viewport.installEventFilter(watch)
    turn_wheel(view.canvas, -3)
    beside = QRect(int(view.canvas.area.rect.right()) + 6, 8, 6, viewport.height() - 16)
    qtbot.waitUntil(lambda: any(rect.contains(beside) for rect in painted), timeout=1000)
    viewport.removeEventFilter(watch)


def test_names_leave_room_for_the_bars(show):
    view = show(ModelView(), 600, 480)
    shown_tensors(view, 20, "an_extremely_long_name_of_a_block.{}." + "deep." * 30 + "weight")
    assert view.canvas.area.rect.width() > 0.4 * view.canvas.width()
    view.resize(360, 480)
    QApplication.sendPostedEvents()
    assert view.canvas.area.rect.width() > 0.3 * view.canvas.width()


def test_the_title_of_an_axis_stays_centered(channels):
    for order in ("norm", "index", "norm"):
        choose_order(channels, order)
        label = channels.canvas.bottom.label
        middle = label.pos().x() + label.boundingRect().width() / 2
        assert middle == pytest.approx(channels.canvas.bottom.width() / 2, abs=1)


def test_the_legend_of_channels_has_an_entry_for_protected_ones(channels, qtbot):
    words = channels.legend.words
    assert "protected" not in words()
    protected = np.zeros(NORMS.norms.size, bool)
    protected[1] = True
    channels.set_norms(replace(NORMS, protected=protected))
    assert "protected" in words()
    assert channels.summary().endswith("1 protected")


def test_without_a_preview_nothing_is_striped(model):
    model.set_report(REPORT)
    assert model.legend.words() == ["kept", "pruned"]
    assert model.summary() == "3 tensors; model 18.3\u00a0% pruned"
    model.set_report(None)
    assert "Open a checkpoint" in model._message.text()
