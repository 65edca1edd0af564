"""Start of the application and its windows: a window is shown before heavy modules are imported."""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEvent,
    QLibraryInfo,
    QLocale,
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    QtMsgType,
    QTranslator,
    Signal,
    Slot,
    qInstallMessageHandler,
)
from PySide6.QtGui import QCloseEvent, QFileOpenEvent, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

import pruneapp
from pruneapp import resources
from pruneapp.errors import JsonError
from pruneapp.gui.app.runtime import Collector, QtClasses, share_heap
from pruneapp.gui.app.settings import LANGUAGE, THEME, Settings, language_of
from pruneapp.gui.app.termination import TerminationSignals
from pruneapp.gui.app.windows import WindowMenu, Windows
from pruneapp.gui.files.start_page import RecentFile
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.widgets.controls import call_soon, single_shot
from pruneapp.gui.widgets.screen import allow_to_front, bring_to_front
from pruneapp.gui.widgets.theme import Style, ThemeManager
from pruneapp.instance import (
    ACCEPTED,
    GREETING,
    MAX_LINE_BYTES,
    PATIENCE_S,
    OpenFiles,
    address,
    belongs_to_other_user,
    has_listener,
)
from pruneapp.json_codec import decode

if TYPE_CHECKING:
    import socket

    from pruneapp.gui.document.open_document import OpenRequest
    from pruneapp.gui.mainwindow.workbench import Workbench

# How long a worker thread may keep the GIL while the main thread waits for it. The main thread has
# to acquire the GIL again after each Qt call that releases it, some hundred times per paint. That
# is a second with Python's default of 5 ms. While a file of 100,000 tensors was opened, the longest
# stall was 0.2 s with 1 ms and 0.12 s with this value; opening took the same time.
SWITCH_INTERVAL_S = 0.0001

# Maximum number of simultaneous connections of other processes; more are closed.
_MOST_LINES = 16

log = logging.getLogger("pruneapp")


class Application(QApplication):
    """The application. `fileRequested` is emitted for files that macOS asks it to open.

    `session_ends` is set when the desktop session is about to end.

    Events are handled by `event`. An event filter on the application would receive the events of
    all objects, also of widgets under construction, for which Python then creates wrappers.
    """

    fileRequested = Signal(object)  # (Path)

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self._system = QLocale()
        self._translators: list[QTranslator] = []
        self.session_ends = False

    def speak(self, choice: str) -> None:
        """Load the translations of a language, including those of Qt, and use its number format.

        Replaces those of an earlier call. `choice` is ``system``, ``en`` or a name as in the names
        of translation files; a language without translations is shown in English, with its own
        numbers. Texts that are already shown do not change.
        """
        for translator in self._translators:
            self.removeTranslator(translator)
            translator.deleteLater()
        self._translators = []
        language = self._system if choice == "system" else QLocale(choice)
        QLocale.setDefault(language)
        found = language_of(language.uiLanguages())
        if found[:2] == "en":
            return
        qts = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        ours = str(resources.path("translations"))
        for name, folder in (("qtbase", qts), ("pruneapp", ours)):
            translator = QTranslator(self)
            if translator.load(QLocale(found), name, "_", folder):
                self.installTranslator(translator)
                self._translators.append(translator)

    def event(self, event: QEvent) -> bool:
        """Emit `fileRequested` for files; quit without questions if the desktop session ends."""
        if isinstance(event, QFileOpenEvent):
            self.fileRequested.emit(Path(event.file()))
            return True
        if event.type() == QEvent.Type.Quit and self.session_ends:
            self.exit()
            return True
        return super().event(event)

    @Slot()
    def prepare_session_end(self) -> None:
        """Record that the desktop session is about to end (`commitDataRequest`)."""
        self.session_ends = True


