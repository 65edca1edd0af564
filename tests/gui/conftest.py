"""Fixtures for tests with real windows, each with its own settings file."""

from __future__ import annotations

import gc
import os
import sys
import weakref
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QLocale, QRect, QTranslator
from safetensors.numpy import save_file

from pruneapp import resources
from pruneapp.document.step import Row, Step
from pruneapp.gui.app.settings import KEEP_HISTORIES, THEME, Settings
from pruneapp.gui.application import SWITCH_INTERVAL_S, Launcher, Start
from pruneapp.gui.widgets import screen as window_placing
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME, ThemeManager
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.gui.event_loop_delay import Beats
from tests.gui.user import PATIENCE_MS, User
from tests.support import xvfb


@pytest.fixture
def qtbot(qtbot):
    """Raise the timeouts of qtbot to `PATIENCE_MS`."""
    for name in ("waitUntil", "waitSignal", "waitActive", "waitExposed"):
        setattr(qtbot, name, partial(getattr(qtbot, name), timeout=PATIENCE_MS))
    return qtbot


@pytest.fixture
def english():
    """Format numbers as in English."""
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    yield
    QLocale.setDefault(before)


@pytest.fixture(params=[LIGHT_THEME, DARK_THEME], ids=["light", "dark"])
def theme(request):
    return request.param


@pytest.fixture
def palette_of(qapp):
    """Return a function that sets the palette of a theme for all widgets, as a window does."""
    before = qapp.palette()

    def give(theme):
        qapp.setPalette(theme.palette())
        qapp.processEvents()  # palette changes reach visible widgets by events

    yield give
    qapp.setPalette(before)


@pytest.fixture
def screen():
    """Start a virtual X screen, and yield the environment for processes that use it."""
    with xvfb.screen((1280, 900)) as found:
        yield {**os.environ, **found}


@pytest.fixture
def show(qtbot):
    """Return a function that shows a view as a top-level window of a given size."""

    def shown(widget, width=320, height=400):
        qtbot.addWidget(widget)
        widget.resize(width, height)
        with qtbot.waitExposed(widget):
            widget.show()
        return widget

    return shown


@pytest.fixture
def settings_file(tmp_path_factory) -> Path:
    # Not in the folder of the models: a copy is refused if files of its source folder change.
    return tmp_path_factory.mktemp("settings") / "settings.json"


@pytest.fixture
def histories_off(settings_file) -> None:
    """Disable saved histories, so that windows ask before unsaved steps are lost."""
    settings = Settings(settings_file)
    settings.set(KEEP_HISTORIES, value=False)
    settings.flush()


@pytest.fixture(scope="session")
def imported():
    """Import the slow modules before a test, so that their import time does not count."""
    import torch

    import pruneapp.gui.mainwindow.workbench

    return torch, pruneapp.gui.mainwindow.workbench


