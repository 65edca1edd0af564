"""Whether time is linear in the number of weights."""

from __future__ import annotations

from collections.abc import Iterator

from tests.benchmarks.benchmark import AtMost, Ground, Line, Subject, median
from tests.benchmarks.models import PLAIN
from tests.benchmarks.side_by_side import Case, times

MOST_PERCENT = 115.0


def measure(ground: Ground) -> Iterator[Line]:
    models = ["small-F32", *(f"plain-{size}-F32" for size in PLAIN)]
    cases = [
        Case(model, "document", model, "F32", "l1_unstructured", {"amount": 0.5})
        for model in models
    ]
    works = [case.work(ground, "document") for case in cases]
    fixed, *taken = times(ground, works, [ground.rounds] * len(works))
    yield Line("L1 0.5, 32,768 weights", "time", 1000 * median(fixed), "ms", note="fixed costs")
    each = []
    for size, seconds in zip(PLAIN, taken, strict=True):
        each.append((median(seconds) - median(fixed)) * 1e9 / (size << 20))
        yield Line(
            f"L1 0.5, {size} M weights",
            "time",
            1000 * median(seconds),
            "ms",
            note=f"{each[-1]:.2f} ns a weight, best {1000 * min(seconds):.0f} ms",
        )
    yield Line(
        f"{PLAIN[-1]} M against {PLAIN[0]} M",
        "time per weight",
        100 * each[-1] / each[0],
        "%",
        bound=AtMost(MOST_PERCENT),
        note="without the fixed costs",
    )


SUBJECT = Subject(
    "growth",
    "Growth",
    measure,
    "L1, 50 %, on documents of one float32 tensor each; the sizes take turns in one process.",
)
