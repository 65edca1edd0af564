"""Changing the bytes of numpy arrays where they stand in a pickle, and nothing else of it."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pruneapp.checkpoint.torchfile.rebuild import call
from pruneapp.checkpoint.torchfile.torch_objects import Global, Storages, Uncalled
from pruneapp.checkpoint.torchfile.unpickler import Machine
from pruneapp.progress import CancelToken

Zero = Callable[[bytearray], None]
# How long a text is stands behind its instruction.
_LENGTHS = {b"\x8c": "<B", b"X": "<I", b"\x8d": "<Q"}
_PUSH_TEXT_OR_BYTES = b"\x8cX\x8dCB\x8e\x96"


@dataclass(frozen=True, slots=True)
class _Spot:
    """The instruction from `start` to `stop` that pushes bytes, or the text that stands for them.

    `value` is what it pushes: kept so that no other object gets its identity.
    """

    start: int
    stop: int
    value: bytes | str


class ArrayBytes(Machine):
    """Reads a pickle as `Machine` does, and notes where the bytes of its arrays stand."""

    def __init__(self, data: bytes, cancel: CancelToken) -> None:
        super().__init__(data, call, Storages(), cancel)
        self._pickle = data
        self._spots: dict[int, _Spot] = {}
        self._made: list[bytes] = []
        self._framed = False
        for code in _PUSH_TEXT_OR_BYTES:
            self._table[code] = partial(self._note, self._table[code])

    def changed(self, zero: Mapping[int, Zero]) -> bytes | None:
        """Return the pickle with zeros in some of its arrays, of the same length in all.

        Bytes that are text in the old protocols are shorter where they are 0: the difference is
        filled up with 0 behind the end of the pickle, which nobody reads. None if the bytes of an
        array do not stand by themselves.

        `zero` has, by `Array.position`, what sets bytes of an array to 0.
        """
        self.run()
        arrays = {array.position: array for array in self.arrays}
        spots: dict[int, tuple[_Spot, bytes]] = {}
        users = Counter(id(array.raw) for array in self.arrays)
        for position, change in zero.items():
            raw = arrays[position].raw
            spot = self._spots.get(id(raw))
            if spot is None or users[id(raw)] > 1:
                return None
            changed = bytearray(raw)
            change(changed)
            spots[spot.start] = spot, bytes(changed)
        pieces: list[bytes] = []
        at = 0
        for start, (spot, raw) in sorted(spots.items()):
            pieces.append(self._pickle[at:start])
            instruction = self._instruction_of(spot, raw)
            if instruction is None:
                return None
            pieces.append(instruction)
            at = spot.stop
        pieces.append(self._pickle[at:])
        return b"".join(pieces).ljust(len(self._pickle), b"\0")

    def _instruction_of(self, spot: _Spot, raw: bytes) -> bytes | None:
        if isinstance(spot.value, bytes):
            return self._pickle[spot.start : spot.stop - len(raw)] + raw
        text = raw.decode("latin-1").encode()
        code = self._pickle[spot.start : spot.start + 1]
        if self._framed or code not in _LENGTHS:
            return None  # the length of a frame counts it
        return code + struct.pack(_LENGTHS[code], len(text)) + text

    def _note(self, push: Callable[[], None]) -> None:
        push()
        value = self._stack[-1]
        if len(value) > 1:  # shorter ones are the same object everywhere
            self._spots[id(value)] = _Spot(self._instruction, self.position, value)

    def _apply(self, function: Any, args: Any) -> None:
        super()._apply(function, args)
        value = self._stack[-1]
        encoded = isinstance(function, Global | Uncalled) and function.path == "_codecs.encode"
        if encoded and type(value) is bytes and id(args[0]) in self._spots:
            self._made.append(value)
            self._spots[id(value)] = self._spots[id(args[0])]

    def _op_frame(self) -> None:
        super()._op_frame()
        self._framed = True
