"""Watching a command that runs in a process of its own."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable
from pathlib import Path

# Looks at a condition; what every one of them waits for takes less than a second.
_LOOKS = 3_000
_BETWEEN = 0.01


def until(process: subprocess.Popen, state: str, reached: Callable[[], bool]) -> None:
    """Return once a process is in a state; fails if it ends before, or never comes there."""
    for _ in range(_LOOKS):
        if reached():
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = process.wait(_BETWEEN)
            raise AssertionError(f"ended with {status} before {state}: {process.communicate()}")
    process.kill()
    raise AssertionError(f"never {state}: {process.communicate()}")


def read_by(process: subprocess.Popen) -> int:
    """How many bytes a process has read in all; Linux tells it."""
    told = dict(
        line.split(": ") for line in Path(f"/proc/{process.pid}/io").read_text().splitlines()
    )
    return int(told["rchar"])
