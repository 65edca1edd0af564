"""Starting the window: shown first, everything heavy afterwards."""

from __future__ import annotations

import gc
import logging
import os
import sys
import time
from pathlib import Path

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
    qInstallMessageHandler,
)
from PySide6.QtGui import QFileOpenEvent, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QWidget

import pruneapp
from pruneapp import resources
from pruneapp.gui.settings import THEME, Settings
from pruneapp.gui.theme import Appearance
from pruneapp.gui.window import MainWindow

# Python gives the interpreter to another thread at most so often; with 5 ms, its default, the
# window is late by that much whenever a worker computes. Measured in shared notes on Qt.
SWITCH_INTERVAL_S = 0.001
FIRST_PICTURE = "PRUNEAPP_SAY_FIRST_PICTURE"

log = logging.getLogger("pruneapp")


class FirstPaint(QObject):
    """Tells when a widget was painted for the first time.

    Signals
    -------
    seen()
        Once, after the paint event was delivered: a single-shot timer of 0 ms would come before.
    """

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


class OpenedFromOutside(QObject):
    """Listens for files that the system asks the application to open (macOS).

    Signals
    -------
    asked(Path)
        The file.
    """

    asked = Signal(object)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Catch file-open events."""
        if isinstance(event, QFileOpenEvent):
            self.asked.emit(Path(event.file()))
            return True
        return False


def make_application(arguments: list[str]) -> QApplication:
    """Return the application with its name, style, icon and language."""
    # A plugin path from the environment could load code that did not come with Qt.
    os.environ.pop("QT_PLUGIN_PATH", None)
    application = QApplication(arguments)
    application.setApplicationName("pruneapp")
    application.setApplicationDisplayName("Pruneapp")
    application.setApplicationVersion(pruneapp.__version__)
    QGuiApplication.setDesktopFileName("io.github.pruneapp.Pruneapp")
    application.setStyle("Fusion")
    application.setWindowIcon(QIcon(str(resources.path("icons/pruneapp.svg"))))
    for name, folder in (
        ("qtbase", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)),
        ("pruneapp", str(resources.path("translations"))),
    ):
        translator = QTranslator(application)
        if translator.load(QLocale(), name, "_", folder):
            application.installTranslator(translator)
    return application


def main(file: str | None = None, state_dict: str | None = None) -> int:
    """Show the window, with `file` if one is named; returns the exit status."""
    began = time.monotonic()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    qInstallMessageHandler(_log_qt)
    application = make_application(sys.argv[:1])
    settings = Settings()
    appearance = Appearance(application, settings.get(THEME))
    window = MainWindow(settings, appearance)
    outside = OpenedFromOutside(application)
    outside.asked.connect(window.open_path)
    application.installEventFilter(outside)
    first = FirstPaint(window)
    first.seen.connect(window.finish)
    if file is not None:
        window.open_after_start(Path(file), state_dict)
    if os.environ.get(FIRST_PICTURE):
        first.seen.connect(lambda: print(f"{time.monotonic() - began:.3f}", flush=True))  # noqa: T201
    sys.excepthook = window.report_bug
    window.show()
    status = application.exec()
    gc.collect()
    return status


def _log_qt(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    level = {
        QtMsgType.QtDebugMsg: logging.DEBUG,
        QtMsgType.QtInfoMsg: logging.INFO,
        QtMsgType.QtWarningMsg: logging.WARNING,
    }.get(kind, logging.ERROR)
    log.log(level, "Qt: %s", text)
