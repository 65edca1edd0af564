"""Bars that share a column of pixels, drawn so that no pixel says what none of them has."""

from __future__ import annotations

import numpy as np

from pruneapp.gui.plots.chart.chart import grouped_max, grouped_sum
from pruneapp.gui.plots.chart.items import Floats, Stacks

# Share of the height of the chart that can be seen at least of a state that few bars have.
_SEEN = 0.01


def envelope(  # noqa: PLR0917 - each of its own meaning
    edges: Floats, whole: Floats, left: Floats, after: Floats, group: int, highest: float
) -> Stacks:
    """Return bars as they are, or one for each `group` of them.

    Bars of one group are drawn apart by state: something stays, all that is left goes, nothing is
    left. Of each state the largest is drawn, each part of it only as far up as a bar of that state
    has it. The highest stands behind; in front of it, of the others, as much below their tops as is
    their share of the bars: the heights tell norms, the areas how many there are.

    Parameters
    ----------
    edges
        ``float64[groups + 1]``.
    whole, left, after
        ``float64[n]``: height of each bar; up to which something is left; and will be.
    group
        How many bars are one.
    highest
        The highest bar of the chart.
    """
    if group == 1:
        return Stacks(edges, after, left - after, whole - left)
    stays = after > 0
    goes = ~stays & (left > 0)
    gone = ~stays & ~goes & (whole > 0)
    number = np.maximum(grouped_sum((whole > 0).astype(np.float64), group), 1)
    kept, part, tops, shares = [], [], [], []
    for state in (stays, goes, gone):
        k, p, t = (grouped_max(np.where(state, h, 0.0), group) for h in (after, left, whole))
        kept.append(k)
        part.append(p)
        tops.append(t)
        shares.append(grouped_sum(state.astype(np.float64), group) / number)
    ranked = np.argsort(-np.array(tops), axis=0, kind="stable")

    def of_rank(found: list[Floats], rank: int) -> Floats:
        picked: Floats = np.take_along_axis(np.array(found), ranked[rank : rank + 1], axis=0)[0]
        return picked

    front: Stacks | None = None
    for rank in (2, 1, 0):
        k, p, t = (of_rank(found, rank) for found in (kept, part, tops))
        seen = np.maximum(of_rank(shares, rank) * t, _SEEN * highest)
        floor = np.maximum(t - seen, 0.0) if rank else None
        front = Stacks(edges, k, p - k, t - p, floor=floor, front=front)
    assert front is not None
    return front
