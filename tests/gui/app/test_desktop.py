"""Notifications, progress and inhibition on the desktop; a bus without answers blocks nothing."""

from __future__ import annotations

import json
import os
import queue
import shutil
import socket
import subprocess
import threading
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from pruneapp import resources
from pruneapp.errors import ExportError
from pruneapp.gui.app import desktop
from pruneapp.gui.app.desktop import BusError, MessageBus, RefusedError
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.app.settings import NOTIFY
from tests.gui.event_loop_delay import Stopwatch
from tests.gui.real_screen import SYSTEM_PYTHON, missing_gio
from tests.gui.user import PATIENCE_MS

SAMPLE = resources.path("sample/lenet-digits.safetensors")
PROGRAM = Path(__file__).parent.parent / "desktop_services.py"
ID = "io.github.pruneapp.Pruneapp"
NOTIFICATIONS, LOGIN, POWER = (
    "org.freedesktop.Notifications",
    "org.freedesktop.login1",
    "org.freedesktop.PowerManagement",
)


def missing() -> str:
    return missing_gio() if shutil.which("dbus-daemon") else "dbus-daemon"


needs_bus = pytest.mark.skipif(bool(missing()), reason=f"needs {missing()}")


class Services:
    """The process of fake desktop services; `received` lists the calls that it has received."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: queue.SimpleQueue[list] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        assert self._lines.get(timeout=PATIENCE_MS / 1000) == ["ready"]
        self._received: list[list] = []

    def _read(self) -> None:
        for line in self._process.stdout:
            self._lines.put(json.loads(line))

    @property
    def received(self) -> list[list]:
        while not self._lines.empty():
            self._received.append(self._lines.get())
        return self._received

    def calls_of(self, member: str) -> list[list]:
        return [rest for name, *rest in self.received if name == member]

    def click(self, number: int, token: str = "") -> None:
        self._order(click=number, token=token)

    def animate(self, *, animated: bool) -> None:
        self._order(animate=animated)

    def _order(self, **order: object) -> None:
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def end(self) -> None:
        self._process.stdin.close()
        self._process.wait(20)
        self._reader.join()
        self._process.stdout.close()


@contextmanager
def private_bus():
    reading, writing = os.pipe()
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", f"--print-address={writing}"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as pipe:
            yield pipe.readline().strip()
    finally:
        daemon.terminate()
        daemon.wait(20)


@pytest.fixture
def bus():
    with private_bus() as address:
        yield address


@contextmanager
def serving(address: str, *names: str):
    process = subprocess.Popen(
        [SYSTEM_PYTHON, str(PROGRAM), *names],
        env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": address},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    services = Services(process)
    try:
        yield services
    finally:
        services.end()


@pytest.fixture
def app_names(qapp):
    """Give the application its names, as `make_application` does."""
    names = qapp.applicationDisplayName(), qapp.desktopFileName()
    qapp.setApplicationDisplayName("Pruneapp")
    qapp.setDesktopFileName(ID)
    yield
    qapp.setApplicationDisplayName(names[0])
    qapp.setDesktopFileName(names[1])


@pytest.fixture
def on_bus(app_names, user, bus, monkeypatch):
    """Connect the window to a private bus, and make it report short jobs like long ones."""
    line = user.workbench.desktop._bus_thread
    user.wait(lambda: line._try_at)  # the connection failed when the window was opened
    line._try_at = 0.0
    for name in ("SESSION", "SYSTEM"):
        monkeypatch.setenv(f"DBUS_{name}_BUS_ADDRESS", bus)
    monkeypatch.setattr(desktop, "LONG_S", 0.0)
    user.workbench.desktop._timer.setInterval(10)
    return bus


@pytest.fixture
def other(qtbot):
    """Return a second window, which `activate` shows in front of the first."""
    window = QWidget()
    qtbot.addWidget(window)

    def activate():
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()

    window.activate = activate
    return window


class BlockedJob:
    """A job that runs until `finish` is called."""

    def __init__(self, user, *, error: str = "", **more: object) -> None:
        self._go = threading.Event()
        self._error = error
        self.over: list[object] = []
        self.user = user
        self.task = user.workbench.jobs.run(
            self._work,
            on_result=self.over.append,
            on_error=self.over.append,
            on_cancelled=lambda: self.over.append("cancelled"),
            **more,
            title="Exporting",
        )

    def _work(self, job) -> None:
        job.start(4, "a.weight")
        job.step(1)
        while not self._go.wait(0.005):
            job.step(0)
        if self._error:
            raise ExportError(self._error)

    def finish(self) -> None:
        self._go.set()
        self.user.wait(lambda: self.over)


@needs_bus
def test_the_end_of_a_long_job_is_notified_and_a_click_brings_the_window_back(
    user, on_bus, other, monkeypatch
):
    user.open_file(SAMPLE)
    monkeypatch.setenv("XDG_ACTIVATION_TOKEN", "")
    with serving(on_bus) as services:
        job = BlockedJob(user)
        other.activate()
        job.finish()
        user.wait(lambda: services.calls_of("Notify"))
        ((name, before, icon, summary, body, actions, hints, timeout),) = services.calls_of(
            "Notify"
        )
        assert (name, before, icon, timeout) == ("Pruneapp", 0, ID, -1)
        assert summary == "Exporting: finished"
        assert body.splitlines() == ["lenet-digits.safetensors", "1 s"]
        assert actions == ["default", "Show"]
        assert hints == {"desktop-entry": ID}
        user.window.showMinimized()
        services.click(7)  # a notification of another application
        services.click(41, "token-of-the-click")
        user.wait(user.window.isActiveWindow)
        assert not user.window.isMinimized()
        assert os.environ["XDG_ACTIVATION_TOKEN"] == "token-of-the-click"
        user.wait(lambda: services.calls_of("CloseNotification") == [[41]])

        other.activate()
        BlockedJob(user, error="'<b>&' cannot be written.").finish()
        user.wait(lambda: len(services.calls_of("Notify")) == 2)
        *_, summary, body, _actions, _hints, _timeout = services.calls_of("Notify")[1]
        assert summary == "Exporting: failed"
        shown = "'&lt;b&gt;&amp;' cannot be written."  # markup is shown as text
        assert body.splitlines() == ["lenet-digits.safetensors", shown]


@needs_bus
def test_the_task_bar_shows_how_far_a_job_is_and_nobody_is_notified_without_need(
    user, on_bus, other, monkeypatch
):
    bus_thread = user.workbench.desktop._bus_thread
    with serving(on_bus) as services:
        job = BlockedJob(user)
        user.wait(lambda: "0.25" in str(services.calls_of("Update")))
        path, types, file, told = services.calls_of("Update")[-1]
        assert path == "/io/github/pruneapp/Pruneapp"
        assert (types, file) == ("(sa{sv})", f"application://{ID}.desktop")
        assert told == {"progress": 0.25, "progress-visible": True}
        job.finish()
        gone = {"progress": 0.0, "progress-visible": False}
        user.wait(lambda: services.calls_of("Update")[-1][3] == gone)

        reasons = "in front", "a dialog", "short", "cancelled", "switched off"
        for number, why in enumerate(reasons):
            job = BlockedJob(user)
            with monkeypatch.context() as patch:
                if why == "a dialog":
                    user.menu("Help", "About Pruneapp")
                elif why != "in front":
                    other.activate()
                if why == "short":
                    patch.setattr(desktop, "LONG_S", 10.0)
                if why == "switched off":
                    user.workbench.settings.set(NOTIFY, value=False)
                if why == "cancelled":
                    job.task.cancel()
                job.finish()
            # Calls to the bus are made in order, so this one is the last.
            share = 0.5 + number / 64
            bus_thread.call_later(partial(bus_thread.show_progress, share))
            user.wait(lambda share=share: str(share) in str(services.calls_of("Update")))
            assert services.calls_of("Notify") == [], why
            if why == "a dialog":
                user.qtbot.keyClick(QApplication.activeModalWidget(), Qt.Key.Key_Escape)
        assert services.calls_of("Inhibit") == [], "nothing was written"


@needs_bus
def test_the_machine_stays_awake_while_a_file_is_written(user, on_bus):
    with serving(on_bus) as services:
        for number, end in enumerate(("done", "failed", "cancelled", "closed"), 1):
            error = "No room." if end == "failed" else ""
            job = BlockedJob(user, error=error, lane=Lane.WRITING)
            user.wait(lambda number=number: len(services.calls_of("Inhibit")) == number)
            assert len(services.calls_of("released")) == number - 1
            if end == "closed":
                user.workbench.shut_down()
            elif end == "cancelled":
                user.key("Esc")
            else:
                job.finish()
            user.wait(lambda number=number: len(services.calls_of("released")) == number)
        why = "A file is being written."
        assert services.calls_of("Inhibit") == [["sleep:idle", "Pruneapp", why, "block"]] * 4


@needs_bus
def test_a_service_that_is_missing_is_replaced_or_keeps_nothing_else_from_being_told(
    user, on_bus, other
):
    with serving(on_bus, POWER) as services:  # without login1
        job = BlockedJob(user, lane=Lane.WRITING)
        user.wait(lambda: services.calls_of("Inhibit"))
        assert services.calls_of("Inhibit") == [["Pruneapp", "A file is being written."]]
        job.finish()
        user.wait(lambda: services.calls_of("UnInhibit") == [[41]])
    with serving(on_bus, LOGIN) as services:
        other.activate()
        BlockedJob(user).finish()  # fails: there is no notification service
        job = BlockedJob(user)
        user.wait(lambda: services.calls_of("Update"))
        job.finish()


@needs_bus
def test_the_systems_wish_for_little_motion_is_followed_at_once(
    new_user, app_names, bus, monkeypatch
):
    def still():
        return bool(QApplication.instance().property("pruneappStill"))

    def choose(motion):
        settings = user.workbench.settings_controller.settings()
        next(call for words, _, call, _ in settings if words == f"Motion: {motion}")()

    class QuickThread(desktop._BusThread):
        """Reports the setting before the window is ready, as on a busy machine."""

        def __init__(self, *slots):
            super().__init__(*slots)
            while not self._motion_at:
                time.sleep(0.001)  # no event loop of Qt may run before the window connects

    monkeypatch.setattr(desktop, "_BusThread", QuickThread)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus)  # set before the window is opened
    with serving(bus) as services:
        user = new_user().wait_ready()
        user.wait(still)
        services.animate(animated=True)
        user.wait(lambda: not still())
        choose("Reduced")
        assert still()
        choose("System")
        assert not still()
        services.animate(animated=False)
        user.wait(still)
        choose("Full")
        assert not still()


@needs_bus
def test_the_wish_for_little_motion_is_heard_of_a_bus_that_comes_late_and_of_the_next(
    new_user, app_names, bus, monkeypatch
):
    def still():
        return bool(QApplication.instance().property("pruneappStill"))

    monkeypatch.setattr(desktop, "RETRY_S", 0.05)
    monkeypatch.setattr(desktop, "SELDOM_S", 0.2)
    user = new_user().wait_ready()
    line = user.workbench.desktop._bus_thread
    user.wait(lambda: line._try_at)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus)
    user.wait(lambda: line._session)  # connected to a bus without services
    assert not still()
    with serving(bus) as services:
        user.wait(still)
        services.animate(animated=True)
        user.wait(lambda: not still())
        with private_bus() as another, serving(another) as other_services:
            monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", another)
            line._session._connection.sock.shutdown(socket.SHUT_RDWR)
            user.wait(still)
            other_services.animate(animated=True)
            user.wait(lambda: not still())


def test_a_bus_that_is_missing_is_tried_again_however_much_is_said_meanwhile(new_user, monkeypatch):
    class Missing(MessageBus):
        tried = 0

        def __init__(self, address):
            type(self).tried += 1
            super().__init__(address)

    monkeypatch.setattr(desktop, "MessageBus", Missing)
    monkeypatch.setattr(desktop, "RETRY_S", 0.2)
    user = new_user().wait_ready()
    line = user.workbench.desktop._bus_thread
    began, before = time.monotonic(), Missing.tried
    while Missing.tried < before + 3:
        line.call_later(lambda: line.show_progress(0.5))
        user.pause(25)
        assert time.monotonic() < began + PATIENCE_MS / 1000
    assert time.monotonic() > began + 2 * 0.2, "one connection for all"


@needs_bus
def test_who_answers_late_of_motion_is_asked_again_on_the_same_line(
    new_user, app_names, bus, monkeypatch
):
    class Late(MessageBus):
        made: ClassVar[list[MessageBus]] = []
        asked = 0

        def call(self, service, member, *rest):
            if member == "ReadAll":
                self.asked += 1
                self.made.append(self)
                if self.asked < 3:
                    raise BusError("It is still starting.")
            return super().call(service, member, *rest)

    monkeypatch.setattr(desktop, "MessageBus", Late)
    monkeypatch.setattr(desktop, "RETRY_S", 0.01)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus)
    with serving(bus) as services:
        user = new_user().wait_ready()
        user.wait(lambda: QApplication.instance().property("pruneappStill"))
        assert len(Late.made) == 3
        assert len({id(line) for line in Late.made}) == 1
        services.animate(animated=True)
        user.wait(lambda: not QApplication.instance().property("pruneappStill"))


@pytest.fixture
def silent(tmp_path, monkeypatch):
    """Return the address of a socket that accepts connections and answers nothing."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    path = tmp_path / "bus"
    server.bind(str(path))
    server.listen()
    yield f"unix:path={path}"
    server.close()


