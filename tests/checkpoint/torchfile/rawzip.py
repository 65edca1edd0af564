"""A zip writer that can write inconsistent headers."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Raw:
    """A member; every field of its two headers may be overridden, independently.

    `local` and `central` override fields of one of the two headers: flags, method, crc, stored,
    size, disk, header, name.
    """

    name: str
    content: bytes
    method: int = 0
    local: dict[str, Any] = field(default_factory=dict)
    central: dict[str, Any] = field(default_factory=dict)

    @property
    def stored(self) -> bytes:
        if self.method != 8:
            return self.content
        deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
        return deflate.compress(self.content) + deflate.flush()


def rawzip(members: list[Raw], *, prefix: bytes = b"", end: dict[str, int] | None = None) -> bytes:
    """Return an archive of members in this order."""
    out = bytearray(prefix)
    entries = []
    for member in members:
        stored = member.stored
        says: dict[str, Any] = {
            "flags": 0,
            "method": member.method,
            "crc": zlib.crc32(member.content),
            "stored": len(stored),
            "size": len(member.content),
            "name": member.name,
            "disk": 0,
            "header": len(out) - len(prefix),
        }
        here = {**says, **member.local}
        name = here["name"].encode()
        out += struct.pack(
            "<4sHHHHHIIIHH", b"PK\3\4", 20, here["flags"], here["method"], 0, 33,
            here["crc"], here["stored"], here["size"], len(name), 0,
        )  # fmt: skip
        out += name + stored
        entries.append({**says, **member.central})
    start = len(out)
    for entry in entries:
        name = entry["name"].encode()
        big = b""
        size = entry["size"]
        if size > 0xFFFF_FFFF:
            big, size = struct.pack("<HHQ", 1, 8, size), 0xFFFF_FFFF
        out += struct.pack(
            "<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, entry["flags"], entry["method"], 0, 33,
            entry["crc"], entry["stored"], size, len(name), len(big), 0,
            entry["disk"], 0, 0, entry["header"],
        )  # fmt: skip
        out += name + big
    says_end = {"disk": 0, "count": len(entries), "size": len(out) - start, "start": start}
    says_end |= end or {}
    out += struct.pack(
        "<4sHHHHIIH", b"PK\5\6", says_end["disk"], 0, says_end["count"], says_end["count"],
        says_end["size"], says_end["start"], 0,
    )  # fmt: skip
    return bytes(out)
