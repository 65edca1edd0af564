"""Commands, run in the process of the test."""

from __future__ import annotations

import pytest

from pruneapp.__main__ import main


@pytest.fixture
def call(capfd):
    """Run a command; returns status, standard output and standard error."""

    def run(*arguments):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = end.code
        return status, *capfd.readouterr()

    return run
