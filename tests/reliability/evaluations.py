"""Many evaluations in one worker, and workers that are killed at random moments."""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.evaluation.script import EvaluationScript, Interpreter, Options
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from tests.reliability.tally import Tally

SCRIPT = """
import subprocess
import torch
from safetensors.torch import load_file

subprocess.Popen(["sleep", "1000"])  # a worker of a data loader, say

def load(path):
    model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.Linear(256, 256))
    model.load_state_dict(load_file(path))
    return model

def evaluate(model):
    return {"loss": [float(row.sum()) for row in model(torch.ones(64, 256))]}
"""
# Growth of memory in kB in the second half of the evaluations that is not considered a leak.
ALLOWED_KB = 4096


@contextmanager
def ground() -> Iterator[tuple[ScriptRunner, list[Snapshot]]]:
    """Yield a runner, and states of a small model."""
    draw = np.random.default_rng(3)
    with tempfile.TemporaryDirectory(prefix="pruneapp-reliability-") as name:
        folder = Path(name)
        (folder / "script.py").write_text(SCRIPT)
        tensors = {
            f"{layer}.{kind}": draw.standard_normal(shape).astype(np.float32)
            for layer in (0, 1)
            for kind, shape in (("weight", (256, 256)), ("bias", (256,)))
        }
        save_file(tensors, folder / "model.safetensors")
        script = EvaluationScript.read(folder / "script.py")
        runner = ScriptRunner(script, Interpreter(Path(sys.executable), ""), Options(device="cpu"))
        with closing(runner), open_checkpoint(folder / "model.safetensors") as checkpoint:
            dense = Snapshot(checkpoint)
            states = [dense]
            for share in (0.2, 0.5, 0.9):
                mask = BitMask.from_bools(draw.random(256 * 256) >= share)
                states.append(dense.with_masks({"masks": {"0.weight": mask}}))
            yield runner, states


def repeat(times: int) -> Tally:
    """Evaluate states repeatedly; memory, open files and metrics must not change."""
    tally = Tally()
    first: dict[int, object] = {}
    half: tuple[int, int, int] | None = None
    with ground() as (runner, states):
        for number in range(times):
            which = number % len(states)
            found = runner.run(states[which], 0, Job()).metrics
            if first.setdefault(which, found) != found:
                tally.wrong.append(f"evaluation {number} gave another number")
            tally.runs += 1
            if number == times // 2:
                half = memory_of(runner.worker.pid), memory_of(os.getpid()), open_files()
        assert half is not None
        grown = {
            "worker, kB": memory_of(runner.worker.pid) - half[0],
            "application, kB": memory_of(os.getpid()) - half[1],
        }
        tally.ends.update({**grown, "a number": times})
        if open_files() != half[2]:
            tally.wrong.append(f"{open_files() - half[2]} files more are open")
        for what, kilobytes in grown.items():
            if kilobytes > ALLOWED_KB:
                tally.wrong.append(f"the {what.partition(',')[0]} grew by {kilobytes} kB")
    return tally


def kill(times: int, seed: int = 0) -> Tally:
    """Kill the worker at random moments; each evaluation returns metrics or raises an error."""
    draw = random.Random(seed)
    tally = Tally()
    groups: set[int] = set()
    with ground() as (runner, states):
        right = [runner.run(state, 0, Job()).metrics for state in states]
        for number in range(times):
            # While it starts, loads, receives weights or evaluates.
            pid = runner.worker.pid
            groups.add(pid)
            if draw.random() < 0.5:
                runner.worker.stop()
            timer = threading.Timer(draw.uniform(0, 4), _kill, (runner,))
            timer.start()
            while timer.is_alive():
                which = draw.randrange(len(states))
                try:
                    if runner.run(states[which], 0, Job()).metrics != right[which]:
                        tally.wrong.append(f"kill {number}: another number")
                    tally.ends["a number"] += 1
                except EvaluationError as error:
                    tally.ends["a sentence"] += 1
                    if "was killed by the system" not in str(error):
                        tally.wrong.append(f"kill {number}: {error}")
                except Exception as error:  # noqa: BLE001 - that is what is looked for
                    tally.wrong.append(f"kill {number}: {error!r}")
                groups.add(runner.worker.pid)
            timer.join()
            tally.runs += 1
        folder = runner.worker.folder
    left = [group for group in groups - {0} if left_over(group)]
    tally.wrong += [f"processes of {group} are left" for group in left]
    if folder.exists():
        tally.wrong.append(f"{folder} is left")
    return tally


def _kill(runner: ScriptRunner) -> None:
    if pid := runner.worker.pid:
        os.kill(pid, signal.SIGKILL)


def memory_of(pid: int) -> int:
    """Return the anonymous resident memory of a process in kB, from /proc (Linux only)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("RssAnon")).split()[1])


def open_files() -> int:
    """Return the number of open file descriptors of this process."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def left_over(group: int) -> list[int]:
    """Return the processes of a killed process group that live after a few seconds."""
    until = time.monotonic() + 5
    while (found := living(group)) and time.monotonic() < until:
        time.sleep(0.01)  # a killed process may need a while until it has ended
    return found


def living(group: int) -> list[int]:
    """Return the living processes of a process group."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(folder.name))
    return found
