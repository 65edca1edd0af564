"""A pickle stack machine that never imports or calls anything that a pickle refers to.

Opcodes are decoded here rather than by ``pickletools.genops``, which reads texts of any length that
the file declares, and creates an object for each opcode. The tests compare the two implementations
opcode by opcode.
"""

from __future__ import annotations

import pickletools
import re
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import repeat
from typing import Any, NoReturn

from pruneapp.checkpoint.torchfile import numpy_arrays
from pruneapp.checkpoint.torchfile.torch_objects import (
    Array,
    Blob,
    ExhaustedError,
    Global,
    MalformedError,
    PickledSet,
    Storages,
    Tensor,
    Uncalled,
    plain,
    view,
)
from pruneapp.progress import CancelToken

# Objects by extension code, and out-of-band buffers: torch never writes them.
UNSUPPORTED = frozenset({"EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER"})
_PUSHED = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
# The value that an opcode pushes, or else the method that handles it: all of protocols 0 to 5.
CONSTANTS: dict[int, Any] = {
    ord(opcode.code): _PUSHED[opcode.name]
    for opcode in pickletools.opcodes
    if opcode.name in _PUSHED
}
HANDLERS: dict[int, str] = {
    ord(opcode.code): f"_op_{opcode.name.lower()}"
    for opcode in pickletools.opcodes
    if opcode.name not in UNSUPPORTED and opcode.name not in _PUSHED
}

# Limits: total bytes of a pickle, bytes of a text, bytes of an integer, nested marks, opcodes,
# memos.
MAX_PICKLE = 256 << 20
MAX_TEXT = 64 << 20
MAX_LONG_BYTES = 64
MAX_DEPTH = 10_000
MAX_OPS = 20_000_000
MAX_MEMO = 5_000_000
_OPS_PER_CHECK = 20_000  # opcodes between two checks for cancellation, about 10 ms

_U2 = struct.Struct("<H").unpack_from
_U4 = struct.Struct("<I").unpack_from
_U8 = struct.Struct("<Q").unpack_from
_I4 = struct.Struct("<i").unpack_from
_F8 = struct.Struct(">d").unpack_from

_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL)
_SIMPLE = {
    b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v",
    b"\\": b"\\", b"'": b"'", b'"': b'"', b"\n": b"",
}  # fmt: skip


def _parse_int(line: bytes) -> int:
    """Parse a decimal number with an optional suffix ``L``.

    Raises `MalformedError` if it is none, or has more than 156 digits.
    """
    digits = line.removesuffix(b"L")
    # 64 bytes are 154 digits; int() takes quadratic time on longer ones.
    if len(digits) > 156:
        raise MalformedError(f"a number has {len(digits):,} digits (at most 154 are read)")
    try:
        return int(digits)
    except ValueError:
        raise MalformedError("a line of the pickle should be a number, and is not") from None


def _unquote(line: bytes) -> bytes:
    """Return the content of a quoted text, with backslash escapes replaced."""
    if len(line) < 2 or line[:1] not in b"'\"" or line[:1] != line[-1:]:
        raise MalformedError("a line of the pickle should be text in quotes, and is not")
    return _ESCAPE.sub(_unescape, line[1:-1]) if b"\\" in line else line[1:-1]


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if code[:1] == b"x":
        return bytes((int(code[1:], 16),)) if len(code) == 3 else match[0]
    if code.isdigit():
        return bytes((int(code, 8) & 0xFF,)) if code[:1] < b"8" else match[0]
    return _SIMPLE.get(code, match[0])


def _text(raw: bytes) -> str:
    """Decode UTF-8 like pickle, which accepts lone surrogates."""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise MalformedError("a text in the pickle is not UTF-8") from None


