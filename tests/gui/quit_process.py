"""Copy from all places of the application, then quit it, in a separate process.

``python -m tests.gui.quit_process QUIT SITUATION LAST FILE`` copies from all places of `COPIES`,
and again from the one called LAST, brings about a situation of `SITUATIONS`, and quits by QUIT,
one of `QUITS`. It prints one line of JSON: the places in the source code that used the clipboard.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox

import pruneapp
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.export.report import ExportReport, WrittenFile
from pruneapp.gui import application as app
from pruneapp.gui.app.about import AboutDialog
from pruneapp.gui.app.dialogs import stop_jobs
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.app.notices import NoticeRow
from pruneapp.gui.app.settings import LANGUAGE
from pruneapp.gui.app.termination import NUMBERS
from pruneapp.gui.evaluation.generate_dialog import GenerateDialog
from pruneapp.gui.export.report_dialog import ExportReportDialog
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.recovery.dialogs import RecoveryReportDialog
from pruneapp.gui.recovery.progress import RecoveryProgress
from pruneapp.gui.repair.dialogs import RepairReportDialog
from pruneapp.gui.widgets.clipboard import Numbers, copy_rows
from pruneapp.gui.widgets.labels import ElidedLabel
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

ROOT = Path(pruneapp.__file__).parent
Role = QMessageBox.ButtonRole
# Steps of a driver: a generator that yields conditions, and is resumed when they are true.
Steps = Iterator[Callable[[], object]]


class Driver:
    """Operates the application; a timer calls `_run` repeatedly."""

    def __init__(self, quit_by: str, situation: str, last: str) -> None:
        self.quit_by, self.situation, self.last = quit_by, situation, last
        self.launcher: app.Launcher | None = None
        self.start: app.Start | None = None
        self.used: set[str] = set()
        self._clipboard = QGuiApplication.clipboard
        QGuiApplication.clipboard = self._recorded  # type: ignore[method-assign]  # of this process
        self._steps: Steps | None = None
        self._condition: Callable[[], object] = lambda: True
        self._timer = QTimer()
        self._timer.setInterval(10)
        self._timer.timeout.connect(self._run)

    def _recorded(self):
        caller = sys._getframe(1)
        place = Path(caller.f_code.co_filename)
        if place.is_relative_to(ROOT):
            self.used.add(f"{place.relative_to(ROOT)}:{caller.f_lineno}")
        return self._clipboard()

    def show(self, launcher: app.Launcher, start: app.Start) -> None:
        """Start with the first window that is shown."""
        if self.launcher is None:
            self.launcher, self.start = launcher, start
            self._steps = self._play()
            self._timer.start()

    def _run(self) -> None:
        try:
            self._step()
        except BaseException:  # noqa: BLE001 - whatever it is, the process must end with it
            traceback.print_exc()
            os._exit(70)

    def _step(self) -> None:
        box = QApplication.activeModalWidget()
        if self.situation != "question" and isinstance(box, QMessageBox):
            roles = {box.buttonRole(button): button for button in box.buttons()}
            go = roles.get(Role.DestructiveRole) or roles.get(Role.AcceptRole)
            if go is not None:
                go.click()
                return
        if self._condition() and self._steps is not None:
            steps, self._steps = self._steps, None  # a step may run a nested event loop
            condition = next(steps, None)
            if condition is not None:
                self._condition, self._steps = condition, steps

    @property
    def bench(self):
        return self.start.workbench

    def _play(self) -> Steps:
        if self.situation == "start":
            yield self.start._thread.is_alive
            self._quit()
            return
        yield lambda: self.bench is not None
        yield lambda: self.bench.session.document is not None
        yield lambda: self.bench.preview.state.preview is not None
        self.bench.views.preview.action.button.click()
        yield lambda: len(self.bench.session.document.items) == 2
        for copy in (*COPIES.values(), COPIES[self.last]):
            self._clipboard().setText("before")
            yield from copy(self)
            yield self.has_copied
        sys.stdout.write(json.dumps(sorted(self.used)))
        sys.stdout.flush()
        # By a separate timer: a situation with an event loop does not return before the end.
        QTimer.singleShot(0, lambda: SITUATIONS[self.situation][0](self))
        yield lambda: SITUATIONS[self.situation][1](self)
        self._quit()

    def has_copied(self) -> bool:
        """Return whether the clipboard has changed."""
        return self._clipboard().text() != "before"

    def _quit(self) -> None:
        QTimer.singleShot(0, lambda: QUITS[self.quit_by](self))


# -- copying ----------------------------------------------------------------------------------


def copy_channels(driver: Driver) -> Steps:
    bench = driver.bench
    bench.navigation.show_page(Page.CHANNELS)
    channels = bench.views.pages.channels
    yield lambda: channels._chart.order.size
    channels.set_chosen(np.ones(channels._chart.order.size, dtype=bool))
    driver.bench.window.actions_["copy_channels"].trigger()
    yield lambda: True


def copy_picture(driver: Driver) -> Steps:
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    driver.bench.tables.copy_picture(image)
    yield lambda: driver._clipboard().mimeData().hasFormat("image/png")


def copy_name(driver: Driver) -> Steps:
    driver.bench.window.actions_["copy_name"].trigger()
    yield lambda: True


def copy_name_by_menu(driver: Driver) -> Steps:
    tree = driver.bench.views.tree
    menu = tree.context_menu(0)
    next(a for a in menu.actions() if a.text() == "Copy name").trigger()
    yield lambda: True


def copy_rows_of_tree(driver: Driver) -> Steps:
    view = driver.bench.views.tree.view
    view.selectAll()
    view.copy_selected()
    yield lambda: True


def copy_rows_outside(driver: Driver) -> Steps:
    label = ElidedLabel("", None)  # a label that is in no window
    copy_rows(label, Numbers(("a",), 1, lambda _at: ["b"]))
    yield lambda: True


def copy_python(driver: Driver) -> Steps:
    driver.bench.window.actions_["copy_python"].trigger()
    yield driver.has_copied


def copy_program_code(driver: Driver) -> Steps:
    driver.bench.scripts.copy_program_code()
    yield driver.has_copied


def copy_python_with_masks(driver: Driver) -> Steps:
    """Copy after a manual edit, which has no torch equivalent: its masks are written to a file."""
    target = str(Path.cwd() / "script.py")
    QFileDialog.getSaveFileName = lambda *_a, **_k: (target, "")  # type: ignore[method-assign, assignment]  # of this process
    document = driver.bench.session.document
    if len(document.items) == 2:
        name = next(iter(document.masks))
        pruned = BitMask.full(document.masks[name].size)
        edit = ManualEdit("prune", (ManualTarget(name, mask=pruned),), "All pruned")
        document.commit(compute_manual_edit(document.snapshot(), edit, Job()))
    yield from copy_python(driver)


def copy_notice(driver: Driver) -> Steps:
    bar = driver.bench.window.notices
    bar.set_notice("A sentence.", details="Details.")
    notice = next(n for n in bar.findChildren(NoticeRow) if n.content[0] == "A sentence.")
    notice.copy.click()
    yield lambda: True


def copy_about(driver: Driver) -> Steps:
    about = AboutDialog(driver.bench.window)
    about.set_facts({"Qt": "6"}, [])
    about.copy.click()
    about.deleteLater()
    yield lambda: True


def copy_export_report(driver: Driver) -> Steps:
    file = WrittenFile(Path("p"), 1, "0" * 64)
    report = ExportReport(Path("p"), "f", (file,), verified=True)
    dialog = ExportReportDialog(report, driver.bench.window)
    dialog._copy()
    dialog.deleteLater()
    yield lambda: True


def copy_repair_report(driver: Driver) -> Steps:
    dialog = RepairReportDialog((), risks=(), unknown=(), source="", shown={})
    dialog._copy()
    dialog.deleteLater()
    yield lambda: True


def copy_recovery_report(driver: Driver) -> Steps:
    given = dict.fromkeys(("metrics", "risks", "notes"), ())
    progress = RecoveryProgress.of((), 1)
    dialog = RecoveryReportDialog(progress, sentence="", losses={}, changed=False, **given)
    dialog._copy()
    dialog.deleteLater()
    yield lambda: True


def copy_answers(driver: Driver) -> Steps:
    dialog = GenerateDialog("state", driver.bench.window)
    dialog._copy()
    dialog.deleteLater()
    yield lambda: True


def copy_pattern_report(driver: Driver) -> Steps:
    patterns = driver.bench.patterns
    if patterns.dialog is None:
        driver.bench.window.actions_["check_pattern"].trigger()
    yield lambda: patterns.dialog is not None and patterns.dialog.copy.isEnabled()
    patterns.dialog.copy.click()
    yield driver.has_copied
    patterns.dialog.reject()


def copy_label(driver: Driver) -> Steps:
    label = ElidedLabel("text", driver.bench.window)
    label.show()

    def choose() -> None:
        menu = QApplication.activePopupWidget()
        menu.setActiveAction(menu.actions()[0])
        QTest.keyClick(menu, Qt.Key.Key_Return)

    QTimer.singleShot(50, choose)
    position = label.mapToGlobal(QPoint(1, 1))
    QApplication.sendEvent(
        label, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(1, 1), position)
    )
    label.deleteLater()
    yield lambda: True


def copy_text_of_field(driver: Driver) -> Steps:
    field = driver.bench.views.tree.tree_filter.text
    field.setText("some text")
    field.selectAll()
    field.copy()
    field.clear()
    yield lambda: True


COPIES: dict[str, Callable[[Driver], Steps]] = {
    "channels": copy_channels,
    "picture": copy_picture,
    "name": copy_name,
    "name by menu": copy_name_by_menu,
    "rows": copy_rows_of_tree,
    "rows outside": copy_rows_outside,
    "python": copy_python,
    "program code": copy_program_code,
    "notice": copy_notice,
    "about": copy_about,
    "export report": copy_export_report,
    "repair report": copy_repair_report,
    "recovery report": copy_recovery_report,
    "answers": copy_answers,
    "pattern report": copy_pattern_report,
    "label": copy_label,
    "field": copy_text_of_field,
    "python with masks": copy_python_with_masks,
}


# -- situations in which the application quits ------------------------------------------------


def _nothing(_driver: Driver) -> None:
    pass


def start_job(driver: Driver) -> None:
    """Start two jobs that run until they are cancelled, one of them in another lane."""

    def work(job: Job) -> None:
        while True:
            job.step(0)
            time.sleep(0.001)  # lets the main thread run, which quits meanwhile

    for apart in (False, True):
        driver.bench.jobs.run(
            work,
            on_result=print,
            on_error=driver.bench.session.refused.emit,
            title="Working",
            lane=Lane.PROGRAM if apart else None,
        )


def start_deaf_job(driver: Driver) -> None:
    """Start a job that ignores cancellation, as code of the user may."""
    # The sleep cannot be cancelled: quitting while it runs is what is tested.
    driver.bench.jobs.run(
        lambda _job: time.sleep(3600), on_result=print, on_error=print, title="Working"
    )
    stop = driver.bench.jobs.stop
    driver.bench.jobs.stop = lambda: stop(100)  # type: ignore[method-assign]  # not for 10 seconds


def ask(driver: Driver) -> None:
    stop_jobs(driver.bench.window, driver.bench.jobs.idle)


def choose_file(driver: Driver) -> None:
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    driver.bench.files.ask_file()


def open_dialog(driver: Driver) -> None:
    driver.bench.window.actions_["export"].trigger()


def open_menu(driver: Driver) -> None:
    menu = QMenu(driver.bench.window)
    menu.addAction("Entry")
    menu.exec(QPoint(10, 10))


def drag(driver: Driver) -> None:
    """Drag rows; the platform offscreen ends a drag immediately, minimal does not."""
    driver.bench.views.tree.view.selectAll()
    driver.bench.mask_drag._drag()


def open_window(driver: Driver) -> None:
    driver.bench.window.actions_["new_window"].trigger()


# By name: what starts the situation, and the condition for having reached it.
SITUATIONS: dict[str, tuple[Callable[[Driver], object], Callable[[Driver], object]]] = {
    "nothing": (_nothing, lambda _driver: True),
    "job": (start_job, lambda driver: driver.bench.jobs.busy),
    "deaf job": (start_deaf_job, lambda driver: driver.bench.jobs.busy),
    "question": (ask, lambda _driver: QApplication.activeModalWidget()),
    "file dialog": (choose_file, lambda _driver: QApplication.activeModalWidget()),
    "dialog": (open_dialog, lambda _driver: QApplication.activeModalWidget()),
    "menu": (open_menu, lambda _driver: QApplication.activePopupWidget()),
    "drag": (drag, lambda driver: driver.bench.mask_drag._windows.dragged),
    "windows": (open_window, lambda driver: len(driver.launcher.starts) == 2),
    "start": (_nothing, lambda _driver: True),
}


# -- quitting ---------------------------------------------------------------------------------


def end_session(driver: Driver) -> None:
    """Do what Qt does when the desktop session ends; a `QSessionManager` cannot be made here."""
    application = QApplication.instance()
    application.prepare_session_end()
    driver.launcher.save_journals()
    application.quit()


def change_language(driver: Driver) -> None:
    """Reopen all windows in another language, then quit."""
    driver.bench.settings.set(LANGUAGE, "de")
    driver.launcher.windows.restartRequested.emit()
    start = driver.launcher.starts[0]
    start.ready.connect(lambda bench: QTimer.singleShot(100, bench.window.actions_["quit"].trigger))


QUITS: dict[str, Callable[[Driver], object]] = {
    "menu": lambda driver: driver.start.window.actions_["quit"].trigger(),
    "window": lambda driver: driver.start.window.close(),
    "language": change_language,
    "session": end_session,
    **{
        name: lambda _driver, name=name: os.kill(os.getpid(), getattr(signal, name))
        for name in ("SIGINT", "SIGTERM", "SIGHUP")
    },
}


def main() -> int:
    quit_by, situation, last, file = sys.argv[1:]
    # The application keeps ignoring the signals that its parent ignores, as a shell does for
    # commands in the background.
    for number in NUMBERS:
        signal.signal(number, signal.SIG_DFL)
    driver = Driver(quit_by, situation, last)
    show = app.Launcher.show

    def shown(launcher: app.Launcher, start: app.Start) -> None:
        show(launcher, start)
        driver.show(launcher, start)

    app.Launcher.show = shown  # type: ignore[method-assign]  # of this process
    return app.main([Path(file)])


if __name__ == "__main__":
    sys.exit(main())
