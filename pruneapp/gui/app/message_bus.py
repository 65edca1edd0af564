"""A client of D-Bus, which desktops of Linux are spoken to by: the protocol, without Qt.

Qt's own module cannot be used from Python: it writes integers as signed ones of 32 bits alone,
which services of notifications refuse; and its connection waits for a bus that does not answer.

All calls wait, at most `PATIENCE_S` each: they belong into a thread. Values are written by a
signature as the specification of D-Bus has it, such as ``sa{sv}``; a variant is a `Variant`.
"""

from __future__ import annotations

import os
import re
import socket
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

PATIENCE_S = 5.0
# More than anybody has to tell us; of what is longer the length is wrong.
LONGEST = 1 << 20
_BUS = "org.freedesktop.DBus"
_CALL, _RETURN, _ERROR, _SIGNAL = 1, 2, 3, 4
_NO_REPLY = 1
# Header fields: number, name in `BusMessage`, type.
_FIELDS = (
    (1, "path", "o"),
    (2, "interface", "s"),
    (3, "member", "s"),
    (5, "reply_to", "u"),
    (6, "destination", "s"),
    (8, "signature", "g"),
    (9, "fds", "u"),
)
_NAMES = {(number, kind): name for number, name, kind in _FIELDS}
_FORMATS = {
    "y": "B",
    "b": "I",
    "n": "h",
    "q": "H",
    "i": "i",
    "u": "I",
    "h": "I",
    "x": "q",
    "t": "Q",
    "d": "d",
}
_ALIGNED = {"s": 4, "o": 4, "g": 1, "a": 4, "v": 1, "(": 8, "{": 8}


class BusError(Exception):
    """The bus cannot be reached, or does not answer."""


class RefusedError(BusError):
    """What was asked for was refused, or nobody is there who could do it; the bus works."""


class Variant(NamedTuple):
    """A value that is told with its type."""

    signature: str
    value: Any


@dataclass
class BusMessage:
    """What is told by somebody on the bus."""

    kind: int
    path: str = ""
    interface: str = ""
    member: str = ""
    reply_to: int = 0
    destination: str = ""
    signature: str = ""
    fds: int = 0  # how many file descriptors came with it
    values: tuple[Any, ...] = field(default=())


def session_address() -> str:
    """Return where the bus of the person's session is; empty if there is none."""
    if given := os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return given
    usual = Path(os.environ.get("XDG_RUNTIME_DIR", ""), "bus")
    return f"unix:path={usual}" if usual.is_absolute() and usual.exists() else ""


def system_address() -> str:
    """Return where the bus of the machine is; empty if there is none."""
    if given := os.environ.get("DBUS_SYSTEM_BUS_ADDRESS"):
        return given
    usual = Path("/run/dbus/system_bus_socket")
    return f"unix:path={usual}" if usual.exists() else ""


