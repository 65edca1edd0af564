"""Checks that the indices of a sparse tensor stay inside it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.torchfile.faults import Malformed
from pruneapp.checkpoint.torchfile.placeholders import Compound, Tensor

# Above this the indices are not read when a file is opened. Nothing here ever follows them.
MOST_BYTES = 16 << 20

Numbers = NDArray[np.integer]


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
    found: Numbers = np.frombuffer(raw, part.element.name).reshape(part.shape)
    if not found.size:
        return
    rows = found if len(extents) > 1 and found.ndim == 2 else found.reshape(1, -1)
    for row, extent in zip(rows, extents, strict=False):
        if row.size and not (0 <= int(row.min()) and int(row.max()) < extent):
            raise Malformed(f"an index of the sparse tensor '{name[:80]}' points outside it")
