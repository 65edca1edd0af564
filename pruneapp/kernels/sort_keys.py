"""Integer keys by which elements are ranked: by magnitude, by score, or at random."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DTYPES, DType, FloatForm
from pruneapp.checkpoint.elements import Bits, RawChunk
from pruneapp.kernels.kernel import KeyChunk, ReadBits
from pruneapp.kernels.values import Floats, decode, value_table, write_magnitudes
from pruneapp.masks.bitmask import BitMask

# Elements per piece. More than the cache of a core holds: each NumPy call may pass the interpreter
# lock to another thread, which is so slow that with a quarter of this size two threads were no
# faster than one (302 M bfloat16 weights; for one thread alone the size hardly matters).
PIECE = 1 << 20
# For random numbers and scores, which need up to four times the memory and more steps.
_SHORT_PIECE = 1 << 18


def common_width(dtypes: set[DType]) -> int:
    """Return the number of bits of keys that compare magnitudes of all these dtypes.

    Magnitudes of one dtype are compared by their own bits; those of different dtypes as float32, or
    as float64 if one of them is. Both represent all smaller values exactly. `dtypes` must not be
    empty.
    """
    if len(dtypes) == 1:
        return next(iter(dtypes)).bits
    return max(32, *(d.bits for d in dtypes))


class Magnitudes:
    """Ranks the elements of a tensor by magnitude.

    The key is the bit pattern of ``|w|`` in the dtype, or widened to float32 or float64; positive
    floats are ordered as their bits. -0.0 ranks as 0, every NaN just above infinity. Keys have at
    least `width` bits, by default those of the dtype; see `common_width`.
    """

    def __init__(
        self,
        read: ReadBits,
        size: int,
        dtype: DType,
        kept: BitMask | None = None,
        width: int | None = None,
    ) -> None:
        """Store the parameters. Nothing is read.

        Raises `ValueError` for a dtype that cannot be ranked. `kept` are the elements to rank, None
        for all.
        """
        if dtype.form is None:
            raise ValueError(f"elements of type {dtype.label} have no rank")
        self.read = read
        self.dtype = dtype
        self.form: FloatForm = dtype.form
        self.size = size
        self.kept = kept
        min_width = dtype.bits if width is None else width
        # Bits of a key: those of the dtype, or 32 or 64.
        self.width = dtype.bits if min_width <= dtype.bits else 32 if min_width <= 32 else 64

    @property
    def nan_key(self) -> int:
        """The key of every NaN."""
        form = self.form if self.native else _wide_form(self.width)
        return form.nan_key

    @property
    def native(self) -> bool:
        """Whether keys have the bit width of the dtype."""
        return self.width == self.form.bits

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        """Yield the keys of elements `start` to `stop`, in pieces of at most `PIECE`.

        All pieces of a call share one buffer, so a piece is valid until the next is requested.
        """
        stop = self.size if stop is None else stop
        buffer = np.empty(min(PIECE, stop - start), f"uint{self.width}")
        for first, bits in pieces(self.read, start, stop, PIECE):
            keys = buffer[: bits.size]
            self.write_keys(bits, keys)
            yield KeyChunk(first, keys)

    def write_keys(self, bits: Bits, keys: Bits) -> None:
        """Write the keys of raw elements to `keys`, unsigned integers of `width` bits, as many.

        Thread-safe; `bits` are not changed.
        """
        if self.form.bits <= 16 and not self.native:
            np.take(key_table(self.dtype, self.width), bits, out=keys, mode="clip")
            return
        if self.native:
            np.bitwise_and(bits, keys.dtype.type(self.form.magnitude_mask), out=keys)
            if self.form.fnuz:  # the sign bit alone is the only NaN, not -0.0
                keys |= (bits == self.form.nan_key).view(np.uint8) << np.uint8(7)
        else:  # float32 as float64
            with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
                np.abs(decode(bits, self.dtype), out=keys.view(np.float64), dtype=np.float64)
        # The minimum takes four times as long as checking whether it is needed.
        if keys.size and keys.max() > self.nan_key:
            np.minimum(keys, keys.dtype.type(self.nan_key), out=keys)


def split_into_rows(start: int, values: Floats, length: int) -> Iterator[tuple[int, int, Floats]]:
    """Yield consecutive values of a matrix with rows of `length` elements, by rows.

    `start` is the flat index of the first value. Yields first row, first column and a 2-D view
    each: the rest of a row, several complete rows, or a part of a row.
    """
    at = 0
    while at < values.size:
        row, column = divmod(start + at, length)
        if column or values.size - at < length:
            n_rows, size = 1, min(length - column, values.size - at)
        else:
            n_rows = (values.size - at) // length
            size = n_rows * length
        yield row, column, values[at : at + size].reshape(n_rows, -1)
        at += size


def pieces(read: ReadBits, start: int, stop: int, most: int) -> Iterator[tuple[int, Bits]]:
    """Yield the elements from `read` in pieces of at most `most`, with their flat indices."""
    for chunk in read(start, stop):
        for at in range(0, chunk.bits.size, most):
            yield chunk.start + at, chunk.bits[at : at + most]


def _wide_form(width: int) -> FloatForm:
    form = DTYPES[f"F{width}"].form
    assert form is not None
    return form


@lru_cache
def key_table(dtype: DType, width: int) -> Bits:
    """Return the magnitude keys of all bit patterns of an 8- or 16-bit float dtype, read-only.

    `width` is the number of bits of a key: those of the dtype, 32 or 64. Cached.
    """
    form = dtype.form
    assert form is not None
    patterns = np.arange(1 << dtype.bits, dtype=dtype.storage)
    keys: Bits
    if width == dtype.bits:
        kind = patterns.dtype.type
        keys = np.minimum(patterns & kind(form.magnitude_mask), kind(form.nan_key))
        if form.fnuz:  # the sign bit alone is the only NaN, not -0.0
            keys[1 << (form.bits - 1)] = form.nan_key
    else:
        bits, nan_key = f"uint{width}", _wide_form(width).nan_key
        with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
            values = np.abs(value_table(dtype)).astype(f"float{width}")
        keys = np.minimum(values.view(bits), np.dtype(bits).type(nan_key))
    keys.flags.writeable = False
    return keys


class Uniform:
    """Ranks the elements of a tensor at random, by numbers that depend on the index.

    The key of element ``i`` is the upper 32 bits of output ``i`` of SplitMix64, with a state hashed
    from the seed and the tensor's name (BLAKE2b). It does not depend on chunks, the order of
    tensors, the device, or what is pruned. Equal keys are rare (one in 2**32), so the rule for them
    introduces no bias.
    """

    width = 32

    def __init__(self, seed: int, name: str, size: int, kept: BitMask | None = None) -> None:
        self._state = hash_state(seed, name)
        self.size = size
        self.kept = kept

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        """Yield the keys of elements `start` to `stop`, in pieces."""
        stop = self.size if stop is None else stop
        for first in range(start, stop, _SHORT_PIECE):
            mixed = splitmix64(self._state, first, min(first + _SHORT_PIECE, stop))
            mixed >>= np.uint64(32)
            yield KeyChunk(first, mixed.astype(np.uint32))


def hash_state(seed: int, name: str, purpose: str = "elements") -> int:
    """Return a 64-bit hash of a seed and a name, identical on every machine."""
    text = f"pruneapp\0{purpose}\0{seed}\0{name}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def splitmix64(state: int, start: int, stop: int) -> NDArray[np.uint64]:
    """Return outputs `start` to `stop` (exclusive) of SplitMix64 from `state`, as ``uint64``.

    Output ``i``, from 0, mixes ``state + (i + 1) * golden ratio`` (Steele, Lea and Flood, "Fast
    splittable pseudorandom number generators", 2014; the constants are those of Vigna's public
    code).
    """
    z: NDArray[np.uint64] = np.arange(start + 1, stop + 1, dtype=np.uint64)
    z *= np.uint64(0x9E37_79B9_7F4A_7C15)
    z += np.uint64(state)
    shifted: NDArray[np.uint64] = np.empty_like(z)
    mix: tuple[tuple[int, Any], ...] = (
        (30, np.uint64(0xBF58_476D_1CE4_E5B9)),
        (27, np.uint64(0x94D0_49BB_1331_11EB)),
        (31, None),
    )
    for shift, factor in mix:
        np.right_shift(z, np.uint64(shift), out=shifted)
        z ^= shifted
        if factor is not None:
            z *= factor
    return z


# Computes scores. Arguments: flat index of the first element, magnitudes, and the output array,
# which may be the same as the magnitudes.
Scoring = Callable[[int, Floats, Floats], None]


# Range of scores, and of the factors of scores, within which float32 rounds with full precision.
SURE = 2.0**-100, 2.0**100


@dataclass(frozen=True, eq=False)
class Scores:
    """Ranks the elements of a tensor by a score.

    The key is the bit pattern of a non-negative float64, so that scores of tensors of all dtypes
    can be compared. Every NaN ranks just above infinity. `scoring` must be thread-safe and
    independent of where pieces begin. `rough` states that it also accepts float32 and is then off
    by a few roundings; outside `SURE`, the result only indicates that it is outside.
    """

    width: ClassVar[int] = 64

    read: ReadBits
    size: int
    dtype: DType
    kept: BitMask | None
    scoring: Scoring
    rough: bool = False

    def write_rough_keys(
        self, start: int, keys: NDArray[np.uint32], magnitudes: NDArray[np.float32]
    ) -> None:
        """Write float32 score keys and the magnitudes of the elements from `start` on.

        As many as `keys` has room for. Takes a third of the time of `Scores.keys`. NaNs rank above
        infinity, but not all equally. `magnitudes` may share the memory of the keys if the caller
        does not need the magnitudes. Only valid if `rough`.
        """
        scores = keys.view(np.float32)
        for chunk in self.read(start, start + keys.size):
            part = slice(chunk.start - start, chunk.start - start + chunk.bits.size)
            with np.errstate(all="ignore"):
                write_magnitudes(chunk.bits, self.dtype, magnitudes[part])
                self.scoring(chunk.start, magnitudes[part], scores[part])

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        """Yield the keys of elements `start` to `stop`, in pieces with an array of their own."""
        stop = self.size if stop is None else stop
        form = _wide_form(64)
        largest = np.uint64(form.nan_key)
        for first, bits in pieces(self.read, start, stop, _SHORT_PIECE):
            with np.errstate(all="ignore"):  # NaN and infinities are valid scores
                scores = np.abs(decode(bits, self.dtype), dtype=np.float64)
                self.scoring(first, scores, scores)
            keys = scores.view(np.uint64)
            if keys.size and keys.max() > largest:
                np.minimum(keys & np.uint64(form.magnitude_mask), largest, out=keys)
            yield KeyChunk(first, keys)


def finite_only(read: ReadBits, dtype: DType) -> ReadBits:
    """Return a reader like `read` that returns 0 for NaN and infinite elements.

    Chunks without any are those of `read`, others are copies.
    """

    def reading(start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        """Yield the elements `start` to `stop` like `ReadBits`, 0 where not finite."""
        for chunk in read(start, stop):
            with np.errstate(invalid="ignore"):
                not_finite = ~np.isfinite(decode(chunk.bits, dtype))
            if not_finite.any():
                bits = chunk.bits.copy()
                bits[not_finite] = 0
                yield RawChunk(chunk.start, bits)
            else:
                yield chunk

    return reading
