"""Time from the click to the painted tree."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.benchmarks import sharded_model
from tests.benchmarks.benchmark import AtMost, Ground, Line, Subject, median
from tests.benchmarks.processes import run_python

FILES = (
    ("mixed", "600 MB safetensors", 0.3),
    ("mixed-torch", "600 MB .pt", 0.3),
    ("many", "safetensors of 100,000 tensors", 1.5),
    ("many-torch", ".pt of 20,000 tensors", 2.0),
    # Sparse files: opening reads no weights.
    ("shards-sparse", "index of 4 shards, 12 GB", 0.5),
)


def measure(ground: Ground) -> Iterator[Line]:
    for name, words, bound in FILES:
        path = ground.model(name)
        path = path / sharded_model.INDEX if path.is_dir() else path
        arguments = {"path": str(path), "rounds": ground.rounds}
        if ground.diagnose:
            arguments["dump"] = str(ground.folder / f"stalls-{name}.txt")
        answer = run_python(
            ["-m", "tests.benchmarks.window", "opening", json.dumps(arguments)], ground.folder
        ).answer
        seconds, beats = answer["seconds"], answer["beats"]
        yield Line(
            words,
            "tree painted",
            median(seconds),
            "s",
            bound=AtMost(bound),
            note=f"best {min(seconds):.2f} s",
        )
        yield Line(
            words,
            "worst beat meanwhile",
            beats["most"],
            "ms",
            bound=AtMost(200),
            note=f"{answer['worst'][0][1]}; 99 % at most {beats['p99']:.1f} ms late",
        )


SUBJECT = Subject(
    "opening",
    "Opening",
    measure,
    "In the real window, off screen: from dropping the file to the end of the paint event of the"
    " tree with its tensors.",
)
