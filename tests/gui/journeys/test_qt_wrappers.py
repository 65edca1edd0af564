"""No Python wrapper outlives an object that Qt deletes silently, or is called by Qt's constructors.

Both crash the process. For example, the wrapper of a layout item outlives the item; Qt allocates a
label at the same address, whose constructor queries the style, and shiboken passes the old wrapper.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QProxyStyle

from pruneapp.gui.widgets.theme import Style
from tests.conftest import ROOT

GUI = ROOT / "pruneapp" / "gui"

# Uses the form and the export dialog repeatedly, and counts the wrappers that are left.
ROUNDS = """
import gc, sys
from collections import Counter
from pathlib import Path

import shiboken6
from PySide6.QtCore import QEventLoop, QMetaObject, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QListWidgetItem

from pruneapp import resources
from pruneapp.gui import application as app
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.widgets.theme import ThemeManager as Appearance
from pruneapp.gui.mainwindow.window import MainWindow

ROUNDS = 17
application = app.make_application(["pruneapp"])
app.Collector(application)
settings = Settings(Path(sys.argv[1]) / "settings.json")
appearance = Appearance(application)
window = MainWindow(settings, appearance)
file = resources.path("sample/lenet-digits.safetensors")
start = app.Start(window, settings, appearance, file=file)
window.show()
window.activateWindow()


def wait_until(true):
    while not true():
        loop = QEventLoop()
        QTimer.singleShot(5, loop.quit)
        loop.exec()


def tab(times):
    for _ in range(times):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)


def dialogs():
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()]


wait_until(lambda: start.workbench is not None and start.workbench.session.document is not None)
form = start.workbench.views.form
for number in range(ROUNDS):
    tab(8)
    method = form.shown.method
    method.setCurrentIndex(2 * number % method.count())
    method.activated.emit(method.currentIndex())
    form.add.click()
    tab(1)
    form.remove.click()
    window.actions_["export"].trigger()
    wait_until(dialogs)
    tab(4)
    dialogs()[0].reject()
    gc.collect()

# Qt tells Python of the end of a QObject, and of whatever Python made; a QMetaObject never ends.
untold = Counter(
    type(found).__name__
    for found in shiboken6.getAllValidWrappers()
    if not isinstance(found, (QObject, QMetaObject))
    and not shiboken6.ownedByPython(found)
    and not shiboken6.createdByPython(found)
)
start.workbench.shut_down()
window.close()
print("untold", dict(untold))
"""


def test_the_form_and_the_export_can_be_tried_again_and_again(run_python, tmp_path):
    """No wrapper is left of an object whose deletion Python does not notice."""
    assert run_python(ROUNDS, str(tmp_path)).splitlines()[-1] == "untold {}"


# Closes a window before the calls that it has scheduled, and counts what is left of it.
CLOSED = """
import gc, sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QDockWidget, QWidget

from pruneapp.gui import application as app
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.mainwindow.window import LAYOUT_VERSION, MainWindow
from pruneapp.gui.widgets.theme import ThemeManager

application = app.make_application(["pruneapp"])
settings = Settings(Path(sys.argv[1]) / "settings.json")
appearance = ThemeManager(application)


def closed(is_open):
    window = MainWindow(settings, appearance)
    docks = [QDockWidget(name, objectName=name) for name in "ab"]
    window.add_document_views(docks[0], QWidget(), docks[1])
    window._layout = window.saveState(LAYOUT_VERSION)
    window.show()
    if is_open:
        window.show_document(is_open=True)
        window.setFont(QFont("serif", 20))
    window.close()
    window.deleteLater()
    appearance.changed.disconnect(window._on_theme_changed)


for is_open in (False, True, True, True):
    closed(is_open)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
