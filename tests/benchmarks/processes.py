"""Run programs in fresh processes; measure time from start to exit and peak memory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.models import ROOT

LIMIT_S = 900


@dataclass(frozen=True)
class Ran:
    """The result of running a program.

    Attributes
    ----------
    seconds
        From just before its start until it had exited.
    peak_mb
        Its peak resident memory, in millions of bytes. A new process inherits the peak of its
        parent, so the parent must stay small.
    output
        Its standard output.
    """

    seconds: float
    peak_mb: float
    output: str

    @property
    def answer(self) -> Any:
        """Return the last line of the output, parsed as JSON."""
        return json.loads(self.output.strip().splitlines()[-1])


def run_python(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> Ran:
    """Run the Python interpreter with new settings and caches in `folder`.

    They are deleted first: the window restores the kept history and the settings of a file that
    another benchmark opened.

    Raises
    ------
    RuntimeError
        If it fails.
    """
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    own = {
        name: str(home / name.lower())
        for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
    }
    errors = folder / "errors.txt"
    with errors.open("w") as stream:
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env={**_surroundings(), **own, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=stream,
            text=True,
        )
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
    if process.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{errors.read_text()[-4000:]}")
    return Ran(seconds, usage.ru_maxrss * 1024 / 1e6, output)


def _surroundings() -> dict[str, str]:
    """Return the environment of an installed program, which has compiled modules."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "QT_QPA_PLATFORM": "offscreen"}
