"""Checks that the indices of a sparse tensor stay inside it."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from pruneapp.checkpoint.torchfile.faults import Malformed
from pruneapp.checkpoint.torchfile.pickled.placeholders import Compound, Tensor

# Above this the indices are not read when a file is opened. Nothing here ever follows them.
MOST_BYTES = 16 << 20


def check_indices(name: str, compound: Compound, read: Callable[[Tensor], bytes | None]) -> None:
    """Raise `Malformed` if an index points outside the tensor.

    Parameters
    ----------
    name
        Of the tensor.
    compound
        A sparse tensor; others are left alone.
    read
        Returns the bytes of a part, None if they are not at hand.
    """
    shape = compound.shape
    if compound.layout == "sparse_coo":
        _inside(name, compound.parts["indices"], shape, read)
    elif len(shape) >= 2 and compound.layout.startswith("sparse_"):
        rows_first = "crow_indices" in compound.parts
        pointers, plain = list(compound.parts.values())[:2]
        extent = shape[-1] if rows_first else shape[-2]
        _inside(name, plain, (extent,), read)
        count = plain.shape[-1] if plain.shape else 0
        _inside(name, pointers, (count + 1,), read)


def _inside(
    name: str,
    part: Tensor,
    extents: tuple[int, ...],
    read: Callable[[Tensor], bytes | None],
) -> None:
    if part.element.name not in {"int64", "int32"}:
        raise Malformed(f"the indices of the sparse tensor '{name[:80]}' are no whole numbers")
    raw = read(part) if part.strides is None else None
    if raw is None:
        return
    found = array("q" if part.element.itemsize == 8 else "i", raw)
    if not found:
        return
    # One row a dimension for COO; the indices of compressed layouts are one row.
    count = len(extents) if len(extents) > 1 and len(part.shape) == 2 else 1
    length = len(found) // count
    for number, extent in enumerate(extents[:count]):
        row = found[number * length : (number + 1) * length]
        if row and not (min(row) >= 0 and max(row) < extent):
            raise Malformed(f"an index of the sparse tensor '{name[:80]}' points outside it")
