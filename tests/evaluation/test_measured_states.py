"""Sequences of measured states."""

from __future__ import annotations

from pruneapp.document.history import Branches
from pruneapp.evaluation.metric import measured_ancestors


def test_a_state_is_joined_to_its_nearest_measured_ancestor():
    #  0 - 1 - 2 - 3 - 4
    #   `- 5
    branches = Branches((0, 1, 2, 3, 0), 5)
    assert measured_ancestors(branches, 6, range(6)) == [-1, 0, 1, 2, 3, 0]
    assert measured_ancestors(branches, 6, {0, 2, 4}) == [-1, 0, 0, 2, 2, 0]
    assert measured_ancestors(branches, 6, {2, 5}) == [-1, -1, -1, 2, 2, -1]
