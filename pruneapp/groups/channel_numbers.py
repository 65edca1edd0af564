"""Numbering of the channels of a graph, which operators join and freeze, and resulting groups.

Every channel of every axis of every value has a number. A set of joined numbers that is not frozen
is a unit; units with entries in the same axes of the same tensors form a group. A unit may be cut
if everything that reads it is zero: the entries of members with the role ``output``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pruneapp.groups.group import Group, Member, Run, Runs, Scattered, Units
from pruneapp.progress import Job

Numbers = NDArray[np.int32]
# The channel numbers along each axis; None for an axis of unknown extent.
Axes = tuple[Numbers | None, ...]

FROZEN = 0
_MOST_PARTS = 1 << 10  # of a reshape; more than any tensor has dimensions
_MOST_NUMBERS = 1 << 22  # of an axis; longer axes are not cut


K = TypeVar("K")


class ChannelNumbers:
    """A union-find structure of channel numbers."""

    def __init__(self) -> None:
        self._count = 1  # `FROZEN` is number 0
        self._pending: list[tuple[Numbers, Numbers]] = []
        self._parent = np.zeros(1, np.int32)
        self._joins: list[tuple[Numbers, Numbers]] = []
        self._frozen: list[tuple[Numbers, str]] = []
        self.reason = ""  # reason recorded for channels frozen from now on, a clause

    def new(self, extent: int) -> Numbers:
        """Return `extent` new consecutive numbers.

        For extent 1 the number is `FROZEN`; for an extent beyond `_MOST_NUMBERS` the result is
        empty.
        """
        if extent == 1 or extent > _MOST_NUMBERS:
            return np.zeros(extent if extent == 1 else 0, np.int32)
        first = self._count
        self._count += extent
        return np.arange(first, first + extent, dtype=np.int32)

    def join(self, a: Numbers | None, b: Numbers | None) -> None:
        """Join two axes channel by channel; freeze both if their sizes differ or one is None."""
        if a is None or b is None or a.size != b.size:
            self.freeze(a, b)
        else:
            self._pending.append((a, b))
            self._joins.append((a, b))

    def freeze(self, *axes: Numbers | None) -> None:
        """Mark channels as never to be cut; None is ignored."""
        for axis in axes:
            if axis is not None and axis.size:
                self._pending.append((axis, np.zeros(axis.size, np.int32)))
                self._frozen.append((axis, self.reason))

    def reasons(self, axes: Mapping[K, Numbers]) -> dict[K, str]:
        """Return why axes are frozen: the first reason recorded for channels joined with theirs.

        A default clause is returned for axes without a reason. The joins are repeated without the
        frozen numbers, because joining with `FROZEN` loses the reasons. O(n) in the number of
        channels and joins.
        """
        again = ChannelNumbers()
        again._count, again._pending = self._count, [*self._joins]
        again._join_pending()
        first: dict[int, str] = {}
        for axis, reason in self._frozen:
            for number in np.unique(again._roots(axis)).tolist():
                if number != FROZEN:
                    first.setdefault(number, reason)
        return {
            key: next(
                (first[n] for n in again._roots(axis).tolist() if n in first),
                "an operator fixes its size",
            )
            for key, axis in axes.items()
        }

    def of(self, axis: Numbers) -> Numbers:
        """Return the smallest number joined with each number of an axis."""
        self._join_pending()
        return self._roots(axis)

    def representatives(self) -> Numbers:
        """Return the smallest number joined with each number, indexed by number."""
        self._join_pending()
        self._parent = self._roots(self._parent)
        return self._parent

    def is_frozen(self, axis: Numbers) -> bool:
        """Return whether all channels of an axis are frozen."""
        return bool((self.of(axis) == FROZEN).all())

    def _join_pending(self) -> None:
        """Apply the joins since the last call, so that `_roots` returns the smallest numbers."""
        new = np.arange(self._parent.size, self._count, dtype=np.int32)
        self._parent = np.concatenate((self._parent, new)) if new.size else self._parent
        if not self._pending:
            return
        a, b = map(np.concatenate, zip(*self._pending, strict=True))
        self._pending.clear()
        while a.size:
            a, b = self._roots(a), self._roots(b)
            differ = a != b
            a, b = a[differ], b[differ]
            np.minimum.at(self._parent, np.maximum(a, b), np.minimum(a, b))

    def _roots(self, numbers: Numbers) -> Numbers:
        while not np.array_equal(above := self._parent[numbers], numbers):
            numbers = above
        return numbers


@dataclass
class ReshapeBlock:
    """Axes that a reshape merges into one, or one axis that it splits."""

    whole: Numbers
    parts: list[Numbers]

    def of_part(self, number: int) -> Numbers:
        """Return, for each entry of the merged axis, the channel number in part `number`."""
        shape = [part.size for part in self.parts]
        index = np.indices(shape, np.int32, sparse=True)[number]
        return self.parts[number][np.broadcast_to(index, shape).reshape(-1)]


def join_reshape(
    channels: ChannelNumbers, value: Axes, out: Axes, blocks: list[ReshapeBlock]
) -> bool:
    """Join the axes of a reshape of `value` to `out`; append merged and split axes to `blocks`.

    Blocks are decided later by `settle_blocks`. Several axes that become several others are frozen.
    Returns False, without a change, if the axes cannot be aligned.
    """
    matched = match_axes([*map(extent_of, value)], [*map(extent_of, out)])
    for ones, others in matched or ():
        parts = [a for n in ones if (a := value[n]) is not None and a.size != 1]
        wholes = [a for n in others if (a := out[n]) is not None and a.size != 1]
        if len(parts) == len(wholes) == 1:
            channels.join(parts[0], wholes[0])
        elif len(wholes) == 1 and parts:
            blocks.append(ReshapeBlock(wholes[0], parts))
        elif len(parts) == 1 and wholes:
            blocks.append(ReshapeBlock(parts[0], wholes))
        else:
            channels.freeze(*parts, *wholes)
    return matched is not None


def settle_blocks(channels: ChannelNumbers, blocks: list[ReshapeBlock], job: Job) -> None:
    """Decide which part of each block is joined with the merged axis; freeze the other parts.

    A block without a free part is frozen. Blocks with one free part come first: of queries and keys
    only the heads are free, which decides those of the values. Among several parts, one that is
    already chosen elsewhere is preferred, then the longest. Call it once, after all operators.
    `job` can cancel.
    """
    chosen_before: set[int] = set()
    channels.reason = "a reshape needs all of its channels"

    def free(block: ReshapeBlock) -> list[int]:
        return [n for n, part in enumerate(block.parts) if not channels.is_frozen(part)]

    def settle(block: ReshapeBlock) -> None:
        """Join the best free part with the merged axis and freeze the others, or freeze all."""
        candidates = free(block)
        if not candidates:
            channels.freeze(block.whole)
            return

        def rank(number: int) -> tuple[bool, int]:
            part = block.parts[number]
            return not chosen_before.isdisjoint(channels.of(part).tolist()), part.size

        chosen = max(candidates, key=rank)
        channels.join(block.whole, block.of_part(chosen))
        channels.freeze(*(part for n, part in enumerate(block.parts) if n != chosen))
        chosen_before.update(channels.of(block.parts[chosen]).tolist())
        chosen_before.discard(FROZEN)

    left = blocks
    for most in (1, _MOST_PARTS):
        now, left = left, []
        for block in now:
            job.cancel.check()
            if len(free(block)) > most:
                left.append(block)
            else:
                settle(block)


def extent_of(axis: Numbers | None) -> int | None:
    """Return the length of an axis; None if unknown."""
    return None if axis is None else axis.size


def match_axes(
    one: Sequence[int | None], other: Sequence[int | None]
) -> list[tuple[list[int], list[int]]] | None:
    """Align the axes before and after a reshape, as runs with equal numbers of entries.

    `one` and `other` are extents, None if unknown. Each pair of the result has the indices of axes
    before and after. Axes of size 1 are omitted. An unknown extent on each side is assumed to be
    the same if the known extents have equal products. None if the alignment is ambiguous or
    impossible, or an extent is 0.
    """
    known = [math.prod(n for n in shape if n is not None) for shape in (one, other)]
    if (None in one or None in other) and (
        list(one).count(None) != 1 or list(other).count(None) != 1 or known[0] != known[1]
    ):
        return None
    if known[0] != known[1] or 0 in known:
        return None
    matched: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(one) or j < len(other):
        if i < len(one) and one[i] == 1:
            i += 1
            continue
        if j < len(other) and other[j] == 1:
            j += 1
            continue
        if i == len(one) or j == len(other):
            return None
        a, b = one[i], other[j]
        if a is None or b is None:
            if a is not b:
                return None
            i, j = i + 1, j + 1
            continue
        ones, others = [i], [j]
        while a != b:
            if a < b:
                i += 1
                more = one[i] if i < len(one) else None
                if more is None:
                    return None
                ones.append(i)
                a *= more
            else:
                j += 1
                more = other[j] if j < len(other) else None
                if more is None:
                    return None
                others.append(j)
                b *= more
        matched.append((ones, others))
        i, j = i + 1, j + 1
    return matched


# The reasons of channels that are outputs of an ONNX graph or of a program.
IS_GRAPH_OUTPUT = "it is an output of the graph"
IS_MODEL_OUTPUT = "it is an output of the model"


@dataclass(frozen=True, eq=False, kw_only=True)
class ChannelGraph:
    """A graph whose channels may be cut: its groups, and the numbers of all channels."""

    groups: tuple[Group, ...]
    units: tuple[Numbers, ...]  # per group, the representative of each unit
    representative: Numbers  # of each number
    # Weights whose output channels cannot be cut at all: the dimension of these, and the reason, a
    # clause.
    whole_layers: Mapping[str, tuple[int, str]]

    def kept_channels(self, kept: Iterable[tuple[Group, Units]]) -> NDArray[np.bool_]:
        """Return a Boolean per channel number, whether it is kept.

        `kept` has the kept units (from 0) of some groups, which must be objects of `groups`.
        Channels of other groups and frozen ones are kept.
        """
        units_of = {id(group): units for group, units in zip(self.groups, self.units, strict=True)}
        stays = np.ones(self.representative.size, np.bool_)
        for group, units in kept:
            stays[units_of[id(group)]] = False
            stays[units_of[id(group)][units]] = True
        return stays[self.representative]


def whole_layers(
    channels: ChannelNumbers,
    axes: Mapping[str, Axes],
    representative: Numbers,
    summed: AbstractSet[tuple[str, int]],
) -> dict[str, tuple[int, str]]:
    """Return the weights whose output channels are all frozen, with their dimension and the reason.

    Only weights that are summed over along dim 0 or 1 are considered. The parameters are those of
    `group_units`. The reason is a clause: what needs all channels.
    """
    frozen: dict[str, Numbers] = {}
    dims: dict[str, int] = {}
    for name, dim in sorted(summed):
        own = axes.get(name, ())
        rows = own[1 - dim] if dim < 2 <= len(own) else None
        if rows is not None and rows.size and (representative[rows] == FROZEN).all():
            frozen[name], dims[name] = rows, 1 - dim
    found = channels.reasons(frozen) if frozen else {}
    return {name: (dims[name], found[name]) for name in axes if name in found}


def group_units(
    axes: Mapping[str, Axes],
    representative: Numbers,
    summed: AbstractSet[tuple[str, int]],
    multiple: Callable[[int], int] = lambda _count: 0,
) -> tuple[tuple[Group, ...], tuple[Numbers, ...]]:
    """Group units that have equally many entries in the same axes of the same tensors.

    Parameters
    ----------
    axes
        The numbers of each stored tensor.
    representative
        The result of `ChannelNumbers.representatives`.
    summed
        Axes of tensors that are summed over, as (name, dimension).
    multiple
        Returns `Group.own_multiple` for the number of units of a group.

    Returns
    -------
    tuple
        The groups, and for each group the representative of each unit. Sets of fewer than two
        units, and those without an axis that is summed over, form no group.
    """
    slots = [
        (name, dim, representative[axis])
        for name, each in axes.items()
        for dim, axis in enumerate(each)
        if axis is not None and axis.size > 1
    ]
    places: dict[int, list[tuple[int, int]]] = {}
    for slot, (_, _, entries) in enumerate(slots):
        found, first, counts = np.unique(entries, return_index=True, return_counts=True)
        for at in np.argsort(first).tolist():
            if found[at] != FROZEN:
                places.setdefault(int(found[at]), []).append((slot, int(counts[at])))
    classes: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for unit, found_in in places.items():
        classes.setdefault(tuple(found_in), []).append(unit)
    groups: list[Group] = []
    units_of: list[Numbers] = []
    number = np.full(representative.size, -1, np.int32)
    for where, units in classes.items():
        here = [slots[slot] for slot, _ in where]
        # Without an axis that is summed over nothing proves that a unit may be cut.
        if len(units) < 2 or summed.isdisjoint((name, dim) for name, dim, _ in here):
            continue
        number[units] = np.arange(len(units), dtype=np.int32)
        members = tuple(
            Member(
                name,
                dim,
                _layout(number[entries], len(units)),
                "output" if (name, dim) in summed else "along",
            )
            for name, dim, entries in here
        )
        number[units] = -1
        place = members[0].stem or members[0].name
        groups.append(
            Group("channels", place, len(units), members, own_multiple=multiple(len(units)))
        )
        units_of.append(np.array(units, np.int32))
    return tuple(groups), tuple(units_of)


def _layout(unit_of: Numbers, count: int) -> Runs | Scattered:
    """Return the layout of an axis: `Runs` for contiguous ordered units, else `Scattered`.

    `unit_of` has the unit of each entry, -1 for none; at least one entry must have one.
    """
    inside = np.flatnonzero(unit_of >= 0)
    start, stop = int(inside[0]), int(inside[-1]) + 1
    if inside.size == count and np.array_equal(unit_of[start:stop], np.arange(count)):
        if not start and stop == unit_of.size:
            return Runs()
        return Runs((Run(0, start), Run(1, unit_of.size - stop)))
    return Scattered(unit_of)
