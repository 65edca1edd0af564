"""Apply steps and recipes on a cluster: the client plans as on one machine, workers count.

The client has the headers and the rules, but no masks and no weights. The counts of all tensors add
up, in any order, to those of one machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from pruneapp.analysis.patterns import certificate_of
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.cluster import tasks
from pruneapp.cluster.connection import Cluster, Work
from pruneapp.cluster.masks import (
    CutRule,
    MethodCall,
    ModelSource,
    RecomputeRule,
    Rule,
    RuleMask,
    Rules,
    StatePart,
    StructureRule,
    UnitsRule,
    WholeRule,
)
from pruneapp.cluster.tasks import Facts, Piece, Unit
from pruneapp.document.selection import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step, dim_of
from pruneapp.edits.coupled_tensors import Companions
from pruneapp.edits.dependents import Dependents, TensorDim, dependent_units, known_dependents
from pruneapp.errors import ClusterError, ParameterError, RecipeError, SelectionError
from pruneapp.groups.trace import NO_TRACE
from pruneapp.kernels.cpu import FEW, WORTH_A_SAMPLE, sample_places
from pruneapp.kernels.kernel import Kernel, Ranking, Share, Threshold
from pruneapp.kernels.sort_keys import common_width
from pruneapp.kernels.threshold import Bracket, BracketCounts, range_of_sample, search, shares
from pruneapp.kernels.values import Bools
from pruneapp.masks.bitmask import BitMask, Mask, MaskLayers, MaskSet
from pruneapp.methods import registry
from pruneapp.methods.cutoff import check_all, plan
from pruneapp.methods.limits import Pruning, check_limits
from pruneapp.methods.method import (
    CoupledMethod,
    GroupMethod,
    MaskMethod,
    Method,
    RowMethod,
    TensorView,
    UnitMethod,
    WeightMethod,
)
from pruneapp.methods.prune_tensors import row_budgets
from pruneapp.preview.preview import views_for_row
from pruneapp.progress import Job
from pruneapp.recipes.fit import Fit, ResolvedAction
from pruneapp.recipes.replay import expand_action

if TYPE_CHECKING:
    from distributed import Future

# Bytes per task: large enough that scheduling costs little, small enough to repeat a lost task.
UNIT_BYTES = 256 << 20
# Maximum tensors per task: their rules are sent with it.
UNIT_TENSORS = 512
# Histogram bins of a pass: 512 kB, because they are sent to the client.
_BINS = 1 << 16
# Bytes of keys near a cut that are cached, per task and per worker.
_MOST_HELD, _ALL_HELD = 16 << 20, 256 << 20
# Number of results merged by one task.
_FAN = 16


@dataclass(frozen=True, eq=False)
class PlannedRanking:
    """The client's description of a ranking: its size, and how workers compute it."""

    view: TensorView
    call: MethodCall
    width: int

    @property
    def size(self) -> int:
        """Total number of elements."""
        return self.view.numel

    @property
    def kept(self) -> BitMask | None:
        """The mask of the elements that can be pruned; None for all."""
        return self.view.free.kept

    def keys(self, start: int = 0, stop: int | None = None) -> Any:
        """Not available on the client."""
        raise NotImplementedError


