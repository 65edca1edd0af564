"""Standard output and error that nobody has to listen to.

Whoever reads our output may have read enough (``| head``), and either may be closed from the
beginning (``>&-``). That changes neither the work nor its status: what is said goes nowhere then.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TextIO

# What the system says of a pipe that nobody reads, and of a file that cannot be written to at all.
_CLOSED = {errno.EPIPE, errno.EBADF, errno.ESHUTDOWN}


class _Ignored(io.FileIO):
    """A file that takes everything, also once nobody reads it any more."""

    def write(self, data: object, /) -> int:
        """Write bytes, or forget them."""
        try:
            return super().write(data)  # type: ignore[arg-type]  # whatever the buffer hands over
        except OSError as error:
            if error.errno not in _CLOSED:
                raise
            nowhere(self.fileno())
            return super().write(data)  # type: ignore[arg-type]  # as above


def nowhere(number: int) -> None:
    """Let what is written to a file descriptor vanish."""
    empty = os.open(os.devnull, os.O_RDWR)
    if empty != number:
        os.dup2(empty, number)
        os.close(empty)


def stand_in() -> None:
    """Put such files in the place of standard output and error, and what is closed to nowhere.

    Else the next file that is opened would get the number of standard output, and take its words.
    What a terminal or a pipe has no characters for is written with backslashes.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            nowhere(number)
    sys.stdout = _patient(sys.stdout, 1)
    sys.stderr = _patient(sys.stderr, 2)


def finish() -> OSError | None:
    """Hand on what is still kept; returns why it could not be, if so, and lets it vanish."""
    trouble = None
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        try:
            stream.flush()
        except OSError as error:  # a full disk, say
            trouble = error
            nowhere(number)
    return trouble


def _patient(old: TextIO | None, number: int) -> TextIO:
    raw = _Ignored(number, "w", closefd=False)
    at_once = number == 2 or raw.isatty()
    encoding = (old.encoding if old is not None else "") or "utf-8"
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=at_once
    )
