"""A frontier in the window: two curves with a knee on the page Quality, kept after a stop."""

from __future__ import annotations

import sys

import pytest

from pruneapp import json_codec
from pruneapp.gui.evaluation.source_choice import DataKind
from tests.gui.journeys.test_screen_reader import problems_of
from tests.gui.recipes.test_script_rounds import opened

__all__ = ["opened"]


def ask(user, folder, *, points="30 %, 60 %, 90 %", recover="train() of the script"):
    user.workbench.frontier.ask()
    controller = user.workbench.frontier
    user.wait(lambda: controller.dialog is not None and controller.dialog.isVisible())
    dialog = controller.dialog
    user.type(dialog.points, points)
    user.choose(dialog.recover, recover)
    user.type(dialog.choice.fields[DataKind.SCRIPT], str(folder / "script.py"))
    user.type(dialog.choice.python, sys.executable)
    user.wait(lambda: dialog.choice.found.text().startswith("Runs with"))
    assert not problems_of(dialog)
    return dialog


def run(user, dialog, *, confirm=True):
    user.click(dialog.go)
    if confirm:
        user.wait(lambda: user.workbench.scripts.dialog is not None)
        user.click(user.workbench.scripts.dialog.go)
    user.wait(lambda: user.workbench.frontier.dialog is None)


def test_a_frontier_is_two_curves_on_the_quality_page(opened, tmp_path):
    run(opened, ask(opened, tmp_path))
    view = opened.views.pages.quality
    opened.wait(lambda: "Frontier measured: 3 points." in opened.window.done.label.text(), 90_000)
    assert view.isVisible()
    curves = view._shown_curves()
    assert [curve.recovered for curve in curves] == [False, True]
    assert [len(curve.points) for curve in curves] == [4, 4]
    xs = [x for x, _ in curves[0].points]
    assert xs == sorted(xs)
    assert xs[-1] < 0.9, "a share of all parameters of the model"
    labels = [swatch.label for swatch in view.legend.entries]
    assert labels[0].startswith("frontier")
    assert labels[1].startswith("frontier, recovered")
    numbers = view.numbers()
    assert numbers.rows == 1 + 8
    assert opened.states == ["Opened"], "the model is not changed"
    assert opened.workbench.evaluation.states()[0].quality.unpruned
    view.axis_box.setCurrentIndex(1)
    view._on_axis_chosen()
    assert not view._shown_curves()

    before = opened.workbench.frontier.frontier
    stored = json_codec.load_object(json_codec.encode(opened.workbench._read_view()), "session")
    opened.workbench.frontier.on_closed()
    assert opened.workbench.frontier.frontier is None
    opened.workbench.frontier.show(stored)
    assert opened.workbench.frontier.frontier == before
    run(opened, ask(opened, tmp_path, points="30 %, 60 %, 90 %, 95 %"), confirm=False)
    opened.wait(lambda: "4 points" in opened.window.done.label.text(), 90_000)
    assert opened.workbench.frontier.frontier.points[:3] == before.points, "not measured again"
    assert not opened.trouble


def test_invalid_points_are_refused_in_the_dialog(opened, tmp_path):
    dialog = ask(opened, tmp_path, points="30 %, 500")
    opened.click(dialog.go)
    assert "must be fractions" in dialog.choice.found.text()
    assert opened.workbench.scripts.dialog is None


@pytest.mark.parametrize("recover", ["no"])
def test_without_recovery_there_is_one_curve(opened, tmp_path, recover):
    run(opened, ask(opened, tmp_path, recover=recover))
    opened.wait(lambda: "Frontier measured: 3 points." in opened.window.done.label.text(), 90_000)
    (curve,) = opened.views.pages.quality._shown_curves()
    assert not curve.recovered