class ClusterState:
    """A state with masks as rules, and the cluster that evaluates them."""

    def __init__(
        self,
        cluster: Cluster,
        checkpoint: Checkpoint,
        rules: Mapping[str, Rules] | None = None,
        known: Mapping[str, Facts] | None = None,
    ) -> None:
        self.cluster = cluster
        self.checkpoint = checkpoint
        self.model = ModelSource.of(checkpoint)
        self.rules = dict(rules or {})
        self.known = dict(known or {})

    @cached_property
    def snapshot(self) -> Snapshot:
        """The state as the planning code of a single machine sees it; its masks have no bits."""
        masks: dict[str, BitMask] = {
            name: RuleMask(name, self.checkpoint.entries[name].numel, rules, self.known[name].kept)
            for name, rules in self.rules.items()
        }
        return Snapshot(self.checkpoint, MaskLayers(masks=MaskSet(masks)))

    def part(self, names: Iterable[str]) -> StatePart:
        """Return the part of the state that a task on these tensors needs.

        Tensors without rules are left out: they have no mask.
        """
        mine = [name for name in names if name in self.rules]
        return StatePart(
            self.model,
            {name: self.rules[name] for name in mine},
            {name: self.known[name].kept for name in mine if name in self.known},
        )

    def with_rules(self, changes: Mapping[str, Rule], known: Mapping[str, Facts]) -> ClusterState:
        """Return the state after one more rule for some tensors; `known` are their new facts."""
        rules = {name: self._rules_after(name, rule) for name, rule in changes.items()}
        return ClusterState(
            self.cluster, self.checkpoint, self.rules | rules, {**self.known, **known}
        )

    def _rules_after(self, name: str, rule: Rule) -> Rules:
        before = self.rules.get(name, ())
        joined = rule.after(before[-1]) if before and isinstance(rule, CutRule) else None
        return (*before, rule) if joined is None else (*before[:-1], joined)

    def count_after(
        self, changes: Mapping[str, Rule], job: Job, *, optional: Iterable[str] = ()
    ) -> ClusterState:
        """Return the state after one more rule, with facts counted by workers.

        `changes` has the rules by name. A tensor in `optional` gets no rule if its rule prunes
        nothing further. Raises what `Cluster.run` raises.
        """
        rules = {name: self._rules_after(name, rule) for name, rule in changes.items()}
        trial = ClusterState(self.cluster, self.checkpoint, self.rules | rules, {})
        found = trial.facts(changes, job)
        for name in optional:
            before = self.known.get(name)
            full = self.checkpoint.entries[name].numel
            if found[name].kept == (full if before is None else before.kept):
                changes = {n: rule for n, rule in changes.items() if n != name}
        return self.with_rules(changes, {name: found[name] for name in changes})

    def facts(self, names: Iterable[str], job: Job) -> dict[str, Facts]:
        """Count the kept weights of each tensor in `names` on workers, and find their patterns.

        All must be first names with rules. Always counts; the state does not keep the result.
        """
        works = [
            Work(
                tasks.facts,
                (self.part(some), some),
                self._nbytes(some),
                "Counting",
                self.file(some[0]),
            )
            for some in self.batches(names)
        ]
        found: dict[str, Facts] = {}
        for each in self.cluster.run(works, job):
            found |= each
        return found

    def zeros_pruned_again(self, names: Iterable[str], job: Job) -> tuple[str, ...]:
        """Return the tensors in which only weights are pruned that are zero in the file.

        Tensors without rules are not among them. The values are compared on workers.
        """
        works = [
            Work(
                tasks.find_only_zeros_pruned,
                (self.part(some), some),
                self._nbytes(some),
                "Comparing",
                self.file(some[0]),
            )
            for some in self.batches(name for name in names if name in self.rules)
        ]
        return tuple(name for found in self.cluster.run(works, job) for name in found)

    def batches(self, names: Iterable[str]) -> Iterator[list[str]]:
        """Yield batches of names in order, each of one file and of the size of a task.

        That is at most 256 MiB, or one larger tensor, and 512 tensors. Nothing for no names.
        """
        batch: list[str] = []
        nbytes, file = 0, None
        for name in names:
            entry = self.checkpoint.entries[name]
            source = self.checkpoint.sources[entry.location.source].file
            full = nbytes + entry.nbytes > UNIT_BYTES or len(batch) == UNIT_TENSORS
            if batch and (full or source is not file):
                yield batch
                batch, nbytes = [], 0
            batch.append(name)
            nbytes, file = nbytes + entry.nbytes, source
        if batch:
            yield batch

    def file(self, name: str) -> int | None:
        """Return the index of the model's file that contains a tensor.

        None if there are fewer files than workers: assigning work by file would leave workers idle.
        """
        files = self.checkpoint.files
        if len(files) < self.cluster.workers():
            return None
        entry = self.checkpoint.entries[name]
        return files.index(self.checkpoint.sources[entry.location.source].file)

    def _nbytes(self, names: Iterable[str]) -> int:
        return sum(self.checkpoint.entries[name].nbytes for name in names)

    def run_on_one_worker(
        self, function: Any, names: Iterable[str], *more: Any, job: Job, label: str
    ) -> Any:
        """Run a task that cannot be divided on one worker, with the rules of `names`.

        `more` are further arguments of the function, `label` describes the work of `job`. Returns
        the result of the task, and raises its exception.
        """
        work = Work(function, (self.part(names), *more), self._nbytes(names), label)
        (result,) = self.cluster.run([work], job)
        return result

    def mask(self, name: str) -> Mask | None:
        """Return the mask of a tensor, without bits; None if everything is kept."""
        return self.snapshot.mask(name)

    def export_mask(self, name: str) -> Mask | None:
        """Return the same as `mask`: on a cluster nothing is made permanent."""
        return self.snapshot.mask(name)

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Raise NotImplementedError: formats written on a cluster need no weights for planning."""
        raise NotImplementedError

    def replaces(self, name: str) -> bool:
        """Return whether a tensor has other values than those of the file."""
        return self.snapshot.replaces(name)

    def pattern(self, job: Job) -> str:
        """Return which N:M patterns the masks have, for the metadata of an export; "" for none.

        Only tensors of two dimensions or more with both pruned and kept weights count. Patterns
        that are not known yet are searched on workers.
        """
        found, entries = dict(self.known), self.checkpoint.entries
        some = [
            entry.name
            for entry in entries.values()
            if entry.name in found
            and len(entry.shape) > 1
            and 0 < found[entry.name].kept < entry.numel
        ]
        found |= self.facts([name for name in some if not found[name].looked], job)
        return certificate_of([found[name].pattern for name in some]) or ""


class ClusterKernel:
    """Finds cuts by counting on workers; see `pruneapp.kernels.kernel.Kernel.shares`."""

    def __init__(self, state: ClusterState) -> None:
        self._state = state

    def shares(
        self, rankings: Sequence[Ranking], count: int, job: Job
    ) -> tuple[Threshold, tuple[Share, ...]]:
        """Return the threshold that prunes `count` weights, and its share of each tensor.

        A few weights are ranked by one task, more by a search on all workers; the result is the
        same.
        """
        planned = [ranking for ranking in rankings if isinstance(ranking, PlannedRanking)]
        names = [ranking.view.name for ranking in planned]
        call, width = planned[0].call, planned[0].width
        sizes = [ranking.size for ranking in planned]
        state = self._state
        if sum(sizes) <= FEW and len(names) <= UNIT_TENSORS:
            nbytes = sum(state.checkpoint.entries[name].nbytes for name in names)
            arguments = (state.part(names), call, width, names, count)
            work = Work(tasks.cut_together, arguments, nbytes, "Cutting")
            (found,) = state.cluster.run([work], job)
            threshold, taken = found
            return threshold, taken
        return _Search(state, planned, call, width).find(count, job)


class _Search:
    """One search for a threshold with all workers."""

    def __init__(
        self, state: ClusterState, rankings: Sequence[PlannedRanking], call: MethodCall, width: int
    ) -> None:
        self._state = state
        self._cluster = state.cluster
        self._rankings = rankings
        self._names = [ranking.view.name for ranking in rankings]
        self._call = call
        self._width = width
        self._units = list(self._units_of(rankings))
        self._nbytes = [self._bytes_of(unit.pieces) for unit in self._units]
        # The tasks of the last pass, one per unit; their results stay on the workers.
        self._last: list[Future[Any]] = []

    def _units_of(self, rankings: Sequence[PlannedRanking]) -> Iterator[Unit]:
        """Yield the input of each task: pieces of at most 256 MiB in all, from one file."""
        pieces: list[Piece] = []
        room, file = UNIT_BYTES, None
        entries, sources = self._state.checkpoint.entries, self._state.checkpoint.sources
        for ranking in rankings:
            entry = entries[ranking.view.name]
            source = sources[entry.location.source].file
            each = max(1, entry.dtype.bits // 8)
            length = UNIT_BYTES // each
            for start in range(0, ranking.size, length):
                piece = Piece(entry.name, start, min(start + length, ranking.size))
                nbytes = (piece.stop - start) * each
                if pieces and (nbytes > room or source is not file or len(pieces) == UNIT_TENSORS):
                    yield self._unit(pieces)
                    pieces, room = [], UNIT_BYTES
                pieces.append(piece)
                room, file = room - nbytes, source
        if pieces:
            yield self._unit(pieces)

    def _unit(self, pieces: Sequence[Piece]) -> Unit:
        part = self._state.part(dict.fromkeys(piece.name for piece in pieces))
        return Unit(part, self._call, self._width, tuple(pieces))

    def _bytes_of(self, pieces: Iterable[Piece]) -> int:
        entries = self._state.checkpoint.entries
        return sum(entries[p.name].dtype.nbytes(p.stop - p.start) for p in pieces)

    def find(self, count: int, job: Job) -> tuple[Threshold, tuple[Share, ...]]:
        """Return the threshold that prunes `count` weights, and its share of each tensor.

        The keys are counted in several passes, each of which narrows the range that contains it.
        May be called once.
        """
        with self._cluster.keep_results() as keep:
            self._measured = self._measures(keep)
            bracket = self._first_bracket(count, job)

            def pass_over(bracket: Bracket) -> BracketCounts:
                return self._pass_over(bracket, keep, job)

            found = search(self._width, count, bracket, pass_over, _BINS)
            return found.threshold, self._shares(found.threshold, job)

    def _measures(self, keep: Any) -> dict[str, Future[Any]]:
        """Submit the measurements that the method needs, and return their futures by tensor name.

        Empty if it needs none. `keep` submits tasks whose results stay on the workers.
        """
        method = registry.get(self._call.method)
        assert isinstance(method, WeightMethod)
        if method.measure is None:
            return {}
        part = self._state.part
        return {
            name: keep(Work(tasks.measure, (part([name]), self._call, name)))
            for name in self._names
        }

    def _measured_of(self, unit: Unit) -> list[Any]:
        if not self._measured:
            return []
        return [self._measured[name] for name in dict.fromkeys(p.name for p in unit.pieces)]

    def _first_bracket(self, count: int, job: Job) -> Bracket:
        """Return the range of keys to begin with, in which a sample has the threshold.

        All keys if they have at most 16 bits or are few. If the sample misleads, `search` extends
        the range.
        """
        sizes = [ranking.size for ranking in self._rankings]
        everything = Bracket.of_all_keys(self._width)
        if self._width <= 16 or sum(sizes) <= WORTH_A_SAMPLE:
            return everything
        at, places = 0, [list[Piece]() for _ in self._units]
        names = [(p.name, p.stop) for unit in self._units for p in unit.pieces]
        unit_of = [i for i, unit in enumerate(self._units) for _ in unit.pieces]
        for place in sample_places(sizes):
            name = self._names[place.index]
            while names[at][0] != name or names[at][1] <= place.start:
                at += 1
            places[unit_of[at]].append(Piece(name, place.start, place.stop))
        works = [
            Work(tasks.sample_unit, (unit, some, self._measured_of(unit)))
            for unit, some in zip(self._units, places, strict=True)
            if some
        ]
        blocks = [block for each in self._cluster.run(works, job) for block in each]
        left = sum(r.size if r.kept is None else r.kept.kept for r in self._rankings)
        near = range_of_sample(blocks, count, left, self._width)
        return Bracket.of(near.low, near.high, _BINS)

    def _pass_over(self, bracket: Bracket, keep: Any, job: Job) -> BracketCounts:
        """Count the keys of all units in a bracket, and add the counts up in a tree of tasks.

        `keep` submits tasks whose results stay on the workers. From the second call on, keys that
        the workers cached are counted without reading weights, if they suffice.
        """
        again = bool(self._last)
        job.extend(0 if again else sum(self._nbytes))
        room = min(_MOST_HELD, _ALL_HELD * self._cluster.workers() // len(self._units))
        passes = [
            keep(Work(tasks.recount_unit, (unit, bracket, room, last, self._measured_of(unit))))
            if again
            else keep(Work(tasks.count_unit, (unit, bracket, room, self._measured_of(unit))))
            for unit, last in zip(self._units, self._last or self._units, strict=True)
        ]
        merging = [keep(Work(tasks.counts_of_pass, (one,))) for one in passes]
        while len(merging) > 1:
            merging = [
                keep(Work(tasks.add_counts, (merging[i : i + _FAN],)))
                for i in range(0, len(merging), _FAN)
            ]
        self._wait(passes, job, [0] * len(passes) if again else self._nbytes)
        below, inside = self._cluster.result(merging[0], job)
        for old in self._last:
            old.release()
        self._last = passes
        return BracketCounts(np.array([below], np.int64), inside[np.newaxis])

    def _wait(self, futures: Sequence[Future[Any]], job: Job, nbytes: Sequence[int]) -> None:
        self._cluster.wait(futures, nbytes, job, "Counting")

    def _shares(self, threshold: Threshold, job: Job) -> tuple[Share, ...]:
        """Return how many weights of each tensor are below the threshold and equal to it."""
        works = [
            Work(tasks.shares_of_unit, (unit, threshold.key, last, self._measured_of(unit)))
            for unit, last in zip(self._units, self._last, strict=True)
        ]
        of_name = {name: i for i, name in enumerate(self._names)}
        found = np.zeros((len(self._names), 2), np.int64)
        for number, counts in self._cluster.each(works, job):
            for piece, row in zip(self._units[number].pieces, counts, strict=True):
                found[of_name[piece.name]] += row
        return shares(found[:, 0].tolist(), found[:, 1].tolist(), threshold.ties)


def apply_step(state: ClusterState, step: Step, job: Job) -> ClusterState:
    """Return the state after a step, like `pruneapp.preview.preview.compute_preview`.

    `state` does not change. Raises the same errors, and `ClusterError` for custom methods and masks
    from files, which cannot run on a cluster.
    """
    state.checkpoint.verify_unchanged()
    rows = rows_of(state.checkpoint, step)
    dependents = None
    if step.dependents:
        dependents = known_dependents(state.checkpoint, step, rows, job)
    gone: dict[str, Bools] = {}
    for row, names in rows:
        before = state
        with step.number_errors(row):
            state = _RowOnCluster(state, row, names, step, job).after()
        if step.prune_bias_and_norm:
            for name, went in _pruned_filters(before, state, row, names, job):
                gone[name] = went | gone[name] if name in gone else went
    if gone:
        state = _prune_companions(state, gone, job)
    if dependents is not None:
        state = _prune_dependents(state, dependents, job)
    return state


class _RowOnCluster:
    """One row of a step, applied to a state.

    Raises `ClusterError` for a custom method or masks from a file, and `ParameterError` if the
    values, limits or tensors do not suit the method.
    """

    def __init__(
        self, state: ClusterState, row: Row, names: Sequence[str], step: Step, job: Job
    ) -> None:
        self._state, self._row, self._names = state, row, names
        self._scope, self._limits, self._job = step.scope, step.limits, job
        self._method: Method = registry.get(row.method)
        if row.method not in registry.BUILT_IN:
            raise ClusterError(
                f"'{row.method}' is a custom method, which workers do not have.",
                remedy="Run it on this machine.",
            )
        if self._method.takes_mask:
            raise ClusterError(
                f"'{row.method}' takes masks from a file, which cannot run on a cluster yet.",
                remedy="Run it on this machine.",
            )
        self._call = MethodCall.of(row)
        pairs = Companions(state.checkpoint, job.cancel)
        every = job.cancel.each(names)
        self._views = views_for_row(state.snapshot, row, every, None, None, pairs)
        check_limits(self._method, self._limits)
        self._values = check_all(self._views, self._method, row.values, self._scope)

    def after(self) -> ClusterState:
        """Return the state after the row."""
        method = self._method
        match method:
            case WeightMethod():
                return self._cut(method)
            case RowMethod():
                return self._state.count_after(self._rows(method), self._job)
            case GroupMethod() | MaskMethod():
                return self._prune_alone()
            case UnitMethod() if self._scope == "local" and self._limits.target_sparsity is None:
                return self._prune_alone()
            case UnitMethod():
                return self._state.count_after(self._units(), self._job)
            case CoupledMethod():
                return self._coupled()
        raise TypeError(f"no way to run a method of type {type(method).__name__}")

    @property
    def _kernel(self) -> Kernel:
        # Planning calls `shares` only.
        return ClusterKernel(self._state)  # type: ignore[return-value]  # see above

    def _prune_alone(self) -> ClusterState:
        """Return the state with each tensor pruned alone, by the worker that needs its mask."""
        if isinstance(self._method, GroupMethod):
            for view in self._views:
                self._method.groups(view, self._values)  # raise before the first task
        rule = RecomputeRule(self._call, self._scope, self._limits)
        return self._state.count_after(dict.fromkeys(self._names, rule), self._job)

    def _rows(self, method: RowMethod) -> dict[str, Rule]:
        """Return the rules of a method that prunes each row of a matrix alone, with its budgets."""
        amount, limits = self._values["amount"], self._limits
        if method.allocate is None and limits.target_sparsity is None and isinstance(amount, float):
            return dict.fromkeys(self._names, RecomputeRule(self._call, self._scope, limits))
        if method.allocate is not None:
            budgets = self._ask(tasks.budgets, self._names, self._scope, limits)
        else:  # computed from counts
            pruning = Pruning(self._values, self._scope, limits, self._kernel, self._job)
            budgets, _ = row_budgets(self._views, method, pruning)
        return {
            name: RecomputeRule(self._call, self._scope, limits, budget)
            for name, budget in zip(self._names, budgets, strict=True)
        }

    def _units(self) -> dict[str, Rule]:
        chosen = self._ask(tasks.units_of_tensors, self._names, self._scope, self._limits)
        return {
            name: UnitsRule.of(self._call, numbers, count)
            for name, (numbers, count) in zip(self._names, chosen, strict=True)
        }

    def _coupled(self) -> ClusterState:
        found = self._ask(tasks.structures_of_groups, self._names, self._scope)
        changes = {name: found.get(name, WholeRule()) for name in self._names}
        return self._state.count_after(changes, self._job)

    def _ask(self, function: Any, names: Sequence[str], *more: Any) -> Any:
        """Run a task for the method on one worker, with the rules of all tensors that it reads.

        These are `names`, the coupled tensors and the scales. Returns the result of the task.
        """
        label = f"{self._row.method} on one worker"
        needed = dict.fromkeys(names)
        for view in self._views:
            for each in view.coupling:
                needed |= dict.fromkeys(
                    (*each.group.names, *chain.from_iterable(each.group.tensors))
                )
            if view.scale is not None:
                needed[view.scale.name] = None
        arguments = self._call, list(names), *more
        return self._state.run_on_one_worker(
            function, needed, *arguments, job=self._job, label=label
        )

    def _cut(self, method: WeightMethod) -> ClusterState:
        """Return the state after a method that prunes single weights below a threshold."""
        if method.allocate is not None:
            counts = self._ask(tasks.budgets, self._names, self._scope, self._limits)
            plans = [([view], count) for view, count in zip(self._views, counts, strict=True)]
            return self._cut_plans(method, plans)
        call = self._call

        def rank(view: TensorView, _values: Any, width: int, _measured: Any) -> PlannedRanking:
            return PlannedRanking(view, call, method.least_width or width)

        planned = replace(method, rank=rank, measure=None)
        pruning = Pruning(self._values, self._scope, self._limits, self._kernel, self._job)
        planned_cuts = [
            (ranked.views, ranked.count) for ranked in plan(self._views, planned, pruning)
        ]
        return self._cut_plans(method, planned_cuts)

    def _cut_plans(
        self, method: WeightMethod, plans: Sequence[tuple[Sequence[TensorView], int]]
    ) -> ClusterState:
        """Find the threshold of each plan: on all workers for several tensors, else in a task.

        Returns the state after the cuts. Plans are tensors with the number of weights to prune in
        them together; those with 0 are skipped. Tensors without a mask that are not cut get a mask
        of ones.
        """
        rules: dict[str, Rule] = {}
        alone: list[tuple[str, int, int]] = []
        for views, count in plans:
            if not count:
                continue
            width = _width(method, views)
            if len(views) == 1:
                alone.append((views[0].name, width, count))
                continue
            rankings = [PlannedRanking(view, self._call, width) for view in views]
            threshold, taken = ClusterKernel(self._state).shares(rankings, count, self._job)
            for view, share in zip(views, taken, strict=True):
                rules[view.name] = CutRule(self._call, width, threshold.key, share)
        rules |= self._cut_alone(alone)
        known: dict[str, Facts] = {}
        for view in self._views:
            kept = view.numel if view.kept is None else view.kept.kept
            cut = rules.get(view.name)
            if cut is None:
                if view.kept is None:  # an explicit mask of ones, as on one machine
                    rules[view.name] = WholeRule()
                    known[view.name] = Facts(kept)
                continue
            assert isinstance(cut, CutRule)
            known[view.name] = Facts(kept - cut.share.pruned)
        return self._state.with_rules(rules, known)

    def _cut_alone(self, cuts: Sequence[tuple[str, int, int]]) -> dict[str, Rule]:
        """Return the rules that cut each tensor alone; `cuts` are (name, width of keys, count)."""
        state, of = self._state, {name: (width, count) for name, width, count in cuts}
        batches = list(state.batches(of))
        works = [
            Work(
                tasks.cut_each,
                (state.part(batch), self._call, [(name, *of[name]) for name in batch]),
                sum(state.checkpoint.entries[name].nbytes for name in batch),
                "Cutting",
            )
            for batch in batches
        ]
        rules: dict[str, Rule] = {}
        for batch, found in zip(batches, state.cluster.run(works, self._job), strict=True):
            for name, (key, share) in zip(batch, found, strict=True):
                rules[name] = CutRule(self._call, of[name][0], key, share)
        return rules


def _width(method: WeightMethod, views: Sequence[TensorView]) -> int:
    """Return the width of keys in bits: that of scores, or of the magnitudes' dtypes."""
    return method.least_width or common_width({view.ranked.dtype for view in views})


