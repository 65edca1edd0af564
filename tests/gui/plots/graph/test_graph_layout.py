"""Positions of operators in layers."""

from __future__ import annotations

import time

import numpy as np
import pytest

from pruneapp.gui.plots.graph import graph_layout
from pruneapp.gui.plots.graph.graph_layout import GAP, HEIGHT, lay_out
from pruneapp.progress import Cancelled, CancelToken


def deep(n: int) -> list[tuple[int, int]]:
    """Return a chain with skip connections, and some edges from the first operator."""
    edges = [(at - 1, at) for at in range(1, n)]
    edges += [(at - 8, at) for at in range(8, n, 8)]
    return edges + [(0, at) for at in range(50, n, 50)]


def wide(n: int) -> list[tuple[int, int]]:
    """Return operators that read two of the thirty before them."""
    rng = np.random.default_rng(0)
    pairs = {(max(0, at - int(back)), at) for at in range(1, n) for back in rng.integers(1, 30, 2)}
    return sorted(pairs)


@pytest.mark.parametrize("max_bends", [graph_layout._MAX_BENDS, 60])
@pytest.mark.parametrize("edges", [deep(400), wide(400)], ids=["deep", "wide"])
def test_readers_are_below_and_nothing_overlaps(edges, max_bends, monkeypatch):
    monkeypatch.setattr(graph_layout, "_MAX_BENDS", max_bends)
    widths = np.random.default_rng(1).uniform(30, 200, 400)
    layout = lay_out(widths.tolist(), edges, CancelToken())
    assert len(layout.x) - 400 <= max_bends
    for first, second in edges:
        assert layout.y[first] + HEIGHT < layout.y[second]
    for y in np.unique(layout.y):
        inside = np.flatnonzero(layout.y == y)
        row = inside[np.argsort(layout.x[inside])]
        sizes = layout.widths[row]
        assert (np.diff(layout.x[row]) - (sizes[1:] + sizes[:-1]) / 2 > GAP - 1e-6).all()
    assert (layout.x - layout.widths / 2).min() == pytest.approx(0)
    assert layout.size == ((layout.x + layout.widths / 2).max(), layout.y.max() + HEIGHT / 2)
    assert sorted(edges) == sorted(
        (first, second) for first in range(400) for second in layout.trace(first, layout.below)[0]
    )
    assert sorted(edges) == sorted(
        (first, second) for second in range(400) for first in layout.trace(second, layout.above)[0]
    )


def test_a_chain_is_straight_beside_its_skip_connections():
    layout = lay_out([80.0] * 400, deep(400), CancelToken())
    assert np.abs(np.diff(layout.x[:400])).max() < 5
    assert layout.size[0] < 300


class Watched(CancelToken):
    """Records the longest processor time between two checks."""

    def __init__(self) -> None:
        super().__init__()
        self.last, self.longest = time.thread_time(), 0.0

    def check(self) -> None:
        now = time.thread_time()
        self.longest, self.last = max(self.longest, now - self.last), now
        super().check()


@pytest.mark.parametrize("make_edges", [deep, wide])
def test_ten_thousand_operators_can_be_cancelled_at_any_time(make_edges):
    token = Watched()
    layout = lay_out([100.0] * 10_000, make_edges(10_000), token)
    assert layout.operators == 10_000
    assert token.longest < 0.2
    token.cancel()
    with pytest.raises(Cancelled):
        lay_out([100.0] * 10, deep(10), token)


def test_an_empty_graph():
    assert lay_out([], [], CancelToken()).size == (0.0, 0.0)
