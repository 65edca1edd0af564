"""The tree of states in a history: a line, until a step follows an undo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

# Maximum characters of a state's name.
LONGEST_NAME = 100


@dataclass(frozen=True)
class Branches:
    """States by number, in order of creation; 0 is the file as opened.

    Each state has a larger number than its parent.
    """

    after: tuple[int, ...] = ()  # parent of each state, from state 1 on
    # The last state of the branch that redo follows; the current state is on this branch.
    tip: int = 0
    names: Mapping[int, str] = field(default_factory=dict)  # given by the user, by state

    @classmethod
    def line(cls, count: int) -> Branches:
        """Return a history of `count` states without branches."""
        return cls(tuple(range(count)), count)

    def __len__(self) -> int:
        """Return the number of states without the first."""
        return len(self.after)

    @property
    def is_line(self) -> bool:
        """Whether each state is the parent of the next one."""
        return self.after == tuple(range(len(self.after)))

    def parent(self, state: int) -> int:
        """Return the parent of a state; -1 for the first state."""
        return self.after[state - 1] if state else -1

    def path(self, state: int) -> tuple[int, ...]:
        """Return the states from the first one (excluded) to `state`."""
        way = []
        while state:
            way.append(state)
            state = self.after[state - 1]
        return tuple(reversed(way))

    def route(self, start: int, end: int) -> tuple[list[int], list[int]]:
        """Return the states to undo, and then those to redo, to get from `start` to `end`."""
        undone, redone = [], []
        while start != end:
            if start > end:
                undone.append(start)
                start = self.after[start - 1]
            else:
                redone.append(end)
                end = self.after[end - 1]
        return undone, redone[::-1]

    def ahead(self, state: int) -> list[int]:
        """Return the states that redo reaches from a state of the current branch."""
        return self.route(state, self.tip)[1]

    def next(self, state: int) -> int:
        """Return the next state for redo.

        On other branches the newest child. `state` if there is none.
        """
        undone, redone = self.route(state, self.tip)
        if not undone:
            return redone[0] if redone else state
        children = [s for s, after in enumerate(self.after, 1) if after == state]
        return children[-1] if children else state

    def end_of(self, state: int) -> int:
        """Return the last state of a branch: from `state`, always the newest child."""
        newest = {after: s for s, after in enumerate(self.after, 1)}
        while state in newest:
            state = newest[state]
        return state

    def from_on(self, state: int) -> tuple[int, ...]:
        """Return a state and all of its descendants."""
        found = {state}
        for s, after in enumerate(self.after[state:], state + 1):
            if after in found:
                found.add(s)
        return tuple(sorted(found))

    def walk(self) -> Iterator[tuple[int, bool]]:
        """Traverse all states but the first depth-first: True on entering, False on leaving."""
        children: dict[int, list[int]] = {}
        for state in range(len(self.after), 0, -1):
            children.setdefault(self.after[state - 1], []).append(state)
        left = [(state, True) for state in children.get(0, ())]
        while left:
            state, comes = left.pop()
            yield state, comes
            if comes:
                left.append((state, False))
                left += [(child, True) for child in children.get(state, ())]

    # Modified copies

    def added(self, after: int) -> Branches:
        """Return a copy with a new state, a child of `after`, as the tip."""
        return replace(self, after=(*self.after, after), tip=len(self.after) + 1)

    def moved(self, state: int) -> Branches:
        """Return a copy whose current branch contains `state`."""
        off = self.route(state, self.tip)[0]
        return replace(self, tip=self.end_of(state)) if off else self

    def named(self, state: int, name: str) -> Branches:
        """Return a copy with a state renamed; an empty name removes it."""
        names = {**self.names, state: tidy_name(name)}
        return replace(self, names={s: names[s] for s in sorted(names) if names[s]})

    def without(self, states: Iterable[int], state: int) -> Branches:
        """Return a copy without `states`, renumbered.

        `state` is the current one and must remain.
        """
        gone = set(states)
        number = self.numbers(gone)
        kept = [s for s in range(1, len(self.after) + 1) if s not in gone]
        some = Branches(
            tuple(number[self.after[s - 1]] for s in kept),
            number.get(self.tip, -1),
            {number[s]: name for s, name in self.names.items() if s in number},
        )
        return some if some.tip >= 0 else replace(some, tip=some.end_of(number[state]))

    def numbers(self, gone: Iterable[int]) -> dict[int, int]:
        """Return the new number of each remaining state, by old number, after removing states."""
        gone = set(gone)
        kept = (s for s in range(len(self.after) + 1) if s not in gone)
        return {old: new for new, old in enumerate(kept)}


def tidy_name(name: str) -> str:
    """Return a name as a single line of limited length."""
    return " ".join(name.split())[:LONGEST_NAME].strip()


class HistoryLanes:
    """Positions of states in the drawing: a lane per branch, a column per step.

    The first child of a state is in the same lane; other children start lanes below, the newest
    first, so that no lines cross.
    """

    def __init__(self, branches: Branches) -> None:
        states = len(branches) + 1
        self.lane, self.column = [0] * states, [0] * states
        self.parent = [branches.parent(state) for state in range(states)]
        self.lanes = 1  # number of lanes
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
        """Return the state at a position; -1 for none."""
        return self._at.get((lane, column), -1)

    def begins_lane(self, state: int) -> bool:
        """Return whether a state is the first of its lane, connected to its parent's lane."""
        return state > 0 and self.lane[state] != self.lane[self.parent[state]]

    def beside(self, state: int, lanes: int) -> int:
        """Return the nearest state `lanes` lanes further down; `state` if there is no such lane."""
        lane = self.lane[state] + lanes
        columns = [column for of, column in self._at if of == lane]
        if not columns:
            return state
        here = self.column[state]
        return self._at[lane, min(columns, key=lambda column: abs(column - here))]
