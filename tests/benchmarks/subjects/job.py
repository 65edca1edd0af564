"""The whole job by command line: open, prune globally, export, verified."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.frame import AtMost, Faster, Ground, Line, Subject, TimesPeer, median
from tests.benchmarks.processes import Ran, run_python

MODELS = (("mixed", "600 MB float32"), ("blocks", "600 MB bfloat16"))
PROGRAM = """
import sys
from pruneapp.__main__ import main
code = main(sys.argv[1:])
assert "torch" not in sys.modules, "torch was imported"
sys.exit(code)
"""
# torch takes a minute a round: so many are enough to know it.
PEER_ROUNDS = 2


def measure(ground: Ground) -> Iterator[Line]:
    for name, words in MODELS:
        source = ground.model(name)
        ours_path, peer_path = (
            ground.folder / "ours.safetensors",
            ground.folder / "peer.safetensors",
        )
        ours: list[Ran] = []
        peer: list[Ran] = []
        copies: list[float] = []
        for number in range(ground.rounds):
            ours.append(prune(ground, source, ours_path))
            copies.append(durable_copy(source, ground.folder / "copy.bin"))
            if number < PEER_ROUNDS:
                peer.append(torch(ground, source, peer_path))
        seconds, theirs = median([r.seconds for r in ours]), median([r.seconds for r in peer])
        best = min(r.seconds for r in ours)
        work = f"{words}, L1 0.5 globally"
        yield Line(work, "time", seconds, "s", theirs, Faster(25), f"best {best:.1f} s")
        memory, theirs = median([r.peak_mb for r in ours]), median([r.peak_mb for r in peer])
        yield Line(work, "peak memory in all", memory, "MB", theirs, AtMost(300), "without torch")
        copy = median(copies)
        yield Line(
            work,
            "time against a durable copy",
            seconds,
            "s",
            copy,
            TimesPeer(5),
            f"copy at best {min(copies):.1f} s",
        )
        for path in (ours_path, peer_path):
            path.unlink()


def prune(ground: Ground, source: Path, target: Path, *words: str) -> Ran:
    words = words or ("--method", "l1_unstructured", "--amount", "0.5", "--scope", "global")
    arguments = ["prune", str(source), "-o", str(target), "--device", "cpu", *words]
    return run_python(["-c", PROGRAM, *arguments], ground.folder)


def torch(ground: Ground, source: Path, target: Path, *steps: str) -> Ran:
    steps = steps or ("l1:0.5:*",)
    return run_python(
        ["-m", "tests.benchmarks.torch_script", str(source), str(target), *steps], ground.folder
    )


def durable_copy(source: Path, target: Path) -> float:
    """Copy a file as ``cp`` does and flush it; returns the seconds."""
    began = time.perf_counter()
    with source.open("rb") as reading, target.open("wb") as writing:
        while os.sendfile(writing.fileno(), reading.fileno(), None, 1 << 30):
            pass
        os.fsync(writing.fileno())
    seconds = time.perf_counter() - began
    target.unlink()
    return seconds


SUBJECT = Subject(
    "job",
    "The whole job by command line",
    measure,
    "From the start of the process to its exit, in turns with a script of torch.nn.utils.prune "
    "that loads, prunes, removes and saves (not flushed, not verified), and with a flushed copy.",
)
