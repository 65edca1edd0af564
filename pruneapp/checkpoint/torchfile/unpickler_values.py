"""The instructions of a pickle that push plain values: numbers, text and bytes."""

from __future__ import annotations

import struct
from typing import Any

from pruneapp.checkpoint.torchfile import unpickler_literals
from pruneapp.checkpoint.torchfile.torch_objects_faults import Malformed
from pruneapp.checkpoint.torchfile.unpickler_literals import MAX_LONG_BYTES
from pruneapp.checkpoint.torchfile.unpickler_operands import Operands

_U2 = struct.Struct("<H").unpack_from
_I4 = struct.Struct("<i").unpack_from
_F8 = struct.Struct(">d").unpack_from


class ValueStack(Operands):
    """A stack, and what pushes plain values on it."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._stack: list[Any] = []
        # Looked up once: these two are called for almost every instruction.
        self._push = self._stack.append
        self._pop = self._stack.pop

    def _none(self) -> None:
        self._push(None)

    def _true(self) -> None:
        self._push(True)

    def _false(self) -> None:
        self._push(False)

    def _int_line(self) -> None:
        line = self._line()
        if line in {b"00", b"01"}:
            self._push(line == b"01")
        else:
            self._push(unpickler_literals.whole_number(line))

    def _long_line(self) -> None:
        self._push(unpickler_literals.whole_number(self._line()))

    def _int1(self) -> None:
        self._push(self._data[self.position])
        self.position += 1

    def _int2(self) -> None:
        self._push(_U2(self._data, self.position)[0])
        self.position += 2

    def _int4(self) -> None:
        self._push(_I4(self._data, self.position)[0])
        self.position += 4

    def _long1(self) -> None:
        self._long(self._byte())

    def _long4(self) -> None:
        self._long(self._number4())

    def _long(self, size: int) -> None:
        if size > MAX_LONG_BYTES:
            raise Malformed(f"a number has {size:,} bytes (at most {MAX_LONG_BYTES} are read)")
        self._push(unpickler_literals.long_number(self._take(size)))

    def _float_line(self) -> None:
        self._push(unpickler_literals.real_number(self._line()))

    def _float(self) -> None:
        self._push(_F8(self._data, self.position)[0])
        self.position += 8

    def _string_line(self) -> None:
        self._push(unpickler_literals.python2_text(unpickler_literals.quoted(self._line())))

    def _string1(self) -> None:
        self._push(unpickler_literals.python2_text(self._take(self._byte())))

    def _string4(self) -> None:
        self._push(unpickler_literals.python2_text(self._take(self._number4())))

    def _unicode_line(self) -> None:
        try:
            self._push(self._line().decode("raw-unicode-escape"))
        except UnicodeDecodeError:
            raise Malformed("a text in its pickle is not well-formed") from None

    def _unicode1(self) -> None:
        self._push(unpickler_literals.text(self._take(self._byte())))

    def _unicode4(self) -> None:
        self._push(unpickler_literals.text(self._take(self._number4())))

    def _unicode8(self) -> None:
        self._push(unpickler_literals.text(self._take(self._number8())))

    def _bytes1(self) -> None:
        self._push(self._take(self._byte()))

    def _bytes4(self) -> None:
        self._push(self._take(self._number4()))

    def _bytes8(self) -> None:
        self._push(self._take(self._number8()))
