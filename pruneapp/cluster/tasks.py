"""Tasks of workers: pure functions of a file, the rules of its tensors, and arguments.

A task may run twice, on one or two workers, even at the same time: it changes only its own
temporary files. A process runs one task at a time, with all threads of the process, so that memory
is needed for only one. Results are mostly sent to other workers; only small ones return to the
client.
"""

from __future__ import annotations

import ctypes
import functools
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from pruneapp.analysis.zeros import pattern_of, zeros_pruned_again
from pruneapp.checkpoint.elements import Bits
from pruneapp.checkpoint.io.digest import sha256_of
from pruneapp.cluster.masks import MethodCall, ModelSource, RuleMask, StatePart, StructureRule
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.coupled_tensors import Companions
from pruneapp.edits.dependents import TensorDim
from pruneapp.errors import ClusterError, FileChangedError, PruneAppError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.kernel import Ranking, Share, Threshold
from pruneapp.kernels.threads import TensorRange
from pruneapp.kernels.threshold import (
    Bracket,
    Candidates,
    Tally,
    count_inside,
    count_share,
    read_kept_keys,
)
from pruneapp.kernels.values import Bools, Counts, Indices
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import channels_left
from pruneapp.methods import registry
from pruneapp.methods.coupled_units import coupled_units, masks_without
from pruneapp.methods.cutoff import plan, units_to_prune
from pruneapp.methods.limits import Limits, Pruning
from pruneapp.methods.method import (
    CoupledMethod,
    RowMethod,
    Scope,
    TensorView,
    UnitMethod,
    WeightMethod,
)
from pruneapp.methods.prune_tensors import row_budgets
from pruneapp.preview.preview import views_for_row
from pruneapp.progress import Cancelled, CancelToken, Job

P = ParamSpec("P")
R = TypeVar("R")

# Topic of progress events: task key, bytes done, worker address.
PROGRESS = "pruneapp-progress"
# Seconds between two checks whether a task is still needed, and between two progress reports.
_LOOK = 0.1
_REPORT = 0.25


@dataclass(frozen=True)
class Failed:
    """The result of a task that failed; tasks that get it as an argument fail with it."""

    error: Exception


class TaskToken(CancelToken):
    """A token that is cancelled once the scheduler no longer needs the task."""

    def __init__(self, worker: Any, key: str) -> None:
        super().__init__()
        self._worker = worker
        self._key = key
        self._looked = time.monotonic()

    @property
    def cancelled(self) -> bool:
        """Whether the task is to stop; the scheduler's state is read every 0.1 seconds."""
        now = time.monotonic()
        if now - self._looked > _LOOK:
            self._looked = now
            task = self._worker.state.tasks.get(self._key)
            if task is None or task.state not in {"executing", "long-running"}:
                self.cancel()
        return super().cancelled

    def check(self) -> None:
        """Raise `Cancelled` if the task is to stop."""
        if self.cancelled:
            raise Cancelled


class TaskProgress:
    """Sends the number of bytes done by a task to the client."""

    def __init__(self, worker: Any, key: str) -> None:
        self._worker = worker
        self._key = key
        self._said = 0.0  # report immediately: the first event tells the worker of the task

    def report(self, done: int, _total: int, _label: str) -> None:
        """Send the number of bytes `done`, at most every `_REPORT` seconds; else do nothing."""
        now = time.monotonic()
        if now - self._said > _REPORT:
            self._said = now
            self._worker.log_event(PROGRESS, [self._key, done, self._worker.address])


# Parameters of glibc's <malloc.h>: M_TRIM_THRESHOLD and M_MMAP_THRESHOLD, with the values that
# glibc's own adjustment reaches.
_THRESHOLDS = ((-1, 1 << 26), (-3, 1 << 25))
# The environment variable that Dask sets for workers.
_TRIM = ("MALLOC_TRIM_THRESHOLD_", "65536")


@functools.cache
def keep_freed_memory() -> bool:
    """Let the C library keep freed memory for the next array, as in other processes.

    Dask makes it return all free memory above 64 kB, and a fixed value disables glibc's own
    adjustment. Each array of a few megabytes is then mapped again page by page, which took as long
    as all computations with it. Returns False if nothing was changed: on other systems, and if the
    environment variable has another value. Later calls do nothing and return the same.
    """
    name, value = _TRIM
    if os.name != "posix" or os.environ.get(name) != value:
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and all(mallopt(*each) for each in _THRESHOLDS)


_turn = threading.Lock()


