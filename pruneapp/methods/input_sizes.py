"""Products of weights and the sizes of their inputs, used by all methods with statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.kernels.sort_keys import Scoring, pieces, split_into_rows
from pruneapp.kernels.values import Float64s, Floats, broadcasting, decode
from pruneapp.methods.method import TensorView

# Weights multiplied at a time.
_PIECE = 1 << 18


def scaling(view: TensorView, sizes: Float64s) -> Scoring:
    """Return a function that multiplies magnitudes by the sizes of their inputs.

    `sizes` is ``[parts, columns]``; for float32 magnitudes it is converted to float32.
    `view.inputs` describes the layout of the tensor. The function is called with the flat index of
    the first element, the magnitudes, and the array that it writes to, which may be that of the
    magnitudes.
    """
    assert view.inputs is not None
    with np.errstate(over="ignore"):
        as_type: dict[np.dtype[Any], Any] = {
            kind: sizes.astype(kind) for kind in map(np.dtype, (np.float32, np.float64))
        }
    parts, columns = sizes.shape
    if view.inputs.transposed:  # rows are inputs, columns outputs
        length = view.numel // (parts * columns)

        def by_row(start: int, values: Floats, scores: Floats) -> None:
            flat = as_type[values.dtype].reshape(-1)
            places = split_into_rows(start, values, length), split_into_rows(start, scores, length)
            for (row, _, part), (_, _, out) in zip(*places, strict=True):
                np.multiply(part, flat[row : row + len(part), np.newaxis], out=out)

        return by_row
    rows = max(view.numel // (parts * columns), 1)  # rows of each part

    def by_column(start: int, values: Floats, scores: Floats) -> None:
        by = as_type[values.dtype]
        places = split_into_rows(start, values, columns), split_into_rows(start, scores, columns)
        for (row, column, part), (_, _, out) in zip(*places, strict=True):
            n_rows, width = part.shape
            of = 0 if parts == 1 else np.arange(row, row + n_rows) // rows
            with broadcasting(width):
                np.multiply(part, by[of, column : column + width], out=out)

    return by_column


def scale_weights(view: TensorView, sizes: Float64s) -> TensorView:
    """Return a tensor of magnitudes times the sizes of their inputs, in float64.

    Only `dtype` and `read` differ from `view`: it has the same mask. Values are computed on each
    read. `sizes` is ``[parts, columns]``. NaN and infinities remain.
    """
    by_sizes = scaling(view, sizes)

    def read(start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        stop = view.numel if stop is None else stop
        for first, bits in pieces(view.read, start, stop, _PIECE):
            with np.errstate(all="ignore"):  # NaN and infinities are valid scores
                values = np.abs(decode(bits, view.dtype), dtype=np.float64)
                by_sizes(first, values, values)
            yield RawChunk(first, values.view(np.uint64))

    return replace(view, dtype=DTYPES["F64"], read=read)
