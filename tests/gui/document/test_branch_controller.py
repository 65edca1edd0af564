"""Branches: undo and another step, names, and deletion after a question."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from safetensors.numpy import save_file

from pruneapp.gui.document import history_controller
from pruneapp.gui.document.history_model import HistoryColumn
from tests.gui.user import plain


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
    user.views.history.tree.setFocus()
    user.key(key, user.views.history.tree)


def enter(user, text):
    """Replace the text of the cell that is being edited; None cancels editing."""
    (field,) = filter(
        QLineEdit.isVisible, user.views.history.tree.viewport().findChildren(QLineEdit)
    )
    if text is None:
        user.qtbot.keyClick(field, "\x1b")
        return
    field.selectAll()
    user.qtbot.keyClick(field, Qt.Key.Key_Backspace)
    user.qtbot.keyClicks(field, text)
    user.qtbot.keyClick(field, Qt.Key.Key_Return)


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
    enter(branched, "the keeper")
    branched.wait(lambda: branched.states[3] == "the keeper")
    assert branched.workbench.sessions.unsaved
    press_in_history(branched, "F2")
    enter(branched, None)
    assert branched.states[3] == "the keeper"
    assert document.position == 3, "Return goes to no state while a name is edited"
    press_in_history(branched, "F2")
    enter(branched, "")
    branched.wait(lambda: branched.states[3] == label)
    press_in_history(branched, "F2")
    enter(branched, "x" * 110)  # no more letters than are kept
    branched.wait(lambda: branched.states[3] == "x" * 100)

    tree = branched.views.history.tree
    note = tree.states.column_of(HistoryColumn.NOTE)
    tree.setCurrentIndex(tree.states.index_of(0, note))
    press_in_history(branched, "F2")
    enter(branched, "as downloaded")
    branched.wait(lambda: document.items[0].note == "as downloaded")
    assert tree.states.cell(0, note) == "as downloaded"
    assert document.position == 3
    press_in_history(branched, "F2")
    branched.session.close()  # while a note is edited
    assert branched.document is None


def test_the_sizes_of_all_states_are_computed_also_those_of_a_session(
    branched, tmp_path, monkeypatch
):
    user = branched

    def sizes():
        states = user.views.history.tree.states
        columns = [states.column_of(kind) for kind in (HistoryColumn.SPARSITY, HistoryColumn.BYTES)]
        return [[plain(states.cell(n, c)) for c in columns] for n in range(len(states.items))]

    # 4,096 weights of 4 bytes; pruned ones take one bit in addition to what is left.
    expected = [["0 %", "16 kB"], ["10.0 %", "15 kB"], ["28.0 %", "12 kB"], ["37.0 %", "11 kB"]]
    user.wait(lambda: sizes() == expected)
    user.chooses_file(tmp_path / "work.prune", "getSaveFileName")
    user.key("Ctrl+S")
    user.wait(lambda: not user.workbench.sessions.unsaved)
    user.key("Ctrl+W")
    monkeypatch.setattr(history_controller, "SHOW_EVERY_MS", 1_000)
    shown, show = [], user.views.history.set_sizes
    monkeypatch.setattr(
        user.views.history, "set_sizes", lambda of: (shown.append(len(of)), show(of))
    )
    user.open(tmp_path / "work.prune")
    user.wait(lambda: user.document is not None)
    user.wait(lambda: sizes() == expected)
    assert len(shown) < 4, "a repaint is not worth each of them"


def choose_in_menu(user, state, text):
    """Choose an entry of the context menu of a state."""
    menu = user.views.history.context_menu(state)
    (action,) = (a for a in menu.actions() if a.text().startswith(text))
    action.trigger()
    menu.deleteLater()


def test_a_state_is_compared_recovered_and_exported_from_its_menu(branched):
    user, view = branched, branched.views.compare
    choose_in_menu(user, 2, "Compare with the current state")
    user.wait(lambda: view._comparison is not None)
    assert (view._comparison.a[:2], view._comparison.b[:2]) == ("2:", "3:")
    choose_in_menu(user, 3, "Compare with the opened file")
    user.wait(lambda: view._comparison is not None and view._comparison.a == "Opened")
    choose_in_menu(user, 1, "Export…")
    user.wait(lambda: user.workbench.export.dialog is not None)
    assert user.document.position == 3
    assert user.workbench.export.dialog.windowTitle().startswith("Export: 1: ")
    user.workbench.export.dialog.reject()
    user.wait(lambda: user.workbench.export.dialog is None)
    choose_in_menu(user, 2, "Go to this state and recover…")
    user.wait(lambda: user.workbench.recover.dialog is not None)
    assert user.document.position == 2
    user.workbench.recover.dialog.reject()
    user.wait(lambda: user.workbench.recover.dialog is None)


def test_the_height_of_the_panel_is_remembered(branched, new_user):
    user = branched
    left, before = user.views.left, user.views.history.height()
    handle = left.handle(1)
    start = handle.rect().center()
    user.qtbot.mousePress(handle, Qt.MouseButton.LeftButton, pos=start)
    user.qtbot.mouseMove(handle, start - QPoint(0, 60))
    user.qtbot.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=start - QPoint(0, 60))
    taller = user.views.history.height()
    assert taller > before
    path = user.document.checkpoint.path
    user.key("Ctrl+W")
    user.wait(lambda: user.document is None)
    again = new_user().wait_ready()
    again.open(path)
    again.wait(lambda: again.document is not None)
    again.window.resize(user.window.size())
    again.wait(lambda: abs(again.views.history.height() - taller) <= 8)


def test_delete_asks_and_says_what_it_frees_and_what_follows(branched):
    user, label = branched, branched.states[2]
    tree = user.views.history.tree

    def delete(state, answer):
        tree.setCurrentIndex(tree.states.index_of(state))
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
