"""Collecting statistics of activations: the worker runs a person's inputs and sums what it sees.

Sums of squares and of values take one run of ``calibrate``. Gram matrices are large, so they are
collected in further runs, as many in each as a budget of memory holds.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import first_names
from pruneapp.evaluation.evaluator import files_sha256
from pruneapp.evaluation.handover import Handover
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import Runner, ScriptRunner, as_on_disk
from pruneapp.kernels.values import Float64s
from pruneapp.params import format_bytes
from pruneapp.progress import CancelToken, Job
from pruneapp.repair.solve import Drift
from pruneapp.statistics.file import Inputs, Origin, fits, save_statistics

# Bytes of Gram matrices that the worker sums at once.
GRAM_BUDGET = 4 << 30
# Numbers of a Gram matrix that are read at once: some milliseconds.
_BLOCK = 1 << 19
# A weight of one expert in a checkpoint, and one of all experts in the model.
_EXPERT = re.compile(r"((?:.*\.)?experts)\.(\d+)\.(.+)\.weight")
_DOWN = re.compile(r"down_proj|w2")


@dataclass(frozen=True)
class Collected:
    """What was written."""

    sha256: str  # of the file
    seen: tuple[str, ...]  # the weights of the checkpoint that something was seen of
    unseen: tuple[str, ...]
    rows: int  # the most that were multiplied by any of them


@dataclass(frozen=True)
class _Sums:
    """What the worker says that it wrote of a weight of the model, and where."""

    file: Path
    name: str
    parts: int
    columns: int
    transposed: bool
    inputs: int  # the same for weights that are multiplied by the same inputs one after another
    offset: int
    gram: int  # where Gram matrices begin; -1 if there are none
    drift: int  # where the drift of the outputs begins; -1 if it is not known
    rows: int  # outputs of a part, of which that is

    @property
    def gram_bytes(self) -> int:
        return 8 * self.parts * self.columns**2

    def fit(self, shape: tuple[int, ...], *, turned: bool) -> bool:
        return fits(shape, self.parts, self.columns, transposed=self.transposed != turned)

    def moments(self, *, turned: bool, part: int | None) -> Inputs:
        columns = self.columns
        first, parts = (0, self.parts) if part is None else (part, 1)
        counts = _numbers(self.file, self.offset + 8 * first, parts)
        sums = [
            _numbers(self.file, at + 8 * first * columns, parts * columns).reshape(parts, columns)
            for at in (
                self.offset + 8 * self.parts,
                self.offset + 8 * self.parts * (1 + columns),
            )
        ]
        return Inputs(sums[0], sums[1], counts, self.transposed != turned)

    def gram_blocks(self, number: int) -> Iterator[NDArray[np.float64]]:
        size = self.columns**2
        start = self.gram + 8 * number * size
        for done in range(0, size, _BLOCK):
            yield _numbers(self.file, start + 8 * done, min(_BLOCK, size - done))

    def drift_of(self, number: int) -> Drift:
        found, at = [], self.drift
        for width in (self.columns, 1, 1):
            each = self.rows * width
            found.append(_numbers(self.file, at + 8 * number * each, each))
            at += 8 * self.parts * each
        return Drift(found[0].reshape(self.rows, self.columns), found[1], found[2])


def _numbers(file: Path, offset: int, count: int) -> NDArray[np.float64]:
    return np.fromfile(file, np.float64, count, offset=offset)


@dataclass(frozen=True)
class _Source:
    """Where the statistics of a weight of the checkpoint come from."""

    name: str  # of the weight of the model
    turned: bool = False  # whether the checkpoint has it transposed
    part: int | None = None  # the one that it is; None for all of it


@dataclass(frozen=True, eq=False)
class Sums:
    """What was summed of the weights of a checkpoint; the Gram matrices are read when asked for."""

    inputs: Mapping[str, Inputs]
    unseen: tuple[str, ...]  # the weights that nothing was seen of
    source: str  # what the inputs were, as of an `Origin`
    _written: Mapping[str, tuple[_Sums, int | None]]  # with Gram matrices, and which part it is

    @property
    def with_grams(self) -> Collection[str]:
        """The weights that have Gram matrices."""
        return self._written.keys()

    def gram_blocks(self, name: str) -> Iterator[NDArray[np.float64]]:
        """Yield the Gram matrices of a weight in order, in pieces of a few megabytes."""
        sums, part = self._written[name]
        for number in range(sums.parts) if part is None else (part,):
            yield from sums.gram_blocks(number)

    def drift(self, name: str, group: int) -> Drift | None:
        """Return how far wanted outputs of a weight are from those on its inputs, if known."""
        sums, part = self._written[name]
        return sums.drift_of(group) if part is None and sums.drift >= 0 else None

    def gram(self, name: str, group: int, cancel: CancelToken) -> Float64s:
        """Return a Gram matrix of a weight."""
        sums, part = self._written[name]
        found: Float64s = np.empty(sums.columns**2)
        done = 0
        for block in sums.gram_blocks(group if part is None else part):
            cancel.check()
            found[done : done + block.size] = block
            done += block.size
        return found.reshape(sums.columns, sums.columns)


def collect(
    runner: ScriptRunner,
    snapshot: Snapshot,
    path: Path,
    job: Job,
    *,
    seed: int = 0,
    grams: Collection[str] = (),
    budget: int = GRAM_BUDGET,
) -> Collected:
    """Run ``calibrate`` on a state, and write the statistics of its activations to a file.

    Parameters and errors are those of `collect_sums`; `ExportError` if the file cannot be written.
    """
    parts = job.parts(2)
    sums = collect_sums(runner, snapshot, next(parts), seed=seed, grams=grams, budget=budget)
    origin = Origin(
        source=sums.source,
        script=runner.worker.script.sha256,
        checkpoint=files_sha256(snapshot.checkpoint, job),
        date=now(),
        unseen=sums.unseen,
    )
    blocks = {name: sums.gram_blocks(name) for name in sums.with_grams}
    digest = save_statistics(path, sums.inputs, origin, next(parts), grams=blocks)
    rows = max((int(inputs.counts.max()) for inputs in sums.inputs.values()), default=0)
    return Collected(digest, tuple(sums.inputs), sums.unseen, rows)


def collect_sums(
    runner: ScriptRunner,
    snapshot: Snapshot,
    job: Job,
    *,
    seed: int = 0,
    grams: Collection[str] = (),
    budget: int = GRAM_BUDGET,
    folder: Path | None = None,
) -> Sums:
    """Run ``calibrate`` on a state, and return the sums over its activations.

    Parameters
    ----------
    grams
        Names of the weights whose Gram matrices are wanted, too.
    budget
        Bytes that these may take in the worker at once; more runs are made where it is not enough.
    folder
        Where the sums are kept; by default in that of the worker, which goes with it.

    Raises
    ------
    EvaluationError
        If the script fails, has no ``calibrate``, or runs other inputs from run to run.
    """
    parts = job.parts(4)
    _start(runner, next(parts))
    place = runner.worker.folder if folder is None else folder
    weights = weights_of(snapshot.checkpoint)
    with runner.calibrating(snapshot, seed, next(parts)) as handover:
        first = _run(runner, place / "statistics-0", (), seed, next(parts))
        sources = _sources(handover, weights, first)
        wanted = {source.name for name, source in sources.items() if name in grams}
        with_grams: dict[str, _Sums] = {}
        passes = list(_passes(first, wanted, budget))
        last = next(parts)
        for number, (names, part) in enumerate(
            zip(passes, last.parts(len(passes)), strict=True), 1
        ):
            label = f"collecting Gram matrices, run {number}"
            again = _run(runner, place / f"statistics-{number}", names, seed, part, label=label)
            if not _same_inputs(first, again):
                runner.verify(handover, job)  # it may be the weights that changed
                raise _other_inputs(runner)
            with_grams |= {name: again[name] for name in names}
    unseen = tuple(entry.name for entry in weights if entry.name not in sources)
    chosen = {name: source for name, source in sources.items() if name in grams}
    return Sums(_moments(sources, first), unseen, kind_of(runner), _written(chosen, with_grams))


def _start(runner: ScriptRunner, job: Job) -> None:
    runner.start(job)
    if "calibrate" not in runner.worker.functions:
        raise EvaluationError(
            f"'{runner.name}' does not define calibrate(model), which collecting statistics of "
            "activations requires.",
            remedy="Define calibrate(model), and run some inputs through the model in it.",
        )


def _moments(sources: Mapping[str, _Source], seen: Mapping[str, _Sums]) -> dict[str, Inputs]:
    return {
        name: seen[source.name].moments(turned=source.turned, part=source.part)
        for name, source in sources.items()
    }


def _written(
    sources: Mapping[str, _Source], seen: Mapping[str, _Sums]
) -> dict[str, tuple[_Sums, int | None]]:
    return {name: (seen[source.name], source.part) for name, source in sources.items()}


class SequentialCollection:
    """Collects the inputs of some layers at a time, from a state that changes in between.

    The worker runs it side by side with the unpruned model, on the same inputs, so that beside the
    Gram matrices it is known what outputs are wanted: those of the unpruned model.
    """

    def __init__(
        self,
        runner: ScriptRunner,
        handover: Handover,
        first: Mapping[str, _Sums],
        sources: Mapping[str, _Source],
        *,
        seed: int,
        budget: int,
    ) -> None:
        self._runner, self._beside = runner, handover.beside()
        self._sources, self._seed = sources, seed
        self._runs = 0
        # Weights of the checkpoint, in the order in which they are multiplied by; together those
        # of the same inputs, as many as the budget holds.
        self.groups: list[tuple[str, ...]] = []
        by_inputs: dict[int, dict[str, _Sums]] = {}
        for name, sums in first.items():
            by_inputs.setdefault(sums.inputs, {})[name] = sums
        for some in by_inputs.values():
            wanted = {source.name for source in sources.values()}
            for names in _passes(some, wanted, budget):
                self.groups.append(tuple(n for n, s in sources.items() if s.name in names))

    def put(self, state: Snapshot, names: Collection[str], job: Job) -> None:
        """Take some tensors of a state; the others stay as they were put, or as unpruned."""
        self._runner.put_beside(self._beside, state, names, job)

    def collect(self, group: Sequence[str], job: Job) -> Sums:
        """Return the sums over the inputs of a group; those of the one before are gone.

        Raises as `collect_sums`.
        """
        chosen = {name: self._sources[name] for name in group}
        names = {source.name for source in chosen.values()}
        (self._runner.worker.folder / f"statistics-{self._runs}").unlink(missing_ok=True)
        self._runs += 1
        file = self._runner.worker.folder / f"statistics-{self._runs}"
        label = f"collecting inputs of {group[0]}, run {self._runs} of {len(self.groups)}"
        seen = _run(self._runner, file, names, self._seed, job, label=label, beside=True)
        if not names <= seen.keys():
            raise _other_inputs(self._runner)
        return Sums(_moments(chosen, seen), (), kind_of(self._runner), _written(chosen, seen))


@contextlib.contextmanager
def collecting_in_order(
    runner: ScriptRunner,
    unpruned: Snapshot,
    state: Snapshot,
    grams: Collection[str],
    job: Job,
    *,
    seed: int = 0,
    budget: int = GRAM_BUDGET,
) -> Iterator[SequentialCollection]:
    """Have the worker run the unpruned model beside another state inside the block.

    What of the state is not in `grams` is there from the beginning. Raises as `collect_sums`; and
    `EvaluationError` if the model holds weights of the state in another form than the file.
    """
    parts = job.parts(4)
    _start(runner, next(parts))
    with runner.calibrating(unpruned, seed, next(parts)) as handover:
        if not handover.takes(state, job):
            names = first_names([n for n in handover.unmatched if n in state.checkpoint.entries])
            raise EvaluationError(
                f"The model holds weights in another form than the file: {names}. So another state "
                "cannot be run beside it, which a sequential repair requires.",
                remedy="Repair without Sequential.",
            )
        first = _run(runner, runner.worker.folder / "statistics-0", (), seed, next(parts))
        found = _sources(handover, weights_of(unpruned.checkpoint), first)
        sources = {name: source for name, source in found.items() if name in grams}
        collection = SequentialCollection(
            runner, handover, first, sources, seed=seed, budget=budget
        )
        rest = {entry.name for entry in state.checkpoint.entries.values()} - sources.keys()
        collection.put(state, rest, next(parts))
        yield collection


@dataclass(frozen=True)
class WeightUses:
    """How often each weight of a checkpoint is multiplied by an input that the model is given.

    What products of activations take, or elementwise layers, is no part of it.
    """

    rows: Mapping[str, NDArray[np.float64]]  # by name, of each of the equal parts of a weight
    others: float  # multiply-adds of an input by what no method prunes

    def multiply_adds(self, snapshot: Snapshot, job: Job) -> int:
        """Return the multiply-adds of an input by the weights that a state keeps; may cancel.

        A theoretical number: the zeros alone make nothing faster.
        """
        total = self.others
        for name, rows in self.rows.items():
            job.step(0)
            mask, numel = snapshot.zeroed(name), snapshot.entry(name).numel
            if mask is None or rows.min() == rows.max():
                total += rows.sum() * (numel if mask is None else mask.kept) / rows.size
                continue
            each = numel // rows.size
            for part, count in enumerate(rows):
                kept = mask.bools(part * each, (part + 1) * each)
                total += count * np.count_nonzero(kept)
        return round(total)


def count_uses(runner: Runner, snapshot: Snapshot, job: Job) -> WeightUses:
    """Have the model called once, on the first inputs of the script, and count.

    Raises
    ------
    EvaluationError
        If it cannot be seen what is multiplied by the weights of the checkpoint.
    """
    if not isinstance(runner, ScriptRunner):
        raise EvaluationError(
            "Multiply-adds cannot be counted in a program that a command line starts.",
            remedy="Evaluate by a script.",
        )
    runner.start(job)
    seed, weights = runner.options.seed, weights_of(snapshot.checkpoint)
    with runner.calibrating(as_on_disk(snapshot), seed, job) as handover:
        file = runner.worker.folder / "uses"
        answer = runner.worker.call(
            "count", job, "counting multiply-adds", seed=seed, path=str(file)
        )
        inputs = answer["inputs"]
        seen = {one["name"]: _Sums(file, **one) for one in answer["weights"]}
        sources = _sources(handover, weights, seen)
        rows = {
            name: seen[source.name].inputs(turned=source.turned, part=source.part).counts / inputs
            for name, source in sources.items()
        }
    used = {source.name for source in sources.values()}
    of_file = {
        pair[0].place
        for name in snapshot.checkpoint.entries
        if (pair := handover.counterpart(name)) is not None
    }
    others = 0.0
    for name in seen.keys() - used:
        tensor = handover.tensors[name]
        if tensor.place not in of_file:
            raise EvaluationError(
                f"The model multiplies by '{name}', which is not in "
                f"'{snapshot.checkpoint.path.name}' as it is, so it is not known which "
                "multiply-adds are left in a pruned state.",
                remedy="Load the weights as they are in the file.",
            )
        counts = seen[name].inputs(turned=False, part=None).counts
        others += float(counts.sum()) * math.prod(tensor.shape) / counts.size / inputs
    return WeightUses(rows, others)


def weights_of(checkpoint: Checkpoint) -> list[TensorEntry]:
    """Return the weights of which statistics can be there."""
    return [
        entry
        for entry in checkpoint.entries.values()
        if len(entry.shape) > 1 and entry.prunable and entry.learned
    ]


def now() -> str:
    """Return the time in words of ISO 8601, for `Origin.date`."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _other_inputs(runner: ScriptRunner) -> EvaluationError:
    return EvaluationError(
        f"calibrate in '{runner.name}' ran other inputs in its next run, so the sums of the two "
        "cannot be combined.",
        remedy="Run the same inputs in the same order each time; 'seed' is the same.",
    )


