"""A strict parser of zip directories, which rejects ambiguous archives.

Files can be hidden in an archive that two readers interpret differently. Therefore each member must
be described equally by its local header and by the directory, members must not overlap, names must
be unique, and there must be no data before the first member or after the end of the archive.

The record at the end of the file contains the position of the directory. Archives of more than 4 GB
or 65,535 members have a larger record (zip64) in front; fields of the small record with all bits
set refer to it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pruneapp.checkpoint.lookalikes import KERAS
from pruneapp.checkpoint.torchfile.torch_objects import SAVE_AGAIN, MalformedError, UnsupportedError
from pruneapp.errors import counted
from pruneapp.progress import CancelToken

MAX_MEMBERS = 400_000
MAX_DIRECTORY = 64 << 20
_JOIN = "Join the parts with the program that made them (zip -s 0 IN.zip --out OUT.zip)."
_UNPACK = "If a checkpoint is inside, unpack it first."
# The value of a 4 or 2 byte field whose number is in the zip64 record.
SATURATED4 = 0xFFFF_FFFF
SATURATED2 = 0xFFFF

# Number of bytes at the end of a file in which an end record is searched if it is not at the end.
_SEARCH_BYTES = 16 << 20

_END = struct.Struct("<4sHHHHIIH")
_END64 = struct.Struct("<4sQHHIIQQQQ")
_LOCATOR = struct.Struct("<4sIQI")


class Readable(Protocol):
    """The required interface of a file: its size and its bytes."""

    @property
    def size(self) -> int:
        """Size in bytes."""

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset` on."""


def find_directory(source: Readable) -> tuple[int, int, int]:
    """Return the offset, size and number of entries of the directory of a zip archive.

    Raises `MalformedError` if there is no directory, more than one, trailing data, or a
    contradiction, and `UnsupportedError` for archives in several parts and very large ones. The
    entries are not read.
    """
    tail_size = min(source.size, _END.size + SATURATED2)
    tail = source.read(source.size - tail_size, tail_size)
    candidates = []
    at = tail.rfind(b"PK\5\6")
    while at >= 0:
        if at + _END.size <= len(tail):
            comment = _END.unpack_from(tail, at)[7]
            if at + _END.size + comment == len(tail):
                candidates.append(at)
        at = tail.rfind(b"PK\5\6", 0, at)
    if not candidates:
        searched = min(source.size, _SEARCH_BYTES)
        if (trailing := _bytes_after_end(source.read(source.size - searched, searched))) > 0:
            what = counted(trailing, "byte follows", "bytes follow")
            raise MalformedError(f"{what} the end of its zip archive")
        raise MalformedError("its zip directory is missing, so the file is truncated")
    if len(candidates) > 1:
        raise MalformedError("its zip archive has more than one directory")
    end = source.size - tail_size + candidates[0]
    fields = _END.unpack_from(tail, candidates[0])
    _, disk, first_disk, disk_count, count, size, start, _ = fields
    directory_end = end
    if end >= _LOCATOR.size:
        signature, disk64, at64, disks = _LOCATOR.unpack(source.read(end - _LOCATOR.size, 20))
        if signature == b"PK\6\7":
            if at64 + _END64.size != end - _LOCATOR.size or disk64 or disks > 1:
                raise MalformedError("its zip directory is not at the declared position")
            directory_end = at64
            big = _END64.unpack(source.read(at64, _END64.size))
            if big[0] != b"PK\6\6" or big[1] != _END64.size - 12:
                raise MalformedError("its zip directory is not at the declared position")
            small = (disk, first_disk, disk_count, count, size, start)
            large = (big[4], big[5], big[6], big[7], big[8], big[9])
            limits = (SATURATED2,) * 4 + (SATURATED4,) * 2
            for one, other, limit in zip(small, large, limits, strict=True):
                if one not in {other, limit}:
                    raise MalformedError("its zip archive contradicts itself about its size")
            disk, first_disk, disk_count, count, size, start = large
    if disk or first_disk or disk_count != count:
        raise UnsupportedError("is one part of a zip archive in several parts", _JOIN)
    if start + size != directory_end:
        raise MalformedError("its zip directory is not at the declared position")
    if count > MAX_MEMBERS or size > MAX_DIRECTORY:
        raise UnsupportedError(
            f"is a zip archive of {count:,} members with a directory of {size:,} bytes "
            f"(at most {MAX_MEMBERS:,} and {MAX_DIRECTORY:,} are read)",
            _UNPACK,
        )
    return start, size, count


def _bytes_after_end(tail: bytes) -> int:
    """Return the number of bytes after the last end record in the tail of a file, 0 without one."""
    at = tail.rfind(b"PK\5\6")
    if at < 0 or at + _END.size > len(tail):
        return 0
    return len(tail) - (at + _END.size + int(_END.unpack_from(tail, at)[7]))


STORED, DEFLATED = 0, 8
_WINDOW = 1 << 13

