"""The buses of a Linux desktop: methods are called, signals told and heard.

By jeepney, for Qt's own module cannot be used from Python: it writes integers as signed ones of 32
bits alone, which services of notifications refuse, and its connection waits for a bus that does not
answer. All calls wait, at most `PATIENCE_S` each: they belong into a thread.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

PATIENCE_S = 5.0
_BUS, _BUS_AT = "org.freedesktop.DBus", "/org/freedesktop/DBus"


class BusError(Exception):
    """The bus cannot be reached, or does not answer."""


class RefusedError(BusError):
    """What was asked for was refused, or nobody is there who could do it; the bus works."""


class BusSignal(NamedTuple):
    """What is told by somebody on the bus. A variant is a pair of its type and its value."""

    member: str
    values: tuple[Any, ...]


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
    of which `call` raises `RefusedError` if the other side answers with an error. Values are told
    by a signature as the specification of D-Bus has it, such as ``sa{sv}``.
    """

    def __init__(self, address: str) -> None:
        # Not before somebody is told something.
        from jeepney import MatchRule
        from jeepney.io.blocking import open_dbus_connection

        self._told: deque[Any] = deque()
        with _watched(f"There is no bus at '{address}'"):
            self._line = open_dbus_connection(address, enable_fds=True, auth_timeout=PATIENCE_S)
            self._line.filter(MatchRule(type="signal"), queue=self._told)

    def fileno(self) -> int:
        """Return what becomes readable when there is something to `receive`."""
        return int(self._line.sock.fileno())

    def close(self) -> None:
        """Leave the bus: what was inhibited for us is so no longer."""
        self._line.close()

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
        from jeepney import DBusAddress, MessageType, new_method_call
        from jeepney.fds import FileDescriptor

        with _watched(f"The bus does not answer to {member}"):
            service_at = DBusAddress(path, bus_name=service, interface=interface)
            message = new_method_call(service_at, member, signature or None, values)
            answer = self._line.send_and_get_reply(message, timeout=PATIENCE_S)
            found = [v.to_raw_fd() if isinstance(v, FileDescriptor) else v for v in answer.body]
        if answer.header.message_type is MessageType.error:
            raise RefusedError(f"{member}: {' '.join(map(str, found))}")
        return tuple(found)

    def emit(self, path: str, interface: str, member: str, signature: str, *values: Any) -> None:
        """Tell everybody who listens."""
        from jeepney import DBusAddress, new_signal

        with _watched("The bus does not listen"):
            emitter = DBusAddress(path, interface=interface)
            self._line.send(new_signal(emitter, member, signature, values))

    def listen(self, rule: str) -> None:
        """Have signals told that a rule matches, such as ``interface='org.example'``."""
        self.call(_BUS, _BUS_AT, _BUS, "AddMatch", "s", rule)

    def receive(self) -> Iterator[BusSignal]:
        """Yield the signals that were told meanwhile; waits for none."""
        from jeepney import HeaderFields

        with _watched("The bus does not speak"):
            try:
                while True:
                    self._line.recv_messages(timeout=0)
            except TimeoutError:
                pass
        while self._told:
            told = self._told.popleft()
            yield BusSignal(told.header.fields.get(HeaderFields.member, ""), told.body)


@contextmanager
def _watched(what: str) -> Iterator[None]:
    """Take whatever goes wrong for one thing: who is at the other end may send any nonsense."""
    try:
        yield
    except Exception as error:  # of whatever kind: nonsense may end jeepney anywhere
        raise BusError(f"{what}: {error}.") from error
