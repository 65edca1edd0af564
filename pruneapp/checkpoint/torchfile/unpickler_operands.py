"""Reading the arguments that stand behind the opcodes of a pickle, within bounds."""

from __future__ import annotations

import struct

from pruneapp.checkpoint.torchfile.torch_objects_faults import Exhausted, Malformed

MAX_TEXT = 64 << 20

_U4 = struct.Struct("<I").unpack_from
_U8 = struct.Struct("<Q").unpack_from


class Operands:
    """Bytes and a position in them.

    Reading a fixed size beyond the end raises `IndexError` or `struct.error`, which the machine
    translates: these are the busiest lines of all.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0

    def _take(self, size: int) -> bytes:
        if size > MAX_TEXT:
            raise Malformed(f"a text in its pickle has {size:,} bytes (at most {MAX_TEXT:,})")
        start = self.position
        end = start + size
        if end > len(self._data):
            raise Exhausted("its pickle ends in the middle")
        self.position = end
        return self._data[start:end]

    def _byte(self) -> int:
        value = self._data[self.position]
        self.position += 1
        return value

    def _number4(self) -> int:
        value: int = _U4(self._data, self.position)[0]
        self.position += 4
        return value

    def _number8(self) -> int:
        value: int = _U8(self._data, self.position)[0]
        self.position += 8
        return value

    def _line(self) -> bytes:
        start = self.position
        end = self._data.find(b"\n", start, start + MAX_TEXT)
        if end < 0:
            if len(self._data) - start >= MAX_TEXT:
                raise Malformed(f"a line of its pickle has more than {MAX_TEXT:,} bytes")
            raise Exhausted("its pickle ends in the middle")
        self.position = end + 1
        return self._data[start:end]
