"""Local worker processes: cancelling returns immediately, and no process is left."""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import sys
import threading
import time

import pytest

from pruneapp.cluster.connection import LocalWorkers, Work, connect
from pruneapp.progress import Cancelled, CancelToken, Job

SOON_S = 0.25


def cancel_after(token: CancelToken, seconds: float) -> list[float]:
    """Cancel after `seconds`; the returned list receives the time of the call."""
    at: list[float] = []
    threading.Timer(seconds, lambda: (at.append(time.monotonic()), token.cancel())).start()
    return at


def end() -> None:
    """Wait until workers have ended, and assert that no thread or process is left."""
    for thread in threading.enumerate():
        if isinstance(thread, LocalWorkers):
            thread.join(10)
    assert not [t for t in threading.enumerate() if isinstance(t, LocalWorkers)]
    assert not multiprocessing.active_children()
    assert logging.getLogger("distributed.worker").level != logging.CRITICAL


def test_a_cancelled_job_is_over_at_once_and_its_processes_soon():
    token, at = CancelToken(), list[list[float]]()
    job = Job(cancel=token)

    def work() -> None:
        with connect("local:2", job) as cluster:
            assert len(multiprocessing.active_children()) == 2
            at.append(cancel_after(token, 0.2))
            cluster.run([Work(time.sleep, (60,))] * 2, job)  # only cancelling ends it in time

    with pytest.raises(Cancelled):
        work()
    assert time.monotonic() - at[0][0] < SOON_S
    end()


def test_who_cancels_while_processes_start_does_not_wait_for_them(monkeypatch):
    begin = threading.Event()
    monkeypatch.setattr(LocalWorkers, "_begin", lambda self: begin.wait(10))
    token = CancelToken()
    at = cancel_after(token, 0.05)
    with pytest.raises(Cancelled), connect("local:2", Job(cancel=token)):
        pass
    assert time.monotonic() - at[0] < SOON_S
    assert any(isinstance(thread, LocalWorkers) for thread in threading.enumerate())
    begin.set()
    end()


FAULTS = """
import resource
import numpy as np
from pruneapp.cluster.tasks import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(1 << 17)  # 1 MiB, and gone
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print(faults(), keep_freed_memory(), faults())
"""


GLIBC = sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_info")


@pytest.mark.skipif(not GLIBC, reason="only glibc gives back what it is told to")
def test_a_worker_does_not_take_each_array_from_the_system_anew(run_python):
    """Dask's allocator settings would cause it; a different user setting is not changed."""
    before, done, after = run_python(FAULTS, MALLOC_TRIM_THRESHOLD_="65536").split()
    assert done == "True"
    assert int(after) < int(before) / 5
    assert run_python(FAULTS, MALLOC_TRIM_THRESHOLD_="65537").split()[1] == "False"
