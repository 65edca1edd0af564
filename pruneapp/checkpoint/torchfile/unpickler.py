"""A stack machine that reads a pickle without importing or calling anything that it names.

The opcodes are decoded here: ``pickletools.genops`` reads a text of whatever length the file claims
before anybody can object, and makes an object of every opcode for us to look at again. The tests
compare the two, opcode by opcode.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import repeat
from typing import Any

from pruneapp.checkpoint.torchfile import numpy_arrays, unpickler_literals
from pruneapp.checkpoint.torchfile.torch_objects import Array, Global, Uncalled
from pruneapp.checkpoint.torchfile.torch_objects_faults import Exhausted, Malformed
from pruneapp.checkpoint.torchfile.unpickler_containers import Containers
from pruneapp.checkpoint.torchfile.unpickler_opcodes import HANDLERS
from pruneapp.progress import CancelToken

# Bytes of all that a reader hands over.
MAX_PICKLE = 256 << 20
MAX_OPS = 20_000_000
MAX_MEMO = 5_000_000
_OPS_BETWEEN_LOOKS = 20_000  # about 10 ms

_U4 = struct.Struct("<I").unpack_from


class _Stop(Exception):  # noqa: N818 - the end of the pickle, not an error
    pass


class Machine(Containers):
    """Reads one pickle.

    Parameters
    ----------
    data
        Bytes that begin with the pickle, or with several, one after the other.
    call
        Told a function (a `Global` or `Uncalled`) and its arguments; returns what stands for the
        result.
    persistent
        Told a persistent id; returns what stands for that object.
    cancel
        Looked at every few milliseconds.
    grow
        Where `data` is the beginning of a longer file: returns more of it. The end, by default.
    """

    def __init__(
        self,
        data: bytes,
        call: Callable[[Global | Uncalled, tuple[Any, ...]], Any],
        persistent: Callable[[Any], Any],
        cancel: CancelToken,
        grow: Callable[[bytes], bytes] = bytes,
    ) -> None:
        super().__init__(data)
        self._instruction = 0
        self.globals: dict[tuple[str, str], Global] = {}
        self.arrays: list[Array] = []
        self._call = call
        self._persistent = persistent
        self._cancel = cancel
        self._grow = grow
        self._memo: dict[int, Any] = {}
        self._left = MAX_OPS
        self._table: list[Callable[[], None]] = [self._unknown] * 256
        for code, name in HANDLERS.items():
            self._table[code] = getattr(self, name)

    def run(self) -> Any:
        """Read the pickle at `position`, leave `position` behind it, and return its object.

        Raises
        ------
        Malformed
            If it breaks the rules of pickles, or a limit of this module.
        Exhausted
            If the bytes end before the pickle does.
        """
        self._stack.clear()
        self._marks.clear()
        self._memo.clear()
        while True:
            try:
                self._run()
            except _Stop:
                return self._pop() if self._stack else self._empty()
            except (IndexError, struct.error):
                if self.position + 8 < len(self._data):
                    self._empty()
            except Exhausted:
                pass
            except KeyError:
                raise Malformed("its pickle refers to an object that it does not hold") from None
            # Every handler reads its arguments before it touches the stack, so the instruction
            # that ran out of bytes can be done again.
            grown = self._grow(self._data)
            if len(grown) == len(self._data):
                raise Exhausted("its pickle ends in the middle") from None
            self._data = grown
            self.position = self._instruction

    def _run(self) -> None:
        data, table = self._data, self._table
        while self._left > 0:
            self._cancel.check()
            self._left -= _OPS_BETWEEN_LOOKS
            for _ in repeat(None, _OPS_BETWEEN_LOOKS):
                self._instruction = position = self.position
                self.position = position + 1
                table[data[position]]()
        raise Malformed(f"its pickle has more than {MAX_OPS:,} instructions")

    def _unknown(self) -> None:
        code = self._data[self.position - 1]
        raise Malformed(f"byte {self.position - 1:,} of its pickle, {code:#04x}, is no instruction")

    # -- framing -------------------------------------------------------------------------------

    def _proto(self) -> None:
        version = self._byte()
        if version > 5:
            raise Malformed(f"its pickle has protocol {version} (at most 5 is known)")

    def _frame(self) -> None:
        self._number8()

    def _stop(self) -> None:
        raise _Stop

    # -- memo ----------------------------------------------------------------------------------

    def _put(self, index: int) -> None:
        if not 0 <= index < MAX_MEMO:
            raise Malformed(f"its pickle remembers an object as number {index:,}")
        self._memo[index] = self._stack[-1]

    def _put_line(self) -> None:
        self._put(unpickler_literals.whole_number(self._line()))

    def _put1(self) -> None:
        self._memo[self._data[self.position]] = self._stack[-1]
        self.position += 1

    def _put4(self) -> None:
        index = self._number4()
        if index >= MAX_MEMO:
            self._put(index)
        self._memo[index] = self._stack[-1]

    def _memoize(self) -> None:
        self._put(len(self._memo))

    def _get_line(self) -> None:
        self._push(self._memo[unpickler_literals.whole_number(self._line())])

    def _get1(self) -> None:
        self._push(self._memo[self._data[self.position]])
        self.position += 1

    def _get4(self) -> None:
        self._push(self._memo[_U4(self._data, self.position)[0]])
        self.position += 4

    # -- what would be code --------------------------------------------------------------------

    def _name(self, module: Any, name: Any) -> Global:
        if type(module) is not str or type(name) is not str:
            raise Malformed("its pickle names code by something that is no text")
        found = self.globals.get((module, name))
        if found is None:
            found = self.globals[module, name] = Global(module, name)
        return found

    def _global(self) -> None:
        module = unpickler_literals.text(self._line())
        self._push(self._name(module, unpickler_literals.text(self._line())))

    def _stack_global(self) -> None:
        name = self._pop()
        self._push(self._name(self._pop(), name))

    def _apply(self, function: Any, args: Any) -> None:
        if not isinstance(function, (Global, Uncalled)):
            raise Malformed("its pickle calls something that is no function")
        if type(args) is not tuple:
            raise Malformed("its pickle calls a function with something that is no tuple")
        result = self._call(function, args)
        if type(result) is Array and not result.position:
            result.position = self._instruction
            self.arrays.append(result)
        self._push(result)

    def _reduce(self) -> None:
        args = self._pop()
        self._apply(self._pop(), args)

    def _new_keywords(self) -> None:
        keywords = self._pop()
        args = self._pop()
        if type(args) is not tuple:
            self._empty()
        self._apply(self._pop(), (*args, keywords) if keywords else args)

    def _inst(self) -> None:
        module = unpickler_literals.text(self._line())
        cls = self._name(module, unpickler_literals.text(self._line()))
        self._apply(cls, tuple(self._since_mark()))

    def _obj(self) -> None:
        items = self._since_mark()
        if not items:
            self._empty()
        self._apply(items[0], tuple(items[1:]))

    def _build(self) -> None:
        state = self._pop()
        target = self._stack[-1]
        if isinstance(target, Uncalled):
            target.state = state
        elif isinstance(target, Array):
            numpy_arrays.fill(target, state)
        elif type(target) in {Global, int, float, str, bytes, bool, list, tuple, dict, type(None)}:
            raise Malformed("its pickle sets the state of something that has none")
        # The attributes of an OrderedDict (as torch's _metadata) or of a tensor hold no weights.

    def _persistent_id(self) -> None:
        self._push(self._persistent(self._pop()))

    def _persistent_line(self) -> None:
        self._push(self._persistent(unpickler_literals.python2_text(self._line())))
