"""Desktop integration of long jobs: notifications, task bar progress, and sleep inhibition.

Also reads the desktop's setting for reduced motion, which Qt does not report.

On Linux this uses D-Bus: notifications (org.freedesktop.Notifications), progress in the task bar
(com.canonical.Unity.LauncherEntry, which GNOME's docks, KDE and others show) and no suspend while a
file is written (org.freedesktop.login1, else org.freedesktop.PowerManagement). On other systems Qt
shows notifications next to a tray icon; task bar progress is not available there.

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
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from html import escape
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from pruneapp.gui.app.jobs import JobEnd, JobProgress, Jobs
from pruneapp.gui.app.message_bus import (
    BusError,
    BusSignal,
    MessageBus,
    RefusedError,
    session_address,
    system_address,
)
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
# How long, in seconds, `stop` waits for a call in progress.
STOP_S = 0.2
HAS_BUS = sys.platform.startswith("linux")

_NOTIFICATIONS = "org.freedesktop.Notifications"
_NOTIFICATIONS_AT = "/org/freedesktop/Notifications"
_POWER = "org.freedesktop.PowerManagement"
_POWER_AT = "/org/freedesktop/PowerManagement/Inhibit"
_LOGIN = "org.freedesktop.login1"
_LAUNCHER = "com.canonical.Unity.LauncherEntry"
_PORTAL, _PORTAL_AT = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_SETTINGS = "org.freedesktop.portal.Settings"
# The setting for motion by namespace: its key, and the value that means reduced motion.
_MOTION = {
    "org.freedesktop.appearance": ("reduced-motion", "1"),
    "org.gnome.desktop.interface": ("enable-animations", "False"),
    "org.kde.kdeglobals.KDE": ("AnimationDurationFactor", "0"),
}
# Smallest change of the progress fraction that is sent to the task bar.
_STEP = 0.005


class Desktop(QObject):
    """Reports the jobs of a window to the desktop.

    A notification is shown if a job of `LONG_S` seconds or more ended while the window was not
    active; clicking it brings the window to the front.
    """

    reducedMotionChanged = Signal(bool)  # whether the desktop's settings ask for reduced motion

    _clicked = Signal(str)  # the activation token of the desktop, "" if there is none

    def __init__(self, window: QWidget, jobs: Jobs, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._jobs = jobs
        self._settings = settings
        self._bus_thread = (
            _BusThread(self._clicked.emit, self.reducedMotionChanged.emit) if HAS_BUS else None
        )
        self._tray: QSystemTrayIcon | None = None
        # progress of the visible job as a fraction; None if unknown
        self._fraction: float | None = None
        self._shown_fraction: float | None = None  # the fraction that the task bar shows
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
        self._fraction = None
        if not self._timer.isActive():
            self._timer.start()

    @Slot(object)
    def _on_progressed(self, progress: JobProgress) -> None:
        self._fraction = min(1.0, progress.done / progress.total) if progress.total > 0 else None

    @Slot()
    def _tick(self) -> None:
        self._show_progress(self._fraction)
        self._keep_awake(awake=self._jobs.writing)

    @Slot()
    def _on_idle(self) -> None:
        self._timer.stop()
        self._show_progress(None)
        self._keep_awake(awake=False)

    @Slot(object)
    def _on_ended(self, end: JobEnd) -> None:
        if not self._jobs.writing:
            self._keep_awake(awake=False)
        if end.cancelled or end.seconds < LONG_S or self._is_in_front():
            return
        QApplication.alert(self._window)
        if self._settings.get(NOTIFY):
            summary = self.tr("{job}: failed") if end.error else self.tr("{job}: finished")
            about = [self._window.windowTitle().partition(" — ")[0].removesuffix("[*]")]
            about += [end.error or number_format.duration(end.seconds)]
            self._notify(summary.format(job=end.title), "\n".join(about))

    def _is_in_front(self) -> bool:
        """Return whether the window, or a dialog that belongs to it, is the active window."""
        widget: QObject | None = QApplication.activeWindow()
        while widget is not None and widget is not self._window:
            widget = widget.parent()
        return widget is not None

    def _show_progress(self, fraction: float | None) -> None:
        previous = self._shown_fraction
        is_close = (
            None not in {fraction, previous} and abs((fraction or 0) - (previous or 0)) < _STEP
        )
        if fraction == previous or is_close or self._bus_thread is None:
            return
        self._shown_fraction = fraction
        self._bus_thread.call_later(partial(self._bus_thread.show_progress, fraction))

    def _keep_awake(self, *, awake: bool) -> None:
        if awake == self._inhibited or self._bus_thread is None:
            return
        self._inhibited = awake
        line, why = self._bus_thread, self.tr("A file is being written.")
        line.call_later(partial(line.inhibit, why) if awake else line.release)

    # -- notifications --------------------------------------------------------------------------

    def _notify(self, summary: str, body: str) -> None:
        if self._bus_thread is not None:
            self._bus_thread.call_later(
                partial(self._bus_thread.notify, summary, body, self.tr("Show"))
            )
        elif QSystemTrayIcon.isSystemTrayAvailable():
            if self._tray is None:
                self._tray = QSystemTrayIcon(QApplication.windowIcon(), self)
                self._tray.messageClicked.connect(self._show_window)
                self._tray.activated.connect(self._show_window)
            self._tray.show()  # messages are shown next to it
            self._tray.showMessage(summary, body)

    @Slot()
    def _show_window(self, token: object = "") -> None:
        if isinstance(token, str) and token:
            allow_to_front(token)
        bring_to_front(self._window)


class _BusThread:
    """A thread that makes D-Bus calls.

    Only `call_later` and `stop` may be called from other threads.
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
        self._motion_known = (
            False  # whether the motion setting was read and its changes are received
        )
        # time of the next attempt, and the wait after it
        self._motion_at, self._motion_wait = 0.0, RETRY_S
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
        with selectors.DefaultSelector() as ready:
            ready.register(self._wake_reader, selectors.EVENT_READ)
            if self._session is not None:
                ready.register(self._session, selectors.EVENT_READ)
            left = None if self._motion_known else max(0.0, self._motion_at - time.monotonic())
            for key, _events in ready.select(left):
                if key.fileobj is self._wake_reader:
                    self._wake_reader.recv(4096)

    def _call(self, call: Callable[[], None]) -> None:
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
        if self._session is None:
            if time.monotonic() < self._try_at:
                raise BusError("There was none a moment ago.")
            self._session = MessageBus(session_address())
            self._capabilities = frozenset()
        return self._session

    # -- calls, on the thread -------------------------------------------------------------------

    def show_progress(self, fraction: float | None) -> None:
        """Show the progress of the job in the task bar; None hides the progress bar."""
        file = f"application://{QGuiApplication.desktopFileName()}.desktop"
        properties = {
            "progress": ("d", fraction or 0.0),
            "progress-visible": ("b", fraction is not None),
        }
        path = "/" + QGuiApplication.desktopFileName().replace(".", "/")
        self._bus().emit(path, _LAUNCHER, "Update", "sa{sv}", file, properties)

    def notify(self, summary: str, body: str, show_label: str) -> None:
        """Show a notification, replacing the previous one, with a button `show_label`."""
        bus = self._bus()
        if not self._capabilities:
            bus.listen(f"type='signal',interface='{_NOTIFICATIONS}',path='{_NOTIFICATIONS_AT}'")
            (capabilities,) = self._call_notifications("GetCapabilities")
            self._capabilities = frozenset(capabilities)
        (self._notification_id,) = self._call_notifications(
            *(
                "Notify",
                "susssasa{sv}i",
                QGuiApplication.applicationDisplayName(),
                self._notification_id,
            ),
            *(QGuiApplication.desktopFileName(), summary),
            escape(body, quote=False) if "body-markup" in self._capabilities else body,
            ["default", show_label] if "actions" in self._capabilities else [],
            {"desktop-entry": ("s", QGuiApplication.desktopFileName())},
            -1,
        )

    def withdraw(self) -> None:
        """Remove the visible notification, if there is one."""
        shown, self._notification_id = self._notification_id, 0
        if shown:
            self._call_notifications("CloseNotification", "u", shown)

    def _call_notifications(
        self, member: str, signature: str = "", *values: Any
    ) -> tuple[Any, ...]:
        return self._bus().call(
            _NOTIFICATIONS, _NOTIFICATIONS_AT, _NOTIFICATIONS, member, signature, *values
        )

    def _receive_signals(self) -> None:
        for received in self._bus().receive():
            self._handle_signal(received)

    def _handle_signal(self, received: BusSignal) -> None:
        if received.member == "SettingChanged" and len(received.values) == 3:
            space, key, value = received.values
            self._report_motion({space: {key: value}})
            return
        if not self._notification_id or received.values[:1] != (self._notification_id,):
            return
        if received.member == "ActivationToken" and len(received.values) > 1:
            self._token = str(received.values[1])
        elif received.member == "ActionInvoked" and not self._stopped:
            token, self._token = self._token, ""
            with suppress(RuntimeError):  # the window was deleted
                self._on_clicked(token)

    def _follow_motion(self) -> None:
        """Read the motion setting and subscribe to its changes."""
        bus = self._bus()
        bus.listen(f"type='signal',interface='{_SETTINGS}',member='SettingChanged'")
        try:
            (found,) = bus.call(_PORTAL, _PORTAL_AT, _SETTINGS, "ReadAll", "as", list(_MOTION))
        except BusError:
            return  # the portal may still be starting; the bus itself works
        self._motion_known, self._motion_wait = True, RETRY_S
        self._report_motion(found)

    def _report_motion(self, found: Mapping[str, Mapping[str, Any]]) -> None:
        for space, (key, still) in _MOTION.items():
            value = found.get(space, {}).get(key)
            if isinstance(value, tuple) and not self._stopped:
                with suppress(RuntimeError):  # the window was deleted
                    self._on_motion(str(value[1]) == still)
                return

    def inhibit(self, why: str) -> None:
        """Prevent the machine from sleeping, by login1 or else by the power management service."""
        name = QGuiApplication.applicationDisplayName()
        try:
            bus = MessageBus(system_address())
            try:
                (held,) = bus.call(
                    *(_LOGIN, "/org/freedesktop/login1", f"{_LOGIN}.Manager", "Inhibit", "ssss"),
                    *("sleep:idle", name, why, "block"),
                )
            finally:
                bus.close()
            self._inhibitor_fd = int(held)
        except BusError:  # no such service, or the user is not permitted
            (self._cookie,) = self._call_power("Inhibit", "ss", name, why)

    def release(self) -> None:
        """Allow the machine to sleep again."""
        held, self._inhibitor_fd = self._inhibitor_fd, None
        cookie, self._cookie = self._cookie, None
        if held is not None:
            os.close(held)
        if cookie is not None:
            with suppress(BusError):  # an inhibitor ends with the service
                self._call_power("UnInhibit", "u", cookie)

    def _call_power(self, member: str, signature: str, *values: Any) -> tuple[Any, ...]:
        return self._bus().call(_POWER, _POWER_AT, f"{_POWER}.Inhibit", member, signature, *values)