def _pruned_filters(
    before: ClusterState, after: ClusterState, row: Row, names: Sequence[str], job: Job
) -> Iterator[tuple[str, Bools]]:
    """Yield names with the channels along dim 0 that became empty from `before` to `after`.

    The channels are a mask, True where a channel became empty. Tensors whose row prunes along
    another dimension, and those without such channels, are left out.
    """
    entries = before.checkpoint.entries
    sources = [TensorDim(name, 0) for name in names if dim_of(row, entries[name].shape, name) == 0]
    old, new = (_find_kept_channels(state, sources, job) for state in (before, after))
    for source in sources:
        went = old[source] & ~new[source]
        if went.any():
            yield source.name, went


def _find_kept_channels(
    state: ClusterState, sources: Sequence[TensorDim], job: Job
) -> dict[TensorDim, Bools]:
    """Return, for each channel along dimensions, whether anything of it is kept.

    Counted on workers; all True for tensors without rules.
    """
    entries = state.checkpoint.entries
    result = {s: np.ones(entries[s.name].shape[s.dim], np.bool_) for s in sources}
    by_name: dict[str, list[TensorDim]] = {}
    for source in sources:
        if source.name in state.rules:
            by_name.setdefault(source.name, []).append(source)
    batches = list(state.batches(by_name))
    asked = [[source for name in batch for source in by_name[name]] for batch in batches]
    works = [
        Work(
            tasks.find_kept_channels,
            (state.part(batch), some),
            sum(entries[name].nbytes for name in batch),
            "Looking for whole channels",
        )
        for batch, some in zip(batches, asked, strict=True)
    ]
    for some, found in zip(asked, state.cluster.run(works, job), strict=True):
        result |= dict(zip(some, found, strict=True))
    return result


