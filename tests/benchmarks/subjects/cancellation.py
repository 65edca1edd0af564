"""Measure how soon a job ends after it was cancelled."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.benchmarks.benchmark import AtMost, Ground, Line, Subject, median
from tests.benchmarks.processes import run_python

MODELS = (("mixed", "600 MB float32"), ("blocks", "600 MB bfloat16"))
MOMENTS = 6
OPENINGS = (("100,000 tensors", "many"), (".pt of 20,000 tensors", "many-torch"))


def measure(ground: Ground) -> Iterator[Line]:
    openings = OPENINGS
    for name, words in MODELS:
        more = {"openings": {called: str(ground.model(many)) for called, many in openings}}
        yield from _lines(ground, name, f", {words}", more)
        openings = ()  # once is enough
    yield from _lines(ground, "many", "", {})


def _lines(ground: Ground, name: str, words: str, more: dict[str, object]) -> Iterator[Line]:
    folder = ground.folder / "cancelled"
    folder.mkdir(exist_ok=True)
    arguments = {
        "path": str(ground.model(name)),
        "target": str(folder / "cancelled.out"),
        "moments": MOMENTS,
        **more,
    }
    run = ["-m", "tests.benchmarks.cancellation", json.dumps(arguments)]
    found = run_python(run, ground.folder).answer
    folder.rmdir()
    for what, seconds in found.items():
        milliseconds = [1000 * s for s in seconds]
        yield Line(
            what if what.startswith("opening") else f"{what}{words}",
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
    "From the click on Cancel until nothing runs and the worker is free, at times between the "
    "start of a job and its usual end (evenly spread when opening, random otherwise); pictures "
    "and histograms are cancelled by requesting others. Nothing was changed and no file was "
    "left.",
)
