"""Desktop integration of long jobs: notifications, task bar progress, and sleep inhibition.

Also reads the desktop's setting for reduced motion, which Qt does not report.

On Linux this uses D-Bus by jeepney: notifications (org.freedesktop.Notifications), progress in the
task bar (com.canonical.Unity.LauncherEntry, which GNOME's docks, KDE and others show) and no
suspend while a file is written (org.freedesktop.login1, else org.freedesktop.PowerManagement). On
other systems Qt shows notifications next to a tray icon; task bar progress is not available there.
QtDBus cannot be used from Python: it writes integers only as signed 32-bit ones, which notification
services refuse, and its connection blocks on a bus that does not respond.

All D-Bus calls run on a thread of their own, so that a bus that is missing, slow or silent cannot
block the window. The motion setting is read again at increasing intervals until a service answers,
and after every reconnection.
"""

from __future__ import annotations

import os
import queue
import selectors
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from pruneapp.gui.app.jobs import JobEnd, JobProgress, Jobs
from pruneapp.gui.app.settings import NOTIFY, Settings
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.screen import allow_to_front, bring_to_front

# Minimum duration, in seconds, of a job whose end is notified.
LONG_S = 10.0
# Interval of updates of progress and sleep inhibition; shorter jobs cause neither.
TICK_MS = 1_000
# Seconds until the next attempt to connect to a bus that could not be reached.
RETRY_S = 30.0
# Longest interval, in seconds, between two attempts to read the motion setting.
SELDOM_S = 3600.0
# How long, in seconds, a call waits for its reply, and `stop` for a call in progress.
PATIENCE_S, STOP_S = 5.0, 0.2
HAS_BUS = sys.platform.startswith("linux")

# Services: bus name, object path, interface.
_BUS = "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus"
_NOTIFICATIONS = (
    *("org.freedesktop.Notifications", "/org/freedesktop/Notifications"),
    "org.freedesktop.Notifications",
)
_POWER = (
    *("org.freedesktop.PowerManagement", "/org/freedesktop/PowerManagement/Inhibit"),
    "org.freedesktop.PowerManagement.Inhibit",
)
_LOGIN = (*("org.freedesktop.login1", "/org/freedesktop/login1"), "org.freedesktop.login1.Manager")
_PORTAL = (
    *("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"),
    "org.freedesktop.portal.Settings",
)
# The setting for motion by namespace: its key, and the value that means reduced motion.
_MOTION = {
    "org.freedesktop.appearance": ("reduced-motion", "1"),
    "org.gnome.desktop.interface": ("enable-animations", "False"),
    "org.kde.kdeglobals.KDE": ("AnimationDurationFactor", "0"),
}


class BusError(Exception):
    """The bus cannot be reached, or does not answer."""


class RefusedError(BusError):
    """The call failed or there is no such service; the bus itself works."""


@contextmanager
def _raise_bus_error(what: str) -> Iterator[None]:
    """Raise any exception as `BusError`, with `what` as the start of its text."""
    try:
        yield
    except Exception as error:  # any: malformed messages may raise anything inside jeepney
        raise BusError(f"{what}: {error}.") from error


def bus_address(kind: str, default: Path) -> str:
    """Return the D-Bus address of the bus `kind`, SESSION or SYSTEM; "" if there is none.

    It is the value of DBUS_`kind`_BUS_ADDRESS, or else the socket `default`, if that is an existing
    absolute path.
    """
    address = os.environ.get(f"DBUS_{kind}_BUS_ADDRESS", "")
    has_default = default.is_absolute() and default.exists()
    return address or (f"unix:path={default}" if has_default else "")