@pytest.mark.parametrize("kind", ["missing", "silent"])
def test_a_bus_that_does_not_answer_holds_nobody_up(
    user, other, silent, tmp_path, monkeypatch, kind
):
    address = {"missing": f"unix:path={tmp_path}/nowhere", "silent": silent}[kind]
    for name in ("SESSION", "SYSTEM"):
        monkeypatch.setenv(f"DBUS_{name}_BUS_ADDRESS", address)
    monkeypatch.setattr(desktop, "LONG_S", 0.0)
    user.workbench.desktop._timer.setInterval(5)
    job = BlockedJob(user, lane=Lane.WRITING)
    other.activate()
    user.pause(40)
    took = Stopwatch()
    job.finish()
    user.workbench.shut_down()
    assert took.seconds < 1.5
    user.workbench.desktop._bus_thread._thread.join(0.01)
    assert user.workbench.desktop._bus_thread._thread.is_alive() == (kind == "silent")


class Tray(QObject):
    """A fake QSystemTrayIcon that records its messages."""

    messageClicked = Signal()  # noqa: N815 - as Qt's
    activated = Signal(object)
    made: ClassVar[list[Tray]] = []

    @staticmethod
    def isSystemTrayAvailable() -> bool:  # noqa: N802 - as Qt's
        return True

    def __init__(self, _icon, parent) -> None:
        super().__init__(parent)
        self.messages: list[tuple[str, str]] = []
        self.shown = False
        self.made.append(self)

    def show(self) -> None:
        self.shown = True

    def hide(self) -> None:
        self.shown = False

    def showMessage(self, summary, body) -> None:  # noqa: N802 - as Qt's
        assert self.shown
        self.messages.append((summary, body))


