"""Pickle stack machine that imports and calls nothing.

A stack machine that reads a pickle without importing or calling anything that it names.

The opcodes are decoded here: ``pickletools.genops`` reads a text of whatever length the file claims
before anybody can object, and makes an object of every opcode for us to look at again. The tests
compare the two, opcode by opcode.

Which method of the machine does which opcode: all of protocols 0 to 5 but those left out.

Reading the arguments that stand behind the opcodes of a pickle, within bounds.

The instructions of a pickle that make lists, dicts, sets and tuples, and fill them.

The instructions of a pickle that push plain values: numbers, text and bytes.

Numbers and text as the oldest pickles spell them: in lines of ASCII.
"""

from __future__ import annotations

import pickletools
import re
import struct
from collections.abc import Callable
from itertools import repeat
from typing import Any

from pruneapp.checkpoint.torchfile import numpy_arrays
from pruneapp.checkpoint.torchfile.torch_objects import (
    Array,
    Bag,
    Exhausted,
    Global,
    Malformed,
    Uncalled,
    plain,
)
from pruneapp.progress import CancelToken

# Code by number, and buffers beside the pickle: torch never writes them.
LEFT_OUT = frozenset({"EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER"})

_METHODS = {
    "PROTO": "_proto", "FRAME": "_frame", "STOP": "_stop",
    "NONE": "_none", "NEWTRUE": "_true", "NEWFALSE": "_false",
    "INT": "_int_line", "LONG": "_long_line", "BININT": "_int4", "BININT1": "_int1",
    "BININT2": "_int2", "LONG1": "_long1", "LONG4": "_long4",
    "FLOAT": "_float_line", "BINFLOAT": "_float",
    "STRING": "_string_line", "BINSTRING": "_string4", "SHORT_BINSTRING": "_string1",
    "UNICODE": "_unicode_line", "SHORT_BINUNICODE": "_unicode1", "BINUNICODE": "_unicode4",
    "BINUNICODE8": "_unicode8", "SHORT_BINBYTES": "_bytes1", "BINBYTES": "_bytes4",
    "BINBYTES8": "_bytes8", "BYTEARRAY8": "_bytes8",
    "MARK": "_mark", "POP": "_pop_top", "POP_MARK": "_pop_mark", "DUP": "_dup",
    "EMPTY_LIST": "_empty_list", "EMPTY_DICT": "_empty_dict", "EMPTY_SET": "_empty_set",
    "EMPTY_TUPLE": "_empty_tuple", "LIST": "_list", "TUPLE": "_tuple", "TUPLE1": "_tuple1",
    "TUPLE2": "_tuple2", "TUPLE3": "_tuple3", "FROZENSET": "_frozenset", "DICT": "_dict",
    "APPEND": "_append", "APPENDS": "_appends", "ADDITEMS": "_appends",
    "SETITEM": "_set_item", "SETITEMS": "_set_items",
    "PUT": "_put_line", "BINPUT": "_put1", "LONG_BINPUT": "_put4", "MEMOIZE": "_memoize",
    "GET": "_get_line", "BINGET": "_get1", "LONG_BINGET": "_get4",
    "GLOBAL": "_global", "STACK_GLOBAL": "_stack_global", "REDUCE": "_reduce",
    "NEWOBJ": "_reduce", "NEWOBJ_EX": "_new_keywords", "INST": "_inst", "OBJ": "_obj",
    "BUILD": "_build", "BINPERSID": "_persistent_id", "PERSID": "_persistent_line",
}  # fmt: skip
HANDLERS: dict[int, str] = {
    ord(opcode.code): _METHODS[opcode.name]
    for opcode in pickletools.opcodes
    if opcode.name not in LEFT_OUT
}


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


MAX_LONG_BYTES = 64

_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL)
_SIMPLE = {
    b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v",
    b"\\": b"\\", b"'": b"'", b'"': b'"', b"\n": b"",
}  # fmt: skip


def whole_number(line: bytes) -> int:
    """Read a decimal number, an ``L`` behind it allowed."""
    digits = line.removesuffix(b"L")
    # 64 bytes are 154 digits; int() takes quadratic time on longer ones.
    if len(digits) > 156:
        raise Malformed(f"a number has {len(digits):,} digits (at most 154 are read)")
    try:
        return int(digits)
    except ValueError:
        raise Malformed("a line of the pickle should be a number, and is not") from None


def real_number(line: bytes) -> float:
    """Read a float as ``repr`` writes it."""
    try:
        return float(line)
    except ValueError:
        raise Malformed("a line of the pickle should be a number, and is not") from None


def long_number(raw: bytes) -> int:
    """Read a two's complement number, lowest byte first."""
    return int.from_bytes(raw, "little", signed=True)


def quoted(line: bytes) -> bytes:
    """Read text in quotes, backslash escapes undone."""
    if len(line) < 2 or line[:1] not in b"'\"" or line[:1] != line[-1:]:
        raise Malformed("a line of the pickle should be text in quotes, and is not")
    return _ESCAPE.sub(_unescaped, line[1:-1]) if b"\\" in line else line[1:-1]


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if code[:1] == b"x":
        return bytes((int(code[1:], 16),)) if len(code) == 3 else match[0]
    if code.isdigit():
        return bytes((int(code, 8) & 0xFF,)) if code[:1] < b"8" else match[0]
    return _SIMPLE.get(code, match[0])


