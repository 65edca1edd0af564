"""Shortcuts that the user changes, in the dialog and wherever they are displayed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QLibraryInfo, QPoint, Qt, QTranslator
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication

from pruneapp.gui.commands.actions import assign_keys, changed_keys, default_keys, native_keys
from pruneapp.gui.commands.declarations import COMMANDS
from pruneapp.gui.commands.palette import KeySheet
from pruneapp.gui.commands.shortcut_dialog import ShortcutDialog

KEYS = [*{key for spec in COMMANDS for key in spec.keys}, "Ctrl+K", "F9", "zebra", "", "Ctrl+"]


@given(
    st.dictionaries(
        st.sampled_from([*(spec.id for spec in COMMANDS), "gone"]),
        st.lists(st.sampled_from(KEYS), max_size=3),
    )
)
def test_no_shortcut_stands_for_two_commands_whatever_was_stored(stored):
    found = assign_keys(stored)
    assert found.keys() == {spec.id for spec in COMMANDS}
    keys = [key for keys in found.values() for key in keys]
    assert len(keys) == len(set(keys))
    assert all(keys), "invalid shortcuts are dropped"
    assert assign_keys(changed_keys(found)) == found, "the normalized form is stored"
    if not stored:
        assert changed_keys(found) == {}


def test_a_shortcut_that_a_user_chose_wins_over_one_that_is_declared():
    found = assign_keys({"about": ["Ctrl+O"]})
    assert found["about"] == ("Ctrl+O",)
    assert found["open"] == ()


@pytest.fixture
def at_work(user):
    user.workbench.files.open_sample()
    user.wait(lambda: user.document is not None)
    return user


@pytest.fixture
def dialog(at_work):
    at_work.menu("Help", "Change keyboard shortcuts")
    at_work.wait(lambda: isinstance(QApplication.activeModalWidget(), ShortcutDialog))
    return QApplication.activeModalWidget()


def choose(user, dialog, name):
    """Click the row of a command, then the field."""
    row = dialog._rows[name]
    dialog.table.scrollToItem(row)
    user.click(dialog.table.viewport(), dialog.table.visualItemRect(row).center())
    user.click(dialog.editor, QPoint(8, dialog.editor.height() // 2))


def press(user, dialog, name, keys):
    choose(user, dialog, name)
    user.key(keys, dialog.editor)


def table_rows(dialog):
    """Return the rows of the table by command: command, shortcut, default."""
    found, pending = [], [dialog.table.invisibleRootItem()]
    while pending:
        item = pending.pop()
        for place in range(item.childCount()):
            child = item.child(place)
            if not child.isHidden():
                pending.append(child)
                if child.data(0, Qt.ItemDataRole.UserRole):
                    found.append(tuple(child.text(column) for column in range(3)))
    return found


def close(user, dialog):
    user.click(dialog.close_button)
    user.wait(lambda: QApplication.activeModalWidget() is None)


def test_another_shortcut_holds_at_once_everywhere(at_work, dialog, new_user):
    repair = at_work.window.actions_["repair"]
    given_ = []
    repair.triggered.disconnect()
    repair.triggered.connect(lambda: given_.append("repair"))
    press(at_work, dialog, "repair", "Ctrl+K")
    assert dialog.said.text() == "Changed from Ctrl+R to Ctrl+K."
    assert ("Repair", "Ctrl+K", "Ctrl+R") in table_rows(dialog)
    assert repair.toolTip().endswith("(Ctrl+K)")
    close(at_work, dialog)

    at_work.key("Ctrl+R")
    assert given_ == []
    at_work.key("Ctrl+K")
    assert given_ == ["repair"]
    at_work.key("Ctrl+Shift+P")
    palette = QApplication.activeModalWidget()
    at_work.qtbot.keyClicks(palette.field, "repair")
    assert palette.table.item(0, 1).text() == "Ctrl+K"
    palette.reject()
    at_work.menu("Help", "Keyboard shortcuts")
    sheet = QApplication.activeModalWidget()
    assert isinstance(sheet, KeySheet)
    rows = {
        sheet.table.item(r, 0).text(): sheet.table.item(r, 1).text()
        for r in range(sheet.table.rowCount())
    }
    assert rows["Repair"] == "Ctrl+K"
    at_work.click(sheet.change)
    at_work.wait(lambda: isinstance(QApplication.activeModalWidget(), ShortcutDialog))
    close(at_work, QApplication.activeModalWidget())

    second = new_user()
    assert second.window.actions_["repair"].shortcut() == QKeySequence("Ctrl+K")


def test_controls_that_name_a_shortcut_name_the_new_one(at_work, dialog):
    views, window = at_work.views, at_work.window
    press(at_work, dialog, "find", "Ctrl+K")
    press(at_work, dialog, "prune_in_rounds", "F9")
    press(at_work, dialog, "open", "F10")
    press(at_work, dialog, "prune", "Ctrl+Shift+Return")
    assert dialog.go.isHidden()
    assert views.tree.tree_filter.text.placeholderText() == "Filter  (Ctrl+K)"
    assert views.form.rounds.toolTip().endswith("(F9)")
    assert window.empty.open_button.toolTip() == "Open a file (F10)"
    choose(at_work, dialog, "find")
    at_work.click(dialog.remove)
    assert dialog.said.text() == "Ctrl+K removed."
    assert views.tree.tree_filter.text.placeholderText() == "Filter"
    close(at_work, dialog)
    prune = [key.toString() for key in window.actions_["prune"].shortcuts()]
    assert prune == ["Ctrl+Shift+Return", "Ctrl+Shift+Enter"], "there are two Return keys"

    at_work.wait_preview()
    assert at_work.button.toolTip() == "Prune (Ctrl+Shift+Return)"
    at_work.key("Ctrl+Shift+Enter")
    at_work.wait(lambda: len(at_work.states) == 2)


def test_a_shortcut_of_another_command_is_said_and_taken_only_on_request(at_work, dialog):
    actions = at_work.window.actions_
    press(at_work, dialog, "repair", "Ctrl+E")
    assert dialog.said.text() == "Ctrl+E is the shortcut of “Export”."
    assert actions["repair"].shortcut() == QKeySequence("Ctrl+R")
    at_work.click(dialog.go)
    assert actions["repair"].shortcut() == QKeySequence("Ctrl+E")
    assert actions["export"].shortcuts() == []
    assert {("Repair", "Ctrl+E", "Ctrl+R"), ("Export", "", "Ctrl+E")} <= {*table_rows(dialog)}
    choose(at_work, dialog, "export")
    at_work.click(dialog.reset)  # the default is now used by another command
    assert dialog.said.text() == "Ctrl+E is the shortcut of “Repair”."
    at_work.click(dialog.go)
    assert actions["export"].shortcut() == QKeySequence("Ctrl+E")
    assert actions["repair"].shortcuts() == []
    at_work.click(dialog.reset_all)
    assert dialog.said.text() == "All shortcuts were reset."
    assert actions["repair"].shortcut() == QKeySequence("Ctrl+R")
    at_work.click(dialog.go)
    assert dialog.go.isHidden()
    assert actions["repair"].shortcuts() == []


def test_commands_are_found_by_words_and_keys_and_some_keys_are_refused_or_said(at_work, dialog):
    assert len(table_rows(dialog)) == len(COMMANDS)
    assert dialog.search.hasFocus()
    at_work.qtbot.keyClicks(dialog.search, "session sav")
    assert [name for name, *_ in table_rows(dialog)] == ["Save session", "Save session as"]
    dialog.search.clear()
    at_work.click(dialog.pressed, QPoint(8, 8))
    at_work.key("Ctrl+Y", dialog.pressed)
    assert table_rows(dialog) == [("Redo", "Ctrl+Shift+Z, Ctrl+Y", "")]
    assert dialog._current == "redo"
    at_work.key("Ctrl+K", dialog.pressed)
    assert dialog.nothing.isVisible()
    assert not dialog.editor.isEnabled()
    dialog.pressed.clear()
    assert len(table_rows(dialog)) == len(COMMANDS)

    # parts of the window need some keys
    for keys, what in (
        ("R", "Restore the selection"),
        ("Space", "Select one channel or all channels, on the Channels tab"),
        ("Right", "Move the cursor in the picture"),
        ("Return", "Activate the focused control"),
        ("Ctrl+C", "Copy the selected rows or channels; paste a channel list"),
        ("Alt+F", "Open the menu File"),
    ):
        press(at_work, dialog, "repair", keys)
        assert dialog.said.text() == f"{keys} is needed in the window: {what}. Press other keys."
        assert at_work.window.actions_["repair"].shortcut() == QKeySequence("Ctrl+R")

    # text fields use some keys for themselves
    press(at_work, dialog, "repair", "B")
    assert dialog.said.text().endswith("In text fields, B types text instead.")
    press(at_work, dialog, "repair", "Ctrl+X")
    assert dialog.said.text().endswith("In text fields, Ctrl+X edits the text instead.")
    press(at_work, dialog, "repair", "Ctrl+R")
    assert dialog.said.text() == "Changed from Ctrl+X to Ctrl+R."
    # Default shortcuts need no warning, although some have another meaning in a list.
    choose(at_work, dialog, "mask")
    at_work.click(dialog.remove)
    press(at_work, dialog, "mask", "M")
    assert dialog.said.text() == "Changed to M."
    press(at_work, dialog, "check_shown", "F9")
    at_work.key("Ctrl+A", dialog.editor)
    assert dialog.said.text() == "Changed from F9 to Ctrl+A."

    # a modifier that was released before keeps no key waiting
    choose(at_work, dialog, "repair")
    at_work.qtbot.keyClick(dialog.editor, Qt.Key.Key_Shift)
    at_work.key("F5", dialog.editor)
    assert dialog.said.text() == "Changed from Ctrl+R to F5."
    at_work.qtbot.keyPress(dialog.editor, Qt.Key.Key_Control)
    at_work.key("Ctrl+E", dialog.editor)  # refused
    at_work.key("F9", dialog.editor)
    at_work.qtbot.keyRelease(dialog.editor, Qt.Key.Key_Control)
    assert dialog.said.text() == "Changed from F5 to F9."
    assert dialog.editor.key == ""

    # a sign is the same shortcut with and without Shift
    at_work.qtbot.keyClick(dialog.editor, Qt.Key.Key_Question, Qt.KeyboardModifier.ShiftModifier)
    assert dialog.said.text() == "? is the shortcut of “Keyboard shortcuts”."
    at_work.key("Shift+B", dialog.editor)
    assert dialog.said.text().startswith("Changed from F9 to Shift+B.")

    # by keys alone
    dialog.search.setFocus()
    at_work.qtbot.keyClicks(dialog.search, "repair")
    at_work.key("Return", dialog.search)
    assert dialog.table.hasFocus()
    at_work.key("Return", dialog.table)
    assert QApplication.focusWidget() is dialog.editor
    at_work.key("Ctrl+K", dialog.editor)
    assert at_work.window.actions_["repair"].shortcut() == QKeySequence("Ctrl+K")
    at_work.key("Esc", dialog.editor)
    at_work.wait(lambda: QApplication.activeModalWidget() is None)


def test_what_was_written_by_hand_into_the_settings_keeps_no_window_from_opening(
    new_user, settings_file
):
    stored = {"repair": ["no key", "F9", "Ctrl+O"], "gone": ["F8"], "about": ["F9"]}
    settings_file.write_text(json.dumps({"keys": stored}))
    user = new_user()
    actions = user.window.actions_
    keys = {
        name: [k.toString() for k in actions[name].shortcuts()]
        for name in (*stored, "open")
        if name != "gone"
    }
    assert keys == {"repair": ["F9", "Ctrl+O"], "about": [], "open": []}
    assert actions.shortcut_or_path("open") == "File › Open"


def test_two_keys_of_one_name_are_named_once(qapp):
    """Return and Enter have the same name in Chinese."""
    translator = QTranslator()
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    assert translator.load("qtbase_zh_CN", folder)
    qapp.installTranslator(translator)
    try:
        assert native_keys(["Ctrl+Return", "Ctrl+Enter"]) == "Ctrl+回车"
    finally:
        qapp.removeTranslator(translator)
    assert native_keys(["Ctrl+Return", "Ctrl+Enter"]) == "Ctrl+Return, Ctrl+Enter"


def test_declared_shortcuts_are_written_as_qt_writes_them():
    """Otherwise a shortcut entered by the user would not be recognized as the same key."""
    for spec in COMMANDS:
        assert default_keys(spec) == spec.keys


def test_nothing_in_the_dialogs_of_shortcuts_is_cut(at_work, dialog):
    for name in dialog._rows:
        dialog.table.setCurrentItem(dialog._rows[name])
        assert not dialog.name.is_elided, name
    for column in range(dialog.table.columnCount()):
        assert dialog.table.columnWidth(column) >= dialog.table.sizeHintForColumn(column)
    dialog.close()
    at_work.menu("Help", "Keyboard shortcuts")
    at_work.wait(lambda: isinstance(QApplication.activeModalWidget(), KeySheet))
    sheet = QApplication.activeModalWidget()
    sheet.table.item(0, 0).setText("A command of a name that is as long as they come " * 2)
    again = sheet.table.whole_width()
    sheet.resize(again + 40, 480)
    table = sheet.table
    at_work.wait(lambda: table.columnWidth(0) >= table.sizeHintForColumn(0))
    sheet.close()


def test_the_end_of_a_long_step_is_read_in_the_list_of_shortcuts(user):
    """Regression: "Undo L1 20 %, L1 40 % on 5 tensors by 2 rule", of rules with a global scope."""
    user.menu("File", "Try the sample")
    user.wait(lambda: user.document is not None)
    form = user.views.form
    for target, amount in (("all Conv2d layers", "12.5 %"), ("all Linear layers", "37.5 %")):
        user.click(form.add)
        user.choose(user.rule.target, target)
        user.ask_amount(amount)
    user.click(form.list.viewport(), form.list.visualItemRect(form.list.item(0)).center())
    user.click(form.remove)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    assert user.states[1] == "L1 12.5 %, L1 37.5 % on 5 tensors by 2 rules"
    names = [name for name, _ in user.window.actions_.visible_commands()]
    assert "Undo L1 12.5 %, L1 37.5 % … by 2 rules" in names
