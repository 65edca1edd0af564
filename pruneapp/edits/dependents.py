"""What depends on whole channels: the other tensors of the groups that these are units of.

A step may take it along (`Step.dependents`). After its rows were pruned, of each of their tensors
the units are looked for that have nothing left there along the dimension of the row, whether this
step or one before pruned it; they are pruned in all other members of their groups, biases and norms
among them, as the methods on units do. A unit may be a range of entries, a head for one: only the
whole of it takes the rest along. What norms have measured stays, as it does in
`pruneapp.edits.coupled_tensors`.

Experts, layers and tokens are left out: a router whose row is 0 still chooses its expert.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.selection import Rows, coupling_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step, dim_of, takes_channels
from pruneapp.errors import ParameterError, SelectionError, counted
from pruneapp.groups.family import AxisName
from pruneapp.groups.group import Group, Units
from pruneapp.groups.structure import Unknown, structure_of
from pruneapp.kernels.values import Bools
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import channels_left
from pruneapp.methods.coupled_units import Going, View, masks_without
from pruneapp.methods.method import TensorView
from pruneapp.progress import Job

_AXES: tuple[AxisName, ...] = ("ffn", "kv-groups", "query-heads", "channels")
_UNITS_LEFT_OUT: Mapping[AxisName, str] = {"vocabulary": "tokens", "experts": "experts"}
_MOST_NAMED = 3


class TensorDim(NamedTuple):
    """A tensor, by its first name, and one of its dimensions, from 0."""

    name: str
    dim: int


@dataclass(frozen=True)
class Dependents:
    """What depends on the channels of some tensors.

    Attributes
    ----------
    groups
        Those that each of the tensors has a part in along its dimension. Their members are those
        that can be pruned.
    unknown
        The tensors of which nothing is known to depend.
    why_not
        Why that is, as a sentence; empty if there are none.
    """

    groups: Mapping[TensorDim, tuple[Group, ...]]
    unknown: tuple[TensorDim, ...] = ()
    why_not: str = ""

    def following(self) -> tuple[TensorDim, ...]:
        """Return what is pruned as well where units go; of a group what is larger comes first."""
        found: dict[TensorDim, None] = {}
        for source, groups in self.groups.items():
            for group in groups:
                members = (TensorDim(member.name, member.dim) for member in group.members)
                found.update(dict.fromkeys(along for along in members if along != source))
        return tuple(found)

    def sentence(self, checkpoint: Checkpoint) -> str:
        """Say which tensors are pruned as well, the first of them by name."""
        following = self.following()
        names = dict.fromkeys(along.name for along in following)
        if not names:
            return "No other tensor is pruned with these."
        said = ", ".join(_words(checkpoint, along) for along in following[:_MOST_NAMED])
        more = ", …" if len(following) > _MOST_NAMED else "."
        return f"Also prunes {counted(len(names), 'tensor')}: {said}{more}"


def dependents_of(checkpoint: Checkpoint, rows: Rows, job: Job) -> Dependents:
    """Return what depends on what some rows prune.

    The graph of a model is read for it once, which may take a second: never in the main thread.
    """
    groups: dict[TensorDim, tuple[Group, ...]] = {}
    unknown: dict[TensorDim, None] = {}
    known: dict[int, Group] = {}
    for source in _sources(checkpoint, rows):
        job.step(0)
        found = {
            id(group): known.setdefault(id(group), _prunable(checkpoint, group))
            for axis in _AXES
            for group in coupling_of(checkpoint, axis, source.name)
            if any(member.dim == source.dim for member in group.member_of.get(source.name, ()))
        }
        if found:
            groups[source] = tuple(found.values())
        else:
            unknown[source] = None
    why_not = _why_not(checkpoint, next(iter(unknown))) if unknown else ""
    return Dependents(groups, tuple(unknown), why_not)


def known_dependents(checkpoint: Checkpoint, step: Step, rows: Rows, job: Job) -> Dependents:
    """Return what depends on what a step prunes.

    Raises
    ------
    SelectionError
        If of none of its tensors anything is known to depend.
    ParameterError
        If one of them is pruned with others so that a limit of the step could not be kept.
    """
    found = dependents_of(checkpoint, rows, job)
    if not found.groups:
        raise SelectionError(
            found.why_not, remedy="Choose other tensors, or prune without their dependents."
        )
    if step.limits.total is not None or step.limits.ceiling < 1:
        selected = set(chain.from_iterable(names for _, names in rows))
        both = next((along.name for along in found.following() if along.name in selected), None)
        if both is not None:
            raise ParameterError(
                f"'{both}' is selected and also depends on a selected tensor, so that more of it "
                f"may be pruned than the limits allow ({', '.join(step.limits.words())}).",
                remedy="Select one tensor of each group, or remove the limits.",
            )
    return found


def prune_dependents(
    state: Snapshot, dependents: Dependents, job: Job
) -> tuple[dict[str, BitMask], dict[str, BitMask]]:
    """Prune what depends on the channels that are pruned in a state; no weight is read.

    Returns the masks that changed, and what stays in their tensors because it is protected, both by
    first names. `state` is the one after the channels were pruned.
    """

    def left_of(source: TensorDim) -> Bools:
        job.label(source.name)
        shape = state.checkpoint.entries[source.name].shape
        return channels_left(state.masks.get(source.name), shape, source.dim, job)

    def view_of(name: str) -> TensorView:
        return replace(state.view(name), protected=None)  # it is counted below what stays by it

    going = dependent_units(dependents, left_of, view_of)
    masks: dict[str, BitMask] = {}
    spared: dict[str, BitMask] = {}
    for name, mask in masks_without(going, job).items():
        kept, protected = state.masks.get(name), state.protected.get(name)
        before, after = BitMask.full(mask.size) if kept is None else kept, mask
        if protected is not None:
            stays = (before & protected) - mask
            if stays.kept:
                spared[name], after = stays, mask | stays
        if after.kept < before.kept:
            masks[name] = after
    return masks, spared


def dependent_units(
    dependents: Dependents, left_of: Callable[[TensorDim], Bools], view_of: View
) -> Going:
    """Return the units of groups that go, for `masks_without`.

    `left_of` says of the entries of a tensor along a dimension whether anything is kept of them.
    """
    gone: dict[int, tuple[Group, Bools]] = {}
    for source, groups in dependents.groups.items():
        left = left_of(source)
        for group in groups:
            units = units_without(group, source, left)
            also = gone.get(id(group))
            gone[id(group)] = group, units if also is None else units | also[1]
    return [(group, view_of, np.flatnonzero(units)) for group, units in gone.values()]


def units_without(group: Group, source: TensorDim, left: Bools) -> Bools:
    """Say of each unit of a group whether all that it has in a tensor, and that is some, is gone.

    `left` says of the entries along the dimension whether anything is kept of them.
    """
    has, stays = np.zeros((2, group.count), np.bool_)
    for member in group.member_of[source.name]:
        if member.dim == source.dim:
            units: Units = member.layout.units(group.count).astype(np.int64)
            has[units[units >= 0]] = True
            stays[units[(units >= 0) & left]] = True
    return has & ~stays


def _sources(checkpoint: Checkpoint, rows: Rows) -> Iterator[TensorDim]:
    """Yield the tensors that rows prune whole channels of, along which dimension."""
    for row, names in rows:
        for name in names if takes_channels(row) else ():
            yield TensorDim(name, dim_of(row, checkpoint.entries[name].shape, name))


def _prunable(checkpoint: Checkpoint, group: Group) -> Group:
    """Return a group without the members that cannot be pruned; larger tensors first."""
    entries = checkpoint.entries
    members = [member for member in group.members if entries[member.name].prunable]
    members.sort(key=lambda member: len(entries[member.name].shape) < 2)
    return replace(group, members=tuple(members))


def _words(checkpoint: Checkpoint, along: TensorDim) -> str:
    dims = len(checkpoint.entries[along.name].shape)
    if dims < 2:
        return along.name
    words = ("rows", "columns") if dims == 2 else ("output channels", "input channels")
    return f"{along.name} ({words[along.dim] if along.dim < 2 else f'dim {along.dim}'})"


def _why_not(checkpoint: Checkpoint, source: TensorDim) -> str:
    """Say why nothing is pruned with the channels of a tensor."""
    structure = structure_of(checkpoint)
    if isinstance(structure, Unknown):
        return structure.why_not
    for name, units in _UNITS_LEFT_OUT.items():
        for group in coupling_of(checkpoint, name, source.name):
            if any(member.dim == source.dim for member in group.member_of.get(source.name, ())):
                others = (member.name for member in group.members if member.name != source.name)
                like = next((f", as in '{other}'" for other in others), "")
                return (
                    f"Dim {source.dim} of '{source.name}' is that of the {units}{like}. Only a "
                    f"shrunk export cuts {units} out of all tensors."
                )
    kinds = ("outputs", "inputs")[: len(checkpoint.entries[source.name].shape)]
    are = f": its {kinds[source.dim]} are not neurons, heads or channels of a group"
    return (
        f"No other tensor is known to depend on dim {source.dim} of '{source.name}'"
        f"{are if len(kinds) > 1 and source.dim < 2 else ''}."
    )
