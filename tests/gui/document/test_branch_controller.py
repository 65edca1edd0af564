"""Branches: undo and another step, names, and deletion after a question."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit, QPushButton
from safetensors.numpy import save_file


@pytest.fixture
def branched(user, tmp_path):
    """Return the user after two steps, undo of the second, and another step."""
    rng, path = np.random.default_rng(3), tmp_path / "model.safetensors"
    save_file({"a.weight": rng.standard_normal((64, 64), np.float32)}, str(path))
    user.open_file(path)
    for amount, undo in (("10 %", False), ("20 %", True), ("30 %", False)):
        user.ask_amount(amount)
        user.wait_preview()
        user.click(user.button)
        user.wait_idle()
        if undo:
            user.key("Ctrl+Z")
    return user


def pruned(user):
    return user.document.masks.pruned("a.weight")


def press_in_history(user, key):
    user.views.history.list.setFocus()
    user.key(key, user.views.history.list)


def name_it(user, name):
    """Enter a name into the dialog; None cancels it."""
    user.wait(lambda: isinstance(QApplication.activeModalWidget(), QInputDialog))
    dialog = QApplication.activeModalWidget()
    if name is None:
        user.qtbot.keyClick(dialog, "\x1b")
    else:
        dialog.setTextValue(name)
        (button,) = (b for b in dialog.findChildren(QPushButton) if "Rename" in b.text())
        user.click(button)
    user.wait(lambda: QApplication.activeModalWidget() is None)


def test_an_undo_and_another_step_make_a_branch_whose_states_have_names(branched):
    document, weights = branched.document, branched.views.pages.weights
    assert len(branched.states) == 4
    assert document.branches.after == (0, 1, 1)
    # Regression: the number was that of steps on the path to the state, which branches share.
    at = next(i for i in range(64 * 64) if document.find_pruning_step("a.weight", i) == 3)
    weights.canvas.hovered.emit(weights._layout.place(divmod(at, 64)))
    branched.wait(lambda: "pruned in step 3 by L1 30" in weights.readout.text())

    press_in_history(branched, "Del")
    assert "This branch has the current state, so it cannot be deleted." in branched.trouble[0]
    assert len(branched.states) == 4

    here = pruned(branched)
    branched.click_state(2)
    branched.wait(lambda: document.position == 2)
    assert pruned(branched) != here
    branched.key("Ctrl+Z")
    branched.key("Ctrl+Shift+Z")
    assert document.position == 2, "redo returns to the branch that was undone"
    branched.click_state(3)
    branched.wait(lambda: document.position == 3)
    assert pruned(branched) == here
    assert branched.window.actions_["undo"].text() == f"&Undo {branched.states[3]}"
    branched.key("Ctrl+Z")
    assert branched.window.actions_["redo"].text() == f"&Redo {branched.states[3]}"

    # Regression: the same step again made a second state of the same name and weights.
    branched.wait(lambda: document.position == 1)
    branched.ask_amount("30 %")
    branched.wait_preview()
    branched.click(branched.button)
    branched.wait(lambda: document.position == 3)
    assert document.branches.after == (0, 1, 1)
    assert branched.views.preview.heading.text() == "Result"

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
    press_in_history(branched, "F2")
    branched.wait(lambda: isinstance(QApplication.activeModalWidget(), QInputDialog))
    dialog = QApplication.activeModalWidget()
    branched.qtbot.keyClicks(dialog.findChild(QLineEdit), "x" * 110)
    shown = dialog.textValue()
    branched.qtbot.keyClick(dialog, "\r")
    branched.wait(lambda: QApplication.activeModalWidget() is None)
    assert branched.states[3] == shown == "x" * 100, "no more letters than are kept"

    press_in_history(branched, "Home")
    press_in_history(branched, "F2")
    assert QApplication.activeModalWidget() is None, "the file has its own name"
    press_in_history(branched, "Right")
    press_in_history(branched, "F2")
    branched.wait(lambda: isinstance(QApplication.activeModalWidget(), QInputDialog))
    branched.session.close()  # with the question
    branched.wait(lambda: QApplication.activeModalWidget() is None)


def test_delete_asks_and_says_what_it_frees_and_what_follows(branched):
    user, label = branched, branched.states[2]
    strip = user.views.history.list

    def delete(state, answer):
        strip.setCurrentIndex(strip.model().index(state))
        asked = user.answers(answer)
        press_in_history(user, "Del")
        user.wait(lambda: asked)
        user.wait(lambda: QApplication.activeModalWidget() is None)
        return asked

    user.click_state(0)
    user.wait(lambda: user.document.position == 0)
    (question,) = delete(1, "Cancel")
    assert "The 2 states that follow it are deleted, too. This cannot be undone." in question
    user.click_state(1)
    user.wait(lambda: user.document.position == 1)
    said = f"Delete '2: {label}'? This cannot be undone. It frees 512 bytes of masks."
    assert delete(2, "Cancel") == [said]
    assert len(user.states) == 4
    delete(2, "Delete")
    user.wait(lambda: len(user.states) == 3)
    assert user.document.branches.after == (0, 1)
    assert user.document.position == 1
    user.key("Ctrl+Shift+Z")
    assert user.document.position == 2

    user.click_state(0)
    user.wait(lambda: user.document.position == 0)
    (question,) = delete(1, "Delete")
    assert "The state that follows it is deleted, too." in question
    user.wait(lambda: len(user.states) == 1)
    assert not user.window.actions_["redo"].isEnabled()


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


def test_branches_are_saved_in_the_session_and_come_back(branched, tmp_path):
    user = branched
    user.chooses_file(tmp_path / "work.prune", "getSaveFileName")
    user.key("Ctrl+S")
    user.wait(lambda: not user.workbench.sessions.unsaved)
    user.key("Ctrl+Z")
    assert not user.workbench.sessions.unsaved, "a change of the current state is no unsaved change"
    user.key("Ctrl+Shift+Z")
    user.click_state(2)
    user.ask_amount("5 %")
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 4)
    user.click_state(3)
    user.wait(lambda: user.document.position == 3)
    assert user.workbench.sessions.unsaved, "the current state is saved, the branch is not"
    user.key("Ctrl+S")
    user.wait(lambda: not user.workbench.sessions.unsaved)
    user.document.delete(4)
    assert user.workbench.sessions.unsaved
    user.key("Ctrl+S")
    user.wait(lambda: not user.workbench.sessions.unsaved)
    user.document.rename(2, "a name")
    assert user.workbench.sessions.unsaved
    user.key("Ctrl+S")
    user.wait(lambda: not user.workbench.sessions.unsaved)

    states = user.states
    user.key("Ctrl+W")
    user.open(tmp_path / "work.prune")
    user.wait(lambda: user.document is not None)
    assert user.states == states
    assert user.states[2] == "a name"
    assert user.document.branches.after == (0, 1, 1)
    assert not user.workbench.sessions.unsaved


def test_a_comparison_with_a_deleted_state_is_made_anew(branched):
    """Regression: another state that reused its number was shown as equal."""
    user, view = branched, branched.views.compare
    user.key("5")
    user.wait(lambda: view._comparison is not None)
    user.choose(view.sides.boxes[1], "└ 2: ")
    user.wait(lambda: view._comparison is not None and view._comparison.b.startswith("2: L1 20"))
    user.document.delete(2)
    user.wait(lambda: view._comparison is not None and view._comparison.b.startswith("2: L1 30"))
