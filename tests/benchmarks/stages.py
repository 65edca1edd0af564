"""Run ``pruneapp prune`` and record when each stage began.

``python -m tests.benchmarks.stages BEGAN ARGUMENT ...`` runs it with these arguments. BEGAN is the
start of the process by the system clock; prints the seconds of each stage as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from pruneapp.__main__ import main

STAGES = {"open_checkpoint": "open", "state_after": "find", "write_export": "export"}


def run(began: float, arguments: list[str]) -> int:
    import pruneapp.cli.prune as command

    taken = {"start": 0.0, **dict.fromkeys(STAGES.values(), 0.0)}
    entered: list[float] = []

    def watched(function: Callable[..., Any], stage: str) -> Callable[..., Any]:
        def call(*values: Any, **named: Any) -> Any:
            before = time.monotonic()
            entered.append(before)
            try:
                return function(*values, **named)
            finally:
                taken[stage] += time.monotonic() - before

        return call

    for name, stage in STAGES.items():
        setattr(command, name, watched(getattr(command, name), stage))
    status = main(arguments)
    taken["start"] = entered[0] - began
    taken["ended"] = time.monotonic() - began
    sys.stdout.write("\n" + json.dumps(taken) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(run(float(sys.argv[1]), sys.argv[2:]))
