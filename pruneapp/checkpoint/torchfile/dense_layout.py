"""Tensors whose elements do not stand in the file as they are read; cross between processes."""

from __future__ import annotations

from dataclasses import dataclass

from pruneapp.checkpoint.entry import Location
from pruneapp.checkpoint.torchfile.sources import Matrix


@dataclass(frozen=True, slots=True)
class Flipped:
    """Where a conjugate or negated view lies, whose signs are the other way round in the file."""

    name: str  # of the tensor
    where: Location  # where its first element lies
    size: int  # bytes from its first element to its last in memory, both included
    itemsize: int  # bytes of an element
    flips: tuple[int, ...]  # bytes of an element whose highest bit is turned


@dataclass(frozen=True, slots=True)
class Held:
    """The bytes of a numpy array, little-endian, which stand in the pickle."""

    name: str  # of the array
    data: bytes  # its bytes, in the order that its strides tell


Rebuilt = Matrix | Flipped | Held


def size_of(one: Rebuilt) -> int:
    """Return how many bytes are read of it."""
    if isinstance(one, Matrix):
        return one.rows * one.columns * one.itemsize
    return one.size if isinstance(one, Flipped) else len(one.data)


def locations_of(one: Rebuilt) -> tuple[Location, ...]:
    """Return where its parts lie in the file."""
    if isinstance(one, Matrix):
        return one.crow, one.col, one.values
    return (one.where,) if isinstance(one, Flipped) else ()
