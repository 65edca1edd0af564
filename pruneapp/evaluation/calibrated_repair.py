"""Repairs with collected statistics: run the model, then solve its layers."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from msgspec import structs

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.digest import sha256_of
from pruneapp.checkpoint.io.files import temporary_folder
from pruneapp.document.entries import RepairSource
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.repaired_values import RepairedValues
from pruneapp.errors import ParameterError
from pruneapp.evaluation.collection import GRAM_BUDGET, LayerCollection, Sums, collecting, kind_of
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import Samples, ScriptRunner, as_on_disk, data_name, data_of
from pruneapp.kernels.values import decode
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import ESTIMATED_AFTER_SHARE, Job
from pruneapp.repair.repair import (
    KnownInputs,
    LayerInputs,
    Repair,
    RepairRun,
    compute_repair,
    inputs_in,
    risks_of,
)
from pruneapp.repair.solve import DAMPING, ITERATIONS
from pruneapp.statistics.file import open_statistics

# Name of the solver in this process.
NUMPY = "numpy (CPU)"


@dataclass(frozen=True)
class RepairSettings:
    """Settings of a repair; `names` and `wanted` are parameters of `compute_repair`."""

    iterations: int = ITERATIONS
    damping: float = DAMPING
    norms: bool = True  # whether the running variances of norms are updated too
    budget: int = GRAM_BUDGET  # maximum bytes of Gram matrices in the worker
    seed: int = 0
    # Whether each layer is solved for the inputs that it gets after earlier layers were repaired;
    # otherwise all inputs are those of the unpruned model.
    sequential: bool = False
    names: Sequence[str] | None = None
    wanted: Checkpoint | None = None

    def source(self, statistics: str = "", data: str = "", name: str = "") -> RepairSource:
        """Return the source to record in a recipe; for the inputs see `data_of` and `data_name`."""
        return RepairSource(
            statistics, (), self.iterations, self.damping, self.norms, self.sequential, data, name
        )


@dataclass(frozen=True, eq=False)
class CalibratedRepair:
    """A computed repair, with its risks."""

    repair: Repair
    risks: tuple[str, ...]
    solver: str = NUMPY  # library and device that solved the layers
    sequential: bool = False
    samples: Samples | None = None  # of the data; None if unknown


def repair_by_script(
    runner: ScriptRunner,
    snapshot: Snapshot,
    settings: RepairSettings,
    job: Job,
    *,
    closes: bool = True,
) -> CalibratedRepair:
    """Collect statistics of the unpruned model, and repair the pruned weights with them.

    The layers are solved in the worker, in groups between its runs, if it has a GPU or if the Gram
    matrices exceed the budget, see `LayerCollection`. Otherwise the runner is closed before layers
    are solved, to free its memory, unless the repair is sequential; the Gram matrices are stored in
    a temporary folder meanwhile. The runner is closed when this returns, unless it is used further
    (`closes` False, for a sequential repair); after an error or cancellation it is not closed.
    `snapshot` itself does not change: the result has the edit to apply.

    Raises what `collecting` and `compute_repair` raise, and `EvaluationError` if no pruned layer
    received any input.
    """
    unpruned = as_on_disk(snapshot) if settings.wanted is None else Snapshot(settings.wanted)
    data, name = data_of(runner, calibrating=True), data_name(runner)
    repaired_by = settings.source(data=data, name=name)
    run = RepairRun(snapshot, repaired_by, settings.wanted, settings.names)
    with contextlib.closing(run), temporary_folder() as folder:
        # Until the first run has ended, the duration is unknown: no time left is estimated then.
        parts = job.weighted_parts((1, round(1 / ESTIMATED_AFTER_SHARE) - 1))
        with collecting(
            runner,
            unpruned,
            run.pruned,
            next(parts),
            folder=folder,
            seed=settings.seed,
            budget=settings.budget,
            other_state=run.state if settings.sequential else None,
        ) as collection:
            if not collection.groups:
                raise EvaluationError(
                    f"'{runner.name}' ran no input through any of the pruned layers.",
                    remedy="In calibrate(model), call the model that load(path) returned.",
                )
            source, sums = kind_of(runner), None
            groups, iterations = collection.groups, settings.iterations
            if collection.in_worker or settings.sequential:
                _repair_in_groups(
                    collection, run, next(parts), iterations, sequential=settings.sequential
                )
            else:
                stages = next(parts).weighted_parts(_works(collection, groups[0], iterations))
                sums = collection.collect(groups[0], next(stages))
        if closes:
            runner.close()
        if sums is not None:
            run.repair(_inputs_from(sums, job), next(stages))
        solver = f"torch ({collection.device})" if collection.in_worker else NUMPY
        if (samples := runner.calibrated) is not None:
            run.source = structs.replace(run.source, samples=samples.used)
        made = _with_risks(run.outcome(job), source, solver, sequential=settings.sequential)
        return replace(made, samples=samples)


def _repair_in_groups(
    collection: LayerCollection, run: RepairRun, job: Job, iterations: int, *, sequential: bool
) -> None:
    """Collect the inputs of each group of layers, and repair the group before the next one.

    The progress of a group is in proportion to its expected duration. If `sequential`, the changed
    tensors are transferred to the worker after each group but the last, so that the next group gets
    the inputs of the repaired layers.
    """
    works = [_works(collection, group, iterations) for group in collection.groups]
    parts = job.weighted_parts([sum(work) for work in works])
    for group, work, part in zip(collection.groups, works, parts, strict=True):
        stages = part.weighted_parts((*work, 0))  # a transfer takes little time
        sums = collection.collect(group, next(stages))
        before = run.state.values
        run.repair(_inputs_from(sums, job), next(stages))
        if sequential and group is not collection.groups[-1]:
            now = run.state
            changed = {n for n, values in now.values.items() if before.get(n) is not values}
            collection.put(now, changed | set(group), next(stages))


def _works(collection: LayerCollection, group: Sequence[str], iterations: int) -> tuple[int, int]:
    """Return the weights of collecting the inputs of a group, and of solving it, for a job.

    Solving gets a fifth at least: multiply-adds alone predict 0.1 s for small layers, which take
    several seconds on processors that are busy. At the end of the progress, the job would seem to
    be finished.
    """
    collecting, solving = collection.work(group, iterations)
    return collecting, max(solving, collecting // 4)


def _inputs_from(sums: Sums, job: Job) -> KnownInputs:
    """Return a function that returns the collected inputs of a tensor, or None without Gram matrix.

    A tensor is found by any of its names. Cancelling `job` ends the reading of a Gram matrix.
    """

    def known(entry: TensorEntry) -> LayerInputs | None:
        name = next((name for name in entry.names if name in sums.with_grams), None)
        return None if name is None else sums.inputs_of(name, job.cancel)

    return known


def repair_by_statistics(
    path: Path, snapshot: Snapshot, settings: RepairSettings, job: Job, *, forced: bool = False
) -> CalibratedRepair:
    """Compute a repair of the pruned weights with statistics from a file; `snapshot` is unchanged.

    Raises `ParameterError` if the statistics belong to another checkpoint than the unpruned model
    (`settings.wanted`, or that of `snapshot`), unless `forced`; and what `open_statistics` and
    `compute_repair` raise.
    """
    with open_statistics(path, job, forced=forced) as statistics:
        statistics.refuse_other(settings.wanted or snapshot.checkpoint, job)
        known = inputs_in(statistics, job.cancel)
        origin = statistics.origin
        source = settings.source(statistics.sha256, origin.data, origin.name)
        made = RepairRun(snapshot, source, settings.wanted, settings.names)
        with contextlib.closing(made) as repair:
            repair.repair(known, job)
            return _with_risks(repair.outcome(job), statistics.origin.source)


def _with_risks(
    repair: Repair, source: str, solver: str = NUMPY, *, sequential: bool = False
) -> CalibratedRepair:
    risks = risks_of(repair.layers, source, sequential=sequential)
    return CalibratedRepair(repair, risks, solver, sequential)


@dataclass(frozen=True, eq=False)
class RepeatedRepair:
    """Recomputes the repairs of a recipe with statistics from a file.

    `wanted` is the model whose outputs the repair approximates, needed for repairs that name
    another model than the repaired one.
    """

    statistics: Path
    wanted: Checkpoint | None = None

    def __call__(self, snapshot: Snapshot, made: RepairedValues, job: Job) -> dict[str, float]:
        """Repeat the repair `made`, and return the relative difference of each tensor's values.

        `snapshot` is the state before the repair. The keys are the names of tensors that the
        recorded or the repeated repair changed; the values are those of `_relative_change`, 0.0 for
        equal values.

        Raises `ParameterError` if the repair was sequential, or used other statistics or another
        model; and what `open_statistics` and `compute_repair` raise.
        """
        source = made.source
        assert isinstance(source, RepairSource), "training is not repeated"
        if source.sequential:
            raise ParameterError(
                "The repair was sequential: the inputs of each layer were collected after the "
                "layers before it were repaired, so no statistics file has them.",
                remedy="Repair the pruned file again with the same script, and compare.",
            )
        wanted = self._wanted(source, job)
        with open_statistics(self.statistics, job) as statistics:
            if source.statistics not in {"", statistics.sha256}:
                raise ParameterError(
                    "The repair was made with the statistics with the SHA-256 "
                    f"{source.statistics}; that of '{self.statistics}' is {statistics.sha256}.",
                    remedy="Specify the statistics file that the repair was made with.",
                )
            again = compute_repair(
                snapshot,
                inputs_in(statistics, job.cancel),
                job,
                names=made.names,
                wanted=wanted,
                iterations=source.iterations,
                damping=source.damping,
                norms=source.norms,
            ).edit.after["values"]
        recorded = {snapshot.entry(tensor.name).name: tensor.values for tensor in made.tensors}
        return {
            name: _relative_change(snapshot, name, recorded.get(name), again.get(name), job)
            for name in dict.fromkeys((*recorded, *again))
        }

    def _wanted(self, source: RepairSource, job: Job) -> Checkpoint | None:
        """Return the model whose outputs were approximated; None if it was the repaired model.

        Raises `ParameterError` if another model is needed and `wanted` is None or has other files.
        """
        if not source.against:
            return None
        if self.wanted is None:
            raise ParameterError(
                "The repair was made for the outputs of another model.",
                remedy="Specify that model, which was pruned, with --unpruned.",
            )
        found = tuple(sha256_of(file, Job(cancel=job.cancel)) for file in self.wanted.files)
        if found != source.against:
            raise ParameterError(
                f"'{self.wanted.path}' is not the model that the repair was made for.",
                remedy="Specify the model that was pruned.",
            )
        return self.wanted


# Weights compared per piece.
_PIECE = 1 << 20


def _relative_change(
    snapshot: Snapshot, name: str, before: BitMask | None, after: BitMask | None, job: Job
) -> float:
    """Return the norm of the change from `before` to `after`, divided by the norm of `before`.

    Only weights that are not pruned in `snapshot` and finite are compared. None means the values of
    `snapshot`. Infinite if the two differ in which weights are finite, or if `before` is zero and
    `after` is not; 0.0 if both are zero.
    """
    entry, zeroed = snapshot.entry(name), snapshot.export_mask(name)
    sides = [
        snapshot.bits_under(name) if values is None else values.packed.view(entry.dtype.storage)
        for values in (before, after)
    ]
    squares = change = 0.0
    for start in range(0, entry.numel, _PIECE):
        job.step(0)
        stop = min(start + _PIECE, entry.numel)
        was, now = (decode(bits[start:stop], entry.dtype).astype(np.float64) for bits in sides)
        if zeroed is not None:
            kept = zeroed.bools(start, stop)
            was, now = was[kept], now[kept]
        finite = np.isfinite(was)
        if (finite != np.isfinite(now)).any():
            return math.inf
        squares += float(np.square(was[finite]).sum())
        change += float(np.square(now[finite] - was[finite]).sum())
    return math.sqrt(change / squares) if squares else math.inf if change else 0.0
