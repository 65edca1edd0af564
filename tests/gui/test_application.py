"""The first paint, imports in the background, and the restored state of windows."""

from __future__ import annotations

import json
import textwrap
import threading
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QKeySequence
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QDockWidget, QTabBar

from pruneapp import resources
from pruneapp.gui.app.settings import THEME, Settings
from pruneapp.gui.application import Start
from pruneapp.gui.commands.declarations import COMMANDS
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.tree.columns import Column
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME

SAMPLE = resources.path("sample/lenet-digits.safetensors")
HEAVY = ("torch", "numpy", "pyqtgraph", "safetensors", "ml_dtypes")

# Starts as `main` does, and prints which modules are imported at the first paint and at the end.
START = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from pruneapp.gui import application as app
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.widgets.theme import ThemeManager as Appearance
from pruneapp.gui.mainwindow.window import MainWindow

application = app.make_application(["pruneapp"])
settings = Settings(Path(sys.argv[1]) / "settings.json")
appearance = Appearance(application)
window = MainWindow(settings, appearance)
start = app.Start(window, settings, appearance)
"""


def program(rest: str) -> str:
    return START + textwrap.dedent(rest)


def test_the_first_picture_needs_nothing_heavy_and_the_thread_touches_no_qt(run_python, tmp_path):
    """Neither torch nor numpy nor pyqtgraph until a plot is painted; torch not even then.

    Classes of Qt are made before the thread, which would otherwise use half-initialized ones, and
    what is imported there makes no objects of Qt, which would belong to that thread.
    """
    out = run_python(
        program("""
        import gc
        from PySide6.QtCore import QObject
        from pruneapp.gui.app.runtime import MODULES

        def missing():
            return sum(name not in vars(m) for m in MODULES for name in dir(m))

        def in_thread():
            here = [o for o in gc.get_objects() if isinstance(o, QObject) and o is not application]
            return [type(o).__name__ for o in here if o.thread() is not application.thread()]

        def at_paint():
            print("painted", sorted({m.partition(".")[0] for m in sys.modules}))
            print("classes", missing() > 300)

        real = app.Start._import
        def seeing(self):
            print("in the thread", missing())
            real(self)
            print("made", in_thread())

        def at_ready(_workbench):
            print("ready", sorted({m.partition(".")[0] for m in sys.modules}))
            start.workbench.shut_down()
            application.quit()

        start._thread._target = seeing.__get__(start)
        start.painted.disconnect()
        start.painted.connect(at_paint)
        start.painted.connect(start._on_first_paint)
        start.ready.connect(at_ready)
        window.show()
        application.exec()
        """),
        str(tmp_path),
    )
    painted, *between, ready = out.splitlines()
    assert painted.startswith("painted ")
    assert not [name for name in HEAVY if f"'{name}'" in painted]
    assert between == ["classes True", "in the thread 0", "made []"]
    assert "'numpy'" in ready
    assert "'torch'" not in ready


CLOSED = {
    "at once": "window.close()",
    "painted": "start.painted.connect(window.close)",
    "making classes": "start.painted.connect(lambda: QTimer.singleShot(20, window.close))",
    "importing": "start._classes.made.connect(window.close)",
}


@pytest.mark.parametrize("when", CLOSED)
def test_closing_during_the_import_ends_cleanly(run_python, tmp_path, when):
    """With exit status 0 and an empty standard error."""
    out = run_python(
        program(f"""
        window.show()
        {CLOSED[when]}
        status = application.exec() if {when != "at once"!r} else 0
        print("ended", status, start._thread.is_alive(), start.workbench)
        """),
        str(tmp_path),
        PYTHONWARNINGS="error",
    )
    assert out.startswith("ended 0 False")


def test_ctrl_q_holds_from_the_first_picture_on(new_user, monkeypatch):
    """Before the imports have ended."""
    monkeypatch.setattr(Start, "_import", lambda _start: None)  # an import that never ends
    user = new_user()
    user.key("Ctrl+Q")
    assert not user.window.isVisible()
    assert user.start.workbench is None


def test_a_file_of_the_command_line_is_said_to_be_opened(new_user, monkeypatch):
    """As when it is opened in the window; and opening can be cancelled before the imports end."""
    gate = threading.Event()
    begun = Start._import
    monkeypatch.setattr(Start, "_import", lambda start: gate.wait() and begun(start))
    try:
        user = new_user(resources.path("sample/lenet-digits.safetensors"))
        status = user.window.job_status
        user.wait(status.isVisible)
        assert user.start.workbench is None
        assert status.label.text() == "Opening …"
        user.click(status.cancel)
        assert not status.isVisible()
        user.start.open(resources.path("sample/lenet-digits.safetensors"))
        user.wait(status.isVisible)
    finally:
        gate.set()
    user.wait(lambda: user.document is not None)
    user.wait(lambda: not status.isVisible())


def test_what_is_imported_after_closing_is_not_used(new_user, monkeypatch):
    """Otherwise the threads of a late workbench would never be stopped."""
    closed = threading.Event()
    real = Start._import

    def late(self):
        assert closed.wait(10)
        real(self)

    monkeypatch.setattr(Start, "_import", late)
    user = new_user()
    user.wait(lambda: user.start._thread.ident is not None)
    user.window.closing.connect(closed.set)
    user.start._thread, thread = _Joined(), user.start._thread
    assert user.window.close()
    thread.join()
    user.start._thread = thread
    user.pause(50)
    assert user.start.workbench is None


class _Joined(threading.Thread):
    """A thread that is not running, so that closing does not wait for it."""


# Restored state


def test_every_command_does_something_and_has_keys_of_its_own(user):
    """Every declared action is connected, and no two have the same shortcut."""
    keys = [QKeySequence(key).toString() for spec in COMMANDS for key in spec.keys]
    assert len(set(keys)) == len(keys)
    assert len({spec.id for spec in COMMANDS}) == len(COMMANDS)
    for spec in COMMANDS:
        action = user.window.actions_[spec.id]
        assert action.isSignalConnected(_signal(action, "triggered(bool)")), spec.id
        assert [k.toString() for k in action.shortcuts()] == [
            QKeySequence(key).toString() for key in spec.keys
        ]


def _signal(item, signature):
    meta = item.metaObject()
    return meta.method(meta.indexOfSignal(signature))


def test_size_theme_and_docks_are_remembered(new_user, settings_file):
    """The screen of the tests is small, and windows are limited to it."""
    first = new_user(SAMPLE).wait_ready()
    first.wait_open(SAMPLE)
    first.window.resize(1400, 900)
    first.window.resizeDocks([first.views.tree_dock], [460], Qt.Orientation.Horizontal)
    first.menu("View", "Theme", "Dark")
    first.pause(20)
    assert first.views.tree_dock.width() == 460
    first.window.save_layout()
    first.window.resize(760, 560)
    assert first.window.close()

    second = new_user(SAMPLE)
    assert (second.window.width(), second.window.height()) == (760, 560)
    assert QApplication.palette().window().color() == QColor(DARK_THEME.colors["window"])
    second.window.resize(1400, 900)
    second.wait_ready()
    second.wait_open(SAMPLE)
    second.pause(20)
    assert second.views.tree_dock.width() == 460
    assert second.window.actions_["theme_dark"].isChecked()
    second.workbench.settings.flush()
    assert Settings(settings_file).get(THEME) == "dark"


@pytest.mark.parametrize("blob", ["AAAA", "not base64"])
def test_a_broken_layout_never_keeps_the_window_from_opening(new_user, settings_file, blob):
    stored = {"version": 1, "blobs": {"geometry": blob, "docks": blob}, "values": {"theme": 3}}
    settings_file.write_text(json.dumps(stored))
    user = new_user(SAMPLE).wait_ready()
    user.wait_open(SAMPLE)
    assert user.views.tree.isVisible()
    assert user.views.form.isVisible()


def test_a_narrow_window_shows_its_docks_as_tabs_and_all_can_be_reached(new_user):
    """At 960 x 600, tree and form are tabs; in a wide window they are next to each other."""
    user = new_user(SAMPLE).wait_ready()
    user.wait_open(SAMPLE)
    docks = user.window.findChildren(QDockWidget)
    assert not user.window.tabifiedDockWidgets(docks[0])
    wide = user.views.tree_dock.width()

    user.window.resize(960, 600)
    user.pause(50)
    assert user.window.width() == 960
    assert user.window.tabifiedDockWidgets(user.views.tree_dock) == [user.views.form_dock]
    (tabs,) = [
        bar
        for bar in user.window.findChildren(QTabBar)
        if bar.isVisible() and bar.count() == 2 and bar.parent() is user.window
    ]
    assert [tabs.tabText(i) for i in range(2)] == ["Modules", "Prune"]
    user.click(tabs, tabs.tabRect(1).center())
    user.ask_amount("30 %")
    user.wait_preview()
    user.click(user.button)
    assert len(user.states) == 2
    user.click(tabs, tabs.tabRect(0).center())
    user.check("fc1.weight")
    user.key("Ctrl+F")
    assert user.views.tree.tree_filter.text.hasFocus()
    canvas = user.views.pages.weights.canvas
    assert canvas.width() > 300
    assert canvas.height() > 200
    assert user.window.export_button.isVisible()
    assert user.window.rect().contains(user.window.export_button.mapTo(user.window, QPoint(0, 0)))

    user.window.resize(1400, 800)
    user.pause(50)
    assert not user.window.tabifiedDockWidgets(user.views.tree_dock)
    assert user.views.tree_dock.width() >= min(wide, 300)
    view = user.views.tree.view
    letters = view.fontMetrics().horizontalAdvance("0")
    user.wait(lambda: view.columnWidth(Column.NAME) >= 17 * letters)
    assert user.views.form.isVisible()


def test_1280_by_800_shows_everything_which_is_reached_by_tab_and_by_name(new_user, settings_file):
    user = new_user(SAMPLE).wait_ready()
    user.wait_open(SAMPLE)
    user.window.resize(1280, 800)
    user.wait_preview()
    window = user.window
    for widget in (
        user.views.tree.view,
        user.views.tree.footer,
        user.views.pages.weights,
        user.views.history.tree,
        user.views.form,
        user.views.preview,
        user.button,
        window.export_button,
        window.model_status,
    ):
        corner = widget.mapTo(window, widget.rect().bottomRight())
        assert widget.isVisible()
        assert window.rect().contains(corner), widget
        ground = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
        assert not ground.visibleRegion().isEmpty(), widget
    for row in (user.views.preview.norm_retained, user.views.preview.tensors):
        assert row.visibleRegion().boundingRect().height() == row.height(), "it is cut"

    # Tab reaches tree, plots, form and button in reading order.
    seen = []
    for _step in range(80):
        focused = QApplication.focusWidget()
        if seen and focused is seen[0]:
            break
        seen.append(focused)
        user.key("Tab", focused)
    else:
        pytest.fail("Tab never comes back")
    for wanted in (
        user.views.tree.tree_filter.text,
        user.views.pages.weights.canvas,
        user.rule.method,
        user.button,
        user.views.history.tree,
    ):
        assert wanted in seen, wanted
    order = [
        seen.index(w)
        for w in (user.views.tree.view, user.views.pages.weights.canvas, user.rule.method)
    ]
    assert sum(a > b for a, b in pairwise(order)) <= 1, "left to right, starting anywhere"

    # The device is remembered.
    user.wait_idle()
    box = window.device
    assert box.itemText(0).startswith("Automatic")
    user.choose(box, "CPU")
    user.wait_preview()
    user.workbench.settings.flush()
    assert json.loads(settings_file.read_text())["values"]["device"] == "cpu"

    # Ctrl+Shift+P, some letters, Return
    def palette():
        user.key("Ctrl+Shift+P")
        user.wait(lambda: QApplication.activeModalWidget() is not None)
        return QApplication.activeModalWidget()

    found = palette()
    user.qtbot.keyClicks(found.field, "uncheck all")
    user.qtbot.keyClick(found.field, Qt.Key.Key_Return)
    user.wait(lambda: user.views.tree.checked_names() == ())
    found = palette()
    everything = found.table.rowCount()
    user.qtbot.keyClicks(found.field, "zebra")
    assert found.nothing.isVisible()
    assert not found.table.isVisible()
    assert found.nothing.text() == "No matches."
    found.field.clear()
    assert found.table.isVisible()
    assert found.table.rowCount() == everything
    found.reject()

    # The shortcut sheet shows every shortcut.
    user.menu("Help", "Keyboard shortcuts")
    user.wait(lambda: QApplication.activeModalWidget() is not None)
    sheet = QApplication.activeModalWidget()
    sheet.table.setCurrentCell(sheet.table.rowCount() - 1, 0)
    user.qtbot.keyClick(sheet.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    last = sheet.table.item(sheet.table.rowCount() - 1, 0).text()
    assert QApplication.clipboard().text().splitlines()[-1].startswith(last)
    shown = {sheet.table.item(row, 1).text() for row in range(sheet.table.rowCount())}
    assert {"Ctrl+O", "Space", "Ctrl+Return, Ctrl+Enter"} <= shown
    sheet.close()


def test_another_theme_repaints_every_view(new_user):
    """From light to dark by the menu, on every page, while a file is open."""
    user = new_user(SAMPLE).wait_ready()
    user.wait_open(SAMPLE)
    user.menu("View", "Theme", "Light")
    user.wait_preview()
    views = user.views
    parts = [
        user.window.menuBar(),
        user.window.statusBar(),
        views.tree.view,
        views.form,
        views.preview,
        views.history,
        views.pages.heading,
        views.pages.numbers,
    ]
    user.click(user.button)  # two states to compare
    user.wait(lambda: user.document.position == 1)
    user.show_quality()
    for page in set(Page) - {Page.GRAPH}:  # the file has no graph
        picture = views.pages.picture(page)
        user.key(str(page + 1), views.tree.view)
        user.wait(lambda picture=picture: picture.numbers().rows > 0)
        for part in (*parts, picture):
            assert colors_of(part) & grounds(LIGHT_THEME), f"{part} is not light"
        user.window.actions_["theme_dark"].trigger()
        user.pause(30)
        for part in (*parts, picture):
            assert colors_of(part) & grounds(DARK_THEME), f"{part} is not dark"
            assert not colors_of(part) & grounds(LIGHT_THEME), f"part of {part} is still light"
        user.window.actions_["theme_light"].trigger()
        user.pause(30)


def grounds(theme) -> set[str]:
    return {theme.colors["window"], theme.colors["surface"]}


def colors_of(widget) -> set[str]:
    """Return the colors of more than a twentieth of a widget's pixels."""
    image = widget.grab().toImage()
    counts: dict[int, int] = {}
    for y in range(0, image.height(), 3):
        for x in range(0, image.width(), 3):
            pixel = image.pixel(x, y)
            counts[pixel] = counts.get(pixel, 0) + 1
    many = sum(counts.values()) / 20
    return {QColor(pixel).name() for pixel, count in counts.items() if count > many}


def test_before_anything_is_open_no_command_that_needs_it_is_offered(new_user):
    """Regression: in the first seconds, Undo, Redo and Export looked enabled."""
    window = new_user(show=False).window
    for spec in COMMANDS:
        offered = spec.always and not spec.number  # the list of recent files is empty
        assert window.actions_[spec.id].isEnabled() == offered, spec.id
    assert not any(window.actions_[name].isEnabled() for name in ("undo", "redo", "export"))
    assert not window.export_button.isEnabled()
