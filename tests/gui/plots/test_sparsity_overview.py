"""The tensors of the model by order and measure, and the strip of the whole file."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from safetensors.numpy import save_file

from pruneapp.analysis.sparsity_report import SparsityReport, TensorSparsity
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.plots.sparsity_overview import ModelView, role
from tests.gui.mouse_wheel import turn_wheel
from tests.support.plot_views import bar_text, bar_value, choose_order, colors_around, colors_at

LEFT = Qt.MouseButton.LeftButton


def row(name, numel, why_not="", nbytes=None):
    nbytes = 4 * numel if nbytes is None else nbytes
    return TensorRow(name, name.removeprefix("m."), "", (numel,), "float32", numel, nbytes, why_not)


ROWS = [
    row("m.layers.0.q.weight", 1000),
    row("m.layers.0.up.weight", 3000),
    row("m.layers.0.steps", 1000, "integers are not pruned"),
    row("m.layers.1.q.weight", 1000),
    row("m.layers.1.up.weight", 4000),
]
REPORT = SparsityReport(
    (
        TensorSparsity("m.layers.0.q.weight", 1000, 0, 200),
        TensorSparsity("m.layers.0.up.weight", 3000, 0, 0),
        TensorSparsity("m.layers.1.q.weight", 1000, 0, 500),
        TensorSparsity("m.layers.1.up.weight", 4000, 0, 0),
    ),
    numel=10_000,
    before=0,
    after=700,
)
PREVIEW = SparsityReport(
    (
        TensorSparsity("m.layers.0.up.weight", 3000, 0, 1500, norm_retained=0.9),
        TensorSparsity("m.layers.1.up.weight", 4000, 0, 3000, norm_retained=0.4),
    ),
    numel=10_000,
    before=700,
    after=5200,
)


@pytest.fixture
def model(show):
    view = ModelView()
    view.set_tensors(ROWS)
    show(view, 700, 520)
    view.set_report(REPORT, PREVIEW)
    return view


def names(view):
    return [cells[0].removeprefix("m.layers.") for cells in view.numbers()]


def on_strip(view, tensor, share):
    """Return the colors in the middle of a tensor, at a height above the base."""
    left, right = view.strip.pixels_of(tensor)
    high = view.strip.height()
    return colors_around(view.strip, QPointF((left + right) / 2, high * (1 - share)).toPoint())


def test_the_focused_tensor_is_marked_in_every_order(model):
    model.set_tensors(ROWS)
    model.set_report(REPORT)
    assert model.canvas.current == -1
    before = model.grab().toImage()
    model.set_current("m.layers.1.q.weight")
    assert model.grab().toImage() != before
    accent = QColor(model._colors["accent"])
    for order in ("layer", "share", "role"):
        choose_order(model, order)
        bar = model.canvas.current
        assert bar_text(model, bar).startswith("layers.1.q.weight:")
        place = model.canvas.area
        at = QPointF(place.rect.left() - 4, model.canvas.pixel_of(bar).y()).toPoint()
        seen = model.canvas.grab().toImage()
        assert seen.pixelColor(at * seen.devicePixelRatio()) == accent, order
    model.set_report(REPORT, PREVIEW)
    assert bar_text(model, model.canvas.current).startswith("layers.1.q.weight:")
    model.set_current("m.layers.0.steps")  # has no bar, but is in the strip
    assert model.canvas.current == -1
    left, right = model.strip.pixels_of(2)
    strip = model.strip.grab().toImage()
    middle = QPointF((left + right) / 2, 1).toPoint() * strip.devicePixelRatio()
    assert strip.pixelColor(middle) == accent
    model.set_current("")
    assert model.canvas.current == -1


def test_the_chart_scrolls_to_the_focused_tensor(model):
    names = [f"m.layers.{at}.weight" for at in range(400)]
    model.set_tensors([row(name, 10) for name in names])
    tensors = tuple(TensorSparsity(name, 10, 0, 1) for name in names)
    report = SparsityReport(tensors, numel=4_000, before=0, after=400)
    model.set_current(names[300])
    model.set_report(report)
    first, last = model.canvas.visible
    assert first <= 300 < last
    model.canvas.set_cursor(0)
    model.set_report(report)  # another step keeps the visible range
    assert model.canvas.visible[0] == 0
    model.set_current(names[399])
    assert model.canvas.visible[1] == 400


def test_every_order(model, qtbot):
    for key, wanted in (
        ("share", ["1.up", "0.up", "1.q", "0.q"]),
        ("size", ["1.up", "0.up", "0.q", "1.q"]),
        ("layer", ["0.q", "0.up", "1.q", "1.up"]),
    ):
        choose_order(model, key)
        assert names(model) == [f"{name}.weight" for name in wanted], key
    for _ in range(4):
        qtbot.keyClick(model.order_box, Qt.Key.Key_Down)
    assert model.order == "role"
    assert names(model) == [f"{name}.weight" for name in ("0.q", "1.q", "0.up", "1.up")]


def test_roles_are_adjacent_and_named(model, theme):
    model.set_colors(theme.colors)
    choose_order(model, "role")
    shown = model.canvas.left.visible_names()
    assert len(shown) == 4
    for number, (name, place) in enumerate(shown):
        assert name.endswith(names(model)[number].removeprefix("m.layers."))
        top = model.canvas.area.rect.top()
        assert abs(model.canvas.area.pixel(number + 1, 0).y() - top - place) < 2
    at = model.canvas.area.pixel(2.5, 60).toPoint()
    column = model.canvas.viewport().grab().toImage()
    near = [QPoint(dx, dy) for dy in (-1, 0, 1) for dx in range(-8, 9)]
    drawn = {column.pixelColor(at + step).name() for step in near}
    assert theme.colors["muted"] in drawn, "no line between the roles"
    assert role("layers.12.conv2.0.weight") == "layers.*.conv2.*.weight"


def test_sizes_are_stacked_by_what_is_kept(model, theme):
    model.set_colors(theme.colors)
    model.set_measure("size")
    kept, pruned = theme.colors["kept"], theme.colors["pruned"]
    assert colors_at(model, 4, 2000) == {kept}, "a quarter of 16 kB is kept"
    assert {pruned, theme.colors["surface"]} <= colors_at(model, 4, 9000)
    assert colors_at(model, 3, 3300) == {pruned}, "half of 4 kB is pruned"
    assert model.canvas.across.tickStrings([0.0, 5000.0], 1, 1) == ["0", "5.0 kB"]
    assert model.canvas.accessibleName() == "Sizes of the tensors"


def retaining(*shares, total):
    """Return the report of the model with the norms retained since opening."""
    tensors = (t._replace(norm_retained=e) for t, e in zip(REPORT.tensors, shares, strict=True))
    return replace(REPORT, tensors=tuple(tensors), norm_retained=total)


def test_no_share_beyond_100_is_written_on_the_axis(model):
    """Regression: it went on to 120 %, as bars leave space for their numbers."""
    tensors = (REPORT.tensors[0]._replace(after=1000), *REPORT.tensors[1:])
    model.set_report(replace(REPORT, tensors=tensors))
    axis, (low, high) = model.canvas.across, model.canvas.box.viewRange()[0]
    assert high > 104
    shown = [at for _, places in axis.tickValues(low, high, 800) for at in places]
    assert max(shown) == 100
    model.set_measure("size")
    assert max(at for _, places in axis.tickValues(0, 16_000, 800) for at in places) > 100


def test_the_summary_states_which_tensors_have_a_bar(model):
    """Regression: it counted 37 when 36 tensors were checked."""
    assert "without biases" not in model.summary(), "all that can be pruned have one"
    model.set_tensors([*ROWS, row("m.layers.0.bias", 8)])
    model.set_report(REPORT)
    assert model.summary() == (
        "4 tensors; model 7.0\u00a0% pruned;  unpruned bias/norm layers not shown"
    )


def test_embeddings_have_a_bar_although_they_are_not_checked(user, tmp_path):
    """The largest tensor of a language model was missing."""
    file, ones = tmp_path / "m.safetensors", np.ones((4, 4), np.float32)
    save_file({"embed_tokens.weight": ones, "fc.weight": ones, "fc.bias": ones[0]}, file)
    user.open_file(file)
    user.key("4", user.views.tree.view)
    model = user.views.pages.model
    user.wait(lambda: model.numbers().rows > 0)
    assert [cells[0] for cells in model.numbers()] == ["embed_tokens.weight", "fc.weight"]


def test_the_norm_that_is_retained_since_opening(model, theme):
    model.set_colors(theme.colors)
    kept, pruned, ground = (theme.colors[c] for c in ("kept", "pruned", "surface"))
    model.set_report(retaining(0.8, 1.0, 0.5, 1.0, total=0.95), PREVIEW)
    model.set_measure("norm")
    assert colors_at(model, 3, 40) == {kept}
    assert colors_at(model, 3, 60) == {pruned}, "half of it is lost"
    assert colors_at(model, 4, 30) == {kept}
    assert {pruned, ground} <= colors_at(model, 4, 70), "striped: what the step would take of it"
    assert model.readout.text() == (
        "4 tensors; model 7.0\u00a0% pruned, 52.0\u00a0% after the step;  "
        "L2 norm² retained 95.0\u00a0%"
    )
    model.canvas.hovered.emit(3)
    assert model.readout.text() == (
        "layers.1.up.weight:  0\u00a0% → 75.0\u00a0% pruned, L2 norm² retained 40.0\u00a0% (this "
        "step), 16 kB"
    )
    model.canvas.hovered.emit(2)
    assert "L2 norm² retained 50.0\u00a0% since opening" in model.readout.text()
    shares = [list(row[-2:]) for row in model.numbers()]
    assert shares == [[0.8, 0.8], [1.0, 0.9], [0.5, 0.5], [1.0, 0.4]]
    choose_order(model, "norm")
    assert names(model) == ["1.up.weight", "1.q.weight", "0.q.weight", "0.up.weight"]


def test_where_nothing_is_pruned_the_axis_goes_to_100_percent(model):
    """Regression: it went from 0 to 1, as if at most 1 % could be pruned."""
    nothing = replace(
        REPORT, after=0, tensors=tuple(t._replace(before=0, after=0) for t in REPORT.tensors)
    )
    model.set_report(nothing, None)
    low, high = model.canvas.area.y
    assert (low, high > 100) == (0.0, True)
    assert {bar_value(model, bar) for bar in range(4)} == {(0.0, "0\u00a0%")}


def test_the_table_has_columns_after_the_step_only_with_a_preview(model):
    """Regression: without a preview, they repeated the previous columns."""
    model.toggle_table()

    def headers():
        found = model._table.numbers
        return [
            found.headerData(column, Qt.Orientation.Horizontal).replace("\n", " ")
            for column in range(found.columnCount())
        ]

    now, after = ["Sparsity", "L2 norm² retained"], ["Sparsity after", "L2 norm² retained after"]
    assert sorted(headers()[1:]) == sorted([*now, *after])
    model.set_report(REPORT, None)
    assert headers()[1:] == now
    assert "sparsity after" in model.numbers().headers, "a file has them all"
    model.set_report(REPORT, PREVIEW)
    assert len(headers()) == 5


def test_unknown_norms_have_no_bar_and_no_number(model, theme):
    model.set_colors(theme.colors)
    step = SparsityReport((TensorSparsity("m.layers.1.up.weight", 4000, 0, 3000),), 1, 0, 0)
    model.set_report(retaining(0.8, 1.0, None, 1.0, total=None), step)
    model.set_measure("norm")
    assert colors_at(model, 1, 30) == {theme.colors["kept"]}
    assert colors_at(model, 3, 30) == {theme.colors["surface"]}, "the norm is unknown"
    assert colors_at(model, 4, 30) == {theme.colors["surface"]}, "unknown after the step"
    assert [cells[-2] for cells in model.numbers()][2] is None
    assert [cells[-1] for cells in model.numbers()][3] is None
    model.toggle_table()
    table = model._table.numbers
    shown = [[table.index(at, c).data() for c in range(table.columnCount())] for at in range(4)]
    assert shown[2][-2] == shown[3][-1] == "–"
    model.toggle_table()
    assert model.readout.text().endswith("L2 norm²: calculating…")
    choose_order(model, "norm")
    assert names(model) == ["0.q.weight", "0.up.weight", "1.q.weight", "1.up.weight"]


def test_the_strip_shows_bytes_by_width_and_sparsity_by_fill(model, theme):
    model.set_colors(theme.colors)
    kept, pruned = theme.colors["kept"], theme.colors["pruned"]
    left, right = model.strip.pixels_of(4)
    assert right - left == pytest.approx(model.strip.width() * 0.4)
    assert on_strip(model, 3, 0.25) == {pruned}
    assert on_strip(model, 3, 0.75) == {kept}
    assert {pruned, theme.colors["surface"]} <= on_strip(model, 4, 0.4)
    assert on_strip(model, 4, 0.88) == {kept}
    assert on_strip(model, 2, 0.5) == {theme.colors["border"]}, "what cannot be pruned is grey"


def test_the_strip_is_read_out_and_emits_its_tensor(model, qtbot, monkeypatch):
    left, right = model.strip.pixels_of(2)
    place = QPoint(int((left + right) / 2), 10)
    QTest.mouseMove(model.strip, place)
    assert model.readout.text() == "layers.0.steps:  4.0 kB, integers are not pruned"
    shown = []
    monkeypatch.setattr(QToolTip, "showText", lambda _at, text, *_: shown.append(text))
    help_ = QHelpEvent(QEvent.Type.ToolTip, place, model.strip.mapToGlobal(place))
    QApplication.sendEvent(model.strip, help_)
    assert model.readout.text() in shown[0], "the tooltip covers the readout"
    assert "width is the size in bytes" in shown[0]
    with qtbot.waitSignal(model.tensorClicked) as emitted:
        qtbot.mouseClick(model.strip, LEFT, pos=place)
    assert emitted.args == ["m.layers.0.steps"]
    model.strip.setFocus()
    qtbot.keyClick(model.strip, Qt.Key.Key_Right)
    assert model.readout.text().startswith("layers.1.q.weight:  50.0")
    with qtbot.waitSignal(model.tensorClicked) as emitted:
        qtbot.keyClick(model.strip, Qt.Key.Key_Return)
    assert emitted.args == ["m.layers.1.q.weight"]


def test_return_on_a_bar_emits_its_tensor(model, qtbot):
    choose_order(model, "size")
    model.canvas.setFocus()
    qtbot.keyClick(model.canvas, Qt.Key.Key_Home)
    with qtbot.waitSignal(model.tensorClicked) as emitted:
        qtbot.keyClick(model.canvas, Qt.Key.Key_Return)
    assert emitted.args == ["m.layers.1.up.weight"]


def test_columns_of_the_strip_are_the_mean_of_their_bytes(model):
    random = np.random.default_rng(0)
    sizes = random.integers(1, 5000, 3000).astype(float)
    before = random.random(3000) / 2
    model.strip.set_sizes(sizes, np.ones(3000, bool))
    model.strip.set_shares(before, before * 1.5)
    columns = model.strip.columns()
    assert columns[0].min() == pytest.approx(1)
    assert columns[1].mean() == pytest.approx((before * sizes).sum() / sizes.sum())
    assert columns[2].mean() == pytest.approx((before * sizes).sum() / sizes.sum() * 1.5)


def test_a_hundred_thousand_tensors_are_drawn_fast(show):
    view = show(ModelView(), 900, 600)
    many = 100_000
    rows = [row(f"layers.{i // 10}.role{i % 10}.weight", 10 + i % 7) for i in range(many)]
    report = SparsityReport(
        tuple(TensorSparsity(r.name, r.numel, 0, 3) for r in rows), many * 13, 0, 3 * many
    )
    start = time.thread_time()
    view.set_tensors(rows)
    view.set_report(report)
    view.repaint()
    first = time.thread_time() - start
    taken = []
    for step in (view.canvas.zoom, view.canvas.zoom):
        start = time.thread_time()
        step(1.5)
        view.repaint()
        taken.append(time.thread_time() - start)
    start = time.thread_time()
    choose_order(view, "role")
    view.repaint()
    ordered = time.thread_time() - start
    assert first < 2
    assert max(taken) < 0.2
    assert ordered < 1
    assert all(name.endswith(".role0.weight") for name, _ in view.canvas.left.visible_names())


def test_setters_emit_nothing_and_keep_the_cursor_of_the_strip(model, qtbot):
    with qtbot.assertNotEmitted(model.tensorClicked):
        model.strip.cursor_at = 3
        model.set_tensors(ROWS)
        assert model.strip.cursor_at == 3
        model.set_measure("size")
        choose_order(model, "role")
        model.set_report(None)
    assert not model.strip.isVisible()


def test_the_table_shows_names_and_emits_their_tensor(model, qtbot):
    model.toggle_table()
    table = model._table
    assert table.columnWidth(0) >= table.fontMetrics().horizontalAdvance("m.layers.0.up.weight")
    table.setCurrentIndex(table.model().index(2, 0))
    with qtbot.waitSignal(model.tensorClicked) as emitted:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert emitted.args == ["m.layers.1.q.weight"]


def test_the_table_fits_beside_tree_and_form(model):
    model.resize(516, 400)  # the space in a window of 1280 pixels
    model.toggle_table()
    table = model._table
    header = table.horizontalHeader()
    assert header.length() <= table.viewport().width()
    assert header.sectionSize(0) > table.fontMetrics().horizontalAdvance(
        "layers.31.self_attn.q.weight"
    )
    advance = table.fontMetrics().horizontalAdvance
    for column in range(header.count()):
        text = table.model().headerData(column, Qt.Orientation.Horizontal)
        assert max(map(advance, text.split("\n"))) < header.sectionSize(column)
    assert header.height() >= 2 * table.fontMetrics().height()
    assert len(model.numbers().headers) > header.count(), "a file has more"


def test_an_svg_has_bars_text_and_stripes_like_the_picture(model, tmp_path, theme, qtbot):
    model.set_colors(theme.colors)
    with qtbot.waitSignal(model.fileRequested) as asked:
        model.save_svg(tmp_path / "model.svg")
    (tmp_path / "model.svg").write_bytes(asked.args[0]())
    text = (tmp_path / "model.svg").read_text(encoding="utf-8")
    assert "sparsity, %" in text, "letters are letters"
    assert theme.colors["pruned"] in text
    renderer = QSvgRenderer(str(tmp_path / "model.svg"))
    assert renderer.isValid()
    drawn = QImage(renderer.defaultSize(), QImage.Format.Format_RGB32)
    shown = model.picture().toImage()
    drawn = drawn.scaled(shown.size())
    drawn.fill(0)
    painter = QPainter(drawn)
    renderer.render(painter, QRectF(drawn.rect()))
    painter.end()
    corner = model.canvas.mapTo(model, QPoint(0, 0)) - model._drawn_area().topLeft()

    def around(image, x, y):
        middle = corner + model.canvas.area.pixel(x, y).toPoint()
        span = range(-5, 6)
        return {image.pixelColor(middle + QPoint(a, b)).name() for a in span for b in span}

    assert around(drawn, 3, 20) == around(shown, 3, 20) == {theme.colors["pruned"]}
    assert around(drawn, 1, 60) == {theme.colors["surface"]}
    striped = around(drawn, 4, 40)
    assert {theme.colors["pruned"], theme.colors["surface"]} <= striped
    left, right = model.strip.pixels_of(3)
    place = model.strip.mapTo(model, QPointF((left + right) / 2, 20).toPoint())
    assert drawn.pixelColor(place - model._drawn_area().topLeft()).name() == theme.colors["pruned"]


def ink_behind(view, bar, end):
    """Return the columns of pixels after the end of a bar that contain text."""
    image = view.canvas.grab().toImage()
    ratio = image.devicePixelRatio()
    at = view.canvas.area.pixel(bar + 1, end)
    ground = QColor(view._colors["surface"]).name()
    rows = range(-4, 5)
    return [
        x
        for x in range(round(at.x()) + 2, int(image.width() / ratio))
        if any(
            image.pixelColor(round(x * ratio), round((at.y() + y) * ratio)).name() != ground
            for y in rows
        )
    ]


def test_values_are_painted_behind_the_bars(model, theme, qtbot):
    model.set_colors(theme.colors)
    found = [bar_value(model, bar) for bar in range(4)]
    assert found == [
        (20.0, "20.0\u00a0%"),
        (50.0, "50.0\u00a0%"),
        (50.0, "50.0\u00a0%"),
        (75.0, "75.0\u00a0%"),
    ]
    wide = model.canvas.fontMetrics().horizontalAdvance(found[0][1])
    for bar, (end, _) in enumerate(found):
        inked = ink_behind(model, bar, end)
        assert wide / 2 < len(inked) <= wide + 2
        assert inked[-1] < model.canvas.area.rect.right() + 2, "not beyond the axis"
        assert inked[0] > model.canvas.area.pixel(0, end).x() + 2, "not on the bar"
    model.set_measure("size")
    assert bar_value(model, 0)[1] == "4.0 kB"
    model.set_report(retaining(0.8, 1.0, 0.5, 1.0, total=0.95), PREVIEW)
    model.set_measure("norm")
    assert [text for _, text in (bar_value(model, bar) for bar in range(4))] == [
        "80.0\u00a0%",
        "90.0\u00a0%",
        "50.0\u00a0%",
        "40.0\u00a0%",
    ]
    assert len(ink_behind(model, 3, 100)) > wide / 2


def test_bars_thinner_than_a_line_have_no_values(model):
    names = [f"m.layers.{i}.weight" for i in range(500)]
    model.set_tensors([row(name, 10) for name in names])
    tensors = tuple(TensorSparsity(name, 10, 0, 5) for name in names)
    model.set_report(SparsityReport(tensors, 5000, 0, 2500))
    assert ink_behind(model, model.canvas.visible[0] + 3, 50)
    model.canvas.fit()
    assert not model.canvas._in_lines
    assert model.canvas.area.y[1] == pytest.approx(1.05 * model.chart().highest)


def test_no_bar_is_cut_off_by_the_edge(show):
    """At every height and scroll position: bars are complete or hidden."""
    view = ModelView()
    tensors = tuple(TensorSparsity(f"t{i}", 100, 0, 100) for i in range(60))
    view.set_tensors([row(f"t{i}", 100) for i in range(60)])
    view.set_report(SparsityReport(tensors, numel=6000, before=0, after=6000))
    canvas = show(view, 640, 301).canvas

    def painted():
        """Return the heights in pixels of the bars in one column of the image."""
        image = canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        rect = canvas.area.rect.toRect()
        x = rect.left() + 20
        ground = QColor(view._colors["pruned"]).rgb()
        column = [image.pixel(x, y) == ground for y in range(rect.top(), rect.bottom() + 1)]
        runs = "".join("#" if on else " " for on in column).split()
        return list(map(len, runs))

    for height in (301, 340, 420, 521):
        view.resize(640, height)
        QApplication.processEvents()
        for notches in (100, -1, -1, 3, -100):
            turn_wheel(canvas, notches)
            heights = painted()
            assert len(heights) == canvas.visible[1] - canvas.visible[0], height
            assert max(heights) - min(heights) <= 2, (height, heights)
        assert canvas.visible[1] == 60, "the last one is reached"


def test_equal_bars_are_in_layer_order(model):
    """The report has the order of the file, which may be alphabetical."""
    layers = [f"m.layers.{at}.weight" for at in range(12)]
    model.set_tensors([row(name, 10) for name in layers])
    tensors = tuple(TensorSparsity(name, 10, 0, 1) for name in sorted(layers))
    model.set_report(SparsityReport(tensors, numel=120, before=0, after=12))
    for order in ("layer", "size", "role", "share"):
        choose_order(model, order)
        assert names(model) == [f"{at}.weight" for at in range(12)], order
