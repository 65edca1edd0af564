"""Reading the elements of a tensor that lie at some rows and columns of its picture."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import DTypeLike, NDArray

from pruneapp.analysis.pooling import Flat, Places

# Elements from one flat index to another.
Read = Callable[[int, int], Flat]

# Reading this many elements in one go costs no more than finding out that fewer would do.
_SPAN = 1 << 14


def gather(read: Read, dtype: DTypeLike, rows: Places, columns: Places) -> Flat:
    """Return the elements at every row and column: ``[rows, columns]``, in memory of their own.

    Reads the span between the first and the last in one go where most of it is wanted; where not,
    halves the part along its longer side and does the same for the halves.

    Parameters
    ----------
    read
        Returns the elements from one flat index to another, in memory of their own.
    dtype
        Of the elements.
    rows, columns
        What each adds to the flat index; both rise.
    """
    start, stop = int(rows[0] + columns[0]), int(rows[-1] + columns[-1]) + 1
    if stop - start == rows.size * columns.size and _run(columns):
        return read(start, stop).reshape(rows.size, columns.size)
    found: Flat = np.empty((rows.size, columns.size), dtype)
    _fill(found, read, rows, columns)
    return found


def octets(rows: Places, columns: Places) -> NDArray[np.int64] | slice | None:
    """Return which bytes of a packed mask hold the elements at every row and column.

    Returns
    -------
    index or None
        Of ``[rows, columns / 8]`` bytes; a slice where they follow each other. None if the elements
        do not fill whole bytes.
    """
    if columns.size % 8 or not _run(columns):
        return None
    starts = rows + columns[0]
    if (starts % 8).any():
        return None
    first = starts // 8
    width = columns.size // 8
    if int(first[-1] - first[0]) == (rows.size - 1) * width:
        return slice(int(first[0]), int(first[0]) + rows.size * width)
    found: Places = first[:, None] + np.arange(width)
    return found


def _run(places: Places) -> bool:
    return int(places[-1] - places[0]) == places.size - 1


def _fill(found: Flat, read: Read, rows: Places, columns: Places) -> None:
    start, stop = int(rows[0] + columns[0]), int(rows[-1] + columns[-1]) + 1
    wanted = rows.size * columns.size
    if stop - start <= max(_SPAN, 4 * wanted) or wanted == 1:
        flat = read(start, stop)
        step = int(rows[1] - rows[0]) if rows.size > 1 else 0
        if _run(columns) and (step * np.arange(rows.size) == rows - rows[0]).all():
            # A part of a matrix: copied line by line, in a tenth of the time.
            strides = step * flat.itemsize, flat.itemsize
            found[...] = as_strided(flat, found.shape, strides, writeable=False)
        else:
            np.take(flat, (rows - start)[:, None] + columns, out=found, mode="clip")
    elif rows[-1] - rows[0] >= columns[-1] - columns[0]:
        half = rows.size // 2
        _fill(found[:half], read, rows[:half], columns)
        _fill(found[half:], read, rows[half:], columns)
    else:
        half = columns.size // 2
        _fill(found[:, :half], read, rows, columns[:half])
        _fill(found[:, half:], read, rows, columns[half:])