@pytest.fixture
def as_in_main(imported, fixture_patch):
    """Set the thread switch interval and disable garbage collection as `main` does."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    gc.disable()
    # Objects that a window would freeze must be collectable after the test.
    for name in ("freeze", "unfreeze"):
        fixture_patch.setattr(gc, name, lambda: None)
    yield
    gc.enable()
    sys.setswitchinterval(interval)


@pytest.fixture
def roomy(fixture_patch):
    """Report a screen of 1920x1200 pixels to windows; the offscreen platform has 800x800."""
    fixture_patch.setattr(window_placing, "available", lambda _window: QRect(0, 0, 1920, 1200))


@pytest.fixture
def new_user(qtbot, qapp, as_in_main, english, settings_file, roomy, fixture_patch, monkeypatch):
    """Return a function that makes a window as `main` does; close all at the end without questions.

    Each window is like the first of a process; its launcher makes further ones.
    """
    made: list[weakref.ref[Start]] = []  # Qt keeps them alive as long as their windows
    launchers: list[Launcher] = []
    kept: list[Settings] = []
    palette = qapp.palette()
    interval = qapp.doubleClickInterval()
    qapp.setDoubleClickInterval(0)  # so that two quick clicks are never a double click
    if qapp.style().name() != "fusion":
        qapp.setStyle("Fusion")
    # Notifications of jobs must not appear on the desktop of the developer.
    for bus in ("SESSION", "SYSTEM"):
        fixture_patch.setenv(f"DBUS_{bus}_BUS_ADDRESS", "unix:path=/nowhere")

    fixture_patch.setattr(qapp, "speak", lambda _language: None, raising=False)

    def make(file: Path | None = None, *, show: bool = True, **more: object) -> User:
        for settings in kept:
            settings.flush()
        settings = Settings(settings_file)
        kept.append(settings)
        launcher = Launcher(qapp, settings, ThemeManager(qapp, settings.get(THEME)))
        launchers.append(launcher)
        launcher.shown.connect(lambda start: made.append(weakref.ref(start)))
        start = launcher.make(file=file, **more)
        user = User(qtbot, monkeypatch, launcher, start)
        if not show:
            made.append(weakref.ref(start))
            return user
        with qtbot.waitActive(start.window):
            launcher.show(start)
            start.window.activateWindow()
        return user

    yield make
    for start in filter(None, [ref() for ref in made]):
        if not shiboken6.isValid(start):  # deleted with its window
            continue
        window = start.window
        if start._thread.ident is not None:
            start._thread.join()
            qtbot.waitUntil(lambda at=start: at.workbench is not None or at._closed)
        if start.workbench is not None:
            start.workbench.shut_down()
        window.closing.disconnect()
        window.close()
        window.deleteLater()
    for launcher in launchers:
        launcher._appearance.deleteLater()
        launcher.deleteLater()
    qapp.setPalette(palette)
    qapp.setDoubleClickInterval(interval)
    for settings in kept:
        settings.flush()


@pytest.fixture
def user(new_user) -> User:
    """Return a `User` at a window that is ready, with no file open. Fails if a job had a bug."""
    found = new_user().wait_ready()
    yield found
    assert not found.bugs, found.bugs


@pytest.fixture
def script(tmp_path) -> Path:
    path = tmp_path / "my_evaluation.py"
    path.write_text("def evaluate(model): return 1.0\n")
    return path


@pytest.fixture
def two_layers(tmp_path) -> Path:
    """Write a model of the linear layers `fc`, with a bias, and `head`; return its path."""
    rng = np.random.default_rng(1)
    shapes = {"fc.weight": (20, 30), "fc.bias": (20,), "head.weight": (4, 20)}
    file = tmp_path / "m.safetensors"
    save_file({n: rng.normal(size=s).astype(np.float32) for n, s in shapes.items()}, file)
    return file


@pytest.fixture
def two_pruned_layers(user, two_layers) -> User:
    """Return the user after opening `two_layers` and pruning 60 % of both."""
    user.open_file(two_layers)
    step = Step((Row(("fc.weight", "head.weight"), "l1_unstructured", {"amount": 0.6}),))
    snapshot = user.document.snapshot()
    assert user.session.commit(compute_preview(snapshot, step, CpuKernel(), Job()))
    return user


@pytest.fixture
def runners(monkeypatch, measure):
    """Run evaluations in this process by `measure`; return the list of runners made so far."""
    from pruneapp.gui.evaluation.script_controller import AgreedScript
    from tests.gui.script_runner import LocalRunner

    made = []

    def make(agreed, _job):
        made.append(LocalRunner(agreed.script, measure, agreed.options))
        return made[-1]

    monkeypatch.setattr(AgreedScript, "runner", make)
    return made


@pytest.fixture
def beats(qtbot):
    """Record the delay of the event loop."""
    beats = Beats()
    yield beats
    beats.stop()


@pytest.fixture(params=["en", "de", "zh_CN"])
def language(qapp, request):
    """Translate the texts into each language; return its name."""
    translator = QTranslator()
    if request.param != "en":
        assert translator.load(str(resources.path(f"translations/pruneapp_{request.param}.qm")))
        qapp.installTranslator(translator)
    yield request.param
    qapp.removeTranslator(translator)


@pytest.fixture
def chinese(qapp):
    """Translate the window into Chinese."""
    translator = QTranslator()
    assert translator.load(str(resources.path("translations/pruneapp_zh_CN.qm")))
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)
