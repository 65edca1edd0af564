"""Generate the tables of docs/scale.md: estimated costs of runs on larger clusters than tested.

    .venv/bin/python packaging/scale.py          write them
    .venv/bin/python packaging/scale.py --check  check them; exit status 1 if stale

A run consists of passes over units of work. `expected` is the formula of the page; `simulated`
simulates the same run unit by unit, with workers of different speed, to show how accurate the
formula is. Both use rates measured on one machine.
"""

from __future__ import annotations

import heapq
import math
import random
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reference import ROOT, write

PAGE = ROOT / "docs" / "scale.md"
GB = 1e9
WORKERS = (1, 4, 16, 64, 256)
CORES = 8  # per worker; the engine uses as many threads


@dataclass(frozen=True)
class Rates:
    """Measured rates of one core, in bytes of the model per second.

    Attributes
    ----------
    count
        A counting pass, which uses all cores of a worker.
    finish
        A pass that reads, prunes, hashes, writes and compares a shard, which uses one core.
    task
        Seconds of the client and the scheduler per unit.
    start
        Seconds until the first unit begins: headers, versions, planning.
    """

    count: float
    finish: float
    task: float
    start: float


@dataclass(frozen=True)
class Storage:
    """Storage of the shards, with rates in bytes per second: per worker, and for all together."""

    name: str
    read: float
    write: float
    all_reads: float = math.inf
    all_writes: float = math.inf
    latency: float = 0.0  # seconds until the first byte of a unit


@dataclass(frozen=True)
class Model:
    """A model in shards of equal size, with two bytes per parameter."""

    name: str
    parameters: float
    shards: int

    @property
    def nbytes(self) -> float:
        """Bytes of the weights."""
        return 2 * self.parameters


@dataclass(frozen=True)
class Pass:
    """One pass over a model.

    Attributes
    ----------
    units
        Number of units, each processed by one worker.
    compute
        Bytes of the model per second and worker, without waiting for storage.
    reads, writes
        Bytes transferred per byte of the model; reading back written data counts as reading.
    """

    name: str
    units: int
    compute: float
    reads: float
    writes: float


@dataclass(frozen=True)
class Run:
    """A measured run: kind of step, workers, and the seconds of each repetition."""

    counted: bool
    workers: int
    seconds: tuple[float, ...]


@dataclass(frozen=True)
class Estimate:
    """The estimated seconds of a run, and the bottleneck of its longest pass."""

    seconds: float
    limit: str


UNIT = 256e6
MESSAGE = 8 * 1024  # bytes of the counts of a unit, for a bracket after sampling

# Counting is from the stages of the whole job in docs/performance.md; finishing from the medians of
# `RUNS` with one worker, minus the start; the start from `bench cluster`. The time per task was not
# measured.
RATES = Rates(count=1.2e9, finish=0.62e9, task=0.003, start=1.2)
# Cores of the machine of `RUNS`, and cores used by a worker that finishes a shard: one thread
# writes, one compares, one hashes.
MACHINE_CORES, FINISH_CORES = 2, 1.5
STORAGES = (
    Storage("NVMe in each worker", 3 * GB, 1.5 * GB),
    Storage("NFS, 1 GB/s", 1 * GB, 1 * GB, 1 * GB, 1 * GB),
    Storage("S3, 10 Gbit/s a worker", 1.1 * GB, 1.1 * GB, latency=0.05),
)
MODELS = (
    Model("7 B", 7e9, 3),
    Model("70 B", 70e9, 30),
    Model("670 B", 670e9, 163),
    Model("5 T", 5e12, 1200),
)


# The model of `bench cluster`, and measured times of consecutive runs on an idle machine.
TRIED = Model("4 GB", 4.295e9 / 2, 8)
RUNS = (
    Run(counted=True, workers=1, seconds=(8.6, 8.7, 9.4)),
    Run(counted=True, workers=2, seconds=(6.5, 6.6, 6.9)),
    Run(counted=True, workers=4, seconds=(7.7, 7.8, 7.9)),
    Run(counted=False, workers=1, seconds=(8.9, 9.1, 9.2)),
    Run(counted=False, workers=2, seconds=(6.9, 7.0, 7.1)),
    Run(counted=False, workers=4, seconds=(7.6, 7.7, 8.0)),
)


