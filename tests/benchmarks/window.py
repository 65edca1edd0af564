"""The real window, controlled by simulated input, in its own process.

``python -m tests.benchmarks.window SCENARIO JSON`` prints the result as JSON. The functions that
are measured are in `scenarios`; `Hand` has the operations that they share.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from PySide6.QtCore import QEvent, QEventLoop, QObject, QRect, Qt, QTimer, SignalInstance
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from pruneapp.gui import application
from pruneapp.gui.app.runtime import Collector
from pruneapp.gui.app.settings import THEME, Settings
from pruneapp.gui.export.dialog import ExportDialog
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.widgets import screen
from pruneapp.gui.widgets.theme import ThemeManager
from tests.benchmarks.event_loop_delay import Beats

LOOK_EVERY_MS = 15


def _large_screen(_window: QWidget) -> QRect:
    # The offscreen platform's screen is 800 x 800, which would cut off half of the window.
    return QRect(0, 0, 1920, 1200)


class Painted(QObject):
    """Records when a widget was painted while `when` was true."""

    def __init__(self, widget: QWidget, when: Callable[[], bool]) -> None:
        super().__init__(widget)
        self._when = when
        self.at = 0.0
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.Paint and not self.at and self._when():
            QTimer.singleShot(0, self._note)  # after the painting
        return False

    def _note(self) -> None:
        self.at = self.at or time.perf_counter()


class Hand:
    """A simulated user of the window.

    Attributes
    ----------
    first, ready
        When the window was painted for the first time, and when it was fully usable.
    beats
        Event loop delays since the first paint.
    """

    def __init__(self, dump: TextIO | None = None) -> None:
        sys.setswitchinterval(application.SWITCH_INTERVAL_S)
        self.application = application.make_application(["pruneapp"])
        Collector(self.application)
        settings = Settings()
        appearance = ThemeManager(self.application, settings.get(THEME))
        screen.available = _large_screen
        self.window = MainWindow(settings, appearance)
        self.start = application.Start(self.window, settings, appearance)
        sys.excepthook = self._fail
        self.failed = ""
        self.beats = Beats(dump)
        self.first = self.ready = 0.0
        self.start.painted.connect(self._on_first)
        self.start.ready.connect(self._on_ready)
        self.window.show()
        self.wait(lambda: bool(self.ready))
        assert self.start.workbench is not None
        self.bench = self.start.workbench
        self.views = self.bench.views
        self.bench.session.refused.connect(self._on_refused)
        self.bench.jobs.failed.connect(self._on_bug)

    def _fail(self, kind: type[BaseException], error: BaseException, _trace: object) -> None:
        self.failed = f"{kind.__name__}: {error}"
        sys.__excepthook__(kind, error, error.__traceback__)

    def _on_refused(self, error: Exception) -> None:
        self.failed = str(error)

    def _on_bug(self, what: str, trace: str) -> None:
        self.failed = f"{what}\n{trace}"

    def _on_first(self) -> None:
        self.first = time.perf_counter()
        self.beats.start()

    def _on_ready(self) -> None:
        self.ready = time.perf_counter()

    def wait(self, until: Callable[[], bool], seconds: float = 300.0) -> None:
        """Run the event loop until a condition is true.

        It is checked rarely, because each check needs the GIL and slows workers down.
        """
        loop = QEventLoop()
        ends = time.perf_counter() + seconds
        look = QTimer()
        look.timeout.connect(
            lambda: (self.failed or until() or time.perf_counter() > ends) and loop.quit()
        )
        look.start(LOOK_EVERY_MS)
        if not until():
            loop.exec()
        look.stop()
        if self.failed:
            raise RuntimeError(self.failed)
        if not until():
            raise TimeoutError(f"nothing came within {seconds:g} s")

    def rest(self, seconds: float) -> None:
        """Run the event loop for a while."""
        ends = time.perf_counter() + seconds
        self.wait(lambda: time.perf_counter() >= ends)

    def wait_quiet(self) -> None:
        """Wait until no job runs; the next one may begin right after."""
        seen: list[bool] = []

        def quiet() -> bool:
            if self.bench.jobs.is_idle:
                seen.append(True)
            return bool(seen)

        self.wait(quiet)

    def when(self, signal: SignalInstance, do: Callable[[], object]) -> float:
        """Call `do` and wait for a signal; return the seconds until it was emitted."""
        came: list[float] = []

        def note(*_: object) -> None:
            came.append(time.perf_counter())

        signal.connect(note)
        began = time.perf_counter()
        do()
        self.wait(lambda: bool(came))
        signal.disconnect(note)
        return came[0] - began

    def click(self, widget: QWidget) -> None:
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> tuple[float, float]:
        """Press a key that changes the tree; return ms until it returns, and until painted."""
        painted = Painted(self.views.tree.view.viewport(), lambda: True)
        began = time.perf_counter()
        QTest.keyClick(self.views.tree.view, key, modifiers)
        returned = time.perf_counter()
        self.wait(lambda: bool(painted.at))
        painted.deleteLater()
        return 1000 * (returned - began), 1000 * (painted.at - began)

    # -- the main job --------------------------------------------------------------------------

    def open(self, path: Path) -> float:
        """Open a file; return the seconds from the click to the painted tree."""
        self.beats.phase = f"opening {path.name}"
        session = self.bench.session
        tree = Painted(
            self.views.tree.view.viewport(),
            lambda: session.document is not None and session.document.checkpoint.path == path,
        )
        began = time.perf_counter()
        self.window.dropped.emit(path)
        self.wait(lambda: bool(tree.at))
        return tree.at - began

    def preview(self) -> None:
        """Wait for the exact preview."""
        controller = self.bench.preview
        self.wait(lambda: controller.state.preview is not None)

    def ask(self, method: str, amount: str, *, everywhere: bool = False) -> None:
        """Fill in the form: method, scope and amount."""
        form = self.views.form
        rule = form.rules[0]
        rule.method.setCurrentIndex(rule.method.findData(method))
        self.click(form.all if everywhere else form.each) if form.scope_row.isVisible() else None
        field = rule.fields.editors["amount"].field
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, amount)

    def prune(self) -> float:
        """Click the main button; return the seconds until the document has changed."""
        button = self.views.preview.action.button
        return self.when(self.bench.session.changed, lambda: self.click(button))

    def export(self, target: Path, format_: str = "safetensors") -> float:
        """Export with the dialog; return the seconds from its button to the report."""
        exporting = self.bench.export
        dialog = self.export_dialog()
        self.click(dialog.formats.radios[format_])
        dialog.target.path.setText(str(target))
        seconds = self.when(exporting.exported, lambda: self.click(dialog.go))
        self.rest(0.1)
        assert exporting.report is not None
        exporting.report.reject()
        return seconds

    def export_dialog(self) -> ExportDialog:
        """Trigger the export action; return the dialog."""
        exporting = self.bench.export
        self.window.actions_["export"].trigger()
        self.wait(lambda: exporting.dialog is not None)
        assert exporting.dialog is not None
        return exporting.dialog

    def leave(self) -> None:
        """Close the window without confirmation."""
        self.beats.stop()
        self.bench.shut_down()


def main() -> None:
    from tests.benchmarks import scenarios

    name, arguments = sys.argv[1], json.loads(sys.argv[2])
    print_answer(lambda: getattr(scenarios, name)(**arguments))


def print_answer(measure: Callable[[], Any]) -> None:
    """Print the result of `measure` as JSON; if it raises, exit without waiting for threads."""
    try:
        answer = measure()
    except BaseException:  # noqa: BLE001 - threads of the window would wait for ever
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