def _prune_companions(state: ClusterState, gone: Mapping[str, Bools], job: Job) -> ClusterState:
    """Return the state with the companions (norms and biases) of pruned channels pruned too.

    `gone` has a mask per tensor, True for the pruned channels.
    """
    pairs = Companions(state.checkpoint, job.cancel)
    wanted: dict[str, Bools] = {}
    for name, channels in gone.items():
        for companion in pairs.of(name):
            also = wanted.get(companion.name)  # a norm may follow two layers
            wanted[companion.name] = channels if also is None else also | channels
    changes: dict[str, Rule] = {
        name: StructureRule.of(BitMask.from_bools(~channels)) for name, channels in wanted.items()
    }
    return state.count_after(changes, job, optional=list(changes))


def _prune_dependents(state: ClusterState, dependents: Dependents, job: Job) -> ClusterState:
    """Return the state with everything pruned that depends on pruned channels.

    `state` itself if there is nothing.
    """
    left = _find_kept_channels(state, list(dependents.groups), job)
    bare = Snapshot(state.checkpoint)
    going = dependent_units(dependents, left.__getitem__, bare.view)
    changes: dict[str, Rule] = dict(tasks.structure_rules(going, None, job))
    if not changes:
        return state
    return state.count_after(changes, job, optional=list(changes))


