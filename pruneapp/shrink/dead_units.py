"""Find the units of a state that contribute nothing to the output of the model.

A unit is dead if all of its outgoing weights are 0, or if its value is always 0: one of its factors
has no weights, and its bias after the activation is 0. If all of its factors have no weights but
some bias is not 0, its value is the constant ``act(bias)`` for every input. Removing such a unit
changes the output (by 1.4 in a small BERT), unless ``act(bias) @ weight`` is added to the next bias
(then by 6e-8).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.export.records import CHUNK_BYTES, State
from pruneapp.groups.group import Group, Member, Units
from pruneapp.kernels.threads import default_threads, map_in_order
from pruneapp.kernels.values import Bools, Float64s, decode
from pruneapp.progress import Job

_T = TypeVar("_T", bound=np.generic)

# Number of elements processed at a time, rounded to whole periods of a dimension where they fit.
_PIECE = 1 << 20


@dataclass(frozen=True, eq=False)
class UnitState:
    """Alive and dead units of a group.

    Attributes
    ----------
    alive
        bool per unit: whether it contributes something that depends on the input.
    constants
        float64 of shape (units, entries of a unit in a factor): values of units that are dead
        because they are constant, 0 for others. None if all are 0.
    """

    alive: Bools
    constants: NDArray[np.float64] | None = None

    def without(self, pruned_units: Units) -> UnitState:
        """Return the state if the given units are pruned in all their tensors, biases included."""
        alive = self.alive.copy()
        alive[pruned_units] = False
        constants = None if self.constants is None else self.constants.copy()
        if constants is not None:
            constants[pruned_units] = 0.0
        return UnitState(alive, constants)


def find_unit_states(state: State, groups: Iterable[Group], job: Job) -> list[UnitState]:
    """Return the `UnitState` of each group, in order.

    Reads each tensor that decides about a unit once, in several threads, and advances `job` by its
    elements (see `work_amount`), which the caller has started or extended.
    """
    group_list = list(groups)
    silent_job = Job(cancel=job.cancel)  # does not report progress: the threads share it
    found = []
    results = map_in_order(
        group_list, lambda each: _units_of(state, each, silent_job), job, default_threads()
    )
    for group, units in zip(group_list, results, strict=True):
        job.step(work_amount(state, (group,)), group.place)
        found.append(units)
    return found


def work_amount(state: State, groups: Iterable[Group]) -> int:
    """Return the number of elements by which `find_unit_states` advances its job."""
    entries = state.checkpoint.entries
    return sum(
        entries[member.name].numel
        for group in groups
        for member in group.members
        if member.role != "along"
    )


def nonzero_entries(state: State, entry: TensorEntry, dim: int, job: Job) -> Bools:
    """Return a mask of the indices along `dim` at which any written element is not 0.

    NaN counts, -0 does not. O(n) in the number of elements, read in pieces. A fully pruned tensor
    is not read. Advances `job` by the number of elements.
    """
    n = entry.shape[dim]
    mask = state.export_mask(entry.name)
    if mask is not None and not mask.kept:
        job.step(entry.numel)
        return np.zeros(n, np.bool_)
    inner = int(np.prod(entry.shape[dim + 1 :], dtype=np.int64))
    period = n * inner
    found = np.zeros(n, f"u{np.dtype(entry.dtype.storage).itemsize}")
    size = _PIECE // period * period if period <= _PIECE else _PIECE
    for chunk in state.chunks(entry.name, size=max(size, 1)):
        bits = chunk.bits
        if mask is not None:
            mask.zero(bits, chunk.start)
        if period <= _PIECE:
            found |= np.bitwise_or.reduce(bits.reshape(-1, n, inner), axis=(0, 2))
        else:
            _accumulate(found, bits, chunk.start, n, inner)
        job.step(bits.size)
    sign = found.dtype.type(1 << (found.itemsize * 8 - 1))
    some: Bools = (found & ~sign) != 0
    return some


def is_zero(state: State, entry: TensorEntry, job: Job) -> bool:
    """Return whether all written elements of a tensor are 0 or -0.

    Reads until the first other one, and nothing of a fully pruned tensor.
    """
    mask = state.export_mask(entry.name)
    if mask is not None and not mask.kept:
        return True
    for chunk in state.chunks(entry.name, size=CHUNK_BYTES):
        job.cancel.check()
        if mask is not None:
            mask.zero(chunk.bits, chunk.start)
        if np.any(chunk.bits << 1):  # shifts out the sign bit
            return False
    return True


def _accumulate(found: NDArray[Any], bits: NDArray[Any], start: int, n: int, inner: int) -> None:
    """OR `bits`, which start at element `start` and cover no whole periods, into `found`.

    A period is `n` indices of a dimension, each with `inner` contiguous elements. `found` has one
    number per index.
    """
    at = 0
    while at < bits.size:
        flat = start + at
        index = flat // inner % n
        lead = flat % inner
        if lead or inner > bits.size - at:  # a part of one run
            stop = min(at + inner - lead, bits.size)
            found[index] |= np.bitwise_or.reduce(bits[at:stop])
            at = stop
            continue
        runs = min((bits.size - at) // inner, n - index)
        block = bits[at : at + runs * inner].reshape(runs, inner)
        found[index : index + runs] |= np.bitwise_or.reduce(block, axis=1)
        at += runs * inner


def _units_of(state: State, group: Group, job: Job) -> UnitState:
    """Return which units of a group are alive, and the constants of those that are not.

    A unit is alive if something uses its output and its value varies, or is a constant that is not
    known. Groups without outputs count as used.
    """
    entries = state.checkpoint.entries
    has_output = np.zeros(group.count, np.bool_)  # whether anything uses the output of a unit
    modules: dict[str, list[Member]] = {}
    for member in group.members:
        job.label(member.name)
        if member.role == "output":
            has_output |= rows_by_unit(
                group, member, nonzero_entries(state, entries[member.name], member.dim, job)
            ).any(axis=1)
        elif member.role == "factor":
            modules.setdefault(member.stem, []).append(member)
    if not any(member.role == "output" for member in group.members):
        has_output[:] = True
    varies = np.zeros(group.count, np.bool_)  # whether the value of a unit depends on the input
    vanishes = np.zeros(group.count, np.bool_)  # whether the value of a unit is always 0
    constants: NDArray[np.float64] | None = None
    for members in modules.values():
        for depends, value in _factors(state, group, members, job):
            unknown = np.isnan(value).any(axis=1)
            varies |= depends | unknown
            vanishes |= ~depends & (value == 0).all(axis=1)
            if constants is None or constants.shape == value.shape:
                constants = value if constants is None else constants * value
            else:
                constants[:] = np.nan
    if constants is None:
        return UnitState(has_output)
    constant = has_output & ~varies & ~vanishes
    known = ~np.isnan(constants).any(axis=1)
    alive = has_output & ~vanishes & ~(constant & known)
    constants = np.where((constant & known)[:, None], constants, 0.0)
    return UnitState(alive, constants if constants.any() else None)


def _factors(
    state: State, group: Group, members: Sequence[Member], job: Job
) -> Iterator[tuple[Bools, NDArray[np.float64]]]:
    """Yield for each factor of a module which units depend on the input, and the constants of all.

    `members` are the weight and the bias of the module. Constants are float64 of shape (units,
    entries of a unit), NaN where unknown.
    """
    entries = state.checkpoint.entries
    weight = max(members, key=lambda member: len(entries[member.name].shape))
    bias = next((member for member in members if member is not weight), None)
    nonzero = rows_by_unit(
        group, weight, nonzero_entries(state, entries[weight.name], weight.dim, job)
    )
    shift = np.zeros(nonzero.shape)
    if bias is not None and len(entries[bias.name].shape) == 1:
        shift = rows_by_unit(group, bias, read_values(state, entries[bias.name]))
        job.step(entries[bias.name].numel)
    elif bias is not None:  # biases of several experts: 0 for all of them, or unknown
        bias_nonzero = nonzero_entries(state, entries[bias.name], bias.dim, job)
        shift = np.where(rows_by_unit(group, bias, bias_nonzero), np.nan, 0.0)
    for factor in weight.factors:
        part = slice(factor.start, factor.stop)
        depends: Bools = np.any(nonzero[:, part], axis=1)
        yield depends, apply_activation(factor.activation, shift[:, part])


def rows_by_unit(group: Group, member: Member, values: NDArray[_T]) -> NDArray[_T]:
    """Return one row per unit: its entries along the dimension of the member, in order."""
    units = member.layout.units(group.count)
    inside = np.flatnonzero(units >= 0)
    order = inside[np.argsort(units[inside], kind="stable")]
    return values[order].reshape(group.count, -1)


def read_values(state: State, entry: TensorEntry) -> NDArray[np.float64]:
    """Return all elements of a small tensor as a flat float64 array, with pruned weights as 0."""
    mask = state.export_mask(entry.name)
    parts = [np.zeros(0)]
    for chunk in state.chunks(entry.name, size=CHUNK_BYTES):
        if mask is not None:
            mask.zero(chunk.bits, chunk.start)
        parts.append(decode(chunk.bits, entry.dtype).astype(np.float64))
    return np.concatenate(parts)


def can_absorb_constants(state: State, group: Group) -> bool:
    """Return whether the constants of the units can be added to a bias.

    That requires a single output, which is a matrix with a bias.
    """
    return _output_of(state, group) is not None


def fold(
    state: State, group: Group, constants: NDArray[np.float64], removed: Units, job: Job
) -> tuple[str, NDArray[np.float64]] | None:
    """Compute what the bias after the group gains when units that emit constants are removed.

    Reads the weights of the output matrix once; changes nothing.

    Parameters
    ----------
    constants
        Shape (units of the group, entries of a unit); see `UnitState`.
    removed
        Indices of the units whose constants are added to the bias.

    Returns
    -------
    tuple or None
        Name of the bias, and the values to add to it. None if there is nothing to add, or no bias
        can absorb it.
    """
    found = _output_of(state, group)
    if found is None or not constants[removed].any():
        return None
    member, bias = found
    entry = state.checkpoint.entries[member.name]
    columns = entry.shape[1]
    indices = np.arange(entry.shape[member.dim])
    removed_entries = rows_by_unit(group, member, indices)[removed]  # per removed unit
    removed_constants = constants[removed]
    vector = np.zeros(entry.shape[member.dim])
    vector[removed_entries] = np.tile(
        removed_constants, (1, removed_entries.shape[1] // removed_constants.shape[1])
    )
    total = np.zeros(bias.numel)
    size = max(_PIECE // max(columns, 1), 1) * columns
    mask = state.export_mask(entry.name)
    for chunk in state.chunks(entry.name, size=size):
        if mask is not None:
            mask.zero(chunk.bits, chunk.start)
        block = decode(chunk.bits, entry.dtype).reshape(-1, columns).astype(np.float64)
        first = chunk.start // columns
        if member.dim:
            total[first : first + len(block)] = block @ vector
        else:
            total += vector[first : first + len(block)] @ block
        job.step(chunk.bits.size)
    return bias.name, total


def _output_of(state: State, group: Group) -> tuple[Member, TensorEntry] | None:
    """Return the only output matrix of a group and its bias; None if it lacks either."""
    entries = state.checkpoint.entries
    outputs = [member for member in group.members if member.role == "output"]
    if len(outputs) != 1:
        return None
    (member,) = outputs
    entry, bias = entries[member.name], entries.get(f"{member.stem}.bias")
    if bias is None or len(entry.shape) != 2 or bias.shape != (entry.shape[1 - member.dim],):
        return None
    return (member, bias) if bias.dtype.one is not None else None


# Activation about which only f(0) = 0 is known.
ZERO_AT_ZERO = "0"


def apply_activation(activation: str, values: Float64s) -> Float64s:
    """Return the activation of `values`, NaN where it is unknown.

    "" is the identity, `ZERO_AT_ZERO` only known at 0, and an unknown name nowhere. In float64, by
    the formulas of ``transformers/activations.py`` and of torch.
    """
    if not activation:
        return values
    if activation == ZERO_AT_ZERO:
        return np.where(values == 0, 0.0, np.nan)
    function = _FUNCTIONS.get(activation)
    return np.full(values.shape, np.nan) if function is None else function(values)


def _sigmoid(x: Float64s) -> Float64s:
    with np.errstate(over="ignore"):
        return np.asarray(1.0 / (1.0 + np.exp(-x)))


def _gelu(x: Float64s) -> Float64s:
    erf = np.array([math.erf(each) for each in (x / math.sqrt(2.0)).flat]).reshape(x.shape)
    return np.asarray(0.5 * x * (1.0 + erf))


def _gelu_tanh(x: Float64s) -> Float64s:
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def _relu(x: Float64s) -> Float64s:
    return np.maximum(x, 0.0)


_FUNCTIONS: Mapping[str, Callable[[Float64s], Float64s]] = MappingProxyType(
    {
        "linear": lambda x: x,
        "relu": _relu,
        "relu2": lambda x: _relu(x) ** 2,
        "relu6": lambda x: np.clip(x, 0.0, 6.0),
        "sigmoid": _sigmoid,
        "tanh": np.tanh,
        "silu": lambda x: x * _sigmoid(x),
        "swish": lambda x: x * _sigmoid(x),
        "quick_gelu": lambda x: x * _sigmoid(1.702 * x),
        "gelu": _gelu,
        "gelu_python": _gelu,
        "gelu_new": _gelu_tanh,
        "gelu_fast": _gelu_tanh,
        "gelu_pytorch_tanh": _gelu_tanh,
    }
)
