"""Helpers that wait for a command in another process."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable
from pathlib import Path

# Maximum number of checks; every condition normally takes less than a second.
_LOOKS = 3_000
_BETWEEN = 0.01


def until(process: subprocess.Popen, state: str, reached: Callable[[], bool]) -> None:
    """Wait until a process reaches a state; fail if it ends before, or never reaches it."""
    for _ in range(_LOOKS):
        if reached():
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = process.wait(_BETWEEN)
            raise AssertionError(f"ended with {status} before {state}: {process.communicate()}")
    process.kill()
    raise AssertionError(f"never {state}: {process.communicate()}")


def read_by(process: subprocess.Popen) -> int:
    """Return the number of bytes that a process has read, from /proc (Linux only)."""
    report = dict(
        line.split(": ") for line in Path(f"/proc/{process.pid}/io").read_text().splitlines()
    )
    return int(report["rchar"])
