"""Fixtures of the journeys."""

from __future__ import annotations

import pytest


@pytest.fixture
def at_work(person, file):
    """Return the user at a window with `file` open and its preview shown."""
    person.drop(file)
    person.wait_open(file)
    person.wait_preview()
    return person
