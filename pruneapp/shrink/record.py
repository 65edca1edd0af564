"""The record of a shrunk model: which units were kept. It is needed for `unshrink`."""

from __future__ import annotations

from itertools import repeat
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from pruneapp import json_codec
from pruneapp.errors import JsonError, words_of
from pruneapp.export.destination.sidecars import shrink_record_of
from pruneapp.groups.group import Group, Member, Run, Runs, Scattered, Units
from pruneapp.shrink.cut import Cut, GroupCut, ShrinkError

_LARGEST = 256 << 20


class MemberRecord(msgspec.Struct, frozen=True, array_like=True):
    """A tensor of a group: its original name, the dimension that was cut, and its layout.

    `runs` has the number of entries per unit in each run along the dimension.
    """

    name: str
    dim: int
    runs: tuple[int, ...]
    # Entries after each run that belong to no unit; empty if there are none.
    fixed: tuple[int, ...] = ()
    # For tensors without regular runs: pairs of the unit of the first entry and the number of
    # entries. The unit grows by one per entry; unit -1 (no unit) stays -1.
    scattered: tuple[tuple[int, int], ...] = ()


class GroupRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A group that lost units. `kept` are half-open ranges (start, stop) of units."""

    axis: str
    place: str
    count: int
    kept: tuple[tuple[int, int], ...]
    members: tuple[MemberRecord, ...] = ()
    prefix: str = ""
    tensors: tuple[tuple[str, ...], ...] = ()
    silenced_by: tuple[tuple[str, ...], ...] = ()


class ShrinkRecord(msgspec.Struct, frozen=True):
    """The contents of the file."""

    groups: tuple[GroupRecord, ...]
    # Original names of the biases that absorbed constants of removed units.
    folded: tuple[str, ...] = ()
    version: int = 1

    def encode(self) -> bytes:
        """Return the record as JSON, with a newline at the end."""
        return json_codec.encode(self) + b"\n"

    @property
    def cut(self) -> Cut:
        """The recorded cut."""
        return Cut(tuple(_cut_of(group) for group in self.groups))


def record_of(cut: Cut, folded: tuple[str, ...]) -> ShrinkRecord:
    """Return the record of a cut. `folded` names the biases that absorbed constants."""
    return ShrinkRecord(tuple(_record_of(each) for each in cut.groups), folded)


def read_record(model: Path) -> ShrinkRecord:
    """Read the record of a shrunk model, which is a folder or a file.

    Raises `ShrinkError` if the record is missing, unreadable, inconsistent or of another version.
    """
    path = shrink_record_of(model)
    try:
        if not path.exists():
            raise ShrinkError(
                f"'{path.parent}' contains no '{path.name}', so the kept units are unknown.",
                remedy="Specify the folder or the file that `pruneapp shrink` wrote.",
            )
        data = json_codec.read(path, "record", _LARGEST, ShrinkError)
        record = json_codec.decode(data, ShrinkRecord, str(path))
    except JsonError as error:
        raise ShrinkError(str(error)) from None
    except OSError as error:
        raise ShrinkError(f"'{path}' cannot be read: {words_of(error)}.") from None
    if record.version != 1:
        raise ShrinkError(
            f"'{path}' is of version {record.version}, and this Pruneapp reads version 1.",
            remedy="Update Pruneapp.",
        )
    for group in record.groups:
        edges = [edge for run in group.kept for edge in run]
        inside = not edges or (edges[0] >= 0 and edges[-1] <= group.count)
        ranges_valid = inside and edges == sorted(edges)
        lengths_valid = all(
            -1 <= first < group.count and 0 < length < 1 << 31
            for member in group.members
            for first, length in member.scattered
        )
        lists_complete = all(
            len(units) in {0, group.count} for units in (group.tensors, group.silenced_by)
        )
        if not (ranges_valid and lists_complete and lengths_valid and 0 <= group.count < 1 << 31):
            raise ShrinkError(f"'{path}' contradicts itself at '{group.place}'.")
    return record


def _record_of(cut: GroupCut) -> GroupRecord:
    """Return the record of the cut of a group."""
    group = cut.group
    members = []
    for member in group.members:
        if isinstance(member.layout, Scattered):
            places = _scattered_runs(member.layout.unit_of)
            members.append(MemberRecord(member.name, member.dim, (), (), places))
            continue
        runs = tuple(run.each for run in member.layout.runs)
        fixed = tuple(run.fixed for run in member.layout.runs)
        members.append(MemberRecord(member.name, member.dim, runs, fixed if any(fixed) else ()))
    return GroupRecord(
        group.axis,
        group.place,
        group.count,
        _runs_of(cut.kept),
        tuple(members),
        group.prefix,
        group.tensors,
        group.silenced_by,
    )


def _runs_of(units: Units) -> tuple[tuple[int, int], ...]:
    if not units.size:
        return ()
    parts = np.split(units, np.flatnonzero(np.diff(units) > 1) + 1)
    return tuple((int(part[0]), int(part[-1]) + 1) for part in parts)


def _scattered_runs(unit_of: NDArray[np.int32]) -> tuple[tuple[int, int], ...]:
    step = np.diff(unit_of)
    continues = np.where(unit_of[:-1] < 0, step == 0, (step == 1) & (unit_of[1:] >= 0))
    parts = np.split(unit_of, np.flatnonzero(~continues) + 1)
    return tuple((int(part[0]), part.size) for part in parts if part.size)


def _layout_of(record: MemberRecord) -> Runs | Scattered:
    """Return the layout of a tensor from its record."""
    if not record.scattered:
        return Runs(tuple(map(Run, record.runs, record.fixed or repeat(0))))
    parts = [
        np.arange(first, first + length) if first >= 0 else np.full(length, -1)
        for first, length in record.scattered
    ]
    return Scattered(np.concatenate(parts).astype(np.int32))


def _cut_of(record: GroupRecord) -> GroupCut:
    """Return the cut of a group from its record."""
    runs = [np.arange(start, stop) for start, stop in record.kept]
    kept = np.concatenate(runs) if runs else np.zeros(0, np.int64)
    members = tuple(Member(each.name, each.dim, _layout_of(each)) for each in record.members)
    more: dict[str, Any] = {
        "tensors": record.tensors,
        "prefix": record.prefix,
        "silenced_by": record.silenced_by,
    }
    return GroupCut(Group(record.axis, record.place, record.count, members, **more), kept)