print("left", sum(isinstance(found, MainWindow) for found in gc.get_objects()))
"""


def test_a_window_that_is_closed_at_once_is_freed(run_python, tmp_path):
    """Regression: `QTimer.singleShot` keeps an object for good that dies before the call."""
    assert run_python(CLOSED, str(tmp_path)).splitlines()[-1] == "left 0"


# -- forbidden calls in pruneapp/gui -----------------------------------------------------------

# Methods with arguments or results that are no QObjects: items of layouts, lists, tables, trees.
ITEMS = {
    *("itemAt", "takeAt", "itemAtPosition", "replaceWidget", "removeItem", "addSpacerItem"),
    *("insertSpacerItem", "spacerItem", "takeItem", "currentItem", "selectedItems", "findItems"),
    *("topLevelItem", "takeTopLevelItem", "itemFromIndex", "itemAbove", "itemBelow"),
    *("horizontalHeaderItem", "verticalHeaderItem", "invisibleRootItem"),
}
# Combo boxes: their methods of these names take an index.
BOXES = {"mode_box"}
FILLS = ("add", "insert")


def faults(tree: ast.Module) -> Iterator[str]:
    """Yield the forbidden calls of a module, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name, receiver = node.func.attr, ast.unparse(node.func.value)
            if name in ITEMS and receiver.rpartition(".")[2] not in BOXES:
                yield f"{node.lineno}: {name} makes a wrapper of what is no QObject"
            if name == "item" and node.args:
                yield f"{node.lineno}: item() makes a wrapper of what is no QObject"
            if name == "singleShot":
                yield f"{node.lineno}: singleShot keeps an object that dies before the call"
            if name == "installEventFilter" and (
                "pplication" in receiver or "qapp" in receiver.lower() or "instance()" in receiver
            ):
                yield f"{node.lineno}: a filter of all events hears of half-made widgets"
        if isinstance(node, ast.FunctionDef):
            yield from _filled_too_early(node)
        if isinstance(node, ast.ClassDef):
            yield from _measures(node)


def _filled_too_early(function: ast.FunctionDef) -> Iterator[str]:
    calls = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    filled = set()
    for call in sorted(calls, key=lambda node: (node.end_lineno, node.end_col_offset)):
        assert isinstance(call.func, ast.Attribute)
        if call.func.attr in {"addLayout", "insertLayout", "addRow", "insertRow", "setLayout"}:
            for argument in call.args:
                if ast.unparse(argument) in filled or isinstance(argument, ast.Call):
                    if call.func.attr.endswith("Row") and isinstance(argument, ast.Call):
                        continue  # texts, or a widget constructed in the call
                    yield f"{call.lineno}: {call.func.attr} takes a layout before it is filled"
        if call.func.attr.startswith(FILLS):
            filled.add(ast.unparse(call.func.value))


def _measures(kind: ast.ClassDef) -> Iterator[str]:
    if not any(ast.unparse(base).endswith("Style") for base in kind.bases):
        return
    for node in kind.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith(("draw", "_")):
            yield f"{node.lineno}: Qt calls {node.name} of a style from constructors"


def test_the_window_touches_nothing_of_which_python_is_not_told():
    """Every painter is ended where it is made: a frame that is referenced keeps it alive."""
    files = sorted(GUI.rglob("*.py"))
    assert len(files) > 100
    found, painters = [], 0
    for path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(ROOT)}:{fault}" for fault in faults(tree)]
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                made = {ast.unparse(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
                if made & {"QPainter", "QStylePainter"}:
                    painters += 1
                    if not any(name.endswith(".end") for name in made):
                        found.append(f"{path.relative_to(ROOT)}:{node.lineno}: no painter.end()")
    assert painters > 10
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        "while (item := layout.takeAt(0)) is not None: pass",
        "for n in range(layout.count()): layout.itemAt(n).widget()",
        "self._column.replaceWidget(old, new)",
        "self.list.item(3).setToolTip('')",
        "application.installEventFilter(self)",
        "QTimer.singleShot(0, self._fit)",
        "QApplication.instance().installEventFilter(self)",
        "def f():\n    row.addWidget(a)\n    layout.addLayout(row)",
        "def f():\n    row.addStretch(1)\n    form.addRow('', row)",
        "def f():\n    layout.addLayout(button_row(a, b))",
        "class S(QProxyStyle):\n    def subElementRect(self, *a): pass",
        "class S(QStyle):\n    def styleHint(self, *a): pass",
    ],
)
def test_what_is_wrong_is_found(code: str):
    assert list(faults(ast.parse(code)))


def test_the_style_overrides_only_what_draws():
    """Checked on the class in use, including methods inherited from Python classes."""
    own = {
        name
        for kind in Style.__mro__[: Style.__mro__.index(QProxyStyle)]
        for name in vars(kind)
        if hasattr(QProxyStyle, name) and not name.startswith("_")
    }
    assert own - {"staticMetaObject"} == {"drawPrimitive", "drawControl", "drawComplexControl"}
