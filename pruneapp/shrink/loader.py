"""Loading of shrunk models for which transformers has no class.

Where one argument of the model's class produces all widths, that argument is used. Otherwise the
generic script load_shrunk.py gives each layer of a model the shapes of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import chain, count
from pathlib import Path

from pruneapp import resources
from pruneapp.checkpoint.io.files import lexists
from pruneapp.export.destination.target import has_bytes
from pruneapp.groups.axis import Axis
from pruneapp.groups.blocks import Argument, KnownBlock, argument_of, width_of
from pruneapp.groups.structure import Structure

LOADER = "load_shrunk.py"  # in a folder; `loader_of_file` returns the name next to a single file
# maximum number of characters of a file name that are repeated in the name of its script
_MAX_STEM = 100


def code(files: Sequence[str], script: str = LOADER) -> bytes:
    """Return the source of the script that loads any shrunk state dict.

    `files` are the names of the files that it loads by default, which are in its folder. `script`
    is the name of the script, which its documentation imports.
    """
    text = resources.path(LOADER).read_text(encoding="utf-8")
    text = text.replace("from load_shrunk import", f"from {Path(script).stem} import", 1)
    return text.replace("FILES = []", f"FILES = {list(files)!r}").encode()


def loader_of_file(weights: Path) -> Path:
    """Return the path of the script that loads a single shrunk file, next to that file.

    The script of ``net-shrunk.pt`` is ``load_net_shrunk.py``, a name that Python can import. If
    another file has this name, it is the next unused one (``load_net_shrunk_2.py``).
    """
    stem = re.sub(r"\W+", "_", weights.stem, flags=re.ASCII).strip("_")[:_MAX_STEM] or "shrunk"
    numbered = (f"load_{stem}_{number}.py" for number in count(2))
    paths = map(weights.with_name, chain([f"load_{stem}.py"], numbered))
    return next(
        path
        for path in paths
        if not lexists(path) or has_bytes(path, code([weights.name], path.name))
    )


def arguments(structure: Structure, counts: Mapping[str, int]) -> dict[Argument, float] | None:
    """Return the arguments of the class, with their values, that produce the given widths.

    Parameters
    ----------
    counts
        New numbers of units, by the `place` of the group; groups that are missing keep theirs.

    Returns
    -------
    dict or None
        One argument per axis. None if an axis has no argument, or none of its values produces these
        widths.
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


def widths_by_argument(
    axis: Axis, structure: Structure, min_widths: Sequence[int]
) -> list[int] | None:
    """Return the smallest widths of at least `min_widths` that one value of an argument produces.

    In the order of the groups of the axis, as `min_widths`. None if the class has no such argument,
    or if the present widths do not follow from it. An argument that is no integer keeps its value.
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
        return all(n >= least for n, least in zip(widths(value), min_widths, strict=True))

    if argument.whole:
        value = 1 + bisect_left(range(1, int(value)), True, key=suffices)
    return widths(value)


def _argument_for(axis: Axis, structure: Structure) -> Argument | None:
    """Return the argument that sets the width of all blocks of an axis; None if there is none."""
    forms = {block.form.argument for block in structure.blocks if block.form.axis == axis.name}
    return next(iter(forms)) if len(forms) == 1 else None


def _value(
    axis: Axis, structure: Structure, argument: Argument, widths: Sequence[int]
) -> float | None:
    """Return the value of an argument that produces the widths of the groups; None if none does.

    `widths` are in the order of the groups of the axis.
    """
    blocks = _blocks(axis, structure)
    return argument_of(
        argument, [(blocks[g.place], n) for g, n in zip(axis.groups, widths, strict=True)]
    )


def _blocks(axis: Axis, structure: Structure) -> dict[str, KnownBlock]:
    """Return the blocks of an axis, by the `place` of their groups."""
    return {g.place: b for b in structure.blocks for g in b.groups if b.form.axis == axis.name}
