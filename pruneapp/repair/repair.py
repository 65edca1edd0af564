"""Repair a state: select layers, find their inputs, solve, and store the new values."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements import Bits
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.digest import sha256_of
from pruneapp.document.edit import Proposal, format_names
from pruneapp.document.entries import RepairSource
from pruneapp.document.mask_store import ValuesFile
from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.coupled_tensors import Companions
from pruneapp.edits.repaired_values import RepairedValues
from pruneapp.errors import (
    ParameterError,
    SelectionError,
    UnknownTensorError,
    counted,
    first_names,
    in_numeric_order,
)
from pruneapp.kernels.threads import map_in_order, threads_for
from pruneapp.kernels.values import Bools, Float64s, Floats, decode, encode
from pruneapp.masks.channels import channels_left
from pruneapp.params import percent
from pruneapp.progress import CancelToken, Job
from pruneapp.repair.solve import (
    DAMPING,
    ITERATIONS,
    Drift,
    Errors,
    LayerSolver,
    Moments,
    Outputs,
    Solution,
    Unknowns,
    work_of,
)
from pruneapp.statistics.file import Inputs, Statistics, fits

# Assumed share of the running variance caused by inputs unlike the collected ones: a channel that
# hardly varies on these must not be scaled by an extreme ratio.
_UNSEEN = 0.1
# Added to running variances by the norms of torch; a checkpoint does not contain it.
_EPSILON = 1e-5


# With at least this sparsity in every layer, a repair did not restore a small network.
HIGH_SHARE = 0.65
# Layers whose sparsity differs by up to this count as equal.
SAME_SHARE = 0.05


@dataclass(frozen=True)
class PrunedLayer:
    """A weight that is partly pruned."""

    name: str
    numel: int
    pruned: int
    gram_bytes: int  # bytes of its Gram matrices, from the shape
    known: bool = True  # whether its inputs are known, or still have to be collected
    # Whether only whole outputs are pruned, with all that could replace them: no remaining weight
    # contributes to these, so that only a sequential repair changes the layer.
    only_outputs: bool = False


@dataclass(frozen=True)
class LayerRepair:
    """The result of a repair for one layer; errors are shares of the squared outputs.

    If a norm with running statistics follows, its changes are included: outputs are compared behind
    it, divided by its scale in the unpruned model.
    """

    name: str  # name of the weight
    moved: int  # number of weights with changed values
    left: int  # number of weights that are not pruned
    before: float
    after: float
    rounded: float
    bias: str = ""  # name of the bias or running mean that was adjusted
    numel: int = 0  # total number of weights
    variance: str = ""  # name of the running variance that was adjusted
    is_rounded: bool = False  # whether its type is narrower than float32, in which it is solved

    @property
    def is_changed(self) -> bool:
        """Whether the layer, or the norm after it, has new values."""
        return bool(self.moved or self.bias or self.variance)

    @property
    def is_worse(self) -> bool:
        """Whether the error of its outputs is larger than before the repair."""
        return self.rounded > self.before


def risks_of(
    layers: Sequence[LayerRepair], source: str = "", *, sequential: bool = False
) -> tuple[str, ...]:
    """Return why a repair may have made the model worse, a sentence each (see docs/quality.md).

    Empty if nothing indicates it. `source` describes the inputs, as in
    `pruneapp.statistics.file.Origin`: random tokens and random inputs are a risk. Nearly equal high
    sparsities of layers are one too, unless the repair was `sequential`.
    """
    found = []
    worse = [layer.name for layer in layers if layer.is_worse]
    if worse:
        one, several = "1 layer has a larger error", f"{len(worse):,} layers have larger errors"
        found.append(
            f"{one if len(worse) == 1 else several} after the repair than before: "
            f"{first_names(worse)}."
        )
    uniform = uniform_risk([1 - layer.left / layer.numel for layer in layers if layer.numel])
    if uniform and not sequential:
        found.append(uniform)
    if source == "random tokens":
        found.append(
            "The inputs were random token IDs, which are unlike any real input: the repaired model "
            "may be worse on yours."
        )
    if source == "random inputs":
        found.append(
            "The inputs were random numbers, which are unlike any real input: the repaired model "
            "may be worse on yours."
        )
    return tuple(found)


def sequential_runs(layers: int) -> str:
    """Return a sentence on how often a sequential repair of `layers` layers runs the inputs."""
    often = "once more" if layers == 1 else f"up to {layers:,} times more"
    return (
        f"The inputs are run once through the unpruned model, then {often} through both models: "
        "once for each layer, or for each group of layers with the same input."
    )


def uniform_risk(shares: Sequence[float]) -> str:
    """Return why the layers' pruned shares are a risk, as a sentence; "" if they are not.

    They are if there are two or more, all at least `HIGH_SHARE`, which differ by at most
    `SAME_SHARE`.
    """
    if len(shares) < 2 or min(shares) < HIGH_SHARE or max(shares) - min(shares) > SAME_SHARE:
        return ""
    ends = dict.fromkeys(percent(share, 0) for share in (min(shares), max(shares)))
    return (
        f"All {counted(len(shares), 'layer')} have nearly the same high sparsity "
        f"({' to '.join(ends)}). In tests, repair did not fix such masks in small convolutional "
        "networks; global pruning and LAMP keep more of the first layers."
    )


@dataclass(frozen=True, eq=False)
class LayerInputs:
    """The known inputs of a weight: a solver with a Gram matrix for each group or expert."""

    groups: int
    columns: int
    solver: Callable[[int], LayerSolver]  # returns the solver of a group
    transposed: bool = False  # whether the inputs are along the first dimension


# Returns the known inputs of a weight; None if it has no Gram matrix.
ERROR_DIGITS = 3  # decimal places of errors of outputs in percent
_MOST_LAYERS = 5  # layers whose errors are in the detail of a repair

KnownInputs: TypeAlias = Callable[[TensorEntry], LayerInputs | None]


def inputs_in(statistics: Statistics, cancel: CancelToken | None = None) -> KnownInputs:
    """Return a function that returns the inputs of weights from a file of statistics.

    It returns None for a weight without a Gram matrix, raises what `Statistics.inputs` raises, and
    reads Gram matrices only when a layer is solved; `cancel` can cancel that. Raises
    `ParameterError` if the file has none.
    """
    if not statistics.grams:
        raise ParameterError(
            f"'{statistics.path}' has no Gram matrices, which a repair needs.",
            remedy="Collect the statistics with Gram matrices.",
        )

    def known(entry: TensorEntry) -> LayerInputs | None:
        """Return the inputs of a weight; None if the file has no Gram matrix for its names."""
        name = next((name for name in entry.names if name in statistics.grams), None)
        inputs = None if name is None else statistics.inputs(entry.names, entry.shape)
        if name is None or inputs is None:
            return None

        def gram(group: int) -> Float64s:
            found = statistics.gram(name, group, cancel)
            assert found is not None
            return found

        return layer_inputs(inputs, gram)

    return known


def layer_inputs(
    inputs: Inputs,
    gram: Callable[[int], Float64s],
    drift: Callable[[int], Drift | None] = lambda _group: None,
) -> LayerInputs:
    """Return the inputs of a weight from statistics and functions for Gram matrix and drift.

    The functions are called with the number of a group, when it is solved.
    """
    sums, counts = inputs.sum, inputs.counts

    def moments(group: int) -> LayerSolver:
        total = None if sums is None else sums[group]
        return Moments(gram(group), total, float(counts[group]), drift(group))

    groups, columns = inputs.sum2.shape
    return LayerInputs(groups, columns, moments, inputs.transposed)


@dataclass(frozen=True, eq=False)
class Repair(Proposal):
    """The result of a repair, to be applied by `Document.commit`."""

    layers: tuple[LayerRepair, ...]
    # Pruned tensors that are not repaired, because their inputs are unknown.
    unknown: tuple[str, ...]


def pruned_layers(
    snapshot: Snapshot, job: Job, known: KnownInputs | None = None
) -> tuple[PrunedLayer, ...]:
    """Return the weights that can be repaired, in file order: matrices that are partly pruned.

    If `known` is given, layers are marked by whether their inputs are known; raises what it raises.
    Without it all are marked as known. `job` can cancel.
    """
    layers, pairs = [], Companions(snapshot.checkpoint, job.cancel)
    for batch in job.cancel.batches(snapshot.checkpoint.entries):
        for entry in map(snapshot.entry, batch):
            zeroed = snapshot.export_mask(entry.name)
            if zeroed is None or not _is_pruned(snapshot, entry):
                continue
            columns = math.prod(entry.shape[-1:] if len(entry.shape) == 3 else entry.shape[1:])
            parts = entry.shape[0] if len(entry.shape) == 3 else 1
            inputs = None if known is None else known(entry)
            if inputs is not None:
                parts, columns = inputs.groups, inputs.columns
            layers.append(
                PrunedLayer(
                    entry.name,
                    entry.numel,
                    zeroed.pruned,
                    8 * parts * columns**2,
                    known is None or inputs is not None,
                    _only_outputs_pruned(snapshot, entry, pairs, job),
                )
            )
    return tuple(layers)


def compute_repair(
    snapshot: Snapshot,
    known: KnownInputs,
    job: Job,
    *,
    names: Sequence[str] | None = None,
    wanted: Checkpoint | None = None,
    iterations: int = ITERATIONS,
    damping: float = DAMPING,
    norms: bool = True,
    statistics: str = "",
) -> Repair:
    """Change the kept weights of pruned layers so that the outputs approximate the original.

    Nothing is applied: the result is a proposal. Pruned, protected and permanently zero weights are
    not changed. The bias, or else the running mean of a following norm, is adjusted too, and the
    norm's running variance. `job` is started with the work and labeled with layers; may cancel.

    Parameters
    ----------
    names
        Weights by any of their names; None for all pruned weights with known inputs.
    wanted
        The model whose outputs are approximated; None for the file itself, unpruned.
    iterations
        Steps of conjugate gradients, at least 1.
    damping
        Added to the diagonal of the Gram matrix, relative to its mean; positive.
    norms
        Whether the running variance of a following norm is scaled like that of the outputs, which
        pruning usually reduces.
    statistics
        SHA-256 of the file that `known` comes from, for the recipe.

    Raises
    ------
    SelectionError
        If nothing is pruned, the inputs of all pruned layers are unknown, or no layer changes.
    ParameterError
        If a parameter is out of range, or statistics or a tensor of `wanted` do not fit a layer.
    HistoryError
        If there is no disk space for the values.
    """
    source = RepairSource(statistics, (), iterations, damping, norms)
    with contextlib.closing(RepairRun(snapshot, source, wanted, names)) as run:
        run.repair(known, job)
        return run.outcome(job)


class RepairRun:
    """A repair in progress, whose layers may be repaired one after another.

    Must be closed.

    Parameters
    ----------
    source
        Settings to record; the hashes of `wanted` are added at the end.
    wanted, names
        As in `compute_repair`, with the same errors.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        source: RepairSource,
        wanted: Checkpoint | None,
        names: Sequence[str] | None = None,
    ) -> None:
        if source.iterations < 1:
            raise ParameterError(f"'iterations' must be at least 1 (got {source.iterations}).")
        if not 0 < source.damping < math.inf:
            raise ParameterError(f"'damping' must be a positive number (got {source.damping}).")
        snapshot.checkpoint.verify_unchanged()
        self._snapshot, self.source, self._wanted = snapshot, source, wanted
        entries = snapshot.checkpoint.entries
        chosen = entries if names is None else resolve(snapshot.checkpoint, names)
        pruned = (e for e in map(snapshot.entry, chosen) if _is_pruned(snapshot, e))
        self.pruned = {entry.name: entry for entry in pruned}  # tensors to repair, by first name
        if not self.pruned:
            raise SelectionError(
                "Nothing is pruned in these layers, so there is nothing to repair."
            )
        self._repairs: list[LayerRepair] = []
        self._file = ValuesFile()
        self._pairs: Companions | None = None

    @property
    def state(self) -> Snapshot:
        """The state with the values repaired so far."""
        return self._snapshot.with_masks({"values": self._file.map_values()})

    def repair(self, known: KnownInputs, job: Job) -> None:
        """Repair all layers with known inputs; `job` is started with the work.

        May be called again, as for other layers; values of the same layer are then replaced,
        computed from the original state. Raises what `compute_repair` raises.
        """
        snapshot, source = self._snapshot, self.source
        layers = [
            _WeightMatrices.of(entry, inputs)
            for entry in self.pruned.values()
            if (inputs := known(entry)) is not None
        ]
        if not layers:
            raise SelectionError(
                "Nothing is known about the inputs of the pruned layers.",
                remedy="Collect statistics of this model, with Gram matrices.",
            )
        job.start(sum(layer.work(source.iterations) for layer in layers), layers[0].entry.name)
        if self._pairs is None:
            self._pairs = Companions(snapshot.checkpoint, job.cancel)
        how = source.iterations, source.damping, source.norms
        work = _LayerSolver(snapshot, self._wanted, *how, job)
        for layer in layers:
            followers = _Followers.of(snapshot, layer.entry, layer.outputs, self._pairs)
            self._repairs.append(work.repair(layer, followers, self._file))

    def outcome(self, job: Job) -> Repair:
        """Return the result of all calls of `repair`, with layers in numeric order.

        The edit only has the tensors of changed layers, so that its label counts these. Hashes
        them, and the files of the wanted model; `job` may cancel. Raises `SelectionError` if no
        layer changed.
        """
        repairs = {layer.name: layer for layer in self._repairs}
        values = {
            name: new
            for name, new in self._file.map_values().items()
            if name not in repairs or repairs[name].is_changed
        }
        if not values:
            raise _nothing_changed(self._repairs)
        against = () if self._wanted is None else tuple(_sha256s(self._wanted, job))
        source = structs.replace(self.source, against=against)
        made = RepairedValues.create(self._snapshot, values, source, job)
        changed = [layer for layer in repairs.values() if layer.is_changed]
        proposal = made.propose(self._snapshot, job, detail=repair_detail(changed))
        names = in_numeric_order(tuple(self.pruned))
        in_order = tuple(repairs[name] for name in names if name in repairs)
        unknown = tuple(name for name in names if name not in repairs)
        return Repair(proposal.revision, proposal.edit, in_order, unknown)

    def close(self) -> None:
        """Close the file of values; the result remains valid."""
        self._file.close()


