"""A histogram whose bins follow the zoom, with outliers counted at the edge."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor

from pruneapp.analysis.statistics import histogram
from pruneapp.document.snapshot import Snapshot
from pruneapp.gui.plots.distribution import FEW_BINS, DistributionView
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME
from pruneapp.progress import Job
from tests.support.memory_checkpoint import MemoryCheckpoint

VALUES = np.random.default_rng(0).normal(size=60_000).astype(np.float32)
VALUES[5] = -400.0


@pytest.fixture
def view(show):
    view = show(DistributionView(), 700, 480)
    state = Snapshot(MemoryCheckpoint({"w": VALUES}))
    view.asked = []

    def answer():
        view.asked.append(view.finer)
        view.set_histogram(
            histogram(state, "w", None, Job(), binning=view.binning, finer=view.finer)
        )

    view.histogramRequested.connect(answer)
    answer()
    return view


@pytest.mark.parametrize("binning", ["magnitudes", "decades", "signed"])
def test_bins_follow_the_zoom(view, qtbot, binning):
    view.binning_box.setCurrentIndex(view.binning_box.findData(binning))
    view.binning_box.activated.emit(view.binning_box.currentIndex())
    view.asked.clear()
    at = view._decades.position(0.7) if view._decades else 0.7
    for _ in range(3):
        many = len(view.asked)
        view.canvas.zoom(20, at)
        start, stop = view.canvas.visible
        assert stop - start < FEW_BINS
        qtbot.waitUntil(lambda many=many: len(view.asked) > many)
        start, stop = view.canvas.visible
        assert stop - start >= FEW_BINS
        low, high = view.asked[-1]
        assert low < 0.7 < high
    seen = view._histogram
    assert seen.finer is not None
    sizes = VALUES if binning == "signed" else np.abs(VALUES)
    bar = start + (stop - start) // 2
    low, high = seen.bounds(bar)
    assert high - low < 0.001
    assert seen.kept[bar] == np.sum((sizes >= low) & (sizes < high))
    shown = view.canvas.visible_range
    view.set_histogram(view._full_histogram)
    assert view.canvas.visible_range == shown, "another preview leaves the place"
    view.canvas.fit()
    assert view._histogram.finer is None, "bars beside each other count in bins of one width"
    assert view.canvas.count == view._histogram.kept.size
    widths = np.diff(view.canvas.edges)[1:]
    assert widths == pytest.approx(np.full(widths.size, widths[-1]))


def test_outliers_are_counted_in_the_last_bar(view):
    bars = view._histogram.kept
    assert (bars > 0).sum() > 60, "one outlier squashes the others"
    limit = view._histogram.edges[-2]
    many = np.sum(np.abs(VALUES) >= limit)
    assert bars[-1] == many
    assert f"last bar: {many} weights from" in " ".join(view.legend.words())
    assert "to 400" in " ".join(view.legend.words())
    view.canvas.hovered.emit(bars.size - 1)
    assert "to 400:" in view.readout.text()
    assert view.numbers().row(bars.size - 1)[1] == 400.0


def test_the_vertical_axis_is_wide_enough_for_its_counts(view):
    axis = view.canvas.left
    widest = view.fontMetrics().horizontalAdvance("5,000")
    assert axis.width() > widest + view.fontMetrics().height()


def test_the_bar_of_outliers_is_separated_by_a_line(view):
    for theme in (LIGHT_THEME, DARK_THEME):
        view.set_colors(theme.colors)
        place = view.canvas.area.pixel(float(view._histogram.edges[-2]), view.canvas.area.y[1] / 2)
        image = view.canvas.viewport().grab().toImage()
        around = [QPoint(x, y) for x in (-1, 0, 1) for y in range(-20, 20)]
        column = {image.pixelColor(place.toPoint() + at).name() for at in around}
        assert QColor(theme.colors["muted"]).name() in column


def test_the_line_reaches_the_outliers_at_the_end_of_the_axis(view):
    view.set_threshold(0.5, editable=True)
    moved = []
    view.thresholdMoved.connect(moved.append)
    view._on_line_moved(view._histogram.edges[-1])
    assert moved == [400.0]
    assert view._to_prune.sum() == VALUES.size
    assert view.canvas.line.at == view._histogram.edges[-1]
