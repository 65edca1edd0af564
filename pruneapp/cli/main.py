"""What each command does; the same way that the window goes: open, select, preview, export."""

from __future__ import annotations

import argparse
import sys

from pruneapp.cli.arguments import in_flags
from pruneapp.cli.parser import COMMANDS
from pruneapp.cli.terminal import Interrupts, fail, nowhere
from pruneapp.errors import PruneAppError, words_of
from pruneapp.progress import Cancelled


def main(options: argparse.Namespace) -> int:
    """Run a command; returns its exit status, see `EXIT_STATUS`. A defect of ours is raised."""
    interrupts = Interrupts()
    try:
        with interrupts.watched() as token:
            return COMMANDS[options.command].run(options, token)
    except (Cancelled, KeyboardInterrupt):
        return fail("Interrupted.", interrupts.status)
    except PruneAppError as error:
        return fail(in_flags(str(error), options))
    except MemoryError:
        return fail(
            "There is not enough memory for this. Close other programs, or use a larger machine."
        )
    except OSError as error:
        if error.filename is not None:
            return fail(
                f"'{error.filename}' cannot be used: {words_of(error)}. Check the path and your "
                "permissions."
            )
        if error.errno is None:
            raise  # not of the system
        # A full disk, say: files have names, so it is what was printed.
        nowhere(sys.stdout.fileno())
        return fail(f"The output could not be written: {words_of(error)}.")
