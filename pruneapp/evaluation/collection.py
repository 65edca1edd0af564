"""Collect statistics of activations: the worker runs the user's inputs and sums activations.

Sums of squares and of values need one run of ``calibrate``. Gram matrices are large, so they are
collected in further runs, each with as many as the memory budget allows.
"""

from __future__ import annotations

import contextlib
import math
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.digest import files_sha256
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import first_names
from pruneapp.evaluation.graph_handover import AnyHandover, GraphHandover
from pruneapp.evaluation.handover import Handover
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import Runner, Samples, ScriptRunner, as_on_disk, data_name, data_of
from pruneapp.evaluation.worker import Worker
from pruneapp.kernels.values import Float64s, Floats
from pruneapp.params import format_bytes
from pruneapp.progress import CancelToken, Job
from pruneapp.repair.repair import LayerInputs, layer_inputs
from pruneapp.repair.solve import Drift, Errors, LayerSolver, Outputs, Solution, Unknowns, work_of
from pruneapp.statistics.file import Inputs, Origin, fits, save_statistics

# Default maximum bytes of Gram matrices in the worker.
GRAM_BUDGET = 4 << 30
# Elements of a Gram matrix read at a time: a few milliseconds.
_BLOCK = 1 << 19
# How long the speed of the processor is measured.
_MEASURED_S = 0.05
# The weight of one expert in a checkpoint, and names of down projections of fused experts.
_EXPERT = re.compile(r"((?:.*\.)?experts)\.(\d+)\.(.+)\.weight")
_DOWN = re.compile(r"down_proj|w2")


@dataclass(frozen=True)
class Collected:
    """The result of writing a statistics file."""

    sha256: str  # of the written file
    seen: tuple[str, ...]  # weights with statistics
    unseen: tuple[str, ...]
    rows: int  # maximum number of input rows of any weight


