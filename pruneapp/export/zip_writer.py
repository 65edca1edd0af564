"""A zip archive as torch writes it: stored, aligned to 64 bytes, without dates.

Sizes are known before the first byte, checksums stand behind the data, so an archive of any size
is written in one pass. Layout: APPNOTE.TXT 6.3.10 of PKWARE, sections 4.3 to 4.5.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

ALIGNMENT = 64
_DESCRIPTOR_AND_UTF8 = 0x0808
_LARGE = 0xFFFF_FFFF
_MANY = 0xFFFF


@dataclass(frozen=True)
class Member:
    """A file in the archive.

    Attributes
    ----------
    name
        Path inside.
    nbytes
        Its exact size.
    pieces
        Makes its bytes.
    """

    name: str
    nbytes: int
    pieces: Callable[[], Iterator[bytes | memoryview]]

    @classmethod
    def of(cls, name: str, data: bytes) -> Member:
        """Make a small one."""
        return cls(name, len(data), lambda: iter((data,)))


@dataclass(frozen=True)
class _Place:
    member: Member
    offset: int  # of the local header
    local: bytes  # the local header
    tail: int  # bytes of the data descriptor

    @property
    def end(self) -> int:
        return self.offset + len(self.local) + self.member.nbytes + self.tail


class ZipPlan:
    """Where everything lies in an archive of `members`, in this order."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._places: list[_Place] = []
        offset = 0
        for member in members:
            large = member.nbytes >= _LARGE
            place = _Place(member, offset, _local_header(member, offset), 24 if large else 16)
            self._places.append(place)
            offset = place.end
        self._directory_at = offset

    @property
    def nbytes(self) -> int:
        """Size of the archive."""
        # The checksums, which are not known yet, take no part in the size.
        directory = self._directory([0] * len(self._places))
        return self._directory_at + len(directory)

    def pieces(self) -> Iterator[bytes | memoryview]:
        """Make the bytes of the archive."""
        checksums = []
        for place in self._places:
            yield place.local
            checksum = 0
            for piece in place.member.pieces():
                checksum = zlib.crc32(piece, checksum)
                yield piece
            checksums.append(checksum)
            sizes = "<QQ" if place.tail == 24 else "<II"
            size = place.member.nbytes
            yield b"PK\x07\x08" + struct.pack("<I", checksum) + struct.pack(sizes, size, size)
        yield self._directory(checksums)

    def _directory(self, checksums: Sequence[int]) -> bytes:
        entries = b"".join(
            _directory_entry(place, checksum)
            for place, checksum in zip(self._places, checksums, strict=True)
        )
        start, count = self._directory_at, len(self._places)
        # Always with the records for large archives, as torch does.
        zip64 = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count,
                            len(entries), start)  # fmt: skip
        locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, start + len(entries), 1)
        few = min(count, _MANY)
        end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, few, few,
                          min(len(entries), _LARGE), min(start, _LARGE), 0)  # fmt: skip
        return entries + zip64 + locator + end


def _local_header(member: Member, offset: int) -> bytes:
    name = member.name.encode()
    # Sizes and checksum follow the data; an extra field pads the data to the next boundary.
    fixed = struct.pack("<4sHHHHHIIIHH", b"PK\x03\x04", 0, _DESCRIPTOR_AND_UTF8, 0, 0, 0, 0, 0, 0,
                        len(name), 0)  # fmt: skip
    zip64 = b""
    if member.nbytes >= _LARGE:
        # Its presence says that the sizes of the descriptor have 8 bytes.
        zip64 = struct.pack("<HHQQ", 1, 16, 0, 0)
        fixed = fixed[:18] + struct.pack("<II", _LARGE, _LARGE) + fixed[26:]
    start = offset + len(fixed) + len(name) + len(zip64) + 4
    padding = -start % ALIGNMENT
    extra = zip64 + b"FB" + struct.pack("<H", padding) + b"Z" * padding
    return fixed[:28] + struct.pack("<H", len(extra)) + name + extra


def _directory_entry(place: _Place, checksum: int) -> bytes:
    name = place.member.name.encode()
    size, offset = place.member.nbytes, place.offset
    large = b""
    if size >= _LARGE:
        large += struct.pack("<QQ", size, size)
    if offset >= _LARGE:
        large += struct.pack("<Q", offset)
    extra = struct.pack("<HH", 1, len(large)) + large if large else b""
    size, offset = min(size, _LARGE), min(offset, _LARGE)
    fixed = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\x01\x02", 0, 0, _DESCRIPTOR_AND_UTF8, 0, 0, 0,
                        checksum, size, size, len(name), len(extra),
                        0, 0, 0, 0, offset)  # fmt: skip
    return fixed + name + extra
