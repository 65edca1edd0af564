"""Dependents of channels: entries in other tensors of the groups whose units the channels are.

A step can prune dependents (`Step.dependents`). After its rows are pruned, the units are determined
that have no kept weight in the row's tensors along its dimension, whether pruned by this step or
before. These units are pruned in all other members of their groups, including biases and norms, as
methods on units do. A unit may comprise several entries, as an attention head does; only if all of
them are pruned, so are its dependents. Running statistics of norms are unchanged, as in
`pruneapp.edits.coupled_tensors`.

Experts, layers and tokens are not handled: a router still selects an expert whose row is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.layer_order import last_layer_of
from pruneapp.document.selection import Rows, coupling_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step, dim_of, takes_channels
from pruneapp.errors import ParameterError, SelectionError, counted
from pruneapp.groups.channel_numbers import IS_GRAPH_OUTPUT, IS_MODEL_OUTPUT
from pruneapp.groups.family import AxisName
from pruneapp.groups.group import Group, Units
from pruneapp.groups.structure import Structure, Unknown, structure_of
from pruneapp.kernels.values import Bools
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import channels_left
from pruneapp.methods.coupled_units import UnitsToPrune, View, masks_without
from pruneapp.methods.method import TensorView
from pruneapp.progress import Job

_AXES: tuple[AxisName, ...] = ("ffn", "kv-groups", "query-heads", "channels")
_UNITS_LEFT_OUT: Mapping[AxisName, str] = {"vocabulary": "tokens", "experts": "experts"}
_MOST_NAMED = 3


class TensorDim(NamedTuple):
    """A tensor, by its first name, and a non-negative dimension."""

    name: str
    dim: int


@dataclass(frozen=True)
class Dependents:
    """The groups that depend on the channels of some tensors.

    Attributes
    ----------
    groups
        For each tensor and dimension, the groups that it is a member of, without members that
        cannot be pruned.
    unknown
        The tensors without known dependents, other than `outputs`.
    outputs
        The tensors whose channels are outputs of the model, so that nothing depends on them.
    why_not
        A sentence on why the first of `unknown`, or else of `outputs`, has none; empty if there is
        neither.
    """

    groups: Mapping[TensorDim, tuple[Group, ...]]
    unknown: tuple[TensorDim, ...] = ()
    outputs: tuple[TensorDim, ...] = ()
    why_not: str = ""

    def dependent_dims(self) -> tuple[TensorDim, ...]:
        """Return the dimensions that depend on the channels, each once.

        Matrices come before vectors within each group. Tensors of `groups` are included if they
        depend on others of them.
        """
        found: dict[TensorDim, None] = {}
        for source, groups in self.groups.items():
            for group in groups:
                members = (TensorDim(member.name, member.dim) for member in group.members)
                found.update(dict.fromkeys(along for along in members if along != source))
        return tuple(found)

    def sentence(self, checkpoint: Checkpoint) -> str:
        """Return a sentence for the user: how many tensors are also pruned, and the first three.

        Another sentence if there are none.
        """
        following = self.dependent_dims()
        names = dict.fromkeys(along.name for along in following)
        if not names:
            return "No dependent tensors are known for these tensors."
        examples = ", ".join(_words(checkpoint, along) for along in following[:_MOST_NAMED])
        more = ", …" if len(following) > _MOST_NAMED else "."
        return f"Also prunes {counted(len(names), 'tensor')}: {examples}{more}"


def dependents_of(checkpoint: Checkpoint, rows: Rows, job: Job) -> Dependents:
    """Return the dependents of the channels that rows prune; rows of other methods are ignored.

    The first call for a checkpoint analyzes the structure of its model, which may take a second: do
    not call it on the main thread. `job` can cancel. Unknown dependents are no error.
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
    outputs = [source for source in unknown if source in output_channels(checkpoint)]
    others = [source for source in unknown if source not in outputs]
    why_not = _why_not(checkpoint, (others or outputs)[0]) if unknown else ""
    return Dependents(groups, tuple(others), tuple(outputs), why_not)


# By checkpoint, with the structure in which they were found: a trace replaces it.
_outputs: WeakKeyDictionary[Checkpoint, tuple[Structure | Unknown, frozenset[TensorDim]]] = (
    WeakKeyDictionary()
)


def output_channels(checkpoint: Checkpoint) -> frozenset[TensorDim]:
    """Return the weights whose channels are the outputs of the model, with their dimension.

    They are found in the graph of the model. Without one, or if its operators do not show them, it
    is the last layer by its name, see `last_layer_of`. Computed once per structure.
    """
    structure = structure_of(checkpoint)
    known = _outputs.get(checkpoint)
    if known is not None and known[0] is structure:
        return known[1]
    graph = None if isinstance(structure, Unknown) else structure.graph
    last = last_layer_of(checkpoint.entries.values())
    layers = {} if graph is None else graph.whole_layers
    is_output = (IS_GRAPH_OUTPUT, IS_MODEL_OUTPUT)
    outputs = {TensorDim(n, dim) for n, (dim, why) in layers.items() if why in is_output}
    if last is not None and not outputs and (graph is None or last in layers):
        outputs = {TensorDim(last, layers[last][0] if layers else 0)}
    found = frozenset(outputs)
    _outputs[checkpoint] = structure, found
    return found


