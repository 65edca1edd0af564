"""How soon a job is over after it was cancelled."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.benchmarks.frame import AtMost, Ground, Line, Subject, median
from tests.benchmarks.processes import run_python

MODELS = (("mixed", "600 MB float32"), ("blocks", "600 MB bfloat16"))
MOMENTS = 6
OPENING = "opening"


def measure(ground: Ground) -> Iterator[Line]:
    folder = ground.folder / "cancelled"
    for name, words in MODELS:
        folder.mkdir(exist_ok=True)
        arguments = {
            "path": str(ground.model(name)),
            "many": str(ground.model("many")),
            "target": str(folder / "cancelled.out"),
            "moments": MOMENTS,
        }
        run = ["-m", "tests.benchmarks.cancels", json.dumps(arguments)]
        found = run_python(run, ground.folder).answer
        folder.rmdir()
        for what, seconds in found.items():
            milliseconds = [1000 * s for s in seconds]
            if what.startswith(OPENING) and name != MODELS[0][0]:
                continue  # the same file
            yield Line(
                what if what.startswith(OPENING) else f"{what}, {words}",
                "longest",
                max(milliseconds),
                "ms",
                bound=AtMost(250),
                note=f"median {median(milliseconds):.0f} ms of {len(milliseconds)} moments",
            )


SUBJECT = Subject(
    "cancel",
    "Cancel",
    measure,
    "From the click on Cancel, at moments of chance from the start of a job to its usual end, "
    "until nothing runs any more and the worker is free; pictures and counts are cancelled by "
    "asking for others. Nothing was changed and no file was left.",
)
