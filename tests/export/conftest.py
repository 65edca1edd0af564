"""Fixtures for tests of exports, in addition to `source_of`."""

from __future__ import annotations

import pytest

from tests.support.containers import SOURCES


@pytest.fixture(params=SOURCES)
def container(request) -> str:
    return request.param