@dataclass(frozen=True)
class _Sums:
    """The worker's description of the sums of one weight, and their place in a file."""

    file: Path
    name: str
    parts: int
    columns: int
    transposed: bool
    inputs: int  # equal for weights that are multiplied by the same inputs consecutively
    offset: int
    gram: int  # offset of the Gram matrices; -1 if there are none
    drift: int  # offset of the output drift; -1 if it is unknown
    rows: int  # outputs per part; the drift has one row for each
    numel: int
    device: str  # torch device of the weight

    @property
    def gram_bytes(self) -> int:
        return 8 * self.parts * self.columns**2

    @property
    def bytes_with_drift(self) -> int:
        return self.gram_bytes + 8 * self.numel

    @property
    def samples(self) -> float:
        """Number of rows of inputs, of all parts."""
        return float(_numbers(self.file, self.offset, self.parts).sum())

    def fit(self, shape: tuple[int, ...], *, turned: bool) -> bool:
        return fits(shape, self.parts, self.columns, transposed=self.transposed != turned)

    def moments(self, *, turned: bool, part: int | None) -> Inputs:
        """Read the sums of squares, sums and counts of inputs, for all parts or only one.

        `part` is the index of a part, or None for all; `turned` is whether the weight is transposed
        in the checkpoint.
        """
        columns = self.columns
        first, parts = (0, self.parts) if part is None else (part, 1)
        counts = _numbers(self.file, self.offset + 8 * first, parts)
        sums = [
            _numbers(self.file, at + 8 * first * columns, parts * columns).reshape(parts, columns)
            for at in (self.offset + 8 * self.parts, self.offset + 8 * self.parts * (1 + columns))
        ]
        return Inputs(sums[0], sums[1], counts, self.transposed != turned)

    def gram_blocks(self, number: int) -> Iterator[NDArray[np.float64]]:
        size = self.columns**2
        start = self.gram + 8 * number * size
        for done in range(0, size, _BLOCK):
            yield _numbers(self.file, start + 8 * done, min(_BLOCK, size - done))

    def drift_of(self, number: int) -> Drift:
        """Read the output drift of the part with the index `number`."""
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
    """The weight of the model that statistics of a checkpoint's weight come from."""

    name: str  # name of the model's weight
    turned: bool = False  # whether it is transposed in the checkpoint
    part: int | None = None  # index of the corresponding part; None for the whole weight


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums for the weights of a checkpoint; Gram matrices are read on demand."""

    inputs: Mapping[str, Inputs]
    unseen: tuple[str, ...]  # weights without statistics
    source: str  # kind of inputs, as in `Origin`
    # weights with Gram matrices, and the index of the part
    _written: Mapping[str, tuple[_Sums, int | None]]
    # the worker that holds the Gram matrices, if they were not written to a file
    _keeper: Worker | None = None

    def inputs_of(self, name: str, cancel: CancelToken) -> LayerInputs:
        """Return the known inputs of a weight, with a solver for it.

        The Gram matrix is read when the solver is used, unless the worker has it: then layers are
        solved there. `cancel` can cancel the reading. Raises `KeyError` for a name that is not in
        `with_grams`.
        """
        inputs, (sums, part) = self.inputs[name], self._written[name]
        worker = self._keeper
        if worker is None:
            gram = partial(self.gram, name, cancel=cancel)
            return layer_inputs(inputs, gram, partial(self.drift, name))

        def solver(group: int) -> LayerSolver:
            return SolverInWorker(worker, sums.name, group if part is None else part)

        groups, columns = inputs.sum2.shape
        return LayerInputs(groups, columns, solver, inputs.transposed)

    @property
    def with_grams(self) -> Collection[str]:
        """Names of the weights with Gram matrices."""
        return self._written.keys()

    def gram_blocks(self, name: str) -> Iterator[NDArray[np.float64]]:
        """Yield the Gram matrices of a weight in order, in pieces of a few megabytes."""
        sums, part = self._written[name]
        for number in range(sums.parts) if part is None else (part,):
            yield from sums.gram_blocks(number)

    def drift(self, name: str, group: int) -> Drift | None:
        """Return the sums of the output drift of a part of a weight; None if unknown."""
        sums, part = self._written[name]
        return sums.drift_of(group) if part is None and sums.drift >= 0 else None

    def gram(self, name: str, group: int, cancel: CancelToken) -> Float64s:
        """Read the Gram matrix of a part of a weight, ``float64[columns, columns]``.

        `group` is the index of the part, ignored if the weight is itself one part of a weight of
        the model. Raises `Cancelled` between two blocks, and `KeyError` if there is no matrix of
        this name.
        """
        sums, part = self._written[name]
        found: Float64s = np.empty(sums.columns**2)
        done = 0
        for block in sums.gram_blocks(group if part is None else part):
            cancel.check()
            found[done : done + block.size] = block
            done += block.size
        return found.reshape(sums.columns, sums.columns)


@dataclass(frozen=True, eq=False)
class SolverInWorker:
    """Solves a part of a weight in the worker, which holds its Gram matrix."""

    worker: Worker
    name: str  # name of the model's weight
    part: int

    def solve(
        self,
        weights: Unknowns,
        bias: Unknowns | None,
        *,
        spread: bool,
        iterations: int,
        damping: float,
        job: Job,
        out: Floats,
    ) -> Solution:
        """Solve with torch, see `LayerSolver`, and write the weights to `out`.

        The layer is passed in a file, which is deleted afterwards. Raises `EvaluationError` if the
        worker fails, and `ValueError` if it reports a numerical problem.
        """
        rows, columns = weights.wanted.shape
        path = self.worker.folder / "layer"
        layer = {
            "rows": rows,
            "columns": columns,
            "dtype": weights.dtype.torch,
            "bias": "" if bias is None else bias.dtype.torch,
        }
        how = {"iterations": iterations, "damping": damping, "outputs": spread}
        try:
            with path.open("wb") as file:
                _write(file, weights, np.float32, job)
                if bias is not None:
                    _write(file, bias, np.float64, job)
            answer = self.worker.call(
                "solve",
                Job(_Units(job, work_of(rows, columns, weights.dtype, iterations)), job.cancel),
                "solving",
                name=self.name,
                part=self.part,
                layer=layer,
                path=str(path),
                **how,
            )
            if "problem" in answer:
                raise ValueError(answer["problem"])
            with path.open("rb") as file:
                return _read(file, weights, bias, answer, out)
        finally:
            path.unlink(missing_ok=True)


class _Units:
    """Progress that steps a job by `units` in proportion to the progress of another job."""

    def __init__(self, job: Job, units: int) -> None:
        self._job, self._units, self._reached = job, units, 0

    def report(self, done: int, total: int, _label: str) -> None:
        """Step the job by the new progress; a value below an earlier one is ignored."""
        reached = self._units * done // max(total, 1)
        self._job.step(max(0, reached - self._reached))
        self._reached = max(self._reached, reached)


def _write(file: IO[bytes], some: Unknowns, kind: type[np.floating[Any]], job: Job) -> None:
    """Write wanted values and present values, as `kind`, and free positions, as uint8."""
    for part, dtype in ((some.wanted, kind), (some.present, kind), (some.free, np.uint8)):
        together = max(1, _BLOCK // max(1, math.prod(part.shape[1:])))
        for start in range(0, len(part), together):
            job.step(0)
            file.write(np.ascontiguousarray(part[start : start + together], dtype).data)


def _read(
    file: IO[bytes],
    weights: Unknowns,
    bias: Unknowns | None,
    answer: Mapping[str, Any],
    out: Floats,
) -> Solution:
    """Read the worker's answer from `file` into `out`, and return the solution.

    Rows that did not improve keep their present weights. `bias` is None for a layer without bias;
    the shift of the solution is then None.
    """
    rows, columns = weights.wanted.shape
    solved = np.fromfile(file, np.float32, rows * columns).reshape(rows, columns)
    better = np.fromfile(file, np.uint8, rows).astype(np.bool_)
    out[...] = weights.present
    out[better] = solved[better]
    shift = None if bias is None else np.fromfile(file, np.float64, rows)
    outputs = None
    if answer["count"]:
        usual, before, after = np.fromfile(file, np.float64, 9 * rows).reshape(3, 3, rows)
        outputs = Outputs(usual, before, after, answer["count"])
    return Solution(out, shift, Errors(*answer["errors"]), outputs)


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

    An existing file is replaced. Parameters and errors are those of `collect_sums`; also raises
    `ExportError` if the file cannot be written.
    """
    parts = job.parts(2)
    sums = collect_sums(runner, snapshot, next(parts), seed=seed, grams=grams, budget=budget)
    origin = Origin(
        source=sums.source,
        script=runner.worker.script.sha256,
        checkpoint=files_sha256(snapshot.checkpoint.files, job),
        data=data_of(runner, calibrating=True),
        name=data_name(runner),
        date=current_time(),
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

    The worker is started if it does not run, and keeps running.

    Parameters
    ----------
    seed
        Seed of the random numbers of each run.
    grams
        Names of the weights whose Gram matrices are collected too; unknown names are ignored.
    budget
        Maximum bytes of Gram matrices in the worker; more runs are made if they need more.
    folder
        Where the sums are stored; None for the worker's folder, which is deleted with it.

    Raises
    ------
    EvaluationError
        If the script fails, has no ``calibrate``, changes weights, or its inputs differ from run to
        run; or if a single Gram matrix exceeds the budget.
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
                runner.verify(handover, job)  # raises if the cause is that the weights changed
                raise _other_inputs(runner)
            with_grams |= {name: again[name] for name in names}
    unseen = tuple(entry.name for entry in weights if entry.name not in sources)
    chosen = {name: source for name, source in sources.items() if name in grams}
    return Sums(
        _moments(sources, first), unseen, kind_of(runner), _sums_by_name(chosen, with_grams)
    )


def _start(runner: ScriptRunner, job: Job) -> None:
    """Start the runner unless it runs; raise `EvaluationError` if its script cannot calibrate."""
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


def _sums_by_name(
    sources: Mapping[str, _Source], seen: Mapping[str, _Sums]
) -> dict[str, tuple[_Sums, int | None]]:
    return {name: (seen[source.name], source.part) for name, source in sources.items()}


class LayerCollection:
    """Collects the inputs of groups of layers, in the order in which the layers are run.

    If `sequential`, the state changes in between: the worker runs it alongside the unpruned model
    on the same inputs, so that the outputs of the unpruned model are known as targets.

    `in_worker` is whether layers are solved in the worker with torch: if it computes on a CUDA GPU,
    or if the Gram matrices of all layers exceed the budget. The matrices then stay in the worker.
    `device` is the device of the solver; empty if it is not in the worker.
    """

    def __init__(
        self,
        runner: ScriptRunner,
        handover: AnyHandover,
        first: Mapping[str, _Sums],
        sources: Mapping[str, _Source],
        *,
        seed: int,
        budget: int,
        sequential: bool,
        folder: Path,
        seconds: float,
    ) -> None:
        self._runner = runner
        self._beside = handover.copy_for_second_model() if isinstance(handover, Handover) else None
        self._sources, self._seed, self._folder = sources, seed, folder
        self._sequential, self._runs = sequential, 0
        wanted = {source.name for source in sources.values()}
        several = [sums for name, sums in first.items() if name in wanted]
        self.device = next((one.device for one in several if one.device.startswith("cuda")), "")
        self.in_worker = bool(self.device) or sum(s.gram_bytes for s in several) > budget
        if self.in_worker and not self.device:
            self.device = "cpu"
        self._first = first
        self._run_seconds = (2 if sequential else 1) * seconds
        self._rate = measure_multiply_rate()
        # Groups of the checkpoint's weights within the budget; in a sequential repair each group
        # has the same inputs.
        self.groups: list[tuple[str, ...]] = []
        together: dict[int, dict[str, _Sums]] = {}
        for name, sums in first.items():
            together.setdefault(sums.inputs if sequential else 0, {})[name] = sums
        for some in together.values():
            for names in _passes(some, wanted, budget, drift=sequential):
                self.groups.append(tuple(n for n, s in sources.items() if s.name in names))

    def work(self, group: Sequence[str], iterations: int) -> tuple[int, int]:
        """Return the expected microseconds of collecting the inputs of a group, and of solving it.

        For weights of steps of a job; `iterations` are those of a solution. The inputs are run as
        long as in the first run; the duration of products is computed from their multiply-adds.
        """
        some = [self._first[name] for name in {self._sources[name].name for name in group}]
        grams = {one.inputs: one.samples * one.columns**2 for one in some}  # computed once
        drift = sum(2 * one.samples * one.numel / one.parts for one in some)
        sums = sum(grams.values()) + (drift if self._sequential else 0)
        solving = iterations * sum(one.numel * one.columns for one in some)
        rate = self._rate
        collecting = self._run_seconds + 2 * sums / rate  # in float64
        return max(1, round(1e6 * collecting)), max(1, round(1e6 * solving / rate))

    def put(self, state: Snapshot, names: Collection[str], job: Job) -> None:
        """Transfer the tensors `names` of a state to the model that runs next to the unpruned one.

        Its other tensors are unchanged. Only for a sequential repair.
        """
        assert self._beside is not None
        self._runner.put_beside(self._beside, state, names, job)

    def collect(self, group: Sequence[str], job: Job) -> Sums:
        """Run ``calibrate``, and return the sums over the inputs of a group; once per group.

        The file of the previous group is deleted, so its sums must not be read any more. If
        `in_worker`, the Gram matrices stay in the worker. Raises `EvaluationError` if the script
        fails, or runs no input through a layer of the group.
        """
        chosen = {name: self._sources[name] for name in group}
        names = {source.name for source in chosen.values()}
        (self._folder / f"statistics-{self._runs}").unlink(missing_ok=True)
        self._runs += 1
        file = self._folder / f"statistics-{self._runs}"
        what = f"inputs of {group[0]}" if self._sequential else "Gram matrices"
        label = f"collecting {what}, run {self._runs} of {len(self.groups)}"
        how = {"other_state": self._sequential, "keep": self.in_worker, "only": True}
        seen = _run(self._runner, file, names, self._seed, job, label=label, **how)
        if not names <= seen.keys():
            raise _other_inputs(self._runner)
        keeper = self._runner.worker if self.in_worker else None
        return Sums(
            _moments(chosen, seen), (), kind_of(self._runner), _sums_by_name(chosen, seen), keeper
        )


def measure_multiply_rate() -> float:
    """Return how many multiply-adds of float32 matrices numpy computes per second at present.

    Other programs reduce it. A GPU is faster, but the time of its products is then short compared
    with that of a run.
    """
    matrix = np.ones((512, 512), np.float32)
    np.matmul(matrix, matrix)  # the first product starts threads
    began, products = time.perf_counter(), 0
    while (seconds := time.perf_counter() - began) < _MEASURED_S:
        np.matmul(matrix, matrix)
        products += 1
    return float(matrix.size * len(matrix) * max(products, 1) / seconds)


@contextlib.contextmanager
def collecting(
    runner: ScriptRunner,
    unpruned: Snapshot,
    grams: Collection[str],
    job: Job,
    *,
    folder: Path,
    seed: int = 0,
    budget: int = GRAM_BUDGET,
    other_state: Snapshot | None = None,
) -> Iterator[LayerCollection]:
    """Load the unpruned model in the worker for the block, run ``calibrate``, and group the layers.

    Layers are those of `grams` that received inputs; the yielded collection collects their inputs.
    After the block the weights of the worker are verified.

    Parameters
    ----------
    grams
        Names of the weights to collect Gram matrices of.
    folder
        Where sums are stored.
    seed
        Seed of the random numbers of each run.
    budget
        Maximum bytes of Gram matrices in the worker at a time.
    other_state
        For a sequential repair, the state whose inputs are collected; None otherwise. Its tensors
        that are not in `grams` are transferred at the beginning.

    Raises
    ------
    EvaluationError
        As `collect_sums`; or, for a sequential repair, if the model stores weights in another form
        than the file, or is an ONNX model.
    """
    parts = job.parts(4)
    _start(runner, next(parts))
    with runner.calibrating(unpruned, seed, next(parts)) as handover:
        if other_state is not None and isinstance(handover, GraphHandover):
            raise EvaluationError(
                "A sequential repair runs two states of a model side by side, which is not "
                "possible with a session of onnxruntime.",
                remedy="Repair without Sequential.",
            )
        if other_state is not None and not handover.can_transfer(other_state, job):
            raise EvaluationError(
                "The model stores weights in a different form than the file "
                f"({first_names(handover.unmatched)}), so a sequential repair, which runs two "
                "states at once, is not possible.",
                remedy="Repair without Sequential.",
            )
        part, began = next(parts), time.monotonic()
        first = _run(runner, folder / "statistics-0", (), seed, part)
        seconds = time.monotonic() - began
        found = _sources(handover, weights_of(unpruned.checkpoint), first)
        sources = {name: source for name, source in found.items() if name in grams}
        collection = LayerCollection(
            runner,
            handover,
            first,
            sources,
            seed=seed,
            budget=budget,
            sequential=other_state is not None,
            folder=folder,
            seconds=seconds,
        )
        if other_state is not None:
            rest = {
                entry.name for entry in other_state.checkpoint.entries.values()
            } - sources.keys()
            collection.put(other_state, rest, next(parts))
        yield collection


@dataclass(frozen=True)
class WeightUses:
    """Number of input rows per model input for each weight of a checkpoint.

    Products of activations and elementwise layers are not included.
    """

    # by name, ``float64[parts]`` for the equal parts of a weight
    rows: Mapping[str, NDArray[np.float64]]
    others: float  # multiply-adds per input of weights that cannot be pruned

    def multiply_adds(self, snapshot: Snapshot, job: Job) -> int:
        """Return the multiply-adds per input of a state, rounded, including `others`.

        Pruned weights do not count. If the parts of a weight are used differently often, such as
        experts, its pruned weights are counted per part. `job` can cancel and is stepped by 0. A
        theoretical number: zeros alone do not make a model faster.
        """
        total = self.others
        for name, rows in self.rows.items():
            job.step(0)
            mask, numel = snapshot.export_mask(name), snapshot.entry(name).numel
            if mask is None or rows.min() == rows.max():
                total += rows.sum() * (numel if mask is None else mask.kept) / rows.size
                continue
            each = numel // rows.size
            for part, count in enumerate(rows):
                kept = mask.bools(part * each, (part + 1) * each)
                total += count * np.count_nonzero(kept)
        return round(total)


def count_uses(runner: Runner, snapshot: Snapshot, job: Job) -> WeightUses:
    """Load the unpruned model of `snapshot`, call it once on the script's first inputs, and count.

    Starts the runner unless it runs. Raises `EvaluationError` for a command line, if the script
    fails, or if the model multiplies by a tensor that the checkpoint does not contain in this form.
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
            name: seen[source.name].moments(turned=source.turned, part=source.part).counts / inputs
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
                f"The model multiplies by '{name}', which '{snapshot.checkpoint.path.name}' does "
                "not contain in this form, so it is not known which multiply-adds are left in a "
                "pruned state.",
                remedy="Load the weights as they are in the file.",
            )
        counts = seen[name].moments(turned=False, part=None).counts
        others += float(counts.sum()) * math.prod(tensor.shape) / counts.size / inputs
    return WeightUses(rows, others)


def weights_of(checkpoint: Checkpoint) -> list[TensorEntry]:
    """Return the weights that can have statistics: prunable parameters of at least 2 dimensions."""
    return [
        entry
        for entry in checkpoint.entries.values()
        if len(entry.shape) > 1 and entry.prunable and entry.learned
    ]


def current_time() -> str:
    """Return the current time in ISO 8601 format, for `Origin.date`."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _other_inputs(runner: ScriptRunner) -> EvaluationError:
    return EvaluationError(
        f"calibrate in '{runner.name}' ran different inputs in its next run, so the sums of the "
        "two runs cannot be combined.",
        remedy="Run the same inputs in the same order each time; 'seed' is the same.",
    )


def kind_of(runner: ScriptRunner) -> str:
    """Return the kind of inputs, as in `Origin`.

    It is ``calibrate`` for the user's script; for built-in ones ``images``, ``text``, ``random
    inputs`` (of an ONNX model) or ``random tokens``.
    """
    worker = runner.worker
    if not worker.script.builtin:
        return "calibrate"
    if worker.options.images is not None:
        return "images"
    if worker.options.seeded is not None:
        return "random inputs"
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
    """Run ``calibrate`` in the worker, and return its sums by the name of the model's weight.

    The worker writes them to `file`, with the Gram matrices of the weights `grams` of the model.
    `how` are further arguments of its request `statistics`.
    """
    answer = runner.worker.call(
        "statistics", job, label, seed=seed, grams=sorted(grams), path=str(file), **how
    )
    samples = answer.get("samples")
    runner.calibrated = Samples(**samples) if samples else None
    told: list[Mapping[str, Any]] = answer["weights"]
    return {one["name"]: _Sums(file, **one) for one in told}


def _passes(
    first: Mapping[str, _Sums], wanted: Collection[str], budget: int, *, drift: bool = False
) -> Iterator[list[str]]:
    """Yield groups of the weights `wanted` whose Gram matrices are collected in one run.

    The matrices of a group take at most `budget` bytes, with `drift` including the output drift.
    The order is that of `first`; names that are not in it are ignored. Raises `EvaluationError` if
    one matrix alone exceeds the budget.
    """
    names: list[str] = []
    used = 0
    for name, sums in first.items():
        if name not in wanted:
            continue
        size = sums.bytes_with_drift if drift else sums.gram_bytes
        if size > budget:
            raise EvaluationError(
                f"The Gram matrix of '{name}' takes {format_bytes(size)}, but the limit "
                f"of one run is {format_bytes(budget)}.",
                remedy="Allow more memory, or collect without Gram matrices.",
            )
        if used + size > budget:
            yield names
            names, used = [], 0
        names.append(name)
        used += size
    if names:
        yield names


def _same_inputs(first: Mapping[str, _Sums], again: Mapping[str, _Sums]) -> bool:
    """Return whether two runs had the same inputs, judged by their sums.

    Names and counts must be equal, and sums of squares up to 0.1 %.
    """
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
    handover: AnyHandover, weights: Iterable[TensorEntry], seen: Mapping[str, _Sums]
) -> dict[str, _Source]:
    """Return, by name, the source of statistics of each of `weights` that has one.

    `seen` are the sums by the name of the model's weight. A weight of the checkpoint is matched by
    `handover`, or else as a part of a fused expert weight. A weight whose shape does not fit the
    sums has no source.
    """
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
            # A part of a transposed weight would be in its columns.
            fit = name and (not turned or seen[name].parts == 1)
            fit = fit and seen[name].fit(entry.shape, turned=turned)
            source = _Source(name, turned) if fit else None
        if source is not None:
            sources[entry.name] = source
    return sources


def _experts(stem: str, last: str) -> tuple[tuple[str, ...], bool]:
    """Return the layer numbers in the name of experts, and whether it is their down projection."""
    return tuple(re.findall(r"\d+", stem)), bool(_DOWN.search(last))


def _of_fused_experts(
    entry: TensorEntry, fused: Mapping[Any, str], seen: Mapping[str, _Sums]
) -> _Source | None:
    """Return the part of a fused expert weight that belongs to one expert, matched by name.

    `fused` has the names of the model's fused weights by `_experts`, and `seen` their sums. None if
    the name is not that of an expert, no fused weight matches, or the number of columns differs.
    Transformers fuses the experts of a checkpoint, and gate with up projections, which have the
    same inputs.
    """
    match = _EXPERT.fullmatch(entry.name)
    name = "" if match is None else fused.get(_experts(match[1], match[3]), "")
    if match is None or not name:
        return None
    sums, part = seen[name], int(match[2])
    if part >= sums.parts or sums.columns != entry.shape[1]:
        return None
    return _Source(name, turned=sums.transposed, part=part)