class MessageBus:
    """A connection to the bus at a D-Bus address, for use by one thread at a time.

    The constructor and all methods raise `BusError` if the bus cannot be reached, refuses the
    connection or does not answer; `call` raises `RefusedError` if the reply is an error. Types of
    values are given by D-Bus signatures, such as ``sa{sv}``. Each call blocks for at most
    `PATIENCE_S` seconds.
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
        self, service: tuple[str, str, str], member: str, signature: str = "", *values: Any
    ) -> tuple[Any, ...]:
        """Call a method of a service (bus name, path, interface); return the values of its reply.

        `signature` has the types of `values`; "" for a method without arguments. File descriptors
        (type ``h``) in the reply are plain numbers, which the caller has to close.
        """
        from jeepney import DBusAddress, MessageType, new_method_call
        from jeepney.fds import FileDescriptor

        name, path, interface = service
        with _raise_bus_error(f"The bus does not answer to {member}"):
            address = DBusAddress(path, bus_name=name, interface=interface)
            message = new_method_call(address, member, signature or None, values)
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
        self.call(_BUS, "AddMatch", "s", f"type='signal',{rule}")

    def receive(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield name and arguments of the signals received so far, without waiting for more.

        A variant is a pair of type and value.
        """
        from jeepney import HeaderFields

        with _raise_bus_error("The bus does not speak"), suppress(TimeoutError):
            while True:
                self._connection.recv_messages(timeout=0)
        while self._signals:
            signal = self._signals.popleft()
            yield signal.header.fields.get(HeaderFields.member, ""), signal.body


class Desktop(QObject):
    """Reports the jobs of a window to the desktop.

    A notification is shown if a job of `LONG_S` seconds or more ended while the window was not
    active; clicking it brings the window to the front. `on_motion` is a slot; it is called with
    whether the desktop's settings ask for reduced motion, once that is known and when it changes.
    """

    _clicked = Signal(str)  # the activation token of the desktop, "" if there is none
    _motion_changed = Signal(bool)

    def __init__(
        self, window: QWidget, jobs: Jobs, settings: Settings, on_motion: Callable[[bool], None]
    ) -> None:
        super().__init__(window)
        self._window = window
        self._jobs = jobs
        self._settings = settings
        self._motion_changed.connect(on_motion)  # first: the thread emits as soon as it runs
        self._bus_thread = (
            _BusThread(self._clicked.emit, self._motion_changed.emit) if HAS_BUS else None
        )
        self._tray: QSystemTrayIcon | None = None
        # Progress of the visible job in percent, None if unknown; and the one that is shown.
        self._percent: int | None = None
        self._shown_percent: int | None = None
        self._inhibited = False
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._clicked.connect(self._show_window)
        jobs.started.connect(self._on_started)
        jobs.progressed.connect(self._on_progressed)
        jobs.ended.connect(self._on_ended)
        jobs.idle.connect(self._on_idle)

    def stop(self) -> None:
        """Remove the notification, stop the bus thread, and allow the machine to sleep."""
        self._timer.stop()
        if self._tray is not None:
            self._tray.hide()
        if self._bus_thread is not None:
            self._bus_thread.stop()

    @Slot()
    def on_window_activated(self) -> None:
        """Withdraw the notification, as the user has returned to the window."""
        if self._tray is not None:
            self._tray.hide()
        if self._bus_thread is not None:
            self._bus_thread.call_later(self._bus_thread.withdraw)

    # -- jobs -----------------------------------------------------------------------------------

    @Slot(str)
    def _on_started(self, _title: str) -> None:
        self._percent = None
        if not self._timer.isActive():
            self._timer.start()

    @Slot(object)
    def _on_progressed(self, progress: JobProgress) -> None:
        share = min(1.0, progress.done / progress.total) if progress.total > 0 else None
        self._percent = None if share is None else round(100 * share)

    @Slot()
    def _on_idle(self) -> None:
        self._timer.stop()
        self._percent = None
        self._tick()

    @Slot()
    def _tick(self) -> None:
        """Update progress and sleep inhibition, if they have changed since the last call.

        It does nothing on systems other than Linux.
        """
        thread, percent, writing = self._bus_thread, self._percent, self._jobs.writing
        if thread is None:
            return
        if percent != self._shown_percent:
            self._shown_percent = percent
            fraction = None if percent is None else percent / 100
            thread.call_later(partial(thread.show_progress, fraction))
        if writing != self._inhibited:
            self._inhibited = writing
            why = self.tr("A file is being written.")
            thread.call_later(partial(thread.inhibit, why) if writing else thread.release)

    @Slot(object)
    def _on_ended(self, end: JobEnd) -> None:
        """Notify the user of a visible job that took `LONG_S` or more and was not cancelled.

        It does so only if the window is not in front: its task bar entry is marked, and unless the
        user has turned notifications off, one is shown by D-Bus, or on other systems next to a tray
        icon, which is created then. The end of writing is reported to the desktop at once, for jobs
        of any duration.
        """
        if self._inhibited and not self._jobs.writing:
            self._tick()
        if end.cancelled or end.seconds < LONG_S or self._is_in_front():
            return
        QApplication.alert(self._window)
        if not self._settings.get(NOTIFY):
            return
        summary = self.tr("{job}: failed") if end.error else self.tr("{job}: finished")
        summary = summary.format(job=end.title)
        title = self._window.windowTitle().partition(" — ")[0].removesuffix("[*]")
        body = f"{title}\n{end.error or number_format.duration(end.seconds)}"
        if (thread := self._bus_thread) is not None:
            thread.call_later(partial(thread.notify, summary, body, self.tr("Show")))
        elif QSystemTrayIcon.isSystemTrayAvailable():
            if self._tray is None:
                self._tray = QSystemTrayIcon(QApplication.windowIcon(), self)
                self._tray.messageClicked.connect(self._show_window)
                self._tray.activated.connect(self._show_window)
            self._tray.show()  # messages are shown next to it
            self._tray.showMessage(summary, body)

    def _is_in_front(self) -> bool:
        """Return whether the window, or a dialog that belongs to it, is the active window."""
        widget: QObject | None = QApplication.activeWindow()
        while widget is not None and widget is not self._window:
            widget = widget.parent()
        return widget is not None

    @Slot()
    def _show_window(self, token: object = "") -> None:
        if isinstance(token, str) and token:
            allow_to_front(token)
        bring_to_front(self._window)