def kind_of(runner: ScriptRunner) -> str:
    """Return what the inputs are, as of an `Origin`."""
    worker = runner.worker
    if not worker.script.builtin:
        return "calibrate"
    if worker.options.images is not None:
        return "images"
    return "random tokens" if worker.options.text is None else "text"


def _run(
    runner: ScriptRunner,
    file: Path,
    grams: Collection[str],
    seed: int,
    job: Job,
    *,
    label: str = "collecting statistics",
    **how: bool,
) -> dict[str, _Sums]:
    answer = runner.worker.call(
        "statistics", job, label, seed=seed, grams=sorted(grams), path=str(file), **how
    )
    told: list[Mapping[str, Any]] = answer["weights"]
    return {one["name"]: _Sums(file, **one) for one in told}


def _passes(
    first: Mapping[str, _Sums], wanted: Collection[str], budget: int
) -> Iterator[list[str]]:
    """Yield the weights whose Gram matrices are summed in one run."""
    names: list[str] = []
    used = 0
    for name, sums in first.items():
        if name not in wanted:
            continue
        if sums.gram_bytes > budget:
            raise EvaluationError(
                f"The Gram matrix of '{name}' takes {format_bytes(sums.gram_bytes)}, but the limit "
                f"of one run is {format_bytes(budget)}.",
                remedy="Allow more memory, or collect without Gram matrices.",
            )
        if used + sums.gram_bytes > budget:
            yield names
            names, used = [], 0
        names.append(name)
        used += sums.gram_bytes
    if names:
        yield names


