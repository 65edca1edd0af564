"""The connection of the client to a cluster: connecting, submitting tasks, waiting, errors."""

from __future__ import annotations

import contextlib
import logging
import os
import platform
import re
import signal
import threading
import time
import uuid
import warnings
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from pruneapp import __version__
from pruneapp.cluster.tasks import PROGRESS, Failed
from pruneapp.errors import ClusterError, ClusterLostError, counted, first_names
from pruneapp.progress import Cancelled, Job

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

# The address of worker processes on this machine.
_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
# Timeout in seconds for the scheduler to answer.
_PATIENCE = 10
# Loggers of Dask.
_LOUD = (
    "distributed",
    *(
        f"distributed.{name}"
        for name in ("client", "comm", "core", "nanny", "scheduler", "worker", "utils", "batched")
    ),
)
# Timeout in seconds for the first worker.
_FIRST_WORKER = 60
# Versions of Pruneapp, numpy and Python. An expression as text, because a worker without Pruneapp
# could not unpickle a function of it.
_VERSIONS = """(
    __import__("pruneapp").__version__
    if __import__("importlib.util").util.find_spec("pruneapp") else "",
    __import__("numpy").__version__,
    ".".join(__import__("platform").python_version_tuple()[:2]),
)"""
# Seconds between two checks for cancellation.
_LOOK = 0.05
# Seconds between two queries of the number of workers.
_COUNT = 1
# Number of workers that may die during a task until it fails: the task need not be the cause.
_MOST_DEATHS = 20
# Tasks submitted per worker: more would only be queued there.
_AHEAD = 3


