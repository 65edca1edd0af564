"""A folder of 4 GB in 8 shards on a cluster of this machine, compared with one process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.benchmarks.benchmark import AtLeast, AtMost, Ground, Line, Subject, TimesPeer, median
from tests.benchmarks.processes import Ran, run_python
from tests.benchmarks.subjects import job

WORKERS = (1, 2, 4)
STEPS = {
    "L1 0.5 globally": ("--method", "l1_unstructured", "--amount", "0.5", "--scope", "global"),
    "N:M 2:4": ("--method", "n_m"),
}


def measure(ground: Ground) -> Iterator[Line]:
    source = ground.model("cluster")
    for words, step in STEPS.items():
        yield from _measure(ground, source, f"4 GB float32, {words}", step)
    ground.forget("cluster")


def _measure(ground: Ground, source: Path, work: str, step: tuple[str, ...]) -> Iterator[Line]:
    local, target = ground.folder / "local", ground.folder / "target"
    alone: list[Ran] = []
    on: dict[int, list[Ran]] = {count: [] for count in WORKERS}
    same = 0
    # Alternately, so that other load affects all of them.
    for number in range(min(3, ground.rounds)):
        shutil.rmtree(local, ignore_errors=True)
        alone.append(job.prune(ground, source, local, *step))
        for count, ran in on.items():
            ran.append(on_cluster(ground, source, target, step, count))
            if not number:
                same += same(local, target)
            shutil.rmtree(target)
    shutil.rmtree(local)
    seconds = median([ran.seconds for ran in alone])
    yield Line(work, "time on one machine", seconds, "s", note="one process, two threads")
    for count, ran in on.items():
        taken = median([each.seconds for each in ran])
        bound = TimesPeer(1.15) if count == 2 else None
        note = f"best {min(each.seconds for each in ran):.1f} s"
        workers = f"{count} worker{'s' if count > 1 else ''}"
        yield Line(work, f"time with {workers}", taken, "s", seconds, bound, note)
        bare = median([each.seconds - each.answer["processes"] for each in ran])
        processes = median([each.answer["processes"] for each in ran])
        note = f"{processes:.1f} s to start and end processes"
        yield Line(work, f"without the start of {workers}", bare, "s", seconds, bound, note)
        memory = max(each.answer["worker"] for each in ran)
        yield Line(work, f"largest of {workers}", memory, "MB", bound=AtMost(1000))
        memory = max(each.answer["client"] for each in ran)
        yield Line(work, f"client of {workers}", memory, "MB", bound=AtMost(300))
    yield Line(work, "shards identical", same, "", bound=AtLeast(8 * len(WORKERS)))


def on_cluster(
    ground: Ground, source: Path | str, target: Path | str, step: Sequence[str], count: int
) -> Ran:
    command = ["prune", str(source), "-o", str(target), *step, "--cluster", f"local:{count}"]
    return run_python(["-m", "tests.benchmarks.cluster_job", *command], ground.folder)


def same(one: Path, other: Path) -> int:
    """Return the number of shards with equal bytes."""
    same = 0
    for path in sorted(one.glob("*.safetensors")):
        with path.open("rb") as mine, (other / path.name).open("rb") as its:
            pieces = iter(lambda a=mine, b=its: (a.read(1 << 24), b.read(1 << 24)), (b"", b""))
            same += all(a == b for a, b in pieces)
    return same


SUBJECT = Subject(
    "cluster",
    "A folder of 4 GB on a cluster",
    measure,
    "64 matrices in 8 shards; processes of this machine are started for each run. Starting and "
    "stopping them, which takes the same time for a job of a minute and of an hour, counts in the "
    "first figure and not in the second, which is for a running cluster. On two cores two workers "
    "cannot be faster; the overhead of the cluster is measured. 3 alternating rounds.",
    on_request=True,
)