def text(raw: bytes) -> str:
    """Decode UTF-8 as pickle does, which lets lone surrogates through."""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise Malformed("a text in the pickle is not UTF-8") from None


def python2_text(raw: bytes) -> str | bytes:
    """Decode a string of Python 2, which may be text or bytes."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


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
            self._push(whole_number(line))

    def _long_line(self) -> None:
        self._push(whole_number(self._line()))

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
        self._push(long_number(self._take(size)))

    def _float_line(self) -> None:
        self._push(real_number(self._line()))

    def _float(self) -> None:
        self._push(_F8(self._data, self.position)[0])
        self.position += 8

    def _string_line(self) -> None:
        self._push(python2_text(quoted(self._line())))

    def _string1(self) -> None:
        self._push(python2_text(self._take(self._byte())))

    def _string4(self) -> None:
        self._push(python2_text(self._take(self._number4())))

    def _unicode_line(self) -> None:
        try:
            self._push(self._line().decode("raw-unicode-escape"))
        except UnicodeDecodeError:
            raise Malformed("a text in its pickle is not well-formed") from None

    def _unicode1(self) -> None:
        self._push(text(self._take(self._byte())))

    def _unicode4(self) -> None:
        self._push(text(self._take(self._number4())))

    def _unicode8(self) -> None:
        self._push(text(self._take(self._number8())))

    def _bytes1(self) -> None:
        self._push(self._take(self._byte()))

    def _bytes4(self) -> None:
        self._push(self._take(self._number4()))

    def _bytes8(self) -> None:
        self._push(self._take(self._number8()))


MAX_DEPTH = 10_000


class Containers(ValueStack):
    """A stack with marks on it, and what makes containers of what lies above a mark."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._marks: list[int] = []

    def _since_mark(self) -> list[Any]:
        if not self._marks:
            self._empty()
        mark = self._marks.pop()
        items = self._stack[mark:]
        del self._stack[mark:]
        return items

    @staticmethod
    def _empty() -> None:
        raise Malformed("an instruction of its pickle lacks its operands")

    def _mark(self) -> None:
        if len(self._marks) >= MAX_DEPTH:
            raise Malformed(f"its pickle is nested more than {MAX_DEPTH:,} deep")
        self._marks.append(len(self._stack))

    def _pop_top(self) -> None:
        if self._marks and self._marks[-1] == len(self._stack):
            self._marks.pop()  # POP right after MARK drops the mark
        else:
            self._pop()

    def _pop_mark(self) -> None:
        self._since_mark()

    def _dup(self) -> None:
        self._push(self._stack[-1])

    def _empty_list(self) -> None:
        self._push([])

    def _empty_dict(self) -> None:
        self._push({})

    def _empty_set(self) -> None:
        self._push(Bag([]))

    def _empty_tuple(self) -> None:
        self._push(())

    def _list(self) -> None:
        self._push(self._since_mark())

    def _tuple(self) -> None:
        self._push(tuple(self._since_mark()))

    def _tuple1(self) -> None:
        self._push((self._pop(),))

    def _tuple2(self) -> None:
        second = self._pop()
        self._push((self._pop(), second))

    def _tuple3(self) -> None:
        third, second = self._pop(), self._pop()
        self._push((self._pop(), second, third))

    def _frozenset(self) -> None:
        self._push(Bag(self._since_mark()))

    def _dict(self) -> None:
        items = self._since_mark()
        made: dict[Any, Any] = {}
        self._fill(made, items)
        self._push(made)

    def _append(self) -> None:
        value = self._pop()
        target = self._stack[-1]
        if type(target) is list:
            target.append(value)
        else:
            self._extend([value])

    def _appends(self) -> None:
        self._extend(self._since_mark())

    def _extend(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is list:
            target.extend(items)
        elif isinstance(target, (Uncalled, Bag)):
            target.items.extend(items)
        else:
            raise Malformed("its pickle appends to something that is no list")

    def _set_item(self) -> None:
        value = self._pop()
        key = self._pop()
        self._fill(self._stack[-1], [key, value])

    def _set_items(self) -> None:
        items = self._since_mark()
        self._fill(self._stack[-1], items)

    @staticmethod
    def _fill(target: Any, items: list[Any]) -> None:
        if len(items) % 2:
            raise Malformed("its pickle has a key without a value")
        if isinstance(target, dict):
            for key, value in zip(items[::2], items[1::2], strict=True):
                target[key if type(key) is str else plain(key)] = value
        elif isinstance(target, Uncalled):
            target.pairs.extend(zip(items[::2], items[1::2], strict=True))
        else:
            raise Malformed("its pickle sets an item of something that is no dict")


# Bytes of all that a reader hands over.
MAX_PICKLE = 256 << 20
MAX_OPS = 20_000_000
MAX_MEMO = 5_000_000
_OPS_BETWEEN_LOOKS = 20_000  # about 10 ms


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
        self._put(whole_number(self._line()))

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
        self._push(self._memo[whole_number(self._line())])

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
        module = text(self._line())
        self._push(self._name(module, text(self._line())))

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
        module = text(self._line())
        cls = self._name(module, text(self._line()))
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
        self._push(self._persistent(python2_text(self._line())))
