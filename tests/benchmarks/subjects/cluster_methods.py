"""Every method on a folder of 4 GB: 1, 2 and 4 workers write the bytes of one machine."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

from pruneapp.methods import registry
from pruneapp.methods.method import CoupledMethod
from pruneapp.params import STATISTICS
from tests.benchmarks.benchmark import AtLeast, Ground, Line, Subject
from tests.benchmarks.interaction import write_statistics
from tests.benchmarks.subjects import job
from tests.benchmarks.subjects.cluster import WORKERS, on_cluster, same

SHARDS = 8
# Exchanges of weights, and distances of 4,096 filters, take half a minute and more for each matrix.
_TOO_LONG = frozenset({"swaps", "swaps_n_m", "fpgm"})


def _methods() -> list[str]:
    """Return the methods for a matrix without a model around it."""
    methods = [m for m in map(registry.get, registry.METHODS) if m.name not in _TOO_LONG]
    return [
        method.name
        for method in methods
        if not (method.takes_mask or method.takes_scale or isinstance(method, CoupledMethod))
    ]


def measure(ground: Ground) -> Iterator[Line]:
    source = ground.model("cluster")
    statistics = write_statistics(ground.folder / "cluster.statistics.safetensors", source)
    local, target = ground.folder / "local", ground.folder / "target"
    for name in _methods():
        method, words = registry.get(name), ["--method", name]
        if any(param.name == "amount" for param in method.params):
            words += ["--amount", "0.5"]
        if STATISTICS in method.params:
            words += ["--statistics", str(statistics)]
        found = 0
        shutil.rmtree(local, ignore_errors=True)
        job.prune(ground, source, local, *words)
        for count in WORKERS:
            on_cluster(ground, source, target, words, count)
            found += same(local, target)
            shutil.rmtree(target)
        sys.stderr.write(f"{name}: {found} shards of {SHARDS * len(WORKERS)}\n")  # it takes long
        bound = AtLeast(SHARDS * len(WORKERS))
        yield Line("4 GB float32, 1, 2, 4 workers", name, found, "", bound=bound)
    shutil.rmtree(local)
    ground.forget("cluster")


SUBJECT = Subject(
    "cluster-methods",
    "Every method on a cluster",
    measure,
    "How many of the eight shards that each count of workers wrote are those of one process, byte "
    "for byte. Methods for parts of models have none in these 64 matrices, and swaps and FPGM take "
    "hours: the tests have them all, smaller.",
    on_request=True,
)
