"""A checkpoint of 12 GB in four shards, on the command line and in the window; one large tensor."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import lower_bounds, one_tensor, sharded_model
from tests.benchmarks.benchmark import AtLeast, AtMost, Ground, Line, Subject, TimesPeer, median
from tests.benchmarks.processes import Ran, run_python
from tests.benchmarks.subjects import job

ROUNDS = 3
WORK = "12 GB bfloat16, L1 0.5 globally"


def measure(ground: Ground) -> Iterator[Line]:
    source, target = ground.model("shards"), ground.folder / "pruned"
    files = sorted(source.glob("*.safetensors"))
    ours: list[Ran] = []
    peer: list[float] = []
    for number in range(min(ROUNDS, ground.rounds)):
        _drop(files)
        ours.append(job.prune(ground, source, target))
        if number == 0:
            by_command = _digests(target)
        shutil.rmtree(target)
        _drop(files)
        peer.append(_read_and_copy(files, ground.folder / "copy.bin"))
    seconds = [ran.seconds for ran in ours]
    yield Line(
        f"{WORK}, by command line",
        "time against a read and a durable copy",
        median(seconds),
        "s",
        median(peer),
        # The bound is two reads and one write, with cold files, flushed.
        TimesPeer(3),
        f"best {min(seconds):.0f} s of {len(seconds)}, peer {min(peer):.0f} s",
    )
    memory = max(ran.peak_mb for ran in ours)
    yield Line(f"{WORK}, by command line", "peak memory in all", memory, "MB", bound=AtMost(1000))
    _drop(files)
    ran = run_python(["-m", "tests.benchmarks.window_job", str(source), str(target)], ground.folder)
    by_window = _digests(target)
    shutil.rmtree(target)
    most = (sharded_model.weights(sharded_model.MODEL) / 4 + 300e6) / 1e6
    note = ", ".join(f"{stage} {taken:.1f} s" for stage, taken in ran.answer.items())
    yield Line(
        f"{WORK}, in the window", "peak memory in all", ran.peak_mb, "MB", None, AtMost(most)
    )
    yield Line(f"{WORK}, in the window", "time in all", ran.seconds, "s", note=note)
    same = sum(by_window.get(name) == digest for name, digest in by_command.items())
    yield Line(
        "by click and by command line",
        "shards identical",
        same,
        "",
        bound=AtLeast(len(files)),
        note="SHA-256 of each",
    )
    if by_window.keys() != by_command.keys():
        raise RuntimeError(f"Other files: {sorted(by_window)}, {sorted(by_command)}")
    ground.forget("shards")


# log2 of the number of weights: 34 takes five minutes on two cores, 36 (128 GiB) half an hour.
EXPONENT = int(os.environ.get("PRUNEAPP_BENCH_EXPONENT", "34"))
STOP_MS = 250


def measure_one(ground: Ground) -> Iterator[Line]:
    path = ground.folder / "one.safetensors"
    one_tensor.make(path, EXPONENT)
    try:
        ran = run_python(["-m", "tests.benchmarks.one_tensor", str(path)], ground.folder)
    finally:
        path.unlink()
    answer = ran.answer
    work = f"2^{EXPONENT} weights bfloat16"
    for figure, (seconds, peak) in answer["work"].items():
        short = seconds < 0.1
        value, unit = (1000 * seconds, "ms") if short else (seconds, "s")
        yield Line(work, figure, value, unit, note=f"peak {peak:.0f} MB")
    yield Line(work, "peak memory in all", ran.peak_mb, "MB", bound=AtMost(1000))
    facts = answer["facts"]
    yield Line(work, "mask in a file", facts["mask"] - facts["memory"], "MB", note="without a name")
    for what, took in answer["stops"].items():
        note = f"longest of {len(took)}" if len(took) > 1 else ""
        yield Line(work, f"cancel {what}", max(took), "ms", bound=AtMost(STOP_MS), note=note)


def _drop(files: list[Path]) -> None:
    for path in files:
        lower_bounds.drop_from_cache(path)


def _read_and_copy(files: list[Path], target: Path) -> float:
    """Read every file, then copy it durably; return the seconds."""
    began = time.perf_counter()
    for path in files:
        lower_bounds.read(path)
    for path in files:
        lower_bounds.durable_copy(path, target)
    return time.perf_counter() - began


def _digests(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.glob("*.safetensors")):
        with path.open("rb") as stream:
            found[path.name] = hashlib.file_digest(stream, "sha256").hexdigest()
        lower_bounds.drop_from_cache(path)
    return found


SUBJECT = Subject(
    "big",
    "A 12 GB checkpoint in four shards",
    measure,
    "6.1 billion weights in 289 matrices and 83 vectors. Each run starts with none of the files "
    "in the page cache; 3 rounds on the command line, one in the window.",
    on_request=True,
)

ONE = Subject(
    "one_tensor",
    "One tensor of billions of weights",
    measure_one,
    f"L1, {one_tensor.AMOUNT:.1%}, of one matrix in a sparse file: 64 regions of 16 MiB contain "
    "normal weights, the rest is a hole, and everything is read. Each figure was measured once, "
    "without the window. Peaks are resident memory (`VmHWM`), including touched pages of the "
    "mapped mask that were not released; the page cache does not count.",
    on_request=True,
)
