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

    motionNoted = Signal(bool)  # whether the desktop's settings ask for reduced motion

    _clicked = Signal(str)  # the activation token of the desktop, "" if there is none

    def __init__(self, window: QWidget, jobs: Jobs, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._jobs = jobs
        self._settings = settings
        self._line = _BusThread(self._clicked.emit, self.motionNoted.emit) if HAS_BUS else None
        self._tray: QSystemTrayIcon | None = None
        # progress of the visible job as a fraction; None if unknown
        self._share: float | None = None
        self._shown: float | None = None  # the fraction that the task bar shows
        self._awake = False
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._clicked.connect(self._come_back)
        jobs.started.connect(self._on_started)
        jobs.progressed.connect(self._on_progressed)
        jobs.ended.connect(self._on_ended)
        jobs.idle.connect(self._on_idle)

    def stop(self) -> None:
        """Remove the notification, stop the bus thread, and allow the machine to sleep."""
        self._timer.stop()
        if self._tray is not None:
            self._tray.hide()
        if self._line is not None:
            self._line.stop()

    @Slot()
    def note_return(self) -> None:
        """Withdraw the notification, as the user has returned to the window."""
        if self._tray is not None:
            self._tray.hide()
        if self._line is not None:
            self._line.ask(self._line.withdraw)

    # -- jobs -----------------------------------------------------------------------------------

    @Slot(str)
    def _on_started(self, _title: str) -> None:
        self._share = None
        if not self._timer.isActive():
            self._timer.start()

    @Slot(object)
    def _on_progressed(self, progress: JobProgress) -> None:
        self._share = min(1.0, progress.done / progress.total) if progress.total > 0 else None

    @Slot()
    def _tick(self) -> None:
        self._show_progress(self._share)
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

    def _show_progress(self, share: float | None) -> None:
        before = self._shown
        near = None not in {share, before} and abs((share or 0) - (before or 0)) < _STEP
        if share == before or near or self._line is None:
            return
        self._shown = share
        self._line.ask(partial(self._line.show_progress, share))

    def _keep_awake(self, *, awake: bool) -> None:
        if awake == self._awake or self._line is None:
            return
        self._awake = awake
        line, why = self._line, self.tr("A file is being written.")
        line.ask(partial(line.inhibit, why) if awake else line.release)

    # -- notifications --------------------------------------------------------------------------

    def _notify(self, summary: str, body: str) -> None:
        if self._line is not None:
            self._line.ask(partial(self._line.notify, summary, body, self.tr("Show")))
        elif QSystemTrayIcon.isSystemTrayAvailable():
            if self._tray is None:
                self._tray = QSystemTrayIcon(QApplication.windowIcon(), self)
                self._tray.messageClicked.connect(self._come_back)
                self._tray.activated.connect(self._come_back)
            self._tray.show()  # messages are shown next to it
            self._tray.showMessage(summary, body)

    @Slot()
    def _come_back(self, token: object = "") -> None:
        if isinstance(token, str) and token:
            allow_to_front(token)
        bring_to_front(self._window)


class _BusThread:
    """A thread that makes D-Bus calls. Only `ask` and `stop` may be called from other threads."""

    def __init__(self, clicked: Callable[[str], object], noted: Callable[[bool], object]) -> None:
        self._clicked, self._noted = clicked, noted
        self._asked: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._bell, self._hears = socket.socketpair()
        self._stopped = False
        self._session: MessageBus | None = None
        self._try_at = 0.0
        self._follows = False  # whether the motion setting was read and its changes are received
        # time of the next attempt, and the wait after it
        self._motion_at, self._motion_wait = 0.0, RETRY_S
        self._able: frozenset[str] = frozenset()  # capabilities of the notification service
        self._shown = 0  # id of the visible notification; 0 for none
        self._token = ""
        self._held: int | None = None  # file descriptor of the login1 inhibitor
        # cookie of the PowerManagement inhibitor, where login1 is missing
        self._cookie: object = None
        self._thread = threading.Thread(target=self._run, name="pruneapp-desktop", daemon=True)
        self._thread.start()

    def ask(self, call: Callable[[], None]) -> None:
        """Queue a call for the thread and return immediately."""
        if not self._stopped:
            self._asked.put(call)
            self._ring()

    def stop(self) -> None:
        """Stop the thread; wait for it at most `STOP_S` seconds."""
        self._stopped = True
        self._asked.put(None)
        self._ring()
        self._thread.join(STOP_S)

    def _ring(self) -> None:
        with suppress(OSError):  # the thread has ended
            self._bell.send(b"!", getattr(socket, "MSG_DONTWAIT", 0))

    def _run(self) -> None:
        try:
            while True:
                if not self._follows and self._motion_at <= time.monotonic():
                    self._say(self._follow_motion)
                    self._motion_at = time.monotonic() + self._motion_wait
                    self._motion_wait = min(2 * self._motion_wait, SELDOM_S)
                self._wait()
                while not self._asked.empty():
                    call = self._asked.get()
                    if call is None:
                        return
                    self._say(call)
                if self._session is not None:
                    self._say(self._listen)
        finally:
            self.release()
            self._hang_up()
            self._bell.close()
            self._hears.close()

    def _wait(self) -> None:
        with selectors.DefaultSelector() as ready:
            ready.register(self._hears, selectors.EVENT_READ)
            if self._session is not None:
                ready.register(self._session, selectors.EVENT_READ)
            left = None if self._follows else max(0.0, self._motion_at - time.monotonic())
            for key, _events in ready.select(left):
                if key.fileobj is self._hears:
                    self._hears.recv(4096)

    def _say(self, call: Callable[[], None]) -> None:
        try:
            call()
        except RefusedError:
            pass  # the service is missing or refuses the call
        except BusError:
            if time.monotonic() < self._try_at:
                return
            # Reconnect later; not for every call, as connecting may time out.
            self._hang_up()
            self._try_at = self._motion_at = time.monotonic() + RETRY_S

    def _hang_up(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None
            self._follows = False

    def _bus(self) -> MessageBus:
        if self._session is None:
            if time.monotonic() < self._try_at:
                raise BusError("There was none a moment ago.")
            self._session = MessageBus(session_address())
            self._able = frozenset()
        return self._session

    # -- calls, on the thread -------------------------------------------------------------------

    def show_progress(self, share: float | None) -> None:
        """Show the progress of the job in the task bar; None hides the progress bar."""
        file = f"application://{QGuiApplication.desktopFileName()}.desktop"
        told = {
            "progress": ("d", share or 0.0),
            "progress-visible": ("b", share is not None),
        }
        path = "/" + QGuiApplication.desktopFileName().replace(".", "/")
        self._bus().emit(path, _LAUNCHER, "Update", "sa{sv}", file, told)

    def notify(self, summary: str, body: str, show: str) -> None:
        """Show a notification, replacing the previous one; `show` is the label of its button."""
        bus = self._bus()
        if not self._able:
            bus.listen(f"type='signal',interface='{_NOTIFICATIONS}',path='{_NOTIFICATIONS_AT}'")
            (able,) = self._ask_notifications("GetCapabilities")
            self._able = frozenset(able)
        (self._shown,) = self._ask_notifications(
            *("Notify", "susssasa{sv}i", QGuiApplication.applicationDisplayName(), self._shown),
            *(QGuiApplication.desktopFileName(), summary),
            escape(body, quote=False) if "body-markup" in self._able else body,
            ["default", show] if "actions" in self._able else [],
            {"desktop-entry": ("s", QGuiApplication.desktopFileName())},
            -1,
        )

    def withdraw(self) -> None:
        """Remove the visible notification, if there is one."""
        shown, self._shown = self._shown, 0
        if shown:
            self._ask_notifications("CloseNotification", "u", shown)

    def _ask_notifications(self, member: str, signature: str = "", *values: Any) -> tuple[Any, ...]:
        return self._bus().call(
            _NOTIFICATIONS, _NOTIFICATIONS_AT, _NOTIFICATIONS, member, signature, *values
        )

    def _listen(self) -> None:
        for told in self._bus().receive():
            self._hear(told)

    def _hear(self, told: BusSignal) -> None:
        if told.member == "SettingChanged" and len(told.values) == 3:
            space, key, value = told.values
            self._note_motion({space: {key: value}})
            return
        if not self._shown or told.values[:1] != (self._shown,):
            return
        if told.member == "ActivationToken" and len(told.values) > 1:
            self._token = str(told.values[1])
        elif told.member == "ActionInvoked" and not self._stopped:
            token, self._token = self._token, ""
            with suppress(RuntimeError):  # the window was deleted
                self._clicked(token)

    def _follow_motion(self) -> None:
        """Read the motion setting and subscribe to its changes."""
        bus = self._bus()
        bus.listen(f"type='signal',interface='{_SETTINGS}',member='SettingChanged'")
        try:
            (found,) = bus.call(_PORTAL, _PORTAL_AT, _SETTINGS, "ReadAll", "as", list(_MOTION))
        except BusError:
            return  # the portal may still be starting; the bus itself works
        self._follows, self._motion_wait = True, RETRY_S
        self._note_motion(found)

    def _note_motion(self, found: Mapping[str, Mapping[str, Any]]) -> None:
        for space, (key, still) in _MOTION.items():
            value = found.get(space, {}).get(key)
            if isinstance(value, tuple) and not self._stopped:
                with suppress(RuntimeError):  # the window was deleted
                    self._noted(str(value[1]) == still)
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
            self._held = int(held)
        except BusError:  # no such service, or the user is not permitted
            (self._cookie,) = self._ask_power("Inhibit", "ss", name, why)

    def release(self) -> None:
        """Allow the machine to sleep again."""
        held, self._held = self._held, None
        cookie, self._cookie = self._cookie, None
        if held is not None:
            os.close(held)
        if cookie is not None:
            with suppress(BusError):  # an inhibitor ends with the service
                self._ask_power("UnInhibit", "u", cookie)

    def _ask_power(self, member: str, signature: str, *values: Any) -> tuple[Any, ...]:
        return self._bus().call(_POWER, _POWER_AT, f"{_POWER}.Inhibit", member, signature, *values)
