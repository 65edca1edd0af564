"""The page Quality: points, noise, the target by mouse and keys, and the table."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QLineF, QPoint, Qt
from PySide6.QtGui import QColor

from pruneapp.evaluation.metric import (
    SIDES,
    EvaluatedCut,
    MeasuredState,
    MetricChange,
    StateQuality,
    StepKind,
)
from pruneapp.gui.plots.quality import OtherSession, QualityView
from pruneapp.gui.plots.quality_chart import crosses, segments
from tests.gui.user import plain

LEFT = Qt.MouseButton.LeftButton


def state(
    number,
    label,
    sparsity,
    value,
    *,
    old=False,
    loss=0.05,
    kind="L1",
    joined=0,
    step=StepKind.WEIGHTS,
):
    metrics = (
        MetricChange("accuracy", value, 0.989, 0.013, "paired", higher=True, share=True),
        MetricChange("loss", loss, 0.05, 0.0, "repeatable", higher=False),
    )
    return MeasuredState(number, label, StateQuality(metrics, sparsity), old, kind, joined, step)


STATES = (
    state(0, "Opened", 0.0, 0.989, kind=""),
    state(3, "L1 80 %", 0.8, 0.742, loss=0.8, joined=1),
    state(1, "L1 50 %", 0.5, 0.981, loss=0.07),
    state(2, "LAMP 70 %", 0.7, 0.9, old=True),
)


@pytest.fixture
def view(show, english):
    found = show(QualityView(), 700, 420)
    found.set_states(STATES, 1, "")
    return found


def pixel(view, number):
    at = next(n for n, s in enumerate(view._states) if s.number == number)
    return view.canvas.pixel_of(at).toPoint()


def test_the_axis_of_the_size_of_the_shrunk_file_has_a_unit(view, qtbot):
    """Regression: the ticks were numbers such as 2e+07."""
    metric = MetricChange("accuracy", 0.9, 0.92, 0.0, "repeatable", share=True)
    states = [MeasuredState(0, "Opened", StateQuality((metric,), 0.0), is_old=False)]
    view.set_states(states, 0, "")
    view.axis_box.setCurrentIndex(view.axis_box.findData("shrunk"))
    view.axis_box.activated.emit(view.axis_box.currentIndex())
    view.set_shrunk_sizes({0: 20_000_000}, "")
    ticks = view.canvas.bottom.tickStrings([0.0, 2e7], 1.0, 2e7)
    assert ticks[1].replace("\u00a0", " ") == "20 MB"


def test_points_are_at_their_numbers_and_a_click_requests_their_state(view, qtbot):
    dense, half, sparse = (pixel(view, number) for number in (0, 1, 3))
    assert dense.x() < half.x() < sparse.x()
    assert dense.y() < half.y() < sparse.y()
    image = view.canvas.viewport().grab().toImage()
    assert image.pixelColor(sparse) == QColor(view._colors["kept"])
    old = image.pixelColor(pixel(view, 2))
    assert old == QColor(view._colors["surface"]), "what is old is hollow"
    with qtbot.waitSignal(view.stateRequested) as emitted:
        qtbot.mouseClick(view.canvas.viewport(), LEFT, pos=sparse)
    assert emitted.args == [3]
    assert "80.0 % pruned: accuracy 74.2 %, 24.7 points worse" in plain(view.readout.text())


def test_a_line_joins_each_state_with_the_nearest_plotted_state_it_was_made_from(view):
    """Regression: outdated states, as in a session that was reopened, were not joined."""
    repaired = state(4, "Repair", 0.8, 0.9, kind="Repair", joined=3, step=StepKind.REPAIR)
    after = state(5, "L1 90 %", 0.9, 0.85, joined=2)
    opened = replace(STATES[0], joined=-1)
    for old in (False, True):
        states = [replace(s, is_old=old) for s in (opened, *STATES[1:], repaired, after)]
        states = [s for s in states if s.number != 2]  # not measured with this metric
        two = replace(STATES[3], quality=replace(STATES[3].quality, metrics=()))
        view.set_states([*states, two], 4, "")
        points, shown = view.canvas.points, view._states
        joins = {
            (shown[p.joined].number, shown[n].number) for n, p in enumerate(points) if p.joined >= 0
        }
        assert joins == {(0, 1), (1, 3), (3, 4), (0, 5)}
    view.set_states((*STATES, repaired, after), 4, "")
    assert [swatch.label for swatch in view.legend.entries][:2] == ["L1", "Repair"]
    view.canvas.set_labels_shown(shown=False)
    image = view.canvas.viewport().grab().toImage()
    assert image.pixelColor(pixel(view, 4)) == QColor(view._colors["magenta"])
    middle = (pixel(view, 1) + pixel(view, 3)) / 2
    near = [image.pixelColor(middle + QPoint(0, dy)).getRgb() for dy in (-1, 0, 1)]
    ink = QColor(view._colors["kept"]).getRgb()
    assert min(max(abs(a - b) for a, b in zip(c, ink, strict=True)) for c in near) <= 2


def test_colors_are_stable_and_markers_show_the_kind_of_step(view):
    """Regression: a deleted state changed the colors of all methods after it."""
    repaired = state(4, "Repair", 0.8, 0.9, kind="Repair", joined=3, step=StepKind.REPAIR)
    wanda = state(5, "Wanda", 0.6, 0.95, kind="Wanda")
    view.set_states((*STATES, repaired, wanda), 4, "")

    def look(label):
        return next((p.ink, p.sides) for p in view.canvas.points if p.label == label)

    before = look("Repair"), look("Wanda")
    assert before[0][1] == SIDES[StepKind.REPAIR] == 3
    assert before[1][1] == look("L1 50 %")[1] == 0
    assert len({look(label)[0] for label in ("L1 50 %", "Repair", "Wanda")}) == 3
    view.set_states((STATES[0], repaired, wanda), 4, "loss")
    assert (look("Repair"), look("Wanda")) == before
    view.set_states((STATES[0], wanda), 4, "")
    assert look("Wanda") == before[1]


def test_repairs_and_recoveries_keep_their_colors_after_a_session_is_opened_again(view):
    """Regression: they were exchanged, because the recovery was measured first."""
    repaired = state(4, "Repair", 0.8, 0.9, kind="Repair", joined=3, step=StepKind.REPAIR)
    recovered = state(5, "Recovery", 0.8, 0.95, kind="Recovery", joined=3, step=StepKind.RECOVERY)

    def inks():
        return {p.label: p.ink for p in view.canvas.points if p.label in {"Repair", "Recovery"}}

    view.set_states((*STATES, recovered), 5, "")
    view.set_states((*STATES, recovered, repaired), 5, "")
    before = inks()
    view.set_states((), -1, "")
    view.set_states((*STATES, repaired, recovered), 5, "")
    assert inks() == before
    assert len(set(before.values())) == 2


def test_labels_are_shown_where_there_is_room_and_under_the_mouse(view, qtbot):
    view.canvas.viewport().grab()
    rects = {number: label.rect for number, label in view.canvas._labels.items()}
    assert len(rects) == len(STATES), "four points leave room for their labels"
    boxes = list(rects.values())
    assert not any(a.intersects(b) for a in boxes for b in boxes if a is not b)
    for number, box in rects.items():
        assert view.canvas.area.rect.contains(box)
        others = [view.canvas.pixel_of(n) for n in range(len(STATES)) if n != number]
        assert not any(box.contains(other) for other in others)
    without = view.canvas.viewport().grab().toImage()
    qtbot.mouseMove(view.canvas.viewport(), pixel(view, 3))
    assert view.canvas._pointed >= 0
    assert view.canvas.points[view.canvas._pointed].tip == "80.0\xa0% pruned, accuracy 74.2\xa0%"
    assert view.canvas.viewport().grab().toImage() != without
    crowd = [state(n, f"L1 {n}", 0.5 + n / 1e4, 0.9 + n / 1e4) for n in range(1, 100)]
    view.set_states((STATES[0], *crowd), 1, "")
    view.canvas.viewport().grab()
    assert len(view.canvas._labels) < 10


@pytest.mark.parametrize(("n_states", "best"), [(12, 5), (40, 19), (99, 47)])
@pytest.mark.parametrize("size", [(900, 560), (440, 280)], ids=str)
def test_the_current_and_the_best_state_have_a_label_in_a_crowd(
    show, english, n_states, best, size
):
    """Regression: the state that the summary names had no label, others near it had one."""
    view, current = show(QualityView(), *size), 3
    crowd = [
        state(n, f"{n}: Step {n}", 0.7 + (n == best) / 500 + n / 1e5, 0.98 - n % 7 / 1e4)
        for n in range(1, n_states)
    ]
    view.set_states((STATES[0], *crowd), current, "")
    canvas = view.canvas

    def required():
        canvas.viewport().grab()
        labels = {view._states[n].number: label for n, label in canvas._labels.items()}
        return labels[current], labels[view.best_state().number]

    assert view.best_state().number == best
    here, there = required()
    assert here.text.startswith(f"{current}: ")
    assert there.text.startswith(f"{best}: ")
    assert not here.rect.intersects(there.rect)
    assert all(canvas.area.rect.contains(label.rect) for label in (here, there))
    view._set_tolerance(0.0092)  # another state is the best
    assert view.best_state().number != best
    assert required()[1].text.startswith(f"{view.best_state().number}: ")


CROWD = (
    state(0, "Opened", 0.0, 0.989, kind=""),
    state(1, "L1 50 %, global, on 20 tensors", 0.5, 0.90),
    state(2, "LAMP 50 %, global, on 20 tensors", 0.503, 0.899, kind="LAMP"),
    state(3, "Baseline for the paper", 0.507, 0.901, kind="Wanda"),
    state(4, "L2 30 %, dim 0", 0.3, 0.5, kind="L2", step=StepKind.CHANNELS),
)


def test_no_line_crosses_a_label_and_points_in_a_crowd_are_labeled_too(show, english):
    """Regression: of nearly equal points one had a label, and lines were drawn through it."""
    view = show(QualityView(), 700, 500)
    view.set_states(CROWD, 2, "")
    canvas = view.canvas
    canvas.viewport().grab()
    assert set(canvas._labels) == set(range(len(CROWD)))
    drawn = [(canvas.pixel_of(p.joined), canvas.pixel_of(n)) for n, p in enumerate(canvas.points)]
    drawn += [(canvas.pixel_of(n), at.leader) for n, at in canvas._labels.items() if at.leader]
    target = canvas.area.pixel(0, canvas.line.at).y()
    for number, label in canvas._labels.items():
        others = [ends for ends in drawn if ends[0] != canvas.pixel_of(number)]
        assert not crosses(label.rect, segments(others)), label.text
        assert not label.rect.top() <= target <= label.rect.bottom()


@pytest.mark.parametrize("size", [(700, 500), (560, 320)], ids=str)
def test_leader_lines_do_not_cross_the_lines_between_points(show, english, size):
    """Regression: they were only kept away from labels and other leader lines."""
    view = show(QualityView(), *size)
    view.set_states(STATES, 1, "")
    canvas = view.canvas
    canvas.viewport().grab()
    assert len(canvas._labels) == len(STATES)
    joined = [(canvas.pixel_of(p.joined), canvas.pixel_of(n)) for n, p in enumerate(canvas.points)]
    for number, label in canvas._labels.items():
        place = canvas.pixel_of(number)
        for line in joined:
            if label.leader is not None and place not in line:
                found, _ = QLineF(place, label.leader).intersects(QLineF(*line))
                assert found != QLineF.IntersectionType.BoundedIntersection, label.text


NEIGHBORS = (
    state(0, "Opened", 0.0, 0.989, kind=""),
    state(1, "Global L1 unstructured, 70 % of 10 tensors", 0.7, 0.988),
    state(2, "Recovery by training, 300 steps", 0.7, 0.973, kind="Recovery", joined=1),
    state(3, "Allocation of a scan, 70 %", 0.702, 0.981, kind="Allocation"),
    state(4, "L2 30 %, dim 0", 0.3, 0.5, kind="L2", step=StepKind.CHANNELS),
    state(5, "Wanda 69 %, per tensor", 0.69, 0.975, kind="Wanda"),
)


@pytest.mark.parametrize("size", [(900, 560), (760, 420), (560, 420), (560, 320)], ids=str)
@pytest.mark.parametrize("current", [1, 2, 3])
def test_leader_lines_do_not_cross_and_labels_have_the_order_of_their_points(
    show, english, size, current
):
    """Regression: the labels of a state and of the one above it were placed the other way round."""
    view = show(QualityView(), *size)
    view.set_states(NEIGHBORS, current, "")
    canvas = view.canvas
    canvas.viewport().grab()
    labels = {canvas.points[n].label: (canvas.pixel_of(n), at) for n, at in canvas._labels.items()}
    assert len(labels) >= 3
    leaders = [(place, at.leader) for place, at in labels.values() if at.leader is not None]
    for number, leader in enumerate(leaders):
        for other in leaders[:number]:
            found, _ = QLineF(*leader).intersects(QLineF(*other))
            assert found != QLineF.IntersectionType.BoundedIntersection
        assert not any(
            crosses(at.rect, segments([leader]))
            for place, at in labels.values()
            if place != leader[0]
        )
    for place, at in labels.values():
        for below, other in labels.values():
            apart = below - place
            if abs(apart.x()) < apart.y() < 30:
                assert at.rect.top() < other.rect.bottom()
                assert at.anchor(place).y() < other.anchor(below).y()


def test_the_target_crosses_no_label_while_and_after_it_is_dragged(view, qtbot):
    """Regression: labels were placed for the first target, and others were drawn through them."""
    view.set_states((*STATES, state(9, "Ln 30 %", 0.3, 0.85)), 1, "")
    canvas, viewport = view.canvas, view.canvas.viewport()
    viewport.grab()
    number = next(n for n, s in enumerate(view._states) if s.number == 9)
    label = canvas._labels[number].rect
    line = canvas.area.pixel(canvas.area.x[0], canvas.line.at).toPoint() + QPoint(40, 0)
    qtbot.mousePress(viewport, LEFT, pos=line)
    qtbot.mouseMove(viewport, QPoint(line.x(), round(label.center().y())))
    image = viewport.grab().toImage()
    accent = QColor(view._colors["accent"])
    inside = (int(label.left()) + 1, round(label.center().y()))
    assert image.pixelColor(line.x(), inside[1]) == accent
    assert image.pixelColor(*inside) != accent, "the label is above the line"
    assert canvas._labels[number].rect == label, "labels keep their places during the drag"
    qtbot.mouseRelease(viewport, LEFT, pos=QPoint(line.x(), round(label.center().y())))
    viewport.grab()
    at = canvas.area.pixel(0, canvas.line.at).y()
    assert not any(x.rect.top() <= at <= x.rect.bottom() for x in canvas._labels.values())


def test_a_point_below_another_one_is_visible_and_in_the_box_under_the_mouse(view, qtbot):
    """Regression: of two states with the same numbers only the last one was visible."""
    twin = state(7, "LAMP 80 %", 0.8, 0.742, kind="LAMP")
    view.set_states((*STATES, twin), 3, "")
    view.canvas.set_labels_shown(shown=False)
    image, at = view.canvas.viewport().grab().toImage(), pixel(view, 3)
    assert pixel(view, 7) == at
    inks = {p.label: view._colors[p.ink] for p in view.canvas.points}
    assert image.pixelColor(at) == QColor(inks["L1 80 %"]), "the current state is on top"
    row = [image.pixelColor(at + QPoint(x, 0)) for x in range(-14, 15)]
    assert QColor(inks["LAMP 80 %"]) in row
    before = image
    qtbot.mouseMove(view.canvas.viewport(), QPoint(2, 2))
    qtbot.mouseMove(view.canvas.viewport(), at)
    assert view.canvas._pointed >= 0
    after = view.canvas.viewport().grab().toImage()
    changed = [
        y
        for y in range(image.height())
        if any(before.pixel(x, y) != after.pixel(x, y) for x in range(0, image.width(), 3))
    ]
    high = view.canvas.fontMetrics().lineSpacing()
    assert len(changed) >= 4 * high, "labels and numbers of both states"


def test_a_point_on_the_target_line_is_above_it(view):
    """Regression: the target line was drawn through the points."""
    value = STATES[0].quality.metrics[0].value - view.tolerance
    view.set_states((*STATES, state(5, "L1 40 %", 0.4, value)), 1, "")
    image, at = view.canvas.viewport().grab().toImage(), pixel(view, 5)
    assert at.y() == view.canvas.area.pixel(0, view.canvas.line.at).toPoint().y()
    accent, ink = QColor(view._colors["accent"]), QColor(view._colors["kept"])
    across = {image.pixelColor(at + QPoint(x, y)).name() for x in (-2, 0, 2) for y in (-1, 0, 1)}
    assert across == {ink.name()}
    beside = [image.pixelColor(at + QPoint(-40, y)) for y in range(-4, 5)]
    assert beside.count(accent) == 1, "a thin line"


def test_a_point_on_the_target_line_is_clicked_instead_of_the_line(view, qtbot):
    """Regression: a point within six pixels of the line could not be clicked."""
    value = STATES[0].quality.metrics[0].value - view.tolerance
    on_line = state(5, "L1 40 %", 0.4, value)
    view.set_states((*STATES, on_line), 1, "")
    viewport, tolerance = view.canvas.viewport(), view.tolerance
    qtbot.mouseMove(viewport, pixel(view, 5))
    assert viewport.cursor().shape() == Qt.CursorShape.ArrowCursor
    with qtbot.waitSignal(view.stateRequested) as emitted:
        qtbot.mouseClick(viewport, LEFT, pos=pixel(view, 5))
    assert emitted.args == [5]
    qtbot.mousePress(viewport, LEFT, pos=pixel(view, 5))
    qtbot.mouseMove(viewport, pixel(view, 5) + QPoint(0, 60))
    qtbot.mouseRelease(viewport, LEFT, pos=pixel(view, 5) + QPoint(0, 60))
    assert view.tolerance == tolerance


def test_the_state_that_meets_the_target_has_a_button_to_go_there(view, qtbot):
    view.set_states(STATES, 0, "")
    assert view.go.isVisible()
    assert view.go.text() == "Go to this state"
    height = view.foot.height()
    with qtbot.waitSignal(view.stateRequested) as emitted:
        qtbot.mouseClick(view.go, LEFT)
    assert emitted.args == [1], "L1 50 % is the best within a point"
    view.set_states(STATES, 1, "")
    assert not view.go.isVisible(), "it is the current state"
    assert view.foot.height() == height
    view._set_tolerance(0.5)
    assert view.go.isVisible()
    assert view.go.geometry().right() <= view.foot.width()
    view.set_states([replace(s, is_old=True) for s in STATES], 1, "")
    assert not view.go.isVisible()


@pytest.mark.parametrize(
    ("first", "second", "best"), [(0.9907, 0.9889, 1), (0.9889, 0.9907, 2), (0.9889, 0.9889, 1)]
)
def test_of_equally_sparse_states_the_one_with_the_best_metric_is_named(
    view, qtbot, first, second, best
):
    """Regression: the last one was named, although its metric was worse."""
    states = (state(2, "Training", 0.7, second), state(1, "L1 70 %", 0.7, first))
    for given in (states, states[::-1]):
        view.set_states((STATES[0], *given), 0, "")
        with qtbot.waitSignal(view.stateRequested) as asked:
            qtbot.mouseClick(view.go, Qt.MouseButton.LeftButton)
        assert asked.args == [best]


def test_the_best_state_is_named_whole_beside_the_button(show, english):
    """Regression: the sentence was elided in one line, although there was room for two."""
    view = show(QualityView(), 560, 420)
    best = replace(STATES[2], label="1: L1 50 %, global, on 20 tensors")
    view.set_states((STATES[0], best), 0, "")
    text, width = view.readout.text(), view.readout.width()
    assert text.endswith("(1: L1 50 %, global, on 20 tensors)")
    assert view.go.isVisible()
    assert view.readout.geometry().right() < view.go.geometry().left()
    assert view.readout.shortened(width).replace("\n", "") == text
    lines = view.readout.shortened(width).split("\n")
    assert len(lines) == 2
    assert view.readout.height() >= 2 * view.fontMetrics().lineSpacing()
    assert view.readout.shortened(120).endswith("…"), "in too little width"
    view.set_states((STATES[0], best), best.number, "")
    assert not view.go.isVisible()
    assert view.readout.width() == view.foot.width(), "there is no button"
    view.set_states((STATES[0], best), 0, "")
    assert view.readout.width() == width


def test_the_cursor_stays_on_its_state_when_another_was_measured(view, qtbot):
    view.canvas.set_cursor(2)
    here = view._states[2].number
    view.set_states((*STATES, state(9, "L1 1 %", 0.01, 0.99)), 1, "")
    assert view._states[2].number != here
    with qtbot.waitSignal(view.stateRequested) as asked:
        qtbot.keyClick(view.canvas, Qt.Key.Key_Return)
    assert asked.args == [here]


LONG = ("accuracy_on_the_validation_set_of_the_" * 4)[:120]


@pytest.mark.parametrize(("width", "height"), [(700, 420), (440, 280)])
def test_long_names_are_shortened_and_whole_in_tooltips(view, qtbot, width, height):
    """Regression: they were cut off at the axis, in the legend, and at the edge of the table."""
    view.resize(width, height)
    qtbot.wait(20)
    method = "N:M semi-structured (2:4) along the input dimension"
    states = [
        replace(
            s,
            kind=method if s.kind else "",
            quality=replace(
                s.quality,
                metrics=(replace(s.quality.metrics[0], name=LONG), *s.quality.metrics[1:]),
            ),
        )
        for s in STATES
    ]
    view.set_states(states, 1, "")
    axis = view.canvas.left
    assert "…" in axis.label.toPlainText()
    assert axis.label.toPlainText().strip().endswith(", %")
    assert axis.label.boundingRect().width() <= axis.size().height()
    swatch = view.legend.entries[0]
    assert swatch.label == swatch.tip == method
    assert _place(view.legend, 0).right() <= view.legend.width()
    view.toggle_table()
    qtbot.wait(20)
    model, across = view._table.numbers, Qt.Orientation.Horizontal
    head = model.headerData(2, across)
    assert len(head) <= 32
    assert "…" in head
    assert LONG in model.headerData(2, across, Qt.ItemDataRole.ToolTipRole)
    assert model.headerData(1, across, Qt.ItemDataRole.ToolTipRole) is None
    assert view._table.columnWidth(2) < 300


def test_the_handle_of_the_target_hides_no_point(show, english):
    view = show(QualityView(), 480, 420)
    view.set_states(
        (STATES[0], state(1, "L1 50 %", 0.5, STATES[0].quality.metrics[0].value - 0.01)), 0, ""
    )
    image = view.canvas.viewport().grab().toImage()
    beside_the_line = pixel(view, 1) - QPoint(0, 3)
    assert image.pixelColor(beside_the_line) == QColor(view._colors["kept"])


def test_a_message_is_shown_while_the_first_state_is_measured(show, english):
    view = show(QualityView(), 480, 420)
    assert view._message.text().startswith("Nothing has been evaluated yet.")
    view.set_measuring(measuring=True)
    assert view._message.text().startswith("Evaluating…")
    view.set_measuring(measuring=False)
    assert view._message.text().startswith("Nothing has been evaluated yet.")


def test_the_noise_of_a_state_is_a_bar_with_an_entry_in_the_legend(view):
    """Regression: it was a band around the unpruned model, of a different width."""
    place, canvas = view.canvas.area, view.canvas
    assert canvas.points[0].noise is None, "nothing is held against itself"
    assert canvas.points[1].noise == pytest.approx((96.8, 99.4))
    assert canvas.points[2].noise is None, "what is old has none"
    image = canvas.viewport().grab().toImage()
    end = place.pixel(50, 96.8).toPoint()
    muted, ground = QColor(view._colors["muted"]), QColor(view._colors["surface"])
    assert all(image.pixelColor(end + QPoint(dx, 0)) != ground for dx in (-3, 0, 3))
    assert image.pixelColor(end + QPoint(0, 6)) == ground
    assert canvas.level == pytest.approx(98.9)
    along = {image.pixelColor(place.pixel(x, 98.9).toPoint()).name() for x in range(20, 40)}
    assert len(along) > 1, "the value of the unpruned model is a dotted line"
    swatch = next(s for s in view.legend.entries if s.label == "noise: paired")
    assert swatch.colors == (muted.name(),)
    assert "no difference" in swatch.tip


def test_a_state_meets_the_target_if_all_measured_states_have_its_size(view):
    """Regression: none was found when only the states before and after a recovery were measured."""
    pruned = state(1, "L1 70 %", 0.7, 0.94)
    view.set_states((pruned, state(2, "Training", 0.7, 0.993)), 2, "")
    assert "70.0 % pruned (Training)" in plain(view.readout.text())
    view.set_states((state(0, "Opened", 0.0, 0.99),), 0, "")
    assert plain(view.readout.text()).startswith("No pruned or shrunk model")


def test_the_target_is_described_and_dragged(view, qtbot):
    assert plain(view.readout.text()) == (
        "Best within 1.0 points of the unpruned model (noise ±1.3 points): 50.0 % pruned (L1 50 %)"
    )
    assert view.canvas.accessibleDescription() == view.readout.text()
    canvas, place = view.canvas, view.canvas.area
    viewport = canvas.viewport()
    line = place.pixel(40, canvas.line.at).toPoint()
    qtbot.mousePress(viewport, LEFT, pos=line)
    qtbot.mouseMove(viewport, QPoint(line.x(), place.pixel(0, 70.0).toPoint().y()))
    qtbot.mouseRelease(viewport, LEFT, pos=line)
    assert "80.0 % pruned (L1 80 %)" in plain(view.readout.text())
    assert view.tolerance == pytest.approx(0.289, abs=0.01)
    view._set_tolerance(0.01)
    for _ in range(3):
        qtbot.keyClick(canvas, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert view.tolerance == pytest.approx(0.007)
    said = view.readout.text()
    assert said.endswith(
        "No pruned or shrunk model measured so far is within 0.7 points of the unpruned model. "
        "States measured in an earlier run are not considered."
    )
    qtbot.keyClick(canvas, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert "L1 50 %" in view.readout.text()


WHY = "From an earlier run: evaluate again (Ctrl+M)."


def test_without_current_measurements_there_is_no_target(view):
    """Regression: it denied measured states, and explained colors that no point had."""
    view.set_states([replace(s, is_old=True) for s in STATES], 1, "", WHY)
    assert view.readout.text() == WHY
    assert view.canvas.line is None
    assert [swatch.label for swatch in view.legend.entries] == ["measured before"]
    view.set_states(STATES, 1, "", WHY)
    assert view.readout.text().startswith("Best within 1.0 points")
    assert "L1" in [swatch.label for swatch in view.legend.entries]
    assert "LAMP" not in [swatch.label for swatch in view.legend.entries]


def test_the_summary_returns_when_the_mouse_leaves_a_point(view, qtbot):
    """Regression: the clicked point was described permanently."""
    viewport, answer = view.canvas.viewport(), view.readout.text()
    assert answer.startswith("Best within")
    empty = view.canvas.area.pixel(30, 80).toPoint()
    for away in ("move", "click", "undo"):
        qtbot.mouseMove(viewport, pixel(view, 3))
        qtbot.mouseClick(viewport, LEFT, pos=pixel(view, 3))
        view.set_states(STATES, 3, "")
        assert view.readout.text().startswith("L1 80 %"), "the mouse is still there"
        qtbot.keyClick(view.canvas, Qt.Key.Key_Left)
        assert not view.readout.text().startswith(("L1 80 %", "Best within"))
        if away == "move":
            qtbot.mouseMove(viewport, empty)
        elif away == "click":
            view.canvas._hover(None)
            qtbot.keyClick(view.canvas, Qt.Key.Key_Left)
            qtbot.mouseClick(viewport, LEFT, pos=empty)
        else:
            view.canvas._hover(None)
            qtbot.keyClick(view.canvas, Qt.Key.Key_Left)
            view.set_states(STATES, 1, "")
        assert view.readout.text() == answer, away


def test_keys_move_the_cursor_between_points(view, qtbot):
    canvas = view.canvas
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert view.readout.text().startswith("L1 50 %"), "it begins at the state in force"
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    with qtbot.waitSignal(view.stateRequested) as emitted:
        qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert emitted.args == [3]


def test_each_metric_has_its_own_target(view, qtbot):
    with qtbot.waitSignal(view.metricChosen) as emitted:
        view.metric_box.setCurrentIndex(1)
        view.metric_box.activated.emit(1)
    assert emitted.args == ["loss"]
    view.set_states(STATES, 1, "loss")
    assert view.canvas.line.at == pytest.approx(0.0505)
    assert not any(point.noise for point in view.canvas.points)
    view._on_line_moved(0.07)
    assert "L1 50 %" in view.readout.text()
    view.set_states(STATES, 1, "accuracy")
    assert view.tolerance == 0.01


@pytest.mark.parametrize(
    ("half", "tolerance"), [(0.0101, 0.011), (0.01, 0.01), (0.0124, 0.013), (9.91, 10.0), (0, 5e-4)]
)
def test_the_initial_target_of_a_loss_is_at_least_the_noise(view, qtbot, half, tolerance):
    """Regression: it was 1 % of the loss, far below the noise of any difference."""

    def noisy(given, half):
        accuracy, loss = given.quality.metrics
        quality = replace(given.quality, metrics=(accuracy, replace(loss, half=half)))
        return replace(given, quality=quality)

    opened, worst, best, old = STATES
    view.set_states((opened, noisy(worst, 30.0), noisy(best, half), noisy(old, 20.0)), 1, "loss")
    if not half:
        view.set_states((opened, worst, best, noisy(old, 20.0)), 1, "loss")
    assert view.tolerance == tolerance
    for _ in range(2):
        qtbot.keyClick(view.canvas, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert view.tolerance == pytest.approx(1.2 * tolerance), "a tenth with each press"
    view.set_states((opened, noisy(best, 90.0)), 1, "loss")
    assert view.tolerance == pytest.approx(1.2 * tolerance), "as set by the user"


def test_all_points_of_another_metric_are_visible(view):
    """Regression: the axis remained that of the previous metric, far from the points."""

    def in_sight():
        canvas = view.canvas
        return all(canvas.area.rect.contains(pixel(view, n)) for n in range(len(canvas.points)))

    for metric in ("loss", "accuracy", "loss"):
        view.set_states(STATES, 1, metric)
        assert in_sight()
        low, high = view.canvas.area.y
        ys = [point.y for point in view.canvas.points]
        assert high - low < 2 * max(max(ys) - min(ys), view.canvas.line.at)
    view.canvas.zoom(4.0)
    before = view.canvas.area
    view.set_states(STATES, 2, "loss")
    assert view.canvas.area == before, "the same metric stays where the user looks"


def test_the_view_is_extended_for_noise(view):
    """Regression: after a session was opened and measured, the noise was cut at the axis."""
    view.set_states([replace(s, is_old=True) for s in STATES], 1, "")
    view.set_states(STATES, 1, "")
    low, high = view.canvas.area.y
    for noise in filter(None, (point.noise for point in view.canvas.points)):
        assert low < noise[0] < noise[1] < high


def test_no_share_beyond_0_and_100_is_written_on_an_axis(view):
    """Regression: both axes have space around the points, and went on to 110 %."""
    for axis in (view.canvas.bottom, view.canvas.left):
        shown = [at for _, places in axis.tickValues(-30.0, 130.0, 700) for at in places]
        assert (min(shown), max(shown)) == (0, 100)
    view.set_states(STATES, 1, "loss")
    assert max(at for _, places in view.canvas.left.tickValues(0, 900, 300) for at in places) > 100
    cosines = [
        replace(
            s, quality=replace(s.quality, metrics=(replace(s.quality.metrics[0], share=False),))
        )
        for s in STATES
    ]
    view.set_states(cosines, 1, "")
    shown = [at for _, places in view.canvas.left.tickValues(-0.2, 1.2, 700) for at in places]
    assert (min(shown), max(shown)) == pytest.approx((0, 1)), (
        "a fraction that is not shown in percent"
    )


def test_a_narrow_table_has_the_digits_that_distinguish_the_states(view):
    """Regression: a narrow table showed 0.987 for both states."""

    def cells(*values):
        states = [
            replace(s, quality=replace(s.quality, metrics=(metric,)))
            for s, metric in zip(
                STATES,
                [MetricChange("f1", v, 0.99, 0.0, "", higher=True) for v in values],
                strict=False,
            )
        ]
        view.set_states(states, 0, "")
        model = view._table.numbers
        heads = [model.headerData(c, Qt.Orientation.Horizontal) for c in range(9)]
        column = heads.index("F1")
        assert "0.987041" in model.index(0, column).data(Qt.ItemDataRole.ToolTipRole)
        return sorted(plain(model.index(r, column).data()) for r in range(len(values)))

    view.resize(300, 300)
    view.toggle_table()
    assert cells(0.987041, 0.9123) == ["0.9123", "0.987"]
    assert cells(0.987041, 0.986991) == ["0.98699", "0.98704"]


def test_the_table_tells_old_and_unknown_numbers_apart(view):
    rows = [list(row) for row in view.numbers()]
    assert rows[0][:6] == ["Opened", 0.0, 0.989, 0.0, 0.013, "yes"]
    assert rows[0][-1] == ""
    assert rows[2][5] == "measured before"
    assert rows[3][0] == "L1 80 %"
    assert rows[3][3] == pytest.approx(-0.247)
    assert rows[3][5] == "no"
    opened = replace(STATES[0], quality=replace(STATES[0].quality, unpruned=True))
    view.set_states([opened, *STATES[1:]], 1, "")
    assert [row[4] for row in view.numbers()][:2] == ["", 0.013], "no difference has this noise"
    metric = MetricChange("loss", 2.0, 1.0, 0.0, "repeatable", higher=False)
    unknown = MeasuredState(1, "L1 50 %", StateQuality((metric,), 0.5), is_old=False)
    view.set_states([unknown], 1, "", conditions="evaluate.py, limit 9, seed 0")
    (row,) = view.numbers()
    assert row[4] == "", "no noise is not a noise of 0"
    assert row[-1] == "evaluate.py, limit 9, seed 0"


def test_a_metric_of_unknown_direction_has_no_target(view):
    metric = MetricChange("fluency", 3.0, 4.0, 0.0, "repeatable")
    view.set_states([MeasuredState(0, "Opened", StateQuality((metric,), 0.2), False)], 0, "")
    assert view.canvas.line is None
    assert "HIGHER_IS_BETTER" in view.readout.text()
    huge = MetricChange("fluency", 1e308, 4.0, 0.0, "repeatable")
    view.set_states([MeasuredState(0, "Opened", StateQuality((huge,), 0.2), False)], 0, "")
    assert not view.canvas.points, "there is no axis for it"
    view.set_states((), 0, "")
    assert "Press Evaluate…" in view._message.text()


@pytest.mark.parametrize("width", [480, 560, 600, 700])
def test_the_name_of_the_metric_is_whole(view, width):
    """Regression: it was "cos…an)" while the box of the axis had room."""
    pair = [MetricChange(n, 0.9, 1.0, 0.0, "repeatable") for n in ("mean_cosine", "lowest_cosine")]
    states = [MeasuredState(n, str(n), StateQuality(tuple(pair), n / 4), False) for n in (0, 1)]
    view.set_states(states, 1, "")
    view.resize(width, 500)
    box = view.metric_box
    assert box.isVisible()
    assert box.shown_text(box.text_width()) == box.currentText() == "cosine (mean)"


def test_boxes_without_a_choice_are_hidden(view):
    assert view.metric_box.isVisible()
    metric = STATES[0].quality.metrics[0]
    view.set_states([MeasuredState(0, "Opened", StateQuality((metric,), 0.2), False)], 0, "")
    assert not view.metric_box.isVisible()
    view.set_states((), 0, "")
    assert not view.metric_box.isVisible()


def sized(number, label, sparsity, value, nbytes, kind="L1"):
    found = state(number, label, sparsity, value, kind=kind)
    remaining = round(2_000_000 * (1 - sparsity))
    return replace(found, quality=replace(found.quality, remaining=remaining, nbytes=nbytes))


SIZED = (
    sized(0, "Opened", 0.0, 0.989, 8_000_000, kind=""),
    sized(1, "L1 50 %", 0.5, 0.985, 4_200_000),
    sized(2, "L1 80 %", 0.8, 0.742, 1_850_000),
)


def test_the_user_chooses_the_horizontal_axis(view, qtbot):
    view.set_states(SIZED, 1, "")
    assert view.axis_label.isVisible(), "the box needs a label"
    assert (view.axis_label.text(), view.axis_label.buddy()) == ("Axis", view.axis_box)
    view.axis_box.setFocus()
    qtbot.keyClick(view.axis_box, Qt.Key.Key_Down)
    assert view.axis_box.currentText() == "Parameters remaining"
    assert [p.x for p in view.canvas.points] == pytest.approx([0.4, 1.0, 2.0])
    assert view.canvas.bottom.labelText == "parameters remaining, millions"
    assert pixel(view, 2).x() < pixel(view, 1).x() < pixel(view, 0).x()
    image = view.canvas.viewport().grab().toImage()
    assert image.pixelColor(pixel(view, 2)) == QColor(view._colors["kept"])
    assert "(noise ±1.3 points): 1,000,000 parameters (L1 50 %)" in plain(view.readout.text())
    assert view.canvas.accessibleName() == "Metric against parameters remaining"
    rows = [list(row) for row in view.numbers()]
    assert rows[0][:4] == ["L1 80 %", 0.8, 400_000, 0.742]
    qtbot.keyClick(view.axis_box, Qt.Key.Key_Down)
    assert view.canvas.bottom.labelText == "packed size"
    assert plain(view.canvas.bottom.tickStrings([2e6], 1, 1)[0]) == "2.0 MB"
    assert "(noise ±1.3 points): packed size 4.2 MB (L1 50 %)" in plain(view.readout.text())
    assert view.numbers().headers[2] == "packed size"
    bottom = view.canvas.bottom
    ((step, ticks),) = bottom.tickValues(*bottom.range, bottom.size().width())
    assert [plain(t) for t in bottom.tickStrings(ticks, 1, step)][:3] == ["0", "2.0 MB", "4.0 MB"]
    encoder = [replace(s, quality=replace(s.quality, nbytes=11 * s.quality.nbytes)) for s in SIZED]
    view.set_states(encoder, 1, "")
    view.canvas.fit()
    ((step, ticks),) = bottom.tickValues(*bottom.range, bottom.size().width())
    texts = [plain(text) for text in bottom.tickStrings(ticks, 1, step)]
    assert texts[:3] == ["0", "20 MB", "40 MB"]
    for _ in range(2):
        qtbot.keyClick(view.axis_box, Qt.Key.Key_Up)
    assert "(noise ±1.3 points): 50.0 % pruned (L1 50 %)" in plain(view.readout.text())
    assert [p.x for p in view.canvas.points] == [0, 50, 80]


def test_a_cut_of_the_unpruned_model_can_be_the_best(view, qtbot):
    opened, *others = SIZED
    rounded = replace(opened.quality, cut=EvaluatedCut("", ("dtype bfloat16",), 4_000_000))
    states = (replace(opened, cuts=(rounded,)), *others)
    view.set_states(states, 1, "")
    view.set_shrunk_sizes({0: 8_000_000, 1: 8_000_000, 2: 8_000_000}, "")
    assert "L1 50 %" in plain(view.readout.text()), "a cut has no sparsity"

    view.axis_box.setFocus()
    for _ in range(view.axis_box.findData("shrunk")):
        qtbot.keyClick(view.axis_box, Qt.Key.Key_Down)

    said = plain(view.readout.text())
    assert "(noise ±1.3 points): down to 4.0 MB in the shrunk file (Opened, " in said
    assert "bfloat16" in said


@pytest.mark.parametrize("size", [(900, 560), (620, 380)], ids=str)
def test_long_names_of_cuts_are_elided_in_the_middle_near_their_points(show, english, qtbot, size):
    """Regression: they were cut off before the size, or stood at the end of a long line."""
    view = show(QualityView(), *size)
    (opened, _, half, _), states = STATES, []
    for start, measured in ((45, opened), (41, half)):
        cuts = []
        for n in range(4):
            neurons = f"FFN neurons 1,536 → {1280 - 256 * n:,}"
            changes = (neurons, f"Query heads per key/value head 4 → {4 - n}", "Layers 12 → 9")
            metrics = [replace(m, value=m.value - 0.04 * n) for m in measured.quality.metrics]
            cut = EvaluatedCut("", changes, (start - 6 * n - 3) * 1_000_000)
            cuts.append(replace(measured.quality, metrics=tuple(metrics), cut=cut))
        states.append(replace(measured, cuts=tuple(cuts)))
    view.set_states(states, 1, "")
    view.axis_box.setFocus()
    for _ in range(view.axis_box.findData("shrunk")):
        qtbot.keyClick(view.axis_box, Qt.Key.Key_Down)
    view.set_shrunk_sizes({0: 45_000_000, 1: 41_000_000}, "")
    canvas = view.canvas
    canvas.viewport().grab()
    named = {n: label for n, label in canvas._labels.items() if n >= len(states)}
    assert len(named) >= 6
    texts = [plain(label.text) for label in named.values()]
    assert len(set(texts)) == len(texts)
    for number, label in named.items():
        assert plain(label.text).startswith("Shrunk: FF")
        assert plain(label.text)[-5:] == plain(canvas.points[number].label)[-5:], "the size"
        if label.leader is None:
            box = label.rect.adjusted(-16, -16, 16, 16)
            assert box.contains(canvas.pixel_of(number))
        else:
            assert len(label.text) <= 24
    last = len(canvas.points) - 1
    canvas.hovered.emit(last)
    assert plain(canvas.points[last].label) in plain(view.readout.text())


def test_states_without_a_number_for_the_axis_are_left_out(view, qtbot):
    view.set_states((*SIZED, state(3, "before", 0.9, 0.5)), 1, "")
    assert len(view.canvas.points) == 4
    counted = []
    view.countRequested.connect(lambda: counted.append(view.axis_box.currentText()))
    qtbot.keyClick(view.axis_box, Qt.Key.Key_End)
    assert counted == ["Multiply-adds per input"]
    assert not view.canvas.points
    view.set_uncounted_reason("Counting multiply-adds…")
    assert view.empty_text() == "Counting multiply-adds…"
    for _ in range(2):
        qtbot.keyClick(view.axis_box, Qt.Key.Key_Up)
    assert view.axis_box.currentText() == "Packed size"
    assert len(counted) == 1
    assert len(view.canvas.points) == 3
    view.set_states(STATES, 1, "")
    assert "No values were saved for these states: " in view._message.text()
    qtbot.keyClick(view.axis_box, Qt.Key.Key_Home)
    assert len(view.canvas.points) == 4
    view.set_states((), 0, "")
    assert not view.axis_box.isVisible()
    assert not view.axis_label.isVisible()
    assert "Nothing has been evaluated yet" in view._message.text()


def test_each_series_has_its_own_color_in_the_legend(view):
    kinds = [f"method {n}" for n in range(5)]
    view.set_states([state(n, k, n / 40, 0.9, kind=k) for n, k in enumerate(kinds, 1)], 1, "")
    shown = view.legend.entries[:5]
    assert len({swatch.colors for swatch in shown}) == 5
    assert view._colors["pruned"] not in {swatch.colors[0] for swatch in shown}
    image = view.legend.grab().toImage()
    corner, middle = _place(view.legend, 0).topLeft(), _swatch_middle(view.legend, 0)
    assert image.pixelColor(middle) == QColor(shown[0].colors[0])
    assert image.pixelColor(corner + QPoint(1, 3)) != QColor(shown[0].colors[0]), "a circle"


def test_more_series_than_colors_differ_by_open_markers(view):
    kinds = [f"method {n}" for n in range(10)]
    view.set_states([state(n, k, n / 40, 0.9, kind=k) for n, k in enumerate(kinds, 1)], 1, "")
    shown = view.legend.entries[: len(kinds)]
    assert len({(swatch.colors, swatch.is_open) for swatch in shown}) == len(kinds)
    number = next(n for n, s in enumerate(shown) if s.is_open)
    surface = QColor(view._colors["surface"])
    assert view.canvas.points[number].is_open
    view.canvas.set_labels_shown(shown=False)
    image = view.canvas.viewport().grab().toImage()
    assert image.pixelColor(view.canvas.pixel_of(number).toPoint()) == surface
    legend = view.legend.grab().toImage()
    ink = QColor(shown[number].colors[0])
    assert legend.pixelColor(_swatch_middle(view.legend, number)) != ink


def _swatch_middle(legend, entry):
    place = _place(legend, entry)
    return place.topLeft() + QPoint(7, place.height() // 2)


def _place(legend, entry):
    return legend._places(legend.width(), low=False)[entry]


def test_states_of_other_sessions_are_in_the_same_chart(view, qtbot):
    other = OtherSession("resnet", (STATES[0], state(1, "1: L1 60 %", 0.6, 0.95)))
    assert view.add_sessions.isVisible()
    assert not view.remove_sessions.isVisible()
    with qtbot.waitSignal(view.sessionsRequested):
        qtbot.mouseClick(view.add_sessions, LEFT)
    view.set_others([other])
    *own, _opened, pruned = view.canvas.points
    assert len(own) == len(STATES)
    assert [p.of_other_file for p in view.canvas.points] == [False] * 4 + [True] * 2
    assert (pruned.x, pruned.y) == (60, 95)
    assert pruned.joined == len(own)
    assert pruned.ink == own[1].ink, "the same method has the same color"
    assert pruned.label == "resnet, 1: L1 60 %"
    assert "dashed, hollow: resnet" in view.legend.words()
    assert "(L1 50 %)" in view.readout.text(), "other files do not count for the target"
    places = [view.canvas.pixel_of(5).toPoint()]
    qtbot.mouseMove(view.canvas.viewport(), places[0])
    assert view.readout.text().startswith("resnet, 1: L1 60 %")
    with qtbot.assertNotEmitted(view.stateRequested):
        qtbot.mouseClick(view.canvas.viewport(), LEFT, pos=places[0])
    rows = [list(row) for row in view.numbers()]
    assert rows[-1][:3] == ["resnet, 1: L1 60 %", 0.6, 0.95]
    view.set_states(STATES, 1, "loss")
    assert len(view.canvas.points) == 6
    qtbot.mouseClick(view.remove_sessions, LEFT)
    assert len(view.canvas.points) == 4
    assert not view.remove_sessions.isVisible()
