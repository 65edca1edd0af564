"""Masks as few bytes: compressed, as what differs from another mask where there is one.

A stroke of a brush changes some hundred bits of millions, and what does not change becomes zeros.
Pieces are packed one by one, so that no mask is ever there twice; small masks are packed together,
for there may be 100,000 of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

# Bytes of a mask that are packed in one go: a job that is cancelled waits for no more.
PIECE = 4 << 20
# Masks of no more bytes are packed together, up to a piece of them.
SMALL = 64 << 10
_LEVEL = 1


def pack(mask: BitMask, base: BitMask | None, job: Job) -> Iterator[bytes]:
    """Yield a mask, exclusive or `base`, as zstd frames, one for each `PIECE` bytes of it."""
    import zstandard

    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    for start in range(0, mask.nbytes, PIECE):
        piece = mask.packed[start : start + PIECE]
        if base is not None:
            piece = piece ^ base.packed[start : start + PIECE]
        yield compressor.compress(piece.data)
        job.step(piece.size)


def unpack(pieces: Iterable[bytes], size: int, base: BitMask | None, job: Job) -> BitMask:
    """Return the mask that was packed.

    Raises ValueError, in words as the end of a sentence, if the pieces are no mask of this size.
    """
    import zstandard

    nbytes = (size + 7) // 8
    if base is not None and base.size != size:
        raise ValueError(f"it has {size:,} elements, and the one that it changes {base.size:,}")
    packed: NDArray[np.uint8] = np.empty(nbytes, np.uint8)
    decompressor = zstandard.ZstdDecompressor()
    done = 0
    for piece in pieces:
        wanted = min(PIECE, nbytes - done)
        # Looked at first: a frame may promise more than there is memory.
        try:
            if wanted == 0 or zstandard.frame_content_size(piece) != wanted:
                raise ValueError(f"its pieces are not those of {size:,} elements")
            data = decompressor.decompress(piece)
        except zstandard.ZstdError:
            raise ValueError("its bytes cannot be decompressed") from None
        here = packed[done : done + wanted]
        here[:] = np.frombuffer(data, np.uint8)
        if base is not None:
            here ^= base.packed[done : done + wanted]
        done += wanted
        job.step(wanted)
    if done != nbytes:
        raise ValueError(f"{nbytes - done:,} of its {nbytes:,} bytes are missing")
    return checked(packed, size)


def pack_together(masks: Sequence[tuple[BitMask, BitMask | None]], job: Job) -> bytes:
    """Return masks, each with its base, as one zstd frame, one after the other.

    They have `SMALL` bytes each at most, and `PIECE` bytes in all, but for the last.
    """
    import zstandard

    joined = b"".join(
        [(m.packed if base is None else m.packed ^ base.packed).tobytes() for m, base in masks]
    )
    job.step(len(joined))
    return zstandard.ZstdCompressor(level=_LEVEL).compress(joined)


class Unpacker:
    """Reads masks that were packed; of those packed together, it keeps the last frame.

    The next mask is in the same frame, as a rule.
    """

    def __init__(self) -> None:
        self._last: tuple[object, NDArray[np.uint8]] | None = None

    def read(
        self,
        key: object,
        pieces: Iterable[bytes],
        size: int,
        offset: int,
        *,
        base: BitMask | None,
        job: Job,
    ) -> BitMask:
        """Return a mask; raises as `unpack`.

        It begins at `offset` in the one frame that `pieces` yield, or is all of them if that is -1.
        They are read if their `key` is another one than before only.
        """
        if offset < 0:
            return unpack(pieces, size, base, job)
        if self._last is None or self._last[0] != key:
            self._last = key, _unpack_together(pieces)
        together, nbytes = self._last[1], (size + 7) // 8
        if not 0 <= offset <= together.size - nbytes:
            raise ValueError(f"{size:,} elements lie outside of those that it was packed with")
        packed = together[offset : offset + nbytes]
        if base is not None and base.size != size:
            raise ValueError(f"it has {size:,} elements, and the one that it changes {base.size:,}")
        mask = checked(packed.copy() if base is None else packed ^ base.packed, size)
        job.step(nbytes)
        return mask


def _unpack_together(pieces: Iterable[bytes]) -> NDArray[np.uint8]:
    import zstandard

    frames = list(islice(pieces, 2))
    try:
        # Looked at first: a frame may promise more than there is memory.
        if len(frames) != 1 or not 0 <= zstandard.frame_content_size(frames[0]) <= PIECE + SMALL:
            raise ValueError("it is not one frame of small masks")
        data = zstandard.ZstdDecompressor().decompress(frames[0])
    except zstandard.ZstdError:
        raise ValueError("its bytes cannot be decompressed") from None
    return np.frombuffer(data, np.uint8)


def checked(packed: NDArray[np.uint8], size: int) -> BitMask:
    """Return a mask of packed bits; raises ValueError if they are not those of its size."""
    if packed.size != (size + 7) // 8:
        raise ValueError(f"it has {packed.size:,} bytes for {size:,} elements")
    if size % 8 and packed[-1] >> size % 8:
        raise ValueError(f"it has bits past its {size:,} elements")
    return BitMask(packed, size)
