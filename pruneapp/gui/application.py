"""Starting the window: shown first, everything heavy afterwards."""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEvent,
    QLibraryInfo,
    QLocale,
    QMessageLogContext,
    QObject,
    QTimer,
    QtMsgType,
    QTranslator,
    Signal,
    Slot,
    qInstallMessageHandler,
)
from PySide6.QtGui import QCloseEvent, QFileOpenEvent, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QWidget

import pruneapp
from pruneapp import resources
from pruneapp.gui.app.runtime import Collector, QtClasses, share_heap
from pruneapp.gui.app.settings import LANGUAGE, THEME, Settings, language_of
from pruneapp.gui.files.start_page import RecentFile
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.widgets.theme import Style, ThemeManager

if TYPE_CHECKING:
    from pruneapp.gui.document.open_document import OpenRequest
    from pruneapp.gui.mainwindow.workbench import Workbench

# A worker that runs Python keeps the interpreter for so long while the window waits for it. And the
# window has to ask again after every call to Qt that lets go of it: some hundred times to paint
# itself. With 5 ms, Python's default, that is a second; with 1 ms the worst stall while a file of
# 100,000 tensors was opened took 0.2 s, with this 0.12 s, and the file was open as soon.
SWITCH_INTERVAL_S = 0.0001

log = logging.getLogger("pruneapp")


class FirstPaint(QObject):
    """Tells when a widget was painted for the first time."""

    # Once, after the paint event was delivered: a single-shot timer of 0 ms would come before.
    seen = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wait for the paint event, then for it to be done."""
        if event.type() == QEvent.Type.Paint and watched is self._widget:
            self._widget.removeEventFilter(self)
            QTimer.singleShot(0, self.seen.emit)
        return False


class Application(QApplication):
    """Tells of files that the system asks it to open (macOS).

    It hears its own events only. A filter on the application would hear those of every object, of
    widgets under construction too, of which Python then makes wrappers.
    """

    fileRequested = Signal(object)  # its path

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self._system = QLocale()
        self._translators: list[QTranslator] = []

    def speak(self, choice: str) -> None:
        """Take texts from the translations of a language, Qt's own too, and write numbers as there.

        `choice` is ``system``, ``en`` or the name of a language as files of translations have it.
        Texts that are shown already stay as they are.
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
        """Catch file-open events."""
        if isinstance(event, QFileOpenEvent):
            self.fileRequested.emit(Path(event.file()))
            return True
        return super().event(event)


