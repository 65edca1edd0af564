"""Distribution, channels and model: judged by what is painted, said and announced."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu

from pruneapp.analysis.sparsity_report import SparsityReport, TensorSparsity
from pruneapp.analysis.statistics import Histogram
from pruneapp.export.report_writer import csv_text
from pruneapp.gui.plots.channels import ChannelsView
from pruneapp.gui.plots.distribution import DistributionView
from pruneapp.gui.plots.sparsity_overview import ModelView
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME
from tests.gui.mouse_wheel import turn_wheel
from tests.gui.plots.channel_norms import made_norms
from tests.support.plot_views import choose_channels, choose_order

HISTOGRAM = Histogram(
    "conv.weight",
    np.linspace(0, 4, 5),
    kept=np.array([0, 40, 100, 1000]),
    pruned=np.array([60, 20, 0, 0]),
    to_be_pruned=np.array([0, 40, 0, 0]),
    nonfinite=2,
)
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
def show(qtbot):
    def make(kind):
        view = kind()
        qtbot.addWidget(view)
        view.resize(600, 480)
        view.show()
        qtbot.waitExposed(view)
        return view

    return make


@pytest.fixture
def distribution(show):
    view = show(DistributionView)
    view.set_histogram(HISTOGRAM)
    return view


@pytest.fixture
def channels(show):
    view = show(ChannelsView)
    view.set_dims(["0: output channels (5)", "1: input channels (3)"])
    view.set_norms(NORMS)
    return view


@pytest.fixture
def model(show):
    view = show(ModelView)
    view.set_report(REPORT, PREVIEW)
    return view


def at(view, x, y) -> QPoint:
    """The pixel of the canvas at a place of the plot."""
    return view.canvas.area.pixel(x, y).toPoint()


def colors_around(view, x, y, reach=5):
    image, middle = view.canvas.grab().toImage(), at(view, x, y)
    span = range(-reach, reach + 1)
    return {image.pixelColor(middle + QPoint(dx, dy)).name() for dx in span for dy in span}


# -- distribution --------------------------------------------------------------------------------


def test_bins_are_stacked_in_their_colours(distribution, theme):
    distribution.set_colors(theme.colors)
    kept, pruned, ground = (theme.colors[c] for c in ("kept", "pruned", "surface"))
    assert colors_around(distribution, 3.5, 500) == {kept}
    assert colors_around(distribution, 0.5, 40, reach=2) == {pruned}
    assert {pruned, ground} <= colors_around(distribution, 1.5, 20), (
        "what is to be pruned is striped"
    )
    assert kept not in colors_around(distribution, 1.5, 20)


def test_a_logarithmic_axis_shows_small_counts(distribution):
    kept = LIGHT_THEME.colors["kept"]
    assert kept not in colors_around(distribution, 2.5, 300)
    distribution.log_box.setChecked(True)
    assert colors_around(distribution, 2.5, 1.0) == {kept}
    ticks = distribution.canvas.left.tickValues(-0.3, 3.2, 300)
    assert distribution.canvas.left.tickStrings(ticks[0][1], 1, 1) == ["1", "10", "100", "1,000"]


def test_the_key_for_logarithms(distribution, qtbot):
    qtbot.keyClick(distribution.log_box, Qt.Key.Key_Space)
    assert distribution.chart().log


def test_a_bin_is_read_by_mouse_and_by_keys(distribution, qtbot):
    distribution.canvas.hovered.emit(1)
    assert distribution.readout.text() == "1 to 2:  40 kept, 20 pruned, 40 to be pruned"
    distribution.canvas.hovered.emit(-1)
    assert distribution.readout.text() == distribution.summary()
    qtbot.keyClick(distribution.canvas, Qt.Key.Key_End)
    assert distribution.readout.text() == "3 to 4:  1,000 kept, 0 pruned, 0 to be pruned"
    qtbot.keyClick(distribution.canvas, Qt.Key.Key_Left)
    qtbot.keyClick(distribution.canvas, Qt.Key.Key_Left)
    assert distribution.canvas.cursor_bar == 1


def test_bars_are_found_under_their_pixels(distribution):
    assert [distribution.canvas.bar_at(at(distribution, b + 0.5, 50)) for b in range(4)] == [
        0,
        1,
        2,
        3,
    ]
    assert distribution.canvas.bar_at(QPoint(1, 1)) == -1


def test_the_summary_says_all(distribution):
    words = "1,220 weights, 6.6\u00a0% pruned, 3.3\u00a0% to be pruned, 2 NaN or infinite"
    assert distribution.summary() == words
    assert distribution.canvas.accessibleDescription() == words
    assert distribution.canvas.accessibleName() == "Distribution of magnitudes"
    assert distribution.legend.words() == ["kept", "pruned", "to be pruned"]


def test_the_table_has_the_same_numbers(distribution, qtbot):
    qtbot.keyClick(distribution.canvas, Qt.Key.Key_T)
    assert distribution.shows_table
    table = distribution._table
    assert distribution._stack.currentWidget() is table
    model = table.model()
    cells = [model.index(1, c).data() for c in range(model.columnCount())]
    assert cells == ["1", "2", "40", "20", "40", "0"]
    assert [model.headerData(c, Qt.Orientation.Horizontal) for c in range(6)] == [
        "From",
        "To",
        "Kept",
        "Pruned",
        "To be\npruned",
        "Kept after",
    ]
    qtbot.keyClick(table, Qt.Key.Key_T)
    assert distribution._stack.currentWidget() is distribution.canvas


def test_the_table_follows_new_numbers(distribution):
    distribution.toggle_table()
    distribution.set_histogram(
        Histogram("x", np.array([0.0, 1]), np.array([7]), np.array([0]), np.array([0]), 0)
    )
    assert distribution._table.model().rowCount() == 1
    assert distribution._table.model().index(0, 2).data() == "7"


def test_models_are_sound(distribution, qtmodeltester):
    distribution.toggle_table()
    qtmodeltester.check(distribution._table.model())


def test_no_tensor_no_picture(distribution):
    distribution.set_histogram(None)
    assert distribution._message.text() == "Select a tensor in the tree."
    assert distribution.readout.text() == ""
    assert distribution.legend.entries == ()


def test_a_tensor_of_one_number(show):
    view = show(DistributionView)
    one = np.array([1])
    view.set_histogram(Histogram("x", np.array([0.0, 0.5]), one, 0 * one, 0 * one, 0))
    assert view.summary() == "1 weights, 0\u00a0% pruned"
    view.log_box.setChecked(True)


# -- channels ------------------------------------------------------------------------------------


def test_channels_are_coloured_by_state(channels, theme):
    channels.set_colors(theme.colors)
    kept, pruned = theme.colors["kept"], theme.colors["pruned"]
    assert colors_around(channels, 0, 2) == {kept}
    assert colors_around(channels, 1, 0.5) == {pruned}
    assert colors_around(channels, 2, 2.2) == {kept}, "most of the norm is left"
    assert colors_around(channels, 2, 2.75) == {pruned}, "of which a half of the weights went"
    assert {pruned, theme.colors["surface"]} == colors_around(channels, 3, 1) & {
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


def test_a_click_chooses_the_channel_not_its_place(channels, qtbot):
    choose_order(channels, "norm")
    qtbot.mouseClick(channels.canvas.viewport(), Qt.MouseButton.LeftButton, pos=at(channels, 3, 1))
    assert channels.chosen == (0,)


def test_the_person_chooses_the_dimension(channels, qtbot):
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


@pytest.mark.parametrize(
    ("n", "words"),
    [
        ("2", "L2 norm"),
        ("1.0", "L1 norm"),
        ("inf", "L∞ norm"),
        ("fro", "Frobenius norm"),
        ("-1", "L−1 norm"),
    ],
)
def test_norms_have_names(channels, n, words):
    channels.set_norms(replace(NORMS, n=n))
    assert channels.canvas.left.labelText == words


def test_a_hundred_thousand_channels_are_fast(show, record_property, qtbot):
    random = np.random.default_rng(0)
    size = 100_000
    norms = random.random(size)
    norms[777] = 50
    kept = np.ones(size)
    view = show(ChannelsView)
    start = time.perf_counter()
    view.set_norms(made_norms(norms, kept, np.zeros(size, bool)))
    view.canvas.viewport().repaint()
    first = time.perf_counter() - start
    taken = []
    for _ in range(30):
        start = time.perf_counter()
        view.canvas.zoom(1.3)
        view.canvas.viewport().repaint()
        taken.append(time.perf_counter() - start)
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
    assert colors_around(model, 1, 10) == {pruned}
    assert {pruned, ground} <= colors_around(model, 2, 25)
    assert colors_around(model, 1, 50) == {ground}
    assert colors_around(model, 3, 50) == {pruned}


def test_tensors_are_read_and_chosen(model, qtbot):
    model.canvas.hovered.emit(1)
    assert model.readout.text() == "b.weight:  0\u00a0% → 50.0\u00a0% pruned"
    model.canvas.hovered.emit(0)
    assert model.readout.text() == "a.weight:  20.0\u00a0% pruned, 20 of 100"
    with qtbot.waitSignal(model.tensorClicked) as clicked:
        qtbot.mouseClick(model.canvas.viewport(), Qt.MouseButton.LeftButton, pos=at(model, 3, 20))
    assert clicked.args == ["c.weight"]


def shown_tensors(view, many, name="layer{}.weight"):
    tensors = tuple(TensorSparsity(name.format(i), 10, 0, 5) for i in range(many))
    view.set_report(SparsityReport(tensors, 10 * many, 0, 5 * many))
    QApplication.sendPostedEvents()
    view.canvas.viewport().repaint()
    return view.canvas.left


@pytest.mark.parametrize("many", [3, 30, 1000])
def test_every_bar_that_can_be_seen_has_its_name_beside_it(show, many):
    """However many tensors there are: one scrolls, and no name touches the next."""
    view = show(ModelView)
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
    view = show(ModelView)
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


def test_the_scroll_bar_is_painted_anew_with_the_wheel(show, qtbot):
    view = show(ModelView)
    shown_tensors(view, 300)
    viewport = view.canvas.viewport()
    for _ in range(2):  # all of it is painted at first
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
    view = show(ModelView)
    shown_tensors(view, 20, "an_extremely_long_name_of_a_block.{}." + "deep." * 30 + "weight")
    assert view.canvas.area.rect.width() > 0.4 * view.canvas.width()
    view.resize(360, 480)
    QApplication.sendPostedEvents()
    assert view.canvas.area.rect.width() > 0.3 * view.canvas.width()


def test_the_words_of_an_axis_stay_in_its_middle(channels):
    for order in ("norm", "index", "norm"):
        choose_order(channels, order)
        label = channels.canvas.bottom.label
        middle = label.pos().x() + label.boundingRect().width() / 2
        assert middle == pytest.approx(channels.canvas.bottom.width() / 2, abs=1)


def test_headers_stand_above_their_numbers(model):
    model.toggle_table()
    numbers = model._table.numbers
    role = Qt.ItemDataRole.TextAlignmentRole
    for column, side in ((0, Qt.AlignmentFlag.AlignLeft), (1, Qt.AlignmentFlag.AlignRight)):
        for found in (
            numbers.headerData(column, Qt.Orientation.Horizontal, role),
            numbers.data(numbers.index(0, column), role),
        ):
            assert found & side.value


def test_the_legend_of_channels_says_what_is_protected(channels, qtbot):
    words = channels.legend.words
    assert "protected" not in words()
    protected = np.zeros(NORMS.norms.size, bool)
    protected[1] = True
    channels.set_norms(replace(NORMS, protected=protected))
    assert "protected" in words()
    assert channels.summary().endswith("1 protected")


def test_the_most_pruned_first(model):
    choose_order(model, "share")
    assert [row[0] for row in model.numbers()] == ["c.weight", "b.weight", "a.weight"]
    assert model.summary() == "3 tensors; model 18.3\u00a0% pruned, 43.3\u00a0% after the step"


def test_without_a_preview_nothing_is_striped(model):
    model.set_report(REPORT)
    assert model.legend.words() == ["kept", "pruned"]
    assert model.summary() == "3 tensors; model 18.3\u00a0% pruned"
    model.set_report(None)
    assert "Open a checkpoint" in model._message.text()


# -- all -----------------------------------------------------------------------------------------


def test_themes_reach_axes_and_ground(distribution, channels, model):
    for view in (distribution, channels, model):
        for theme in (DARK_THEME, LIGHT_THEME):
            view.set_colors(theme.colors)
            image = view.canvas.grab().toImage()
            assert image.pixelColor(2, 2).name() == theme.colors["surface"]
            assert view.canvas.left.textPen().color().name() == theme.colors["text"]


def test_numbers_are_saved_in_full_precision(channels):
    numbers = channels.numbers()
    lines = csv_text(numbers.headers, numbers).splitlines()
    assert lines[0] == (
        "channel,L2 norm,L2 norm left,L2 norm after the step,"
        "share of weights kept,share kept after the step,state"
    )
    assert lines[3] == "2,3.0,2.5,2.5,0.5,0.5,50.0\u00a0% of its weights kept"
    assert lines[4] == "3,2.0,2.0,0.0,1.0,0.0,to be pruned"


def test_saving_asks_where(model, tmp_path, monkeypatch, qtbot):
    chosen = []

    def ask(_parent, title, proposed, kinds):
        chosen.append((title, proposed, kinds))
        return str(tmp_path / "x.svg"), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    with qtbot.waitSignal(model.fileRequested) as asked:
        model.export_menu.svg.trigger()
    assert chosen[0][1].endswith("sparsity.svg")
    assert asked.args[1] == tmp_path / "x.svg"
    with qtbot.waitSignal(model.fileRequested) as asked:
        model.export_menu.png.trigger()
    assert len(asked.args[0]()) > 1000
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args: ("", ""))
    with qtbot.assertNotEmitted(model.fileRequested):
        model.export_menu.png.trigger()


def test_the_menu_offers_to_take_it_along(model):
    texts = [a.text() for a in model.export_menu.button.menu().actions()]
    assert texts == ["Copy picture", "Save PNG…", "Save SVG…", "Save CSV…"]


def test_the_menu_opens_over_the_canvas_by_mouse_and_by_key(model, monkeypatch):
    # The offscreen platform cannot grab the keyboard, and says so for every real popup.
    opened = []
    monkeypatch.setattr(QMenu, "popup", lambda menu, _where: opened.append(menu))
    for reason in (QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard):
        port = model.canvas.viewport()
        middle = port.rect().center()
        event = QContextMenuEvent(reason, middle, port.mapToGlobal(middle))
        QApplication.sendEvent(port, event)
        menu = opened.pop()
        assert [a.text() for a in menu.actions()] == [
            "Copy picture",
            "Save PNG…",
            "Save SVG…",
            "Save CSV…",
        ]
        menu.deleteLater()
