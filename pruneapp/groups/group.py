"""A group: a number that several tensors share, and the entries that each of its units has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Units = NDArray[np.int64]  # numbers of units, ascending
# What a tensor is to a unit. The value of a unit is the product of its factors, each of which is
# constant where its row is 0; what it says goes nowhere where its outputs are 0. The rest goes
# along with it: queries and keys, what norms have measured.
Role = Literal["factor", "output", "along"]


class Run(NamedTuple):
    """A run of entries along a dimension."""

    each: int  # entries of every unit, which lie one unit after the other; 0 if `fixed` are meant
    fixed: int = 0  # entries that belong to no unit


@dataclass(frozen=True)
class Runs:
    """A layout of runs, one after the other: ``[gate | up]`` are two of one entry a unit."""

    runs: tuple[Run, ...] = (Run(1),)

    def size(self, count: int) -> int:
        """Return how many entries a dimension has with so many units."""
        return sum(run.each * count + run.fixed for run in self.runs)

    def units(self, count: int) -> NDArray[np.int32]:
        """Return the unit of every entry, -1 where it belongs to none."""
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
        """Return how many entries the dimension has."""
        return self.unit_of.size

    def units(self, _count: int) -> NDArray[np.int32]:
        """Return the unit of every entry, -1 where it belongs to none."""
        return self.unit_of


class Factor(NamedTuple):
    """A factor of the value of a unit."""

    # What is done to it before it is multiplied or handed on: the name of an activation as
    # transformers has it, empty for nothing, ``?`` for something that is not known.
    activation: str = ""
    # Which of the entries that a unit has in the member, in their order: a fused tensor holds
    # several factors, or one beside others that are none. None is up to the last.
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True)
class Member:
    """A tensor that has entries for every unit along one of its dimensions."""

    name: str  # its first name in the checkpoint
    dim: int
    layout: Runs | Scattered = Runs()
    role: Role = "along"
    factors: tuple[Factor, ...] = (Factor(),)  # those that it holds, if that is its role

    @property
    def stem(self) -> str:
        """The module that it belongs to: a weight and its bias are one factor."""
        return self.name.rpartition(".")[0]


# What the number of units that stay is rounded up to a multiple of, unless another is chosen.
USUAL_MULTIPLES: Mapping[str, int] = {"ffn": 64, "channels": 8, "vocabulary": 64}


@dataclass(frozen=True)
class Group:
    """A number that several tensors share.

    Attributes
    ----------
    axis
        What its units are, a word as on the command line: ``ffn``, ``kv-groups``,
        ``query-heads``, ``experts``, ``channels``.
    place
        Where in the model: the names of its tensors as far as they agree.
    count
        Units.
    members
        Those tensors, in file order.
    layer
        The number of its layer; None where there are no layers.
    same
        Whether the same units go in all groups of the axis.
    sizes
        How many units the model's class takes, ascending; empty for any number.
    outer
        In how many equal runs of units the same number has to stay: query heads in their groups of
        keys and values.
    tensors
        Names of the tensors that are of one unit alone, for each: those of an expert, or a layer.
    prefix
        What stands before the number of the unit in such names.
    silenced_by
        For each unit the tensors that need be 0 for it to do nothing: the branches of a layer.
        Empty where no zeros do that.
    times
        How many units stay for each that stays elsewhere on the axis: shared experts are as wide as
        several.
    own_multiple
        What the number of units that stay is rounded up to a multiple of, unless another is
        chosen; 0 for that of the axis, see `USUAL_MULTIPLES`.
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
        """What the number of units that stay is rounded up to a multiple of by default."""
        return self.own_multiple or USUAL_MULTIPLES.get(self.axis, 1)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The tensors that are pruned where units go."""
        members = (member.name for member in self.members)
        branches = (name for each in self.silenced_by for name in each)
        return tuple(dict.fromkeys((*members, *branches)))

    @cached_property
    def member_of(self) -> dict[str, tuple[Member, ...]]:
        """The members by the names of their tensors; a tensor may be one along two dimensions."""
        found: dict[str, tuple[Member, ...]] = {}
        for member in self.members:
            found[member.name] = (*found.get(member.name, ()), member)
        return found

    def entries(self, member: Member, units: Sequence[int] | Units) -> Units:
        """Return the entries of units along the dimension of a member, ascending.

        O(n) in the entries of the dimension.
        """
        chosen = np.zeros(self.count + 1, np.bool_)
        chosen[np.asarray(units, np.int64)] = True
        chosen[self.count] = False  # -1, which is no unit
        return np.flatnonzero(chosen[member.layout.units(self.count)])

    def left(self, member: Member, kept: Sequence[int] | Units) -> Units:
        """Return the entries along the dimension of a member that stay where units are kept."""
        chosen = np.zeros(self.count + 1, np.bool_)
        chosen[np.asarray(kept, np.int64)] = True
        chosen[self.count] = True
        return np.flatnonzero(chosen[member.layout.units(self.count)])
