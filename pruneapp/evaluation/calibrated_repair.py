"""A repair whose statistics are collected for it: the model is run, then its layers are solved."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.collection import GRAM_BUDGET, collect
from pruneapp.evaluation.evaluator import files_sha256
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import ScriptRunner, as_on_disk
from pruneapp.progress import Job
from pruneapp.repair.repair import Repair, compute_repair, inputs_in, pruned_layers
from pruneapp.repair.solve import DAMPING, ITERATIONS
from pruneapp.results.repair_report import risks_of
from pruneapp.statistics.file import Statistics, open_statistics


@dataclass(frozen=True)
class RepairSettings:
    """How a repair is computed."""

    iterations: int = ITERATIONS
    damping: float = DAMPING
    budget: int = GRAM_BUDGET  # bytes of Gram matrices that the worker sums at once
    seed: int = 0


@dataclass(frozen=True, eq=False)
class CalibratedRepair:
    """A repair to be put in force, and what a person should know of it."""

    repair: Repair
    risks: tuple[str, ...]


def repair_by_script(
    runner: ScriptRunner, snapshot: Snapshot, settings: RepairSettings, job: Job
) -> CalibratedRepair:
    """Collect statistics of the unpruned model, and repair all that is pruned by them.

    The runner is closed before layers are solved: its memory is needed. The statistics, as large as
    all Gram matrices, go into a temporary file. May cancel; nothing is left then.

    Raises as `collect` and `compute_repair`.
    """
    names = [layer.name for layer in pruned_layers(snapshot, job)]
    parts = job.parts(2)
    with tempfile.TemporaryDirectory(
        prefix="pruneapp-statistics-", ignore_cleanup_errors=True
    ) as folder:
        path = Path(folder) / "statistics.safetensors"
        collected = collect(
            runner,
            as_on_disk(snapshot),
            path,
            next(parts),
            seed=settings.seed,
            grams=names,
            budget=settings.budget,
        )
        runner.close()
        if not set(names) & set(collected.seen):
            raise EvaluationError(
                f"'{runner.name}' ran no input through any of the pruned layers.",
                remedy="Let calibrate(model) call the model that load(path) returned.",
            )
        with open_statistics(path, Job(cancel=job.cancel)) as statistics:
            return _repair(statistics, snapshot, settings, next(parts))


def repair_by_statistics(
    path: Path, snapshot: Snapshot, settings: RepairSettings, job: Job
) -> CalibratedRepair:
    """Repair all that is pruned, by statistics that were collected before.

    Raises as `open_statistics` and `compute_repair`.
    """
    with open_statistics(path, job) as statistics:
        done = _repair(statistics, snapshot, settings, job)
        origin = statistics.origin.checkpoint
        if origin and origin != files_sha256(snapshot.checkpoint, job):
            other = f"The statistics in '{path.name}' were collected with another checkpoint."
            return CalibratedRepair(done.repair, (other, *done.risks))
        return done


def _repair(
    statistics: Statistics, snapshot: Snapshot, settings: RepairSettings, job: Job
) -> CalibratedRepair:
    repair = compute_repair(
        snapshot,
        inputs_in(statistics),
        job,
        iterations=settings.iterations,
        damping=settings.damping,
        statistics=statistics.sha256,
    )
    return CalibratedRepair(repair, risks_of(repair.layers, statistics.origin.source))
