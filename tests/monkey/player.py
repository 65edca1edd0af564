"""One run: a window, random input to it, and its findings.

Each act is logged first and then done, so that the log is complete after a crash.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import random
import resource
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import shiboken6
from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QEventLoop,
    QLocale,
    QMetaObject,
    QObject,
    QRect,
    QTimer,
    qInstallMessageHandler,
)
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu, QMessageBox

from pruneapp.gui import application as app
from pruneapp.gui.app.runtime import Collector
from pruneapp.gui.app.settings import THEME, Settings
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.widgets import screen as window_placing
from pruneapp.gui.widgets.theme import ThemeManager
from pruneapp.sessions import journal
from tests.monkey import actions, path_guard
from tests.monkey.actions import Act, MissingError
from tests.monkey.choice import Whims
from tests.monkey.files import Files
from tests.monkey.findings import Findings, Pulse

# Seconds that a window may need until it is idle: a preview with distances is slow on a busy
# machine.
PATIENCE_S = 180.0
# A pause between acts, for the window to become idle.
SETTLE_S = 4.0
# Colors, icons, cached pictures and menus of pyqtgraph are kept; a window has some thousands.
MORE_WRAPPERS = 1500
OURS = str(Path(app.__file__).parents[1])
# Number of tensors whose masks are counted again when the window is idle.
COUNTED = 3


@dataclass(frozen=True)
class Plan:
    """The options of a run.

    Attributes
    ----------
    seed, seconds
        The seed of the random generator, and the duration.
    models
        Files and folders, the first of which is opened most often.
    folder
        An empty folder, the only one that the run writes to: log.jsonl, stacks.txt, result.json.
    replay
        A log of an earlier run to repeat, with the same seed and models; None for random acts.
    """

    seed: int
    seconds: float
    models: tuple[Path, ...]
    folder: Path
    replay: Path | None = None


class Run(QObject):
    """Runs a plan; `result` returns the outcome."""

    def __init__(self, plan: Plan, application: app.Application) -> None:
        super().__init__()
        self._plan = plan
        self._application = application
        self._rng = random.Random(plan.seed)
        self._log = (plan.folder / "log.jsonl").open("w", encoding="utf-8", buffering=1)
        self._began = time.monotonic()
        self._script = _script(plan.replay) if plan.replay else None
        self.findings = Findings(self._found)
        self.findings.listen()
        self.done: Counter[str] = Counter()
        self._files = Files(plan.folder, plan.models, random.Random(plan.seed))
        self._whims = Whims(self._rng, self._files, self._has_document)
        self._depth = 0
        self._settling = 0.0
        self._over = self._quitting = False
        self._wrappers = 0  # number of wrappers of Qt objects after the first window was closed
        self._threads = set(threading.enumerate())
        self._ask_no_system()
        self._journals: dict[Path, bytes] = {}
        self._windows: list[tuple[MainWindow, app.Start, ThemeManager]] = []
        self._settings = Settings(plan.folder / "settings.json")
        self._open()
        self.pulse = Pulse(self.findings, lambda: self.window.isVisible())  # noqa: PLW0108 - `window` is replaced
        self._began = time.monotonic()

    # -- the window -----------------------------------------------------------------------------

    def _open(self) -> None:
        """Open a window, sometimes two, which work with the same files.

        Acts are sent to the first; some affect the other. Both are closed with the first.
        """
        self._open_one()
        if self._rng.random() < 0.3:
            self._open_one()
        self.window, self.start, _ = self._windows[0]
        self.window.activateWindow()

    def _open_one(self) -> None:
        self.done["windows"] += 1
        appearance = ThemeManager(self._application, self._settings.get(THEME))
        window = MainWindow(self._settings, appearance)
        file = self._files.good() if self._rng.random() < 0.7 else None
        start = app.Start(window, self._settings, appearance, file=file)
        start.ready.connect(self._on_ready)
        window.show()
        self._windows.append((window, start, appearance))

    def _on_ready(self, workbench: Any) -> None:
        session = workbench.session
        workbench.jobs.failed.connect(
            lambda what, trace: self.findings.add("failed job", f"{what}\n{trace}")
        )
        workbench.jobs.stuck.connect(self._on_stuck)
        for signal, name in (
            (session.opened, "opened"),
            (session.refused, "refused"),
            (session.changed, "changes"),
            (workbench.export.exported, "exports"),
        ):
            signal.connect(partial(self._count, name))

    def _count(self, name: str, value: Any = None) -> None:
        self.done[name] += 1
        if name == "changes":
            self.done[f"change {value.kind}"] += 1

    def _on_stuck(self, title: str) -> None:
        stacks = list(map(traceback.extract_stack, sys._current_frames().values()))
        # An import of torch for a user method cannot be cancelled; the window shows a message.
        if not any(at.filename == "<frozen importlib._bootstrap>" for s in stacks for at in s):
            self.findings.add("deaf job", "\n".join([title, *_ends(stacks, 6)]))

    def _has_document(self) -> bool:
        bench = self.start.workbench
        return bench is not None and bench.session.document is not None

    def _reopen(self) -> None:
        """Open another window after one was closed, and check what the closed one left."""
        self._end_window()
        self._open()

    def _end_window(self) -> None:
        for window, start, _ in self._windows:
            if start._thread.ident is not None:
                start._thread.join()
            bench = start.workbench
            if bench is not None and window.isVisible():
                bench.shut_down()
            if bench is not None and not bench.ended:
                self.findings.add("leak", "the worker did not end with its window")
        for window, _, appearance in self._windows:
            window.closing.disconnect()
            window.close()
            window.deleteLater()
            appearance.deleteLater()
        self._windows.clear()
        del bench, window, start, appearance, self.window, self.start
        gc.unfreeze()  # a window freezes objects that live as long as the process
        for _ in range(3):
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            gc.collect()
        # Sometimes restore an older journal, as after a power failure.
        if self._rng.random() < 0.5:
            for path, content in self._journals.items():
                path.write_bytes(content[: self._rng.choice((len(content), len(content) // 2))])
            self.done["journals"] += len(self._journals)
        self._journals = {}
        self._look_for_leaks()
        self.pulse.restart()  # no window had to respond during the search for leaks

    def _look_for_leaks(self) -> None:
        left = [w for w in QApplication.topLevelWidgets() if not isinstance(w, QMenu)]
        if left:
            self.findings.add(
                "leak", f"windows that are left: {[actions.label_of(w) for w in left]}"
            )
        self._settings.flush()  # as the program does on exit
        threads = [
            thread.name
            for thread in threading.enumerate()
            if thread not in self._threads
            and thread.name != "monkey-pulse"
            # Python's object for a thread of Qt, which is kept after the thread has ended.
            and not thread.name.startswith("Dummy-")
        ]
        if threads:
            self.findings.add("leak", f"threads that are left: {threads}")
        wrappers = shiboken6.getAllValidWrappers()
        self._wrappers = self._wrappers or len(wrappers)
        if len(wrappers) > self._wrappers + MORE_WRAPPERS:
            kinds = Counter(type(found).__name__ for found in wrappers).most_common(20)
            self.findings.add("leak", f"{len(wrappers)} objects after {self._wrappers}: {kinds}")
        untold = Counter(
            type(found).__name__
            for found in wrappers
            if not isinstance(found, (QObject, QMetaObject))
            and not shiboken6.ownedByPython(found)
            and not shiboken6.createdByPython(found)
        )
        if untold:
            self.findings.add("leak", f"wrappers that Qt tells nothing: {dict(untold)}")

    # -- what the system asks -------------------------------------------------------------------

    def _ask_no_system(self) -> None:
        """Replace file dialogs by random choices, and do not open other programs."""
        QFileDialog.getOpenFileName = self._open_name  # type: ignore[method-assign, assignment]  # of this process
        QFileDialog.getSaveFileName = self._save_name  # type: ignore[method-assign, assignment]  # of this process
        QFileDialog.getExistingDirectory = self._folder_name  # type: ignore[method-assign, assignment]  # of this process
        QDesktopServices.openUrl = lambda _url: self._rng.random() < 0.5  # type: ignore[method-assign, assignment]  # of this process
        window_placing.available = lambda _window: QRect(0, 0, 1920, 1200)

    def _open_name(self, *arguments: str, **_named: object) -> tuple[str, str]:
        patterns = "".join(arguments[3:4]).partition("(")[2].partition(")")[0]

        def choose() -> object:
            kind = self._rng.random()
            if kind < 0.2:
                return ""
            if patterns and kind < 0.6:
                return self._files.fitting(patterns)
            return self._files.any() if kind < 0.9 else self._files.out / "not there"

        return self._answer(choose), ""

    def _save_name(self, *arguments: str, **_named: object) -> tuple[str, str]:
        odd = ("日本語.bin", "n" * 300, "no/such/folder/x.safetensors", ".", "a b&<i>.pt")

        def choose() -> object:
            kind = self._rng.random()
            if kind < 0.15:
                return ""
            if kind < 0.75:
                return self._files.out / (Path("".join(arguments[2:3])).name or "file")
            return self._files.out / self._rng.choice(odd) if kind < 0.9 else self._files.any()

        return self._answer(choose), ""

    def _folder_name(self, *_arguments: object, **_named: object) -> str:
        folders = [*self._files.models, self._files.out, self._files.folder]
        return self._answer(lambda: "" if self._rng.random() < 0.2 else self._rng.choice(folders))

    def _answer(self, choose: Callable[[], object]) -> str:
        """Return the path for a file dialog, from the log in a replay."""
        self.done["file dialogs"] += 1
        if self._script is None:
            path = str(choose())
        elif self._script and self._script[0]["do"] == "answer":
            path = self._script.pop(0)["path"]
            path = str(self._plan.folder / path) if path else ""
        else:
            path = ""
        self._write({"do": "answer", "path": self._relative(path)})
        return path

    def _relative(self, path: str) -> str:
        return path.removeprefix(f"{self._plan.folder}{os.sep}")

    # -- playing --------------------------------------------------------------------------------

    def play(self) -> int:
        """Play until the time is over, wait until the window is idle, and quit with its command.

        Returns the exit status of the event loop.
        """
        self._loop = QEventLoop()
        self._closer = QTimer()
        self._closer.timeout.connect(self._close_dialogs)
        QTimer.singleShot(0, self._act)
        self._loop.exec()
        self._rest_at_last()
        status = self._quit()
        self._closer.stop()
        self._end_window()
        self.pulse.stop()
        self._log.close()
        return status

    def _quit(self) -> int:
        """Trigger Quit in every window, answer its questions, and return the exit status."""
        if not self.window.isVisible():
            self._reopen()
        self._quitting = True
        self._application.setQuitOnLastWindowClosed(True)
        self._answering = QTimer()
        self._answering.timeout.connect(self._answer_question)
        self._answering.start(20)
        for window, _, _ in self._windows:
            QTimer.singleShot(0, window.actions_["quit"].trigger)
        status = self._application.exec()
        self._answering.stop()
        if left := [actions.label_of(w) for w, _, _ in self._windows if w.isVisible()]:
            self.findings.add("quit", f"windows stayed open: {left}")
        return status

    def _answer_question(self) -> None:
        """Answer a question of Quit: discard changes, cancel jobs."""
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            roles = {box.buttonRole(button): button for button in box.buttons()}
            if (button := roles.get(QMessageBox.ButtonRole.DestructiveRole)) is not None:
                button.click()

    def _act(self) -> None:
        self.pulse.beat()
        if self._over or time.monotonic() - self._began > self._plan.seconds:
            self._over = True
            self._close_dialogs()
            # A job may open a question in a nested event loop, in which no act would close it.
            self._closer.start(20)
            if self._depth == 0:
                self._loop.quit()
            else:
                QTimer.singleShot(20, self._act)
            return
        if not self.window.isVisible() and self._depth == 0:
            self._reopen()
        settling = self._settling and time.monotonic() < self._settling and not self._quiet()
        if settling or not self.window.isVisible():
            QTimer.singleShot(20, self._act)
            return
        if self._settling:
            self._settling = 0.0
            if self._depth == 0:
                self._look_at_document()
        act = self._next()
        if act is None:
            QTimer.singleShot(20, self._act)
            return
        # Scheduled before the act, because a dialog that it opens blocks until it is closed.
        QTimer.singleShot(act["pause"], self._act)
        self._do(act)

    def _close_dialogs(self) -> None:
        if self._quitting:
            return
        for widget in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
            if isinstance(widget, QDialog):
                widget.reject()
            elif widget is not None:
                widget.close()

    def _next(self) -> Act | None:
        if self._script is None:
            return self._whims.next(self.window)
        while self._script:
            act = self._script.pop(0)
            if "paths" in act:
                act["paths"] = [str(self._plan.folder / path) for path in act["paths"]]
            if act["do"] != "answer":
                return act
        self._plan = Plan(self._plan.seed, 0, self._plan.models, self._plan.folder)
        return None

    def _do(self, act: Act) -> None:
        self.done["acts"] += 1
        self.done[f"do {act['do']} {act.get('name', '')}".strip()] += 1
        self._write({**act, "depth": self._depth})
        self._depth += 1
        try:
            if act["do"] == "settle":
                self._settling = time.monotonic() + SETTLE_S
                there = journal.folder().glob(f"*{journal.SUFFIX}*")
                self._journals |= {path: path.read_bytes() for path in there}
            elif act["do"] == "spoil":
                self._files.spoil(act["how"], Path(*act["paths"]))
            else:
                actions.do(act, self.window)
        except MissingError:
            self.done["missing"] += 1
        except Exception:  # noqa: BLE001 - whatever the window lets through is what is looked for
            self.findings.add("exception", traceback.format_exc())
        finally:
            self._depth -= 1

    def _write(self, entry: Act) -> None:
        at = round(time.monotonic() - self._began, 3)
        if "paths" in entry:
            entry = {**entry, "paths": [self._relative(path) for path in entry["paths"]]}
        self._log.write(json.dumps({"t": at, **entry}, ensure_ascii=False) + "\n")

    def _found(self, kind: str, text: str) -> None:
        self._write({"do": "found", "kind": kind, "text": text})

    # -- looking --------------------------------------------------------------------------------

    def _quiet(self) -> bool:
        bench = self.start.workbench
        return bench is not None and bench.jobs.is_idle

    def _look_at_document(self) -> None:
        """Count masks again, and search the notices for tracebacks."""
        for notice in self.window.notices.notices:
            # A traceback that ends in a user method's file is not a bug of Pruneapp.
            last = notice.content[2].rpartition('  File "')[2]
            if "Traceback" in notice.content[2] and last.startswith(OURS):
                self.findings.add("bug report", notice.content[2])
        bench = self.start.workbench
        document = bench.session.document if bench is not None else None
        if document is None:
            return
        self.done["looks"] += 1
        masks = document.masks
        for name in self._rng.sample(list(masks), min(COUNTED, len(masks))):
            mask, numel = masks[name], document.checkpoint.entries[name].numel
            kept = int(mask.bools().sum())
            if mask.size != numel or mask.kept != kept or masks.pruned(name) != numel - kept:
                self.findings.add("wrong count", f"{name}: {mask.kept} of {numel}, not {kept}")
        if not 0 <= document.position < len(document.items):
            self.findings.add("wrong count", f"step {document.position} of {len(document.items)}")

    def _rest_at_last(self) -> None:
        ends = time.monotonic() + PATIENCE_S
        while time.monotonic() < ends:
            loop = QEventLoop()
            QTimer.singleShot(20, loop.quit)
            loop.exec()
            for dialog in QApplication.topLevelWidgets():
                if isinstance(dialog, QDialog) and dialog.isVisible():
                    dialog.reject()
            bench = self.start.workbench
            if not self.window.isVisible() or self._quiet():
                break
        else:
            bench = self.start.workbench
            jobs = [f"{task.work}" for task in bench.jobs._pending] if bench is not None else []
            stacks = _ends(map(traceback.extract_stack, sys._current_frames().values()), 4)
            text = f"work goes on {PATIENCE_S:.0f} s after the last act: {jobs}"
            self.findings.add("no rest", "\n".join([text, *stacks]))
        self._look_at_document()

    def result(self) -> dict[str, Any]:
        """Return the outcome for the table."""
        return {
            "done": dict(self.done),
            "found": dict(self.findings.counts),
            "seconds": round(time.monotonic() - self._began, 1),
            "longest": round(self.pulse.longest, 2),
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }


def _ends(stacks: Iterable[traceback.StackSummary], frames: int) -> list[str]:
    """Return the last frames of stacks as text."""
    return ["".join(traceback.format_list(stack[-frames:])) for stack in stacks]


def _script(log: Path) -> list[Act]:
    """Return the acts of a log, with their pauses."""
    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return [entry for entry in entries if entry["do"] != "found"]


def play(plan: Plan) -> int:
    """Run a plan in this process and write its result; return the exit status."""
    folder = plan.folder
    # Kept open until the process ends, because it may also crash during exit.
    faulthandler.enable((folder / "stacks.txt").open("w"))
    home = folder / "home"
    home.mkdir()
    for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        os.environ[variable] = str(home / variable.lower())
    os.environ["HOME"] = os.environ["TMPDIR"] = str(home)
    os.chdir(folder)
    path_guard.put_up(folder)
    sys.setswitchinterval(app.SWITCH_INTERVAL_S)
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    application = app.make_application(["pruneapp"])
    application.setQuitOnLastWindowClosed(False)
    Collector(application)
    run = Run(plan, application)
    status = run.play()
    result = run.result()
    (folder / "result.json").write_text(json.dumps(result, indent=1))
    qInstallMessageHandler(None)
    sys.stdout.flush()
    return status or int(bool(result["found"].keys() - {"crowd"}))
