"""Time of each stage of the whole job."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests.benchmarks import lower_bounds
from tests.benchmarks.benchmark import Ground, Line, Subject, median
from tests.benchmarks.processes import run_python

WORDS = {
    "start": "interpreter, imports, arguments",
    "open": "opening: the header",
    "find": "finding weights to be pruned",
    "export": "writing, flushing, reading again",
    "rest": "the report, the exit, and between",
}


def measure(ground: Ground) -> Iterator[Line]:
    source, target = ground.model("blocks"), ground.folder / "stages.safetensors"
    size = source.stat().st_size
    rounds: list[dict[str, float]] = []
    peers: list[dict[str, float]] = []
    for _ in range(ground.rounds):
        rounds.append(_staged(ground, str(source), str(target)))
        reading, writing = lower_bounds.read(source, 2), lower_bounds.write_verified(target, size)
        peers.append({"find": reading, "export": writing})
    for stage, words in WORDS.items():
        taken = [r[stage] for r in rounds]
        peer = median([p[stage] for p in peers]) if stage in peers[0] else None
        note = f"best {min(taken):.2f} s"
        if stage == "find":
            note += "; against one read, two threads"
        if stage == "export":
            note += "; against a file written, dropped and read"
        yield Line(words, "time", median(taken), "s", peer, note=note)


def _staged(ground: Ground, source: str, target: str) -> dict[str, float]:
    arguments = ["prune", source, "-o", target, "--device", "cpu", "--method", "l1_unstructured"]
    arguments += ["--amount", "0.5", "--scope", "global"]
    command = ["-m", "tests.benchmarks.stages", str(time.monotonic()), *arguments]
    ran = run_python(command, ground.folder)
    taken: dict[str, float] = ran.answer
    taken["rest"] = ran.seconds - sum(taken[stage] for stage in WORDS if stage != "rest")
    return taken


SUBJECT = Subject(
    "stages",
    "Stages of the whole job",
    measure,
    "The command line on 600 MB of bfloat16, L1 0.5 globally; each stage next to its minimum "
    "time, measured alternately.",
)