def make_application(arguments: list[str]) -> Application:
    """Return the application with its name, style and icon, in the language of the system."""
    share_heap()  # before Qt starts a thread
    # The environment variable could load plugins that are not part of Qt.
    os.environ.pop("QT_PLUGIN_PATH", None)
    application = Application(arguments)
    application.setApplicationName("pruneapp")
    application.setApplicationDisplayName("Pruneapp")
    application.setApplicationVersion(pruneapp.__version__)
    QGuiApplication.setDesktopFileName("io.github.pruneapp.Pruneapp")
    application.setStyle(Style())
    application.setWindowIcon(QIcon(str(resources.path("icons/pruneapp.svg"))))
    application.speak("system")
    return application


class Start(QObject):
    """Makes a window functional after its first paint.

    Importing the views of a document takes half a second and is done in a thread, so that the
    window stays responsive. None of the imported modules creates a QObject (tested), and the Qt
    classes that they use were created on the main thread before (see `QtClasses`).

    `file` and `state_dict`, or `open_request` (of a previous or of another window), are
    opened as soon as possible. `windows` is the registry of windows, by default a new one.
    """

    painted = Signal()  # the window was painted for the first time
    ready = Signal(object)  # (Workbench) the window is fully functional
    _imported = Signal(object)

    def __init__(
        self,
        window: MainWindow,
        settings: Settings,
        appearance: ThemeManager,
        *,
        file: Path | None = None,
        state_dict: str | None = None,
        open_request: OpenRequest | None = None,
        windows: Windows | None = None,
    ) -> None:
        super().__init__(window)
        self.window = window
        self._windows = windows or Windows(self)
        self._settings = settings
        self._appearance = appearance
        self._file = file
        self._state_dict = state_dict
        self._open_request = open_request
        self._thread = threading.Thread(target=self._import, name="pruneapp-imports")
        self.workbench: Workbench | None = None
        self._closed = False
        # The command that was given before the workbench exists is executed later.
        self._deferred: Callable[[Workbench], None] | None = None
        ask_file = partial(self._defer, lambda bench: bench.files.ask_file())
        ask_folder = partial(self._defer, lambda bench: bench.files.ask_folder())
        show_tour = partial(self._defer, lambda bench: bench.tour.start())
        self._early_connections = {
            window.empty.openRequested: ask_file,
            window.empty.folderRequested: ask_folder,
            window.empty.sampleRequested: self._open_sample,
            window.empty.tourRequested: show_tour,
            window.actions_["tour"].triggered: show_tour,
            window.actions_["open"].triggered: ask_file,
            window.actions_["sample"].triggered: self._open_sample,
            window.actions_["open_in_window"].triggered: ask_file,
            window.dropped: self.open,
            window.droppedForWindow: self.open,
            window.droppedTogether: self._open_together,
            window.actions_["cancel"].triggered: self._open_nothing,
            window.job_status.cancelRequested: self._open_nothing,
        }
        for signal, call in self._early_connections.items():
            signal.connect(call)
        window.closing.connect(self._on_closing)
        window.closed.connect(self._windows.remove)
        window.actions_["new_window"].triggered.connect(self._ask_window)
        window.actions_["quit"].triggered.connect(self._windows.quit)
        self._imported.connect(self._build_workbench)
        pinned = settings.pinned
        window.empty.set_recent([RecentFile(str(p), p in pinned) for p in settings.listed])
        window.empty.recentRequested.connect(self._open_recent)
        window.installEventFilter(self)
        self.painted.connect(self._on_first_paint)
        self._classes = QtClasses(self)
        self._classes.made.connect(self._start_import)
        self._windows.add(window, self._file_of_window)
        WindowMenu(self._windows, window, window.actions_)
        if file is not None or open_request is not None:
            self._show_opening()

    @Slot(object)
    def open(self, wanted: Path | OpenRequest) -> None:
        """Open a file now, or as soon as the workbench exists.

        Before that, a second call replaces the first one.
        """
        if self.workbench is not None:
            self.workbench.open(wanted)
            return
        self._file, self._state_dict, self._open_request = None, None, None
        if isinstance(wanted, Path):
            self._file = wanted
        else:
            self._open_request = wanted
        self._show_opening()

    @Slot(object, bool)
    def _open_together(self, paths: Sequence[Path], apart: bool) -> None:
        self.ready.connect(lambda workbench: workbench.files.open_together(paths, apart))

    def _file_of_window(self) -> Path | None:
        if self.workbench is not None:
            return self.workbench.files.path
        return self._file if self._open_request is None else self._open_request.path

    def report_bug(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Show an uncaught exception in a notice, or print it if there is no workbench yet."""
        if self.workbench is not None:
            self.workbench.report_bug(kind, error, trace)
        else:
            sys.__excepthook__(kind, error, trace)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Continue after the first paint event; a timer of 0 ms would fire before it."""
        if event.type() == QEvent.Type.Paint and watched is self.window:
            self.window.removeEventFilter(self)
            call_soon(self, self.painted)
        return False

    @Slot()
    def _on_first_paint(self) -> None:
        if not self._closed:
            self._classes.start()

    @Slot()
    def _start_import(self) -> None:
        self._thread.start()

    def _import(self) -> None:
        try:
            import pruneapp.gui.mainwindow.workbench as module
        except BaseException as error:  # noqa: BLE001 - raised again by `_build_workbench`
            self._imported.emit(error)
        else:
            self._imported.emit(module.Workbench)

    @Slot(object)
    def _build_workbench(self, imported: type[Workbench] | BaseException) -> None:
        """Create the workbench and open what was requested meanwhile; emit `ready`.

        An exception of the import is raised here. Nothing is created if the window was closed.
        """
        self._thread.join()
        if self._closed:
            return  # the threads of a workbench that is created now would never be stopped
        if isinstance(imported, BaseException):
            self.window.job_status.set_idle()
            raise imported
        for signal, call in self._early_connections.items():
            signal.disconnect(call)
        self.window.empty.recentRequested.disconnect(self._open_recent)
        self.window.closing.disconnect(self._on_closing)
        self.workbench = imported(self.window, self._settings, self._appearance, self._windows)
        if self._open_request is not None:
            self.workbench.open(self._open_request)
        elif self._file is not None:
            from pruneapp.gui.document.open_document import OpenRequest

            self.workbench.open(OpenRequest(self._file, self._state_dict))
        elif self._deferred is not None:
            self._deferred(self.workbench)
        gc.freeze()  # objects that live as long as the window need no garbage collection
        self.ready.emit(self.workbench)

    def _show_opening(self) -> None:
        # Replaced by the title of the job that opens the file.
        self.window.job_status.set_job(self.tr("Opening"))

    @Slot()
    def _open_nothing(self) -> None:
        self._file = self._state_dict = self._open_request = None
        self.window.job_status.set_idle()

    def _defer(self, command: Callable[[Workbench], None], *_checked: bool) -> None:
        self._deferred = command

    @Slot()
    def _ask_window(self) -> None:
        self._windows.wanted.emit(None)

    @Slot()
    def _open_sample(self) -> None:
        self.open(resources.path("sample/lenet-digits.safetensors"))

    @Slot(str)
    def _open_recent(self, path: str) -> None:
        self.open(next(known for known in self._settings.listed if str(known) == path))

    @Slot(object)
    def _on_closing(self, _event: QCloseEvent) -> None:
        self._closed = True
        self._classes.stop()
        if self._thread.is_alive():
            self._thread.join()


class InstanceServer(QObject):
    """Receives requests of other processes at a socket; ignores invalid ones.

    A client that does not send a complete request within `PATIENCE_S` is disconnected.
    """

    received = Signal(object)  # OpenFiles

    def __init__(self, address: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._address = Path(address)
        self._socket: socket.socket | None = None
        self._notifier: QSocketNotifier | None = None
        self._clients: set[InstanceLine] = set()

    def listen(self) -> bool:
        """Start to listen and return True; False if another process listens, or without a socket.

        The socket file of a killed process is removed.
        """
        import socket

        if has_listener(str(self._address)):
            return False
        with suppress(OSError):
            self._address.unlink()
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.bind(str(self._address))  # in a folder that only the user can access
            self._address.chmod(0o600)
            line.listen(4 * _MOST_LINES)
        except OSError:
            line.close()
            return False
        line.setblocking(False)
        self._socket = line
        self._notifier = QSocketNotifier(line.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_connection)
        return True

    def close(self) -> None:
        """Disconnect all clients, stop listening, and remove the socket file.

        It may be called repeatedly, and before `listen`.
        """
        for line in tuple(self._clients):
            line.hang_up()
        if self._socket is not None and self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier.deleteLater()
            self._socket.close()
            self._socket = self._notifier = None
            with suppress(OSError):
                self._address.unlink()

    @Slot()
    def _on_connection(self) -> None:
        """Accept all pending connections; close those above `_MOST_LINES` at once."""
        while self._socket is not None:
            try:
                line, _ = self._socket.accept()
            except OSError:  # no pending connection
                return
            if len(self._clients) >= _MOST_LINES:
                line.close()
                continue
            client = InstanceLine(line, self)
            self._clients.add(client)
            client.received.connect(self.received)
            client.ended.connect(self._clients.discard)
            client.begin()


class InstanceLine(QObject):
    """A connection of another process, from the greeting to its end."""

    received = Signal(object)  # OpenFiles
    ended = Signal(object)  # the connection itself

    def __init__(self, connection: socket.socket, parent: QObject) -> None:
        super().__init__(parent)
        self._connection = connection
        self._received_bytes = b""
        self._closed = False
        connection.setblocking(False)
        self._notifier = QSocketNotifier(connection.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_read)
        self._timeout = single_shot(self, round(PATIENCE_S * 1000), self.hang_up)

    def begin(self) -> None:
        """Send the greeting, unless the client belongs to another user."""
        self._timeout.start()
        if belongs_to_other_user(self._connection.fileno()):
            self._ignore("it is of another user")
        else:
            self._send(GREETING)

    @Slot()
    def hang_up(self) -> None:
        """Close the connection, emit `ended` and delete this object; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._timeout.stop()
            self._notifier.setEnabled(False)
            self._connection.close()
            self.ended.emit(self)
            self.deleteLater()

    def _send(self, line: bytes) -> None:
        with suppress(OSError):  # the client has disconnected
            self._connection.sendall(line)

    @Slot()
    def _on_read(self) -> None:
        """Read what was sent, up to a complete line, which is the request.

        Hangs up at the end of the connection, and after `MAX_LINE_BYTES` without a line.
        """
        if self._closed:
            return
        try:
            more = self._connection.recv(MAX_LINE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            more = b""
        self._received_bytes += more
        if not more:
            self.hang_up()
        elif len(self._received_bytes) > MAX_LINE_BYTES:
            self._ignore("it is too long")
        elif self._received_bytes.endswith(b"\n"):
            self._read_request()

    def _read_request(self) -> None:
        """Confirm the request, hang up, and emit `received`; an invalid request is only logged."""
        try:
            request = decode(self._received_bytes, OpenFiles, "the request", file_names=True)
        except JsonError as error:
            self._ignore(error.sentence)
            return
        self._send(ACCEPTED)
        self.hang_up()  # before windows are created, as the client does not wait for them
        self.received.emit(request)

    def _ignore(self, why: str) -> None:
        log.info("A request to open files was ignored: %s.", why.rstrip("."))
        self.hang_up()


class Launcher(QObject):
    """Creates and shows windows until the last one is closed."""

    shown = Signal(object)  # (Start) another window is shown

    def __init__(
        self, application: Application, settings: Settings, appearance: ThemeManager
    ) -> None:
        super().__init__(application)
        self._application = application
        self._settings = settings
        self._appearance = appearance
        self.windows = Windows(self)
        self.windows.wanted.connect(self._on_wanted)
        self.windows.restartRequested.connect(self.restart)
        self.starts: list[Start] = []
        # Closed windows, kept as long as Qt may need them; and those with a thread that is still in
        # foreign code, possibly forever.
        self._closed: list[Start] = []
        self._unfinished: list[Start] = []
        self._restarting = False
        self._server: InstanceServer | None = None
        # Paths or URLs to open once a window can check whether they are open already.
        self._files_to_open: list[tuple[str, str | None]] = []
        self._collect_timer = single_shot(self, 0, _forget_closed)

    @property
    def ended(self) -> bool:
        """Whether all threads of closed windows have ended."""
        return not self._unfinished

    def make(
        self,
        *,
        file: Path | None = None,
        state_dict: str | None = None,
        open_request: OpenRequest | None = None,
    ) -> Start:
        """Return a new window, not shown yet, at an offset to the newest one.

        For the parameters see `Start`.
        """
        beside = self.starts[-1].window if self.starts else None
        window = MainWindow(self._settings, self._appearance, beside)
        start = Start(
            *(window, self._settings, self._appearance),
            file=file,
            state_dict=state_dict,
            open_request=open_request,
            windows=self.windows,
        )
        self.starts.append(start)
        window.closed.connect(self._on_closed)
        start.ready.connect(self._open_files)
        return start

    def show(self, start: Start) -> None:
        start.window.show()
        self.shown.emit(start)

    @Slot(object)
    def open(self, path: Path) -> None:
        """Open a file in a new window, or show the window in which it is open."""
        self._files_to_open.append((str(path), None))
        self._open_files()

    def listen(self) -> None:
        """Accept requests of other processes, unless that is not possible."""
        place = address()
        if place is not None:
            self._server = InstanceServer(place, self)
            self._server.received.connect(self.take)
            self._server.listen()

    @Slot(object)
    def take(self, request: OpenFiles) -> None:
        """Open the files of another process, each in a new window or where it is open already.

        Without files, bring a window without a file to the front, or show a new one. Files wait
        until a window is functional.
        """
        if request.token:
            allow_to_front(request.token)
        self._files_to_open += [(file, request.state_dict) for file in request.files]
        self._open_files()
        if not request.files:
            start_page_window = self._window_without_file()
            if start_page_window is None:
                self._on_wanted(None)
            else:
                bring_to_front(start_page_window.window)

    def report_bug(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Handle an uncaught exception in the active window, or else in the newest one.

        Without a window it is written to stderr.
        """
        if not self.starts:
            sys.__excepthook__(kind, error, trace)
            return
        active = self._application.activeWindow()
        here = (start for start in self.starts if start.window is active)
        next(here, self.starts[-1]).report_bug(kind, error, trace)

    @Slot()
    def restart(self) -> None:
        """Close and reopen all windows with their work, in the language of the settings.

        A window that the user keeps open, or that is not functional yet, stays as it is.
        """
        works: list[tuple[OpenRequest, ...]] = []
        self._restarting = True
        self._application.setQuitOnLastWindowClosed(False)
        for start in tuple(self.starts):
            bench = start.workbench
            if bench is not None and bench.close_before_restart():
                works.append(bench.reopen_requests or ())
        self._application.speak(self._settings.get(LANGUAGE))
        for work in works:
            self.show(self.make(open_request=next(iter(work), None)))
        self._application.setQuitOnLastWindowClosed(True)
        self._restarting = False

    @Slot()
    def save_journals(self) -> None:
        """Write the journals of all windows, as the desktop session is about to end."""
        for start in self.starts:
            if start.workbench is not None:
                start.workbench.autosave.flush()

    def end(self) -> None:
        """Close all windows without questions; unsaved work stays in the journals."""
        for start in tuple(self.starts):
            if start.workbench is not None:
                start.workbench.close_unasked()
            else:
                start.window.close()

    @Slot(object)
    def _on_wanted(self, wanted: OpenRequest | None) -> None:
        """Open a request in a window without a file, or else in a new one; bring it to the front.

        None shows a new window.
        """
        start = None if wanted is None else self._window_without_file()
        if start is not None and wanted is not None:
            start.open(wanted)
        else:
            start = self.make(open_request=wanted)
            self.show(start)
        bring_to_front(start.window)

    def _window_without_file(self) -> Start | None:
        """Return a window without a file; None if there is none."""
        files = self.windows.files
        return next((start for start in self.starts if start.window not in files), None)

    @Slot()
    def _open_files(self) -> None:
        """Open the files that wait, if a window is functional.

        It is called again when a window becomes functional.
        """
        benches = (start.workbench for start in self.starts)
        bench = next((bench for bench in benches if bench is not None), None)
        if bench is None or not self._files_to_open:
            return
        files_to_open, self._files_to_open = self._files_to_open, []
        for name, state_dict in files_to_open:
            bench.files.open_named(name, state_dict)

    @Slot(object)
    def _on_closed(self, window: MainWindow) -> None:
        """Remove a window that was just closed, and delete it if possible.

        A window with a thread in foreign code is only moved from `starts` to `_unfinished`. The
        last window is not deleted, and from then on requests of other processes are refused; during
        a restart it is deleted like others, and requests are still accepted. Call once per window.
        """
        start = next(start for start in self.starts if start.window is window)
        self.starts.remove(start)
        if start.workbench is not None and not start.workbench.ended:
            self._unfinished.append(start)
            return
        self._closed.append(start)
        if self.starts or self._restarting:
            window.destroyed.connect(self._on_destroyed)
            window.deleteLater()  # deleted with all its children in the next event loop iteration
        elif self._server is not None:
            self._server.close()

    @Slot()
    def _on_destroyed(self) -> None:
        self._closed.clear()
        self._collect_timer.start()


def _forget_closed() -> None:
    """Free the objects of a closed window, which were frozen (see `Start`)."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def main(
    files: Sequence[Path] = (), state_dict: str | None = None, *, listens: bool = False
) -> int:
    """Show a window for each of `files`, or an empty one; return the exit status.

    With `listens`, the process opens the files of later starts.

    However the application ends (the last window is closed, SIGINT, SIGTERM, SIGHUP, or the end of
    the desktop session), the event loops of dialogs and of the application end first. Then
    `Launcher.end` closes the remaining windows. The status is 0.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    qInstallMessageHandler(_log_qt)
    application = make_application(sys.argv[:1])
    Collector(application)
    settings = Settings()
    appearance = ThemeManager(application, settings.get(THEME))
    application.speak(settings.get(LANGUAGE))
    launcher = Launcher(application, settings, appearance)
    application.fileRequested.connect(launcher.open)
    application.commitDataRequest.connect(application.prepare_session_end)
    application.commitDataRequest.connect(launcher.save_journals)
    signals = TerminationSignals(application)
    signals.received.connect(application.exit)
    sys.excepthook = launcher.report_bug
    first, *more = files or (None,)
    launcher.show(launcher.make(file=first, state_dict=state_dict))
    for file in more:
        launcher.open(file)
    if listens:
        launcher.listen()  # takes less than a millisecond
    status = application.exec()
    launcher.end()
    signals.close()
    settings.flush()
    qInstallMessageHandler(None)  # Qt may write messages after Python has ended
    if not launcher.ended:
        # A thread is still in foreign code and would keep the process alive.
        os._exit(status)
    return status


def _log_qt(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    level = {
        QtMsgType.QtDebugMsg: logging.DEBUG,
        QtMsgType.QtInfoMsg: logging.INFO,
        QtMsgType.QtWarningMsg: logging.WARNING,
    }.get(kind, logging.ERROR)
    log.log(level, "Qt: %s", text)
