"""The units to keep in each group, and the resulting names and shapes of all tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import Location, TensorEntry
from pruneapp.errors import PruneAppError
from pruneapp.groups.group import Group, Member, Units
from pruneapp.kernels.values import Bools

# Axes whose units are chosen by the user: zeros cannot make them dead.
CHOSEN = frozenset({"experts", "vocabulary"})


class ShrinkError(PruneAppError):
    """The model cannot be cut as requested."""


@dataclass(frozen=True, eq=False)
class GroupCut:
    """The indices of the units of a group to keep, ascending."""

    group: Group
    kept: Units

    @property
    def removed(self) -> Units:
        """Indices of the units to remove, ascending."""
        mask = np.ones(self.group.count, np.bool_)
        mask[self.kept] = False
        return np.flatnonzero(mask)


@dataclass(frozen=True, eq=False)
class TensorCut:
    """A tensor before and after the cut.

    Attributes
    ----------
    entry
        Entry with the new names and the new shape; its location is that in the source file.
    source
        Entry in the source.
    kept
        Indices to keep along each dimension that is cut, ascending.
    """

    entry: TensorEntry
    source: TensorEntry
    kept: Mapping[int, Units] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Cut:
    """A cut of a model. Groups that lose no units may be missing."""

    groups: tuple[GroupCut, ...]

    def tensors(self, checkpoint: Checkpoint) -> Iterator[TensorCut]:
        """Yield every tensor that is not removed completely, in the order of the checkpoint.

        Tensors that are not cut are included.
        """
        for entry in checkpoint.entries.values():
            names = [name for name in map(self.new_name, entry.names) if name]
            if not names:
                continue
            kept = self.kept_indices(entry)
            shape = tuple(
                kept[dim].size if dim in kept else size for dim, size in enumerate(entry.shape)
            )
            new = entry._replace(
                name=names[0],
                aliases=tuple(names[1:]),
                shape=shape,
                location=Location(entry.location.source, entry.location.offset),
                mask_of="",
            )
            yield TensorCut(new, entry, kept)

    def new_name(self, name: str) -> str:
        """Return the new name of a tensor, in which layers and experts are renumbered.

        "" if it is removed with its layer or expert. Names that no group contains are not changed.
        """
        for prefix, number in self._numbers.get(name, ()):
            if number is None:
                return ""
            rest = name[len(prefix) :].partition(".")[2]
            name = f"{prefix}{number}.{rest}"
        return name

    def kept_indices(self, entry: TensorEntry) -> dict[int, Units]:
        """Return the indices to keep of a tensor, ascending, by the dimension that is cut.

        Where several groups cut a dimension, the indices that all of them keep.
        """
        masks: dict[int, Bools] = {}
        for member, cut in self._members.get(entry.name, ()):
            mask = np.zeros(entry.shape[member.dim], np.bool_)
            mask[cut.group.left(member, cut.kept)] = True
            masks[member.dim] = masks.get(member.dim, True) & mask
        return {dim: np.flatnonzero(mask) for dim, mask in masks.items()}

    def chosen_dims(self, name: str) -> tuple[int, ...]:
        """Return the dimensions along which the user chose the units: they may be nonzero."""
        members = self._members.get(name, ())
        return tuple(m.dim for m, cut in members if cut.group.axis in CHOSEN)

    @cached_property
    def _members(self) -> Mapping[str, Sequence[tuple[Member, GroupCut]]]:
        found: dict[str, list[tuple[Member, GroupCut]]] = {}
        for cut in self.groups:
            for member in cut.group.members:
                found.setdefault(member.name, []).append((member, cut))
        return found

    @cached_property
    def _numbers(self) -> Mapping[str, Sequence[tuple[str, int | None]]]:
        """Name prefixes and the new number after each (None: removed), by tensor name.

        Longest first.
        """
        found: dict[str, list[tuple[str, int | None]]] = {}
        for cut in sorted(self.groups, key=lambda cut: -len(cut.group.prefix)):
            new = {int(unit): number for number, unit in enumerate(cut.kept)}
            for unit, names in enumerate(cut.group.tensors):
                for name in names:
                    found.setdefault(name, []).append((cut.group.prefix, new.get(unit)))
        return found