def _is_pruned(snapshot: Snapshot, entry: TensorEntry) -> bool:
    zeroed = snapshot.export_mask(entry.name) if len(entry.shape) > 1 and entry.prunable else None
    return zeroed is not None and 0 < zeroed.pruned < entry.numel


def _only_outputs_pruned(
    snapshot: Snapshot, entry: TensorEntry, pairs: Companions, job: Job
) -> bool:
    """Return whether `PrunedLayer.only_outputs` is true of a pruned weight.

    Reads masks, and the weights of norms. False if it is not certain: for experts, for values that
    were replaced before, and if the first dimension may be that of the inputs.
    """
    kept, outputs = snapshot.export_mask(entry.name), entry.shape[0]
    if kept is None or len(entry.shape) == 3 or snapshot.replaces(entry.name):
        return False
    if kept.pruned % (entry.numel // outputs):
        return False
    dead = ~channels_left(kept, entry.shape, 0, job)
    if kept.pruned != int(dead.sum()) * (entry.numel // outputs):
        return False
    followers = _Followers.of(snapshot, entry, outputs, pairs)
    used = dead & ~followers.unused_outputs(snapshot, outputs)[1]
    if not used.any():
        return True
    if followers.variance is not None:
        return False
    if followers.shift is not None:
        shift = snapshot.export_mask(followers.shift.entry.name)
        return shift is not None and not (used & shift.bools()).any()
    # A bias of another length: the first dimension may be that of the inputs, as in GPT-2.
    return len(entry.shape) == 2 and not _has_bias(snapshot, entry)


def _has_bias(snapshot: Snapshot, weight: TensorEntry) -> bool:
    for name in weight.names:
        with contextlib.suppress(UnknownTensorError):
            snapshot.entry(f"{name.rpartition('.')[0]}.bias")
            return True
    return False


def _nothing_changed(layers: Sequence[LayerRepair]) -> SelectionError:
    """Return the error that no layer changed."""
    if any(layer.before for layer in layers):
        return SelectionError(
            "No layer was changed, because new values would not reduce the errors (for example, "
            "if whole rows are pruned)."
        )
    return SelectionError(
        "There is nothing to repair: the pruned weights are 0 in the unpruned model as well.",
        remedy="If the file was pruned before, repair it against the original.",
    )


def _sha256s(checkpoint: Checkpoint, job: Job) -> Iterator[str]:
    for file in checkpoint.files:
        yield sha256_of(file, Job(cancel=job.cancel))


def repair_detail(repairs: Sequence[LayerRepair]) -> str:
    """Return the number of changed weights, and the layers with the largest remaining errors."""
    lines = {
        r.name: f"{r.name}: error of the outputs {percent(r.before, ERROR_DIGITS)} before, "
        f"{percent(r.rounded, ERROR_DIGITS)} after"
        for r in sorted(repairs, key=lambda repair: -repair.rounded)
    }
    moved = sum(repair.moved for repair in repairs)
    head = f"{counted(moved, 'weight')} changed"
    return format_names(head, lines, lines.__getitem__, n_shown=_MOST_LAYERS)


@dataclass(frozen=True, eq=False)
class _WeightMatrices:
    """A weight as a stack of matrices ``[outputs, inputs]``, one per group or expert."""

    entry: TensorEntry
    inputs: LayerInputs

    @classmethod
    def of(cls, entry: TensorEntry, inputs: LayerInputs) -> _WeightMatrices:
        """Return a weight with its inputs.

        Raises `ParameterError` if their numbers of groups and columns do not fit its shape.
        """
        groups, columns = inputs.groups, inputs.columns
        if fits(entry.shape, groups, columns, transposed=inputs.transposed):
            return cls(entry, inputs)
        many = "a Gram matrix" if groups == 1 else f"{groups:,} Gram matrices"
        raise ParameterError(
            f"The statistics do not fit '{entry.name}': it has the shape {list(entry.shape)}, and "
            f"they have {many} of {columns:,} inputs.",
            remedy="Collect statistics of this model.",
        )

    @property
    def rows(self) -> int:
        """Number of outputs of a group."""
        return self.entry.numel // (self.inputs.groups * self.inputs.columns)

    @property
    def outputs(self) -> int:
        """Number of outputs of all groups."""
        return self.inputs.groups * self.rows

    def work(self, iterations: int) -> int:
        """Return the number of job steps of its solution."""
        inputs = self.inputs
        return inputs.groups * work_of(self.rows, inputs.columns, self.entry.dtype, iterations)

    def matrices(self, flat: NDArray[Any]) -> NDArray[Any]:
        """Return elements in flat order as a stack of matrices, without a copy."""
        groups, columns = self.inputs.groups, self.inputs.columns
        if self.inputs.transposed:
            return flat.reshape(groups, columns, self.rows).swapaxes(1, 2)
        return flat.reshape(groups, self.rows, columns)


@dataclass(frozen=True)
class _Shift:
    """A tensor that shifts a layer's outputs: a bias (sign 1) or a running mean (sign -1)."""

    entry: TensorEntry
    sign: int


@dataclass(frozen=True)
class _Followers:
    """Tensors after the outputs of a layer that are adjusted with it."""

    shift: _Shift | None
    variance: TensorEntry | None  # running variance of a norm
    scale: TensorEntry | None = None  # weight of the norm
    mean: TensorEntry | None = None  # running mean of the norm, if a bias is adjusted

    @classmethod
    def of(
        cls, snapshot: Snapshot, layer: TensorEntry, n_outputs: int, pairs: Companions
    ) -> _Followers:
        """Return the tensors found by the name of a weight.

        The shift is the bias, else the running mean of a following norm, else None.
        """
        companions = {c.part: c for c in pairs.of(layer.name)}
        path = companions["norm"].name.rpartition(".")[0] if "norm" in companions else ""

        def of_norm(leaf: str) -> TensorEntry | None:
            with contextlib.suppress(UnknownTensorError):
                entry = snapshot.entry(f"{path}.{leaf}")
                if path and entry.shape == (n_outputs,) and entry.dtype.form is not None:
                    return entry
            return None

        variance, scale = of_norm("running_var"), of_norm("weight")
        mean = of_norm("running_mean")
        if "bias" in companions:
            return cls(_Shift(snapshot.entry(companions["bias"].name), 1), variance, scale, mean)
        return cls(None if mean is None else _Shift(mean, -1), variance, scale)

    def unused_outputs(self, snapshot: Snapshot, n_outputs: int) -> tuple[Bools, Bools]:
        """Return which outputs the norm multiplies by 0: in the file, and in the state.

        Such outputs have no effect in the model, whatever the running statistics are.
        """
        if self.scale is None:
            return np.zeros(n_outputs, np.bool_), np.zeros(n_outputs, np.bool_)
        scale = _Tensor.read(snapshot, None, self.scale)
        return scale.wanted == 0, scale.present == 0


# Elements compared per thread task.
_TOGETHER = 1 << 19


@dataclass(frozen=True, eq=False)
class _Tensor:
    """A tensor of the state, with its values in the wanted model."""

    bits: Bits  # without zeros of masks
    present: Floats  # 0 where pruned; solutions are written into it
    wanted: Floats
    free: Bools

    @classmethod
    def read(cls, snapshot: Snapshot, wanted: Checkpoint | None, entry: TensorEntry) -> _Tensor:
        """Read a tensor of the state, and the same of `wanted`, or of the file if that is None.

        Raises `ParameterError` if the latter has another shape or no floats, and
        `UnknownTensorError` if it has no such tensor.
        """
        source = snapshot.checkpoint if wanted is None else wanted
        theirs = source.entry(entry.name)
        if theirs.shape != entry.shape or theirs.dtype.form is None:
            raise ParameterError(
                f"'{source.path.name}' has '{entry.name}' in the shape {list(theirs.shape)} and "
                f"type {theirs.dtype.label}; it must be floats of the shape {list(entry.shape)}.",
                remedy="Specify the model that was pruned.",
            )
        bits, zeroed = snapshot.bits_under(entry.name), snapshot.export_mask(entry.name)
        protected = snapshot.protected.get(entry.name)
        free = np.ones(bits.size, np.bool_) if zeroed is None else zeroed.bools()
        present = np.where(free, decode(bits, entry.dtype), np.float32(0))
        if protected is not None:
            free = free & ~protected.bools()
        is_same = wanted is None and not snapshot.replaces(entry.name)
        their_bits = bits if is_same else source.bits(entry.name)
        return cls(bits, present, decode(their_bits, theirs.dtype), free)

    def without_outputs(self, layer: _WeightMatrices, unwanted: Bools, unused: Bools) -> _Tensor:
        """Return the weights of `layer` with the wanted and present weights of some outputs 0.

        Weights of the `unused` outputs may not change.
        """
        if not unused.any():
            return self
        wanted, present, free = self.wanted.copy(), self.present.copy(), self.free.copy()
        for side, rows in ((wanted, unwanted & unused), (present, unused), (free, unused)):
            layer.matrices(side)[rows.reshape(layer.inputs.groups, layer.rows)] = 0
        return replace(self, wanted=wanted, present=present, free=free)

    def with_values(self, values: Floats, dtype: DType) -> tuple[Bits, int]:
        """Return the raw elements with new values rounded to `dtype`, and how many changed.

        Only free elements change, and none that is NaN. A changed value of 0 is stored as -0.0 if
        the type has it, because +0.0 would count as pruned.
        """
        assert dtype.form is not None
        form, result = dtype.form, np.empty_like(self.bits)

        def work(start: int) -> int:
            """Write the new bits of the stretch from `start`; return how many values changed."""
            part = slice(start, start + _TOGETHER)
            now = decode(self.bits[part], dtype)
            moved = self.free[part] & (values[part] != now) & ~np.isnan(now)
            bits = encode(values[part], dtype)
            if not form.fnuz:
                bits[moved & (bits == 0)] = form.magnitude_mask + 1
            np.copyto(bits, self.bits[part], where=~moved)
            result[part] = bits
            return int(np.count_nonzero(moved))

        starts = range(0, result.size, _TOGETHER)
        count = sum(map_in_order(starts, work, Job(), threads_for(result.size)))
        return result, count


@dataclass(frozen=True)
class _LayerSolver:
    """Repairs layers; has the common parameters."""

    snapshot: Snapshot
    wanted: Checkpoint | None
    iterations: int
    damping: float
    norms: bool  # whether running variances are scaled
    job: Job

    def repair(
        self, layer: _WeightMatrices, followers: _Followers, values: ValuesFile
    ) -> LayerRepair:
        """Repair one layer, and add its new values, and those of changed followers, to the file.

        The values of the layer are added even if none changed. Raises `ParameterError` if the
        statistics or the wanted model do not fit, `HistoryError` if the disk is full.
        """
        entry, job, shift = layer.entry, self.job, followers.shift
        job.label(entry.name)
        tensor = _Tensor.read(self.snapshot, self.wanted, entry)
        job.step(0)
        unwanted, unused = followers.unused_outputs(self.snapshot, layer.outputs)
        tensor = tensor.without_outputs(layer, unwanted, unused)
        vector = None if shift is None else _Tensor.read(self.snapshot, self.wanted, shift.entry)
        if vector is not None:
            vector = replace(vector, free=vector.free & ~unused)
        errors = Errors()
        biases: list[Float64s] = []
        outputs: list[Outputs | None] = []  # of each group
        for group in range(layer.inputs.groups):
            wanted, present, free = (
                layer.matrices(side)[group] for side in (tensor.wanted, tensor.present, tensor.free)
            )
            weights, bias = Unknowns(wanted, present, free, entry.dtype), None
            if shift is not None and vector is not None:
                rows = slice(group * layer.rows, (group + 1) * layer.rows)
                wanted, present = (shift.sign * s[rows] for s in (vector.wanted, vector.present))
                bias = Unknowns(wanted, present, vector.free[rows], shift.entry.dtype)
            spread = followers.variance is not None
            solution = self._solve(weights, bias, layer, group, spread=spread)
            errors += solution.errors
            outputs.append(solution.outputs)
            if shift is not None and solution.bias is not None:
                biases.append(shift.sign * solution.bias)
        bits, moved = tensor.with_values(tensor.present, entry.dtype)
        values.add(entry.name, bits, job)
        with_bias = ""
        shifts: Float64s = np.zeros((3, layer.outputs))  # wanted, before and after
        if shift is not None and vector is not None:
            together: Float64s = np.concatenate(biases)
            shifts[:] = vector.wanted, vector.present, together
            shifts *= shift.sign
            bits, others = vector.with_values(together, shift.entry.dtype)
            if others:
                values.add(shift.entry.name, bits, job)
                with_bias = shift.entry.name
        variance = ""
        known = [each for each in outputs if each is not None]
        if followers.variance is not None and len(known) == len(outputs):
            entry_of_norm, used = followers.variance, ~unused
            changed, variances = self._scale(entry_of_norm, known, used, values)
            variance = entry_of_norm.name if changed else ""
            means: Float64s = np.zeros((3, layer.outputs))
            if followers.mean is not None:
                mean = _Tensor.read(self.snapshot, self.wanted, followers.mean)
                means[:] = mean.wanted, mean.present, mean.present
            errors += _errors_by_norm(known, shifts, means, variances, used)
        zeroed = self.snapshot.export_mask(entry.name)
        return LayerRepair(
            entry.name,
            moved,
            entry.numel if zeroed is None else zeroed.kept,
            errors.relative(errors.before),
            errors.relative(errors.after),
            errors.relative(errors.rounded),
            with_bias,
            entry.numel,
            variance,
            entry.dtype.bits < 32,
        )

    def _scale(
        self, entry: TensorEntry, outputs: Sequence[Outputs], used: Bools, values: ValuesFile
    ) -> tuple[bool, Float64s]:
        """Scale the running variance of a norm by the change of its layer's output variance.

        `outputs` are those of each group; only the variances of `used` ones are scaled, and none
        unless the settings say so. Adds the tensor to `values` if an element changes. Returns
        whether one does, and ``float64[3, outputs]``: the variances wanted, before and after.
        """
        variance = _Tensor.read(self.snapshot, self.wanted, entry)
        variance = replace(variance, free=variance.free & (used & self.norms))
        before = np.concatenate([each.wanted[1] for each in outputs])
        after = np.concatenate([each.after[1] for each in outputs])
        usual = variance.wanted.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = (after + _UNSEEN * usual) / (before + _UNSEEN * usual)
            changed = np.where(np.isfinite(ratio) & (ratio > 0), usual * ratio, variance.present)
        bits, others = variance.with_values(changed, entry.dtype)
        if others:
            values.add(entry.name, bits, self.job)
        found = decode(bits, entry.dtype)
        return others > 0, np.stack([usual, variance.present, found]).astype(np.float64)

    def _solve(
        self,
        weights: Unknowns,
        bias: Unknowns | None,
        layer: _WeightMatrices,
        group: int,
        *,
        spread: bool,
    ) -> Solution:
        """Solve a group of a layer; the solution is written into the arrays of `weights`.

        Raises `ParameterError` if the moments do not fit.
        """
        try:
            return layer.inputs.solver(group).solve(
                weights,
                bias,
                spread=spread,
                iterations=self.iterations,
                damping=self.damping,
                job=self.job,
                out=weights.present,
            )
        except ValueError as error:
            raise ParameterError(
                f"The statistics do not fit '{layer.entry.name}': {error}.",
                remedy="Collect statistics of this model.",
            ) from None


def _errors_by_norm(
    outputs: Sequence[Outputs], shifts: Float64s, means: Float64s, variances: Float64s, used: Bools
) -> Errors:
    """Return how much a norm with changed running statistics adds to the errors of outputs.

    The errors are sums of squared differences ``y - z`` from the wanted outputs z. Behind the norm,
    in units of z, they are ``r (y - m_y) - (z - m_z)``, where m are running means and r is the
    quotient of the scales. Its variance follows from those of y, z and ``z - y``.

    Parameters
    ----------
    outputs
        The outputs of each group, without `shifts`.
    shifts, means, variances
        ``float64[3, outputs]``, wanted, before and after: what is added to the outputs, and the
        running statistics of the norm. The errors contain the shifts already.
    used
        Outputs that count. Those that are not finite do not count either.
    """
    counts = np.concatenate([np.full(each.wanted.shape[1], each.count) for each in outputs])
    usual, *found = (
        np.concatenate([getattr(each, side) for each in outputs], axis=1)
        for side in ("wanted", "before", "after")
    )
    added = []
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.sqrt((variances[0] + _EPSILON) / (variances + _EPSILON))
        for at, (mean, variance, error) in enumerate(found, 1):
            r, off = ratios[at], mean + shifts[at] - (usual[0] + shifts[0])
            behind = r * (mean + shifts[at] - means[at]) - (usual[0] + shifts[0] - means[0])
            covariance = (usual[1] + error - variance) / 2  # of z and z - y
            more = (r - 1) ** 2 * usual[1] - 2 * r * (r - 1) * covariance + (r**2 - 1) * error
            more = counts * np.maximum(more + behind**2 - off**2, -(error + off**2))
            added.append(float(more[used & np.isfinite(more)].sum()))
    before, after = added
    return Errors(0.0, before, after, after)
