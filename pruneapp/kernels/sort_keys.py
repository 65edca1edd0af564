"""The integers by which elements are ranked: by magnitude, by a score, or at random."""

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

# Elements that are worked on at once. Longer than what a core's own cache holds: each step of the
# work hands the interpreter's lock from thread to thread, which takes so long that with a quarter
# of this two threads were no faster than one (302 M bfloat16 weights; one thread alone does not
# care).
PIECE = 1 << 20
# Numbers that are drawn, and scores, take up to four times the room, and more steps with it.
_SHORT_PIECE = 1 << 18


def common_width(dtypes: set[DType]) -> int:
    """Return the bits of keys in which magnitudes of all these types can be compared.

    Magnitudes of one type compare by their own bits; those of different types as float32, or as
    float64 if one of them is. Both hold every smaller value exactly.
    """
    if len(dtypes) == 1:
        return next(iter(dtypes)).bits
    return max(32, *(d.bits for d in dtypes))


class Magnitudes:
    """Ranks the elements of a tensor by their magnitude.

    The key is the bit pattern of ``|w|``, as the type has it or widened to float32 or float64; the
    order of positive floats is the order of their bits. -0.0 ranks as 0, every NaN just above
    infinity. Keys have at least `width` bits, by default those of the type; see `common_width`.
    """

    def __init__(
        self,
        read: ReadBits,
        size: int,
        dtype: DType,
        kept: BitMask | None = None,
        width: int | None = None,
    ) -> None:
        if dtype.form is None:
            raise ValueError(f"elements of type {dtype.label} have no rank")
        self.read = read
        self.dtype = dtype
        self.form: FloatForm = dtype.form
        self.size = size
        self.kept = kept
        wanted = dtype.bits if width is None else width
        # Bits of a key: those of the type, or 32 or 64.
        self.width = dtype.bits if wanted <= dtype.bits else 32 if wanted <= 32 else 64

    @property
    def nan_key(self) -> int:
        """The key of every NaN."""
        form = self.form if self.native else _wide_form(self.width)
        return form.nan_key

    @property
    def native(self) -> bool:
        """Whether a key has the bits of the type itself."""
        return self.width == self.form.bits

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        """Yield the keys of elements `start` to `stop`, in pieces of at most `PIECE`."""
        stop = self.size if stop is None else stop
        buffer = np.empty(min(PIECE, stop - start), f"uint{self.width}")
        for first, bits in pieces(self.read, start, stop, PIECE):
            keys = buffer[: bits.size]
            self.write_keys(bits, keys)
            yield KeyChunk(first, keys)

    def write_keys(self, bits: Bits, keys: Bits) -> None:
        """Write the keys of raw elements into `keys`, unsigned of `width` bits."""
        if self.form.bits <= 16 and not self.native:
            np.take(key_table(self.dtype, self.width), bits, out=keys, mode="clip")
            return
        if self.native:
            np.bitwise_and(bits, keys.dtype.type(self.form.magnitude_mask), out=keys)
            if self.form.fnuz:  # the sign bit alone is the one NaN, not -0.0
                keys |= (bits == self.form.nan_key).view(np.uint8) << np.uint8(7)
        else:  # float32 as float64
            with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
                np.abs(decode(bits, self.dtype), out=keys.view(np.float64), dtype=np.float64)
        # A minimum takes four times as long as looking whether one is needed.
        if keys.size and keys.max() > self.nan_key:
            np.minimum(keys, keys.dtype.type(self.nan_key), out=keys)


def in_rows(start: int, values: Floats, length: int) -> Iterator[tuple[int, int, Floats]]:
    """Take values apart that stand from a flat index on in a matrix with rows of some length.

    Yields first row, first column and a matrix each: the rest of a row, whole rows, a part of one.
    """
    at = 0
    while at < values.size:
        row, column = divmod(start + at, length)
        if column or values.size - at < length:
            many, size = 1, min(length - column, values.size - at)
        else:
            many = (values.size - at) // length
            size = many * length
        yield row, column, values[at : at + size].reshape(many, -1)
        at += size


def pieces(read: ReadBits, start: int, stop: int, most: int) -> Iterator[tuple[int, Bits]]:
    """Yield what `read` yields in pieces of at most `most` elements, with their flat indices."""
    for chunk in read(start, stop):
        for at in range(0, chunk.bits.size, most):
            yield chunk.start + at, chunk.bits[at : at + most]


def _wide_form(width: int) -> FloatForm:
    form = DTYPES[f"F{width}"].form
    assert form is not None
    return form


