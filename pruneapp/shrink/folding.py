"""Constants of units that go, put into the next bias.

A row of zeros leaves its bias: the unit says ``act(bias)`` whatever the input is. Without it the
outputs move, by 1.4 in a small BERT; with ``act(bias) @ weight`` added to the next bias they do
not (6e-8).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.export.records import State
from pruneapp.groups.group import Group, Member, Units
from pruneapp.kernels.values import decode
from pruneapp.progress import Job
from pruneapp.shrink.dead_units import by_unit, values_of

# Elements of a weight that are looked at together.
_PIECE = 1 << 20


def takes_constants(state: State, group: Group) -> bool:
    """Whether the constants of a group's units can go into a bias: of its one output, a matrix."""
    return _output_of(state, group) is not None


def fold(
    state: State, group: Group, constants: NDArray[np.float64], removed: Units, job: Job
) -> tuple[str, NDArray[np.float64]] | None:
    """Return the name of the next bias, and what is to be added to it; None for nothing.

    `constants` is a row for each unit of the group; those of `removed` are folded. Reads the
    weights of the output once.
    """
    found = _output_of(state, group)
    if found is None or not constants[removed].any():
        return None
    member, bias = found
    entry = state.checkpoint.entries[member.name]
    rows, columns = entry.shape
    along = np.arange(entry.shape[member.dim])
    entries = by_unit(group, member, along)[removed]  # of each unit that goes
    each = constants[removed]
    vector = np.zeros(entry.shape[member.dim])
    vector[entries] = np.tile(each, (1, entries.shape[1] // each.shape[1]))
    total = np.zeros(bias.numel)
    size = max(_PIECE // max(columns, 1), 1) * columns
    mask = state.zeroed(entry.name)
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
    assert rows * columns == entry.numel
    return bias.name, total


def bias_values(state: State, name: str) -> NDArray[np.float64]:
    """Return a bias as it would be written, in float64."""
    return values_of(state, state.checkpoint.entries[name])


def _output_of(state: State, group: Group) -> tuple[Member, TensorEntry] | None:
    """Return the one output of a group, a matrix, and the bias beside it."""
    entries = state.checkpoint.entries
    outputs = [member for member in group.members if member.role == "output"]
    if len(outputs) != 1:
        return None
    (member,) = outputs
    entry, bias = entries[member.name], entries.get(f"{member.stem}.bias")
    if bias is None or len(entry.shape) != 2 or bias.shape != (entry.shape[1 - member.dim],):
        return None
    return (member, bias) if bias.dtype.one is not None else None