def passes(model: Model, rates: Rates, cores: int, *, counted: bool) -> tuple[Pass, ...]:
    """Return the passes of a step; `counted` if it has one threshold for all tensors."""
    last = Pass("write", model.shards, rates.finish, 2, 1)
    if not counted:
        return (last,)
    units = max(math.ceil(model.nbytes / UNIT), model.shards)
    return (Pass("count", units, rates.count * cores, 1, 0), last)


def expected(
    model: Model, workers: int, storage: Storage, rates: Rates, *, counted: bool, cores: int = CORES
) -> Estimate:
    seconds, longest = rates.start, Estimate(0.0, "")
    for each in passes(model, rates, cores, counted=counted):
        busy = min(workers, each.units)
        rounds = math.ceil(each.units / busy)  # workers may be idle in the last round
        share = model.nbytes / each.units * rounds  # bytes of the busiest worker
        times = {
            "cores of a worker": share / each.compute,
            "storage of a worker": share * (each.reads / storage.read + each.writes / storage.write)
            + rounds * storage.latency,
            "storage together": model.nbytes
            * (each.reads / storage.all_reads + each.writes / storage.all_writes),
            "scheduler": each.units * rates.task,
        }
        limit = max(times, key=lambda name: times[name])
        took = times[limit]
        if workers > each.units and limit in {"cores of a worker", "storage of a worker"}:
            limit = "shards"
        seconds += took
        if took > longest.seconds:
            longest = Estimate(took, limit)
    return Estimate(seconds, longest.limit)


def simulated(
    model: Model,
    workers: int,
    storage: Storage,
    rates: Rates,
    seed: int = 0,
    *,
    counted: bool,
    cores: int = CORES,
) -> float:
    """Return the seconds of a run simulated unit by unit.

    Worker speeds have a standard deviation of 10 %, one in twenty is half as fast, and a unit
    begins when the scheduler has assigned it. Shared storage is divided equally among active
    workers.
    """
    draw = random.Random(seed)  # noqa: S311 - not for security
    slow = [0.5 if draw.random() < 0.05 else 1.0 for _ in range(workers)]
    speeds = [factor * max(draw.gauss(1, 0.1), 0.5) for factor in slow]
    now = rates.start
    for each in passes(model, rates, cores, counted=counted):
        now += _play(each, model.nbytes / each.units, speeds, storage, rates.task)
    return now


def _play(each: Pass, size: float, speeds: Sequence[float], storage: Storage, task: float) -> float:
    """Simulate one pass; return its seconds."""
    own = each.reads / storage.read + each.writes / storage.write
    shared = each.reads / storage.all_reads + each.writes / storage.all_writes
    free = [(0.0, number) for number in range(len(speeds))]
    heapq.heapify(free)
    given = link = 0.0  # when the scheduler, and the shared storage, are free again
    for _ in range(each.units):
        at, number = heapq.heappop(free)
        given = max(given, at) + task
        alone = max(size / each.compute, size * own + storage.latency) / speeds[number]
        # Shared storage serves units in order: the last one ends when it would if all were served
        # at once.
        link = max(link, given) + size * shared
        heapq.heappush(free, (max(given + alone, link), number))
    return max(at for at, _ in free)


