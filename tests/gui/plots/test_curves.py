"""Curves over steps: axes, cursor, readout, table and colors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from pruneapp.gui.plots.curves import CurveGroup, CurveView, StepCurve
from tests.gui.user import plain


def curve(label, steps, values, **more):
    return StepCurve(label, np.array(steps, float), np.array(values, float), **more)


HELD_OUT = curve("held-out error", [0, 10, 20], [0.5, 0.2, 0.1])
TRAINING = curve("training loss", [10, 20], [2.0, 1.0], ink="muted", dashed=True)
ERRORS = CurveGroup("error", (HELD_OUT, TRAINING))
ACCURACY = CurveGroup("accuracy", (curve("accuracy", [5, 15], [0.5, 0.75], ink="magenta"),))


@pytest.fixture
def view(show, english):
    view = show(CurveView(), 600, 400)
    view.set_curves((ERRORS, ACCURACY), 100)
    return view


def test_without_values_there_is_a_message(show, english):
    view = show(CurveView(), 600, 400)
    assert view._stack.currentWidget() is view._message
    assert not view.group_box.isVisible()


def test_the_whole_of_the_training_is_visible(view):
    """The horizontal axis ends at the last step, so that the curve does not move."""
    area = view.canvas.area
    assert area.x[0] <= 0
    assert area.x[1] >= 100
    assert view.canvas.left.log, "2.0 is 20 times 0.1"
    assert plain(view.readout.text()) == "Step 20: held-out error 0.1; training loss 1"
    assert [swatch.label for swatch in view.legend.entries] == ["held-out error", "training loss"]


def test_keys_and_the_mouse_read_values(view, qtbot):
    view.focus()
    qtbot.keyClick(view.canvas, Qt.Key.Key_Home)
    assert plain(view.readout.text()) == "Step 20: held-out error 0.1; training loss 1"
    qtbot.keyClick(view.canvas, Qt.Key.Key_Left)
    assert plain(view.readout.text()) == "Step 10: held-out error 0.2; training loss 2"
    qtbot.keyClick(view.canvas, Qt.Key.Key_Home)
    assert plain(view.readout.text()) == "Step 0: held-out error 0.5"
    at = view.canvas.pixel_of(20, 0.1).toPoint()
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert plain(view.readout.text()).startswith("Step 20")


def test_the_chosen_group_stays_while_values_arrive(view, qtbot):
    view.group_box.setCurrentIndex(1)
    view.group_box.activated.emit(1)
    assert plain(view.readout.text()) == "Step 15: accuracy 0.75"
    assert not view.canvas.left.log
    longer = curve("accuracy", [5, 15, 25], [0.5, 0.75, 0.8])
    view.set_curves((ERRORS, CurveGroup("accuracy", (longer,))), 100)
    assert plain(view.readout.text()) == "Step 25: accuracy 0.8"


def test_the_table_has_the_same_numbers(view):
    assert [*view.numbers()] == [(0, 0.5, ""), (10, 0.2, 2.0), (20, 0.1, 1.0)]
    view.toggle_table()
    model = view._table.numbers
    assert model.rowCount() == 3
    assert model.index(1, 2).data() == "2"


def test_values_that_are_no_numbers_are_left_out(show, english):
    view = show(CurveView(), 600, 400)
    values = [1.0, float("nan"), float("inf"), 0.0, -1.0]
    view.set_curves((CurveGroup("loss", (curve("loss", range(5), values),)),))
    assert not view.canvas.left.log
    assert view.canvas.area.y[1] < 2
    view.grab()


def test_many_points_are_drawn_at_once(show, qtbot, english):
    view = show(CurveView(), 600, 400)
    steps = np.arange(100_000.0)
    view.set_curves((CurveGroup("loss", (StepCurve("loss", steps, 1 / (1 + steps)),)),))
    view.grab()
    assert view.numbers().rows == 100_000


def test_both_themes(view, theme, palette_of):
    palette_of(theme)
    view.set_colors(theme.colors)
    image = view.canvas.viewport().grab().toImage()
    at = view.canvas.pixel_of(10, 0.2).toPoint()
    assert image.pixelColor(at) == QColor(theme.colors["teal"])
    assert image.pixelColor(2, 2) == QColor(theme.colors["surface"])


def test_the_legend_has_a_dashed_line_for_a_dashed_curve(view):
    held_out, training = view.legend.entries
    assert (held_out.line, training.line) == (False, True)
    image = view.legend.grab().toImage()
    ink = QColor(view._colors["muted"]).rgb()
    places = itertools.product(range(image.width()), range(image.height()))
    rows = {y for x, y in places if image.pixel(x, y) == ink}
    assert 1 <= len(rows) <= 3, "no area"
