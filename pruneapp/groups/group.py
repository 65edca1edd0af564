"""A group: a number that several tensors share, and the entries that belong to each unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Units = NDArray[np.int64]  # indices of units, ascending
# Role of a tensor for a unit. The value of a unit is the product of its factors, each of which is
# constant where its row is 0; the value has no effect where its outputs are 0. Other tensors are
# cut along with the unit: queries and keys, running statistics of norms.
Role = Literal["factor", "output", "along"]


# Multiples to which the number of FFN neurons, channels or tokens can be rounded up.
MULTIPLES = (1, 8, 16, 32, 64, 128, 256)


class Run(NamedTuple):
    """A run of entries along a dimension."""

    each: int  # consecutive entries per unit; 0 if `fixed` is used
    fixed: int = 0  # entries that belong to no unit


@dataclass(frozen=True)
class Runs:
    """A layout of consecutive runs: ``[gate | up]`` is two runs with one entry per unit."""

    runs: tuple[Run, ...] = (Run(1),)

    def size(self, count: int) -> int:
        """Return the number of entries of the dimension for `count` units."""
        return sum(run.each * count + run.fixed for run in self.runs)

    def units(self, count: int) -> NDArray[np.int32]:
        """Return the unit of every entry, ``int32[size(count)]``; -1 where it belongs to none."""
        parts = []
        numbers = np.arange(count, dtype=np.int32)
        for run in self.runs:
            parts.append(np.repeat(numbers, run.each))
            parts.append(np.full(run.fixed, -1, np.int32))
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Scattered:
    """A layout that lists the unit of every entry; -1 where it belongs to none of the group."""

    unit_of: NDArray[np.int32]

    def size(self, _count: int) -> int:
        """Return the number of entries of the dimension."""
        return self.unit_of.size

    def units(self, _count: int) -> NDArray[np.int32]:
        """Return the unit of every entry, -1 where it belongs to none."""
        return self.unit_of


class Factor(NamedTuple):
    """A factor of the value of a unit."""

    # Function applied to it before the product: the name of an activation in transformers, empty
    # for the identity, ``?`` if unknown.
    activation: str = ""
    # Range of the unit's entries in the member: a fused tensor contains several factors, or a
    # factor and other entries. None means up to the last entry.
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True)
class Member:
    """A tensor with entries for every unit along one of its dimensions."""

    name: str  # the tensor's first name in the checkpoint
    dim: int
    layout: Runs | Scattered = Runs()
    role: Role = "along"
    factors: tuple[Factor, ...] = (Factor(),)  # used if the role is "factor"

    @property
    def stem(self) -> str:
        """The module of the tensor: a weight and its bias are one factor."""
        return self.name.rpartition(".")[0]


# Default multiples by axis, to which the number of kept units is rounded up.
USUAL_MULTIPLES: Mapping[str, int] = {"ffn": 64, "channels": 8, "vocabulary": 64}


@dataclass(frozen=True)
class Group:
    """A number that several tensors share.

    Attributes
    ----------
    axis
        The kind of units, as on the command line: ``ffn``, ``kv-groups``, ``query-heads``,
        ``experts``, ``channels``.
    place
        The common part of its tensors' names.
    count
        Number of units.
    members
        The tensors with entries for every unit, in file order.
    layer
        Number of the layer; None outside of layers.
    same
        Whether the same units must be cut in all groups of the axis.
    sizes
        Numbers of units that the model's class supports, ascending; empty for any.
    outer
        Number of equal runs of units that must each keep the same number: query heads in their
        groups of keys and values.
    tensors
        For each unit the names of tensors that belong to it alone: those of an expert, or of a
        layer.
    prefix
        Text before the number of the unit in such names.
    silenced_by
        For each unit the tensors that must be 0 for the unit to have no effect: the branches of a
        layer. Empty if no zeros achieve that.
    times
        Number of units kept here per unit kept elsewhere on the axis: shared experts are as wide as
        several.
    own_multiple
        Multiple to which the number of kept units is rounded up by default; 0 for that of the axis,
        see `USUAL_MULTIPLES`.
    """

    axis: str
    place: str
    count: int
    members: tuple[Member, ...]
    layer: int | None = None
    outer: int = 1
    times: int = 1
    same: bool = False
    sizes: tuple[int, ...] = ()
    tensors: tuple[tuple[str, ...], ...] = ()
    prefix: str = ""
    silenced_by: tuple[tuple[str, ...], ...] = ()
    own_multiple: int = 0

    @property
    def multiple(self) -> int:
        """Default multiple to which the number of kept units is rounded up."""
        return self.own_multiple or USUAL_MULTIPLES.get(self.axis, 1)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the tensors that are pruned when units are pruned."""
        members = (member.name for member in self.members)
        branches = (name for each in self.silenced_by for name in each)
        return tuple(dict.fromkeys((*members, *branches)))

    @cached_property
    def member_of(self) -> dict[str, tuple[Member, ...]]:
        """Members by tensor name; a tensor may be a member along two dimensions."""
        found: dict[str, tuple[Member, ...]] = {}
        for member in self.members:
            found[member.name] = (*found.get(member.name, ()), member)
        return found

    def entries(self, member: Member, units: Sequence[int] | Units) -> Units:
        """Return the entries of `units` along the dimension of a member, ascending.

        O(n) in the entries of the dimension.
        """
        chosen = np.zeros(self.count + 1, np.bool_)
        chosen[np.asarray(units, np.int64)] = True
        chosen[self.count] = False  # index -1: entries without a unit
        return np.flatnonzero(chosen[member.layout.units(self.count)])

    def left(self, member: Member, kept: Sequence[int] | Units) -> Units:
        """Return the kept entries along the dimension of a member, ascending.

        Entries that belong to no unit are kept.
        """
        chosen = np.zeros(self.count + 1, np.bool_)
        chosen[np.asarray(kept, np.int64)] = True
        chosen[self.count] = True
        return np.flatnonzero(chosen[member.layout.units(self.count)])
