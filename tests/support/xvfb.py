"""An X server in memory, for tests that show a real window."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

PROGRAM = "Xvfb"


def is_there() -> bool:
    """Return whether Xvfb is installed."""
    return shutil.which(PROGRAM) is not None


@contextmanager
def screen(size: tuple[int, int]) -> Iterator[dict[str, str]]:
    """Start an X server, yield its environment variables, and stop it.

    Parameters
    ----------
    size
        Width and height in pixels.

    Raises
    ------
    RuntimeError
        If the server does not start.
    """
    width, height = size
    reading, writing = os.pipe()
    # Without -noreset the server resets when its last client disconnects, even a window query: a
    # client that connects at that moment is refused (1 start of 36 on a busy machine; with it none
    # of 400).
    kind = ["-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(
        [PROGRAM, "-displayfd", str(writing), *kind], pass_fds=[writing], stderr=subprocess.DEVNULL
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