def test_without_a_bus_the_tray_says_it(new_user, other, monkeypatch):
    """This is the way on Windows and macOS."""
    monkeypatch.setattr(desktop, "HAS_BUS", False)
    monkeypatch.setattr(desktop, "LONG_S", 0.0)
    monkeypatch.setattr(desktop, "QSystemTrayIcon", Tray)
    Tray.made.clear()
    user = new_user().wait_ready()
    job = BlockedJob(user)
    other.activate()
    job.finish()
    (tray,) = Tray.made
    assert tray.messages == [("Exporting: finished", "Pruneapp\n1 s")]
    tray.messageClicked.emit()
    user.wait(user.window.isActiveWindow)
    assert not tray.shown


# The protocol


@needs_bus
def test_what_is_refused_is_told_and_the_bus_goes_on(bus):
    client = MessageBus(bus)
    with pytest.raises(RefusedError, match="GetId"):
        client.call(desktop._BUS, "GetId", "s", "too much")
    (names,) = client.call(desktop._BUS, "ListNames")
    assert "org.freedesktop.DBus" in names
    client.close()


def test_where_there_is_no_bus_that_is_told():
    for address in (
        "",
        "unix:",
        "tcp:host=localhost,port=1",
        "unix:path=/no",
        "tcp:host=here;unix:",
    ):
        with pytest.raises(BusError, match="no bus"):
            MessageBus(address)
