"""Conversion of raw elements to exact float32 or float64 values, and of values to raw elements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements import Bits

Floats = NDArray[np.float32] | NDArray[np.float64]
Float64s = NDArray[np.float64]
Counts = NDArray[np.int64]
Indices = NDArray[np.intp]
Bools = NDArray[np.bool_]


def decode(bits: Bits, dtype: DType) -> Floats:
    """Return the values of raw elements, ``uint8`` to ``uint64``, as a copy or a view.

    Must not be written to, because it may be a view of `bits`. Booleans are 0 and 1.

    Returns
    -------
    ndarray
        Exact float32 values for floats of up to 32 bits and integers of up to 16 bits; otherwise
        float64, to which 64-bit integers are rounded.

    Raises
    ------
    ValueError
        For dtypes whose elements are not single real numbers: complex and packed floats.
    """
    if dtype.numpy == "float32":
        return bits.view(np.float32)
    if dtype.name == "F64":
        return bits.view(np.float64)
    if dtype.name == "BF16":  # the upper half of a float32
        wide = bits.astype(np.uint32)
        wide <<= np.uint32(16)
        return wide.view(np.float32)
    if dtype.bits in {8, 16} and dtype.numpy:
        return np.take(value_table(dtype), bits)
    if dtype.numpy in {"uint32", "int32", "uint64", "int64"}:
        return bits.view(dtype.numpy).astype(np.float64)
    raise ValueError(f"no values for elements of type {dtype.label}")


@contextmanager
def broadcasting(length: int) -> Iterator[None]:
    """Let NumPy broadcast a scalar per row, or one row, over rows of `length` without copying.

    Within the context only, and in this thread. NumPy copies broadcast operands to its buffer if
    the buffer holds more than a row, which takes as long as the operation. The context therefore
    sets a small buffer. Floating-point warnings are off.
    """
    with np.errstate(all="ignore"):  # also restores the buffer size on exit
        np.setbufsize(min(max(length // 16 * 16, 16), np.getbufsize()))
        yield


def write_magnitudes(bits: Bits, dtype: DType, out: NDArray[np.float32]) -> None:
    """Write the exact magnitudes of floats of up to 32 bits to `out`, which has the same shape."""
    if dtype.name == "BF16":
        import ml_dtypes

        # One pass in pieces that fit the cache of a core; `decode` needs three over memory.
        np.abs(bits.view(ml_dtypes.bfloat16), out=out, dtype=np.float32)
    else:
        np.abs(decode(bits, dtype), out=out, casting="same_kind")


# Elements whose squares and magnitudes are summed in float32.
_BLOCK = 1 << 12


def rough_sums(magnitudes: NDArray[np.float32]) -> tuple[float, float]:
    """Return the sum of squares and the sum of magnitudes, which are 1-D and contiguous.

    The relative error is up to 1e-6, because blocks are summed in float32. Overflow of float32
    results in infinity.
    """
    squares = sizes = 0.0
    whole = magnitudes.size - magnitudes.size % _BLOCK
    for rows in (magnitudes[:whole].reshape(-1, _BLOCK), magnitudes[np.newaxis, whole:]):
        squares += float(np.vecdot(rows, rows).sum(dtype=np.float64))
        ones = np.ones(rows.shape[1], np.float32)  # a dot product takes half as long as a sum
        sizes += float(np.vecdot(rows, ones).sum(dtype=np.float64))
    return squares, sizes


def encode(values: Floats, dtype: DType) -> Bits:
    """Return real numbers as raw elements of a float dtype, rounded to nearest, ties to even.

    A new array. Values that are too large become infinite, or NaN in dtypes without infinity.
    float64 is converted to bfloat16 and 8-bit dtypes by way of float32, which rounds twice.
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if dtype.numpy.startswith(("bfloat", "float8")):
            import ml_dtypes

            rounded = values.astype(np.float32).astype(getattr(ml_dtypes, dtype.numpy))
        else:
            rounded = values.astype(dtype.numpy)  # a copy, also of the same type
    return rounded.view(dtype.storage)


@lru_cache
def value_table(dtype: DType) -> NDArray[np.float32]:
    """Return the values of all bit patterns of an 8- or 16-bit dtype, read-only and cached.

    Index ``i`` has the value of the bit pattern ``i``.
    """
    patterns = np.arange(1 << dtype.bits, dtype=dtype.storage)
    if dtype.numpy.startswith(("bfloat", "float8")):
        import ml_dtypes

        values = patterns.view(getattr(ml_dtypes, dtype.numpy))
    elif dtype.numpy == "bool":
        values = patterns != 0
    else:
        values = patterns.view(dtype.numpy)
    table: NDArray[np.float32]
    with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
        table = values.astype(np.float32)
    table.flags.writeable = False
    return table