_ENTRY = struct.Struct("<4sHHHHHHIIIHHHHHII")
_LOCAL = struct.Struct("<4sHHHHHIIIHH")


class _HeaderWindow:
    """A file with a read buffer, because headers of small members are close to each other."""

    def __init__(self, source: Readable) -> None:
        self._source = source
        self.size = source.size
        self._start = 0
        self._buffer = b""

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset` on; reads up to 8 KiB at once."""
        at = offset - self._start
        if not 0 <= at <= len(self._buffer) - size:
            n_bytes = max(size, min(_WINDOW, self.size - offset))
            self._start, self._buffer = offset, self._source.read(offset, n_bytes)
            at = 0
        return self._buffer[at : at + size]


class ArchiveMember(NamedTuple):
    """A member of an archive."""

    name: str  # path in the archive
    header: int  # offset of its local header
    data: int  # offset of its content
    stored: int  # size of its content in the archive
    size: int  # size of its uncompressed content
    crc: int  # CRC-32 of the uncompressed content, according to the directory
    method: int  # `STORED` or `DEFLATED`
    # Offsets at which the CRC is stored: in the local header, after the content, in the directory.
    crc_positions: tuple[int, ...] = ()
    comment: str = ""  # comment in the directory; empty if it is not ASCII


@dataclass(frozen=True)
class Archive:
    """The members of an archive, sorted by position."""

    root: str  # the top-level folder of all members
    members: dict[str, ArchiveMember]  # by name relative to that folder
    # False if the writer omitted the CRCs (an option of torch): all of them are 0.
    checksums: bool


def read_archive(source: Readable, cancel: CancelToken) -> Archive:
    """Read and validate the directory and local headers of an archive with one top-level folder."""
    return _make_archive(read_members(source, cancel))


def read_members(source: Readable, cancel: CancelToken) -> list[ArchiveMember]:
    """Return the members of any zip archive, sorted by their local headers.

    Folders are members too, and names may occur twice. The directory and all local headers are read
    and validated, contents are not. Raises `MalformedError` or `UnsupportedError` if the archive
    violates a rule of the format or uses an unsupported feature, or `Cancelled`.
    """
    start, size, count = find_directory(source)
    raw = source.read(start, size)
    source = _HeaderWindow(source)
    members = []
    position = 0
    for index in range(count):
        if index % 1000 == 0:
            cancel.check()
        member, position = _read_member(source, raw, position, start)
        members.append(member)
    if position != size:
        raise MalformedError("its zip directory is longer than its members")
    members.sort(key=lambda m: m.header)
    end = 0
    for member in members:
        if member.header < end:
            raise MalformedError(f"its zip archive has overlapping members ('{member.name[:80]}')")
        end = member.data + member.stored
    if end > start:
        raise MalformedError("a member of its zip archive overlaps the directory")
    if members and members[0].header != 0:
        raise MalformedError("there is other data in front of its zip archive")
    return members


def _make_archive(members: list[ArchiveMember]) -> Archive:
    """Return the archive of these members, without folders, by their names in its top-level folder.

    Raises `MalformedError` for duplicate names, or `UnsupportedError` if there are several
    top-level folders or it is a Keras model.
    """
    files = [m for m in members if not (m.name.endswith("/") and m.size == 0)]
    _check_others(tuple(m.name for m in files))
    roots = {m.name.partition("/")[0] for m in members}
    if len(roots) > 1:
        first, second = sorted(roots)[:2]
        raise UnsupportedError(
            f"is a zip archive of several folders ('{first[:80]}' and '{second[:80]}'), which "
            "torch.save does not write",
            _UNPACK,
        )
    by_name: dict[str, ArchiveMember] = {}
    for member in files:
        name = member.name.partition("/")[2]
        if name in by_name:
            raise MalformedError(f"its zip archive contains '{member.name[:80]}' twice")
        by_name[name] = member
    checksums = any(m.crc for m in files if m.size)
    return Archive(roots.pop() if roots else "", by_name, checksums)


def _check_others(names: Sequence[str]) -> None:
    """Raise `UnsupportedError` for archives of other programs, identified by their members."""
    if any(name.rpartition("/")[2] == "data.pkl" for name in names):
        return
    if "model.weights.h5" in names:
        raise UnsupportedError("is a Keras model, which Pruneapp does not read", KERAS)


def _read_member(
    source: Readable, raw: bytes, position: int, directory: int
) -> tuple[ArchiveMember, int]:
    """Read the entry at `position` of the directory, and the local header of its member.

    Returns the member and the position of the next entry. `raw` is the directory, which begins at
    offset `directory` of the file. Raises `MalformedError` or `UnsupportedError`.
    """
    if position + _ENTRY.size > len(raw):
        raise MalformedError("its zip directory ends in the middle")
    fields = _ENTRY.unpack_from(raw, position)
    (signature, _, _, flags, method, _, _, crc, stored, size) = fields[:10]
    name_size, extra_size, comment_size, disk, _, _, header = fields[10:]
    if signature != b"PK\1\2":
        raise MalformedError("its zip directory contains something that is not an entry")
    at = position + _ENTRY.size
    raw_name = raw[at : at + name_size]
    extra = raw[at + name_size : at + name_size + extra_size]
    following = at + name_size + extra_size + comment_size
    comment = raw[following - comment_size : following]
    if following > len(raw):
        raise MalformedError("its zip directory ends in the middle")
    try:
        name = raw_name.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedError("the name of a member of its zip archive is not UTF-8") from None
    wanted = [("size", size), ("stored", stored), ("header", header)]
    wide = _zip64_fields(extra, [key for key, value in wanted if value == SATURATED4], name)
    size, stored, header = (wide.get(key, value) for key, value in wanted)
    if disk not in {0, SATURATED2}:
        raise UnsupportedError("is one part of a zip archive in several parts", _JOIN)
    if flags & 0x2041:
        raise UnsupportedError("is an encrypted zip archive", "Decrypt it first.")
    if method not in {STORED, DEFLATED}:
        raise UnsupportedError(
            f"contains '{name[:80]}', compressed by method {method} of zip (only 0, stored, and "
            "8, deflated, are read)",
            SAVE_AGAIN,
        )
    if method == STORED and stored != size:
        raise MalformedError(f"the zip archive contradicts itself about the size of '{name[:80]}'")
    member = ArchiveMember(name, header, 0, stored, size, crc, method)
    data, positions = _read_local(source, raw_name, flags, member)
    positions = (*positions, directory + position + 16)
    text = comment.decode("ascii") if comment.isascii() else ""
    return member._replace(data=data, crc_positions=positions, comment=text), following


def _read_local(
    source: Readable, raw_name: bytes, flags: int, member: ArchiveMember
) -> tuple[int, tuple[int, ...]]:
    """Validate a local header. Return the offset of the content and the offsets of the CRC.

    `raw_name` and `flags` are those of the directory, and `member` is what the directory says.
    Raises `MalformedError` if the header differs from it or the content exceeds the file.
    """
    name = member.name[:80]
    header, stored, crc = member.header, member.stored, member.crc
    if header + _LOCAL.size + len(raw_name) + stored > source.size:
        raise MalformedError(f"'{name}' is beyond the end of its zip archive")
    raw = source.read(header, _LOCAL.size + len(raw_name))
    fields = _LOCAL.unpack_from(raw)
    if fields[0] != b"PK\3\4" or raw[_LOCAL.size :] != raw_name or fields[9] != len(raw_name):
        raise MalformedError(f"'{name}' is not at the position in the zip directory")
    described_later = bool(fields[2] & 8)
    if fields[3] != member.method or (fields[2] ^ flags) & 0x2049:
        raise MalformedError(f"the zip archive contradicts itself about '{name}'")
    data = header + _LOCAL.size + len(raw_name) + fields[10]
    if data + stored > source.size:
        raise MalformedError(f"'{name}' is beyond the end of its zip archive")
    local_crc, local_stored, local_size = fields[6:9]
    sizes_agree = local_stored in {stored, SATURATED4} and local_size in {member.size, SATURATED4}
    if described_later:
        sizes_agree = sizes_agree or (local_crc, local_stored, local_size) == (0, 0, 0)
        at = _descriptor(source, data + stored, crc, name)
        positions = (header + 14, at) if local_crc and local_crc == crc else (at,)
        crc_agrees = local_crc in {0, crc}
    else:
        positions = (header + 14,)
        crc_agrees = local_crc == crc
    if not sizes_agree or not crc_agrees:
        raise MalformedError(f"the zip archive contradicts itself about '{name}'")
    return data, positions


def _descriptor(source: Readable, at: int, crc: int, name: str) -> int:
    """Return the offset of the CRC in the data descriptor, which begins at `at`.

    Raises `MalformedError` if it does not contain `crc`.
    """
    if at + 8 <= source.size:
        raw = source.read(at, 8)
        if raw[:4] == b"PK\7\x08" and int.from_bytes(raw[4:], "little") == crc:
            return at + 4
        if int.from_bytes(raw[:4], "little") == crc:
            return at
    raise MalformedError(f"the zip archive contradicts itself about the checksum of '{name}'")


def _zip64_fields(extra: bytes, keys: list[str], name: str) -> dict[str, int]:
    """Return the 8-byte values in the zip64 field of an entry: the first ones, by the given keys.

    Without keys the result is empty. `extra` are the extra fields of the entry, `name` is for the
    message. Raises `MalformedError` if the field is missing or too short.
    """
    if not keys:
        return {}
    at = 0
    while at + 4 <= len(extra):
        tag, size = struct.unpack_from("<HH", extra, at)
        if tag == 1 and size >= 8 * len(keys) and at + 4 + size <= len(extra):
            values = struct.unpack_from(f"<{len(keys)}Q", extra, at + 4)
            return dict(zip(keys, values, strict=True))
        at += 4 + size
    raise MalformedError(f"the zip directory lacks the size of '{name[:80]}'")