def _python2_text(raw: bytes) -> str | bytes:
    """Decode a string of Python 2, which may be text or bytes."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def _raise_missing_operands() -> NoReturn:
    raise MalformedError("an instruction of its pickle lacks its operands")


class _Stop(Exception):  # noqa: N818 - signals the end of the pickle
    pass


class Machine:
    """Interprets one or several consecutive pickles.

    Methods ``_op_...`` are named after the opcodes in `pickletools`. For speed, reading a fixed
    size past the end raises `IndexError` or `struct.error`, which `run` translates. Each method
    reads its arguments first and then changes the stack, so that it can be repeated with more data.

    Parameters
    ----------
    data
        Bytes that begin with one or several consecutive pickles.
    call
        Called with a function (a `Global` or `Uncalled`) and its arguments; returns a placeholder
        for the result.
    persistent
        Called with a persistent id; returns a placeholder for the object.
    cancel
        Checked every few milliseconds.
    grow
        Called with `data` if it ends before the pickle; returns it with more bytes appended. By
        default it appends nothing.
    """

    def __init__(
        self,
        data: bytes,
        call: Callable[[Global | Uncalled, tuple[Any, ...]], Any],
        persistent: Callable[[Any], Any],
        cancel: CancelToken,
        grow: Callable[[bytes], bytes] = bytes,
    ) -> None:
        """Store the parameters. `run` interprets one pickle per call."""
        self.position = 0
        self.globals: dict[tuple[str, str], Global] = {}
        self.arrays: list[Array] = []
        self._data = data
        self._base = 0  # offset in the file at which the data begins
        self._instruction = 0
        self._call = call
        self._persistent = persistent
        self._cancel = cancel
        self._grow = grow
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}
        self._ops_left = MAX_OPS
        self._stack: list[Any] = []
        # Cached because they are called for almost every opcode.
        self._push = self._stack.append
        self._pop = self._stack.pop
        self._table: list[Callable[[], None]] = [self._unknown] * 256
        for code, name in HANDLERS.items():
            self._table[code] = getattr(self, name)
        for code, value in CONSTANTS.items():
            self._table[code] = partial(self._push, value)

    def run(self) -> Any:
        """Interpret the pickle at `position`, set `position` to its end, and return its object.

        The names of code are added to `globals`, arrays to `arrays`; both, and the limit of
        instructions, are shared by all calls.

        Raises
        ------
        MalformedError
            If it violates the rules of pickles, or a limit of this module.
        ExhaustedError
            If the bytes end before the pickle does.
        Cancelled
            If `cancel` is cancelled.
        """
        self._stack.clear()
        self._marks.clear()
        self._memo.clear()
        while True:
            try:
                self._run()
            except _Stop:
                return self._pop() if self._stack else _raise_missing_operands()
            except (IndexError, struct.error):
                if self.position + 8 < len(self._data):
                    _raise_missing_operands()
            except ExhaustedError:
                pass
            except KeyError:
                raise MalformedError(
                    "its pickle refers to an object that it does not contain"
                ) from None
            self._refill()

    def _refill(self) -> None:
        """Append more bytes, and reset `position` to repeat the opcode that needed them."""
        grown = self._grow(self._data)
        if len(grown) == len(self._data):
            raise ExhaustedError("its pickle ends in the middle") from None
        self._data = grown
        self.position = self._instruction

    def _run(self) -> None:
        """Execute instructions until `_Stop` or another error is raised."""
        data, table = self._data, self._table
        while self._ops_left > 0:
            self._cancel.check()
            self._ops_left -= _OPS_PER_CHECK
            for _ in repeat(None, _OPS_PER_CHECK):
                self._instruction = position = self.position
                self.position = position + 1
                table[data[position]]()
        raise MalformedError(f"its pickle has more than {MAX_OPS:,} instructions")

    def _unknown(self) -> None:
        code = self._data[self.position - 1]
        raise MalformedError(
            f"byte {self.position - 1:,} of its pickle, {code:#04x}, is no instruction"
        )

    # -- arguments of opcodes ------------------------------------------------------------------

    def _take(self, size: int) -> bytes:
        """Return the next `size` bytes. Raise `ExhaustedError` if there are fewer.

        Raises `MalformedError` for more than 64 MiB.
        """
        if size > MAX_TEXT:
            raise MalformedError(f"a text in its pickle has {size:,} bytes (at most {MAX_TEXT:,})")
        start = self.position
        end = start + size
        if end > len(self._data):
            raise ExhaustedError("its pickle ends in the middle")
        self.position = end
        return self._data[start:end]

    def _take1(self) -> bytes:
        size = self._data[self.position]
        self.position += 1
        return self._take(size)

    def _take4(self) -> bytes:
        return self._take(self._number4())

    def _take8(self) -> bytes:
        size: int = _U8(self._data, self.position)[0]
        self.position += 8
        return self._take(size)

    def _number4(self) -> int:
        value: int = _U4(self._data, self.position)[0]
        self.position += 4
        return value

    def _line(self) -> bytes:
        """Return the bytes up to the next line feed, and skip it.

        Raises `ExhaustedError` without one, and `MalformedError` after 64 MiB.
        """
        start = self.position
        end = self._data.find(b"\n", start, start + MAX_TEXT)
        if end < 0:
            if len(self._data) - start >= MAX_TEXT:
                raise MalformedError(f"a line of its pickle has more than {MAX_TEXT:,} bytes")
            raise ExhaustedError("its pickle ends in the middle")
        self.position = end + 1
        return self._data[start:end]

    # -- framing -------------------------------------------------------------------------------

    def _op_proto(self) -> None:
        version = self._data[self.position]
        self.position += 1
        if version > 5:
            raise MalformedError(f"its pickle has protocol {version} (at most 5 is known)")

    def _op_frame(self) -> None:
        _U8(self._data, self.position)
        self.position += 8

    def _op_stop(self) -> None:
        raise _Stop

    # -- plain values --------------------------------------------------------------------------

    def _op_int(self) -> None:
        line = self._line()
        self._push(line == b"01" if line in {b"00", b"01"} else _parse_int(line))

    def _op_long(self) -> None:
        self._push(_parse_int(self._line()))

    def _op_binint1(self) -> None:
        self._push(self._data[self.position])
        self.position += 1

    def _op_binint2(self) -> None:
        self._push(_U2(self._data, self.position)[0])
        self.position += 2

    def _op_binint(self) -> None:
        self._push(_I4(self._data, self.position)[0])
        self.position += 4

    def _op_long1(self) -> None:
        size = self._data[self.position]
        self.position += 1
        self._push_long(size)

    def _op_long4(self) -> None:
        self._push_long(self._number4())

    def _push_long(self, size: int) -> None:
        if size > MAX_LONG_BYTES:
            raise MalformedError(f"a number has {size:,} bytes (at most {MAX_LONG_BYTES} are read)")
        self._push(int.from_bytes(self._take(size), "little", signed=True))

    def _op_float(self) -> None:
        try:
            self._push(float(self._line()))
        except ValueError:
            raise MalformedError("a line of the pickle should be a number, and is not") from None

    def _op_binfloat(self) -> None:
        self._push(_F8(self._data, self.position)[0])
        self.position += 8

    def _op_string(self) -> None:
        self._push(_python2_text(_unquote(self._line())))

    def _op_short_binstring(self) -> None:
        self._push(_python2_text(self._take1()))

    def _op_binstring(self) -> None:
        self._push(_python2_text(self._take4()))

    def _op_unicode(self) -> None:
        try:
            self._push(self._line().decode("raw-unicode-escape"))
        except UnicodeDecodeError:
            raise MalformedError("a text in its pickle is not well-formed") from None

    def _op_short_binunicode(self) -> None:
        self._push(_text(self._take1()))

    def _op_binunicode(self) -> None:
        self._push(_text(self._take4()))

    def _op_binunicode8(self) -> None:
        self._push(_text(self._take8()))

    def _op_short_binbytes(self) -> None:
        self._push(self._take1())

    def _op_binbytes(self) -> None:
        self._push(self._take4())

    def _op_binbytes8(self) -> None:
        self._push(self._take8())

    _op_bytearray8 = _op_binbytes8

    # -- containers, and the marks from which they are filled ------------------------------------

    def _since_mark(self) -> list[Any]:
        if not self._marks:
            _raise_missing_operands()
        mark = self._marks.pop()
        items = self._stack[mark:]
        del self._stack[mark:]
        return items

    def _op_mark(self) -> None:
        if len(self._marks) >= MAX_DEPTH:
            raise MalformedError(f"its pickle is nested more than {MAX_DEPTH:,} deep")
        self._marks.append(len(self._stack))

    def _op_pop(self) -> None:
        if self._marks and self._marks[-1] == len(self._stack):
            self._marks.pop()  # POP right after MARK drops the mark
        else:
            self._pop()

    def _op_pop_mark(self) -> None:
        self._since_mark()

    def _op_dup(self) -> None:
        self._push(self._stack[-1])

    def _op_empty_list(self) -> None:
        self._push([])

    def _op_empty_dict(self) -> None:
        self._push({})

    def _op_empty_set(self) -> None:
        self._push(PickledSet([]))

    def _op_list(self) -> None:
        self._push(self._since_mark())

    def _op_tuple(self) -> None:
        self._push(tuple(self._since_mark()))

    def _op_tuple1(self) -> None:
        self._push((self._pop(),))

    def _op_tuple2(self) -> None:
        second = self._pop()
        self._push((self._pop(), second))

    def _op_tuple3(self) -> None:
        third, second = self._pop(), self._pop()
        self._push((self._pop(), second, third))

    def _op_frozenset(self) -> None:
        self._push(PickledSet(self._since_mark()))

    def _op_dict(self) -> None:
        items = self._since_mark()
        created: dict[Any, Any] = {}
        _fill(created, items)
        self._push(created)

    def _op_append(self) -> None:
        value = self._pop()
        target = self._stack[-1]
        if type(target) is list:
            target.append(value)
        else:
            _extend(target, [value])

    def _op_appends(self) -> None:
        items = self._since_mark()
        _extend(self._stack[-1], items)

    _op_additems = _op_appends

    def _op_setitem(self) -> None:
        value = self._pop()
        key = self._pop()
        _fill(self._stack[-1], [key, value])

    def _op_setitems(self) -> None:
        items = self._since_mark()
        _fill(self._stack[-1], items)

    # -- memo ----------------------------------------------------------------------------------

    def _put(self, index: int) -> None:
        if not 0 <= index < MAX_MEMO:
            raise MalformedError(f"its pickle stores an object under the invalid number {index:,}")
        self._memo[index] = self._stack[-1]

    def _op_put(self) -> None:
        self._put(_parse_int(self._line()))

    def _op_binput(self) -> None:
        self._memo[self._data[self.position]] = self._stack[-1]
        self.position += 1

    def _op_long_binput(self) -> None:
        index = self._number4()
        if index >= MAX_MEMO:
            self._put(index)
        self._memo[index] = self._stack[-1]

    def _op_memoize(self) -> None:
        self._put(len(self._memo))

    def _op_get(self) -> None:
        self._push(self._memo[_parse_int(self._line())])

    def _op_binget(self) -> None:
        self._push(self._memo[self._data[self.position]])
        self.position += 1

    def _op_long_binget(self) -> None:
        self._push(self._memo[_U4(self._data, self.position)[0]])
        self.position += 4

    # -- references to code and calls ------------------------------------------------------------

    def _name(self, module: Any, name: Any) -> Global:
        """Return the only `Global` of a module and name.

        Raises `MalformedError` if one of them is no text.
        """
        if type(module) is not str or type(name) is not str:
            raise MalformedError("its pickle names code by something that is not text")
        named = self.globals.get((module, name))
        if named is None:
            named = self.globals[module, name] = Global(module, name)
        return named

    def _name_in_lines(self) -> Global:
        module = _text(self._line())
        return self._name(module, _text(self._line()))

    def _op_global(self) -> None:
        self._push(self._name_in_lines())

    def _op_stack_global(self) -> None:
        name = self._pop()
        self._push(self._name(self._pop(), name))

    def _apply(self, function: Any, args: Any) -> None:
        """Push the placeholder for a call of `function`, and mark a `Global` as called.

        A new array is added to `arrays`. Raises `MalformedError` if it is no function, or `args` no
        tuple.
        """
        if not isinstance(function, (Global, Uncalled)):
            raise MalformedError("its pickle calls something that is not a function")
        if type(args) is not tuple:
            raise MalformedError("its pickle calls a function with something that is not a tuple")
        if type(function) is Global:
            function.called = True
        result = self._call(function, args)
        if type(result) is Array and not result.position:
            result.position = self._base + self._instruction
            self.arrays.append(result)
        self._push(result)

    def _op_reduce(self) -> None:
        args = self._pop()
        self._apply(self._pop(), args)

    _op_newobj = _op_reduce

    def _op_newobj_ex(self) -> None:
        keywords = self._pop()
        args = self._pop()
        if type(args) is not tuple:
            _raise_missing_operands()
        self._apply(self._pop(), (*args, keywords) if keywords else args)

    def _op_inst(self) -> None:
        cls = self._name_in_lines()
        self._apply(cls, tuple(self._since_mark()))

    def _op_obj(self) -> None:
        items = self._since_mark()
        if not items:
            _raise_missing_operands()
        self._apply(items[0], tuple(items[1:]))

    def _op_build(self) -> None:
        """Set the state of the object below the popped one on the stack.

        Attributes of dicts and tensors are dropped. Raises `MalformedError` for plain values.
        """
        state = self._pop()
        target = self._stack[-1]
        if isinstance(target, Uncalled):
            target.state = state
        elif isinstance(target, Array):
            numpy_arrays.fill(target, state)
        elif isinstance(target, Tensor) and not target.storage.key:
            _fill_tensor(target, state)
        elif type(target) in {Global, int, float, str, bytes, bool, list, tuple, dict, type(None)}:
            raise MalformedError("its pickle sets the state of something that has none")
        # Attributes of an OrderedDict (such as torch's _metadata) or of a tensor contain no
        # weights.

    def _op_binpersid(self) -> None:
        self._push(self._persistent(self._pop()))

    def _op_persid(self) -> None:
        self._push(self._persistent(_python2_text(self._line())))


@dataclass(frozen=True, slots=True)
class PushOpcode:
    """The opcode that pushes bytes, or the text that encodes them."""

    start: int  # offset in the file
    stop: int
    text: bool  # whether it pushes text
    value: bytes | str  # referenced, so that its id is not reused


# Opcodes that push bytes or text, and those that push text.
_PUSHING = b"BCTUX\x8c\x8d\x8e\x96VS"
_PUSHING_TEXT = b"TX\x8c\x8dVS"


class RecordingMachine(Machine):
    """A machine that records the opcodes that push the bytes of arrays; it has no storages."""

    def __init__(
        self,
        data: bytes,
        call: Callable[[Global | Uncalled, tuple[Any, ...]], Any],
        cancel: CancelToken,
    ) -> None:
        """Store the parameters; see `Machine`."""
        super().__init__(data, call, Storages(), cancel)
        self._push_opcodes: dict[int, PushOpcode] = {}  # by the id of the pushed object
        for code in _PUSHING:
            text = code in _PUSHING_TEXT
            self._table[code] = partial(self._record, self._table[code], text=text)

    def push_opcode_of(self, array: Array) -> PushOpcode | None:
        """Return the opcode that pushes the bytes of an array of this pickle.

        For a byte string that was not read, it is the range of the bytes alone. None if it cannot
        be replaced: it is unknown, or another array refers to the same bytes. The pickle must have
        been interpreted.
        """
        if self._users[_identity(array)] > 1:
            return None
        if isinstance(array.raw, Blob):
            start, stop = array.raw.offset, array.raw.offset + array.raw.size
            return PushOpcode(start, stop, text=False, value=b"")
        return self._push_opcodes.get(id(array.raw))

    @cached_property
    def _users(self) -> Counter[int]:
        return Counter(map(_identity, self.arrays))

    def _record(self, push: Callable[[], None], *, text: bool) -> None:
        push()
        value = self._stack[-1]
        if len(value) > 1:  # shorter strings are shared objects
            start, stop = self._base + self._instruction, self._base + self.position
            self._push_opcodes[id(value)] = PushOpcode(start, stop, text, value)

    def _apply(self, function: Any, args: Any) -> None:
        """Push the placeholder for a call; for bytes encoded as text, record the opcode."""
        super()._apply(function, args)
        value = self._stack[-1]
        if type(function) is Global and function.path == "_codecs.encode" and type(value) is bytes:
            spot = self._push_opcodes.get(id(args[0]))
            if spot is not None and len(value) > 1:
                self._push_opcodes[id(value)] = PushOpcode(spot.start, spot.stop, True, value)


def _identity(array: Array) -> int:
    return array.raw.offset if isinstance(array.raw, Blob) else -id(array.raw)


def _fill_tensor(target: Tensor, state: Any) -> None:
    """Set storage, offset, size and strides of a tensor that was created empty.

    Raises `MalformedError` if `state` is no tuple of these four.
    """
    if type(state) is not tuple or len(state) != 4:
        raise MalformedError("the state of a tensor in its pickle is not well-formed")
    filled = view(state[0], None, *state[1:])
    target.storage, target.element, target.offset = filled.storage, filled.element, filled.offset
    target.shape, target.strides, target.why_not = filled.shape, filled.strides, filled.why_not


def _extend(target: Any, items: list[Any]) -> None:
    """Append items to a list, a set or an uncalled object.

    Raises `MalformedError` for other targets.
    """
    if type(target) is list:
        target.extend(items)
    elif isinstance(target, (Uncalled, PickledSet)):
        target.items.extend(items)
    else:
        raise MalformedError("its pickle appends to something that is not a list")


def _fill(target: Any, items: list[Any]) -> None:
    """Set items of a dict or an uncalled object from alternating keys and values.

    Keys that cannot be hashed safely are wrapped, see `plain`. Raises `MalformedError` for other
    targets.
    """
    if len(items) % 2:
        raise MalformedError("its pickle has a key without a value")
    if isinstance(target, dict):
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[key if type(key) is str else plain(key)] = value
    elif isinstance(target, Uncalled):
        target.pairs.extend(zip(items[::2], items[1::2], strict=True))
    else:
        raise MalformedError("its pickle sets an item of something that is not a dict")
