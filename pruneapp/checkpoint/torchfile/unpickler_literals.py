"""Numbers and text as the oldest pickles spell them: in lines of ASCII."""

from __future__ import annotations

import re

from pruneapp.checkpoint.torchfile.torch_objects_faults import Malformed

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