def _on_two_cores(workers: int, *, counted: bool) -> tuple[float, float]:
    """Return the seconds of the measured run by the formula, and the median of ten simulations."""
    # Workers on one machine share its cores.
    share = min(1.0, MACHINE_CORES / (FINISH_CORES * workers))
    rates = replace(RATES, finish=RATES.finish * share)
    # With more workers than cores each has a fraction of a core for counting.
    rates = replace(rates, count=rates.count / workers)
    disk = Storage("in the page cache", math.inf, math.inf)
    said = expected(TRIED, workers, disk, rates, counted=counted, cores=MACHINE_CORES).seconds
    plays = [
        simulated(TRIED, workers, disk, rates, seed, counted=counted, cores=MACHINE_CORES)
        for seed in range(10)
    ]
    return said, sorted(plays)[len(plays) // 2]


def runs() -> Iterator[str]:
    """Yield the table of measured runs, with formula and simulation."""
    rows = []
    for run in RUNS:
        said, played = _on_two_cores(run.workers, counted=run.counted)
        took = sorted(run.seconds)
        middle = statistics.median(took)
        rows.append(
            (
                "L1, one threshold" if run.counted else "2:4, within tensors",
                f"{run.workers}",
                f"{said:.1f} s",
                f"{played:.1f} s",
                f"{middle:.1f} s",
                f"{took[0]:.1f} to {took[-1]:.1f} s",
                f"{middle / said:.2f}",
            )
        )
    head = ("step", "workers", "formula", "play", "measured", "least to most", "ratio")
    yield from _table(head, rows)


def words(seconds: float) -> str:
    """Return a duration with two digits: ``41 s``, ``6.5 min``, ``2.3 h``."""
    for unit, length in (("h", 3600), ("min", 60), ("s", 1)):
        if seconds >= 1.5 * length or length == 1:
            value = seconds / length
            return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"
    raise AssertionError


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    for row in (head, ["-" * width for width in widths], *rows):
        yield (
            "| "
            + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            + " |"
        )


def _bytes(count: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:,.3g} {unit}"
    return f"{count:,.0f} B"


def costs() -> Iterator[str]:
    """Yield the table of the data transferred by a global step."""
    rows = []
    for model in MODELS:
        count, last = passes(model, RATES, CORES, counted=True)
        rows.append(
            (
                model.name,
                f"{model.shards:,}",
                _bytes(model.nbytes * (count.reads + last.reads)),
                _bytes(model.nbytes * last.writes),
                f"{count.units + last.units:,}",
                _bytes(count.units * MESSAGE),
            )
        )
    yield from _table(("model", "shards", "read", "written", "units", "exchanged"), rows)


def times(*, counted: bool) -> Iterator[str]:
    """Yield the table of durations, with their bottlenecks."""
    rows = []
    for model in MODELS:
        for storage in STORAGES:
            cells = [model.name, storage.name]
            for workers in WORKERS:
                found = expected(model, workers, storage, RATES, counted=counted)
                cells.append(f"{words(found.seconds)}, {found.limit}")
            rows.append(cells)
    yield from _table(("model", "storage", *(f"{n:,}" for n in WORKERS)), rows)


def differences() -> Iterator[str]:
    """Yield the table of the formula compared with ten simulations of each run."""
    rows = []
    for storage in STORAGES:
        for workers in WORKERS:
            ratios = sorted(
                simulated(model, workers, storage, RATES, seed, counted=True)
                / expected(model, workers, storage, RATES, counted=True).seconds
                for model in MODELS
                for seed in range(10)
            )
            middle = ratios[len(ratios) // 2]
            rows.append(
                (
                    storage.name,
                    f"{workers:,}",
                    f"{ratios[0]:.2f}",
                    f"{middle:.2f}",
                    f"{ratios[-1]:.2f}",
                )
            )
    yield from _table(("storage", "workers", "least", "median", "most"), rows)


TABLES = {
    "runs": runs,
    "costs": costs,
    "times of a global step": lambda: times(counted=True),
    "times of a step within tensors": lambda: times(counted=False),
    "differences": differences,
}


def page() -> str:
    """Return the page with new tables."""
    text = PAGE.read_text(encoding="utf-8")
    for name, table in TABLES.items():
        before, rest = text.split(f"<!-- {name} -->\n")
        _, after = rest.split("<!-- end -->", 1)
        text = "\n".join((f"{before}<!-- {name} -->", *table(), f"<!-- end -->{after}"))
    return text


if __name__ == "__main__":
    sys.exit(write({PAGE: page()}, __file__, sys.argv[1:]))
