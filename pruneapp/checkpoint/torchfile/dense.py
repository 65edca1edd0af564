"""Read rebuilt tensors: sparse CSR matrices as dense ones, and views with inverted signs.

All indices of a matrix are validated, in chunks, before its first element is returned: row pointers
must ascend from 0 to the number of values, and column indices must ascend within each row and be in
range. torch defines these rules (``Sparse CSR tensor invariants`` in its
``aten/src/ATen/native/sparse/ValidateCompressedIndicesCommon.h``) but does not check them when it
loads a file.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.entry import Location
from pruneapp.checkpoint.io.derived_source import Segment
from pruneapp.checkpoint.io.source import ByteSource
from pruneapp.checkpoint.torchfile.sources import Flipped, Matrix, Rebuilt
from pruneapp.checkpoint.torchfile.torch_objects import DOWNLOAD_AGAIN
from pruneapp.errors import DamagedFileError

# Maximum number of elements of the matrix, row pointers or columns in memory.
_MAX_ELEMENTS = 1 << 18
# Number of columns of a row that are read to find one of them; larger ranges are bisected.
_MAX_SCANNED = 1 << 12

Indices = NDArray[np.int64]


class MatrixSegment:
    """The elements of a sparse matrix in C order, including zeros, as a `Segment`."""

    def __init__(self, matrix: Matrix, sources: Sequence[ByteSource]) -> None:
        self._matrix = matrix
        self._sources = sources
        self._lock = threading.Lock()
        self._is_validated = False
        self.size = matrix.size
        self._crow, self._col, self._values = matrix.locations

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` from `offset` on; both must be multiples of the element size.

        The first call reads all indices. All others take time and memory in proportion to `view`.
        Raises `DamagedFileError` if the indices are invalid.
        """
        with self._lock:
            if not self._is_validated:
                self._check()
                self._is_validated = True
        words = np.frombuffer(view, f"u{self._matrix.itemsize}")
        words[:] = 0
        first = offset // self._matrix.itemsize
        for start in range(0, words.size, _MAX_ELEMENTS):
            self._fill(first + start, words[start : start + _MAX_ELEMENTS])

    def _fill(self, start: int, words: NDArray[np.unsignedinteger]) -> None:
        """Add the nonzero values to `words`, the elements from `start` on, which are all 0."""
        matrix, columns = self._matrix, self._matrix.columns
        stop = start + words.size
        row, last = start // columns, (stop - 1) // columns
        pointers = self._indices(self._crow, row, last + 2)
        low = self._find(start - row * columns, int(pointers[0]), int(pointers[1]))
        high = self._find(stop - last * columns, int(pointers[-2]), int(pointers[-1]))
        rows = np.repeat(np.arange(row, last + 1), np.diff(pointers.clip(low, high)))
        positions = rows * columns + self._indices(self._col, low, high) - start
        words[positions] = self._read(self._values, matrix.itemsize, low, high)

    def _find(self, column: int, low: int, high: int) -> int:
        """Return the index of the first entry of a row at or after `column`.

        `low` and `high` are the indices of the first entry of the row and after its last one;
        `high` is returned if there is none.
        """
        if column <= 0:
            return low
        if column >= self._matrix.columns:
            return high
        while high - low > _MAX_SCANNED:
            middle = (low + high) // 2
            if self._indices(self._col, middle, middle + 1)[0] < column:
                low = middle + 1
            else:
                high = middle
        columns = self._indices(self._col, low, high)
        return low + int(np.searchsorted(columns, column))

    def _check(self) -> None:
        """Read all row pointers and columns, and raise `DamagedFileError` if they are invalid."""
        matrix = self._matrix
        # In order and not interleaved with other reads, so that its checksum is compared.
        for start in range(0, matrix.rows + 1, _MAX_ELEMENTS):
            row_pointers = self._indices(
                self._crow, start, min(start + _MAX_ELEMENTS, matrix.rows + 1)
            )
            if row_pointers.min() < 0 or row_pointers.max() > matrix.count:
                raise self._damage_error("a row pointer", f"is not between 0 and {matrix.count:,}")
            if (start == 0 and row_pointers[0] != 0) or (
                start + row_pointers.size > matrix.rows and row_pointers[-1] != matrix.count
            ):
                raise self._damage_error(
                    "the row pointers", f"do not go from 0 to its {matrix.count:,} values"
                )
        before = -1
        for row in range(0, matrix.rows, _MAX_ELEMENTS):
            pointers = self._indices(self._crow, row, min(row + _MAX_ELEMENTS, matrix.rows) + 1)
            if (np.diff(pointers) < 0).any():
                raise self._damage_error("the row pointers", "do not ascend")
            first, end = int(pointers[0]), int(pointers[-1])
            for low in range(first, end, _MAX_ELEMENTS):
                before = self._check_columns(pointers, low, min(low + _MAX_ELEMENTS, end), before)

    def _check_columns(self, pointers: Indices, low: int, high: int, before: int) -> int:
        """Validate the columns of the entries `low` to `high` (exclusive), and return the last one.

        `before` is the column of the entry before them. Raises `DamagedFileError` if one is out of
        range or they do not ascend within a row.
        """
        columns = self._indices(self._col, low, high)
        if columns.min() < 0 or columns.max() >= self._matrix.columns:
            raise self._damage_error(
                "a column", f"is not between 0 and {self._matrix.columns - 1:,}"
            )
        ascends = np.diff(columns, prepend=before) > 0
        begin, end = np.searchsorted(pointers, (low, high))
        ascends[pointers[begin:end] - low] = True  # the first entry of a row may have any column
        if not ascends.all():
            raise self._damage_error("the columns", "do not ascend within a row")
        return int(columns[-1])

    def _indices(self, location: Location, start: int, stop: int) -> Indices:
        indices = self._read(location, self._matrix.index, start, stop)
        return indices.view(f"i{self._matrix.index}").astype(np.int64, copy=False)

    def _read(self, location: Location, itemsize: int, start: int, stop: int) -> NDArray[Any]:
        out = np.empty(stop - start, f"u{itemsize}")
        if out.size:
            source = self._sources[location.source]
            source.read_into(location.offset + start * itemsize, out.view(np.uint8).data)
        return out

    def _damage_error(self, what: str, rule: str) -> DamagedFileError:
        path = self._sources[self._crow.source].path
        return DamagedFileError(
            f"'{path}' is damaged: {what} of the sparse tensor '{self._matrix.name[:80]}' {rule}.",
            remedy=DOWNLOAD_AGAIN,
        )


class FlippedSegment:
    """The elements of a conjugate or negated view with corrected signs, as a `Segment`."""

    def __init__(self, flipped: Flipped, sources: Sequence[ByteSource]) -> None:
        self._flipped = flipped
        (location,) = flipped.locations
        self._source, self._offset = sources[location.source], location.offset
        self.size = flipped.size

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` from `offset` on."""
        self._source.read_into(self._offset + offset, view)
        octets = np.frombuffer(view, np.uint8)
        itemsize = self._flipped.itemsize
        for flip in self._flipped.flips:
            octets[(flip - offset) % itemsize :: itemsize] ^= 0x80


def create_segment(rebuilt: Rebuilt, sources: Sequence[ByteSource]) -> Segment:
    """Return a segment with the elements of a rebuilt tensor; its locations refer to `sources`."""
    if isinstance(rebuilt, Matrix):
        return MatrixSegment(rebuilt, sources)
    if isinstance(rebuilt, Flipped):
        return FlippedSegment(rebuilt, sources)
    return rebuilt
