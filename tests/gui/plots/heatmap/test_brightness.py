"""The mean brightness of a region shows its sparsity, in both themes, at any zoom."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage

from pruneapp.analysis.layout import Layout
from pruneapp.gui.plots.heatmap.shading import Mode
from pruneapp.gui.plots.heatmap.view import WeightsView
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME

SIDE = 500
SPARSITIES = (0, 10, 20, 50, 80, 100)
# Heavy tails, as in trained networks: most weights are small.
VALUES = np.random.default_rng(0).laplace(size=(SIDE, SIDE)).astype(np.float32) / 4.6


def random_mask(percent: int) -> np.ndarray:
    """Return a mask that keeps the same number of each 10 x 10 weights, at random positions."""
    ranks = np.random.default_rng(percent).random((SIDE // 10, SIDE // 10, 100)).argsort(axis=2)
    kept = (ranks >= percent).reshape(SIDE // 10, SIDE // 10, 10, 10)
    return kept.swapaxes(1, 2).reshape(SIDE, SIDE)


@pytest.fixture
def brightness(qtbot, make_tensor):
    """Return a function for the mean and the spread of the relative luminance of a heat map."""
    view = WeightsView()
    qtbot.addWidget(view)
    view.resize(420, 460)
    view.show()

    def measure(mode, theme, percent, zoom, ratio, *, to_prune=False):
        view.canvas.devicePixelRatioF = lambda: ratio
        view.set_colors(theme.colors)
        view.set_mode(mode)
        of = Layout((SIDE, SIDE), (0,), (1,), "output", "input")
        kept = random_mask(percent).astype(np.float32)
        masks = (np.ones_like(kept), 1 - kept) if to_prune else (kept, None)
        tensor = make_tensor(of, VALUES, *masks)
        answer = view.tileRequested.connect(lambda request: view.set_tile(tensor.tile(request)))
        tensor.show(view)
        qtbot.waitUntil(lambda: view._tile_requests.is_complete)
        if zoom > 1:
            view.canvas.zoom(zoom)
            qtbot.waitUntil(lambda: view._tile_requests.is_complete)
        view.tileRequested.disconnect(answer)
        port = view.canvas.viewport()
        size = port.size() * ratio
        image = QImage(size, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        port.render(image)
        data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
        rect = view.canvas.box.sceneBoundingRect()
        x, y, half = rect.center().x() * ratio, rect.center().y() * ratio, 110 * ratio
        part = data[int(y - half) : int(y + half), int(x - half) : int(x + half), 2::-1] / 255
        light = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
        luminance = light @ np.array([0.2126, 0.7152, 0.0722])
        return float(luminance.mean()), float(luminance.std())

    return measure


def lightness(luminance: float) -> float:
    return 116 * luminance ** (1 / 3) - 16


@pytest.mark.parametrize(("zoom", "ratio"), [(1, 1.0), (1, 1.5), (2.3, 1.5), (12, 1.0)])
@pytest.mark.parametrize(
    ("mode", "theme"),
    [  # the mask has the same colors in both themes
        (Mode.MASK, LIGHT_THEME),
        (Mode.MAGNITUDE, LIGHT_THEME),
        (Mode.MAGNITUDE, DARK_THEME),
    ],
    ids=["mask", "light", "dark"],
)
def test_brightness_shows_the_sparsity_of_a_result_and_of_a_preview(
    brightness, mode, theme, zoom, ratio
):
    place = zoom, ratio
    found = {percent: brightness(mode, theme, percent, *place) for percent in SPARSITIES}
    light = [mean for mean, _ in found.values()]
    kept, pruned = light[0], light[-1]
    assert abs(pruned - kept) > 0.1, "what is pruned is as bright as what is kept"
    for percent, mean in zip(SPARSITIES, light, strict=True):
        assert (mean - kept) / (pruned - kept) == pytest.approx(percent / 100, abs=0.03)
    perceived = [lightness(mean) for mean in light]
    assert (np.diff(perceived) * np.sign(pruned - kept) > 0).all()
    if mode is Mode.MAGNITUDE and zoom == 1:
        fifth = (perceived[2] - perceived[0]) / (perceived[-1] - perceived[0])
        assert 0.1 < fifth < 0.3, "20 % does not look like 50 %"
    for percent in (20, 100):
        mean, spread = brightness(mode, theme, percent, *place, to_prune=True)
        assert mean == pytest.approx(found[percent][0], abs=0.03 * abs(pruned - kept)), percent
    if zoom == 1:
        assert found[100][1] < 0.001
        assert spread > 0.05, "stripes distinguish a preview from its result"