def _same_inputs(first: Mapping[str, _Sums], again: Mapping[str, _Sums]) -> bool:
    """Whether two runs had the same inputs, as far as their sums tell."""
    if first.keys() != again.keys():
        return False
    pairs = (
        [run[name].moments(turned=False, part=None) for run in (first, again)] for name in first
    )
    return all(
        np.array_equal(one.counts, other.counts) and np.allclose(one.sum2, other.sum2, rtol=1e-3)
        for one, other in pairs
    )


def _sources(
    handover: Handover, weights: Iterable[TensorEntry], seen: Mapping[str, _Sums]
) -> dict[str, _Source]:
    """Return where the statistics of weights of the checkpoint are, of those that have some."""
    by_place = {handover.tensors[name].place: name for name in seen}
    fused = {}
    for name in seen:
        stem, _, last = name.rpartition(".")
        if stem.endswith("experts"):
            fused[_experts(stem, last)] = name
    sources = {}
    for entry in weights:
        found = handover.counterpart(entry.name)
        if found is None:
            source = _of_fused_experts(entry, fused, seen)
        else:
            tensor, turned = found
            name = by_place.get(tensor.place, "")
            # Of a weight that is transposed the parts would lie in its columns.
            fit = name and (not turned or seen[name].parts == 1)
            fit = fit and seen[name].fit(entry.shape, turned=turned)
            source = _Source(name, turned) if fit else None
        if source is not None:
            sources[entry.name] = source
    return sources


def _experts(stem: str, last: str) -> tuple[tuple[str, ...], bool]:
    """Return of which layer the experts of a name are, and whether it is their last product."""
    return tuple(re.findall(r"\d+", stem)), bool(_DOWN.search(last))


def _of_fused_experts(
    entry: TensorEntry, fused: Mapping[Any, str], seen: Mapping[str, _Sums]
) -> _Source | None:
    """Return the part of a weight of all experts that is one of them, found by name.

    Transformers joins the experts of a checkpoint, and their gates with what they gate: these have
    the same inputs.
    """
    match = _EXPERT.fullmatch(entry.name)
    name = "" if match is None else fused.get(_experts(match[1], match[3]), "")
    if match is None or not name:
        return None
    sums, part = seen[name], int(match[2])
    if part >= sums.parts or sums.columns != entry.shape[1]:
        return None
    return _Source(name, turned=sums.transposed, part=part)
