"""A screen in memory, for a window that the system really shows."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

PROGRAM = "Xvfb"


def is_there() -> bool:
    """Return whether the program that makes such a screen is installed."""
    return shutil.which(PROGRAM) is not None


@contextmanager
def screen(size: tuple[int, int]) -> Iterator[dict[str, str]]:
    """Give the environment variables of a screen, and end it.

    Parameters
    ----------
    size
        Width and height in pixels.

    Raises
    ------
    RuntimeError
        No screen came to be.
    """
    width, height = size
    reading, writing = os.pipe()
    # Without -noreset the server begins anew whenever its last client leaves, be it one that looks
    # for windows: who connects in that moment is refused (1 start of 36 on a busy machine; with it
    # none of 400).
    kind = ["-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(
        [PROGRAM, "-displayfd", str(writing), *kind],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        if not number:
            raise RuntimeError(f"{PROGRAM} told no number of a screen")
        yield {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
    finally:
        server.terminate()
        server.wait(10)
