"""A cut: which units of which groups stay, and what becomes of every tensor by that."""

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


class ShrinkError(PruneAppError):
    """A model cannot be cut as was asked."""


@dataclass(frozen=True, eq=False)
class GroupCut:
    """The units of a group that stay, ascending."""

    group: Group
    kept: Units

    @property
    def removed(self) -> Units:
        """The units that go."""
        left = np.ones(self.group.count, np.bool_)
        left[self.kept] = False
        return np.flatnonzero(left)


@dataclass(frozen=True, eq=False)
class TensorCut:
    """What becomes of a tensor.

    Attributes
    ----------
    entry
        It as it is written: of its new names and shape, at the place of the source.
    source
        The same in the source.
    kept
        The entries that stay along each dimension that is cut, ascending.
    """

    entry: TensorEntry
    source: TensorEntry
    kept: Mapping[int, Units] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Cut:
    """The groups of a model that lose units; those that lose none need not be there."""

    groups: tuple[GroupCut, ...]

    def tensors(self, checkpoint: Checkpoint) -> Iterator[TensorCut]:
        """Yield what becomes of every tensor of a checkpoint that stays, in its order."""
        for entry in checkpoint.entries.values():
            names = [name for name in map(self.renamed, entry.names) if name]
            if not names:
                continue
            kept = self.kept_of(entry)
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

    def renamed(self, name: str) -> str:
        """Return what a tensor is called afterwards; empty if it goes with its unit."""
        for prefix, number in self._numbers.get(name, ()):
            if number is None:
                return ""
            rest = name[len(prefix) :].partition(".")[2]
            name = f"{prefix}{number}.{rest}"
        return name

    def kept_of(self, entry: TensorEntry) -> dict[int, Units]:
        """Return the entries of a tensor that stay along each dimension that is cut."""
        stays: dict[int, Bools] = {}
        for member, cut in self._members.get(entry.name, ()):
            left = np.zeros(entry.shape[member.dim], np.bool_)
            left[cut.group.left(member, cut.kept)] = True
            stays[member.dim] = stays.get(member.dim, True) & left
        return {dim: np.flatnonzero(left) for dim, left in stays.items()}

    @cached_property
    def _members(self) -> Mapping[str, Sequence[tuple[Member, GroupCut]]]:
        found: dict[str, list[tuple[Member, GroupCut]]] = {}
        for cut in self.groups:
            for member in cut.group.members:
                found.setdefault(member.name, []).append((member, cut))
        return found

    @cached_property
    def _numbers(self) -> Mapping[str, Sequence[tuple[str, int | None]]]:
        """The new number of what a name is of, after a prefix of it; the longest prefix first."""
        found: dict[str, list[tuple[str, int | None]]] = {}
        for cut in sorted(self.groups, key=lambda cut: -len(cut.group.prefix)):
            new = {int(unit): number for number, unit in enumerate(cut.kept)}
            for unit, names in enumerate(cut.group.tensors):
                for name in names:
                    found.setdefault(name, []).append((cut.group.prefix, new.get(unit)))
        return found
