"""Groups of measured states."""

from __future__ import annotations

from pruneapp.document.history import Branches
from pruneapp.evaluation.metric import measured_ancestors


def test_a_state_is_made_of_the_nearest_one_that_its_own_kind_of_step_led_from():
    #  0 - LAMP - LAMP - Repair - LAMP
    #   `- LAMP
    branches = Branches((0, 1, 2, 3, 0), 5)
    kinds = ["", "LAMP", "LAMP", "Repair", "LAMP", "LAMP"]
    assert measured_ancestors(branches, kinds, range(6)) == [-1, 0, 1, -1, -1, 0]
    assert measured_ancestors(branches, kinds, {0, 2, 4}) == [-1, 0, 0, -1, -1, 0]
    assert measured_ancestors(branches, kinds, {2, 5}) == [-1, -1, -1, -1, -1, -1]
