"""File names of shards, such as ``model-00002-of-00003.safetensors``, and complete sets of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_SHARD = re.compile(r"(?P<stem>.*)-(?P<number>\d{5,9})-of-(?P<count>\d{5,9})(?P<suffix>\.\w+)")


@dataclass(frozen=True)
class ShardName:
    """The parts of a name such as ``model-00002-of-00003.safetensors``."""

    stem: str
    number: int
    count: int
    suffix: str

    @classmethod
    def parse(cls, path: Path) -> ShardName | None:
        """Parse the name of a file. Return None if it is not the name of a numbered shard."""
        match = _SHARD.fullmatch(path.name)
        if match is None:
            return None
        return cls(match["stem"], int(match["number"]), int(match["count"]), match["suffix"])


_Set = tuple[str, str, int, str]


def _group_by_set(names: Iterable[str]) -> dict[_Set, dict[int, str]]:
    """Group names of shards by (folder, stem, count, suffix), and each group by number.

    `names` are relative paths. Names that are not those of numbered shards are left out; of two
    with the same number, the last in alphabetical order is kept.
    """
    sets: dict[_Set, dict[int, str]] = {}
    for name in sorted(names):
        parts = ShardName.parse(Path(name))
        if parts is not None:
            folder = str(PurePosixPath(name).parent)
            key = (folder, parts.stem, parts.count, parts.suffix)
            sets.setdefault(key, {})[parts.number] = name
    return sets


def complete_sets(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the complete sets of numbered shards, each sorted by number."""
    return [
        tuple(files[number] for number in sorted(files))
        for (_, _, count, _), files in _group_by_set(names).items()
        if sorted(files) == list(range(1, count + 1))
    ]


def unlisted_shards(names: Iterable[str], listed: Collection[str]) -> list[str]:
    """Return the shards that are not listed although another shard of their set is.

    A set has the same folder, stem, count and suffix.

    Parameters
    ----------
    names
        The files that exist, relative to the folder of the model.
    listed
        The files that an index lists.
    """
    sets = _group_by_set(listed)
    return [
        name
        for key, files in _group_by_set(names).items()
        if key in sets
        for name in files.values()
        if name not in listed
    ]
