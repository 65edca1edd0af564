"""Manual edits of whole units: an edit of channels, extended to all tensors of their group.

A unit (a neuron, a head, a channel of a convolution) has entries in several tensors. If it is
pruned in only one of them, the others compute results that are not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.layout import Box
from pruneapp.analysis.statistics import ChannelNorms
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.step import shown_name
from pruneapp.edits.manual_edit import DONE, ManualEdit, ManualTarget, place_of, true_runs
from pruneapp.errors import counted
from pruneapp.groups.group import Group, Member
from pruneapp.groups.structure import Unknown, structure_of
from pruneapp.progress import Job

# Names of units that differ from the label of their axis.
_LABELS = {"vocabulary": "Tokens"}


Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
_ORDERS = {"fro": 2.0, "inf": np.inf, "-inf": -np.inf}


@dataclass(frozen=True, eq=False)
class TensorGroup:
    """The units that a tensor shares along a dimension with other tensors, for one axis.

    If several groups of the axis cover parts of the dimension, as after a concatenation, their
    units are numbered consecutively.
    """

    axis: str  # axis, as on the command line: ``ffn``
    label: str  # display name of the units: "FFN neurons"
    place: str  # part of the model: "model.layers.3.mlp"; empty for all
    dim: int
    count: int  # number of units
    unit_of: NDArray[np.int32]  # ``int32[channels]``: unit of each channel, -1 for none
    others: tuple[str, ...]  # other tensors with the same units, by their names in the file

    @property
    def units(self) -> str:
        """The label for use inside a sentence: "query heads", "FFN neurons"."""
        return in_sentence(self.label)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of channels of each unit, ``int64[units]``."""
        return np.bincount(self.unit_of[self.unit_of >= 0], minlength=self.count).astype(np.int64)

    @cached_property
    def by_channel(self) -> bool:
        """Whether every unit is at most one channel of the tensor, such as a neuron."""
        return bool((self.sizes <= 1).all())

    def channels_of(self, units: Bools) -> Bools:
        """Return ``bool[channels]`` for ``bool[units]``; channels without a unit are False."""
        return np.append(units, False)[self.unit_of]

    def units_of(self, channels: Bools) -> Bools:
        """Return ``bool[units]``: units with at least one channel in ``bool[channels]``."""
        units = self.unit_of[channels]
        return np.bincount(units[units >= 0], minlength=self.count) > 0

    def is_same(self, other: TensorGroup) -> bool:
        """Return whether `other` is the same group, seen by another tensor."""
        mine, theirs = ((g.axis, g.place, g.count) for g in (self, other))
        return mine == theirs

    def can_measure(self, n: str) -> bool:
        """Return whether the norm of a unit can be computed from those of its channels."""
        return n != "nuc"

    def norms_of(self, norms: ChannelNorms) -> ChannelNorms:
        """Return the norms of units from those of the channels along `dim`; arrays are ``[units]``.

        Channels without a unit are ignored. Only valid if `can_measure` is True for the order of
        the norm.
        """
        inside = self.unit_of >= 0
        units = self.unit_of[inside]
        sizes = np.maximum(self.sizes, 1)

        def joined(values: Floats) -> Floats:
            return _combine_norms(values[inside], units, self.count, norms.n)

        def share(kept: Floats) -> Floats:
            return np.bincount(units, kept[inside], self.count) / sizes

        def some(channels: Bools) -> Bools:
            return np.bincount(units, channels[inside], self.count) > 0

        protected = partly = None
        if norms.protected is not None:
            loose = ~norms.protected if norms.partly is None else ~norms.protected | norms.partly
            protected = some(norms.protected)
            partly = protected & some((norms.kept > 0) & loose)
        left = joined(norms.left)
        return replace(
            norms,
            norms=joined(norms.norms),
            left=left,
            after=left if norms.after is norms.left else joined(norms.after),
            kept=share(norms.kept),
            kept_after=share(norms.kept_after),
            protected=protected,
            partly=partly,
        )