class MessageBus:
    """A connection to a bus; not for several threads at once.

    Raises `BusError` where there is no bus, it refuses us, or does not answer; so do its methods,
    of which `call` raises `RefusedError` if the other side answers with an error.
    """

    def __init__(self, address: str) -> None:
        self._socket = _connected(address)
        self._received = bytearray()
        self._fds: list[int] = []
        self._serial = 0
        self._signals: list[BusMessage] = []
        try:
            self._introduce()
            self.call(_BUS, "/org/freedesktop/DBus", _BUS, "Hello")
        except BaseException:
            self.close()
            raise

    def fileno(self) -> int:
        """Return what becomes readable when there is something to `receive`."""
        return self._socket.fileno()

    def close(self) -> None:
        """Leave the bus: what was inhibited for us is so no longer."""
        self._socket.close()
        for fd in self._fds:
            os.close(fd)
        self._fds = []

    def call(
        self,
        service: str,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        *values: Any,
    ) -> tuple[Any, ...]:
        """Call a method and return what it answers; a file descriptor (``h``) is the caller's."""
        message = BusMessage(_CALL, path, interface, member, 0, service, signature, 0, values)
        serial, deadline = self._send(message), time.monotonic() + PATIENCE_S
        while True:
            answer = self._next(deadline)
            if answer.kind == _SIGNAL:
                self._signals.append(answer)
            elif answer.reply_to == serial:
                if answer.kind == _ERROR:
                    raise RefusedError(f"{member}: {' '.join(map(str, answer.values))}")
                return answer.values

    def emit(self, path: str, interface: str, member: str, signature: str, *values: Any) -> None:
        """Tell everybody who listens."""
        self._send(BusMessage(_SIGNAL, path, interface, member, 0, "", signature, 0, values))

    def listen(self, rule: str) -> None:
        """Have signals told that a rule matches, such as ``interface='org.example'``."""
        self.call(_BUS, "/org/freedesktop/DBus", _BUS, "AddMatch", "s", rule)

    def receive(self) -> Iterator[BusMessage]:
        """Yield the signals that were told meanwhile; waits for none."""
        while True:
            while self._signals:
                yield self._signals.pop(0)
            try:
                message = self._next(0)
            except TimeoutError:
                return
            if message.kind == _SIGNAL:
                yield message

    # -- the connection -------------------------------------------------------------------------

    def _introduce(self) -> None:
        self._write(b"\0")
        who = str(os.getuid()).encode().hex().encode()
        self._ask(b"AUTH EXTERNAL " + who, b"OK")
        self._ask(b"NEGOTIATE_UNIX_FD", b"AGREE_UNIX_FD")
        self._write(b"BEGIN\r\n")

    def _ask(self, line: bytes, wanted: bytes) -> None:
        self._write(line + b"\r\n")
        deadline = time.monotonic() + PATIENCE_S
        while b"\r\n" not in self._received:
            self._read(deadline)
        answer, _, rest = bytes(self._received).partition(b"\r\n")
        self._received[:] = rest
        if not answer.startswith(wanted):
            raise BusError(f"The bus refused us: {answer[:80]!r}")

    def _send(self, message: BusMessage) -> int:
        self._serial += 1
        self._write(encoded(message, self._serial))
        return self._serial

    def _write(self, data: bytes) -> None:
        self._socket.settimeout(PATIENCE_S)
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise BusError(f"The bus does not listen: {error}") from error

    def _next(self, deadline: float) -> BusMessage:
        while (found := _decoded(self._received, self._take_fds)) is None:
            self._read(deadline)
        return found

    def _read(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        self._socket.settimeout(max(0.0, left) if deadline else 0.0)
        try:
            data, fds, _flags, _address = socket.recv_fds(self._socket, 65536, 16)
        except (TimeoutError, BlockingIOError) as error:
            if not deadline:
                raise TimeoutError from None
            raise BusError("The bus does not answer.") from error
        except OSError as error:
            raise BusError(f"The bus does not speak: {error}") from error
        if not data:
            raise BusError("The bus has gone.")
        self._fds += fds
        self._received += data

    def _take_fds(self, number: int) -> list[int]:
        taken, self._fds = self._fds[:number], self._fds[number:]
        return taken


def _connected(address: str) -> socket.socket:
    """Return a socket of the first of some addresses that is there."""
    last: OSError | None = None
    for one in filter(None, address.split(";")):
        kind, _, rest = one.partition(":")
        keys = dict(pair.partition("=")[::2] for pair in rest.split(","))
        path = unquote(keys.get("path", "")) or "\0" + unquote(keys.get("abstract", ""))
        if kind != "unix" or path == "\0" or not hasattr(socket, "recv_fds"):
            continue
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.settimeout(PATIENCE_S)
        try:
            made.connect(path)
        except OSError as error:
            made.close()
            last = error
        else:
            return made
    raise BusError(f"There is no bus at '{address}'.") from last


# -- how messages are written ------------------------------------------------------------------


def encoded(message: BusMessage, serial: int) -> bytes:
    """Return a message as it is sent."""
    body = bytearray()
    for one, value in zip(_types(message.signature), message.values, strict=True):
        _append(body, one, value)
    fields = [
        (number, Variant(kind, getattr(message, name)))
        for number, name, kind in _FIELDS
        if getattr(message, name)
    ]
    flags = 0 if message.kind == _CALL else _NO_REPLY
    head = bytearray(struct.pack("<cBBBII", b"l", message.kind, flags, 1, len(body), serial))
    _append(head, "a(yv)", fields)
    _pad(head, 8)
    return bytes(head + body)


def _decoded(received: bytearray, take_fds: Callable[[int], list[int]]) -> BusMessage | None:
    """Take a message from what was received, once all of it is there."""
    if len(received) < 16:
        return None
    order = {0x6C: "<", 0x42: ">"}.get(received[0])
    if order is None:
        raise BusError("The bus speaks another language.")
    length, _serial, fields = struct.unpack_from(f"{order}III", received, 4)
    begin = 16 + fields + -fields % 8
    if max(length, fields) > LONGEST:
        raise BusError("The bus tells too much.")
    if len(received) < begin + length:
        return None
    data = bytes(received[: begin + length])
    del received[: begin + length]
    try:
        _, listed = _read(data, 12, "a(yv)", order)
        named = {
            _NAMES[number, value.signature]: value.value
            for number, value in listed
            if (number, value.signature) in _NAMES
        }
        message = BusMessage(data[1], **named)
        values = []
        body, at = data[begin:], 0
        for one in _types(message.signature):
            at, value = _read(body, at, one, order)
            values.append(value)
    except (struct.error, LookupError, ValueError, TypeError, RecursionError) as error:
        raise BusError("The bus tells what has no meaning.") from error
    fds = take_fds(message.fds)
    types = _types(message.signature)
    # A descriptor is told as its place among those that came along.
    message.values = tuple(
        fds[value] if one == "h" and value < len(fds) else value
        for one, value in zip(types, values, strict=True)
    )
    used = {value for one, value in zip(types, message.values, strict=True) if one == "h"}
    for fd in fds:
        if fd not in used:
            with suppress(OSError):
                os.close(fd)
    return message


_ONE_TYPE = re.compile(r"a*(?:[ybnqiuxtdsogvh]|[({])")


def _types(signature: str) -> list[str]:
    """Return the complete types of a signature: ``sa{sv}`` is ``s`` and ``a{sv}``."""
    found, at = [], 0
    while at < len(signature):
        begun = _ONE_TYPE.match(signature, at)
        if begun is None:
            raise ValueError(signature)
        end = begun.end()
        depth = int(signature[end - 1] in "({")
        while depth:
            depth += (signature[end] in "({") - (signature[end] in ")}")
            end += 1
        found.append(signature[at:end])
        at = end
    return found


def _alignment(kind: str) -> int:
    return _ALIGNED.get(kind[0]) or struct.calcsize(_FORMATS[kind[0]])


def _pad(out: bytearray, size: int) -> None:
    out.extend(bytes(-len(out) % size))


def _append(out: bytearray, kind: str, value: Any) -> None:
    """Write a value of one type behind what is there."""
    _pad(out, _alignment(kind))
    if kind in "so":
        data = str(value).encode()
        out += struct.pack("<I", len(data)) + data + b"\0"
    elif kind == "g":
        out += bytes([len(value)]) + value.encode() + b"\0"
    elif kind == "v":
        _append(out, "g", value.signature)
        _append(out, value.signature, value.value)
    elif kind[0] == "a":
        out += bytes(4)
        at = len(out)
        _pad(out, _alignment(kind[1:]))
        begin = len(out)
        for item in value.items() if isinstance(value, Mapping) else value:
            _append(out, kind[1:], item)
        struct.pack_into("<I", out, at - 4, len(out) - begin)
    elif kind[0] in "({":
        for one, item in zip(_types(kind[1:-1]), value, strict=True):
            _append(out, one, item)
    else:
        out += struct.pack(f"<{_FORMATS[kind]}", value)


def _read(data: bytes, at: int, kind: str, order: str) -> tuple[int, Any]:
    """Return where the next value begins, and the value of one type at a place."""
    at += -at % _alignment(kind)
    if kind in "so":
        (length,) = struct.unpack_from(f"{order}I", data, at)
        return at + 5 + length, _text(data, at + 4, length)
    if kind == "g":
        return at + 2 + data[at], _text(data, at + 1, data[at])
    if kind == "v":
        at, signature = _read(data, at, "g", order)
        at, value = _read(data, at, signature, order)
        return at, Variant(signature, value)
    if kind[0] == "a":
        (length,) = struct.unpack_from(f"{order}I", data, at)
        at += 4
        at += -at % _alignment(kind[1:])
        end, items = at + length, []
        while at < end:
            before = at
            at, item = _read(data, at, kind[1:], order)
            if at <= before or at > end:
                raise ValueError(kind)  # a list of nothing would have no end
            items.append(item)
        return at, dict(items) if kind[1] == "{" else items
    if kind[0] in "({":
        values = []
        for one in _types(kind[1:-1]):
            at, value = _read(data, at, one, order)
            values.append(value)
        return at, tuple(values)
    form = order + _FORMATS[kind]
    (number,) = struct.unpack_from(form, data, at)
    return at + struct.calcsize(form), bool(number) if kind == "b" else number


def _text(data: bytes, at: int, length: int) -> str:
    if at + length > len(data):
        raise IndexError(at)
    return data[at : at + length].decode()
