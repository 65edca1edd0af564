"""How a shrunk model that transformers does not configure is loaded.

Where one argument of the class says how wide all blocks are, by that; else by a few general lines
of Python, which give each layer of a model the shapes that the file has for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache

from pruneapp import resources
from pruneapp.groups.axis import Axis
from pruneapp.groups.blocks import Argument, KnownBlock, argument_of, width_of
from pruneapp.groups.structure import Structure

LOADER = "load_shrunk.py"


@cache
def code() -> bytes:
    """Return the lines of Python that load any shrunk state dict."""
    return resources.path(LOADER).read_bytes()


def arguments(structure: Structure, counts: Mapping[str, int]) -> dict[Argument, float] | None:
    """Return what the arguments of the class are where its blocks are as wide as is said.

    `counts` are the units of groups by their places, of those that have not as many as they had.
    None if there are blocks that no argument makes so.
    """
    found = {}
    for axis in structure.axes.values():
        argument = _argument_for(axis, structure)
        if argument is None:
            return None
        widths = [counts.get(group.place, group.count) for group in axis.groups]
        value = _value(axis, structure, argument, widths)
        if value is None:
            return None
        found[argument] = value
    return found


def widths_by_argument(axis: Axis, structure: Structure, wanted: Sequence[int]) -> list[int] | None:
    """Return the least widths that one value of an argument makes and that are not below `wanted`.

    None if the class has no such argument, or its blocks are not what it makes of one now.
    """
    argument = _argument_for(axis, structure)
    if argument is None:
        return None
    value = _value(axis, structure, argument, [group.count for group in axis.groups])
    if value is None:
        return None
    blocks = _blocks(axis, structure)

    def widths(value: float) -> list[int]:
        return [width_of(argument, blocks[group.place], value) for group in axis.groups]

    def suffices(value: int) -> bool:
        return all(n >= least for n, least in zip(widths(value), wanted, strict=True))

    if argument.whole:
        value = 1 + bisect_left(range(1, int(value)), True, key=suffices)
    return widths(value)


def _argument_for(axis: Axis, structure: Structure) -> Argument | None:
    """Return the argument that says how wide all blocks of an axis are; None if there is none."""
    forms = {block.form.argument for block in structure.blocks if block.form.axis == axis.name}
    return next(iter(forms)) if len(forms) == 1 else None


def _value(
    axis: Axis, structure: Structure, argument: Argument, widths: Sequence[int]
) -> float | None:
    blocks = _blocks(axis, structure)
    return argument_of(
        argument, [(blocks[g.place], n) for g, n in zip(axis.groups, widths, strict=True)]
    )


def _blocks(axis: Axis, structure: Structure) -> dict[str, KnownBlock]:
    """Return the blocks of the groups of an axis, by the places of these."""
    return {g.place: b for b in structure.blocks for g in b.groups if b.form.axis == axis.name}
