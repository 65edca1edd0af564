"""What the exit status of a command says, and how a command fails."""

from __future__ import annotations

import sys

import pruneapp
from pruneapp.errors import escaped

DONE, DIFFERENT, USAGE_ERROR, DEFECT, INTERRUPTED = 0, 1, 2, 3, 130

EXIT_STATUS = (
    "Exit status: 0 done, or yes; 1 no: a difference was found; 2 something that you can fix, "
    "said in a sentence on standard error; 3 a defect of Pruneapp; 130 interrupted. A closed "
    "output, or a pipe whose reader has gone, changes neither the work nor its status."
)


def fail(sentence: str, status: int = USAGE_ERROR) -> int:
    """Print a sentence on standard error, and what it lists; returns the exit status for it."""
    lines = "\n".join(map(escaped, sentence.split("\n")))
    sys.stderr.write(f"pruneapp: {lines}\n")
    return status


def defect() -> int:
    """Print the traceback of what is being handled, and where to report it; returns the status."""
    import traceback  # not for those who need none

    traceback.print_exc()
    return fail(
        f"This is a defect of Pruneapp {pruneapp.__version__}, and not your fault. Please report "
        f"it with the lines above at {pruneapp.ISSUES}.",
        DEFECT,
    )
