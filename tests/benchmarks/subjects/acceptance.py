"""The same steps in the window, on the command line and with torch: results must be equal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.benchmark import AtLeast, Ground, Line, Subject
from tests.benchmarks.processes import run_python
from tests.benchmarks.subjects import job

CHANNELS = "visual.layer4.*.conv*"


def measure(ground: Ground) -> Iterator[Line]:
    source = ground.model("mixed")
    clicked, first, second, peer = (
        ground.folder / f"{n}.safetensors" for n in ("clicked", "first", "second", "peer")
    )
    arguments = {
        "path": str(source),
        "target": str(clicked),
        "amounts": ["50 %", "30 %"],
        "channels": CHANNELS,
    }
    history = run_python(
        ["-m", "tests.benchmarks.window", "steps", json.dumps(arguments)], ground.folder
    ).answer["history"]
    # Other formats store no masks, so the second step continues from a resumable export.
    job.prune(
        ground, source, first, "--format", "resumable",
        "--method", "l1_unstructured", "--amount", "0.5", "--scope", "global",
    )  # fmt: skip
    job.prune(
        ground, first, second, "--select", CHANNELS,
        "--method", "ln_structured", "--amount", "0.3", "--n", "2", "--dim", "0",
    )  # fmt: skip
    job.torch(ground, source, peer, "l1:0.5:*", f"ln:0.3:{CHANNELS}")
    for words, path in (("by click", clicked), ("by command line", second)):
        found = run_python(
            ["-m", "tests.benchmarks.compare", str(path), str(peer), str(source)], ground.folder
        ).answer
        note = f"{found['pruned']:,} weights pruned by torch, {found['pruned_by_both']:,} by both"
        if found["different"]:
            note += f"; different: {', '.join(found['different'])}"
        bound = AtLeast(found["tensors"])
        yield Line(words, "tensors equal by value", found["equal"], "", bound=bound, note=note)
        yield Line(
            words,
            "by byte where kept, +0.0 elsewhere",
            found["bytes_equal_where_kept"],
            "",
            bound=bound,
        )
    same = _digest(clicked) == _digest(second)
    yield Line(
        "by click and by command line",
        "files identical",
        float(same),
        "",
        bound=AtLeast(1),
        note=" › ".join(history),
    )
    for path in (clicked, first, second, peer):
        path.unlink()


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


SUBJECT = Subject(
    "acceptance",
    "A 600 MB model in the window, on the command line and with torch",
    measure,
    "L1 50 % globally over the default tensors, then 30 % of the channels of visual.layer4 by L2"
    " along dim 0; undone, redone, exported and compared tensor by tensor.",
)
