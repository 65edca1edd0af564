"""Questions that the user can disable, and the dialog that enables them again."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from safetensors.numpy import save_file

from pruneapp.edits.manual_edit import ManualEditRequest
from pruneapp.gui.app.question_dialog import QuestionDialog
from pruneapp.gui.app.settings import ASK_ALL_BLOCKS, QUESTIONS, WARN_OWN_METHODS


def confirmations(user):
    user.menu("Edit", "Confirmations")
    user.wait(lambda: isinstance(QApplication.activeModalWidget(), QuestionDialog))
    return QApplication.activeModalWidget()


def tick(user, box):
    user.click(box, QPoint(8, box.height() // 2))


def close(user, dialog):
    user.click(dialog.close_button)
    user.wait(lambda: QApplication.activeModalWidget() is None)


@pytest.fixture
def blocks(tmp_path):
    path = tmp_path / "blocks.safetensors"
    rng = np.random.default_rng(3)
    names = [f"layers.{block}.conv1.weight" for block in range(3)]
    save_file({name: rng.normal(size=(8, 4)).astype(np.float32) for name in names}, path)
    return path


def prune_channel(user, index):
    gesture = ManualEditRequest(
        "prune", "layers.1.conv1.weight", (((index, index + 1), (0, 4)),), "channel", 0
    )
    user.workbench.manual_edit.perform(gesture)


def test_a_question_about_an_edit_in_all_blocks_is_not_asked_again(user, blocks):
    user.open_file(blocks)
    user.menu("Prune", "Manual edit", "Apply to the same layer in all blocks")
    editing = user.workbench.manual_edit
    prune_channel(user, 5)
    user.wait(lambda: editing.dialog is not None and editing.dialog.isVisible())
    tick(user, editing.dialog.again)
    user.click(editing.dialog.leave)  # leaving the dialog does not disable the question
    user.wait(lambda: editing.dialog is None)
    prune_channel(user, 5)
    user.wait(lambda: editing.dialog is not None and editing.dialog.isVisible())
    tick(user, editing.dialog.again)
    user.click(editing.dialog.go)
    user.wait(lambda: len(user.states) == 2)

    prune_channel(user, 6)
    user.wait(lambda: len(user.states) == 3)
    assert editing.dialog is None
    assert user.states[2] == "channel 6 of layers.*.conv1 pruned"

    dialog = confirmations(user)
    assert {param.name: box.isChecked() for param, box in dialog.boxes.items()} == {
        WARN_OWN_METHODS.name: True,
        ASK_ALL_BLOCKS.name: False,
    }
    tick(user, dialog.boxes[ASK_ALL_BLOCKS])
    close(user, dialog)
    prune_channel(user, 7)
    user.wait(lambda: editing.dialog is not None and editing.dialog.isVisible())
    user.click(editing.dialog.leave)


def test_a_warning_before_code_runs_is_not_given_again_once_it_was_run(user, tmp_path):
    path = tmp_path / "gone.py"  # the missing file is only noticed after the question
    user.chooses_file(path)
    asked = []

    def answer(button):
        def look():
            box = QApplication.activeModalWidget()
            if isinstance(box, QMessageBox):
                timer.stop()
                asked.append(box.text())
                tick(user, box.checkBox())
                user.click(next(b for b in box.buttons() if b.text() == button))

        timer = QTimer(user.window)
        timer.timeout.connect(look)
        timer.start(5)
        user.menu("Tools", "Load method from file")

    answer("Cancel")
    user.wait(lambda: len(asked) == 1)
    assert user.workbench.settings.get(WARN_OWN_METHODS) is True
    answer("Run code")
    user.wait(lambda: user.trouble)
    assert len(asked) == 2
    user.click(user.window.notices.notices[0].close_button)
    user.menu("Tools", "Load method from file")
    user.wait(lambda: user.trouble)
    assert len(asked) == 2
    dialog = confirmations(user)
    assert not dialog.boxes[WARN_OWN_METHODS].isChecked()
    close(user, dialog)


def test_what_was_agreed_to_run_is_asked_about_again(user):
    settings = user.workbench.settings
    dialog = confirmations(user)
    assert dialog.agreed.text() == "New or changed ones are shown before they run."
    assert not dialog.forget.isEnabled()
    close(user, dialog)
    settings.agree_to("/a/script.py", "key")
    settings.agree_to("run {checkpoint}", "key")
    dialog = confirmations(user)
    assert dialog.agreed.text() == "2 run without confirmation."
    user.click(dialog.forget)
    assert not dialog.forget.isEnabled()
    close(user, dialog)
    assert settings.agreed_to("/a/script.py") == settings.agreed_to("run {checkpoint}") == ""


def test_no_question_about_work_that_would_be_lost_can_be_turned_off():
    assert QUESTIONS == (WARN_OWN_METHODS, ASK_ALL_BLOCKS), "think before adding one"