def make_application(arguments: list[str]) -> Application:
    """Return the application with its name, style and icon, in the system's language."""
    share_heap()  # before Qt starts a thread, too
    # A plugin path from the environment could load code that did not come with Qt.
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
    """Brings the window to work after its first picture.

    What an open document needs takes half a second to import; that is done in a thread, so that
    the window answers meanwhile. None of the imported modules makes a QObject (tested), and the
    classes of Qt that they touch were made before in the main thread (see `QtClasses`).

    `file` is opened as soon as that is possible; `goes_on` is what a window before this had open.
    """

    ready = Signal(object)  # a Workbench: everything works
    _imported = Signal(object)

    def __init__(
        self,
        window: MainWindow,
        settings: Settings,
        appearance: ThemeManager,
        *,
        file: Path | None = None,
        state_dict: str | None = None,
        goes_on: OpenRequest | None = None,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._appearance = appearance
        self._file = file
        self._state_dict = state_dict
        self._goes_on = goes_on
        self._thread = threading.Thread(target=self._import, name="pruneapp-imports")
        self.workbench: Workbench | None = None
        self._closed = False
        # What is asked for before everything is there is done as soon as it is.
        self._asked_early = ""
        self._early = {
            window.empty.openRequested: self._ask_file,
            window.empty.folderRequested: self._ask_folder,
            window.empty.sampleRequested: self._open_sample,
            window.empty.tourRequested: self._ask_tour,
            window.actions_["tour"].triggered: self._ask_tour,
            window.actions_["open"].triggered: self._ask_file,
            window.actions_["sample"].triggered: self._open_sample,
            window.dropped: self.open,
            window.actions_["cancel"].triggered: self._open_nothing,
            window.job_status.cancelRequested: self._open_nothing,
        }
        for signal, call in self._early.items():
            signal.connect(call)
        window.closing.connect(self._on_closing)
        self._imported.connect(self._build_workbench)
        pinned = settings.pinned
        window.empty.set_recent([RecentFile(str(p), p in pinned) for p in settings.listed])
        window.empty.recentRequested.connect(self._open_recent)
        self._first = FirstPaint(window)
        self._first.seen.connect(self._on_first_paint)
        self._classes = QtClasses(self)
        self._classes.made.connect(self._start_import)
        if file is not None or goes_on is not None:
            self._say_opening()

    @Slot(object)
    def open(self, path: Path) -> None:
        """Open a file now, or as soon as that is possible."""
        if self.workbench is not None:
            self.workbench.open(path)
        else:
            self._file, self._state_dict, self._goes_on = path, None, None
            self._say_opening()

    def report_bug(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Take an exception that nobody caught."""
        if self.workbench is not None:
            self.workbench.report_bug(kind, error, trace)
        else:
            sys.__excepthook__(kind, error, trace)

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
        except BaseException as error:  # noqa: BLE001 - whatever it is, `_build_workbench` raises it
            self._imported.emit(error)
        else:
            self._imported.emit(module.Workbench)

    @Slot(object)
    def _build_workbench(self, imported: type[Workbench] | BaseException) -> None:
        self._thread.join()
        if self._closed:
            return  # nobody would stop the threads of a workbench that comes too late
        if isinstance(imported, BaseException):
            self._window.job_status.set_idle()
            raise imported
        for signal, call in self._early.items():
            signal.disconnect(call)
        self._window.empty.recentRequested.disconnect(self._open_recent)
        self._window.closing.disconnect(self._on_closing)
        self.workbench = imported(self._window, self._settings, self._appearance)
        if self._goes_on is not None:
            self.workbench.open(self._goes_on)
        elif self._file is not None:
            from pruneapp.gui.document.open_document import OpenRequest

            self.workbench.open(OpenRequest(self._file, self._state_dict))
        elif self._asked_early == "file":
            self.workbench.files.ask_file()
        elif self._asked_early == "folder":
            self.workbench.files.ask_folder()
        elif self._asked_early == "tour":
            self.workbench.tour.start()
        gc.freeze()  # what lives as long as the window need not be looked at again
        self.ready.emit(self.workbench)

    def _say_opening(self) -> None:
        # What the worker says of it once it can, the job that opens the file goes on with.
        self._window.job_status.set_job(self.tr("Opening"))

    @Slot()
    def _open_nothing(self) -> None:
        self._file = self._state_dict = self._goes_on = None
        self._window.job_status.set_idle()

    @Slot()
    def _ask_file(self) -> None:
        self._asked_early = "file"

    @Slot()
    def _ask_folder(self) -> None:
        self._asked_early = "folder"

    @Slot()
    def _ask_tour(self) -> None:
        self._asked_early = "tour"

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


def main(file: Path | None = None, state_dict: str | None = None) -> int:
    """Show the window, with `file` if one is named; returns the exit status."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    qInstallMessageHandler(_log_qt)
    application = make_application(sys.argv[:1])
    Collector(application)
    settings = Settings()
    appearance = ThemeManager(application, settings.get(THEME))
    path = file
    goes_on: OpenRequest | None = None
    while True:
        application.speak(settings.get(LANGUAGE))
        window = MainWindow(settings, appearance)
        start = Start(
            window, settings, appearance, file=path, state_dict=state_dict, goes_on=goes_on
        )
        application.fileRequested.connect(start.open)
        sys.excepthook = start.report_bug
        window.show()
        status = application.exec()
        settings.flush()
        bench = start.workbench
        if bench is not None and not bench.ended:
            # A thread is still in code that is not ours, and would keep the process alive for ever.
            os._exit(status)
        if bench is None or bench.restarts is None:
            return status
        path, state_dict = None, None
        goes_on = next(iter(bench.restarts), None)
        window.deleteLater()  # it and all its children, as soon as events are handled again
        del bench, start, window
        gc.unfreeze()


def _log_qt(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    level = {
        QtMsgType.QtDebugMsg: logging.DEBUG,
        QtMsgType.QtInfoMsg: logging.INFO,
        QtMsgType.QtWarningMsg: logging.WARNING,
    }.get(kind, logging.ERROR)
    log.log(level, "Qt: %s", text)
