"""Masks as few bytes: compressed, as what differs from another mask where there is one.

A stroke of a brush changes some hundred bits of millions, and what does not change becomes zeros.
Pieces are packed one by one, so that no mask is ever there twice; small masks are packed together,
for there may be 100,000 of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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
    """Yield a mask as zstd frames, one for each `PIECE` bytes of it.

    Parameters
    ----------
    base
        Another one of the same size: what is packed is the exclusive or of the two.
    """
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

    Parameters
    ----------
    pieces
        What `pack` yielded.
    base
        The mask that it was packed against.

    Raises
    ------
    ValueError
        If the pieces are no mask of this size: in words, as the end of a sentence.
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
    """Return small masks as one zstd frame, one after the other.

    Parameters
    ----------
    masks
        Each with the mask that it is packed against; `SMALL` bytes each at most, and `PIECE` bytes
        in all, but for the last.
    """
    import zstandard

    joined = b"".join(
        [(m.packed if base is None else m.packed ^ base.packed).tobytes() for m, base in masks]
    )
    job.step(len(joined))
    return zstandard.ZstdCompressor(level=_LEVEL).compress(joined)


def unpack_together(frame: bytes) -> NDArray[np.uint8]:
    """Return the bytes of masks that were packed together; raises ValueError, see `unpack`."""
    import zstandard

    try:
        # Looked at first: a frame may promise more than there is memory.
        if not 0 <= zstandard.frame_content_size(frame) <= PIECE + SMALL:
            raise ValueError("its bytes are too many")
        data = zstandard.ZstdDecompressor().decompress(frame)
    except zstandard.ZstdError:
        raise ValueError("its bytes cannot be decompressed") from None
    return np.frombuffer(data, np.uint8)


def one_of(together: NDArray[np.uint8], offset: int, size: int, base: BitMask | None) -> BitMask:
    """Return one of the masks that were packed together.

    Parameters
    ----------
    together
        What `unpack_together` returned.
    base
        The mask that it was packed against.

    Raises
    ------
    ValueError
        If there are no such bytes, or they are no mask of this size.
    """
    nbytes = (size + 7) // 8
    if not 0 <= offset <= together.size - nbytes:
        raise ValueError(f"{size:,} elements lie outside of those that it was packed with")
    packed = together[offset : offset + nbytes]
    if base is None:
        return checked(packed.copy(), size)
    if base.size != size:
        raise ValueError(f"it has {size:,} elements, and the one that it changes {base.size:,}")
    return checked(packed ^ base.packed, size)


def checked(packed: NDArray[np.uint8], size: int) -> BitMask:
    """Return a mask of packed bits; raises ValueError if they are not those of its size."""
    if packed.size != (size + 7) // 8:
        raise ValueError(f"it has {packed.size:,} bytes for {size:,} elements")
    if size % 8 and packed[-1] >> size % 8:
        raise ValueError(f"it has bits past its {size:,} elements")
    return BitMask(packed, size)
