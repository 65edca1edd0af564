"""Commands that run in the process of the test."""

from __future__ import annotations

import pytest

from pruneapp.__main__ import main


@pytest.fixture
def call(capfd):
    """Provide a function that runs a command; it returns status, standard output and error."""

    def run(*arguments):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = end.code
        return status, *capfd.readouterr()

    return run


@pytest.fixture
def refused(call):
    """Provide a function that runs a command that must fail; it returns the message.

    That is a line, and below it perhaps a list.
    """

    def run(*arguments):
        status, out, err = call(*arguments)
        assert (status, out) == (2, ""), (out, err)
        assert err.startswith("pruneapp")
        assert all(line.startswith("  ") for line in err.splitlines()[1:]), err
        return err

    return run