class _BusThread:
    """A thread that makes D-Bus calls; it is started here, and runs until `stop`.

    Only `call_later` and `stop` may be called from other threads. On the thread, `on_clicked` is
    called with the activation token ("" for none) when the user clicks the notification, and
    `on_motion` with whether motion is reduced, once that is known and when it changes.
    """

    def __init__(
        self, on_clicked: Callable[[str], object], on_motion: Callable[[bool], object]
    ) -> None:
        self._on_clicked, self._on_motion = on_clicked, on_motion
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._wake_writer, self._wake_reader = socket.socketpair()
        self._stopped = False
        self._session: MessageBus | None = None
        self._try_at = 0.0
        # Whether the motion setting was read and its changes are received; the time of the next
        # attempt, and the wait after it.
        self._motion_known, self._motion_at, self._motion_wait = False, 0.0, RETRY_S
        self._capabilities: frozenset[str] = frozenset()  # capabilities of the notification service
        self._notification_id = 0  # id of the visible notification; 0 for none
        self._token = ""
        self._inhibitor_fd: int | None = None  # file descriptor of the login1 inhibitor
        # cookie of the PowerManagement inhibitor, where login1 is missing
        self._cookie: object = None
        self._thread = threading.Thread(target=self._run, name="pruneapp-desktop", daemon=True)
        self._thread.start()

    def call_later(self, call: Callable[[], None]) -> None:
        """Queue a call for the thread and return immediately."""
        if not self._stopped:
            self._calls.put(call)
            self._wake()

    def stop(self) -> None:
        """Stop the thread; wait for it at most `STOP_S` seconds."""
        self._stopped = True
        self._calls.put(None)
        self._wake()
        self._thread.join(STOP_S)

    def _wake(self) -> None:
        with suppress(OSError):  # the thread has ended
            self._wake_writer.send(b"!", getattr(socket, "MSG_DONTWAIT", 0))

    def _run(self) -> None:
        """Run queued calls until None is dequeued, then release the inhibitors and disconnect.

        While the motion setting is unknown, it is requested again, each wait twice as long as the
        one before, from `RETRY_S` up to `SELDOM_S`. Signals of the bus are handled after the calls.
        """
        try:
            while True:
                if not self._motion_known and self._motion_at <= time.monotonic():
                    self._call(self._follow_motion)
                    self._motion_at = time.monotonic() + self._motion_wait
                    self._motion_wait = min(2 * self._motion_wait, SELDOM_S)
                self._wait()
                while not self._calls.empty():
                    call = self._calls.get()
                    if call is None:
                        return
                    self._call(call)
                if self._session is not None:
                    self._call(self._receive_signals)
        finally:
            self.release()
            self._disconnect()
            self._wake_writer.close()
            self._wake_reader.close()

    def _wait(self) -> None:
        """Block until a call is queued, the bus sends something, or the motion setting is due."""
        with selectors.DefaultSelector() as ready:
            ready.register(self._wake_reader, selectors.EVENT_READ)
            if self._session is not None:
                ready.register(self._session, selectors.EVENT_READ)
            left = None if self._motion_known else max(0.0, self._motion_at - time.monotonic())
            for key, _events in ready.select(left):
                if key.fileobj is self._wake_reader:
                    self._wake_reader.recv(4096)

    def _call(self, call: Callable[[], None]) -> None:
        """Run a call; errors of the bus are dropped, as nothing on the desktop is essential.

        After an error other than a refusal the connection is closed and no new one is made for
        `RETRY_S` seconds; until then calls that need it do nothing.
        """
        try:
            call()
        except RefusedError:
            pass  # the service is missing or refuses the call
        except BusError:
            if time.monotonic() < self._try_at:
                return
            # Reconnect later; not for every call, as connecting may time out.
            self._disconnect()
            self._try_at = self._motion_at = time.monotonic() + RETRY_S

    def _disconnect(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None
            self._motion_known = False

    def _bus(self) -> MessageBus:
        """Return the connection to the session bus, which is made if there is none.

        Raises `BusError` if that fails, or if an attempt failed less than `RETRY_S` seconds ago.
        """
        if self._session is None:
            if time.monotonic() < self._try_at:
                raise BusError("There was none a moment ago.")
            default = Path(os.environ.get("XDG_RUNTIME_DIR", ""), "bus")
            self._session = MessageBus(bus_address("SESSION", default))
            self._capabilities = frozenset()
        return self._session

    # -- calls, on the thread -------------------------------------------------------------------

    def show_progress(self, fraction: float | None) -> None:
        """Show the progress of the job in the task bar, from 0 to 1; None hides the progress bar.

        Raises `BusError` without a bus; whether a dock shows it is unknown.
        """
        file = f"application://{QGuiApplication.desktopFileName()}.desktop"
        properties = {
            "progress": ("d", fraction or 0.0),
            "progress-visible": ("b", fraction is not None),
        }
        path = "/" + QGuiApplication.desktopFileName().replace(".", "/")
        launcher = "com.canonical.Unity.LauncherEntry"
        self._bus().emit(path, launcher, "Update", "sa{sv}", file, properties)

    def notify(self, summary: str, body: str, show_label: str) -> None:
        """Show a notification, replacing the previous one, with a button `show_label`.

        The button is left out if the service has no actions. A click on either is received later as
        a signal, see `_handle_signal`.
        """
        bus = self._bus()
        if not self._capabilities:
            bus.listen(f"interface='{_NOTIFICATIONS[2]}',path='{_NOTIFICATIONS[1]}'")
            self._capabilities = frozenset(bus.call(_NOTIFICATIONS, "GetCapabilities")[0])
        able, file_name = self._capabilities, QGuiApplication.desktopFileName()
        (self._notification_id,) = bus.call(
            *(_NOTIFICATIONS, "Notify", "susssasa{sv}i"),
            *(QGuiApplication.applicationDisplayName(), self._notification_id, file_name, summary),
            escape(body, quote=False) if "body-markup" in able else body,
            ["default", show_label] if "actions" in able else [],
            {"desktop-entry": ("s", file_name)},
            -1,
        )

    def withdraw(self) -> None:
        """Remove the visible notification, if there is one."""
        shown, self._notification_id = self._notification_id, 0
        if shown:
            self._bus().call(_NOTIFICATIONS, "CloseNotification", "u", shown)

    def _receive_signals(self) -> None:
        for member, values in self._bus().receive():
            self._handle_signal(member, values)

    def _handle_signal(self, member: str, values: tuple[Any, ...]) -> None:
        """Handle a signal `member` with its arguments.

        Unknown signals and other notifications are ignored. ``SettingChanged`` may report another
        motion setting. ``ActivationToken`` is stored for the following ``ActionInvoked``, a click
        on our notification, which is reported to `on_clicked`.
        """
        if member == "SettingChanged" and len(values) == 3:
            space, key, value = values
            self._report_motion({space: {key: value}})
            return
        if not self._notification_id or values[:1] != (self._notification_id,):
            return
        if member == "ActivationToken" and len(values) > 1:
            self._token = str(values[1])
        elif member == "ActionInvoked" and not self._stopped:
            token, self._token = self._token, ""
            with suppress(RuntimeError):  # the window was deleted
                self._on_clicked(token)

    def _follow_motion(self) -> None:
        """Subscribe to changes of the motion setting, read it, and report it.

        If the portal does not answer, the setting stays unknown and `_run` calls this again later.
        """
        bus = self._bus()
        bus.listen(f"interface='{_PORTAL[2]}',member='SettingChanged'")
        try:
            (found,) = bus.call(_PORTAL, "ReadAll", "as", list(_MOTION))
        except BusError:
            return  # the portal may still be starting; the bus itself works
        self._motion_known, self._motion_wait = True, RETRY_S
        self._report_motion(found)

    def _report_motion(self, found: Mapping[str, Mapping[str, Any]]) -> None:
        """Report whether motion is reduced, by the first namespace of `_MOTION` that is in `found`.

        `found` has variants (type, value) by namespace and key. Nothing is reported if none is
        known.
        """
        for space, (key, still) in _MOTION.items():
            value = found.get(space, {}).get(key)
            if isinstance(value, tuple) and not self._stopped:
                with suppress(RuntimeError):  # the window was deleted
                    self._on_motion(str(value[1]) == still)
                return

    def inhibit(self, why: str) -> None:
        """Prevent the machine from sleeping, by login1 or else by the power management service.

        `why` is shown by the desktop. Raises `BusError` if neither service does it. Call `release`
        before the next call.
        """
        name = QGuiApplication.applicationDisplayName()
        try:
            address = bus_address("SYSTEM", Path("/run/dbus/system_bus_socket"))
            with closing(MessageBus(address)) as bus:
                (held,) = bus.call(_LOGIN, "Inhibit", "ssss", "sleep:idle", name, why, "block")
            self._inhibitor_fd = int(held)
        except BusError:  # no such service, or the user is not permitted
            (self._cookie,) = self._bus().call(_POWER, "Inhibit", "ss", name, why)

    def release(self) -> None:
        """Allow the machine to sleep again.

        It does nothing if `inhibit` was not called or has failed.
        """
        held, self._inhibitor_fd = self._inhibitor_fd, None
        cookie, self._cookie = self._cookie, None
        if held is not None:
            os.close(held)
        if cookie is not None:
            with suppress(BusError):  # an inhibitor ends with the service
                self._bus().call(_POWER, "UnInhibit", "u", cookie)
