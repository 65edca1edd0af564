"""Chunks cut at fixed places, so that a sum over them is the same however the file was read.

Sums over a tensor are made like this: elements in flat order, in blocks of 4,096; inside a block
by numpy's pairwise summation of a contiguous row; the sums of the blocks added by `math.fsum`,
which is exact whatever the order. The size of chunks, threads and devices play no part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements_chunks import Bits, RawChunk
from pruneapp.errors import CheckpointError
from pruneapp.kernels.kernel import BLOCK
from pruneapp.kernels.values import Floats, decode


def aligned(chunks: Iterable[RawChunk], multiple: int = BLOCK) -> Iterator[RawChunk]:
    """Yield the same elements in chunks that begin at multiples of `multiple`.

    The first chunk must begin at one. Chunks that are cut well already pass without a copy.
    """
    rest: list[Bits] = []
    start = held = 0
    for chunk in chunks:
        if not held and chunk.bits.size % multiple == 0:
            yield chunk
            continue
        if not held:
            start = chunk.start
        rest.append(chunk.bits.copy())  # the reader uses its buffer again
        held += chunk.bits.size
        whole = held - held % multiple
        if whole:
            joined = np.concatenate(rest)
            yield RawChunk(start, joined[:whole])
            rest, start, held = [joined[whole:]], start + whole, held - whole
    if held:
        yield RawChunk(start, np.concatenate(rest))


def block_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each block of `BLOCK` elements; the last block may be short.

    `values` is 1-D and contiguous.
    """
    whole = values.size - values.size % BLOCK
    sums: NDArray[np.float64] = np.add.reduce(values[:whole].reshape(-1, BLOCK), axis=1)
    if whole < values.size:
        sums = np.append(sums, np.add.reduce(values[whole:]))
    return sums


def real_values(bits: Bits, dtype: DType, name: str) -> Floats:
    """Return the values of elements of any type; the magnitude of complex numbers.

    Raises
    ------
    CheckpointError
        If the type has no values of its own (packed 4 and 6-bit floats).
    """
    if dtype.name in {"C64", "C128"}:
        magnitudes: Floats = np.abs(bits.view(dtype.numpy))
        return magnitudes
    try:
        return decode(bits, dtype)
    except ValueError:
        raise CheckpointError(
            f"'{name}' cannot be shown: values of type {dtype.label} are packed."
        ) from None