def known_dependents(checkpoint: Checkpoint, step: Step, rows: Rows, job: Job) -> Dependents:
    """Return the dependents of the channels that a step prunes, as `dependents_of`.

    `rows` are those of `step`, from `rows_of`.

    Raises
    ------
    SelectionError
        If no tensor of the step has known dependents.
    ParameterError
        If the step has a maximum or total sparsity and a selected tensor depends on another one,
        because the limit could be exceeded.
    """
    found = dependents_of(checkpoint, rows, job)
    if not found.groups:
        raise SelectionError(
            found.why_not, remedy="Choose other tensors, or prune without their dependents."
        )
    if step.limits.target_sparsity is not None or step.limits.max_sparsity < 1:
        selected = set(chain.from_iterable(names for _, names in rows))
        both = next(
            (along.name for along in found.dependent_dims() if along.name in selected), None
        )
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
    """Prune the dependents of pruned channels. Reads no weights.

    Parameters
    ----------
    state
        The state after the channels were pruned.

    Returns
    -------
    masks
        The changed masks, by first name.
    spared
        Masks of the entries that are not pruned because they are protected, by first name.
    """

    def left_of(source: TensorDim) -> Bools:
        job.label(source.name)
        shape = state.checkpoint.entries[source.name].shape
        return channels_left(state.masks.get(source.name), shape, source.dim, job)

    def view_of(name: str) -> TensorView:
        return replace(state.view(name), protected=None)  # protected weights are counted below

    going = dependent_units(dependents, left_of, view_of)
    masks: dict[str, BitMask] = {}
    spared: dict[str, BitMask] = {}
    for name, mask in masks_without(going, job).items():
        kept, protected = state.masks.get(name), state.protected.get(name)
        before, after = BitMask.full(mask.size) if kept is None else kept, mask
        if protected is not None:
            protected_bits = (before & protected) - mask
            if protected_bits.kept:
                spared[name], after = protected_bits, mask | protected_bits
        if after.kept < before.kept:
            masks[name] = after
    return masks, spared


def dependent_units(
    dependents: Dependents, left_of: Callable[[TensorDim], Bools], view_of: View
) -> UnitsToPrune:
    """Return the units to prune per group, for `masks_without`, each group once.

    They are the units that are completely pruned in any source. `left_of` is called for each
    source, and returns for each entry along its dimension whether any weight is kept. `view_of` is
    passed on.
    """
    pruned_units: dict[int, tuple[Group, Bools]] = {}
    for source, groups in dependents.groups.items():
        left = left_of(source)
        for group in groups:
            units = units_without(group, source, left)
            also = pruned_units.get(id(group))
            pruned_units[id(group)] = group, units if also is None else units | also[1]
    return [(group, view_of, np.flatnonzero(units)) for group, units in pruned_units.values()]


def units_without(group: Group, source: TensorDim, left: Bools) -> Bools:
    """Return for each unit whether it has entries in a tensor and none of them has a kept weight.

    `source` is the tensor and dimension; `left` has for each entry along it whether any weight is
    kept.
    """
    has, has_kept = np.zeros((2, group.count), np.bool_)
    for member in group.member_of[source.name]:
        if member.dim == source.dim:
            units: Units = member.layout.units(group.count).astype(np.int64)
            has[units[units >= 0]] = True
            has_kept[units[(units >= 0) & left]] = True
    return has & ~has_kept


def _sources(checkpoint: Checkpoint, rows: Rows) -> Iterator[TensorDim]:
    """Yield the tensors of which rows prune whole channels, with their dimensions."""
    for row, names in rows:
        for name in names if takes_channels(row) else ():
            yield TensorDim(name, dim_of(row, checkpoint.entries[name].shape, name))


def _prunable(checkpoint: Checkpoint, group: Group) -> Group:
    """Return a group without the members that cannot be pruned, matrices before vectors."""
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
    """Return a sentence on why a tensor has no known dependents along a dimension."""
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
                    f"shrunk export removes {units} from all tensors."
                )
    if source in output_channels(checkpoint):
        return (
            f"No tensor depends on the channels of '{source.name}': they are the outputs of the "
            "model."
        )
    kinds, are = ("outputs", "inputs")[source.dim : source.dim + 1], ""
    if kinds and len(checkpoint.entries[source.name].shape) > 1:
        are = f": its {kinds[0]} are not neurons, heads or channels of a group"
    return f"No other tensor is known to depend on dim {source.dim} of '{source.name}'{are}."
