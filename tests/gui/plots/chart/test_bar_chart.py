"""Bars that share a column of pixels: every pixel has the color of one of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pruneapp.gui.plots.channels import ChannelsView
from pruneapp.gui.plots.chart.bar_chart import envelope
from pruneapp.gui.widgets.theme import LIGHT
from tests.gui.plots.chart_data import made_norms

CLASSES = ("kept", "to_prune", "pruned")


def seen(stacks, column: int, height: float) -> str | None:
    """Return the color class painted at a height of a column, checking the front layer first."""
    found = None
    layer = stacks
    while layer is not None:
        low = 0.0
        floor = 0.0 if layer.floor is None else layer.floor[column]
        for name in CLASSES:
            high = low + getattr(layer, name)[column]
            if max(low, floor) < height <= high:
                found = name
            low = high
        layer = layer.front
    return found


heights = hnp.arrays(np.float64, (3, 12), elements=st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0]))


@settings(max_examples=60)
@given(heights, st.sampled_from([1, 2, 5, 12]))
def test_no_pixel_shows_a_state_that_no_channel_in_it_has(found, group):
    after, left, whole = np.sort(found, axis=0)
    stacks = envelope(whole, left, after, group, whole.max())
    for column, start in enumerate(range(0, 12, group)):
        bars = slice(start, start + group)
        for height in np.arange(0.1, 3.2, 0.1):
            has = {
                "kept": (after[bars] >= height).any(),
                "to_prune": ((after[bars] < height) & (height <= left[bars])).any(),
                "pruned": ((left[bars] < height) & (height <= whole[bars])).any(),
                None: (whole[bars] < height).all(),
            }
            assert has[seen(stacks, column, height)]


@settings(max_examples=60)
@given(heights)
def test_every_state_of_whole_channels_is_visible(found):
    after, left, whole = np.sort(found, axis=0)
    stacks = envelope(whole, left, after, 12, whole.max())
    there = {
        "kept": (after > 0).any(),
        "to_prune": ((after == 0) & (left > 0)).any(),
        "pruned": ((left == 0) & (whole > 0)).any(),
    }
    layer, kinds = stacks, set()
    while layer is not None:
        kinds |= {name for name in CLASSES if getattr(layer, name).any()}
        layer = layer.front
    assert {name for name, is_there in there.items() if is_there} <= kinds


def test_twenty_thousand_channels_by_index_are_hatched_up_to_the_cut_alone(show):
    random = np.random.default_rng(0)
    norms = random.normal(1.9, 0.25, 20_000).clip(0.7, 2.8)
    cut = float(np.sort(norms)[460])
    view = show(ChannelsView(), 900, 560)
    view.set_norms(made_norms(norms, np.ones(20_000), norms <= cut))
    assert view.order == "index"
    image = view.canvas.viewport().grab().toImage()
    rect = view.canvas.area.rect
    pruned, kept = LIGHT["pruned"], LIGHT["kept"]
    columns = range(int(rect.left()) + 2, int(rect.right()) - 1)
    at = int(view.canvas.area.pixel(0, cut).y())
    hatched = 0
    for x in columns:
        colors = [image.pixelColor(x, y).name() for y in range(int(rect.top()), int(rect.bottom()))]
        found = [int(rect.top()) + y for y, name in enumerate(colors) if name == pruned]
        assert all(y >= at - 1 for y in found), "hatched above the cut"
        hatched += bool(found)
        assert kept in colors
    share = hatched / len(columns)
    per_column = 20_000 / len(columns)
    assert share > 0.4 * min(1.0, 461 / 20_000 * per_column), "what goes is to be seen"


def test_a_channel_that_lost_half_of_its_weights_shows_what_is_left_of_its_norm(show):
    view = show(ChannelsView(), 600, 480)
    view.set_norms(made_norms([2.0, 2.0], [0.57, 1.0], [False, False], left=[1.96, 2.0]))
    stacks = view.chart().stacks(np.arange(2), 1)
    assert stacks.kept.tolist() == [1.96, 2.0]
    assert stacks.pruned == pytest.approx([0.04, 0.0])
    view.canvas.hovered.emit(0)
    assert view.readout.text() == (
        "channel 0:  L2 norm 1.96 of 2 (98.0\u00a0%),  57.0\u00a0% of its weights kept"
    )
    headers = view.numbers().headers
    row = dict(zip(headers, view.numbers().row(0), strict=True))
    assert row["L2 norm"] == 2.0
    assert row["L2 norm left"] == 1.96
    assert row["share of weights kept"] == 0.57
