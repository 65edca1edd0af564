"""Read-only commands on a cluster: statistics, comparison, patterns, verification.

Each tensor or file is processed by one worker with the code of a single machine. The results are
small; the client puts them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from operator import attrgetter
from pathlib import Path
from typing import Any

from pruneapp.analysis.comparison import (
    Comparison,
    TensorDifference,
    difference,
    pairs,
    unreadable_in,
)
from pruneapp.analysis.patterns import PatternReport, look_for_pattern, pattern_report
from pruneapp.analysis.statistics import TensorNumbers, numbers
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.cluster.connection import Cluster, Work
from pruneapp.cluster.export import FileOrder, hash_on_workers, provenance_on_cluster
from pruneapp.cluster.masks import ModelSource
from pruneapp.cluster.steps import ClusterState, apply_actions
from pruneapp.cluster.tasks import task, task_job
from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import in_numeric_order
from pruneapp.export.format import Plan
from pruneapp.export.provenance import Provenance
from pruneapp.export.records import State
from pruneapp.export.verify import Difference, EditCallback, compare_file
from pruneapp.methods.builtin.patterns import N_M
from pruneapp.progress import Job
from pruneapp.recipes.fit import Fit
from pruneapp.recipes.recipe import Recipe, recipe_of


@task
def numbers_of(model: ModelSource, names: Sequence[str]) -> list[TensorNumbers]:
    """Compute statistics of tensors on a worker, in the order of `names`."""
    with task_job() as job:
        state = Snapshot(model.open())
        return [numbers(state, name, job) for name in names]


@task
def differences_of(
    a: ModelSource, b: ModelSource, matched: Sequence[tuple[str, str | None, str | None]]
) -> list[TensorDifference]:
    """Compare tensors of two models, given as (common name, first name in A, first name in B).

    Runs on a worker. None instead of a name if a model lacks the tensor; the result has the order
    of `matched`.
    """
    with task_job() as job:
        one, other = a.open(), b.open()
        found = []
        for name, x, y in matched:
            pair = (
                name,
                None if x is None else one.entries[x],
                None if y is None else other.entries[y],
            )
            found.append(difference(Snapshot(one), Snapshot(other), pair, Job(cancel=job.cancel)))
            job.step(0 if pair[1] is None else pair[1].nbytes)
        return found


@task
def check_patterns(
    model: ModelSource, names: Sequence[str], values: Mapping[str, Any]
) -> list[Any]:
    """Check tensors, by name, for an N:M pattern; return a result of `look_for_pattern` for each.

    Runs on a worker. `values` has the parameters "pattern" ("n:m") and "dim". Raises what
    `look_for_pattern` raises.
    """
    with task_job() as job:
        state, found = Snapshot(model.open()), []
        for name in names:
            entry = state.entry(name)
            found.append(look_for_pattern(state, entry, values, Job(cancel=job.cancel)))
            job.step(entry.nbytes)
        return found


@task
def compare_written(
    order: FileOrder, path: Path, written: ModelSource | None
) -> tuple[list[Difference], int]:
    """Compare a written file with its plan, byte by byte; see `compare_file`.

    Runs on a worker. `written` is the written checkpoint, or None if it is none.
    """
    with task_job() as job:
        checkpoint = None if written is None else written.open()
        return compare_file(path, order.plan(job), checkpoint, job)


def measure_on_cluster(
    cluster: Cluster, checkpoint: Checkpoint, names: Sequence[str], job: Job
) -> list[TensorNumbers]:
    """Compute statistics of tensors on workers, in the order of `names`.

    See `pruneapp.analysis.statistics.numbers`.
    """
    return _run_per_tensor(
        cluster,
        checkpoint,
        names,
        job,
        label="Measuring",
        ask=lambda model, some: (numbers_of, (model, some)),
    )


def check_on_cluster(
    cluster: Cluster,
    checkpoint: Checkpoint,
    names: Sequence[str],
    job: Job,
    *,
    n: int,
    m: int,
    dim: int,
) -> PatternReport:
    """Check tensors for a pattern on workers; see `pruneapp.analysis.patterns.check_pattern`.

    Raises `ParameterError` for an invalid pattern, and `SelectionError` for unknown names.
    """
    values = N_M.validate({"pattern": f"{n}:{m}", "dim": dim})
    first = resolve(checkpoint, names)
    found = _run_per_tensor(
        cluster,
        checkpoint,
        first,
        job,
        label="Checking",
        ask=lambda model, some: (check_patterns, (model, some, values)),
    )
    return pattern_report(n, m, dim, found)


def compare_on_cluster(
    cluster: Cluster,
    a: Checkpoint,
    b: Checkpoint,
    job: Job,
    *,
    called: tuple[str, str],
    names: set[str] | None,
) -> Comparison:
    """Compare two models on workers; see `pruneapp.analysis.comparison.compare`.

    `called` are the names of the two in the result; `names` selects tensors, None for all. The
    result has the tensors in numeric order of their names.
    """
    job.start(0)
    here, there = Snapshot(a), Snapshot(b)
    matched = pairs(here, there, names)
    sources = ModelSource.of(a), ModelSource.of(b)
    of_name: dict[str, list[int]] = {}  # indices of pairs; "" for tensors that only B has
    for number, (_, x, _) in enumerate(matched):
        of_name.setdefault("" if x is None else x.name, []).append(number)
    batches = [
        [number for name in batch for number in of_name[name]]
        for batch in ClusterState(cluster, a).batches(name for name in of_name if name)
    ]
    batches += [of_name[""]] if "" in of_name else []
    works = []
    for batch in batches:
        some = [matched[number] for number in batch]
        named = [(name, x and x.name, y and y.name) for name, x, y in some]
        nbytes = sum(x.nbytes for _, x, _ in some if x is not None)
        works.append(Work(differences_of, (*sources, named), nbytes, "Comparing"))
    rows: dict[int, TensorDifference] = {}
    for batch, found in zip(batches, cluster.run(works, job), strict=True):
        rows |= dict(zip(batch, found, strict=True))
    tensors = [rows[number] for number in range(len(matched))]
    shown = [*tensors, *unreadable_in(here, there, names)]
    return Comparison(*called, tuple(in_numeric_order(shown, attrgetter("name"))))


def _run_per_tensor(
    cluster: Cluster,
    checkpoint: Checkpoint,
    names: Sequence[str],
    job: Job,
    *,
    label: str,
    ask: Callable[[ModelSource, list[str]], tuple[Callable[..., Any], tuple[Any, ...]]],
) -> list[Any]:
    """Run a task per batch of tensors on the workers; return the results in the order of `names`.

    `ask` returns, for a model and a batch of names, the task function, which returns a list with a
    result per name, and its arguments. `label` describes the work of `job`. Empty for no names.
    """
    job.start(0)
    state = ClusterState(cluster, checkpoint)
    works = []
    for some in state.batches(names):
        nbytes = sum(checkpoint.entries[name].nbytes for name in some)
        works.append(Work(*ask(state.model, some), nbytes, label))
    return [row for rows in cluster.run(works, job) for row in rows]


class ClusterEngine:
    """Applies and compares a recipe on a cluster; see `pruneapp.export.verify.Engine`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def apply(
        self,
        original: Checkpoint,
        recipe: Recipe,
        fitted: Fit,
        _look: EditCallback,
        job: Job,
        *,
        hashed: bool,
    ) -> tuple[State, Recipe]:
        """Apply a recipe, and return the state and the recipe of the steps that were done.

        `hashed`: whether the checksums of the files are computed at the same time. `_look` is not
        called: a cluster has no edits to compare. Raises what `apply_actions` raises.
        """
        first = ClusterState(self._cluster, original)
        with ExitStack() as stack:
            if hashed:
                stack.enter_context(hash_on_workers(self._cluster, original, job))
            state, done = apply_actions(first, fitted, recipe.where, job)
        return state, recipe_of(original, done)

    def provenance(self, state: State, recipe: Recipe, job: Job) -> Provenance:
        """Return the provenance of a state."""
        assert isinstance(state, ClusterState)
        return provenance_on_cluster(state, recipe, job)

    def compare(
        self, state: State, plans: Mapping[Path, Plan], checkpoint: Checkpoint | None, job: Job
    ) -> Iterator[tuple[Sequence[Difference], int]]:
        """Compare each file of weights on a worker, and the small ones on the client.

        Yields the differences and the number of compared bytes per file, in the order of `plans`.
        `checkpoint` is the written one, None if it is none.
        """
        assert isinstance(state, ClusterState)
        written = None if checkpoint is None else ModelSource.of(checkpoint)
        job.start(0)
        works: list[Work] = []
        order: dict[Path, int] = {}
        for path, plan in plans.items():
            if plan.part is None:
                continue
            order[path] = len(works)
            arguments = (FileOrder.of(state, plan), path.absolute(), written)
            works.append(Work(compare_written, arguments, plan.nbytes, f"Comparing {path.name}"))
        found = self._cluster.run(works, job)
        for path, plan in plans.items():
            if path in order:
                yield found[order[path]]
            else:
                yield compare_file(path, plan, checkpoint, Job(cancel=job.cancel))
