"""The mean brightness of a region shows its sparsity, in both themes, at any zoom."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage

from pruneapp.analysis.layout import Layout
from pruneapp.gui.plots.heatmap.shading import Mode
from pruneapp.gui.plots.heatmap.view import WeightsView

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
def brightness(qtbot, monkeypatch, make_tensor, theme):
    """Return a function for the mean relative luminance, or its spread, of a heat map."""

    def measure(mode, percent, zoom, ratio, *, to_prune=False, spread=False):
        view = WeightsView()
        qtbot.addWidget(view)
        monkeypatch.setattr(view.canvas, "devicePixelRatioF", lambda: ratio)
        view.resize(420, 460)
        view.set_colors(theme.colors)
        view.set_mode(mode)
        of = Layout((SIDE, SIDE), (0,), (1,), "output", "input")
        kept = random_mask(percent).astype(np.float32)
        masks = (np.ones_like(kept), 1 - kept) if to_prune else (kept, None)
        tensor = make_tensor(of, VALUES, *masks)
        tensor.attach(view)
        view.show()
        tensor.show(view)
        qtbot.waitUntil(lambda: view._tile_requests.is_complete)
        if zoom > 1:
            view.canvas.zoom(zoom)
            qtbot.waitUntil(lambda: view._tile_requests.is_complete)
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
        view.close()
        luminance = light @ np.array([0.2126, 0.7152, 0.0722])
        return float(luminance.std() if spread else luminance.mean())

    return measure


def lightness(luminance: float) -> float:
    return 116 * luminance ** (1 / 3) - 16


@pytest.mark.parametrize(("zoom", "ratio"), [(1, 1.0), (1, 1.5), (2.3, 1.5), (12, 1.0)])
@pytest.mark.parametrize("mode", [Mode.MASK, Mode.MAGNITUDE])
def test_the_brightness_of_a_region_tells_its_sparsity(brightness, mode, zoom, ratio):
    found = [brightness(mode, percent, zoom, ratio) for percent in SPARSITIES]
    kept, pruned = found[0], found[-1]
    assert abs(pruned - kept) > 0.1, "what is pruned is as bright as what is kept"
    for percent, light in zip(SPARSITIES, found, strict=True):
        share = (light - kept) / (pruned - kept)
        assert share == pytest.approx(percent / 100, abs=0.03)
    steps = np.diff([lightness(light) for light in found]) * np.sign(pruned - kept)
    assert (steps > 0).all()


def test_a_fifth_does_not_look_like_half(brightness):
    kept, fifth, pruned = (
        lightness(brightness(Mode.MAGNITUDE, percent, 1, 1.0)) for percent in (0, 20, 100)
    )
    assert 0.1 < (fifth - kept) / (pruned - kept) < 0.3


@pytest.mark.parametrize(("zoom", "ratio"), [(1, 1.5), (2.3, 1.0), (12, 1.5)])
@pytest.mark.parametrize("mode", [Mode.MASK, Mode.MAGNITUDE])
def test_a_preview_is_as_bright_as_its_result(brightness, mode, zoom, ratio):
    whole = brightness(mode, 0, zoom, ratio) - brightness(mode, 100, zoom, ratio)
    for percent in (20, 100):
        result = brightness(mode, percent, zoom, ratio)
        preview = brightness(mode, percent, zoom, ratio, to_prune=True)
        assert preview == pytest.approx(result, abs=0.02 * abs(whole)), percent


def test_a_preview_is_told_from_its_result_from_afar(brightness):
    result, preview = (
        brightness(Mode.MAGNITUDE, 100, 1, 1.0, to_prune=to_prune, spread=True)
        for to_prune in (False, True)
    )
    assert result < 0.001
    assert preview > 0.05
