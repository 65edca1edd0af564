"""Which state of a history follows which: a line, until somebody undoes and does something else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

# Letters that a name of a state may have.
LONGEST_NAME = 100


@dataclass(frozen=True)
class Branches:
    """States by their numbers, in the order in which they were made; 0 is the file as opened.

    So each has a larger number than the one that it follows.
    """

    after: tuple[int, ...] = ()  # the state that each follows, from state 1 on
    # The last state of the branch that redo moves along; the state in force is on it.
    tip: int = 0
    names: Mapping[int, str] = field(default_factory=dict)  # that a person gave, by state

    @classmethod
    def line(cls, count: int) -> Branches:
        """Return those of a history without alternatives."""
        return cls(tuple(range(count)), count)

    def __len__(self) -> int:
        """How many states follow another."""
        return len(self.after)

    @property
    def is_line(self) -> bool:
        """Whether each state follows the one before it."""
        return self.after == tuple(range(len(self.after)))

    def parent(self, state: int) -> int:
        """Return what a state follows; -1 for the first one."""
        return self.after[state - 1] if state else -1

    def path(self, state: int) -> tuple[int, ...]:
        """Return the states on the way from the first one, which is not among them, to a state."""
        way = []
        while state:
            way.append(state)
            state = self.after[state - 1]
        return tuple(reversed(way))

    def route(self, start: int, end: int) -> tuple[list[int], list[int]]:
        """Return the states to undo, and then those to redo, to come from one to another."""
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
        """Return the states that redo comes to from a state of the current branch."""
        return self.route(state, self.tip)[1]

    def next(self, state: int) -> int:
        """Return the state that redo comes to; the newest that follows off the current branch."""
        undone, redone = self.route(state, self.tip)
        if not undone:
            return redone[0] if redone else state
        children = [s for s, after in enumerate(self.after, 1) if after == state]
        return children[-1] if children else state

    def end_of(self, state: int) -> int:
        """Return the last state of the branch that goes on from a state, by the newest each."""
        newest = {after: s for s, after in enumerate(self.after, 1)}
        while state in newest:
            state = newest[state]
        return state

    def from_on(self, state: int) -> tuple[int, ...]:
        """Return a state and all that follow it, also on further branches."""
        found = {state}
        for s, after in enumerate(self.after[state:], state + 1):
            if after in found:
                found.add(s)
        return tuple(sorted(found))

    def walk(self) -> Iterator[tuple[int, bool]]:
        """Yield all states but the first, in depth: True on coming to one, False on leaving it."""
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

    # Changes

    def added(self, after: int) -> Branches:
        """Return them with one more state."""
        return replace(self, after=(*self.after, after), tip=len(self.after) + 1)

    def moved(self, state: int) -> Branches:
        """Return them with a state in force: another branch, if it is not on the current one."""
        off = self.route(state, self.tip)[0]
        return replace(self, tip=self.end_of(state)) if off else self

    def named(self, state: int, name: str) -> Branches:
        """Return them with another name of a state; an empty one is none."""
        names = {**self.names, state: tidy_name(name)}
        return replace(self, names={s: names[s] for s in sorted(names) if names[s]})

    def without(self, states: Iterable[int], state: int) -> Branches:
        """Return them without some states and without gaps; `state` is in force, and stays."""
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
        """Return the new numbers of the states, by their old ones, once some are gone."""
        gone = set(gone)
        kept = (s for s in range(len(self.after) + 1) if s not in gone)
        return {old: new for new, old in enumerate(kept)}


def tidy_name(name: str) -> str:
    """Return a name of a state as one line that is not too long."""
    return " ".join(name.split())[:LONGEST_NAME].strip()


class HistoryLanes:
    """Where states are drawn: a lane for each branch, a column for each step.

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
