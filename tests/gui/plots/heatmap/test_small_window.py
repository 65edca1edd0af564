"""A window in which the heat map has no space: nothing is visible, and no error is raised."""

from __future__ import annotations

import pytest

from pruneapp.gui.plots.heatmap import overlays
from pruneapp.gui.plots.heatmap.canvas import TensorAxis


@pytest.mark.parametrize("across", [True, False])
def test_a_picture_without_room_is_painted(across, shown):
    view = shown
    rooms = []
    for size in range(120, -1, -4):
        # An exception in a paint event ends the process before pytest-qt reports it.
        view.canvas.setFixedSize(size if across else 300, 300 if across else size)
        view.canvas.grab()
        rooms.append(view.canvas.box.rect().width() if across else view.canvas.box.rect().height())
    assert min(rooms) < 10


def test_a_bug_in_painting_does_not_end_the_process(shown, qtbot, monkeypatch):
    """It is reported, and the window remains usable."""
    view = shown

    def fails(*_):
        raise ZeroDivisionError("in the middle of a picture")

    with monkeypatch.context() as patch, qtbot.captureExceptions() as caught:
        patch.setattr(overlays, "paint_borders", fails)
        view.canvas.item.update()
        view.canvas.grab()
    assert any("in the middle of a picture" in str(error) for _, error, _ in caught)
    view.canvas.item.update()
    assert not view.canvas.grab().isNull()


@pytest.mark.parametrize("where", ["canvas", "axis", "scene"])
def test_a_bug_beside_the_weights_does_not_end_the_process_either(shown, qtbot, monkeypatch, where):
    """Neither in overlays, nor in axes, nor in the preparation of the scene."""
    canvas = shown.canvas
    whole = canvas.grab().toImage()

    def fails(*_):
        raise ZeroDivisionError("beside the picture")

    of, name = {
        "canvas": (canvas, "paint_over"),
        "axis": (TensorAxis, "tickValues"),
        "scene": (type(canvas.scene()), "prepareForPaint"),
    }[where]
    with monkeypatch.context() as patch, qtbot.captureExceptions() as caught:
        patch.setattr(of, name, fails)
        canvas.rows.picture = None
        canvas.repaint()
        canvas.viewport().repaint()
        canvas.viewport().repaint()
    assert any("beside the picture" in str(error) for _, error, _ in caught)
    canvas.rows.picture = None
    canvas.viewport().update()
    qtbot.wait(20)
    assert canvas.grab().toImage() == whole
