"""Formatted numbers, and labels for texts from files."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.plots.base.readout import Readout
from pruneapp.gui.plots.heading import TensorHeading
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.labels import ElidedLabel

GAP = "\u00a0"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, f"0{GAP}%"),
        (1, f"100{GAP}%"),
        (0.2, f"20.0{GAP}%"),
        (1e-9, f"<{GAP}0.1{GAP}%"),
        (0.999999, f">{GAP}99.9{GAP}%"),
    ],
)
def test_a_little_is_not_nothing_and_almost_all_is_not_all(share, text):
    assert number_format.percent(share) == text


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_078_888, "1.1 MB"),
        (43_012_345, "43 MB"),
        (999_400_000, "999 MB"),
    ],
)
def test_sizes_have_two_or_three_digits(nbytes, text):
    assert number_format.size(nbytes) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.1, "1 s"), (89, "89 s"), (90, "2 min"), (5400, "2 h")]
)
def test_time_is_rounded_as_one_says_it(seconds, text):
    assert number_format.duration(seconds) == text


def test_counts_and_shapes():
    assert number_format.count(267_696) == "267,696"
    assert number_format.count(10**20) == "100,000,000,000,000,000,000"
    assert number_format.shape((64, 64, 3, 3)) == "64×64×3×3"
    assert number_format.shape(()) == "one number"
    assert number_format.part(1, 0) == "–"


def test_a_long_name_loses_its_middle_and_keeps_the_whole_in_the_tooltip(qtbot):
    name = "layer." * 50 + "<b>weight</b>"
    label = ElidedLabel(name)
    qtbot.addWidget(label)
    label.resize(120, 20)
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert "&lt;b&gt;weight" in label.toolTip()
    assert label.minimumSizeHint().width() < 120
    assert label.sizeHint().width() <= 600
    short = ElidedLabel("weight")
    qtbot.addWidget(short)
    short.resize(120, 20)
    assert label.grab().toImage() != short.grab().toImage()


def test_a_share_is_never_cut_at_its_beginning(qtbot):
    """Regression: "37.3 % pruned" was elided to "…7.3 % pruned"."""
    heading = TensorHeading()
    qtbot.addWidget(heading)
    row = TensorRow(
        name="conv.weight",
        shown="conv.weight",
        kind="Conv2d",
        shape=(64, 3, 7, 7),
        dtype="float32",
        numel=9408,
        nbytes=4 * 9408,
        why_not="",
        by_default=True,
        aliases=(),
    )
    heading.set_tensor(row, 3509)
    label = heading.details
    whole = label.text()
    assert "37.3" in whole
    for width in range(20, label.fontMetrics().horizontalAdvance(whole) + 10, 3):
        shown = label.shortened(width)
        assert label.fontMetrics().horizontalAdvance(shown) <= width
        if shown.endswith("…"):
            assert "37.3\u00a0% pruned".startswith(shown.removesuffix("…")), shown
        else:
            # Whole facts are left out, from the first.
            assert whole == shown or whole.endswith(f" · {shown}"), shown


def test_what_a_readout_says_lays_nothing_out_anew(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    readout = Readout()
    QVBoxLayout(window).addWidget(readout)
    window.resize(200, 60)
    with qtbot.waitExposed(window):
        window.show()
    laid_out = []

    class Watch(QObject):
        def eventFilter(self, _watched, event):  # noqa: N802 - Qt's name
            if event.type() == QEvent.Type.LayoutRequest:
                laid_out.append(event)
            return False

    watch = Watch(window)
    window.installEventFilter(watch)
    empty = readout.grab().toImage()
    readout.setText("[out 12, in 3] = -0.0312 <b>\nkept</b>")
    QApplication.sendPostedEvents()
    assert not laid_out
    assert readout.grab().toImage() != empty
    said = "[out 12, in 3] = -0.0312 <b>\\u000akept</b>"
    assert readout.text() == readout.accessibleName() == readout.accessibleDescription() == said
    assert "&lt;b&gt;" in readout.toolTip()
    readout.setText("")
    assert readout.grab().toImage() == empty
    assert readout.toolTip() == readout.accessibleName() == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.976e-05, "0.000040"), (1.2e-7, "0.00000012"), (0.0123456, "0.01235"), (0.0, "0")],
)
def test_a_small_difference_of_metrics_has_no_power_of_ten(english, value, text):
    assert number_format.metric_amount(value, share=False) == text


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((0.99999998, 0.90443), ["1.0000", "0.9044"]),
        ((9.98764, 0.012346), ["9.988", "0.01235"]),
        ((12.3456, 0.9044), ["12.35", "0.9044"]),
        ((1.0, 1.0), ["1", "1"]),
        ((0.0, 0.5), ["0.0", "0.5"]),
    ],
)
def test_values_of_a_metric_have_equal_decimals(english, values, texts):
    """Regression: 1.000 stood above 0.9044."""
    assert number_format.metrics(values, share=False) == texts
