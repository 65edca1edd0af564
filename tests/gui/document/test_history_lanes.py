"""Where the states of a history stand."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.gui.document.history_lanes import HistoryLanes
from pruneapp.results.branches import Branches


def test_a_line_is_one_lane():
    lanes = HistoryLanes(Branches.line(3))
    assert (lanes.lane, lanes.column) == ([0] * 4, [0, 1, 2, 3])
    assert (lanes.lanes, lanes.columns) == (1, 4)
    assert not any(map(lanes.begins_lane, range(4)))


def test_a_branch_stands_below_what_was_done_first():
    #  0 - 1 - 2 - 3
    #   |   |   `- 5 - 6
    #   |   `- 4
    #   `- 7
    lanes = HistoryLanes(Branches((0, 1, 2, 1, 2, 5, 0), 7))
    assert lanes.lane == [0, 0, 0, 0, 2, 1, 1, 3]
    assert lanes.column == [0, 1, 2, 3, 2, 3, 4, 1]
    assert (lanes.lanes, lanes.columns) == (4, 5)
    assert [state for state in range(8) if lanes.begins_lane(state)] == [4, 5, 7]
    assert (lanes.at(1, 4), lanes.at(1, 2)) == (6, -1)
    assert [lanes.beside(6, by) for by in (-1, 1)] == [3, 4]
    assert (lanes.beside(0, -1), lanes.beside(7, 1)) == (0, 7)


@pytest.mark.parametrize("seed", range(10))
def test_no_two_states_stand_in_one_place_and_no_line_crosses_a_state(seed):
    rng = np.random.default_rng(seed)
    branches = Branches()
    for count in range(40):
        branches = branches.added(int(rng.integers(count + 1)))
    lanes = HistoryLanes(branches)
    places = set(zip(lanes.lane, lanes.column, strict=True))
    assert len(places) == 41
    for state in filter(lanes.begins_lane, range(41)):
        parent = lanes.parent[state]
        for lane in range(lanes.lane[parent] + 1, lanes.lane[state]):
            other = lanes.at(lane, lanes.column[state])
            # The line goes along the left edge of that column: only a branch may begin there.
            assert other < 0 or lanes.parent[other] == parent
            assert lanes.at(lane, lanes.column[parent]) < 0 or other < 0
