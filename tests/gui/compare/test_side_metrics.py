"""The metrics of two compared states: values, differences, noise, and unknown ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pruneapp.evaluation.metric import MetricChange, StateQuality
from pruneapp.gui.compare.view import SideMetrics, pairs_of
from tests.gui.user import plain

pytestmark = pytest.mark.usefixtures("english")


def quality(accuracy, loss, half=0.01, *, unpruned=False):
    metrics = (
        MetricChange("accuracy", accuracy, 0.99, half, "paired", higher=True, share=True),
        MetricChange("loss", loss, 0.05, 0.0, "repeatable", higher=False),
    )
    return StateQuality(metrics, 0.0 if unpruned else 0.5, unpruned=unpruned)


DENSE = quality(0.99, 0.05, unpruned=True)


@pytest.fixture
def view(show):
    return show(SideMetrics(), 600, 140)


def cells(view):
    numbers = view.table.numbers
    rows = range(numbers.rowCount())
    return [[plain(cell) for cell in row] for row in numbers.texts(rows, range(5))]


def test_values_difference_and_noise_of_each_metric_are_painted(view):
    blank = view.table.viewport().grab().toImage()
    view.set_pairs(pairs_of(DENSE, quality(0.742, 0.8)), "")
    assert cells(view) == [
        ["accuracy", "99.0 %", "74.2 %", "−24.8 points, worse", "±1.0 points"],
        ["loss", "0.05", "0.8", "+0.75, worse", "–"],
    ]
    assert view.table.viewport().grab().toImage() != blank
    assert not view.note.isVisible()


def test_a_difference_within_the_noise_is_none(view):
    view.set_pairs(pairs_of(DENSE, quality(0.985, 0.04)), "")
    assert [row[3] for row in cells(view)] == ["−0.5 points, within noise", "−0.01, better"]


def test_two_pruned_states_have_the_noise_of_both(view):
    one, other = quality(0.9, 0.1), quality(0.885, 0.1, half=0.02)
    view.set_pairs(pairs_of(one, other), "")
    assert cells(view)[0][3:] == ["−1.5 points, uncertain", "at most ±2.2 points"]
    assert view.note.text().startswith("Uncertain: the noise between two pruned states is only")
    assert cells(view)[1][3:] == ["0", "–"], (
        "with unknown noise, no difference is called insignificant"
    )


def test_noise_that_is_nearly_the_difference_has_the_digits_that_decide(view):
    """Regression: a difference of 0.01415 was worse beyond a noise of 0.014."""

    def side(value, half, *, unpruned=False):
        loss = MetricChange("loss", value, 0.05, half, "paired", higher=False)
        return StateQuality((loss,), 0.0 if unpruned else 0.5, unpruned=unpruned)

    dense, pruned = side(0.05, 0.0, unpruned=True), side(0.06415, 0.013951)
    view.set_pairs(pairs_of(dense, pruned), "")
    assert cells(view)[0][3:] == ["+0.01415, worse", "±0.01395"]


def test_a_side_that_was_not_measured_says_so(view):
    view.set_pairs(pairs_of(None, quality(0.9, 0.1)), "")
    assert cells(view)[0] == ["accuracy", "not evaluated", "90.0 %", "–", "–"]
    view.set_pairs(pairs_of(None, None), "Neither A nor B has been evaluated.")
    assert view.note.isVisible()
    assert not view.table.isVisible()
    view.set_pairs((), "")
    assert view.isHidden()


def test_rows_have_the_room_that_they_need_and_many_scroll(view):
    view.set_pairs(pairs_of(DENSE, quality(0.9, 0.1)), "")
    two = view.table.sizeHint().height()
    many = [m for n in range(9) for m in pairs_of(DENSE, quality(0.9 - n / 100, 0.1))]
    view.set_pairs(many, "")
    three = view.table.sizeHint().height()
    assert three - two == view.table.verticalHeader().defaultSectionSize()
    assert view.table.minimumSizeHint().height() < two


def test_a_horizontal_scroll_bar_covers_no_row(view, qtbot):
    """Regression: it covered the third row, so that there was a vertical scroll bar as well."""
    name = "accuracy of the test set at one percent"
    many = [replace(m, name=name) for m in pairs_of(DENSE, quality(0.9, 0.1))]
    view.resize(260, 300)
    view.set_pairs((*many, many[0]), "")
    view.layout().addStretch(1)
    table = view.table
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() > 0)
    qtbot.waitUntil(lambda: table.height() == table.sizeHint().height())
    assert not table.verticalScrollBar().maximum(), "all three rows are visible"


def test_a_metric_on_the_data_of_a_calibration_has_a_mark_that_is_explained_below(view):
    marked = quality(0.742, 0.8)
    metric = replace(marked.metrics[0], calibrated=True)
    marked = replace(marked, metrics=(metric, *marked.metrics[1:]))
    view.set_pairs(pairs_of(DENSE, marked), "Neither is new.")
    assert [row[:3] for row in cells(view)] == [
        ["accuracy", "99.0 %", "74.2 % †"],
        ["loss", "0.05", "0.8"],
    ]
    assert view.note.text() == (
        "†\u00a0The metric was measured on data that were also used to calibrate or to choose the "
        "amounts. Neither is new."
    )


def test_short_values_and_small_noise_fit_without_scrolling(view):
    """Regression: a column of "1" was narrower than a header may be, so the last one was cut."""
    metrics = [MetricChange("cosine", 1 - x, 1.0, 6.7e-5, "paired", higher=True) for x in (0, 0.2)]
    sides = (StateQuality((m,), 0.5, unpruned=m.value == 1) for m in metrics)
    view.set_pairs(pairs_of(*sides), "")
    assert cells(view) == [["cosine", "1", "0.8", "−0.2, worse", "±0.000067"]]
    table = view.table
    assert table.horizontalHeader().length() == table.viewport().width()
    assert not table.horizontalScrollBar().maximum()
