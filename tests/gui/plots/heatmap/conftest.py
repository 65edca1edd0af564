"""The heat map, alone on the screen."""

from __future__ import annotations

import pytest

from pruneapp.gui.plots.heatmap.view import WeightsView


@pytest.fixture
def view(qtbot):
    """An empty view; what is done in it by mouse and keys is in `made`."""
    view = WeightsView()
    qtbot.addWidget(view)
    view.resize(640, 620)
    view.show()
    qtbot.waitExposed(view)
    view.made = []
    view.editRequested.connect(view.made.append)
    return view


@pytest.fixture
def shown(view, conv, qtbot):
    """The view of the small convolution, with its tile."""
    conv.attach(view)
    conv.show(view)
    qtbot.waitUntil(lambda: view.canvas.item.fine is not None)
    return view
