"""Saying where two files differ in the words of a person: which tensor, which weight, which value.

Bytes are compared; what they mean is looked up only where they differ.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.kernels.values import decode

# How many differences are told.
MOST = 100


@dataclass(frozen=True)
class Difference:
    """Where a file is not what it should be.

    Attributes
    ----------
    where
        A tensor by its name; or ``metadata``, ``header``, ``original``, ``file``, ``container``
        (what a torch file holds around its tensors).
    sentence
        What is wrong, without the values: the end of a sentence that begins with `where`.
    index
        Flat index of the element in C order, or the byte of the file; None where there is none.
    expected, found
        The value that the recipe makes, and that of the file.
    """

    where: str
    sentence: str
    index: int | None = None
    expected: str = ""
    found: str = ""

    def __str__(self) -> str:
        at = "" if self.index is None else f" at {self.index:,}"
        values = f": expected {self.expected}, found {self.found}" if self.expected else ""
        return f"{self.where}{at} {self.sentence}{values}"


class Locating:
    """Finds what lies at a byte of a file.

    Parameters
    ----------
    path
        The file, one of those of the checkpoint.
    checkpoint
        What was opened; None if it cannot be, as it is compressed as a whole.
    """

    def __init__(self, path: Path, checkpoint: Checkpoint | None) -> None:
        self._said: set[str] = set()
        self._places: list[tuple[int, int, TensorEntry]] = []
        self._add(path, checkpoint)
        self._places.sort(key=lambda place: place[:2])
        self._starts = [start for start, _, _ in self._places]

    def _add(self, path: Path, checkpoint: Checkpoint | None) -> None:
        if checkpoint is None:
            return
        for entry in (*checkpoint.entries.values(), *checkpoint.contents.masks):
            source = checkpoint.sources[entry.location.source]
            if source.size == source.file.size and source.file.path.name == path.name:
                start = entry.location.offset
                stop = start + entry.dtype.nbytes(entry.reach)
                if stop > start:
                    self._places.append((start, stop, entry))

    def differences(self, offset: int, expected: bytes, found: bytes) -> Iterator[Difference]:
        """Yield the first difference of each tensor that was not told of yet.

        Parameters
        ----------
        offset
            Byte of the file at which both begin.
        expected, found
            What should be there, and what is; the file may end before.
        """
        size = min(len(expected), len(found))
        one = np.frombuffer(expected, np.uint8, size)
        other = np.frombuffer(found, np.uint8, size)
        at = 0
        while (more := np.flatnonzero(one[at:] != other[at:])[:1]).size:
            at += int(more[0])
            place = self._place(offset + at)
            if place is None:
                yield from self._outside(offset + at, expected[at], found[at])
                start = bisect_right(self._starts, offset + at)
                end = self._starts[start] if start < len(self._starts) else offset + size
            else:
                yield from self._inside(place, offset, offset + at, expected, found)
                end = place[1]
            at = end - offset
            if at >= size:
                break
        if len(found) < len(expected):
            yield Difference("file", "ends too early", index=offset + len(found))

    def _place(self, byte: int) -> tuple[int, int, TensorEntry] | None:
        number = bisect_right(self._starts, byte) - 1
        if number < 0 or byte >= self._places[number][1]:
            return None
        return self._places[number]

    def _outside(self, byte: int, expected: int, found: int) -> Iterator[Difference]:
        first = not self._starts or byte < self._starts[0]
        where = "header" if first else "container"
        if where not in self._said:
            self._said.add(where)
            yield Difference(
                where, "differs", byte, expected=f"0x{expected:02x}", found=f"0x{found:02x}"
            )

    def _inside(
        self,
        place: tuple[int, int, TensorEntry],
        offset: int,
        byte: int,
        expected: bytes,
        found: bytes,
    ) -> Iterator[Difference]:
        start, _, entry = place
        if entry.name in self._said:
            return
        self._said.add(entry.name)
        itemsize = max(entry.dtype.bits // 8, 1)
        index = (byte - start) // itemsize
        first = start + index * itemsize - offset
        sides = [
            _value(entry, side[first : first + itemsize])
            if first >= 0 and first + itemsize <= len(side)
            else f"0x{side[byte - offset]:02x}"
            for side in (expected, found)
        ]
        yield Difference(entry.name, "differs", index, *sides)


def _value(entry: TensorEntry, data: bytes) -> str:
    bits = f"0x{int.from_bytes(data, 'little'):0{2 * len(data)}x}"
    storage = np.dtype(entry.dtype.storage)
    if len(data) != storage.itemsize:
        return bits
    try:
        (value,) = decode(np.frombuffer(data, storage), entry.dtype).tolist()
    except ValueError:
        return bits
    return f"{value!r} ({bits})"
