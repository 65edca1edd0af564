"""The heat map as a top-level window."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.analysis.layout import Layout
from pruneapp.gui.plots.heatmap.shading import Mode
from pruneapp.gui.plots.heatmap.view import WeightsView


@pytest.fixture
def view(show):
    """Return an empty view; `made` collects the edits that it requests."""
    view = show(WeightsView(), 640, 620)
    view.made = []
    view.editRequested.connect(view.made.append)
    return view


@pytest.fixture
def fill(view, qtbot):
    """Return a function that shows a tensor in the view, and returns the view with its tiles."""

    def filled(tensor, mode=Mode.MAGNITUDE):
        tensor.attach(view)
        view.set_mode(mode)
        tensor.show(view)
        qtbot.waitUntil(lambda: view._tile_requests.is_complete)
        return view

    return filled


@pytest.fixture
def shown(fill, conv):
    """Return the view with the small convolution and its tile."""
    return fill(conv)


@pytest.fixture
def large(make_tensor):
    """Return a tensor of 3,000 x 2,000 ones, nothing of which is pruned."""
    ones = np.broadcast_to(np.float32(1), (3000, 2000))
    return make_tensor(Layout(ones.shape, (0,), (1,), "output", "input"), ones, ones)
