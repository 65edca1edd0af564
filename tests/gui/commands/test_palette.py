"""The command palette finds commands, tensors, methods and settings; the guide; one-letter keys."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from safetensors.numpy import save_file

from pruneapp import resources
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.app.guide import GuideDialog
from pruneapp.gui.app.settings import SETTINGS, THEME, WARN_OWN_METHODS
from pruneapp.gui.commands.actions import plain
from pruneapp.gui.commands.palette import CommandPalette, Entry
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.gui.widgets.theme import LIGHT
from pruneapp.methods import registry

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def at_work(person):
    person.workbench.files.open_sample()
    person.wait(lambda: person.document is not None)
    return person


def run_first(person, text):
    """Type into the palette and press Return; return the rows that it offered."""
    person.key("Ctrl+Shift+P")
    palette = QApplication.activeModalWidget()
    assert isinstance(palette, CommandPalette)
    palette.field.setText(text)  # QTest cannot type some characters of the labels
    rows = [palette.table.item(row, 0).text() for row in range(palette.table.rowCount())]
    person.qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    person.wait(lambda: QApplication.activeModalWidget() is None)
    return rows


def test_a_part_of_a_tensors_name_jumps_to_it(at_work):
    row = at_work.session.rows[-2]
    assert run_first(at_work, row.shown)[0] == row.shown
    assert at_work.views.tree.focused_name() == row.name
    assert at_work.views.tree.view.hasFocus()


def test_a_methods_name_selects_it_in_the_form(at_work):
    for name, method in registry.METHODS.items():
        run_first(at_work, method.label)
        assert at_work.rule.method.currentData() == name
        assert QApplication.focusWidget() is at_work.rule.method


def search_for(person, texts):
    """Return the rows that the palette offers for each text."""
    person.key("Ctrl+Shift+P")
    palette = QApplication.activeModalWidget()
    found = []
    for text in texts:
        palette.field.setText(text)
        table = palette.table
        found.append([table.item(row, 0).text() for row in range(table.rowCount())])
    palette.reject()
    person.wait(lambda: QApplication.activeModalWidget() is None)
    return found


def every_action(menu):
    """Yield the actions of a menu and its submenus."""
    for action in menu.actions():
        if action.menu() is not None:
            yield from every_action(action.menu())
        elif not action.isSeparator() and action.isVisible():
            yield action


def test_nothing_is_listed_twice(at_work):
    ((*rows,),) = search_for(at_work, [""])
    names = [row.casefold() for row in rows]
    assert len(names) == len(set(names)) > 50
    # Nor under two names: a setting of the same name as a command is left out.
    for theme in THEME.choices:
        ((*rows,),) = search_for(at_work, [f"{THEME.label} {theme.label}"])
        named = [row for row in rows if row.partition(": ")[2] or row.endswith(f"› {theme.label}")]
        assert named == [f"View › Theme › {theme.label}"]


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
    for name, method in registry.METHODS.items():
        run_first(chinese_at_work, method.label)
        assert chinese_at_work.rule.method.currentData() == name
    run_first(chinese_at_work, "ln_structured")
    assert chinese_at_work.rule.method.currentData() == "ln_structured"


def test_every_command_of_every_menu_is_found_by_its_words(person, tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(resources.path("sample/lenet-digits.safetensors").read_bytes())
    person.open_file(path)
    texts = [
        plain(action.text())
        for menu in (
            person.window.menuBar(),
            person.views.pages.picture().export_menu.button.menu(),
        )
        for action in every_action(menu)
    ]
    assert any(path.name in text for text in texts), "includes recent files"
    for text, rows in zip(texts, search_for(person, texts), strict=True):
        assert any(row.split(" › ")[-1] == text for row in rows), (text, rows)


def test_commands_of_the_form_are_found_and_done(at_work):
    at_work.ask()
    run_first(at_work, "add rule")
    assert len(at_work.views.form.rules) == 2
    run_first(at_work, "remove rule")
    assert len(at_work.views.form.rules) == 1
    run_first(at_work, "exclude layers")
    assert at_work.views.form.rules[-1].method.currentData() == "identity"
    run_first(at_work, "remove rule")
    run_first(at_work, "limits")
    assert at_work.views.form.limits.button.isChecked()
    assert search_for(at_work, ["remove rule"]) == [["Pruning step › Remove rule"]]


def test_every_setting_is_found_and_set(at_work):
    for param, rows in zip(
        SETTINGS, search_for(at_work, [param.label for param in SETTINGS]), strict=True
    ):
        assert rows, param.label
    run_first(at_work, "theme: dark")
    assert at_work.window.actions_["theme_dark"].isChecked()
    assert QApplication.palette().window().color().lightness() < 128
    run_first(at_work, f"{WARN_OWN_METHODS.label}: turn off")
    assert at_work.workbench.settings.get(WARN_OWN_METHODS) is False


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


def test_f1_opens_the_guide(at_work):
    at_work.key("F1")
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, GuideDialog)
    dialog.reject()


def test_the_method_and_the_amount_have_keys(at_work):
    at_work.key("Alt+M")
    assert QApplication.focusWidget() is at_work.rule.method
    at_work.key("Alt+A")
    field = at_work.rule.fields.editors["amount"].field
    assert QApplication.focusWidget() is field
    assert field.selectedText() == field.text()


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


@pytest.mark.parametrize("command", ["tensor_list", "check_shown", "check_none", "find"])
def test_a_command_of_the_tree_brings_it_before_the_form(narrow, command):
    views = narrow.views
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

    for _, action in at_work.window.actions_.named():
        action.triggered.connect(Heard(action.objectName()))
    return found


def test_keys_of_one_letter_type_where_something_can_be_typed(at_work, triggered):
    text = at_work.views.tree.tree_filter.text
    for key in ("M", "R", "P", "[", "]", "1", "5", "?", "+", "-", "0", "T"):
        for widget in (at_work.rule.fields.editors["amount"].field, text):
            widget.setFocus()
            at_work.key(key, widget)
            assert not triggered, (key, widget.accessibleName())
    assert text.text().upper() == "MRP[]15?+-0T"
    at_work.views.tree.view.setFocus()
    at_work.key("2", at_work.views.tree.view)
    assert triggered == ["page_distribution"]


def test_every_key_is_text_where_a_pattern_can_be_typed(at_work, triggered):
    at_work.views.form.add.click()
    target = at_work.views.form.rules[-1].target
    assert QApplication.focusWidget() is target
    at_work.qtbot.keyClicks(target, "layer4-[0]+mrp 5?")
    assert not triggered
    assert target.currentText() == "layer4-[0]+mrp 5?"  # replaces the previous text


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


def test_a_digit_goes_on_with_what_is_being_typed(at_work, triggered):
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


def test_a_page_key_leaves_the_focus_where_no_picture_had_it(at_work):
    pages = at_work.views.pages
    for widget in (at_work.views.tree.view, at_work.rule.method, at_work.views.history.list):
        widget.setFocus()
        for key in "24351":
            at_work.key(key)
            assert pages.page == int(key) - 1
            assert QApplication.focusWidget() is widget


def test_the_tree_shows_that_it_has_the_focus(at_work):
    view = at_work.views.tree.view
    accent = QColor(at_work.workbench.window._appearance.theme.colors["accent"])

    def edge():
        image = view.viewport().grab().toImage()
        return image.pixelColor(1, image.height() // 2)

    view.setFocus()
    assert edge() == accent
    at_work.key("Ctrl+F")
    assert edge() != accent


def test_a_recent_file_is_opened_though_the_list_was_made_anew(at_work, tmp_path):
    """The entry opens the file that it names, even if its action has another file by now."""
    path = tmp_path / "model.safetensors"
    save_file({"a.weight": np.ones((4, 4), np.float32)}, path)
    at_work.workbench.settings.add_recent(path)
    at_work.workbench.recent.show_list()
    at_work.key("Ctrl+Shift+P")
    palette = QApplication.activeModalWidget()
    palette.field.setText(path.name)
    at_work.workbench.settings.add_recent(tmp_path / "other.safetensors")
    at_work.workbench.recent.show_list()
    at_work.qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    at_work.wait_open(path)
