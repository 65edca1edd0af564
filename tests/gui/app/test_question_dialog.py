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


def confirmations(person):
    person.menu("Edit", "Confirmations")
    person.wait(lambda: isinstance(QApplication.activeModalWidget(), QuestionDialog))
    return QApplication.activeModalWidget()


def tick(person, box):
    person.click(box, QPoint(8, box.height() // 2))


def close(person, dialog):
    person.click(dialog.close_button)
    person.wait(lambda: QApplication.activeModalWidget() is None)


@pytest.fixture
def blocks(tmp_path):
    path = tmp_path / "blocks.safetensors"
    rng = np.random.default_rng(3)
    names = [f"layers.{block}.conv1.weight" for block in range(3)]
    save_file({name: rng.normal(size=(8, 4)).astype(np.float32) for name in names}, path)
    return path


def prune_channel(person, index):
    gesture = ManualEditRequest(
        "prune", "layers.1.conv1.weight", (((index, index + 1), (0, 4)),), "channel", 0
    )
    person.workbench.manual_edit.perform(gesture)


def test_a_question_about_an_edit_in_all_blocks_is_not_asked_again(person, blocks):
    person.open_file(blocks)
    person.menu("Prune", "Manual edit", "Apply to the same layer in all blocks")
    editing = person.workbench.manual_edit
    prune_channel(person, 5)
    person.wait(lambda: editing.dialog is not None and editing.dialog.isVisible())
    tick(person, editing.dialog.again)
    person.click(editing.dialog.leave)  # leaving the dialog does not disable the question
    person.wait(lambda: editing.dialog is None)
    prune_channel(person, 5)
    person.wait(lambda: editing.dialog is not None and editing.dialog.isVisible())
    tick(person, editing.dialog.again)
    person.click(editing.dialog.go)
    person.wait(lambda: len(person.states) == 2)

    prune_channel(person, 6)
    person.wait(lambda: len(person.states) == 3)
    assert editing.dialog is None
    assert person.states[2] == "channel 6 of layers.*.conv1 pruned"

    dialog = confirmations(person)
    assert {param.name: box.isChecked() for param, box in dialog.boxes.items()} == {
        WARN_OWN_METHODS.name: True,
        ASK_ALL_BLOCKS.name: False,
    }
    tick(person, dialog.boxes[ASK_ALL_BLOCKS])
    close(person, dialog)
    prune_channel(person, 7)
    person.wait(lambda: editing.dialog is not None and editing.dialog.isVisible())
    person.click(editing.dialog.leave)


def test_a_warning_before_code_runs_is_not_given_again_once_it_was_run(person, tmp_path):
    path = tmp_path / "gone.py"  # the missing file is only noticed after the question
    person.chooses_file(path)
    asked = []

    def answer(button):
        def look():
            box = QApplication.activeModalWidget()
            if isinstance(box, QMessageBox):
                timer.stop()
                asked.append(box.text())
                tick(person, box.checkBox())
                person.click(next(b for b in box.buttons() if b.text() == button))

        timer = QTimer(person.window)
        timer.timeout.connect(look)
        timer.start(5)
        person.menu("Tools", "Load method from file")

    answer("Cancel")
    person.wait(lambda: len(asked) == 1)
    assert person.workbench.settings.get(WARN_OWN_METHODS) is True
    answer("Run code")
    person.wait(lambda: person.trouble)
    assert len(asked) == 2
    person.click(person.window.notices.notices[0].close_button)
    person.menu("Tools", "Load method from file")
    person.wait(lambda: person.trouble)
    assert len(asked) == 2
    dialog = confirmations(person)
    assert not dialog.boxes[WARN_OWN_METHODS].isChecked()
    close(person, dialog)


def test_what_was_agreed_to_run_is_asked_about_again(person):
    settings = person.workbench.settings
    dialog = confirmations(person)
    assert dialog.agreed.text() == "Each that is new or has changed is shown before it runs."
    assert not dialog.forget.isEnabled()
    close(person, dialog)
    settings.agree_to("/a/script.py", "key")
    settings.agree_to("run {checkpoint}", "key")
    dialog = confirmations(person)
    assert dialog.agreed.text() == "2 run without being asked about."
    person.click(dialog.forget)
    assert not dialog.forget.isEnabled()
    close(person, dialog)
    assert settings.agreed_to("/a/script.py") == settings.agreed_to("run {checkpoint}") == ""


def test_no_question_about_work_that_would_be_lost_can_be_turned_off():
    assert QUESTIONS == (WARN_OWN_METHODS, ASK_ALL_BLOCKS), "think before adding one"
