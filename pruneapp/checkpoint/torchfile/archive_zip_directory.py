"""Where the directory of a zip archive lies, by what the end of the file says.

Small archives say it in one record; those of more than 4 GB, or 65,535 members, in a larger one
(zip64) before it, to which numbers point that have all bits set in the small one.
"""

from __future__ import annotations

import struct
from typing import Protocol

from pruneapp.checkpoint.torchfile.torch_objects_faults import Malformed, Unsupported
from pruneapp.errors import counted

MAX_MEMBERS = 400_000
MAX_DIRECTORY = 64 << 20
# What stands in a field of 4 or 2 bytes whose number is in the zip64 record.
SATURATED4 = 0xFFFF_FFFF
SATURATED2 = 0xFFFF

# Of a file that does not end as an archive does, where one may have ended.
_LOOKED_BACK = 16 << 20

_END = struct.Struct("<4sHHHHIIH")
_END64 = struct.Struct("<4sQHHIIQQQQ")
_LOCATOR = struct.Struct("<4sIQI")


class Readable(Protocol):
    """What is needed of a file: its size and its bytes."""

    @property
    def size(self) -> int:
        """Bytes in all."""

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset` on."""


def find_directory(source: Readable) -> tuple[int, int, int]:
    """Return start, size and number of entries of the directory of a zip archive.

    Raises
    ------
    Malformed, Unsupported
        If there is none, more than one, or one that contradicts itself.
    """
    tail_size = min(source.size, _END.size + SATURATED2)
    tail = source.read(source.size - tail_size, tail_size)
    found = []
    at = tail.rfind(b"PK\5\6")
    while at >= 0:
        if at + _END.size <= len(tail):
            comment = _END.unpack_from(tail, at)[7]
            if at + _END.size + comment == len(tail):
                found.append(at)
        at = tail.rfind(b"PK\5\6", 0, at)
    if not found:
        looked = min(source.size, _LOOKED_BACK)
        if (behind := _behind_the_end(source.read(source.size - looked, looked))) > 0:
            what = counted(behind, "byte follows", "bytes follow")
            raise Malformed(f"{what} the end of its zip archive")
        raise Malformed("its zip directory is missing, so the file is cut short")
    if len(found) > 1:
        raise Malformed("its zip archive has more than one directory")
    end = source.size - tail_size + found[0]
    fields = _END.unpack_from(tail, found[0])
    _, disk, first_disk, here, count, size, start, _ = fields
    directory_end = end
    if end >= _LOCATOR.size:
        signature, disk64, at64, disks = _LOCATOR.unpack(source.read(end - _LOCATOR.size, 20))
        if signature == b"PK\6\7":
            if at64 + _END64.size != end - _LOCATOR.size or disk64 or disks > 1:
                raise Malformed("its zip directory is not where it is said to be")
            directory_end = at64
            big = _END64.unpack(source.read(at64, _END64.size))
            if big[0] != b"PK\6\6" or big[1] != _END64.size - 12:
                raise Malformed("its zip directory is not where it is said to be")
            small = (disk, first_disk, here, count, size, start)
            large = (big[4], big[5], big[6], big[7], big[8], big[9])
            limits = (SATURATED2,) * 4 + (SATURATED4,) * 2
            for one, other, limit in zip(small, large, limits, strict=True):
                if one not in {other, limit}:
                    raise Malformed("its zip archive contradicts itself about its size")
            disk, first_disk, here, count, size, start = large
    if disk or first_disk or here != count:
        raise Unsupported("is one part of a zip archive in several parts")
    if start + size != directory_end:
        raise Malformed("its zip directory is not where it is said to be")
    if count > MAX_MEMBERS or size > MAX_DIRECTORY:
        raise Unsupported(
            f"is a zip archive of {count:,} members with a directory of {size:,} bytes "
            f"(at most {MAX_MEMBERS:,} and {MAX_DIRECTORY:,} are read)"
        )
    return start, size, count


def _behind_the_end(tail: bytes) -> int:
    """Return how many bytes stand behind the last end of a directory that a file's tail holds."""
    at = tail.rfind(b"PK\5\6")
    if at < 0 or at + _END.size > len(tail):
        return 0
    return len(tail) - (at + _END.size + int(_END.unpack_from(tail, at)[7]))


def members_declared(source: Readable) -> int:
    """How many members the directory says it has."""
    return find_directory(source)[2]
