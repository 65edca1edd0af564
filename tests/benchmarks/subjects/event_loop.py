"""Delay of the main thread during work on 600 MB, and on 25,000 tensors."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.benchmarks.benchmark import AtLeast, AtMost, Ground, Line, Subject
from tests.benchmarks.processes import run_python

# Operations on many tensors that are computed in the background and applied in the main thread.
SHORT = {
    "making 25,000 tensors final",
    "treating zeros as pruned",
    "editing by hand in every block",
}
SHORT_MS = 100
MODELS = (("mixed", "600 MB float32"), ("blocks", "600 MB bfloat16"))


def measure(ground: Ground) -> Iterator[Line]:
    for name, words in MODELS:
        target = ground.folder / "beating.safetensors"
        yield from _lines(ground, "job", name, words, {"target": str(target)})
        target.unlink()
    yield from _lines(ground, "crowd", "many", "100,000 tensors", {})


def _lines(
    ground: Ground, scenario: str, name: str, words: str, more: dict[str, str]
) -> Iterator[Line]:
    arguments = {
        "path": str(ground.model(name)),
        "dump": str(ground.folder / f"stalls-{name}.txt") if ground.diagnose else "",
        **more,
    }
    run = ["-m", "tests.benchmarks.window", scenario, json.dumps(arguments)]
    answer = run_python(run, ground.folder).answer
    for phase, beats in answer["phases"].items():
        yield Line(
            words,
            phase,
            beats["most"],
            "ms",
            note=f"median {beats['median']:.1f}, 99 % {beats['p99']:.1f} ms, "
            f"{beats['count']} beats",
            bound=AtMost(SHORT_MS) if phase in SHORT else None,
        )
    every, worst = answer["all"], answer["worst"]
    where = "; ".join(f"{late:.0f} ms {phase}" for late, phase, _ in worst[:3])
    yield Line(words, "at most 16 ms late", every["share"], "%", bound=AtLeast(99))
    yield Line(words, "worst beat", every["most"], "ms", bound=AtMost(200), note=where)


SUBJECT = Subject(
    "beats",
    "The window under load",
    measure,
    "A 4 ms timer runs in the main thread after the first paint event; the delay of a beat is "
    "the time since the previous one, minus 4 ms.",
)
