"""Write the tables of docs/scale.md: what runs on a cluster cost, beyond what was tried.

    .venv/bin/python packaging/scale.py          write them
    .venv/bin/python packaging/scale.py --check  say whether they are stale; exit status 1 if so

A run is passes over units of work. `expected` is the model of the page, a formula; `simulated`
plays the same run unit by unit, with workers that are not all alike, and says how far the formula
can be trusted. Both take rates that were measured on one machine.
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
CORES = 8  # of a worker; the engine uses as many threads


@dataclass(frozen=True)
class Rates:
    """What one core was measured to do, in bytes of the model per second.

    Attributes
    ----------
    count
        A pass that counts, which uses all cores of a worker.
    finish
        One that reads, strikes out zeros, hashes, writes and compares a shard, which uses one.
    task
        Seconds of the client and the scheduler for one unit.
    start
        Seconds until the first unit begins: headers, versions, the plan.
    """

    count: float
    finish: float
    task: float
    start: float


@dataclass(frozen=True)
class Storage:
    """Where the shards are, in bytes per second: for one worker, and for all of them together."""

    name: str
    read: float
    write: float
    all_reads: float = math.inf
    all_writes: float = math.inf
    latency: float = 0.0  # seconds before the first byte of a unit


@dataclass(frozen=True)
class Model:
    """A model in shards of one size; parameters of two bytes."""

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
        How many units it has, each done by one worker.
    compute
        Bytes of the model that a worker does in a second if no storage keeps it waiting.
    reads, writes
        Bytes moved for each byte of the model; what is read back is no read of the model, but
        comes from the same storage.
    """

    name: str
    units: int
    compute: float
    reads: float
    writes: float


@dataclass(frozen=True)
class Run:
    """A run that was made: its step, workers, and seconds, each time."""

    counted: bool
    workers: int
    seconds: tuple[float, ...]


@dataclass(frozen=True)
class Estimate:
    """How long a run takes in seconds, and what limits its longest pass."""

    seconds: float
    limit: str


UNIT = 256e6
MESSAGE = 8 * 1024  # bytes of the counts of a unit: those of a bracket, after a sample

# Counting from the stages of the whole job in docs/performance.md; finishing from the medians of
# `RUNS` with one worker, less the start; the start from `bench cluster`. What a task takes was not
# measured.
RATES = Rates(count=1.2e9, finish=0.62e9, task=0.003, start=1.2)
# Of the machine of `RUNS`, and those that a worker takes that finishes a shard: one thread writes,
# one compares, one hashes.
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


# What `bench cluster` runs, and what it took, in turn, on a machine that did nothing else.
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
    """Return the passes of a step: with one threshold for all that has to be `counted`, or none."""
    last = Pass("write", model.shards, rates.finish, 2, 1)
    if not counted:
        return (last,)
    units = max(math.ceil(model.nbytes / UNIT), model.shards)
    return (Pass("count", units, rates.count * cores, 1, 0), last)


def expected(
    model: Model, workers: int, storage: Storage, rates: Rates, *, counted: bool, cores: int = CORES
) -> Estimate:
    """Return what the model of the page says."""
    seconds, longest = rates.start, Estimate(0.0, "")
    for each in passes(model, rates, cores, counted=counted):
        busy = min(workers, each.units)
        rounds = math.ceil(each.units / busy)  # the last round may leave workers idle
        share = model.nbytes / each.units * rounds  # bytes of the worker that has most to do
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
    """Return the seconds of a run that is played unit by unit.

    Workers differ by a tenth, one in twenty is half as fast, and a unit begins when the scheduler
    has come to it. What all of them share is shared equally by those at work.
    """
    draw = random.Random(seed)  # noqa: S311 - no secret
    slow = [0.5 if draw.random() < 0.05 else 1.0 for _ in range(workers)]
    speeds = [factor * max(draw.gauss(1, 0.1), 0.5) for factor in slow]
    now = rates.start
    for each in passes(model, rates, cores, counted=counted):
        now += _play(each, model.nbytes / each.units, speeds, storage, rates.task)
    return now


def _play(each: Pass, size: float, speeds: Sequence[float], storage: Storage, task: float) -> float:
    """Play one pass; returns its seconds."""
    own = each.reads / storage.read + each.writes / storage.write
    shared = each.reads / storage.all_reads + each.writes / storage.all_writes
    free = [(0.0, number) for number in range(len(speeds))]
    heapq.heapify(free)
    given = link = 0.0  # when the scheduler, and what is shared, are free again
    for _ in range(each.units):
        at, number = heapq.heappop(free)
        given = max(given, at) + task
        alone = max(size / each.compute, size * own + storage.latency) / speeds[number]
        # What is shared serves units in the order in which they come: the last of them ends when it
        # would if it served all at once.
        link = max(link, given) + size * shared
        heapq.heappush(free, (max(given + alone, link), number))
    return max(at for at, _ in free)


def _on_two_cores(workers: int, *, counted: bool) -> tuple[float, float]:
    """Return the seconds of what was run by the formula, and the median of ten plays."""
    # Workers of one machine share its cores.
    share = min(1.0, MACHINE_CORES / (FINISH_CORES * workers))
    rates = replace(RATES, finish=RATES.finish * share)
    # A fraction of a core each where there are more workers: they count that much slower.
    rates = replace(rates, count=rates.count / workers)
    disk = Storage("in the page cache", math.inf, math.inf)
    said = expected(TRIED, workers, disk, rates, counted=counted, cores=MACHINE_CORES).seconds
    plays = [
        simulated(TRIED, workers, disk, rates, seed, counted=counted, cores=MACHINE_CORES)
        for seed in range(10)
    ]
    return said, sorted(plays)[len(plays) // 2]


def runs() -> Iterator[str]:
    """Yield the table of what was run, beside what formula and simulation say."""
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
    """Return a time in two digits: ``41 s``, ``6.5 min``, ``2.3 h``."""
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
    """Yield the table of what a global step moves."""
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
    """Yield the table of times, with what limits each."""
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
    """Yield the table of the formula against ten plays of each run."""
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
    """Return the page with its tables made anew."""
    text = PAGE.read_text(encoding="utf-8")
    for name, table in TABLES.items():
        before, rest = text.split(f"<!-- {name} -->\n")
        _, after = rest.split("<!-- end -->", 1)
        text = "\n".join((f"{before}<!-- {name} -->", *table(), f"<!-- end -->{after}"))
    return text


if __name__ == "__main__":
    sys.exit(write({PAGE: page()}, __file__, sys.argv[1:]))
