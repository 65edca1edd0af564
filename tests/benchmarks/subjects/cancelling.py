"""How soon a job is over after the click on Cancel."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.benchmarks.frame import AtMost, Ground, Line, Subject, median
from tests.benchmarks.processes import run_python


def measure(ground: Ground) -> Iterator[Line]:
    arguments = {
        "path": str(ground.model("mixed")),
        "many": str(ground.model("many")),
        "target": str(ground.folder / "cancelled.safetensors"),
    }
    found = run_python(
        ["-m", "tests.benchmarks.window", "cancelling", json.dumps(arguments)], ground.folder
    ).answer["seconds"]
    for what, seconds in found.items():
        milliseconds = [1000 * s for s in seconds]
        if not milliseconds:
            continue
        yield Line(
            f"{what} {'100,000 tensors' if what == 'opening' else '600 MB'}",
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
    "From the click on Cancel at different moments until nothing runs any more and the worker "
    "is free; nothing was changed and no file was left.",
)