@contextmanager
def task_job() -> Iterator[Job]:
    """Wait until no other task runs in this process, and yield the job of the task.

    The job reports progress to the client, and is cancelled once the scheduler no longer needs the
    task: then `Cancelled` is raised, also while waiting. A `ClusterError` or `FileChangedError` of
    the block is raised with the name of the worker. Outside of a cluster, it yields a job without
    either at once.
    """
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:  # not on a cluster
        yield Job()
        return
    keep_freed_memory()
    key = str(worker.get_current_task())
    token = TaskToken(worker, key)
    while not _turn.acquire(timeout=_LOOK):
        token.check()
    try:
        yield Job(TaskProgress(worker, key), token)
    except (ClusterError, FileChangedError) as error:
        sentence = f"On the worker {worker.address}: {error.sentence}"
        raise type(error)(sentence, remedy=error.remedy, details=error.details) from None
    finally:
        _turn.release()


def task(work: Callable[P, R]) -> Callable[P, R | Failed]:
    """Make a function return `Failed` instead of raising, which would fill Dask's logs.

    Only `PruneAppError` and `Cancelled` are caught. If an argument, or an element of a list
    argument, is `Failed`, it is returned and the function is not called.
    """

    @functools.wraps(work)
    def run(*args: P.args, **more: P.kwargs) -> R | Failed:
        """Return the result of `work`, or `Failed`."""
        for value in args:
            each = value if isinstance(value, list) else [value]
            for one in each:
                if isinstance(one, Failed):
                    return one
        try:
            return work(*args, **more)
        except (PruneAppError, Cancelled) as error:
            return Failed(error)

    return run


class Piece(NamedTuple):
    """A range of elements of a tensor."""

    name: str
    start: int
    stop: int


@dataclass(frozen=True)
class Unit:
    """The input of one task: pieces of tensors that are ranked by one method."""

    part: StatePart
    call: MethodCall
    width: int
    pieces: tuple[Piece, ...]

    def rankings(self, measured: Sequence[Any], job: Job) -> Iterator[tuple[Piece, Ranking]]:
        """Yield the pieces in order, each with the ranking of its whole tensor.

        Consecutive pieces of a tensor share one ranking. `measured` has the facts of the method per
        tensor; empty if it needs none or they are to be computed.
        """
        state = self.part.snapshot(job)
        known: tuple[str, Ranking] | None = None
        measures = iter(measured)
        for piece in self.pieces:
            if known is None or known[0] != piece.name:
                view = self.call.view(state, piece.name)
                measure = next(measures, None)
                known = piece.name, self.call.ranking(view, self.width, Job(), measure)
            yield piece, known[1]


@dataclass(frozen=True, eq=False)
class Pass:
    """Counts of a unit; see `BracketCounts`.

    `below` has one count per piece. `held` are the keys inside of the bracket, minus its low end,
    per piece; None if there are too many.
    """

    bracket: Bracket
    below: list[int]
    inside: Counts
    held: list[Bits] | None


@task
def measure(part: StatePart, call: MethodCall, name: str) -> Any:
    """Return the facts about a whole tensor that its ranking needs; None if it needs none."""
    with task_job() as job:
        return call.measure(call.view(part.snapshot(job), name), job)


@task
def sample_unit(unit: Unit, places: Sequence[Piece], measured: Sequence[Any]) -> list[Bits]:
    """Return the kept keys at sampled places of a unit."""
    with task_job() as job:
        rankings = {piece.name: ranking for piece, ranking in unit.rankings(measured, job)}
        return [read_kept_keys(rankings[p.name], p.start, p.stop) for p in places]


