"""The bit patterns of torch's floats: how they are ranked, and what numpy can see of them.

torch computes nothing in float8 and only some in the other types, but it lets every tensor be
viewed as integers of the same width without a copy.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.elements_chunks import Bits, RawChunk

_FLOATS: dict[torch.dtype, DType] = {
    getattr(torch, d.torch): d for d in DTYPES.values() if d.form is not None
}
_INTEGERS = {8: torch.uint8, 16: torch.int16, 32: torch.int32, 64: torch.int64}


def float_type(dtype: torch.dtype) -> DType | None:
    """Return the declaration of a float type that can be ranked by its bits, else None."""
    return _FLOATS.get(dtype)


def is_float8(t: torch.Tensor) -> bool:
    """Whether torch stores `t` but computes next to nothing with it."""
    return t.dtype.is_floating_point and t.dtype.itemsize == 1


def as_integers(t: torch.Tensor) -> torch.Tensor:
    """View the elements as integers of the same width: a view, 1-D if `t` is contiguous."""
    return t.detach().view(_INTEGERS[t.dtype.itemsize * 8])


def numpy_bits(t: torch.Tensor) -> Bits:
    """View the bits of a contiguous tensor of the CPU as a 1-D array of unsigned integers."""
    width = t.dtype.itemsize * 8
    bits: Bits = as_integers(t).reshape(-1).numpy().view(f"uint{width}")
    return bits


def read_bits(bits: Bits, start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
    """Read bits in memory as a kernel reads those of a file: one chunk, no copy."""
    yield RawChunk(start, bits[start:stop])
