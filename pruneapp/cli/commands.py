"""What each command does; the same way that the window goes: open, select, preview, export."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from pruneapp.cli.options import fail
from pruneapp.cli.terminal import INTERRUPTED, Interrupts
from pruneapp.errors import PruneAppError, words_of
from pruneapp.progress import Cancelled, CancelToken


def main(options: argparse.Namespace) -> int:
    """Run a command; returns the exit status: 0, 2 for what the person can mend, 130.

    ``diff`` and ``check`` have a status of their own besides: 1 where two checkpoints differ, or a
    pattern is broken.
    """
    interrupts = Interrupts()
    try:
        with interrupts.watched() as token:
            return _command(options.command)(options, token)
    except Cancelled:
        return interrupts.status
    except KeyboardInterrupt:
        return INTERRUPTED
    except PruneAppError as error:
        return fail(str(error))
    except BrokenPipeError:
        # Whoever read our output has read enough, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.filename is not None:
            return fail(f"'{error.filename}' cannot be used: {words_of(error)}.")
        # A full disk, say: files have names, so it is what was printed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return fail(f"The output could not be written: {words_of(error)}.")


def _command(name: str) -> Callable[[argparse.Namespace, CancelToken], int]:
    if name == "check":
        from pruneapp.cli.check import check

        return check
    if name == "diff":
        from pruneapp.cli.diff import diff

        return diff
    if name == "inspect":
        from pruneapp.cli.inspect import inspect

        return inspect
    if name == "methods":
        from pruneapp.cli.methods import methods

        return methods
    if name == "run":
        from pruneapp.cli.run import run

        return run
    if name == "verify":
        from pruneapp.cli.verify import verify

        return verify
    if name == "expand":
        from pruneapp.cli.expand import expand

        return expand
    if name == "sizes":
        from pruneapp.cli.sizes import sizes

        return sizes
    from pruneapp.cli.prune import prune

    return prune