def in_sentence(label: str) -> str:
    """Return a label with a lower-case first letter, unless it starts with an abbreviation."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def _combine_norms(values: Floats, units: NDArray[np.int32], count: int, n: str) -> Floats:
    """Return the norm of order `n` of each of `count` units from those of its channels.

    `units` has the unit of each channel. A unit without channels gets 0.
    """
    order = _ORDERS[n] if n in _ORDERS else float(n)
    found: Floats
    if np.isinf(order):
        found = np.full(count, 0.0 if order > 0 else np.inf)
        (np.maximum if order > 0 else np.minimum).at(found, units, values)
        found[np.bincount(units, minlength=count) == 0] = 0.0
        return found
    if order == 0:  # the number of nonzero elements
        return np.bincount(units, values, count).astype(np.float64)
    finite = values[np.isfinite(values)]
    scale = float(finite.max(initial=0.0)) or 1.0  # avoids overflow of the powers
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        powers = np.bincount(units, (values / scale) ** order, count)
        found = np.asarray(scale * powers ** (1 / order), np.float64)
    found[np.bincount(units, minlength=count) == 0] = 0.0
    return found


@dataclass(frozen=True)
class _Share:
    """The groups of an axis that a tensor is a member of along a dimension."""

    axis: str
    label: str
    dim: int
    parts: tuple[tuple[Group, Member], ...]

    def to_tensor_group(self, checkpoint: Checkpoint, name: str) -> TensorGroup:
        """Return the groups as one `TensorGroup` of the tensor `name`.

        Units of later groups are numbered after those of earlier ones.
        """
        unit_of = np.full(checkpoint.entries[name].shape[self.dim], -1, np.int32)
        count = 0
        others: dict[str, None] = {}
        for group, member in self.parts:
            units = member.layout.units(group.count)
            inside = units >= 0
            unit_of[inside] = units[inside] + count
            count += group.count
            others |= dict.fromkeys(each.name for each in group.members)
        others.pop(name, None)
        place = self.parts[0][0].place
        return TensorGroup(
            self.axis,
            self.label,
            "" if self.axis == "vocabulary" else shown_name(place.removesuffix(".")),
            self.dim,
            count,
            unit_of,
            tuple(each for each in others if checkpoint.entries[each].prunable),
        )


def groups_of_tensor(
    checkpoint: Checkpoint, name: str, job: Job | None = None
) -> tuple[TensorGroup, ...]:
    """Return the groups that a tensor, by any of its names, shares with others; may be empty.

    There is one for each axis and dimension, in this order. The first call for a checkpoint
    analyzes its structure, which may take a second; it runs in a separate process if a file could
    crash it. `job` can cancel it.
    """
    name = checkpoint.entry(name).name
    structure_of(checkpoint, job, apart=True)
    found = (share.to_tensor_group(checkpoint, name) for share in _shares(checkpoint, name))
    return tuple(group for group in found if group.others)


def with_members(
    checkpoint: Checkpoint, edit: ManualEdit, axis: str = "", job: Job | None = None
) -> ManualEdit:
    """Extend an edit of channels to all tensors that contain the same units.

    Only units of which the edit covers all channels of the tensor are extended. `axis` restricts
    them to one axis; if it is empty, units of all axes are used that are one channel each in the
    tensor. Tensors that cannot be pruned, such as running statistics, and tensors that are targets
    already are unchanged. If nothing is added, the edit itself is returned; otherwise its label has
    the number of units. `job` can cancel.
    """
    job = job or Job()
    more: dict[tuple[str, int], NDArray[np.bool_]] = {}
    places: dict[str, int] = {}  # number of units per place of a group
    label = ""
    for target in job.cancel.each(edit.targets):
        if target.shape != "channel" or target.dim < 0:
            continue
        entry = checkpoint.entry(target.name)
        is_selected = np.zeros(entry.shape[target.dim], np.bool_)
        for box in target.boxes:
            is_selected[slice(*box[target.dim])] = True
        for share in _shares(checkpoint, entry.name):
            tensor_group = share.to_tensor_group(checkpoint, entry.name)
            usual = share.axis == axis if axis else tensor_group.by_channel
            if share.dim != target.dim or not usual or not tensor_group.others:
                continue
            for group, member in share.parts:
                units = _whole_units(group, member, is_selected)
                if not units.size:
                    continue
                label = share.label
                places[group.place] = max(units.size, places.get(group.place, 0))
                for other in group.members:
                    found = checkpoint.entries[other.name]
                    if found.prunable:
                        extent = found.shape[other.dim]
                        chosen = more.setdefault(
                            (other.name, other.dim), np.zeros(extent, np.bool_)
                        )
                        chosen[group.entries(other, units)] = True
    given = {(checkpoint.entry(target.name).name, target.dim) for target in edit.targets}
    targets = tuple(
        ManualTarget(name, _boxes(checkpoint, name, dim, chosen), shape="channel", dim=dim)
        for (name, dim), chosen in more.items()
        if (name, dim) not in given
    )
    if not targets:
        return edit
    tensors = {checkpoint.entry(t.name).name for t in (*edit.targets, *targets)}
    n_units = sum(places.values())
    what = counted(n_units, in_sentence(label).removesuffix("s"))
    where = place_of([place.removesuffix(".") for place in places])
    words = f"{what} of {where} {DONE[edit.operation]} in {counted(len(tensors), 'tensor')}"
    return ManualEdit(edit.operation, (*edit.targets, *targets), words)


def _shares(checkpoint: Checkpoint, name: str) -> Iterator[_Share]:
    """Yield the groups that contain a tensor, by its first name, for each axis and dimension.

    Nothing if the structure of the model is unknown.
    """
    structure = structure_of(checkpoint)
    if isinstance(structure, Unknown):
        return
    for axis in structure.axes.values():
        if axis.why_not:
            continue
        by_dim: dict[int, list[tuple[Group, Member]]] = {}
        for group in axis.groups_of.get(name, ()):
            for member in group.member_of.get(name, ()):
                by_dim.setdefault(member.dim, []).append((group, member))
        for dim, parts in sorted(by_dim.items()):
            yield _Share(axis.name, _LABELS.get(axis.name, axis.label), dim, tuple(parts))


def _whole_units(group: Group, member: Member, is_selected: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the units whose entries along the dimension of a member are all in `is_selected`."""
    units = member.layout.units(group.count)
    inside = units >= 0
    entry_counts = np.bincount(units[inside], minlength=group.count)
    selected_counts = np.bincount(units[inside & is_selected], minlength=group.count)
    return np.flatnonzero((selected_counts == entry_counts) & (entry_counts > 0)).astype(np.int64)


def _boxes(
    checkpoint: Checkpoint, name: str, dim: int, chosen: NDArray[np.bool_]
) -> tuple[Box, ...]:
    """Return the channels along `dim` that are True in `chosen`, as one box for each run."""
    shape = checkpoint.entries[name].shape
    return tuple(
        tuple(span if at == dim else (0, extent) for at, extent in enumerate(shape))
        for span in true_runs(chosen)
    )
