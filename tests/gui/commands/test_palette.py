"""The command palette finds commands, tensors, methods and settings; the guide; one-letter keys."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from pruneapp import resources
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.app.guide import GuideDialog
from pruneapp.gui.app.settings import SETTINGS, THEME, WARN_OWN_METHODS
from pruneapp.gui.commands.actions import without_mnemonic
from pruneapp.gui.commands.palette import CommandPalette, Entry
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.gui.widgets.theme import LIGHT
from pruneapp.methods import registry

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def at_work(user):
    user.workbench.files.open_sample()
    user.wait(lambda: user.document is not None)
    return user


def run_first(user, text):
    """Type into the palette and press Return; return the rows that it offered."""
    user.key("Ctrl+Shift+P")
    palette = QApplication.activeModalWidget()
    assert isinstance(palette, CommandPalette)
    palette.field.setText(text)  # QTest cannot type some characters of the labels
    rows = [palette.table.item(row, 0).text() for row in range(palette.table.rowCount())]
    user.qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    user.wait(lambda: QApplication.activeModalWidget() is None)
    return rows


def search_for(user, texts):
    """Return the rows that the palette offers for each text."""
    user.key("Ctrl+Shift+P")
    palette = QApplication.activeModalWidget()
    found = []
    for text in texts:
        palette.field.setText(text)
        table = palette.table
        found.append([table.item(row, 0).text() for row in range(table.rowCount())])
    palette.reject()
    user.wait(lambda: QApplication.activeModalWidget() is None)
    return found


def every_action(menu):
    """Yield the actions of a menu and its submenus."""
    for action in menu.actions():
        if action.menu() is not None:
            yield from every_action(action.menu())
        elif not action.isSeparator() and action.isVisible():
            yield action


def test_tensors_methods_and_settings_are_found(at_work):
    ((*rows,),) = search_for(at_work, [""])
    names = [row.casefold() for row in rows]
    assert len(names) == len(set(names)) > 50, "nothing is listed twice"
    # Nor under two names: a setting of the same name as a command is left out.
    for theme in THEME.choices:
        ((*rows,),) = search_for(at_work, [f"{THEME.label} {theme.label}"])
        named = [row for row in rows if row.partition(": ")[2] or row.endswith(f"› {theme.label}")]
        assert named == [f"View › Theme › {theme.label}"]

    row = at_work.session.rows[-2]
    assert run_first(at_work, row.shown)[0] == row.shown
    assert at_work.views.tree.focused_name() == row.name
    assert at_work.views.tree.view.hasFocus()

    for name, method in registry.METHODS.items():
        run_first(at_work, method.label)
        assert at_work.rule.method.currentData() == name
        assert QApplication.focusWidget() is at_work.rule.method

    for param, rows in zip(
        SETTINGS, search_for(at_work, [param.label for param in SETTINGS]), strict=True
    ):
        assert rows, param.label
    run_first(at_work, "theme: dark")
    assert at_work.window.actions_["theme_dark"].isChecked()
    assert QApplication.palette().window().color().lightness() < 128
    run_first(at_work, f"{WARN_OWN_METHODS.label}: turn off")
    assert at_work.workbench.settings.get(WARN_OWN_METHODS) is False


@pytest.fixture
def chinese_at_work(chinese, request):
    """Return the user at a window that is translated into Chinese."""
    return request.getfixturevalue("at_work")


def test_in_another_language_commands_and_methods_are_found_by_their_english_names_too(
    chinese_at_work,
):
    texts = ["Open folder", "theme light", "motion reduced", "notify turn off", "add rule", "打开"]
    rows, light, motion, notify, rule, form = search_for(chinese_at_work, texts)
    assert rows == ["打开文件夹"]
    assert light[0] == "视图 › 主题 › 浅色"
    assert motion == ["动画：减弱"]
    assert len(notify) == len(rule) == 1
    assert {"打开", "打开文件夹"} <= set(form)
    for name in ("lamp", "random_unstructured"):
        run_first(chinese_at_work, registry.METHODS[name].label)
        assert chinese_at_work.rule.method.currentData() == name
    run_first(chinese_at_work, "ln_structured")
    assert chinese_at_work.rule.method.currentData() == "ln_structured"


def test_commands_of_the_form_the_menus_and_recent_files_are_found(at_work, tmp_path):
    at_work.ask()
    run_first(at_work, "add rule")
    assert len(at_work.views.form.rules) == 2
    run_first(at_work, "remove rule")
    assert len(at_work.views.form.rules) == 1
    run_first(at_work, "exclude layers")
    assert at_work.views.form.rules[-1].method.currentData() == "identity"
    run_first(at_work, "remove rule")
    run_first(at_work, "limits")
    limits = at_work.views.form.limits
    assert limits.button.isChecked()
    at_work.click(limits.button)
    assert run_first(at_work, "target")[0] == "Pruning step › Target total sparsity"
    assert limits.button.isChecked()
    field = limits.editors["target_sparsity"].field
    at_work.wait(lambda: at_work.window.focusWidget() is field)
    at_work.wait(lambda: field.visibleRegion().boundingRect() == field.rect())
    assert search_for(at_work, ["remove rule"]) == [["Pruning step › Remove rule"]]

    path = tmp_path / "model.safetensors"
    path.write_bytes(resources.path("sample/lenet-digits.safetensors").read_bytes())
    at_work.open_file(path)
    texts = [
        without_mnemonic(action.text())
        for menu in (
            at_work.window.menuBar(),
            at_work.views.pages.picture().export_menu.button.menu(),
        )
        for action in every_action(menu)
    ]
    assert any(path.name in text for text in texts), "includes recent files"
    for text, rows in zip(texts, search_for(at_work, texts), strict=True):
        assert any(row.split(" › ")[-1] == text for row in rows), (text, rows)

    # The entry opens the file that it names, even if its action has another file by now.
    at_work.key("Ctrl+W")
    at_work.key("Ctrl+Shift+P")
    palette = QApplication.activeModalWidget()
    palette.field.setText(path.name)
    at_work.workbench.settings.add_recent(tmp_path / "other.safetensors")
    at_work.workbench.recent.show_list()
    at_work.qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    at_work.wait_open(path)


def test_100_000_tensors_are_looked_through_within_a_key_stroke(qtbot):
    rows = [
        TensorRow(f"layers.{n // 9}.w{n % 9}.weight", f"layers.{n // 9}.w{n % 9}.weight", "Linear",
                  (64, 8), "float32", 512, 2048)
        for n in range(100_000)
    ]  # fmt: skip
    palette = CommandPalette([Entry("Open", "Ctrl+O", lambda: None)], rows)
    qtbot.addWidget(palette)
    slowest = 0.0
    for letter in "layers.777.w3":
        began = time.thread_time()
        qtbot.keyClicks(palette.field, letter)
        slowest = max(slowest, time.thread_time() - began)
    assert slowest < 0.3
    assert palette.table.item(0, 0).text() == "layers.777.w3.weight"
    assert palette.table.item(0, 1).text() == "Tensor · Linear · 64×8"
    with qtbot.waitSignal(palette.tensorChosen) as chosen:
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert chosen.args == ["layers.777.w3.weight"]


def test_many_matches_say_how_many_more_there_are(qtbot):
    rows = [TensorRow(f"w{n}", f"w{n}", "", (2,), "float32", 2, 8) for n in range(1_200)]
    palette = CommandPalette((), rows)
    qtbot.addWidget(palette)
    assert palette.table.rowCount() == 0
    qtbot.keyClicks(palette.field, "w")
    assert palette.table.rowCount() == 200
    assert "000" in palette.more.text()
    palette.field.setText("nowhere")
    assert palette.nothing.isVisibleTo(palette)


@pytest.fixture
def guide(qtbot):
    dialog = GuideDialog()
    qtbot.addWidget(dialog)
    dialog.set_colors(LIGHT)
    with qtbot.waitExposed(dialog):
        dialog.show()
    return dialog


def headings(text):
    return [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")]


def test_the_guide_lists_its_headings_and_goes_to_them(guide, qtbot):
    items = guide.contents.findItems("*", Qt.MatchFlag.MatchWildcard | Qt.MatchFlag.MatchRecursive)
    text = resources.path("guide.md").read_text(encoding="utf-8")
    assert len(items) == len(headings(text)) > 5
    keys = next(item for item in items if item.text(0) == "Keys")
    guide.contents.setCurrentItem(keys)
    assert guide.text.textCursor().block().text() == "Keys"
    assert guide.text.verticalScrollBar().value() > 0


def test_the_headings_of_the_guide_are_read_whole(guide):
    """Regression: 7 of 19 headings were elided next to a page with room."""
    contents = guide.contents
    assert contents.viewport().width() < guide.text.width()
    for heading in guide._headings:
        room = contents.visualItemRect(heading).right() - contents.visualItemRect(heading).left()
        assert room >= contents.fontMetrics().horizontalAdvance(heading.text(0)) + 6


def test_the_guide_is_searched_by_the_keyboard(guide, qtbot):
    assert guide.search.hasFocus()
    qtbot.keyClicks(guide.search, "tensor")
    marks = guide.text.extraSelections()
    assert len(marks) > 2
    assert {mark.cursor.selectedText().lower() for mark in marks} == {"tensor"}
    assert guide.found.text() == f"1 of {len(marks)}"
    assert marks[0].format.background().color() == QColor(LIGHT["accent"])
    qtbot.keyClick(guide.search, Qt.Key.Key_Return)
    assert guide.found.text() == f"2 of {len(marks)}"
    qtbot.keyClick(guide.search, Qt.Key.Key_Return, SHIFT)
    qtbot.keyClick(guide.search, Qt.Key.Key_Return, SHIFT)
    assert guide.found.text() == f"{len(marks)} of {len(marks)}"
    guide.next.click()
    assert guide.found.text() == f"1 of {len(marks)}"
    guide.search.setText("no such words")
    assert guide.found.text() == "No match"
    assert not guide.next.isEnabled()
    qtbot.keyClick(guide.search, Qt.Key.Key_Escape)
    assert guide.isVisible()
    assert not guide.text.extraSelections()


def test_the_key_for_finding_goes_from_the_text_of_the_guide_to_its_search(guide, qtbot):
    qtbot.keyClicks(guide.search, "tensor")
    guide.text.setFocus()
    qtbot.keyClick(guide.text, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert guide.search.hasFocus()
    qtbot.keyClicks(guide.search, "mask")  # replaces the previous search text
    assert guide.search.text() == "mask"


@pytest.fixture
def narrow(at_work):
    """Return the user at a small window (1280x800 pixels at 150 %), with tree and form as tabs."""
    at_work.window.resize(845, 493)
    at_work.wait(
        lambda: (
            at_work.views.form_dock in at_work.window.tabifiedDockWidgets(at_work.views.tree_dock)
        )
    )
    return at_work


def test_a_command_of_the_tree_brings_it_before_the_form(narrow):
    views = narrow.views
    for command in ("tensor_list", "check_shown", "check_none", "find"):
        narrow.key("Alt+M")
        narrow.wait(lambda: views.tree.visibleRegion().isEmpty())
        narrow.window.actions_[command].trigger()
        narrow.wait(lambda: not views.tree.visibleRegion().isEmpty())


@pytest.fixture
def triggered(at_work):
    """Return a list that collects the names of the triggered commands."""
    found = []

    class Heard:
        def __init__(self, name):
            self.name = name

        def __call__(self, *_on):
            found.append(self.name)

    for _, action in at_work.window.actions_.visible_commands():
        action.triggered.connect(Heard(action.objectName()))
    return found


def test_keys_type_where_something_can_be_typed_and_lead_to_fields(at_work, triggered):
    text = at_work.views.tree.tree_filter.text
    for key in ("M", "R", "P", "[", "]", "1", "5", "?", "+", "-", "0", "T"):
        for widget in (at_work.rule.fields.editors["amount"].field, text):
            widget.setFocus()
            at_work.key(key, widget)
            assert not triggered, (key, widget.accessibleName())
    assert text.text().upper() == "MRP[]15?+-0T"
    text.clear()
    at_work.views.tree.view.setFocus()
    at_work.key("2", at_work.views.tree.view)
    assert triggered == ["page_distribution"]
    triggered.clear()

    # every key is text where a pattern can be typed
    at_work.views.form.add.click()
    target = at_work.views.form.rules[-1].target
    assert QApplication.focusWidget() is target
    at_work.qtbot.keyClicks(target, "layer4-[0]+mrp 5?")
    assert not triggered
    assert target.currentText() == "layer4-[0]+mrp 5?"  # replaces the previous text
    at_work.views.form.remove.click()

    # a digit continues what is being typed
    box = at_work.rule.method
    box.setFocus()
    at_work.qtbot.keyClicks(box, "l1")
    assert box.currentText().startswith("L1")
    assert not triggered
    at_work.pause(QApplication.keyboardInputInterval() + 20)
    at_work.qtbot.keyClicks(box, "1")
    assert triggered == ["page_weights"]
    at_work.pause(QApplication.keyboardInputInterval() + 20)
    at_work.qtbot.keyClicks(box, " ")
    assert box.view().isVisible()
    box.hidePopup()

    at_work.key("Alt+M")
    assert QApplication.focusWidget() is at_work.rule.method
    at_work.key("Alt+A")
    field = at_work.rule.fields.editors["amount"].field
    assert QApplication.focusWidget() is field
    assert field.selectedText() == field.text()

    at_work.key("F1")
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, GuideDialog)
    dialog.reject()


@pytest.fixture
def quick_typist(qapp):
    """Shorten the interval after which typed letters start a new search in a list to 50 ms."""
    before = qapp.keyboardInputInterval()
    qapp.setKeyboardInputInterval(50)
    yield
    qapp.setKeyboardInputInterval(before)


@pytest.mark.usefixtures("quick_typist")
def test_a_closed_box_takes_the_keys_of_its_items_alone(at_work, triggered):
    pages = at_work.views.pages
    commands = {"1": "page_weights", "2": "page_distribution", "5": "page_compare", "M": "mask"}
    commands |= {"]": "next_tensor", "+": "zoom_in"}
    boxes = [box for box in at_work.window.findChildren(ComboBox) if box.isVisible()]
    boxes = [box for box in boxes if not box.isEditable()]
    assert len(boxes) > 2
    taken = []
    for box in boxes:
        for key, command in commands.items():
            pages.tabs.setCurrentIndex(Page.WEIGHTS)
            box.setFocus()
            at_work.pause(QApplication.keyboardInputInterval() + 20)
            chosen = box.currentIndex()
            triggered.clear()
            at_work.key(key, box)
            if any(box.itemText(i).upper().startswith(key) for i in range(box.count())):
                taken.append(key)
                assert not triggered, (key, box.accessibleName())
            else:
                assert triggered == [command], (key, box.accessibleName())
                assert box.currentIndex() == chosen
    assert "M" in taken  # in the list of heat map modes


def test_a_page_key_takes_the_focus_along_from_picture_to_picture(at_work):
    pages = at_work.views.pages
    pages.weights.canvas.setFocus()
    at_work.key("3")
    picture = pages.channels
    at_work.wait(picture.canvas.isVisible)
    assert QApplication.focusWidget() is picture.canvas
    picture.toggle_table()
    at_work.key("4")
    at_work.wait(lambda: QApplication.focusWidget() is pages.model.canvas)  # once counted
    at_work.key("3")
    assert QApplication.focusWidget() is picture._table
    pages.channels.order_box.setFocus()
    at_work.key("1")
    assert QApplication.focusWidget() is pages.weights.canvas

    # Elsewhere the focus stays.
    for widget in (at_work.views.tree.view, at_work.rule.method, at_work.views.history.tree):
        widget.setFocus()
        for key in "24351":
            at_work.key(key)
            assert pages.page == int(key) - 1
            assert QApplication.focusWidget() is widget

    # The tree shows that it has the focus.
    view = at_work.views.tree.view
    accent = QColor(at_work.workbench.window._appearance.theme.colors["accent"])

    def edge():
        image = view.viewport().grab().toImage()
        return image.pixelColor(1, image.height() // 2)

    view.setFocus()
    assert edge() == accent
    at_work.key("Ctrl+F")
    assert edge() != accent
