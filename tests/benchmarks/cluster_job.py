"""Run a command on a cluster of this machine; print as JSON the resources of its processes.

These are the peak memory of any process, and the seconds in which Dask's processes were started and
ended, which do not depend on the length of the job.

``python -m tests.benchmarks.cluster_job prune … --cluster local:2``
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from pruneapp.__main__ import main
from pruneapp.cluster.connection import Cluster, LocalWorkers


def peak_mb() -> float:
    """Return the peak resident memory of this process, in millions of bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def run() -> int:
    peaks: dict[str, float] = {}
    at: dict[str, float] = {}

    def noting(kind: type, name: str, before: str, after: str) -> None:
        call: Callable[..., Any] = getattr(kind, name)

        def noted(its: Any, *arguments: Any, **more: Any) -> Any:
            if name == "close":  # the last moment at which the workers exist
                peaks.update(its.client.run(peak_mb))
            at.setdefault(before, time.perf_counter())
            result = call(its, *arguments, **more)
            at[after] = time.perf_counter()
            return result

        setattr(kind, name, noted)

    noting(LocalWorkers, "start", "start", "")
    noting(Cluster, "__init__", "", "started")
    noting(Cluster, "close", "end", "")
    noting(LocalWorkers, "join", "", "ended")
    status = main(sys.argv[1:])
    processes = at["started"] - at["start"] + at["ended"] - at["end"]
    answer = {"client": peak_mb(), "worker": max(peaks.values()), "processes": processes}
    sys.stdout.write(json.dumps(answer) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(run())
