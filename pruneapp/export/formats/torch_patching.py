"""Zeros laid over the storages of a file, everything else byte for byte.

What a torch file holds beside the chosen tensors (optimizer, hyper-parameters, other state dicts)
survives without being understood.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.source import ByteSource
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.bitmask_mask import Mask
from pruneapp.progress import Job

# Read, zeroed and handed on before it leaves the cache of a core.
_CHUNK_BYTES = 1 << 20
_CHUNK_ELEMENTS = 1 << 20


@dataclass(frozen=True, eq=False)
class Patch:
    """Elements that lie side by side in a file, some of which become 0.

    Attributes
    ----------
    offset
        Byte of the first.
    itemsize
        Bytes of one.
    kept
        0 where an element becomes 0.
    """

    offset: int
    itemsize: int
    kept: Mask

    @property
    def end(self) -> int:
        """The byte behind the last."""
        return self.offset + self.itemsize * self.kept.size

    def apply(self, piece: NDArray[np.uint8], start: int) -> None:
        """Change a piece of it that begins at the byte `start` of the file."""
        self.kept.zero(piece.view(f"u{self.itemsize}"), (start - self.offset) // self.itemsize)


@dataclass(frozen=True, eq=False)
class BytePatch:
    """Bytes of a file in the place of as many others.

    Attributes
    ----------
    offset
        The first of them.
    data
        What stands there then.
    """

    offset: int
    data: bytes

    @property
    def end(self) -> int:
        """The byte behind the last."""
        return self.offset + len(self.data)

    def apply(self, piece: NDArray[np.uint8], start: int) -> None:
        """Change a piece of it that begins at the byte `start` of the file."""
        at = start - self.offset
        piece[:] = np.frombuffer(self.data, np.uint8, piece.size, at)


@dataclass(frozen=True)
class Checked:
    """A stretch of a file that a checksum covers.

    Attributes
    ----------
    start, stop
        Its bytes.
    places
        Bytes at which its CRC-32 is written, four little-endian bytes each.
    """

    start: int
    stop: int
    places: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Span:
    start: int
    stop: int
    patch: Patch | BytePatch | None = None
    covered: Checked | None = None  # what this is a part of
    checksum: Checked | None = None  # whose CRC this is


def overlapping(entries: Iterable[TensorEntry], zeroed: frozenset[str], job: Job) -> str:
    """Return the name of a tensor in `zeroed` that shares bytes with another; empty if none."""
    places = []
    for entry in chain.from_iterable(job.cancel.batches(entries)):
        start = entry.location.offset
        stop = start + entry.dtype.nbytes(entry.reach)
        places.append((entry.location.source, start, stop, entry.name))
    places.sort()
    reach: dict[int, tuple[int, str]] = {}
    for source, start, stop, name in chain.from_iterable(job.cancel.batches(places)):
        end, other = reach.get(source, (0, ""))
        if start < end and start < stop and (name in zeroed or other in zeroed):
            return name if name in zeroed else other
        # A zeroed tensor must be remembered even where a longer one reaches further: the longer
        # one began before it, so their overlap was found already.
        if stop > end:
            reach[source] = (stop, name)
    return ""


def patch_of(entry: TensorEntry, kept: Mask, job: Job) -> Patch:
    """Return the patch for a tensor, of whatever strides, and the mask of its elements."""
    itemsize = entry.dtype.bits // 8
    if entry.location.strides is not None:
        kept = _in_order_of_storage(entry, kept, job)
    return Patch(entry.location.offset, itemsize, kept)


def _in_order_of_storage(entry: TensorEntry, kept: Mask, job: Job) -> BitMask:
    strides = entry.location.strides
    assert strides is not None
    packed = BitMask.full(entry.reach).packed.copy()
    for start in range(0, entry.numel, _CHUNK_ELEMENTS):
        job.step(0)
        stop = min(start + _CHUNK_ELEMENTS, entry.numel)
        gone = np.flatnonzero(~kept.bools(start, stop)) + start
        where = np.zeros(gone.size, np.int64)
        for index, stride in zip(np.unravel_index(gone, entry.shape), strides, strict=True):
            where += index * stride
        bits = np.left_shift(1, where & 7).astype(np.uint8)
        np.bitwise_and.at(packed, where >> 3, ~bits)
    return BitMask(packed, entry.reach)


class PatchedFile:
    """The bytes of a file with patches and mended checksums.

    Parameters
    ----------
    source
        The file, read in order from the first byte to the last.
    patches
        Apart from each other.
    checked
        The stretches that checksums cover, apart from each other. Those that no patch touches
        keep theirs, right or wrong.
    job
        Looked at while it is laid out; may cancel.
    """

    def __init__(
        self,
        source: ByteSource,
        patches: Iterable[Patch | BytePatch],
        checked: Iterable[Checked],
        job: Job,
    ) -> None:
        self._source = source
        batches = job.cancel.batches(patches)
        filled = [patch for batch in batches for patch in batch if patch.end > patch.offset]
        self._patches = sorted(filled, key=attrgetter("offset"))
        self._checked = _touched(checked, self._patches, job)

    @property
    def nbytes(self) -> int:
        """Size: that of the source."""
        return self._source.size

    def pieces(self) -> Iterator[memoryview | bytes]:
        """Make the bytes from the first to the last."""
        spans = self._spans()
        # Where a checksum stands before what it covers, it must be known before.
        early = frozenset(c for c in self._checked if min(c.places, default=c.stop) < c.start)
        checksums: dict[Checked, int] = {}
        for span in spans:
            if span.covered is not None and span.covered in early:
                for piece in self._read(span):
                    checksums[span.covered] = zlib.crc32(piece, checksums.get(span.covered, 0))
                    yield b""
        for span in spans:
            if span.checksum is not None:
                yield struct.pack("<I", checksums[span.checksum])
                continue
            for piece in self._read(span):
                if span.covered is not None and span.covered not in early:
                    before = checksums.get(span.covered, 0)
                    checksums[span.covered] = zlib.crc32(piece, before)
                yield piece

    def _spans(self) -> list[_Span]:
        crcs = {place: one for one in self._checked for place in one.places}
        starts = {p.offset: p for p in self._patches}
        cuts = {0, self._source.size}
        for patch in self._patches:
            cuts |= {patch.offset, patch.end}
        for one in self._checked:
            cuts |= {one.start, one.stop}
        for place in crcs:
            cuts |= {place, place + 4}
        spans = []
        at = 0  # of the stretches that checksums cover
        for start, stop in pairwise(sorted(cuts)):
            while at < len(self._checked) and self._checked[at].stop <= start:
                at += 1
            covered = None
            if at < len(self._checked) and self._checked[at].start <= start:
                covered = self._checked[at]
            spans.append(_Span(start, stop, starts.get(start), covered, crcs.get(start)))
        return spans

    def _read(self, span: _Span) -> Iterator[memoryview]:
        patch = span.patch
        step = _CHUNK_BYTES
        # Whole elements, also of a patch that does not begin at a multiple of its item size.
        buffer = np.empty(min(step, span.stop - span.start), np.uint8)
        for start in range(span.start, span.stop, step):
            piece = buffer[: min(step, span.stop - start)]
            self._source.read_into(start, piece.data)
            if patch is not None:
                patch.apply(piece, start)
            yield piece.data


def _touched(
    checked: Iterable[Checked], patches: Sequence[Patch | BytePatch], job: Job
) -> list[Checked]:
    starts = np.array(list(map(attrgetter("offset"), patches)), np.int64)
    found = []
    ordered = sorted(checked, key=attrgetter("start"))
    for batch in job.cancel.batches(ordered):
        firsts = np.searchsorted(starts, [one.start for one in batch])
        lasts = np.searchsorted(starts, [one.stop for one in batch])
        touched = (firsts < lasts).tolist()
        found += [one for one, yes in zip(batch, touched, strict=True) if yes]
    return found
