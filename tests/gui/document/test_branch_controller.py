"""Branches: undo and another step, names, and deletion after a question."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit, QPushButton
from safetensors.numpy import save_file


@pytest.fixture
def branched(person, tmp_path):
    """Return the user after two steps, undo of the second, and another step."""
    rng, path = np.random.default_rng(3), tmp_path / "model.safetensors"
    save_file({"a.weight": rng.standard_normal((64, 64), np.float32)}, str(path))
    person.open_file(path)
    for amount, undo in (("10 %", False), ("20 %", True), ("30 %", False)):
        person.ask_amount(amount)
        person.wait_preview()
        person.click(person.button)
        person.wait_idle()
        if undo:
            person.key("Ctrl+Z")
    return person


def pruned(person):
    return person.document.masks.pruned("a.weight")


def press_in_history(person, key):
    person.views.history.list.setFocus()
    person.key(key, person.views.history.list)


def name_it(person, name):
    """Enter a name into the dialog; None cancels it."""
    person.wait(lambda: isinstance(QApplication.activeModalWidget(), QInputDialog))
    dialog = QApplication.activeModalWidget()
    if name is None:
        person.qtbot.keyClick(dialog, "\x1b")
    else:
        dialog.setTextValue(name)
        (button,) = (b for b in dialog.findChildren(QPushButton) if "Rename" in b.text())
        person.click(button)
    person.wait(lambda: QApplication.activeModalWidget() is None)


def test_an_undo_and_another_step_leave_the_first_where_it_was(branched):
    assert len(branched.states) == 4
    assert branched.document.branches.after == (0, 1, 1)
    here = pruned(branched)
    branched.click_state(2)
    branched.wait(lambda: branched.document.position == 2)
    assert pruned(branched) != here
    branched.key("Ctrl+Z")
    branched.key("Ctrl+Shift+Z")
    assert branched.document.position == 2, "redo returns to the branch that was undone"
    branched.click_state(3)
    branched.wait(lambda: branched.document.position == 3)
    assert pruned(branched) == here
    assert branched.window.actions_["undo"].text() == f"&Undo {branched.states[3]}"
    branched.key("Ctrl+Z")
    assert branched.window.actions_["redo"].text() == f"&Redo {branched.states[3]}"


def test_a_weight_names_the_step_that_pruned_it_by_the_number_of_the_state(branched):
    """Regression: the number was that of steps on the path to the state, which branches share."""
    document, weights = branched.document, branched.views.pages.weights
    at = next(i for i in range(64 * 64) if document.find_pruning_step("a.weight", i) == 3)
    weights.canvas.hovered.emit(weights._layout.place(divmod(at, 64)))
    branched.wait(lambda: "pruned in step 3 by L1 30" in weights.readout.text())


def test_f2_names_a_state_and_an_empty_name_takes_it_away(branched):
    label = branched.states[3]
    press_in_history(branched, "F2")
    name_it(branched, "the keeper")
    assert branched.states[3] == "the keeper"
    assert branched.workbench.sessions.unsaved
    press_in_history(branched, "F2")
    name_it(branched, None)
    assert branched.states[3] == "the keeper"
    press_in_history(branched, "F2")
    name_it(branched, "")
    assert branched.states[3] == label
    press_in_history(branched, "Home")
    press_in_history(branched, "F2")
    assert QApplication.activeModalWidget() is None, "the file has its own name"


def test_delete_asks_and_says_what_it_frees(branched):
    person, label = branched, branched.states[2]
    person.click_state(1)
    person.wait(lambda: person.document.position == 1)
    person.views.history.list.setCurrentIndex(person.views.history.list.model().index(2))
    asked = person.answers("Cancel")
    press_in_history(person, "Del")
    person.wait(lambda: asked)
    assert asked == [f"Delete '2: {label}'? This cannot be undone. It frees 512 bytes of masks."]
    assert len(person.states) == 4
    person.wait(lambda: QApplication.activeModalWidget() is None)
    person.views.history.list.setCurrentIndex(person.views.history.list.model().index(2))
    asked = person.answers("Delete")
    press_in_history(person, "Del")
    person.wait(lambda: len(person.states) == 3)
    assert person.document.branches.after == (0, 1)
    assert person.document.position == 1
    person.key("Ctrl+Shift+Z")
    assert person.document.position == 2


def test_the_question_counts_what_follows(branched):
    branched.click_state(0)
    branched.wait(lambda: branched.document.position == 0)
    asked = branched.answers("Delete")
    branched.views.history.list.setCurrentIndex(branched.views.history.list.model().index(1))
    press_in_history(branched, "Del")
    branched.wait(lambda: len(branched.states) == 1)
    assert "The 2 states that follow it are deleted, too. This cannot be undone." in asked[0]
    assert not branched.window.actions_["redo"].isEnabled()


def test_what_is_in_force_is_not_deleted(branched):
    press_in_history(branched, "Del")
    assert "This branch has the current state, so it cannot be deleted." in branched.trouble[0]
    assert len(branched.states) == 4


def test_a_branch_that_is_gone_or_in_force_by_the_time_of_the_answer_stays(branched, monkeypatch):
    """A step that is computed while the question is open may become the current state."""
    from pruneapp.gui.app import dialogs

    def meanwhile(*_args, **_more):
        branched.document.jump(2)
        return True

    monkeypatch.setattr(dialogs, "delete_branch", meanwhile)
    branched.workbench.history.ask_delete(2)
    branched.wait(lambda: branched.trouble)
    assert "cannot be deleted" in branched.trouble[0]
    assert len(branched.states) == 4
    monkeypatch.setattr(
        dialogs, "delete_branch", lambda *_a, **_m: branched.document.delete(3) is None
    )
    branched.workbench.history.ask_delete(3)
    branched.wait(lambda: len(branched.states) == 3)
    branched.wait_idle()
    assert len(branched.states) == 3


def test_closing_asks_while_a_branch_is_not_in_the_session(branched, tmp_path):
    person = branched
    person.chooses_file(tmp_path / "work.prune", "getSaveFileName")
    person.key("Ctrl+S")
    person.wait(lambda: not person.workbench.sessions.unsaved)
    person.key("Ctrl+Z")
    assert not person.workbench.sessions.unsaved, (
        "a change of the current state is no unsaved change"
    )
    person.key("Ctrl+Shift+Z")
    person.click_state(2)
    person.ask_amount("5 %")
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: person.document.position == 4)
    person.click_state(3)
    person.wait(lambda: person.document.position == 3)
    assert person.workbench.sessions.unsaved, "the current state is saved, the branch is not"
    person.key("Ctrl+S")
    person.wait(lambda: not person.workbench.sessions.unsaved)
    person.document.delete(4)
    assert person.workbench.sessions.unsaved
    person.key("Ctrl+S")
    person.wait(lambda: not person.workbench.sessions.unsaved)
    person.document.rename(2, "a name")
    assert person.workbench.sessions.unsaved


def test_branches_come_back_with_the_session(branched, tmp_path):
    person, path = branched, tmp_path / "work.prune"
    person.document.rename(2, "a name")
    person.chooses_file(path, "getSaveFileName")
    person.key("Ctrl+S")
    person.wait(lambda: not person.workbench.sessions.unsaved)
    states = person.states
    person.key("Ctrl+W")
    person.open(path)
    person.wait(lambda: person.document is not None)
    assert person.states == states
    assert person.states[2] == "a name"
    assert person.document.branches.after == (0, 1, 1)
    assert not person.workbench.sessions.unsaved


def test_the_question_for_a_name_goes_with_its_file(branched):
    press_in_history(branched, "F2")
    branched.wait(lambda: isinstance(QApplication.activeModalWidget(), QInputDialog))
    branched.session.close()
    branched.wait(lambda: QApplication.activeModalWidget() is None)


def test_the_same_step_again_goes_to_the_state_that_is_there(branched):
    """Regression: there were two states of the same name with the same weights."""
    branched.key("Ctrl+Z")
    branched.wait(lambda: branched.document.position == 1)
    branched.ask_amount("30 %")
    branched.wait_preview()
    branched.click(branched.button)
    branched.wait(lambda: branched.document.position == 3)
    assert branched.document.branches.after == (0, 1, 1)
    assert branched.views.preview.heading.text() == "Result"


def test_a_comparison_with_a_deleted_state_is_made_anew(branched):
    """Regression: another state that reused its number was shown as equal."""
    person, view = branched, branched.views.compare
    person.key("5")
    person.wait(lambda: view._comparison is not None)
    person.choose(view.sides.boxes[1], "└ 2: ")
    person.wait(lambda: view._comparison is not None and view._comparison.b.startswith("2: L1 20"))
    person.document.delete(2)
    person.wait(lambda: view._comparison is not None and view._comparison.b.startswith("2: L1 30"))


def test_a_name_takes_no_more_letters_than_are_kept(branched):
    press_in_history(branched, "F2")
    branched.wait(lambda: isinstance(QApplication.activeModalWidget(), QInputDialog))
    dialog = QApplication.activeModalWidget()
    branched.qtbot.keyClicks(dialog.findChild(QLineEdit), "x" * 110)
    shown = dialog.textValue()
    branched.qtbot.keyClick(dialog, "\r")
    branched.wait(lambda: QApplication.activeModalWidget() is None)
    assert branched.states[3] == shown == "x" * 100
