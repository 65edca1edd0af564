"""Branches of the history: parents, deletion, and positions in the graph."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.document.history import LONGEST_NAME, Branches
from pruneapp.gui.document.history_model import TOP, StateTree

#     0 - 1 - 2 - 3
#          \   \- 5 - 6
#           4
SOME = Branches((0, 1, 2, 1, 2, 5), 6, {3: "x", 4: "y"})


def test_a_line_is_one():
    assert Branches.linear(3) == Branches((0, 1, 2), 3)
    assert Branches.linear(3).is_linear
    assert not SOME.is_linear
    assert (len(Branches()), Branches().path(0), list(Branches().walk())) == (0, (), [])


def test_ways_lead_over_the_state_that_both_have():
    assert SOME.path(6) == (1, 2, 5, 6)
    assert SOME.route(6, 4) == ([6, 5, 2], [4])
    assert SOME.route(0, 3) == ([], [1, 2, 3])
    assert SOME.route(3, 3) == ([], [])
    assert [SOME.parent(state) for state in (0, 1, 5)] == [-1, 0, 2]


def test_redo_goes_along_the_branch_that_one_was_on():
    assert SOME.redo_states(1) == [2, 5, 6]
    assert [SOME.next_state(state) for state in range(7)] == [1, 2, 5, 3, 4, 6, 6]
    assert SOME.with_current(2) is SOME
    assert SOME.with_current(3).tip == 3
    assert SOME.with_current(3).with_current(1).next_state(2) == 3
    assert SOME.with_current(4).with_current(2).tip == 6, "the newest, as 2 is on another branch"


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
    assert SOME.subtree(2) == (2, 3, 5, 6)
    assert SOME.without_states(SOME.subtree(5), 1) == Branches((0, 1, 2, 1), 4, {3: "x", 4: "y"})
    assert SOME.without_states(SOME.subtree(2), 1) == Branches((0, 1), 2, {2: "y"})
    assert SOME.without_states((), 0) == SOME


def test_names_are_one_line_and_not_too_long():
    assert SOME.with_name(1, " a\n b ").names == {1: "a b", 3: "x", 4: "y"}
    assert SOME.with_name(3, "").names == {4: "y"}
    assert len(SOME.with_name(1, "n" * 500).names[1]) == LONGEST_NAME


@pytest.mark.parametrize("seed", range(20))
def test_any_tree_that_grows_and_is_cut(seed):
    """Compared with parents by name instead of number."""
    rng = np.random.default_rng(seed)
    branches, parents, names = Branches(), {}, ["root"]
    position = 0
    for step in range(60):
        what = rng.integers(3)
        if what == 0 and position:
            others = [s for s in range(1, len(names)) if s not in branches.path(position)]
            if others:
                gone = branches.subtree(int(rng.choice(others)))
                here = names[position]
                names = [name for s, name in enumerate(names) if s not in gone]
                branches = branches.without_states(gone, position)
                position = names.index(here)
        elif what == 1:
            position = int(rng.integers(len(names)))
            branches = branches.with_current(position)
        else:
            parents[f"{step}"] = names[position]
            names.append(f"{step}")
            branches = branches.with_child(position)
            position = len(branches)
        assert [names[s] for s in branches.after] == [parents[name] for name in names[1:]]
        assert branches.path(branches.tip)[: len(branches.path(position))] == branches.path(
            position
        )
        assert sorted(s for s, comes in branches.walk() if comes) == list(range(1, len(names)))


def test_a_line_is_one_group():
    tree = StateTree(Branches.linear(3))
    assert (tree.group, tree.row) == ([TOP] * 4, [0, 1, 2, 3])
    assert not any(map(tree.begins_branch, range(4)))
    assert [tree.next(state) for state in range(4)] == [1, 2, 3, -1]
    assert tree.order() == [0, 1, 2, 3]


def test_all_states_that_follow_one_are_branches_below_it():
    #  0 - 1 - 2 - 3
    #   |   |   `- 5 - 6
    #   |   `- 4
    #   `- 7
    tree = StateTree(Branches((0, 1, 2, 1, 2, 5, 0), 7))
    assert tree.group == [TOP, 0, 1, 2, 1, 2, 2, 0]
    assert tree.order() == [0, 1, 2, 3, 5, 6, 4, 7]
    assert [state for state in range(8) if tree.begins_branch(state)] == [1, 2, 3, 4, 5, 7]
    assert [state for state in range(8) if tree.branch_after(state)] == [1, 2, 3]
    assert [tree.next(state) for state in (5, 6, 1)] == [6, -1, -1]


@pytest.mark.parametrize("seed", range(10))
def test_every_state_has_a_place_and_is_below_what_it_follows(seed):
    rng = np.random.default_rng(seed)
    branches = Branches()
    for count in range(40):
        branches = branches.with_child(int(rng.integers(count + 1)))
    tree = StateTree(branches)
    assert sorted(tree.order()) == [*range(41)]
    place = {state: at for at, state in enumerate(tree.order())}
    for state in range(1, 41):
        parent = branches.parent(state)
        assert place[parent] < place[state]
        if not tree.begins_branch(state):
            assert (tree.next(parent), place[state]) == (state, place[parent] + 1)
        assert tree.children[tree.group[state]][tree.row[state]] == state
