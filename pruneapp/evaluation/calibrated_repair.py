"""A repair whose statistics are collected for it: the model is run, then its layers are solved."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.digest import sha256_of
from pruneapp.checkpoint.io.files import temporary_folder
from pruneapp.document.entries import RepairSource
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.repaired_values import RepairedValues
from pruneapp.errors import ParameterError
from pruneapp.evaluation.collection import (
    GRAM_BUDGET,
    Sums,
    collect_sums,
    collecting_in_order,
    kind_of,
)
from pruneapp.evaluation.evaluator import files_sha256
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import ScriptRunner, as_on_disk
from pruneapp.kernels.values import decode
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.repair.repair import (
    KnownInputs,
    LayerInputs,
    Repair,
    RepairRun,
    compute_repair,
    inputs_in,
    layer_inputs,
)
from pruneapp.repair.solve import DAMPING, ITERATIONS
from pruneapp.results.repair_report import risks_of
from pruneapp.statistics.file import open_statistics


@dataclass(frozen=True)
class RepairSettings:
    """What is repaired, and how; `names` and `wanted` are those of `compute_repair`."""

    iterations: int = ITERATIONS
    damping: float = DAMPING
    norms: bool = True  # whether the running variances of norms change, too
    budget: int = GRAM_BUDGET  # bytes of Gram matrices that the worker sums at once
    seed: int = 0
    # Whether the inputs of each layer are those that it gets after the layers before it were
    # repaired; else all are those of the unpruned model.
    sequential: bool = False
    names: Sequence[str] | None = None
    wanted: Checkpoint | None = None

    def source(self, statistics: str = "") -> RepairSource:
        """Return what a recipe says of it."""
        return RepairSource(
            statistics, (), self.iterations, self.damping, self.norms, self.sequential
        )


@dataclass(frozen=True, eq=False)
class CalibratedRepair:
    """A repair to be put in force, and what a person should know of it."""

    repair: Repair
    risks: tuple[str, ...]


def repair_by_script(
    runner: ScriptRunner, snapshot: Snapshot, settings: RepairSettings, job: Job
) -> CalibratedRepair:
    """Collect statistics of the unpruned model, and repair what is pruned by them.

    The runner is closed before layers are solved: its memory is needed. Meanwhile the Gram matrices
    lie in a temporary folder. May cancel; nothing is left then.

    Sequential, it stays: groups of layers are solved between its runs.

    Raises as `collect_sums` and `compute_repair`.
    """
    unpruned = as_on_disk(snapshot) if settings.wanted is None else Snapshot(settings.wanted)
    run = RepairRun(snapshot, settings.source(), settings.wanted, settings.names)
    with contextlib.closing(run), temporary_folder() as folder:
        if settings.sequential:
            source = _repair_in_order(runner, run, unpruned, settings, job)
        else:
            parts = job.parts(2)
            sums = collect_sums(
                runner,
                unpruned,
                next(parts),
                seed=settings.seed,
                grams=run.pruned,
                budget=settings.budget,
                folder=folder,
            )
            source = sums.source
            runner.close()
            if not sums.with_grams:
                raise _nothing_ran(runner)
            run.repair(_known(sums, job), next(parts))
        return _calibrated(run.outcome(job), source, sequential=settings.sequential)


def _repair_in_order(
    runner: ScriptRunner, run: RepairRun, unpruned: Snapshot, settings: RepairSettings, job: Job
) -> str:
    """Repair layer after layer, each by its inputs after those before it; returns what they were.

    The runner is closed at the end.
    """
    parts = job.parts(1 + len(run.pruned))
    order = collecting_in_order(
        runner,
        unpruned,
        run.state,
        run.pruned,
        next(parts),
        seed=settings.seed,
        budget=settings.budget,
    )
    with order as collection:
        if not collection.groups:
            raise _nothing_ran(runner)
        for group in collection.groups:
            stages = next(parts).parts(3)
            sums = collection.collect(group, next(stages))
            before = run.state.values
            run.repair(_known(sums, job), next(stages))
            now = run.state
            changed = {n for n, values in now.values.items() if before.get(n) is not values}
            if group is not collection.groups[-1]:
                collection.put(now, changed | set(group), next(stages))
            for _ in group[1:]:  # their parts of the job
                next(parts)
    source = kind_of(runner)
    runner.close()
    return source


def _nothing_ran(runner: ScriptRunner) -> EvaluationError:
    return EvaluationError(
        f"'{runner.name}' ran no input through any of the pruned layers.",
        remedy="Let calibrate(model) call the model that load(path) returned.",
    )


def _known(sums: Sums, job: Job) -> KnownInputs:
    """Return what was summed, as a repair asks for it."""

    def known(entry: TensorEntry) -> LayerInputs | None:
        name = next((name for name in entry.names if name in sums.with_grams), None)
        if name is None:
            return None
        gram = partial(sums.gram, name, cancel=job.cancel)
        return layer_inputs(sums.inputs[name], gram, partial(sums.drift, name))

    return known


def repair_by_statistics(
    path: Path, snapshot: Snapshot, settings: RepairSettings, job: Job
) -> CalibratedRepair:
    """Repair what is pruned, by statistics that were collected before.

    Raises as `open_statistics` and `compute_repair`.
    """
    with open_statistics(path, job) as statistics:
        origin, known = statistics.origin, inputs_in(statistics, job.cancel)
        source = settings.source(statistics.sha256)
        made = RepairRun(snapshot, source, settings.wanted, settings.names)
        with contextlib.closing(made) as repair:
            repair.repair(known, job)
            done = _calibrated(repair.outcome(job), origin.source)
        model = settings.wanted or snapshot.checkpoint
        if origin.checkpoint and origin.checkpoint != files_sha256(model, job):
            other = f"The statistics in '{path.name}' were collected with another checkpoint."
            return CalibratedRepair(done.repair, (other, *done.risks))
        return done


def _calibrated(repair: Repair, source: str, *, sequential: bool = False) -> CalibratedRepair:
    return CalibratedRepair(repair, risks_of(repair.layers, source, sequential=sequential))


@dataclass(frozen=True, eq=False)
class RepeatedRepair:
    """Computes the repairs of a recipe again, by statistics in a file.

    `wanted` is the model whose outputs were to come out, of repairs that name another one than that
    which is repaired.
    """

    statistics: Path
    wanted: Checkpoint | None = None

    def __call__(self, snapshot: Snapshot, made: RepairedValues, job: Job) -> dict[str, float]:
        """Return how far values are from those that are made of a state again; see `Recompute`.

        Raises `ParameterError` if they were made of other statistics, or for another model; and as
        `open_statistics` and `compute_repair`.
        """
        source = made.source
        if source.sequential:
            raise ParameterError(
                "The repair was sequential: the inputs of each layer were collected after the "
                "layers before it were repaired, so no statistics file has them.",
                remedy="Repair the pruned file again by the same script, and compare.",
            )
        wanted = self._wanted(source, job)
        with open_statistics(self.statistics, job) as statistics:
            if source.statistics not in {"", statistics.sha256}:
                raise ParameterError(
                    f"The repair was made by the statistics with the SHA-256 {source.statistics}; "
                    f"that of '{self.statistics}' is {statistics.sha256}.",
                    remedy="Name the statistics file that the repair was made by.",
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
        if not source.against:
            return None
        if self.wanted is None:
            raise ParameterError(
                "The repair was made for the outputs of another model.",
                remedy="Name that model, which was pruned, with --unpruned.",
            )
        found = tuple(sha256_of(file, Job(cancel=job.cancel)) for file in self.wanted.files)
        if found != source.against:
            raise ParameterError(
                f"'{self.wanted.path}' is not the model that the repair was made for.",
                remedy="Name the model that was pruned.",
            )
        return self.wanted


# Weights that are compared at once.
_PIECE = 1 << 20


def _relative_change(
    snapshot: Snapshot, name: str, before: BitMask | None, after: BitMask | None, job: Job
) -> float:
    """Return the norm of the change of what is kept of a tensor, by the norm of what it was.

    None stands for the values of the state. Infinite if other weights are finite.
    """
    entry, zeroed = snapshot.entry(name), snapshot.zeroed(name)
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
