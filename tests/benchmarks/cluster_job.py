"""A command on a cluster of this machine; prints as JSON the most memory that its processes took.

``python -m tests.benchmarks.cluster_job prune … --cluster local:2``
"""

from __future__ import annotations

import json
import resource
import sys

from pruneapp.__main__ import main
from pruneapp.cluster.connection import Cluster


def peak_mb() -> float:
    """Return the most memory that this process had resident, in millions of bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def run() -> int:
    peaks: dict[str, float] = {}
    close = Cluster.close

    def closed(cluster: Cluster) -> None:
        peaks.update(cluster.client.run(peak_mb))
        close(cluster)

    Cluster.close = closed  # type: ignore[method-assign]  # the last moment at which they are there
    status = main(sys.argv[1:])
    sys.stdout.write(json.dumps({"client": peak_mb(), "worker": max(peaks.values())}) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(run())
