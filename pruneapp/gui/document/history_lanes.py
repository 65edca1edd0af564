"""Where the states of a history stand: a lane for each branch, a column for each step."""

from __future__ import annotations

from pruneapp.results.branches import Branches


class HistoryLanes:
    """The lane and the column of each state; what follows a state is one column further on.

    The first that followed a state stands in its lane, others begin lanes below: first those of
    what was done later, so that no lines cross.
    """

    def __init__(self, branches: Branches) -> None:
        states = len(branches) + 1
        self.lane, self.column = [0] * states, [0] * states
        self.parent = [branches.parent(state) for state in range(states)]
        self.lanes = 1  # how many there are
        self._at = {(0, 0): 0}
        for state, comes in branches.walk():
            if comes:
                self._place(state, self.parent[state])
        self.columns = max(self.column) + 1

    def _place(self, state: int, parent: int) -> None:
        lane, column = self.lane[parent], self.column[parent] + 1
        if (lane, column) in self._at:
            lane, self.lanes = self.lanes, self.lanes + 1
        self.lane[state], self.column[state] = lane, column
        self._at[lane, column] = state

    def at(self, lane: int, column: int) -> int:
        """Return the state that stands there; -1 for none."""
        return self._at.get((lane, column), -1)

    def begins_lane(self, state: int) -> bool:
        """Whether a line leads down to a state, from the lane of the one that it follows."""
        return state > 0 and self.lane[state] != self.lane[self.parent[state]]

    def beside(self, state: int, lanes: int) -> int:
        """Return the nearest state so many lanes further down; the same where there is no lane."""
        lane = self.lane[state] + lanes
        columns = [column for of, column in self._at if of == lane]
        if not columns:
            return state
        here = self.column[state]
        return self._at[lane, min(columns, key=lambda column: abs(column - here))]