@lru_cache
def key_table(dtype: DType, width: int) -> Bits:
    """Return the magnitude keys of all bit patterns of a float type of 8 or 16 bits, read-only.

    Keys have the bits of the type, or 32 or 64.
    """
    form = dtype.form
    assert form is not None
    patterns = np.arange(1 << dtype.bits, dtype=dtype.storage)
    keys: Bits
    if width == dtype.bits:
        kind = patterns.dtype.type
        keys = np.minimum(patterns & kind(form.magnitude_mask), kind(form.nan_key))
        if form.fnuz:  # the sign bit alone is the one NaN, not -0.0
            keys[1 << (form.bits - 1)] = form.nan_key
    else:
        bits, nan_key = f"uint{width}", _wide_form(width).nan_key
        with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
            values = np.abs(value_table(dtype)).astype(f"float{width}")
        keys = np.minimum(values.view(bits), np.dtype(bits).type(nan_key))
    keys.flags.writeable = False
    return keys


class Uniform:
    """Ranks the elements of a tensor at random, each by a number made from its index alone.

    The key of element ``i`` is the upper 32 bits of SplitMix64's output ``i`` for a state that is
    hashed from the seed and the name (BLAKE2b). It depends on nothing else: not on the chunks, the
    order of the tensors, the device, or what is pruned. Equal keys are rare (one in 2**32), so
    that the rule for equal keys favours nobody.
    """

    width = 32

    def __init__(self, seed: int, name: str, size: int, kept: BitMask | None = None) -> None:
        self._state = hashed_state(seed, name)
        self.size = size
        self.kept = kept

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        """Yield the keys of elements `start` to `stop`, in pieces."""
        stop = self.size if stop is None else stop
        for first in range(start, stop, _SHORT_PIECE):
            mixed = splitmix64(self._state, first, min(first + _SHORT_PIECE, stop))
            mixed >>= np.uint64(32)
            yield KeyChunk(first, mixed.astype(np.uint32))


def hashed_state(seed: int, name: str, purpose: str = "elements") -> int:
    """Return 64 bits that stand for a seed and a name, the same on every machine."""
    text = f"pruneapp\0{purpose}\0{seed}\0{name}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def splitmix64(state: int, start: int, stop: int) -> NDArray[np.uint64]:
    """Return outputs `start` to `stop` of SplitMix64 from `state`, as ``uint64``.

    Output ``i`` mixes ``state + (i + 1) * golden ratio`` (Steele, Lea and Flood, "Fast splittable
    pseudorandom number generators", 2014; the constants are those of Vigna's public code).
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


# Writes the scores of elements from a flat index on: of their magnitudes, which may be the same
# array, into the last one.
Scoring = Callable[[int, Floats, Floats], None]


# Scores, or what they are products of, in whose neighbourhood float32 rounds as it should.
SURE = 2.0**-100, 2.0**100


@dataclass(frozen=True, eq=False)
class Scores:
    """Ranks the elements of a tensor by a score of each.

    The key is the bit pattern of a float64 that is not negative, so that scores of tensors of all
    types can be compared. Every NaN ranks just above infinity. `scoring` is called from any thread;
    it must not depend on where the pieces begin. `rough` is whether it takes float32, too, and what
    it makes of them is off by a few roundings: what is beyond `SURE`, only that it is there.
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
        """Write the keys of scores in float32 of the elements from `start` on, and magnitudes.

        It takes a third of the time of `keys`. NaN ranks above infinity, not all alike.
        `magnitudes` may be the same memory, where nobody wants them.
        """
        scores = keys.view(np.float32)
        for chunk in self.read(start, start + keys.size):
            part = slice(chunk.start - start, chunk.start - start + chunk.bits.size)
            with np.errstate(all="ignore"):
                write_magnitudes(chunk.bits, self.dtype, magnitudes[part])
                self.scoring(chunk.start, magnitudes[part], scores[part])

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        """Yield the keys of elements `start` to `stop`, in pieces."""
        stop = self.size if stop is None else stop
        form = _wide_form(64)
        largest = np.uint64(form.nan_key)
        for first, bits in pieces(self.read, start, stop, _SHORT_PIECE):
            with np.errstate(all="ignore"):  # NaN and infinities are ranked, too
                scores = np.abs(decode(bits, self.dtype), dtype=np.float64)
                self.scoring(first, scores, scores)
            keys = scores.view(np.uint64)
            if keys.size and keys.max() > largest:
                np.minimum(keys & np.uint64(form.magnitude_mask), largest, out=keys)
            yield KeyChunk(first, keys)


def finite_only(read: ReadBits, dtype: DType) -> ReadBits:
    """Return what reads the same elements, NaN and infinite ones as 0."""

    def reading(start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        for chunk in read(start, stop):
            with np.errstate(invalid="ignore"):
                odd = ~np.isfinite(decode(chunk.bits, dtype))
            if odd.any():
                bits = chunk.bits.copy()
                bits[odd] = 0
                yield RawChunk(chunk.start, bits)
            else:
                yield chunk

    return reading