@task
def count_unit(unit: Unit, bracket: Bracket, room: int, measured: Sequence[Any]) -> Pass:
    """Count the keys of a unit below and inside of a bracket; cache up to `room` bytes of keys.

    Runs on a worker. Nothing is cached for a bracket of all keys, or if the keys inside take more.
    `measured` is as in `Unit.rankings`.
    """
    with task_job() as job:
        tally, below = Tally(bracket.bins), []
        held: list[Bits] | None = [] if bracket.shift or bracket.low else None
        for piece, ranking in unit.rankings(measured, job):
            smaller, parts = 0, []
            for stretch in _stretches(piece):
                few, some, offsets = count_inside(
                    ranking, stretch, bracket, job.cancel, collect_keys=held is not None
                )
                smaller += few
                tally.absorb(some)
                job.step(stretch.size * unit.width // 8)
                if held is not None and offsets is not None:
                    parts.append(offsets)
                    room -= offsets.nbytes
                    if room < 0:
                        held = None
            below.append(smaller)
            if held is not None:
                held.append(np.concatenate(parts) if parts else np.empty(0, f"uint{unit.width}"))
        return Pass(bracket, below, tally.counts(), held)


@task
def recount_unit(
    unit: Unit, bracket: Bracket, room: int, last: Pass, measured: Sequence[Any]
) -> Pass | Failed:
    """Count inside of a narrower bracket than `last`, from the keys that pass kept, if any.

    If there are none, they are read again as by `count_unit`, and kept if they fit into `room`
    bytes.
    """
    candidates = Candidates(last.bracket)
    for index, offsets in enumerate(last.held or ()):
        candidates.add(index, offsets)
    if last.held is None or not candidates.covers(bracket):
        return count_unit(unit, bracket, room, measured)
    counted = candidates.count(bracket, np.array(last.below, np.int64), per_tensor=False)
    first, stop = bracket.low - last.bracket.low, bracket.high - last.bracket.low
    held = []
    for offsets in last.held:
        kind = offsets.dtype.type
        held.append(offsets[(offsets >= kind(first)) & (offsets <= kind(stop))] - kind(first))
    return Pass(bracket, counted.below.tolist(), counted.inside[0], held)


@task
def counts_of_pass(done: Pass) -> tuple[int, Counts]:
    """Return the counts below and inside of the bracket, summed over the pieces."""
    return sum(done.below), done.inside


@task
def add_counts(counted: list[tuple[int, Counts]]) -> tuple[int, Counts]:
    """Add up the counts of several units."""
    total = counted[0][1].copy()
    for _, inside in counted[1:]:
        total += inside
    return sum(below for below, _ in counted), total


@task
def shares_of_unit(unit: Unit, key: int, last: Pass | None, measured: Sequence[Any]) -> Counts:
    """Return per piece the number of keys below `key`, and of those equal to it.

    The result is ``int64[pieces, 2]``. If the pass `last` cached the keys near it, no weights are
    read.
    """
    if last is not None and last.held is not None and last.bracket.low <= key <= last.bracket.high:
        offset = key - last.bracket.low
        return np.array(
            [
                (below + int(np.count_nonzero(o < offset)), int(np.count_nonzero(o == offset)))
                for below, o in zip(last.below, last.held, strict=True)
            ],
            np.int64,
        ).reshape(-1, 2)
    with task_job() as job:
        found = np.zeros((len(unit.pieces), 2), np.int64)
        for at, (piece, ranking) in enumerate(unit.rankings(measured, job)):
            for stretch in _stretches(piece):
                found[at] += count_share(ranking, stretch, key, job.cancel)
                job.step(stretch.size * unit.width // 8)
        return found


# Elements processed between two progress reports.
_STRETCH = 1 << 22


def _stretches(piece: Piece) -> Iterator[TensorRange]:
    for start in range(piece.start, piece.stop, _STRETCH):
        yield TensorRange(0, start, min(start + _STRETCH, piece.stop))


@task
def cut_together(
    part: StatePart, call: MethodCall, width: int, names: Sequence[str], count: int
) -> tuple[Threshold, tuple[Share, ...]]:
    """Find the threshold of a few tensors on one worker; see `Kernel.shares`.

    `width` is that of the keys in bits, and `count` the number of weights to prune in all of them.
    """
    with task_job() as job:
        state = part.snapshot(job)
        rankings = [call.ranking(call.view(state, name), width, Job()) for name in names]
        return CpuKernel().shares(rankings, count, job)


@task
def cut_each(
    part: StatePart, call: MethodCall, cuts: Sequence[tuple[str, int, int]]
) -> list[tuple[int, Share]]:
    """Find the threshold of each tensor alone, given as (name, width of keys, count to prune).

    Returns, in this order, the key below which weights are pruned, and their number.
    """
    with task_job() as job:
        state, found = part.snapshot(job), []
        for name, width, count in cuts:
            view = call.view(state, name)
            ranking = call.ranking(view, width, Job())
            threshold, (share,) = CpuKernel().shares([ranking], count, Job(cancel=job.cancel))
            found.append((threshold.key, share))
            job.step(state.entry(name).nbytes)
        return found


def _views(part: StatePart, call: MethodCall, names: Sequence[str], job: Job) -> list[TensorView]:
    state, row = part.snapshot(job), call.row(names)
    pairs = Companions(state.checkpoint, job.cancel)
    return views_for_row(state, row, names, None, None, pairs)


@task
def budgets(
    part: StatePart, call: MethodCall, names: Sequence[str], scope: Scope, limits: Limits
) -> list[int]:
    """Return the number of weights to prune per tensor, decided for all tensors together.

    In the order of `names`. Runs on one worker, as `units_of_tensors`.
    """
    with task_job() as job:
        views, method = _views(part, call, names, job), registry.get(call.method)
        pruning = Pruning(dict(call.values), scope, limits, CpuKernel(), job)
        if isinstance(method, RowMethod):
            return row_budgets(views, method, pruning)[0]
        assert isinstance(method, WeightMethod)
        plans = plan(views, method, pruning)
        counts = {ranked.views[0].name: ranked.count for ranked in plans}
        return [counts[name] for name in names]


@task
def units_of_tensors(
    part: StatePart, call: MethodCall, names: Sequence[str], scope: Scope, limits: Limits
) -> list[tuple[Indices, int]]:
    """Return, per tensor, the indices of the channels or blocks to prune, and how many it has.

    In the order of `names`. They are chosen among all tensors together in the scope "global".
    """
    with task_job() as job:
        views, values = _views(part, call, names, job), dict(call.values)
        method = registry.get(call.method)
        assert isinstance(method, UnitMethod)
        chosen = units_to_prune(views, method, Pruning(values, scope, limits, CpuKernel(), job))
        counts = [method.partition(view, values).count for view in views]
        return list(zip(chosen, counts, strict=True))


@task
def structures_of_groups(
    part: StatePart, call: MethodCall, names: Sequence[str], scope: Scope
) -> dict[str, StructureRule]:
    """Return the rules of the tensors of groups, with units chosen among all groups.

    Only tensors of `names` that lose weights have a rule.
    """
    with task_job() as job:
        views, method = _views(part, call, names, job), registry.get(call.method)
        assert isinstance(method, CoupledMethod)
        pruning = Pruning(dict(call.values), scope, Limits(), CpuKernel(), job)
        going = coupled_units(views, method.label, pruning)
        bare = Snapshot(part.model.open())
        return dict(
            structure_rules([(group, bare.view, units) for group, _, units in going], names, job)
        )


def structure_rules(
    going: Sequence[Any], names: Iterable[str] | None, job: Job
) -> Iterator[tuple[str, StructureRule]]:
    """Yield rules that prune units, one tensor at a time.

    `going` has (group, function that returns views, indices of units to prune). `names` are the
    tensors to yield; None for all that lose entries. Tensors that lose nothing are skipped.
    """
    touched: dict[str, list[Any]] = {}
    for group, view_of, units in going:
        members = {member.name for member in group.members}
        silenced = {n for unit in units.tolist() for n in group.silenced_by[unit : unit + 1]}
        for each in silenced:
            members.update(each)
        for name in members if units.size else ():
            only = replace(
                group,
                members=tuple(m for m in group.members if m.name == name),
                silenced_by=tuple(
                    tuple(n for n in some if n == name) for some in group.silenced_by
                ),
            )
            touched.setdefault(name, []).append((only, view_of, units))
    for name in touched if names is None else names:
        masks = masks_without(touched.get(name, ()), job)
        if name in masks:
            yield name, StructureRule.of(masks[name])


class Facts(NamedTuple):
    """The client's knowledge of a mask."""

    kept: int
    pattern: tuple[int, int] | None = None
    looked: bool = False  # whether a pattern was searched


@task
def facts(part: StatePart, names: Sequence[str]) -> dict[str, Facts]:
    """Return the number of kept weights and the N:M pattern of each tensor in `names`.

    All must be first names with rules in `part`; another name raises `KeyError`. The pattern is
    None if there is none; it is only searched in tensors of two dimensions or more that are partly
    pruned.
    """
    with task_job() as job:
        state, found = part.snapshot(job), {}
        for name in names:
            mask, entry = state.masks[name], state.entry(name)
            assert isinstance(mask, RuleMask)
            kept, pattern = mask.count_kept(), None
            if len(entry.shape) > 1 and 0 < kept < entry.numel:
                pattern = pattern_of(BitMask(mask.packed, mask.size), entry.shape, job)
            found[name] = Facts(kept, pattern, looked=True)
            job.step(entry.nbytes)
        return found


@task
def find_only_zeros_pruned(part: StatePart, names: Sequence[str]) -> tuple[str, ...]:
    """Return the tensors in which only weights are pruned that are zero in the file."""
    with task_job() as job:
        state = part.snapshot(job)
        found = zeros_pruned_again(Snapshot(state.checkpoint), state, names, job)
        job.step(sum(state.entry(name).nbytes for name in names))
        return found


@task
def find_kept_channels(part: StatePart, sources: Sequence[TensorDim]) -> list[Bools]:
    """Return, for each channel along dimensions of tensors, whether anything of it is kept.

    One array per element of `sources`, in this order.
    """
    with task_job() as job:
        state, found = part.snapshot(job), []
        for name, dim in sources:
            entry = state.entry(name)
            found.append(channels_left(state.masks.get(name), entry.shape, dim, job))
            job.step(entry.nbytes)
        return found


@task
def hash_file(model: ModelSource, number: int) -> str:
    """Return the SHA-256 of a file of a model."""
    with task_job() as job:
        return sha256_of(model.open().files[number], job)
