"""Cluster jobs whose workers, scheduler or client are killed at random moments."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from pruneapp.checkpoint.io.files import find_abandoned
from pruneapp.cluster import steps
from pruneapp.cluster.connection import connect
from pruneapp.document.step import Row, Step
from pruneapp.errors import ClusterLostError
from pruneapp.progress import Job
from pruneapp.recipes.recipe import Recipe
from tests.cluster.workers import contents, locally, on_cluster, recipe_of_steps
from tests.reliability.tally import Tally

SHARDS = 6
NAMES = tuple(f"layers.{n}.weight" for n in range(4 * SHARDS))
# Names of the killed processes, as in the table.
VICTIMS = ("a worker", "the scheduler", "the client")
ENDS = WENT_ON, TAKEN_UP, BEGUN_AGAIN = "went on", "taken up", "begun again"


class Processes(contextlib.ExitStack):
    """A scheduler and two workers, in processes that can be killed."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._file = folder / "scheduler.json"
        self._folder = folder
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def start(self) -> str:
        """Start the missing processes; return the scheduler's address."""
        if self.scheduler is None:
            self._file.unlink(missing_ok=True)
            self.scheduler = self._process(
                "scheduler", "--port", "0", "--no-dashboard", "--no-show"
            )
            while not (self._file.is_file() and self._file.stat().st_size):
                time.sleep(0.02)
        while len(self.workers) < 2:
            self.workers.append(
                self._process(
                    "worker", "--no-nanny", "--nthreads", "1", "--no-dashboard",
                    "--memory-limit", "0", "--local-directory", str(self._folder / "scratch"),
                )
            )  # fmt: skip
        return str(json.loads(self._file.read_text())["address"])

    def _process(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments, "--scheduler-file", str(self._file)]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=Path.cwd()
        )
        self.callback(self._end, process)
        return process

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()

    def kill_worker(self, number: int) -> None:
        """Kill a worker, and start another one."""
        self._end(self.workers.pop(number))
        self.start()

    def kill_scheduler(self) -> None:
        """Kill the scheduler, and its workers, which would wait for it."""
        assert self.scheduler is not None
        self._end(self.scheduler)
        for worker in self.workers:
            self._end(worker)
        self.scheduler, self.workers = None, []


def recipe() -> Recipe:
    """Return a recipe with one global step (two passes over all weights) and one per tensor."""
    cut = Step((Row(NAMES, "l1_unstructured", {"amount": 0.3}),), "global")
    rows = Step((Row(NAMES, "l1_per_row", {"amount": 0.2}),))
    return recipe_of_steps(cut, rows)


def make_model(folder: Path, side: int) -> None:
    """Write a model of several shards, each with matrices of `side` rows and columns."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    for shard in range(SHARDS):
        save_file(
            {n: rng.normal(size=(side, side)).astype(np.float32) for n in NAMES[shard::SHARDS]},
            folder / f"model-{shard + 1:05}-of-{SHARDS:05}.safetensors",
        )


def kill(victims: Sequence[str], times: int, side: int) -> Tally:
    """Run a job `times` times per victim, and kill it at moments spread over the job."""
    tally, rng = Tally(), random.Random(victims[0])
    steps.UNIT_BYTES = 4 << 20
    with tempfile.TemporaryDirectory(prefix="pruneapp-cluster-") as name:
        folder = Path(name)
        make_model(folder / "model", side)
        (folder / "out").mkdir()
        locally(folder / "model", recipe(), folder / "right")
        right = contents(folder / "right")
        with Processes(folder) as processes:
            began = time.monotonic()
            for _ in range(2):  # the first run imports modules
                began = time.monotonic()
                _do(processes.start(), folder)
                (folder / "out" / "first").rename(folder / f"first{time.monotonic()}")
            lasts = time.monotonic() - began
            for victim, number in itertools.product(victims, range(times)):
                # Scheduler and client are killed after 40 % of the job: resuming reuses its shards.
                share = 0.4 * (victim != "a worker")
                moment = (share + (1.1 - share) * (number + rng.random()) / times) * lasts
                target = folder / "out" / f"{victim}-{number}"
                end = _RUNS[victim](processes, folder, target, moment, rng)
                tally.runs += 1
                tally.ends[end] += 1
                left = sorted(p.name for p in target.parent.iterdir() if p != target)
                if contents(target) != right or left:
                    tally.wrong.append(f"{victim}, run {number}: other bytes, or left: {left}")
                for path in target.parent.iterdir():
                    path.rename(folder / f"done-{path.name}")
    return tally


def _do(address: str, folder: Path, target: Path | None = None, *, resume: bool = False) -> None:
    job = Job()
    with connect(address, job) as cluster:
        target = target or folder / "out" / "first"
        on_cluster(cluster, folder / "model", recipe(), target, resume=resume, job=job)


@contextlib.contextmanager
def later(seconds: float, do: Callable[[], Any]) -> Iterator[None]:
    timer = threading.Timer(seconds, do)
    timer.start()
    try:
        yield
    finally:
        timer.join()


def _kill_worker(
    processes: Processes, folder: Path, target: Path, moment: float, rng: random.Random
) -> str:
    address, number = processes.start(), rng.randrange(2)
    with later(moment, lambda: processes.kill_worker(number)):
        _do(address, folder, target)
    return WENT_ON


def _kill_scheduler(
    processes: Processes, folder: Path, target: Path, moment: float, _rng: random.Random
) -> str:
    address, end = processes.start(), WENT_ON
    with later(moment, processes.kill_scheduler):
        try:
            _do(address, folder, target)
        except ClusterLostError:
            end = TAKEN_UP if any(target.parent.iterdir()) else BEGUN_AGAIN
    if end != WENT_ON:
        _do(processes.start(), folder, target, resume=True)
    return end


def _kill_client(
    processes: Processes, folder: Path, target: Path, moment: float, _rng: random.Random
) -> str:
    address = processes.start()
    code = (
        "from pathlib import Path; from tests.reliability import cluster_kills as c; "
        "c.steps.UNIT_BYTES = 4 << 20; "
        f"c._do({address!r}, Path({str(folder)!r}), Path({str(target)!r}))"
    )
    client = subprocess.Popen([sys.executable, "-c", code], cwd=Path.cwd())
    time.sleep(1.0 + moment)  # the process starts with imports
    client.kill()
    client.wait()
    time.sleep(0.3)  # the workers notice that the client is gone
    end = WENT_ON
    if not target.exists():
        end = TAKEN_UP if any(target.parent.iterdir()) else BEGUN_AGAIN
        offered = find_abandoned(target.parent)
        if any(path not in offered for path in target.parent.iterdir()):
            end = "not offered"
        _do(processes.start(), folder, target, resume=True)
    for path in find_abandoned(target.parent):  # those of a stage without a list
        for inside in sorted(path.rglob("*"), reverse=True):
            inside.unlink()
        path.rmdir()
    return end


_RUNS = dict(zip(VICTIMS, (_kill_worker, _kill_scheduler, _kill_client), strict=True))