def apply_actions(
    state: ClusterState, fitted: Fit, where: str, job: Job
) -> tuple[ClusterState, list[dict[str, Any]]]:
    """Apply the entries of a recipe in order, and return the state and the steps done.

    The steps are their `to_dict` values; a schedule consists of several. `where` names the recipe
    in errors. Raises `ClusterError`, before any is applied, if an entry cannot run on a cluster,
    and what `pruneapp.recipes.replay.replay_all` raises.
    """
    actions = fitted.actions(where)
    for action in actions:
        refuse_action(action)
    done: list[dict[str, Any]] = []
    for number, action in enumerate(actions):
        try:
            for step in expand_action(state.snapshot, action):
                assert isinstance(step, Step)
                state = apply_step(state, step, job)
                done.append(step.to_dict())
        except (ParameterError, SelectionError) as error:
            raise RecipeError(
                f"'{where}', at {fitted.place(number)}: {error.sentence}", remedy=error.remedy
            ) from None
    return state, done


def refuse_action(action: ResolvedAction) -> None:
    """Raise `ClusterError` for entries that cannot run on a cluster yet.

    Only steps and schedules can, unless their groups are those of a traced model.
    """
    from pruneapp.recipes.fit import Schedule

    step = action.step if isinstance(action, Schedule) else action
    if isinstance(step, Step) and step.trace in {"", NO_TRACE}:
        return
    what = {
        "Step": "Steps on groups of a traced model",
        "Schedule": "Steps on groups of a traced model",
        "ManualEdit": "Manual edits",
        "RepairedValues": "Repairs",
        "Finalize": "Entries that make pruned weights permanent",
        "TreatZeros": "Entries that treat zeros as pruned",
        "FileMasks": "Masks in the file",
    }[type(action).__name__]
    raise ClusterError(f"{what} cannot run on a cluster yet.", remedy="Run it on this machine.")
