"""What is made of a sparse tensor, and checks that its indices stay inside it."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from dataclasses import dataclass

from pruneapp.checkpoint.entry import Location
from pruneapp.checkpoint.torchfile.torch_objects import Compound, Tensor
from pruneapp.checkpoint.torchfile.torch_objects_faults import Malformed

# Above this the indices are not read when a file is opened. Those of a matrix are looked at again
# before it is read; others are never followed.
MOST_BYTES = 1 << 20
# A matrix without a value takes a row pointer a row, whatever its width; embeddings have some
# 250,000 columns. Above this, which is no model any more, its parts are shown.
MAX_EXPANSION = 1 << 18
SMALL = 16 << 20


@dataclass(frozen=True, slots=True)
class Matrix:
    """Where a matrix in CSR lies; crosses between processes.

    Attributes
    ----------
    name
        Of the tensor.
    rows, columns
        Its extents.
    count
        How many values it has.
    itemsize, index
        Bytes of a value, and of a row pointer or a column.
    crow, col, values
        Row pointers, columns and values, each in C order.
    """

    name: str
    rows: int
    columns: int
    count: int
    itemsize: int
    index: int
    crow: Location
    col: Location
    values: Location


def opens_dense(compound: Compound) -> bool:
    """Whether it is a matrix in CSR whose elements can be read as if it were dense."""
    if compound.layout != "sparse_csr" or len(compound.shape) != 2:
        return False
    rows, columns = compound.shape
    crow, col, values = compound.parts.values()
    dtype = values.element.dtype
    size = rows * columns * values.element.itemsize
    stored = crow.nbytes + col.nbytes + values.nbytes
    return (
        values.element.whole
        and not values.why_not
        and dtype.bits in {8, 16, 32, 64}
        and all(part.strides is None and not part.flips for part in (crow, col, values))
        and crow.element is col.element
        and crow.element.name in {"int32", "int64"}
        and crow.shape == (rows + 1,)
        and col.shape == values.shape == (math.prod(values.shape),)
        and size <= max(SMALL, MAX_EXPANSION * stored)
    )


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
