"""The whole job on the command line: open, prune globally, export, verified."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import lower_bounds
from tests.benchmarks.benchmark import AtMost, Faster, Ground, Line, Subject, TimesPeer, median
from tests.benchmarks.processes import Ran, run_python

# The model of 302 M weights in 72 tensors has a bound, the other is only reported.
MODELS = (("blocks", "600 MB bfloat16", Faster(25)), ("mixed", "600 MB float32", None))
PROGRAM = """
import sys
from pruneapp.__main__ import main
code = main(sys.argv[1:])
assert "torch" not in sys.modules, "torch was imported"
sys.exit(code)
"""
# A round of torch takes a minute, so three have to be enough.
PEER_ROUNDS = 3
# Memory that torch needs.
ROOM = 12e9


def measure(ground: Ground) -> Iterator[Line]:
    for name, words, faster in MODELS:
        most = PEER_ROUNDS if faster else 1
        source = ground.model(name)
        ours_path, peer_path = (
            ground.folder / "ours.safetensors",
            ground.folder / "peer.safetensors",
        )
        run_python(["-m", "tests.benchmarks.memory", str(ROOM)], ground.folder)
        ours: list[Ran] = []
        peer: list[Ran] = []
        copies: list[float] = []
        for number in range(ground.rounds):
            _settle(source)
            ours.append(prune(ground, source, ours_path))
            _settle(source)
            copies.append(lower_bounds.durable_copy(source, ground.folder / "copy.bin"))
            if number < most:
                _settle(source)
                peer.append(torch(ground, source, peer_path))
        seconds, theirs = median([r.seconds for r in ours]), median([r.seconds for r in peer])
        best, rounds = min(r.seconds for r in ours), len(peer)
        work = f"{words}, L1 0.5 globally"
        note = f"best {best:.2f} s; torch {rounds} round{'s' if rounds > 1 else ''}"
        yield Line(work, "time", seconds, "s", theirs, faster, note)
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
            f"copy at best {min(copies):.2f} s",
        )
        for path in (ours_path, peer_path):
            path.unlink()


def _settle(source: Path) -> None:
    """Flush pending writes, and read the source into the page cache."""
    os.sync()
    lower_bounds.read(source)


def prune(ground: Ground, source: Path, target: Path, *words: str) -> Ran:
    words = words or ("--method", "l1_unstructured", "--amount", "0.5", "--scope", "global")
    arguments = ["prune", str(source), "-o", str(target), "--device", "cpu", *words]
    return run_python(["-c", PROGRAM, *arguments], ground.folder)


def torch(ground: Ground, source: Path, target: Path, *steps: str) -> Ran:
    steps = steps or ("l1:0.5:*",)
    return run_python(
        ["-m", "tests.benchmarks.torch_script", str(source), str(target), *steps], ground.folder
    )


SUBJECT = Subject(
    "job",
    "The whole job on the command line",
    measure,
    "From process start to exit, alternating with a script that loads, prunes, removes and saves"
    " with torch.nn.utils.prune (not flushed or verified), and with a flushed copy.",
)
