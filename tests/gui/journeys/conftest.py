"""Fixtures of the journeys."""

from __future__ import annotations

import pytest


@pytest.fixture
def at_work(user, file):
    """Return the user at a window with `file` open and its preview shown."""
    user.drop(file)
    user.wait_open(file)
    user.wait_preview()
    return user
