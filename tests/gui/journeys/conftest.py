"""Somebody who has begun to work."""

from __future__ import annotations

import pytest


@pytest.fixture
def at_work(person, file):
    """A file is open, and its numbers are there."""
    person.drop(file)
    person.wait_open(file)
    person.wait_preview()
    return person
