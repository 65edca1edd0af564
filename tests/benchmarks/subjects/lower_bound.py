"""Times of the steps relative to their lower bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tests.benchmarks import lower_bounds
from tests.benchmarks.benchmark import Ground, Line, Subject, median
from tests.benchmarks.side_by_side import Case, times

WEIGHTS = 64 << 20
MODEL = "plain-64-F32"
READ = "read 256 MB, two threads"
PACK = "compare and pack 64 M float32, two threads"


def measure(ground: Ground) -> Iterator[Line]:
    one, job = ground.model(MODEL), ground.model("blocks")
    size = job.stat().st_size
    scratch = ground.folder / "floor.bin"
    alone: dict[str, Callable[[], float]] = {
        "read 256 MB, one thread": partial(lower_bounds.read, one),
        READ: partial(lower_bounds.read, one, 2),
        "compare and pack 64 M float32, one thread": partial(
            lower_bounds.compare_and_pack, WEIGHTS
        ),
        PACK: partial(lower_bounds.compare_and_pack, WEIGHTS, 2),
        "read 604 MB, one thread": partial(lower_bounds.read, job),
        "read 604 MB, two threads": partial(lower_bounds.read, job, 2),
        "SHA-256 of 604 MB": partial(lower_bounds.digest, size),
        "write 604 MB, flush, drop, read again by 32 MB": partial(
            lower_bounds.write_verified, scratch, size
        ),
        "copy 604 MB, flush": partial(lower_bounds.durable_copy, job, scratch),
    }
    lower_bounds.read(one)
    lower_bounds.read(job)
    # Alternately, so that other load affects all of them.
    rounds = [{words: call() for words, call in alone.items()} for _ in range(ground.rounds)]
    found = {words: median([taken[words] for taken in rounds]) for words in alone}
    for words, seconds in found.items():
        best = min(taken[words] for taken in rounds)
        yield Line(words, "time", 1000 * seconds, "ms", note=f"best {1000 * best:.0f} ms")
    case = Case("L1", "document", MODEL, "F32", "l1_unstructured", {"amount": 0.5})
    (taken,) = times(ground, [case.work(ground, "document")], [ground.rounds])
    yield Line(
        "L1 0.5 on a document, 64 M float32",
        "time against one read and one packing",
        1000 * median(taken),
        "ms",
        1000 * (found[READ] + found[PACK]),
        note=f"best {1000 * min(taken):.0f} ms",
    )


SUBJECT = Subject(
    "floor",
    "Minimum times",
    measure,
    "The time of each part alone: positioned reads into a reused buffer of 1 MB, arithmetic on "
    "data in the processor cache, and flushed writes of 32 MB while the previous one is read "
    "back.",
)
