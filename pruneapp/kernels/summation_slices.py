"""Reading a tensor box by box, to be taken apart into channels."""

from __future__ import annotations

import numpy as np

from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.kernels.kernel import Slices
from pruneapp.kernels.values import Floats, decode
from pruneapp.masks.channels import Box


def read_box(slices: Slices, box: Box) -> Bits:
    """Return the raw elements of a box, +0.0 where pruned, shaped like the box.

    May be called from any thread. The elements lie in memory of their own or in the buffer of
    this one reading, and are not to be written to.
    """
    size = box.stop - box.start
    chunks = slices.read(box.start, box.stop)
    bits = next(chunks).bits
    if bits.size < size or slices.kept is not None:
        whole = np.empty(size, bits.dtype)
        whole[: bits.size] = bits
        at = bits.size
        for chunk in chunks:
            whole[at : at + chunk.bits.size] = chunk.bits
            at += chunk.bits.size
        bits = whole
    if slices.kept is not None:
        # Not multiplied as numbers: inf and NaN are pruned, too.
        slices.kept.zero(bits, box.start)
    return bits.reshape(box.shape)


def values_of(slices: Slices, box: Box) -> Floats:
    """Return the values of a box, 0 where pruned, shaped like the box; see `read_box`."""
    return decode(read_box(slices, box), slices.dtype)
