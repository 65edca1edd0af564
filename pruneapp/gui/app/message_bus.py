"""A small D-Bus client on jeepney: method calls, and signals sent and received.

QtDBus cannot be used from Python: it writes integers only as signed 32-bit ones, which notification
services refuse, and its connection blocks on a bus that does not respond. All calls here block for
at most `PATIENCE_S` seconds each and therefore belong on a thread.
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
    """The call failed or there is no such service; the bus itself works."""


class BusSignal(NamedTuple):
    """A received signal: its name and its arguments. A variant is a pair of type and value."""

    member: str
    values: tuple[Any, ...]


def session_address() -> str:
    """Return the address of the session bus; "" if there is none."""
    if from_environment := os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return from_environment
    default_path = Path(os.environ.get("XDG_RUNTIME_DIR", ""), "bus")
    return (
        f"unix:path={default_path}" if default_path.is_absolute() and default_path.exists() else ""
    )


def system_address() -> str:
    """Return the address of the system bus; "" if there is none."""
    if from_environment := os.environ.get("DBUS_SYSTEM_BUS_ADDRESS"):
        return from_environment
    default_path = Path("/run/dbus/system_bus_socket")
    return f"unix:path={default_path}" if default_path.exists() else ""


class MessageBus:
    """A connection to a bus, for use by one thread at a time.

    The constructor and all methods raise `BusError` if the bus cannot be reached, refuses the
    connection or does not answer; `call` raises `RefusedError` if the reply is an error. Types of
    values are given by D-Bus signatures, such as ``sa{sv}``.
    """

    def __init__(self, address: str) -> None:
        # Imported late: only needed once there is something to send.
        from jeepney import MatchRule
        from jeepney.io.blocking import open_dbus_connection

        self._signals: deque[Any] = deque()
        with _raise_bus_error(f"There is no bus at '{address}'"):
            self._connection = open_dbus_connection(
                address, enable_fds=True, auth_timeout=PATIENCE_S
            )
            self._connection.filter(MatchRule(type="signal"), queue=self._signals)

    def fileno(self) -> int:
        """Return the file descriptor that becomes readable when there is something to `receive`."""
        return int(self._connection.sock.fileno())

    def close(self) -> None:
        """Close the connection, which also ends its inhibitors."""
        self._connection.close()

    def call(
        self,
        service: str,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        *values: Any,
    ) -> tuple[Any, ...]:
        """Call a method and return the values of its reply.

        The caller has to close file descriptors (type ``h``) among them.
        """
        from jeepney import DBusAddress, MessageType, new_method_call
        from jeepney.fds import FileDescriptor

        with _raise_bus_error(f"The bus does not answer to {member}"):
            service_at = DBusAddress(path, bus_name=service, interface=interface)
            message = new_method_call(service_at, member, signature or None, values)
            answer = self._connection.send_and_get_reply(message, timeout=PATIENCE_S)
            found = [v.to_raw_fd() if isinstance(v, FileDescriptor) else v for v in answer.body]
        if answer.header.message_type is MessageType.error:
            raise RefusedError(f"{member}: {' '.join(map(str, found))}")
        return tuple(found)

    def emit(self, path: str, interface: str, member: str, signature: str, *values: Any) -> None:
        """Broadcast a signal."""
        from jeepney import DBusAddress, new_signal

        with _raise_bus_error("The bus does not listen"):
            emitter = DBusAddress(path, interface=interface)
            self._connection.send(new_signal(emitter, member, signature, values))

    def listen(self, rule: str) -> None:
        """Subscribe to the signals that match a rule, such as ``interface='org.example'``."""
        self.call(_BUS, _BUS_AT, _BUS, "AddMatch", "s", rule)

    def receive(self) -> Iterator[BusSignal]:
        """Yield the signals received so far, without waiting for more."""
        from jeepney import HeaderFields

        with _raise_bus_error("The bus does not speak"):
            try:
                while True:
                    self._connection.recv_messages(timeout=0)
            except TimeoutError:
                pass
        while self._signals:
            signal = self._signals.popleft()
            yield BusSignal(signal.header.fields.get(HeaderFields.member, ""), signal.body)


@contextmanager
def _raise_bus_error(what: str) -> Iterator[None]:
    """Raise any exception as `BusError`, with `what` as the start of its text."""
    try:
        yield
    except Exception as error:  # any: malformed messages may raise anything inside jeepney
        raise BusError(f"{what}: {error}.") from error
