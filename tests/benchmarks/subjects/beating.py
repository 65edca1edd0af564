"""How late the main thread is while a 600 MB model is opened, previewed, pruned and exported."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.benchmarks.frame import AtLeast, AtMost, Ground, Line, Subject
from tests.benchmarks.processes import run_python

MODELS = (("mixed", "600 MB float32"), ("blocks", "600 MB bfloat16"))


def measure(ground: Ground) -> Iterator[Line]:
    for name, words in MODELS:
        arguments = {
            "path": str(ground.model(name)),
            "target": str(ground.folder / "beating.safetensors"),
            "dump": str(ground.folder / f"stalls-{name}.txt") if ground.diagnose else "",
        }
        answer = run_python(
            ["-m", "tests.benchmarks.window", "job", json.dumps(arguments)], ground.folder
        ).answer
        (ground.folder / "beating.safetensors").unlink()
        for phase, beats in answer["phases"].items():
            yield Line(
                words,
                phase,
                beats["most"],
                "ms",
                note=f"median {beats['median']:.1f}, 99 % {beats['p99']:.1f} ms, "
                f"{beats['count']} beats",
            )
        every, worst = answer["all"], answer["worst"]
        where = "; ".join(f"{late:.0f} ms {phase}" for late, phase, _ in worst[:3])
        yield Line(words, "at most 16 ms late", every["share"], "%", bound=AtLeast(99))
        yield Line(words, "worst beat", every["most"], "ms", bound=AtMost(200), note=where)


SUBJECT = Subject(
    "beats",
    "The window under load",
    measure,
    "A timer of 4 ms in the main thread from the first picture on; a beat is late by the time "
    "that passed since the one before, less 4 ms.",
)