@dataclass(frozen=True)
class Work:
    """A task: a function of `pruneapp.cluster.tasks`, its arguments, and the bytes that it reads.

    Tasks with the same `file` number preferably run on the same worker, which may have the masks in
    its cache.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    nbytes: int = 0
    label: str = ""
    file: int | None = None


@dataclass
class Speed:
    """Bytes and seconds of the tasks that a worker has finished."""

    nbytes: int = 0
    seconds: float = 0.0
    tasks: int = 0

    @property
    def rate(self) -> float:
        """Bytes per second; 0 if nothing was measured."""
        return self.nbytes / self.seconds if self.seconds else 0.0


@dataclass
class Flow:
    """Throughput of a cluster, for display."""

    begun: float = field(default_factory=time.monotonic)
    nbytes: int = 0
    workers: defaultdict[str, Speed] = field(default_factory=lambda: defaultdict(Speed))

    @property
    def rate(self) -> float:
        """Bytes per second of all workers together, since the start."""
        return self.nbytes / max(time.monotonic() - self.begun, 1e-9)

    def slow(self) -> tuple[str, ...]:
        """Return the workers that are less than half as fast as the median.

        Only workers that finished two tasks or more count; empty if there are fewer than two of
        them.
        """
        rates = {name: speed.rate for name, speed in self.workers.items() if speed.tasks > 1}
        if len(rates) < 2:
            return ()
        middle = sorted(rates.values())[len(rates) // 2]
        return tuple(name for name, rate in rates.items() if rate < middle / 2)

    def words(self, label: str) -> str:
        """Return a progress text: label, throughput, and slow workers."""
        slow = self.slow()
        words = first_names(slow, 2, str)
        late = f", slow: {words}" if slow else ""
        return f"{label} {self.rate / 1e9:.2f} GB/s{late}".strip()


class Cluster:
    """A connection to a cluster, as a context manager; its workers may change at any time.

    Creating one waits up to 60 seconds for a worker. Raises `ClusterError` if there is none, or a
    worker has other versions of Pruneapp, numpy or Python. Workers that join later get tasks; tasks
    of workers that leave are repeated by others.
    """

    def __init__(
        self,
        client: Client,
        address: str,
        job: Job | None = None,
        *,
        kill: Callable[[], None] | None = None,
    ) -> None:
        job = job or Job()
        self._client = client
        self._kill = kill  # kills the worker processes, if this process started them
        self.address = address
        self.flow = Flow()
        self._partial: dict[str, int] = {}  # bytes read so far by running tasks, by task key
        self._where: dict[str, str] = {}  # worker of each running task, if known, by task key
        self._job = uuid.uuid4().hex[:12]
        self._number = 0
        self._workers: list[str] = []  # their addresses
        self._counted = 0.0
        client.subscribe_topic(PROGRESS, self._on_progress)
        try:
            self._await_workers(job)
            self._check_versions()
        except BaseException:
            self.close()
            raise

    @property
    def client(self) -> Client:
        """The Dask client."""
        return self._client

    @property
    def dashboard(self) -> str:
        """The address of the dashboard; empty if there is none."""
        return str(self._client.dashboard_link or "") if find_spec("bokeh") else ""

    def workers(self) -> int:
        """Return the number of workers; the count may be up to a second old.

        Raises `ClusterLostError` if the connection is lost.
        """
        now = time.monotonic()
        if not self._workers or now - self._counted > _COUNT:
            self._counted = now
            with self._convert_errors():
                known = self._client.scheduler_info(n_workers=-1)
            if "workers" not in known:  # the client was just disconnected
                raise self._lost_error()
            self._workers = sorted(known["workers"])
        return len(self._workers)

    def close(self) -> None:
        """Unsubscribe from progress events; the Dask client stays open."""
        with contextlib.suppress(Exception):
            self._client.unsubscribe_topic(PROGRESS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _on_progress(self, event: tuple[float, Any]) -> None:
        key, done, worker = event[1]
        if key in self._partial:
            self._partial[key] = max(self._partial[key], int(done))
            self._where[key] = worker

    def _await_workers(self, job: Job) -> None:
        """Wait for the first worker, which may take a while if a batch system starts them.

        Raises `ClusterError` after 60 seconds without any; `job` can cancel.
        """
        begun = time.monotonic()
        while not self.workers():
            if time.monotonic() - begun > _FIRST_WORKER:
                raise ClusterError(
                    f"The cluster at '{self.address}' has no workers.",
                    remedy="Start some, such as with `dask worker ADDRESS`.",
                )
            job.step(0, "Waiting for workers")
            time.sleep(_LOOK)

    def _check_versions(self) -> None:
        """Raise `ClusterError` for workers with other versions, whose results might differ.

        Compared are Pruneapp, numpy, and Python up to its minor version.
        """
        mine = (__version__, np.__version__, ".".join(platform.python_version_tuple()[:2]))
        names = ("Pruneapp", "numpy", "Python")
        found = self._client.run(eval, _VERSIONS)
        for worker, its in found.items():
            if not its[0]:
                raise ClusterError(
                    f"Pruneapp is not installed on the worker {worker}.",
                    remedy=f"Install it there: pip install 'pruneapp[cluster]=={__version__}'.",
                )
            for name, one, other in zip(names, mine, its, strict=True):
                if one != other:
                    raise ClusterError(
                        f"The worker {worker} has {name} {other}, but this machine has {one}.",
                        remedy="Install the same versions everywhere.",
                    )

    def run(self, works: Sequence[Work], job: Job) -> list[Any]:
        """Run independent tasks, and return their results in the order of `works`.

        The sizes of the tasks in bytes extend the total of `job`, and each read steps it.
        Exceptions of tasks are raised unchanged; the other tasks are then cancelled.

        Raises
        ------
        ClusterError
            If workers died repeatedly on the same task.
        ClusterLostError
            If the connection is lost.
        Cancelled
            If the job was cancelled.
        """
        return [result for _, result in sorted(self.each(works, job), key=lambda pair: pair[0])]

    def each(self, works: Sequence[Work], job: Job) -> Iterator[tuple[int, Any]]:
        """Run independent tasks, and yield the index and the result of each as it ends.

        A task whose worker died is run again, at most 20 times. As many tasks are submitted at a
        time as the workers can queue; leaving the loop early cancels those. Raises what `run`
        raises.
        """
        job.extend(sum(work.nbytes for work in works))
        with self.keep_results() as keep:
            waiting = deque(range(len(works)))
            under_way: dict[Future[Any], int] = {}
            deaths: defaultdict[int, int] = defaultdict(int)
            stepped: defaultdict[int, int] = defaultdict(int)
            begun: dict[int, float] = {}
            while waiting or under_way:
                self._check_running(job)
                room = _AHEAD * max(1, self.workers())
                while waiting and len(under_way) < room:
                    number = waiting.popleft()
                    future = keep(works[number])
                    under_way[future] = number
                    begun[number] = time.monotonic()
                for future in self._find_ended(under_way):
                    number = under_way.pop(future)
                    work = works[number]
                    result = self._result(future)
                    self._partial.pop(str(future.key), None)
                    if isinstance(result, _Death):
                        deaths[number] += 1
                        if deaths[number] > _MOST_DEATHS:
                            raise ClusterError(
                                f"{counted(_MOST_DEATHS, 'worker')} died one after another on the "
                                f"same task ({work.label or work.function.__name__}).",
                                remedy="Check their logs; they may have too little memory.",
                            )
                        waiting.append(number)
                        continue
                    self._step(job, work.nbytes - stepped[number], work.label)
                    self._record_speed(future, work, time.monotonic() - begun[number])
                    yield number, result
                for future, number in under_way.items():
                    done = min(self._partial.get(str(future.key), 0), works[number].nbytes)
                    if done > stepped[number]:
                        self._step(job, done - stepped[number], works[number].label)
                        stepped[number] = done

    def wait(
        self, futures: Sequence[Future[Any]], nbytes: Sequence[int], job: Job, label: str
    ) -> None:
        """Wait for tasks without fetching their results; step `job`, named `label`, by bytes.

        `nbytes` has the bytes that each task reads. A task that failed counts as ended and raises
        nothing. Raises `ClusterLostError` and `Cancelled`.
        """
        left = dict(enumerate(futures))
        stepped = [0] * len(futures)
        while left:
            self._check_running(job)
            for number, future in list(left.items()):
                done = nbytes[number]
                if future.done():
                    if future.status == "cancelled":
                        raise self._lost_error()
                    del left[number]
                else:
                    done = min(done, self._partial.get(str(future.key), 0))
                if done > stepped[number]:
                    self._step(job, done - stepped[number], label)
                    stepped[number] = done
            time.sleep(_LOOK / 5)

    def _step(self, job: Job, nbytes: int, label: str) -> None:
        self.flow.nbytes += nbytes
        job.step(nbytes, self.flow.words(label))

    def _record_speed(self, future: Future[Any], work: Work, seconds: float) -> None:
        worker = self._where.pop(str(future.key), "")
        if work.nbytes and worker:
            speed = self.flow.workers[worker]
            speed.nbytes += work.nbytes
            speed.seconds += seconds
            speed.tasks += 1

    @contextlib.contextmanager
    def keep_results(self) -> Iterator[Callable[[Work], Future[Any]]]:
        """Yield a function that submits tasks whose results stay on the workers during the block.

        It returns a future at once; tasks of a file prefer one worker. If the block raises, all
        tasks are cancelled, or, if the job was cancelled, local worker processes are killed. The
        futures are released when the block ends.
        """
        futures: list[Future[Any]] = []

        def submit(work: Work) -> Future[Any]:
            """Submit a task and return its future; raise `ClusterLostError`."""
            self._number += 1
            name = work.function.__name__
            key = f"pruneapp-{name}-{self._job}-{self._number}"
            self._partial[key] = 0
            where = None
            if work.file is not None and self._workers:
                where = [self._workers[work.file % len(self._workers)]]
            with self._convert_errors():
                future = self._client.submit(
                    work.function,
                    *work.arguments,
                    key=key,
                    pure=False,
                    retries=0,
                    workers=where,
                    allow_other_workers=where is not None,  # if the worker dies or is busy
                )
            futures.append(future)
            return future

        try:
            yield submit
        except BaseException as error:
            with contextlib.suppress(Exception):
                if self._kill is not None and isinstance(error, (Cancelled, KeyboardInterrupt)):
                    self._kill()  # what they write is removed next, so they need not stop cleanly
                else:
                    self._client.cancel(futures, force=True)
            raise
        finally:
            for future in futures:
                self._partial.pop(str(future.key), None)
                with contextlib.suppress(Exception):
                    future.release()

    def result(self, future: Future[Any], job: Job) -> Any:
        """Wait for one task, and return its result.

        Raises what the task raised, `ClusterError` if its workers died, `ClusterLostError` and
        `Cancelled`.
        """
        while not future.done():
            self._check_running(job)
            time.sleep(_LOOK / 10)
        result = self._result(future)
        if isinstance(result, _Death):
            raise ClusterError(
                "Workers died one after another on the same task.",
                remedy="Check their logs; they may have too little memory.",
            )
        return result

    def _check_running(self, job: Job) -> None:
        job.step(0)
        if self._client.status not in {"running", "connecting"} or (
            self._client.scheduler_comm is not None and self._client.scheduler_comm.closed()
        ):
            raise self._lost_error()

    def _find_ended(self, under_way: Mapping[Future[Any], int]) -> list[Future[Any]]:
        ended = [future for future in under_way if future.done()]
        if not ended:
            time.sleep(_LOOK / 5)
        return ended

    def _result(self, future: Future[Any]) -> Any:
        """Return the result of a task that has ended, or `_Death` if its workers died.

        Raises the exception of a task that failed, and `ClusterLostError`.
        """
        from distributed.scheduler import KilledWorker

        if future.status == "cancelled":  # the scheduler dropped it: the connection was lost
            raise self._lost_error()
        with self._convert_errors():
            try:
                result = future.result()
            except KilledWorker:
                return _Death()
        if isinstance(result, Failed):
            if isinstance(result.error, Cancelled):  # the worker saw the task as no longer needed
                return _Death()
            raise result.error
        return result

    @contextlib.contextmanager
    def _convert_errors(self) -> Iterator[None]:
        """Convert exceptions of a lost connection to `ClusterLostError`."""
        from asyncio import CancelledError
        from concurrent.futures import CancelledError as FutureCancelled

        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError

        try:
            yield
        except (
            CommClosedError,
            CancelledError,
            FutureCancelled,
            FutureCancelledError,
            TimeoutError,
            OSError,
        ) as error:
            raise self._lost_error() from error
        except RuntimeError as error:
            if "closed" in str(error) or "running" in str(error):
                raise self._lost_error() from error
            raise

    def _lost_error(self) -> ClusterLostError:
        return ClusterLostError(
            f"The cluster at '{self.address}' is gone.",
            remedy="Start it again, then run the same job again (on the command line with "
            "--resume): written files are kept.",
        )


class _Death:
    """The result of a task whose workers died."""


def check_address(address: str) -> None:
    """Raise `ClusterError` if Dask is not installed or the address is invalid; contact nothing.

    Valid are ``local:N`` with N from 1 to 9999, and any ``scheme://…``.
    """
    if find_spec("distributed") is None:
        raise ClusterError(
            "Running on a cluster needs Dask, which is not installed.",
            remedy="Install it: pip install 'pruneapp[cluster]'.",
        )
    if not (_LOCAL.fullmatch(address) or re.match(r"[a-z]+://.", address)):
        raise ClusterError(
            "A cluster is specified by the address of its Dask scheduler, such as "
            f"tcp://host:8786, or by local:N for N processes on this machine (got '{address}')."
        )


@contextlib.contextmanager
def connect(address: str, job: Job) -> Iterator[Cluster]:
    """Connect to a scheduler (``tcp://…``), or start N processes on this machine (``local:N``).

    The processes end with the block. If it was cancelled or raises, they are killed without
    waiting. Raises `ClusterError` if there is no scheduler, it does not answer within 10 seconds,
    it has no workers, or versions differ.
    """
    job.step(0)
    check_address(address)
    local = _LOCAL.fullmatch(address)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_silence_logs())
        if local is not None:
            workers = stack.enter_context(_processes(int(local[1]), job))
            assert workers.client is not None
            cluster = Cluster(workers.client, address, job, kill=workers.kill)
        else:
            cluster = Cluster(stack.enter_context(_client(address)), address, job)
        yield stack.enter_context(cluster)


# Threads inside of `_silence_logs`, and the log levels before the first of them entered.
_silence = threading.Lock()
_silenced: list[int] = []
_levels: list[int] = []


@contextlib.contextmanager
def _silence_logs() -> Iterator[None]:
    """Suppress Dask's log messages about errors that are handled or reported here.

    May be nested and used by several threads: the last to leave restores the levels that the first
    found.
    """
    loggers = [logging.getLogger(name) for name in _LOUD]
    with _silence:
        if not _silenced:
            _levels.extend(logger.level for logger in loggers)
        _silenced.append(threading.get_ident())
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        with _silence:
            _silenced.remove(threading.get_ident())
            if not _silenced:
                for logger, level in zip(loggers, _levels, strict=True):
                    logger.setLevel(level)
                _levels.clear()


@contextlib.contextmanager
def _client(address: str) -> Iterator[Client]:
    """Connect to the scheduler at `address` for the block.

    Raises `ClusterError` if none answers within 10 seconds.
    """
    import dask
    from distributed import Client

    quiet = {"distributed.comm.timeouts.connect": f"{_PATIENCE}s"}
    with dask.config.set(quiet):
        try:
            client = Client(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(
                f"No Dask scheduler answers at '{address}'.",
                remedy="Check the address, and that the scheduler runs.",
                details=str(error),
            ) from None
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=2)


@contextlib.contextmanager
def _processes(count: int, job: Job) -> Iterator[LocalWorkers]:
    """Start `count` processes on this machine, and yield once they run; they end with the block.

    If the block raises or the start is cancelled, they are killed in the background. Raises what
    prevented the start, such as `ClusterError`.
    """
    workers = LocalWorkers(count)
    with _block_interrupts():
        workers.start()
    try:
        while not workers.ready.wait(_LOOK / 5):
            job.step(0, "Starting workers")
        if workers.error is None:
            yield workers
    except BaseException:
        workers.kill()  # without waiting, because the caller was cancelled
        raise
    workers.end()
    workers.join()
    if workers.error is not None:
        raise workers.error


class LocalWorkers(threading.Thread):
    """Worker processes on this machine, started and stopped by a thread.

    Neither starting nor stopping blocks the caller. The thread is not a daemon, so Python waits for
    it at exit.
    """

    def __init__(self, count: int) -> None:
        super().__init__(name="pruneapp-cluster")
        self._count = count
        self._over = threading.Event()
        self._killed = False
        self._cluster: LocalCluster | None = None
        self.client: Client | None = None
        self.error: BaseException | None = None  # why they could not be started
        self.ready = threading.Event()

    def end(self) -> None:
        """Request the processes to end; their work is done."""
        self._over.set()

    def kill(self) -> None:
        """Kill the processes now, and those that start later; they are not started again."""
        self._killed = True
        self._over.set()
        for nanny in [] if self._cluster is None else list(self._cluster.workers.values()):
            with contextlib.suppress(Exception):
                pid, nanny.process.on_exit = nanny.pid, None  # the nanny would restart the process
                os.kill(pid, signal.SIGKILL)

    def run(self) -> None:
        """Start the processes, set `ready`, wait for `end` or `kill`, and stop them.

        If they cannot be started, the exception is stored in `error` and nothing is raised.
        """
        with _silence_logs():
            try:
                self._begin()
            except BaseException as error:  # noqa: BLE001 - the waiting thread raises it
                self.error = error
            self.ready.set()
            self._over.wait()
            if self._killed:
                self.kill()  # those started since
            with contextlib.suppress(Exception):
                if self.client is not None:
                    self.client.close(timeout=2)
            with contextlib.suppress(Exception):
                if self._cluster is not None:
                    self._cluster.close(timeout=5)

    def _begin(self) -> None:
        """Start the processes and connect; the processor cores are divided among them.

        Raises `ClusterError` if they do not start.
        """
        import dask
        from distributed import Client, LocalCluster

        threads = max(1, len(os.sched_getaffinity(0)) // self._count) if _has_affinity() else 1
        settings = {
            "distributed.scheduler.allowed-failures": _MOST_DEATHS,
            "distributed.worker.memory.target": False,
            "distributed.worker.memory.spill": False,
            "distributed.worker.memory.pause": False,
            "distributed.worker.memory.terminate": False,
            "distributed.admin.tick.limit": "1h",
        }
        with dask.config.set(settings), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the port of an unused dashboard
            try:
                self._cluster = LocalCluster(
                    n_workers=self._count,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    worker_dashboard_address=None,
                    silence_logs=50,
                    memory_limit=0,
                    env={"PRUNEAPP_THREADS": str(threads)},
                )
            except RuntimeError as error:
                raise ClusterError(
                    f"{counted(self._count, 'process', 'processes')} could not be started on this "
                    "machine.",
                    remedy="Choose fewer of them, and check how much memory is free.",
                    details=str(error),
                ) from error
            self.client = Client(self._cluster, set_as_default=False)


def _has_affinity() -> bool:
    return hasattr(os, "sched_getaffinity")


@contextlib.contextmanager
def _block_interrupts() -> Iterator[None]:
    """Block Ctrl+C for threads and processes started inside; their owner ends them.

    They inherit the signal mask. A signal that arrives meanwhile is delivered afterwards. Does
    nothing on Windows.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starting it later would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
