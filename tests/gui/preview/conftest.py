"""Fixtures for tests of the preview."""

from contextlib import contextmanager

import pytest
from PySide6.QtTest import QTest

from pruneapp.gui.preview import live_preview


@pytest.fixture
def no_exact_preview(monkeypatch):
    """Return a context manager in which no exact preview ends."""

    def wait(*_args, **_keys):
        job = _args[3]
        while True:
            job.step(0)
            QTest.qSleep(5)

    @contextmanager
    def hold():
        with monkeypatch.context() as patch:
            patch.setattr(live_preview, "compute_preview", wait)
            yield

    return hold
