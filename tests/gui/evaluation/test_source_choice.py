"""The choice of the data for an evaluation: by mouse and keys, and typed values."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from pruneapp.gui.evaluation.dialogs import EvaluateDialog
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource, SourceChoice


@pytest.fixture
def choice(show):
    found = show(SourceChoice(tuple(DataKind)), 700, 300)
    found.seen = []
    found.changed.connect(lambda: found.seen.append(found.source()))
    return found


def test_the_first_kind_is_chosen_and_only_its_field_can_be_edited(choice):
    assert choice.source() == DataSource()
    assert choice.fields[DataKind.SCRIPT].isEnabled()
    assert not choice.fields[DataKind.TEXT].isEnabled()
    assert choice.python.isEnabled()


def test_what_is_typed_is_told_after_a_pause(choice, qtbot):
    field = choice.fields[DataKind.SCRIPT]
    qtbot.keyClicks(field, " a.py ")
    assert choice.seen == []
    qtbot.waitUntil(lambda: bool(choice.seen))
    qtbot.keyClicks(choice.python, "python3")
    qtbot.waitUntil(lambda: len(choice.seen) == 2)
    assert choice.seen == [DataSource(path="a.py"), DataSource(path="a.py", python="python3")]


def test_another_kind_keeps_what_was_typed_for_the_first(choice, qtbot):
    choice.set_source(DataSource(DataKind.SCRIPT, "a.py", "/bin/python"))
    assert choice.seen == []
    qtbot.mouseClick(choice.radios[DataKind.STATISTICS], Qt.MouseButton.LeftButton)
    assert choice.seen == [DataSource(DataKind.STATISTICS)]
    assert not choice.python.isEnabled()
    choice.radios[DataKind.TOKENS].setFocus()
    qtbot.keyClick(choice.radios[DataKind.TOKENS], Qt.Key.Key_Space)
    assert choice.source() == DataSource(DataKind.TOKENS, "", "/bin/python")
    qtbot.mouseClick(choice.radios[DataKind.SCRIPT], Qt.MouseButton.LeftButton)
    assert choice.source() == DataSource(DataKind.SCRIPT, "a.py", "/bin/python")


@pytest.mark.parametrize("kind", [DataKind.TEXT, DataKind.COMMAND, DataKind.STATISTICS])
def test_a_click_on_a_disabled_field_chooses_its_kind_and_focuses_it(choice, qtbot, kind):
    field = choice.fields[kind]
    assert not field.isEnabled()
    qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
    assert choice.radios[kind].isChecked()
    assert field.isEnabled()
    assert field.hasFocus()
    qtbot.keyClicks(field, "a.txt")
    assert choice.source().path == "a.txt"
    qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
    assert choice.radios[kind].isChecked()


def test_a_click_on_what_is_beside_a_disabled_field_chooses_the_kind_only(
    choice, qtbot, monkeypatch
):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/images")
    qtbot.mouseClick(choice.buttons[DataKind.IMAGES], Qt.MouseButton.LeftButton)
    assert choice.source() == DataSource(DataKind.IMAGES)
    qtbot.mouseClick(choice.better, Qt.MouseButton.LeftButton)
    assert choice.source() == DataSource(DataKind.COMMAND)
    assert not choice.better.view().isVisible()


def test_limit_and_seed_belong_to_the_choice(choice, qtbot):
    whole = DataSource(DataKind.SCRIPT, "a.py", limit="100", seed="3")
    choice.set_source(whole)
    assert (choice.limit.text(), choice.seed.text()) == ("100", "3")
    assert choice.source() == whole
    qtbot.keyClicks(choice.seed, "1 ")
    qtbot.waitUntil(lambda: bool(choice.seen))
    assert choice.seen == [DataSource(DataKind.SCRIPT, "a.py", limit="100", seed="31")]
    choice.radios[DataKind.COMMAND].click()
    assert (choice.limit.isEnabled(), choice.seed.isEnabled()) == (False, True)
    assert choice.source() == DataSource(DataKind.COMMAND, seed="31")
    choice.radios[DataKind.STATISTICS].click()
    assert (choice.limit.isEnabled(), choice.seed.isEnabled()) == (False, False)
    assert choice.source() == DataSource(DataKind.STATISTICS)


def test_a_folder_of_images_is_browsed_for(show, qtbot, monkeypatch):
    found = show(SourceChoice((DataKind.SCRIPT, DataKind.IMAGES)))
    seen = []
    found.changed.connect(lambda: seen.append(found.source()))
    qtbot.mouseClick(found.radios[DataKind.IMAGES], Qt.MouseButton.LeftButton)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/images")
    qtbot.mouseClick(found.buttons[DataKind.IMAGES], Qt.MouseButton.LeftButton)
    assert seen == [DataSource(DataKind.IMAGES), DataSource(DataKind.IMAGES, "/images")]
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    qtbot.mouseClick(found.buttons[DataKind.IMAGES], Qt.MouseButton.LeftButton)
    assert found.source().path == "/images", "nothing was chosen"


def test_a_command_line_is_typed_and_needs_no_python(choice, qtbot):
    qtbot.mouseClick(choice.radios[DataKind.COMMAND], Qt.MouseButton.LeftButton)
    assert not choice.python.isEnabled()
    qtbot.keyClicks(choice.fields[DataKind.COMMAND], "eval {checkpoint}")
    assert choice.source() == DataSource(DataKind.COMMAND, "eval {checkpoint}")
    assert DataKind.COMMAND not in choice.buttons, "there is no file to choose"
    assert "{out}" in choice.fields[DataKind.COMMAND].accessibleDescription()


def test_a_file_is_chosen_in_the_dialog_of_the_system(choice, qtbot, monkeypatch):
    asked = []

    def answer(_parent, title, folder, kinds):
        asked.append((title, folder, kinds))
        return "/x/b.py", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", staticmethod(answer))
    choice.set_folder("/models")
    qtbot.mouseClick(choice.buttons[DataKind.SCRIPT], Qt.MouseButton.LeftButton)
    assert asked == [("Evaluation script", "/models", "Python files (*.py);;All files (*)")]
    assert choice.seen == [DataSource(path="/x/b.py")]


def test_a_script_used_before_is_chosen_in_the_menu_of_recent_scripts(choice, qtbot):
    assert choice.recent.isHidden(), "there is none"
    choice.set_recent(["/x/b.py", "/x/a&b.py"])
    assert choice.recent.isVisible()
    choice.radios[DataKind.TOKENS].click()
    choice.seen.clear()
    menu = choice.recent_menu
    qtbot.mouseClick(choice.recent, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(menu.isVisible)
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert choice.source() == DataSource(path="/x/a&b.py")
    assert choice.seen[-1] == DataSource(path="/x/a&b.py")
    choice.set_recent([])
    assert choice.recent.isHidden()


def test_a_proposed_script_is_called_so_until_another_is_chosen(choice):
    choice.set_source(DataSource(path="/x/b.py", exported_from="digits.pt"))
    choice.set_found("Runs with python.")
    assert choice.found.text() == (
        "Proposed: the script of digits.pt, from which this file was exported. Runs with python."
    )
    choice.set_found("There is no file.", trouble=True)
    assert choice.found.text() == "✕ There is no file."
    choice.fields[DataKind.SCRIPT].setText("/x/c.py")
    choice.set_found("Runs with python.")
    assert choice.found.text() == "Runs with python."


def test_a_kind_that_is_not_offered_is_left(show):
    choice = show(SourceChoice((DataKind.SCRIPT,)))
    choice.set_source(DataSource(DataKind.TOKENS))
    assert choice.source() == DataSource()


def test_what_was_found_stands_below(choice):
    choice.set_found("Runs with python.")
    assert choice.found.text() == "Runs with python."
    choice.set_found("There is no file.", trouble=True)
    assert choice.found.text() == "✕ There is no file."


def test_the_only_kind_stays_chosen_when_it_is_clicked(show, qtbot):
    alone = show(SourceChoice((DataKind.SCRIPT,)), 700, 160)
    for _ in range(2):
        alone.radios[DataKind.SCRIPT].click()
        assert alone.source() == DataSource()


def test_evaluate_is_disabled_while_the_source_has_an_error(qtbot):
    dialog = EvaluateDialog((DataKind.SCRIPT,), DataSource(path="/x/evaluate.py"))
    qtbot.addWidget(dialog)
    assert dialog.go.isEnabled()
    dialog.choice.set_found("The script '/x/evaluate.py' cannot be read.", trouble=True)
    assert not dialog.go.isEnabled()
    dialog.choice.set_found("Runs with /x/python.")
    assert dialog.go.isEnabled()


def test_the_field_of_a_path_has_all_the_room_next_to_its_buttons(choice):
    """Regression: Browse was as wide as the choice of better values, and the field was short."""
    browse, better = choice.buttons[DataKind.SCRIPT], choice.better
    assert browse.width() < better.width()
    assert browse.width() <= browse.sizeHint().width()
    field = choice.fields[DataKind.TEXT]
    gap = browse.x() - choice.fields[DataKind.TEXT].geometry().right()
    assert 0 < gap <= 12
    assert field.width() > choice.fields[DataKind.COMMAND].width()
    assert better.geometry().right() == browse.geometry().right()


def test_a_path_can_be_typed_at_once_and_tab_reaches_the_buttons_last(qtbot):
    """Regression: Cancel had the focus, and the buttons came before the fields."""
    dialog = EvaluateDialog((DataKind.SCRIPT, DataKind.COMMAND), DataSource())
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.focusWidget() is dialog.choice.fields[DataKind.SCRIPT]
    order = []
    while (widget := dialog.focusWidget()) not in order:
        order.append(widget)
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    assert order.index(dialog.leave) > order.index(dialog.choice.seed)
