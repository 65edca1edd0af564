"""Which state follows which, and what becomes of that."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.results.branches import LONGEST_NAME, Branches

#     0 - 1 - 2 - 3
#          \   \- 5 - 6
#           4
SOME = Branches((0, 1, 2, 1, 2, 5), 6, {3: "x", 4: "y"})


def test_a_line_is_one():
    assert Branches.line(3) == Branches((0, 1, 2), 3)
    assert Branches.line(3).is_line
    assert not SOME.is_line
    assert (len(Branches()), Branches().path(0), list(Branches().walk())) == (0, (), [])


def test_ways_lead_over_the_state_that_both_have():
    assert SOME.path(6) == (1, 2, 5, 6)
    assert SOME.route(6, 4) == ([6, 5, 2], [4])
    assert SOME.route(0, 3) == ([], [1, 2, 3])
    assert SOME.route(3, 3) == ([], [])
    assert [SOME.parent(state) for state in (0, 1, 5)] == [-1, 0, 2]


def test_redo_goes_along_the_branch_that_one_was_on():
    assert SOME.ahead(1) == [2, 5, 6]
    assert [SOME.next(state) for state in range(7)] == [1, 2, 5, 3, 4, 6, 6]
    assert SOME.moved(2) is SOME
    assert SOME.moved(3).tip == 3
    assert SOME.moved(3).moved(1).next(2) == 3
    assert SOME.moved(4).moved(2).tip == 6, "the newest, as 2 is on another branch"


def test_every_state_is_entered_and_left_once_and_the_oldest_branch_comes_first():
    way = list(SOME.walk())
    assert [state for state, comes in way if comes] == [1, 2, 3, 5, 6, 4]
    open_states = [0]
    for state, comes in way:
        if comes:
            assert open_states[-1] == SOME.parent(state)
            open_states.append(state)
        else:
            assert open_states.pop() == state
    assert open_states == [0]


def test_what_is_deleted_takes_along_what_follows_it():
    assert SOME.from_on(2) == (2, 3, 5, 6)
    assert SOME.without(SOME.from_on(5), 1) == Branches((0, 1, 2, 1), 4, {3: "x", 4: "y"})
    assert SOME.without(SOME.from_on(2), 1) == Branches((0, 1), 2, {2: "y"})
    assert SOME.without((), 0) == SOME


def test_names_are_one_line_and_not_too_long():
    assert SOME.named(1, " a\n b ").names == {1: "a b", 3: "x", 4: "y"}
    assert SOME.named(3, "").names == {4: "y"}
    assert len(SOME.named(1, "n" * 500).names[1]) == LONGEST_NAME


@pytest.mark.parametrize("seed", range(20))
def test_any_tree_that_grows_and_is_cut(seed):
    """Against parents that are named, not numbered."""
    rng = np.random.default_rng(seed)
    branches, parents, names = Branches(), {}, ["root"]
    position = 0
    for step in range(60):
        what = rng.integers(3)
        if what == 0 and position:
            others = [s for s in range(1, len(names)) if s not in branches.path(position)]
            if others:
                gone = branches.from_on(int(rng.choice(others)))
                here = names[position]
                names = [name for s, name in enumerate(names) if s not in gone]
                branches = branches.without(gone, position)
                position = names.index(here)
        elif what == 1:
            position = int(rng.integers(len(names)))
            branches = branches.moved(position)
        else:
            parents[f"{step}"] = names[position]
            names.append(f"{step}")
            branches = branches.added(position)
            position = len(branches)
        assert [names[s] for s in branches.after] == [parents[name] for name in names[1:]]
        assert branches.path(branches.tip)[: len(branches.path(position))] == branches.path(
            position
        )
        assert sorted(s for s, comes in branches.walk() if comes) == list(range(1, len(names)))
