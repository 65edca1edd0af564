"""Cluster jobs from S3 to S3, with one of twenty requests failing."""

from __future__ import annotations

import contextlib
import os
import random
import tempfile
import time
from pathlib import Path

from pruneapp.checkpoint.io import store
from pruneapp.checkpoint.io.store import StorePath
from pruneapp.cluster import steps
from pruneapp.cluster.connection import connect
from pruneapp.errors import ClusterLostError, ExportError
from pruneapp.progress import Job
from tests.cluster.workers import contents, locally, on_cluster
from tests.reliability.cluster_kills import (
    BEGUN_AGAIN,
    TAKEN_UP,
    WENT_ON,
    Processes,
    later,
    make_model,
    recipe,
)
from tests.reliability.tally import Tally
from tests.support.store_faults import Faults
from tests.support.stores import Bucket, direct_client, environment, served

ERRORS = 0.05
# Names of the faults, as in the table.
FAULTS = ("S3", "S3, and a worker is killed", "S3, and the scheduler is killed")


def run(fault: str, times: int, side: int) -> Tally:
    """Run a job `times` times with errors of the store, and kill the process that `fault` names."""
    tally, rng = Tally(), random.Random(fault)
    steps.UNIT_BYTES = 1 << 20
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pruneapp-s3-")))
        server = stack.enter_context(served())
        os.environ.update(environment(server))
        store._stores.clear()  # connections to an earlier server
        client = stack.enter_context(contextlib.closing(direct_client(server)))
        bucket = Bucket("models", client, server.faults)
        make_model(folder / "model", side)
        locally(folder / "model", recipe(), folder / "right")
        right = contents(folder / "right")
        model = bucket.put_folder(folder / "model", "model")
        processes = stack.enter_context(Processes(folder))
        lasts = 0.0
        for number in range(-2, times):  # the first run imports modules
            server.faults = Faults(errors=ERRORS if number >= 0 else 0.0, seed=number)
            key, began = f"out{number}", time.monotonic()
            what = fault if number >= 0 else ""
            end = _run(processes, what, model, bucket.path(key), lasts * rng.uniform(0.1, 1))
            if number < 0:
                lasts = time.monotonic() - began
            else:
                tally.runs += 1
                tally.ends[end] += 1
                tally.ends["errors"] += server.faults.injected
            server.faults = Faults()
            names = bucket.listed()
            mine = [name for name in names if name.startswith(f"{key}/")]
            written = {name.removeprefix(f"{key}/"): bucket.get(name) for name in mine}
            left = [name for name in names if name.partition("/")[0] not in {"model", key}]
            left += bucket.uploads()
            if written != right or left:
                tally.wrong.append(f"{fault}, run {number}: other bytes, or left: {left}")
            for name in {*mine, *left}:
                bucket.client.delete_object(Bucket=bucket.name, Key=name)
    return tally


def _run(processes: Processes, fault: str, model: Path, target: StorePath, moment: float) -> str:
    address = processes.start()
    kill = contextlib.nullcontext()
    if "worker" in fault:
        kill = later(moment, lambda: processes.kill_worker(0))
    elif "scheduler" in fault:
        kill = later(moment, processes.kill_scheduler)
    try:
        with kill:
            _do(address, model, target)
    except ClusterLostError:
        kept = any(path.name.startswith(target.name) for path in target.parent.iterdir())
        end = TAKEN_UP if kept else BEGUN_AGAIN
    except ExportError:
        end = BEGUN_AGAIN
    else:
        return WENT_ON
    _do(processes.start(), model, target, resume=True)
    return end


def _do(address: str, model: Path, target: StorePath, *, resume: bool = False) -> None:
    job = Job()
    with connect(address, job) as cluster:
        on_cluster(cluster, model, recipe(), target, resume=resume, job=job)
