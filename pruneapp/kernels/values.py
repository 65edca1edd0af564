"""What the bits of a checkpoint mean: exact values as float32, or float64 where they need it.

And the bits of values that were computed.
"""

from __future__ import annotations

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

    Returns
    -------
    ndarray
        float32 for floats of up to 32 bits and whole numbers of up to 16 bits, both exact; float64
        for all others, in which whole numbers of 64 bits are rounded.

    Raises
    ------
    ValueError
        For the types that have no single real value an element: complex and packed floats.
    """
    if dtype.name == "F32":
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


def encode(values: Floats, dtype: DType) -> Bits:
    """Return real numbers as raw elements of a type of floats, to the nearest, ties to even.

    What is too large becomes infinite, or NaN in types without infinity. float64 goes to the types
    of 8 bits and to bfloat16 by way of float32.
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
    """Return the values of all bit patterns of a type of 8 or 16 bits, read-only."""
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
